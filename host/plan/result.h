/* The result of a run: what ration_result stands for. */
#ifndef RN_RESULT_H
#define RN_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "bound/bound.h"
#include "core/view.h"
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

struct ration_result {
    ration_plan_status status;
    bool stopped;
    int32_t items;
    int32_t rows;
    int32_t all_rows;
    int32_t groups;
    /* the plan; only with picks */
    int32_t *pick; /* [items] option numbers, or NULL */
    int64_t cost;  /* program units */
    int64_t violation;
    int64_t cost_of[RATION_DIMENSIONS];
    int64_t *load; /* [all_rows], or NULL */
    char digest[RATION_DIGEST_TEXT];
    /* the bound; only when bounded or infeasible */
    bool bounded; /* `bound` is a lower bound of the cost, proven by the certificate */
    int64_t bound;
    bool infeasible; /* the certificate proves that every plan violates limits by at least
                        `violation_bound` > 0 */
    int64_t violation_bound;
    rn_bound_kind kind;
    int64_t *price; /* [all_rows] */
    int64_t *width; /* [2 * groups] */
    rn_run_facts facts;
    char program_digest[RATION_DIGEST_TEXT]; /* as read from a file; else the program's */
};

/* Verifies a plan and a bound from scratch and makes a result of them. pick: [items] option
 * numbers, borrowed, or NULL: no plan. bound: borrowed, or NULL. facts: borrowed, or NULL. The
 * status follows from what was proved: optimal (cost = bound, both verified), infeasible, feasible,
 * unknown. result: out, owned. RATION_E_MISMATCH when the certificate does not give the bound, or
 * the bound exceeds the cost of the (feasible) plan; RATION_E_INPUT for picks that are no options.
 */
ration_status rn_result_create(const ration_program *program, const int32_t *pick,
                               const rn_bound *bound, const rn_run_facts *facts,
                               ration_result **result, ration_error *error);

/* First 128 bits of SHA-256 over `item TAB place TAB mode LF` in canonical order (bytewise by name;
 * in number order where items have no names of their own). text: [RATION_DIGEST_TEXT]. */
ration_status rn_picks_digest(const ration_program *program, const int32_t *pick, char *text,
                              ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
