/* The bound that keeps rows whole and lets items go: one knapsack a row.
 *
 *   S L(v) = sum_i v_i
 *          + sum_i min(0, min over options o of i without a kept row of [cost_o - v_i])
 *          + sum over kept rows k of min over picks, at most one option on k an item, of
 *            [ sum (cost_o - v_i) + g_k(offset_k + sum a_ok) ]
 *          + the terms of all other rows, as in bound/bound.h
 *   cost_o   = S c_o + S half_o + sum over rows that are not kept of u_r a_or
 *   g_k(z)   = S f_k(z) + sum over feeds k -> t of u_t phi_kt(z), within range and limits of k
 *
 * An option loads at most one kept row, and no feed leads to one. v may have any sign. With v_i =
 * min_o [cost_o + u_k a_ok] the bound is at least that of the prices u.
 */
#ifndef RN_KNAPSACK_H
#define RN_KNAPSACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/i128.h"
#include "bound/relax.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An option on a kept row. */
typedef struct rn_packable {
    int32_t item;
    int32_t amount;
    int64_t cost; /* scaled */
} rn_packable;

typedef struct rn_ratio {
    int64_t key; /* gain per amount, rounded */
    int32_t option;
} rn_ratio;

typedef struct rn_sack {
    int32_t row;
    int32_t first; /* into packable, by item */
    int32_t end;
    int32_t room;   /* greatest load, offset not counted */
    bool charged;   /* g is not 0 everywhere */
    bool repeats;   /* everything is as in the sack before */
    int64_t charge; /* into charges: g by load 0 .. room; only if charged */
} rn_sack;

typedef struct rn_knapsack {
    const rn_relax *relax; /* kept */
    int32_t sacks;
    int32_t most_room;
    rn_sack *sack;
    rn_packable *packable;
    int64_t *charges;
    int64_t *free_cost; /* [items] least cost of options without a kept row, INT64_MAX: none */
    rn_i128 other;      /* terms of the rows that are not kept */
    /* scratch */
    int64_t *value[2]; /* [most_room + 1] */
    char *taken;       /* [packables of a sack * (most_room + 1)] */
    int32_t *chosen;   /* [packables of a sack] those below 0 */
    rn_ratio *ratio;   /* [packables of a sack] */
} rn_knapsack;

/* One evaluation at v. */
typedef struct rn_packed {
    rn_i128 value;  /* S L */
    int32_t *count; /* [items] options chosen, to be 1 each */
    int64_t steps;  /* what it took */
} rn_packed;

/* Keeps the rows that can be kept at these prices: no feed leads to them, no amount is negative,
 * the load may be as small as the offset, g never falls, and 0 .. 2^16 of room. made: out, owned;
 * NULL when there are none, or when some option loads two of them. price: [all_rows], borrowed.
 * kept: [all_rows] out, 1: kept. RATION_E_MEMORY. */
ration_status rn_knapsack_create(rn_relax *relax, const int64_t *price, char *kept,
                                 rn_knapsack **made, ration_error *error);
void rn_knapsack_free(rn_knapsack *knapsack);

/* Evaluates at v: [items]. packed->count: the caller's. */
void rn_knapsack_evaluate(const rn_knapsack *knapsack, const int64_t *v, rn_packed *packed);

/* The start that bounds at least what the prices do: v_i = the least cost plus price of item i. v:
 * [items] out. price: [all_rows], borrowed, as given to create. */
void rn_knapsack_start(const rn_knapsack *knapsack, const int64_t *price, int64_t *v);

typedef struct rn_knapsack_limits {
    rn_i128 target;      /* stop when the bound reaches it; 2^RN_PRICE_BITS times a cost */
    rn_i128 rise;        /* a first guess, above 0, of how far L rises, scaled */
    int64_t steps;       /* of all evaluations together */
    int32_t passes;      /* most evaluations */
    int32_t cut_after;   /* evaluations after which to stop as at a deadline, or 0 */
    int64_t deadline_us; /* by rn_clock_us, or -1 */
} rn_knapsack_limits;

typedef struct rn_knapsack_found {
    rn_i128 best;   /* S L at v */
    int32_t passes; /* evaluations */
    bool cut;       /* by deadline or cut_after */
} rn_knapsack_found;

/* Raises L from v: [items] in and out, the best found. RATION_E_MEMORY; v is then as before. */
ration_status rn_knapsack_climb(const rn_knapsack *knapsack, const rn_knapsack_limits *limits,
                                int64_t *v, rn_knapsack_found *found, ration_error *error);

/* Largest magnitude of v with which 64 bits hold every sum. */
int64_t rn_knapsack_most(const rn_knapsack *knapsack);

#ifdef __cplusplus
}
#endif

#endif
