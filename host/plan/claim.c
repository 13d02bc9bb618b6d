/* A certificate, recomputed: the Lagrangian bound of bound/bound.h by the plainest possible loops
 * in 128 bits. */
#include "plan/claim.h"

#include <assert.h>
#include <stddef.h>

#include "base/alloc.h"
#include "core/fail.h"

static const rn_i128 scale = (rn_i128)1 << RN_PRICE_BITS;

rn_i128 rn_claim_option(const rn_case *c, const rn_judged *option, const int32_t skip[2])
{
    rn_i128 sum = 0;
    if (!c->claim->violation) {
        sum += scale * rn_judge_own_cost(c->view, option);
        sum += scale * rn_judge_other_cost(c->view, option);
        sum += scale * rn_halves_at(&c->halves, option->item, option->place);
    }
    rn_judge_list(c->view, option, c->burden);
    for (int32_t k = 0; k < rn_judge_burdens(c->view, option); k++) {
        const rn_burden *burden = &c->burden[k];
        assert(burden->row >= 0 && burden->row < c->view->all_rows);
        if (burden->row != skip[0] && burden->row != skip[1]) {
            sum += (rn_i128)c->claim->price[burden->row] * burden->amount;
        }
    }
    return sum;
}

static int64_t limit_low(const rn_view *view, int32_t row)
{
    return row < view->rows ? view->row_low[row] : INT64_MIN;
}

static int64_t limit_high(const rn_view *view, int32_t row)
{
    return row < view->rows ? view->row_high[row] : 1;
}

/* f_r(z), or in a violation claim the distance of z to the limits. */
static rn_i128 row_cost(const rn_case *c, int32_t row, rn_i128 z)
{
    const rn_view *view = c->view;
    if (c->claim->violation) {
        const int64_t low = limit_low(view, row);
        const int64_t high = limit_high(view, row);
        const rn_i128 over = high != INT64_MAX && z > high ? z - high : 0;
        return over + (low != INT64_MIN && z < low ? low - z : 0);
    }
    return row < view->rows
               ? rn_judge_pieces(view, view->row_piece[row], view->row_piece[row + 1], z)
               : 0;
}

/* Cuts a range of loads to the proved range and, unless the claim is about violating them, to the
 * row's limits. */
static void cut_range(const rn_case *c, int32_t row, rn_i128 *from, rn_i128 *to)
{
    *from = *from < c->left.low[row] ? c->left.low[row] : *from;
    *to = *to > c->left.high[row] ? c->left.high[row] : *to;
    if (!c->claim->violation) {
        const int64_t low = limit_low(c->view, row);
        const int64_t high = limit_high(c->view, row);
        *from = *from < low ? low : *from;
        *to = *to > high ? high : *to;
    }
}

/* One term of a row: its value at z, all feeds that leave the row priced in. */
static rn_i128 bracket(const rn_case *c, int32_t row, rn_i128 z, bool priced)
{
    const rn_view *view = c->view;
    rn_i128 sum = scale * row_cost(c, row, z);
    if (!priced) {
        return sum;
    }
    sum -= c->claim->price[row] * z;
    for (int32_t feed = row < view->rows ? view->row_feed[row] : 0;
         row < view->rows && feed < view->row_feed[row + 1]; feed++) {
        sum += c->claim->price[view->feed_to[feed]] *
               rn_judge_pieces(view, view->feed_piece[feed], view->feed_piece[feed + 1], z);
    }
    return sum;
}

typedef struct least_of {
    rn_i128 from;
    rn_i128 to;
    rn_i128 least;
} least_of;

static void try_at(const rn_case *c, int32_t row, bool priced, rn_i128 z, least_of *found)
{
    if (z < found->from || z > found->to) {
        return;
    }
    const rn_i128 value = bracket(c, row, z, priced);
    found->least = value < found->least ? value : found->least;
}

/* Least bracket over from <= z <= to (from <= to). Between two neighbouring break points it is a
 * line, so its least value lies at a break point, just before one, or at an end. */
