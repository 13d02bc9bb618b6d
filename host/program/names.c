/* Names of items, places, modes and rows: unique per kind, found by a hash table. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "core/fail.h"
#include "program/program.h"

static const char *const thing_name[RN_THINGS] = {"item", "place", "mode", "row"};
static const char *const a_thing[RN_THINGS] = {"an item", "a place", "a mode", "a row"};

/* FNV-1a, 64 bits (Fowler, Noll, Vo): spreads names over the slots; decides nothing else. */
static uint64_t hash(const char *text)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (const char *at = text; *at != '\0'; at++) {
        h = (h ^ (uint8_t)*at) * UINT64_C(1099511628211);
    }
    return h ^ (h >> 29);
}

const char *rn_names_text(const rn_names *names, int32_t index)
{
    assert(index >= 0 && index < names->at.count);
    const int64_t at = ((const int64_t *)names->at.data)[index];
    return at < 0 ? NULL : (const char *)names->text.data + at;
}

int32_t rn_names_find(const rn_names *names, const char *name)
{
    if (names->slots == 0) {
        return -1;
    }
    for (int64_t at = (int64_t)(hash(name) & (uint64_t)(names->slots - 1));;
         at = (at + 1) & (names->slots - 1)) {
        const int32_t thing = names->slot[at];
        if (thing < 0 || strcmp(rn_names_text(names, thing), name) == 0) {
            return thing;
        }
    }
}

static void slot_put(int32_t *slot, int64_t slots, const char *name, int32_t thing)
{
    int64_t at = (int64_t)(hash(name) & (uint64_t)(slots - 1));
    while (slot[at] >= 0) {
        at = (at + 1) & (slots - 1);
    }
    slot[at] = thing;
}

/* Keeps the slots at least half empty with one more name. */
static ration_status grow_slots(rn_names *names, ration_error *error)
{
    if (2 * ((int64_t)names->named + 1) <= names->slots) {
        return RATION_OK;
    }
    const int64_t slots = names->slots == 0 ? 64 : names->slots * 2;
    int32_t *slot = rn_malloc((size_t)slots * sizeof *slot);
    if (slot == NULL) {
        return rn_fail_memory(error, "a table of names", (size_t)slots * sizeof *slot);
    }
    memset(slot, 0xFF, (size_t)slots * sizeof *slot); /* all -1 */
    for (int32_t thing = 0; thing < (int32_t)names->at.count; thing++) {
        const char *text = rn_names_text(names, thing);
        if (text != NULL) {
            slot_put(slot, slots, text, thing);
        }
    }
    rn_free(names->slot);
    names->slot = slot;
    names->slots = slots;
    return RATION_OK;
}

/* kind: with its article. */
static ration_status check_text(const char *kind, const char *name, ration_error *error)
{
    const size_t bytes = strlen(name);
    if (bytes == 0 || bytes > RN_NAME_BYTES) {
        return rn_fail(error, RATION_E_INPUT, "the name of %s has %zu bytes; 1 to %d are expected",
                       kind, bytes, (int)RN_NAME_BYTES);
    }
    for (size_t at = 0; at < bytes;) {
        const size_t length = rn_utf8_length(name + at, bytes - at);
        if (length == 0) {
            return rn_fail(error, RATION_E_INPUT, "the name of %s is not valid UTF-8 at byte %zu",
                           kind, at + 1);
        }
        if (rn_utf8_is_control(name + at)) {
            return rn_fail(error, RATION_E_INPUT,
                           "the name of %s has a control character at byte %zu", kind, at + 1);
        }
        at += length;
    }
    return RATION_OK;
}

