/* The builder: items with their options, and what joins items: table, start, conflicts, groups,
 * traffic. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "program/program.h"

ration_status ration_program_add_item(ration_program *program, const char *name, int32_t *item,
                                      ration_error *error)
{
    RN_TRY(rn_check_open(program, error));
    RN_TRY(rn_names_check(program, RN_ITEM, name, error));
    RN_TRY(rn_list_reserve(&program->items, 1, sizeof(rn_item_record), "the items", error));
    rn_names_commit(&program->names[RN_ITEM], name);
    const rn_item_record record = {0, 0, RATION_NONE, RATION_NONE, RATION_NONE};
    ((rn_item_record *)program->items.data)[program->items.count] = record;
    *item = (int32_t)program->items.count++;
    return RATION_OK;
}

/* Checks uses and copies them behind the others, not yet counted. entry: targets are roles. */
static ration_status copy_uses(ration_program *program, bool entry, int32_t uses,
                               const ration_use *use, ration_error *error)
{
    char label[RN_LABEL_TEXT];
    if (uses < 0) {
        return rn_fail(error, RATION_E_INPUT, "an option has %" PRId32 " amounts", uses);
    }
    RN_TRY(
        rn_list_reserve(&program->uses, uses, sizeof(ration_use), "the amounts of options", error));
    ration_use *to = (ration_use *)program->uses.data + program->uses.count;
    program->serial++;
    for (int32_t i = 0; i < uses; i++) {
        const int32_t target = use[i].row;
        if (entry) {
            if (target < 0 || target >= RN_ROLES ||
                program->role_stamp[target] == program->serial) {
                return rn_fail(error, RATION_E_INPUT,
                               "an entry names role %" PRId32
                               "; roles are 0 to %d, each at most once",
                               target, (int)RN_ROLES - 1);
            }
            program->role_stamp[target] = program->serial;
        } else {
            RN_TRY(rn_check_index(program, RN_ROW, target, error));
            rn_row_record *row = (rn_row_record *)program->rows.data + target;
            if (row->stamp == program->serial) {
                return rn_fail(error, RATION_E_INPUT, "an option names %s twice",
                               rn_program_label(program, RN_ROW, target, label));
            }
            row->stamp = program->serial;
        }
        to[i] = use[i];
    }
    return RATION_OK;
}

static ration_status add_entry(ration_program *program, rn_entry_record record,
                               const ration_use *use, ration_error *error)
{
    RN_TRY(rn_check_open(program, error));
    RN_TRY(rn_check_index(program, RN_ITEM, record.item, error));
    RN_TRY(rn_check_dimension((ration_dimension)record.dimension, error));
    if (record.mode != RATION_NONE) {
        RN_TRY(rn_check_index(program, RN_MODE, record.mode, error));
    }
    if (record.place != RATION_NONE) {
        RN_TRY(rn_check_index(program, RN_PLACE, record.place, error));
    }
    RN_TRY(rn_list_reserve(&program->entries, 1, sizeof record, "the options", error));
    RN_TRY(copy_uses(program, record.place_class >= 0, record.uses, use, error));
    record.use_first = (int32_t)program->uses.count;
    ((rn_entry_record *)program->entries.data)[program->entries.count++] = record;
    program->uses.count += record.uses;
    return RATION_OK;
}

ration_status ration_program_add_option(ration_program *program, int32_t item,
                                        const ration_option *option, ration_error *error)
{
    const rn_entry_record record = {
        option->cost, item, option->mode, option->place, RATION_NONE, (int32_t)option->dimension, 0,
        option->uses};
    return add_entry(program, record, option->use, error);
}

ration_status ration_program_add_entry(ration_program *program, int32_t item,
                                       const ration_entry *entry, ration_error *error)
{
    if (entry->place_class < 0 || entry->place_class > RN_COUNT_MAX) {
        return rn_fail(error, RATION_E_INPUT, "place class %" PRId32 " is outside 0 to %d",
                       entry->place_class, (int)RN_COUNT_MAX);
    }
    const rn_entry_record record = {entry->cost,
                                    item,
                                    entry->mode,
                                    RATION_NONE,
                                    entry->place_class,
                                    (int32_t)entry->dimension,
                                    0,
                                    entry->uses};
    return add_entry(program, record, entry->use, error);
}

ration_status ration_program_exclude(ration_program *program, int32_t item, int32_t place,
                                     ration_error *error)
{
    RN_TRY(rn_check_open(program, error));
    RN_TRY(rn_check_index(program, RN_ITEM, item, error));
    RN_TRY(rn_check_index(program, RN_PLACE, place, error));
    RN_TRY(rn_list_reserve(&program->excluded, 1, sizeof(rn_pair), "the exclusions", error));
    ((rn_pair *)program->excluded.data)[program->excluded.count++] = (rn_pair){item, place};
    return RATION_OK;
}

