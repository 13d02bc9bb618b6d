/* Reads the JSON form of a program: docs/program-format.md. Names are the references; rows come
 * first, then what refers to them. What the builder refuses is reported at the value that it
 * refused.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "program/program.h"

typedef struct reading {
    ration_program *program;
    ration_error *error;
    ration_error inner;  /* of the builder */
    int32_t *item_class; /* [items], or NULL: no item names a class */
    int32_t *number;     /* scratch of `numbers` elements */
    int64_t *value;      /* scratch of `values` elements */
    ration_piece *piece; /* scratch of `pieces` elements */
    ration_use *use;     /* scratch of `uses` elements */
    int64_t numbers;
    int64_t values;
    int64_t pieces;
    int64_t uses;
} reading;

/* Makes a scratch array hold at least `needed` elements. A macro because the arrays' types differ.
 */
#define SCRATCH(r, array, needed, capacity)                                                        \
    do {                                                                                           \
        void *grown_ = rn_grow((r)->array, (needed), sizeof *(r)->array, &(r)->capacity);          \
        if (grown_ == NULL) {                                                                      \
            return rn_fail_memory((r)->error, "reading a program",                                 \
                                  (size_t)(needed) * sizeof *(r)->array);                          \
        }                                                                                          \
        (r)->array = grown_;                                                                       \
    } while (0)

/* Passes on what the builder said, with the place in the file in front. */
static ration_status adopt(reading *r, const ration_node *node, ration_status status)
{
    if (status == RATION_OK) {
        return RATION_OK;
    }
    if (status == RATION_E_INPUT || status == RATION_E_RANGE) {
        ration_node_fail(node, r->error, "%s", r->inner.text);
        if (r->error != NULL) {
            r->error->status = status;
        }
        return status;
    }
    return rn_fail(r->error, status, "%s", r->inner.text);
}

#define BUILD(r, node, call) RN_TRY(adopt((r), (node), (call)))

/* ---- small values ---- */

static ration_status read_integer(reading *r, const ration_node *map, const char *key,
                                  int64_t otherwise, int64_t *value)
{
    const ration_node *node = ration_node_find(map, key);
    *value = otherwise;
    return node == NULL ? RATION_OK
                        : ration_node_integer(node, INT64_MIN, INT64_MAX, value, r->error);
}

static ration_status read_small(reading *r, const ration_node *map, const char *key,
                                int32_t otherwise, int32_t most, int32_t *value)
{
    const ration_node *node = ration_node_find(map, key);
    int64_t read = otherwise;
    if (node != NULL) {
        RN_TRY(ration_node_integer(node, 0, most, &read, r->error));
    }
    *value = (int32_t)read;
    return RATION_OK;
}

static ration_status read_dimension(reading *r, const ration_node *map, ration_dimension *dimension)
{
    const char *word[RATION_DIMENSIONS];
    for (int32_t i = 0; i < RATION_DIMENSIONS; i++) {
        word[i] = ration_dimension_name((ration_dimension)i);
    }
    const ration_node *node = ration_node_find(map, "dimension");
    int32_t index = RATION_DIMENSION_OTHER;
    if (node != NULL) {
        RN_TRY(ration_node_word(node, word, RATION_DIMENSIONS, &index, r->error));
    }
    *dimension = (ration_dimension)index;
    return RATION_OK;
}

static ration_status read_name(reading *r, const ration_node *map, const char **name)
{
    const ration_node *node = ration_node_find(map, "name");
    *name = NULL;
    return node == NULL ? RATION_OK : ration_node_text(node, false, name, r->error);
}

static ration_status find_thing(reading *r, const ration_node *node, rn_thing kind,
                                const char *name, int32_t *index)
{
    static const char *const called[RN_THINGS] = {"item", "place", "mode", "row"};
    switch (kind) {
    case RN_ITEM:
        *index = ration_program_find_item(r->program, name);
        break;
    case RN_PLACE:
        *index = ration_program_find_place(r->program, name);
        break;
    case RN_MODE:
        *index = ration_program_find_mode(r->program, name);
        break;
    default:
        *index = ration_program_find_row(r->program, name);
        break;
    }
    if (*index < 0) {
        return ration_node_fail(node, r->error, "there is no %s \"%s\"", called[kind], name);
    }
    return RATION_OK;
}

