/* Freezing: from the builder's records to the flat view, in one block.
 *
 *   names
 *   -> fill (places by class, entries by item, rows, feeds, groups, conflicts, traffic)
 *   -> options (what only the whole can show) -> ranges -> digest
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "program/bucket.h"
#include "program/program.h"

static const int32_t *carve32(rn_layout *layout, int64_t count)
{
    return rn_carve(layout, count, sizeof(int32_t));
}

static const int64_t *carve64(rn_layout *layout, int64_t count)
{
    return rn_carve(layout, count, sizeof(int64_t));
}

static void carve_options(rn_layout *layout, const ration_program *program, rn_view *v)
{
    const int64_t cells = (int64_t)v->places * v->roles;
    v->item_entry = carve32(layout, (int64_t)v->items + 1);
    v->item_options = carve32(layout, v->items);
    v->entry_first = carve32(layout, v->entries);
    v->entry_mode = carve32(layout, v->entries);
    v->entry_class = carve32(layout, v->entries);
    v->entry_place = carve32(layout, v->entries);
    v->entry_cost = carve64(layout, v->entries);
    v->entry_dimension = carve32(layout, v->entries);
    v->entry_use = carve32(layout, (int64_t)v->entries + 1);
    v->use_target = carve32(layout, program->uses.count);
    v->use_amount = carve64(layout, program->uses.count);
    v->class_place = carve32(layout, (int64_t)v->classes + 1);
    v->place_class = carve32(layout, v->places);
    v->role_row_at = carve32(layout, cells + 1);
    v->role_row = carve32(layout, program->role_rows.count);
    if (program->table_classes > 0) {
        v->item_class = carve32(layout, v->items);
        v->table = carve64(layout, (int64_t)program->table_classes * v->places);
    }
    if (program->excluded.count > 0) {
        v->exclude_at = carve32(layout, (int64_t)v->items + 1);
        v->exclude_place = carve32(layout, program->excluded.count);
    }
    v->start_place = carve32(layout, v->items);
    v->start_mode = carve32(layout, v->items);
    v->move_cost = carve64(layout, v->items);
}

static void carve_rows(rn_layout *layout, const ration_program *program, rn_view *v)
{
    v->row_offset = carve64(layout, v->rows);
    v->row_low = carve64(layout, v->rows);
    v->row_high = carve64(layout, v->rows);
    v->row_least = carve64(layout, v->rows);
    v->row_most = carve64(layout, v->rows);
    v->row_dimension = carve32(layout, v->rows);
    v->row_piece = carve32(layout, (int64_t)v->rows + 1);
    v->row_feed = carve32(layout, (int64_t)v->rows + 1);
    v->row_rank = carve32(layout, v->rows);
    v->feed_to = carve32(layout, program->feeds.count);
    v->feed_piece = carve32(layout, program->feeds.count + 1);
    v->piece = rn_carve(layout, program->pieces.count, sizeof *v->piece);
}

static void carve_sets(rn_layout *layout, const ration_program *program, rn_view *v)
{
    if (v->groups > 0) {
        v->group_item_at = carve32(layout, (int64_t)v->groups + 1);
        v->group_item = carve32(layout, program->set_items.count);
        v->group_row = carve32(layout, 2 * (int64_t)v->groups);
        v->item_group = carve32(layout, v->items);
    }
    if (v->conflicts > 0) {
        v->conflict_at = carve32(layout, (int64_t)v->items + 1);
        v->conflict_set = carve32(layout, program->set_items.count);
    }
    if (program->edges.count > 0) {
        v->edge_at = carve32(layout, (int64_t)v->items + 1);
        v->edge_item = carve32(layout, 2 * program->edges.count);
        v->edge_weight = carve64(layout, 2 * program->edges.count);
        v->edge_out = carve32(layout, 2 * program->edges.count);
    }
    if (program->distance != NULL) {
        v->distance = carve64(layout, (int64_t)v->places * v->places);
    }
    if (program->levels > 0) {
        v->tier_ancestor = carve32(layout, (int64_t)program->levels * v->places);
        v->tier_distance = carve64(layout, (int64_t)program->levels + 1);
    }
}

static void carve(rn_layout *layout, ration_program *program)
{
    rn_view *v = &program->view;
    program->block = layout->base;
    carve_options(layout, program, v);
    carve_rows(layout, program, v);
    carve_sets(layout, program, v);
    program->place_public = rn_carve(layout, v->places, sizeof(int32_t));
    program->place_internal = rn_carve(layout, v->places, sizeof(int32_t));
    for (int32_t kind = 0; kind < RN_THINGS; kind++) {
        program->order[kind] =
            rn_carve(layout, rn_program_count(program, (rn_thing)kind), sizeof(int32_t));
    }
}

/* ---- what can be counted before anything is allocated ---- */

