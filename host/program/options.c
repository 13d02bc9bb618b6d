/* Checks that only the whole program allows: every item has an option, none twice; groups, table
 * and traffic keep their promises. Also fixes the canonical orders.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "program/program.h"

/* Where an option is, for finding two at one (place, mode). place -1 with a class: at every place
 * of the class. */
typedef struct spot {
    int32_t mode;
    int32_t place_class;
    int32_t place;
} spot;

static int compare_spot(const void *a, const void *b)
{
    const spot *x = a;
    const spot *y = b;
    if (x->mode != y->mode) {
        return x->mode < y->mode ? -1 : 1;
    }
    if (x->place_class != y->place_class) {
        return x->place_class < y->place_class ? -1 : 1;
    }
    return (x->place > y->place) - (x->place < y->place);
}

static spot spot_of(const rn_view *v, int32_t entry)
{
    const int32_t place = v->entry_place[entry];
    const int32_t place_class = place >= 0 ? v->place_class[place] : v->entry_class[entry];
    return (spot){v->entry_mode[entry], place_class, place};
}

/* Two options at one place and mode. buffer: [entries of the item]. */
static ration_status check_twice(const ration_program *program, int32_t item, spot *buffer,
                                 ration_error *error)
{
    const rn_view *v = &program->view;
    const int32_t first = v->item_entry[item];
    const int32_t count = v->item_entry[item + 1] - first;
    for (int32_t i = 0; i < count; i++) {
        buffer[i] = spot_of(v, first + i);
    }
    qsort(buffer, (size_t)count, sizeof *buffer, compare_spot);
    for (int32_t i = 1; i < count; i++) {
        const spot a = buffer[i - 1];
        const spot b = buffer[i];
        const bool all = a.place < 0 && a.place_class >= 0;
        if (a.mode == b.mode && a.place_class == b.place_class && (a.place == b.place || all)) {
            char label[RN_LABEL_TEXT];
            char place[RN_LABEL_TEXT] = "no place";
            char mode[RN_LABEL_TEXT] = "no mode";
            const int32_t at = b.place >= 0         ? b.place
                               : b.place_class >= 0 ? v->class_place[b.place_class]
                                                    : -1;
            if (at >= 0) {
                rn_program_label(program, RN_PLACE, program->place_public[at], place);
            }
            if (b.mode >= 0) {
                rn_program_label(program, RN_MODE, b.mode, mode);
            }
            return rn_fail(error, RATION_E_INPUT, "%s has two options at %s, %s",
                           rn_program_label(program, RN_ITEM, item, label), place, mode);
        }
    }
    return RATION_OK;
}

/* Excluded places of an item that lie in first .. end-1. */
static int32_t count_excluded(const rn_view *v, int32_t item, int32_t first, int32_t end)
{
    int32_t count = 0;
    for (int32_t i = v->exclude_at == NULL ? 0 : v->exclude_at[item];
         v->exclude_at != NULL && i < v->exclude_at[item + 1]; i++) {
        count += v->exclude_place[i] >= first && v->exclude_place[i] < end ? 1 : 0;
    }
    return count;
}

/* Options of an item that are not excluded. */
static int64_t count_allowed(const rn_view *v, int32_t item)
{
    int64_t allowed = 0;
    for (int32_t e = v->item_entry[item]; e < v->item_entry[item + 1]; e++) {
        if (v->entry_place[e] >= 0) {
            allowed += rn_place_allowed(v, item, v->entry_place[e]);
        } else if (v->entry_class[e] >= 0) {
            const int32_t first = v->class_place[v->entry_class[e]];
            const int32_t end = v->class_place[v->entry_class[e] + 1];
            allowed += end - first - count_excluded(v, item, first, end);
        } else {
            allowed++;
        }
    }
    return allowed;
}

/* A direct option of a `stay` mode away from the item's start could never be taken. */
static ration_status check_stay(const ration_program *program, int32_t item, ration_error *error)
{
    const rn_view *v = &program->view;
    char label[RN_LABEL_TEXT];
    char mode[RN_LABEL_TEXT];
    for (int32_t e = v->item_entry[item]; e < v->item_entry[item + 1]; e++) {
        if (v->entry_class[e] >= 0 || v->entry_mode[e] < 0 ||
            !((const bool *)program->modes.data)[v->entry_mode[e]]) {
            continue;
        }
        if (v->start_place == NULL || v->start_place[item] < 0 ||
            v->start_place[item] != v->entry_place[e]) {
            return rn_fail(error, RATION_E_INPUT,
                           "%s has an option of the staying %s away from its start",
                           rn_program_label(program, RN_ITEM, item, label),
                           rn_program_label(program, RN_MODE, v->entry_mode[e], mode));
        }
    }
    return RATION_OK;
}

