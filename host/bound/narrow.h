/* Options that no feasible plan can use, left out before the relaxation.
 *
 * A round: for the options that are left, let [least_r, most_r] be the proved range of row r and
 * [low_ir, high_ir] the range of item i's amounts on it. An option with the amount a on row r
 * exceeds r by
 *
 *   max(0, (a - low_ir) - max(0, limit_high_r - least_r))
 *   + max(0, (high_ir - a) - max(0, most_r - limit_low_r))
 *
 * and is left out when it exceeds any row: all else at its least, the limit is still broken. The
 * next round has fewer options and therefore narrower ranges.
 *
 * In the first round every option counts, so every plan breaks its limits by at least
 *
 *   sum_r (max(0, least_r - limit_high_r) + max(0, limit_low_r - most_r))
 *   + sum_i min_o sum_r (what o exceeds r by)
 *
 * because the excesses of several items on one row add up: sum_i max(0, d_i - H) <= max(0, sum_i
 * d_i - H) for d_i, H >= 0. An item without options, after any round, proves that there is no
 * feasible plan.
 */
#ifndef RN_NARROW_H
#define RN_NARROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/view.h"
#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rn_narrow {
    int32_t rounds;     /* those that left something out, at least 1 */
    int32_t empty_item; /* an item without options, or -1 */
    int64_t violation;  /* every plan breaks its limits by at least this; 0: nothing proved */
    int64_t left_out;   /* options */
    int64_t *option_at; /* [items] into out */
    char *out;          /* [options] 1: left out */
    int64_t *least;     /* [all_rows] proved range for the options left, conflict rows included */
    int64_t *most;
} rn_narrow;

/* Leaves options out in at most `rounds` rounds. narrow: out, owned, one block; NULL when nothing
 * is left out, or when the program has more than 2^24 options.
 * RATION_E_MEMORY. Time: O(rounds * uses of all options). */
ration_status rn_narrow_create(const rn_view *view, int32_t rounds, rn_narrow **narrow,
                               ration_error *error);
void rn_narrow_free(rn_narrow *narrow);

/* Whether option number `option` of an item is left out; narrow may be NULL. */
static inline bool rn_narrow_out(const rn_narrow *narrow, int32_t item, int32_t option)
{
    return narrow != NULL && narrow->out[narrow->option_at[item] + option] != 0;
}

#ifdef __cplusplus
}
#endif

#endif
