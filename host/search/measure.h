/* What is found out about a program before its tables are allocated. */
#ifndef RN_SEARCH_MEASURE_H
#define RN_SEARCH_MEASURE_H

#include "base/i128.h"
#include "search/tables.h"

typedef struct rn_measure {
    const rn_view *view;
    const rn_tables_wish *wish;
    bool one_row;
    int32_t nodes;   /* most (row, amount) pairs of an option, conflict rows included */
    int32_t touch;   /* most rows that one change of a pick moves */
    int64_t members; /* (item, row with a lower limit) pairs */
    rn_i128 term;    /* largest single term of an energy, cost units, >= 1 */
} rn_measure;

/* m: out. RATION_E_MEMORY; RATION_E_RANGE when lists need more than 2^31 nodes. */
ration_status rn_measure_program(const rn_view *view, const rn_tables_wish *wish, rn_measure *m,
                                 ration_error *error);

void rn_measure_members(const rn_view *v, int64_t *at, int32_t *stamp, int32_t *member);

#endif
