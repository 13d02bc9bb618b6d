/* Reads a result that nobody trusts: every field is checked for its shape and for naming things of
 * the program; whether what it claims is true is for ration_verify. */
#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "core/fail.h"
#include "plan/decimal.h"
#include "plan/names.h"
#include "plan/result.h"
#include "plan/verify.h"
#include "program/program.h"

typedef struct input {
    const ration_node *map;
    const ration_program *program;
    ration_result *result;
} input;

/* The field of that name, or NULL. A field that is null counts as absent. */
static const ration_node *field(const input *in, const char *key)
{
    const ration_node *node = ration_node_find(in->map, key);
    return node != NULL && ration_node_kind(node) == RATION_KIND_NULL ? NULL : node;
}

/* A value of the file in program units. */
static ration_status read_value(const input *in, const ration_node *node, int64_t *value,
                                ration_error *error)
{
    rn_i128 outward = 0;
    RN_TRY(rn_decimal_node(node, in->result->scale, &outward, error));
    const rn_i128 inward = outward - in->result->constant;
    const rn_i128 program = in->result->sense == RATION_MAXIMISE ? -inward : inward;
    if (program > RN_TOTAL_MAX || program < -RN_TOTAL_MAX) {
        return ration_node_fail(node, error, "found a value beyond 2^62, expected one within");
    }
    *value = (int64_t)program;
    return RATION_OK;
}

static ration_status read_text(const ration_node *node, char *text, size_t size,
                               ration_error *error)
{
    const char *found = NULL;
    RN_TRY(ration_node_text(node, false, &found, error));
    if (strlen(found) >= size) {
        return ration_node_fail(node, error, "found %zu bytes, expected at most %zu", strlen(found),
                                size - 1);
    }
    memcpy(text, found, strlen(found) + 1);
    return RATION_OK;
}

static ration_status read_digest(const ration_node *node, char *text, ration_error *error)
{
    RN_TRY(read_text(node, text, RATION_DIGEST_TEXT, error));
    if (strlen(text) != RATION_DIGEST_TEXT - 1 ||
        strspn(text, "0123456789abcdef") != RATION_DIGEST_TEXT - 1) {
        return ration_node_fail(node, error, "found \"%s\", expected 32 hexadecimal digits", text);
    }
    return RATION_OK;
}

static ration_status read_program(const input *in, ration_error *error)
{
    static const char *const known[] = {"path", "format", "start", "digest", "sense", "problem"};
    static const char *const senses[] = {"min", "max"};
    const ration_node *node = NULL;
    const ration_node *digest = NULL;
    int64_t problem = 0;
    int32_t sense = 0;
    const char *text = NULL;
    RN_TRY(ration_node_need(in->map, "program", &node, error));
    RN_TRY(ration_node_map(node, error));
    RN_TRY(ration_node_keys(node, known, 6, error));
    if (ration_node_find(node, "path") != NULL) {
        RN_TRY(ration_node_text(ration_node_find(node, "path"), false, &text, error));
    }
    if (ration_node_find(node, "format") != NULL) {
        RN_TRY(ration_node_text(ration_node_find(node, "format"), false, &text, error));
    }
    if (ration_node_find(node, "start") != NULL) {
        RN_TRY(ration_node_text(ration_node_find(node, "start"), false, &text, error));
    }
    if (ration_node_find(node, "sense") != NULL) {
        RN_TRY(ration_node_word(ration_node_find(node, "sense"), senses, 2, &sense, error));
    }
    if (ration_node_find(node, "problem") != NULL) {
        RN_TRY(
            ration_node_integer(ration_node_find(node, "problem"), 1, INT32_MAX, &problem, error));
    }
    RN_TRY(ration_node_need(node, "digest", &digest, error));
    char found[RATION_DIGEST_TEXT];
    RN_TRY(read_digest(digest, found, error));
    if (strcmp(found, in->result->program_digest) != 0) {
        return rn_fail(error, RATION_E_MISMATCH,
                       "program.digest is %s, but the program's is %s: it is another program",
                       found, in->result->program_digest);
    }
    return RATION_OK;
}