typedef struct class_key {
    int32_t place_class;
    int32_t place;
} class_key;

static int compare_class(const void *a, const void *b)
{
    const class_key *x = a;
    const class_key *y = b;
    if (x->place_class != y->place_class) {
        return x->place_class < y->place_class ? -1 : 1;
    }
    return (x->place > y->place) - (x->place < y->place);
}

/* Places sorted by (class, number): key[places], owned. */
static ration_status sort_places(const ration_program *program, class_key **key, int32_t *classes,
                                 ration_error *error)
{
    const int32_t places = (int32_t)program->places.count;
    class_key *sorted = rn_malloc((size_t)places * sizeof *sorted);
    if (sorted == NULL) {
        return rn_fail_memory(error, "the order of places", (size_t)places * sizeof *sorted);
    }
    for (int32_t place = 0; place < places; place++) {
        sorted[place] =
            (class_key){((const rn_place_record *)program->places.data)[place].place_class, place};
    }
    if (places > 0) {
        qsort(sorted, (size_t)places, sizeof *sorted, compare_class);
    }
    *classes = places > 0 ? 1 : 0;
    for (int32_t i = 1; i < places; i++) {
        *classes += sorted[i].place_class != sorted[i - 1].place_class ? 1 : 0;
    }
    *key = sorted;
    return RATION_OK;
}

