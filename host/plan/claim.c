/* A certificate, recomputed: the Lagrangian bound of bound/bound.h by the plainest possible loops
 * in 128 bits. */
#include "plan/claim.h"

#include <assert.h>
#include <stddef.h>

#include "base/alloc.h"
#include "core/fail.h"

static const rn_i128 scale = (rn_i128)1 << RN_PRICE_BITS;

rn_i128 rn_claim_option(const rn_view *view, const rn_claim *claim, const rn_halves *halves,
                        const rn_judged *option, const int32_t skip[2], rn_burden *burden)
{
    rn_i128 sum = 0;
    if (!claim->violation) {
        sum += scale * rn_judge_own_cost(view, option) + scale * rn_judge_other_cost(view, option);
        sum += scale * rn_halves_at(halves, option->item, option->place);
    }
    rn_judge_list(view, option, burden);
    for (int32_t k = 0; k < rn_judge_burdens(view, option); k++) {
        if (burden[k].row != skip[0] && burden[k].row != skip[1]) {
            sum += (rn_i128)claim->price[burden[k].row] * burden[k].amount;
        }
    }
    return sum;
}

rn_i128 rn_claim_row_cost(const rn_view *view, const rn_claim *claim, int32_t row, rn_i128 z)
{
    const int64_t low = row < view->rows ? view->row_low[row] : INT64_MIN;
    const int64_t high = row < view->rows ? view->row_high[row] : 1;
    if (claim->violation) {
        const rn_i128 over = high != INT64_MAX && z > high ? z - high : 0;
        return over + (low != INT64_MIN && z < low ? low - z : 0);
    }
    return row < view->rows
               ? rn_judge_pieces(view, view->row_piece[row], view->row_piece[row + 1], z)
               : 0;
}

/* The range of loads of a conflict row is 0 .. the number of items in its set. */
static int32_t set_size(const rn_view *view, int32_t set)
{
    int32_t size = 0;
    for (int32_t k = 0; k < view->conflict_at[view->items]; k++) {
        size += view->conflict_set[k] == set ? 1 : 0;
    }
    return size;
}

/* Cuts a range of loads to the row's limits, unless the claim is about violating them. */
static void cut_range(const rn_view *view, const rn_claim *claim, int32_t row, rn_i128 *from,
                      rn_i128 *to)
{
    if (claim->violation) {
        return;
    }
    const int64_t low = row < view->rows ? view->row_low[row] : INT64_MIN;
    const int64_t high = row < view->rows ? view->row_high[row] : 1;
    *from = *from < low ? low : *from;
    *to = *to > high ? high : *to;
}

/* One term of a row: its value at z, all feeds that leave the row priced in. */
static rn_i128 bracket(const rn_view *view, const rn_claim *claim, int32_t row, rn_i128 z,
                       bool priced)
{
    rn_i128 sum = scale * rn_claim_row_cost(view, claim, row, z);
    if (!priced) {
        return sum;
    }
    sum -= claim->price[row] * z;
    for (int32_t feed = row < view->rows ? view->row_feed[row] : 0;
         row < view->rows && feed < view->row_feed[row + 1]; feed++) {
        sum += claim->price[view->feed_to[feed]] *
               rn_judge_pieces(view, view->feed_piece[feed], view->feed_piece[feed + 1], z);
    }
    return sum;
}

typedef struct least_of {
    rn_i128 from;
    rn_i128 to;
    rn_i128 least;
} least_of;

static void try_at(const rn_view *view, const rn_claim *claim, int32_t row, bool priced, rn_i128 z,
                   least_of *found)
{
    if (z < found->from || z > found->to) {
        return;
    }
    const rn_i128 value = bracket(view, claim, row, z, priced);
    found->least = value < found->least ? value : found->least;
}

/* Least bracket over from <= z <= to (from <= to). Between two neighbouring break points it is a
 * line, so its least value lies at a break point, just before one, or at an end. */
static rn_i128 least_bracket(const rn_view *view, const rn_claim *claim, int32_t row, bool priced,
                             rn_i128 from, rn_i128 to)
{
    assert(from <= to);
    least_of found = {from, to, bracket(view, claim, row, from, priced)};
    try_at(view, claim, row, priced, to, &found);
    if (row >= view->rows) {
        try_at(view, claim, row, priced, 1, &found);
        return found.least;
    }
    for (int32_t k = view->row_piece[row]; k < view->row_piece[row + 1]; k++) {
        try_at(view, claim, row, priced, view->piece[k].start, &found);
        try_at(view, claim, row, priced, (rn_i128)view->piece[k].start - 1, &found);
    }
    for (int32_t feed = view->row_feed[row]; feed < view->row_feed[row + 1]; feed++) {
        for (int32_t k = view->feed_piece[feed]; k < view->feed_piece[feed + 1]; k++) {
            try_at(view, claim, row, priced, view->piece[k].start, &found);
            try_at(view, claim, row, priced, (rn_i128)view->piece[k].start - 1, &found);
        }
    }
    try_at(view, claim, row, priced, view->row_low[row], &found);
    try_at(view, claim, row, priced, view->row_high[row], &found);
    return found.least;
}

