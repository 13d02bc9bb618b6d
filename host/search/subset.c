/* Exact search over a few rows at a time, for one-row programs: all items of some related rows are
 * freed, the prices there searched again, and the best choice for them found by joining two halves
 * of deviations (subset_form.h). It takes the place of any number of simultaneous moves among these
 * rows.
 *
 * Rows are related by a candidate of an item of one that lies on the other (half
 * of the time), or because another chain's best plan has an item there (the other
 * half). Rows are added until the deviations within the budget exceed a number
 * that grows while the lists stay short and shrinks when they overflow, so the
 * number of rows follows the program.
 */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "core/accept.h"
#include "core/eval.h"
#include "core/fail.h"
#include "core/log2_table.h"
#include "core/move_row.h"
#include "core/philox.h"
#include "search/subset_form.h"

enum {
    SHARE = 32768,    /* half of a homotopy */
    PASSES = 30,      /* of the prices of the first rows */
    PASSES_MORE = 10, /* after a row was added */
    ROWS_FIRST = 3,
    LIMIT_FIRST = 48, /* deviations */
    LIMIT_LEAST = 8,
    LIMIT_MOST = 2000,
    TRIES = 16,          /* to find a related row */
    UNIT_MOST = 1 << 24, /* energy */
    RELISTS = 8,
    OVERLOAD = 20 /* energy of a unit of overload, in prices */
};

#define BUDGET_MOST ((int64_t)1 << 45)

/* One thread's scratch: a plan with its loads and lists, and a subset. */
typedef struct walk {
    const rn_tables *t;
    rn_refine_task *task;
    int32_t *pick;   /* the task's */
    int32_t *seat;   /* [items] row of the pick, or rows */
    int64_t *amount; /* [items] */
    int64_t *load;   /* [rows + 1] */
    int32_t *next;   /* [items + rows + 1] rings of the rows' items */
    int32_t *prev;
    int32_t *place; /* [rows + 1] index of a row in the subset, -1: none */
    rn_subset *subset;
    int64_t cost; /* of pick */
    int64_t violation;
    int64_t best_cost;
    int64_t best_violation;
    rn_random random;
    uint32_t draws;
} walk;

typedef struct state {
    int32_t threads;
    walk *walk; /* [threads] */
} state;

/* ---- random words ---- */

static uint32_t draw(walk *w)
{
    if (w->draws % 4 == 0) {
        w->random = rn_random_at(w->task->seed, w->task->epoch, w->draws / 4, w->task->chain,
                                 RN_PURPOSE_REFINE);
    }
    return w->random.word[w->draws++ % 4];
}

static int32_t below(walk *w, int32_t count)
{
    return rn_random_below(draw(w), count);
}

/* ---- the plan ---- */

static void locate(const walk *w, int32_t item, int32_t option, int32_t *row, int64_t *amount)
{
    (void)rn_reduced(w->t, item, option, row, amount);
}

static void leave_row(walk *w, int32_t item)
{
    w->next[w->prev[item]] = w->next[item];
    w->prev[w->next[item]] = w->prev[item];
    w->load[w->seat[item]] -= w->amount[item];
}

static void enter_row(walk *w, int32_t item, int32_t row, int64_t amount)
{
    const int32_t ring = w->t->view.items + row;
    const int32_t last = w->prev[ring];
    w->next[last] = item;
    w->prev[item] = last;
    w->next[item] = ring;
    w->prev[ring] = item;
    w->load[row] += amount;
    w->seat[item] = row;
    w->amount[item] = amount;
}

static int64_t distance(const walk *w, int32_t row)
{
    return row < w->t->rows ? rn_row_distance(&w->t->view, row, w->load[row]) : 0;
}

static void open_plan(walk *w, rn_refine_task *task)
{
    const rn_view *v = &w->t->view;
    w->task = task;
    w->pick = task->pick;
    w->draws = 0;
    w->cost = 0;
    w->violation = 0;
    w->subset->work = 4 * (int64_t)v->items + w->t->rows;
    for (int32_t r = 0; r <= w->t->rows; r++) {
        w->load[r] = r < w->t->rows ? v->row_offset[r] : 0;
        w->next[v->items + r] = v->items + r;
        w->prev[v->items + r] = v->items + r;
        w->place[r] = -1;
    }
    for (int32_t i = 0; i < v->items; i++) {
        int32_t row;
        int64_t amount;
        locate(w, i, w->pick[i], &row, &amount);
        enter_row(w, i, row, amount);
        w->cost += rn_option_decode(v, i, w->pick[i]).cost;
    }
    for (int32_t r = 0; r < w->t->rows; r++) {
        w->violation += distance(w, r);
    }
}

