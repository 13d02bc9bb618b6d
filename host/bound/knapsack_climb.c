/* Subgradient ascent for the knapsack bound, as in bound/ascent.c but over items.
 *
 *   v_i    <- v_i + length * d_i / sum_j d_j^2
 *   length = rise + L_best - L
 *   d      = g + a share of the last direction when they turn against each other
 *   g_i    = 1 - (options of item i that are chosen)
 */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "bound/knapsack.h"
#include "core/fail.h"

/* Evaluations without gain after which the rise shrinks by 0.7. Fewer than in bound/ascent.c: an
 * evaluation costs more, and the start is good. */
enum { PATIENCE = 8, UNIT_BITS = 16, RISE_LEAST = 1 << (RN_PRICE_BITS - 5) };

typedef struct climb {
    const rn_knapsack *knapsack;
    const rn_knapsack_limits *limits;
    rn_packed packed;
    int32_t *best_count; /* [items] */
    int64_t *v;          /* [items] where L is evaluated next */
    int64_t *best_v;     /* [items] the caller's */
    int64_t *direction;  /* [items] in 2^-UNIT_BITS */
    rn_knapsack_found found;
    int64_t steps;
    rn_i128 rise;
    rn_i128 mark; /* best at the last gain that counted */
    int32_t idle; /* evaluations since then */
} climb;

static void carve(rn_layout *layout, int32_t items, climb *c)
{
    c->packed.count = (int32_t *)rn_carve(layout, items, sizeof *c->packed.count);
    c->best_count = (int32_t *)rn_carve(layout, items, sizeof *c->best_count);
    c->v = (int64_t *)rn_carve(layout, items, sizeof *c->v);
    c->direction = (int64_t *)rn_carve(layout, items, sizeof *c->direction);
}

void rn_knapsack_start(const rn_knapsack *k, const int64_t *price, int64_t *v)
{
    const int64_t most = rn_knapsack_most(k);
    for (int32_t item = 0; item < k->relax->view->items; item++) {
        v[item] = k->free_cost[item] < most ? k->free_cost[item] : most;
    }
    for (int32_t s = 0; s < k->sacks; s++) {
        for (int32_t j = k->sack[s].first; j < k->sack[s].end; j++) {
            const rn_packable *p = &k->packable[j];
            const rn_i128 cost = p->cost + (rn_i128)price[k->sack[s].row] * p->amount;
            v[p->item] = cost < v[p->item] ? (int64_t)(cost < -most ? -most : cost) : v[p->item];
        }
    }
}

/* Evaluates at c->v and keeps the best. Returns whether the ascent goes on. */
static bool look(climb *c)
{
    const size_t items = (size_t)c->knapsack->relax->view->items;
    const rn_knapsack_limits *limits = c->limits;
    rn_knapsack_evaluate(c->knapsack, c->v, &c->packed);
    c->steps += c->packed.steps;
    if (c->found.passes++ == 0 || c->packed.value > c->found.best) {
        c->found.best = c->packed.value;
        memcpy(c->best_v, c->v, items * sizeof *c->v);
        memcpy(c->best_count, c->packed.count, items * sizeof *c->best_count);
    }
    if (c->found.passes == limits->cut_after ||
        (limits->deadline_us >= 0 && rn_clock_us() > limits->deadline_us)) {
        c->found.cut = true;
        return false;
    }
    const rn_i128 scale = (rn_i128)1 << RN_PRICE_BITS;
    return c->steps < limits->steps && c->found.passes < limits->passes &&
           rn_i128_ceil_div(c->found.best, scale) * scale < limits->target;
}

/* How far the next step goes by. *back: out, whether it starts at the best. */
static rn_i128 next_length(climb *c, bool *back)
{
    *back = false;
    if (c->found.best - c->mark > c->rise / 64) {
        c->rise += c->found.best - c->mark > c->rise / 4 ? c->rise / 2 : 0;
        c->mark = c->found.best;
        c->idle = 0;
    } else if (++c->idle >= PATIENCE) {
        c->rise = c->rise * 7 / 10;
        c->mark = c->found.best;
        c->idle = 0;
        *back = true;
    }
    const rn_i128 left = c->limits->target - c->found.best;
    const rn_i128 rise = left < c->rise ? left : c->rise;
    assert(rise >= 0 && c->found.best >= c->packed.value);
    return *back ? rise : rise + c->found.best - c->packed.value;
}

