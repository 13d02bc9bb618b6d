/* The columns of a linear model, one at a time, and its lines. */
#include <assert.h>

#include "core/fail.h"
#include "emit/milp.h"


ration_status rn_milp_put(rn_milp_maker *make, int32_t line, rn_i128 amount)
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

ration_status rn_milp_put_cost(rn_milp_maker *make, rn_i128 cost)
{
    return rn_milp_exact(make->milp->program, make->kind, make->index,
                         make->milp->sense == RATION_MAXIMISE ? -cost : cost, &make->column->cost,
                         make->error);
}

int32_t rn_milp_place_index(const rn_milp *milp, int32_t item, int32_t place)
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
    return (int32_t)(low - milp->place_at[item]);
}

/* Line of a pair for a place of one of its items. */
static int32_t pair_line(const rn_milp *milp, const rn_milp_pair *pair, int32_t item, int32_t place)
{
    const int64_t before =
        item == pair->first ? 0 : milp->place_at[pair->first + 1] - milp->place_at[pair->first];
    return pair->line + (int32_t)before + rn_milp_place_index(milp, item, place);
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

static ration_status make_pick(rn_milp_maker *make, int32_t item, int32_t number)
{
    rn_milp *milp = make->milp;
    const rn_view *v = milp->view;
    const rn_option option = rn_option_decode(v, item, number);
    if (!rn_place_allowed(v, item, option.place)) {
        make->column->present = false;
        return RATION_OK;
    }
    make->column->binary = true;
    RN_TRY(rn_milp_put_cost(make, option_cost(v, item, option)));
    RN_TRY(rn_milp_put(make, item, 1));
    rn_uses walk = rn_uses_begin(v, item, option);
    int32_t row = 0;
    int64_t amount = 0;
    while (rn_uses_next(v, &walk, &row, &amount)) {
        if (row >= v->rows) {
            const int32_t line = milp->conflict_line[row - v->rows];
            if (line >= 0) {
                RN_TRY(rn_milp_put(make, line, amount));
            }
        } else if (milp->tie[row].kind != RN_TIE_NONE) {
            RN_TRY(rn_milp_put(make, milp->tie[row].line, amount));
        }
    }
    if (milp->spreads > 0) {
        return rn_milp_spread_pick(make, item, option.place);
    }
    for (int32_t k = milp->pairs > 0 ? milp->pair_at[item] : 0;
         milp->pairs > 0 && k < milp->pair_at[item + 1]; k++) {
        const rn_milp_pair *pair = &milp->pair[milp->pair_of[k]];
        RN_TRY(rn_milp_put(make, pair_line(milp, pair, item, option.place), -1));
    }
    return RATION_OK;
}

/* What the feeds of a row add to others from load z on: at z, less at base; or for one more. */
static ration_status put_feeds(rn_milp_maker *make, int32_t r, int64_t z, int64_t base)
{
    const rn_milp *milp = make->milp;
    const rn_view *v = milp->view;
    for (int32_t f = v->row_feed[r]; f < v->row_feed[r + 1]; f++) {
        const rn_milp_tie *to = &milp->tie[v->feed_to[f]];
        const int32_t first = v->feed_piece[f];
        const int32_t end = v->feed_piece[f + 1];
        if (to->kind != RN_TIE_NONE) {
            RN_TRY(rn_milp_put(make, to->line,
                               (rn_i128)rn_pieces_at(v->piece, first, end, z) -
                                   rn_pieces_at(v->piece, first, end, base)));
        }
    }
    return RATION_OK;
}

/* b of a part. */
static ration_status make_choice(rn_milp_maker *make, int32_t r, int32_t k)
{
    const rn_milp *milp = make->milp;
    const rn_milp_tie *tie = &milp->tie[r];
    const rn_milp_part *part = &milp->part[tie->part + k];
    make->column->binary = true;
    RN_TRY(rn_milp_put_cost(make, part->cost));
    RN_TRY(rn_milp_put(make, tie->line, tie->low - part->start));
    RN_TRY(rn_milp_put(make, tie->line + 1, 1));
    if (part->length > 0) {
        RN_TRY(rn_milp_put(make, tie->line + 2 + part->width, -part->length));
    }
    return put_feeds(make, r, part->start, tie->low);
}

/* w of a part. */
static ration_status make_width(rn_milp_maker *make, int32_t r, int32_t k)
{
    const rn_milp *milp = make->milp;
    const rn_milp_tie *tie = &milp->tie[r];
    const rn_milp_part *part = &milp->part[tie->part + k];
    if (part->length == 0) {
        make->column->present = false;
        return RATION_OK;
    }
    RN_TRY(rn_milp_put_cost(make, part->slope));
    RN_TRY(rn_milp_put(make, tie->line, -1));
    if (tie->kind == RN_TIE_CHOICE) {
        RN_TRY(rn_milp_put(make, tie->line + 2 + part->width, 1));
    } else {
        make->column->upper = part->length;
    }
    return tie->kind == RN_TIE_CHOICE || tie->parts == 1
               ? put_feeds(make, r, part->start + 1, part->start)
               : RATION_OK; /* rows of several linear parts feed nothing that counts */
}

static ration_status make_flow(rn_milp_maker *make, const rn_milp_pair *pair, int32_t cell)
{
    rn_milp *milp = make->milp;
    const int32_t wide = (int32_t)(milp->place_at[pair->second + 1] - milp->place_at[pair->second]);
    const int32_t tall = (int32_t)(milp->place_at[pair->first + 1] - milp->place_at[pair->first]);
    const int32_t a = cell / wide;
    const int32_t b = cell % wide;
    RN_TRY(rn_milp_put_cost(
        make, rn_milp_pair_cost(milp->view, pair, milp->place[milp->place_at[pair->first] + a],
                                milp->place[milp->place_at[pair->second] + b])));
    RN_TRY(rn_milp_put(make, pair->line + a, 1));
    return rn_milp_put(make, pair->line + tall + b, 1);
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

static ration_status make_column(rn_milp_maker *make, rn_milp_where where)
{
    const rn_milp *milp = make->milp;
    make->kind = where.kind == RN_MILP_CHOICE || where.kind == RN_MILP_WIDTH ? RN_ROW : RN_ITEM;
    make->index = where.index;
    switch (where.kind) {
    case RN_MILP_PICK:
        return make_pick(make, where.index, where.number);
    case RN_MILP_CHOICE:
        return make_choice(make, where.index, where.number);
    case RN_MILP_WIDTH:
        return make_width(make, where.index, where.number);
    case RN_MILP_SPREAD:
        make->index = milp->spread_item[where.index];
        return rn_milp_spread_flow(make, where.index, where.number);
    case RN_MILP_MEET:
        make->index = milp->spread_item[where.index];
        return rn_milp_spread_meet(make, where.index, where.number);
    default:
        make->index = milp->pair[where.index].first;
        return make_flow(make, &milp->pair[where.index], where.number);
    }
}

ration_status rn_milp_column_at(rn_milp *milp, int32_t number, rn_milp_column *column,
                                ration_error *error)
{
    rn_milp_column made = {.present = true, .upper = INT64_MAX};
    rn_milp_maker make = {.milp = milp, .column = &made, .error = error};
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

/* flow: number among all v, which come first; meet: among all u. Columns and lines have one order.
 */
static rn_milp_where spread_where(const rn_milp *milp, int32_t flow, int32_t meet)
{
    if (meet < 0) {
        return (rn_milp_where){RN_MILP_SPREAD, flow / milp->view->places,
                               flow % milp->view->places};
    }
    const int32_t spread = find_last(milp->spread_at, milp->spreads, meet);
    return (rn_milp_where){RN_MILP_MEET, spread, meet - milp->spread_at[spread]};
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
    if (milp->spreads > 0) {
        return spread_where(milp, number - milp->flow_column, number - milp->meet_column);
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
    if (milp->spreads > 0) {
        return spread_where(milp, number - milp->spread_line, number - milp->meet_line);
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
    case RN_MILP_SPREAD:
        return (rn_milp_line){'E', 0};
    case RN_MILP_MEET:
        return (rn_milp_line){'L', milp->spread_most[milp->spread_at[where.index] + where.number]};
    default:
        break;
    }
    const rn_milp_tie *tie = &milp->tie[where.index];
    if (where.number == 0) {
        return (rn_milp_line){tie->sense, tie->rhs};
    }
    return where.number == 1 ? (rn_milp_line){'E', 1} : (rn_milp_line){'L', 0};
}
