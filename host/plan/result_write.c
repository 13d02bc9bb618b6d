/* Writes a result: docs/result-format.md. */
#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "plan/decimal.h"
#include "plan/names.h"
#include "plan/result.h"
#include "program/program.h"

const char *const rn_status_words[RN_STATUS_WORDS] = {"optimal", "feasible", "infeasible",
                                                      "unknown"};
const char *const rn_bound_words[RN_BOUND_WORDS] = {"lagrange", "group", "knapsack", "tree"};

typedef struct output {
    const ration_result *result;
    const ration_program *program;
    ration_writer *writer;
    char *name; /* [RN_NAME_BYTES + 1] scratch */
} output;

static void write_value(const output *out, const char *key, int64_t value)
{
    rn_decimal_write(out->writer, key, rn_result_outward(out->result, value), out->result->scale);
}

static void write_costs(const output *out)
{
    const ration_result *result = out->result;
    if (result->pick != NULL) {
        write_value(out, "cost", result->cost);
    }
    if (result->bounded) {
        write_value(out, "bound", result->bound);
    }
    if (result->scale > 0) {
        ration_writer_integer(out->writer, "scale", result->scale);
    }
    const double gap = rn_result_gap(result);
    if (gap >= 0.0) {
        ration_writer_real(out->writer, "gap_percent", gap);
    } else {
        ration_writer_null(out->writer, "gap_percent");
    }
    if (result->pick == NULL) {
        return;
    }
    ration_writer_open_map(out->writer, "cost_by_dimension");
    ration_writer_inline(out->writer);
    for (int32_t k = 0; k < RATION_DIMENSIONS; k++) {
        if (result->cost_of[k] != 0) {
            const rn_i128 value = result->cost_of[k];
            rn_decimal_write(out->writer, ration_dimension_name((ration_dimension)k),
                             result->sense == RATION_MAXIMISE ? -value : value, result->scale);
        }
    }
    if (result->constant != 0) {
        rn_decimal_write(out->writer, "constant", result->constant, result->scale);
    }
    ration_writer_close(out->writer);
    ration_writer_text(out->writer, "digest", result->digest);
}

static void write_program(const output *out, const ration_instance *source)
{
    ration_writer_open_map(out->writer, "program");
    if (source != NULL && source->path != NULL) {
        ration_writer_text(out->writer, "path", source->path);
    }
    if (source != NULL && source->format != NULL) {
        ration_writer_text(out->writer, "format", source->format);
    }
    if (source != NULL && source->start != NULL) {
        ration_writer_text(out->writer, "start", source->start);
    }
    ration_writer_text(out->writer, "digest", out->result->program_digest);
    if (source != NULL && source->sense_given) {
        ration_writer_text(out->writer, "sense", source->sense == RATION_MAXIMISE ? "max" : "min");
    }
    if (source != NULL && source->problem > 0) {
        ration_writer_integer(out->writer, "problem", source->problem);
    }
    ration_writer_close(out->writer);
}

static void write_count(const output *out, const char *key, int64_t value)
{
    if (value >= 0) {
        ration_writer_integer(out->writer, key, value);
    }
}

static void write_facts(const output *out)
{
    const rn_run_facts *facts = &out->result->facts;
    char text[32];
    if (facts->seeded && facts->seed <= (uint64_t)INT64_MAX) {
        ration_writer_integer(out->writer, "seed", (int64_t)facts->seed);
    } else if (facts->seeded) {
        (void)snprintf(text, sizeof text, "%" PRIu64, facts->seed);
        ration_writer_text(out->writer, "seed", text);
    }
    write_count(out, "epochs", facts->epochs);
    write_count(out, "epoch_length", facts->epoch_length);
    write_count(out, "passes", facts->passes);
    write_count(out, "chains", facts->chains);
    write_count(out, "islands", facts->islands);
    if (facts->preset[0] != '\0') {
        ration_writer_text(out->writer, "preset", facts->preset);
    }
    if (facts->backend[0] != '\0') {
        ration_writer_text(out->writer, "backend", facts->backend);
    }
    write_count(out, "threads", facts->threads);
    write_count(out, "moves", facts->moves);
    if (facts->elapsed_us >= 0) {
        ration_writer_real(out->writer, "elapsed_s", (double)facts->elapsed_us / 1e6);
    }
    if (out->result->stopped) {
        ration_writer_bool(out->writer, "stopped", true);
    }
}

static void write_picks(const output *out)
{
    const ration_program *program = out->program;
    if (out->result->pick == NULL) {
        return;
    }
    ration_writer_open_list(out->writer, "picks");
    for (int32_t k = 0; k < out->result->items; k++) {
        const int32_t item = rn_program_order(program, RN_ITEM)[k];
        int32_t place = RATION_NONE;
        int32_t mode = RATION_NONE;
        assert(out->result->pick[item] >= 0);
        (void)ration_program_option(program, item, out->result->pick[item], &place, &mode);
        ration_writer_open_map(out->writer, NULL);
        ration_writer_inline(out->writer);
        ration_writer_text(out->writer, "item",
                           ration_program_item_name(program, item, out->name, RN_NAME_BYTES + 1));
        if (place != RATION_NONE) {
            ration_writer_text(
                out->writer, "place",
                ration_program_place_name(program, place, out->name, RN_NAME_BYTES + 1));
        }
        if (mode != RATION_NONE) {
            ration_writer_text(
                out->writer, "mode",
                ration_program_mode_name(program, mode, out->name, RN_NAME_BYTES + 1));
        }
        ration_writer_close(out->writer);
    }
    ration_writer_close(out->writer);
}

