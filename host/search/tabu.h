/* Robust tabu search over swaps, for programs that are quadratic assignments: a
 * refinement of plans on the host.
 *
 * Seats are the places, each as often as it can take an item; items without
 * traffic fill the seats left over. A plan is a permutation p, and
 *
 *   F(p) = sum over i < k of a(i, k) b(p_i, p_k) + sum_i own(i, p_i)
 *
 * (both directions where neither matrix is symmetric). What a swap changes is
 * kept for every pair:
 *
 *   D(i, j) = G(i, p_j) - G(i, p_i) + G(j, p_i) - G(j, p_j) + 2 a(i, j) b(p_i, p_j)
 *   G(i, l) = own(i, l) + sum_k a(i, k) b(l, p_k)
 *
 * After a swap of r and s, with x_i = a(i, r) - a(i, s), w_l = b(l, p_r) - b(l, p_s)
 * and new places p,
 *
 *   G(i, l) += x_i w_l        D(i, j) -= (x_i - x_j) (w(p_i) - w(p_j))
 *
 * and the pairs with r or s are read off G: O(1) a pair, all of it over
 * contiguous rows, in exact integers.
 *
 * E. Taillard, "Robust taboo search for the quadratic assignment problem", Parallel Computing 17
 * (1991) 443-455. The restarts from a disturbed plan are those of iterated local search: H. R.
 * Lourenco, O. C. Martin, T. Stutzle, "Iterated local search", Handbook of Metaheuristics (2003).
 */
#ifndef RN_SEARCH_TABU_H
#define RN_SEARCH_TABU_H

#include <stdbool.h>
#include <stdint.h>

#include "core/eval.h"
#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RN_TABU_SEATS = 1024 }; /* at most: memory and a swap's time are quadratic */

/* A program as matrices; immutable. */
typedef struct rn_tabu {
    const rn_tables *tables; /* kept */
    int32_t items;           /* of the program */
    int32_t seats;           /* >= items */
    int32_t stride;          /* of a matrix row: seats rounded up */
    bool wide;               /* values are int64_t, else int32_t */
    bool directed;           /* neither matrix is symmetric */
    int32_t *seat_place;     /* [seats] */
    int32_t *option;         /* [items * seats] option of an item on a seat, -1: none */
    void *flow;              /* [seats * stride] a(i, k), diagonal 0 */
    void *flow_back;         /* a(k, i) */
    void *distance;          /* [seats * stride] b(l, m), diagonal 0 */
    void *distance_back;     /* b(m, l) */
    void *own; /* [seats * stride] option and self edge; more than any plan costs: none */
} rn_tabu;

/* What names the random numbers of a call; draw, the next block, goes on. */
typedef struct rn_tabu_key {
    uint64_t seed;
    uint32_t epoch;
    uint32_t chain;
    uint32_t draw;
} rn_tabu_key;

/* Scratch of one thread. */
typedef struct rn_tabu_work rn_tabu_work;

/* Takes a program as a quadratic assignment if it is one: traffic; every option at a place, one for
 * an item and a place; what an option loads depends on its place alone; the rows of a place are
 * its own, and what they cost does not depend on which seats stay empty; at most RN_TABU_SEATS
 * seats, and values that 64 bits can sum. tabu: out, owned; NULL: it is none. RATION_E_MEMORY. */
ration_status rn_tabu_create(const rn_tables *tables, rn_tabu **tabu, ration_error *error);
void rn_tabu_free(rn_tabu *tabu);

ration_status rn_tabu_work_create(const rn_tabu *tabu, rn_tabu_work **work, ration_error *error);
void rn_tabu_work_free(rn_tabu_work *work);

/* Improves a plan: a function of the tables, the picks, the key and the budget alone.
 *
 * pick    [items] in and out; never worse by (violation, cost) than before, both from a full
 *         evaluation. Picks with items beyond the seats of their place are seated anew first.
 * swaps   swaps to evaluate, about; at least one step of all pairs is made.
 * value   out, cost and violation of pick.
 * Returns the swaps evaluated. Time: O(seats^3 + swaps).
 */
int64_t rn_tabu_refine(const rn_tabu *tabu, rn_tabu_work *work, rn_tabu_key *key, int64_t swaps,
                       int32_t *pick, rn_change *value);

/* Swaps evaluated in a step: pairs of which one is an item. */
int64_t rn_tabu_pairs(const rn_tabu *tabu);

/* Makes a child of two plans: items keep a seat that they have in both, then take that of one
 * parent, drawn, if it is free, or of the other, or any. pick: [items] in and out; other: [items].
 * False if an item has no option on the seat it got; then the picks are of no use. */
bool rn_tabu_cross(const rn_tabu *tabu, rn_tabu_work *work, rn_tabu_key *key, const int32_t *other,
                   int32_t *pick);

/* ---- inside, for tests ---- */

/* A pair and what swapping it changes. */
typedef struct rn_tabu_pair {
    int32_t first; /* < second; -1: every pair is barred */
    int32_t second;
    int64_t change;
} rn_tabu_pair;

/* Seats the picks and makes the tables of a plan from scratch. */
void rn_tabu_load(const rn_tabu *tabu, rn_tabu_work *work, const int32_t *pick);
/* Swaps the seats of items r != s (items from `items` on are empty seats). */
void rn_tabu_swap(const rn_tabu *tabu, rn_tabu_work *work, int32_t r, int32_t s);
/* What swapping i < j changes, from the table; i < items. */
int64_t rn_tabu_change(const rn_tabu *tabu, const rn_tabu_work *work, int32_t i, int32_t j);
/* Picks of the current plan; false if an item has no option on its seat. pick: out, [items]. */
bool rn_tabu_picks(const rn_tabu *tabu, const rn_tabu_work *work, int32_t *pick);

#ifdef __cplusplus
}
#endif

#endif
