/* Reading the picks out of a solver's solution. Everything that is not the name of a pick with a
 * number behind it is passed over: titles, rows, other columns, indices before the name. */
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "core/fail.h"
#include "emit/milp.h"
#include "plan/result.h"
#include "ration/document.h"
#include "ration/export.h"

enum { VALUE_MAX = 64, FILE_MAX = 1 << 30 };
#define PICK_TOLERANCE 1e-4 /* far above the solvers' 1e-9 .. 1e-5 */

typedef struct scan {
    const ration_program *program;
    const char *path;
    const char *at;
    const char *end;
    int32_t line;
    int32_t *option; /* [items] */
} scan;

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* The next word of the line into word[size], cut to it; false at the end of the line. */
static bool next_word(scan *s, char *word, size_t size)
{
    while (s->at < s->end && is_space(*s->at)) {
        s->at++;
    }
    size_t used = 0;
    const char *first = s->at;
    for (; s->at < s->end && !is_space(*s->at) && *s->at != '\n'; s->at++) {
        if (used + 1 < size) {
            word[used++] = *s->at;
        }
    }
    word[used] = '\0';
    return s->at > first;
}

static ration_status take_pick(scan *s, const char *name, const char *text, ration_error *error)
{
    double value = 0;
    int32_t item = 0;
    int32_t option = 0;
    if (!rn_real_read(text, &value)) {
        return rn_fail(error, RATION_E_INPUT, "%s: line %d: a number was expected after %s",
                       s->path, s->line, name);
    }
    if (!rn_milp_find_pick(s->program, name, &item, &option)) {
        return rn_fail(error, RATION_E_INPUT, "%s: line %d: %s is no column of this program",
                       s->path, s->line, name);
    }
    if (value >= -PICK_TOLERANCE && value <= PICK_TOLERANCE) {
        return RATION_OK;
    }
    if (value < 1 - PICK_TOLERANCE || value > 1 + PICK_TOLERANCE) {
        return rn_fail(error, RATION_E_INPUT, "%s: line %d: %s is %.32s, expected 0 or 1", s->path,
                       s->line, name, text);
    }
    char label[RN_LABEL_TEXT];
    if (s->option[item] >= 0 && s->option[item] != option) {
        return rn_fail(error, RATION_E_INPUT, "%s: line %d: a second pick for %s", s->path, s->line,
                       rn_program_label(s->program, RN_ITEM, item, label));
    }
    s->option[item] = option;
    return RATION_OK;
}

/* One line of the file; *over: out, whether what follows is no solution any more. */
static ration_status scan_line(scan *s, bool *over, ration_error *error)
{
    char word[RN_MILP_NAME_MAX];
    char value[VALUE_MAX];
    const size_t left = (size_t)(s->end - s->at);
    static const char dual[] = "# Dual solution"; /* of HiGHS: the same names with other numbers */
    *over = left >= sizeof dual - 1 && memcmp(s->at, dual, sizeof dual - 1) == 0;
    while (!*over && next_word(s, word, sizeof word)) {
        if (strncmp(word, "x(", 2) == 0) {
            value[0] = '\0';
            (void)next_word(s, value, sizeof value);
            RN_TRY(take_pick(s, word, value, error));
            break;
        }
    }
    const char *next = s->at < s->end ? memchr(s->at, '\n', (size_t)(s->end - s->at)) : NULL;
    s->at = next != NULL ? next + 1 : s->end;
    s->line++;
    return RATION_OK;
}

static ration_status scan_all(scan *s, ration_error *error)
{
    bool over = false;
    while (s->at < s->end && !over) {
        RN_TRY(scan_line(s, &over, error));
    }
    for (int32_t i = 0; i < ration_program_items(s->program); i++) {
        char label[RN_LABEL_TEXT];
        if (s->option[i] < 0) {
            return rn_fail(error, RATION_E_INPUT, "%s: no pick for %s", s->path,
                           rn_program_label(s->program, RN_ITEM, i, label));
        }
    }
    return RATION_OK;
}

ration_status ration_export_read_picks(const ration_program *program, const char *path,
                                       int32_t *option, ration_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    const int32_t items = ration_program_items(program);
    int32_t *found = rn_malloc((size_t)items * sizeof *found);
    if (found == NULL) {
        return rn_fail_memory(error, "picks", (size_t)items * sizeof *found);
    }
    ration_status status = ration_text_read(path, FILE_MAX, &text, &bytes, error);
    if (status == RATION_OK) {
        memset(found, -1, (size_t)items * sizeof *found);
        scan s = {program, path, text, text + bytes, 1, found};
        status = scan_all(&s, error);
    }
    rn_free(text);
    if (status == RATION_OK) {
        memcpy(option, found, (size_t)items * sizeof *found);
    }
    rn_free(found);
    return status;
}

ration_status ration_export_read_result(const ration_program *program, const char *path,
                                        ration_result **result, ration_error *error)
{
    const size_t bytes = (size_t)ration_program_items(program) * sizeof(int32_t);
    int32_t *option = rn_malloc(bytes);
    if (option == NULL) {
        return rn_fail_memory(error, "picks", bytes);
    }
    ration_status status = ration_export_read_picks(program, path, option, error);
    if (status == RATION_OK) {
        status = rn_result_create(program, option, NULL, NULL, result, error);
    }
    rn_free(option);
    return status;
}
