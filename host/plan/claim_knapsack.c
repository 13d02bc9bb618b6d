/* Kept rows of a certificate of kind knapsack: least cost of what is packed on each, by dynamic
 * programming over its loads, in 128 bits. An option that does not pay for itself is not packed
 * where that is safe: the row needs no load, and no load lowers what the row charges. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "plan/claim.h"

enum { ROOM_MAX = 1 << 20, OPTIONS_MAX = 1 << 26 };

/* An option on a kept row. */
typedef struct piece {
    int32_t row;
    int32_t item;
    int64_t amount;
    rn_i128 value; /* its cost less the value of the item */
} piece;

typedef struct work {
    const rn_case *c;
    piece *piece;
    int64_t count;
    int64_t capacity;
    char *lazy;      /* [rows] 1: options that don't pay for themselves are not packed */
    rn_i128 *best;   /* [ROOM_MAX + 1] least value by load */
    rn_i128 *before; /* likewise, without the item at hand */
} work;

/* Loads of a kept row that can be and may be. */
static void span(const rn_case *c, int32_t row, rn_i128 *from, rn_i128 *to)
{
    const rn_view *view = c->view;
    const rn_i128 low = view->row_low[row];
    const rn_i128 high = view->row_high[row];
    *from = c->left.low[row] > low ? c->left.low[row] : low;
    *to = c->left.high[row] < high ? c->left.high[row] : high;
}

/* What the row and the feeds that leave it cost at a load. */
static rn_i128 charge(const rn_case *c, int32_t row, rn_i128 z)
{
    const rn_view *view = c->view;
    rn_i128 sum = rn_judge_pieces(view, view->row_piece[row], view->row_piece[row + 1], z) *
                  ((rn_i128)1 << RN_PRICE_BITS);
    for (int32_t feed = view->row_feed[row]; feed < view->row_feed[row + 1]; feed++) {
        sum += c->claim->price[view->feed_to[feed]] *
               rn_judge_pieces(view, view->feed_piece[feed], view->feed_piece[feed + 1], z);
    }
    return sum;
}

/* Checks that a row may be kept and sets whether it is lazy. */
static ration_status look_at_row(work *w, int32_t row, ration_error *error)
{
    const rn_case *c = w->c;
    const rn_view *view = c->view;
    rn_i128 from = 0;
    rn_i128 to = 0;
    if (row >= view->rows) {
        return rn_fail(error, RATION_E_MISMATCH, "a conflict row can't be kept by a knapsack");
    }
    for (int32_t feed = 0; feed < view->row_feed[view->rows]; feed++) {
        if (view->feed_to[feed] == row) {
            return rn_fail(error, RATION_E_MISMATCH,
                           "row %d is kept by a knapsack, but a feed leads to it", row);
        }
    }
    span(c, row, &from, &to);
    if (from > to || to - view->row_offset[row] > ROOM_MAX) {
        return rn_fail(
            error, RATION_E_MISMATCH,
            "row %d is kept by a knapsack; expected a load within its limits and at most "
            "%d above its offset",
            row, (int)ROOM_MAX);
    }
    bool rises = from <= view->row_offset[row];
    for (rn_i128 z = view->row_offset[row]; rises && z < to; z++) {
        rises = charge(c, row, z) <= charge(c, row, z + 1);
    }
    w->lazy[row] = rises ? 1 : 0;
    return RATION_OK;
}

/* Adds an option that loads a kept row. */
static ration_status add_piece(work *w, const piece *added, ration_error *error)
{
    if (w->count >= OPTIONS_MAX) {
        return rn_fail(error, RATION_E_MISMATCH, "the knapsacks have more than %d options",
                       (int)OPTIONS_MAX);
    }
    piece *grown = (piece *)rn_grow(w->piece, w->count + 1, sizeof *grown, &w->capacity);
    if (grown == NULL) {
        return rn_fail_memory(error, "options of knapsacks", (size_t)w->count * sizeof *grown);
    }
    w->piece = grown;
    w->piece[w->count++] = *added;
    return RATION_OK;
}