static const char *row_name(const output *out, int32_t row)
{
    return ration_program_row_name(out->program, row, out->name, RN_NAME_BYTES + 1);
}

static void write_prices(const output *out)
{
    const ration_result *result = out->result;
    ration_writer_open_list(out->writer, "prices");
    for (int32_t k = 0; k < result->all_rows; k++) {
        const int32_t row = rn_result_row(out->program, k);
        if (result->price[row] == 0) {
            continue;
        }
        ration_writer_open_map(out->writer, NULL);
        ration_writer_inline(out->writer);
        ration_writer_text(out->writer, "row", row_name(out, row));
        ration_writer_integer(out->writer, "value", result->price[row]);
        ration_writer_integer(out->writer, "scale", (int64_t)1 << RN_PRICE_BITS);
        ration_writer_close(out->writer);
    }
    ration_writer_close(out->writer);
}

/* The groups that dynamic programming solves, known by their rows. */
static void write_groups(const output *out)
{
    const rn_view *view = rn_program_view(out->program);
    ration_writer_open_list(out->writer, "groups");
    for (int32_t group = 0; group < view->groups; group++) {
        const int64_t *width = out->result->width + (size_t)2 * (size_t)group;
        if (width[0] == 0 && width[1] == 0) {
            continue;
        }
        ration_writer_open_list(out->writer, NULL);
        ration_writer_inline(out->writer);
        for (int32_t side = 0; side < 2; side++) {
            if (width[side] > 0) {
                ration_writer_open_map(out->writer, NULL);
                ration_writer_inline(out->writer);
                ration_writer_text(out->writer, "row",
                                   row_name(out, view->group_row[2 * group + side]));
                ration_writer_integer(out->writer, "width", width[side]);
                ration_writer_close(out->writer);
            }
        }
        ration_writer_close(out->writer);
    }
    ration_writer_close(out->writer);
}

/* The rows that knapsacks keep and the values of items; those left out are 0. */
static void write_knapsacks(const output *out)
{
    const ration_result *result = out->result;
    char *name = out->name;
    ration_writer_open_list(out->writer, "rows");
    ration_writer_inline(out->writer);
    for (int32_t k = 0; k < result->all_rows; k++) {
        const int32_t row = rn_result_row(out->program, k);
        if (result->kept[row] != 0) {
            ration_writer_text(out->writer, NULL, row_name(out, row));
        }
    }
    ration_writer_close(out->writer);
    ration_writer_open_list(out->writer, "values");
    for (int32_t k = 0; k < result->items; k++) {
        const int32_t item = rn_program_order(out->program, RN_ITEM)[k];
        if (result->value_of[item] == 0) {
            continue;
        }
        ration_writer_open_map(out->writer, NULL);
        ration_writer_inline(out->writer);
        ration_writer_text(out->writer, "item",
                           ration_program_item_name(out->program, item, name, RN_NAME_BYTES + 1));
        ration_writer_integer(out->writer, "value", result->value_of[item]);
        ration_writer_integer(out->writer, "scale", (int64_t)1 << RN_PRICE_BITS);
        ration_writer_close(out->writer);
    }
    ration_writer_close(out->writer);
}

static void write_certificate(const output *out)
{
    const ration_result *result = out->result;
    if (!result->bounded && !result->infeasible) {
        return;
    }
    assert(result->bounded != result->infeasible && (int32_t)result->kind < RN_BOUND_WORDS);
    write_prices(out);
    ration_writer_open_map(out->writer, "certificate");
    ration_writer_text(out->writer, "kind", rn_bound_words[result->kind]);
    if (result->infeasible) {
        ration_writer_integer(out->writer, "violation", result->violation_bound);
    }
    if (result->rounds > 0) {
        ration_writer_integer(out->writer, "rounds", result->rounds);
    }
    if (result->kind == RN_BOUND_GROUP) {
        write_groups(out);
    }
    if (result->kind == RN_BOUND_KNAPSACK) {
        write_knapsacks(out);
    }
    ration_writer_close(out->writer);
}

static void write_violations(const output *out)
{
    if (out->result->pick == NULL || out->result->broken_count == 0) {
        return;
    }
    ration_writer_open_list(out->writer, "violations");
    for (int32_t k = 0; k < out->result->broken_count; k++) {
        const rn_broken *broken = &out->result->broken[k];
        ration_writer_open_map(out->writer, NULL);
        ration_writer_inline(out->writer);
        ration_writer_text(out->writer, "row", row_name(out, broken->row));
        ration_writer_integer(out->writer, "load", broken->load);
        ration_writer_integer(out->writer, "limit", broken->limit);
        ration_writer_close(out->writer);
    }
    ration_writer_close(out->writer);
}

void ration_result_write(const ration_result *result, const ration_program *program,
                         const ration_instance *source, ration_writer *writer)
{
    assert(result->items == ration_program_items(program));
    char name[RN_NAME_BYTES + 1];
    const output out = {result, program, writer, name};
    ration_writer_text(writer, "status", rn_status_words[result->status]);
    write_costs(&out);
    write_program(&out, source);
    write_facts(&out);
    write_picks(&out);
    write_certificate(&out);
    write_violations(&out);
}
