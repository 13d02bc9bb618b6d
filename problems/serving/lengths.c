/* Lengths of prompts and answers: numbers, quantiles, or a trace.
 *
 * A trace is CSV with the columns TIMESTAMP (date and time, any digits of a
 * second), ContextTokens and GeneratedTokens, rows in time order. Mean, 95th
 * percentile (nearest rank) and maximum of both; rate = (rows - 1) / (last -
 * first stamp); the squared coefficient of variation of the work is the larger
 * one of the two columns.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serving/read.h"

enum { ROWS_MAX = 10000000, TOKENS_MAX = 10000000 };

typedef struct trace {
    const ration_node *node; /* for messages */
    const char *path;
    int64_t rows;
    double *input; /* [rows], sorted in the end */
    double *output;
    double first_s;
    double last_s;
    int32_t column[3]; /* of TIMESTAMP, ContextTokens, GeneratedTokens */
} trace;

static const char *const COLUMNS[3] = {"TIMESTAMP", "ContextTokens", "GeneratedTokens"};

/* Days from 1970-01-01 of a date of the Gregorian calendar (Hinnant, "chrono-compatible low-level
 * date algorithms"). */
static double days_of(int32_t year, int32_t month, int32_t day)
{
    const int32_t y = month <= 2 ? year - 1 : year;
    const int32_t era = y / 400;
    const int32_t of_era = y - era * 400;
    const int32_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    assert(month >= 1 && month <= 12 && day >= 1 && of_year >= 0 && of_year <= 367);
    return (double)era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool digits(const char **text, int32_t count, int32_t *value)
{
    *value = 0;
    for (int32_t i = 0; i < count; i++) {
        if (**text < '0' || **text > '9') {
            return false;
        }
        *value = *value * 10 + (*(*text)++ - '0');
    }
    return true;
}

/* "2023-11-16 18:15:46.6805900", the T of ISO 8601 and no fraction also. */
static bool parse_stamp(const char *text, double *seconds)
{
    static const char separator[] = "--.::";
    int32_t part[6];
    for (int32_t i = 0; i < 6; i++) {
        if (!digits(&text, i == 0 ? 4 : 2, &part[i])) {
            return false;
        }
        const bool blank = i == 2 && (*text == ' ' || *text == 'T');
        if (i < 5 && !blank && (i == 2 || *text != separator[i])) {
            return false;
        }
        text += i < 5 ? 1 : 0;
    }
    int64_t fraction = 0;
    int64_t parts = 1; /* a second has; digits below the femtosecond are passed over */
    for (text += *text == '.' ? 1 : 0; *text >= '0' && *text <= '9'; text++) {
        if (parts < INT64_C(1000000000000000)) {
            fraction = 10 * fraction + (*text - '0');
            parts *= 10;
        }
    }
    if (part[1] < 1 || part[1] > 12 || part[2] < 1 || part[2] > 31 || part[3] > 23 ||
        part[4] > 59 || part[5] > 60) {
        return false;
    }
    *seconds = days_of(part[0], part[1], part[2]) * 86400.0 + part[3] * 3600.0 + part[4] * 60.0 +
               part[5] + (double)fraction / (double)parts;
    return true;
}

/* Cuts a line in place into cells; returns the next line or NULL. */
static char *cut_line(char *line, char **cell, int32_t most, int32_t *cells)
{
    char *end = strchr(line, '\n');
    *cells = 0;
    if (end != NULL) {
        *end = '\0';
    }
    line[strcspn(line, "\r")] = '\0';
    for (char *at = line; at != NULL && *cells < most;) {
        char *comma = strchr(at, ',');
        cell[(*cells)++] = at;
        if (comma != NULL) {
            *comma = '\0';
        }
        at = comma == NULL ? NULL : comma + 1;
    }
    return end == NULL ? NULL : end + 1;
}

static ration_status find_columns(trace *t, char **cell, int32_t cells, ration_error *error)
{
    for (int32_t c = 0; c < 3; c++) {
        t->column[c] = -1;
        for (int32_t i = 0; i < cells; i++) {
            t->column[c] = strcmp(cell[i], COLUMNS[c]) == 0 ? i : t->column[c];
        }
        if (t->column[c] < 0) {
            return ration_node_fail(t->node, error, "%s has no column %s", t->path, COLUMNS[c]);
        }
    }
    return RATION_OK;
}

/* Digits only, at most TOKENS_MAX. */
static bool parse_tokens(const char *text, double *value)
{
    const char *at = text;
    int64_t tokens = 0;
    for (; *at >= '0' && *at <= '9' && tokens <= TOKENS_MAX; at++) {
        tokens = 10 * tokens + (*at - '0');
    }
    assert(tokens >= 0 && tokens <= 10 * (int64_t)TOKENS_MAX + 9);
    *value = (double)tokens;
    return at != text && *at == '\0' && tokens <= TOKENS_MAX;
}

/* The counts of a row whose cells are cut. */
static ration_status read_counts(trace *t, char **cell, int64_t line, ration_error *error)
{
    double *const out[2] = {&t->input[t->rows], &t->output[t->rows]};
    for (int32_t c = 0; c < 2; c++) {
        const char *text = cell[t->column[c + 1]];
        if (!parse_tokens(text, out[c])) {
            return ration_node_fail(t->node, error,
                                    "%s: line %lld: %s: \"%.40s\" is not a number of tokens: "
                                    "digits, at most %d, were expected",
                                    t->path, (long long)line, COLUMNS[c + 1], text,
                                    (int)TOKENS_MAX);
        }
    }
    return RATION_OK;
}

static ration_status read_rows(trace *t, char *text, ration_error *error)
{
    enum { CELLS = 64 };
    char *cell[CELLS];
    int32_t cells = 0;
    int64_t line = 1;
    char *next = cut_line(text, cell, CELLS, &cells);
    RATION_TRY(find_columns(t, cell, cells, error));
    while (next != NULL && *next != '\0') {
        char *row = next;
        double stamp = 0.0;
        next = cut_line(row, cell, CELLS, &cells);
        line++;
        if (row[0] == '\0') {
            continue;
        }
        for (int32_t c = 0; c < 3; c++) {
            if (t->column[c] >= cells) {
                return ration_node_fail(t->node, error, "%s: line %lld: no %s", t->path,
                                        (long long)line, COLUMNS[c]);
            }
        }
        if (!parse_stamp(cell[t->column[0]], &stamp) || (t->rows > 0 && stamp < t->last_s)) {
            return ration_node_fail(t->node, error,
                                    "%s: line %lld: not a time stamp in order: \"%.40s\"", t->path,
                                    (long long)line, cell[t->column[0]]);
        }
        RATION_TRY(read_counts(t, cell, line, error));
        t->first_s = t->rows == 0 ? stamp : t->first_s;
        t->last_s = stamp;
        assert(t->first_s <= t->last_s);
        t->rows++;
    }
    if (t->rows < 2) {
        return ration_node_fail(t->node, error, "%s: fewer than two rows", t->path);
    }
    return RATION_OK;
}

static int compare_real(const void *a, const void *b)
{
    double x = 0.0;
    double y = 0.0;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Mean, p95 and maximum of column[rows], which is sorted; returns the squared coefficient of
 * variation. */
static double describe(double *column, int64_t rows, rn_serving_length *length)
{
    double sum = 0.0;
    double square = 0.0;
    qsort(column, (size_t)rows, sizeof *column, compare_real);
    for (int64_t i = 0; i < rows; i++) {
        sum += column[i];
        square += column[i] * column[i];
    }
    assert(rows >= 1 && column[0] <= column[rows - 1]);
    const double mean = sum / (double)rows;
    length->mean = fmax(1.0, mean);
    length->p95 = fmax(1.0, column[(int64_t)ceil(0.95 * (double)rows) - 1]);
    length->most = fmax(1.0, column[rows - 1]);
    assert(length->mean <= length->most && length->p95 <= length->most);
    return mean > 0.0 ? fmax(0.0, square / (double)rows / (mean * mean) - 1.0) : 0.0;
}

static ration_status load_trace(trace *t, rn_serving_workload *w, ration_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    RATION_TRY(ration_text_read(t->path, (size_t)512 << 20, &text, &bytes, error));
    int64_t lines = 1;
    for (size_t i = 0; i < bytes; i++) {
        lines += text[i] == '\n';
    }
    ration_status status = RATION_OK;
    const bool too_long = lines > ROWS_MAX;
    t->input = too_long ? NULL : malloc((size_t)lines * sizeof *t->input);
    t->output = too_long ? NULL : malloc((size_t)lines * sizeof *t->output);
    if (too_long) {
        status = ration_node_fail(t->node, error, "%s has more than %d lines", t->path, ROWS_MAX);
    } else if (t->input == NULL || t->output == NULL) {
        status =
            ration_error_set(error, RATION_E_MEMORY, "out of memory for the trace %s", t->path);
    } else {
        status = read_rows(t, text, error);
    }
    if (status == RATION_OK) {
        w->work_cv2 =
            fmax(describe(t->input, t->rows, &w->input), describe(t->output, t->rows, &w->output));
        if (w->rate_per_s <= 0.0) {
            w->rate_per_s =
                t->last_s > t->first_s ? (double)(t->rows - 1) / (t->last_s - t->first_s) : 0.0;
        }
    }
    free(t->input);
    free(t->output);
    free(text);
    return status;
}

static ration_status read_trace(const ration_node *node, const char *scenario_path,
                                rn_serving_workload *w, ration_error *error)
{
    static const char *const known[] = {"path"};
    const ration_node *value = node;
    const char *name = NULL;
    trace t;
    memset(&t, 0, sizeof t);
    if (ration_node_kind(node) == RATION_KIND_MAP) {
        RATION_TRY(ration_node_keys(node, known, 1, error));
        RATION_TRY(ration_node_need(node, "path", &value, error));
    }
    RATION_TRY(ration_node_text(value, false, &name, error));
    const char *slash = name[0] == '/' ? NULL : strrchr(scenario_path, '/');
    const int length = slash == NULL ? 0 : (int)(slash - scenario_path) + 1;
    rn_arena arena = {NULL};
    ration_status status =
        rn_arena_text(&arena, &t.path, error, "%.*s%s", length, scenario_path, name);
    t.node = value;
    if (status == RATION_OK) {
        status = load_trace(&t, w, error);
    }
    rn_arena_free(&arena);
    w->length_origin = RN_SERVING_CATALOG;
    return status;
}

static ration_status read_length(const ration_node *map, const char *key, rn_serving_length *length,
                                 ration_error *error)
{
    static const char *const known[] = {"mean", "p95", "max"};
    const ration_node *node = NULL;
    const ration_node *mean = NULL;
    RATION_TRY(ration_node_need(map, key, &node, error));
    mean = node;
    if (ration_node_kind(node) == RATION_KIND_MAP) {
        RATION_TRY(ration_node_keys(node, known, 3, error));
        RATION_TRY(ration_node_need(node, "mean", &mean, error));
    }
    RATION_TRY(ration_node_real(mean, 1.0, 1e7, &length->mean, error));
    length->p95 = length->mean;
    if (mean != node) {
        RATION_TRY(rn_read_real(node, "p95", 1.0, 1e7, &length->p95, error));
    }
    length->most = fmax(length->mean, length->p95);
    if (mean != node) {
        RATION_TRY(rn_read_real(node, "max", 1.0, 1e7, &length->most, error));
    }
    if (length->most < fmax(length->mean, length->p95)) {
        return ration_node_fail(node, error, "max is %.15g, expected at least mean and p95",
                                length->most);
    }
    return RATION_OK;
}

ration_status rn_serving_lengths_read(const ration_node *map, const char *scenario_path,
                                      rn_serving_workload *w, ration_error *error)
{
    const ration_node *node = ration_node_find(map, "trace");
    const bool numbers = ration_node_find(map, "input_tokens") != NULL ||
                         ration_node_find(map, "output_tokens") != NULL;
    if (node != NULL && numbers) {
        return ration_node_fail(node, error,
                                "give either a trace or input_tokens and output_tokens, not both");
    }
    if (node != NULL) {
        RATION_TRY(read_trace(node, scenario_path, w, error));
    } else {
        w->work_cv2 = 1.0;
        w->length_origin = RN_SERVING_USER;
        RATION_TRY(read_length(map, "input_tokens", &w->input, error));
        RATION_TRY(read_length(map, "output_tokens", &w->output, error));
    }
    if (!(w->rate_per_s > 0.0)) {
        return ration_node_need(map, "rate_per_s", &node, error);
    }
    return RATION_OK;
}