/* The kept row that an option loads, or -1, and its amount there. RATION_E_MISMATCH: two of them,
 * or an amount below 0. */
static ration_status kept_row(const rn_case *c, const rn_judged *option, int32_t *row,
                              int64_t *amount, ration_error *error)
{
    *row = -1;
    *amount = 0;
    rn_judge_list(c->view, option, c->burden);
    for (int32_t k = 0; k < rn_judge_burdens(c->view, option); k++) {
        const rn_burden *burden = &c->burden[k];
        if (c->claim->kept[burden->row] == 0) {
            continue;
        }
        if ((*row >= 0 && *row != burden->row) || burden->amount < 0) {
            return rn_fail(error, RATION_E_MISMATCH,
                           "an option of item %d loads two rows that knapsacks keep, or one with "
                           "less than 0",
                           option->item);
        }
        *row = burden->row;
        *amount += burden->amount;
    }
    return RATION_OK;
}

/* Lists an item's options on kept rows; adds its value, and what the best of the others is less. */
static ration_status add_item(work *w, int32_t item, rn_i128 *sum, ration_error *error)
{
    const rn_case *c = w->c;
    const rn_i128 value = c->claim->value_of[item];
    rn_i128 spare = 0;
    rn_judge_walk walk = rn_left_first(&c->left, item);
    while (rn_judge_next(&walk)) {
        int32_t skip[2] = {-1, -1};
        piece made = {0, item, 0, 0};
        RN_TRY(kept_row(c, &walk.option, &made.row, &made.amount, error));
        skip[0] = made.row;
        made.value = rn_claim_option(c, &walk.option, skip) - value;
        if (made.row < 0) {
            spare = made.value < spare ? made.value : spare;
        } else if (made.value < 0 || w->lazy[made.row] == 0) {
            RN_TRY(add_piece(w, &made, error));
        }
    }
    *sum += value + spare;
    return RATION_OK;
}

static int compare(const void *left, const void *right)
{
    const piece *a = (const piece *)left;
    const piece *b = (const piece *)right;
    if (a->row != b->row) {
        return a->row < b->row ? -1 : 1;
    }
    if (a->item != b->item) {
        return a->item < b->item ? -1 : 1;
    }
    if (a->amount != b->amount) {
        return a->amount < b->amount ? -1 : 1;
    }
    return a->value < b->value ? -1 : a->value > b->value ? 1 : 0;
}

static const rn_i128 none = (rn_i128)1 << 120; /* a load that can't be reached */

/* Least cost of one row with the options piece[from .. end-1], sorted by item. */
static ration_status pack(work *w, int32_t row, int64_t from, int64_t end, rn_i128 *least,
                          ration_error *error)
{
    rn_i128 low = 0;
    rn_i128 high = 0;
    span(w->c, row, &low, &high);
    const rn_i128 offset = w->c->view->row_offset[row];
    const int64_t room = (int64_t)(high - offset);
    assert(room >= 0 && room <= ROOM_MAX && from <= end);
    for (int64_t z = 0; z <= room; z++) {
        w->best[z] = z == 0 ? 0 : none;
    }
    for (int64_t at = from; at < end;) {
        const int32_t item = w->piece[at].item;
        for (int64_t z = 0; z <= room; z++) {
            w->before[z] = w->best[z];
        }
        for (; at < end && w->piece[at].item == item; at++) {
            const piece *p = &w->piece[at];
            assert(p->row == row && p->amount >= 0);
            for (int64_t z = p->amount; z <= room; z++) {
                const rn_i128 with = w->before[z - p->amount] + p->value;
                const bool better = w->before[z - p->amount] < none && with < w->best[z];
                w->best[z] = better ? with : w->best[z];
            }
        }
    }
    bool any = false;
    for (rn_i128 z = low < offset ? offset : low; z <= high; z++) {
        const rn_i128 value = w->best[(int64_t)(z - offset)];
        if (value < none && (!any || value + charge(w->c, row, z) < *least)) {
            *least = value + charge(w->c, row, z);
            any = true;
        }
    }
    return any ? RATION_OK
               : rn_fail(error, RATION_E_MISMATCH,
                         "row %d reaches no load within its limits, so a bound of the cost means "
                         "nothing",
                         row);
}