/* ---- rows ---- */

static bool add_row(walk *w, int32_t row)
{
    rn_subset *s = w->subset;
    if (row >= w->t->rows || w->place[row] >= 0 || s->rows == RN_SUBSET_ROWS) {
        return false;
    }
    w->place[row] = s->rows;
    s->row[s->rows++] = row;
    return true;
}

/* A random item of a row, or -1. */
static int32_t random_item(walk *w, int32_t row)
{
    const int32_t ring = w->t->view.items + row;
    int32_t count = 0;
    for (int32_t x = w->next[ring]; x != ring; x = w->next[x]) {
        count++;
    }
    w->subset->work += count;
    if (count == 0) {
        return -1;
    }
    int32_t item = w->next[ring];
    for (int32_t hops = below(w, count); hops > 0; hops--) {
        item = w->next[item];
    }
    return item;
}

/* Adds a row where a candidate of an item of a chosen row lies. */
static bool add_related(walk *w)
{
    const rn_tables *t = w->t;
    for (int32_t k = 0; k < TRIES; k++) {
        const int32_t item = random_item(w, w->subset->row[below(w, w->subset->rows)]);
        if (item < 0) {
            continue;
        }
        const int32_t slot = below(w, t->cand_count[item]);
        if (add_row(w, t->cand_row[(int64_t)item * RN_CANDIDATES + slot])) {
            return true;
        }
    }
    return false;
}

static int32_t row_in(const walk *w, const int32_t *plan, int32_t item)
{
    int32_t row;
    int64_t amount;
    locate(w, item, plan[item], &row, &amount);
    return row;
}

/* Adds the row where another plan has an item of a chosen row. */
static bool add_different(walk *w, const int32_t *plan)
{
    const int32_t items = w->t->view.items;
    for (int32_t k = 0; k < TRIES / 4; k++) {
        const int32_t ring = items + w->subset->row[below(w, w->subset->rows)];
        for (int32_t x = w->next[ring]; x != ring; x = w->next[x]) {
            if (plan[x] != w->pick[x] && add_row(w, row_in(w, plan, x))) {
                return true;
            }
        }
    }
    return false;
}

/* The first row: of an item that the other plan places elsewhere, or any. */
static void first_row(walk *w, const int32_t *plan)
{
    const rn_view *v = &w->t->view;
    for (int32_t k = 0; plan != NULL && k < 4 * TRIES; k++) {
        const int32_t item = below(w, v->items);
        if (plan[item] != w->pick[item] && add_row(w, w->seat[item])) {
            return;
        }
    }
    add_row(w, below(w, w->t->rows));
}

static bool add_another(walk *w, const int32_t *plan)
{
    return (plan != NULL && add_different(w, plan)) || add_related(w) ||
           add_row(w, below(w, w->t->rows));
}

/* ---- the subset ---- */

static void add_option(walk *w, rn_subset_item *item, int32_t option)
{
    rn_subset *s = w->subset;
    const rn_view *v = &w->t->view;
    int32_t row;
    int64_t amount;
    locate(w, item->item, option, &row, &amount);
    const int64_t cost = rn_option_decode(v, item->item, option).cost;
    s->option[s->options++] =
        (rn_subset_option){.energy = rn_energy(w->t, cost),
                           .cost = cost,
                           .amount = (int32_t)amount,
                           .option = option,
                           .row = row < w->t->rows ? w->place[row] : RN_SUBSET_ROWS};
    item->count++;
    const int64_t size = amount < 0 ? -amount : amount;
    s->amount_most = size > s->amount_most ? size : s->amount_most;
}

