/* Generalized assignment: every job goes to exactly one agent, within the agents' capacities.
 *
 *   minimise (or maximise)  sum_j c[agent(j)][j]   s. t.  sum over j at i of w[i][j] <= b[i]
 */
#ifndef RATION_GAP_H
#define RATION_GAP_H

#include "ration/instance.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads one problem in OR-Library's format: m n, then m x n costs, m x n needs, m capacities.
 *
 * Items are jobs, places and rows are agents, all numbered from 1. Costs are minimised unless the
 * request says RATION_MAXIMISE; then they are profits, negated in the program.
 *
 * request  borrowed; `problem` must be 0 or 1.
 * program  out, owned, frozen.
 * Errors: RATION_E_INPUT names the line; RATION_E_IO, RATION_E_RANGE, RATION_E_MEMORY.
 */
RATION_API ration_status ration_gap_read(const ration_instance *request, ration_program **program,
                                         ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
