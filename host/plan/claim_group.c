/* A group in a certificate: least cost of its items and of its DP rows together, by dynamic
 * programming forwards over the loads that can be reached, one list of states an item, sorted and
 * merged. With a width w > 1 a state stands for all loads between w K and w K + the remainders that
 * the items can leave. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "plan/claim.h"

enum { STATES_MAX = 1 << 20, OPTIONS_MAX = 1 << 26 }; /* before merging: 32 MiB, 2 GiB */

typedef struct state {
    int64_t load[2]; /* in widths, offsets not counted */
    rn_i128 value;
} state;

typedef struct states {
    state *at;
    int64_t count;
    int64_t capacity;
} states;

static int compare(const void *left, const void *right)
{
    const state *a = (const state *)left;
    const state *b = (const state *)right;
    for (int32_t side = 0; side < 2; side++) {
        if (a->load[side] != b->load[side]) {
            return a->load[side] < b->load[side] ? -1 : 1;
        }
    }
    return a->value < b->value ? -1 : a->value > b->value ? 1 : 0;
}

/* Keeps the least value of each pair of loads. */
static void merge(states *s)
{
    qsort(s->at, (size_t)s->count, sizeof *s->at, compare);
    int64_t kept = 0;
    for (int64_t k = 0; k < s->count; k++) {
        if (kept == 0 || s->at[kept - 1].load[0] != s->at[k].load[0] ||
            s->at[kept - 1].load[1] != s->at[k].load[1]) {
            s->at[kept++] = s->at[k];
        }
    }
    assert(kept <= s->count && (kept > 0) == (s->count > 0));
    s->count = kept;
}

static ration_status reserve(states *s, int64_t count, int64_t most, ration_error *error)
{
    if (count > most) {
        return rn_fail(error, RATION_E_MISMATCH,
                       "a group of the certificate needs more than %lld states", (long long)most);
    }
    if (count > s->capacity) {
        state *grown = (state *)rn_realloc(s->at, (size_t)count * sizeof *grown);
        if (grown == NULL) {
            return rn_fail_memory(error, "states of a group", (size_t)count * sizeof *grown);
        }
        s->at = grown;
        s->capacity = count;
    }
    return RATION_OK;
}

/* floor(amount / width) for width > 0. */
static int64_t round_down(int64_t amount, int64_t width)
{
    return width > 0 ? (int64_t)rn_i128_floor_div(amount, width) : 0;
}

typedef struct work {
    const rn_case *c;
    int32_t row[2];
    int64_t width[2];
    rn_i128 remainder[2]; /* sum over the items so far of the largest one */
} work;

/* Lists what an item's options do to the DP rows, each pair of loads once, and adds its largest
 * remainders. */
static ration_status list_choices(work *w, int32_t item, states *choices, ration_error *error)
{
    int64_t largest[2] = {0, 0};
    choices->count = 0;
    rn_judge_walk walk = rn_left_first(&w->c->left, item);
    while (rn_judge_next(&walk)) {
        const int64_t wanted =
            choices->count < choices->capacity ? choices->count : 2 * choices->count + 16;
        RN_TRY(reserve(choices, wanted, OPTIONS_MAX, error));
        state choice = {{0, 0}, rn_claim_option(w->c, &walk.option, w->row)};
        for (int32_t side = 0; side < 2; side++) {
            int64_t amount = 0;
            for (int32_t k = 0; k < rn_judge_burdens(w->c->view, &walk.option); k++) {
                const rn_burden *burden = &w->c->burden[k];
                amount += w->row[side] >= 0 && burden->row == w->row[side] ? burden->amount : 0;
            }
            choice.load[side] = round_down(amount, w->width[side]);
            const int64_t remainder =
                w->width[side] > 0 ? amount - choice.load[side] * w->width[side] : 0;
            largest[side] = remainder > largest[side] ? remainder : largest[side];
        }
        assert(choices->count < choices->capacity);
        choices->at[choices->count++] = choice;
    }
    merge(choices);
    w->remainder[0] += largest[0];
    w->remainder[1] += largest[1];
    return choices->count > 0 ? RATION_OK
                              : rn_fail(error, RATION_E_MISMATCH, "item %d has no option", item);
}

/* Lets every state take every choice. */
static ration_status extend(const states *from, const states *choices, states *to,
                            ration_error *error)
{
    const bool fits = from->count <= STATES_MAX / choices->count;
    RN_TRY(reserve(to, fits ? from->count * choices->count : (int64_t)STATES_MAX + 1, STATES_MAX,
                   error));
    to->count = 0;
    for (int64_t k = 0; k < from->count; k++) {
        for (int64_t c = 0; c < choices->count; c++) {
            assert(to->count < to->capacity);
            state *next = &to->at[to->count++];
            next->load[0] = from->at[k].load[0] + choices->at[c].load[0];
            next->load[1] = from->at[k].load[1] + choices->at[c].load[1];
            next->value = from->at[k].value + choices->at[c].value;
        }
    }
    merge(to);
    return RATION_OK;
}

/* Adds the cost of the DP rows at a final state; false when no load there is within the limits. */
static bool finish(const work *w, const state *last, rn_i128 *value)
{
    *value = last->value;
    for (int32_t side = 0; side < 2; side++) {
        rn_i128 least = 0;
        if (w->row[side] < 0) {
            continue;
        }
        const rn_i128 from = (rn_i128)w->c->view->row_offset[w->row[side]] +
                             (rn_i128)last->load[side] * w->width[side];
        if (!rn_claim_row_least(w->c, w->row[side], from, from + w->remainder[side], &least)) {
            return false;
        }
        *value += least * ((rn_i128)1 << RN_PRICE_BITS);
    }
    return true;
}

static ration_status solve(work *w, int32_t group, states pair[2], states *choices, rn_i128 *least,
                           ration_error *error)
{
    const rn_view *view = w->c->view;
    RN_TRY(reserve(&pair[0], 1, STATES_MAX, error));
    const state start = {{0, 0}, 0};
    pair[0].at[0] = start;
    pair[0].count = 1;
    int32_t now = 0;
    for (int32_t k = view->group_item_at[group]; k < view->group_item_at[group + 1];
         k++, now = 1 - now) {
        RN_TRY(list_choices(w, view->group_item[k], choices, error));
        RN_TRY(extend(&pair[now], choices, &pair[1 - now], error));
    }
    assert(pair[now].count >= 1);
    bool any = false;
    for (int64_t k = 0; k < pair[now].count; k++) {
        rn_i128 value = 0;
        if (finish(w, &pair[now].at[k], &value) && (!any || value < *least)) {
            *least = value;
            any = true;
        }
    }
    return any ? RATION_OK
               : rn_fail(error, RATION_E_MISMATCH,
                         "group %d reaches no load within its limits, so a bound of the cost means "
                         "nothing",
                         group);
}

ration_status rn_claim_group(const rn_case *c, int32_t group, rn_i128 *least, ration_error *error)
{
    assert(group >= 0 && group < c->view->groups);
    work w = {c,
              {c->view->group_row[2 * group], c->view->group_row[2 * group + 1]},
              {c->claim->width[2 * group], c->claim->width[2 * group + 1]},
              {0, 0}};
    assert(w.width[0] >= 0 && w.width[1] >= 0);
    states pair[2] = {{0}, {0}};
    states choices = {0};
    rn_i128 found = 0;
    const ration_status status = solve(&w, group, pair, &choices, &found, error);
    rn_free(pair[0].at);
    rn_free(pair[1].at);
    rn_free(choices.at);
    RN_TRY(status);
    *least = found;
    return RATION_OK;
}
