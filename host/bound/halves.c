/* Traffic in the relaxation: what the edges at an item cost at least if it stands at a place,
 * halved between the two ends. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "bound/relax.h"
#include "core/fail.h"

/* Extremes of the distances between each place and the places of one item, kept until an item with
 * other places comes. */
typedef struct extremes {
    char *member;    /* [places] */
    char *wanted;    /* [places] */
    int64_t *out[2]; /* [places] least and greatest d(p, q) over the places q */
    int64_t *in[2];  /* [places] least and greatest d(q, p) */
    bool filled;
} extremes;

static void mark_places(const rn_relax *relax, int32_t item, char *member)
{
    const rn_view *view = relax->view;
    memset(member, 0, (size_t)view->places);
    for (int32_t entry = view->item_entry[item]; entry < view->item_entry[item + 1]; entry++) {
        int32_t first = 0;
        const int32_t count = rn_relax_entry_places(view, entry, &first);
        for (int32_t p = first; first >= 0 && p < first + count; p++) {
            member[p] = rn_relax_allowed(relax, item, entry, p) ? 1 : member[p];
        }
    }
}

static void widen(int64_t distance, int64_t *least, int64_t *greatest)
{
    *least = distance < *least ? distance : *least;
    *greatest = distance > *greatest ? distance : *greatest;
}

static void find_extremes(const rn_relax *relax, int32_t item, extremes *e)
{
    const rn_view *view = relax->view;
    mark_places(relax, item, e->wanted);
    if (e->filled && memcmp(e->member, e->wanted, (size_t)view->places) == 0) {
        return;
    }
    memcpy(e->member, e->wanted, (size_t)view->places);
    e->filled = true;
    for (int32_t p = 0; p < view->places; p++) {
        e->out[0][p] = INT64_MAX;
        e->out[1][p] = INT64_MIN;
        e->in[0][p] = INT64_MAX;
        e->in[1][p] = INT64_MIN;
    }
    for (int32_t q = 0; q < view->places; q++) {
        for (int32_t p = 0; e->member[q] != 0 && p < view->places; p++) {
            widen(rn_distance(view, p, q), &e->out[0][p], &e->out[1][p]);
            widen(rn_distance(view, q, p), &e->in[0][p], &e->in[1][p]);
        }
    }
}

/* Adds the halves of all edges between `other` and its neighbours to the neighbours. */
static void charge_neighbours(const rn_view *view, int32_t other, const extremes *e, int64_t *half)
{
    assert(e->filled);
    for (int32_t edge = view->edge_at[other]; edge < view->edge_at[other + 1]; edge++) {
        const int32_t item = view->edge_item[edge];
        assert(item >= 0 && item < view->items);
        const int64_t weight = view->edge_weight[edge];
        int64_t *charge = half + (int64_t)item * view->places;
        if (item == other) {
            for (int32_t p = 0; p < view->places; p++) {
                charge[p] += weight * rn_distance(view, p, p);
            }
            continue;
        }
        /* Seen from the neighbour, an edge that leaves `other` comes in. */
        const int64_t *extreme =
            view->edge_out[edge] != 0 ? e->in[weight < 0 ? 1 : 0] : e->out[weight < 0 ? 1 : 0];
        for (int32_t p = 0; p < view->places; p++) {
            charge[p] += (int64_t)rn_i128_floor_div((rn_i128)weight * extreme[p], 2);
        }
    }
}

ration_status rn_relax_build_halves(const rn_relax *relax, int64_t *half, ration_error *error)
{
    const rn_view *view = relax->view;
    const size_t places = (size_t)view->places;
    extremes e = {0};
    char *bytes = (char *)rn_malloc(2 * places + 1);
    int64_t *numbers = (int64_t *)rn_malloc((4 * places + 1) * sizeof *numbers);
    if (bytes == NULL || numbers == NULL) {
        rn_free(bytes);
        rn_free(numbers);
        return rn_fail_memory(error, "traffic halves", 4 * places * sizeof *numbers);
    }
    assert(view->edge_at != NULL);
    e.member = bytes;
    e.wanted = bytes + places;
    for (int32_t side = 0; side < 2; side++) {
        e.out[side] = numbers + (size_t)side * places;
        e.in[side] = numbers + (size_t)(2 + side) * places;
    }
    for (int32_t item = 0; item < view->items; item++) {
        if (view->edge_at[item] != view->edge_at[item + 1]) {
            find_extremes(relax, item, &e);
            charge_neighbours(view, item, &e, half);
        }
    }
    rn_free(bytes);
    rn_free(numbers);
    return RATION_OK;
}

/* Largest cost of an item's options, traffic not counted. */
static rn_i128 most_option(const rn_view *view, int32_t item)
{
    bool any = false;
    rn_i128 most = 0;
    rn_relax bare = {0};
    bare.view = view;
    for (int32_t entry = view->item_entry[item]; entry < view->item_entry[item + 1]; entry++) {
        int32_t first = 0;
        const int32_t count = rn_relax_entry_places(view, entry, &first);
        for (int32_t k = 0; k < count; k++) {
            const rn_i128 cost =
                rn_relax_option_cost(&bare, item, entry, first < 0 ? -1 : first + k);
            most = !any || cost > most ? cost : most;
            any = true;
        }
    }
    return most;
}

rn_i128 rn_relax_most_cost(const rn_view *view)
{
    rn_i128 sum = 0;
    for (int32_t item = 0; item < view->items; item++) {
        sum += most_option(view, item);
    }
    for (int32_t row = 0; row < view->rows; row++) {
        const int64_t ends[2] = {view->row_least[row], view->row_most[row]};
        int64_t most = rn_relax_row_cost(view, false, row, ends[0]);
        const int64_t last = rn_relax_row_cost(view, false, row, ends[1]);
        most = last > most ? last : most;
        for (int32_t k = view->row_piece[row]; k < view->row_piece[row + 1]; k++) {
            for (int64_t back = 0; back < 2; back++) {
                if (view->piece[k].start > ends[0] && view->piece[k].start <= ends[1]) {
                    const int64_t value =
                        rn_relax_row_cost(view, false, row, view->piece[k].start - back);
                    most = value > most ? value : most;
                }
            }
        }
        sum += most;
    }
    if (view->edge_at == NULL) {
        return sum;
    }
    int64_t far = 0;
    for (int32_t p = 0; p < view->places; p++) {
        for (int32_t q = 0; q < view->places; q++) {
            const int64_t distance = rn_distance(view, p, q);
            const int64_t size = distance < 0 ? -distance : distance;
            far = size > far ? size : far;
        }
    }
    for (int32_t edge = 0; edge < view->edge_at[view->items]; edge++) {
        const rn_i128 weight = view->edge_weight[edge];
        sum += view->edge_out[edge] != 0 ? (weight < 0 ? -weight : weight) * far : 0;
    }
    return sum;
}
