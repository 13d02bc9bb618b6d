/* Results: made from picks and a bound after both were judged from scratch, and read by accessors.
 */
#include "plan/result.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sha256.h"
#include "core/fail.h"
#include "plan/verify.h"
#include "program/program.h"

void rn_run_facts_clear(rn_run_facts *facts)
{
    const rn_run_facts none = {false, 0, -1, -1, -1, -1, -1, -1, -1, -1, "", ""};
    *facts = none;
}

static void carve(rn_layout *layout, const rn_view *view, ration_result **result)
{
    ration_result *r = (ration_result *)rn_carve(layout, 1, sizeof *r);
    int64_t *load = (int64_t *)rn_carve(layout, view->all_rows, sizeof *load);
    int64_t *price = (int64_t *)rn_carve(layout, view->all_rows, sizeof *price);
    int64_t *width = (int64_t *)rn_carve(layout, 2 * (int64_t)view->groups, sizeof *width);
    int64_t *value_of = (int64_t *)rn_carve(layout, view->items, sizeof *value_of);
    int64_t *kept = (int64_t *)rn_carve(layout, view->all_rows, sizeof *kept);
    if (r != NULL) {
        r->value_of = value_of;
        r->kept = kept;
        r->load = load;
        r->price = price;
        r->width = width;
    }
    *result = r;
}

ration_status rn_result_blank(const ration_program *program, ration_result **result,
                              ration_error *error)
{
    const rn_view *view = rn_program_view(program);
    rn_layout layout = {0};
    ration_result *made = NULL;
    carve(&layout, view, &made);
    RN_TRY(rn_layout_allocate(&layout, "result", error));
    carve(&layout, view, &made);
    made->status = RATION_PLAN_UNKNOWN;
    made->items = view->items;
    made->rows = view->rows;
    made->all_rows = view->all_rows;
    made->groups = view->groups;
    ration_program_objective(program, &made->sense, &made->constant, &made->scale);
    made->gap_percent = -1.0;
    rn_run_facts_clear(&made->facts);
    ration_program_digest(program, made->program_digest);
    *result = made;
    return RATION_OK;
}

void ration_result_free(ration_result *result)
{
    if (result != NULL) {
        rn_free(result->pick);
        rn_free(result->broken);
        rn_free(result);
    }
}

/* ---- what the judge says ---- */

ration_status rn_picks_digest(const ration_program *program, const int32_t *pick, char *text,
                              ration_error *error)
{
    char *name = (char *)rn_malloc(RN_NAME_BYTES + 1);
    if (name == NULL) {
        return rn_fail_memory(error, "digest", RN_NAME_BYTES + 1);
    }
    rn_sha256 hash;
    rn_sha256_start(&hash);
    const int32_t *order = rn_program_order(program, RN_ITEM);
    for (int32_t k = 0; k < ration_program_items(program); k++) {
        int32_t place = RATION_NONE;
        int32_t mode = RATION_NONE;
        (void)ration_program_option(program, order[k], pick[order[k]], &place, &mode);
        const char *item_name =
            ration_program_item_name(program, order[k], name, RN_NAME_BYTES + 1);
        rn_sha256_add(&hash, item_name, strlen(item_name));
        rn_sha256_add(&hash, "\t", 1);
        const char *place_name = ration_program_place_name(program, place, name, RN_NAME_BYTES + 1);
        rn_sha256_add(&hash, place_name, strlen(place_name));
        rn_sha256_add(&hash, "\t", 1);
        const char *mode_name = ration_program_mode_name(program, mode, name, RN_NAME_BYTES + 1);
        rn_sha256_add(&hash, mode_name, strlen(mode_name));
        rn_sha256_add(&hash, "\n", 1);
    }
    uint8_t digest[RN_SHA256_BYTES];
    rn_sha256_end(&hash, digest);
    (void)rn_sha256_text(digest, 16, text);
    rn_free(name);
    return RATION_OK;
}

int32_t rn_result_row(const ration_program *program, int32_t position)
{
    assert(position >= 0);
    return position < ration_program_rows(program) ? rn_program_order(program, RN_ROW)[position]
                                                   : position;
}

