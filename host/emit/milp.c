/* The linear model of a program: planning it, and its columns one at a time. */
#include "emit/milp.h"

#include <assert.h>
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
    rn_free(milp->slot);
    rn_free(milp->row);
    rn_free(milp->amount);
    rn_free(milp);
}

/* ---- planning ---- */

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

static ration_status plan_all(rn_milp *milp, ration_error *error)
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
    RN_TRY(rn_milp_plan_traffic(milp, &constant, error));
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

ration_status rn_milp_make(const ration_program *program, rn_milp **milp, ration_error *error)
{
    rn_milp *made = rn_calloc(1, sizeof *made);
    if (made == NULL) {
        return rn_fail_memory(error, "the model", sizeof *made);
    }
    made->program = program;
    made->view = rn_program_view(program);
    const ration_status status = plan_all(made, error);
    if (status != RATION_OK) {
        rn_milp_free(made);
        return status;
    }
    *milp = made;
    return RATION_OK;
}

/* ---- columns ---- */

/* A column under construction: what numbers come from, for messages. */
typedef struct maker {
    rn_milp *milp;
    rn_milp_column *column;
    rn_thing kind;
    int32_t index;
    ration_error *error;
} maker;

static ration_status put(maker *make, int32_t line, rn_i128 amount)
{
    rn_milp *milp = make->milp;
    int32_t at = milp->slot[line];
    if (at < 0) {
        at = make->column->count++;
        milp->slot[line] = at;
        milp->row[at] = line;
        milp->amount[at] = 0;
    }
    return rn_milp_exact(milp->program, make->kind, make->index, milp->amount[at] + amount,
                         &milp->amount[at], make->error);
}

static ration_status put_cost(maker *make, rn_i128 cost)
{
    return rn_milp_exact(make->milp->program, make->kind, make->index,
                         make->milp->sense == RATION_MAXIMISE ? -cost : cost, &make->column->cost,
                         make->error);
}

