/* The result of a run: what ration_result stands for. */
#ifndef RN_RESULT_H
#define RN_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/i128.h"
#include "bound/bound.h"
#include "core/view.h"
#include "plan/verify.h"
#include "program/twin.h"
#include "ration/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RN_RESULT_WORD_MAX = 16 };

/* How a plan was found, for the report alone. Fields that do not apply are negative (NULL, "" for
 * texts) and are left out. */
typedef struct rn_run_facts {
    bool seeded; /* whether `seed` applies */
    uint64_t seed;
    int64_t epochs;
    int64_t epoch_length;
    int32_t passes; /* of the search for prices, where something cut it; see ration_run */
    int32_t chains;
    int32_t islands;
    int32_t threads;
    int64_t moves;
    int64_t elapsed_us;
    char preset[RN_RESULT_WORD_MAX];  /* "cpu", "gpu" */
    char backend[RN_RESULT_WORD_MAX]; /* "openmp", "cuda:0", ... */
} rn_run_facts;

/* All fields "does not apply". */
void rn_run_facts_clear(rn_run_facts *facts);

/* A limit that a plan is said to break. */
typedef struct rn_broken {
    int32_t row;
    int64_t load;
    int64_t limit;
} rn_broken;

struct ration_result {
    ration_plan_status status;
    bool stopped;
    int32_t items;
    int32_t rows;
    int32_t all_rows;
    int32_t groups;
    ration_sense sense; /* of the program's objective */
    int64_t constant;
    int32_t scale;

    /* the plan; only with picks */
    int32_t *pick; /* [items] option numbers, or NULL */
    int64_t *load; /* [all_rows] */
    int64_t cost;  /* program units */
    int64_t violation;
    int64_t cost_of[RATION_DIMENSIONS];
    char digest[RATION_DIGEST_TEXT];
    rn_broken *broken; /* [broken_count] by canonical order of rows */
    int32_t broken_count;

    /* the bound; the certificate proves one of the two */
    bool bounded; /* `bound` is a lower bound of the cost */
    int64_t bound;
    bool infeasible; /* every plan breaks limits by at least violation_bound > 0 */
    int64_t violation_bound;
    rn_bound_kind kind;
    int32_t rounds;    /* of leaving out options, see bound/bound.h */
    int64_t *price;    /* [all_rows] */
    int64_t *width;    /* [2 * groups] */
    int64_t *value_of; /* [items] and */
    int64_t *kept;     /* [all_rows]: of kind knapsack, see bound/bound.h */

    double gap_percent; /* as written in the file, or computed; -1: none */
    rn_run_facts facts;
    char program_digest[RATION_DIGEST_TEXT];
};

/* What the result says of its bound. */
static inline rn_claim rn_result_claim(const ration_result *result)
{
    const rn_claim claim = {result->kind,   result->infeasible, result->price, result->width,
                            result->rounds, result->value_of,   result->kept};
    return claim;
}

/* An empty result of the program's sizes: status unknown, no picks, no bound, arrays of 0. result:
 * out, owned. */
ration_status rn_result_blank(const ration_program *program, ration_result **result,
                              ration_error *error);

/* The gap that cost and bound make, -1 when there is none. */
double rn_result_gap(const ration_result *result);

/* The value in the file's unit and sense, times 10^scale: -value or value, plus the constant. */
rn_i128 rn_result_outward(const ration_result *result, int64_t value);

/* What the judge makes of picks: fills cost, violation, cost_of, load, digest and broken of a
 * result whose pick is filled. */
ration_status rn_result_judge(const ration_program *program, ration_result *result,
                              ration_error *error);

/* Status that follows from what the result says. */
ration_plan_status rn_result_status_of(const ration_result *result);

/* The row at a position 0 .. all_rows-1 of the canonical order; conflict rows are last. */
int32_t rn_result_row(const ration_program *program, int32_t position);

/* Verifies a plan and a bound from scratch and makes a result of them. pick: [items] option
 * numbers, borrowed, or NULL: no plan. bound: borrowed, or NULL. facts: borrowed, or NULL. The
 * status follows from what was proved: optimal (cost = bound, both verified), infeasible, feasible,
 * unknown. result: out, owned. RATION_E_MISMATCH when the certificate does not give the bound, or
 * the bound exceeds the cost of the (feasible) plan; RATION_E_INPUT for picks that are no options.
 */
ration_status rn_result_create(const ration_program *program, const int32_t *pick,
                               const rn_bound *bound, const rn_run_facts *facts,
                               ration_result **result, ration_error *error);

/* The same for picks and a bound of the program's twin; the judge sees the program itself. pick,
 * bound: in the twin's numbers. Also RATION_E_MEMORY. */
ration_status rn_result_create_back(const rn_twin *twin, const int32_t *pick, const rn_bound *bound,
                                    const rn_run_facts *facts, ration_result **result,
                                    ration_error *error);

/* First 128 bits of SHA-256 over `item TAB place TAB mode LF` in canonical order (bytewise by name;
 * in number order where items have no names of their own). text: [RATION_DIGEST_TEXT]. */
ration_status rn_picks_digest(const ration_program *program, const int32_t *pick, char *text,
                              ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
