/* Traffic in a linear model: which pairs of items have any, and at which places. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "emit/milp.h"

rn_i128 rn_milp_pair_cost(const rn_view *v, const rn_milp_pair *pair, int32_t first_place,
                          int32_t second_place)
{
    return (rn_i128)pair->out * rn_distance(v, first_place, second_place) +
           (rn_i128)pair->back * rn_distance(v, second_place, first_place);
}

/* Pairs i < j in order; seen: [items] the pair that an item was last the second of, -1 at first. */
static void collect_pairs(rn_milp *milp, int32_t *seen)
{
    const rn_view *v = milp->view;
    for (int32_t i = 0; i < v->items; i++) {
        const int32_t first = milp->pairs;
        for (int32_t e = v->edge_at[i]; e < v->edge_at[i + 1]; e++) {
            const int32_t j = v->edge_item[e];
            if (j <= i) {
                continue; /* the diagonal belongs to the options */
            }
            if (seen[j] < first) {
                seen[j] = milp->pairs++;
                milp->pair[seen[j]] = (rn_milp_pair){.first = i, .second = j};
            }
            rn_milp_pair *pair = &milp->pair[seen[j]];
            *(v->edge_out[e] != 0 ? &pair->out : &pair->back) += v->edge_weight[e];
        }
    }
}

static int compare_places(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

/* The places of the options that an item has, rising; room for them is in place. */
static int64_t list_places(const rn_view *v, int32_t item, int32_t *place)
{
    int64_t count = 0;
    for (int32_t o = 0; o < v->item_options[item]; o++) {
        const int32_t at = rn_option_decode(v, item, o).place;
        assert(at >= 0); /* the builder wants places where there is traffic */
        if (rn_place_allowed(v, item, at)) {
            place[count++] = at;
        }
    }
    if (count > 1) {
        qsort(place, (size_t)count, sizeof *place, compare_places);
    }
    int64_t kept = 0;
    for (int64_t k = 0; k < count; k++) {
        if (kept == 0 || place[kept - 1] != place[k]) {
            place[kept++] = place[k];
        }
    }
    return kept;
}

static ration_status fill_places(rn_milp *milp, ration_error *error)
{
    const rn_view *v = milp->view;
    int64_t capacity = 0;
    for (int32_t i = 0; i < v->items; i++) {
        milp->place_at[i + 1] = milp->place_at[i];
        if (v->edge_at[i] == v->edge_at[i + 1]) {
            continue;
        }
        const int64_t needed = milp->place_at[i] + v->item_options[i];
        int32_t *grown = rn_grow(milp->place, needed, sizeof *grown, &capacity);
        if (grown == NULL) {
            return rn_fail_memory(error, "the places of items", (size_t)needed * sizeof *grown);
        }
        milp->place = grown;
        milp->place_at[i + 1] += list_places(v, i, milp->place + milp->place_at[i]);
    }
    return RATION_OK;
}

/* Checks the costs of a pair. constant: out, whether they are all *value. */
static ration_status look_at_pair(const rn_milp *milp, const rn_milp_pair *pair, bool *constant,
                                  rn_i128 *value, ration_error *error)
{
    *constant = true;
    for (int64_t a = milp->place_at[pair->first]; a < milp->place_at[pair->first + 1]; a++) {
        for (int64_t b = milp->place_at[pair->second]; b < milp->place_at[pair->second + 1]; b++) {
            const rn_i128 cost =
                rn_milp_pair_cost(milp->view, pair, milp->place[a], milp->place[b]);
            int64_t exact = 0;
            RN_TRY(rn_milp_exact(milp->program, RN_ITEM, pair->first, cost, &exact, error));
            if (a == milp->place_at[pair->first] && b == milp->place_at[pair->second]) {
                *value = cost;
            }
            *constant = *constant && *value == cost;
        }
    }
    return RATION_OK;
}

/* Gives a pair its lines and columns, or drops it where its cost does not depend on the plan. */
static ration_status number_pairs(rn_milp *milp, rn_i128 *constant, ration_error *error)
{
    int32_t kept = 0;
    for (int32_t p = 0; p < milp->pairs; p++) {
        rn_milp_pair pair = milp->pair[p];
        const int64_t a = milp->place_at[pair.first + 1] - milp->place_at[pair.first];
        const int64_t b = milp->place_at[pair.second + 1] - milp->place_at[pair.second];
        pair.column = milp->columns;
        pair.line = milp->lines;
        RN_TRY(rn_milp_more(&milp->columns, a * b, "columns", error));
        bool same = false;
        rn_i128 value = 0;
        RN_TRY(look_at_pair(milp, &pair, &same, &value, error));
        if (same) {
            *constant += value;
            milp->columns = pair.column;
            continue;
        }
        RN_TRY(rn_milp_more(&milp->lines, a + b, "rows", error));
        milp->pair[kept++] = pair;
    }
    milp->pairs = kept;
    return RATION_OK;
}

static void index_pairs(rn_milp *milp)
{
    const int32_t items = milp->view->items;
    for (int32_t p = 0; p < milp->pairs; p++) {
        milp->pair_at[milp->pair[p].first + 1]++;
        milp->pair_at[milp->pair[p].second + 1]++;
    }
    for (int32_t i = 0; i < items; i++) {
        milp->pair_at[i + 1] += milp->pair_at[i];
    }
    for (int32_t p = 0; p < milp->pairs; p++) {
        milp->pair_of[milp->pair_at[milp->pair[p].first]++] = p;
        milp->pair_of[milp->pair_at[milp->pair[p].second]++] = p;
    }
    memmove(milp->pair_at + 1, milp->pair_at, (size_t)items * sizeof *milp->pair_at);
    milp->pair_at[0] = 0;
}

/* How many y the pairs would have, or more than any limit. */
static int64_t count_flows(const rn_milp *milp)
{
    int64_t count = 0;
    for (int32_t p = 0; p < milp->pairs && count < INT64_MAX / 2; p++) {
        const int32_t i = milp->pair[p].first;
        const int32_t j = milp->pair[p].second;
        count += (milp->place_at[i + 1] - milp->place_at[i]) *
                 (milp->place_at[j + 1] - milp->place_at[j]);
    }
    return count;
}

ration_status rn_milp_plan_traffic(rn_milp *milp, int64_t flows, rn_i128 *constant,
                                   ration_error *error)
{
    const rn_view *v = milp->view;
    if (v->edge_at == NULL) {
        return RATION_OK;
    }
    const size_t items = (size_t)v->items;
    milp->pair = rn_calloc((size_t)v->edges, sizeof *milp->pair);
    milp->pair_at = rn_calloc(items + 1, sizeof *milp->pair_at);
    milp->pair_of = rn_calloc(2 * (size_t)v->edges, sizeof *milp->pair_of);
    milp->place_at = rn_calloc(items + 1, sizeof *milp->place_at);
    int32_t *seen = rn_malloc(items * sizeof *seen);
    if (milp->pair == NULL || milp->pair_at == NULL || milp->pair_of == NULL ||
        milp->place_at == NULL || seen == NULL) {
        rn_free(seen);
        return rn_fail_memory(error, "traffic", (size_t)v->edges * sizeof *milp->pair);
    }
    memset(seen, -1, items * sizeof *seen);
    collect_pairs(milp, seen);
    rn_free(seen);
    RN_TRY(fill_places(milp, error));
    if (count_flows(milp) > flows && rn_milp_can_spread(v)) {
        milp->pairs = 0;
        return rn_milp_plan_spread(milp, error);
    }
    RN_TRY(number_pairs(milp, constant, error));
    index_pairs(milp);
    return RATION_OK;
}
