/* Tabu search between epochs: the chains that refine are a population. A chain's plan is a child of
 * its best plan and another chain's, searched for a while, and taken up if it is better than its
 * best plan and nobody else's. Search and population: U. Benlic, J.-K. Hao, "Memetic search for the
 * quadratic assignment problem", Expert Systems with Applications 42 (2015) 584-595. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "core/philox.h"
#include "search/refine.h"
#include "search/tabu.h"

enum {
    SHARE = 65535,        /* a homotopy anneals for one epoch */
    LIFE = 50,            /* n LIFE steps of a child */
    CALL = 20,            /* n CALL steps of a call at least: fewer end before they find anything */
    CALL_SWAPS = 1 << 27, /* but no more swaps than this, in the largest programs */
    EPOCH_SWAPS = 1 << 28, /* then the chains take turns */
    SWAPS_NARROW = 2,      /* a unit of work; a pair of 60 seats takes 1.0 ns, wide 1.5 */
    SWAPS_WIDE = 1
};

typedef struct population {
    rn_tabu *tabu;
    rn_tabu_work **work; /* [threads] */
    int32_t threads;
} population;

static void tabu_free(void *state)
{
    population *p = state;
    for (int32_t x = 0; p != NULL && x < p->threads; x++) {
        rn_tabu_work_free(p->work[x]);
    }
    if (p != NULL) {
        rn_tabu_free(p->tabu);
        rn_free(p->work);
        rn_free(p);
    }
}

static ration_status tabu_create(const rn_tables *tables, int32_t threads, void **state,
                                 ration_error *error)
{
    rn_tabu *tabu = NULL;
    *state = NULL;
    RN_TRY(rn_tabu_create(tables, &tabu, error));
    if (tabu == NULL) {
        return RATION_OK;
    }
    population *p = rn_calloc(1, sizeof *p);
    if (p == NULL) {
        rn_tabu_free(tabu);
        return rn_fail_memory(error, "a tabu search", sizeof *p);
    }
    p->tabu = tabu;
    p->work = rn_calloc((size_t)threads, sizeof(rn_tabu_work *));
    ration_status status =
        p->work != NULL ? RATION_OK : rn_fail_memory(error, "a tabu search", sizeof *p->work);
    for (int32_t x = 0; x < threads && status == RATION_OK; x++) {
        status = rn_tabu_work_create(tabu, &p->work[x], error);
        p->threads += status == RATION_OK;
    }
    if (status != RATION_OK) {
        tabu_free(p);
        return status;
    }
    *state = p;
    return RATION_OK;
}

static bool same(const population *p, const int32_t *a, const int32_t *b)
{
    return memcmp(a, b, (size_t)p->tabu->items * sizeof *a) == 0;
}

/* Whether the plan is the best of another chain. */
static bool known(const population *p, const rn_refine_task *task, const int32_t *pick)
{
    bool found = false;
    for (int32_t x = 0; x < task->others && !found; x++) {
        found = x != task->self && same(p, pick, task->other + (int64_t)x * p->tabu->items);
    }
    return found;
}

/* Begins a new child in task->pick. */
static void breed(const population *p, rn_tabu_work *work, rn_tabu_key *key, rn_refine_task *task)
{
    const size_t bytes = (size_t)p->tabu->items * sizeof *task->pick;
    memcpy(task->pick, task->best, bytes);
    if (task->others < 2) {
        return; /* goes on disturbing the best plan */
    }
    const rn_random random =
        rn_random_at(key->seed, key->epoch, key->draw++, key->chain, RN_PURPOSE_REFINE);
    const int32_t mate = rn_random_below(random.word[0], task->others - 1);
    const int32_t *other = task->other + (int64_t)(mate + (mate >= task->self)) * p->tabu->items;
    if (!rn_tabu_cross(p->tabu, work, key, other, task->pick)) {
        memcpy(task->pick, task->best, bytes);
    }
}

/* Swaps of this call; 0: it is another chain's turn. */
static int64_t swaps_of(const rn_tabu *t, const rn_refine_task *task)
{
    const int64_t wanted = task->work * (t->wide || t->directed ? SWAPS_WIDE : SWAPS_NARROW);
    int64_t least = CALL * (int64_t)t->seats * rn_tabu_pairs(t);
    least = least < CALL_SWAPS ? least : CALL_SWAPS;
    if (wanted >= least) {
        return wanted;
    }
    const int64_t fit = EPOCH_SWAPS / least;
    const int64_t turn = fit < task->others ? fit : task->others; /* chains in an epoch */
    assert(turn >= 1);
    return (task->self + task->epoch * turn) % task->others < turn ? least : 0;
}

static void tabu_run(void *state, rn_refine_task *task, int32_t thread)
{
    const population *p = state;
    const rn_tabu *t = p->tabu;
    rn_tabu_work *work = p->work[thread];
    rn_tabu_key key = {task->seed, task->epoch, task->chain, 0};
    const int64_t life = LIFE * (int64_t)t->seats * rn_tabu_pairs(t);
    int64_t left = swaps_of(t, task);
    while (left > 0) {
        if (task->memo >= life) {
            breed(p, work, &key, task);
            task->memo = 0;
        }
        const int64_t rest = life - task->memo;
        rn_change value;
        const int64_t done =
            rn_tabu_refine(t, work, &key, left < rest ? left : rest, task->pick, &value);
        assert(done >= 1);
        left -= done;
        task->memo += done;
        const bool better =
            value.violation < task->best_violation ||
            (value.violation == task->best_violation && value.cost < task->best_cost);
        if (better && !known(p, task, task->pick)) {
            task->best_violation = value.violation;
            task->best_cost = value.cost;
            memcpy(task->best, task->pick, (size_t)t->items * sizeof *task->best);
        }
    }
}

const rn_refine_kind rn_refine_tabu = {"tabu", SHARE, tabu_create, tabu_free, tabu_run};
