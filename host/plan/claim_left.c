/* Options that a claim leaves out, derived once more: round by round the proved range of every row
 * in 128 bits, then every option whose amount alone breaks a limit when all else is at its least.
 * The rule and why it is one are in docs/certificates.md. */
#include <assert.h>
#include <stddef.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "plan/claim.h"

/* What the options of one item put on a row. */
typedef struct reach {
    int32_t options; /* that load the row */
    rn_i128 low;     /* over those, then over all of the item */
    rn_i128 high;
} reach;

typedef struct work {
    rn_left *left;
    rn_burden *burden; /* of one option, merged by row */
    reach *reach;      /* [all_rows] */
    int32_t *rows;     /* [all_rows] with reach.options > 0 */
    int32_t row_count;
} work;

rn_judge_walk rn_left_first(const rn_left *left, int32_t item)
{
    rn_judge_walk walk = rn_judge_first(left->view, item);
    walk.out = left->out != NULL ? left->out + left->at[item] : NULL;
    return walk;
}

/* Lists the burdens of an option, each row once, by insertion. Returns their number. */
static int32_t merged(work *w, const rn_judged *option)
{
    const int32_t all = rn_judge_burdens(w->left->view, option);
    int32_t count = 0;
    rn_judge_list(w->left->view, option, w->burden);
    for (int32_t k = 0; k < all; k++) {
        const rn_burden next = w->burden[k];
        int32_t at = 0;
        while (at < count && w->burden[at].row != next.row) {
            at++;
        }
        if (at == count) {
            w->burden[count++] = next;
        } else {
            w->burden[at].amount += next.amount;
        }
    }
    return count;
}

/* Fills w->reach and w->rows for an item. Returns the number of its options. */
static int32_t measure(work *w, int32_t item)
{
    int32_t options = 0;
    while (w->row_count > 0) {
        w->reach[w->rows[--w->row_count]].options = 0;
    }
    rn_judge_walk walk = rn_left_first(w->left, item);
    while (rn_judge_next(&walk)) {
        options++;
        const int32_t count = merged(w, &walk.option);
        for (int32_t k = 0; k < count; k++) {
            const rn_i128 amount = w->burden[k].amount;
            reach *r = &w->reach[w->burden[k].row];
            if (r->options == 0) {
                w->rows[w->row_count++] = w->burden[k].row;
                r->low = amount;
                r->high = amount;
            }
            r->options++;
            r->low = amount < r->low ? amount : r->low;
            r->high = amount > r->high ? amount : r->high;
        }
    }
    assert(w->row_count <= w->left->view->all_rows);
    for (int32_t k = 0; k < w->row_count; k++) {
        reach *r = &w->reach[w->rows[k]];
        if (r->options < options) {
            r->low = r->low > 0 ? 0 : r->low;
            r->high = r->high < 0 ? 0 : r->high;
        }
    }
    return options;
}

/* Adds the range of one feed's values over the proved range of the row that it leaves. */
static void add_feed(rn_left *left, int32_t row, int32_t feed)
{
    const rn_view *view = left->view;
    const int32_t first = view->feed_piece[feed];
    const int32_t end = view->feed_piece[feed + 1];
    const rn_i128 from = left->low[row];
    const rn_i128 to = left->high[row];
    rn_i128 least = rn_judge_pieces(view, first, end, from);
    rn_i128 greatest = least;
    for (int32_t k = first; k <= end; k++) {
        for (int32_t back = 0; back < 2; back++) {
            const rn_i128 z = k == end ? to : (rn_i128)view->piece[k].start - back;
            if (z >= from && z <= to) {
                const rn_i128 value = rn_judge_pieces(view, first, end, z);
                least = value < least ? value : least;
                greatest = value > greatest ? value : greatest;
            }
        }
    }
    left->low[view->feed_to[feed]] += least;
    left->high[view->feed_to[feed]] += greatest;
}

/* The ranges that follow from the options left. */
static void prove_ranges(work *w)
{
    rn_left *left = w->left;
    const rn_view *view = left->view;
    for (int32_t row = 0; row < view->all_rows; row++) {
        left->low[row] = row < view->rows ? view->row_offset[row] : 0;
        left->high[row] = left->low[row];
    }
    for (int32_t item = 0; item < view->items; item++) {
        if (measure(w, item) == 0) {
            left->empty = true;
            return;
        }
        for (int32_t k = 0; k < w->row_count; k++) {
            left->low[w->rows[k]] += w->reach[w->rows[k]].low;
            left->high[w->rows[k]] += w->reach[w->rows[k]].high;
        }
    }
    for (int32_t rank = 0; rank <= 2; rank++) {
        for (int32_t row = 0; row < view->rows; row++) {
            for (int32_t feed = view->row_feed[row];
                 view->row_rank[row] == rank && feed < view->row_feed[row + 1]; feed++) {
                add_feed(left, row, feed);
            }
        }
    }
}

static rn_i128 positive(rn_i128 x)
{
    return x > 0 ? x : 0;
}

/* By how much an amount of the measured item breaks the limits of a row. */
static rn_i128 excess(const work *w, int32_t row, rn_i128 amount)
{
    const rn_left *left = w->left;
    const rn_view *view = left->view;
    rn_i128 sum = 0;
    if (row >= view->rows || view->row_high[row] != INT64_MAX) {
        const rn_i128 limit = row < view->rows ? view->row_high[row] : 1;
        sum += positive(amount - w->reach[row].low - positive(limit - left->low[row]));
    }
    if (row < view->rows && view->row_low[row] != INT64_MIN) {
        const rn_i128 limit = view->row_low[row];
        sum += positive(w->reach[row].high - amount - positive(left->high[row] - limit));
    }
    return sum;
}

