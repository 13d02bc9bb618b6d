/* Moves of one-row programs: an item shifts to one of its candidates; the row
 * that was hit may push out its best item, to one of that item's candidates or
 * back to the row that became free.
 *
 *   energy = sum of reduced costs + sum_r max(P_r o_r, -Q_r o_r)
 *   o_r    = load_r - limit_r, held within +-clamp_r
 *
 * Both arms are linear, so the scan has no branch. The 32-bit and the 64-bit
 * form take the same decisions.
 */
#ifndef RN_MOVE_ROW_H
#define RN_MOVE_ROW_H

#include "core/accept.h"
#include "core/philox.h"
#include "core/eval.h"
#include "core/state.h"

enum {
    RN_PURPOSE_MOVE = 1,
    RN_PURPOSE_BREED = 2,
    RN_SLOTS = 16 /* slots of an item in a key: its candidates, then the way back */
};
#define RN_WIDE_BARRED ((int64_t)1 << 56)

/* Before a loop that gcc shall turn into vectors: it unrolls a short inner loop before it thinks of
 * that. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define RN_ROLLED _Pragma("GCC unroll 1")
#else
#define RN_ROLLED
#endif

/* The best item to push out of a row. */
typedef struct rn_push {
    int64_t change; /* of energy; INT64_MAX: nothing found */
    int32_t item;
    int32_t slot; /* candidate, or RN_CANDIDATES: back to the free row */
} rn_push;

/* Arrays of the rows in the chain's scratch memory. */
RN_HD int64_t rn_pinch(int64_t excess, int64_t over, int64_t slack, int64_t clamp)
{
    RN_ASSERT(clamp >= 0 && over >= 0);
    const int64_t upper = excess > clamp ? clamp : excess;
    const int64_t held = upper < -clamp ? -clamp : upper;
    return rn_priced(held > 0 ? over : -slack, held);
}

RN_HD int64_t rn_row_high_of(const rn_tables *t, int32_t row)
{
    return row == t->rows ? 0 : t->view.row_high[row] == INT64_MAX ? 0 : t->view.row_high[row];
}

/* Energy of a row at an excess over its limit. */
RN_HD int64_t rn_single_energy(const rn_chain *c, int32_t row, int64_t excess)
{
    const rn_epoch *e = c->e;
    return rn_pinch(excess, e->over_price[row], e->slack_price[row], e->clamp[row]);
}

RN_HD int64_t rn_single_excess(const rn_chain *c, int32_t row)
{
    return c->load[row] - rn_row_high_of(c->t, row);
}

/* Tells the scan's arrays what a row's excess is, and whether the scan may use the row; by one
 * lane. */
RN_HD void rn_single_show(const rn_chain *c, int32_t row, int64_t excess, int32_t bar)
{
    const int32_t size = c->t->rows + 1;
    const int64_t barred = c->t->narrow ? -(int64_t)RN_NARROW_BARRED : -RN_WIDE_BARRED;
    const int64_t energy = bar ? barred : rn_single_energy(c, row, excess);
    RN_ASSERT(!c->t->narrow || (excess == (int32_t)excess && energy == (int32_t)energy));
    if (c->t->narrow) {
        c->narrow[row] = (int32_t)excess;
        c->narrow[3 * size + row] = (int32_t)energy;
    } else {
        c->wide[row] = excess;
        c->wide[3 * size + row] = energy;
    }
}

/* Fills the scan's arrays at the start of an epoch; all lanes. */
RN_DEVICE void rn_single_prepare(const rn_chain *c)
{
    const int32_t size = c->t->rows + 1;
    for (int32_t r = rn_lane(); r < size; r += RN_LANES) {
        rn_single_show(c, r, rn_single_excess(c, r), 0);
        if (c->t->narrow) {
            c->narrow[size + r] = (int32_t)(c->e->over_price[r] >> 16);
            c->narrow[2 * size + r] = (int32_t)(c->e->slack_price[r] >> 16);
            c->narrow[4 * size + r] = (int32_t)c->e->clamp[r];
        } else {
            c->wide[size + r] = c->e->over_price[r];
            c->wide[2 * size + r] = c->e->slack_price[r];
            c->wide[4 * size + r] = c->e->clamp[r];
        }
    }
    rn_sync();
}

