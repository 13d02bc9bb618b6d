/* Groups by dynamic programming over reachable loads.
 *
 *   least = min over picks of [ sum_i (S c_i + prices of the other rows)
 *                               + S sum over DP rows f(load) ],   S = 2^RN_PRICE_BITS
 *
 * A choice of an item is a pair of (rounded) amounts on the group's two DP rows; an evaluation
 * takes the least option per choice and then walks the stages backwards. Loads that can be reached
 * are listed once, so their number and not their size counts.
 */
#include "bound/group.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/fail.h"

enum {
    STEPS_STAGE_MAX = 1 << 17, /* steps between two stages; the verifier allows 2^20 */
    STEPS_GROUP_MAX = 1 << 21,
    OPTIONS_MAX = 1 << 26 /* options of all groups together */
};
#define WIDTH_MAX ((int64_t)1 << 50)

typedef struct pair {
    int64_t load[2];
} pair;

/* What the options of an item do to the DP rows. */
typedef struct choices {
    int32_t count;
    pair *load;         /* [count], sorted */
    int32_t *of_option; /* [options that exist, in order of entries and places] choice */
    int64_t largest[2]; /* largest remainder */
    bool shared;        /* the arrays are those of the item before */
} choices;

typedef struct stage {
    int32_t states;
    pair *load;    /* [states], sorted */
    int32_t *next; /* [states * choices] state of the next stage; NULL at the last */
} stage;

typedef struct group {
    bool solved;
    int32_t items;
    const int32_t *item;
    int32_t row[2];
    int64_t width[2];
    choices *choice; /* [items] */
    stage *stage;    /* [items + 1] */
    bool *reachable; /* [states of the last stage] within the limits */
    rn_i128 *last;   /* [states of the last stage] cost of the DP rows, scaled */
} group;

struct rn_group_dp {
    int32_t groups;
    group *group; /* [groups] */
    bool *has;    /* [items] */
    int64_t steps;
    /* scratch of an evaluation */
    rn_i128 *least; /* per item and choice */
    int32_t *entry; /* per item and choice: the least option */
    int32_t *place;
    rn_i128 *value; /* per stage and state */
    bool *reached;  /* per stage and state: a final state within the limits can be reached */
};

static int compare_pairs(const void *left, const void *right)
{
    const pair *a = (const pair *)left;
    const pair *b = (const pair *)right;
    for (int32_t side = 0; side < 2; side++) {
        if (a->load[side] != b->load[side]) {
            return a->load[side] < b->load[side] ? -1 : 1;
        }
    }
    return 0;
}

/* Sorts and drops repetitions; returns what is left. */
static int32_t unique(pair *list, int32_t count)
{
    qsort(list, (size_t)count, sizeof *list, compare_pairs);
    int32_t kept = 0;
    for (int32_t k = 0; k < count; k++) {
        if (kept == 0 || compare_pairs(&list[kept - 1], &list[k]) != 0) {
            list[kept++] = list[k];
        }
    }
    assert(kept <= count && (kept > 0) == (count > 0));
    return kept;
}

static int32_t find_pair(const pair *list, int32_t count, const pair *wanted)
{
    const pair *found =
        (const pair *)bsearch(wanted, list, (size_t)count, sizeof *list, compare_pairs);
    assert(found != NULL);
    return (int32_t)(found - list);
}

/* ---- choices ---- */

/* Amount of an option on a row. */
static int64_t amount_on(const rn_view *view, int32_t entry, int32_t place, int32_t row)
{
    int64_t sum = 0;
    for (int32_t use = view->entry_use[entry]; row >= 0 && use < view->entry_use[entry + 1];
         use++) {
        if (view->entry_class[entry] < 0) {
            sum += view->use_target[use] == row ? view->use_amount[use] : 0;
            continue;
        }
        const int64_t cell = (int64_t)place * view->roles + view->use_target[use];
        for (int32_t k = view->role_row_at[cell]; k < view->role_row_at[cell + 1]; k++) {
            sum += view->role_row[k] == row ? view->use_amount[use] : 0;
        }
    }
    return sum;
}

