/* The program's digest: SHA-256 over a canonical form that does not depend on the order of adding
 * (canon.h). docs/program-format.md has the whole list, in the order of this file.
 */
#include <assert.h>
#include <string.h>

#include "base/sha256.h"
#include "core/fail.h"
#include "program/canon.h"

typedef struct digester {
    rn_canon canon;
    rn_sha256 hash;
} digester;

static void put(digester *d, int64_t value)
{
    rn_sha256_add_integer(&d->hash, value);
}

static void put_name(digester *d, const char *name)
{
    const size_t bytes = strlen(name);
    put(d, (int64_t)bytes);
    rn_sha256_add(&d->hash, name, bytes);
}

static void put_pieces(digester *d, int32_t first, int32_t end)
{
    const rn_piece *piece = d->canon.view->piece;
    assert(first <= end);
    put(d, end - first);
    for (int32_t i = first; i < end; i++) {
        put(d, piece[i].start);
        put(d, piece[i].value);
        put(d, piece[i].slope);
    }
}

/* Puts the first keys of the list. */
static void put_list(digester *d, int32_t count)
{
    put(d, count);
    for (int32_t i = 0; i < count; i++) {
        put(d, d->canon.list[i].key[0]);
    }
}

/* The roles of a place (internal number) that have rows. */
static void put_roles(digester *d, int32_t place)
{
    const rn_view *v = d->canon.view;
    const int32_t *at = v->role_row_at + (int64_t)place * v->roles;
    int32_t roles = 0;
    for (int32_t role = 0; role < v->roles; role++) {
        roles += at[role] < at[role + 1] ? 1 : 0;
    }
    put(d, roles);
    for (int32_t role = 0; role < v->roles; role++) {
        if (at[role] < at[role + 1]) {
            put(d, role);
            put_list(d, rn_canon_role(&d->canon, place, role));
        }
    }
}

static void put_places(digester *d)
{
    const rn_canon *c = &d->canon;
    char name[RN_NAME_BYTES + 1];
    put(d, c->view->places);
    for (int32_t at = 0; at < c->view->places; at++) {
        const int32_t place = rn_canon_place_at(c, at);
        put_name(d, ration_program_place_name(c->program, c->program->place_public[place], name,
                                              sizeof name));
        put(d, c->class_number[c->view->place_class[place]]);
        put_roles(d, place);
    }
}

static void put_modes(digester *d)
{
    const ration_program *program = d->canon.program;
    char name[RN_NAME_BYTES + 1];
    put(d, d->canon.view->modes);
    for (int32_t at = 0; at < d->canon.view->modes; at++) {
        const int32_t mode = program->order[RN_MODE][at];
        put_name(d, ration_program_mode_name(program, mode, name, sizeof name));
        put(d, ((const bool *)program->modes.data)[mode] ? 1 : 0);
    }
}

static void put_rows(digester *d)
{
    rn_canon *c = &d->canon;
    const rn_view *v = c->view;
    char name[RN_NAME_BYTES + 1];
    put(d, v->rows);
    for (int32_t at = 0; at < v->rows; at++) {
        const int32_t row = c->program->order[RN_ROW][at];
        put_name(d, ration_program_row_name(c->program, row, name, sizeof name));
        put(d, v->row_dimension[row]);
        put(d, v->row_offset[row]);
        put(d, v->row_low[row]);
        put(d, v->row_high[row]);
        put_pieces(d, v->row_piece[row], v->row_piece[row + 1]);
        const int32_t feeds = rn_canon_feeds(c, row);
        put(d, feeds);
        for (int32_t i = 0; i < feeds; i++) {
            const int32_t feed = c->list[i].index;
            put(d, c->list[i].key[0]);
            put_pieces(d, v->feed_piece[feed], v->feed_piece[feed + 1]);
        }
    }
}

static void put_entry(digester *d, int32_t entry)
{
    rn_canon *c = &d->canon;
    const rn_view *v = c->view;
    const bool direct = v->entry_class[entry] < 0;
    put(d, rn_canon_mode(c, v->entry_mode[entry]));
    put(d, direct ? 0 : v->entry_place[entry] < 0 ? 1 : 2);
    put(d, direct ? -1 : c->class_number[v->entry_class[entry]]);
    put(d, rn_canon_place(c, v->entry_place[entry]));
    put(d, v->entry_cost[entry]);
    put(d, v->entry_dimension[entry]);
    const int32_t uses = rn_canon_uses(c, entry);
    put(d, uses);
    for (int32_t i = 0; i < uses; i++) {
        put(d, c->uses[i].key[0]);
        put(d, v->use_amount[c->uses[i].index]);
    }
}