/* Sets the direction; returns the square of its length. */
static rn_u128 turn(climb *c, const int32_t *count, bool fresh)
{
    const int32_t items = c->knapsack->relax->view->items;
    rn_i128 dot = 0;
    rn_i128 square = 0;
    for (int32_t i = 0; i < items; i++) {
        c->direction[i] = fresh ? 0 : c->direction[i];
        dot += (rn_i128)((int64_t)(1 - count[i]) * (1 << UNIT_BITS)) * c->direction[i];
        square += (rn_i128)c->direction[i] * c->direction[i];
    }
    int64_t share = 0; /* in 2^-UNIT_BITS, at most 1 */
    if (dot < 0 && square > 0) {
        const rn_i128 ratio = -dot * 98304 / square;
        share = ratio > 65536 ? 65536 : (int64_t)ratio;
    }
    rn_u128 length = 0;
    for (int32_t i = 0; i < items; i++) {
        const rn_i128 next = (rn_i128)(1 - count[i]) * (1 << UNIT_BITS) +
                             (rn_i128)share * c->direction[i] / (1 << UNIT_BITS);
        const rn_i128 most = (rn_i128)1 << 40;
        c->direction[i] = (int64_t)(next > most ? most : next < -most ? -most : next);
        length += (rn_u128)((rn_i128)c->direction[i] * c->direction[i]);
    }
    return length;
}

/* Moves from `from`; returns whether anything moved. */
static bool move(climb *c, const int64_t *from, rn_i128 length, rn_u128 square)
{
    assert(length > 0 && square > 0);
    const int64_t most = rn_knapsack_most(c->knapsack);
    /* v_i += length d_i 2^-16 / (square 2^-32); as many bits of length / square as fit */
    rn_u128 factor = (rn_u128)length;
    int32_t up = 0;
    while (factor >> 118 == 0 && up < 64) {
        factor <<= 1;
        up++;
    }
    factor /= square;
    while (factor >> 80 != 0) {
        factor >>= 1;
        up--;
    }
    bool moved = false;
    for (int32_t i = 0; i < c->knapsack->relax->view->items; i++) {
        rn_i128 change = (rn_i128)factor * c->direction[i];
        const int32_t shift = up - UNIT_BITS;
        change = shift >= 0 ? change / ((rn_i128)1 << shift) : change * ((rn_i128)1 << -shift);
        rn_i128 next = from[i] + change;
        next = next > most ? most : next < -most ? -most : next;
        moved = moved || next != from[i];
        c->v[i] = (int64_t)next;
    }
    return moved;
}

static void run(climb *c)
{
    const size_t bytes = (size_t)c->knapsack->relax->view->items * sizeof *c->v;
    memcpy(c->v, c->best_v, bytes);
    c->rise = c->limits->rise;
    bool more = look(c);
    bool fresh = true;
    c->mark = c->found.best;
    while (more && c->rise >= RISE_LEAST) {
        bool back = false;
        const rn_i128 length = next_length(c, &back);
        const rn_u128 square = turn(c, back ? c->best_count : c->packed.count, fresh || back);
        fresh = false;
        if (square == 0 || length <= 0) {
            return; /* every item is chosen once: nothing is to be gained */
        }
        if (!move(c, back ? c->best_v : c->v, length / 2 + 1, square)) {
            return;
        }
        more = look(c);
    }
}

ration_status rn_knapsack_climb(const rn_knapsack *knapsack, const rn_knapsack_limits *limits,
                                int64_t *v, rn_knapsack_found *found, ration_error *error)
{
    assert(limits->rise > 0 && limits->passes > 0);
    const int32_t items = knapsack->relax->view->items;
    climb c = {0};
    rn_layout layout = {0};
    carve(&layout, items, &c);
    RN_TRY(rn_layout_allocate(&layout, "knapsack ascent", error));
    carve(&layout, items, &c);
    c.knapsack = knapsack;
    c.limits = limits;
    c.best_v = v;
    run(&c);
    rn_free(c.packed.count);
    *found = c.found;
    return RATION_OK;
}
