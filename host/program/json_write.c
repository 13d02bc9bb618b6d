/* Writes the JSON form of a program: docs/program-format.md. What has its default value is left
 * out; everything is in the order of adding, feeds by (from, to), traffic by (from, to) with
 * repeated pairs added up.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "program/program.h"

/* The text by which other parts of the file refer to a thing. */
static const char *reference(const ration_program *program, rn_thing kind, int32_t index,
                             char *buffer)
{
    switch (kind) {
    case RN_ITEM:
        return ration_program_item_name(program, index, buffer, RN_NAME_BYTES + 1);
    case RN_PLACE:
        return ration_program_place_name(program, index, buffer, RN_NAME_BYTES + 1);
    case RN_MODE:
        return ration_program_mode_name(program, index, buffer, RN_NAME_BYTES + 1);
    default:
        return ration_program_row_name(program, index, buffer, RN_NAME_BYTES + 1);
    }
}

static void write_reference(const ration_program *program, rn_thing kind, int32_t index,
                            ration_writer *w, const char *key)
{
    char buffer[RN_NAME_BYTES + 1];
    if (index >= 0) {
        ration_writer_text(w, key, reference(program, kind, index, buffer));
    }
}

static void write_name(const ration_program *program, rn_thing kind, int32_t index,
                       ration_writer *w)
{
    const char *name = rn_names_text(&program->names[kind], index);
    if (name != NULL) {
        ration_writer_text(w, "name", name);
    }
}

static void write_dimension(int32_t dimension, ration_writer *w)
{
    if (dimension != RATION_DIMENSION_OTHER) {
        ration_writer_text(w, "dimension", ration_dimension_name((ration_dimension)dimension));
    }
}

static void write_unless(int64_t value, int64_t otherwise, const char *key, ration_writer *w)
{
    if (value != otherwise) {
        ration_writer_integer(w, key, value);
    }
}

static void write_function(const rn_piece *piece, int32_t first, int32_t end, const char *key,
                           ration_writer *w)
{
    ration_writer_open_list(w, key);
    ration_writer_inline(w);
    for (int32_t i = first; i < end; i++) {
        ration_writer_open_list(w, NULL);
        ration_writer_inline(w);
        ration_writer_integer(w, NULL, piece[i].start);
        ration_writer_integer(w, NULL, piece[i].value);
        ration_writer_integer(w, NULL, piece[i].slope);
        ration_writer_close(w);
    }
    ration_writer_close(w);
}

static void write_objective(const ration_program *program, ration_writer *w)
{
    if (program->sense == RATION_MINIMISE && program->constant == 0 && program->scale == 0) {
        return;
    }
    ration_writer_open_map(w, "objective");
    ration_writer_inline(w);
    ration_writer_text(w, "sense", program->sense == RATION_MAXIMISE ? "maximise" : "minimise");
    write_unless(program->constant, 0, "constant", w);
    write_unless(program->scale, 0, "scale", w);
    ration_writer_close(w);
}

static void write_row(const ration_program *program, int32_t row, ration_writer *w)
{
    const rn_view *v = &program->view;
    ration_writer_open_map(w, NULL);
    if (v->row_feed[row] == v->row_feed[row + 1]) {
        ration_writer_inline(w);
    }
    write_name(program, RN_ROW, row, w);
    write_dimension(v->row_dimension[row], w);
    write_unless(v->row_offset[row], 0, "offset", w);
    write_unless(v->row_low[row], RATION_LOW_FREE, "low", w);
    write_unless(v->row_high[row], RATION_HIGH_FREE, "high", w);
    if (v->row_piece[row] < v->row_piece[row + 1]) {
        write_function(v->piece, v->row_piece[row], v->row_piece[row + 1], "cost", w);
    }
    if (v->row_feed[row] < v->row_feed[row + 1]) {
        ration_writer_open_list(w, "feeds");
        for (int32_t f = v->row_feed[row]; f < v->row_feed[row + 1]; f++) {
            ration_writer_open_map(w, NULL);
            ration_writer_inline(w);
            write_reference(program, RN_ROW, v->feed_to[f], w, "to");
            write_function(v->piece, v->feed_piece[f], v->feed_piece[f + 1], "function", w);
            ration_writer_close(w);
        }
        ration_writer_close(w);
    }
    ration_writer_close(w);
}

static void write_rows(const ration_program *program, ration_writer *w)
{
    ration_writer_open_list(w, "rows");
    for (int32_t row = 0; row < program->view.rows; row++) {
        write_row(program, row, w);
    }
    ration_writer_close(w);
}

