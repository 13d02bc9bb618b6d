/* A run of the search: tables, schedule, backend and everything that a checkpoint holds. */
#ifndef RN_SEARCH_RUN_H
#define RN_SEARCH_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "bound/bound.h"
#include "core/backend.h"
#include "ration/solve.h"
#include "search/refine.h"
#include "search/schedule.h"
#include "search/tables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What makes a run: equal values give equal bits. */
typedef struct rn_run_key {
    uint64_t seed;
    int64_t epoch_length; /* moves of a chain */
    int32_t chains;
    int32_t islands;
    int32_t preset_gpu;
    int32_t spare;
} rn_run_key;

typedef struct rn_search {
    const ration_program *program; /* kept */
    const rn_view *view;
    rn_run_key key;
    const rn_backend *backend;
    const rn_backend *inner; /* of the checked backend */
    rn_backend_run *chains;  /* NULL until rn_search_load */
    int32_t threads;         /* asked for */
    int32_t device;
    rn_tables *tables;
    rn_schedule *schedule;
    rn_refine *refine; /* NULL: all epochs anneal */
    rn_bound *bound;   /* owned; NULL: none */
    rn_progress_facts facts;
    int64_t epoch;       /* epochs done */
    int64_t evaluations; /* of a chain in an epoch, at most */
    int32_t *best;       /* [items] picks of the best plan */
    int32_t *plan; /* [plans * items] plans that chains begin with; freed when they have begun */
    int32_t plans;
    rn_chain_head *head; /* [chains] */
    int32_t *order;      /* [chains] */
    rn_mate *mate;       /* [chains] */
    int64_t moves;       /* of all chains */
    int64_t options;     /* evaluated by all chains */
} rn_search;

typedef struct rn_search_wish {
    const ration_program *program; /* kept */
    const ration_run *run;         /* borrowed */
    bool wide;                     /* for tests: see rn_tables_wish */
    bool general;
} rn_search_wish;

/* Completes the run's numbers from program and preset. */
void rn_run_key_make(const rn_tables *tables, const ration_run *run, rn_run_key *key);

/* Prepares a run: tables, schedule, plans to begin with, of which `best` is the best. bound:
 * becomes the search's, also on failure. search: out, owned. RATION_E_MEMORY, RATION_E_ABSENT,
 * RATION_E_DEVICE, RATION_E_INPUT. */
ration_status rn_search_create(const rn_search_wish *wish, rn_bound *bound, rn_search **search,
                               ration_error *error);
void rn_search_free(rn_search *search);

/* Loads the program on the backend and begins the chains; the first epoch does it too.
 * RATION_E_MEMORY, RATION_E_DEVICE. */
ration_status rn_search_load(rn_search *search, ration_error *error);

/* About how long rn_search_load and the first epoch will take, microseconds; only for the decision
 * whether to begin. */
int64_t rn_search_load_us(const rn_search *search);

/* Runs one epoch and takes up better plans. */
ration_status rn_search_epoch(rn_search *search, ration_error *error);

/* Whether nothing better can be found: the best plan's cost is the bound, or its violation is the
 * proven least. */
bool rn_search_done(const rn_search *search);

/* ---- checkpoint.c ---- */

/* Writes the whole state to a file. */
ration_status rn_search_save(rn_search *search, const char *path, ration_error *error);

/* A checkpoint in memory. */
typedef struct rn_saved rn_saved;

/* Reads a checkpoint of a program; notices that the previous generation was used. saved: out,
 * owned. bound: out, owned, NULL if it has none. key: out. */
ration_status rn_saved_read(const ration_program *program, const ration_run *run, rn_saved **saved,
                            rn_bound **bound, rn_run_key *key, ration_error *error);
void rn_saved_free(rn_saved *saved);
/* Puts the state into a search that was made under the same key and bound. RATION_E_INPUT when
 * sizes disagree. */
ration_status rn_saved_restore(const rn_saved *saved, rn_search *search, ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
