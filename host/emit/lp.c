/* CPLEX LP. The same columns and lines as in MPS; the objective's constant is the column `one`,
 * fixed at 1, because not every reader takes a number without a name there. The matrix is
 * transposed in memory first: the format goes line by line. */
#include <string.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "emit/formats.h"

enum { TERMS_A_LINE = 6 };

/* The matrix line by line: terms at[k] .. at[k + 1] - 1 of line k. */
typedef struct matrix {
    int64_t *at; /* [lines + 2] */
    int32_t *column;
    int64_t *amount;
} matrix;

static void matrix_free(matrix *m)
{
    rn_free(m->at);
    rn_free(m->column);
    rn_free(m->amount);
}

/* Counts terms by line into at[line + 2], then makes the starts of them. */
static ration_status count_terms(rn_milp *milp, matrix *m, ration_export_size *size,
                                 ration_error *error)
{
    for (int32_t c = 0; c < milp->columns; c++) {
        rn_milp_column column;
        RN_TRY(rn_milp_column_at(milp, c, &column, error));
        if (!column.present) {
            continue;
        }
        size->columns++;
        size->binaries += column.binary ? 1 : 0;
        size->nonzeros += column.count;
        for (int32_t k = 0; k < column.count; k++) {
            m->at[(int64_t)column.row[k] + 2]++;
        }
    }
    for (int64_t k = 2; k < (int64_t)milp->lines + 2; k++) {
        m->at[k] += m->at[k - 1];
    }
    return RATION_OK;
}

static ration_status transpose(rn_milp *milp, matrix *m, ration_export_size *size,
                               ration_error *error)
{
    m->at = rn_calloc((size_t)milp->lines + 2, sizeof *m->at);
    if (m->at == NULL) {
        return rn_fail_memory(error, "the matrix", ((size_t)milp->lines + 2) * sizeof *m->at);
    }
    RN_TRY(count_terms(milp, m, size, error));
    const size_t terms = (size_t)size->nonzeros;
    m->column = rn_malloc(terms * sizeof *m->column);
    m->amount = rn_malloc(terms * sizeof *m->amount);
    if (m->column == NULL || m->amount == NULL) {
        return rn_fail_memory(error, "the matrix", terms * (sizeof *m->column + sizeof *m->amount));
    }
    for (int32_t c = 0; c < milp->columns; c++) {
        rn_milp_column column;
        RN_TRY(rn_milp_column_at(milp, c, &column, error));
        for (int32_t k = 0; column.present && k < column.count; k++) {
            const int64_t to = m->at[(int64_t)column.row[k] + 1]++;
            m->column[to] = c;
            m->amount[to] = column.amount[k];
        }
    }
    return RATION_OK;
}

/* " + 3 NAME", with a line break before every few; term: how many came before. */
static void put_term(rn_sink *sink, int64_t term, int64_t amount, const char *name)
{
    if (term > 0 && term % TERMS_A_LINE == 0) {
        rn_sink_text(sink, "\n ");
    }
    rn_sink_text(sink, amount < 0 ? " - " : " + ");
    rn_sink_integer(sink, amount < 0 ? -amount : amount);
    rn_sink_put(sink, " ", 1);
    rn_sink_text(sink, name);
}

static ration_status put_objective(rn_milp *milp, rn_sink *sink, ration_error *error)
{
    char name[RN_MILP_NAME_MAX];
    int64_t term = 0;
    rn_sink_text(sink, milp->sense == RATION_MAXIMISE ? "Maximize\n cost:" : "Minimize\n cost:");
    for (int32_t c = 0; c < milp->columns; c++) {
        rn_milp_column column;
        RN_TRY(rn_milp_column_at(milp, c, &column, error));
        if (column.present && column.cost != 0) {
            put_term(sink, term++, column.cost, rn_milp_column_name(milp, c, name));
        }
    }
    put_term(sink, term, milp->constant, "one");
    rn_sink_text(sink, "\n");
    return RATION_OK;
}

static void put_lines(const rn_milp *milp, const matrix *m, rn_sink *sink)
{
    char name[RN_MILP_NAME_MAX];
    rn_sink_text(sink, "Subject To\n");
    for (int32_t k = 0; k < milp->lines && !rn_sink_failed(sink); k++) {
        const rn_milp_line line = rn_milp_line_at(milp, k);
        rn_sink_put(sink, " ", 1);
        rn_sink_text(sink, rn_milp_line_name(milp, k, name));
        rn_sink_put(sink, ":", 1);
        for (int64_t t = m->at[k]; t < m->at[k + 1]; t++) {
            put_term(sink, t - m->at[k], m->amount[t],
                     rn_milp_column_name(milp, m->column[t], name));
        }
        if (m->at[k] == m->at[k + 1]) {
            put_term(sink, 0, 0, "one");
        }
        rn_sink_text(sink, line.sense == 'E' ? " = " : line.sense == 'L' ? " <= " : " >= ");
        rn_sink_integer(sink, line.rhs);
        rn_sink_put(sink, "\n", 1);
    }
}

static ration_status put_bounds(rn_milp *milp, rn_sink *sink, ration_error *error)
{
    char name[RN_MILP_NAME_MAX];
    rn_sink_text(sink, "Bounds\n one = 1\n");
    for (int32_t c = milp->part_column; c < milp->flow_column; c++) {
        rn_milp_column column;
        RN_TRY(rn_milp_column_at(milp, c, &column, error));
        if (column.present && column.upper != INT64_MAX) {
            rn_sink_text(sink, " 0 <= ");
            rn_sink_text(sink, rn_milp_column_name(milp, c, name));
            rn_sink_text(sink, " <= ");
            rn_sink_integer(sink, column.upper);
            rn_sink_put(sink, "\n", 1);
        }
    }
    return RATION_OK;
}

static ration_status put_binaries(rn_milp *milp, rn_sink *sink, ration_error *error)
{
    char name[RN_MILP_NAME_MAX];
    for (int32_t c = 0; c < milp->part_column; c++) {
        rn_milp_column column;
        RN_TRY(rn_milp_column_at(milp, c, &column, error));
        if (c == 0) {
            rn_sink_text(sink, "Binaries\n");
        }
        if (column.present) {
            rn_sink_put(sink, " ", 1);
            rn_sink_text(sink, rn_milp_column_name(milp, c, name));
            rn_sink_put(sink, "\n", 1);
        }
    }
    return RATION_OK;
}

ration_status rn_lp_write(rn_milp *milp, rn_sink *sink, ration_export_size *size,
                          ration_error *error)
{
    matrix m = {NULL, NULL, NULL};
    rn_formats_head(milp, "\\ ", sink);
    ration_status status = put_objective(milp, sink, error);
    if (status == RATION_OK) {
        status = transpose(milp, &m, size, error);
    }
    if (status == RATION_OK) {
        put_lines(milp, &m, sink);
    }
    matrix_free(&m);
    RN_TRY(status);
    RN_TRY(put_bounds(milp, sink, error));
    RN_TRY(put_binaries(milp, sink, error));
    rn_sink_text(sink, "End\n");
    size->columns++; /* one */
    size->rows = milp->lines;
    return RATION_OK;
}