static void write_place(const ration_program *program, int32_t place, ration_writer *w)
{
    const rn_view *v = &program->view;
    const rn_place_record *record = (const rn_place_record *)program->places.data + place;
    const int32_t *at = v->role_row_at + (int64_t)program->place_internal[place] * v->roles;
    ration_writer_open_map(w, NULL);
    ration_writer_inline(w);
    write_name(program, RN_PLACE, place, w);
    write_unless(record->place_class, 0, "class", w);
    if (at[0] < at[v->roles]) {
        ration_writer_open_map(w, "roles");
        ration_writer_inline(w);
        for (int32_t role = 0; role < v->roles; role++) {
            if (at[role] == at[role + 1]) {
                continue;
            }
            char key[16];
            snprintf(key, sizeof key, "%" PRId32, role);
            ration_writer_open_list(w, key);
            ration_writer_inline(w);
            for (int32_t i = at[role]; i < at[role + 1]; i++) {
                write_reference(program, RN_ROW, v->role_row[i], w, NULL);
            }
            ration_writer_close(w);
        }
        ration_writer_close(w);
    }
    ration_writer_close(w);
}

static void write_places(const ration_program *program, ration_writer *w)
{
    if (program->view.places == 0) {
        return;
    }
    ration_writer_open_list(w, "places");
    for (int32_t place = 0; place < program->view.places; place++) {
        write_place(program, place, w);
    }
    ration_writer_close(w);
}

static void write_modes(const ration_program *program, ration_writer *w)
{
    if (program->view.modes == 0) {
        return;
    }
    ration_writer_open_list(w, "modes");
    for (int32_t mode = 0; mode < program->view.modes; mode++) {
        ration_writer_open_map(w, NULL);
        ration_writer_inline(w);
        write_name(program, RN_MODE, mode, w);
        if (((const bool *)program->modes.data)[mode]) {
            ration_writer_bool(w, "stay", true);
        }
        ration_writer_close(w);
    }
    ration_writer_close(w);
}

/* One option or entry of the view; a stay entry is written as the entry it came from. */
static void write_entry(const ration_program *program, int32_t e, ration_writer *w)
{
    const rn_view *v = &program->view;
    const bool direct = v->entry_class[e] < 0;
    ration_writer_open_map(w, NULL);
    ration_writer_inline(w);
    if (direct) {
        write_reference(program, RN_PLACE, rn_program_place_public(program, v->entry_place[e]), w,
                        "place");
    } else {
        const int32_t place = program->place_public[v->class_place[v->entry_class[e]]];
        ration_writer_integer(w, "class",
                              ((const rn_place_record *)program->places.data)[place].place_class);
    }
    write_reference(program, RN_MODE, v->entry_mode[e], w, "mode");
    write_unless(v->entry_cost[e], 0, "cost", w);
    write_dimension(v->entry_dimension[e], w);
    if (v->entry_use[e] < v->entry_use[e + 1]) {
        ration_writer_open_map(w, "loads");
        ration_writer_inline(w);
        for (int32_t u = v->entry_use[e]; u < v->entry_use[e + 1]; u++) {
            char key[RN_NAME_BYTES + 1];
            if (direct) {
                reference(program, RN_ROW, v->use_target[u], key);
            } else {
                snprintf(key, sizeof key, "%" PRId32, v->use_target[u]);
            }
            ration_writer_integer(w, key, v->use_amount[u]);
        }
        ration_writer_close(w);
    }
    ration_writer_close(w);
}

/* The item's entries of one form: direct ones as "options", the others as "entries". */
static void write_entries(const ration_program *program, int32_t item, bool direct,
                          ration_writer *w)
{
    const rn_view *v = &program->view;
    bool open = false;
    for (int32_t e = v->item_entry[item]; e < v->item_entry[item + 1]; e++) {
        if ((v->entry_class[e] < 0) != direct) {
            continue;
        }
        if (!open) {
            ration_writer_open_list(w, direct ? "options" : "entries");
            open = true;
        }
        write_entry(program, e, w);
    }
    if (open) {
        ration_writer_close(w);
    }
}

static void write_start(const ration_program *program, int32_t item, ration_writer *w)
{
    const rn_view *v = &program->view;
    if (v->start_place == NULL || v->start_place[item] < 0) {
        return;
    }
    ration_writer_open_map(w, "start");
    ration_writer_inline(w);
    write_reference(program, RN_PLACE, program->place_public[v->start_place[item]], w, "place");
    write_reference(program, RN_MODE, v->start_mode[item], w, "mode");
    write_unless(v->move_cost[item], 0, "move_cost", w);
    ration_writer_close(w);
}

static void write_item(const ration_program *program, int32_t item, ration_writer *w)
{
    const rn_view *v = &program->view;
    ration_writer_open_map(w, NULL);
    write_name(program, RN_ITEM, item, w);
    if (v->item_class != NULL) {
        write_unless(v->item_class[item], 0, "class", w);
    }
    write_entries(program, item, true, w);
    write_entries(program, item, false, w);
    if (v->exclude_at != NULL && v->exclude_at[item] < v->exclude_at[item + 1]) {
        ration_writer_open_list(w, "exclude");
        ration_writer_inline(w);
        for (int32_t i = v->exclude_at[item]; i < v->exclude_at[item + 1]; i++) {
            write_reference(program, RN_PLACE, program->place_public[v->exclude_place[i]], w, NULL);
        }
        ration_writer_close(w);
    }
    write_start(program, item, w);
    ration_writer_close(w);
}