/* A reference: the name of a thing, or its number when it has no name. */
static ration_status read_reference(reading *r, const ration_node *node, rn_thing kind,
                                    int32_t *index)
{
    char number[24];
    const char *name = number;
    if (ration_node_kind(node) == RATION_KIND_NUMBER) {
        int64_t value = 0;
        RN_TRY(ration_node_integer(node, INT32_MIN, INT32_MAX, &value, r->error));
        snprintf(number, sizeof number, "%" PRId64, value);
    } else {
        RN_TRY(ration_node_text(node, false, &name, r->error));
    }
    return find_thing(r, node, kind, name, index);
}

static ration_status read_optional(reading *r, const ration_node *map, const char *key,
                                   rn_thing kind, int32_t *index)
{
    const ration_node *node = ration_node_find(map, key);
    *index = RATION_NONE;
    return node == NULL ? RATION_OK : read_reference(r, node, kind, index);
}

/* A list of references into r->number. */
static ration_status read_references(reading *r, const ration_node *list, rn_thing kind,
                                     int32_t *count)
{
    RN_TRY(ration_node_list(list, 0, RN_COUNT_MAX, r->error));
    *count = ration_node_count(list);
    SCRATCH(r, number, *count, numbers);
    for (int32_t i = 0; i < *count; i++) {
        RN_TRY(read_reference(r, ration_node_at(list, i), kind, &r->number[i]));
    }
    return RATION_OK;
}

/* [[start, value, slope], ...] into r->piece. */
static ration_status read_function(reading *r, const ration_node *list, int32_t *count)
{
    RN_TRY(ration_node_list(list, 1, RN_COUNT_MAX, r->error));
    *count = ration_node_count(list);
    SCRATCH(r, piece, *count, pieces);
    for (int32_t i = 0; i < *count; i++) {
        const ration_node *piece = ration_node_at(list, i);
        int64_t *const part[3] = {&r->piece[i].start, &r->piece[i].value, &r->piece[i].slope};
        RN_TRY(ration_node_list(piece, 3, 3, r->error));
        for (int32_t p = 0; p < 3; p++) {
            RN_TRY(ration_node_integer(ration_node_at(piece, p), INT64_MIN, INT64_MAX, part[p],
                                       r->error));
        }
    }
    return RATION_OK;
}

/* Role number of a key; only the plain form of 0 .. 4095. */
static ration_status read_role(reading *r, const ration_node *node, const char *key, int32_t *role)
{
    int32_t value = 0;
    size_t digits = 0;
    for (; key[digits] >= '0' && key[digits] <= '9' && digits < 5; digits++) {
        value = value * 10 + (key[digits] - '0');
    }
    if (digits == 0 || key[digits] != '\0' || value >= RN_ROLES || (key[0] == '0' && digits > 1)) {
        return ration_node_fail(node, r->error, "found role \"%s\"; expected \"0\" to \"%d\"", key,
                                (int)RN_ROLES - 1);
    }
    *role = value;
    return RATION_OK;
}

/* ---- rows, places, modes ---- */

static ration_status read_row(reading *r, const ration_node *map)
{
    static const char *const known[] = {"name", "dimension", "offset", "low",
                                        "high", "cost",      "feeds"};
    const char *name = NULL;
    ration_dimension dimension = RATION_DIMENSION_OTHER;
    int64_t offset = 0;
    int64_t low = 0;
    int64_t high = 0;
    int32_t row = 0;
    RN_TRY(ration_node_map(map, r->error));
    RN_TRY(ration_node_keys(map, known, 7, r->error));
    RN_TRY(read_name(r, map, &name));
    RN_TRY(read_dimension(r, map, &dimension));
    RN_TRY(read_integer(r, map, "offset", 0, &offset));
    RN_TRY(read_integer(r, map, "low", RATION_LOW_FREE, &low));
    RN_TRY(read_integer(r, map, "high", RATION_HIGH_FREE, &high));
    BUILD(r, map,
          ration_program_add_row(r->program, name, dimension, offset, low, high, &row, &r->inner));
    const ration_node *cost = ration_node_find(map, "cost");
    if (cost != NULL) {
        int32_t pieces = 0;
        RN_TRY(read_function(r, cost, &pieces));
        BUILD(r, cost, ration_program_set_row_cost(r->program, row, pieces, r->piece, &r->inner));
    }
    return RATION_OK;
}

