/* Rows of a CSV text as C structs: one line of a table says what a column is
 * and where its value goes.
 *
 * Strict: the header is the table's columns in order, every row has as many
 * fields, every number lies in its range. Quoted fields, CRLF and a missing
 * last line break are accepted; an empty line is not. Numbers are plain
 * decimals, whatever the locale.
 */
#ifndef RATION_CATALOG_TABLE_H
#define RATION_CATALOG_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalog/catalog.h"
#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rn_column_kind {
    RN_COLUMN_TEXT,       /* const char *; may be empty unless needed */
    RN_COLUMN_REAL,       /* double = number · scale, bounds before scaling */
    RN_COLUMN_INTEGER,    /* int32_t */
    RN_COLUMN_CONFIDENCE, /* ration_confidence */
    RN_COLUMN_SKIP
} rn_column_kind;

typedef struct rn_column {
    const char *name;
    rn_column_kind kind;
    bool needed;   /* an empty field is refused; else it leaves 0 */
    size_t offset; /* in the row's struct */
    double low;    /* of numbers, inclusive */
    double high;
    double scale; /* of RN_COLUMN_REAL */
} rn_column;

enum { RN_COLUMNS_MAX = 40, RN_TABLE_ROWS_MAX = 100000 };

typedef struct rn_table {
    const rn_column *column;
    int32_t columns;
    size_t row_bytes;
} rn_table;

/* Parses a text. rows: out, owned, free(): [count] structs of row_bytes; copy: out, owned, free():
 * the text that the rows' names point into. RATION_E_INPUT with file, line and column;
 * RATION_E_MEMORY; on failure nothing is written. */
ration_status rn_table_read(const rn_table *table, const ration_catalog_text *text, void **rows,
                            int32_t *count, char **copy, ration_error *error);

/* value = the plain decimal `text` ("-", digits, at most one point); false when it is none or has
 * over 15 digits. */
bool rn_decimal_parse(const char *text, double *value);

#ifdef __cplusplus
}
#endif

#endif
