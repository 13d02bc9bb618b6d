/* Robust tabu search over the tables of tabu_form.h. See tabu.h. */
#include "search/tabu.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clones.h"
#include "core/eval.h"
#include "core/fail.h"
#include "core/philox.h"

enum {
    RN_TABU_BLOCK = 16,
    RN_TABU_TIES = 64,
    PURPOSE_TABU = 16,
    PURPOSE_KICK = 17,
    PURPOSE_CROSS = 18,
    PURPOSE_FILL = 19,
    TENURE = 8,       /* n TENURE u^3 steps */
    SEGMENT = 10,     /* n SEGMENT steps without a better plan end a segment */
    KICK_LEAST = 3,   /* swaps that disturb a plan */
    KICK_PERCENT = 30 /* of the seats, at most */
};

struct rn_tabu_work {
    int32_t *seat;   /* [seats] of items and of what fills the rest */
    int32_t *holder; /* [seats] who sits there; made when needed */
    int32_t *home;   /* [seats] plan that is disturbed */
    int32_t *best;   /* [seats] */
    int32_t *tabu;   /* [seats * stride] step until which an item may not go back to a seat */
    int32_t *place;  /* [items] */
    int32_t *pick;   /* [items] */
    int64_t *load;   /* [rows + 1] */
    void *gain;      /* of the form's type, see RN_FORM(matrices) */
    void *delta;
    void *until;
    void *vector;
    void *least;
    rn_tabu_pair tie[RN_TABU_TIES];
};

#define RN_VALUE int32_t
#define RN_UNSIGNED uint32_t
#define RN_VALUE_MAX INT32_MAX
#define RN_FORM(name) narrow_##name
#include "search/tabu_form.h"
#undef RN_VALUE
#undef RN_UNSIGNED
#undef RN_VALUE_MAX
#undef RN_FORM
#define RN_VALUE int64_t
#define RN_UNSIGNED uint64_t
#define RN_VALUE_MAX INT64_MAX
#define RN_FORM(name) wide_##name
#include "search/tabu_form.h"

/* ---- a plan's tables ---- */

/* Seats the picks in order of the items; who finds none takes the lowest that is free in the end.
 */
static void sit(const rn_tabu *t, rn_tabu_work *w, const int32_t *pick)
{
    for (int32_t s = 0; s < t->seats; s++) {
        w->holder[s] = -1;
        w->seat[s] = -1;
    }
    for (int32_t i = 0; i < t->items; i++) {
        const int32_t *option = t->option + (int64_t)i * t->seats;
        for (int32_t s = 0; s < t->seats && w->seat[i] < 0; s++) {
            if (option[s] == pick[i] && w->holder[s] < 0) {
                w->holder[s] = i;
                w->seat[i] = s;
            }
        }
    }
    int32_t free_seat = 0;
    for (int32_t i = 0; i < t->seats; i++) {
        while (w->seat[i] < 0) {
            if (w->holder[free_seat] < 0) {
                w->holder[free_seat] = i;
                w->seat[i] = free_seat;
            }
            free_seat++;
        }
    }
}

void rn_tabu_load(const rn_tabu *t, rn_tabu_work *w, const int32_t *pick)
{
    sit(t, w, pick);
    if (t->wide) {
        wide_load(t, w);
    } else {
        narrow_load(t, w);
    }
}

void rn_tabu_swap(const rn_tabu *t, rn_tabu_work *w, int32_t r, int32_t s)
{
    assert(r != s && r >= 0 && s >= 0 && r < t->seats && s < t->seats);
    if (t->wide) {
        wide_swap(t, w, r, s);
    } else {
        narrow_swap(t, w, r, s);
    }
}

int64_t rn_tabu_change(const rn_tabu *t, const rn_tabu_work *w, int32_t i, int32_t j)
{
    assert(i < j && i < t->items && j < t->seats);
    const int64_t at = (int64_t)i * t->stride + j;
    return t->wide ? ((const int64_t *)w->delta)[at] : ((const int32_t *)w->delta)[at];
}

bool rn_tabu_picks(const rn_tabu *t, const rn_tabu_work *w, int32_t *pick)
{
    bool seated = true;
    for (int32_t i = 0; i < t->items; i++) {
        const int32_t option = t->option[(int64_t)i * t->seats + w->seat[i]];
        seated = seated && option >= 0;
        pick[i] = option;
    }
    return seated;
}

static rn_tabu_pair choose(const rn_tabu *t, rn_tabu_work *w, int64_t now, int64_t below,
                           uint32_t word)
{
    return t->wide ? wide_choose(t, w, now, below, word) : narrow_choose(t, w, now, below, word);
}

/* ---- the search ---- */

static rn_random draw(rn_tabu_key *key, uint32_t purpose)
{
    return rn_random_at(key->seed, key->epoch, key->draw++, key->chain, purpose);
}

/* Where a search stands; costs are relative to the plan it began with. */
typedef struct walk {
    const rn_tabu *t;
    rn_tabu_work *w;
    rn_tabu_key *key;
    int64_t cost;
    int64_t home_cost;
    int64_t best_cost;
    int32_t now;   /* step, for what is tabu */
    int32_t steps; /* left */
} walk;

