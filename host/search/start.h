/* The plan that a run begins with, and islands: which chains breed with which. */
#ifndef RN_SEARCH_START_H
#define RN_SEARCH_START_H

#include <stdbool.h>

#include "core/backend.h"
#include "core/eval.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Improves a plan item by item, each to the option of least energy, until nothing changes or the
 * work is used up: a greedy plan. rigid: prices under which limits are nearly never broken. pick:
 * [items] in and out. RATION_E_MEMORY: pick is untouched. */
ration_status rn_start_descend(const rn_tables *tables, const rn_epoch *rigid, int32_t *pick,
                               ration_error *error);

/* Exact cost and violation of picks. load: [rows + 1], seat: [items], both scratch. */
rn_change rn_plan_price(const rn_tables *tables, const int32_t *pick, int64_t *load, int32_t *seat);

/* Whether chain a's best plan comes before chain b's: by (violation, cost, digest, chain). head: of
 * all chains. */
bool rn_chain_before(const rn_chain_head *head, int32_t a, int32_t b);

typedef struct rn_island_plan {
    const rn_chain_head *head; /* [chains] */
    int32_t chains;
    int32_t islands;  /* divides into runs of chains / islands chains; the last has the rest */
    int32_t homotopy; /* number, from 0 */
    uint64_t seed;
    uint32_t epoch;
} rn_island_plan;

/* Decides how every chain begins a homotopy: the better half of an island from its own best plan,
 * the rest from children of two of the better half; a plan that a chain before holds too is
 * replaced by a mutated child; in every second homotopy the second parent comes from the next
 * island. Order of plans: (violation, cost, digest, island, chain). mate: out, [chains]. order:
 * [chains] scratch. */
void rn_island_mate(const rn_island_plan *plan, int32_t *order, rn_mate *mate);

#ifdef __cplusplus
}
#endif

#endif