/* The options of an item that load chosen rows or none; its present one first. */
static void add_item(walk *w, int32_t item)
{
    const rn_tables *t = w->t;
    rn_subset *s = w->subset;
    rn_subset_item *x = &s->item[s->items++];
    *x = (rn_subset_item){.item = item, .first = s->options};
    add_option(w, x, w->pick[item]);
    if (t->back_option != NULL) {
        for (int32_t r = 0; r <= s->rows; r++) {
            const int32_t row = r < s->rows ? s->row[r] : t->rows;
            const int32_t option = t->back_option[(int64_t)row * t->view.items + item];
            if (option >= 0 && option != w->pick[item]) {
                add_option(w, x, option);
            }
        }
        return;
    }
    for (int32_t k = 0; k < t->cand_count[item]; k++) {
        const int64_t at = (int64_t)item * RN_CANDIDATES + k;
        const int32_t row = t->cand_row[at];
        if (t->cand_option[at] != w->pick[item] && (row == t->rows || w->place[row] >= 0)) {
            add_option(w, x, t->cand_option[at]);
        }
    }
}

/* Frees the items of the chosen rows. Returns false if they are too many. */
static bool free_items(walk *w)
{
    const rn_tables *t = w->t;
    rn_subset *s = w->subset;
    s->items = 0;
    s->options = 0;
    s->present_cost = 0;
    s->present_hash = 0;
    s->target = 0;
    s->amount_most = 0;
    s->broken = false;
    for (int32_t r = 0; r < RN_SUBSET_WIDTH; r++) {
        s->limit[r] = 0;
    }
    for (int32_t r = 0; r < s->rows; r++) {
        const int32_t row = s->row[r];
        const int32_t ring = t->view.items + row;
        const int64_t high = t->view.row_high[row];
        const int64_t over = distance(w, row);
        int64_t fixed = w->load[row];
        for (int32_t x = w->next[ring]; x != ring; x = w->next[x]) {
            if (s->items == RN_SUBSET_ITEMS) {
                s->work += 16 * (int64_t)s->options;
                return false;
            }
            fixed -= w->amount[x];
            add_item(w, x);
            s->present_cost += s->option[s->item[s->items - 1].first].cost;
            s->present_hash += rn_pick_hash(x, w->pick[x]);
        }
        s->limit[r] = high == INT64_MAX ? INT32_MAX / 4 : (int32_t)(high - fixed);
        s->broken = s->broken || over > 0;
        const int64_t unit = (s->price[r] >> 16) + rn_energy(t, 1) + 1;
        s->target += over * OVERLOAD * (unit < UNIT_MOST ? unit : UNIT_MOST);
    }
    s->target += rn_energy(t, s->present_cost);
    s->work += 4 * (int64_t)s->options;
    return s->items > 0;
}

static void start_price(walk *w, int32_t index)
{
    const int32_t row = w->subset->row[index];
    const bool limited = w->t->view.row_high[row] != INT64_MAX;
    w->subset->price[index] = limited && w->t->price[row] > 0 ? w->t->price[row] : 0;
}

/* Chooses rows until there are `limit` deviations. Returns false if there is nothing to search. */
static bool choose(walk *w, int32_t limit, int32_t rows, const int32_t *plan, int64_t margin)
{
    rn_subset *s = w->subset;
    memset(s->price, 0, sizeof s->price);
    s->rows = 0;
    first_row(w, plan);
    while (s->rows < rows && add_another(w, plan)) {
    }
    for (int32_t r = 0; r < s->rows; r++) {
        start_price(w, r);
    }
    bool ready = free_items(w);
    for (int32_t passes = PASSES; ready; passes = PASSES_MORE) {
        rn_subset_price(s, passes);
        s->budget = s->target + margin - s->bound;
        s->budget = s->budget < 0 ? 0 : s->budget < BUDGET_MOST ? s->budget : BUDGET_MOST;
        s->work += s->options;
        if (rn_subset_count(s) >= limit || s->rows == RN_SUBSET_ROWS || !add_another(w, plan)) {
            break;
        }
        start_price(w, s->rows - 1);
        ready = free_items(w);
    }
    return ready;
}

static void release(walk *w)
{
    for (int32_t r = 0; r < w->subset->rows; r++) {
        w->place[w->subset->row[r]] = -1;
    }
}

/* ---- taking up ---- */