/* rows lists of `columns` integers. */
static void write_matrix(const int64_t *value, int64_t rows, int32_t columns, const char *key,
                         ration_writer *w)
{
    ration_writer_open_list(w, key);
    for (int64_t i = 0; i < rows; i++) {
        ration_writer_open_list(w, NULL);
        ration_writer_inline(w);
        for (int32_t j = 0; j < columns; j++) {
            ration_writer_integer(w, NULL, value[i * columns + j]);
        }
        ration_writer_close(w);
    }
    ration_writer_close(w);
}

static void write_table(const ration_program *program, ration_writer *w)
{
    if (program->table_classes == 0) {
        return;
    }
    ration_writer_open_map(w, "table");
    write_dimension(program->table_dimension, w);
    write_matrix(program->table, program->table_classes, program->view.places, "costs", w);
    ration_writer_close(w);
}

static void write_set(const ration_program *program, const rn_set *set, const char *key,
                      ration_writer *w)
{
    ration_writer_open_list(w, key);
    ration_writer_inline(w);
    for (int32_t i = 0; i < set->count; i++) {
        write_reference(program, RN_ITEM,
                        ((const int32_t *)program->set_items.data)[set->first + i], w, NULL);
    }
    ration_writer_close(w);
}

static void write_sets(const ration_program *program, ration_writer *w)
{
    const rn_set *conflict = program->conflicts.data;
    const rn_set *group = program->groups.data;
    if (program->conflicts.count > 0) {
        ration_writer_open_list(w, "conflicts");
        for (int64_t s = 0; s < program->conflicts.count; s++) {
            write_set(program, &conflict[s], NULL, w);
        }
        ration_writer_close(w);
    }
    if (program->groups.count == 0) {
        return;
    }
    ration_writer_open_list(w, "groups");
    for (int64_t g = 0; g < program->groups.count; g++) {
        ration_writer_open_map(w, NULL);
        write_set(program, &group[g], "items", w);
        if (group[g].row[0] >= 0) {
            ration_writer_open_list(w, "rows");
            ration_writer_inline(w);
            write_reference(program, RN_ROW, group[g].row[0], w, NULL);
            write_reference(program, RN_ROW, group[g].row[1], w, NULL);
            ration_writer_close(w);
        }
        ration_writer_close(w);
    }
    ration_writer_close(w);
}

static void write_tiers(const ration_program *program, ration_writer *w)
{
    ration_writer_open_list(w, "tiers");
    for (int64_t level = 0; level <= program->levels; level++) {
        ration_writer_open_map(w, NULL);
        ration_writer_inline(w);
        ration_writer_integer(w, "distance", program->tier_distance[level]);
        if (level < program->levels) {
            ration_writer_open_list(w, "ancestors");
            ration_writer_inline(w);
            for (int32_t p = 0; p < program->view.places; p++) {
                ration_writer_integer(w, NULL, program->ancestor[level * program->view.places + p]);
            }
            ration_writer_close(w);
        }
        ration_writer_close(w);
    }
    ration_writer_close(w);
}

static void write_traffic(const ration_program *program, ration_writer *w)
{
    const rn_edge *edge = program->edges.data;
    if (program->distance == NULL && program->levels == 0) {
        return;
    }
    ration_writer_open_map(w, "traffic");
    write_dimension(program->traffic_dimension, w);
    ration_writer_open_list(w, "edges");
    for (int64_t i = 0; i < program->edges.count; i++) {
        ration_writer_open_map(w, NULL);
        ration_writer_inline(w);
        write_reference(program, RN_ITEM, edge[i].from, w, "from");
        write_reference(program, RN_ITEM, edge[i].to, w, "to");
        ration_writer_integer(w, "weight", edge[i].weight);
        ration_writer_close(w);
    }
    ration_writer_close(w);
    if (program->distance != NULL) {
        write_matrix(program->distance, program->view.places, program->view.places, "distances", w);
    } else {
        write_tiers(program, w);
    }
    ration_writer_close(w);
}

void ration_program_write(const ration_program *program, ration_writer *writer)
{
    assert(program->frozen);
    ration_writer_text(writer, "format", "ration-program");
    ration_writer_integer(writer, "version", 1);
    if (program->number_base != 1) {
        ration_writer_integer(writer, "number_base", program->number_base);
    }
    write_objective(program, writer);
    write_rows(program, writer);
    write_places(program, writer);
    write_modes(program, writer);
    ration_writer_open_list(writer, "items");
    for (int32_t item = 0; item < program->view.items; item++) {
        write_item(program, item, writer);
    }
    ration_writer_close(writer);
    write_table(program, writer);
    write_sets(program, writer);
    write_traffic(program, writer);
}
