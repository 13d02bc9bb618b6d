/* Names in a linear model, and back.
 *
 * A word is a name of the program in which every byte but A-Z a-z 0-9 _ . is
 * written as %HH; where that has over RN_MILP_WORD_MAX bytes, ~ and the number
 * of the thing in order of adding, from 0. No name of the program can turn into
 * the latter, for ~ itself becomes %7E.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "emit/milp.h"

enum { NAME_BYTES = RN_NAME_BYTES + 1 };

/* A name under construction. */
typedef struct text {
    char *at;
    int32_t used;
} text;

static void add(text *to, const char *part)
{
    const int32_t room = RN_MILP_NAME_MAX - to->used;
    const int32_t bytes = snprintf(to->at + to->used, (size_t)room, "%s", part);
    to->used += bytes < room ? bytes : room - 1;
}

static void add_number(text *to, int64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, number);
    add(to, digits);
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

/* index: number in order of adding. */
static void add_word(text *to, const char *name, int32_t index)
{
    static const char digit[] = "0123456789ABCDEF";
    char word[RN_MILP_WORD_MAX + 1];
    int32_t used = 0;
    for (const char *c = name; *c != '\0'; c++) {
        const int32_t bytes = is_plain(*c) ? 1 : 3;
        if (used + bytes > RN_MILP_WORD_MAX) {
            add(to, "~");
            add_number(to, index);
            return;
        }
        if (bytes == 1) {
            word[used++] = *c;
            continue;
        }
        word[used++] = '%';
        word[used++] = digit[((unsigned char)*c >> 4) & 15];
        word[used++] = digit[(unsigned char)*c & 15];
    }
    word[used] = '\0';
    add(to, word);
}

static void add_thing(text *to, const rn_milp *milp, rn_thing kind, int32_t index)
{
    char name[NAME_BYTES];
    switch (kind) {
    case RN_ITEM:
        ration_program_item_name(milp->program, index, name, sizeof name);
        break;
    case RN_PLACE:
        index = rn_program_place_public(milp->program, index);
        ration_program_place_name(milp->program, index, name, sizeof name);
        break;
    case RN_MODE:
        ration_program_mode_name(milp->program, index, name, sizeof name);
        break;
    default:
        ration_program_row_name(milp->program, index, name, sizeof name);
        break;
    }
    add_word(to, name, index);
}

/* x(ITEM), x(ITEM,PLACE) or x(ITEM,PLACE,MODE); PLACE may be empty. */
static void add_pick(text *to, const rn_milp *milp, int32_t item, int32_t number)
{
    const rn_view *v = milp->view;
    const rn_option option = rn_option_decode(v, item, number);
    const int32_t mode = v->entry_mode[option.entry];
    add(to, "x(");
    add_thing(to, milp, RN_ITEM, item);
    if (option.place >= 0 || mode >= 0) {
        add(to, ",");
    }
    if (option.place >= 0) {
        add_thing(to, milp, RN_PLACE, option.place);
    }
    if (mode >= 0) {
        add(to, ",");
        add_thing(to, milp, RN_MODE, mode);
    }
    add(to, ")");
}

/* KIND(ROW,K); k < 0: KIND(ROW). */
static void add_of_row(text *to, const rn_milp *milp, const char *kind, int32_t row, int32_t k)
{
    add(to, kind);
    add(to, "(");
    add_thing(to, milp, RN_ROW, row);
    if (k >= 0) {
        add(to, ",");
        add_number(to, k);
    }
    add(to, ")");
}

/* KIND(ITEM,ITEM */
static void add_pair(text *to, const rn_milp *milp, const char *kind, const rn_milp_pair *pair)
{
    add(to, kind);
    add(to, "(");
    add_thing(to, milp, RN_ITEM, pair->first);
    add(to, ",");
    add_thing(to, milp, RN_ITEM, pair->second);
}

/* ,PLACE number `at` of an item. */
static void add_place_of(text *to, const rn_milp *milp, int32_t item, int32_t at)
{
    add(to, ",");
    add_thing(to, milp, RN_PLACE, milp->place[milp->place_at[item] + at]);
}

/* KIND(ITEM,PLACE) of spread traffic. */
static void add_spread(text *to, const rn_milp *milp, const char *kind, rn_milp_where where)
{
    const int32_t item = milp->spread_item[where.index];
    add(to, kind);
    add(to, "(");
    add_thing(to, milp, RN_ITEM, item);
    if (where.kind == RN_MILP_MEET) {
        add_place_of(to, milp, item, where.number);
    } else {
        add(to, ",");
        add_thing(to, milp, RN_PLACE, where.number);
    }
    add(to, ")");
}

