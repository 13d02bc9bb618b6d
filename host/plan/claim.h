/* Parts of the certificate check: halves of the traffic, groups by dynamic programming. */
#ifndef RN_CLAIM_H
#define RN_CLAIM_H

#include "base/i128.h"
#include "plan/judge.h"
#include "plan/verify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Least halves of traffic, for any item and place. */
typedef struct rn_halves {
    const rn_view *view;
    int32_t sets;     /* distinct sets of places an item may take */
    int32_t *set_of;  /* [items] or NULL: no traffic */
    char *member;     /* [sets * places] */
    int64_t *extreme; /* [sets * 4 * places]: least, greatest d(p, q), least, greatest d(q, p) over
                         q of the set */
} rn_halves;

ration_status rn_halves_create(const rn_view *view, rn_halves *halves, ration_error *error);
void rn_halves_free(rn_halves *halves);
/* Sum of the halves that an item at a place is charged. */
rn_i128 rn_halves_at(const rn_halves *halves, int32_t item, int32_t place);

/* What an option costs in L: 2^RN_PRICE_BITS times its cost (0 in a violation claim) plus its
 * amounts by price; amounts on the rows in skip[2] (or -1) count nothing. burden: scratch. */
rn_i128 rn_claim_option(const rn_view *view, const rn_claim *claim, const rn_halves *halves,
                        const rn_judged *option, const int32_t skip[2], rn_burden *burden);

/* f_r(z), or in a violation claim the distance of z to the limits. */
rn_i128 rn_claim_row_cost(const rn_view *view, const rn_claim *claim, int32_t row, rn_i128 z);

/* Least of rn_claim_row_cost over from <= z <= to, within the proved range and, unless it is a
 * violation claim, within the limits; false when there is no such z. */
bool rn_claim_row_least(const rn_view *view, const rn_claim *claim, int32_t row, rn_i128 from,
                        rn_i128 to, rn_i128 *least);

/* Least cost of a group's items and DP rows together. RATION_E_MISMATCH when it has no load within
 * its limits, or too many states. */
ration_status rn_claim_group(const rn_view *view, const rn_claim *claim, const rn_halves *halves,
                             int32_t group, rn_i128 *least, ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