ration_status rn_names_check(ration_program *program, rn_thing kind, const char *name,
                             ration_error *error)
{
    rn_names *names = &program->names[kind];
    RN_TRY(rn_list_reserve(&names->at, 1, sizeof(int64_t), "a table of names", error));
    if (name == NULL) {
        return RATION_OK;
    }
    RN_TRY(check_text(a_thing[kind], name, error));
    if (rn_names_find(names, name) >= 0) {
        return rn_fail(error, RATION_E_INPUT, "two %ss are named \"%s\"; names must differ",
                       thing_name[kind], name);
    }
    if (kind == RN_ROW && strncmp(name, "conflict:", strlen("conflict:")) == 0) {
        return rn_fail(error, RATION_E_INPUT,
                       "row \"%s\": names that begin with conflict: belong to conflict rows", name);
    }
    const int64_t needed = names->text.count + (int64_t)strlen(name) + 1;
    void *text = rn_grow(names->text.data, needed, 1, &names->text.capacity);
    if (text == NULL) {
        return rn_fail_memory(error, "a table of names", (size_t)needed);
    }
    names->text.data = text;
    return grow_slots(names, error);
}

void rn_names_commit(rn_names *names, const char *name)
{
    const int32_t thing = (int32_t)names->at.count;
    int64_t *at = names->at.data;
    at[names->at.count++] = name == NULL ? -1 : names->text.count;
    if (name != NULL) {
        const size_t bytes = strlen(name) + 1;
        memcpy((char *)names->text.data + names->text.count, name, bytes);
        names->text.count += (int64_t)bytes;
        slot_put(names->slot, names->slots, name, thing);
        names->named++;
    }
}

void rn_names_free(rn_names *names)
{
    rn_free(names->text.data);
    rn_free(names->at.data);
    rn_free(names->slot);
}

/* ---- what names mean to the outside ---- */

/* Copies a thing's name, or its number when it has none. */
static const char *name_of(const ration_program *program, rn_thing kind, int32_t index,
                           char *buffer, size_t size)
{
    assert(index >= 0 && index < rn_program_count(program, kind));
    const char *text = rn_names_text(&program->names[kind], index);
    if (text != NULL) {
        snprintf(buffer, size, "%s", text);
    } else {
        snprintf(buffer, size, "%" PRId64, (int64_t)program->number_base + index);
    }
    return buffer;
}

const char *rn_program_label(const ration_program *program, rn_thing kind, int32_t index,
                             char *buffer)
{
    const char *text = rn_names_text(&program->names[kind], index);
    if (text != NULL) {
        snprintf(buffer, RN_LABEL_TEXT, "%s \"%s\"", thing_name[kind], text);
    } else {
        snprintf(buffer, RN_LABEL_TEXT, "%s %" PRId64, thing_name[kind],
                 (int64_t)program->number_base + index);
    }
    return buffer;
}

/* Reads a decimal number that is written as name_of writes it; false for anything else. */
static bool read_number(const char *text, int64_t *number)
{
    const bool negative = text[0] == '-';
    const char *digit = text + (negative ? 1 : 0);
    if (digit[0] == '\0' || (digit[0] == '0' && (digit[1] != '\0' || negative))) {
        return false;
    }
    int64_t value = 0;
    for (; *digit != '\0'; digit++) {
        if (*digit < '0' || *digit > '9' || value > INT64_C(100000000000)) {
            return false;
        }
        value = value * 10 + (*digit - '0');
    }
    *number = negative ? -value : value;
    return true;
}

/* The thing that has this number as its name because it has no other; -1: none. */
static int32_t find_unnamed(const ration_program *program, rn_thing kind, const char *name)
{
    int64_t number = 0;
    if (!read_number(name, &number)) {
        return RATION_NONE;
    }
    const int64_t index = number - program->number_base;
    if (index < 0 || index >= rn_program_count(program, kind)) {
        return RATION_NONE;
    }
    return rn_names_text(&program->names[kind], (int32_t)index) == NULL ? (int32_t)index
                                                                        : RATION_NONE;
}

static int32_t find(const ration_program *program, rn_thing kind, const char *name)
{
    const int32_t named = rn_names_find(&program->names[kind], name);
    return named >= 0 ? named : find_unnamed(program, kind, name);
}

