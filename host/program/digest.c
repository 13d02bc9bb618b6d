/* The program's digest: SHA-256 over a canonical form that does not depend on the order of adding.
 *
 * Items, places, modes and rows are numbered by their canonical order (rn_program_order);
 * everything that refers to them uses these numbers; lists without an order of their own are
 * sorted. Labels that only tell things apart (place classes, item classes, ancestors) are numbered
 * by first appearance. docs/program-format.md has the whole list, in the order of this file.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sha256.h"
#include "core/fail.h"
#include "program/program.h"

typedef struct sortable {
    int32_t key[4];
    int32_t index;
} sortable;

typedef struct canon {
    const ration_program *program;
    const rn_view *view;
    rn_sha256 hash;
    int32_t *position[RN_THINGS]; /* [count] in canonical order; places: internal numbers */
    int32_t *class_number;    /* [classes] by first appearance */
    int32_t *label_number;    /* [labels] scratch: numbers of labels by first appearance */
    int32_t labels;
    sortable *list; /* [longest] scratch */
    sortable *uses; /* [uses] scratch */
} canon;

static void put(canon *c, int64_t value)
{
    rn_sha256_add_integer(&c->hash, value);
}

static void put_name(canon *c, const char *name)
{
    const size_t bytes = strlen(name);
    put(c, (int64_t)bytes);
    rn_sha256_add(&c->hash, name, bytes);
}

static int compare(const void *a, const void *b)
{
    const sortable *x = a;
    const sortable *y = b;
    for (int32_t i = 0; i < 4; i++) {
        if (x->key[i] != y->key[i]) {
            return x->key[i] < y->key[i] ? -1 : 1;
        }
    }
    return (x->index > y->index) - (x->index < y->index);
}

static void sort(sortable *list, int32_t count)
{
    if (count > 1) {
        qsort(list, (size_t)count, sizeof *list, compare);
    }
}

static int32_t place_position(const canon *c, int32_t internal)
{
    return internal < 0 ? -1 : c->position[RN_PLACE][internal];
}

static int32_t mode_position(const canon *c, int32_t mode)
{
    return mode < 0 ? -1 : c->position[RN_MODE][mode];
}

/* Internal number of the place at a canonical position. */
static int32_t place_at(const canon *c, int32_t position)
{
    return c->program->place_internal[c->program->order[RN_PLACE][position]];
}

/* Number by first appearance of a label 0 .. labels-1; next: how many have one so far. */
static int32_t number_of(int32_t *number, int32_t label, int32_t *next)
{
    if (number[label] < 0) {
        number[label] = (*next)++;
    }
    return number[label];
}

static void put_pieces(canon *c, int32_t first, int32_t end)
{
    put(c, end - first);
    for (int32_t i = first; i < end; i++) {
        put(c, c->view->piece[i].start);
        put(c, c->view->piece[i].value);
        put(c, c->view->piece[i].slope);
    }
}

/* Sorts list[count] and puts its first keys. */
static void put_sorted(canon *c, int32_t count)
{
    sort(c->list, count);
    put(c, count);
    for (int32_t i = 0; i < count; i++) {
        put(c, c->list[i].key[0]);
    }
}

/* The roles of a place (internal number) that have rows. */
static void put_roles(canon *c, int32_t place)
{
    const rn_view *v = c->view;
    const int32_t *at = v->role_row_at + (int64_t)place * v->roles;
    int32_t roles = 0;
    for (int32_t role = 0; role < v->roles; role++) {
        roles += at[role] < at[role + 1] ? 1 : 0;
    }
    put(c, roles);
    for (int32_t role = 0; role < v->roles; role++) {
        const int32_t count = at[role + 1] - at[role];
        if (count == 0) {
            continue;
        }
        for (int32_t i = 0; i < count; i++) {
            c->list[i] = (sortable){{c->position[RN_ROW][v->role_row[at[role] + i]]}, i};
        }
        put(c, role);
        put_sorted(c, count);
    }
}

static void put_places(canon *c)
{
    const rn_view *v = c->view;
    char name[RN_NAME_BYTES + 1];
    int32_t next = 0;
    put(c, v->places);
    for (int32_t at = 0; at < v->places; at++) {
        const int32_t place = place_at(c, at);
        put_name(c, ration_program_place_name(c->program, c->program->place_public[place], name,
                                              sizeof name));
        put(c, number_of(c->class_number, v->place_class[place], &next));
        put_roles(c, place);
    }
}

static void put_modes(canon *c)
{
    char name[RN_NAME_BYTES + 1];
    put(c, c->view->modes);
    for (int32_t at = 0; at < c->view->modes; at++) {
        const int32_t mode = c->program->order[RN_MODE][at];
        put_name(c, ration_program_mode_name(c->program, mode, name, sizeof name));
        put(c, ((const bool *)c->program->modes.data)[mode] ? 1 : 0);
    }
}