/* The limit that a load breaks; false when it breaks none. */
static bool breaks(const rn_view *view, int32_t row, int64_t load, int64_t *limit)
{
    const int64_t high = row < view->rows ? view->row_high[row] : 1;
    const int64_t low = row < view->rows ? view->row_low[row] : INT64_MIN;
    *limit = load > high ? high : low;
    return load > high || load < low;
}

static ration_status list_broken(const ration_program *program, ration_result *result,
                                 ration_error *error)
{
    const rn_view *view = rn_program_view(program);
    int64_t limit = 0;
    int32_t count = 0;
    for (int32_t row = 0; row < view->all_rows; row++) {
        count += breaks(view, row, result->load[row], &limit) ? 1 : 0;
    }
    rn_broken *broken = (rn_broken *)rn_malloc((size_t)count * sizeof *broken);
    if (broken == NULL) {
        return rn_fail_memory(error, "violations", (size_t)count * sizeof *broken);
    }
    rn_free(result->broken);
    result->broken = broken;
    result->broken_count = 0;
    for (int32_t k = 0; k < view->all_rows; k++) {
        const int32_t row = rn_result_row(program, k);
        if (breaks(view, row, result->load[row], &limit)) {
            assert(result->broken_count < count);
            const rn_broken one = {row, result->load[row], limit};
            broken[result->broken_count++] = one;
        }
    }
    return RATION_OK;
}

ration_status rn_result_judge(const ration_program *program, ration_result *result,
                              ration_error *error)
{
    assert(result->pick != NULL);
    const rn_view *view = rn_program_view(program);
    rn_verdict *verdict = NULL;
    RN_TRY(rn_verify_picks(view, result->pick, &verdict, error));
    result->cost = verdict->cost;
    result->violation = verdict->violation;
    memcpy(result->cost_of, verdict->cost_of, sizeof result->cost_of);
    memcpy(result->load, verdict->load, (size_t)view->all_rows * sizeof *result->load);
    rn_verdict_free(verdict);
    RN_TRY(rn_picks_digest(program, result->pick, result->digest, error));
    return list_broken(program, result, error);
}

ration_plan_status rn_result_status_of(const ration_result *result)
{
    if (result->infeasible) {
        return RATION_PLAN_INFEASIBLE;
    }
    if (result->pick == NULL || result->violation > 0) {
        return RATION_PLAN_UNKNOWN;
    }
    return result->bounded && result->bound == result->cost ? RATION_PLAN_OPTIMAL
                                                            : RATION_PLAN_FEASIBLE;
}

rn_i128 rn_result_outward(const ration_result *result, int64_t value)
{
    return (result->sense == RATION_MAXIMISE ? -(rn_i128)value : (rn_i128)value) + result->constant;
}

double rn_result_gap(const ration_result *result)
{
    if (result->pick == NULL || result->violation > 0 || !result->bounded) {
        return -1.0;
    }
    double unit = 1.0;
    for (int32_t k = 0; k < result->scale; k++) {
        unit *= 10.0;
    }
    const rn_i128 cost = rn_result_outward(result, result->cost);
    const rn_i128 apart = cost - rn_result_outward(result, result->bound);
    const double size = (double)(cost < 0 ? -cost : cost) / unit;
    return 100.0 * ((double)(apart < 0 ? -apart : apart) / unit) / (size > 1.0 ? size : 1.0);
}

/* ---- making one ---- */

static ration_status set_picks(const ration_program *program, const int32_t *pick,
                               ration_result *result, ration_error *error)
{
    result->pick = (int32_t *)rn_malloc((size_t)result->items * sizeof *result->pick);
    if (result->pick == NULL) {
        return rn_fail_memory(error, "picks", (size_t)result->items * sizeof *result->pick);
    }
    memcpy(result->pick, pick, (size_t)result->items * sizeof *result->pick);
    return rn_result_judge(program, result, error);
}

