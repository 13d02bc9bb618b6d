/* Quadratic assignment problems in QAPLIB's format.
 *
 * R. E. Burkard, S. E. Karisch, F. Rendl, "QAPLIB - a quadratic assignment problem library", J.
 * Global Optimization 10 (1997) 391-403.
 */
#include "qap.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ration/tokens.h"

enum { COUNT_MAX = 20000 };

static const int64_t value_max = INT64_C(1) << 53;

/* flow, distance: [n * n]. */
typedef struct qap {
    int64_t n;
    int64_t *flow;
    int64_t *distance;
} qap;

static ration_status read_matrix(ration_tokens *tokens, const char *what, int64_t n,
                                 int64_t *matrix, ration_error *error)
{
    for (int64_t i = 0; i < n * n; i++) {
        RATION_TRY(ration_tokens_integer(tokens, what, -value_max, value_max, &matrix[i], error));
    }
    return RATION_OK;
}

static ration_status read_problem(ration_tokens *tokens, qap *q, ration_error *error)
{
    RATION_TRY(ration_tokens_integer(tokens, "the size", 1, COUNT_MAX, &q->n, error));
    const int64_t cells = q->n * q->n;
    if (cells > (tokens->end - tokens->at) / 4 + 1) { /* two numbers a cell, two characters each */
        return ration_tokens_fail(
            tokens, error, "two matrices of size %" PRId64 " need more numbers than the file holds",
            q->n);
    }
    q->flow = malloc((size_t)cells * sizeof *q->flow);
    q->distance = malloc((size_t)cells * sizeof *q->distance);
    if (q->flow == NULL || q->distance == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "%s: out of memory", tokens->name);
    }
    RATION_TRY(read_matrix(tokens, "an element of the first matrix", q->n, q->flow, error));
    RATION_TRY(read_matrix(tokens, "an element of the second matrix", q->n, q->distance, error));
    return ration_tokens_end(tokens, error);
}

static ration_status fill(const qap *q, ration_sense sense, ration_program *program,
                          ration_error *error)
{
    const int64_t sign = sense == RATION_MAXIMISE ? -1 : 1;
    RATION_TRY(ration_program_set_objective(program, sense, 0, 0, error));
    for (int64_t i = 0; i < q->n; i++) {
        int32_t place = 0;
        int32_t row = 0;
        RATION_TRY(ration_program_add_place(program, NULL, 0, &place, error));
        RATION_TRY(ration_program_add_row(program, NULL, RATION_DIMENSION_OTHER, 0, RATION_LOW_FREE,
                                          1, &row, error));
        RATION_TRY(ration_program_set_role(program, place, 0, 1, &row, error));
    }
    const ration_use one = {0, 1};
    const ration_entry entry = {RATION_NONE, 0, RATION_DIMENSION_OTHER, 0, 1, &one};
    for (int64_t i = 0; i < q->n; i++) {
        int32_t item = 0;
        RATION_TRY(ration_program_add_item(program, NULL, &item, error));
        RATION_TRY(ration_program_add_entry(program, item, &entry, error));
    }
    for (int64_t cell = 0; cell < q->n * q->n; cell++) {
        if (q->flow[cell] != 0) {
            RATION_TRY(ration_program_add_traffic(program, (int32_t)(cell / q->n),
                                                  (int32_t)(cell % q->n), sign * q->flow[cell],
                                                  error));
        }
    }
    RATION_TRY(ration_program_set_distances(program, RATION_DIMENSION_OTHER, q->distance, error));
    return RATION_OK;
}

static ration_status read_text(ration_tokens *tokens, int32_t wanted, void *problem,
                               ration_error *error)
{
    (void)wanted; /* there is one */
    return read_problem(tokens, problem, error);
}

static ration_status fill_program(const void *problem, ration_sense sense, ration_program *program,
                                  ration_error *error)
{
    return fill(problem, sense, program, error);
}

ration_status ration_qap_read(const ration_instance *request, ration_program **program,
                              ration_error *error)
{
    static const ration_instance_format format = {
        .sense = RATION_MINIMISE, .several = false, .read = read_text, .fill = fill_program};
    qap q = {0, NULL, NULL};
    const ration_status status = ration_instance_read(request, &format, &q, program, error);
    free(q.flow);
    free(q.distance);
    return status;
}