static void put_item(digester *d, int32_t item)
{
    rn_canon *c = &d->canon;
    const rn_view *v = c->view;
    const int32_t entries = rn_canon_entries(c, item);
    put(d, entries);
    for (int32_t i = 0; i < entries; i++) {
        put_entry(d, c->list[i].index);
    }
    put_list(d, rn_canon_excluded(c, item));
    const bool started = v->start_place != NULL && v->start_place[item] >= 0;
    put(d, started ? rn_canon_place(c, v->start_place[item]) : -1);
    put(d, started ? rn_canon_mode(c, v->start_mode[item]) : -1);
    put(d, started ? v->move_cost[item] : 0);
}

static void put_items(digester *d)
{
    const ration_program *program = d->canon.program;
    char name[RN_NAME_BYTES + 1];
    put(d, d->canon.view->items);
    for (int32_t at = 0; at < d->canon.view->items; at++) {
        const int32_t item = program->order[RN_ITEM][at];
        put_name(d, ration_program_item_name(program, item, name, sizeof name));
        put_item(d, item);
    }
}

static void put_table(digester *d)
{
    const rn_canon *c = &d->canon;
    const rn_view *v = c->view;
    put(d, v->table != NULL ? 1 : 0);
    if (v->table == NULL) {
        return;
    }
    int32_t next = 0;
    rn_canon_clear_labels(c);
    put(d, v->table_dimension);
    for (int32_t at = 0; at < v->items; at++) {
        const int32_t item_class = v->item_class[c->program->order[RN_ITEM][at]];
        const int32_t known = next;
        put(d, rn_canon_label(c, item_class, &next));
        for (int32_t p = 0; known < next && p < v->places; p++) {
            put(d, v->table[(int64_t)item_class * v->places + rn_canon_place_at(c, p)]);
        }
    }
}

static void put_sets(digester *d)
{
    rn_canon *c = &d->canon;
    const rn_set *conflict = c->program->conflicts.data;
    const rn_set *group = c->program->groups.data;
    put(d, c->view->conflicts);
    for (int32_t s = 0; s < c->view->conflicts; s++) {
        put_list(d, rn_canon_set(c, &conflict[s]));
    }
    put(d, c->view->groups);
    for (int32_t g = 0; g < c->view->groups; g++) {
        put_list(d, rn_canon_set(c, &group[g]));
        for (int32_t i = 0; i < 2; i++) {
            put(d, group[g].row[i] < 0 ? -1 : c->position[RN_ROW][group[g].row[i]]);
        }
    }
}

static void put_tiers(digester *d)
{
    rn_canon *c = &d->canon;
    const rn_view *v = c->view;
    put(d, v->levels);
    for (int32_t level = 0; level < v->levels; level++) {
        rn_canon_tier(c, level);
        for (int32_t p = 0; p < v->places; p++) {
            put(d, c->label_number[p]);
        }
        put(d, v->tier_distance[level]);
    }
    put(d, v->tier_distance[v->levels]);
}

static void put_traffic(digester *d)
{
    rn_canon *c = &d->canon;
    const rn_view *v = c->view;
    const rn_edge *edge = c->program->edges.data;
    const int32_t edges = rn_canon_edges(c);
    put(d, edges);
    for (int32_t i = 0; i < edges; i++) {
        put(d, c->list[i].key[0]);
        put(d, c->list[i].key[1]);
        put(d, edge[c->list[i].index].weight);
    }
    put(d, v->distance != NULL ? 1 : v->levels > 0 ? 2 : 0);
    if (v->distance == NULL && v->levels == 0) {
        return;
    }
    put(d, v->traffic_dimension);
    for (int32_t from = 0; v->distance != NULL && from < v->places; from++) {
        for (int32_t to = 0; to < v->places; to++) {
            put(d, rn_distance(v, rn_canon_place_at(c, from), rn_canon_place_at(c, to)));
        }
    }
    if (v->levels > 0) {
        put_tiers(d);
    }
}

ration_status rn_freeze_digest(ration_program *program, ration_error *error)
{
    digester d;
    RN_TRY(rn_canon_create(program, &d.canon, error));
    static const char title[] = "ration-program 1\n";
    rn_sha256_start(&d.hash);
    rn_sha256_add(&d.hash, title, sizeof title - 1);
    put(&d, program->sense == RATION_MAXIMISE ? 1 : 0);
    put(&d, program->constant);
    put(&d, program->scale);
    put_modes(&d);
    put_rows(&d);
    put_places(&d);
    put_items(&d);
    put_table(&d);
    put_sets(&d);
    put_traffic(&d);
    uint8_t digest[RN_SHA256_BYTES];
    rn_sha256_end(&d.hash, digest);
    rn_sha256_text(digest, (RATION_DIGEST_TEXT - 1) / 2, program->digest);
    rn_canon_free(&d.canon);
    return RATION_OK;
}