/* Lists the rounded amounts of an item's options; load may be NULL to count them only. */
static int32_t list_amounts(const rn_relax *relax, const group *g, int32_t item, pair *load,
                            int64_t largest[2])
{
    const rn_view *view = relax->view;
    int32_t options = 0;
    for (int32_t entry = view->item_entry[item]; entry < view->item_entry[item + 1]; entry++) {
        int32_t first = 0;
        const int32_t places = rn_relax_entry_places(view, entry, &first);
        for (int32_t k = 0; k < places; k++) {
            if (!rn_relax_allowed(relax, item, entry, first + k)) {
                continue;
            }
            for (int32_t side = 0; load != NULL && side < 2; side++) {
                const int64_t width = g->width[side] > 0 ? g->width[side] : 1;
                const int64_t amount = amount_on(view, entry, first + k, g->row[side]);
                const int64_t down = (int64_t)rn_i128_floor_div(amount, width);
                const int64_t remainder = amount - down * width;
                assert(remainder >= 0 && remainder < width);
                load[options].load[side] = down;
                largest[side] = remainder > largest[side] ? remainder : largest[side];
            }
            options++;
        }
    }
    return options;
}

static ration_status make_choices(const rn_relax *relax, const group *g, int32_t item,
                                  choices *made, ration_error *error)
{
    const int32_t options = list_amounts(relax, g, item, NULL, NULL);
    pair *all = (pair *)rn_malloc((size_t)options * sizeof *all);
    made->load = (pair *)rn_malloc((size_t)options * sizeof *made->load);
    made->of_option = (int32_t *)rn_malloc((size_t)options * sizeof *made->of_option);
    if (all == NULL || made->load == NULL || made->of_option == NULL) {
        rn_free(all);
        return rn_fail_memory(error, "choices of a group", (size_t)options * 3 * sizeof *all);
    }
    (void)list_amounts(relax, g, item, all, made->largest);
    memcpy(made->load, all, (size_t)options * sizeof *all);
    assert(options > 0 && made->largest[0] >= 0 && made->largest[1] >= 0);
    made->count = unique(made->load, options);
    for (int32_t k = 0; k < options; k++) {
        made->of_option[k] = find_pair(made->load, made->count, &all[k]);
    }
    rn_free(all);
    return RATION_OK;
}

/* ---- stages ---- */

/* Makes the stage after `from`. *full: out, whether there are too many steps; then nothing is made.
 */
static ration_status make_stage(stage *from, const choices *c, stage *to, bool *full,
                                ration_error *error)
{
    assert(from->states > 0 && c->count > 0);
    const int64_t steps = (int64_t)from->states * c->count;
    *full = steps > STEPS_STAGE_MAX;
    if (*full) {
        return RATION_OK;
    }
    to->load = (pair *)rn_malloc((size_t)steps * sizeof *to->load);
    from->next = (int32_t *)rn_malloc((size_t)steps * sizeof *from->next);
    pair *all = (pair *)rn_malloc((size_t)steps * sizeof *all);
    if (to->load == NULL || from->next == NULL || all == NULL) {
        rn_free(all);
        return rn_fail_memory(error, "states of a group", (size_t)steps * 3 * sizeof *all);
    }
    for (int64_t k = 0; k < steps; k++) {
        const pair *start = &from->load[k / c->count];
        const pair *step = &c->load[k % c->count];
        all[k].load[0] = start->load[0] + step->load[0];
        all[k].load[1] = start->load[1] + step->load[1];
    }
    memcpy(to->load, all, (size_t)steps * sizeof *all);
    assert(steps <= STEPS_STAGE_MAX);
    to->states = unique(to->load, (int32_t)steps);
    for (int64_t k = 0; k < steps; k++) {
        from->next[k] = find_pair(to->load, to->states, &all[k]);
    }
    rn_free(all);
    return RATION_OK;
}

