/* The linear model of a program: planning it. */
#include "emit/milp.h"

#include <string.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "ration/export.h"

ration_status rn_milp_exact(const ration_program *program, rn_thing kind, int32_t index,
                            rn_i128 value, int64_t *result, ration_error *error)
{
    if (value >= -RN_MILP_EXACT && value <= RN_MILP_EXACT) {
        *result = (int64_t)value;
        return RATION_OK;
    }
    char label[RN_LABEL_TEXT];
    char text[RN_I128_TEXT_MAX];
    return rn_fail(error, RATION_E_RANGE,
                   "%s: the model needs the number %s, solvers hold integers up to 2^53 only",
                   rn_program_label(program, kind, index, label), rn_i128_text(value, text));
}

ration_status rn_milp_more(int32_t *total, int64_t count, const char *name, ration_error *error)
{
    if (count > RATION_EXPORT_OPTIONS_MAX - *total) {
        return rn_fail(error, RATION_E_RANGE, "the model has over %d %s, expected at most so many",
                       (int)RATION_EXPORT_OPTIONS_MAX, name);
    }
    *total += (int32_t)count;
    return RATION_OK;
}

void rn_milp_free(rn_milp *milp)
{
    if (milp == NULL) {
        return;
    }
    rn_free(milp->item_column);
    rn_free(milp->choice_row);
    rn_free(milp->tie);
    rn_free(milp->part);
    rn_free(milp->part_row);
    rn_free(milp->line_row);
    rn_free(milp->conflict_line);
    rn_free(milp->conflict_row);
    rn_free(milp->pair);
    rn_free(milp->pair_at);
    rn_free(milp->pair_of);
    rn_free(milp->place_at);
    rn_free(milp->place);
    rn_free(milp->spread_item);
    rn_free(milp->spread_of);
    rn_free(milp->spread_at);
    rn_free(milp->spread_most);
    rn_free(milp->slot);
    rn_free(milp->row);
    rn_free(milp->amount);
    rn_free(milp);
}

/* Counts the items that can stand at a place for each set; seen: [places] the last of them, -1 at
 * first. */
static void count_conflicts(rn_milp *milp, int32_t *seen)
{
    const rn_view *v = milp->view;
    for (int32_t i = 0; i < v->items; i++) {
        const int32_t first = v->conflict_at[i];
        const int32_t end = v->conflict_at[i + 1];
        for (int32_t o = 0; first < end && o < v->item_options[i]; o++) {
            const int32_t place = rn_option_decode(v, i, o).place;
            if (place < 0 || seen[place] == i || !rn_place_allowed(v, i, place)) {
                continue;
            }
            seen[place] = i;
            for (int32_t k = first; k < end; k++) {
                milp->conflict_line[(int64_t)v->conflict_set[k] * v->places + place]++;
            }
        }
    }
}

/* A line for each set and place where two of the set can meet. */
static ration_status plan_conflicts(rn_milp *milp, ration_error *error)
{
    const rn_view *v = milp->view;
    const int32_t rows = v->all_rows - v->rows;
    if (rows == 0) {
        return RATION_OK;
    }
    milp->conflict_line = rn_calloc((size_t)rows, sizeof(int32_t));
    milp->conflict_row = rn_calloc((size_t)rows, sizeof(int32_t));
    int32_t *seen = rn_malloc((size_t)v->places * sizeof *seen);
    if (milp->conflict_line == NULL || milp->conflict_row == NULL || seen == NULL) {
        rn_free(seen);
        return rn_fail_memory(error, "conflicts", 2 * (size_t)rows * sizeof(int32_t));
    }
    memset(seen, -1, (size_t)v->places * sizeof *seen);
    count_conflicts(milp, seen);
    rn_free(seen);
    const int32_t first = milp->lines;
    for (int32_t r = 0; r < rows; r++) {
        const bool kept = milp->conflict_line[r] > 1;
        milp->conflict_line[r] = kept ? first + milp->conflicts : -1;
        if (kept) {
            milp->conflict_row[milp->conflicts++] = r;
        }
    }
    return rn_milp_more(&milp->lines, milp->conflicts, "rows", error);
}

static ration_status plan_items(rn_milp *milp, ration_error *error)
{
    const rn_view *v = milp->view;
    milp->item_column = rn_calloc((size_t)v->items + 1, sizeof(int32_t));
    milp->tie = rn_calloc((size_t)v->rows, sizeof *milp->tie);
    if (milp->item_column == NULL || milp->tie == NULL) {
        return rn_fail_memory(error, "the rows of the model", (size_t)v->rows * sizeof *milp->tie);
    }
    for (int32_t i = 0; i < v->items; i++) {
        RN_TRY(rn_milp_more(&milp->columns, v->item_options[i], "columns", error));
        milp->item_column[i + 1] = milp->columns;
    }
    return rn_milp_more(&milp->lines, v->items, "rows", error);
}

/* The objective's constant, in the sense of the file. */
static ration_status fill_constant(rn_milp *milp, rn_i128 constant, ration_error *error)
{
    int64_t given = 0;
    int32_t scale = 0;
    char text[RN_I128_TEXT_MAX];
    ration_program_objective(milp->program, &milp->sense, &given, &scale);
    const rn_i128 total = given + (milp->sense == RATION_MAXIMISE ? -constant : constant);
    if (total < -RN_MILP_EXACT || total > RN_MILP_EXACT) {
        return rn_fail(error, RATION_E_RANGE,
                       "the objective's constant is %s, solvers hold integers up to 2^53 only",
                       rn_i128_text(total, text));
    }
    milp->constant = (int64_t)total;
    return RATION_OK;
}

static ration_status plan_all(rn_milp *milp, int64_t flows, ration_error *error)
{
    rn_i128 constant = 0;
    RN_TRY(plan_items(milp, error));
    RN_TRY(rn_milp_plan_rows(milp, &constant, error));
    milp->choice_column = milp->columns;
    RN_TRY(rn_milp_more(&milp->columns, milp->choices, "columns", error));
    milp->part_column = milp->columns;
    RN_TRY(rn_milp_more(&milp->columns, milp->parts, "columns", error));
    RN_TRY(plan_conflicts(milp, error));
    milp->flow_column = milp->columns;
    RN_TRY(rn_milp_plan_traffic(milp, flows, &constant, error));
    RN_TRY(fill_constant(milp, constant, error));
    const size_t lines = (size_t)milp->lines;
    milp->slot = rn_malloc(lines * sizeof *milp->slot);
    milp->row = rn_malloc(lines * sizeof *milp->row);
    milp->amount = rn_malloc(lines * sizeof *milp->amount);
    if (milp->slot == NULL || milp->row == NULL || milp->amount == NULL) {
        return rn_fail_memory(error, "a column", lines * sizeof *milp->amount);
    }
    memset(milp->slot, -1, lines * sizeof *milp->slot);
    return RATION_OK;
}

ration_status rn_milp_make(const ration_program *program, int64_t flows, rn_milp **milp,
                           ration_error *error)
{
    rn_milp *made = rn_calloc(1, sizeof *made);
    if (made == NULL) {
        return rn_fail_memory(error, "the model", sizeof *made);
    }
    made->program = program;
    made->view = rn_program_view(program);
    const ration_status status = plan_all(made, flows, error);
    if (status != RATION_OK) {
        rn_milp_free(made);
        return status;
    }
    *milp = made;
    return RATION_OK;
}