static ration_status read_count(const input *in, const char *key, int64_t most, int64_t *value,
                                ration_error *error)
{
    const ration_node *node = field(in, key);
    return node != NULL ? ration_node_integer(node, 0, most, value, error) : RATION_OK;
}

static ration_status read_seed(const input *in, rn_run_facts *facts, ration_error *error)
{
    const ration_node *node = field(in, "seed");
    const char *text = NULL;
    int64_t small = 0;
    if (node == NULL) {
        return RATION_OK;
    }
    facts->seeded = true;
    if (ration_node_kind(node) != RATION_KIND_TEXT) {
        RN_TRY(ration_node_integer(node, 0, INT64_MAX, &small, error));
        facts->seed = (uint64_t)small;
        return RATION_OK;
    }
    RN_TRY(ration_node_text(node, false, &text, error));
    rn_i128 value = 0;
    if (!rn_decimal_read(text, 0, &value) || value < 0 || value > (rn_i128)UINT64_MAX) {
        return ration_node_fail(node, error, "found \"%s\", expected an integer of 64 bits", text);
    }
    facts->seed = (uint64_t)value;
    return RATION_OK;
}

static ration_status read_facts(const input *in, ration_error *error)
{
    rn_run_facts *facts = &in->result->facts;
    int64_t passes = -1;
    int64_t chains = -1;
    int64_t islands = -1;
    int64_t threads = -1;
    double elapsed_s = -1.0;
    RN_TRY(read_seed(in, facts, error));
    RN_TRY(read_count(in, "epochs", INT64_MAX, &facts->epochs, error));
    RN_TRY(read_count(in, "epoch_length", INT64_MAX, &facts->epoch_length, error));
    RN_TRY(read_count(in, "moves", INT64_MAX, &facts->moves, error));
    RN_TRY(read_count(in, "passes", INT32_MAX, &passes, error));
    RN_TRY(read_count(in, "chains", INT32_MAX, &chains, error));
    RN_TRY(read_count(in, "islands", INT32_MAX, &islands, error));
    RN_TRY(read_count(in, "threads", INT32_MAX, &threads, error));
    facts->passes = (int32_t)passes;
    facts->chains = (int32_t)chains;
    facts->islands = (int32_t)islands;
    facts->threads = (int32_t)threads;
    if (field(in, "preset") != NULL) {
        RN_TRY(read_text(field(in, "preset"), facts->preset, RN_RESULT_WORD_MAX, error));
    }
    if (field(in, "backend") != NULL) {
        RN_TRY(read_text(field(in, "backend"), facts->backend, RN_RESULT_WORD_MAX, error));
    }
    if (field(in, "elapsed_s") != NULL) {
        RN_TRY(ration_node_real(field(in, "elapsed_s"), 0.0, 1e12, &elapsed_s, error));
        facts->elapsed_us = (int64_t)(elapsed_s * 1e6 + 0.5);
    }
    if (field(in, "stopped") != NULL) {
        RN_TRY(ration_node_bool(field(in, "stopped"), &in->result->stopped, error));
    }
    return RATION_OK;
}

/* ---- the plan ---- */

/* Looks up what a text names. key: what it names, for the message. */
static ration_status find_name(const input *in, const ration_node *node, const char *key,
                               int32_t (*find)(const ration_program *, const char *),
                               int32_t *found, ration_error *error)
{
    const char *text = NULL;
    RN_TRY(ration_node_text(node, false, &text, error));
    *found = find(in->program, text);
    return *found != RATION_NONE
               ? RATION_OK
               : ration_node_fail(node, error, "found \"%s\", but the program has no such %s", text,
                                  key);
}

/* Looks up the text field `key` of a map; RATION_NONE when it is absent. */
static ration_status read_name(const input *in, const ration_node *map, const char *key,
                               int32_t (*find)(const ration_program *, const char *),
                               int32_t *found, ration_error *error)
{
    const ration_node *node = ration_node_find(map, key);
    *found = RATION_NONE;
    return node == NULL ? RATION_OK : find_name(in, node, key, find, found, error);
}

