/* What a plan costs and how that changes with one pick, for any program: the
 * player. (The judge, host/plan/verify.c, shares nothing with this file.)
 *
 *   energy = sum_i e(cost(o_i)) + e(traffic) + sum_r H_r(z_r)
 *   H_r(z) = P_r dist_r(z) + k e(f_r(z))
 *            + (1 - k) [ price_r (z - origin_r) - sum over feeds r -> t of price_t phi_rt(z) ]
 *
 * with e(x) = x 2^shift, dist the distance to the hard limits, k the stiffness.
 * Sum_i and the (1 - k) parts together are the sum of reduced costs up to a
 * constant; at k = 1 the energy is the cost plus penalties. A row with neither
 * cost nor feeds leaving it has k = 0 and, in place of k f, Q_r times the slack
 * below the limit that its price speaks for.
 */
#ifndef RN_EVAL_H
#define RN_EVAL_H

#include "core/tables.h"
#include "core/backend.h"

/* Rows whose load changes, each once, with the change; feeds included. */
typedef struct rn_touch {
    int32_t *row; /* [capacity tables.touch] */
    int64_t *change;
    int32_t count;
} rn_touch;

/* A difference between two plans. */
typedef struct rn_change {
    int64_t energy;
    int64_t cost;
    int64_t violation;
    int32_t hit; /* row whose energy rises most, -1: none rises */
    int64_t hit_rise;
} rn_change;

RN_HD rn_change rn_change_none(void)
{
    rn_change c;
    c.energy = 0;
    c.cost = 0;
    c.violation = 0;
    c.hit = -1;
    c.hit_rise = 0;
    return c;
}

/* The limits of a row for arithmetic. Loads stay within +-2^62, so a limit that does not exist may
 * as well lie there; then the difference of a load and a limit never overflows. That matters also
 * where the difference is not wanted: nvcc 13 turns `z < low ? low - z : 0` into max(low - z, 0),
 * which is wrong for low = INT64_MIN. */
RN_HD int64_t rn_limit_low(const rn_view *v, int32_t row)
{
    const int64_t least = -((int64_t)1 << 62);
    const int64_t low = rn_row_low(v, row);
    return low < least ? least : low;
}

RN_HD int64_t rn_limit_high(const rn_view *v, int32_t row)
{
    const int64_t most = (int64_t)1 << 62;
    const int64_t high = rn_row_high(v, row);
    return high > most ? most : high;
}

RN_HD int64_t rn_row_distance(const rn_view *v, int32_t row, int64_t z)
{
    const int64_t high = rn_limit_high(v, row);
    const int64_t low = rn_limit_low(v, row);
    return z > high ? z - high : z < low ? low - z : 0;
}

RN_HD int64_t rn_row_cost(const rn_view *v, int32_t row, int64_t z)
{
    return row < v->rows ? rn_pieces_at(v->piece, v->row_piece[row], v->row_piece[row + 1], z) : 0;
}

/* (price * value) / 2^16 for a Q16 price. */
RN_HD int64_t rn_priced(int64_t price, int64_t value)
{
    return (price * value) >> 16;
}

/* Distance of a load to the end of its range that the price speaks for: what is below the limit of
 * a scarce row, or above the demand of a lower limit. 0 when that limit does not exist. */
RN_HD int64_t rn_row_slack(const rn_tables *t, int32_t row, int64_t z)
{
    if (t->price[row] > 0) {
        const int64_t high = rn_limit_high(&t->view, row);
        return rn_row_high(&t->view, row) != INT64_MAX && z < high ? high - z : 0;
    }
    if (t->price[row] < 0) {
        const int64_t low = rn_limit_low(&t->view, row);
        return rn_row_low(&t->view, row) != INT64_MIN && z > low ? z - low : 0;
    }
    return 0;
}

/* The part of H that pays the price back to the rows fed. */
RN_HD int64_t rn_row_base(const rn_tables *t, int32_t row, int64_t z)
{
    const rn_view *v = &t->view;
    int64_t base = rn_priced(t->price[row], z - t->origin[row]);
    if (row < v->rows) {
        for (int32_t f = v->row_feed[row]; f < v->row_feed[row + 1]; f++) {
            const int64_t fed = rn_pieces_at(v->piece, v->feed_piece[f], v->feed_piece[f + 1], z);
            base -= rn_priced(t->price[v->feed_to[f]], fed);
        }
    }
    return base;
}

