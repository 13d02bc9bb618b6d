/* Leaves out options that no feasible plan can use. The rule is in bound/narrow.h. */
#include "bound/narrow.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i128.h"
#include "core/fail.h"
#include "program/program.h"

#define OPTIONS_MAX ((int64_t)1 << 24)

/* One item's amounts, by row. Rows are reset between items by the list `touched`. */
typedef struct amounts {
    int64_t *sum;     /* [all_rows] of the option at hand */
    int64_t *low;     /* [all_rows] over the item's options, those that don't load the row at 0 */
    int64_t *high;    /* [all_rows] */
    int64_t *seen;    /* [all_rows] running number of the last option that loaded the row */
    int32_t *options; /* [all_rows] of the item that load the row */
    int32_t *mine;    /* [all_rows] rows of the option at hand */
    int32_t *touched; /* [all_rows] rows of the item */
    int32_t mine_count;
    int32_t touched_count;
    int64_t number; /* running */
} amounts;

typedef struct work {
    const rn_view *view;
    rn_narrow *narrow;
    amounts a;
} work;

static void carve_narrow(rn_layout *layout, const rn_view *view, int64_t options,
                         rn_narrow **narrow)
{
    rn_narrow *n = (rn_narrow *)rn_carve(layout, 1, sizeof *n);
    rn_narrow shape = {0};
    shape.option_at = (int64_t *)rn_carve(layout, view->items, sizeof *shape.option_at);
    shape.least = (int64_t *)rn_carve(layout, view->all_rows, sizeof *shape.least);
    shape.most = (int64_t *)rn_carve(layout, view->all_rows, sizeof *shape.most);
    shape.out = (char *)rn_carve(layout, options, 1);
    if (n != NULL) {
        *n = shape;
    }
    *narrow = n;
}

static void carve_amounts(rn_layout *layout, const rn_view *view, amounts *a)
{
    const int64_t rows = (int64_t)view->all_rows + 1;
    a->sum = (int64_t *)rn_carve(layout, rows, sizeof *a->sum);
    a->low = (int64_t *)rn_carve(layout, rows, sizeof *a->low);
    a->high = (int64_t *)rn_carve(layout, rows, sizeof *a->high);
    a->seen = (int64_t *)rn_carve(layout, rows, sizeof *a->seen);
    a->options = (int32_t *)rn_carve(layout, rows, sizeof *a->options);
    a->mine = (int32_t *)rn_carve(layout, rows, sizeof *a->mine);
    a->touched = (int32_t *)rn_carve(layout, rows, sizeof *a->touched);
}

/* Sums the amounts of one option by row: roles may share rows. */
static void sum_option(work *w, int32_t item, int32_t option)
{
    amounts *a = &w->a;
    rn_uses walk = rn_uses_begin(w->view, item, rn_option_decode(w->view, item, option));
    int32_t row = 0;
    int64_t amount = 0;
    a->number++;
    a->mine_count = 0;
    while (rn_uses_next(w->view, &walk, &row, &amount)) {
        assert(row >= 0 && row < w->view->all_rows);
        if (a->seen[row] != a->number) {
            a->seen[row] = a->number;
            a->sum[row] = 0;
            a->mine[a->mine_count++] = row;
        }
        a->sum[row] += amount;
    }
}

static bool counts(const work *w, int32_t item, int32_t option)
{
    return !rn_narrow_out(w->narrow, item, option) &&
           rn_place_allowed(w->view, item, rn_option_decode(w->view, item, option).place);
}

