#include "program/canon.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/fail.h"

static int compare(const void *a, const void *b)
{
    const rn_sortable *x = a;
    const rn_sortable *y = b;
    for (int32_t i = 0; i < 4; i++) {
        if (x->key[i] != y->key[i]) {
            return x->key[i] < y->key[i] ? -1 : 1;
        }
    }
    return (x->index > y->index) - (x->index < y->index);
}

static void sort(rn_sortable *list, int32_t count)
{
    assert(count >= 0);
    if (count > 1) {
        qsort(list, (size_t)count, sizeof *list, compare);
    }
}

/* ---- orders ---- */

int32_t rn_canon_place(const rn_canon *c, int32_t internal)
{
    return internal < 0 ? -1 : c->position[RN_PLACE][internal];
}

int32_t rn_canon_mode(const rn_canon *c, int32_t mode)
{
    return mode < 0 ? -1 : c->position[RN_MODE][mode];
}

int32_t rn_canon_place_at(const rn_canon *c, int32_t position)
{
    assert(position >= 0 && position < c->view->places);
    return c->program->place_internal[c->program->order[RN_PLACE][position]];
}

int32_t rn_canon_label(const rn_canon *c, int32_t label, int32_t *next)
{
    assert(label >= 0 && label < c->labels && *next <= c->labels);
    if (c->label_number[label] < 0) {
        c->label_number[label] = (*next)++;
    }
    return c->label_number[label];
}

void rn_canon_clear_labels(const rn_canon *c)
{
    memset(c->label_number, 0xFF, (size_t)c->labels * sizeof *c->label_number); /* all -1 */
}

static int64_t longest_list(const ration_program *program)
{
    const int64_t count[] = {program->entries.count,   program->rows.count,
                             program->places.count,    program->feeds.count,
                             program->set_items.count, program->excluded.count,
                             program->edges.count,     program->role_rows.count};
    int64_t longest = 0;
    for (size_t i = 0; i < sizeof count / sizeof count[0]; i++) {
        longest = count[i] > longest ? count[i] : longest;
    }
    return longest;
}

static void carve(rn_layout *layout, rn_canon *c)
{
    c->block = layout->base;
    for (int32_t kind = 0; kind < RN_THINGS; kind++) {
        c->position[kind] =
            rn_carve(layout, rn_program_count(c->program, (rn_thing)kind), sizeof(int32_t));
    }
    c->class_number = rn_carve(layout, c->view->classes, sizeof(int32_t));
    c->label_number = rn_carve(layout, c->labels, sizeof(int32_t));
    c->list = rn_carve(layout, longest_list(c->program), sizeof *c->list);
    c->uses = rn_carve(layout, c->program->uses.count, sizeof *c->uses);
}

static void fill(rn_canon *c)
{
    for (int32_t kind = 0; kind < RN_THINGS; kind++) {
        for (int32_t at = 0; at < rn_program_count(c->program, (rn_thing)kind); at++) {
            const int32_t thing = c->program->order[kind][at];
            c->position[kind][kind == RN_PLACE ? c->program->place_internal[thing] : thing] = at;
        }
    }
    int32_t next = 0;
    rn_canon_clear_labels(c);
    for (int32_t at = 0; at < c->view->places; at++) {
        rn_canon_label(c, c->view->place_class[rn_canon_place_at(c, at)], &next);
    }
    assert(next == c->view->classes);
    memcpy(c->class_number, c->label_number, (size_t)next * sizeof *c->class_number);
}

ration_status rn_canon_create(const ration_program *program, rn_canon *canon, ration_error *error)
{
    rn_canon c = {0};
    rn_layout layout = {0};
    c.program = program;
    c.view = &program->view;
    c.labels = program->table_classes > c.view->places ? program->table_classes : c.view->places;
    carve(&layout, &c);
    RN_TRY(rn_layout_allocate(&layout, "the canonical order of the program", error));
    carve(&layout, &c);
    fill(&c);
    *canon = c;
    return RATION_OK;
}

void rn_canon_free(rn_canon *canon)
{
    rn_free(canon->block);
}

/* ---- lists ---- */