/* A copy of from[count], owned by the caller. */
static ration_status copy_array(const void *from, int64_t count, size_t size, void **to,
                                ration_error *error)
{
    size_t bytes = 0;
    if (!rn_size_mul((size_t)count, size, &bytes)) {
        return rn_fail(error, RATION_E_MEMORY, "out of memory: a table of %" PRId64 " elements",
                       count);
    }
    void *copy = rn_malloc(bytes);
    if (copy == NULL) {
        return rn_fail_memory(error, "a table", bytes);
    }
    if (bytes > 0) {
        memcpy(copy, from, bytes);
    }
    *to = copy;
    return RATION_OK;
}

/* Tables, distances and tiers speak of all places: none may come later. */
static ration_status check_places_known(const ration_program *program, ration_error *error)
{
    if (program->places.count == 0) {
        return rn_fail(error, RATION_E_INPUT, "a table over places needs places first");
    }
    return RATION_OK;
}

ration_status ration_program_set_table(ration_program *program, ration_dimension dimension,
                                       int32_t classes, const int32_t *item_class,
                                       const int64_t *table, ration_error *error)
{
    char label[RN_LABEL_TEXT];
    RN_TRY(rn_check_open(program, error));
    RN_TRY(rn_check_dimension(dimension, error));
    RN_TRY(check_places_known(program, error));
    if (program->table_classes != 0 || classes < 1) {
        return rn_fail(error, RATION_E_INPUT,
                       "a table needs at least one item class and may be set once");
    }
    for (int32_t item = 0; item < (int32_t)program->items.count; item++) {
        if (item_class[item] < 0 || item_class[item] >= classes) {
            return rn_fail(
                error, RATION_E_INPUT, "%s has class %" PRId32 "; 0 to %" PRId32 " are expected",
                rn_program_label(program, RN_ITEM, item, label), item_class[item], classes - 1);
        }
    }
    void *copied_class = NULL;
    void *copied_table = NULL;
    RN_TRY(copy_array(item_class, program->items.count, sizeof *item_class, &copied_class, error));
    const ration_status status =
        copy_array(table, classes * program->places.count, sizeof *table, &copied_table, error);
    if (status != RATION_OK) {
        rn_free(copied_class);
        return status;
    }
    program->item_class = copied_class;
    program->table = copied_table;
    program->table_classes = classes;
    program->table_dimension = (int32_t)dimension;
    program->table_items = (int32_t)program->items.count;
    program->table_places = (int32_t)program->places.count;
    return RATION_OK;
}

ration_status ration_program_set_start(ration_program *program, int32_t item, int32_t place,
                                       int32_t mode, int64_t move_cost, ration_error *error)
{
    char label[RN_LABEL_TEXT];
    RN_TRY(rn_check_open(program, error));
    RN_TRY(rn_check_index(program, RN_ITEM, item, error));
    RN_TRY(rn_check_index(program, RN_PLACE, place, error));
    if (mode != RATION_NONE) {
        RN_TRY(rn_check_index(program, RN_MODE, mode, error));
    }
    rn_item_record *record = (rn_item_record *)program->items.data + item;
    if (record->start_place != RATION_NONE) {
        return rn_fail(error, RATION_E_INPUT, "%s has two starts",
                       rn_program_label(program, RN_ITEM, item, label));
    }
    record->start_place = place;
    record->start_mode = mode;
    record->move_cost = move_cost;
    return RATION_OK;
}

/* Checks a list of different items and copies it behind the others, not yet counted. */
static ration_status copy_items(ration_program *program, int32_t items, const int32_t *item,
                                ration_error *error)
{
    char label[RN_LABEL_TEXT];
    if (items < 1) {
        return rn_fail(error, RATION_E_INPUT, "a group or conflict set has %" PRId32 " items",
                       items);
    }
    RN_TRY(rn_list_reserve(&program->set_items, items, sizeof *item, "the items of sets", error));
    program->serial++;
    for (int32_t i = 0; i < items; i++) {
        RN_TRY(rn_check_index(program, RN_ITEM, item[i], error));
        rn_item_record *record = (rn_item_record *)program->items.data + item[i];
        if (record->stamp == program->serial) {
            return rn_fail(error, RATION_E_INPUT, "a group or conflict set names %s twice",
                           rn_program_label(program, RN_ITEM, item[i], label));
        }
        record->stamp = program->serial;
        ((int32_t *)program->set_items.data)[program->set_items.count + i] = item[i];
    }
    return RATION_OK;
}

