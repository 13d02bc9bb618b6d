/* Vector bin packing: all items into as few equal bins as possible.
 *
 *   minimise  the number of bins that hold an item   s. t.  sum of s[k] in a bin <= c[k] for all k
 */
#ifndef RATION_VBP_H
#define RATION_VBP_H

#include "ration/instance.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads one problem, in one of three forms that are told apart by their contents:
 *   .vbp      d, d capacities, n, then n times: d sizes and how many items have them
 *   binpack   P, then P problems: a name, capacity n best-known, n sizes (OR-Library; d = 1)
 *   BPPLIB    number of sizes, capacity, then pairs: size, how many items have it (d = 1)
 *
 * Items are numbered from 1 in file order, items of one line together. Places are bins, numbered
 * from 1: as many as the better of first fit and first fit by falling size needs, so an optimum is
 * not excluded. Rows: `load:BIN:K` with high c[k], and `bins`, which costs 1 a unit and is fed 1 by
 * the load of each bin in use, in the dimension that the items fill most (packing.h); where items
 * of size 0 there make that impossible, by a row `fill:BIN`. Decimals are multiplied away.
 *
 * request  borrowed; `problem` chooses one of P and must be given when there are several.
 * program  out, owned, frozen.
 * Errors: RATION_E_INPUT names the line; RATION_E_IO, RATION_E_RANGE, RATION_E_MEMORY.
 */
RATION_API ration_status ration_vbp_read(const ration_instance *request, ration_program **program,
                                         ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
