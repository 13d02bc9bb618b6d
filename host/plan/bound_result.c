/* ration_bound: a result that holds a bound alone. */
#include <assert.h>
#include <stddef.h>

#include "base/clock.h"
#include "bound/bound.h"
#include "core/fail.h"
#include "plan/result.h"
#include "program/program.h"

enum { PASSES = 5000 }; /* the ascent stops before when steps have become too small */

ration_status ration_bound(const ration_program *program, const ration_run *run,
                           ration_result **result, ration_error *error)
{
    assert(program != NULL && run != NULL && result != NULL);
    const int64_t start_us = rn_clock_start_us();
    const rn_bound_limits limits = {INT64_MAX, PASSES, run->passes,
                                    run->time_us < 0 ? -1 : start_us + run->time_us};
    rn_twin *twin = NULL;
    rn_bound *bound = NULL;
    RN_TRY(rn_twin_create(program, &twin, error));
    ration_status status =
        rn_bound_find(rn_program_view(rn_twin_program(twin)), &limits, &bound, error);
    if (status == RATION_OK) {
        rn_run_facts facts;
        rn_run_facts_clear(&facts);
        facts.passes = bound->cut ? bound->passes : -1;
        facts.elapsed_us = rn_clock_us() - start_us;
        status = rn_result_create_back(twin, NULL, bound, &facts, result, error);
    }
    rn_bound_free(bound);
    rn_twin_free(twin);
    return status;
}