/* The class of the view for a class of the caller, or -1 when no place has it. */
static int32_t find_class(const ration_program *program, int32_t place_class)
{
    const rn_view *v = &program->view;
    int32_t low = 0;
    int32_t high = v->classes - 1;
    while (low <= high) {
        const int32_t middle = low + (high - low) / 2;
        const int32_t place = program->place_public[v->class_place[middle]];
        const int32_t found = ((const rn_place_record *)program->places.data)[place].place_class;
        if (found == place_class) {
            return middle;
        }
        if (found < place_class) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return -1;
}

static int32_t count_roles(const ration_program *program)
{
    int32_t roles = 1;
    const rn_role_record *role = program->roles.data;
    for (int64_t i = 0; i < program->roles.count; i++) {
        roles = role[i].role >= roles ? role[i].role + 1 : roles;
    }
    const rn_entry_record *entry = program->entries.data;
    const ration_use *use = program->uses.data;
    for (int64_t e = 0; e < program->entries.count; e++) {
        for (int32_t u = 0; entry[e].place_class >= 0 && u < entry[e].uses; u++) {
            const int32_t target = use[entry[e].use_first + u].row;
            roles = target >= roles ? target + 1 : roles;
        }
    }
    return roles;
}

/* The numbers of the view. classes: of places. */
static ration_status count_things(ration_program *program, int32_t classes, ration_error *error)
{
    rn_view *v = &program->view;
    memset(v, 0, sizeof *v);
    v->items = (int32_t)program->items.count;
    v->rows = (int32_t)program->rows.count;
    v->places = (int32_t)program->places.count;
    v->classes = classes;
    v->roles = count_roles(program);
    v->modes = (int32_t)program->modes.count;
    v->entries = (int32_t)program->entries.count;
    v->groups = (int32_t)program->groups.count;
    v->conflicts = (int32_t)program->conflicts.count;
    v->levels = program->levels;
    v->traffic_dimension = program->traffic_dimension;
    v->table_dimension = program->table_dimension;
    const int64_t implicit = (int64_t)v->conflicts * v->places;
    const int64_t cells = (int64_t)v->roles * v->places;
    if (implicit > RN_COUNT_MAX - v->rows || cells > RN_COUNT_MAX ||
        program->edges.count > RN_COUNT_MAX / 2) {
        return rn_fail(error, RATION_E_RANGE,
                       "%" PRId64 " conflict rows, %" PRId64 " roles of places, %" PRId64
                       " traffic edges: at most %d of each",
                       implicit, cells, program->edges.count, (int)RN_COUNT_MAX / 2);
    }
    v->all_rows = v->rows + (int32_t)implicit;
    return RATION_OK;
}

/* ---- filling ---- */

static void fill_places(ration_program *program, const class_key *key)
{
    const rn_view *v = &program->view;
    int32_t *place_class = rn_edit32(v->place_class);
    int32_t *class_place = rn_edit32(v->class_place);
    int32_t at = -1;
    for (int32_t i = 0; i < v->places; i++) {
        if (i == 0 || key[i].place_class != key[i - 1].place_class) {
            class_place[++at] = i;
        }
        place_class[i] = at;
        program->place_public[i] = key[i].place;
        program->place_internal[key[i].place] = i;
    }
    class_place[v->classes] = v->places;
}

static void fill_roles(const ration_program *program)
{
    const rn_view *v = &program->view;
    int32_t *at = rn_edit32(v->role_row_at);
    const int32_t cells = v->places * v->roles;
    const rn_role_record *role = program->roles.data;
    for (int64_t i = 0; i < program->roles.count; i++) {
        at[program->place_internal[role[i].place] * v->roles + role[i].role + 1] = role[i].rows;
    }
    rn_bucket_starts(at, cells);
    for (int64_t i = 0; i < program->roles.count; i++) {
        const int32_t *from = (const int32_t *)program->role_rows.data + role[i].row_first;
        int32_t *to = rn_edit32(v->role_row) +
                      at[program->place_internal[role[i].place] * v->roles + role[i].role];
        for (int32_t r = 0; r < role[i].rows; r++) {
            to[r] = from[r];
        }
    }
}

static bool is_stay(const ration_program *program, int32_t mode)
{
    return mode >= 0 && ((const bool *)program->modes.data)[mode];
}

/* What an entry becomes in the view; false when it is left out: no place has its class, or its mode
 * is for staying and the item has no start in that class. */
static bool place_entry(const ration_program *program, const rn_entry_record *entry,
                        int32_t *place_class, int32_t *place, int32_t *options)
{
    *place_class = -1;
    *place = entry->place < 0 ? -1 : program->place_internal[entry->place];
    *options = 1;
    if (entry->place_class < 0) {
        return true;
    }
    *place_class = find_class(program, entry->place_class);
    if (*place_class < 0) {
        return false;
    }
    if (is_stay(program, entry->mode)) {
        const int32_t home = ((const rn_item_record *)program->items.data)[entry->item].start_place;
        *place = home < 0 ? -1 : program->place_internal[home];
        return home >= 0 && program->view.place_class[*place] == *place_class;
    }
    *options =
        program->view.class_place[*place_class + 1] - program->view.class_place[*place_class];
    return true;
}

/* Writes one entry at position e of the view; first: its first option; use: where its amounts go.
 */
static void write_entry(const ration_program *program, const rn_entry_record *entry, int32_t e,
                        int32_t first, int32_t use)
{
    const rn_view *v = &program->view;
    int32_t place_class = 0;
    int32_t place = 0;
    int32_t options = 0;
    place_entry(program, entry, &place_class, &place, &options);
    rn_edit32(v->entry_first)[e] = first;
    rn_edit32(v->entry_mode)[e] = entry->mode;
    rn_edit32(v->entry_class)[e] = place_class;
    rn_edit32(v->entry_place)[e] = place;
    rn_edit64(v->entry_cost)[e] = entry->cost;
    rn_edit32(v->entry_dimension)[e] = entry->dimension;
    rn_edit32(v->entry_use)[e] = use;
    const ration_use *from = (const ration_use *)program->uses.data + entry->use_first;
    for (int32_t u = 0; u < entry->uses; u++) {
        rn_edit32(v->use_target)[use + u] = from[u].row;
        rn_edit64(v->use_amount)[use + u] = from[u].amount;
    }
}

/* Writes the entries item by item, in order of adding; sorted[entries] are record numbers by item.
 */
static ration_status write_entries(ration_program *program, const int32_t *sorted, int32_t count,
                                   ration_error *error)
{
    rn_view *v = &program->view;
    const rn_entry_record *record = program->entries.data;
    char label[RN_LABEL_TEXT];
    int32_t next = 0;
    int32_t use = 0;
    int32_t e = 0;
    for (int32_t item = 0; item < v->items; item++) {
        int64_t first = 0;
        rn_edit32(v->item_entry)[item] = e;
        for (; next < count && record[sorted[next]].item == item; next++) {
            const rn_entry_record *entry = &record[sorted[next]];
            int32_t place_class = 0;
            int32_t place = 0;
            int32_t options = 0;
            if (!place_entry(program, entry, &place_class, &place, &options)) {
                continue;
            }
            if (first + options > RN_COUNT_MAX) {
                return rn_fail(error, RATION_E_RANGE, "%s has more than %d options",
                               rn_program_label(program, RN_ITEM, item, label), (int)RN_COUNT_MAX);
            }
            write_entry(program, entry, e++, (int32_t)first, use);
            use += entry->uses;
            first += options;
        }
        rn_edit32(v->item_options)[item] = (int32_t)first;
    }
    rn_edit32(v->item_entry)[v->items] = e;
    rn_edit32(v->entry_use)[e] = use;
    v->entries = e;
    return RATION_OK;
}

static ration_status fill_entries(ration_program *program, ration_error *error)
{
    const rn_view *v = &program->view;
    const int32_t count = (int32_t)program->entries.count;
    const rn_entry_record *record = program->entries.data;
    int32_t *at = rn_edit32(v->item_entry); /* used as buckets first */
    int32_t *sorted = rn_malloc((size_t)count * sizeof *sorted);
    if (sorted == NULL) {
        return rn_fail_memory(error, "the order of options", (size_t)count * sizeof *sorted);
    }
    for (int32_t i = 0; i < count; i++) {
        at[record[i].item + 1]++;
    }
    rn_bucket_starts(at, v->items);
    for (int32_t i = 0; i < count; i++) {
        sorted[at[record[i].item]++] = i;
    }
    const ration_status status = write_entries(program, sorted, count, error);
    rn_free(sorted);
    return status;
}

static int compare32(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a;
    const int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void fill_exclusions(const ration_program *program)
{
    const rn_view *v = &program->view;
    if (v->exclude_at == NULL) {
        return;
    }
    int32_t *at = rn_edit32(v->exclude_at);
    int32_t *place = rn_edit32(v->exclude_place);
    const rn_pair *pair = program->excluded.data;
    for (int64_t i = 0; i < program->excluded.count; i++) {
        at[pair[i].item + 1]++;
    }
    rn_bucket_starts(at, v->items);
    for (int64_t i = 0; i < program->excluded.count; i++) {
        place[at[pair[i].item]++] = program->place_internal[pair[i].place];
    }
    rn_bucket_rewind(at, v->items);
    int32_t kept = 0;
    for (int32_t item = 0; item < v->items; item++) {
        const int32_t first = at[item];
        const int32_t end = at[item + 1];
        qsort(place + first, (size_t)(end - first), sizeof *place, compare32);
        at[item] = kept;
        for (int32_t i = first; i < end; i++) {
            if (i == first || place[i] != place[i - 1]) {
                place[kept++] = place[i];
            }
        }
    }
    at[v->items] = kept;
}

/* Item classes with their table, and the start plan; the start arrays vanish from the view when no
 * item has one. */
static void fill_items(ration_program *program)
{
    rn_view *v = &program->view;
    const rn_item_record *record = program->items.data;
    bool any = false;
    for (int32_t item = 0; item < v->items; item++) {
        const int32_t home = record[item].start_place;
        rn_edit32(v->start_place)[item] = home < 0 ? -1 : program->place_internal[home];
        rn_edit32(v->start_mode)[item] = record[item].start_mode;
        rn_edit64(v->move_cost)[item] = record[item].move_cost;
        any = any || home >= 0;
        if (v->table != NULL) {
            rn_edit32(v->item_class)[item] = program->item_class[item];
        }
    }
    for (int64_t row = 0; v->table != NULL && row < program->table_classes; row++) {
        for (int32_t place = 0; place < v->places; place++) {
            rn_edit64(v->table)[row * v->places + place] =
                program->table[row * v->places + program->place_public[place]];
        }
    }
    if (!any) {
        v->start_place = NULL;
        v->start_mode = NULL;
        v->move_cost = NULL;
    }
}

/* Rows with their costs; returns how many pieces they took. */
static int32_t fill_rows(const ration_program *program)
{
    const rn_view *v = &program->view;
    const rn_row_record *record = program->rows.data;
    const rn_piece *source = program->pieces.data;
    int32_t at = 0;
    for (int32_t row = 0; row < v->rows; row++) {
        rn_edit64(v->row_offset)[row] = record[row].offset;
        rn_edit64(v->row_low)[row] = record[row].low;
        rn_edit64(v->row_high)[row] = record[row].high;
        rn_edit32(v->row_dimension)[row] = record[row].dimension;
        rn_edit32(v->row_piece)[row] = at;
        for (int32_t i = 0; i < record[row].pieces; i++) {
            rn_edit_piece(v->piece)[at++] = source[record[row].piece_first + i];
        }
    }
    rn_edit32(v->row_piece)[v->rows] = at;
    return at;
}

static int compare_feed(const void *a, const void *b)
{
    const rn_feed_record *x = a;
    const rn_feed_record *y = b;
    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    return (x->to > y->to) - (x->to < y->to);
}

/* Feeds sorted by (from, to), in place; the order of adding has no meaning. at: next free piece. */
static ration_status fill_feeds(ration_program *program, int32_t at, ration_error *error)
{
    const rn_view *v = &program->view;
    const int32_t feeds = (int32_t)program->feeds.count;
    rn_feed_record *feed = program->feeds.data;
    const rn_piece *source = program->pieces.data;
    char from[RN_LABEL_TEXT];
    char to[RN_LABEL_TEXT];
    if (feeds > 0) {
        qsort(feed, (size_t)feeds, sizeof *feed, compare_feed);
    }
    for (int32_t i = 0; i < feeds; i++) {
        if (i > 0 && compare_feed(&feed[i - 1], &feed[i]) == 0) {
            return rn_fail(error, RATION_E_INPUT, "%s feeds %s twice",
                           rn_program_label(program, RN_ROW, feed[i].from, from),
                           rn_program_label(program, RN_ROW, feed[i].to, to));
        }
        rn_edit32(v->row_feed)[feed[i].from + 1]++;
        rn_edit32(v->feed_to)[i] = feed[i].to;
        rn_edit32(v->feed_piece)[i] = at;
        for (int32_t p = 0; p < feed[i].pieces; p++) {
            rn_edit_piece(v->piece)[at++] = source[feed[i].piece_first + p];
        }
    }
    rn_bucket_starts(rn_edit32(v->row_feed), v->rows);
    rn_edit32(v->feed_piece)[feeds] = at;
    return RATION_OK;
}

/* Ranks by relaxation: a rank above 2 after three rounds is a chain that is too long, or a cycle.
 */
static ration_status fill_ranks(const ration_program *program, ration_error *error)
{
    const rn_view *v = &program->view;
    const rn_feed_record *feed = program->feeds.data;
    int32_t *rank = rn_edit32(v->row_rank);
    char label[RN_LABEL_TEXT];
    for (int32_t round = 0; round < 3; round++) {
        for (int64_t i = 0; i < program->feeds.count; i++) {
            if (rank[feed[i].to] <= rank[feed[i].from]) {
                rank[feed[i].to] = rank[feed[i].from] + 1;
            }
        }
    }
    for (int64_t i = 0; i < program->feeds.count; i++) {
        if (rank[feed[i].to] > 2) {
            return rn_fail(error, RATION_E_INPUT,
                           "feeds into %s form a cycle or a chain of more than 2 links",
                           rn_program_label(program, RN_ROW, feed[i].to, label));
        }
    }
    return RATION_OK;
}

static ration_status fill_all(ration_program *program, const class_key *key, ration_error *error)
{
    rn_layout layout = {0};
    carve(&layout, program);
    RN_TRY(rn_layout_allocate(&layout, "the flat program", error));
    carve(&layout, program);
    fill_places(program, key);
    fill_roles(program);
    RN_TRY(fill_entries(program, error));
    fill_exclusions(program);
    fill_items(program);
    RN_TRY(fill_feeds(program, fill_rows(program), error));
    RN_TRY(fill_ranks(program, error));
    rn_freeze_joins(program);
    return RATION_OK;
}

ration_status rn_freeze_fill(ration_program *program, ration_error *error)
{
    class_key *key = NULL;
    int32_t classes = 0;
    RN_TRY(rn_freeze_edges(program, error));
    RN_TRY(sort_places(program, &key, &classes, error));
    ration_status status = count_things(program, classes, error);
    if (status == RATION_OK) {
        status = fill_all(program, key, error);
    }
    rn_free(key);
    return status;
}

/* Puts the program back into the open state. */
static void thaw(ration_program *program)
{
    rn_free(program->block);
    program->block = NULL;
    memset(&program->view, 0, sizeof program->view);
    program->place_public = NULL;
    program->place_internal = NULL;
    memset(program->order, 0, sizeof program->order);
    program->option_total = 0;
}

/* digest: to take over, or NULL: compute it. */
static ration_status freeze(ration_program *program, const char *digest, ration_error *error)
{
    RN_TRY(rn_check_open(program, error));
    if (program->items.count == 0) {
        return rn_fail(error, RATION_E_INPUT, "the program has no items");
    }
    RN_TRY(rn_freeze_names(program, error));
    ration_status status = rn_freeze_fill(program, error);
    if (status == RATION_OK) {
        status = rn_freeze_options(program, error);
    }
    if (status == RATION_OK) {
        status = rn_freeze_ranges(program, error);
    }
    if (status == RATION_OK && digest == NULL) {
        status = rn_freeze_digest(program, error);
    }
    if (status != RATION_OK) {
        thaw(program);
        return status;
    }
    if (digest != NULL) {
        memcpy(program->digest, digest, sizeof program->digest);
    }
    program->frozen = true;
    return RATION_OK;
}

ration_status ration_program_freeze(ration_program *program, ration_error *error)
{
    return freeze(program, NULL, error);
}

ration_status rn_program_freeze_as(ration_program *program, const char *digest, ration_error *error)
{
    assert(digest != NULL && strlen(digest) == RATION_DIGEST_TEXT - 1);
    return freeze(program, digest, error);
}
