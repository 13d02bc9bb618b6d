/* Cells (what is counted) and places (GPU sets) of a scenario. */
#include "serving/encode.h"

#include <assert.h>
#include "serving/read.h"

/* Cells of a machine where GPUs are counted per island: its islands, or the whole machine if it has
 * no NVLink. */
static int32_t coarse_cells(const rn_serving_node *node)
{
    return node->islands == node->gpus ? 1 : node->islands;
}

static ration_status list_cells(const rn_serving_scenario *s, rn_arena *arena, rn_serving_places *p,
                                int32_t *first, ration_error *error)
{
    const bool coarse = rn_serving_coarse(s);
    RATION_TRY(rn_arena_take(arena, s->gpu_total, sizeof *p->cell, &p->cell, error));
    for (int32_t m = 0; m < s->machines; m++) {
        const rn_serving_node *node = &s->node[s->machine[m].node];
        const int32_t count = coarse ? coarse_cells(node) : node->gpus;
        int32_t gpu = 0;
        first[m] = p->cells;
        for (int32_t i = 0; i < count; i++) {
            const int32_t size = !coarse ? 1 : (count == 1 ? node->gpus : node->island[i]);
            const rn_serving_cell cell = {m, gpu, size};
            p->cell[p->cells++] = cell;
            gpu += size;
        }
        assert(gpu == node->gpus); /* cells partition the machine */
    }
    first[s->machines] = p->cells;
    assert(p->cells <= s->gpu_total);
    return RATION_OK;
}

/* Appends a place over cells first .. first + cells - 1. */
static ration_status add_place(rn_serving_places *p, rn_arena *arena, const rn_serving_place *made,
                               int32_t first, ration_error *error)
{
    int32_t *cell = NULL;
    RATION_TRY(rn_arena_take(arena, made->cells, sizeof *cell, &cell, error));
    for (int32_t i = 0; i < made->cells; i++) {
        cell[i] = first + i;
    }
    assert(made->cells >= 1 && made->gpus_per_cell >= 1 && first + made->cells <= p->cells);
    p->place[p->places] = *made;
    p->place[p->places].cell = cell;
    p->places++;
    return RATION_OK;
}

/* Sets of a class inside machine m, GPUs counted one by one. */
static ration_status fine_sets(const rn_serving_scenario *s, const rn_serving_class *set,
                               rn_serving_place made, int32_t first, rn_arena *arena,
                               rn_serving_places *p, ration_error *error)
{
    const rn_serving_node *node = &s->node[set->node];
    made.cells = set->gpus;
    made.gpus_per_cell = 1;
    if (set->tier == RN_PERF_PCIE) {
        for (int32_t gpu = 0; gpu + set->gpus <= node->gpus; gpu += set->gpus) {
            if (rn_serving_set_crosses(node, gpu, set->gpus)) {
                RATION_TRY(add_place(p, arena, &made, first + gpu, error));
            }
        }
        return RATION_OK;
    }
    int32_t start = 0;
    for (int32_t i = 0; i < node->islands; i++) {
        for (int32_t gpu = 0; gpu + set->gpus <= node->island[i]; gpu += set->gpus) {
            RATION_TRY(add_place(p, arena, &made, first + start + gpu, error));
        }
        start += node->island[i];
    }
    return RATION_OK;
}

/* The same with cells of several GPUs: a set in one cell, or over all cells of the machine. */
static ration_status coarse_sets(const rn_serving_scenario *s, const rn_serving_class *set,
                                 rn_serving_place made, int32_t first, rn_arena *arena,
                                 rn_serving_places *p, ration_error *error)
{
    const rn_serving_node *node = &s->node[set->node];
    const int32_t cells = coarse_cells(node);
    const bool one_cell = set->tier == RN_PERF_NVLINK || cells == 1;
    if (one_cell) {
        made.cells = 1;
        made.gpus_per_cell = set->gpus;
        for (int32_t i = 0; i < cells; i++) {
            if (p->cell[first + i].gpus >= set->gpus) {
                RATION_TRY(add_place(p, arena, &made, first + i, error));
            }
        }
        return RATION_OK;
    }
    made.cells = cells;
    made.gpus_per_cell = node->island[0];
    for (int32_t i = 0; i < cells; i++) {
        if (node->island[i] != node->island[0] || set->gpus != node->gpus) {
            return RATION_OK;
        }
    }
    return add_place(p, arena, &made, first, error);
}

static ration_status class_sets(const rn_serving_scenario *s, const rn_serving_class *set,
                                int32_t place_class, const int32_t *first, rn_arena *arena,
                                rn_serving_places *p, ration_error *error)
{
    const rn_serving_node *node = &s->node[set->node];
    for (int32_t k = 0; k + set->span <= node->count; k += set->span) {
        const int32_t machine = node->machine + k;
        rn_serving_place made = {place_class, machine, 0, NULL, 1};
        if (set->cross) {
            made.cells = first[machine + set->span] - first[machine];
            made.gpus_per_cell = set->gpus / made.cells;
            if (made.gpus_per_cell == p->cell[first[machine]].gpus) {
                RATION_TRY(add_place(p, arena, &made, first[machine], error));
            }
        } else if (rn_serving_coarse(s)) {
            RATION_TRY(coarse_sets(s, set, made, first[machine], arena, p, error));
        } else {
            RATION_TRY(fine_sets(s, set, made, first[machine], arena, p, error));
        }
    }
    return RATION_OK;
}

ration_status rn_serving_places_list(const rn_serving_scenario *s, int32_t classes,
                                     const rn_serving_class *list, rn_arena *arena,
                                     rn_serving_places *places, ration_error *error)
{
    rn_serving_places p = {0, NULL, 0, NULL};
    int32_t *first = NULL;
    int64_t room = 0;
    for (int32_t c = 0; c < classes; c++) {
        room += list[c].sets;
    }
    RATION_TRY(rn_arena_take(arena, (int64_t)s->machines + 1, sizeof *first, &first, error));
    RATION_TRY(rn_arena_take(arena, room, sizeof *p.place, &p.place, error));
    RATION_TRY(list_cells(s, arena, &p, first, error));
    for (int32_t c = 0; c < classes; c++) {
        RATION_TRY(class_sets(s, &list[c], c, first, arena, &p, error));
    }
    assert(p.places <= room);
    *places = p;
    return RATION_OK;
}
