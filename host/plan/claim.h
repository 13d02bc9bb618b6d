/* Parts of the certificate check: options left out, halves of the traffic, groups by dynamic
 * programming. */
#ifndef RN_CLAIM_H
#define RN_CLAIM_H

#include "base/i128.h"
#include "plan/judge.h"
#include "plan/verify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options and ranges after the rounds of a claim (docs/certificates.md). */
typedef struct rn_left {
    const rn_view *view;
    int64_t *at;       /* [items] into out, or NULL: no rounds */
    char *out;         /* [options] 1: left out */
    rn_i128 *low;      /* [all_rows] proved range of the loads */
    rn_i128 *high;     /* [all_rows] */
    bool empty;        /* an item has no option left; the ranges mean nothing */
    rn_i128 violation; /* what every plan breaks, by the first round */
} rn_left;

ration_status rn_left_create(const rn_view *view, int32_t rounds, rn_left *left,
                             ration_error *error);
void rn_left_free(rn_left *left);
/* A walk over the options of an item that are left. */
rn_judge_walk rn_left_first(const rn_left *left, int32_t item);

/* Least halves of traffic, for any item and place. */
typedef struct rn_halves {
    const rn_view *view;
    int32_t sets;     /* distinct sets of places an item may take */
    int32_t *set_of;  /* [items] or NULL: no traffic */
    char *member;     /* [sets * places] */
    int64_t *extreme; /* [sets * 4 * places]: least, greatest d(p, q), least, greatest d(q, p) over
                         q of the set */
} rn_halves;

/* Extremes of the distances between all places and `sets` sets of them, none empty. member: [sets *
 * places]; extreme: out, as in rn_halves. */
ration_status rn_extremes_fill(const rn_view *view, int32_t sets, const char *member,
                               int64_t *extreme, ration_error *error);

ration_status rn_halves_create(const rn_left *left, rn_halves *halves, ration_error *error);
void rn_halves_free(rn_halves *halves);
/* Sum of the halves that an item at a place is charged. */
rn_i128 rn_halves_at(const rn_halves *halves, int32_t item, int32_t place);

/* A claim and what it is checked with. */
typedef struct rn_case {
    const rn_view *view;
    const rn_claim *claim;
    rn_left left;
    rn_halves halves;
    rn_burden *burden; /* scratch for the burdens of one option */
} rn_case;

/* What an option costs in L: 2^RN_PRICE_BITS times its cost (0 in a violation claim) plus its
 * amounts by price; amounts on the rows in skip[2] (or -1) count nothing. Fills c->burden. */
rn_i128 rn_claim_option(const rn_case *c, const rn_judged *option, const int32_t skip[2]);

/* Least of f_r(z), or of the distance of z to the limits, over from <= z <= to, within the proved
 * range and, unless it is a violation claim, within the limits; false when there is no such z. */
bool rn_claim_row_least(const rn_case *c, int32_t row, rn_i128 from, rn_i128 to, rn_i128 *least);

/* Least cost of a group's items and DP rows together. RATION_E_MISMATCH when it has no load within
 * its limits, or too many states. */
ration_status rn_claim_group(const rn_case *c, int32_t group, rn_i128 *least, ration_error *error);

/* Adds the items' values and the least costs of the rows that knapsacks keep (formula in
 * bound/knapsack.h). RATION_E_MISMATCH when the rows can't be kept. */
ration_status rn_claim_knapsacks(const rn_case *c, rn_i128 *sum, ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
