/* The builder: places, modes, rows, feeds, roles. Every argument is checked here, so freezing and
 * solving need not. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "program/program.h"

static const char *const dimension_name[RATION_DIMENSIONS] = {
    "memory", "latency", "bandwidth", "energy", "money", "redundancy", "other"};

const char *ration_dimension_name(ration_dimension dimension)
{
    const int32_t index = (int32_t)dimension;
    return index >= 0 && index < RATION_DIMENSIONS ? dimension_name[index] : "unknown";
}

ration_status rn_check_dimension(ration_dimension dimension, ration_error *error)
{
    const int32_t index = (int32_t)dimension;
    if (index < 0 || index >= RATION_DIMENSIONS) {
        return rn_fail(error, RATION_E_INPUT,
                       "dimension %" PRId32 " does not exist; 0 to %d are known", index,
                       RATION_DIMENSIONS - 1);
    }
    return RATION_OK;
}

ration_status rn_check_open(const ration_program *program, ration_error *error)
{
    return program->frozen
               ? rn_fail(error, RATION_E_STATE, "the program is frozen; nothing can be added")
               : RATION_OK;
}

ration_status rn_check_index(const ration_program *program, rn_thing kind, int32_t index,
                             ration_error *error)
{
    static const char *const name[RN_THINGS] = {"item", "place", "mode", "row"};
    const int32_t count = rn_program_count(program, kind);
    if (index < 0 || index >= count) {
        return rn_fail(error, RATION_E_INPUT,
                       "%s index %" PRId32 " does not exist; there are %" PRId32 " %ss", name[kind],
                       index, count, name[kind]);
    }
    return RATION_OK;
}

ration_status ration_program_create(int32_t number_base, ration_program **program,
                                    ration_error *error)
{
    ration_program *made = rn_calloc(1, sizeof *made);
    if (made == NULL) {
        return rn_fail_memory(error, "a program", sizeof *made);
    }
    made->number_base = number_base;
    made->table_dimension = RATION_DIMENSION_OTHER; /* of moving, until a table comes */
    *program = made;
    return RATION_OK;
}

void ration_program_free(ration_program *program)
{
    if (program == NULL) {
        return;
    }
    for (int32_t kind = 0; kind < RN_THINGS; kind++) {
        rn_names_free(&program->names[kind]);
    }
    rn_list *const list[] = {&program->items,     &program->places,    &program->modes,
                             &program->rows,      &program->pieces,    &program->feeds,
                             &program->entries,   &program->uses,      &program->roles,
                             &program->role_rows, &program->excluded,  &program->groups,
                             &program->conflicts, &program->set_items, &program->edges};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        rn_free(list[i]->data);
    }
    rn_free(program->item_class);
    rn_free(program->table);
    rn_free(program->distance);
    rn_free(program->ancestor);
    rn_free(program->tier_distance);
    rn_free(program->block);
    rn_free(program);
}

ration_status ration_program_set_objective(ration_program *program, ration_sense sense,
                                           int64_t constant, int32_t scale, ration_error *error)
{
    RN_TRY(rn_check_open(program, error));
    if (sense != RATION_MINIMISE && sense != RATION_MAXIMISE) {
        return rn_fail(error, RATION_E_INPUT, "sense %d is neither minimise nor maximise",
                       (int)sense);
    }
    if (scale < 0 || scale > 18) {
        return rn_fail(error, RATION_E_INPUT, "scale %" PRId32 " is outside 0 to 18", scale);
    }
    if (constant <= -RN_TOTAL_MAX || constant >= RN_TOTAL_MAX) { /* with any cost below 2^63 */
        return rn_fail(error, RATION_E_RANGE,
                       "the objective's constant %" PRId64 " is not within +-%" PRId64 " (2^62)",
                       constant, RN_TOTAL_MAX);
    }
    program->sense = sense;
    program->constant = constant;
    program->scale = scale;
    return RATION_OK;
}

ration_status ration_program_add_place(ration_program *program, const char *name,
                                       int32_t place_class, int32_t *place, ration_error *error)
{
    RN_TRY(rn_check_open(program, error));
    if (place_class < 0 || place_class > RN_COUNT_MAX) {
        return rn_fail(error, RATION_E_INPUT, "place class %" PRId32 " is outside 0 to %d",
                       place_class, (int)RN_COUNT_MAX);
    }
    RN_TRY(rn_names_check(program, RN_PLACE, name, error));
    RN_TRY(rn_list_reserve(&program->places, 1, sizeof(rn_place_record), "the places", error));
    rn_names_commit(&program->names[RN_PLACE], name);
    ((rn_place_record *)program->places.data)[program->places.count] =
        (rn_place_record){place_class, -1, -1};
    *place = (int32_t)program->places.count++;
    return RATION_OK;
}

