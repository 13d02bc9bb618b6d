/* Least and greatest distance between every place and every set of places.
 *
 * Tiers: how many places of a set share a place's ancestor, level by level, says which distances
 * occur; O(levels) a set and place. Tables: the places are sorted by distance once for each place;
 * its nearest and farthest of a set are the first ones from either end, which most sets have soon.
 */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "plan/claim.h"

/* extreme of a set: [4 * places], least and greatest d(p, q), then of d(q, p). */
static void put(int64_t *extreme, int32_t places, int32_t way, int32_t p, int64_t least,
                int64_t greatest)
{
    assert(way >= 0 && way < 2 && p >= 0 && p < places && least <= greatest);
    extreme[(int64_t)2 * way * places + p] = least;
    extreme[(int64_t)(2 * way + 1) * places + p] = greatest;
}

/* ---- tiers ---- */

static int compare_numbers(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left;
    const int32_t b = *(const int32_t *)right;
    return a < b ? -1 : a > b ? 1 : 0;
}

/* Numbers the ancestors of one level from 0: dense[p] for each place. sorted: [places] scratch. */
static void number_level(const rn_view *view, int32_t level, int32_t *sorted, int32_t *dense)
{
    const size_t places = (size_t)view->places;
    const int32_t *ancestor = view->tier_ancestor + (size_t)level * places;
    memcpy(sorted, ancestor, places * sizeof *sorted);
    qsort(sorted, places, sizeof *sorted, compare_numbers);
    for (size_t p = 0; p < places; p++) {
        size_t low = 0;
        size_t high = places - 1;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (sorted[middle] < ancestor[p]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        assert(sorted[low] == ancestor[p]);
        dense[p] = (int32_t)low;
    }
}

/* Whether places that share an ancestor share those of all higher levels. first: [places]. */
static bool nested(const rn_view *view, const int32_t *dense, int32_t *first)
{
    const int32_t places = view->places;
    for (int32_t level = 0; level + 1 < view->levels; level++) {
        const int32_t *here = dense + (int64_t)level * places;
        const int32_t *above = here + places;
        for (int32_t p = 0; p < places; p++) {
            first[p] = -1;
        }
        for (int32_t p = 0; p < places; p++) {
            if (first[here[p]] >= 0 && above[first[here[p]]] != above[p]) {
                return false;
            }
            first[here[p]] = p;
        }
    }
    return true;
}

/* count: [levels * places] scratch. */
static void fill_by_tiers(const rn_view *view, const int32_t *dense, const char *member,
                          int32_t *count, int64_t *extreme)
{
    const int32_t places = view->places;
    int32_t size = 0;
    memset(count, 0, (size_t)view->levels * (size_t)places * sizeof *count);
    for (int32_t q = 0; q < places; q++) {
        size += member[q] != 0 ? 1 : 0;
        for (int32_t level = 0; member[q] != 0 && level < view->levels; level++) {
            count[(int64_t)level * places + dense[(int64_t)level * places + q]]++;
        }
    }
    assert(size > 0);
    for (int32_t p = 0; p < places; p++) {
        int32_t nearer = 0; /* members that share a lower level */
        int64_t least = INT64_MAX;
        int64_t greatest = INT64_MIN;
        for (int32_t level = 0; level <= view->levels; level++) {
            const int64_t cell = (int64_t)level * places;
            const int32_t within = level < view->levels ? count[cell + dense[cell + p]] : size;
            const int64_t distance = view->tier_distance[level];
            assert(within >= nearer && within <= size);
            if (within > nearer) {
                least = distance < least ? distance : least;
                greatest = distance > greatest ? distance : greatest;
            }
            nearer = within;
        }
        put(extreme, places, 0, p, least, greatest);
        put(extreme, places, 1, p, least, greatest);
    }
}

/* ---- any distances ---- */

typedef struct at_distance {
    int64_t distance;
    int32_t place;
} at_distance;

static int compare_distances(const void *left, const void *right)
{
    const at_distance *a = (const at_distance *)left;
    const at_distance *b = (const at_distance *)right;
    return a->distance < b->distance ? -1 : a->distance > b->distance ? 1 : 0;
}

/* list: [places] scratch. */
static void fill_by_order(const rn_view *view, int32_t sets, const char *member, at_distance *list,
                          int64_t *extreme)
{
    const int32_t places = view->places;
    for (int32_t k = 0; k < 2 * places; k++) {
        const int32_t p = k / 2;
        const int32_t way = k % 2;
        for (int32_t q = 0; q < places; q++) {
            list[q].place = q;
            list[q].distance =
                way == 0 ? rn_judge_distance(view, p, q) : rn_judge_distance(view, q, p);
        }
        qsort(list, (size_t)places, sizeof *list, compare_distances);
        for (int32_t set = 0; set < sets; set++) {
            const char *in = member + (int64_t)set * places;
            int32_t near = 0;
            int32_t far = places - 1;
            while (near < far && in[list[near].place] == 0) {
                near++;
            }
            while (far > near && in[list[far].place] == 0) {
                far--;
            }
            assert(in[list[near].place] != 0 && in[list[far].place] != 0);
            put(extreme + (int64_t)set * 4 * places, places, way, p, list[near].distance,
                list[far].distance);
        }
    }
}

ration_status rn_extremes_fill(const rn_view *view, int32_t sets, const char *member,
                               int64_t *extreme, ration_error *error)
{
    const size_t places = (size_t)view->places;
    const size_t levels = view->distance == NULL ? (size_t)view->levels : 0;
    assert(sets >= 0 && (sets == 0 || places > 0));
    at_distance *list = (at_distance *)rn_malloc((places + 1) * sizeof *list);
    int32_t *dense = (int32_t *)rn_malloc((levels * places + 1) * sizeof *dense);
    int32_t *count = (int32_t *)rn_malloc(((levels + 1) * places + 1) * sizeof *count);
    if (list == NULL || dense == NULL || count == NULL) {
        rn_free(list);
        rn_free(dense);
        rn_free(count);
        return rn_fail_memory(error, "distances of places", places * sizeof *list);
    }
    for (int32_t level = 0; level < (int32_t)levels; level++) {
        number_level(view, level, count, dense + (size_t)level * places);
    }
    if (levels > 0 && nested(view, dense, count)) {
        for (int32_t set = 0; set < sets; set++) {
            fill_by_tiers(view, dense, member + (size_t)set * places, count,
                          extreme + (size_t)set * 4 * places);
        }
    } else {
        fill_by_order(view, sets, member, list, extreme);
    }
    rn_free(list);
    rn_free(dense);
    rn_free(count);
    return RATION_OK;
}