static void put_rows(canon *c)
{
    const rn_view *v = c->view;
    char name[RN_NAME_BYTES + 1];
    put(c, v->rows);
    for (int32_t at = 0; at < v->rows; at++) {
        const int32_t row = c->program->order[RN_ROW][at];
        put_name(c, ration_program_row_name(c->program, row, name, sizeof name));
        put(c, v->row_dimension[row]);
        put(c, v->row_offset[row]);
        put(c, v->row_low[row]);
        put(c, v->row_high[row]);
        put_pieces(c, v->row_piece[row], v->row_piece[row + 1]);
        const int32_t first = v->row_feed[row];
        const int32_t feeds = v->row_feed[row + 1] - first;
        for (int32_t i = 0; i < feeds; i++) {
            c->list[i] = (sortable){{c->position[RN_ROW][v->feed_to[first + i]]}, first + i};
        }
        sort(c->list, feeds);
        put(c, feeds);
        for (int32_t i = 0; i < feeds; i++) {
            put(c, c->list[i].key[0]);
            put_pieces(c, v->feed_piece[c->list[i].index], v->feed_piece[c->list[i].index + 1]);
        }
    }
}

static void put_entry(canon *c, int32_t entry)
{
    const rn_view *v = c->view;
    const bool direct = v->entry_class[entry] < 0;
    const int32_t first = v->entry_use[entry];
    const int32_t count = v->entry_use[entry + 1] - first;
    put(c, mode_position(c, v->entry_mode[entry]));
    put(c, direct ? 0 : v->entry_place[entry] < 0 ? 1 : 2);
    put(c, direct ? -1 : c->class_number[v->entry_class[entry]]);
    put(c, place_position(c, v->entry_place[entry]));
    put(c, v->entry_cost[entry]);
    put(c, v->entry_dimension[entry]);
    for (int32_t i = 0; i < count; i++) {
        const int32_t target = v->use_target[first + i];
        c->uses[i] = (sortable){{direct ? c->position[RN_ROW][target] : target}, first + i};
    }
    sort(c->uses, count);
    put(c, count);
    for (int32_t i = 0; i < count; i++) {
        put(c, c->uses[i].key[0]);
        put(c, v->use_amount[c->uses[i].index]);
    }
}

static void put_item(canon *c, int32_t item)
{
    const rn_view *v = c->view;
    const int32_t first = v->item_entry[item];
    const int32_t entries = v->item_entry[item + 1] - first;
    for (int32_t i = 0; i < entries; i++) {
        const int32_t place_class = v->entry_class[first + i];
        c->list[i] = (sortable){{mode_position(c, v->entry_mode[first + i]),
                                 place_class < 0 ? -1 : c->class_number[place_class],
                                 place_position(c, v->entry_place[first + i])},
                                first + i};
    }
    sort(c->list, entries);
    put(c, entries);
    for (int32_t i = 0; i < entries; i++) {
        put_entry(c, c->list[i].index);
    }
    const int32_t excluded =
        v->exclude_at == NULL ? 0 : v->exclude_at[item + 1] - v->exclude_at[item];
    for (int32_t i = 0; i < excluded; i++) {
        c->list[i] = (sortable){{place_position(c, v->exclude_place[v->exclude_at[item] + i])}, i};
    }
    put_sorted(c, excluded);
    const bool started = v->start_place != NULL && v->start_place[item] >= 0;
    put(c, started ? place_position(c, v->start_place[item]) : -1);
    put(c, started ? mode_position(c, v->start_mode[item]) : -1);
    put(c, started ? v->move_cost[item] : 0);
}

static void put_items(canon *c)
{
    char name[RN_NAME_BYTES + 1];
    put(c, c->view->items);
    for (int32_t at = 0; at < c->view->items; at++) {
        const int32_t item = c->program->order[RN_ITEM][at];
        put_name(c, ration_program_item_name(c->program, item, name, sizeof name));
        put_item(c, item);
    }
}

static void clear_labels(canon *c)
{
    memset(c->label_number, 0xFF, (size_t)c->labels * sizeof *c->label_number); /* all -1 */
}

static void put_table(canon *c)
{
    const rn_view *v = c->view;
    put(c, v->table != NULL ? 1 : 0);
    if (v->table == NULL) {
        return;
    }
    int32_t next = 0;
    clear_labels(c);
    put(c, v->table_dimension);
    for (int32_t at = 0; at < v->items; at++) {
        const int32_t item_class = v->item_class[c->program->order[RN_ITEM][at]];
        const bool known = c->label_number[item_class] >= 0;
        put(c, number_of(c->label_number, item_class, &next));
        for (int32_t p = 0; !known && p < v->places; p++) {
            put(c, v->table[(int64_t)item_class * v->places + place_at(c, p)]);
        }
    }
}

static void put_set(canon *c, const rn_set *set)
{
    for (int32_t i = 0; i < set->count; i++) {
        const int32_t item = ((const int32_t *)c->program->set_items.data)[set->first + i];
        c->list[i] = (sortable){{c->position[RN_ITEM][item]}, i};
    }
    put_sorted(c, set->count);
}

