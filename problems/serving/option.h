/* The options of a workload: every configuration on every kind of GPU set, priced by the
 * performance model and pruned. Private to problems/serving. */
#ifndef RN_SERVING_OPTION_H
#define RN_SERVING_OPTION_H

#include "perf/power.h"
#include "serving/scenario.h"

/* A kind of GPU set: `gpus` GPUs of a node kind, joined by `tier`. Sets are aligned: they start at
 * a multiple of their size within an island (or node), sizes are powers of two; a cross-node set is
 * `span` whole consecutive machines. */
typedef struct rn_serving_class {
    int32_t node;
    int32_t gpus;      /* in all */
    int32_t span;      /* machines */
    rn_perf_tier tier; /* slowest link inside a machine */
    bool cross;        /* span > 1 */
    int32_t sets;      /* of this kind in the scenario */
} rn_serving_class;

/* Why an option is not offered; below these the rn_perf_status. */
typedef enum rn_serving_drop {
    RN_SERVING_DROP_QUALITY = RN_PERF_STATUSES,
    RN_SERVING_DROP_LATENCY,
    RN_SERVING_DROP_CONTEXT,
    RN_SERVING_DROP_LINK_ROOM,
    RN_SERVING_DROP_DOMINATED,
    RN_SERVING_DROPS
} rn_serving_drop;
const char *rn_serving_drop_text(int32_t drop);

/* "fp8", "int4", ... as in scenarios and plans; "16", "fp8", "int8". */
const char *rn_serving_weights_name(rn_perf_weights weights);
const char *rn_serving_kv_name(rn_perf_kv kv);

/* One option: a configuration at an operating rate. Per-GPU figures where it says so. */
typedef struct rn_serving_option {
    int32_t place_class;
    int32_t tp;
    int32_t pp;
    rn_perf_weights weights;
    rn_perf_kv kv;
    bool flash;
    int32_t batch;       /* most sequences at once */
    int32_t share;       /* of each GPU's time, hundredths */
    double rate_per_s;   /* operating rate */
    double memory_bytes; /* per GPU, all of the below */
    double weights_bytes;
    double kv_bytes;
    double work_bytes; /* activations, scores */
    double reserve_bytes;
    int32_t max_context_tokens;
    rn_perf_serving serving;
    rn_perf_margin margin;
    rn_perf_power power;
    double pcie_bytes_per_s;    /* put on the node's PCIe */
    double network_bytes_per_s; /* put on each machine's uplink */
    double quality;             /* NaN: not given */
    double rent;                /* money per hour of its share of its GPUs */
    double energy_w;            /* of all its GPUs: what is billed */
    double energy;              /* money per hour, PUE included */
    double latency_penalty;     /* money per hour of broken soft limits */
    double quality_penalty;
    rn_perf_origin memory_origin;
} rn_serving_option;

typedef struct rn_serving_options {
    int32_t options;
    rn_serving_option *option; /* sorted by class, then share, then rate */
    int64_t dropped[RN_SERVING_DROPS];
    double best_rate_per_s; /* of one replica; 0: no option */
    /* ttft, ttft_p95, tpot, e2e_p95 without load and with margin, over what
     * fits in memory; INFINITY: none */
    double least_time_ms[4];
    /* weights of the whole model; 0: not allowed */
    double least_memory_bytes[RN_PERF_WEIGHTS_COUNT];
} rn_serving_options;

/* Kinds of sets of a scenario. list: out, [count], in the arena. cross: also sets over several
 * machines. */
/* Whether GPUs first .. first + size - 1 of a node lie in no single island. */
bool rn_serving_set_crosses(const rn_serving_node *node, int32_t first, int32_t size);

ration_status rn_serving_classes_list(const rn_serving_scenario *s, rn_arena *arena, int32_t *count,
                                      rn_serving_class **list, ration_error *error);

/* Options of workload w over classes list[count]. */
ration_status rn_serving_options_find(const rn_serving_scenario *s, int32_t w, int32_t count,
                                      const rn_serving_class *list, rn_arena *arena,
                                      rn_serving_options *found, ration_error *error);

/* The perf case of a configuration on a class. */
rn_perf_case rn_serving_case(const rn_serving_scenario *s, const rn_serving_workload *w,
                             const rn_serving_class *set, const rn_serving_option *option);

#endif
