#include "search/run.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "core/eval.h"
#include "core/fail.h"
#include "core/state.h"
#include "program/program.h"
#include "search/choose.h"
#include "search/start.h"

enum {
    CHAINS_CPU = 16,
    CHAINS_GPU = 4096,
    ISLANDS_CPU = 4,
    ISLANDS_GPU = 64,
    EPOCH_OPTIONS = 10000000,   /* of all chains in an epoch, at most */
    EPOCH_WORK_CPU = 200000000, /* steps in an epoch of a general program, preset cpu: < 0.4 s */
    MOVES_LEAST = 64,
    MOVES_ITEM = 64, /* small programs: this many moves an item and epoch are enough */
    PLANS_MOST = 4,
    WEIGHTS_EVERY = 4, /* epochs between two looks at broken limits */
    REFINE_MOVE = 64,  /* options that a move may stand for */
    REFINE_FACTOR = 1,
    LOAD_BYTES_US = 500 /* bytes of state that are made in a microsecond */
};

/* ---- the run's numbers ---- */

/* Options that a chain may evaluate in an epoch. */
static int64_t evaluation_cap(const rn_tables *t, const rn_run_key *key)
{
    int64_t all = EPOCH_OPTIONS;
    if (!t->one_row && !key->preset_gpu) {
        const rn_view *v = &t->view;
        const int64_t edges = v->edge_at != NULL ? v->edge_at[v->items] / v->items : 0;
        const int64_t work = EPOCH_WORK_CPU / (8 + 3 * (int64_t)t->nodes + t->touch + edges);
        all = work < all ? work : all;
    }
    assert(key->chains >= 1 && all >= 0);
    const int64_t cap = all / key->chains;
    return cap < MOVES_LEAST ? MOVES_LEAST : cap;
}

static int64_t default_length(const rn_tables *t, const rn_run_key *key)
{
    const rn_view *v = &t->view;
    const int64_t rows = v->all_rows > 0 ? v->all_rows : 1;
    const int64_t listed = (int64_t)v->items * t->nodes / rows; /* items of a row */
    const int64_t scan = (!t->one_row && listed > RN_PARTNERS ? RN_PARTNERS : listed) + 1;
    /* every second move of a one-row program scans, every 16th of another */
    const int64_t options = 1 + scan * (RN_CANDIDATES + 1) / (t->one_row ? 2 : 16);
    const int64_t moves = evaluation_cap(t, key) / options;
    const int64_t enough = 256 + (int64_t)MOVES_ITEM * v->items;
    const int64_t length = moves < enough ? moves : enough;
    return length < MOVES_LEAST ? MOVES_LEAST : length;
}

void rn_run_key_make(const rn_tables *tables, const ration_run *run, rn_run_key *key)
{
    memset(key, 0, sizeof *key);
    key->seed = run->seed;
    key->preset_gpu = run->preset_gpu;
    key->chains = run->chains > 0 ? run->chains : run->preset_gpu ? CHAINS_GPU : CHAINS_CPU;
    key->islands = run->islands > 0 ? run->islands : run->preset_gpu ? ISLANDS_GPU : ISLANDS_CPU;
    key->islands = key->islands < key->chains ? key->islands : key->chains;
    key->epoch_length = run->epoch_length > 0 ? run->epoch_length : default_length(tables, key);
    assert(key->islands >= 1 && key->islands <= key->chains && key->epoch_length >= 1);
}

/* ---- plans to begin with ---- */

/* Completes wished picks by the candidates of least reduced cost. */
static void complete(const rn_tables *t, const int32_t *wished, int32_t *pick)
{
    for (int32_t i = 0; i < t->view.items; i++) {
        const bool given = wished != NULL && wished[i] >= 0;
        pick[i] = given ? wished[i] : t->cand_option[(int64_t)i * RN_CANDIDATES];
        assert(pick[i] >= 0 && pick[i] < t->view.item_options[i]);
    }
}

static bool has_start(const ration_program *program)
{
    const int32_t items = ration_program_items(program);
    for (int32_t i = 0; i < items; i++) {
        if (ration_program_start(program, i) >= 0) {
            return true;
        }
    }
    return false;
}

/* Plans of chains: greedy from the cheapest candidates; the plan asked for and what descends from
 * it; the program's own start. pick: [PLANS_MOST * items]. */