bool rn_claim_row_least(const rn_view *view, const rn_claim *claim, int32_t row, rn_i128 from,
                        rn_i128 to, rn_i128 *least)
{
    cut_range(view, claim, row, &from, &to);
    from = from < view->row_least[row] ? view->row_least[row] : from;
    to = to > view->row_most[row] ? view->row_most[row] : to;
    if (from > to) {
        return false;
    }
    *least = least_bracket(view, claim, row, false, from, to) / scale;
    return true;
}

/* Adds the terms of all rows that no group solves. */
static ration_status add_rows(const rn_view *view, const rn_claim *claim, const char *solved,
                              rn_i128 *sum, ration_error *error)
{
    int32_t members = 0; /* of the conflict set at hand */
    for (int32_t row = 0; row < view->all_rows; row++) {
        const bool explicit_row = row < view->rows;
        if (!explicit_row && (row - view->rows) % view->places == 0) {
            members = set_size(view, (row - view->rows) / view->places);
        }
        if (solved[row] != 0) {
            continue;
        }
        rn_i128 from = explicit_row ? view->row_least[row] : 0;
        rn_i128 to = explicit_row ? view->row_most[row] : members;
        cut_range(view, claim, row, &from, &to);
        if (from > to) {
            return rn_fail(
                error, RATION_E_MISMATCH,
                "row %d has no load within its limits, so a bound of the cost means nothing", row);
        }
        *sum += least_bracket(view, claim, row, true, from, to);
        *sum += explicit_row ? (rn_i128)claim->price[row] * view->row_offset[row] : 0;
    }
    return RATION_OK;
}

static bool by_group(const rn_claim *claim, int32_t group)
{
    return claim->kind == RN_BOUND_GROUP &&
           (claim->width[2 * group] > 0 || claim->width[2 * group + 1] > 0);
}

/* Marks the rows that groups solve, checking the widths. */
static ration_status mark_rows(const rn_view *view, const rn_claim *claim, char *solved,
                               ration_error *error)
{
    for (int32_t group = 0; group < view->groups; group++) {
        for (int32_t side = 0; by_group(claim, group) && side < 2; side++) {
            const int32_t row = view->group_row[2 * group + side];
            const int64_t width = claim->width[2 * group + side];
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

static ration_status add_items(const rn_view *view, const rn_claim *claim, const rn_halves *halves,
                               rn_burden *burden, rn_i128 *sum, ration_error *error)
{
    const int32_t none[2] = {-1, -1};
    for (int32_t item = 0; item < view->items; item++) {
        if (view->item_group != NULL && view->item_group[item] >= 0 &&
            by_group(claim, view->item_group[item])) {
            continue;
        }
        bool any = false;
        rn_i128 least = 0;
        rn_judge_walk walk = rn_judge_first(view, item);
        while (rn_judge_next(&walk)) {
            const rn_i128 value = rn_claim_option(view, claim, halves, &walk.option, none, burden);
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
        if (by_group(claim, group)) {
            RN_TRY(rn_claim_group(view, claim, halves, group, &least, error));
        }
        *sum += least;
    }
    return RATION_OK;
}

static ration_status check_prices(const rn_view *view, const rn_claim *claim, ration_error *error)
{
    if (claim->kind != RN_BOUND_LAGRANGE && claim->kind != RN_BOUND_GROUP) {
        return rn_fail(
            error, RATION_E_MISMATCH,
            "a certificate of kind %d can't be checked here; known are lagrange and group",
            (int)claim->kind);
    }
    if (claim->kind == RN_BOUND_GROUP && view->groups > 0 && claim->width == NULL) {
        return rn_fail(error, RATION_E_MISMATCH,
                       "a certificate of kind group needs the widths of its groups");
    }
    for (int32_t row = 0; row < view->all_rows; row++) {
        if (claim->price[row] > RN_PRICE_MAX || claim->price[row] < -RN_PRICE_MAX) {
            return rn_fail(error, RATION_E_MISMATCH, "the price of row %d is larger than 2^50",
                           row);
        }
    }
    return RATION_OK;
}

ration_status rn_verify_claim(const rn_view *view, const rn_claim *claim, int64_t *value,
                              ration_error *error)
{
    assert(view != NULL && claim != NULL && value != NULL);
    RN_TRY(check_prices(view, claim, error));
    char *solved = (char *)rn_calloc((size_t)view->all_rows + 1, 1);
    rn_burden *burden =
        (rn_burden *)rn_malloc((size_t)rn_judge_most_burdens(view) * sizeof *burden);
    rn_halves halves = {0};
    ration_status status = solved == NULL || burden == NULL
                               ? rn_fail_memory(error, "certificate", (size_t)view->all_rows)
                               : rn_halves_create(view, &halves, error);
    rn_i128 sum = 0;
    if (status == RATION_OK) {
        status = mark_rows(view, claim, solved, error);
    }
    if (status == RATION_OK) {
        status = add_rows(view, claim, solved, &sum, error);
    }
    if (status == RATION_OK) {
        status = add_items(view, claim, &halves, burden, &sum, error);
    }
    rn_halves_free(&halves);
    rn_free(burden);
    rn_free(solved);
    RN_TRY(status);
    const rn_i128 rounded = rn_i128_ceil_div(sum, scale);
    if (rounded > INT64_MAX || rounded < INT64_MIN) {
        return rn_fail(error, RATION_E_RANGE, "the bound leaves the range of 64 bits");
    }
    *value = (int64_t)rounded;
    return RATION_OK;
}
