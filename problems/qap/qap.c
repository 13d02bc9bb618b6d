/* Quadratic assignment problems in QAPLIB's format.
 *
 * R. E. Burkard, S. E. Karisch, F. Rendl, "QAPLIB - a quadratic assignment problem library", J.
 * Global Optimization 10 (1997) 391-403.
 */
#include "qap.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ration/document.h"
#include "ration/tokens.h"

enum { SIZE_LIMIT = 1 << 29, COUNT_MAX = 20000 };

static const int64_t value_max = INT64_C(1) << 53;

/* Returns the status upward; as a macro because it returns from its caller. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const ration_status status_ = (call);                                                      \
        if (status_ != RATION_OK) {                                                                \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

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
        TRY(ration_tokens_integer(tokens, what, -value_max, value_max, &matrix[i], error));
    }
    return RATION_OK;
}

static ration_status read_problem(ration_tokens *tokens, qap *q, ration_error *error)
{
    TRY(ration_tokens_integer(tokens, "the size", 1, COUNT_MAX, &q->n, error));
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
    TRY(read_matrix(tokens, "an element of the first matrix", q->n, q->flow, error));
    TRY(read_matrix(tokens, "an element of the second matrix", q->n, q->distance, error));
    return ration_tokens_end(tokens, error);
}

static ration_status fill(const qap *q, ration_sense sense, ration_program *program,
                          ration_error *error)
{
    const int64_t sign = sense == RATION_MAXIMISE ? -1 : 1;
    TRY(ration_program_set_objective(program, sense, 0, 0, error));
    for (int64_t i = 0; i < q->n; i++) {
        int32_t place = 0;
        int32_t row = 0;
        TRY(ration_program_add_place(program, NULL, 0, &place, error));
        TRY(ration_program_add_row(program, NULL, RATION_DIMENSION_OTHER, 0, RATION_LOW_FREE, 1,
                                   &row, error));
        TRY(ration_program_set_role(program, place, 0, 1, &row, error));
    }
    const ration_use one = {0, 1};
    const ration_entry entry = {RATION_NONE, 0, RATION_DIMENSION_OTHER, 0, 1, &one};
    for (int64_t i = 0; i < q->n; i++) {
        int32_t item = 0;
        TRY(ration_program_add_item(program, NULL, &item, error));
        TRY(ration_program_add_entry(program, item, &entry, error));
    }
    for (int64_t cell = 0; cell < q->n * q->n; cell++) {
        if (q->flow[cell] != 0) {
            TRY(ration_program_add_traffic(program, (int32_t)(cell / q->n), (int32_t)(cell % q->n),
                                           sign * q->flow[cell], error));
        }
    }
    TRY(ration_program_set_distances(program, RATION_DIMENSION_OTHER, q->distance, error));
    return ration_program_freeze(program, error);
}

static ration_status build(const qap *q, ration_sense sense, ration_program **program,
                           ration_error *error)
{
    ration_program *made = NULL;
    TRY(ration_program_create(1, &made, error));
    const ration_status status = fill(q, sense, made, error);
    if (status != RATION_OK) {
        ration_program_free(made);
        return status;
    }
    *program = made;
    return RATION_OK;
}

static ration_status read_text(const ration_instance *request, const char *text, size_t bytes,
                               qap *q, ration_error *error)
{
    ration_tokens tokens;
    TRY(ration_tokens_begin(&tokens, request->path, text, bytes, error));
    return read_problem(&tokens, q, error);
}

ration_status ration_qap_read(const ration_instance *request, ration_program **program,
                              ration_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    qap q = {0, NULL, NULL};
    if (request->problem > 1) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%s: holds one problem; problem %d is asked for", request->path,
                                (int)request->problem);
    }
    TRY(ration_text_read(request->path, SIZE_LIMIT, &text, &bytes, error));
    ration_status status = read_text(request, text, bytes, &q, error);
    if (status == RATION_OK) {
        status = build(&q, request->sense_given ? request->sense : RATION_MINIMISE, program, error);
        if (status != RATION_OK && error != NULL) {
            ration_error_set(error, status, "%.200s: %s", request->path, error->text);
        }
    }
    free(q.flow);
    free(q.distance);
    free(text);
    return status;
}