ration_status ration_program_add_mode(ration_program *program, const char *name, bool stay,
                                      int32_t *mode, ration_error *error)
{
    RN_TRY(rn_check_open(program, error));
    RN_TRY(rn_names_check(program, RN_MODE, name, error));
    RN_TRY(rn_list_reserve(&program->modes, 1, sizeof(bool), "the modes", error));
    rn_names_commit(&program->names[RN_MODE], name);
    ((bool *)program->modes.data)[program->modes.count] = stay;
    *mode = (int32_t)program->modes.count++;
    return RATION_OK;
}

/* Limits that no load within +-RN_TOTAL_MAX can reach are none; limits that it can't meet are
 * refused. */
static ration_status check_limits(int64_t *low, int64_t *high, ration_error *error)
{
    if (*low != RATION_LOW_FREE && *low < -RN_TOTAL_MAX) {
        *low = RATION_LOW_FREE;
    }
    if (*high != RATION_HIGH_FREE && *high > RN_TOTAL_MAX) {
        *high = RATION_HIGH_FREE;
    }
    if (*low > RN_TOTAL_MAX || *high < -RN_TOTAL_MAX) {
        return rn_fail(error, RATION_E_RANGE,
                       "a row's limits %" PRId64 " to %" PRId64 " lie outside +-%" PRId64, *low,
                       *high, RN_TOTAL_MAX);
    }
    if (*low > *high) {
        return rn_fail(error, RATION_E_INPUT,
                       "a row's lower limit %" PRId64 " is above its upper limit %" PRId64, *low,
                       *high);
    }
    return RATION_OK;
}

ration_status ration_program_add_row(ration_program *program, const char *name,
                                     ration_dimension dimension, int64_t offset, int64_t low,
                                     int64_t high, int32_t *row, ration_error *error)
{
    RN_TRY(rn_check_open(program, error));
    RN_TRY(rn_check_dimension(dimension, error));
    RN_TRY(check_limits(&low, &high, error));
    RN_TRY(rn_names_check(program, RN_ROW, name, error));
    RN_TRY(rn_list_reserve(&program->rows, 1, sizeof(rn_row_record), "the rows", error));
    rn_names_commit(&program->names[RN_ROW], name);
    const rn_row_record record = {offset, low, high, 0, (int32_t)dimension, 0, 0};
    ((rn_row_record *)program->rows.data)[program->rows.count] = record;
    *row = (int32_t)program->rows.count++;
    return RATION_OK;
}

/* Checks pieces and copies them behind the others, not yet counted. */
static ration_status copy_pieces(ration_program *program, int32_t pieces, const ration_piece *piece,
                                 ration_error *error)
{
    if (pieces < 1) {
        return rn_fail(error, RATION_E_INPUT,
                       "a function needs at least one piece; %" PRId32 " were given", pieces);
    }
    RN_TRY(rn_list_reserve(&program->pieces, pieces, sizeof(rn_piece), "the pieces of functions",
                           error));
    rn_piece *to = (rn_piece *)program->pieces.data + program->pieces.count;
    for (int32_t i = 0; i < pieces; i++) {
        if (i > 0 && piece[i].start <= piece[i - 1].start) {
            return rn_fail(error, RATION_E_INPUT,
                           "piece %" PRId32 " starts at %" PRId64
                           ", not after the one before it at %" PRId64,
                           i + 1, piece[i].start, piece[i - 1].start);
        }
        if (piece[i].start <= -RN_TOTAL_MAX || piece[i].start >= RN_TOTAL_MAX ||
            piece[i].value < -RN_TOTAL_MAX || piece[i].value > RN_TOTAL_MAX) {
            return rn_fail(error, RATION_E_RANGE,
                           "piece %" PRId32 " starts at %" PRId64 " with value %" PRId64
                           "; both must lie within +-%" PRId64,
                           i + 1, piece[i].start, piece[i].value, RN_TOTAL_MAX);
        }
        to[i] = (rn_piece){piece[i].start, piece[i].value, piece[i].slope};
    }
    return RATION_OK;
}