static rn_i128 least_bracket(const rn_case *c, int32_t row, bool priced, rn_i128 from, rn_i128 to)
{
    const rn_view *view = c->view;
    assert(from <= to);
    least_of found = {from, to, bracket(c, row, from, priced)};
    try_at(c, row, priced, to, &found);
    if (row >= view->rows) {
        try_at(c, row, priced, 1, &found);
        return found.least;
    }
    for (int32_t k = view->row_piece[row]; k < view->row_piece[row + 1]; k++) {
        try_at(c, row, priced, view->piece[k].start, &found);
        try_at(c, row, priced, (rn_i128)view->piece[k].start - 1, &found);
    }
    for (int32_t feed = view->row_feed[row]; feed < view->row_feed[row + 1]; feed++) {
        for (int32_t k = view->feed_piece[feed]; k < view->feed_piece[feed + 1]; k++) {
            try_at(c, row, priced, view->piece[k].start, &found);
            try_at(c, row, priced, (rn_i128)view->piece[k].start - 1, &found);
        }
    }
    try_at(c, row, priced, view->row_low[row], &found);
    try_at(c, row, priced, view->row_high[row], &found);
    return found.least;
}

bool rn_claim_row_least(const rn_case *c, int32_t row, rn_i128 from, rn_i128 to, rn_i128 *least)
{
    assert(row >= 0 && row < c->view->rows);
    cut_range(c, row, &from, &to);
    if (from > to) {
        return false;
    }
    *least = least_bracket(c, row, false, from, to) / scale;
    return true;
}

/* Adds the terms of all rows that no group solves. */
static ration_status add_rows(const rn_case *c, const char *solved, rn_i128 *sum,
                              ration_error *error)
{
    for (int32_t row = 0; row < c->view->all_rows; row++) {
        if (solved[row] != 0) {
            continue;
        }
        rn_i128 from = c->left.low[row];
        rn_i128 to = c->left.high[row];
        assert(from <= to);
        cut_range(c, row, &from, &to);
        if (from > to) {
            return rn_fail(
                error, RATION_E_MISMATCH,
                "row %d has no load within its limits, so a bound of the cost means nothing", row);
        }
        *sum += least_bracket(c, row, true, from, to);
        *sum += row < c->view->rows ? (rn_i128)c->claim->price[row] * c->view->row_offset[row] : 0;
    }
    return RATION_OK;
}

static bool by_group(const rn_claim *claim, int32_t group)
{
    return claim->kind == RN_BOUND_GROUP &&
           (claim->width[2 * group] > 0 || claim->width[2 * group + 1] > 0);
}

/* Marks the rows that groups solve, checking the widths. */
static ration_status mark_rows(const rn_case *c, char *solved, ration_error *error)
{
    const rn_view *view = c->view;
    for (int32_t group = 0; group < view->groups; group++) {
        for (int32_t side = 0; by_group(c->claim, group) && side < 2; side++) {
            const int32_t row = view->group_row[2 * group + side];
            const int64_t width = c->claim->width[2 * group + side];
            if (width < 0 || (row < 0 && width > 0) || (row >= 0 && width == 0)) {
                return rn_fail(error, RATION_E_MISMATCH,
                               "the width %lld of group %d doesn't fit its rows", (long long)width,
                               group);
            }
            if (row >= 0) {
                solved[row] = 1;
            }
        }
    }
    return RATION_OK;
}

static ration_status add_items(const rn_case *c, rn_i128 *sum, ration_error *error)
{
    const rn_view *view = c->view;
    const int32_t none[2] = {-1, -1};
    for (int32_t item = 0; item < view->items; item++) {
        if (view->item_group != NULL && view->item_group[item] >= 0 &&
            by_group(c->claim, view->item_group[item])) {
            continue;
        }
        bool any = false;
        rn_i128 least = 0;
        rn_judge_walk walk = rn_left_first(&c->left, item);
        while (rn_judge_next(&walk)) {
            const rn_i128 value = rn_claim_option(c, &walk.option, none);
            least = !any || value < least ? value : least;
            any = true;
        }
        if (!any) {
            return rn_fail(error, RATION_E_MISMATCH, "item %d has no option", item);
        }
        *sum += least;
    }
    for (int32_t group = 0; group < view->groups; group++) {
        rn_i128 least = 0;
        if (by_group(c->claim, group)) {
            RN_TRY(rn_claim_group(c, group, &least, error));
        }
        *sum += least;
    }
    return RATION_OK;
}