/* Finds the range of an item's amounts on every row that it may load. Returns its options. */
static int32_t gather(work *w, int32_t item)
{
    amounts *a = &w->a;
    int32_t options = 0;
    for (int32_t k = 0; k < a->touched_count; k++) {
        a->options[a->touched[k]] = 0;
    }
    a->touched_count = 0;
    for (int32_t option = 0; option < w->view->item_options[item]; option++) {
        if (!counts(w, item, option)) {
            continue;
        }
        options++;
        sum_option(w, item, option);
        for (int32_t k = 0; k < a->mine_count; k++) {
            const int32_t row = a->mine[k];
            const int64_t sum = a->sum[row];
            const bool first = a->options[row]++ == 0;
            if (first) {
                a->touched[a->touched_count++] = row;
            }
            a->low[row] = first || sum < a->low[row] ? sum : a->low[row];
            a->high[row] = first || sum > a->high[row] ? sum : a->high[row];
        }
    }
    for (int32_t k = 0; k < a->touched_count; k++) {
        const int32_t row = a->touched[k];
        assert(a->options[row] <= options && a->low[row] <= a->high[row]);
        const bool always = a->options[row] == options;
        a->low[row] = !always && a->low[row] > 0 ? 0 : a->low[row];
        a->high[row] = !always && a->high[row] < 0 ? 0 : a->high[row];
    }
    return options;
}

/* Adds what feeds do to the ranges, sources first. */
static void add_feeds(const rn_view *view, rn_narrow *n)
{
    for (int32_t rank = 0; rank < 2; rank++) {
        for (int32_t row = 0; row < view->rows; row++) {
            for (int32_t feed = view->row_feed[row];
                 view->row_rank[row] == rank && feed < view->row_feed[row + 1]; feed++) {
                const int32_t first = view->feed_piece[feed];
                int64_t low = 0;
                int64_t high = 0;
                const bool fits =
                    rn_pieces_range(view->piece + first, view->feed_piece[feed + 1] - first,
                                    n->least[row], n->most[row], &low, &high);
                assert(fits && view->row_rank[view->feed_to[feed]] > rank);
                (void)fits;
                n->least[view->feed_to[feed]] += low;
                n->most[view->feed_to[feed]] += high;
            }
        }
    }
}

/* Proves the ranges for the options left; notes an item without any. */
static void prove_ranges(work *w)
{
    const rn_view *view = w->view;
    rn_narrow *n = w->narrow;
    for (int32_t row = 0; row < view->all_rows; row++) {
        n->least[row] = rn_row_offset(view, row);
        n->most[row] = n->least[row];
    }
    for (int32_t item = 0; item < view->items; item++) {
        if (gather(w, item) == 0) {
            n->empty_item = item;
            return;
        }
        for (int32_t k = 0; k < w->a.touched_count; k++) {
            const int32_t row = w->a.touched[k];
            n->least[row] += w->a.low[row];
            n->most[row] += w->a.high[row];
        }
    }
    add_feeds(view, n);
}

/* By how much the amount on a row breaks its limits when all else is at its least. */
static rn_i128 excess(const work *w, int32_t row, int64_t amount)
{
    const rn_narrow *n = w->narrow;
    const int64_t limit_low = rn_row_low(w->view, row);
    const int64_t limit_high = rn_row_high(w->view, row);
    rn_i128 sum = 0;
    if (limit_high != INT64_MAX) {
        const rn_i128 room = limit_high > n->least[row] ? (rn_i128)limit_high - n->least[row] : 0;
        const rn_i128 more = (rn_i128)amount - w->a.low[row];
        sum += more > room ? more - room : 0;
    }
    if (limit_low != INT64_MIN) {
        const rn_i128 room = n->most[row] > limit_low ? (rn_i128)n->most[row] - limit_low : 0;
        const rn_i128 less = (rn_i128)w->a.high[row] - amount;
        sum += less > room ? less - room : 0;
    }
    assert(sum >= 0);
    return sum;
}