/* H of a row at load z. push: over_price is multiplied by 2^push. */
RN_HD int64_t rn_row_energy(const rn_tables *t, const rn_epoch *e, int32_t push, int32_t row,
                            int64_t z)
{
    const rn_view *v = &t->view;
    const int64_t distance = rn_row_distance(v, row, z);
    const int64_t over = distance < e->clamp[row] ? distance : e->clamp[row];
    RN_ASSERT(row >= 0 && row < t->rows && distance >= 0 && over >= 0);
    RN_ASSERT(push >= 0 && e->over_price[row] >= 0);
    const int64_t penalty = rn_priced(e->over_price[row], over) * ((int64_t)1 << push);
    const int64_t base = rn_row_base(t, row, z);
    const int32_t plain = row >= v->rows || (v->row_piece[row] == v->row_piece[row + 1] &&
                                             v->row_feed[row] == v->row_feed[row + 1]);
    if (plain) {
        const int64_t slack = rn_row_slack(t, row, z);
        return penalty + base +
               rn_priced(e->slack_price[row], slack < e->clamp[row] ? slack : e->clamp[row]);
    }
    const int64_t cost = rn_energy(t, rn_row_cost(v, row, z));
    return penalty + rn_priced(65536 - e->stiffness, base) + rn_priced(e->stiffness, cost);
}

RN_HD void rn_touch_add(rn_touch *touch, int32_t row, int64_t change)
{
    for (int32_t x = 0; x < touch->count; x++) {
        if (touch->row[x] == row) {
            touch->change[x] += change;
            return;
        }
    }
    RN_ASSERT(touch->count >= 0 && row >= 0);
    touch->row[touch->count] = row;
    touch->change[touch->count] = change;
    touch->count++;
}

RN_HD void rn_touch_option(const rn_view *v, int32_t item, rn_option option, int64_t sign,
                           rn_touch *touch)
{
    rn_uses walk = rn_uses_begin(v, item, option);
    int32_t row;
    int64_t amount;
    while (rn_uses_next(v, &walk, &row, &amount)) {
        rn_touch_add(touch, row, sign * amount);
    }
}

/* Adds what the rows of a rank feed on. */
RN_HD void rn_touch_feeds(const rn_view *v, const int64_t *load, int32_t rank, rn_touch *touch)
{
    const int32_t count = touch->count;
    for (int32_t x = 0; x < count; x++) {
        const int32_t row = touch->row[x];
        if (row >= v->rows || v->row_rank[row] != rank || touch->change[x] == 0) {
            continue;
        }
        const int64_t z = load[row];
        for (int32_t f = v->row_feed[row]; f < v->row_feed[row + 1]; f++) {
            const int64_t before =
                rn_pieces_at(v->piece, v->feed_piece[f], v->feed_piece[f + 1], z);
            const int64_t after = rn_pieces_at(v->piece, v->feed_piece[f], v->feed_piece[f + 1],
                                               z + touch->change[x]);
            if (before != after) {
                rn_touch_add(touch, v->feed_to[f], after - before);
            }
        }
    }
}

/* Collects the changes of load when an item's pick goes from one option to another. */
RN_HD void rn_touch_pick(const rn_view *v, const int64_t *load, int32_t item, rn_option from,
                         rn_option to, rn_touch *touch)
{
    touch->count = 0;
    rn_touch_option(v, item, from, -1, touch);
    rn_touch_option(v, item, to, 1, touch);
    if (v->row_feed[v->rows] > 0) {
        rn_touch_feeds(v, load, 0, touch);
        rn_touch_feeds(v, load, 1, touch);
    }
}

/* Change of the traffic's cost when an item's place goes from one to another. seat: [items] places.
 */
RN_HD int64_t rn_traffic_change(const rn_view *v, const int32_t *seat, int32_t item, int32_t from,
                                int32_t to)
{
    int64_t change = 0;
    if (v->edge_at == 0 || from == to) {
        return 0;
    }
    RN_ASSERT(seat[item] == from);
    for (int32_t x = v->edge_at[item]; x < v->edge_at[item + 1]; x++) {
        const int32_t other = v->edge_item[x];
        const int32_t end = seat[other];
        if (other == item) {
            change += v->edge_weight[x] * (rn_distance(v, to, to) - rn_distance(v, from, from));
        } else if (v->edge_out[x]) {
            change += v->edge_weight[x] * (rn_distance(v, to, end) - rn_distance(v, from, end));
        } else {
            change += v->edge_weight[x] * (rn_distance(v, end, to) - rn_distance(v, end, from));
        }
    }
    return change;
}