static ration_status read_feeds(reading *r, int32_t row, const ration_node *list)
{
    static const char *const known[] = {"to", "function"};
    RN_TRY(ration_node_list(list, 0, RN_COUNT_MAX, r->error));
    for (int32_t i = 0; i < ration_node_count(list); i++) {
        const ration_node *map = ration_node_at(list, i);
        const ration_node *part = NULL;
        int32_t to = 0;
        int32_t pieces = 0;
        RN_TRY(ration_node_map(map, r->error));
        RN_TRY(ration_node_keys(map, known, 2, r->error));
        RN_TRY(ration_node_need(map, "to", &part, r->error));
        RN_TRY(read_reference(r, part, RN_ROW, &to));
        RN_TRY(ration_node_need(map, "function", &part, r->error));
        RN_TRY(read_function(r, part, &pieces));
        BUILD(r, map, ration_program_add_feed(r->program, row, to, pieces, r->piece, &r->inner));
    }
    return RATION_OK;
}

static ration_status read_rows(reading *r, const ration_node *list)
{
    RN_TRY(ration_node_list(list, 0, RN_COUNT_MAX, r->error));
    const int32_t rows = ration_node_count(list);
    for (int32_t i = 0; i < rows; i++) {
        RN_TRY(read_row(r, ration_node_at(list, i)));
    }
    for (int32_t i = 0; i < rows; i++) {
        const ration_node *feeds = ration_node_find(ration_node_at(list, i), "feeds");
        if (feeds != NULL) {
            RN_TRY(read_feeds(r, i, feeds));
        }
    }
    return RATION_OK;
}

static ration_status read_place(reading *r, const ration_node *map)
{
    static const char *const known[] = {"name", "class", "roles"};
    const char *name = NULL;
    int32_t place_class = 0;
    int32_t place = 0;
    RN_TRY(ration_node_map(map, r->error));
    RN_TRY(ration_node_keys(map, known, 3, r->error));
    RN_TRY(read_name(r, map, &name));
    RN_TRY(read_small(r, map, "class", 0, RN_COUNT_MAX, &place_class));
    BUILD(r, map, ration_program_add_place(r->program, name, place_class, &place, &r->inner));
    const ration_node *roles = ration_node_find(map, "roles");
    if (roles == NULL) {
        return RATION_OK;
    }
    RN_TRY(ration_node_map(roles, r->error));
    for (int32_t i = 0; i < ration_node_count(roles); i++) {
        const ration_node *rows = ration_node_at(roles, i);
        int32_t role = 0;
        int32_t count = 0;
        RN_TRY(read_role(r, rows, ration_node_key(roles, i), &role));
        RN_TRY(read_references(r, rows, RN_ROW, &count));
        BUILD(r, rows,
              ration_program_set_role(r->program, place, role, count, r->number, &r->inner));
    }
    return RATION_OK;
}

static ration_status read_mode(reading *r, const ration_node *map)
{
    static const char *const known[] = {"name", "stay"};
    const char *name = NULL;
    bool stay = false;
    int32_t mode = 0;
    RN_TRY(ration_node_map(map, r->error));
    RN_TRY(ration_node_keys(map, known, 2, r->error));
    RN_TRY(read_name(r, map, &name));
    const ration_node *node = ration_node_find(map, "stay");
    if (node != NULL) {
        RN_TRY(ration_node_bool(node, &stay, r->error));
    }
    BUILD(r, map, ration_program_add_mode(r->program, name, stay, &mode, &r->inner));
    return RATION_OK;
}

/* ---- items ---- */

/* {"target": amount, ...} into r->use; targets are rows, or roles of an entry. */
static ration_status read_loads(reading *r, const ration_node *map, bool entry, int32_t *count)
{
    const ration_node *loads = ration_node_find(map, "loads");
    *count = 0;
    if (loads == NULL) {
        return RATION_OK;
    }
    RN_TRY(ration_node_map(loads, r->error));
    *count = ration_node_count(loads);
    SCRATCH(r, use, *count, uses);
    for (int32_t i = 0; i < *count; i++) {
        const ration_node *amount = ration_node_at(loads, i);
        const char *key = ration_node_key(loads, i);
        if (entry) {
            RN_TRY(read_role(r, amount, key, &r->use[i].row));
        } else {
            RN_TRY(find_thing(r, amount, RN_ROW, key, &r->use[i].row));
        }
        RN_TRY(ration_node_integer(amount, INT64_MIN, INT64_MAX, &r->use[i].amount, r->error));
    }
    return RATION_OK;
}

