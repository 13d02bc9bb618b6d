#include "search/start.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/eval.h"
#include "core/fail.h"

enum {
    PASSES = 4,
    WORK_MOST = 1000000 /* options looked at; then only candidates are, as many again */
};

typedef struct descent {
    const rn_tables *t;
    const rn_epoch *e;
    int64_t *load;
    int32_t *seat;
    int32_t *pick;
    rn_touch touch;
    int64_t work;
} descent;

static int64_t option_energy(descent *d, int32_t item, rn_option from, rn_option to)
{
    const rn_view *v = &d->t->view;
    rn_touch_pick(v, d->load, item, from, to, &d->touch);
    assert(d->touch.count <= d->t->touch);
    d->work += 1 + d->touch.count / 8;
    return rn_change_energy(d->t, d->e, 0, d->load, &d->touch) +
           rn_energy(d->t, to.cost - from.cost +
                               rn_traffic_change(v, d->seat, item, from.place, to.place));
}

/* Moves an item to its best option; returns whether it moved. */
static bool improve(descent *d, int32_t item, bool all)
{
    const rn_view *v = &d->t->view;
    assert(d->pick[item] >= 0 && d->pick[item] < v->item_options[item]);
    const rn_option from = rn_option_decode(v, item, d->pick[item]);
    const int32_t count = all ? v->item_options[item] : d->t->cand_count[item];
    int64_t least = 0;
    int32_t best = d->pick[item];
    for (int32_t x = 0; x < count; x++) {
        const int32_t option = all ? x : d->t->cand_option[(int64_t)item * RN_CANDIDATES + x];
        const rn_option to = rn_option_decode(v, item, option);
        if (option != d->pick[item] && rn_place_allowed(v, item, to.place)) {
            const int64_t energy = option_energy(d, item, from, to);
            if (energy < least) {
                least = energy;
                best = option;
            }
        }
    }
    if (best == d->pick[item]) {
        return false;
    }
    const rn_option to = rn_option_decode(v, item, best);
    rn_touch_pick(v, d->load, item, from, to, &d->touch);
    for (int32_t x = 0; x < d->touch.count; x++) {
        d->load[d->touch.row[x]] += d->touch.change[x];
    }
    assert(least < 0 && rn_place_allowed(v, item, to.place));
    d->pick[item] = best;
    d->seat[item] = to.place;
    return true;
}

static void descend(descent *d)
{
    const rn_view *v = &d->t->view;
    rn_eval_loads(d->t, d->pick, d->load);
    for (int32_t i = 0; i < v->items; i++) {
        d->seat[i] = rn_option_decode(v, i, d->pick[i]).place;
    }
    for (int32_t pass = 0; pass < PASSES; pass++) {
        bool moved = false;
        for (int32_t i = 0; i < v->items; i++) {
            moved = improve(d, i, d->work < WORK_MOST) || moved;
            if (d->work > 2 * (int64_t)WORK_MOST) {
                return;
            }
        }
        if (!moved) {
            return;
        }
    }
}

ration_status rn_start_descend(const rn_tables *t, const rn_epoch *rigid, int32_t *pick,
                               ration_error *error)
{
    descent d = {.t = t, .e = rigid, .pick = pick};
    assert(t->touch >= 1 && rigid->stiffness == 65536);
    d.load = rn_calloc((size_t)t->rows + 1, sizeof *d.load);
    d.seat = rn_calloc((size_t)t->view.items, sizeof *d.seat);
    d.touch.row = rn_calloc((size_t)t->touch, sizeof *d.touch.row);
    d.touch.change = rn_calloc((size_t)t->touch, sizeof *d.touch.change);
    const bool memory =
        d.load != NULL && d.seat != NULL && d.touch.row != NULL && d.touch.change != NULL;
    if (memory) {
        descend(&d);
    }
    rn_free(d.load);
    rn_free(d.seat);
    rn_free(d.touch.row);
    rn_free(d.touch.change);
    return memory ? RATION_OK
                  : rn_fail_memory(error, "a start plan", ((size_t)t->rows + 1) * sizeof *d.load);
}

rn_change rn_plan_price(const rn_tables *t, const int32_t *pick, int64_t *load, int32_t *seat)
{
    const rn_view *v = &t->view;
    for (int32_t i = 0; i < v->items; i++) {
        assert(pick[i] >= 0 && pick[i] < v->item_options[i]);
        seat[i] = rn_option_decode(v, i, pick[i]).place;
    }
    rn_eval_loads(t, pick, load);
    return rn_eval_plan(t, NULL, 0, pick, seat, load);
}
