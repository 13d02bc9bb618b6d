#include "program/twin.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "program/canon.h"

struct rn_twin {
    const ration_program *program;
    ration_program *twin;    /* NULL: the program is canonical */
    int32_t *place_position; /* [places] of a public number */
    int32_t *mode_position;  /* [modes] */
};

/* ---- is there anything to do? ---- */

static bool ordered(const ration_program *program)
{
    bool same = true;
    for (int32_t kind = 0; kind < RN_THINGS; kind++) {
        const int32_t count = rn_program_count(program, (rn_thing)kind);
        for (int32_t at = 0; same && at < count; at++) {
            same = program->order[kind][at] == at;
        }
    }
    return same;
}

/* Whether the sorted list stands in the order of its elements. */
static bool sorted(const rn_sortable *list, int32_t count)
{
    bool same = true;
    for (int32_t i = 1; same && i < count; i++) {
        same = list[i - 1].index < list[i].index;
    }
    return same;
}

static bool places_canonical(rn_canon *c)
{
    const rn_view *v = c->view;
    bool same = true;
    for (int32_t k = 0; same && k < v->classes; k++) {
        same = c->class_number[k] == k;
    }
    for (int32_t place = 0; same && place < v->places; place++) {
        for (int32_t role = 0; same && role < v->roles; role++) {
            same = sorted(c->list, rn_canon_role(c, place, role));
        }
    }
    return same;
}

static bool items_canonical(rn_canon *c)
{
    const rn_view *v = c->view;
    bool same = true;
    int32_t next = 0;
    rn_canon_clear_labels(c);
    for (int32_t item = 0; same && item < v->items; item++) {
        same = sorted(c->list, rn_canon_entries(c, item)) &&
               (v->table == NULL ||
                rn_canon_label(c, v->item_class[item], &next) == v->item_class[item]);
        for (int32_t e = v->item_entry[item]; same && e < v->item_entry[item + 1]; e++) {
            same = sorted(c->uses, rn_canon_uses(c, e));
        }
    }
    return same && next == (v->table == NULL ? 0 : c->program->table_classes);
}

static bool sets_canonical(rn_canon *c)
{
    const rn_set *group = c->program->groups.data;
    bool same = true;
    for (int32_t g = 0; same && g < c->view->groups; g++) {
        same = sorted(c->list, rn_canon_set(c, &group[g]));
    }
    return same;
}

/* Feeds, edges and exclusions are sorted by freezing. The items of a conflict set have no order in
 * the view, and ancestors are only compared. */
static bool is_canonical(rn_canon *c)
{
    return ordered(c->program) && places_canonical(c) && items_canonical(c) && sets_canonical(c);
}

/* ---- the copy ---- */

typedef struct copier {
    rn_canon *canon;
    const ration_program *from;
    ration_program *to;
    int32_t *number;     /* [longest list + classes] scratch */
    ration_use *use;     /* [uses] scratch */
    ration_piece *piece; /* [pieces] scratch */
    int64_t *table;      /* [table] scratch, or distances */
    int32_t *ancestor;   /* [levels * places] scratch */
} copier;

/* Pieces first .. end-1 of the view in the public type; returns how many. */
static int32_t copy_pieces(const copier *p, int32_t first, int32_t end)
{
    const rn_piece *from = p->from->view.piece;
    for (int32_t i = first; i < end; i++) {
        p->piece[i - first] = (ration_piece){from[i].start, from[i].value, from[i].slope};
    }
    return end - first;
}

static ration_status copy_rows(const copier *p, ration_error *error)
{
    const rn_view *v = &p->from->view;
    const int32_t *order = p->from->order[RN_ROW];
    int32_t row = 0;
    for (int32_t at = 0; at < v->rows; at++) {
        const int32_t r = order[at];
        RN_TRY(ration_program_add_row(p->to, NULL, (ration_dimension)v->row_dimension[r],
                                      v->row_offset[r], v->row_low[r], v->row_high[r], &row,
                                      error));
        const int32_t pieces = copy_pieces(p, v->row_piece[r], v->row_piece[r + 1]);
        if (pieces > 0) {
            RN_TRY(ration_program_set_row_cost(p->to, row, pieces, p->piece, error));
        }
    }
    for (int32_t at = 0; at < v->rows; at++) {
        const int32_t feeds = rn_canon_feeds(p->canon, order[at]);
        for (int32_t i = 0; i < feeds; i++) {
            const rn_sortable *fed = &p->canon->list[i];
            const int32_t pieces =
                copy_pieces(p, v->feed_piece[fed->index], v->feed_piece[fed->index + 1]);
            RN_TRY(ration_program_add_feed(p->to, at, fed->key[0], pieces, p->piece, error));
        }
    }
    return RATION_OK;
}