const char *rn_milp_column_name(const rn_milp *milp, int32_t number, char *name)
{
    const rn_milp_where where = rn_milp_column_where(milp, number);
    text to = {name, 0};
    if (where.kind == RN_MILP_PICK) {
        add_pick(&to, milp, where.index, where.number);
    } else if (where.kind == RN_MILP_SPREAD || where.kind == RN_MILP_MEET) {
        add_spread(&to, milp, where.kind == RN_MILP_SPREAD ? "v" : "u", where);
    } else if (where.kind != RN_MILP_FLOW) {
        add_of_row(&to, milp, where.kind == RN_MILP_CHOICE ? "b" : "w", where.index, where.number);
    } else {
        const rn_milp_pair *pair = &milp->pair[where.index];
        const int32_t wide =
            (int32_t)(milp->place_at[pair->second + 1] - milp->place_at[pair->second]);
        add_pair(&to, milp, "y", pair);
        add_place_of(&to, milp, pair->first, where.number / wide);
        add_place_of(&to, milp, pair->second, where.number % wide);
        add(&to, ")");
    }
    return name;
}

/* row(R), one(R), width(R,K). */
static void add_row_line(text *to, const rn_milp *milp, int32_t r, int32_t number)
{
    const rn_milp_tie *tie = &milp->tie[r];
    if (number < 2) {
        add_of_row(to, milp, number == 0 ? "row" : "one", r, -1);
        return;
    }
    int32_t k = 0;
    while (milp->part[tie->part + k].length == 0 || milp->part[tie->part + k].width < number - 2) {
        k++;
    }
    add_of_row(to, milp, "width", r, k);
}

const char *rn_milp_line_name(const rn_milp *milp, int32_t number, char *name)
{
    const rn_milp_where where = rn_milp_line_where(milp, number);
    text to = {name, 0};
    if (where.kind == RN_MILP_PICK) {
        add(&to, "item(");
        add_thing(&to, milp, RN_ITEM, where.index);
    } else if (where.kind == RN_MILP_CHOICE) {
        add_row_line(&to, milp, where.index, where.number);
        return name;
    } else if (where.kind == RN_MILP_SPREAD || where.kind == RN_MILP_MEET) {
        add_spread(&to, milp, where.kind == RN_MILP_SPREAD ? "flow" : "meet", where);
        return name;
    } else if (where.kind == RN_MILP_CONFLICT) {
        add(&to, "conflict(");
        add_number(&to, where.index / milp->view->places);
        add(&to, ",");
        add_thing(&to, milp, RN_PLACE, where.index % milp->view->places);
    } else {
        const rn_milp_pair *pair = &milp->pair[where.index];
        const int32_t tall =
            (int32_t)(milp->place_at[pair->first + 1] - milp->place_at[pair->first]);
        const bool first = where.number < tall;
        add_pair(&to, milp, first ? "from" : "to", pair);
        add_place_of(&to, milp, first ? pair->first : pair->second,
                     first ? where.number : where.number - tall);
    }
    add(&to, ")");
    return name;
}

/* ---- back ---- */

static int32_t hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Reads the word at *at, up to a comma or parenthesis, as a thing; *at then stands behind it. false
 * for what is no word or names nothing; an empty word is -1. */
static bool read_word(const ration_program *program, rn_thing kind, const char **at, int32_t *index)
{
    static int32_t (*const find[])(const ration_program *, const char *) = {
        ration_program_find_item, ration_program_find_place, ration_program_find_mode};
    char name[RN_MILP_WORD_MAX + 1];
    int32_t used = 0;
    const char *c = *at;
    const bool numbered = *c == '~';
    for (c += numbered ? 1 : 0; *c != ',' && *c != ')'; c++) {
        const bool escaped = *c == '%';
        if (used == RN_MILP_WORD_MAX || (!escaped && !is_plain(*c)) ||
            (escaped && (hex(c[1]) < 0 || hex(c[2]) < 0))) {
            return false;
        }
        name[used++] = escaped ? (char)(hex(c[1]) * 16 + hex(c[2])) : *c;
        c += escaped ? 2 : 0;
    }
    name[used] = '\0';
    *at = c;
    *index = -1;
    if (!numbered) {
        *index = used == 0 ? -1 : find[kind](program, name);
        return used == 0 || *index >= 0;
    }
    int64_t number = 0;
    if (!rn_integer_read(name, &number) || number < 0 ||
        number >= rn_program_count(program, kind)) {
        return false;
    }
    *index = (int32_t)number;
    return true;
}

bool rn_milp_find_pick(const ration_program *program, const char *name, int32_t *item,
                       int32_t *option)
{
    int32_t index[3] = {-1, -1, -1};
    const char *at = name;
    if (strncmp(at, "x(", 2) != 0) {
        return false;
    }
    for (int32_t kind = 0; kind < 3; kind++) {
        at++; /* the parenthesis or the comma */
        if (kind == 0) {
            at++;
        }
        if (!read_word(program, (rn_thing)kind, &at, &index[kind])) {
            return false;
        }
        if (*at == ')') {
            break;
        }
    }
    if (at[0] != ')' || at[1] != '\0' || index[0] < 0) {
        return false;
    }
    const int32_t found = ration_program_find_option(program, index[0], index[1], index[2]);
    if (found < 0) {
        return false;
    }
    *item = index[0];
    *option = found;
    return true;
}
