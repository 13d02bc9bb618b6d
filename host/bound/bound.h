/* The proven lower bound of a frozen program, with the certificate that lets anyone re-check it.
 *
 *   S L(u) = sum_r u_r offset_r
 *          + sum_i min_o [ S c_o + sum_r u_r a_or + S half_o ]
 *          + sum_r min over z of [ S f_r(z) - u_r z + sum over feeds r -> t of u_t phi_rt(z) ]
 *   S      = 2^RN_PRICE_BITS
 *
 * with max(least_r, low_r) <= z <= min(most_r, high_r), for any integers u of any sign.
 * A conflict row has least 0, most = the size of its set, high 1, f = 0. half_o: with traffic,
 * w d(p, p) for a diagonal edge and, for every other edge at the item, floor(1/2 min over the
 * other end's places q of w d(p, q)) (d(q, p) for an edge that ends here). value = ceil(L).
 *
 * In kind RN_BOUND_GROUP, a group with a width > 0 is solved as a whole: its items' minima and the
 * terms of its DP rows (whose u is ignored) are replaced by the minimum over all picks of its items
 * of the remaining costs + S f at the loads reached. With width w > 1 amounts are rounded to
 * floor(a / w), the load K reached then stands for offset + w K .. offset + w K + (sum over the
 * items of the largest a - w floor(a / w)), and f is minimised over those that lie within the
 * proved range and the limits.
 *
 * Violation: with c = half = 0, no limits on z and f_r(z) = the distance of z to [low_r, high_r],
 * the same L is a lower bound of the total violation of any plan; above 0 it proves that there is
 * no feasible plan.
 *
 * With rounds > 0 options that no feasible plan can use are left out before (bound/narrow.h), and
 * least_r, most_r are those of the options left. An item without options, or L > 0 of the
 * violation, then proves that there is no feasible plan; the violation is at least 1 (all numbers
 * are integers) and at least what the first round proves.
 */
#ifndef RN_BOUND_H
#define RN_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "core/view.h"
#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RN_PRICE_BITS = 20, RN_ROUNDS_MAX = 64 };
#define RN_PRICE_MAX ((int64_t)1 << 50) /* largest magnitude of a price */

typedef enum rn_bound_kind {
    RN_BOUND_LAGRANGE,
    RN_BOUND_GROUP,
    RN_BOUND_KNAPSACK, /* bound/knapsack.h */
    RN_BOUND_TREE      /* reserved: produced by nothing in this version */
} rn_bound_kind;

/* A bound and its certificate. One block; free with rn_bound_free. */
typedef struct rn_bound {
    rn_bound_kind kind;
    /* lower bound of the cost of any feasible plan, program units; INT64_MIN: none */
    int64_t value;
    /* proof that no feasible plan exists: `value` is then a bound > 0 on the total violation */
    bool infeasible;
    /* the deadline (or cut_after) stopped the search for prices before its last pass */
    bool cut;
    int32_t passes; /* evaluations of L */
    int32_t all_rows;
    int32_t groups;
    int32_t rounds; /* of leaving out options, 0 .. RN_ROUNDS_MAX */
    /* [all_rows] u, scale 2^RN_PRICE_BITS, any sign; rows solved by DP have one too, for the
     * search */
    int64_t *price;
    /* [2 * groups] bucket widths of the groups' DP rows; 0: not solved by DP; all 0 unless kind
     * is group */
    int64_t *width;
    /* all 0 unless kind is knapsack: [items] v, scale 2^RN_PRICE_BITS; [all_rows] 1: the row is
     * kept */
    int64_t *value_of;
    int64_t *kept;
    int32_t items;
} rn_bound;

typedef struct rn_bound_limits {
    int64_t target; /* cost of a known plan, which helps to choose steps; INT64_MAX: none */
    /* 0: as many as the program's size suggests (a function of the program alone) */
    int32_t passes;
    /* stop after so many passes in all, exactly as a deadline would have; 0: don't. The passes of
     * a bound that was cut, given here, make the same bound again */
    int32_t cut_after;
    int64_t deadline_us; /* by rn_clock_us; -1: none */
} rn_bound_limits;

/* Searches for prices of a high bound. limits: borrowed, NULL: none. bound: out, owned.
 * RATION_E_MEMORY; on failure nothing is written. Deterministic unless the deadline cuts it. Time:
 * O(passes * (uses + pieces)).
 */
ration_status rn_bound_find(const rn_view *view, const rn_bound_limits *limits, rn_bound **bound,
                            ration_error *error);

void rn_bound_free(rn_bound *bound);

#ifdef __cplusplus
}
#endif

#endif