/* A name that is also the number of a thing without a name would mean two things. */
static ration_status check_clash(const ration_program *program, rn_thing kind, ration_error *error)
{
    const rn_names *names = &program->names[kind];
    if (names->named == 0 || names->named == names->at.count) {
        return RATION_OK;
    }
    for (int32_t thing = 0; thing < (int32_t)names->at.count; thing++) {
        const char *text = rn_names_text(names, thing);
        if (text != NULL && find_unnamed(program, kind, text) >= 0) {
            return rn_fail(error, RATION_E_INPUT,
                           "%s name \"%s\" is also the number of another %s, which has no name",
                           thing_name[kind], text, thing_name[kind]);
        }
    }
    return RATION_OK;
}

ration_status rn_freeze_names(const ration_program *program, ration_error *error)
{
    for (int32_t kind = 0; kind < RN_THINGS; kind++) {
        RN_TRY(check_clash(program, (rn_thing)kind, error));
    }
    return RATION_OK;
}

const char *ration_program_item_name(const ration_program *program, int32_t item, char *buffer,
                                     size_t size)
{
    return name_of(program, RN_ITEM, item, buffer, size);
}

const char *ration_program_place_name(const ration_program *program, int32_t place, char *buffer,
                                      size_t size)
{
    if (place == RATION_NONE) {
        snprintf(buffer, size, "%s", "");
        return buffer;
    }
    return name_of(program, RN_PLACE, place, buffer, size);
}

const char *ration_program_mode_name(const ration_program *program, int32_t mode, char *buffer,
                                     size_t size)
{
    if (mode == RATION_NONE) {
        snprintf(buffer, size, "%s", "");
        return buffer;
    }
    return name_of(program, RN_MODE, mode, buffer, size);
}

const char *ration_program_row_name(const ration_program *program, int32_t row, char *buffer,
                                    size_t size)
{
    const int32_t rows = ration_program_rows(program);
    if (row < rows) {
        return name_of(program, RN_ROW, row, buffer, size);
    }
    assert(program->frozen && row < program->view.all_rows);
    const int32_t set = (row - rows) / program->view.places;
    const int32_t place = rn_program_place_public(program, (row - rows) % program->view.places);
    const int written =
        snprintf(buffer, size, "conflict:%" PRId64 "@", (int64_t)program->number_base + set);
    if (written > 0 && (size_t)written < size) {
        name_of(program, RN_PLACE, place, buffer + written, size - (size_t)written);
    }
    return buffer;
}

int32_t ration_program_find_item(const ration_program *program, const char *name)
{
    return find(program, RN_ITEM, name);
}

int32_t ration_program_find_place(const ration_program *program, const char *name)
{
    return find(program, RN_PLACE, name);
}

int32_t ration_program_find_mode(const ration_program *program, const char *name)
{
    return find(program, RN_MODE, name);
}

/* "conflict:SET@PLACE" -> its row in the view. */
static int32_t find_conflict_row(const ration_program *program, const char *name)
{
    const char *const prefix = "conflict:";
    const char *at = strchr(name, '@');
    char number[24];
    if (strncmp(name, prefix, strlen(prefix)) != 0 || at == NULL || !program->frozen) {
        return RATION_NONE;
    }
    const size_t bytes = (size_t)(at - name) - strlen(prefix);
    if (bytes >= sizeof number) {
        return RATION_NONE;
    }
    memcpy(number, name + strlen(prefix), bytes);
    number[bytes] = '\0';
    int64_t set = 0;
    const int32_t place = find(program, RN_PLACE, at + 1);
    if (!read_number(number, &set) || place < 0) {
        return RATION_NONE;
    }
    set -= program->number_base;
    if (set < 0 || set >= program->view.conflicts) {
        return RATION_NONE;
    }
    return program->view.rows + (int32_t)set * program->view.places +
           rn_program_place_internal(program, place);
}

int32_t ration_program_find_row(const ration_program *program, const char *name)
{
    const int32_t row = find(program, RN_ROW, name);
    return row >= 0 ? row : find_conflict_row(program, name);
}
