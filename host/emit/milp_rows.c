/* What becomes of the program's rows in a linear model: nothing, one inequality, or an equality
 * with the parts of its load. See milp.h for the model. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "emit/milp.h"

typedef struct planner {
    rn_milp *milp;
    const rn_view *v;
    rn_i128 *constant;
    int64_t *start; /* [starts] scratch: where parts may begin */
    int64_t start_capacity;
    int64_t starts;
    int64_t part_capacity;
} planner;

/* Whether pieces first .. end-1 have one value on low .. high. */
static bool is_constant(const rn_view *v, int32_t first, int32_t end, int64_t low, int64_t high)
{
    const int64_t value = rn_pieces_at(v->piece, first, end, low);
    for (int32_t p = first; p < end; p++) {
        const int64_t start = v->piece[p].start;
        const int64_t from = p == first || start < low ? low : start;
        const int64_t to =
            p + 1 == end || v->piece[p + 1].start > high ? high : v->piece[p + 1].start - 1;
        if (from > to) {
            continue;
        }
        if (rn_pieces_at(v->piece, first, end, from) != value ||
            (to > from && v->piece[p].slope != 0)) {
            return false;
        }
    }
    return true;
}

/* Whether a function that is linear on s .. t-1 and on t .. u is linear on s .. u. */
static bool continues(const rn_view *v, int32_t first, int32_t end, int64_t s, int64_t t, int64_t u)
{
    const rn_i128 at_s = rn_pieces_at(v->piece, first, end, s);
    const rn_i128 at_t = rn_pieces_at(v->piece, first, end, t);
    const rn_i128 slope = rn_pieces_at(v->piece, first, end, s + 1) - at_s;
    if (at_t - at_s != slope * (t - s)) {
        return false;
    }
    return t == u || rn_pieces_at(v->piece, first, end, t + 1) - at_t == slope;
}

/* Whether anything looks at what the feed adds. */
static bool feed_counts(const planner *plan, int32_t feed)
{
    return plan->milp->tie[plan->v->feed_to[feed]].kind != RN_TIE_NONE;
}

static bool row_continues(const planner *plan, int32_t r, int64_t s, int64_t t, int64_t u)
{
    const rn_view *v = plan->v;
    if (!continues(v, v->row_piece[r], v->row_piece[r + 1], s, t, u)) {
        return false;
    }
    for (int32_t f = v->row_feed[r]; f < v->row_feed[r + 1]; f++) {
        if (feed_counts(plan, f) &&
            !continues(v, v->feed_piece[f], v->feed_piece[f + 1], s, t, u)) {
            return false;
        }
    }
    return true;
}

static ration_status add_starts(planner *plan, int32_t r, int32_t first, int32_t end,
                                ration_error *error)
{
    const rn_milp_tie *tie = &plan->milp->tie[r];
    const int64_t needed = plan->starts + end - first;
    int64_t *grown = rn_grow(plan->start, needed, sizeof *grown, &plan->start_capacity);
    if (grown == NULL) {
        return rn_fail_memory(error, "the parts of a row", (size_t)needed * sizeof *grown);
    }
    plan->start = grown;
    for (int32_t p = first + 1; p < end; p++) {
        const int64_t start = plan->v->piece[p].start;
        if (start > tie->low && start <= tie->high) {
            plan->start[plan->starts++] = start;
        }
    }
    return RATION_OK;
}

