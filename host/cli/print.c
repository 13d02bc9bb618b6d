/* What a person sees of a result that is not a front-end's plan, and how results are stored. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "ration/document.h"

enum { NAME_MAX_BYTES = 64, DECIMAL_MAX = 48, SHOWN_ROWS = 5 };

/* A cost in the file's unit as exact decimal text: (sign) value + constant, over 10^scale. */
static const char *cost_text(const ration_program *program, int64_t cost, char *text, size_t size)
{
    ration_sense sense;
    int64_t constant = 0;
    int32_t scale = 0;
    ration_program_objective(program, &sense, &constant, &scale);
    const int64_t value = (sense == RATION_MAXIMISE ? -cost : cost) + constant;
    assert(scale >= 0 && scale < 20);
    uint64_t magnitude = value < 0 ? 0U - (uint64_t)value : (uint64_t)value;
    uint64_t unit = 1;
    for (int32_t i = 0; i < scale; i++) {
        unit *= 10U;
    }
    const char *sign = value < 0 ? "-" : "";
    if (scale == 0) {
        snprintf(text, size, "%s%" PRIu64, sign, magnitude);
    } else {
        snprintf(text, size, "%s%" PRIu64 ".%0*" PRIu64, sign, magnitude / unit, scale,
                 magnitude % unit);
    }
    return text;
}

static const char *status_text(ration_plan_status status)
{
    switch (status) {
    case RATION_PLAN_OPTIMAL:
        return "optimal, proven";
    case RATION_PLAN_FEASIBLE:
        return "feasible";
    case RATION_PLAN_INFEASIBLE:
        return "infeasible, proven";
    default:
        return "unknown: no feasible plan was found, none is excluded";
    }
}

static void print_dimensions(const ration_program *program, const ration_result *result)
{
    char text[DECIMAL_MAX];
    ration_sense sense;
    int64_t constant = 0;
    int32_t scale = 0;
    ration_program_objective(program, &sense, &constant, &scale);
    for (int32_t d = 0; d < RATION_DIMENSIONS; d++) {
        const int64_t part = ration_result_cost_of(result, (ration_dimension)d);
        if (part != 0 && part != ration_result_cost(result)) {
            printf("  %-10s  %s\n", ration_dimension_name((ration_dimension)d),
                   cost_text(program, sense == RATION_MAXIMISE ? part + constant : part - constant,
                             text, sizeof text));
        }
    }
}

/* The rows out of their limits, the first few of them by name. */
static void print_broken(const ration_program *program, const ration_result *result)
{
    char name[NAME_MAX_BYTES];
    int64_t load = 0;
    int64_t limit = 0;
    int32_t count = 0;
    for (;; count++) {
        const int32_t row = ration_result_broken_row(result, count, &load, &limit);
        if (row == RATION_NONE) {
            break;
        }
        if (count < SHOWN_ROWS) {
            printf("  row %s has %" PRId64 "; the limit is %" PRId64 "\n",
                   ration_program_row_name(program, row, name, sizeof name), load, limit);
        }
    }
    if (count > SHOWN_ROWS) {
        printf("  and %" PRId32 " more rows\n", count - SHOWN_ROWS);
    }
}

void cli_print_result(const ration_program *program, const ration_result *result, bool bound_only)
{
    char text[DECIMAL_MAX];
    int64_t bound = 0;
    assert(bound_only || ration_result_status(result) != RATION_PLAN_OPTIMAL ||
           ration_result_violation(result) == 0);
    if (!bound_only) {
        printf("status   %s\n", status_text(ration_result_status(result)));
    } else if (ration_result_status(result) == RATION_PLAN_INFEASIBLE) {
        printf("status   %s\n", status_text(RATION_PLAN_INFEASIBLE));
    }
    if (ration_result_has_picks(result)) {
        printf("cost     %s\n", cost_text(program, ration_result_cost(result), text, sizeof text));
        print_dimensions(program, result);
        if (ration_result_violation(result) > 0) {
            printf("excess   %" PRId64 " over all hard limits\n", ration_result_violation(result));
            print_broken(program, result);
        }
    }
    if (ration_result_bound(result, &bound)) {
        printf("bound    %s\n", cost_text(program, bound, text, sizeof text));
    }
    if (ration_result_gap_percent(result) >= 0.0) {
        printf("gap      at most %.4f %%\n", ration_result_gap_percent(result));
    }
    if (ration_result_has_picks(result)) {
        printf("digest   %s\n", ration_result_digest(result));
    }
}

ration_status cli_write_result(const cli_options *options, const ration_program *program,
                               const ration_instance *source, const ration_result *result,
                               ration_error *error)
{
    ration_writer *writer = NULL;
    const char *text = NULL;
    size_t bytes = 0;
    if (options->json == NULL) {
        return RATION_OK;
    }
    RATION_TRY(ration_writer_create(&writer, error));
    assert(options->json[0] != '\0');
    ration_writer_open_map(writer, NULL);
    ration_result_write(result, program, source, writer);
    ration_writer_close(writer);
    ration_status status = ration_writer_finish(writer, &text, &bytes, error);
    if (status == RATION_OK) {
        status = ration_file_write(options->json, text, bytes, error);
    }
    ration_writer_free(writer);
    return status;
}

int cli_exit_of(const ration_result *result)
{
    if (ration_result_stopped(result)) {
        return CLI_STOPPED;
    }
    const ration_plan_status status = ration_result_status(result);
    return status == RATION_PLAN_OPTIMAL || status == RATION_PLAN_FEASIBLE ? CLI_DONE : CLI_NO_PLAN;
}