/* Steps for which an item may not return: 8 n u^3, u uniform in 0 .. 1 (the author's later program
 * draws so; 0.9 n .. 1.1 n as in the paper did worse here, docs/performance.md). */
static int32_t tenure(const walk *k, uint32_t word)
{
    const uint64_t u = word >> 11;
    const uint64_t cube = (u * u * u) >> 42;
    return 1 + (int32_t)(((uint64_t)TENURE * (uint64_t)k->t->seats * cube) >> 21);
}

static void swap(walk *k, int32_t r, int32_t s, int64_t change)
{
    rn_tabu_swap(k->t, k->w, r, s);
    k->cost += change;
}

/* One step: the best pair that is not tabu, which then is. */
static void step(walk *k, int64_t segment_best)
{
    const rn_random random = draw(k->key, PURPOSE_TABU);
    const rn_tabu_pair pair = choose(k->t, k->w, k->now, segment_best - k->cost, random.word[0]);
    k->now++;
    k->steps--;
    if (pair.first < 0) {
        return;
    }
    int32_t *first = k->w->tabu + (int64_t)pair.first * k->t->stride + k->w->seat[pair.first];
    int32_t *second = k->w->tabu + (int64_t)pair.second * k->t->stride + k->w->seat[pair.second];
    *first = k->now + tenure(k, random.word[1]);
    *second = k->now + tenure(k, random.word[2]);
    swap(k, pair.first, pair.second, pair.change);
}

/* Steps until `segment` of them brought nothing; the best plan on the way becomes the candidate. */
static int64_t segment(walk *k, int32_t length, int32_t *seat)
{
    int64_t best = k->cost;
    const size_t bytes = (size_t)k->t->seats * sizeof *seat;
    memcpy(seat, k->w->seat, bytes);
    for (int32_t idle = 0; idle < length && k->steps > 0; idle++) {
        step(k, best);
        if (k->cost < best) {
            best = k->cost;
            memcpy(seat, k->w->seat, bytes);
            idle = -1;
        }
    }
    return best;
}

/* Change of a swap of any two. */
static int64_t change_of(const walk *k, int32_t r, int32_t s)
{
    const int32_t i = r < s ? r : s;
    return i < k->t->items ? rn_tabu_change(k->t, k->w, i, r < s ? s : r) : 0;
}

static void exchange(walk *k, int32_t r, int32_t s)
{
    swap(k, r, s, change_of(k, r, s));
    k->steps--;
}

/* Goes to another plan, by swaps. */
static void go(walk *k, const int32_t *seat)
{
    int32_t *holder = k->w->holder;
    for (int32_t i = 0; i < k->t->seats; i++) {
        holder[k->w->seat[i]] = i;
    }
    for (int32_t i = 0; i < k->t->seats; i++) {
        const int32_t at = k->w->seat[i];
        const int32_t other = holder[seat[i]];
        if (other != i) {
            exchange(k, i, other);
            holder[seat[i]] = i;
            holder[at] = other;
        }
    }
}

/* Disturbs the plan: mu items drawn change their seats in a ring. */
static void kick(walk *k, int32_t mu)
{
    int32_t last = -1;
    for (int32_t x = 0; x < mu; x++) {
        const rn_random random = draw(k->key, PURPOSE_KICK);
        const int32_t r = x == 0 ? rn_random_below(random.word[0], k->t->items) : last;
        int32_t s = rn_random_below(random.word[1], k->t->seats - 1);
        s += s >= r;
        exchange(k, r, s);
        last = s;
    }
}

static void search(walk *k)
{
    const rn_tabu *t = k->t;
    const size_t bytes = (size_t)t->seats * sizeof(int32_t);
    int32_t *seat = k->w->best; /* of a segment */
    int32_t mu = KICK_LEAST;
    const int32_t most = t->seats * KICK_PERCENT / 100 > mu ? t->seats * KICK_PERCENT / 100 : mu;
    k->home_cost = segment(k, SEGMENT * t->seats, seat);
    memcpy(k->w->home, seat, bytes);
    while (k->steps > 0) {
        go(k, k->w->home);
        assert(k->cost == k->home_cost);
        kick(k, mu);
        k->now += TENURE * t->seats + 1; /* nothing is tabu any more */
        const int64_t found = segment(k, SEGMENT * t->seats, seat);
        mu = mu < most ? mu + 1 : KICK_LEAST;
        if (found <= k->home_cost) {
            mu = found < k->home_cost ? KICK_LEAST : mu;
            k->home_cost = found;
            memcpy(k->w->home, seat, bytes);
        }
    }
    memcpy(k->w->seat, k->w->home, bytes);
}

/* ---- children ---- */

/* Gives item i the seat if nobody sits there. */
static bool take(rn_tabu_work *w, int32_t i, int32_t seat)
{
    if (w->holder[seat] >= 0) {
        return false;
    }
    w->holder[seat] = i;
    w->home[i] = seat;
    return true;
}