static void put_sets(canon *c)
{
    const rn_set *conflict = c->program->conflicts.data;
    const rn_set *group = c->program->groups.data;
    put(c, c->view->conflicts);
    for (int32_t s = 0; s < c->view->conflicts; s++) {
        put_set(c, &conflict[s]);
    }
    put(c, c->view->groups);
    for (int32_t g = 0; g < c->view->groups; g++) {
        put_set(c, &group[g]);
        for (int32_t i = 0; i < 2; i++) {
            put(c, group[g].row[i] < 0 ? -1 : c->position[RN_ROW][group[g].row[i]]);
        }
    }
}

/* Ancestors are only compared: each is written as the first position that has the same one. */
static void put_tiers(canon *c)
{
    const rn_view *v = c->view;
    for (int64_t level = 0; level < v->levels; level++) {
        const int32_t *ancestor = v->tier_ancestor + level * v->places;
        for (int32_t p = 0; p < v->places; p++) {
            c->list[p] = (sortable){{ancestor[place_at(c, p)], p}, p};
        }
        sort(c->list, v->places);
        /* label_number[p]: the first position with the ancestor of position p */
        for (int32_t i = 0; i < v->places; i++) {
            const bool same = i > 0 && c->list[i].key[0] == c->list[i - 1].key[0];
            c->label_number[c->list[i].index] =
                same ? c->label_number[c->list[i - 1].index] : c->list[i].index;
        }
        for (int32_t p = 0; p < v->places; p++) {
            put(c, c->label_number[p]);
        }
        put(c, v->tier_distance[level]);
    }
    put(c, v->tier_distance[v->levels]);
}

static void put_traffic(canon *c)
{
    const rn_view *v = c->view;
    const rn_edge *edge = c->program->edges.data;
    for (int32_t i = 0; i < v->edges; i++) {
        c->list[i] =
            (sortable){{c->position[RN_ITEM][edge[i].from], c->position[RN_ITEM][edge[i].to]}, i};
    }
    sort(c->list, v->edges);
    put(c, v->edges);
    for (int32_t i = 0; i < v->edges; i++) {
        put(c, c->list[i].key[0]);
        put(c, c->list[i].key[1]);
        put(c, edge[c->list[i].index].weight);
    }
    put(c, v->distance != NULL ? 1 : v->levels > 0 ? 2 : 0);
    if (v->distance == NULL && v->levels == 0) {
        return;
    }
    put(c, v->traffic_dimension);
    for (int32_t from = 0; v->distance != NULL && from < v->places; from++) {
        for (int32_t to = 0; to < v->places; to++) {
            put(c, v->distance[(int64_t)place_at(c, from) * v->places + place_at(c, to)]);
        }
    }
    if (v->levels > 0) {
        put(c, v->levels);
        put_tiers(c);
    }
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

static void carve(rn_layout *layout, canon *c)
{
    for (int32_t kind = 0; kind < RN_THINGS; kind++) {
        c->position[kind] =
            rn_carve(layout, rn_program_count(c->program, (rn_thing)kind), sizeof(int32_t));
    }
    c->class_number = rn_carve(layout, c->view->classes, sizeof(int32_t));
    c->label_number = rn_carve(layout, c->labels, sizeof(int32_t));
    c->list = rn_carve(layout, longest_list(c->program), sizeof *c->list);
    c->uses = rn_carve(layout, c->program->uses.count, sizeof *c->uses);
}

static void fill_positions(canon *c)
{
    for (int32_t kind = 0; kind < RN_THINGS; kind++) {
        for (int32_t at = 0; at < rn_program_count(c->program, (rn_thing)kind); at++) {
            const int32_t thing = c->program->order[kind][at];
            c->position[kind][kind == RN_PLACE ? c->program->place_internal[thing] : thing] = at;
        }
    }
    memset(c->class_number, 0xFF, (size_t)c->view->classes * sizeof *c->class_number); /* all -1 */
}

ration_status rn_freeze_digest(ration_program *program, ration_error *error)
{
    canon c = {0};
    c.program = program;
    c.view = &program->view;
    c.labels = program->table_classes > c.view->places ? program->table_classes : c.view->places;
    rn_layout layout = {0};
    carve(&layout, &c);
    RN_TRY(rn_layout_allocate(&layout, "the digest of the program", error));
    carve(&layout, &c);
    fill_positions(&c);
    static const char title[] = "ration-program 1\n";
    rn_sha256_start(&c.hash);
    rn_sha256_add(&c.hash, title, sizeof title - 1);
    put(&c, program->sense == RATION_MAXIMISE ? 1 : 0);
    put(&c, program->constant);
    put(&c, program->scale);
    put_modes(&c);
    put_rows(&c);
    put_places(&c);
    put_items(&c);
    put_table(&c);
    put_sets(&c);
    put_traffic(&c);
    uint8_t digest[RN_SHA256_BYTES];
    rn_sha256_end(&c.hash, digest);
    rn_sha256_text(digest, (RATION_DIGEST_TEXT - 1) / 2, program->digest);
    rn_free(layout.base);
    return RATION_OK;
}