/* Least change * RN_SLOTS + candidate over an item's candidates; 32-bit form. The row that was hit
 * shows an energy of -RN_NARROW_BARRED and so excludes itself. The loop is what the compiler turns
 * into vectors. */
RN_HD int64_t rn_scan_narrow(const rn_chain *c, int32_t item, int32_t lane, int32_t lanes)
{
    const int32_t size = c->t->rows + 1;
    const int32_t *row = c->t->cand_row + (int64_t)item * RN_CANDIDATES;
    const int32_t *amount = c->t->cand_amount + (int64_t)item * RN_CANDIDATES;
    const int32_t *reduced = c->t->cand_reduced + (int64_t)item * RN_CANDIDATES;
    const int32_t *excess = c->narrow;
    const int32_t *over = excess + size;
    const int32_t *slack = over + size;
    const int32_t *energy = slack + size;
    const int32_t *clamp = energy + size;
    int32_t least = INT32_MAX;
    RN_ROLLED
    for (int32_t k = lane; k < RN_CANDIDATES; k += lanes) {
        const int32_t r = row[k];
        const int32_t limit = clamp[r];
        int32_t o = excess[r] + amount[k];
        o = o > limit ? limit : o;
        o = o < -limit ? -limit : o;
        const int32_t p = over[r] * o;
        const int32_t q = -slack[r] * o;
        const int32_t change = reduced[k] + (p > q ? p : q) - energy[r];
        const int32_t key = change * RN_SLOTS + k;
        least = key < least ? key : least;
    }
    return least;
}

/* The same; 64-bit form. */
RN_HD int64_t rn_scan_wide(const rn_chain *c, int32_t item, int32_t lane, int32_t lanes)
{
    const int32_t size = c->t->rows + 1;
    const int32_t *row = c->t->cand_row + (int64_t)item * RN_CANDIDATES;
    const int64_t *amount = c->t->wide_amount + (int64_t)item * RN_CANDIDATES;
    const int64_t *reduced = c->t->wide_reduced + (int64_t)item * RN_CANDIDATES;
    const int64_t *excess = c->wide;
    const int64_t *energy = excess + 3 * (int64_t)size;
    int64_t least = INT64_MAX;
    RN_ROLLED
    for (int32_t k = lane; k < RN_CANDIDATES; k += lanes) {
        const int32_t r = row[k];
        const int64_t after =
            rn_pinch(excess[r] + amount[k], excess[size + r], excess[2 * (int64_t)size + r],
                     excess[4 * (int64_t)size + r]);
        const int64_t change = reduced[k] + after - energy[r];
        const int64_t key = change * RN_SLOTS + k;
        least = key < least ? key : least;
    }
    return least;
}

/* Reduced cost of an option: its cost, priced, above the least of its item. */
RN_HD int64_t rn_reduced(const rn_tables *t, int32_t item, int32_t option, int32_t *row,
                         int64_t *amount)
{
    const rn_view *v = &t->view;
    const rn_option decoded = rn_option_decode(v, item, option);
    rn_uses walk = rn_uses_begin(v, item, decoded);
    *row = t->rows;
    *amount = 0;
    int64_t priced = rn_energy(t, decoded.cost) - t->item_base[item];
    if (rn_uses_next(v, &walk, row, amount)) {
        priced += rn_priced(t->price[*row], *amount);
    }
    return priced;
}

/* Energy of pushing an item from row `hit`, where its leaving changes energy by `leave`, back to
 * row `free_row`. */
RN_HD int64_t rn_scan_back(const rn_chain *c, int32_t item, int32_t free_row, int64_t leave)
{
    const rn_tables *t = c->t;
    const int32_t option = t->back_option[(int64_t)free_row * t->view.items + item];
    if (option < 0) {
        return INT64_MAX;
    }
    const int64_t at = (int64_t)free_row * t->view.items + item;
    const int64_t excess = t->narrow ? c->narrow[free_row] : c->wide[free_row];
    const int64_t amount = t->narrow ? t->back_amount[at] : t->wide_back_amount[at];
    const int64_t reduced = t->narrow ? t->back_reduced[at] : t->wide_back_reduced[at];
    return leave + reduced + rn_single_energy(c, free_row, excess + amount) -
           rn_single_energy(c, free_row, excess);
}

