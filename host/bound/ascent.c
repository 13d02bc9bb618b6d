/* Subgradient ascent with a step length that adapts, in units that make rows comparable.
 *
 *   u_r   <- u_r + length * (d_r / s_r^2) / sum_q (d_q / s_q)^2
 *   s_r    = mean |amount| on row r
 *   length = rise + L_best - L
 *   d      = g + a share of the last direction when they turn against each other
 *
 * Rise is how far L is hoped to rise; it shrinks by 0.7 after 20 evaluations without gain, and the
 * ascent then goes on from the best prices. Sources: Held, Wolfe, Crowder, Math. Programming 6
 * (1974) 62-88 (step); Camerini, Fratta, Maffioli, Math. Programming Study 3 (1975) 26-34
 * (direction).
 */
#include "bound/ascent.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"

enum { PATIENCE = 20 };

static void carve(rn_layout *layout, const rn_view *view, rn_ascent **ascent)
{
    rn_ascent *a = (rn_ascent *)rn_carve(layout, 1, sizeof *a);
    rn_ascent shape = {0};
    shape.price = (int64_t *)rn_carve(layout, view->all_rows, sizeof *shape.price);
    shape.best_price = (int64_t *)rn_carve(layout, view->all_rows, sizeof *shape.best_price);
    shape.best_gradient = (int64_t *)rn_carve(layout, view->all_rows, sizeof *shape.best_gradient);
    shape.direction = (int64_t *)rn_carve(layout, view->all_rows, sizeof *shape.direction);
    if (a != NULL) {
        *a = shape;
    }
    *ascent = a;
}

ration_status rn_ascent_create(const rn_relax *relax, rn_ascent **ascent, ration_error *error)
{
    rn_layout layout = {0};
    rn_ascent *made = NULL;
    carve(&layout, relax->view, &made);
    const ration_status status = rn_layout_allocate(&layout, "ascent", error);
    if (status != RATION_OK) {
        return status;
    }
    carve(&layout, relax->view, &made);
    made->relax = relax;
    const ration_status second = rn_pass_create(relax, &made->pass, error);
    if (second != RATION_OK) {
        rn_free(made);
        return second;
    }
    *ascent = made;
    return RATION_OK;
}

void rn_ascent_free(rn_ascent *ascent)
{
    if (ascent != NULL) {
        rn_pass_free(ascent->pass);
        rn_free(ascent);
    }
}

/* floor(log2 x) for x >= 1. */
static int32_t bits(rn_u128 x)
{
    int32_t count = 0;
    while (x > 1) {
        x >>= 1;
        count++;
    }
    return count;
}

/* Gradient over the row's scale, with 16 more bits, cut to 2^40. */
static int64_t scaled(int64_t gradient, int64_t typical)
{
    assert(typical >= 1);
    const rn_i128 value = (rn_i128)gradient * 65536 / typical;
    const rn_i128 most = (rn_i128)1 << 40;
    return (int64_t)(value > most ? most : value < -most ? -most : value);
}

/* A row whose price stands at an end that the direction pushes against takes no part. */
static bool blocked(const rn_relax *relax, int32_t row, int64_t price, int64_t gradient)
{
    return relax->solved[row] != 0 || (gradient > 0 && price >= relax->price_high[row]) ||
           (gradient < 0 && price <= relax->price_low[row]);
}

/* Sets the direction to g plus, when the two turn against each other, 1.5 times the projection of
 * the last direction. Both in scaled units. Returns the square of its length, 0 when there is
 * nowhere to go. */
static rn_u128 turn(rn_ascent *a, const int64_t *gradient, const int64_t *price, bool fresh)
{
    const rn_relax *relax = a->relax;
    rn_i128 dot = 0;
    rn_u128 square = 0;
    for (int32_t row = 0; row < relax->view->all_rows; row++) {
        const bool stop = blocked(relax, row, price[row], gradient[row]);
        const int64_t g = stop ? 0 : scaled(gradient[row], relax->typical[row]);
        a->direction[row] = fresh || stop ? 0 : a->direction[row];
        dot += (rn_i128)g * a->direction[row];
        square += (rn_u128)((rn_i128)a->direction[row] * a->direction[row]);
    }
    /* share in 2^-16, at most 1 */
    rn_i128 share = 0;
    if (dot < 0 && square > 0) {
        const int32_t shift = bits((rn_u128)-dot) > 100 ? bits((rn_u128)-dot) - 100 : 0;
        const rn_u128 below = (square >> shift) > 0 ? square >> shift : 1;
        const rn_u128 ratio = (((rn_u128)-dot >> shift) * 98304) / below;
        share = ratio > 65536 ? 65536 : (rn_i128)ratio;
    }
    assert(share >= 0 && share <= 65536);
    square = 0;
    for (int32_t row = 0; row < relax->view->all_rows; row++) {
        const bool stop = blocked(relax, row, price[row], gradient[row]);
        const int64_t g = stop ? 0 : scaled(gradient[row], relax->typical[row]);
        const rn_i128 next = g + share * a->direction[row] / 65536;
        const rn_i128 most = (rn_i128)1 << 41;
        a->direction[row] = (int64_t)(next > most ? most : next < -most ? -most : next);
        square += (rn_u128)((rn_i128)a->direction[row] * a->direction[row]);
    }
    return square;
}