static void set_pick(walk *w, int32_t x, int32_t option)
{
    const rn_subset *s = w->subset;
    const rn_subset_option *o = &s->option[option];
    const int32_t item = s->item[x].item;
    if (w->pick[item] == o->option) {
        return;
    }
    leave_row(w, item);
    w->pick[item] = o->option;
    enter_row(w, item, o->row == RN_SUBSET_ROWS ? w->t->rows : s->row[o->row], o->amount);
}

static void take(walk *w, const rn_subset_pair *pair)
{
    const rn_subset *s = w->subset;
    for (int32_t r = 0; r < s->rows; r++) {
        w->violation -= distance(w, s->row[r]);
    }
    for (int32_t x = 0; x < s->items; x++) {
        s->order[x] = s->item[x].first + s->item[x].best;
    }
    for (int32_t k = 0; k < 2; k++) {
        const rn_subset_half *h = &s->half[k];
        for (int32_t set = pair->set[k]; set > 0; set = h->parent[set]) {
            const rn_subset_step *made = &h->step[h->made[set]];
            s->order[made->item] = made->option;
        }
    }
    for (int32_t x = 0; x < s->items; x++) {
        set_pick(w, x, s->order[x]);
    }
    for (int32_t r = 0; r < s->rows; r++) {
        w->violation += distance(w, s->row[r]);
    }
    w->cost += pair->cost;
}

static void offer(walk *w)
{
    if (w->violation < w->best_violation ||
        (w->violation == w->best_violation && w->cost < w->best_cost)) {
        w->best_violation = w->violation;
        w->best_cost = w->cost;
        memcpy(w->task->best, w->pick, (size_t)w->t->view.items * sizeof *w->pick);
        w->subset->work += w->t->view.items / 4;
    }
}

/* ---- one chain ---- */

/* Another chain's best plan, half of the time. */
static const int32_t *other_plan(walk *w)
{
    const rn_refine_task *task = w->task;
    const uint32_t word = draw(w);
    if (task->others < 2 || (word & 1) != 0) {
        return NULL;
    }
    const int32_t step = 1 + rn_random_below(word, task->others - 1);
    return task->other + (int64_t)((task->self + step) % task->others) * w->t->view.items;
}

/* Lists the sets, under a smaller budget where they are too many: what is close to the bound then
 * is found all the same. Returns whether they were too many. */
static bool list(rn_subset *s)
{
    rn_subset_list(s);
    const bool overflow = s->half[0].full || s->half[1].full;
    for (int32_t k = 0; k < RELISTS && (s->half[0].full || s->half[1].full); k++) {
        s->budget = s->budget / 4 * 3;
        rn_subset_list(s);
    }
    return overflow;
}

/* Searches one subset. limit, rows: Q8, in and out. */
static void search(walk *w, int64_t *limit, int64_t *rows)
{
    rn_subset *s = w->subset;
    const int32_t *plan = other_plan(w);
    const int64_t margin = rn_accept_threshold(w->task->temperature, draw(w), rn_log2_table) >> 8;
    const int32_t first = (int32_t)(*rows >> 8) > 2 ? (int32_t)(*rows >> 8) - 1 : 1;
    if (choose(w, (int32_t)(*limit >> 8), first, plan, margin)) {
        const bool overflow = list(s);
        const rn_subset_pair pair = rn_subset_join(s, margin);
        if (pair.found) {
            take(w, &pair);
            offer(w);
        }
        const int32_t quarter = RN_SUBSET_SETS / 4;
        if (overflow) {
            *limit -= *limit / 50;
        } else if (s->half[0].count < quarter && s->half[1].count < quarter) {
            *limit += *limit / 100;
        }
        *limit = *limit < LIMIT_LEAST * 256  ? LIMIT_LEAST * 256
                 : *limit > LIMIT_MOST * 256 ? LIMIT_MOST * 256
                                             : *limit;
    }
    *rows += (s->rows * 256 - *rows) / 8;
    s->work += 64;
    release(w);
}

static void subset_run(void *context, rn_refine_task *task, int32_t thread)
{
    walk *w = &((state *)context)->walk[thread];
    int64_t limit = task->memo >> 32;
    int64_t rows = task->memo & INT32_MAX;
    if (task->memo == 0) {
        limit = LIMIT_FIRST * 256;
        rows = ROWS_FIRST * 256;
    }
    open_plan(w, task);
    w->best_cost = task->best_cost;
    w->best_violation = task->best_violation;
    while (w->subset->work < task->work) {
        search(w, &limit, &rows);
    }
    task->memo = limit << 32 | rows;
}