RN_HD void rn_push_offer(rn_push *push, int64_t change, int32_t item, int32_t slot)
{
    if (change < push->change ||
        (change == push->change &&
         (item < push->item || (item == push->item && slot < push->slot)))) {
        push->change = change;
        push->item = item;
        push->slot = slot;
    }
}

/* The smallest of all lanes by (change, item, slot). */
RN_DEVICE rn_push rn_push_least(rn_push mine)
{
    rn_push best;
    best.change = rn_min(mine.change);
    const int64_t key =
        mine.change == best.change ? (int64_t)mine.item * RN_SLOTS + mine.slot : INT64_MAX;
    const int64_t least = rn_min(key);
    best.item = (int32_t)(least / RN_SLOTS);
    best.slot = (int32_t)(least % RN_SLOTS);
    RN_ASSERT(best.item >= 0 && best.slot <= RN_CANDIDATES);
    return best;
}

/* Scans the items of row `hit` for the best to push out. evaluated: out, options looked at. */
RN_DEVICE rn_push rn_scan_row(const rn_chain *c, int32_t hit, int32_t free_row, int64_t *evaluated)
{
    const rn_tables *t = c->t;
    const int32_t span = RN_LANES < RN_CANDIDATES ? RN_LANES : RN_CANDIDATES;
    const int32_t teams = RN_LANES / span; /* items looked at at once */
    const int32_t member = rn_lane() % span;
    const int32_t ring = t->view.items + hit;
    const int64_t excess = t->narrow ? c->narrow[hit] : c->wide[hit];
    const int64_t here = rn_single_energy(c, hit, excess);
    const int64_t barred = t->narrow ? RN_NARROW_BARRED / 2 : RN_WIDE_BARRED / 2;
    int32_t hops = 0;
    rn_push push;
    push.change = INT64_MAX;
    push.item = 0;
    push.slot = 0;
    for (int32_t item = c->next[ring]; item != ring; item = c->next[item]) {
        const int32_t mine = hops % teams == rn_lane() / span;
        hops++;
        if (!mine) {
            continue;
        }
        const int64_t leave =
            rn_single_energy(c, hit, excess - c->amount[item]) - here - c->reduced[item];
        const int64_t key = t->narrow ? rn_scan_narrow(c, item, member, span)
                                      : rn_scan_wide(c, item, member, span);
        if (key < barred * RN_SLOTS) {
            rn_push_offer(&push, leave + (key >> 4), item, (int32_t)(key & 15));
        }
        if (t->back_option != 0 && member == 0) {
            rn_push_offer(&push, rn_scan_back(c, item, free_row, leave), item, RN_CANDIDATES);
        }
    }
    RN_ASSERT(hops <= t->view.items);
    *evaluated = (int64_t)hops * (RN_CANDIDATES + (t->back_option != 0 ? 1 : 0));
    return rn_push_least(push);
}

/* Gives an item another pick for good. shown: the scan's arrays know the loads already. */
RN_DEVICE void rn_single_set(rn_chain *c, int32_t item, int32_t option)
{
    const rn_tables *t = c->t;
    const rn_view *v = &t->view;
    const int32_t before = c->pick[item];
    const int32_t from = c->seat[item];
    const int64_t leaves = c->amount[item];
    RN_ASSERT(from >= 0 && from <= t->rows && option != before);
    int32_t row;
    int64_t amount;
    const int64_t reduced = rn_reduced(t, item, option, &row, &amount);
    rn_best_note(c, item, before);
    c->violation -= rn_row_distance(v, from, c->load[from]);
    c->violation -= row != from ? rn_row_distance(v, row, c->load[row]) : 0;
    c->cost += rn_option_decode(v, item, option).cost - rn_option_decode(v, item, before).cost;
    c->digest += rn_pick_hash(item, option) - rn_pick_hash(item, before);
    rn_sync();
    if (rn_lane() == 0) {
        c->load[from] -= leaves;
        c->load[row] += amount;
        c->pick[item] = option;
        c->seat[item] = row;
        c->amount[item] = amount;
        c->reduced[item] = reduced;
        rn_list_remove(c, item);
        rn_list_insert(c, row, item);
        rn_single_show(c, from, rn_single_excess(c, from), 0);
        rn_single_show(c, row, rn_single_excess(c, row), 0);
    }
    rn_sync();
    c->violation += rn_row_distance(v, from, c->load[from]);
    c->violation += row != from ? rn_row_distance(v, row, c->load[row]) : 0;
}