static ration_status copy_roles(const copier *p, int32_t internal, int32_t place,
                                ration_error *error)
{
    for (int32_t role = 0; role < p->from->view.roles; role++) {
        const int32_t count = rn_canon_role(p->canon, internal, role);
        for (int32_t i = 0; i < count; i++) {
            p->number[i] = p->canon->list[i].key[0];
        }
        if (count > 0) {
            RN_TRY(ration_program_set_role(p->to, place, role, count, p->number, error));
        }
    }
    return RATION_OK;
}

static ration_status copy_places(const copier *p, ration_error *error)
{
    const rn_view *v = &p->from->view;
    int32_t number = 0;
    for (int32_t at = 0; at < v->modes; at++) {
        const bool stay = ((const bool *)p->from->modes.data)[p->from->order[RN_MODE][at]];
        RN_TRY(ration_program_add_mode(p->to, NULL, stay, &number, error));
    }
    for (int32_t at = 0; at < v->places; at++) {
        const int32_t internal = rn_canon_place_at(p->canon, at);
        const int32_t place_class = p->canon->class_number[v->place_class[internal]];
        RN_TRY(ration_program_add_place(p->to, NULL, place_class, &number, error));
        RN_TRY(copy_roles(p, internal, number, error));
    }
    return RATION_OK;
}

static ration_status copy_entry(const copier *p, int32_t item, int32_t entry, ration_error *error)
{
    rn_canon *c = p->canon;
    const rn_view *v = c->view;
    const int32_t uses = rn_canon_uses(c, entry);
    const int32_t mode = rn_canon_mode(c, v->entry_mode[entry]);
    const ration_dimension dimension = (ration_dimension)v->entry_dimension[entry];
    const int64_t cost = v->entry_cost[entry];
    for (int32_t i = 0; i < uses; i++) {
        p->use[i] = (ration_use){c->uses[i].key[0], v->use_amount[c->uses[i].index]};
    }
    if (v->entry_class[entry] < 0) {
        const ration_option option = {
            rn_canon_place(c, v->entry_place[entry]), mode, dimension, cost, uses, p->use};
        return ration_program_add_option(p->to, item, &option, error);
    }
    const ration_entry structured = {
        mode, c->class_number[v->entry_class[entry]], dimension, cost, uses, p->use};
    return ration_program_add_entry(p->to, item, &structured, error);
}

/* at: position of the item. */
static ration_status copy_item(const copier *p, int32_t at, ration_error *error)
{
    rn_canon *c = p->canon;
    const rn_view *v = c->view;
    const int32_t i = p->from->order[RN_ITEM][at];
    int32_t item = 0;
    RN_TRY(ration_program_add_item(p->to, NULL, &item, error));
    assert(item == at);
    const int32_t entries = rn_canon_entries(c, i);
    for (int32_t e = 0; e < entries; e++) {
        RN_TRY(copy_entry(p, item, c->list[e].index, error));
    }
    const int32_t excluded = rn_canon_excluded(c, i);
    for (int32_t x = 0; x < excluded; x++) {
        RN_TRY(ration_program_exclude(p->to, item, c->list[x].key[0], error));
    }
    if (v->start_place != NULL && v->start_place[i] >= 0) {
        RN_TRY(ration_program_set_start(p->to, item, rn_canon_place(c, v->start_place[i]),
                                        rn_canon_mode(c, v->start_mode[i]), v->move_cost[i],
                                        error));
    }
    return RATION_OK;
}

/* The table with item classes by first appearance; those of no item vanish. */
static ration_status copy_table(const copier *p, ration_error *error)
{
    rn_canon *c = p->canon;
    const rn_view *v = c->view;
    int32_t classes = 0;
    if (v->table == NULL) {
        return RATION_OK;
    }
    rn_canon_clear_labels(c);
    for (int32_t at = 0; at < v->items; at++) {
        const int32_t item_class = v->item_class[p->from->order[RN_ITEM][at]];
        const int32_t known = classes;
        p->number[at] = rn_canon_label(c, item_class, &classes);
        for (int32_t place = 0; known < classes && place < v->places; place++) {
            p->table[(int64_t)known * v->places + place] =
                v->table[(int64_t)item_class * v->places + rn_canon_place_at(c, place)];
        }
    }
    return ration_program_set_table(p->to, (ration_dimension)v->table_dimension, classes, p->number,
                                    p->table, error);
}

