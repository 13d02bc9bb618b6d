/* Groups of items solved exactly over the loads of their DP rows: which loads can be reached
 * doesn't depend on prices, so the states and the steps between them are listed once. */
#ifndef RN_GROUP_H
#define RN_GROUP_H

#include "bound/relax.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rn_group_dp rn_group_dp;

/* Makes tables for the groups of relax and marks their rows in relax->solved. dp: out, owned; NULL
 * when no group can be solved. */
ration_status rn_group_dp_create(rn_relax *relax, rn_group_dp **dp, ration_error *error);
void rn_group_dp_free(rn_group_dp *dp);

/* Whether an item belongs to a solved group. */
bool rn_group_dp_has(const rn_group_dp *dp, int32_t item);

/* Adds the least cost of every solved group to pass->value and sets the picks of its items; sets
 * pass->empty when a group reaches no load within its limits. pass->price and pass->role are
 * filled. */
void rn_group_dp_evaluate(const rn_relax *relax, const rn_group_dp *dp, rn_pass *pass);

/* width: [2 * groups] out, 0 where a group isn't solved. */
void rn_group_dp_widths(const rn_group_dp *dp, int64_t *width);

/* Steps of one evaluation, to judge what it costs. */
int64_t rn_group_dp_size(const rn_group_dp *dp);

#ifdef __cplusplus
}
#endif

#endif