static ration_status read_pick(const input *in, const ration_node *node, ration_error *error)
{
    static const char *const known[] = {"item", "place", "mode"};
    const ration_node *named = NULL;
    int32_t item = 0;
    int32_t place = 0;
    int32_t mode = 0;
    RN_TRY(ration_node_map(node, error));
    RN_TRY(ration_node_keys(node, known, 3, error));
    RN_TRY(ration_node_need(node, "item", &named, error));
    RN_TRY(read_name(in, node, "item", ration_program_find_item, &item, error));
    RN_TRY(read_name(in, node, "place", ration_program_find_place, &place, error));
    RN_TRY(read_name(in, node, "mode", ration_program_find_mode, &mode, error));
    if (in->result->pick[item] != RATION_NONE) {
        return ration_node_fail(node, error, "found a second pick of the item, expected one");
    }
    in->result->pick[item] = ration_program_find_option(in->program, item, place, mode);
    return in->result->pick[item] != RATION_NONE
               ? RATION_OK
               : ration_node_fail(node, error,
                                  "found a place and a mode that the item doesn't offer together");
}

static ration_status read_picks(const input *in, ration_error *error)
{
    ration_result *result = in->result;
    const ration_node *list = field(in, "picks");
    if (list == NULL) {
        return RATION_OK;
    }
    RN_TRY(ration_node_list(list, result->items, result->items, error));
    result->pick = (int32_t *)rn_malloc((size_t)result->items * sizeof *result->pick);
    if (result->pick == NULL) {
        return rn_fail_memory(error, "picks", (size_t)result->items * sizeof *result->pick);
    }
    for (int32_t k = 0; k < result->items; k++) {
        result->pick[k] = RATION_NONE;
    }
    for (int32_t k = 0; k < result->items; k++) {
        RN_TRY(read_pick(in, ration_node_at(list, k), error));
    }
    return RATION_OK;
}

static ration_status read_dimensions(const input *in, ration_error *error)
{
    const char *known[RATION_DIMENSIONS + 1];
    const ration_node *node = NULL;
    rn_i128 value = 0;
    RN_TRY(ration_node_need(in->map, "cost_by_dimension", &node, error));
    RN_TRY(ration_node_map(node, error));
    for (int32_t k = 0; k < RATION_DIMENSIONS; k++) {
        known[k] = ration_dimension_name((ration_dimension)k);
    }
    known[RATION_DIMENSIONS] = "constant";
    RN_TRY(ration_node_keys(node, known, RATION_DIMENSIONS + 1, error));
    for (int32_t k = 0; k < RATION_DIMENSIONS; k++) {
        const ration_node *one = ration_node_find(node, known[k]);
        in->result->cost_of[k] = 0;
        if (one != NULL) {
            RN_TRY(rn_decimal_node(one, in->result->scale, &value, error));
            value = in->result->sense == RATION_MAXIMISE ? -value : value;
            if (value > INT64_MAX || value < INT64_MIN) {
                return ration_node_fail(one, error, "found a value beyond 64 bits");
            }
            in->result->cost_of[k] = (int64_t)value;
        }
    }
    const ration_node *constant = ration_node_find(node, "constant");
    value = 0;
    if (constant != NULL) {
        RN_TRY(rn_decimal_node(constant, in->result->scale, &value, error));
    }
    return value == in->result->constant
               ? RATION_OK
               : rn_fail(error, RATION_E_MISMATCH,
                         "cost_by_dimension.constant is not the constant of the program");
}

static ration_status read_broken(const input *in, const ration_node *node, rn_broken *broken,
                                 ration_error *error)
{
    static const char *const known[] = {"row", "load", "limit"};
    const ration_node *part = NULL;
    RN_TRY(ration_node_map(node, error));
    RN_TRY(ration_node_keys(node, known, 3, error));
    RN_TRY(ration_node_need(node, "row", &part, error));
    RN_TRY(read_name(in, node, "row", ration_program_find_row, &broken->row, error));
    RN_TRY(ration_node_need(node, "load", &part, error));
    RN_TRY(ration_node_integer(part, INT64_MIN, INT64_MAX, &broken->load, error));
    RN_TRY(ration_node_need(node, "limit", &part, error));
    return ration_node_integer(part, INT64_MIN, INT64_MAX, &broken->limit, error);
}