static void clear_tables(group *g)
{
    for (int32_t k = 0; k <= g->items; k++) {
        rn_free(g->stage[k].load);
        rn_free(g->stage[k].next);
    }
    for (int32_t k = 0; k < g->items; k++) {
        if (!g->choice[k].shared) {
            rn_free(g->choice[k].load);
            rn_free(g->choice[k].of_option);
        }
    }
    memset(g->stage, 0, ((size_t)g->items + 1) * sizeof *g->stage);
    memset(g->choice, 0, (size_t)g->items * sizeof *g->choice);
}

/* Makes choices and stages with the group's widths. *full as above. */
static ration_status make_tables(const rn_relax *relax, group *g, bool *full, ration_error *error)
{
    int64_t steps = 0;
    g->stage[0].load = (pair *)rn_calloc(1, sizeof *g->stage[0].load);
    if (g->stage[0].load == NULL) {
        return rn_fail_memory(error, "states of a group", sizeof *g->stage[0].load);
    }
    g->stage[0].states = 1;
    for (int32_t k = 0; k < g->items; k++) {
        const int32_t item = g->item[k];
        if (k > 0 && g->item[k - 1] == item - 1 && relax->twin[item]) {
            g->choice[k] = g->choice[k - 1];
            g->choice[k].shared = true;
        } else {
            RN_TRY(make_choices(relax, g, item, &g->choice[k], error));
        }
        RN_TRY(make_stage(&g->stage[k], &g->choice[k], &g->stage[k + 1], full, error));
        steps += (int64_t)g->stage[k].states * g->choice[k].count;
        *full = *full || steps > STEPS_GROUP_MAX;
        if (*full) {
            return RATION_OK;
        }
    }
    return RATION_OK;
}

/* Least f of a DP row over from <= z <= to; false when no such z is in range. */
static bool least_cost(const rn_relax *relax, int32_t row, rn_i128 from, rn_i128 to, int64_t *least)
{
    const rn_view *view = relax->view;
    const int64_t low = from < relax->low[row] ? relax->low[row] : rn_i128_saturate(from);
    const int64_t high = to > relax->high[row] ? relax->high[row] : rn_i128_saturate(to);
    if (from > relax->high[row] || to < relax->low[row] || low > high) {
        return false;
    }
    *least = rn_relax_row_cost(view, relax->violation, row, low);
    const int64_t last = rn_relax_row_cost(view, relax->violation, row, high);
    *least = last < *least ? last : *least;
    for (int32_t k = relax->point_at[row]; k < relax->point_at[row + 1]; k++) {
        if (relax->point_z[k] > low && relax->point_z[k] < high && relax->point_cost[k] < *least) {
            *least = relax->point_cost[k];
        }
    }
    return true;
}

/* Costs of the DP rows at the last stage. */
static ration_status make_ends(const rn_relax *relax, group *g, ration_error *error)
{
    const stage *last = &g->stage[g->items];
    g->reachable = (bool *)rn_malloc((size_t)last->states * sizeof *g->reachable);
    g->last = (rn_i128 *)rn_malloc((size_t)last->states * sizeof *g->last);
    if (g->reachable == NULL || g->last == NULL) {
        return rn_fail_memory(error, "ends of a group", (size_t)last->states * sizeof *g->last);
    }
    assert(last->states > 0);
    rn_i128 slack[2] = {0, 0};
    for (int32_t k = 0; k < g->items; k++) {
        slack[0] += g->choice[k].largest[0];
        slack[1] += g->choice[k].largest[1];
    }
    for (int32_t k = 0; k < last->states; k++) {
        g->reachable[k] = true;
        g->last[k] = 0;
        for (int32_t side = 0; side < 2; side++) {
            int64_t least = 0;
            if (g->row[side] < 0 || !g->reachable[k]) {
                continue;
            }
            const rn_i128 from = (rn_i128)relax->view->row_offset[g->row[side]] +
                                 (rn_i128)last->load[k].load[side] * g->width[side];
            g->reachable[k] = least_cost(relax, g->row[side], from, from + slack[side], &least);
            g->last[k] += (rn_i128)least * ((rn_i128)1 << RN_PRICE_BITS);
        }
    }
    return RATION_OK;
}