/* Shows the scan the loads after a shift, with the row that is hit barred, or takes that back. */
RN_DEVICE void rn_single_try(const rn_chain *c, int32_t from, int64_t leaves, int32_t to,
                             int64_t arrives, int32_t bar)
{
    rn_sync();
    if (rn_lane() == 0) {
        rn_single_show(c, from, rn_single_excess(c, from) - leaves, 0);
        rn_single_show(c, to, rn_single_excess(c, to) + arrives, bar);
    }
    rn_sync();
}

/* Energy below which a hopeless shift is not scanned: twice the temperature, 2 / ln 2 = 185 / 64.
 */
RN_HD int64_t rn_patience(int64_t temperature)
{
    return ((temperature >> 8) * 185) >> 14;
}

/* One move of a one-row program. random: the block of this step. temperature: T ln 2 in Q16. */
RN_DEVICE void rn_single_move(rn_chain *c, rn_random random, int64_t temperature,
                              const uint32_t *log2_table)
{
    const rn_tables *t = c->t;
    const int32_t item = rn_random_below(random.word[0], t->view.items);
    const int32_t k = rn_random_below(random.word[1], t->cand_count[item]);
    const int64_t at = (int64_t)item * RN_CANDIDATES + k;
    const int32_t option = t->cand_option[at];
    const int64_t threshold = rn_accept_threshold(temperature, random.word[2], log2_table) >> 8;
    const int32_t from = c->seat[item];
    const int32_t to = t->cand_row[at];
    const int64_t amount = t->narrow ? t->cand_amount[at] : t->wide_amount[at];
    const int64_t reduced = t->narrow ? t->cand_reduced[at] : t->wide_reduced[at];
    RN_ASSERT(to >= 0 && to <= t->rows && from >= 0 && from <= t->rows && threshold >= 0);
    c->evaluations++;
    if (option == c->pick[item]) {
        return;
    }
    const int64_t rise = reduced - c->reduced[item];
    const int64_t leaves = c->amount[item];
    const int64_t from_excess = rn_single_excess(c, from);
    const int64_t to_excess = rn_single_excess(c, to);
    int64_t change = rise;
    if (from == to) {
        change += rn_single_energy(c, to, to_excess - leaves + amount) -
                  rn_single_energy(c, to, to_excess);
    } else {
        change += rn_single_energy(c, from, from_excess - leaves) -
                  rn_single_energy(c, from, from_excess);
        change += rn_single_energy(c, to, to_excess + amount) - rn_single_energy(c, to, to_excess);
    }
    rn_best_reserve(c, 2);
    if (change <= threshold) {
        rn_single_set(c, item, option);
        c->accepted++;
        rn_best_offer(c);
        return;
    }
    if (c->e->depth == 0 || from == to || to == t->rows ||
        rise > threshold + rn_patience(temperature)) {
        return;
    }
    int64_t evaluated;
    rn_single_try(c, from, leaves, to, amount, 1);
    const rn_push push = rn_scan_row(c, to, from, &evaluated);
    c->evaluations += evaluated;
    rn_sync();
    if (push.change != INT64_MAX && change + push.change <= threshold) {
        const int32_t way = push.slot < RN_CANDIDATES
                                ? t->cand_option[(int64_t)push.item * RN_CANDIDATES + push.slot]
                                : t->back_option[(int64_t)from * t->view.items + push.item];
        rn_single_set(c, item, option);
        rn_single_set(c, push.item, way);
        c->accepted++;
        rn_best_offer(c);
        return;
    }
    rn_single_try(c, from, 0, to, 0, 0);
}

#endif
