/* Multidimensional 0-1 knapsack: which items go in, within m capacities.
 *
 *   maximise  sum of p[j] over the items that are in   s. t.  sum of w[i][j] over them <= b[i]
 */
#ifndef RATION_MKP_H
#define RATION_MKP_H

#include "ration/instance.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads one problem of OR-Library's mknap1 and mknapcb files (K, then K problems) or of the SAC-94
 * form (one problem, no K). A problem is n m optimum, n profits, m x n weights, m capacities; the
 * optimum is not used.
 *
 * Items and rows are numbered from 1; the modes of an item are `in` and `out`. Decimals are read
 * exactly: profits are multiplied by a power of ten (the objective's scale), each problem's weights
 * and capacities by another.
 *
 * request  borrowed; `problem` chooses one of K and must be given when there are several.
 * program  out, owned, frozen.
 * Errors: RATION_E_INPUT names the line; RATION_E_IO, RATION_E_RANGE, RATION_E_MEMORY.
 */
RATION_API ration_status ration_mkp_read(const ration_instance *request, ration_program **program,
                                         ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