/* Number of different loads on one side. */
static int32_t spread(const group *g, int32_t side)
{
    int32_t most = 0;
    for (int32_t k = 0; k < g->items; k++) {
        int32_t count = 0;
        for (int32_t c = 0; c < g->choice[k].count; c++) {
            bool seen = false;
            for (int32_t b = 0; b < c && !seen; b++) {
                seen = g->choice[k].load[b].load[side] == g->choice[k].load[c].load[side];
            }
            count += seen ? 0 : 1;
        }
        most = count > most ? count : most;
    }
    return most;
}

/* Doubles the width of the side with more different amounts; false when that is no use any more. */
static bool coarsen(group *g)
{
    const int32_t left = g->row[0] >= 0 ? spread(g, 0) : 0;
    const int32_t right = g->row[1] >= 0 ? spread(g, 1) : 0;
    const int32_t side = right > left ? 1 : 0;
    if ((left > right ? left : right) <= 1 || g->width[side] >= WIDTH_MAX) {
        return false;
    }
    assert(g->row[side] >= 0 && g->width[side] >= 1);
    g->width[side] *= 2;
    return true;
}

static ration_status make_group(const rn_relax *relax, group *g, ration_error *error)
{
    bool full = true;
    while (full) {
        full = false;
        RN_TRY(make_tables(relax, g, &full, error));
        if (full) {
            const bool more = coarsen(g);
            clear_tables(g);
            if (!more) {
                return RATION_OK;
            }
        }
    }
    g->solved = true;
    return make_ends(relax, g, error);
}

/* ---- the whole ---- */

static ration_status make_scratch(rn_group_dp *dp, ration_error *error)
{
    int64_t choice_total = 1;
    int64_t states = 1;
    for (int32_t k = 0; k < dp->groups; k++) {
        const group *g = &dp->group[k];
        int64_t group_choices = 0;
        int64_t group_states = 0;
        for (int32_t j = 0; g->solved && j < g->items; j++) {
            group_choices += g->choice[j].count;
            group_states += g->stage[j].states;
            dp->steps += (int64_t)g->stage[j].states * g->choice[j].count;
        }
        group_states += g->solved ? g->stage[g->items].states : 0;
        choice_total = group_choices > choice_total ? group_choices : choice_total;
        states = group_states > states ? group_states : states;
    }
    dp->least = (rn_i128 *)rn_malloc((size_t)choice_total * sizeof *dp->least);
    dp->entry = (int32_t *)rn_malloc((size_t)choice_total * sizeof *dp->entry);
    dp->place = (int32_t *)rn_malloc((size_t)choice_total * sizeof *dp->place);
    dp->value = (rn_i128 *)rn_malloc((size_t)states * sizeof *dp->value);
    dp->reached = (bool *)rn_malloc((size_t)states * sizeof *dp->reached);
    if (dp->least == NULL || dp->entry == NULL || dp->place == NULL || dp->value == NULL ||
        dp->reached == NULL) {
        return rn_fail_memory(error, "scratch of groups", (size_t)states * sizeof *dp->value);
    }
    return RATION_OK;
}

static ration_status make_all(rn_relax *relax, rn_group_dp *dp, bool *any, ration_error *error)
{
    const rn_view *view = relax->view;
    int64_t options = 0;
    for (int32_t k = 0; k < view->groups; k++) {
        group *g = &dp->group[k];
        g->items = view->group_item_at[k + 1] - view->group_item_at[k];
        g->item = view->group_item + view->group_item_at[k];
        g->choice = (choices *)rn_calloc((size_t)g->items + 1, sizeof *g->choice);
        g->stage = (stage *)rn_calloc((size_t)g->items + 1, sizeof *g->stage);
        if (g->choice == NULL || g->stage == NULL) {
            return rn_fail_memory(error, "groups", (size_t)g->items * sizeof *g->choice);
        }
        for (int32_t side = 0; side < 2; side++) {
            g->row[side] = view->group_row[2 * k + side];
            g->width[side] = g->row[side] >= 0 ? 1 : 0;
        }
        for (int32_t j = 0; j < g->items; j++) {
            options += view->item_options[g->item[j]];
        }
        if ((g->row[0] < 0 && g->row[1] < 0) || g->items == 0 || options > OPTIONS_MAX) {
            continue;
        }
        RN_TRY(make_group(relax, g, error));
        *any = *any || g->solved;
        for (int32_t side = 0; g->solved && side < 2; side++) {
            if (g->row[side] >= 0) {
                relax->solved[g->row[side]] = 1;
            }
        }
        for (int32_t j = 0; g->solved && j < g->items; j++) {
            dp->has[g->item[j]] = true;
        }
    }
    return make_scratch(dp, error);
}

