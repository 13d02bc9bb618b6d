/* The reader of the catalog's CSV files. */
#include "catalog/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Where the reader stands. Fields are cut in place: `at` runs over a private copy of the text. */
typedef struct cursor {
    const char *name;
    char *at;
    char *end;
    int32_t line;
} cursor;

bool rn_decimal_parse(const char *text, double *value)
{
    const bool negative = *text == '-';
    const char *at = text + (negative ? 1 : 0);
    int64_t mantissa = 0;
    double divisor = 1.0;
    int32_t digits = 0;
    bool point = false;
    for (; *at != '\0'; ++at) {
        if (*at == '.' && !point && digits > 0) {
            point = true;
            continue;
        }
        if (*at < '0' || *at > '9' || digits == 15) {
            return false;
        }
        mantissa = mantissa * 10 + (*at - '0');
        divisor = point ? divisor * 10.0 : divisor;
        ++digits;
    }
    if (digits == 0 || at[-1] == '.') {
        return false;
    }
    *value =
        (negative ? -(double)mantissa : (double)mantissa) / divisor; /* both exact: rounded once */
    return true;
}

static ration_status line_fail(const cursor *c, ration_error *error, const char *column,
                               const char *found, const char *expected)
{
    return ration_error_set(error, RATION_E_INPUT, "%s: line %d: %s: found \"%.60s\", expected %s",
                            c->name, c->line, column, found, expected);
}

/* Unquotes a field that starts after its opening quote; returns its end, or NULL when it isn't
 * closed on its line. */
static char *unquote(char *from, const char *end, char **after)
{
    char *to = from;
    char *at = from;
    while (at < end && *at != '\n') {
        if (*at == '"' && at + 1 < end && at[1] == '"') {
            ++at;
        } else if (*at == '"') {
            *after = at + 1;
            return to;
        }
        *to++ = *at++;
    }
    return NULL;
}

/* Cuts the next field of the line; last: whether it ended the line. */
static ration_status next_field(cursor *c, const char *column, char **field, bool *last,
                                ration_error *error)
{
    char *start = c->at;
    char *stop = start;
    char *after = start;
    if (start < c->end && *start == '"') {
        ++start;
        stop = unquote(start, c->end, &after);
        if (stop == NULL) {
            return line_fail(c, error, column, "\"", "a closing quote on the same line");
        }
    } else {
        while (after < c->end && *after != ',' && *after != '\n' && *after != '"') {
            ++after;
        }
        stop = after > start && after[-1] == '\r' ? after - 1 : after;
    }
    if (after < c->end && *after == '\r' && after + 1 < c->end && after[1] == '\n') {
        ++after;
    }
    if (after < c->end && *after != ',' && *after != '\n') {
        return line_fail(c, error, column, "a quote",
                         "a comma or the end of the line after a field");
    }
    *last = after >= c->end || *after == '\n';
    c->at = after < c->end ? after + 1 : after;
    *stop = '\0';
    *field = start;
    return RATION_OK;
}

static ration_status read_confidence(const cursor *c, const rn_column *column, const char *field,
                                     void *out, ration_error *error)
{
    ration_confidence value = RATION_CONFIDENCE_NONE;
    for (int32_t i = RATION_CONFIDENCE_ASSUMED; i <= RATION_CONFIDENCE_READ; ++i) {
        if (strcmp(field, ration_confidence_text((ration_confidence)i)) == 0) {
            value = (ration_confidence)i;
        }
    }
    if (value == RATION_CONFIDENCE_NONE) {
        return line_fail(c, error, column->name, field, "assumed, recalled or source_read");
    }
    memcpy(out, &value, sizeof value);
    return RATION_OK;
}

static ration_status read_number(const cursor *c, const rn_column *column, const char *field,
                                 void *out, ration_error *error)
{
    double value = 0.0;
    if (!rn_decimal_parse(field, &value)) {
        return line_fail(c, error, column->name, field, "a plain decimal number");
    }
    if (!(value >= column->low && value <= column->high)) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%s: line %d: %s: found %.15g, expected %.15g to %.15g", c->name,
                                c->line, column->name, value, column->low, column->high);
    }
    if (column->kind == RN_COLUMN_REAL) {
        value *= column->scale;
        memcpy(out, &value, sizeof value);
        return RATION_OK;
    }
    const int32_t whole = (int32_t)value;
    if ((double)whole != value) {
        return line_fail(c, error, column->name, field, "a whole number");
    }
    memcpy(out, &whole, sizeof whole);
    return RATION_OK;
}

