/* Rows of the power table: serving at saturation, training under a limit,
 * utilisation as nvidia-smi counts it, whole nodes. */
#ifndef RN_FIDELITY_POWER_H
#define RN_FIDELITY_POWER_H

#include "catalog/catalog.h"
#include "numbers.h"
#include "perf/power.h"
#include "table.h"

typedef enum rn_fid_power_kind {
    RN_FID_POWER_SERVING,
    RN_FID_POWER_CAPPED,
    RN_FID_POWER_BUSY,
    RN_FID_POWER_NODE,
    RN_FID_POWER_NONE
} rn_fid_power_kind;

typedef struct rn_fid_power {
    rn_fid_power_kind kind;
    rn_perf_gpu gpu;
    rn_perf_use use;
    double gpus;
    double limit_w; /* of a training run */
    double busy_percent;
    double tokens_per_s; /* of all GPUs */
    double measured_w;   /* of all GPUs; 0 where not */
    int32_t model;
    int32_t card;
} rn_fid_power;

ration_status rn_fid_power_read(const ration_catalog *catalog, const rn_fid_table *table,
                                int32_t row, rn_fid_power *power, ration_error *error);

/* W of all GPUs; 0 when there is no answer. */
double rn_fid_power_predict(const rn_perf_power_fit *numbers, const rn_fid_power *power);

typedef struct rn_fid_powers {
    rn_fid_power *row; /* [count] */
    int32_t count;
} rn_fid_powers;

ration_status rn_fid_powers_read(const ration_catalog *catalog, const char *path,
                                 rn_fid_powers *powers, ration_error *error);
void rn_fid_powers_free(rn_fid_powers *powers);

/* model, card: in the catalog, left out; -1 none. */
ration_status rn_fid_powers_fit(const rn_fid_powers *powers, int32_t model, int32_t card,
                                rn_perf_power_fit *numbers, ration_error *error);
ration_status rn_fid_powers_report(const rn_fid_powers *powers, ration_error *error);

#endif
