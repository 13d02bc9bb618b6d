/* The schedule: from the number of an epoch and the best cost so far to the
 * parameters of the epoch, in integers.
 *
 * Epochs form homotopies of doubling length (RN_FIRST_EPOCHS, twice that, ...),
 * a function of the epoch's number alone. In each, the temperature falls
 * geometrically and the stiffness of the rows grows. Temperatures are stored as
 * t = T ln 2 in Q16.
 *
 * One-row programs, with <R>_T the Boltzmann mean of an item's reduced costs, g
 * the gap between the best cost and the bound, and n items:
 *
 *   temperature  n <R>_T0 = g / 4,  n <R>_T1 = g / 40,  T <= Tmax,  <R>_Tmax <= Tmax / 4
 *   overload     costs P = 4 s,  s from 2 T0 / (mean amount) to 20 T1 a unit
 *   slack        costs Q = min(s, 2 price)
 *
 * Other programs: T from half the mean change of cost of a random move down to 1/64
 * of it.
 */
#ifndef RN_SEARCH_SCHEDULE_H
#define RN_SEARCH_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RN_FIRST_EPOCHS = 8,  /* length of the first homotopy */
    RN_TEMPERATURES = 232, /* t = 2^(j/4) */
    RN_WEIGHT_MOST = 12    /* doublings of a row's penalty, and of every row's */
};

/* What the best plan so far says; part of the run's state. */
typedef struct rn_progress_facts {
    int64_t best_cost;
    int64_t best_violation; /* 0: feasible */
    int64_t bound;          /* INT64_MIN: none */
    int32_t doublings;      /* of every penalty, while no feasible plan was found */
    int32_t spare;
} rn_progress_facts;

typedef struct rn_schedule rn_schedule;

/* tables: kept. start: [items] a plan to measure changes from, borrowed. schedule: out, owned.
 * RATION_E_MEMORY. */
ration_status rn_schedule_create(const rn_tables *tables, int32_t chains, const int32_t *start,
                                 rn_schedule **schedule, ration_error *error);
void rn_schedule_free(rn_schedule *schedule);

/* Where an epoch stands in its homotopy. first: out, number of the homotopy's first epoch; length:
 * out, epochs. Returns the homotopy's number, from 0. */
int32_t rn_schedule_homotopy(int64_t epoch, int64_t *first, int64_t *length);

/* Leaves a Q16 share of every homotopy's epochs, the last ones, to refinement. */
void rn_schedule_reserve(rn_schedule *schedule, int32_t share);
/* How many of a homotopy's `length` epochs anneal: the first ones; at least 1. */
int64_t rn_schedule_annealing(const rn_schedule *schedule, int64_t length);

/* Fills the parameters that depend on the schedule (temperatures, prices, stiffness, heat, push,
 * depth) of an epoch; the arrays belong to the schedule and change with the next call. gap facts
 * are those at the start of the homotopy. */
void rn_schedule_epoch(rn_schedule *schedule, int64_t epoch, const rn_progress_facts *facts,
                       rn_epoch *parameters);

/* Doubles the penalties of rows, [rows + 1] exponents 0 .. 12; the array is part of the run's
 * state. */
int32_t *rn_schedule_weights(rn_schedule *schedule);

/* Prices under which a limit is nearly never broken, for the start plan; as rn_schedule_epoch. */
void rn_schedule_rigid(rn_schedule *schedule, rn_epoch *parameters);

/* ---- integer functions, tested on their own ---- */

/* 2^(-x / 2^16) in Q30, x >= 0; error below 2^-26. */
int64_t rn_exp2_negative(int64_t x_q16);
/* 2^(x / 2^16), rounded down, 0 <= x < 62 * 2^16. */
int64_t rn_exp2(int64_t x_q16);
/* floor(2^16 log2 x) within 2, x >= 1. */
int64_t rn_log2(int64_t x);

#ifdef __cplusplus
}
#endif

#endif
