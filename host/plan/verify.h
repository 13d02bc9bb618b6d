/* The judge: evaluates picks and certificates from scratch in 128 bits. Shares no code with
 * core/eval.h, core/view.h's walks or host/bound; it reads the arrays of the view alone. */
#ifndef RN_VERIFY_H
#define RN_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "bound/bound.h"
#include "core/view.h"
#include "ration/error.h"
#include "ration/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a plan is worth. load is carved from the same block; free with rn_verdict_free. */
typedef struct rn_verdict {
    int64_t cost;      /* violations excluded */
    int64_t violation; /* sum of the distances of loads to their hard limits */
    int64_t cost_of[RATION_DIMENSIONS];
    int64_t *load; /* [all_rows], feeds included */
} rn_verdict;

/* pick: [items] option numbers, borrowed. verdict: out, owned. RATION_E_INPUT: a pick is no option
 * of its item or is excluded. RATION_E_RANGE: a total leaves 64 bits. RATION_E_MEMORY. */
ration_status rn_verify_picks(const rn_view *view, const int32_t *pick, rn_verdict **verdict,
                              ration_error *error);
void rn_verdict_free(rn_verdict *verdict);

/* What a bound claims, and its certificate; borrowed arrays. */
typedef struct rn_claim {
    rn_bound_kind kind;
    bool violation;          /* the bound is one of the violation, not of the cost */
    const int64_t *price;    /* [all_rows] */
    const int64_t *width;    /* [2 * groups], or NULL */
    int32_t rounds;          /* of leaving out options first, 0 .. RN_ROUNDS_MAX */
    const int64_t *value_of; /* [items], or NULL */
    const int64_t *kept;     /* [all_rows] 1: by a knapsack; or NULL */
} rn_claim;

/* What a bound claims. */
static inline rn_claim rn_bound_claim(const rn_bound *bound)
{
    const rn_claim claim = {bound->kind,   bound->infeasible, bound->price, bound->width,
                            bound->rounds, bound->value_of,   bound->kept};
    return claim;
}

/* Recomputes the bound that a certificate proves (formula in bound/bound.h). value: out, rounded
 * up. RATION_E_MISMATCH: the kind is unknown here, or the certificate is not well formed;
 * RATION_E_RANGE, RATION_E_MEMORY. */
ration_status rn_verify_claim(const rn_view *view, const rn_claim *claim, int64_t *value,
                              ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
