/* A measured end-to-end run (a row of e2e_agg) as a case of the performance
 * model, and its prediction under a set of numbers. */
#ifndef RN_FIDELITY_RUN_H
#define RN_FIDELITY_RUN_H

#include "catalog/catalog.h"
#include "numbers.h"
#include "perf/time.h"
#include "table.h"

typedef struct rn_fid_run {
    rn_perf_case base; /* without fit and engine */
    rn_perf_engine_kind engine;
    int32_t model; /* in the catalog; models of one shape count as one */
    int32_t gpu;
    int32_t table_row;
    int32_t id;     /* the column `row`; -1 where there is none */
    bool known;     /* model and system are in the catalog */
    bool lock_step; /* all clients start at once */
    bool flagged;   /* the row contradicts itself: a tenth of the weight in the fit */
    double prompt;
    double output;
    double clients; /* served by this worker */
    double given;   /* as the row says: its output rate is for these */
    double ttft_s;  /* measured; 0 where not */
    double tpot_s;
} rn_fid_run;

typedef struct rn_fid_times {
    double ttft_s; /* 0: no answer */
    double tpot_s;
    double tokens_per_s;
} rn_fid_times;

/* Reads a row. A model or system that the catalog lacks is no error: known is false then.
 * RATION_E_INPUT when a field is broken. */
ration_status rn_fid_run_read(const ration_catalog *catalog, const rn_fid_table *table, int32_t row,
                              rn_fid_run *run, ration_error *error);

rn_fid_times rn_fid_run_predict(const rn_fid_serving *numbers, const rn_fid_run *run);

/* The engine of a backend's name. */
rn_perf_engine_kind rn_fid_engine_of(const char *backend);

/* Precision of weights by the names that tables use: "fp8_block", "nvfp4", "int4_wo", "q4_k_m". */
rn_perf_weights rn_fid_weights(const char *text);

#endif