static ration_status make_plans(const rn_search *s, const ration_run *run, int32_t *pick,
                                int32_t *plans, ration_error *error)
{
    const int64_t items = s->view->items;
    rn_epoch rigid;
    int32_t count = 0;
    memset(&rigid, 0, sizeof rigid);
    rn_schedule_rigid(s->schedule, &rigid);
    complete(s->tables, NULL, pick);
    RN_TRY(rn_start_descend(s->tables, &rigid, pick, error));
    count++;
    if (run->start != NULL) {
        complete(s->tables, run->start, pick + count * items);
        memcpy(pick + (count + 1) * items, pick + count * items, (size_t)items * sizeof *pick);
        RN_TRY(rn_start_descend(s->tables, &rigid, pick + (count + 1) * items, error));
        count += 2;
    }
    if (has_start(s->program)) {
        int32_t *own = pick + count * items;
        complete(s->tables, NULL, own);
        for (int32_t i = 0; i < items; i++) {
            const int32_t option = ration_program_start(s->program, i);
            own[i] = option >= 0 ? option : own[i];
        }
        count++;
    }
    assert(count >= 1 && count <= PLANS_MOST);
    *plans = count;
    return RATION_OK;
}

/* Exact cost and violation of picks. */
static ration_status price(const rn_search *s, const int32_t *pick, rn_change *value,
                           ration_error *error)
{
    const rn_view *v = s->view;
    int64_t *load = rn_calloc((size_t)s->tables->rows + 1, sizeof *load);
    int32_t *seat = rn_calloc((size_t)v->items, sizeof *seat);
    const bool memory = load != NULL && seat != NULL;
    if (memory) {
        *value = rn_plan_price(s->tables, pick, load, seat);
    }
    rn_free(load);
    rn_free(seat);
    return memory ? RATION_OK
                  : rn_fail_memory(error, "a plan's loads", ((size_t)v->items + 1) * sizeof *load);
}

/* Whether (violation, cost) is better than the best so far. */
static bool better(const rn_progress_facts *facts, int64_t violation, int64_t cost)
{
    return violation < facts->best_violation ||
           (violation == facts->best_violation && cost < facts->best_cost);
}

/* Takes the best of the plans. */
static ration_status take_plans(rn_search *s, ration_error *error)
{
    const int64_t items = s->view->items;
    assert(s->plan != NULL && s->plans >= 1);
    for (int32_t x = 0; x < s->plans; x++) {
        rn_change value = {0};
        RN_TRY(price(s, s->plan + x * items, &value, error));
        if (better(&s->facts, value.violation, value.cost)) {
            s->facts.best_violation = value.violation;
            s->facts.best_cost = value.cost;
            memcpy(s->best, s->plan + x * items, (size_t)items * sizeof *s->plan);
        }
    }
    return RATION_OK;
}

/* ---- construction ---- */

static void carve(rn_layout *layout, rn_search **search, int32_t items, int32_t chains)
{
    rn_search empty = {0};
    rn_search *s = rn_carve(layout, 1, sizeof *s);
    empty.best = rn_carve(layout, items, sizeof *empty.best);
    empty.head = rn_carve(layout, chains, sizeof *empty.head);
    empty.order = rn_carve(layout, chains, sizeof *empty.order);
    empty.mate = rn_carve(layout, chains, sizeof *empty.mate);
    if (s != NULL) {
        *s = empty;
        *search = s;
    }
}

static ration_status prepare(rn_search *s, const ration_run *run, ration_error *error)
{
    const size_t items = (size_t)s->view->items;
    rn_choice choice;
    RN_TRY(rn_choose_backend(run, &choice, error));
    s->backend = choice.backend;
    s->inner = choice.inner;
    s->threads = run->threads;
    s->device = run->device;
    s->plan = rn_calloc(PLANS_MOST * items, sizeof *s->plan);
    if (s->plan == NULL) {
        return rn_fail_memory(error, "start plans", PLANS_MOST * items * sizeof *s->plan);
    }
    complete(s->tables, NULL, s->plan);
    RN_TRY(rn_schedule_create(s->tables, s->key.chains, s->plan, &s->schedule, error));
    RN_TRY(rn_refine_create(s->tables, s->key.chains, s->threads, &s->refine, error));
    rn_schedule_reserve(s->schedule, rn_refine_share(s->refine));
    RN_TRY(make_plans(s, run, s->plan, &s->plans, error));
    return take_plans(s, error);
}

