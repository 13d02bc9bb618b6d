/* The lists of fitted and fixed numbers, and the writer of perf/fitted.h. */
#ifndef RN_FIDELITY_NUMBERS_H
#define RN_FIDELITY_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "perf/fitted.h"
#include "ration/error.h"

/* One number of a struct of doubles. spread 0: fixed, not fitted. */
typedef struct rn_fid_number {
    const char *name;
    size_t at;     /* offset in its struct */
    double prior;  /* a round number that is not a fit */
    double spread; /* natural logarithm */
} rn_fid_number;

/* A struct of numbers that is fitted. */
typedef struct rn_fid_set {
    const char *name; /* "serving" */
    const rn_fid_number *number;
    int32_t numbers; /* fixed ones too */
} rn_fid_set;

/* End-to-end runs: hardware and three engines. */
typedef struct rn_fid_serving {
    rn_perf_fit fit;
    rn_perf_engine engine[RN_PERF_ENGINES];
} rn_fid_serving;

rn_fid_serving rn_fid_serving_default(void);
rn_fid_set rn_fid_serving_set(void);

/* Saturated workers and static batches. */
rn_fid_set rn_fid_batch_set(void);
rn_fid_set rn_fid_power_set(void);

/* How many are fitted. */
int32_t rn_fid_set_fitted(const rn_fid_set *set);

/* prior, spread: [fitted] out. */
void rn_fid_set_priors(const rn_fid_set *set, double *prior, double *spread);

/* Sets the numbers of a struct: fitted ones to value ([fitted]), to five digits unless raw, so that
 * the written file gives the same predictions; fixed ones to their prior. */
void rn_fid_set_store(const rn_fid_set *set, const double *value, bool raw, void *numbers);

/* Writes perf/fitted.h. RATION_E_IO. */
ration_status rn_fid_numbers_write(const char *path, const rn_fid_serving *serving,
                                   const rn_perf_batch_fit *batch, const rn_perf_power_fit *power,
                                   ration_error *error);

#endif
