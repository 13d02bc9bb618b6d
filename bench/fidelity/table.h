/* A CSV file in memory: header, rows, cells by column name.
 *
 * Accepts a byte order mark, CRLF, quoted fields with commas and doubled
 * quotes, and a missing last line break. Refuses with file, line, what was
 * found and what was expected: a row with another number of fields than the
 * header, a quote that isn't closed, NUL bytes, an empty file.
 */
#ifndef RN_FIDELITY_TABLE_H
#define RN_FIDELITY_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "ration/error.h"

enum { RN_FID_COLUMNS_MAX = 128, RN_FID_ROWS_MAX = 4000000 };

typedef struct rn_fid_table {
    char *path;
    char *text;    /* fields are cut in place */
    char **cell;   /* [(rows + 1) * columns], the header first */
    int32_t *line; /* [rows + 1] */
    int32_t columns;
    int32_t rows;
} rn_fid_table;

/* table: out, owned, rn_fid_table_free. RATION_E_IO, RATION_E_INPUT, RATION_E_MEMORY; on failure
 * nothing is written. */
ration_status rn_fid_table_read(const char *path, rn_fid_table *table, ration_error *error);
void rn_fid_table_free(rn_fid_table *table);

/* Index of a column, -1 when there is none. */
int32_t rn_fid_column(const rn_fid_table *table, const char *name);

/* A cell; "" when the table has no such column. */
const char *rn_fid_text(const rn_fid_table *table, int32_t row, const char *column);

/* A number of a cell; `none` where the cell is empty or missing. RATION_E_INPUT when it is no
 * number or lies outside low .. high. */
ration_status rn_fid_cell_number(const rn_fid_table *table, int32_t row, const char *column,
                                 double none, double low, double high, double *value,
                                 ration_error *error);

#endif