static ration_status read_violations(const input *in, ration_error *error)
{
    ration_result *result = in->result;
    const ration_node *list = field(in, "violations");
    if (list == NULL) {
        return RATION_OK;
    }
    RN_TRY(ration_node_list(list, 0, result->all_rows, error));
    const int32_t count = ration_node_count(list);
    result->broken = (rn_broken *)rn_malloc((size_t)count * sizeof *result->broken);
    if (result->broken == NULL) {
        return rn_fail_memory(error, "violations", (size_t)count * sizeof *result->broken);
    }
    rn_i128 total = 0;
    for (int32_t k = 0; k < count; k++) {
        rn_broken *broken = &result->broken[k];
        RN_TRY(read_broken(in, ration_node_at(list, k), broken, error));
        const rn_i128 apart = (rn_i128)broken->load - broken->limit;
        total += apart < 0 ? -apart : apart;
        result->broken_count++;
    }
    result->violation = rn_i128_saturate(total);
    return RATION_OK;
}

/* Loads are not in the file: they follow from the picks. */
static ration_status fill_loads(const input *in, ration_error *error)
{
    rn_verdict *verdict = NULL;
    RN_TRY(rn_verify_picks(rn_program_view(in->program), in->result->pick, &verdict, error));
    memcpy(in->result->load, verdict->load,
           (size_t)in->result->all_rows * sizeof *in->result->load);
    rn_verdict_free(verdict);
    return RATION_OK;
}

static ration_status read_plan(const input *in, ration_error *error)
{
    static const char *const parts[] = {"cost", "cost_by_dimension", "digest", "violations"};
    const ration_node *node = NULL;
    RN_TRY(read_picks(in, error));
    if (in->result->pick == NULL) {
        for (int32_t k = 0; k < 4; k++) {
            if (field(in, parts[k]) != NULL) {
                return ration_node_fail(field(in, parts[k]), error, "found it without picks");
            }
        }
        return RATION_OK;
    }
    RN_TRY(ration_node_need(in->map, "cost", &node, error));
    RN_TRY(read_value(in, node, &in->result->cost, error));
    RN_TRY(read_dimensions(in, error));
    RN_TRY(ration_node_need(in->map, "digest", &node, error));
    RN_TRY(read_digest(node, in->result->digest, error));
    RN_TRY(read_violations(in, error));
    return fill_loads(in, error);
}

/* ---- the bound ---- */

static ration_status read_prices(const input *in, ration_error *error)
{
    static const char *const known[] = {"row", "value", "scale"};
    const ration_node *list = NULL;
    RN_TRY(ration_node_need(in->map, "prices", &list, error));
    RN_TRY(ration_node_list(list, 0, in->result->all_rows, error));
    for (int32_t k = 0; k < ration_node_count(list); k++) {
        const ration_node *node = ration_node_at(list, k);
        const ration_node *part = NULL;
        int32_t row = 0;
        int64_t scale = 0;
        RN_TRY(ration_node_map(node, error));
        RN_TRY(ration_node_keys(node, known, 3, error));
        RN_TRY(ration_node_need(node, "row", &part, error));
        RN_TRY(read_name(in, node, "row", ration_program_find_row, &row, error));
        assert(row >= 0 && row < in->result->all_rows);
        if (in->result->price[row] != 0) {
            return ration_node_fail(node, error, "found a second price of the row, expected one");
        }
        RN_TRY(ration_node_need(node, "value", &part, error));
        RN_TRY(
            ration_node_integer(part, -RN_PRICE_MAX, RN_PRICE_MAX, &in->result->price[row], error));
        RN_TRY(ration_node_need(node, "scale", &part, error));
        RN_TRY(ration_node_integer(part, (int64_t)1 << RN_PRICE_BITS, (int64_t)1 << RN_PRICE_BITS,
                                   &scale, error));
    }
    return RATION_OK;
}

