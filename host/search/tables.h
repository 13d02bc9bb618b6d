/* The search's tables (core/tables.h) of a frozen program under given prices. */
#ifndef RN_SEARCH_TABLES_H
#define RN_SEARCH_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/tables.h"
#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rn_tables_wish {
    const int64_t *price; /* [all_rows] scale 2^RN_PRICE_BITS, borrowed; NULL: all 0 */
    bool wide; /* 64-bit arrays even where 32 bits suffice (the bits of a run are the same) */
    bool general;         /* the general path even for one-row programs */
} rn_tables_wish;

/* Builds the tables. view: kept. tables: out, owned, one block.
 * RATION_E_MEMORY; RATION_E_RANGE when the lists of a chain need more than 2^31
 * nodes. Time: O(options * uses). */
ration_status rn_tables_create(const rn_view *view, const rn_tables_wish *wish, rn_tables **tables,
                               ration_error *error);
void rn_tables_free(rn_tables *tables);

#ifdef __cplusplus
}
#endif

#endif
