/* The backend table: how a loaded program's chains are run. A backend is only a way of looping over
 * core/chain.h.
 *
 * A run has `chains` chains. The state of a chain is one flat block of rn_state_map(tables).bytes
 * bytes (core/state.h), equal bit for bit on every backend; scratch memory is not state. One epoch
 * = breed (if asked for), then every chain makes its moves.
 */
#ifndef RN_BACKEND_H
#define RN_BACKEND_H

#include "core/tables.h"
#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a chain knows of itself: the first bytes of its state. All exact, program units. */
typedef struct rn_chain_head {
    int64_t cost;          /* of the current picks */
    int64_t violation;
    int64_t best_cost;     /* of the best plan, by (violation, cost) */
    int64_t best_violation; /* INT64_MAX: there is no best plan yet */
    uint64_t digest;       /* sum over items of rn_pick_hash(item, pick) */
    uint64_t best_digest;
    int64_t moves;         /* since the start of the run */
    int64_t evaluations;   /* options evaluated since the start of the run */
    int64_t accepted;      /* moves */
    int32_t fresh; /* 1: picks were replaced: loads, lists and costs have to be made again */
    int32_t spare;
    int64_t spare2[6];
} rn_chain_head;

/* How a chain begins an epoch. */
typedef enum rn_mate_kind {
    RN_MATE_KEEP,    /* goes on */
    RN_MATE_RESTORE, /* picks = best plan of chain `a` */
    RN_MATE_CROSS    /* each item as in the best plan of chain a or b, then mutated */
} rn_mate_kind;

typedef struct rn_mate {
    int32_t kind;
    int32_t a;
    int32_t b;
    uint32_t share;    /* an item is taken from b when its random word is below this */
    uint32_t mutation; /* an item moves to a random candidate when its random word is below this */
} rn_mate;

enum { RN_EPOCH_LEVELS = 32 }; /* temperature levels of an epoch */

/* Parameters of one epoch, the same integers for every backend. Pointers are to host memory,
 * borrowed. Arrays of rows have rows + 1 entries; the last belongs to the row that costs nothing
 * and is 0. */
typedef struct rn_epoch {
    uint64_t seed;
    int64_t step;        /* number of the first move */
    int32_t moves;       /* of each chain */
    int32_t evaluations; /* a chain ends its epoch early after this many */
    int32_t depth;       /* pushes of an ejection chain, 0 .. 3 */
    int32_t stiffness;   /* Q16, 0 .. 65536: of rows with a cost or feeds */
    uint32_t number;     /* of the epoch, for the random numbers of breeding */
    int32_t breeds;      /* 1: mate counts */
    int64_t temperature[RN_EPOCH_LEVELS]; /* T ln 2 in Q16 energy */
    /* [rows + 1] Q16 energy (whole units if tables->whole) per unit of load: over_price beyond a
     * limit, slack_price below the priced limit */
    const int64_t *over_price;
    const int64_t *slack_price;
    const int64_t *clamp; /* [rows + 1] excess and slack count up to this many units of load */
    const int32_t *heat;        /* [chains] Q8 factor of the temperature */
    const int32_t *push; /* [chains] over_price * 2^push, 0 .. 3; one-row programs ignore it */
    const rn_mate *mate;        /* [chains] */
} rn_epoch;

typedef struct rn_backend_load {
    const rn_tables *tables; /* kept: must outlive the run */
    int32_t chains;
    int32_t threads;         /* 0: as many as the machine offers */
    int32_t device;
    const struct rn_backend *inner; /* of the checked backend: the one that is checked */
} rn_backend_load;

/* The state of one loaded program on one backend. */
typedef struct rn_backend_run rn_backend_run;

typedef struct rn_backend {
    const char *name; /* "openmp", "cuda" */

    /* Whether the backend can run here. RATION_OK, or RATION_E_ABSENT / RATION_E_DEVICE with the
     * reason. */
    ration_status (*probe)(int32_t device, ration_error *error);

    /* Loads a program: all allocation happens here. run: out, owned. RATION_E_MEMORY,
     * RATION_E_DEVICE; device memory that does not suffice is reported with the sizes. */
    ration_status (*create)(const rn_backend_load *load, rn_backend_run **run, ration_error *error);
    void (*free)(rn_backend_run *run);

    /* Sets the picks of every chain: chain c starts with plan c % plans and has no best plan. pick:
     * [plans * items], borrowed. */
    ration_status (*begin)(rn_backend_run *run, const int32_t *pick, int32_t plans,
                           ration_error *error);

    /* Breeds if epoch->breeds, then moves every chain. Returns when all chains are done; then every
     * best plan is up to date. */
    ration_status (*epoch)(rn_backend_run *run, const rn_epoch *epoch, ration_error *error);

    /* head: out, [chains]. */
    ration_status (*heads)(rn_backend_run *run, rn_chain_head *head, ration_error *error);
    /* The best plan of a chain. pick: out, [items]. */
    ration_status (*best)(rn_backend_run *run, int32_t chain, int32_t *pick, ration_error *error);

    /* The complete state of chains first .. first + count - 1. state: [count *
     * rn_state_map(tables).bytes]. */
    ration_status (*read)(rn_backend_run *run, int32_t first, int32_t count, void *state,
                          ration_error *error);
    ration_status (*write)(rn_backend_run *run, int32_t first, int32_t count, const void *state,
                           ration_error *error);

    /* Threads or devices in use, for the report. */
    int32_t (*threads)(const rn_backend_run *run);
} rn_backend;

const rn_backend *rn_backend_openmp(void);
const rn_backend *rn_backend_cuda(void); /* in builds with CUDA only */

/* Re-runs load->inner beside OpenMP on one thread and compares the complete state of every chain
 * after every epoch; the first difference is RATION_E_MISMATCH, named by epoch, chain and field. */
const rn_backend *rn_backend_checked(void);

#ifdef __cplusplus
}
#endif

#endif
