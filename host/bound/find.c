/* Finds a bound: prices for the plain relaxation, then with the groups solved exactly, then, when
 * no plan seems to be feasible, a proof of that. */
#include "bound/bound.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "bound/ascent.h"
#include "bound/group.h"
#include "bound/knapsack.h"
#include "bound/narrow.h"
#include "core/fail.h"

/* The step shrinks by 0.7 after 20 evaluations without gain (ascent.c). At most: 150 (groups: 100)
 * shrinkings leave less than 2^-50 of it. At least: three, or one where the plain relaxation's
 * prices are the beginning. */
enum { ROUNDS = 16 }; /* of leaving out options; later ones find little */
enum { PASSES_MAX = 3000, PASSES_MIN = 60, GROUP_PASSES_MAX = 2000, GROUP_PASSES_MIN = 30 };

/* What all evaluations together may look at (amounts, points, steps), about a second each on one
 * core; flat options are four times as fast. A function of the program alone, so that prices are
 * the same on every machine. */
static const int64_t work_max = (int64_t)600000000;
static const int64_t group_work_max = (int64_t)800000000;
static const int64_t knapsack_work_max = (int64_t)250000000;
enum { KNAPSACK_PASSES_MAX = 1500 };

static void carve(rn_layout *layout, const rn_view *view, rn_bound **bound)
{
    rn_bound *b = (rn_bound *)rn_carve(layout, 1, sizeof *b);
    int64_t *price = (int64_t *)rn_carve(layout, view->all_rows, sizeof *price);
    int64_t *width = (int64_t *)rn_carve(layout, 2 * (int64_t)view->groups, sizeof *width);
    int64_t *value_of = (int64_t *)rn_carve(layout, view->items, sizeof *value_of);
    int64_t *kept = (int64_t *)rn_carve(layout, view->all_rows, sizeof *kept);
    if (b != NULL) {
        b->value_of = value_of;
        b->kept = kept;
        b->price = price;
        b->width = width;
    }
    *bound = b;
}

/* What one evaluation looks at: amounts of all options, points of all rows. */
static int64_t pass_work(const rn_relax *relax)
{
    const rn_view *view = relax->view;
    rn_i128 work = relax->point_at[view->all_rows];
    for (int32_t item = 0; item < view->items; item++) {
        for (int32_t entry = view->item_entry[item];
             !relax->twin[item] && entry < view->item_entry[item + 1]; entry++) {
            int32_t first = 0;
            work += (rn_i128)rn_relax_entry_places(view, entry, &first) *
                    (1 + view->entry_use[entry + 1] - view->entry_use[entry]);
        }
    }
    return rn_i128_saturate(relax->flat != NULL ? work / 4 : work) + 1;
}

static int32_t passes_for(int64_t work, int64_t budget, int32_t least, int32_t most)
{
    assert(work > 0 && least <= most);
    const int64_t passes = budget / work;
    return passes < least ? least : passes > most ? most : (int32_t)passes;
}

/* Sum over items of the largest difference of option costs: how far L may rise, before anything is
 * known. */
static rn_i128 cost_spread(const rn_relax *relax)
{
    const rn_view *view = relax->view;
    rn_i128 sum = 0;
    for (int32_t item = 0; item < view->items; item++) {
        bool any = false;
        rn_i128 least = 0;
        rn_i128 most = 0;
        for (int32_t entry = view->item_entry[item]; entry < view->item_entry[item + 1]; entry++) {
            int32_t first = 0;
            const int32_t count = rn_relax_entry_places(view, entry, &first);
            for (int32_t k = 0; k < count; k++) {
                const rn_i128 cost = rn_relax_option_cost(relax, item, entry, first + k);
                least = !any || cost < least ? cost : least;
                most = !any || cost > most ? cost : most;
                any = true;
            }
        }
        sum += most - least;
    }
    return sum;
}

typedef struct finder {
    const rn_view *view;
    rn_bound_limits limits;
    rn_i128 most_cost; /* scaled; an L above it proves that there is no feasible plan */
    rn_bound *bound;
    rn_narrow *narrow; /* owned, or NULL */
    bool doubtful;     /* there may be no feasible plan */
} finder;

/* Whether nothing more may be evaluated. */
static bool over(const finder *f)
{
    return f->bound->cut;
}

static rn_ascent_limits limits_for(const finder *f, int32_t passes, rn_i128 spread)
{
    const rn_i128 scale = (rn_i128)1 << RN_PRICE_BITS;
    const int32_t left = f->limits.cut_after - f->bound->passes;
    assert(!over(f) && (f->limits.cut_after == 0 || left > 0));
    const rn_ascent_limits limits = {f->limits.passes > 0 ? f->limits.passes : passes,
                                     f->limits.cut_after > 0 ? left : 0,
                                     scale * f->limits.target,
                                     f->most_cost,
                                     spread,
                                     f->limits.deadline_us};
    return limits;
}