ration_status rn_search_create(const rn_search_wish *wish, rn_bound *bound, rn_search **search,
                               ration_error *error)
{
    const rn_view *v = rn_program_view(wish->program);
    const rn_tables_wish tables_wish = {bound != NULL ? bound->price : NULL, wish->wide,
                                        wish->general};
    rn_tables *tables = NULL;
    rn_run_key key;
    rn_layout layout = {0};
    rn_search *s = NULL;
    ration_status status = rn_tables_create(v, &tables_wish, &tables, error);
    if (status != RATION_OK) {
        rn_bound_free(bound);
        return status;
    }
    rn_run_key_make(tables, wish->run, &key);
    carve(&layout, &s, v->items, key.chains);
    status = rn_layout_allocate(&layout, "the search", error);
    if (status != RATION_OK) {
        rn_tables_free(tables);
        rn_bound_free(bound);
        return status;
    }
    carve(&layout, &s, v->items, key.chains);
    s->program = wish->program;
    s->view = v;
    s->key = key;
    s->tables = tables;
    s->bound = bound;
    s->evaluations = evaluation_cap(tables, &key);
    s->facts.best_violation = INT64_MAX;
    s->facts.best_cost = INT64_MAX;
    s->facts.bound = bound != NULL && !bound->infeasible ? bound->value : INT64_MIN;
    status = prepare(s, wish->run, error);
    if (status != RATION_OK) {
        rn_search_free(s);
        return status;
    }
    assert(s->facts.best_violation >= 0 && s->chains == NULL);
    *search = s;
    return RATION_OK;
}

void rn_search_free(rn_search *search)
{
    if (search == NULL) {
        return;
    }
    if (search->chains != NULL) {
        search->backend->free(search->chains);
    }
    rn_refine_free(search->refine);
    rn_schedule_free(search->schedule);
    rn_tables_free(search->tables);
    rn_bound_free(search->bound);
    rn_free(search->plan);
    rn_free(search);
}

ration_status rn_search_load(rn_search *s, ration_error *error)
{
    if (s->chains != NULL) {
        return RATION_OK;
    }
    const rn_backend_load request = {s->tables, s->key.chains, s->threads, s->device, s->inner};
    assert(s->plan != NULL && s->plans >= 1 && s->plans <= PLANS_MOST);
    RN_TRY(s->backend->create(&request, &s->chains, error));
    RN_TRY(s->backend->begin(s->chains, s->plan, s->plans, error));
    rn_free(s->plan);
    s->plan = NULL;
    return s->backend->heads(s->chains, s->head, error);
}

int64_t rn_search_load_us(const rn_search *s)
{
    return rn_state_map(s->tables).bytes / LOAD_BYTES_US * s->key.chains;
}

/* ---- epochs ---- */

/* The chain whose best plan is the best of all, lowest number first. */
static int32_t best_chain(const rn_search *s)
{
    int32_t best = 0;
    for (int32_t c = 1; c < s->key.chains; c++) {
        const rn_chain_head *a = &s->head[c];
        const rn_chain_head *b = &s->head[best];
        if (a->best_violation < b->best_violation ||
            (a->best_violation == b->best_violation && a->best_cost < b->best_cost)) {
            best = c;
        }
    }
    return best;
}

static ration_status take_best(rn_search *s, ration_error *error)
{
    RN_TRY(s->backend->heads(s->chains, s->head, error));
    const int32_t chain = best_chain(s);
    const rn_chain_head *head = &s->head[chain];
    assert(head->best_violation >= 0);
    if (better(&s->facts, head->best_violation, head->best_cost)) {
        RN_TRY(s->backend->best(s->chains, chain, s->best, error));
        s->facts.best_violation = head->best_violation;
        s->facts.best_cost = head->best_cost;
    }
    s->moves = 0;
    s->options = 0;
    for (int32_t c = 0; c < s->key.chains; c++) {
        s->moves += s->head[c].moves;
        s->options += s->head[c].evaluations;
    }
    return RATION_OK;
}