/* Line of a pair for a place of one of its items. */
static int32_t pair_line(const rn_milp *milp, const rn_milp_pair *pair, int32_t item, int32_t place)
{
    int64_t low = milp->place_at[item];
    int64_t high = milp->place_at[item + 1] - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (milp->place[middle] < place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    assert(milp->place[low] == place);
    const int64_t before =
        item == pair->first ? 0 : milp->place_at[pair->first + 1] - milp->place_at[pair->first];
    return pair->line + (int32_t)(before + low - milp->place_at[item]);
}

/* Cost of an option, with its item's traffic to itself. */
static rn_i128 option_cost(const rn_view *v, int32_t item, rn_option option)
{
    rn_i128 cost = option.cost;
    for (int32_t e = v->edge_at != NULL ? v->edge_at[item] : 0;
         v->edge_at != NULL && e < v->edge_at[item + 1]; e++) {
        if (v->edge_item[e] == item) {
            cost += (rn_i128)v->edge_weight[e] * rn_distance(v, option.place, option.place);
        }
    }
    return cost;
}

static ration_status make_pick(maker *make, int32_t item, int32_t number)
{
    rn_milp *milp = make->milp;
    const rn_view *v = milp->view;
    const rn_option option = rn_option_decode(v, item, number);
    if (!rn_place_allowed(v, item, option.place)) {
        make->column->present = false;
        return RATION_OK;
    }
    make->column->binary = true;
    RN_TRY(put_cost(make, option_cost(v, item, option)));
    RN_TRY(put(make, item, 1));
    rn_uses walk = rn_uses_begin(v, item, option);
    int32_t row = 0;
    int64_t amount = 0;
    while (rn_uses_next(v, &walk, &row, &amount)) {
        if (row >= v->rows) {
            const int32_t line = milp->conflict_line[row - v->rows];
            if (line >= 0) {
                RN_TRY(put(make, line, amount));
            }
        } else if (milp->tie[row].kind != RN_TIE_NONE) {
            RN_TRY(put(make, milp->tie[row].line, amount));
        }
    }
    for (int32_t k = milp->pairs > 0 ? milp->pair_at[item] : 0;
         milp->pairs > 0 && k < milp->pair_at[item + 1]; k++) {
        const rn_milp_pair *pair = &milp->pair[milp->pair_of[k]];
        RN_TRY(put(make, pair_line(milp, pair, item, option.place), -1));
    }
    return RATION_OK;
}

/* What the feeds of a row add to others from load z on: at z, less at base; or for one more. */
static ration_status put_feeds(maker *make, int32_t r, int64_t z, int64_t base)
{
    const rn_milp *milp = make->milp;
    const rn_view *v = milp->view;
    for (int32_t f = v->row_feed[r]; f < v->row_feed[r + 1]; f++) {
        const rn_milp_tie *to = &milp->tie[v->feed_to[f]];
        const int32_t first = v->feed_piece[f];
        const int32_t end = v->feed_piece[f + 1];
        if (to->kind != RN_TIE_NONE) {
            RN_TRY(put(make, to->line,
                       (rn_i128)rn_pieces_at(v->piece, first, end, z) -
                           rn_pieces_at(v->piece, first, end, base)));
        }
    }
    return RATION_OK;
}

/* b of a part. */
static ration_status make_choice(maker *make, int32_t r, int32_t k)
{
    const rn_milp *milp = make->milp;
    const rn_milp_tie *tie = &milp->tie[r];
    const rn_milp_part *part = &milp->part[tie->part + k];
    make->column->binary = true;
    RN_TRY(put_cost(make, part->cost));
    RN_TRY(put(make, tie->line, tie->low - part->start));
    RN_TRY(put(make, tie->line + 1, 1));
    if (part->length > 0) {
        RN_TRY(put(make, tie->line + 2 + part->width, -part->length));
    }
    return put_feeds(make, r, part->start, tie->low);
}

/* w of a part. */
static ration_status make_width(maker *make, int32_t r, int32_t k)
{
    const rn_milp *milp = make->milp;
    const rn_milp_tie *tie = &milp->tie[r];
    const rn_milp_part *part = &milp->part[tie->part + k];
    if (part->length == 0) {
        make->column->present = false;
        return RATION_OK;
    }
    RN_TRY(put_cost(make, part->slope));
    RN_TRY(put(make, tie->line, -1));
    if (tie->kind == RN_TIE_CHOICE) {
        RN_TRY(put(make, tie->line + 2 + part->width, 1));
    } else {
        make->column->upper = part->length;
    }
    return tie->kind == RN_TIE_CHOICE || tie->parts == 1
               ? put_feeds(make, r, part->start + 1, part->start)
               : RATION_OK; /* rows of several linear parts feed nothing that counts */
}

static ration_status make_flow(maker *make, const rn_milp_pair *pair, int32_t cell)
{
    rn_milp *milp = make->milp;
    const int32_t wide = (int32_t)(milp->place_at[pair->second + 1] - milp->place_at[pair->second]);
    const int32_t tall = (int32_t)(milp->place_at[pair->first + 1] - milp->place_at[pair->first]);
    const int32_t a = cell / wide;
    const int32_t b = cell % wide;
    RN_TRY(put_cost(make, rn_milp_pair_cost(milp->view, pair,
                                            milp->place[milp->place_at[pair->first] + a],
                                            milp->place[milp->place_at[pair->second] + b])));
    RN_TRY(put(make, pair->line + a, 1));
    return put(make, pair->line + tall + b, 1);
}

/* Drops what is 0 and frees the slots. */
static void finish(rn_milp *milp, rn_milp_column *column)
{
    int32_t kept = 0;
    for (int32_t k = 0; k < column->count; k++) {
        milp->slot[milp->row[k]] = -1;
        if (milp->amount[k] != 0) {
            milp->row[kept] = milp->row[k];
            milp->amount[kept++] = milp->amount[k];
        }
    }
    column->count = kept;
    column->row = milp->row;
    column->amount = milp->amount;
}

static ration_status make_column(maker *make, rn_milp_where where)
{
    const rn_milp *milp = make->milp;
    make->kind = where.kind == RN_MILP_PICK || where.kind == RN_MILP_FLOW ? RN_ITEM : RN_ROW;
    make->index = where.index;
    switch (where.kind) {
    case RN_MILP_PICK:
        return make_pick(make, where.index, where.number);
    case RN_MILP_CHOICE:
        return make_choice(make, where.index, where.number);
    case RN_MILP_WIDTH:
        return make_width(make, where.index, where.number);
    default:
        make->index = milp->pair[where.index].first;
        return make_flow(make, &milp->pair[where.index], where.number);
    }
}

ration_status rn_milp_column_at(rn_milp *milp, int32_t number, rn_milp_column *column,
                                ration_error *error)
{
    rn_milp_column made = {.present = true, .upper = INT64_MAX};
    maker make = {.milp = milp, .column = &made, .error = error};
    const ration_status status = make_column(&make, rn_milp_column_where(milp, number));
    finish(milp, &made);
    RN_TRY(status);
    *column = made;
    return RATION_OK;
}

/* The last element of rising[0 .. count-1] that is at most value; rising[0] <= value. */
static int32_t find_last(const int32_t *rising, int32_t count, int32_t value)
{
    int32_t low = 0;
    int32_t high = count - 1;
    while (low < high) {
        const int32_t middle = low + (high - low + 1) / 2;
        if (rising[middle] <= value) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static int32_t find_pair(const rn_milp *milp, int32_t value, bool by_line)
{
    int32_t low = 0;
    int32_t high = milp->pairs - 1;
    while (low < high) {
        const int32_t middle = low + (high - low + 1) / 2;
        const rn_milp_pair *pair = &milp->pair[middle];
        if ((by_line ? pair->line : pair->column) <= value) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

rn_milp_where rn_milp_column_where(const rn_milp *milp, int32_t number)
{
    assert(number >= 0 && number < milp->columns);
    if (number < milp->choice_column) {
        int32_t item = find_last(milp->item_column, milp->view->items, number);
        return (rn_milp_where){RN_MILP_PICK, item, number - milp->item_column[item]};
    }
    if (number < milp->part_column) {
        const int32_t choice = number - milp->choice_column;
        const int32_t r = milp->choice_row[choice];
        return (rn_milp_where){RN_MILP_CHOICE, r, choice - milp->tie[r].choice};
    }
    if (number < milp->flow_column) {
        const int32_t part = number - milp->part_column;
        const int32_t r = milp->part_row[part];
        return (rn_milp_where){RN_MILP_WIDTH, r, part - milp->tie[r].part};
    }
    const int32_t pair = find_pair(milp, number, false);
    return (rn_milp_where){RN_MILP_FLOW, pair, number - milp->pair[pair].column};
}

rn_milp_where rn_milp_line_where(const rn_milp *milp, int32_t number)
{
    assert(number >= 0 && number < milp->lines);
    const int32_t items = milp->view->items;
    if (number < items) {
        return (rn_milp_where){RN_MILP_PICK, number, 0};
    }
    if (number < items + milp->row_lines) {
        const int32_t r = milp->line_row[number - items];
        return (rn_milp_where){RN_MILP_CHOICE, r, number - milp->tie[r].line};
    }
    if (number < items + milp->row_lines + milp->conflicts) {
        const int32_t at = number - items - milp->row_lines;
        return (rn_milp_where){RN_MILP_CONFLICT, milp->conflict_row[at], 0};
    }
    const int32_t pair = find_pair(milp, number, true);
    return (rn_milp_where){RN_MILP_FLOW, pair, number - milp->pair[pair].line};
}

rn_milp_line rn_milp_line_at(const rn_milp *milp, int32_t number)
{
    const rn_milp_where where = rn_milp_line_where(milp, number);
    switch (where.kind) {
    case RN_MILP_PICK:
        return (rn_milp_line){'E', 1};
    case RN_MILP_CONFLICT:
        return (rn_milp_line){'L', 1};
    case RN_MILP_FLOW:
        return (rn_milp_line){'E', 0};
    default:
        break;
    }
    const rn_milp_tie *tie = &milp->tie[where.index];
    if (where.number == 0) {
        return (rn_milp_line){tie->sense, tie->rhs};
    }
    return where.number == 1 ? (rn_milp_line){'E', 1} : (rn_milp_line){'L', 0};
}