static ration_status check_prices(const rn_view *view, const rn_claim *claim, ration_error *error)
{
    if (claim->kind != RN_BOUND_LAGRANGE && claim->kind != RN_BOUND_GROUP &&
        claim->kind != RN_BOUND_KNAPSACK) {
        return rn_fail(
            error, RATION_E_MISMATCH,
            "a certificate of kind %d can't be checked here; known are lagrange, group, knapsack",
            (int)claim->kind);
    }
    if (claim->kind == RN_BOUND_KNAPSACK &&
        (claim->violation || claim->value_of == NULL || claim->kept == NULL)) {
        return rn_fail(error, RATION_E_MISMATCH,
                       "a certificate of kind knapsack needs rows and values of items, and bounds "
                       "no violation");
    }
    if (claim->kind == RN_BOUND_GROUP && view->groups > 0 && claim->width == NULL) {
        return rn_fail(error, RATION_E_MISMATCH,
                       "a certificate of kind group needs the widths of its groups");
    }
    if (claim->rounds < 0 || claim->rounds > RN_ROUNDS_MAX) {
        return rn_fail(error, RATION_E_MISMATCH,
                       "%d rounds of leaving out options; expected 0 to %d", claim->rounds,
                       RN_ROUNDS_MAX);
    }
    for (int32_t row = 0; row < view->all_rows; row++) {
        if (claim->price[row] > RN_PRICE_MAX || claim->price[row] < -RN_PRICE_MAX) {
            return rn_fail(error, RATION_E_MISMATCH, "the price of row %d is larger than 2^50",
                           row);
        }
    }
    return RATION_OK;
}

/* L, scaled. */
static ration_status add_all(rn_case *c, rn_i128 *sum, ration_error *error)
{
    const rn_view *view = c->view;
    char *solved = (char *)rn_calloc((size_t)view->all_rows + 1, 1);
    c->burden = (rn_burden *)rn_malloc((size_t)rn_judge_most_burdens(view) * sizeof *c->burden);
    ration_status status = solved == NULL || c->burden == NULL
                               ? rn_fail_memory(error, "certificate", (size_t)view->all_rows)
                               : rn_halves_create(&c->left, &c->halves, error);
    if (status == RATION_OK) {
        status = mark_rows(c, solved, error);
    }
    const bool packed = c->claim->kind == RN_BOUND_KNAPSACK;
    for (int32_t row = 0; status == RATION_OK && packed && row < view->all_rows; row++) {
        solved[row] = c->claim->kept[row] != 0 ? 1 : 0;
    }
    if (status == RATION_OK) {
        status = add_rows(c, solved, sum, error);
    }
    if (status == RATION_OK) {
        status = packed ? rn_claim_knapsacks(c, sum, error) : add_items(c, sum, error);
    }
    rn_halves_free(&c->halves);
    rn_free(c->burden);
    rn_free(solved);
    return status;
}

/* The violation that a claim with rounds proves: without the options left out there is no plan, so
 * every plan breaks at least 1, and what the first round found. */
static ration_status narrow_violation(rn_case *c, rn_i128 *value, ration_error *error)
{
    rn_i128 sum = 0;
    if (!c->left.empty) {
        RN_TRY(add_all(c, &sum, error));
    }
    *value = c->left.violation;
    if (*value == 0 && (c->left.empty || sum > 0)) {
        *value = 1;
    }
    return RATION_OK;
}

static ration_status prove(rn_case *c, rn_i128 *value, ration_error *error)
{
    if (c->claim->violation && c->claim->rounds > 0) {
        return narrow_violation(c, value, error);
    }
    if (c->left.empty) {
        return rn_fail(error, RATION_E_MISMATCH,
                       "an item has no option left, so a bound of the cost means nothing");
    }
    rn_i128 sum = 0;
    RN_TRY(add_all(c, &sum, error));
    *value = rn_i128_ceil_div(sum, scale);
    return RATION_OK;
}

ration_status rn_verify_claim(const rn_view *view, const rn_claim *claim, int64_t *value,
                              ration_error *error)
{
    assert(view != NULL && claim != NULL && value != NULL);
    RN_TRY(check_prices(view, claim, error));
    rn_case c = {view, claim, {0}, {0}, NULL};
    rn_i128 found = 0;
    RN_TRY(rn_left_create(view, claim->rounds, &c.left, error));
    const ration_status status = prove(&c, &found, error);
    rn_left_free(&c.left);
    RN_TRY(status);
    if (found > INT64_MAX || found < INT64_MIN) {
        return rn_fail(error, RATION_E_RANGE, "the bound leaves the range of 64 bits");
    }
    *value = (int64_t)found;
    return RATION_OK;
}