/* Moves the prices from `from` by a step of the given length (scaled units of L). Returns whether
 * any moved. */
static bool step(rn_ascent *a, const int64_t *from, rn_i128 length, rn_u128 square)
{
    const rn_relax *relax = a->relax;
    /* u_r += length 2^16 direction / (square s), as (length << up) / square first: 62 bits of it.
     */
    assert(length > 0 && square > 0);
    const int32_t have = bits((rn_u128)length);
    const int32_t up = have < 124 ? 124 - have : 0;
    rn_u128 factor = ((rn_u128)length << up) / square;
    int32_t down = up - 16;
    while (factor >> 62 != 0) {
        factor >>= 1;
        down--;
    }
    assert(factor >> 62 == 0);
    bool moved = false;
    for (int32_t row = 0; row < relax->view->all_rows; row++) {
        rn_i128 change = (rn_i128)factor * a->direction[row] / relax->typical[row];
        if (down >= 0) {
            change = down < 127 ? change / ((rn_i128)1 << down) : 0;
        } else {
            const rn_i128 most = (rn_i128)RN_PRICE_MAX * 2;
            const int32_t left = -down > 70 ? 70 : -down;
            change = change > (most >> left)    ? most
                     : change < -(most >> left) ? -most
                                                : change * ((rn_i128)1 << left);
        }
        rn_i128 next = from[row] + change;
        next = next > relax->price_high[row] ? relax->price_high[row] : next;
        next = next < relax->price_low[row] ? relax->price_low[row] : next;
        moved = moved || next != from[row];
        assert(next >= relax->price_low[row] && next <= relax->price_high[row]);
        a->price[row] = (int64_t)next;
    }
    return moved;
}

typedef struct progress {
    rn_i128 rise;
    rn_i128 mark; /* best at the last gain that counted */
    int32_t idle; /* evaluations since then */
} progress;

/* Evaluates at a->price and keeps the best. Returns whether the ascent goes on. */
static bool look(rn_ascent *a, const rn_ascent_limits *limits)
{
    const size_t bytes = (size_t)a->relax->view->all_rows * sizeof *a->price;
    rn_relax_set_relays(a->relax, a->price);
    rn_relax_evaluate(a->relax, a->price, a->pass);
    a->passes++;
    assert(limits->cut_after == 0 || a->passes <= limits->cut_after);
    if (a->pass->empty) {
        a->empty = true;
        return false;
    }
    if (!a->any || a->pass->value > a->best) {
        a->any = true;
        a->best = a->pass->value;
        memcpy(a->best_price, a->price, bytes);
        memcpy(a->best_gradient, a->pass->gradient, bytes);
    }
    if (a->passes == limits->cut_after ||
        (limits->deadline_us >= 0 && rn_clock_us() > limits->deadline_us)) {
        a->cut = true;
        return false;
    }
    const rn_i128 rounded =
        rn_i128_ceil_div(a->best, (rn_i128)1 << RN_PRICE_BITS) * ((rn_i128)1 << RN_PRICE_BITS);
    return a->best <= limits->enough && rounded < limits->target;
}

/* How far the next step goes by, or 0 to stop. Sets *back when it starts at the best prices. */
static rn_i128 next_length(const rn_ascent *a, const rn_ascent_limits *limits, progress *p,
                           bool *back)
{
    *back = false;
    if (a->best - p->mark > p->rise / 64) {
        p->rise += a->best - p->mark > p->rise / 4 ? p->rise / 2 : 0;
        p->mark = a->best;
        p->idle = 0;
    } else if (++p->idle >= PATIENCE) {
        p->rise = p->rise * 7 / 10;
        p->mark = a->best;
        p->idle = 0;
        *back = true;
    }
    assert(p->rise >= 0 && limits->target > a->best && a->best >= a->pass->value);
    rn_i128 rise = p->rise;
    if (limits->target - a->best < rise) {
        rise = limits->target - a->best;
    }
    return *back ? rise : rise + a->best - a->pass->value;
}

void rn_ascent_run(rn_ascent *a, const rn_ascent_limits *limits)
{
    assert(limits->spread > 0);
    const rn_view *view = a->relax->view;
    memcpy(a->price, a->best_price, (size_t)view->all_rows * sizeof *a->price);
    a->any = false;
    if (!look(a, limits)) {
        return;
    }
    progress p = {limits->spread, a->best, 0};
    bool fresh = true;
    for (int32_t k = 1; k < limits->passes; k++) {
        bool back = false;
        const rn_i128 length = next_length(a, limits, &p, &back);
        const int64_t *from = back ? a->best_price : a->price;
        const rn_u128 square =
            turn(a, back ? a->best_gradient : a->pass->gradient, from, fresh || back);
        fresh = false;
        if (length <= 0 || square == 0) {
            if (back || p.rise < 2) {
                return; /* the best prices are a maximum, or steps have become too small */
            }
            p.idle = PATIENCE;
            fresh = true;
            memcpy(a->pass->gradient, a->best_gradient, (size_t)view->all_rows * sizeof *a->price);
            memcpy(a->price, a->best_price, (size_t)view->all_rows * sizeof *a->price);
            continue;
        }
        if (!step(a, from, length / 2 + 1, square) && back) {
            return;
        }
        if (!look(a, limits)) {
            return;
        }
    }
}
