/* `ration verify DIR`: the folder of a plan against the scenario in it. */
#ifndef RATION_SERVING_CHECK_PLAN_H
#define RATION_SERVING_CHECK_PLAN_H

#include "ration/error.h"
#include "ration/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Checks DIR/plan.json from DIR/scenario.json and the catalog alone, wherever the folder lies:
 * first in the user's units (memory of each GPU by its tenants, GPU time, links, power, latency,
 * rates, spread, money, energy, the configurations), then the result inside it against the program
 * that the scenario stands for, certificate included. status: out, what the plan claims to be.
 * RATION_E_MISMATCH with the first difference; RATION_E_INPUT where a file is not what it should be
 * at all; RATION_E_IO. */
RATION_API ration_status ration_serving_verify_dir(const char *dir, ration_plan_status *status,
                                                   ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