static ration_status read_option(reading *r, int32_t item, const ration_node *map)
{
    static const char *const known[] = {"place", "mode", "cost", "dimension", "loads"};
    ration_option option = {0};
    RN_TRY(ration_node_map(map, r->error));
    RN_TRY(ration_node_keys(map, known, 5, r->error));
    RN_TRY(read_optional(r, map, "place", RN_PLACE, &option.place));
    RN_TRY(read_optional(r, map, "mode", RN_MODE, &option.mode));
    RN_TRY(read_integer(r, map, "cost", 0, &option.cost));
    RN_TRY(read_dimension(r, map, &option.dimension));
    RN_TRY(read_loads(r, map, false, &option.uses));
    option.use = r->use;
    BUILD(r, map, ration_program_add_option(r->program, item, &option, &r->inner));
    return RATION_OK;
}

static ration_status read_entry(reading *r, int32_t item, const ration_node *map)
{
    static const char *const known[] = {"class", "mode", "cost", "dimension", "loads"};
    ration_entry entry = {0};
    const ration_node *needed = NULL;
    RN_TRY(ration_node_map(map, r->error));
    RN_TRY(ration_node_keys(map, known, 5, r->error));
    RN_TRY(ration_node_need(map, "class", &needed, r->error));
    RN_TRY(read_small(r, map, "class", 0, RN_COUNT_MAX, &entry.place_class));
    RN_TRY(read_optional(r, map, "mode", RN_MODE, &entry.mode));
    RN_TRY(read_integer(r, map, "cost", 0, &entry.cost));
    RN_TRY(read_dimension(r, map, &entry.dimension));
    RN_TRY(read_loads(r, map, true, &entry.uses));
    entry.use = r->use;
    BUILD(r, map, ration_program_add_entry(r->program, item, &entry, &r->inner));
    return RATION_OK;
}

static ration_status read_start(reading *r, int32_t item, const ration_node *map)
{
    static const char *const known[] = {"place", "mode", "move_cost"};
    const ration_node *needed = NULL;
    int32_t place = 0;
    int32_t mode = 0;
    int64_t move_cost = 0;
    RN_TRY(ration_node_map(map, r->error));
    RN_TRY(ration_node_keys(map, known, 3, r->error));
    RN_TRY(ration_node_need(map, "place", &needed, r->error));
    RN_TRY(read_reference(r, needed, RN_PLACE, &place));
    RN_TRY(read_optional(r, map, "mode", RN_MODE, &mode));
    RN_TRY(read_integer(r, map, "move_cost", 0, &move_cost));
    BUILD(r, map, ration_program_set_start(r->program, item, place, mode, move_cost, &r->inner));
    return RATION_OK;
}

/* Reads each element of the list at a key, if it is there, as part of an item. */
static ration_status read_each(reading *r, int32_t item, const ration_node *map, const char *key,
                               ration_status (*read)(reading *, int32_t, const ration_node *))
{
    const ration_node *list = ration_node_find(map, key);
    if (list == NULL) {
        return RATION_OK;
    }
    RN_TRY(ration_node_list(list, 0, RN_COUNT_MAX, r->error));
    for (int32_t i = 0; i < ration_node_count(list); i++) {
        RN_TRY(read(r, item, ration_node_at(list, i)));
    }
    return RATION_OK;
}

static ration_status read_exclusion(reading *r, int32_t item, const ration_node *node)
{
    int32_t place = 0;
    RN_TRY(read_reference(r, node, RN_PLACE, &place));
    BUILD(r, node, ration_program_exclude(r->program, item, place, &r->inner));
    return RATION_OK;
}

