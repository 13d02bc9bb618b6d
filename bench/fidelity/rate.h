/* Rows of trtllm_serving and serving_other: one measured quantity a row, named
 * by `metric`, of a static batch or a saturated worker. */
#ifndef RN_FIDELITY_RATE_H
#define RN_FIDELITY_RATE_H

#include "catalog/catalog.h"
#include "numbers.h"
#include "perf/saturated.h"
#include "table.h"

typedef enum rn_fid_metric {
    RN_FID_TOKENS_PER_S,   /* output tokens */
    RN_FID_TOTAL_PER_S,    /* output and prompt tokens */
    RN_FID_REQUESTS_PER_S, /* also MLPerf's samples */
    RN_FID_TTFT_S,
    RN_FID_STEP_S,    /* ITL, TPOT */
    RN_FID_LATENCY_S, /* of a request */
    RN_FID_PREFILL_PER_S,
    RN_FID_DECODE_PER_S,
    RN_FID_NO_METRIC
} rn_fid_metric;

typedef struct rn_fid_rate {
    rn_perf_case base; /* without fit and engine */
    rn_perf_load load;
    rn_fid_metric metric;
    double replicas; /* of the worker, where a row leaves the layout out */
    double unit;     /* of the value: 1e-3 for ms */
    double batch;    /* static; 0 saturated */
    double measured; /* 0 where not */
    int32_t model;
    int32_t gpu;
    int32_t version; /* of TensorRT-LLM: 0 before 0.20, 1, 2 since 1.0 */
    bool known;
    bool inflight;
    bool scored; /* its notes don't say otherwise */
    bool least;  /* the smallest TTFT of a batch */
    bool llamacpp;
    bool trtllm; /* of trtllm_serving */
} rn_fid_rate;

ration_status rn_fid_rate_read(const ration_catalog *catalog, const rn_fid_table *table,
                               int32_t row, rn_fid_rate *rate, ration_error *error);

/* In the unit of the row; 0 when there is no answer. */
double rn_fid_rate_predict(const rn_perf_batch_fit *numbers, const rn_fid_rate *rate);

/* All rows of both tables. */
typedef struct rn_fid_rates {
    rn_fid_rate *rate; /* [count] */
    int32_t count;
} rn_fid_rates;

ration_status rn_fid_rates_read(const ration_catalog *catalog, const char *trtllm,
                                const char *other, rn_fid_rates *rates, ration_error *error);
void rn_fid_rates_free(rn_fid_rates *rates);

/* model, gpu: in the catalog, left out; -1 none. */
ration_status rn_fid_rates_fit(const rn_fid_rates *rates, int32_t model, int32_t gpu,
                               rn_perf_batch_fit *numbers, ration_error *error);
ration_status rn_fid_rates_report(const rn_fid_rates *rates, ration_error *error);

#endif
