/* Predicts the rows of a table of any of the known kinds. */
#ifndef RN_FIDELITY_PREDICT_H
#define RN_FIDELITY_PREDICT_H

#include "catalog/catalog.h"
#include "table.h"

enum { RN_FID_QUANTITIES = 6 };

/* A row's predictions: NaN where there is none. */
typedef struct rn_fid_answer {
    double value[RN_FID_QUANTITIES];
} rn_fid_answer;

/* A kind of table: what its header must have, and what is predicted. */
typedef struct rn_fid_kind {
    const char *name;
    const char *id;                          /* column of the row id */
    const char *column[8];                   /* that tell the kind; NULL ends */
    const char *quantity[RN_FID_QUANTITIES]; /* columns of the answer; NULL ends */
    ration_status (*answer)(const ration_catalog *catalog, const rn_fid_table *table, int32_t row,
                            rn_fid_answer *answer, ration_error *error);
} rn_fid_kind;

/* The kind of a table by its header. RATION_E_INPUT when it is of none. */
ration_status rn_fid_kind_of(const rn_fid_table *table, const rn_fid_kind **kind,
                             ration_error *error);

/* Reads rows_path and writes out_path: the row id (or the number of the row, from 1) and a column a
 * quantity, empty where there is no answer; those are counted on stderr. All rows are read before
 * anything is written. */
ration_status rn_fid_predict(const ration_catalog *catalog, const char *rows_path,
                             const char *out_path, ration_error *error);

/* Every answer is NaN. */
rn_fid_answer rn_fid_answer_none(void);

#endif