/* The group that has this DP row, or -1. side: out. */
static int32_t group_of(const rn_view *view, int32_t row, int32_t *side)
{
    for (int32_t k = 0; k < 2 * view->groups; k++) {
        if (view->group_row[k] == row) {
            *side = k % 2;
            return k / 2;
        }
    }
    return -1;
}

static ration_status read_groups(const input *in, const ration_node *list, ration_error *error)
{
    static const char *const known[] = {"row", "width"};
    const rn_view *view = rn_program_view(in->program);
    RN_TRY(ration_node_list(list, 0, view->groups, error));
    for (int32_t k = 0; k < ration_node_count(list); k++) {
        const ration_node *pair = ration_node_at(list, k);
        RN_TRY(ration_node_list(pair, 1, 2, error));
        for (int32_t j = 0; j < ration_node_count(pair); j++) {
            const ration_node *node = ration_node_at(pair, j);
            const ration_node *part = NULL;
            int32_t row = 0;
            int32_t side = 0;
            RN_TRY(ration_node_map(node, error));
            RN_TRY(ration_node_keys(node, known, 2, error));
            RN_TRY(ration_node_need(node, "row", &part, error));
            RN_TRY(read_name(in, node, "row", ration_program_find_row, &row, error));
            const int32_t group = group_of(view, row, &side);
            if (group < 0 || in->result->width[2 * group + side] != 0) {
                return ration_node_fail(part, error, "expected the row of a group, each once");
            }
            RN_TRY(ration_node_need(node, "width", &part, error));
            RN_TRY(ration_node_integer(part, 1, RN_TOTAL_MAX, &in->result->width[2 * group + side],
                                       error));
        }
    }
    return RATION_OK;
}

/* The rows of a certificate of kind knapsack. */
static ration_status read_kept(const input *in, const ration_node *list, ration_error *error)
{
    RN_TRY(ration_node_list(list, 1, in->result->all_rows, error));
    for (int32_t k = 0; k < ration_node_count(list); k++) {
        int32_t row = 0;
        RN_TRY(find_name(in, ration_node_at(list, k), "row", ration_program_find_row, &row, error));
        assert(row >= 0 && row < in->result->all_rows);
        if (in->result->kept[row] != 0) {
            return ration_node_fail(ration_node_at(list, k), error,
                                    "found the row twice, expected each once");
        }
        in->result->kept[row] = 1;
    }
    return RATION_OK;
}

/* The values of items of a certificate of kind knapsack. */
static ration_status read_values(const input *in, const ration_node *list, ration_error *error)
{
    static const char *const known[] = {"item", "value", "scale"};
    RN_TRY(ration_node_list(list, 0, in->result->items, error));
    for (int32_t k = 0; k < ration_node_count(list); k++) {
        const ration_node *node = ration_node_at(list, k);
        const ration_node *part = NULL;
        int32_t item = 0;
        int64_t scale = 0;
        RN_TRY(ration_node_map(node, error));
        RN_TRY(ration_node_keys(node, known, 3, error));
        RN_TRY(ration_node_need(node, "item", &part, error));
        RN_TRY(read_name(in, node, "item", ration_program_find_item, &item, error));
        if (in->result->value_of[item] != 0) {
            return ration_node_fail(node, error, "found a second value of the item, expected one");
        }
        RN_TRY(ration_node_need(node, "value", &part, error));
        RN_TRY(ration_node_integer(part, -RN_TOTAL_MAX, RN_TOTAL_MAX, &in->result->value_of[item],
                                   error));
        RN_TRY(ration_node_need(node, "scale", &part, error));
        RN_TRY(ration_node_integer(part, (int64_t)1 << RN_PRICE_BITS, (int64_t)1 << RN_PRICE_BITS,
                                   &scale, error));
    }
    return RATION_OK;
}

