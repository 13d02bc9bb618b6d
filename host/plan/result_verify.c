/* Compares what a result claims with what the judge finds. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i128.h"
#include "core/fail.h"
#include "plan/names.h"
#include "plan/result.h"
#include "plan/verify.h"
#include "program/program.h"

static ration_status differ(ration_error *error, const char *what, int64_t claimed, int64_t found)
{
    return rn_fail(error, RATION_E_MISMATCH, "%s: the result says %lld, the program gives %lld",
                   what, (long long)claimed, (long long)found);
}

static ration_status compare_violations(const ration_program *program, const ration_result *claimed,
                                        const ration_result *found, ration_error *error)
{
    char name[RN_LABEL_TEXT];
    for (int32_t k = 0; k < claimed->broken_count && k < found->broken_count; k++) {
        const rn_broken *a = &claimed->broken[k];
        const rn_broken *b = &found->broken[k];
        if (a->row != b->row || a->load != b->load || a->limit != b->limit) {
            return rn_fail(error, RATION_E_MISMATCH,
                           "violations[%d]: the program gives row %s with load %lld and limit %lld",
                           (int)k, ration_program_row_name(program, b->row, name, sizeof name),
                           (long long)b->load, (long long)b->limit);
        }
    }
    return claimed->broken_count == found->broken_count
               ? RATION_OK
               : differ(error, "the number of violations", claimed->broken_count,
                        found->broken_count);
}

static ration_status compare_plan(const ration_program *program, const ration_result *claimed,
                                  const ration_result *found, ration_error *error)
{
    RN_TRY(compare_violations(program, claimed, found, error));
    if (claimed->violation != found->violation) {
        return differ(error, "the total violation", claimed->violation, found->violation);
    }
    if (claimed->cost != found->cost) {
        return differ(error, "cost (program units)", claimed->cost, found->cost);
    }
    for (int32_t k = 0; k < RATION_DIMENSIONS; k++) {
        if (claimed->cost_of[k] != found->cost_of[k]) {
            return differ(error, ration_dimension_name((ration_dimension)k), claimed->cost_of[k],
                          found->cost_of[k]);
        }
    }
    if (strcmp(claimed->digest, found->digest) != 0) {
        return rn_fail(error, RATION_E_MISMATCH, "digest: the result says %s, its picks give %s",
                       claimed->digest, found->digest);
    }
    return RATION_OK;
}

static ration_status check_plan(const ration_program *program, const ration_result *claimed,
                                ration_error *error)
{
    assert(claimed->pick != NULL && claimed->items == ration_program_items(program));
    ration_result *found = NULL;
    RN_TRY(rn_result_create(program, claimed->pick, NULL, NULL, &found, error));
    const ration_status status = compare_plan(program, claimed, found, error);
    ration_result_free(found);
    return status;
}

static ration_status check_bound(const ration_program *program, const ration_result *claimed,
                                 ration_error *error)
{
    const rn_claim claim = rn_result_claim(claimed);
    int64_t value = 0;
    RN_TRY(rn_verify_claim(rn_program_view(program), &claim, &value, error));
    const int64_t said = claimed->infeasible ? claimed->violation_bound : claimed->bound;
    if (value != said || (claimed->infeasible && value <= 0)) {
        return differ(error,
                      claimed->infeasible ? "certificate.violation" : "bound (program units)", said,
                      value);
    }
    if (claimed->pick != NULL && claimed->violation == 0 &&
        (claimed->infeasible || claimed->bound > claimed->cost)) {
        return rn_fail(error, RATION_E_MISMATCH,
                       "the plan is feasible and costs %lld, but the bound excludes it",
                       (long long)claimed->cost);
    }
    return RATION_OK;
}

/* Equal but for the last digits of a division. */
static bool same_gap(double a, double b)
{
    const double apart = a > b ? a - b : b - a;
    return apart <= 1e-9 * (b > 1.0 ? b : 1.0) && (a < 0.0) == (b < 0.0);
}

ration_status ration_verify(const ration_program *program, const ration_result *result,
                            ration_error *error)
{
    assert(program != NULL && result != NULL);
    char digest[RATION_DIGEST_TEXT];
    ration_program_digest(program, digest);
    if (strcmp(digest, result->program_digest) != 0) {
        return rn_fail(error, RATION_E_MISMATCH, "the result is of program %s, this one is %s",
                       result->program_digest, digest);
    }
    if (result->pick != NULL) {
        RN_TRY(check_plan(program, result, error));
    }
    if (result->bounded || result->infeasible) {
        RN_TRY(check_bound(program, result, error));
    }
    const ration_plan_status status = rn_result_status_of(result);
    if (status != result->status) {
        return rn_fail(error, RATION_E_MISMATCH, "status: the result says %s, but it is %s",
                       rn_status_words[result->status], rn_status_words[status]);
    }
    if (!same_gap(result->gap_percent, rn_result_gap(result))) {
        return rn_fail(error, RATION_E_MISMATCH,
                       "gap_percent: the result says %.9g, cost and bound give %.9g",
                       result->gap_percent, rn_result_gap(result));
    }
    return RATION_OK;
}
