/* Reading a program: counts, options, the start, the objective. */
#include <assert.h>
#include <string.h>

#include "program/program.h"

const rn_view *rn_program_view(const ration_program *program)
{
    assert(program->frozen);
    return &program->view;
}

int32_t rn_program_place_public(const ration_program *program, int32_t place)
{
    return place < 0 ? RATION_NONE : program->place_public[place];
}

int32_t rn_program_place_internal(const ration_program *program, int32_t place)
{
    return place < 0 ? RATION_NONE : program->place_internal[place];
}

const int32_t *rn_program_order(const ration_program *program, rn_thing kind)
{
    assert(program->frozen);
    return program->order[kind];
}

int32_t ration_program_items(const ration_program *program)
{
    return (int32_t)program->items.count;
}

int32_t ration_program_rows(const ration_program *program)
{
    return (int32_t)program->rows.count;
}

int32_t ration_program_places(const ration_program *program)
{
    return (int32_t)program->places.count;
}

int32_t ration_program_modes(const ration_program *program)
{
    return (int32_t)program->modes.count;
}

int64_t ration_program_option_total(const ration_program *program)
{
    return program->option_total;
}

int32_t ration_program_options(const ration_program *program, int32_t item)
{
    assert(program->frozen && item >= 0 && item < program->view.items);
    return program->view.item_options[item];
}

bool ration_program_option(const ration_program *program, int32_t item, int32_t option,
                           int32_t *place, int32_t *mode)
{
    const rn_view *v = &program->view;
    assert(program->frozen && item >= 0 && item < v->items && option >= 0 &&
           option < v->item_options[item]);
    const rn_option decoded = rn_option_decode(v, item, option);
    *place = rn_program_place_public(program, decoded.place);
    *mode = v->entry_mode[decoded.entry];
    return rn_place_allowed(v, item, decoded.place) != 0;
}

/* The option of an item at an internal place (or -1), in a mode (or any), or RATION_NONE. */
static int32_t find_option(const rn_view *v, int32_t item, int32_t place, int32_t mode,
                           bool any_mode)
{
    if (!rn_place_allowed(v, item, place)) {
        return RATION_NONE;
    }
    for (int32_t e = v->item_entry[item]; e < v->item_entry[item + 1]; e++) {
        if (!any_mode && v->entry_mode[e] != mode) {
            continue;
        }
        const int32_t place_class = v->entry_class[e];
        if (place_class >= 0 && v->entry_place[e] < 0) {
            if (place >= v->class_place[place_class] && place < v->class_place[place_class + 1]) {
                return v->entry_first[e] + (place - v->class_place[place_class]);
            }
        } else if (v->entry_place[e] == place) {
            return v->entry_first[e];
        }
    }
    return RATION_NONE;
}

int32_t ration_program_find_option(const ration_program *program, int32_t item, int32_t place,
                                   int32_t mode)
{
    const rn_view *v = &program->view;
    assert(program->frozen && item >= 0 && item < v->items);
    if (place < RATION_NONE || place >= v->places || mode < RATION_NONE || mode >= v->modes) {
        return RATION_NONE;
    }
    return find_option(v, item, rn_program_place_internal(program, place), mode, false);
}

int32_t ration_program_start(const ration_program *program, int32_t item)
{
    const rn_view *v = &program->view;
    assert(program->frozen && item >= 0 && item < v->items);
    if (v->start_place == NULL || v->start_place[item] < 0) {
        return RATION_NONE;
    }
    return find_option(v, item, v->start_place[item], v->start_mode[item], v->start_mode[item] < 0);
}

void ration_program_objective(const ration_program *program, ration_sense *sense, int64_t *constant,
                              int32_t *scale)
{
    *sense = program->sense;
    *constant = program->constant;
    *scale = program->scale;
}

void ration_program_digest(const ration_program *program, char *digest)
{
    assert(program->frozen);
    memcpy(digest, program->digest, RATION_DIGEST_TEXT);
}