/* Leaves out options of an item; returns the least sum of excesses over its options. */
static rn_i128 narrow_item(work *w, int32_t item)
{
    amounts *a = &w->a;
    const int32_t options = gather(w, item);
    rn_i128 idle = 0; /* of an option that loads nothing */
    for (int32_t k = 0; k < a->touched_count; k++) {
        const int32_t row = a->touched[k];
        idle += a->options[row] < options ? excess(w, row, 0) : 0;
    }
    bool any = false;
    rn_i128 least = 0;
    for (int32_t option = 0; option < w->view->item_options[item]; option++) {
        if (!counts(w, item, option)) {
            continue;
        }
        rn_i128 sum = idle;
        sum_option(w, item, option);
        for (int32_t k = 0; k < a->mine_count; k++) {
            const int32_t row = a->mine[k];
            sum += excess(w, row, a->sum[row]);
            sum -= a->options[row] < options ? excess(w, row, 0) : 0;
        }
        assert(sum >= 0);
        least = !any || sum < least ? sum : least;
        any = true;
        w->narrow->out[w->narrow->option_at[item] + option] = sum > 0 ? 1 : 0;
        w->narrow->left_out += sum > 0 ? 1 : 0;
    }
    return least;
}

/* What every plan breaks by the rows' ranges alone. */
static rn_i128 row_violation(const work *w)
{
    rn_i128 sum = 0;
    for (int32_t row = 0; row < w->view->all_rows; row++) {
        const int64_t low = rn_row_low(w->view, row);
        const int64_t high = rn_row_high(w->view, row);
        const rn_i128 over = (rn_i128)w->narrow->least[row] - high;
        const rn_i128 under = (rn_i128)low - w->narrow->most[row];
        sum += high != INT64_MAX && over > 0 ? over : 0;
        sum += low != INT64_MIN && under > 0 ? under : 0;
    }
    return sum;
}

static void run(work *w, int32_t rounds)
{
    rn_narrow *n = w->narrow;
    prove_ranges(w);
    assert(n->empty_item < 0); /* a frozen program has options */
    rn_i128 violation = row_violation(w);
    for (int32_t round = 0; round < rounds && n->empty_item < 0; round++) {
        const int64_t before = n->left_out;
        for (int32_t item = 0; item < w->view->items; item++) {
            const rn_i128 least = narrow_item(w, item);
            violation += round == 0 ? least : 0;
        }
        if (n->left_out == before) {
            break;
        }
        n->rounds = round + 1;
        prove_ranges(w);
    }
    n->violation = rn_i128_saturate(violation);
    n->violation = n->violation == 0 && n->empty_item >= 0 ? 1 : n->violation;
}

ration_status rn_narrow_create(const rn_view *view, int32_t rounds, rn_narrow **narrow,
                               ration_error *error)
{
    assert(view != NULL && narrow != NULL && rounds > 0);
    int64_t options = 0;
    for (int32_t item = 0; item < view->items; item++) {
        options += view->item_options[item];
    }
    *narrow = NULL;
    if (options > OPTIONS_MAX) {
        return RATION_OK;
    }
    rn_layout layout = {0};
    rn_layout scratch = {0};
    work w = {view, NULL, {0}};
    carve_narrow(&layout, view, options, &w.narrow);
    RN_TRY(rn_layout_allocate(&layout, "options left out", error));
    carve_narrow(&layout, view, options, &w.narrow);
    carve_amounts(&scratch, view, &w.a);
    const ration_status status = rn_layout_allocate(&scratch, "amounts by row", error);
    if (status != RATION_OK) {
        rn_narrow_free(w.narrow);
        return status;
    }
    carve_amounts(&scratch, view, &w.a);
    w.narrow->empty_item = -1;
    options = 0;
    for (int32_t item = 0; item < view->items; item++) {
        w.narrow->option_at[item] = options;
        options += view->item_options[item];
    }
    run(&w, rounds);
    rn_free(w.a.sum);
    if (w.narrow->rounds == 0) {
        rn_narrow_free(w.narrow);
        w.narrow = NULL;
    }
    *narrow = w.narrow;
    return RATION_OK;
}

void rn_narrow_free(rn_narrow *narrow)
{
    rn_free(narrow);
}