/* Makes the limits that the best plan breaks dearer. */
static ration_status weigh(rn_search *s, ration_error *error)
{
    int64_t *row_load = rn_calloc((size_t)s->tables->rows + 1, sizeof *row_load);
    if (row_load == NULL) {
        return rn_fail_memory(error, "a plan's loads", sizeof *row_load);
    }
    int32_t *weight = rn_schedule_weights(s->schedule);
    rn_eval_loads(s->tables, s->best, row_load);
    for (int32_t r = 0; r < s->tables->rows; r++) {
        if (rn_row_distance(s->view, r, row_load[r]) > 0 && weight[r] < RN_WEIGHT_MOST) {
            weight[r]++;
        }
    }
    rn_free(row_load);
    return RATION_OK;
}

/* What a homotopy that ended says about the penalties: with no feasible plan, or with most chains
 * beyond the limits, they double. */
static void adapt(rn_search *s)
{
    int32_t broken = 0;
    for (int32_t c = 0; c < s->key.chains; c++) {
        broken += s->head[c].violation > 0;
    }
    assert(broken <= s->key.chains && s->facts.doublings <= RN_WEIGHT_MOST);
    const bool none = s->facts.best_violation > 0;
    const bool most = !s->tables->one_row && broken > s->key.chains / 4 * 3;
    if ((none || most) && s->facts.doublings < RN_WEIGHT_MOST) {
        s->facts.doublings++;
    }
}

/* Units of work of an epoch that refines: about as long as one that anneals. */
static int64_t refine_work(const rn_search *s)
{
    const int64_t all = s->evaluations * s->key.chains;
    const int64_t asked = s->key.epoch_length < all / REFINE_MOVE
                              ? s->key.epoch_length * REFINE_MOVE * s->key.chains
                              : all;
    return (asked < all ? asked : all) * REFINE_FACTOR;
}

ration_status rn_search_epoch(rn_search *s, ration_error *error)
{
    rn_epoch e;
    int64_t first;
    int64_t length;
    memset(&e, 0, sizeof e);
    RN_TRY(rn_search_load(s, error));
    const int32_t homotopy = rn_schedule_homotopy(s->epoch, &first, &length);
    assert(length > 0 && s->epoch >= first && s->epoch < first + length);
    rn_schedule_epoch(s->schedule, s->epoch, &s->facts, &e);
    e.seed = s->key.seed;
    e.step = s->epoch * s->key.epoch_length;
    e.moves = (int32_t)(s->key.epoch_length < INT32_MAX ? s->key.epoch_length : INT32_MAX);
    e.evaluations = (int32_t)s->evaluations;
    e.number = (uint32_t)s->epoch;
    e.mate = s->mate;
    e.breeds = homotopy > 0 && s->epoch == first;
    if (e.breeds) {
        const rn_island_plan plan = {s->head,  s->key.chains, s->key.islands,
                                     homotopy, s->key.seed,   e.number};
        RN_TRY(s->backend->heads(s->chains, s->head, error));
        rn_island_mate(&plan, s->order, s->mate);
    }
    const int64_t annealing = rn_schedule_annealing(s->schedule, length);
    if (s->epoch - first < annealing) {
        RN_TRY(s->backend->epoch(s->chains, &e, error));
    } else {
        const rn_refine_epoch r = {s->backend,
                                   s->chains,
                                   s->head,
                                   s->key.seed,
                                   e.temperature[RN_EPOCH_LEVELS - 1],
                                   refine_work(s),
                                   s->epoch - first - annealing,
                                   length - annealing,
                                   e.number};
        RN_TRY(rn_refine_run(s->refine, &r, error));
    }
    RN_TRY(take_best(s, error));
    s->epoch++;
    if (s->facts.best_violation > 0 && s->epoch % WEIGHTS_EVERY == 0) {
        RN_TRY(weigh(s, error));
    }
    if (s->epoch == first + length) {
        adapt(s);
    }
    return RATION_OK;
}

bool rn_search_done(const rn_search *s)
{
    if (s->bound == NULL) {
        return false;
    }
    if (s->bound->infeasible) {
        return s->facts.best_violation <= s->bound->value;
    }
    return s->facts.best_violation == 0 && s->facts.bound != INT64_MIN &&
           s->facts.best_cost <= s->facts.bound;
}