static ration_status set_bound(const ration_program *program, const rn_bound *bound,
                               ration_result *result, ration_error *error)
{
    if (bound->value == INT64_MIN) {
        return RATION_OK;
    }
    const rn_claim claim = rn_bound_claim(bound);
    int64_t value = 0;
    RN_TRY(rn_verify_claim(rn_program_view(program), &claim, &value, error));
    if (value != bound->value || (bound->infeasible && value <= 0)) {
        return rn_fail(error, RATION_E_MISMATCH, "the certificate proves %lld, the bound says %lld",
                       (long long)value, (long long)bound->value);
    }
    result->kind = bound->kind;
    result->rounds = bound->rounds;
    assert(result->rounds >= 0 && result->rounds <= RN_ROUNDS_MAX);
    result->infeasible = bound->infeasible;
    result->bounded = !bound->infeasible;
    result->bound = bound->infeasible ? 0 : value;
    result->violation_bound = bound->infeasible ? value : 0;
    assert(result->bounded != result->infeasible && bound->all_rows == result->all_rows);
    memcpy(result->price, bound->price, (size_t)result->all_rows * sizeof *result->price);
    if (bound->kind == RN_BOUND_KNAPSACK) {
        assert(bound->items == result->items);
        memcpy(result->value_of, bound->value_of, (size_t)result->items * sizeof *result->value_of);
        memcpy(result->kept, bound->kept, (size_t)result->all_rows * sizeof *result->kept);
    }
    if (bound->kind == RN_BOUND_GROUP) {
        memcpy(result->width, bound->width, (size_t)result->groups * 2 * sizeof *result->width);
    }
    return RATION_OK;
}

static ration_status fill(const ration_program *program, const int32_t *pick, const rn_bound *bound,
                          ration_result *result, ration_error *error)
{
    if (pick != NULL) {
        RN_TRY(set_picks(program, pick, result, error));
    }
    if (bound != NULL) {
        RN_TRY(set_bound(program, bound, result, error));
    }
    if (result->pick != NULL && result->violation == 0 &&
        (result->infeasible || (result->bounded && result->bound > result->cost))) {
        return rn_fail(error, RATION_E_MISMATCH,
                       "a feasible plan costs %lld, but the bound excludes it",
                       (long long)result->cost);
    }
    result->status = rn_result_status_of(result);
    result->gap_percent = rn_result_gap(result);
    return RATION_OK;
}

ration_status rn_result_create(const ration_program *program, const int32_t *pick,
                               const rn_bound *bound, const rn_run_facts *facts,
                               ration_result **result, ration_error *error)
{
    assert(program != NULL && result != NULL);
    ration_result *made = NULL;
    RN_TRY(rn_result_blank(program, &made, error));
    if (facts != NULL) {
        made->facts = *facts;
    }
    const ration_status status = fill(program, pick, bound, made, error);
    if (status != RATION_OK) {
        ration_result_free(made);
        return status;
    }
    *result = made;
    return RATION_OK;
}

/* ---- reading one ---- */

ration_plan_status ration_result_status(const ration_result *result)
{
    return result->status;
}

bool ration_result_stopped(const ration_result *result)
{
    return result->stopped;
}

bool ration_result_has_picks(const ration_result *result)
{
    return result->pick != NULL;
}

int32_t ration_result_pick(const ration_result *result, int32_t item)
{
    assert(result->pick != NULL && item >= 0 && item < result->items);
    return result->pick[item];
}

int64_t ration_result_cost(const ration_result *result)
{
    return result->cost;
}

int64_t ration_result_violation(const ration_result *result)
{
    return result->violation;
}

bool ration_result_bound(const ration_result *result, int64_t *bound)
{
    if (result->bounded) {
        *bound = result->bound;
    }
    return result->bounded;
}

double ration_result_gap_percent(const ration_result *result)
{
    return rn_result_gap(result);
}

int64_t ration_result_load(const ration_result *result, int32_t row)
{
    assert(row >= 0 && row < result->all_rows);
    return result->load[row];
}

int32_t ration_result_broken_row(const ration_result *result, int32_t index, int64_t *load,
                                 int64_t *limit)
{
    if (index < 0 || index >= result->broken_count) {
        return RATION_NONE;
    }
    *load = result->broken[index].load;
    *limit = result->broken[index].limit;
    return result->broken[index].row;
}

int64_t ration_result_cost_of(const ration_result *result, ration_dimension dimension)
{
    return result->cost_of[dimension];
}

int64_t ration_result_price(const ration_result *result, int32_t row, int64_t *scale)
{
    assert(row >= 0 && row < result->all_rows);
    *scale = (int64_t)1 << RN_PRICE_BITS;
    return result->price[row];
}

const char *ration_result_digest(const ration_result *result)
{
    return result->digest;
}