/* Seats who has none yet: a ring of free seats, begun anywhere for each item. */
static void fill(const rn_tabu *t, rn_tabu_work *w, rn_tabu_key *key)
{
    for (int32_t i = 0; i < t->seats; i++) {
        if (w->home[i] >= 0) {
            continue;
        }
        const rn_random random = draw(key, PURPOSE_FILL);
        int32_t seat = rn_random_below(random.word[0], t->seats);
        while (!take(w, i, seat)) {
            seat = (seat + 1) % t->seats;
        }
    }
}

bool rn_tabu_cross(const rn_tabu *t, rn_tabu_work *w, rn_tabu_key *key, const int32_t *other,
                   int32_t *pick)
{
    const size_t bytes = (size_t)t->seats * sizeof(int32_t);
    sit(t, w, other);
    memcpy(w->best, w->seat, bytes);
    sit(t, w, pick);
    const int32_t *parent[2] = {w->seat, w->best};
    memset(w->holder, 0xff, bytes);
    memset(w->home, 0xff, bytes);
    for (int32_t i = 0; i < t->seats; i++) {
        if (parent[0][i] == parent[1][i]) {
            take(w, i, parent[0][i]);
        }
    }
    for (int32_t x = 0; x < t->seats; x++) {
        const rn_random random = draw(key, PURPOSE_CROSS);
        const uint32_t one = random.word[0] >> 31;
        if (w->home[x] < 0 && !take(w, x, parent[one][x])) {
            take(w, x, parent[1 - one][x]);
        }
    }
    fill(t, w, key);
    memcpy(w->seat, w->home, bytes);
    return rn_tabu_picks(t, w, pick);
}

/* ---- from and to plans ---- */

static rn_change price(const rn_tabu *t, rn_tabu_work *w, const int32_t *pick)
{
    for (int32_t i = 0; i < t->items; i++) {
        w->place[i] = rn_option_decode(&t->tables->view, i, pick[i]).place;
    }
    rn_eval_loads(t->tables, pick, w->load);
    return rn_eval_plan(t->tables, NULL, 0, pick, w->place, w->load);
}

int64_t rn_tabu_pairs(const rn_tabu *t)
{
    return (int64_t)t->items * (t->items - 1) / 2 + (int64_t)t->items * (t->seats - t->items);
}

int64_t rn_tabu_refine(const rn_tabu *t, rn_tabu_work *w, rn_tabu_key *key, int64_t swaps,
                       int32_t *pick, rn_change *value)
{
    const int64_t pairs = rn_tabu_pairs(t);
    const int64_t steps = swaps / pairs < 1 << 24 ? swaps / pairs : 1 << 24;
    walk k = {.t = t, .w = w, .key = key, .steps = steps < 1 ? 1 : (int32_t)steps};
    const int64_t given = k.steps;
    assert(pairs >= 1);
    rn_tabu_load(t, w, pick);
    search(&k);
    *value = price(t, w, pick);
    if (rn_tabu_picks(t, w, w->pick)) {
        const rn_change after = price(t, w, w->pick);
        if (after.violation < value->violation ||
            (after.violation == value->violation && after.cost < value->cost)) {
            *value = after;
            memcpy(pick, w->pick, (size_t)t->items * sizeof *pick);
        }
    }
    return (given - k.steps) * pairs;
}

static void carve(rn_layout *layout, rn_tabu_work **work, const rn_tabu *t)
{
    rn_tabu_work empty = {0};
    const size_t size = t->wide ? sizeof(int64_t) : sizeof(int32_t);
    const int64_t all = (int64_t)t->seats * t->stride;
    const int64_t some = (int64_t)t->items * t->stride;
    rn_tabu_work *w = rn_carve(layout, 1, sizeof *w);
    empty.seat = rn_carve(layout, t->seats, sizeof *empty.seat);
    empty.holder = rn_carve(layout, t->seats, sizeof *empty.holder);
    empty.home = rn_carve(layout, t->seats, sizeof *empty.home);
    empty.best = rn_carve(layout, t->seats, sizeof *empty.best);
    empty.tabu = rn_carve(layout, all, sizeof *empty.tabu);
    empty.place = rn_carve(layout, t->items, sizeof *empty.place);
    empty.pick = rn_carve(layout, t->items, sizeof *empty.pick);
    empty.load = rn_carve(layout, (int64_t)t->tables->rows + 1, sizeof *empty.load);
    empty.gain = rn_carve(layout, all, size);
    empty.delta = rn_carve(layout, some, size);
    empty.until = rn_carve(layout, some, size);
    empty.vector = rn_carve(layout, 3 * (int64_t)t->stride, size);
    empty.least = rn_carve(layout, t->items, size);
    if (w != NULL) {
        *w = empty;
        *work = w;
    }
}

ration_status rn_tabu_work_create(const rn_tabu *tabu, rn_tabu_work **work, ration_error *error)
{
    rn_layout layout = {0};
    rn_tabu_work *w = NULL;
    carve(&layout, &w, tabu);
    RN_TRY(rn_layout_allocate(&layout, "the tables of a tabu search", error));
    carve(&layout, &w, tabu);
    *work = w;
    return RATION_OK;
}

void rn_tabu_work_free(rn_tabu_work *work)
{
    rn_free(work);
}