/* ---- construction ---- */

static void carve_half(rn_layout *layout, rn_subset_half *h)
{
    h->load = rn_carve(layout, RN_SUBSET_SETS, sizeof *h->load);
    h->reduced = rn_carve(layout, RN_SUBSET_SETS, sizeof *h->reduced);
    h->cost = rn_carve(layout, RN_SUBSET_SETS, sizeof *h->cost);
    h->hash = rn_carve(layout, RN_SUBSET_SETS, sizeof *h->hash);
    h->parent = rn_carve(layout, RN_SUBSET_SETS, sizeof *h->parent);
    h->last = rn_carve(layout, RN_SUBSET_SETS, sizeof *h->last);
    h->made = rn_carve(layout, RN_SUBSET_SETS, sizeof *h->made);
    h->step = rn_carve(layout, RN_SUBSET_ITEMS * RN_SUBSET_SLOTS, sizeof *h->step);
    h->step_at = rn_carve(layout, RN_SUBSET_ITEMS + 1, sizeof *h->step_at);
}

static void carve_walk(rn_layout *layout, walk *to, const rn_tables *t)
{
    const int64_t items = t->view.items;
    const int64_t rows = (int64_t)t->rows + 1;
    walk w = {.t = t};
    rn_subset s = {.tables = t};
    w.seat = rn_carve(layout, items, sizeof *w.seat);
    w.amount = rn_carve(layout, items, sizeof *w.amount);
    w.load = rn_carve(layout, rows, sizeof *w.load);
    w.next = rn_carve(layout, items + rows, sizeof *w.next);
    w.prev = rn_carve(layout, items + rows, sizeof *w.prev);
    w.place = rn_carve(layout, rows, sizeof *w.place);
    w.subset = rn_carve(layout, 1, sizeof *w.subset);
    s.item = rn_carve(layout, RN_SUBSET_ITEMS, sizeof *s.item);
    s.option = rn_carve(layout, RN_SUBSET_ITEMS * RN_SUBSET_SLOTS, sizeof *s.option);
    s.cell = rn_carve(layout, RN_SUBSET_CELLS, sizeof *s.cell);
    s.same = rn_carve(layout, RN_SUBSET_SETS, sizeof *s.same);
    s.order = rn_carve(layout, RN_SUBSET_ITEMS, sizeof *s.order);
    carve_half(layout, &s.half[0]);
    carve_half(layout, &s.half[1]);
    if (to != NULL) {
        *w.subset = s;
        *to = w;
    }
}

static void carve(rn_layout *layout, state **made, const rn_tables *t, int32_t threads)
{
    state *s = rn_carve(layout, 1, sizeof *s);
    walk *w = rn_carve(layout, threads, sizeof *w);
    for (int32_t k = 0; k < threads; k++) {
        carve_walk(layout, w == NULL ? NULL : w + k, t);
    }
    if (s != NULL) {
        *s = (state){threads, w};
        *made = s;
    }
}

/* Whether sums of amounts fit the sets' loads. */
static bool loads_fit(const rn_view *v)
{
    bool fits = true;
    for (int32_t r = 0; r < v->rows; r++) {
        fits = fits && (v->row_most[r] >> 1) - (v->row_least[r] >> 1) < 1 << 27;
    }
    return fits;
}

static ration_status subset_create(const rn_tables *t, int32_t threads, void **made,
                                   ration_error *error)
{
    rn_layout layout = {0};
    state *s = NULL;
    if (!t->one_row || !t->whole || t->rows < 1 || !loads_fit(&t->view)) {
        return RATION_OK;
    }
    carve(&layout, &s, t, threads);
    RN_TRY(rn_layout_allocate(&layout, "searches over rows", error));
    carve(&layout, &s, t, threads);
    *made = s;
    return RATION_OK;
}

static void subset_free(void *made)
{
    rn_free(made);
}

const rn_refine_kind rn_refine_subset = {
    .name = "subset",
    .share = SHARE,
    .create = subset_create,
    .free = subset_free,
    .run = subset_run,
};
