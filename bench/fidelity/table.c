/* The reader of the measured tables. */
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cursor {
    char *at;
    char *end;
    int32_t line;
} cursor;

/* The next field of a line, unquoted in place. last: it ended the line. NULL when a quote is open
 * or text follows a closing one. */
static char *next_field(cursor *c, bool *last)
{
    char *start = c->at;
    char *to = start;
    char *at = start;
    if (at < c->end && *at == '"') {
        bool closed = false;
        for (++at; at < c->end && !closed; ++at) {
            if (*at == '"' && at + 1 < c->end && at[1] == '"') {
                *to++ = *at++;
            } else if (*at == '"') {
                closed = true;
            } else {
                c->line += *at == '\n' ? 1 : 0;
                *to++ = *at;
            }
        }
        if (!closed) {
            return NULL;
        }
    } else {
        while (at < c->end && *at != ',' && *at != '\n' && *at != '"') {
            ++at;
        }
        to = at > start && at[-1] == '\r' && (at == c->end || *at == '\n') ? at - 1 : at;
    }
    if (at + 1 < c->end && *at == '\r' && at[1] == '\n') {
        ++at;
    }
    if (at < c->end && *at != ',' && *at != '\n') {
        return NULL;
    }
    *last = at >= c->end || *at == '\n';
    c->at = at < c->end ? at + 1 : at;
    *to = '\0';
    return start;
}

static ration_status read_header(rn_fid_table *t, cursor *c, char **field, ration_error *error)
{
    bool last = false;
    for (t->columns = 0; !last; ++t->columns) {
        if (t->columns == RN_FID_COLUMNS_MAX) {
            return ration_error_set(error, RATION_E_INPUT,
                                    "%s: line 1: found over %d columns, expected fewer", t->path,
                                    RN_FID_COLUMNS_MAX);
        }
        field[t->columns] = next_field(c, &last);
        if (field[t->columns] == NULL) {
            return ration_error_set(error, RATION_E_INPUT,
                                    "%s: line 1: found a stray quote, expected quotes in pairs",
                                    t->path);
        }
        for (int32_t i = 0; i < t->columns; ++i) {
            if (strcmp(field[i], field[t->columns]) == 0) {
                return ration_error_set(error, RATION_E_INPUT,
                                        "%s: line 1: found column \"%.40s\" twice, expected once",
                                        t->path, field[i]);
            }
        }
    }
    return RATION_OK;
}

static ration_status read_rows(rn_fid_table *t, cursor *c, ration_error *error)
{
    for (t->rows = 0; c->at < c->end;) {
        ++c->line;
        if (*c->at == '\n' || (*c->at == '\r' && c->at + 1 < c->end && c->at[1] == '\n')) {
            c->at += *c->at == '\r' ? 2 : 1; /* an empty line */
            continue;
        }
        ++t->rows;
        t->line[t->rows] = c->line;
        bool last = false;
        int32_t found = 0;
        for (; !last; ++found) {
            char *field = next_field(c, &last);
            if (field == NULL) {
                return ration_error_set(
                    error, RATION_E_INPUT,
                    "%s: line %d: found a stray quote, expected quotes in pairs", t->path,
                    t->line[t->rows]);
            }
            if (found < t->columns) {
                t->cell[(int64_t)t->rows * t->columns + found] = field;
            }
        }
        if (found != t->columns) {
            return ration_error_set(error, RATION_E_INPUT,
                                    "%s: line %d: found %d fields, expected %d", t->path,
                                    t->line[t->rows], found, t->columns);
        }
    }
    return RATION_OK;
}

static ration_status slurp(const char *path, char **text, size_t *bytes, ration_error *error)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return ration_error_set(error, RATION_E_IO, "%s: %s", path, strerror(errno));
    }
    char *own = NULL;
    size_t size = 0;
    size_t room = 0;
    ration_status status = RATION_OK;
    for (;;) {
        if (size + 65536 + 1 > room) {
            room = room == 0 ? (size_t)1 << 20 : 2 * room;
            char *more = room > ((size_t)1 << 30) ? NULL : realloc(own, room);
            if (more == NULL) {
                status = ration_error_set(error, RATION_E_MEMORY, "%s: too large", path);
                break;
            }
            own = more;
        }
        const size_t got = fread(own + size, 1, 65536, file);
        size += got;
        if (got < 65536) {
            status = ferror(file) != 0
                         ? ration_error_set(error, RATION_E_IO, "%s: %s", path, strerror(errno))
                         : RATION_OK;
            break;
        }
    }
    fclose(file);
    if (status != RATION_OK) {
        free(own);
        return status;
    }
    own[size] = '\0';
    *text = own;
    *bytes = size;
    return RATION_OK;
}