static int compare_starts(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static ration_status add_part(planner *plan, rn_milp_part part, ration_error *error)
{
    rn_milp *milp = plan->milp;
    const int64_t needed = (int64_t)milp->parts + 1;
    rn_milp_part *grown = rn_grow(milp->part, needed, sizeof *grown, &plan->part_capacity);
    if (grown == NULL) {
        return rn_fail_memory(error, "the parts of rows", (size_t)needed * sizeof *grown);
    }
    milp->part = grown;
    milp->part[milp->parts] = part;
    return rn_milp_more(&milp->parts, 1, "parts of rows", error);
}

/* Part s .. e with the row's cost on it. */
static ration_status add_run(planner *plan, int32_t r, int64_t s, int64_t e, ration_error *error)
{
    const rn_view *v = plan->v;
    const ration_program *program = plan->milp->program;
    const int32_t first = v->row_piece[r];
    const int32_t end = v->row_piece[r + 1];
    const rn_i128 at = rn_pieces_at(v->piece, first, end, s);
    const rn_i128 base = rn_pieces_at(v->piece, first, end, plan->milp->tie[r].low);
    int64_t end_distance = 0; /* no load is farther from the lower end */
    RN_TRY(rn_milp_exact(program, RN_ROW, r, (rn_i128)e - plan->milp->tie[r].low, &end_distance,
                         error));
    rn_milp_part part = {s, e - s, 0, 0, 0};
    RN_TRY(rn_milp_exact(program, RN_ROW, r, at - base, &part.cost, error));
    if (e > s) {
        const rn_i128 next = rn_pieces_at(v->piece, first, end, s + 1);
        RN_TRY(rn_milp_exact(program, RN_ROW, r, next - at, &part.slope, error));
    }
    return add_part(plan, part, error);
}

/* Cuts the load's range into maximal runs on which the row's functions are linear. */
static ration_status cut_row(planner *plan, int32_t r, ration_error *error)
{
    const rn_view *v = plan->v;
    rn_milp_tie *tie = &plan->milp->tie[r];
    plan->starts = 0;
    RN_TRY(add_starts(plan, r, v->row_piece[r], v->row_piece[r + 1], error));
    for (int32_t f = v->row_feed[r]; f < v->row_feed[r + 1]; f++) {
        if (feed_counts(plan, f)) {
            RN_TRY(add_starts(plan, r, v->feed_piece[f], v->feed_piece[f + 1], error));
        }
    }
    if (plan->starts > 1) {
        qsort(plan->start, (size_t)plan->starts, sizeof *plan->start, compare_starts);
    }
    tie->part = plan->milp->parts;
    int64_t from = tie->low;
    for (int64_t k = 0; k < plan->starts; k++) {
        const int64_t next = plan->start[k];
        const int64_t end = k + 1 < plan->starts ? plan->start[k + 1] - 1 : tie->high;
        if (end < next || row_continues(plan, r, from, next, end)) {
            continue; /* the same start again, or no break */
        }
        RN_TRY(add_run(plan, r, from, next - 1, error));
        from = next;
    }
    RN_TRY(add_run(plan, r, from, tie->high, error));
    tie->parts = plan->milp->parts - tie->part;
    return RATION_OK;
}

/* Replaces the runs of a row by the steps of its cost: slope by slope, the jump from one run to the
 * next being a step of length 1. */
static ration_status cut_steps(planner *plan, int32_t r, ration_error *error)
{
    rn_milp *milp = plan->milp;
    rn_milp_tie *tie = &milp->tie[r];
    const int32_t runs = tie->parts;
    for (int32_t k = 0; k < runs; k++) {
        const rn_milp_part run = milp->part[tie->part + k];
        if (run.length > 0) {
            RN_TRY(add_part(plan, run, error));
        }
        if (k + 1 < runs) {
            const rn_i128 end = run.cost + (rn_i128)run.slope * run.length;
            rn_milp_part jump = {run.start + run.length, 1, 0, 0, 0};
            RN_TRY(rn_milp_exact(milp->program, RN_ROW, r, milp->part[tie->part + k + 1].cost - end,
                                 &jump.slope, error));
            RN_TRY(add_part(plan, jump, error));
        }
    }
    const int32_t steps = milp->parts - tie->part - runs;
    rn_milp_part *step = milp->part + tie->part;
    memmove(step, step + runs, (size_t)steps * sizeof *step);
    int32_t kept = 0;
    for (int32_t k = 0; k < steps; k++) {
        if (kept > 0 && step[kept - 1].slope == step[k].slope) {
            step[kept - 1].length += step[k].length;
        } else {
            step[kept++] = step[k];
        }
    }
    tie->parts = kept;
    milp->parts = tie->part + kept;
    return RATION_OK;
}

/* Whether the runs of a row, which feeds nothing, have a cost that is convex on the integers. */
static bool is_convex(const rn_milp *milp, const rn_milp_tie *tie)
{
    rn_i128 slope = 0;
    bool known = false;
    for (int32_t k = 0; k < tie->parts; k++) {
        const rn_milp_part *run = &milp->part[tie->part + k];
        if (run->length > 0) {
            if (known && run->slope < slope) {
                return false;
            }
            slope = run->slope;
            known = true;
        }
        if (k + 1 < tie->parts) {
            const rn_i128 jump = run[1].cost - run->cost - (rn_i128)run->slope * run->length;
            if (known && jump < slope) {
                return false;
            }
            slope = jump;
            known = true;
        }
    }
    return true;
}

static bool feeds_matter(const planner *plan, int32_t r)
{
    const rn_view *v = plan->v;
    const rn_milp_tie *tie = &plan->milp->tie[r];
    for (int32_t f = v->row_feed[r]; f < v->row_feed[r + 1]; f++) {
        if (feed_counts(plan, f) &&
            !is_constant(v, v->feed_piece[f], v->feed_piece[f + 1], tie->low, tie->high)) {
            return true;
        }
    }
    return false;
}

/* Decides what a row becomes; the rows that it feeds were decided before. */
static ration_status plan_row(planner *plan, int32_t r, ration_error *error)
{
    const rn_view *v = plan->v;
    rn_milp_tie *tie = &plan->milp->tie[r];
    const bool low = v->row_low[r] > v->row_least[r];
    const bool high = v->row_high[r] < v->row_most[r];
    tie->low = low ? v->row_low[r] : v->row_least[r];
    tie->high = high ? v->row_high[r] : v->row_most[r];
    if (tie->low > tie->high) { /* no plan is feasible, and one inequality says so */
        tie->kind = RN_TIE_PLAIN;
        tie->sense = v->row_low[r] > v->row_most[r] ? 'G' : 'L';
        tie->low = v->row_least[r];
        tie->high = tie->low - 1;
        return RATION_OK;
    }
    const bool feeds = feeds_matter(plan, r);
    if (feeds || (low && high) ||
        !is_constant(v, v->row_piece[r], v->row_piece[r + 1], tie->low, tie->high)) {
        RN_TRY(cut_row(plan, r, error));
        tie->kind = RN_TIE_CHOICE;
        tie->sense = 'E';
        if (!feeds && is_convex(plan->milp, tie)) {
            RN_TRY(cut_steps(plan, r, error));
            tie->kind = RN_TIE_LINEAR;
        } else if (tie->parts == 1) {
            tie->kind = RN_TIE_LINEAR;
        }
    } else if (low || high) {
        tie->kind = RN_TIE_PLAIN;
        tie->sense = high ? 'L' : 'G';
    }
    return RATION_OK;
}

/* Lines and b columns of a row. */
static ration_status number_row(rn_milp *milp, int32_t r, ration_error *error)
{
    rn_milp_tie *tie = &milp->tie[r];
    int64_t lines = tie->kind == RN_TIE_NONE ? 0 : 1;
    tie->line = milp->lines;
    tie->choice = milp->choices;
    if (tie->kind == RN_TIE_CHOICE) {
        int32_t widths = 0;
        for (int32_t k = 0; k < tie->parts; k++) {
            rn_milp_part *part = &milp->part[tie->part + k];
            part->width = widths;
            widths += part->length > 0 ? 1 : 0;
        }
        lines += 1 + widths;
        RN_TRY(rn_milp_more(&milp->choices, tie->parts, "columns", error));
    }
    RN_TRY(rn_milp_more(&milp->lines, lines, "rows", error));
    return rn_milp_more(&milp->row_lines, lines, "rows", error);
}

/* Right-hand sides, from the offsets and what feeds add at the lower ends; costs there. */
static ration_status fill_rhs(planner *plan, rn_i128 *base, ration_error *error)
{
    const rn_view *v = plan->v;
    for (int32_t r = 0; r < v->rows; r++) {
        const rn_milp_tie *tie = &plan->milp->tie[r];
        *plan->constant += rn_pieces_at(v->piece, v->row_piece[r], v->row_piece[r + 1], tie->low);
        base[r] += v->row_offset[r];
        for (int32_t f = v->row_feed[r]; f < v->row_feed[r + 1]; f++) {
            base[v->feed_to[f]] +=
                rn_pieces_at(v->piece, v->feed_piece[f], v->feed_piece[f + 1], tie->low);
        }
    }
    for (int32_t r = 0; r < v->rows; r++) {
        rn_milp_tie *tie = &plan->milp->tie[r];
        int64_t limit = tie->low;
        if (tie->kind == RN_TIE_PLAIN) {
            limit = tie->sense == 'L' ? v->row_high[r] : v->row_low[r];
        }
        if (tie->kind != RN_TIE_NONE) {
            RN_TRY(
                rn_milp_exact(plan->milp->program, RN_ROW, r, limit - base[r], &tie->rhs, error));
        }
    }
    return RATION_OK;
}

/* Which row a part, a choice and a line belong to. */
static ration_status index_rows(rn_milp *milp, ration_error *error)
{
    milp->part_row = rn_calloc((size_t)milp->parts, sizeof *milp->part_row);
    milp->choice_row = rn_calloc((size_t)milp->choices, sizeof *milp->choice_row);
    milp->line_row = rn_calloc((size_t)milp->row_lines, sizeof *milp->line_row);
    if (milp->part_row == NULL || milp->choice_row == NULL || milp->line_row == NULL) {
        return rn_fail_memory(error, "the rows of the model",
                              ((size_t)milp->parts + (size_t)milp->row_lines) * sizeof(int32_t));
    }
    int32_t line = 0;
    for (int32_t r = 0; r < milp->view->rows; r++) {
        const rn_milp_tie *tie = &milp->tie[r];
        const int32_t end = r + 1 < milp->view->rows ? tie[1].line : milp->lines;
        for (int32_t k = 0; k < tie->parts; k++) {
            milp->part_row[tie->part + k] = r;
            if (tie->kind == RN_TIE_CHOICE) {
                milp->choice_row[tie->choice + k] = r;
            }
        }
        for (int32_t k = tie->line; k < end; k++) {
            milp->line_row[line++] = r;
        }
    }
    assert(line == milp->row_lines);
    return RATION_OK;
}

ration_status rn_milp_plan_rows(rn_milp *milp, rn_i128 *constant, ration_error *error)
{
    const rn_view *v = milp->view;
    planner plan = {.milp = milp, .v = v, .constant = constant};
    ration_status status = RATION_OK;
    for (int32_t rank = 2; rank >= 0 && status == RATION_OK; rank--) {
        for (int32_t r = 0; r < v->rows && status == RATION_OK; r++) {
            status = v->row_rank[r] == rank ? plan_row(&plan, r, error) : RATION_OK;
        }
    }
    rn_free(plan.start);
    for (int32_t r = 0; r < v->rows && status == RATION_OK; r++) {
        status = number_row(milp, r, error);
    }
    RN_TRY(status);
    rn_i128 *base = rn_calloc((size_t)v->rows, sizeof *base);
    if (base == NULL) {
        return rn_fail_memory(error, "loads", (size_t)v->rows * sizeof *base);
    }
    status = fill_rhs(&plan, base, error);
    rn_free(base);
    return status == RATION_OK ? index_rows(milp, error) : status;
}