/* Marks the options of an item that exceed a row. Returns the least excess of all its options. */
static rn_i128 mark(work *w, int32_t item, bool *more)
{
    const int32_t options = measure(w, item);
    rn_i128 idle = 0; /* excess of an option without burdens */
    for (int32_t k = 0; k < w->row_count; k++) {
        idle += w->reach[w->rows[k]].options < options ? excess(w, w->rows[k], 0) : 0;
    }
    rn_i128 least = -1;
    rn_judge_walk walk = rn_left_first(w->left, item);
    while (rn_judge_next(&walk)) {
        rn_i128 sum = idle;
        const int32_t count = merged(w, &walk.option);
        for (int32_t k = 0; k < count; k++) {
            const int32_t row = w->burden[k].row;
            sum += excess(w, row, w->burden[k].amount);
            sum -= w->reach[row].options < options ? excess(w, row, 0) : 0;
        }
        assert(sum >= 0);
        least = least < 0 || sum < least ? sum : least;
        if (sum > 0) {
            w->left->out[w->left->at[item] + walk.number] = 1;
            *more = true;
        }
    }
    assert(least >= 0);
    return least;
}

static void run(work *w, int32_t rounds)
{
    rn_left *left = w->left;
    const rn_view *view = left->view;
    bool more = true;
    prove_ranges(w);
    for (int32_t row = 0; row < view->all_rows; row++) {
        const int64_t high = row < view->rows ? view->row_high[row] : 1;
        const int64_t low = row < view->rows ? view->row_low[row] : INT64_MIN;
        left->violation += high != INT64_MAX ? positive(left->low[row] - high) : 0;
        left->violation += low != INT64_MIN ? positive(low - left->high[row]) : 0;
    }
    for (int32_t round = 0; round < rounds && more && !left->empty; round++) {
        more = false;
        for (int32_t item = 0; item < view->items; item++) {
            const rn_i128 least = mark(w, item, &more);
            left->violation += round == 0 ? least : 0;
        }
        prove_ranges(w);
    }
}

/* The ranges of the program as frozen: a conflict row has 0 .. the number of items in its set. */
static void set_ranges(rn_left *left)
{
    const rn_view *view = left->view;
    for (int32_t row = 0; row < view->rows; row++) {
        left->low[row] = view->row_least[row];
        left->high[row] = view->row_most[row];
    }
    for (int32_t k = 0; view->conflict_at != NULL && k < view->conflict_at[view->items]; k++) {
        const int32_t first = view->rows + view->conflict_set[k] * view->places;
        assert(first + view->places <= view->all_rows);
        for (int32_t row = first; row < first + view->places; row++) {
            left->high[row]++;
        }
    }
}

static ration_status leave_out(rn_left *left, int32_t rounds, ration_error *error)
{
    const rn_view *view = left->view;
    const size_t rows = (size_t)view->all_rows + 1;
    int64_t options = 0;
    for (int32_t item = 0; item < view->items; item++) {
        options += view->item_options[item];
    }
    left->at = (int64_t *)rn_malloc(((size_t)view->items + 1) * sizeof *left->at);
    left->out = (char *)rn_calloc((size_t)options + 1, 1);
    work w = {left, (rn_burden *)rn_malloc((size_t)rn_judge_most_burdens(view) * sizeof *w.burden),
              (reach *)rn_calloc(rows, sizeof *w.reach),
              (int32_t *)rn_malloc(rows * sizeof *w.rows), 0};
    ration_status status = RATION_OK;
    if (left->at == NULL || left->out == NULL || w.burden == NULL || w.reach == NULL ||
        w.rows == NULL) {
        status = rn_fail_memory(error, "options left out", (size_t)options);
    } else {
        options = 0;
        for (int32_t item = 0; item < view->items; item++) {
            left->at[item] = options;
            options += view->item_options[item];
        }
        run(&w, rounds);
    }
    rn_free(w.burden);
    rn_free(w.reach);
    rn_free(w.rows);
    return status;
}

ration_status rn_left_create(const rn_view *view, int32_t rounds, rn_left *left,
                             ration_error *error)
{
    assert(rounds >= 0 && rounds <= RN_ROUNDS_MAX);
    const size_t rows = (size_t)view->all_rows + 1;
    rn_left made = {view, NULL, NULL, NULL, NULL, false, 0};
    made.low = (rn_i128 *)rn_calloc(rows, sizeof *made.low);
    made.high = (rn_i128 *)rn_calloc(rows, sizeof *made.high);
    ration_status status = RATION_OK;
    if (made.low == NULL || made.high == NULL) {
        status = rn_fail_memory(error, "ranges of loads", 2 * rows * sizeof *made.low);
    } else if (rounds > 0) {
        status = leave_out(&made, rounds, error);
    } else {
        set_ranges(&made);
    }
    if (status != RATION_OK) {
        rn_left_free(&made);
        return status;
    }
    *left = made;
    return RATION_OK;
}

void rn_left_free(rn_left *left)
{
    rn_free(left->at);
    rn_free(left->out);
    rn_free(left->low);
    rn_free(left->high);
}