static ration_status store(const cursor *c, const rn_column *column, const char *field, char *row,
                           ration_error *error)
{
    char *out = row + column->offset;
    if (field[0] == '\0' && column->needed) {
        return line_fail(c, error, column->name, "", "a value");
    }
    if (column->kind == RN_COLUMN_TEXT) {
        memcpy(out, &field, sizeof field);
        return RATION_OK;
    }
    if (field[0] == '\0' || column->kind == RN_COLUMN_SKIP) {
        return RATION_OK;
    }
    return column->kind == RN_COLUMN_CONFIDENCE ? read_confidence(c, column, field, out, error)
                                                : read_number(c, column, field, out, error);
}

/* One line into a row; row == NULL: the header, compared with the table. */
static ration_status read_line(const rn_table *table, cursor *c, char *row, ration_error *error)
{
    for (int32_t i = 0; i < table->columns; ++i) {
        const rn_column *column = &table->column[i];
        char *field = NULL;
        bool last = false;
        ration_status status = next_field(c, column->name, &field, &last, error);
        if (status != RATION_OK) {
            return status;
        }
        if (last != (i + 1 == table->columns)) {
            return ration_error_set(
                error, RATION_E_INPUT, "%s: line %d: found %s than %d fields, expected %d", c->name,
                c->line, last ? "fewer" : "more", table->columns, table->columns);
        }
        if (row == NULL && strcmp(field, column->name) != 0) {
            return line_fail(c, error, "header", field, column->name);
        }
        status = row == NULL ? RATION_OK : store(c, column, field, row, error);
        if (status != RATION_OK) {
            return status;
        }
    }
    return RATION_OK;
}

static ration_status read_rows(const rn_table *table, cursor *c, char *rows, int32_t count,
                               ration_error *error)
{
    for (int32_t i = -1; i < count; ++i) {
        c->line = i + 2;
        char *row = i < 0 ? NULL : rows + (size_t)i * table->row_bytes;
        const ration_status status = read_line(table, c, row, error);
        if (status != RATION_OK) {
            return status;
        }
    }
    return RATION_OK;
}

static int32_t count_lines(const ration_catalog_text *text)
{
    int64_t lines = 0;
    for (size_t i = 0; i < text->bytes; ++i) {
        lines += text->text[i] == '\n' ? 1 : 0;
    }
    lines += text->bytes > 0 && text->text[text->bytes - 1] != '\n' ? 1 : 0;
    return lines > RN_TABLE_ROWS_MAX ? -1 : (int32_t)lines;
}

ration_status rn_table_read(const rn_table *table, const ration_catalog_text *text, void **rows,
                            int32_t *count, char **copy, ration_error *error)
{
    assert(table->columns >= 1 && table->columns <= RN_COLUMNS_MAX && table->row_bytes > 0);
    const int32_t lines = count_lines(text);
    if (lines < 2) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%s: found %s, expected a header and 1 to %d rows", text->name,
                                lines < 0 ? "more lines" : "no rows", RN_TABLE_ROWS_MAX);
    }
    if (memchr(text->text, '\0', text->bytes) != NULL) {
        return ration_error_set(error, RATION_E_INPUT, "%s: found a NUL byte, expected text",
                                text->name);
    }
    char *own = malloc(text->bytes + 1);
    char *block = calloc((size_t)lines - 1, table->row_bytes);
    ration_status status = RATION_E_MEMORY;
    if (own == NULL || block == NULL) {
        ration_error_set(error, status, "out of memory for the catalog");
    } else {
        memcpy(own, text->text, text->bytes);
        own[text->bytes] = '\0';
        cursor c = {text->name, own, own + text->bytes, 1};
        status = read_rows(table, &c, block, lines - 1, error);
    }
    if (status != RATION_OK) {
        free(own);
        free(block);
        return status;
    }
    *rows = block;
    *count = lines - 1;
    *copy = own;
    return RATION_OK;
}
