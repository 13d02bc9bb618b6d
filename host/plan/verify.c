/* Picks, evaluated from scratch in 128 bits.
 *
 *   z_r  = offset_r + sum of the picks' amounts + sum over feeds s -> r of phi_sr(z_s)
 *   cost = sum of option costs, table entries and moves
 *          + sum_r f_r(z_r) + sum over edges of weight * distance
 *
 * Rows are taken in the order of their rank, so a feed's source is known.
 */
#include "plan/verify.h"

#include <assert.h>
#include <stddef.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "plan/judge.h"

typedef struct sums {
    rn_judged *option; /* [items] the picks, decoded */
    rn_burden *burden; /* scratch */
    rn_i128 *load;     /* [all_rows] */
    rn_i128 cost_of[RATION_DIMENSIONS];
    rn_i128 violation;
} sums;

static void carve(rn_layout *layout, const rn_view *view, sums *s)
{
    s->load = (rn_i128 *)rn_carve(layout, view->all_rows, sizeof *s->load);
    s->option = (rn_judged *)rn_carve(layout, view->items, sizeof *s->option);
    s->burden = (rn_burden *)rn_carve(layout, rn_judge_most_burdens(view), sizeof *s->burden);
}

static ration_status add_options(const rn_view *view, const int32_t *pick, sums *s,
                                 ration_error *error)
{
    for (int32_t row = 0; row < view->rows; row++) {
        s->load[row] = view->row_offset[row];
    }
    for (int32_t item = 0; item < view->items; item++) {
        rn_judged *option = &s->option[item];
        if (!rn_judge_option(view, item, pick[item], option)) {
            return rn_fail(error, RATION_E_INPUT,
                           "the pick of item %d is %d, which is no option of it", item, pick[item]);
        }
        s->cost_of[view->entry_dimension[option->entry]] += rn_judge_own_cost(view, option);
        s->cost_of[view->table_dimension] += rn_judge_other_cost(view, option);
        rn_judge_list(view, option, s->burden);
        for (int32_t k = 0; k < rn_judge_burdens(view, option); k++) {
            s->load[s->burden[k].row] += s->burden[k].amount;
        }
    }
    return RATION_OK;
}

static void add_feeds(const rn_view *view, sums *s)
{
    for (int32_t rank = 0; rank < 3; rank++) {
        for (int32_t row = 0; row < view->rows; row++) {
            if (view->row_rank[row] != rank) {
                continue;
            }
            for (int32_t feed = view->row_feed[row]; feed < view->row_feed[row + 1]; feed++) {
                assert(view->row_rank[view->feed_to[feed]] > rank);
                s->load[view->feed_to[feed]] += rn_judge_pieces(
                    view, view->feed_piece[feed], view->feed_piece[feed + 1], s->load[row]);
            }
        }
    }
}

static void add_rows(const rn_view *view, sums *s)
{
    for (int32_t row = 0; row < view->all_rows; row++) {
        const rn_i128 load = s->load[row];
        assert(s->violation >= 0);
        if (row >= view->rows) {
            s->violation += load > 1 ? load - 1 : 0;
            continue;
        }
        s->cost_of[view->row_dimension[row]] +=
            rn_judge_pieces(view, view->row_piece[row], view->row_piece[row + 1], load);
        if (view->row_high[row] != INT64_MAX && load > view->row_high[row]) {
            s->violation += load - view->row_high[row];
        }
        if (view->row_low[row] != INT64_MIN && load < view->row_low[row]) {
            s->violation += view->row_low[row] - load;
        }
    }
}

static void add_traffic(const rn_view *view, sums *s)
{
    for (int32_t item = 0; view->edge_at != NULL && item < view->items; item++) {
        for (int32_t edge = view->edge_at[item]; edge < view->edge_at[item + 1]; edge++) {
            if (view->edge_out[edge] == 0) {
                continue; /* counted at its start */
            }
            const int32_t to = view->edge_item[edge];
            assert(to >= 0 && to < view->items && s->option[to].place >= 0);
            s->cost_of[view->traffic_dimension] +=
                (rn_i128)view->edge_weight[edge] *
                rn_judge_distance(view, s->option[item].place, s->option[to].place);
        }
    }
}

/* Copies a total, or refuses it when it leaves 64 bits. */
static ration_status narrow(rn_i128 total, const char *what, int64_t *value, ration_error *error)
{
    if (total > INT64_MAX || total < INT64_MIN) {
        return rn_fail(error, RATION_E_RANGE, "%s leaves the range of 64 bits", what);
    }
    *value = (int64_t)total;
    return RATION_OK;
}

static ration_status fill(const rn_view *view, const sums *s, rn_verdict *verdict,
                          ration_error *error)
{
    rn_i128 cost = 0;
    for (int32_t dimension = 0; dimension < RATION_DIMENSIONS; dimension++) {
        RN_TRY(narrow(s->cost_of[dimension], "a cost", &verdict->cost_of[dimension], error));
        cost += s->cost_of[dimension];
    }
    RN_TRY(narrow(cost, "the cost", &verdict->cost, error));
    RN_TRY(narrow(s->violation, "the violation", &verdict->violation, error));
    for (int32_t row = 0; row < view->all_rows; row++) {
        RN_TRY(narrow(s->load[row], "a load", &verdict->load[row], error));
    }
    return RATION_OK;
}

static ration_status judge(const rn_view *view, const int32_t *pick, sums *s, rn_verdict *verdict,
                           ration_error *error)
{
    RN_TRY(add_options(view, pick, s, error));
    add_feeds(view, s);
    add_rows(view, s);
    add_traffic(view, s);
    return fill(view, s, verdict, error);
}

ration_status rn_verify_picks(const rn_view *view, const int32_t *pick, rn_verdict **verdict,
                              ration_error *error)
{
    assert(view != NULL && pick != NULL && verdict != NULL);
    sums s = {0};
    rn_layout scratch = {0};
    carve(&scratch, view, &s);
    RN_TRY(rn_layout_allocate(&scratch, "verification", error));
    carve(&scratch, view, &s);
    rn_verdict *made = NULL;
    rn_layout layout = {0};
    (void)rn_carve(&layout, 1, sizeof *made);
    (void)rn_carve(&layout, view->all_rows, sizeof *made->load);
    ration_status status = rn_layout_allocate(&layout, "verdict", error);
    if (status == RATION_OK) {
        made = (rn_verdict *)rn_carve(&layout, 1, sizeof *made);
        made->load = (int64_t *)rn_carve(&layout, view->all_rows, sizeof *made->load);
        status = judge(view, pick, &s, made, error);
    }
    rn_free(s.load);
    if (status != RATION_OK) {
        rn_verdict_free(made);
        return status;
    }
    *verdict = made;
    return RATION_OK;
}

void rn_verdict_free(rn_verdict *verdict)
{
    rn_free(verdict);
}