static int32_t copy_set(const copier *p, const rn_set *set)
{
    const int32_t count = rn_canon_set(p->canon, set);
    for (int32_t i = 0; i < count; i++) {
        p->number[i] = p->canon->list[i].key[0];
    }
    return count;
}

static ration_status copy_sets(const copier *p, ration_error *error)
{
    const rn_set *conflict = p->from->conflicts.data;
    const rn_set *group = p->from->groups.data;
    for (int64_t s = 0; s < p->from->conflicts.count; s++) {
        const int32_t count = copy_set(p, &conflict[s]);
        RN_TRY(ration_program_add_conflict(p->to, count, p->number, error));
    }
    for (int64_t g = 0; g < p->from->groups.count; g++) {
        int32_t row[2];
        int32_t rows = 0;
        for (int32_t i = 0; i < 2; i++) {
            if (group[g].row[i] >= 0) {
                row[rows++] = p->canon->position[RN_ROW][group[g].row[i]];
            }
        }
        const int32_t count = copy_set(p, &group[g]);
        RN_TRY(ration_program_add_group(p->to, count, p->number, rows, row, error));
    }
    return RATION_OK;
}

static ration_status copy_distances(const copier *p, ration_error *error)
{
    rn_canon *c = p->canon;
    const rn_view *v = c->view;
    const ration_dimension dimension = (ration_dimension)v->traffic_dimension;
    if (v->distance != NULL) {
        for (int32_t from = 0; from < v->places; from++) {
            for (int32_t to = 0; to < v->places; to++) {
                p->table[(int64_t)from * v->places + to] =
                    rn_distance(v, rn_canon_place_at(c, from), rn_canon_place_at(c, to));
            }
        }
        return ration_program_set_distances(p->to, dimension, p->table, error);
    }
    for (int32_t level = 0; level < v->levels; level++) {
        rn_canon_tier(c, level);
        memcpy(p->ancestor + (int64_t)level * v->places, c->label_number,
               (size_t)v->places * sizeof *p->ancestor);
    }
    return v->levels == 0 ? RATION_OK
                          : ration_program_set_tiers(p->to, dimension, v->levels, p->ancestor,
                                                     v->tier_distance, error);
}

static ration_status copy_traffic(const copier *p, ration_error *error)
{
    const rn_edge *edge = p->from->edges.data;
    const int32_t edges = rn_canon_edges(p->canon);
    for (int32_t i = 0; i < edges; i++) {
        const rn_sortable *found = &p->canon->list[i];
        RN_TRY(ration_program_add_traffic(p->to, found->key[0], found->key[1],
                                          edge[found->index].weight, error));
    }
    return copy_distances(p, error);
}

static ration_status copy_all(const copier *p, ration_error *error)
{
    RN_TRY(ration_program_set_objective(p->to, p->from->sense, p->from->constant, p->from->scale,
                                        error));
    RN_TRY(copy_rows(p, error));
    RN_TRY(copy_places(p, error));
    for (int32_t at = 0; at < p->from->view.items; at++) {
        RN_TRY(copy_item(p, at, error));
    }
    RN_TRY(copy_table(p, error));
    RN_TRY(copy_sets(p, error));
    RN_TRY(copy_traffic(p, error));
    return rn_program_freeze_as(p->to, p->from->digest, error);
}

static void carve_copier(rn_layout *layout, copier *p)
{
    const ration_program *f = p->from;
    const int64_t places = f->view.places;
    const int64_t longest = f->view.items > f->role_rows.count ? f->view.items : f->role_rows.count;
    const int64_t cells = (int64_t)f->table_classes * places;
    const int64_t pairs = f->view.distance != NULL ? places * places : 0;
    p->number = rn_carve(layout, longest, sizeof *p->number);
    p->use = rn_carve(layout, f->uses.count, sizeof *p->use);
    p->piece = rn_carve(layout, f->pieces.count, sizeof *p->piece);
    p->table = rn_carve(layout, cells > pairs ? cells : pairs, sizeof *p->table);
    p->ancestor = rn_carve(layout, f->view.levels * places, sizeof *p->ancestor);
}

static ration_status copy(rn_canon *canon, ration_program **twin, ration_error *error)
{
    copier p = {.canon = canon, .from = canon->program};
    rn_layout layout = {0};
    carve_copier(&layout, &p);
    RN_TRY(rn_layout_allocate(&layout, "the numbering of the program", error));
    carve_copier(&layout, &p);
    ration_status status = ration_program_create(0, &p.to, error);
    if (status == RATION_OK) {
        status = copy_all(&p, error);
    }
    rn_free(layout.base);
    if (status != RATION_OK) {
        ration_program_free(p.to);
        return status;
    }
    *twin = p.to;
    return RATION_OK;
}