static ration_status read_bound(const input *in, ration_error *error)
{
    static const char *const known[] = {"kind", "violation", "rounds", "groups", "rows", "values"};
    ration_result *result = in->result;
    const ration_node *certificate = field(in, "certificate");
    const ration_node *bound = field(in, "bound");
    const ration_node *part = NULL;
    int32_t kind = 0;
    if (certificate == NULL) {
        return bound == NULL ? RATION_OK
                             : ration_node_fail(bound, error, "found a bound without certificate");
    }
    RN_TRY(ration_node_map(certificate, error));
    RN_TRY(ration_node_keys(certificate, known, 6, error));
    RN_TRY(ration_node_need(certificate, "kind", &part, error));
    RN_TRY(ration_node_word(part, rn_bound_words, RN_BOUND_WORDS, &kind, error));
    result->kind = (rn_bound_kind)kind;
    RN_TRY(read_prices(in, error));
    if (result->kind == RN_BOUND_GROUP) {
        RN_TRY(ration_node_need(certificate, "groups", &part, error));
        RN_TRY(read_groups(in, part, error));
    }
    if (result->kind == RN_BOUND_KNAPSACK) {
        RN_TRY(ration_node_need(certificate, "rows", &part, error));
        RN_TRY(read_kept(in, part, error));
        RN_TRY(ration_node_need(certificate, "values", &part, error));
        RN_TRY(read_values(in, part, error));
    }
    part = ration_node_find(certificate, "rounds");
    if (part != NULL) {
        int64_t rounds = 0;
        RN_TRY(ration_node_integer(part, 1, RN_ROUNDS_MAX, &rounds, error));
        result->rounds = (int32_t)rounds;
    }
    part = ration_node_find(certificate, "violation");
    if (part != NULL) {
        result->infeasible = true;
        RN_TRY(ration_node_integer(part, 1, INT64_MAX, &result->violation_bound, error));
        return bound == NULL ? RATION_OK
                             : ration_node_fail(bound, error,
                                                "found a bound of the cost with a certificate "
                                                "that there is no feasible plan");
    }
    if (bound == NULL) {
        return ration_node_fail(certificate, error, "found a certificate without a bound");
    }
    result->bounded = true;
    return read_value(in, bound, &result->bound, error);
}

/* ---- the whole ---- */

static ration_status read_all(const input *in, ration_error *error)
{
    static const char *const known[] = {
        "status",    "cost",    "bound",  "scale",   "gap_percent",  "cost_by_dimension",
        "digest",    "program", "seed",   "epochs",  "epoch_length", "passes",
        "chains",    "islands", "preset", "backend", "threads",      "moves",
        "elapsed_s", "stopped", "picks",  "prices",  "certificate",  "violations",
        "dropped"};
    const ration_node *node = NULL;
    int32_t status = 0;
    int64_t scale = 0;
    RN_TRY(ration_node_map(in->map, error));
    RN_TRY(ration_node_keys(in->map, known, (int32_t)(sizeof known / sizeof known[0]), error));
    RN_TRY(read_program(in, error));
    RN_TRY(ration_node_need(in->map, "status", &node, error));
    RN_TRY(ration_node_word(node, rn_status_words, RN_STATUS_WORDS, &status, error));
    in->result->status = (ration_plan_status)status;
    RN_TRY(read_count(in, "scale", 18, &scale, error));
    if (scale != in->result->scale) {
        return rn_fail(error, RATION_E_MISMATCH, "scale is %d, but the program's is %d", (int)scale,
                       (int)in->result->scale);
    }
    RN_TRY(read_facts(in, error));
    RN_TRY(read_plan(in, error));
    RN_TRY(read_bound(in, error));
    if (field(in, "gap_percent") != NULL) {
        RN_TRY(ration_node_real(field(in, "gap_percent"), 0.0, 1e300, &in->result->gap_percent,
                                error));
    }
    return RATION_OK;
}

ration_status ration_result_read(const ration_node *map, const ration_program *program,
                                 ration_result **result, ration_error *error)
{
    assert(map != NULL && program != NULL && result != NULL);
    ration_result *made = NULL;
    RN_TRY(rn_result_blank(program, &made, error));
    const input in = {map, program, made};
    const ration_status status = read_all(&in, error);
    if (status != RATION_OK) {
        ration_result_free(made);
        return status;
    }
    *result = made;
    return RATION_OK;
}