static ration_status read_item(reading *r, const ration_node *map)
{
    static const char *const known[] = {"name", "class", "options", "entries", "exclude", "start"};
    const char *name = NULL;
    int32_t item = 0;
    RN_TRY(ration_node_map(map, r->error));
    RN_TRY(ration_node_keys(map, known, 6, r->error));
    RN_TRY(read_name(r, map, &name));
    BUILD(r, map, ration_program_add_item(r->program, name, &item, &r->inner));
    RN_TRY(read_small(r, map, "class", 0, RN_COUNT_MAX, &r->item_class[item]));
    RN_TRY(read_each(r, item, map, "options", read_option));
    RN_TRY(read_each(r, item, map, "entries", read_entry));
    RN_TRY(read_each(r, item, map, "exclude", read_exclusion));
    const ration_node *start = ration_node_find(map, "start");
    return start == NULL ? RATION_OK : read_start(r, item, start);
}

static ration_status read_items(reading *r, const ration_node *list)
{
    RN_TRY(ration_node_list(list, 1, RN_COUNT_MAX, r->error));
    const int32_t items = ration_node_count(list);
    r->item_class = rn_malloc((size_t)items * sizeof *r->item_class);
    if (r->item_class == NULL) {
        return rn_fail_memory(r->error, "reading a program", (size_t)items * sizeof *r->item_class);
    }
    for (int32_t i = 0; i < items; i++) {
        RN_TRY(read_item(r, ration_node_at(list, i)));
    }
    return RATION_OK;
}

/* ---- what joins items ---- */

/* A list of `rows` lists of `columns` integers into r->value. */
static ration_status read_matrix(reading *r, const ration_node *list, int32_t columns)
{
    const int32_t rows = ration_node_count(list);
    SCRATCH(r, value, (int64_t)rows * columns, values);
    for (int32_t i = 0; i < rows; i++) {
        const ration_node *line = ration_node_at(list, i);
        RN_TRY(ration_node_list(line, columns, columns, r->error));
        for (int32_t j = 0; j < columns; j++) {
            RN_TRY(ration_node_integer(ration_node_at(line, j), INT64_MIN, INT64_MAX,
                                       &r->value[(int64_t)i * columns + j], r->error));
        }
    }
    return RATION_OK;
}

static ration_status read_table(reading *r, const ration_node *map)
{
    static const char *const known[] = {"dimension", "costs"};
    const ration_node *costs = NULL;
    ration_dimension dimension = RATION_DIMENSION_OTHER;
    RN_TRY(ration_node_map(map, r->error));
    RN_TRY(ration_node_keys(map, known, 2, r->error));
    RN_TRY(read_dimension(r, map, &dimension));
    RN_TRY(ration_node_need(map, "costs", &costs, r->error));
    RN_TRY(ration_node_list(costs, 1, RN_COUNT_MAX, r->error));
    RN_TRY(read_matrix(r, costs, ration_program_places(r->program)));
    BUILD(r, map,
          ration_program_set_table(r->program, dimension, ration_node_count(costs), r->item_class,
                                   r->value, &r->inner));
    return RATION_OK;
}

static ration_status read_conflict(reading *r, const ration_node *list)
{
    int32_t count = 0;
    RN_TRY(read_references(r, list, RN_ITEM, &count));
    BUILD(r, list, ration_program_add_conflict(r->program, count, r->number, &r->inner));
    return RATION_OK;
}

static ration_status read_group(reading *r, const ration_node *map)
{
    static const char *const known[] = {"items", "rows"};
    const ration_node *items = NULL;
    const ration_node *rows = ration_node_find(map, "rows");
    int32_t row[2] = {RATION_NONE, RATION_NONE};
    int32_t row_count = 0;
    int32_t count = 0;
    RN_TRY(ration_node_map(map, r->error));
    RN_TRY(ration_node_keys(map, known, 2, r->error));
    RN_TRY(ration_node_need(map, "items", &items, r->error));
    if (rows != NULL) {
        RN_TRY(ration_node_list(rows, 0, 2, r->error));
        row_count = ration_node_count(rows);
        for (int32_t i = 0; i < row_count; i++) {
            RN_TRY(read_reference(r, ration_node_at(rows, i), RN_ROW, &row[i]));
        }
    }
    RN_TRY(read_references(r, items, RN_ITEM, &count));
    BUILD(r, map,
          ration_program_add_group(r->program, count, r->number, row_count, row, &r->inner));
    return RATION_OK;
}

