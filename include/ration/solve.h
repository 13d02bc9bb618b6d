/* Solving, bounding and verifying a frozen program, and the result they share.
 *
 * A run is (program, seed, chains, islands, epoch length, epochs): equal
 * parameters give equal bits on any number of threads, devices and ranks. The
 * clock only decides after which epoch to stop.
 */
#ifndef RATION_SOLVE_H
#define RATION_SOLVE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "ration/instance.h"
#include "ration/program.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ration_result ration_result;

typedef enum ration_plan_status {
    RATION_PLAN_OPTIMAL,    /* with a certificate that proves it */
    RATION_PLAN_FEASIBLE,
    RATION_PLAN_INFEASIBLE, /* with a proof; picks are the least-violating plan found */
    RATION_PLAN_UNKNOWN     /* none found, none excluded */
} ration_plan_status;

typedef enum ration_backend_kind {
    RATION_BACKEND_AUTO,
    RATION_BACKEND_OPENMP,
    RATION_BACKEND_CUDA,
    /* re-runs `checked_backend` on one thread beside it and stops at the first difference */
    RATION_BACKEND_CHECKED
} ration_backend_kind;

/* What a progress callback sees, after each epoch. Costs are in program units (minimised). */
typedef struct ration_progress {
    int64_t epoch;
    int64_t best;       /* exact cost of the best plan */
    int64_t violation;  /* 0: feasible */
    int64_t bound;
    bool bounded;       /* whether `bound` means something */
    int64_t moves;
    int64_t evaluations; /* options evaluated */
    int64_t elapsed_us;
    int64_t left_us;    /* -1: no time limit */
} ration_progress;

/* How to run. Fill with ration_run_default first. All pointers are borrowed until the call returns.
 */
typedef struct ration_run {
    uint64_t seed;
    bool seed_given;   /* a run of another seed is not resumed, but refused */
    bool preset_given; /* the same of the preset */
    int64_t time_us; /* from process start; -1: no limit. Default 10 s; ignored when epochs >= 0 */
    int64_t epochs;  /* total since the first start, also on resume; -1: until the time is over */
    /* end the search for prices after this many passes; 0: when the program's size suggests. A
     * run's parameter: where the time limit cut that search, the result says after how many */
    int32_t passes;
    int64_t epoch_length; /* moves of a chain in an epoch; 0: set from the program and the preset */
    int32_t threads;         /* 0: as many as the machine has */
    int32_t chains;          /* 0: of the preset (cpu 16, gpu 4096) */
    int32_t islands;         /* 0: of the preset */
    bool preset_gpu;
    ration_backend_kind backend;
    ration_backend_kind checked_backend; /* what RATION_BACKEND_CHECKED checks; default OPENMP */
    int32_t device;
    const char *checkpoint;  /* file to save the state to, or NULL */
    const char *resume;      /* file to continue from, or NULL */
    const int32_t *start;    /* [items] option numbers to begin with (RATION_NONE: free), or NULL */
    const volatile sig_atomic_t
        *stop; /* not 0: save, return the best plan, set `stopped`; NULL: never */
    volatile sig_atomic_t *save;       /* not 0: save, reset to 0, go on; NULL: never */
    void (*progress)(void *context, const ration_progress *progress); /* NULL: none */
    void (*notice)(void *context,
                   const char *sentence); /* one-line remarks (fallback to OpenMP); NULL: none */
    void *context;
} ration_run;

RATION_API void ration_run_default(ration_run *run);

/* Searches for the best plan, bounds it, verifies both from scratch. result: out, owned. RATION_OK
 * also when no feasible plan was found (see ration_result_status). RATION_E_MISMATCH: the verifier
 * or a checked backend disagrees; nothing is returned. RATION_E_ABSENT, RATION_E_DEVICE: the
 * asked-for backend can't run. */
RATION_API ration_status ration_solve(const ration_program *program, const ration_run *run,
                                      ration_result **result, ration_error *error);

/* Only the proven bound with its prices; stops when it no longer improves (or after run->time_us,
 * if >= 0). The result has no picks. */
RATION_API ration_status ration_bound(const ration_program *program, const ration_run *run,
                                      ration_result **result, ration_error *error);

/* Re-checks a result against its program by code that shares nothing with search and bound: picks,
 * loads, limits, costs, digest, and the certificate's arithmetic. RATION_E_MISMATCH with the first
 * difference in error. */
RATION_API ration_status ration_verify(const ration_program *program, const ration_result *result,
                                       ration_error *error);

/* ---- the result ---- */

RATION_API void ration_result_free(ration_result *result);
RATION_API ration_plan_status ration_result_status(const ration_result *result);
RATION_API bool ration_result_stopped(const ration_result *result); /* by run->stop */
RATION_API bool ration_result_has_picks(const ration_result *result);
RATION_API int32_t ration_result_pick(const ration_result *result,
                                      int32_t item); /* option number */
/* Exact cost in program units (minimised), violations excluded. */
RATION_API int64_t ration_result_cost(const ration_result *result);
RATION_API int64_t
ration_result_violation(const ration_result *result); /* total distance to hard limits */
/* bound: out, program units; false when there is none. */
RATION_API bool ration_result_bound(const ration_result *result, int64_t *bound);
/* 100 |cost - bound| / max(1, |cost|) in the file's unit; -1 when cost or bound is missing. */
RATION_API double ration_result_gap_percent(const ration_result *result);
RATION_API int64_t ration_result_load(const ration_result *result,
                                      int32_t row); /* explicit rows, feeds included */
/* The row out of its hard limits that is number `index` of them (from 0, canonical order), its load
 * and the limit: out. RATION_NONE, and nothing written, when there are not so many. */
RATION_API int32_t ration_result_broken_row(const ration_result *result, int32_t index,
                                            int64_t *load, int64_t *limit);
RATION_API int64_t ration_result_cost_of(const ration_result *result, ration_dimension dimension);
/* Price of a row: value / *scale program units per unit of load; 0 where it has none. */
RATION_API int64_t ration_result_price(const ration_result *result, int32_t row, int64_t *scale);
RATION_API const char *ration_result_digest(const ration_result *result); /* "" without picks */

/* Writes the fields of docs/result-format.md into an open map of the writer. program: the one it
 * belongs to. source: where it was read from; written as program.path, .format, .digest and, where
 * they were given, .start, .sense and .problem. NULL: no path. */
RATION_API void ration_result_write(const ration_result *result, const ration_program *program,
                                    const ration_instance *source, ration_writer *writer);

/* Reads a result back. It is not trusted: ration_verify decides. result: out, owned. */
RATION_API ration_status ration_result_read(const ration_node *map, const ration_program *program,
                                            ration_result **result, ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