/* Adds what an ascent evaluated. No ascent follows one that was cut. */
static void count(finder *f, const rn_ascent *ascent)
{
    rn_bound *bound = f->bound;
    bound->passes += ascent->passes;
    assert(f->limits.cut_after == 0 || bound->passes <= f->limits.cut_after);
    bound->cut = bound->cut || ascent->cut;
}

static void take(finder *f, const rn_ascent *ascent, rn_bound_kind kind)
{
    rn_bound *bound = f->bound;
    if (ascent->empty || (ascent->any && ascent->best > f->most_cost)) {
        f->doubtful = true;
    }
    if (ascent->empty || !ascent->any) {
        return;
    }
    const int64_t value =
        rn_i128_saturate(rn_i128_ceil_div(ascent->best, (rn_i128)1 << RN_PRICE_BITS));
    if (value > bound->value) {
        const rn_view *view = f->view;
        bound->kind = kind;
        bound->value = value;
        for (int32_t row = 0; row < view->all_rows; row++) {
            bound->price[row] = ascent->best_price[row];
        }
        if (kind == RN_BOUND_GROUP) {
            rn_group_dp_widths(ascent->relax->group, bound->width);
        }
    }
}

/* How far knapsacks may raise the bound of prices, a guess: an eighth of a typical amount's price
 * on each row that is kept. */
static rn_i128 knapsack_rise(const rn_relax *relax, const rn_bound *bound, const char *kept)
{
    rn_i128 sum = (rn_i128)1 << RN_PRICE_BITS;
    for (int32_t row = 0; row < relax->view->rows; row++) {
        const rn_i128 price = bound->price[row];
        sum += kept[row] != 0 ? (price < 0 ? -price : price) * relax->typical[row] / 32 : 0;
    }
    return sum;
}

static ration_status climb_knapsack(finder *f, const rn_relax *relax, const rn_knapsack *knapsack,
                                    const char *kept, ration_error *error)
{
    rn_bound *bound = f->bound;
    const int32_t left = f->limits.cut_after > 0 ? f->limits.cut_after - bound->passes : 0;
    assert(f->limits.cut_after == 0 || left > 0);
    const rn_knapsack_limits limits = {((rn_i128)1 << RN_PRICE_BITS) * f->limits.target,
                                       knapsack_rise(relax, bound, kept),
                                       knapsack_work_max,
                                       KNAPSACK_PASSES_MAX,
                                       left,
                                       f->limits.deadline_us};
    rn_knapsack_found found = {0, 0, false};
    rn_knapsack_start(knapsack, bound->price, bound->value_of);
    RN_TRY(rn_knapsack_climb(knapsack, &limits, bound->value_of, &found, error));
    bound->passes += found.passes;
    bound->cut = bound->cut || found.cut;
    const int64_t value =
        rn_i128_saturate(rn_i128_ceil_div(found.best, (rn_i128)1 << RN_PRICE_BITS));
    if (found.best > f->most_cost) {
        f->doubtful = true;
    }
    if (value > bound->value) {
        bound->kind = RN_BOUND_KNAPSACK;
        bound->value = value;
        for (int32_t row = 0; row < bound->all_rows; row++) {
            bound->kept[row] = kept[row];
        }
    } else {
        memset(bound->value_of, 0, (size_t)bound->items * sizeof *bound->value_of);
    }
    return RATION_OK;
}

/* Goes on from the prices found with the rows whole, where they are of that form. */
static ration_status pack_rows(finder *f, rn_relax *relax, ration_error *error)
{
    if (f->bound->value == INT64_MIN || f->bound->value >= f->limits.target) {
        return RATION_OK;
    }
    rn_knapsack *knapsack = NULL;
    char *kept = (char *)rn_malloc((size_t)relax->view->all_rows + 1);
    if (kept == NULL) {
        return rn_fail_memory(error, "rows of knapsacks", (size_t)relax->view->all_rows);
    }
    ration_status status = rn_knapsack_create(relax, f->bound->price, kept, &knapsack, error);
    if (status == RATION_OK && knapsack != NULL) {
        status = climb_knapsack(f, relax, knapsack, kept, error);
    }
    rn_knapsack_free(knapsack);
    rn_free(kept);
    return status;
}