static void commit_set(ration_program *program, rn_list *list, int32_t items, int32_t row0,
                       int32_t row1)
{
    const rn_set set = {(int32_t)program->set_items.count, items, {row0, row1}};
    ((rn_set *)list->data)[list->count++] = set;
    program->set_items.count += items;
}

ration_status ration_program_add_conflict(ration_program *program, int32_t items,
                                          const int32_t *item, ration_error *error)
{
    RN_TRY(rn_check_open(program, error));
    RN_TRY(rn_list_reserve(&program->conflicts, 1, sizeof(rn_set), "the conflict sets", error));
    RN_TRY(copy_items(program, items, item, error));
    commit_set(program, &program->conflicts, items, RATION_NONE, RATION_NONE);
    return RATION_OK;
}

ration_status ration_program_add_group(ration_program *program, int32_t items, const int32_t *item,
                                       int32_t rows, const int32_t *row, ration_error *error)
{
    char label[RN_LABEL_TEXT];
    RN_TRY(rn_check_open(program, error));
    RN_TRY(rn_list_reserve(&program->groups, 1, sizeof(rn_set), "the groups", error));
    if (rows < 0 || rows > 2 || (rows == 2 && row[0] == row[1])) {
        return rn_fail(error, RATION_E_INPUT,
                       "a group names %" PRId32 " private rows; 0 to 2 different ones are expected",
                       rows);
    }
    for (int32_t i = 0; i < rows; i++) {
        RN_TRY(rn_check_index(program, RN_ROW, row[i], error));
    }
    RN_TRY(copy_items(program, items, item, error));
    rn_item_record *record = program->items.data;
    for (int32_t i = 0; i < items; i++) {
        if (record[item[i]].group != RATION_NONE) {
            return rn_fail(error, RATION_E_INPUT, "%s is in two groups",
                           rn_program_label(program, RN_ITEM, item[i], label));
        }
    }
    for (int32_t i = 0; i < items; i++) {
        record[item[i]].group = (int32_t)program->groups.count;
    }
    commit_set(program, &program->groups, items, rows > 0 ? row[0] : RATION_NONE,
               rows > 1 ? row[1] : RATION_NONE);
    return RATION_OK;
}

ration_status ration_program_add_traffic(ration_program *program, int32_t from, int32_t to,
                                         int64_t weight, ration_error *error)
{
    RN_TRY(rn_check_open(program, error));
    RN_TRY(rn_check_index(program, RN_ITEM, from, error));
    RN_TRY(rn_check_index(program, RN_ITEM, to, error));
    RN_TRY(rn_list_reserve(&program->edges, 1, sizeof(rn_edge), "the traffic", error));
    ((rn_edge *)program->edges.data)[program->edges.count++] = (rn_edge){from, to, weight};
    return RATION_OK;
}

static ration_status check_distances(const ration_program *program, ration_dimension dimension,
                                     ration_error *error)
{
    RN_TRY(rn_check_open(program, error));
    RN_TRY(rn_check_dimension(dimension, error));
    RN_TRY(check_places_known(program, error));
    if (program->distance != NULL || program->levels != 0) {
        return rn_fail(error, RATION_E_INPUT, "the distances between places are set twice");
    }
    return RATION_OK;
}

ration_status ration_program_set_distances(ration_program *program, ration_dimension dimension,
                                           const int64_t *distance, ration_error *error)
{
    RN_TRY(check_distances(program, dimension, error));
    const int64_t places = program->places.count;
    void *copy = NULL;
    RN_TRY(copy_array(distance, places * places, sizeof *distance, &copy, error));
    program->distance = copy;
    program->traffic_dimension = (int32_t)dimension;
    program->distance_places = (int32_t)places;
    return RATION_OK;
}

ration_status ration_program_set_tiers(ration_program *program, ration_dimension dimension,
                                       int32_t levels, const int32_t *ancestor,
                                       const int64_t *distance, ration_error *error)
{
    RN_TRY(check_distances(program, dimension, error));
    if (levels < 1 || levels > RN_LEVELS) {
        return rn_fail(error, RATION_E_INPUT, "%" PRId32 " tiers of places; 1 to %d are expected",
                       levels, (int)RN_LEVELS);
    }
    const int64_t places = program->places.count;
    void *copied_ancestor = NULL;
    void *copied_distance = NULL;
    RN_TRY(copy_array(ancestor, levels * places, sizeof *ancestor, &copied_ancestor, error));
    const ration_status status =
        copy_array(distance, levels + 1, sizeof *distance, &copied_distance, error);
    if (status != RATION_OK) {
        rn_free(copied_ancestor);
        return status;
    }
    program->ancestor = copied_ancestor;
    program->tier_distance = copied_distance;
    program->levels = levels;
    program->traffic_dimension = (int32_t)dimension;
    program->distance_places = (int32_t)places;
    return RATION_OK;
}