/* Change of energy alone: the scan's inner step. touch: scratch. */
RN_HD int64_t rn_change_energy(const rn_tables *t, const rn_epoch *e, int32_t push,
                               const int64_t *load, const rn_touch *touch)
{
    int64_t energy = 0;
    for (int32_t x = 0; x < touch->count; x++) {
        const int32_t row = touch->row[x];
        if (touch->change[x] != 0) {
            energy += rn_row_energy(t, e, push, row, load[row] + touch->change[x]) -
                      rn_row_energy(t, e, push, row, load[row]);
        }
    }
    return energy;
}

/* Energy, cost and violation of the rows in touch, and the row that is hit. */
RN_HD rn_change rn_change_rows(const rn_tables *t, const rn_epoch *e, int32_t push,
                               const int64_t *load, const rn_touch *touch)
{
    const rn_view *v = &t->view;
    rn_change c = rn_change_none();
    for (int32_t x = 0; x < touch->count; x++) {
        const int32_t row = touch->row[x];
        const int64_t before = load[row];
        const int64_t after = before + touch->change[x];
        if (before == after) {
            continue;
        }
        const int64_t rise =
            rn_row_energy(t, e, push, row, after) - rn_row_energy(t, e, push, row, before);
        c.energy += rise;
        c.cost += rn_row_cost(v, row, after) - rn_row_cost(v, row, before);
        c.violation += rn_row_distance(v, row, after) - rn_row_distance(v, row, before);
        if (rise > c.hit_rise || (rise == c.hit_rise && rise > 0 && row < c.hit)) {
            c.hit = row;
            c.hit_rise = rise;
        }
    }
    return c;
}

/* ---- from scratch ---- */

/* Loads of a plan, feeds included; by one lane. load: out, [rows + 1]. */
RN_HD void rn_eval_loads(const rn_tables *t, const int32_t *pick, int64_t *load)
{
    const rn_view *v = &t->view;
    for (int32_t r = 0; r < t->rows; r++) {
        load[r] = rn_row_offset(v, r);
    }
    load[t->rows] = 0;
    for (int32_t i = 0; i < v->items; i++) {
        rn_uses walk = rn_uses_begin(v, i, rn_option_decode(v, i, pick[i]));
        int32_t row;
        int64_t amount;
        while (rn_uses_next(v, &walk, &row, &amount)) {
            load[row] += amount;
        }
    }
    for (int32_t rank = 0; rank < 2 && v->row_feed[v->rows] > 0; rank++) {
        for (int32_t r = 0; r < v->rows; r++) {
            for (int32_t f = v->row_feed[r]; v->row_rank[r] == rank && f < v->row_feed[r + 1];
                 f++) {
                load[v->feed_to[f]] +=
                    rn_pieces_at(v->piece, v->feed_piece[f], v->feed_piece[f + 1], load[r]);
            }
        }
    }
}

/* Cost of the traffic of item i's outgoing edges. */
RN_HD int64_t rn_eval_traffic(const rn_view *v, const int32_t *seat, int32_t item)
{
    int64_t cost = 0;
    for (int32_t x = v->edge_at == 0 ? 0 : v->edge_at[item];
         v->edge_at != 0 && x < v->edge_at[item + 1]; x++) {
        if (v->edge_out[x]) {
            cost += v->edge_weight[x] * rn_distance(v, seat[item], seat[v->edge_item[x]]);
        }
    }
    return cost;
}

/* Energy, cost and violation of a plan. load: [rows + 1] as rn_eval_loads leaves it; seat: [items]
 * places. */
RN_HD rn_change rn_eval_plan(const rn_tables *t, const rn_epoch *e, int32_t push,
                             const int32_t *pick, const int32_t *seat, const int64_t *load)
{
    const rn_view *v = &t->view;
    rn_change c = rn_change_none();
    for (int32_t i = 0; i < v->items; i++) {
        const int64_t own = rn_option_decode(v, i, pick[i]).cost;
        const int64_t traffic = rn_eval_traffic(v, seat, i);
        c.cost += own + traffic;
        c.energy += rn_energy(t, own + traffic);
    }
    for (int32_t r = 0; r < t->rows; r++) {
        c.cost += rn_row_cost(v, r, load[r]);
        RN_ASSERT(c.violation >= 0);
        c.violation += rn_row_distance(v, r, load[r]);
        c.energy += e == 0 ? 0 : rn_row_energy(t, e, push, r, load[r]);
    }
    return c;
}

#endif