ration_status rn_group_dp_create(rn_relax *relax, rn_group_dp **dp, ration_error *error)
{
    const rn_view *view = relax->view;
    rn_group_dp *made = (rn_group_dp *)rn_calloc(1, sizeof *made);
    if (made == NULL) {
        return rn_fail_memory(error, "groups", sizeof *made);
    }
    made->group = (group *)rn_calloc((size_t)view->groups + 1, sizeof *made->group);
    made->has = (bool *)rn_calloc((size_t)view->items + 1, sizeof *made->has);
    bool any = false;
    ration_status status = RATION_OK;
    if (made->group == NULL || made->has == NULL) {
        status = rn_fail_memory(error, "groups", (size_t)view->groups * sizeof *made->group);
    } else {
        made->groups = view->groups;
        status = make_all(relax, made, &any, error);
    }
    if (status != RATION_OK || !any) {
        memset(relax->solved, 0, (size_t)view->all_rows);
        rn_group_dp_free(made);
        made = NULL;
    }
    if (status == RATION_OK) {
        *dp = made;
    }
    return status;
}

void rn_group_dp_free(rn_group_dp *dp)
{
    if (dp == NULL) {
        return;
    }
    for (int32_t k = 0; k < dp->groups; k++) {
        group *g = &dp->group[k];
        if (g->choice != NULL && g->stage != NULL) {
            clear_tables(g);
        }
        rn_free(g->choice);
        rn_free(g->stage);
        rn_free(g->reachable);
        rn_free(g->last);
    }
    rn_free(dp->group);
    rn_free(dp->has);
    rn_free(dp->least);
    rn_free(dp->entry);
    rn_free(dp->place);
    rn_free(dp->value);
    rn_free(dp->reached);
    rn_free(dp);
}

bool rn_group_dp_has(const rn_group_dp *dp, int32_t item)
{
    return dp->has[item];
}

int64_t rn_group_dp_size(const rn_group_dp *dp)
{
    return dp->steps;
}

void rn_group_dp_widths(const rn_group_dp *dp, int64_t *width)
{
    for (int32_t k = 0; k < dp->groups; k++) {
        width[2 * k] = dp->group[k].solved ? dp->group[k].width[0] : 0;
        width[2 * k + 1] = dp->group[k].solved ? dp->group[k].width[1] : 0;
    }
}

/* ---- evaluation ---- */

/* The least option per choice of an item. */
static void fill_least(const rn_relax *relax, const rn_pass *pass, int32_t item, const choices *c,
                       rn_i128 *least, int32_t *entry_of, int32_t *place_of)
{
    const rn_view *view = relax->view;
    int32_t option = 0;
    for (int32_t k = 0; k < c->count; k++) {
        entry_of[k] = -1;
    }
    for (int32_t entry = view->item_entry[item]; entry < view->item_entry[item + 1]; entry++) {
        int32_t first = 0;
        const int32_t places = rn_relax_entry_places(view, entry, &first);
        for (int32_t k = 0; k < places; k++) {
            const int32_t place = first + k;
            if (!rn_relax_allowed(relax, item, entry, place)) {
                continue;
            }
            const int32_t choice = c->of_option[option++];
            assert(choice >= 0 && choice < c->count);
            const rn_i128 value =
                rn_relax_option_cost(relax, item, entry, place) * ((rn_i128)1 << RN_PRICE_BITS) +
                rn_relax_option_price(relax, pass, item, entry, place);
            if (entry_of[choice] < 0 || value < least[choice]) {
                least[choice] = value;
                entry_of[choice] = entry;
                place_of[choice] = place;
            }
        }
    }
}