/* ---- the twin ---- */

static void carve_twin(rn_layout *layout, const ration_program *program, rn_twin **twin)
{
    rn_twin *t = rn_carve(layout, 1, sizeof *t);
    int32_t *place = rn_carve(layout, program->view.places, sizeof *place);
    int32_t *mode = rn_carve(layout, program->view.modes, sizeof *mode);
    if (t != NULL) {
        *t = (rn_twin){program, NULL, place, mode};
        *twin = t;
    }
}

ration_status rn_twin_create(const ration_program *program, rn_twin **twin, ration_error *error)
{
    assert(program->frozen);
    rn_canon canon;
    rn_twin *made = NULL;
    rn_layout layout = {0};
    RN_TRY(rn_canon_create(program, &canon, error));
    carve_twin(&layout, program, &made);
    ration_status status = rn_layout_allocate(&layout, "the numbering of the program", error);
    if (status == RATION_OK) {
        carve_twin(&layout, program, &made);
        status = is_canonical(&canon) ? RATION_OK : copy(&canon, &made->twin, error);
    }
    rn_canon_free(&canon);
    if (status != RATION_OK) {
        rn_free(layout.base);
        return status;
    }
    for (int32_t at = 0; at < program->view.places; at++) {
        made->place_position[program->order[RN_PLACE][at]] = at;
    }
    for (int32_t at = 0; at < program->view.modes; at++) {
        made->mode_position[program->order[RN_MODE][at]] = at;
    }
    *twin = made;
    return RATION_OK;
}

void rn_twin_free(rn_twin *twin)
{
    if (twin != NULL) {
        ration_program_free(twin->twin);
        rn_free(twin);
    }
}

const ration_program *rn_twin_original(const rn_twin *twin)
{
    return twin->program;
}

const ration_program *rn_twin_program(const rn_twin *twin)
{
    return twin->twin != NULL ? twin->twin : twin->program;
}

/* The number of a place or mode after a map; none stays none. */
static int32_t mapped_number(const int32_t *map, int32_t number)
{
    return number < 0 ? number : map[number];
}

/* The option of an item of `to` that stands where an option of an item of `from` does. place, mode:
 * maps of numbers. */
static int32_t map_option(const ration_program *from, int32_t item, int32_t option,
                          const ration_program *to, int32_t to_item, const int32_t *place,
                          const int32_t *mode)
{
    int32_t p = RATION_NONE;
    int32_t m = RATION_NONE;
    if (option == RATION_NONE || from == to) {
        return option;
    }
    ration_program_option(from, item, option, &p, &m);
    const int32_t found =
        ration_program_find_option(to, to_item, mapped_number(place, p), mapped_number(mode, m));
    assert(found >= 0);
    return found;
}

void rn_twin_picks(const rn_twin *twin, const int32_t *pick, int32_t *mapped)
{
    const ration_program *from = twin->program;
    for (int32_t at = 0; at < from->view.items; at++) {
        const int32_t item = from->order[RN_ITEM][at];
        mapped[at] = map_option(from, item, pick[item], rn_twin_program(twin), at,
                                twin->place_position, twin->mode_position);
    }
}

void rn_twin_picks_back(const rn_twin *twin, const int32_t *pick, int32_t *mapped)
{
    const ration_program *to = twin->program;
    for (int32_t at = 0; at < to->view.items; at++) {
        const int32_t item = to->order[RN_ITEM][at];
        mapped[item] = map_option(rn_twin_program(twin), at, pick[at], to, item,
                                  to->order[RN_PLACE], to->order[RN_MODE]);
    }
}

void rn_twin_rows_back(const rn_twin *twin, const int64_t *value, int64_t *mapped)
{
    const ration_program *to = twin->program;
    const rn_view *v = &to->view;
    const ration_program *from = rn_twin_program(twin);
    for (int32_t at = 0; at < v->rows; at++) {
        mapped[to->order[RN_ROW][at]] = value[at];
    }
    for (int32_t p = 0; v->conflicts > 0 && p < v->places; p++) {
        const int32_t position = from->place_public[p];
        const int32_t internal =
            twin->twin == NULL ? p : to->place_internal[to->order[RN_PLACE][position]];
        for (int64_t s = 0; s < v->conflicts; s++) {
            mapped[v->rows + s * v->places + internal] = value[v->rows + s * v->places + p];
        }
    }
}

void rn_twin_items_back(const rn_twin *twin, const int64_t *value, int64_t *mapped)
{
    const ration_program *to = twin->program;
    for (int32_t at = 0; at < to->view.items; at++) {
        mapped[to->order[RN_ITEM][at]] = value[at];
    }
}