/* Begins at the rows' own prices if they bound more than none at all do. */
static void begin(rn_ascent *ascent)
{
    const rn_relax *relax = ascent->relax;
    const size_t bytes = (size_t)relax->view->all_rows * sizeof *ascent->price;
    rn_relax_evaluate(relax, ascent->best_price, ascent->pass);
    const rn_i128 bare = ascent->pass->value;
    rn_relax_start(relax, ascent->price);
    rn_relax_set_relays(relax, ascent->price);
    rn_relax_evaluate(relax, ascent->price, ascent->pass);
    if (ascent->pass->value > bare) {
        memcpy(ascent->best_price, ascent->price, bytes);
    }
}

static ration_status climb(finder *f, rn_relax *relax, ration_error *error)
{
    rn_ascent *ascent = NULL;
    RN_TRY(rn_ascent_create(relax, &ascent, error));
    const rn_i128 scale = (rn_i128)1 << RN_PRICE_BITS;
    /* Where groups follow, plain prices are a start and need not be the best. */
    const int32_t most = f->view->groups > 0 ? GROUP_PASSES_MAX : PASSES_MAX;
    const int32_t passes = passes_for(pass_work(relax), work_max, PASSES_MIN, most);
    const rn_i128 spread = scale * cost_spread(relax) / 2 + scale;
    const rn_ascent_limits limits = limits_for(f, passes, spread);
    begin(ascent);
    rn_ascent_run(ascent, &limits);
    count(f, ascent);
    take(f, ascent, RN_BOUND_LAGRANGE);
    if (f->view->groups > 0 && !over(f) && f->bound->value < f->limits.target) {
        const ration_status status = rn_group_dp_create(relax, &relax->group, error);
        if (status != RATION_OK) {
            rn_ascent_free(ascent);
            return status;
        }
        if (relax->group != NULL) {
            assert(f->bound->kind != RN_BOUND_KNAPSACK);
            const int64_t work = pass_work(relax) + rn_group_dp_size(relax->group);
            const rn_ascent_limits again =
                limits_for(f, passes_for(work, group_work_max, GROUP_PASSES_MIN, GROUP_PASSES_MAX),
                           spread / 4 + 1);
            ascent->passes = 0;
            rn_ascent_run(ascent, &again);
            count(f, ascent);
            take(f, ascent, RN_BOUND_GROUP);
        }
    }
    rn_ascent_free(ascent);
    return relax->group == NULL && !f->doubtful && !over(f) ? pack_rows(f, relax, error)
                                                            : RATION_OK;
}

/* Starts the search for a proof from the prices that made the bound of the cost grow without end,
 * brought to +-2^RN_PRICE_BITS, beyond which no price of a violation helps. */
static void start_from_prices(const rn_bound *bound, const rn_relax *relax, rn_ascent *ascent)
{
    int64_t most = 1;
    for (int32_t row = 0; row < bound->all_rows; row++) {
        const int64_t size = bound->price[row] < 0 ? -bound->price[row] : bound->price[row];
        most = size > most ? size : most;
    }
    for (int32_t row = 0; row < bound->all_rows; row++) {
        const rn_i128 value = (rn_i128)bound->price[row] * (1 << RN_PRICE_BITS) / most;
        const rn_i128 low = relax->price_low[row];
        const rn_i128 high = relax->price_high[row];
        assert(low <= high);
        ascent->best_price[row] = (int64_t)(value < low ? low : value > high ? high : value);
    }
}

/* Sum over rows of the typical amount: a first guess of a violation. */
static rn_i128 typical_violation(const rn_relax *relax)
{
    rn_i128 sum = 1;
    for (int32_t row = 0; row < relax->view->all_rows; row++) {
        sum += relax->typical[row];
    }
    return sum;
}

static void forget_knapsack(rn_bound *bound)
{
    memset(bound->value_of, 0, (size_t)bound->items * sizeof *bound->value_of);
    memset(bound->kept, 0, (size_t)bound->all_rows * sizeof *bound->kept);
}

/* Takes V as proved by the options left out and, if there is one, by an ascent on those left. */
static void take_narrow(finder *f, const rn_ascent *ascent)
{
    rn_bound *bound = f->bound;
    assert(f->narrow != NULL && f->narrow->rounds > 0 && f->narrow->violation >= 0);
    const int64_t proved = f->narrow->violation > 0 ? f->narrow->violation : 1;
    if (bound->infeasible && bound->value >= proved) {
        return;
    }
    bound->value = INT64_MIN;
    memset(bound->price, 0, (size_t)bound->all_rows * sizeof *bound->price);
    memset(bound->width, 0, 2 * (size_t)bound->groups * sizeof *bound->width);
    forget_knapsack(bound);
    bound->kind = RN_BOUND_LAGRANGE;
    if (ascent != NULL) {
        take(f, ascent, ascent->relax->group != NULL ? RN_BOUND_GROUP : RN_BOUND_LAGRANGE);
    }
    bound->infeasible = true;
    bound->rounds = f->narrow->rounds;
    bound->value = proved;
}