static void fill_items(const rn_relax *relax, const rn_group_dp *dp, const group *g,
                       const rn_pass *pass)
{
    const rn_view *view = relax->view;
    int64_t at = 0;
    for (int32_t k = 0; k < g->items; k++) {
        const choices *c = &g->choice[k];
        if (!c->shared) {
            fill_least(relax, pass, g->item[k], c, dp->least + at, dp->entry + at, dp->place + at);
        } else {
            const int32_t shift = view->item_entry[g->item[k]] - view->item_entry[g->item[k] - 1];
            for (int32_t j = 0; j < c->count; j++) {
                dp->least[at + j] = dp->least[at - c->count + j];
                dp->entry[at + j] = dp->entry[at - c->count + j] + shift;
                dp->place[at + j] = dp->place[at - c->count + j];
            }
        }
        at += c->count;
    }
}

/* Values of all states from the last stage to the first. value, reached: the stages one after the
 * other. */
static void walk_back(const rn_group_dp *dp, const group *g)
{
    int64_t state_at = 0;
    int64_t choice_at = 0;
    for (int32_t k = 0; k < g->items; k++) {
        state_at += g->stage[k].states;
        choice_at += g->choice[k].count;
    }
    memcpy(dp->value + state_at, g->last, (size_t)g->stage[g->items].states * sizeof *dp->value);
    memcpy(dp->reached + state_at, g->reachable,
           (size_t)g->stage[g->items].states * sizeof *dp->reached);
    for (int32_t k = g->items - 1; k >= 0; k--) {
        const int64_t after = state_at;
        const int32_t count = g->choice[k].count;
        state_at -= g->stage[k].states;
        choice_at -= count;
        for (int32_t s = 0; s < g->stage[k].states; s++) {
            bool any = false;
            rn_i128 best = 0;
            for (int32_t c = 0; c < count; c++) {
                const int64_t next = after + g->stage[k].next[(int64_t)s * count + c];
                const rn_i128 value = dp->value[next] + dp->least[choice_at + c];
                if (dp->reached[next] && (!any || value < best)) {
                    best = value;
                    any = true;
                }
            }
            dp->value[state_at + s] = best;
            dp->reached[state_at + s] = any;
        }
    }
}

/* Follows the least way from the first stage and sets the picks. */
static void walk_forth(const rn_group_dp *dp, const group *g, rn_pass *pass)
{
    int64_t state_at = 0;
    int64_t choice_at = 0;
    int32_t state = 0;
    for (int32_t k = 0; k < g->items; k++) {
        const int32_t count = g->choice[k].count;
        const int64_t after = state_at + g->stage[k].states;
        for (int32_t c = 0; c < count; c++) {
            const int32_t next = g->stage[k].next[(int64_t)state * count + c];
            if (dp->reached[after + next] &&
                dp->value[after + next] + dp->least[choice_at + c] == dp->value[state_at + state]) {
                pass->pick[g->item[k]] = dp->entry[choice_at + c];
                pass->place[g->item[k]] = dp->place[choice_at + c];
                state = next;
                break;
            }
        }
        state_at = after;
        choice_at += count;
    }
}

/* Any picks, so that the arrays are filled when the group has none within its limits. */
static void pick_any(const rn_group_dp *dp, const group *g, rn_pass *pass)
{
    int64_t at = 0;
    for (int32_t k = 0; k < g->items; k++) {
        pass->pick[g->item[k]] = dp->entry[at];
        pass->place[g->item[k]] = dp->place[at];
        at += g->choice[k].count;
    }
}

void rn_group_dp_evaluate(const rn_relax *relax, const rn_group_dp *dp, rn_pass *pass)
{
    for (int32_t k = 0; k < dp->groups; k++) {
        const group *g = &dp->group[k];
        if (!g->solved) {
            continue;
        }
        fill_items(relax, dp, g, pass);
        walk_back(dp, g);
        if (dp->reached[0]) {
            pass->value += dp->value[0];
            walk_forth(dp, g, pass);
        } else {
            pass->empty = true;
            pick_any(dp, g, pass);
        }
    }
}
