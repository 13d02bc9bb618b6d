/* Halves of traffic in a certificate: every edge between two items is charged to both ends, each
 * with floor(1/2 min over the other end's places of weight * distance); a diagonal edge to its item
 * exactly. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sha256.h"
#include "core/fail.h"
#include "plan/claim.h"

/* Marks the places that some option of the item has. */
static void mark_places(const rn_left *left, int32_t item, char *member)
{
    memset(member, 0, (size_t)left->view->places);
    rn_judge_walk walk = rn_left_first(left, item);
    while (rn_judge_next(&walk)) {
        if (walk.option.place >= 0) {
            member[walk.option.place] = 1;
        }
    }
}

/* Sets by their SHA-256, so that no program makes many of them meet in one slot. */
typedef struct set_table {
    int32_t *slot; /* [slots] number of a set, -1: free */
    int64_t slots; /* a power of two, at least twice the items */
} set_table;

static bool make_table(set_table *table, int32_t items)
{
    table->slots = 2;
    while (table->slots < 2 * (int64_t)items) {
        table->slots *= 2;
    }
    table->slot = (int32_t *)rn_malloc((size_t)table->slots * sizeof *table->slot);
    for (int64_t at = 0; table->slot != NULL && at < table->slots; at++) {
        table->slot[at] = -1;
    }
    return table->slot != NULL;
}

static int64_t first_slot(const set_table *table, const char *member, size_t places)
{
    uint8_t digest[RN_SHA256_BYTES];
    uint64_t bits = 0;
    rn_sha256 hash;
    rn_sha256_start(&hash);
    rn_sha256_add(&hash, member, places);
    rn_sha256_end(&hash, digest);
    for (int32_t byte = 0; byte < 8; byte++) {
        bits = bits << 8 | digest[byte];
    }
    return (int64_t)(bits & (uint64_t)(table->slots - 1));
}

/* The number of an equal set, making a new one if there is none. */
static int32_t find_set(rn_halves *halves, set_table *table, const char *member, size_t places)
{
    int64_t at = first_slot(table, member, places);
    assert(at >= 0 && at < table->slots);
    for (; table->slot[at] >= 0; at = (at + 1) & (table->slots - 1)) {
        const int32_t set = table->slot[at];
        assert(set < halves->sets);
        if (memcmp(halves->member + (size_t)set * places, member, places) == 0) {
            return set;
        }
    }
    memcpy(halves->member + (size_t)halves->sets * places, member, places);
    table->slot[at] = halves->sets;
    return halves->sets++;
}

/* The set of places of every item that has traffic; false: out of memory. member: [places] scratch.
 */
static bool find_sets(const rn_left *left, rn_halves *halves, set_table *table, char *member)
{
    const rn_view *view = left->view;
    const size_t places = (size_t)view->places;
    int64_t capacity = 0;
    for (int32_t item = 0; item < view->items; item++) {
        halves->set_of[item] = -1;
        if (view->edge_at[item] == view->edge_at[item + 1]) {
            continue;
        }
        char *grown = (char *)rn_grow(halves->member, (int64_t)(halves->sets + 1) * view->places, 1,
                                      &capacity);
        if (grown == NULL) {
            return false;
        }
        halves->member = grown;
        mark_places(left, item, member);
        halves->set_of[item] = find_set(halves, table, member, places);
        assert(halves->set_of[item] < halves->sets && halves->sets <= view->items);
    }
    return true;
}

static ration_status build(const rn_left *left, rn_halves *halves, ration_error *error)
{
    const rn_view *view = left->view;
    const size_t places = (size_t)view->places;
    set_table table = {NULL, 0};
    char *member = (char *)rn_malloc(places + 1);
    halves->set_of = (int32_t *)rn_malloc(((size_t)view->items + 1) * sizeof *halves->set_of);
    const bool enough = member != NULL && halves->set_of != NULL &&
                        make_table(&table, view->items) && find_sets(left, halves, &table, member);
    rn_free(table.slot);
    rn_free(member);
    const size_t cells = (size_t)halves->sets * 4 * places;
    halves->extreme = enough ? (int64_t *)rn_malloc((cells + 1) * sizeof *halves->extreme) : NULL;
    if (halves->extreme == NULL) {
        return rn_fail_memory(error, "traffic halves", cells * sizeof *halves->extreme);
    }
    return rn_extremes_fill(view, halves->sets, halves->member, halves->extreme, error);
}

ration_status rn_halves_create(const rn_left *left, rn_halves *halves, ration_error *error)
{
    const rn_view *view = left->view;
    const rn_halves empty = {view, 0, NULL, NULL, NULL};
    *halves = empty;
    return view->edge_at == NULL ? RATION_OK : build(left, halves, error);
}

void rn_halves_free(rn_halves *halves)
{
    rn_free(halves->set_of);
    rn_free(halves->member);
    rn_free(halves->extreme);
}

rn_i128 rn_halves_at(const rn_halves *halves, int32_t item, int32_t place)
{
    const rn_view *view = halves->view;
    rn_i128 sum = 0;
    if (view->edge_at == NULL || place < 0) {
        return 0;
    }
    for (int32_t edge = view->edge_at[item]; edge < view->edge_at[item + 1]; edge++) {
        const int32_t other = view->edge_item[edge];
        const rn_i128 weight = view->edge_weight[edge];
        if (other == item) {
            sum += weight * rn_judge_distance(view, place, place);
            continue;
        }
        const int32_t side = (view->edge_out[edge] != 0 ? 0 : 2) + (weight < 0 ? 1 : 0);
        const int64_t *extreme =
            halves->extreme + (int64_t)halves->set_of[other] * 4 * view->places;
        sum += rn_i128_floor_div(weight * extreme[(int64_t)side * view->places + place], 2);
    }
    return sum;
}