ration_status ration_program_set_row_cost(ration_program *program, int32_t row, int32_t pieces,
                                          const ration_piece *piece, ration_error *error)
{
    char label[RN_LABEL_TEXT];
    RN_TRY(rn_check_open(program, error));
    RN_TRY(rn_check_index(program, RN_ROW, row, error));
    rn_row_record *record = (rn_row_record *)program->rows.data + row;
    if (record->pieces != 0) {
        return rn_fail(error, RATION_E_INPUT, "%s already has a cost",
                       rn_program_label(program, RN_ROW, row, label));
    }
    RN_TRY(copy_pieces(program, pieces, piece, error));
    record->piece_first = (int32_t)program->pieces.count;
    record->pieces = pieces;
    program->pieces.count += pieces;
    return RATION_OK;
}

ration_status ration_program_add_feed(ration_program *program, int32_t from, int32_t to,
                                      int32_t pieces, const ration_piece *piece,
                                      ration_error *error)
{
    char label[RN_LABEL_TEXT];
    RN_TRY(rn_check_open(program, error));
    RN_TRY(rn_check_index(program, RN_ROW, from, error));
    RN_TRY(rn_check_index(program, RN_ROW, to, error));
    if (from == to) {
        return rn_fail(error, RATION_E_INPUT, "%s feeds itself",
                       rn_program_label(program, RN_ROW, from, label));
    }
    RN_TRY(rn_list_reserve(&program->feeds, 1, sizeof(rn_feed_record), "the feeds", error));
    RN_TRY(copy_pieces(program, pieces, piece, error));
    const rn_feed_record record = {from, to, (int32_t)program->pieces.count, pieces};
    ((rn_feed_record *)program->feeds.data)[program->feeds.count++] = record;
    program->pieces.count += pieces;
    return RATION_OK;
}

/* Whether a place has this role already; nothing to search when roles come in order. */
static bool is_role_set(const ration_program *program, const rn_place_record *place, int32_t role)
{
    const rn_role_record *list = program->roles.data;
    if (role > place->most_role) {
        return false;
    }
    for (int32_t i = place->last_role; i >= 0; i = list[i].before) {
        if (list[i].role == role) {
            return true;
        }
    }
    return false;
}

ration_status ration_program_set_role(ration_program *program, int32_t place, int32_t role,
                                      int32_t rows, const int32_t *row, ration_error *error)
{
    char label[RN_LABEL_TEXT];
    RN_TRY(rn_check_open(program, error));
    RN_TRY(rn_check_index(program, RN_PLACE, place, error));
    if (role < 0 || role >= RN_ROLES || rows < 0) {
        return rn_fail(error, RATION_E_INPUT,
                       "role %" PRId32 " with %" PRId32 " rows: roles are 0 to %d", role, rows,
                       (int)RN_ROLES - 1);
    }
    rn_place_record *record = (rn_place_record *)program->places.data + place;
    if (is_role_set(program, record, role)) {
        return rn_fail(error, RATION_E_INPUT, "%s: role %" PRId32 " is set twice",
                       rn_program_label(program, RN_PLACE, place, label), role);
    }
    RN_TRY(rn_list_reserve(&program->roles, 1, sizeof(rn_role_record), "the roles", error));
    RN_TRY(rn_list_reserve(&program->role_rows, rows, sizeof(int32_t), "the rows of roles", error));
    program->serial++;
    for (int32_t i = 0; i < rows; i++) {
        RN_TRY(rn_check_index(program, RN_ROW, row[i], error));
        rn_row_record *named = (rn_row_record *)program->rows.data + row[i];
        if (named->stamp == program->serial) {
            return rn_fail(error, RATION_E_INPUT, "role %" PRId32 " names %s twice", role,
                           rn_program_label(program, RN_ROW, row[i], label));
        }
        named->stamp = program->serial;
        ((int32_t *)program->role_rows.data)[program->role_rows.count + i] = row[i];
    }
    const rn_role_record made = {place, role, (int32_t)program->role_rows.count, rows,
                                 record->last_role};
    record->last_role = (int32_t)program->roles.count;
    record->most_role = role > record->most_role ? role : record->most_role;
    ((rn_role_record *)program->roles.data)[program->roles.count++] = made;
    program->role_rows.count += rows;
    return RATION_OK;
}