static ration_status parse(rn_fid_table *t, size_t bytes, ration_error *error)
{
    char *header[RN_FID_COLUMNS_MAX];
    cursor c = {t->text, t->text + bytes, 1};
    if (memchr(t->text, '\0', bytes) != NULL) {
        return ration_error_set(error, RATION_E_INPUT, "%s: found a NUL byte, expected text",
                                t->path);
    }
    if (bytes >= 3 && memcmp(t->text, "\xEF\xBB\xBF", 3) == 0) {
        c.at += 3;
    }
    if (c.at == c.end) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%s: line 1: found nothing, expected a header", t->path);
    }
    int64_t lines = 2;
    for (size_t i = 0; i < bytes; ++i) {
        lines += t->text[i] == '\n' ? 1 : 0;
    }
    const ration_status status = read_header(t, &c, header, error);
    if (status != RATION_OK) {
        return status;
    }
    if (lines > RN_FID_ROWS_MAX) {
        return ration_error_set(error, RATION_E_INPUT, "%s: found over %d lines, expected fewer",
                                t->path, RN_FID_ROWS_MAX);
    }
    t->cell = calloc((size_t)lines * (size_t)t->columns, sizeof *t->cell);
    t->line = calloc((size_t)lines, sizeof *t->line);
    if (t->cell == NULL || t->line == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "%s: out of memory", t->path);
    }
    memcpy(t->cell, header, (size_t)t->columns * sizeof *header);
    t->line[0] = 1;
    return read_rows(t, &c, error);
}

ration_status rn_fid_table_read(const char *path, rn_fid_table *table, ration_error *error)
{
    rn_fid_table t;
    size_t bytes = 0;
    memset(&t, 0, sizeof t);
    ration_status status = slurp(path, &t.text, &bytes, error);
    if (status != RATION_OK) {
        return status;
    }
    t.path = malloc(strlen(path) + 1);
    if (t.path == NULL) {
        status = ration_error_set(error, RATION_E_MEMORY, "%s: out of memory", path);
    } else {
        memcpy(t.path, path, strlen(path) + 1);
        status = parse(&t, bytes, error);
    }
    if (status != RATION_OK) {
        rn_fid_table_free(&t);
        return status;
    }
    *table = t;
    return RATION_OK;
}

void rn_fid_table_free(rn_fid_table *table)
{
    free(table->path);
    free(table->text);
    free(table->cell);
    free(table->line);
    memset(table, 0, sizeof *table);
}

int32_t rn_fid_column(const rn_fid_table *table, const char *name)
{
    for (int32_t i = 0; i < table->columns; ++i) {
        if (strcmp(table->cell[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

const char *rn_fid_text(const rn_fid_table *table, int32_t row, const char *column)
{
    const int32_t at = rn_fid_column(table, column);
    return at < 0 ? "" : table->cell[(int64_t)(row + 1) * table->columns + at];
}

ration_status rn_fid_cell_number(const rn_fid_table *table, int32_t row, const char *column,
                                 double none, double low, double high, double *value,
                                 ration_error *error)
{
    const char *text = rn_fid_text(table, row, column);
    char *end = NULL;
    if (text[0] == '\0') {
        *value = none;
        return RATION_OK;
    }
    const double found = strtod(text, &end);
    if (*end != '\0' || !isfinite(found)) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%s: line %d: %s: found \"%.40s\", expected a number", table->path,
                                table->line[row + 1], column, text);
    }
    if (found < low || found > high) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%s: line %d: %s: found %.6g, expected %.6g to %.6g", table->path,
                                table->line[row + 1], column, found, low, high);
    }
    *value = found;
    return RATION_OK;
}
