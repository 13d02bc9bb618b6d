/* Spread traffic in a linear model: what an item sends to each place, and what that costs at the
 * place where it is. For each item with edges to others
 *
 *   flow(i, q):  v(i, q) = sum_j w_ij x(j at q)
 *   meet(i, p):  sum_q d(p, q) v(i, q) - u(i, p) + M_ip x(i at p) <= M_ip
 *
 * Each edge is counted with its `from`. After L. Kaufman, F. Broeckx, European
 * Journal of Operational Research 2 (1978) 204-211, with v as columns of their
 * own: items * places^2 coefficients instead of edges * places^2.
 */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "emit/milp.h"

bool rn_milp_can_spread(const rn_view *v)
{
    for (int32_t i = 0; i < v->items; i++) {
        for (int32_t e = v->edge_at[i]; e < v->edge_at[i + 1]; e++) {
            if (v->edge_item[e] != i && v->edge_weight[e] < 0) {
                return false;
            }
        }
    }
    for (int64_t k = 0; v->distance != NULL && k < (int64_t)v->places * v->places; k++) {
        if (v->distance[k] < 0) {
            return false;
        }
    }
    for (int32_t level = 0; v->distance == NULL && level <= v->levels; level++) {
        if (v->tier_distance[level] < 0) {
            return false;
        }
    }
    return true;
}

/* Sum of the weights from an item to others. */
static rn_i128 weight_out(const rn_view *v, int32_t item)
{
    rn_i128 sum = 0;
    for (int32_t e = v->edge_at[item]; e < v->edge_at[item + 1]; e++) {
        sum += v->edge_out[e] != 0 && v->edge_item[e] != item ? v->edge_weight[e] : 0;
    }
    return sum;
}

/* M of a place: weight * the greatest distance from there. */
static ration_status fill_most(rn_milp *milp, int32_t spread, ration_error *error)
{
    const rn_view *v = milp->view;
    const int32_t item = milp->spread_item[spread];
    const rn_i128 weight = weight_out(v, item);
    for (int32_t at = milp->spread_at[spread]; at < milp->spread_at[spread + 1]; at++) {
        const int32_t p = milp->place[milp->place_at[item] + at - milp->spread_at[spread]];
        int64_t farthest = 0;
        for (int32_t q = 0; q < v->places; q++) {
            const int64_t distance = rn_distance(v, p, q);
            farthest = distance > farthest ? distance : farthest;
        }
        RN_TRY(rn_milp_exact(milp->program, RN_ITEM, item, weight * farthest,
                             &milp->spread_most[at], error));
    }
    return RATION_OK;
}

/* The items that send something. */
static ration_status list_spreads(rn_milp *milp, int64_t *places, ration_error *error)
{
    const rn_view *v = milp->view;
    const size_t items = (size_t)v->items;
    milp->spread_item = rn_malloc(items * sizeof *milp->spread_item);
    milp->spread_of = rn_malloc(items * sizeof *milp->spread_of);
    milp->spread_at = rn_malloc((items + 1) * sizeof *milp->spread_at);
    if (milp->spread_item == NULL || milp->spread_of == NULL || milp->spread_at == NULL) {
        return rn_fail_memory(error, "traffic", items * sizeof *milp->spread_at);
    }
    *places = 0;
    for (int32_t i = 0; i < v->items; i++) {
        milp->spread_of[i] = -1;
        if (weight_out(v, i) > 0) {
            milp->spread_of[i] = milp->spreads;
            milp->spread_item[milp->spreads] = i;
            milp->spread_at[milp->spreads++] = (int32_t)*places;
            *places += milp->place_at[i + 1] - milp->place_at[i];
            int32_t fits = milp->columns;
            RN_TRY(rn_milp_more(&fits, *places, "columns", error));
        }
    }
    milp->spread_at[milp->spreads] = (int32_t)*places;
    return RATION_OK;
}

ration_status rn_milp_plan_spread(rn_milp *milp, ration_error *error)
{
    int64_t places = 0;
    RN_TRY(list_spreads(milp, &places, error));
    const int64_t flows = (int64_t)milp->spreads * milp->view->places;
    milp->spread_line = milp->lines;
    RN_TRY(rn_milp_more(&milp->lines, flows, "rows", error));
    RN_TRY(rn_milp_more(&milp->columns, flows, "columns", error));
    milp->meet_line = milp->lines;
    milp->meet_column = milp->columns;
    RN_TRY(rn_milp_more(&milp->lines, places, "rows", error));
    RN_TRY(rn_milp_more(&milp->columns, places, "columns", error));
    milp->spread_most = rn_malloc((size_t)places * sizeof *milp->spread_most);
    if (milp->spread_most == NULL) {
        return rn_fail_memory(error, "traffic", (size_t)places * sizeof *milp->spread_most);
    }
    for (int32_t s = 0; s < milp->spreads; s++) {
        RN_TRY(fill_most(milp, s, error));
    }
    return RATION_OK;
}

static int32_t flow_line(const rn_milp *milp, int32_t spread, int32_t place)
{
    return milp->spread_line + spread * milp->view->places + place;
}

ration_status rn_milp_spread_pick(rn_milp_maker *make, int32_t item, int32_t place)
{
    const rn_milp *milp = make->milp;
    const rn_view *v = milp->view;
    for (int32_t e = v->edge_at[item]; e < v->edge_at[item + 1]; e++) {
        if (v->edge_out[e] == 0 && v->edge_item[e] != item && v->edge_weight[e] != 0) {
            const int32_t from = milp->spread_of[v->edge_item[e]];
            RN_TRY(rn_milp_put(make, flow_line(milp, from, place), -(rn_i128)v->edge_weight[e]));
        }
    }
    const int32_t spread = milp->spread_of[item];
    if (spread < 0) {
        return RATION_OK;
    }
    const int32_t at = milp->spread_at[spread] + rn_milp_place_index(milp, item, place);
    return rn_milp_put(make, milp->meet_line + at, milp->spread_most[at]);
}

ration_status rn_milp_spread_flow(rn_milp_maker *make, int32_t spread, int32_t place)
{
    const rn_milp *milp = make->milp;
    const int32_t item = milp->spread_item[spread];
    RN_TRY(rn_milp_put(make, flow_line(milp, spread, place), 1));
    for (int32_t at = milp->spread_at[spread]; at < milp->spread_at[spread + 1]; at++) {
        const int32_t p = milp->place[milp->place_at[item] + at - milp->spread_at[spread]];
        RN_TRY(rn_milp_put(make, milp->meet_line + at, rn_distance(milp->view, p, place)));
    }
    return RATION_OK;
}

ration_status rn_milp_spread_meet(rn_milp_maker *make, int32_t spread, int32_t at)
{
    RN_TRY(rn_milp_put_cost(make, 1));
    return rn_milp_put(make, make->milp->meet_line + make->milp->spread_at[spread] + at, -1);
}