static ration_status check_items(ration_program *program, spot *buffer, ration_error *error)
{
    const rn_view *v = &program->view;
    char label[RN_LABEL_TEXT];
    for (int32_t item = 0; item < v->items; item++) {
        RN_TRY(check_twice(program, item, buffer, error));
        RN_TRY(check_stay(program, item, error));
        const int64_t allowed = count_allowed(v, item);
        if (allowed == 0) {
            return rn_fail(error, RATION_E_INPUT, "%s has no options%s",
                           rn_program_label(program, RN_ITEM, item, label),
                           v->item_options[item] > 0 ? " that it does not exclude" : "");
        }
        program->option_total += allowed;
    }
    return RATION_OK;
}

static ration_status check_traffic(const ration_program *program, ration_error *error)
{
    const rn_view *v = &program->view;
    char label[RN_LABEL_TEXT];
    if (v->edge_at == NULL) {
        return RATION_OK;
    }
    if (v->distance == NULL && v->levels == 0) {
        return rn_fail(error, RATION_E_INPUT, "there is traffic, but no distances between places");
    }
    for (int32_t item = 0; item < v->items; item++) {
        for (int32_t e = v->item_entry[item];
             v->edge_at[item] < v->edge_at[item + 1] && e < v->item_entry[item + 1]; e++) {
            if (v->entry_place[e] < 0 && v->entry_class[e] < 0) {
                return rn_fail(error, RATION_E_INPUT,
                               "%s has traffic, but an option without a place",
                               rn_program_label(program, RN_ITEM, item, label));
            }
        }
    }
    return RATION_OK;
}

static ration_status check_sizes(const ration_program *program, ration_error *error)
{
    const rn_view *v = &program->view;
    if (program->table_classes > 0 &&
        (program->table_items != v->items || program->table_places != v->places)) {
        return rn_fail(error, RATION_E_INPUT, "items or places were added after the table");
    }
    if ((program->distance != NULL || program->levels > 0) &&
        program->distance_places != v->places) {
        return rn_fail(error, RATION_E_INPUT, "places were added after the distances");
    }
    return RATION_OK;
}

/* The rows that groups solve by dynamic programming neither feed nor are fed, and belong to one
 * group. */
static ration_status check_groups(const ration_program *program, ration_error *error)
{
    const rn_view *v = &program->view;
    char label[RN_LABEL_TEXT];
    for (int32_t i = 0; i < 2 * v->groups; i++) {
        const int32_t row = v->group_row[i];
        if (row < 0) {
            continue;
        }
        if (v->row_feed[row] < v->row_feed[row + 1] || v->row_rank[row] > 0) {
            return rn_fail(
                error, RATION_E_INPUT, "%s is private to group %" PRId32 ", but has feeds",
                rn_program_label(program, RN_ROW, row, label), program->number_base + i / 2);
        }
        for (int32_t j = 0; j < i; j++) {
            if (v->group_row[j] == row) {
                return rn_fail(error, RATION_E_INPUT, "%s is private to two groups",
                               rn_program_label(program, RN_ROW, row, label));
            }
        }
    }
    return RATION_OK;
}

/* ---- canonical orders ---- */

typedef struct named {
    const char *name; /* NULL: none */
    int32_t index;
} named;

static int compare_named(const void *a, const void *b)
{
    const named *x = a;
    const named *y = b;
    if (x->name != NULL && y->name != NULL) {
        return strcmp(x->name, y->name);
    }
    if (x->name != NULL || y->name != NULL) {
        return x->name != NULL ? 1 : -1;
    }
    return (x->index > y->index) - (x->index < y->index);
}

static ration_status fix_order(ration_program *program, rn_thing kind, ration_error *error)
{
    const int32_t count = rn_program_count(program, kind);
    named *list = rn_malloc((size_t)count * sizeof *list);
    if (list == NULL) {
        return rn_fail_memory(error, "the order of names", (size_t)count * sizeof *list);
    }
    for (int32_t i = 0; i < count; i++) {
        list[i] = (named){rn_names_text(&program->names[kind], i), i};
    }
    if (program->names[kind].named > 0) {
        qsort(list, (size_t)count, sizeof *list, compare_named);
    }
    for (int32_t i = 0; i < count; i++) {
        program->order[kind][i] = list[i].index;
    }
    rn_free(list);
    return RATION_OK;
}

ration_status rn_freeze_options(ration_program *program, ration_error *error)
{
    RN_TRY(check_sizes(program, error));
    spot *buffer = rn_malloc((size_t)program->entries.count * sizeof *buffer);
    if (buffer == NULL) {
        return rn_fail_memory(error, "a list of options",
                              (size_t)program->entries.count * sizeof *buffer);
    }
    const ration_status status = check_items(program, buffer, error);
    rn_free(buffer);
    RN_TRY(status);
    RN_TRY(check_traffic(program, error));
    RN_TRY(check_groups(program, error));
    for (int32_t kind = 0; kind < RN_THINGS; kind++) {
        RN_TRY(fix_order(program, (rn_thing)kind, error));
    }
    return RATION_OK;
}
