/* Refinement: between annealing, the host improves the best plans of some chains by a method of its
 * own. As it happens on the host, on plans read from the backend and given back, every backend has
 * the same bits.
 *
 * When: the last epochs of every homotopy, a share of them that the method names, refine instead of
 * annealing (rn_schedule_annealing). Which chains: those with the best plans, each plan once; fewer
 * and fewer towards the end. How long: work is counted, never timed.
 *
 * A method is an rn_refine_kind. To add one: write its file with a `create` that leaves *state NULL
 * for programs that it doesn't fit, and name it in the list of refine.c; the first that fits is
 * taken. `run` is called for several chains at once, each with another `thread`, and must depend on
 * the task alone. What it leaves in task->best is evaluated here and taken up only if it is better
 * by (violation, cost): a method need not be careful with its word. A method has no state between
 * epochs but task->memo and task->pick, which are the chain's and lie in checkpoints.
 */
#ifndef RN_SEARCH_REFINE_H
#define RN_SEARCH_REFINE_H

#include "core/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RN_REFINED_MOST = 16, /* chains that refine in an epoch, at most */
    RN_PURPOSE_REFINE = 5 /* of random numbers */
};

/* One chain in one epoch. */
typedef struct rn_refine_task {
    uint64_t seed;
    uint32_t epoch;
    uint32_t chain;
    int64_t work;        /* units, each about 3 ns */
    int64_t temperature; /* cold end of the homotopy, T ln 2 in Q16 energy */
    /* [others * items] best plans of all chains that refine, this one's at index `self` */
    const int32_t *other;
    int32_t others;
    int32_t self;
    int64_t best_cost; /* of `best` at first, exact */
    int64_t best_violation;
    int32_t *pick; /* [items] in and out: where the chain stands; its best plan at first */
    int32_t *best; /* [items] in and out: its best plan */
    int64_t memo;  /* in and out: 0 at the start of a run */
} rn_refine_task;

typedef struct rn_refine_kind {
    const char *name;
    int32_t share; /* Q16 part of a homotopy's epochs, below 65536 */
    /* tables: kept. state: out, owned; NULL: not for this program. RATION_E_MEMORY. */
    ration_status (*create)(const rn_tables *tables, int32_t threads, void **state,
                            ration_error *error);
    void (*free)(void *state);
    void (*run)(void *state, rn_refine_task *task, int32_t thread);
} rn_refine_kind;

typedef struct rn_refine rn_refine;

/* refine: out, owned; NULL: no method fits the program. chains: of the run. threads: as many as the
 * caller wants, 0: all. RATION_E_MEMORY. */
ration_status rn_refine_create(const rn_tables *tables, int32_t chains, int32_t threads,
                               rn_refine **refine, ration_error *error);
void rn_refine_free(rn_refine *refine);

/* Q16 part of a homotopy's epochs; 0 for NULL. */
int32_t rn_refine_share(const rn_refine *refine);

typedef struct rn_refine_epoch {
    const rn_backend *backend;
    rn_backend_run *run;
    const rn_chain_head *head; /* [chains] as they are now */
    uint64_t seed;
    int64_t temperature;
    int64_t work;   /* units, over all chains */
    int64_t at;     /* epochs of this homotopy's refinement done */
    int64_t length; /* its epochs in all */
    uint32_t number;
} rn_refine_epoch;

/* Refines for one epoch; every best plan is as good as before or better. RATION_E_DEVICE. */
ration_status rn_refine_run(rn_refine *refine, const rn_refine_epoch *epoch, ration_error *error);

/* ---- methods ---- */

extern const rn_refine_kind rn_refine_subset; /* subset.c: one-row programs */
extern const rn_refine_kind rn_refine_tabu;   /* tabu_refine.c: quadratic assignments */

#ifdef __cplusplus
}
#endif

#endif
