/* Generalized assignment problems in OR-Library's format.
 *
 * J. E. Beasley, "OR-Library: distributing test problems by electronic mail", J. Opl. Res. Soc. 41
 * (1990) 1069-1072; types C, D, E as in M. Yagiura, T. Ibaraki, F. Glover, INFORMS J. Comput. 16
 * (2004) 133-151.
 */
#include "gap.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ration/tokens.h"

enum { COUNT_MAX = 10000000 };

static const int64_t value_max = INT64_C(1) << 53;

/* cost and need: [agents * jobs], agent by agent; capacity: [agents]. */
typedef struct gap {
    int64_t agents;
    int64_t jobs;
    int64_t *cost;
    int64_t *need;
    int64_t *capacity;
} gap;

static ration_status read_array(ration_tokens *tokens, const char *what, int64_t low, int64_t count,
                                int64_t *array, ration_error *error)
{
    for (int64_t i = 0; i < count; i++) {
        RATION_TRY(ration_tokens_integer(tokens, what, low, value_max, &array[i], error));
    }
    return RATION_OK;
}

/* Reads the whole problem; what was allocated before a failure is freed by the caller. */
static ration_status read_problem(ration_tokens *tokens, gap *g, ration_error *error)
{
    RATION_TRY(
        ration_tokens_integer(tokens, "the number of agents", 1, COUNT_MAX, &g->agents, error));
    RATION_TRY(ration_tokens_integer(tokens, "the number of jobs", 1, COUNT_MAX, &g->jobs, error));
    const int64_t cells = g->agents * g->jobs;
    if (cells > (tokens->end - tokens->at) / 4 + 1) { /* two numbers a cell, two characters each */
        return ration_tokens_fail(tokens, error,
                                  "%" PRId64 " agents and %" PRId64
                                  " jobs need more numbers than the file holds",
                                  g->agents, g->jobs);
    }
    g->cost = malloc((size_t)cells * sizeof *g->cost);
    g->need = malloc((size_t)cells * sizeof *g->need);
    g->capacity = malloc((size_t)g->agents * sizeof *g->capacity);
    if (g->cost == NULL || g->need == NULL || g->capacity == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "%s: out of memory", tokens->name);
    }
    RATION_TRY(read_array(tokens, "a cost", -value_max, cells, g->cost, error));
    RATION_TRY(read_array(tokens, "a resource need", 0, cells, g->need, error));
    RATION_TRY(read_array(tokens, "a capacity", 0, g->agents, g->capacity, error));
    return ration_tokens_end(tokens, error);
}

static ration_status add_agents(const gap *g, ration_program *program, ration_error *error)
{
    for (int64_t i = 0; i < g->agents; i++) {
        int32_t made = 0;
        RATION_TRY(ration_program_add_place(program, NULL, 0, &made, error));
        RATION_TRY(ration_program_add_row(program, NULL, RATION_DIMENSION_OTHER, 0, RATION_LOW_FREE,
                                          g->capacity[i], &made, error));
    }
    return RATION_OK;
}

static ration_status add_job(const gap *g, int64_t job, int64_t sign, ration_program *program,
                             ration_error *error)
{
    int32_t item = 0;
    RATION_TRY(ration_program_add_item(program, NULL, &item, error));
    for (int64_t i = 0; i < g->agents; i++) {
        const ration_use use = {(int32_t)i, g->need[i * g->jobs + job]};
        const ration_option option = {
            (int32_t)i, RATION_NONE, RATION_DIMENSION_OTHER, sign * g->cost[i * g->jobs + job],
            1,          &use};
        RATION_TRY(ration_program_add_option(program, item, &option, error));
    }
    return RATION_OK;
}

static ration_status fill(const gap *g, ration_sense sense, ration_program *program,
                          ration_error *error)
{
    RATION_TRY(ration_program_set_objective(program, sense, 0, 0, error));
    RATION_TRY(add_agents(g, program, error));
    for (int64_t job = 0; job < g->jobs; job++) {
        RATION_TRY(add_job(g, job, sense == RATION_MAXIMISE ? -1 : 1, program, error));
    }
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

ration_status ration_gap_read(const ration_instance *request, ration_program **program,
                              ration_error *error)
{
    static const ration_instance_format format = {
        .sense = RATION_MINIMISE, .several = false, .read = read_text, .fill = fill_program};
    gap g = {0, 0, NULL, NULL, NULL};
    const ration_status status = ration_instance_read(request, &format, &g, program, error);
    free(g.cost);
    free(g.need);
    free(g.capacity);
    return status;
}
