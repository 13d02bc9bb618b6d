/* Free MPS. The objective's constant is the right-hand side of the objective's row, negated, as
 * CPLEX, HiGHS, SCIP and CBC read it. Other bounds than 0 and infinity are written out. */
#include "core/fail.h"
#include "emit/formats.h"

static void put_pair(rn_sink *sink, const char *name, int64_t value)
{
    rn_sink_put(sink, " ", 1);
    rn_sink_text(sink, name);
    rn_sink_put(sink, " ", 1);
    rn_sink_integer(sink, value);
}

static void put_lines(const rn_milp *milp, rn_sink *sink)
{
    char name[RN_MILP_NAME_MAX];
    rn_sink_text(sink, "ROWS\n N cost\n");
    for (int32_t k = 0; k < milp->lines; k++) {
        const char sense = rn_milp_line_at(milp, k).sense;
        rn_sink_put(sink, " ", 1);
        rn_sink_put(sink, &sense, 1);
        rn_sink_put(sink, " ", 1);
        rn_sink_text(sink, rn_milp_line_name(milp, k, name));
        rn_sink_put(sink, "\n", 1);
    }
}

/* One line of the file for two entries. */
static void put_column(const rn_milp *milp, const char *name, const rn_milp_column *column,
                       rn_sink *sink)
{
    char line[RN_MILP_NAME_MAX];
    int32_t on_line = 0;
    if (column->cost != 0) {
        rn_sink_put(sink, " ", 1);
        rn_sink_text(sink, name);
        put_pair(sink, "cost", column->cost);
        on_line = 1;
    }
    for (int32_t k = 0; k < column->count; k++) {
        if (on_line == 0) {
            rn_sink_put(sink, " ", 1);
            rn_sink_text(sink, name);
        }
        put_pair(sink, rn_milp_line_name(milp, column->row[k], line), column->amount[k]);
        on_line = (on_line + 1) % 2;
        if (on_line == 0) {
            rn_sink_put(sink, "\n", 1);
        }
    }
    if (on_line == 1) {
        rn_sink_put(sink, "\n", 1);
    }
}

static ration_status put_columns(rn_milp *milp, rn_sink *sink, ration_export_size *size,
                                 ration_error *error)
{
    char name[RN_MILP_NAME_MAX];
    rn_sink_text(sink, "COLUMNS\n");
    for (int32_t c = 0; c < milp->columns; c++) {
        rn_milp_column column;
        if (c == 0 && milp->part_column > 0) {
            rn_sink_text(sink, " begin 'MARKER' 'INTORG'\n");
        }
        if (c == milp->part_column && c > 0) {
            rn_sink_text(sink, " end 'MARKER' 'INTEND'\n");
        }
        if (c % RN_FORMATS_CHECK == 0 && rn_sink_failed(sink)) {
            return RATION_OK; /* whoever made the sink reports it */
        }
        RN_TRY(rn_milp_column_at(milp, c, &column, error));
        if (column.present) {
            put_column(milp, rn_milp_column_name(milp, c, name), &column, sink);
            size->columns++;
            size->binaries += column.binary ? 1 : 0;
            size->nonzeros += column.count;
        }
    }
    if (milp->part_column > 0 && milp->part_column == milp->columns) {
        rn_sink_text(sink, " end 'MARKER' 'INTEND'\n");
    }
    return RATION_OK;
}

static void put_right_sides(const rn_milp *milp, rn_sink *sink)
{
    char name[RN_MILP_NAME_MAX];
    rn_sink_text(sink, "RHS\n");
    if (milp->constant != 0) {
        rn_sink_text(sink, " rhs");
        put_pair(sink, "cost", -milp->constant);
        rn_sink_put(sink, "\n", 1);
    }
    for (int32_t k = 0; k < milp->lines; k++) {
        const int64_t rhs = rn_milp_line_at(milp, k).rhs;
        if (rhs != 0) {
            rn_sink_text(sink, " rhs");
            put_pair(sink, rn_milp_line_name(milp, k, name), rhs);
            rn_sink_put(sink, "\n", 1);
        }
    }
}

static ration_status put_bounds(rn_milp *milp, rn_sink *sink, ration_error *error)
{
    char name[RN_MILP_NAME_MAX];
    rn_sink_text(sink, "BOUNDS\n");
    for (int32_t c = 0; c < milp->flow_column; c++) {
        rn_milp_column column;
        RN_TRY(rn_milp_column_at(milp, c, &column, error));
        if (!column.present) {
            continue;
        }
        if (column.binary) {
            rn_sink_text(sink, " BV bnd ");
            rn_sink_text(sink, rn_milp_column_name(milp, c, name));
            rn_sink_put(sink, "\n", 1);
        } else if (column.upper != INT64_MAX) {
            rn_sink_text(sink, " UP bnd");
            put_pair(sink, rn_milp_column_name(milp, c, name), column.upper);
            rn_sink_put(sink, "\n", 1);
        }
    }
    return RATION_OK;
}

ration_status rn_mps_write(rn_milp *milp, rn_sink *sink, ration_export_size *size,
                           ration_error *error)
{
    char digest[RATION_DIGEST_TEXT];
    ration_program_digest(milp->program, digest);
    rn_formats_head(milp, "* ", sink);
    rn_sink_text(sink, "NAME ration_");
    rn_sink_text(sink, digest);
    rn_sink_text(sink, " FREE\n");
    if (milp->sense == RATION_MAXIMISE) {
        rn_sink_text(sink, "OBJSENSE\n MAX\n");
    }
    put_lines(milp, sink);
    RN_TRY(put_columns(milp, sink, size, error));
    put_right_sides(milp, sink);
    RN_TRY(put_bounds(milp, sink, error));
    rn_sink_text(sink, "ENDATA\n");
    size->rows = milp->lines;
    return RATION_OK;
}
