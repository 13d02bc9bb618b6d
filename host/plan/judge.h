/* What the judge's two halves share: reading options out of the view's arrays, written from the
 * view's description alone. */
#ifndef RN_JUDGE_H
#define RN_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/i128.h"
#include "core/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One option as the judge sees it. */
typedef struct rn_judged {
    int32_t item;
    int32_t entry;
    int32_t place; /* or -1 */
} rn_judged;

/* One load that an option puts on a row. */
typedef struct rn_burden {
    int32_t row;
    int64_t amount;
} rn_burden;

/* A walk over the options of an item that exist (excluded ones are passed over, and those marked in
 * `out`). Start with rn_judge_first. */
typedef struct rn_judge_walk {
    const rn_view *view;
    rn_judged option;
    int32_t number;  /* option number within the item */
    int32_t step;    /* next position within the entry */
    const char *out; /* [options of the item] 1: pass over it; NULL: none */
} rn_judge_walk;

rn_judge_walk rn_judge_first(const rn_view *view, int32_t item);
bool rn_judge_next(rn_judge_walk *walk);

/* The option of that number; false when there is none or it is excluded. */
bool rn_judge_option(const rn_view *view, int32_t item, int32_t number, rn_judged *option);

/* Cost beside the rows and the traffic: of the option itself, and table plus move. */
int64_t rn_judge_own_cost(const rn_view *view, const rn_judged *option);
rn_i128 rn_judge_other_cost(const rn_view *view, const rn_judged *option);

/* Number of rows that the option loads (with repetitions), and the one at `index`. */
int32_t rn_judge_burdens(const rn_view *view, const rn_judged *option);
/* Fills burden[rn_judge_burdens]. */
void rn_judge_list(const rn_view *view, const rn_judged *option, rn_burden *burden);
/* An upper limit of rn_judge_burdens over all options of the program. */
int64_t rn_judge_most_burdens(const rn_view *view);

/* Value of pieces first .. end-1 at z; 0 when there are none. */
rn_i128 rn_judge_pieces(const rn_view *view, int32_t first, int32_t end, rn_i128 z);

int64_t rn_judge_distance(const rn_view *view, int32_t from, int32_t to);

#ifdef __cplusplus
}
#endif

#endif