static ration_status read_edge(reading *r, const ration_node *map)
{
    static const char *const known[] = {"from", "to", "weight"};
    const ration_node *part = NULL;
    int32_t from = 0;
    int32_t to = 0;
    int64_t weight = 0;
    RN_TRY(ration_node_map(map, r->error));
    RN_TRY(ration_node_keys(map, known, 3, r->error));
    RN_TRY(ration_node_need(map, "from", &part, r->error));
    RN_TRY(read_reference(r, part, RN_ITEM, &from));
    RN_TRY(ration_node_need(map, "to", &part, r->error));
    RN_TRY(read_reference(r, part, RN_ITEM, &to));
    RN_TRY(ration_node_need(map, "weight", &part, r->error));
    RN_TRY(ration_node_integer(part, INT64_MIN, INT64_MAX, &weight, r->error));
    BUILD(r, map, ration_program_add_traffic(r->program, from, to, weight, &r->inner));
    return RATION_OK;
}

/* [{"distance": d, "ancestors": [a, ...]}, ..., {"distance": d}]: the last one, without ancestors,
 * is for the rest. */
static ration_status read_tiers(reading *r, const ration_node *list, ration_dimension dimension)
{
    static const char *const known[] = {"distance", "ancestors"};
    const int32_t places = ration_program_places(r->program);
    RN_TRY(ration_node_list(list, 2, RN_LEVELS + 1, r->error));
    const int32_t levels = ration_node_count(list) - 1;
    SCRATCH(r, value, levels + 1, values);
    SCRATCH(r, number, (int64_t)levels * places, numbers);
    for (int32_t level = 0; level <= levels; level++) {
        const ration_node *map = ration_node_at(list, level);
        const ration_node *part = NULL;
        RN_TRY(ration_node_map(map, r->error));
        RN_TRY(ration_node_keys(map, known, level < levels ? 2 : 1, r->error));
        RN_TRY(ration_node_need(map, "distance", &part, r->error));
        RN_TRY(ration_node_integer(part, INT64_MIN, INT64_MAX, &r->value[level], r->error));
        if (level == levels) {
            break;
        }
        RN_TRY(ration_node_need(map, "ancestors", &part, r->error));
        RN_TRY(ration_node_list(part, places, places, r->error));
        for (int32_t p = 0; p < places; p++) {
            int64_t ancestor = 0;
            RN_TRY(ration_node_integer(ration_node_at(part, p), INT32_MIN, INT32_MAX, &ancestor,
                                       r->error));
            r->number[(int64_t)level * places + p] = (int32_t)ancestor;
        }
    }
    BUILD(r, list,
          ration_program_set_tiers(r->program, dimension, levels, r->number, r->value, &r->inner));
    return RATION_OK;
}

static ration_status read_traffic(reading *r, const ration_node *map)
{
    static const char *const known[] = {"dimension", "edges", "distances", "tiers"};
    ration_dimension dimension = RATION_DIMENSION_OTHER;
    RN_TRY(ration_node_map(map, r->error));
    RN_TRY(ration_node_keys(map, known, 4, r->error));
    RN_TRY(read_dimension(r, map, &dimension));
    const ration_node *edges = ration_node_find(map, "edges");
    if (edges != NULL) {
        RN_TRY(ration_node_list(edges, 0, RN_COUNT_MAX, r->error));
        for (int32_t i = 0; i < ration_node_count(edges); i++) {
            RN_TRY(read_edge(r, ration_node_at(edges, i)));
        }
    }
    const ration_node *distances = ration_node_find(map, "distances");
    const ration_node *tiers = ration_node_find(map, "tiers");
    if (distances != NULL) {
        const int32_t places = ration_program_places(r->program);
        RN_TRY(ration_node_list(distances, places, places, r->error));
        RN_TRY(read_matrix(r, distances, places));
        BUILD(r, distances,
              ration_program_set_distances(r->program, dimension, r->value, &r->inner));
    }
    return tiers == NULL ? RATION_OK : read_tiers(r, tiers, dimension);
}

/* ---- the whole ---- */