int32_t rn_canon_entries(rn_canon *c, int32_t item)
{
    const rn_view *v = c->view;
    const int32_t first = v->item_entry[item];
    const int32_t count = v->item_entry[item + 1] - first;
    for (int32_t i = 0; i < count; i++) {
        const int32_t place_class = v->entry_class[first + i];
        c->list[i] = (rn_sortable){{rn_canon_mode(c, v->entry_mode[first + i]),
                                    place_class < 0 ? -1 : c->class_number[place_class],
                                    rn_canon_place(c, v->entry_place[first + i])},
                                   first + i};
    }
    sort(c->list, count);
    return count;
}

int32_t rn_canon_uses(rn_canon *c, int32_t entry)
{
    const rn_view *v = c->view;
    const bool direct = v->entry_class[entry] < 0;
    const int32_t first = v->entry_use[entry];
    const int32_t count = v->entry_use[entry + 1] - first;
    for (int32_t i = 0; i < count; i++) {
        const int32_t target = v->use_target[first + i];
        c->uses[i] = (rn_sortable){{direct ? c->position[RN_ROW][target] : target}, first + i};
    }
    sort(c->uses, count);
    return count;
}

int32_t rn_canon_role(rn_canon *c, int32_t place, int32_t role)
{
    const rn_view *v = c->view;
    const int32_t *at = v->role_row_at + (int64_t)place * v->roles + role;
    const int32_t count = at[1] - at[0];
    for (int32_t i = 0; i < count; i++) {
        c->list[i] = (rn_sortable){{c->position[RN_ROW][v->role_row[at[0] + i]]}, i};
    }
    sort(c->list, count);
    return count;
}

int32_t rn_canon_feeds(rn_canon *c, int32_t row)
{
    const rn_view *v = c->view;
    const int32_t first = v->row_feed[row];
    const int32_t count = v->row_feed[row + 1] - first;
    for (int32_t i = 0; i < count; i++) {
        c->list[i] = (rn_sortable){{c->position[RN_ROW][v->feed_to[first + i]]}, first + i};
    }
    sort(c->list, count);
    return count;
}

int32_t rn_canon_excluded(rn_canon *c, int32_t item)
{
    const rn_view *v = c->view;
    if (v->exclude_at == NULL) {
        return 0;
    }
    const int32_t first = v->exclude_at[item];
    const int32_t count = v->exclude_at[item + 1] - first;
    for (int32_t i = 0; i < count; i++) {
        c->list[i] = (rn_sortable){{rn_canon_place(c, v->exclude_place[first + i])}, i};
    }
    sort(c->list, count);
    return count;
}

int32_t rn_canon_set(rn_canon *c, const rn_set *set)
{
    for (int32_t i = 0; i < set->count; i++) {
        const int32_t item = ((const int32_t *)c->program->set_items.data)[set->first + i];
        c->list[i] = (rn_sortable){{c->position[RN_ITEM][item]}, i};
    }
    sort(c->list, set->count);
    return set->count;
}

int32_t rn_canon_edges(rn_canon *c)
{
    const rn_edge *edge = c->program->edges.data;
    for (int32_t i = 0; i < c->view->edges; i++) {
        c->list[i] = (rn_sortable){
            {c->position[RN_ITEM][edge[i].from], c->position[RN_ITEM][edge[i].to]}, i};
    }
    sort(c->list, c->view->edges);
    return c->view->edges;
}

void rn_canon_tier(rn_canon *c, int32_t level)
{
    const rn_view *v = c->view;
    const int32_t *ancestor = v->tier_ancestor + (int64_t)level * v->places;
    for (int32_t p = 0; p < v->places; p++) {
        c->list[p] = (rn_sortable){{ancestor[rn_canon_place_at(c, p)], p}, p};
    }
    sort(c->list, v->places);
    for (int32_t i = 0; i < v->places; i++) {
        const bool same = i > 0 && c->list[i].key[0] == c->list[i - 1].key[0];
        c->label_number[c->list[i].index] =
            same ? c->label_number[c->list[i - 1].index] : c->list[i].index;
    }
}