/* Whether two rows have the same options, and charge the same: then their least costs are equal. */
static bool same(const work *w, int32_t a, int64_t a_from, int32_t b, int64_t b_from, int64_t count)
{
    rn_i128 range[4];
    span(w->c, a, &range[0], &range[1]);
    span(w->c, b, &range[2], &range[3]);
    if (range[0] != range[2] || range[1] != range[3] ||
        w->c->view->row_offset[a] != w->c->view->row_offset[b]) {
        return false;
    }
    for (int64_t k = 0; k < count; k++) {
        const piece *p = &w->piece[a_from + k];
        const piece *q = &w->piece[b_from + k];
        if (p->item != q->item || p->amount != q->amount || p->value != q->value) {
            return false;
        }
    }
    for (rn_i128 z = w->c->view->row_offset[a]; z <= range[1]; z++) {
        if (charge(w->c, a, z) != charge(w->c, b, z)) {
            return false;
        }
    }
    return true;
}

/* Adds the least cost of every kept row. */
static ration_status pack_all(work *w, rn_i128 *sum, ration_error *error)
{
    const rn_view *view = w->c->view;
    if (w->count > 0) {
        qsort(w->piece, (size_t)w->count, sizeof *w->piece, compare);
    }
    int64_t from = 0;
    int64_t last_from = 0;
    int64_t last_count = -1;
    int32_t last = -1;
    rn_i128 least = 0;
    for (int32_t row = 0; row < view->rows; row++) {
        int64_t end = from;
        if (w->c->claim->kept[row] == 0) {
            continue;
        }
        while (end < w->count && w->piece[end].row == row) {
            end++;
        }
        if (last < 0 || last_count != end - from ||
            !same(w, last, last_from, row, from, end - from)) {
            RN_TRY(pack(w, row, from, end, &least, error));
        }
        *sum += least;
        last = row;
        last_from = from;
        last_count = end - from;
        from = end;
    }
    assert(from == w->count);
    return RATION_OK;
}

static ration_status add_all(work *w, rn_i128 *sum, ration_error *error)
{
    const rn_view *view = w->c->view;
    for (int32_t row = 0; row < view->all_rows; row++) {
        if (w->c->claim->kept[row] != 0) {
            RN_TRY(look_at_row(w, row, error));
        }
    }
    for (int32_t item = 0; item < view->items; item++) {
        RN_TRY(add_item(w, item, sum, error));
    }
    return pack_all(w, sum, error);
}

ration_status rn_claim_knapsacks(const rn_case *c, rn_i128 *sum, ration_error *error)
{
    assert(c->claim->kind == RN_BOUND_KNAPSACK && !c->claim->violation);
    assert(c->claim->value_of != NULL && c->claim->kept != NULL);
    const size_t room = (size_t)ROOM_MAX + 1;
    work w = {c, NULL, 0, 0, NULL, NULL, NULL};
    w.lazy = (char *)rn_calloc((size_t)c->view->rows + 1, 1);
    w.best = (rn_i128 *)rn_malloc(room * sizeof *w.best);
    w.before = (rn_i128 *)rn_malloc(room * sizeof *w.before);
    const ration_status status =
        w.lazy == NULL || w.best == NULL || w.before == NULL
            ? rn_fail_memory(error, "knapsacks of the certificate", 2 * room * sizeof *w.best)
            : add_all(&w, sum, error);
    rn_free(w.piece);
    rn_free(w.lazy);
    rn_free(w.best);
    rn_free(w.before);
    return status;
}
