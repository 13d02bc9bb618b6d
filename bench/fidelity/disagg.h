/* Rows of e2e_disagg: prefill and decode on workers of their own. Predicted with
 * the numbers of aggregated runs; nothing was fitted to these rows. */
#ifndef RN_FIDELITY_DISAGG_H
#define RN_FIDELITY_DISAGG_H

#include "run.h"

typedef struct rn_fid_split {
    rn_perf_case prefill; /* without fit and engine */
    rn_perf_case decode;
    rn_perf_engine_kind engine;
    double prefill_workers;
    double decode_workers;
    double prompt;
    double output;
    double clients; /* of all workers */
    double ttft_s;  /* measured; 0 where not */
    double tpot_s;
    int32_t id;
    bool known;
    bool timed; /* p_batch is there: TTFT can be compared */
} rn_fid_split;

ration_status rn_fid_split_read(const ration_catalog *catalog, const rn_fid_table *table,
                                int32_t row, rn_fid_split *split, ration_error *error);
rn_fid_times rn_fid_split_predict(const rn_fid_serving *numbers, const rn_fid_split *split);
ration_status rn_fid_splits_report(const ration_catalog *catalog, const char *path,
                                   const char *peer, ration_error *error);

#endif