static ration_status read_objective(reading *r, const ration_node *map)
{
    static const char *const known[] = {"sense", "constant", "scale"};
    static const char *const senses[] = {"minimise", "maximise"};
    const ration_node *sense = ration_node_find(map, "sense");
    int32_t index = 0;
    int64_t constant = 0;
    int32_t scale = 0;
    RN_TRY(ration_node_map(map, r->error));
    RN_TRY(ration_node_keys(map, known, 3, r->error));
    if (sense != NULL) {
        RN_TRY(ration_node_word(sense, senses, 2, &index, r->error));
    }
    RN_TRY(read_integer(r, map, "constant", 0, &constant));
    RN_TRY(read_small(r, map, "scale", 0, 18, &scale));
    BUILD(
        r, map,
        ration_program_set_objective(r->program, (ration_sense)index, constant, scale, &r->inner));
    return RATION_OK;
}

/* Reads each element of an optional list. */
static ration_status read_list(reading *r, const ration_node *root, const char *key,
                               ration_status (*read)(reading *, const ration_node *))
{
    const ration_node *list = ration_node_find(root, key);
    if (list == NULL) {
        return RATION_OK;
    }
    RN_TRY(ration_node_list(list, 0, RN_COUNT_MAX, r->error));
    for (int32_t i = 0; i < ration_node_count(list); i++) {
        RN_TRY(read(r, ration_node_at(list, i)));
    }
    return RATION_OK;
}

/* Reads one optional part. */
static ration_status read_part(reading *r, const ration_node *root, const char *key,
                               ration_status (*read)(reading *, const ration_node *))
{
    const ration_node *node = ration_node_find(root, key);
    return node == NULL ? RATION_OK : read(r, node);
}

static ration_status read_head(const ration_node *root, int32_t *number_base, ration_error *error)
{
    static const char *const known[] = {
        "$schema", "format", "version", "number_base", "objective", "rows",   "places",
        "modes",   "items",  "table",   "conflicts",   "groups",    "traffic"};
    static const char *const format[] = {"ration-program"};
    const ration_node *node = NULL;
    int32_t index = 0;
    int64_t value = 0;
    RN_TRY(ration_node_map(root, error));
    RN_TRY(ration_node_need(root, "format", &node, error));
    RN_TRY(ration_node_word(node, format, 1, &index, error));
    RN_TRY(ration_node_need(root, "version", &node, error));
    RN_TRY(ration_node_integer(node, 1, 1, &value, error));
    RN_TRY(ration_node_keys(root, known, (int32_t)(sizeof known / sizeof known[0]), error));
    value = 1;
    node = ration_node_find(root, "number_base");
    if (node != NULL) {
        RN_TRY(ration_node_integer(node, INT32_MIN, INT32_MAX, &value, error));
    }
    *number_base = (int32_t)value;
    return RATION_OK;
}

static ration_status read_body(reading *r, const ration_node *root)
{
    const ration_node *items = NULL;
    RN_TRY(read_part(r, root, "objective", read_objective));
    RN_TRY(read_part(r, root, "rows", read_rows));
    RN_TRY(read_list(r, root, "places", read_place));
    RN_TRY(read_list(r, root, "modes", read_mode));
    RN_TRY(ration_node_need(root, "items", &items, r->error));
    RN_TRY(read_items(r, items));
    RN_TRY(read_part(r, root, "table", read_table));
    RN_TRY(read_list(r, root, "conflicts", read_conflict));
    RN_TRY(read_list(r, root, "groups", read_group));
    RN_TRY(read_part(r, root, "traffic", read_traffic));
    BUILD(r, root, ration_program_freeze(r->program, &r->inner));
    return RATION_OK;
}

ration_status ration_program_read(const ration_document *document, ration_program **program,
                                  ration_error *error)
{
    const ration_node *root = ration_document_root(document);
    int32_t number_base = 1;
    RN_TRY(read_head(root, &number_base, error));
    reading r = {0};
    r.error = error;
    RN_TRY(ration_program_create(number_base, &r.program, error));
    const ration_status status = read_body(&r, root);
    rn_free(r.item_class);
    rn_free(r.number);
    rn_free(r.value);
    rn_free(r.piece);
    rn_free(r.use);
    if (status != RATION_OK) {
        ration_program_free(r.program);
        return status;
    }
    *program = r.program;
    return RATION_OK;
}
