/* Least squares on log ratios: Levenberg and Marquardt with soft-L1 residuals
 * and a prior on every number.
 *
 *   sum_i w_i 2 (sqrt(1 + (r_i / s_i)^2) - 1) + sum_k ((x_k - p_k) / t_k)^2
 *
 * x the logarithms of the numbers, r the logarithms of predicted over measured.
 * Deterministic: one thread, fixed order, no clock.
 */
#ifndef RN_FIDELITY_FIT_H
#define RN_FIDELITY_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "ration/error.h"

enum { RN_FID_NUMBERS_MAX = 40 };

typedef struct rn_fid_problem {
    int32_t numbers;
    int32_t residuals;
    const double *prior;  /* [numbers] > 0 */
    const double *spread; /* [numbers] of the prior, natural logarithm */
    const double *weight; /* [residuals] 0: left out */
    const double *soft;   /* [residuals] > 0 */
    /* fills [residuals]; one left out may be anything finite */
    void (*residual)(const void *context, const double *value, double *residual);
    const void *context;
} rn_fid_problem;

/* value: [numbers] out. RATION_E_MEMORY. */
ration_status rn_fid_fit(const rn_fid_problem *problem, int32_t rounds, double *value,
                         ration_error *error);

#endif
