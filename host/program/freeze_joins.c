/* Freezing: what joins items: groups, conflict sets, traffic and its distances. */
#include <assert.h>
#include <stdlib.h>

#include "core/fail.h"
#include "program/bucket.h"
#include "program/program.h"

static void fill_groups(const ration_program *program)
{
    const rn_view *v = &program->view;
    const rn_set *group = program->groups.data;
    int32_t at = 0;
    for (int32_t g = 0; g < v->groups; g++) {
        rn_edit32(v->group_item_at)[g] = at;
        for (int32_t i = 0; i < group[g].count; i++) {
            rn_edit32(v->group_item)[at++] =
                ((const int32_t *)program->set_items.data)[group[g].first + i];
        }
        rn_edit32(v->group_row)[2 * g] = group[g].row[0];
        rn_edit32(v->group_row)[2 * g + 1] = group[g].row[1];
    }
    for (int32_t item = 0; v->groups > 0 && item < v->items; item++) {
        rn_edit32(v->item_group)[item] = ((const rn_item_record *)program->items.data)[item].group;
    }
    if (v->groups > 0) {
        rn_edit32(v->group_item_at)[v->groups] = at;
    }
}

static void fill_conflicts(const ration_program *program)
{
    const rn_view *v = &program->view;
    if (v->conflicts == 0) {
        return;
    }
    const rn_set *set = program->conflicts.data;
    const int32_t *item = program->set_items.data;
    int32_t *at = rn_edit32(v->conflict_at);
    for (int32_t s = 0; s < v->conflicts; s++) {
        for (int32_t i = 0; i < set[s].count; i++) {
            at[item[set[s].first + i] + 1]++;
        }
    }
    rn_bucket_starts(at, v->items);
    for (int32_t s = 0; s < v->conflicts; s++) {
        for (int32_t i = 0; i < set[s].count; i++) {
            rn_edit32(v->conflict_set)[at[item[set[s].first + i]]++] = s;
        }
    }
    rn_bucket_rewind(at, v->items);
}

static int compare_edge(const void *a, const void *b)
{
    const rn_edge *x = a;
    const rn_edge *y = b;
    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    return (x->to > y->to) - (x->to < y->to);
}

/* Sorts the edges by (from, to), adds up repeated pairs and drops those of weight 0, in place. */
ration_status rn_freeze_edges(ration_program *program, ration_error *error)
{
    char label[RN_LABEL_TEXT];
    rn_edge *edge = program->edges.data;
    int64_t kept = 0;
    if (program->edges.count > 0) {
        qsort(edge, (size_t)program->edges.count, sizeof *edge, compare_edge);
    }
    for (int64_t i = 0; i < program->edges.count;) {
        rn_edge sum = edge[i];
        for (i++; i < program->edges.count && compare_edge(&sum, &edge[i]) == 0; i++) {
            if (__builtin_add_overflow(sum.weight, edge[i].weight, &sum.weight)) {
                return rn_fail(
                    error, RATION_E_RANGE,
                    "the traffic weights from %s to another item add up to more than 64 bits",
                    rn_program_label(program, RN_ITEM, sum.from, label));
            }
        }
        if (sum.weight != 0) {
            edge[kept++] = sum;
        }
    }
    program->edges.count = kept;
    return RATION_OK;
}

static void fill_edges(ration_program *program)
{
    rn_view *v = &program->view;
    const rn_edge *edge = program->edges.data;
    v->edges = (int32_t)program->edges.count;
    if (v->edge_at == NULL || v->edges == 0) {
        v->edge_at = NULL;
        return;
    }
    int32_t *at = rn_edit32(v->edge_at);
    for (int32_t i = 0; i < v->edges; i++) {
        at[edge[i].from + 1]++;
        at[edge[i].to + 1] += edge[i].to != edge[i].from ? 1 : 0;
    }
    rn_bucket_starts(at, v->items);
    for (int32_t i = 0; i < v->edges; i++) {
        for (int32_t out = 1; out >= (edge[i].to == edge[i].from ? 1 : 0); out--) {
            const int32_t to = at[out != 0 ? edge[i].from : edge[i].to]++;
            rn_edit32(v->edge_item)[to] = out != 0 ? edge[i].to : edge[i].from;
            rn_edit64(v->edge_weight)[to] = edge[i].weight;
            rn_edit32(v->edge_out)[to] = out;
        }
    }
    rn_bucket_rewind(at, v->items);
}

static void fill_distances(const ration_program *program)
{
    const rn_view *v = &program->view;
    for (int64_t from = 0; v->distance != NULL && from < v->places; from++) {
        for (int32_t to = 0; to < v->places; to++) {
            rn_edit64(v->distance)[from * v->places + to] =
                program->distance[(int64_t)program->place_public[from] * v->places +
                                  program->place_public[to]];
        }
    }
    for (int64_t level = 0; level < v->levels; level++) {
        for (int32_t place = 0; place < v->places; place++) {
            rn_edit32(v->tier_ancestor)[level * v->places + place] =
                program->ancestor[level * v->places + program->place_public[place]];
        }
        rn_edit64(v->tier_distance)[level] = program->tier_distance[level];
    }
    if (v->levels > 0) {
        rn_edit64(v->tier_distance)[v->levels] = program->tier_distance[v->levels];
    }
}

void rn_freeze_joins(ration_program *program)
{
    fill_groups(program);
    fill_conflicts(program);
    fill_edges(program);
    fill_distances(program);
}
