/* A vector bin packing problem, and how many bins a simple rule needs. */
#ifndef RN_VBP_PACKING_H
#define RN_VBP_PACKING_H

#include <stdbool.h>
#include <stdint.h>

#include "ration/error.h"
#include "ration/tokens.h"

enum {
    RN_VBP_SIZE_BITS = 40,
    RN_VBP_DIMENSIONS = 62,
    RN_VBP_COUNT_MAX = 1000000,
    RN_VBP_BINS_MAX = 20000
};

/* capacity: [dimensions]; size: [items * dimensions], item by item. Zero-initialise. */
typedef struct rn_packing {
    int64_t dimensions;
    int64_t items;
    int64_t *capacity;
    int64_t *size;
} rn_packing;

/* Reads the wanted problem (0: the only one). packing: out, also on failure; free it. */
ration_status rn_packing_read(ration_tokens *tokens, int32_t wanted, rn_packing *packing,
                              ration_error *error);

void rn_packing_free(rn_packing *packing);

/* How the program sees that a bin is in use: by the load in the dimension that the items fill most.
 * Pricing that load then proves at least sum of sizes / capacity bins.
 *
 * amount of an item = factor * size[dimension] + add; a bin in use has at least 1 of it, and at
 * most `high`. direct: factor 1, add 0, so that the dimension's own row serves. Where all
 * dimensions have negative sizes, it is the number of items: factor 0, add 1.
 */
typedef struct rn_gauge {
    int64_t dimension;
    int64_t factor;
    int64_t add;
    int64_t high;
    bool direct;
} rn_gauge;

rn_gauge rn_packing_gauge(const rn_packing *packing);

/* The fewer bins of first fit in file order and first fit by falling size; an item that fits no
 * empty bin has one of its own. RATION_E_RANGE: more than RN_VBP_BINS_MAX. */
ration_status rn_packing_bins(const rn_packing *packing, int64_t *bins, ration_error *error);

#endif