/* Looks for a bound > 0 on the violation; narrow: with the options that are left, or NULL. */
static ration_status prove_infeasible(finder *f, const rn_narrow *narrow, ration_error *error)
{
    rn_relax *relax = NULL;
    RN_TRY(rn_relax_create(f->view, narrow, true, &relax, error));
    rn_ascent *ascent = NULL;
    ration_status status =
        f->view->groups > 0 ? rn_group_dp_create(relax, &relax->group, error) : RATION_OK;
    if (status == RATION_OK) {
        status = rn_ascent_create(relax, &ascent, error);
    }
    if (status == RATION_OK) {
        const int64_t work =
            pass_work(relax) + (relax->group != NULL ? rn_group_dp_size(relax->group) : 0);
        rn_ascent_limits limits = limits_for(f, passes_for(work, work_max, PASSES_MIN, PASSES_MAX),
                                             typical_violation(relax) * (1 << RN_PRICE_BITS));
        limits.target = (rn_i128)INT64_MAX << RN_PRICE_BITS;
        limits.enough = limits.target;
        start_from_prices(f->bound, relax, ascent);
        rn_ascent_run(ascent, &limits);
        count(f, ascent);
        if (!ascent->empty && ascent->any && ascent->best > 0 && narrow != NULL) {
            take_narrow(f, ascent);
        } else if (!ascent->empty && ascent->any && ascent->best > 0) {
            f->bound->rounds = 0;
            f->bound->value = INT64_MIN;
            forget_knapsack(f->bound);
            take(f, ascent, relax->group != NULL ? RN_BOUND_GROUP : RN_BOUND_LAGRANGE);
            f->bound->infeasible = true;
        }
    }
    rn_ascent_free(ascent);
    rn_relax_free(relax);
    return status;
}

/* Tries all proofs, the best first: of the violation of any plan, then, if options were left out,
 * that there is none without them. */
static ration_status prove(finder *f, ration_error *error)
{
    RN_TRY(prove_infeasible(f, NULL, error));
    if (f->narrow == NULL) {
        return RATION_OK;
    }
    if (f->narrow->empty_item >= 0 || f->narrow->violation > 0) {
        take_narrow(f, NULL);
    } else if (!f->bound->infeasible && !over(f)) {
        return prove_infeasible(f, f->narrow, error);
    }
    return RATION_OK;
}

static ration_status find_with(finder *f, ration_error *error)
{
    rn_relax *relax = NULL;
    if (f->narrow != NULL && f->narrow->empty_item >= 0) {
        return prove(f, error);
    }
    RN_TRY(rn_relax_create(f->view, f->narrow, false, &relax, error));
    f->bound->rounds = f->narrow != NULL ? f->narrow->rounds : 0;
    f->most_cost = rn_relax_most_cost(f->view) * ((rn_i128)1 << RN_PRICE_BITS);
    f->doubtful = relax->empty_row >= 0;
    const ration_status status = f->doubtful ? RATION_OK : climb(f, relax, error);
    rn_relax_free(relax);
    RN_TRY(status);
    return f->doubtful && !over(f) ? prove(f, error) : RATION_OK;
}

static ration_status find(finder *f, ration_error *error)
{
    RN_TRY(rn_narrow_create(f->view, ROUNDS, &f->narrow, error));
    const ration_status status = find_with(f, error);
    rn_narrow_free(f->narrow);
    return status;
}

ration_status rn_bound_find(const rn_view *view, const rn_bound_limits *limits, rn_bound **bound,
                            ration_error *error)
{
    assert(view != NULL && bound != NULL);
    const rn_bound_limits none = {INT64_MAX, 0, 0, -1};
    finder f = {view, limits != NULL ? *limits : none, 0, NULL, NULL, false};
    rn_layout layout = {0};
    carve(&layout, view, &f.bound);
    RN_TRY(rn_layout_allocate(&layout, "bound", error));
    carve(&layout, view, &f.bound);
    f.bound->kind = RN_BOUND_LAGRANGE;
    f.bound->value = INT64_MIN;
    f.bound->all_rows = view->all_rows;
    f.bound->groups = view->groups;
    f.bound->items = view->items;
    const ration_status status = find(&f, error);
    if (status != RATION_OK) {
        rn_bound_free(f.bound);
        return status;
    }
    *bound = f.bound;
    return RATION_OK;
}

void rn_bound_free(rn_bound *bound)
{
    rn_free(bound);
}
