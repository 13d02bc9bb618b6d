/* Subgradient ascent on a prepared relaxation, in integers. */
#ifndef RN_ASCENT_H
#define RN_ASCENT_H

#include "bound/relax.h"

#ifdef __cplusplus
extern "C" {
#endif

/* State of an ascent; arrays are carved from one block. */
typedef struct rn_ascent {
    const rn_relax *relax; /* kept */
    rn_pass *pass;         /* owned */
    int64_t *price;        /* [all_rows] where L is evaluated next */
    int64_t *best_price;   /* [all_rows] */
    int64_t *best_gradient;
    int64_t *direction; /* [all_rows] */
    rn_i128 best;       /* 2^RN_PRICE_BITS L at best_price */
    bool any;           /* whether `best` is known */
    bool empty;         /* a group reaches no load within its limits */
    bool cut;           /* stopped by the deadline or cut_after */
    int32_t passes;     /* done so far */
} rn_ascent;

ration_status rn_ascent_create(const rn_relax *relax, rn_ascent **ascent, ration_error *error);
void rn_ascent_free(rn_ascent *ascent);

/* Raises L from ascent->best_price (all 0 after create) in at most `passes` steps. cut_after:
 * evaluations after which to stop as at a deadline, or 0. target:
 * 2^RN_PRICE_BITS times the cost of a known plan, or INT64_MAX * 2^RN_PRICE_BITS; enough: stop when
 * L exceeds this. spread: a first guess, above 0, of how far L can rise, scaled. deadline_us: by
 * rn_clock_us, or -1. */
typedef struct rn_ascent_limits {
    int32_t passes;
    int32_t cut_after;
    rn_i128 target;
    rn_i128 enough;
    rn_i128 spread;
    int64_t deadline_us;
} rn_ascent_limits;

void rn_ascent_run(rn_ascent *ascent, const rn_ascent_limits *limits);

#ifdef __cplusplus
}
#endif

#endif
