/* A plan in the user's units: what the picks of a result mean. Private to problems/serving;
 * plan.json is this, written down. */
#ifndef RN_SERVING_PLAN_H
#define RN_SERVING_PLAN_H

#include "serving/encode.h"

/* GPUs of one node that a replica uses. gpu: [gpus], numbers within the node. */
typedef struct rn_serving_seat {
    int32_t node; /* index into scenario->machine */
    int32_t gpus;
    const int32_t *gpu;
} rn_serving_seat;

/* A running replica. All GPUs of a replica are loaded equally: figures of memory and power are per
 * GPU. */
typedef struct rn_serving_replica {
    int32_t workload;
    int32_t item;
    int32_t place;                   /* index into serving->places.place */
    const char *name;                /* of the item */
    const rn_serving_option *option; /* mode, rate, latency, memory */
    int32_t seats;                   /* one; several across nodes, stage by stage */
    const rn_serving_seat *seat;
} rn_serving_replica;

typedef struct rn_serving_gpu_state {
    int32_t machine;
    int32_t gpu; /* number within the node */
    int32_t tenants;
    double memory_used_bytes;
    double memory_usable_bytes; /* at this tenant count; at one tenant where there is none */
    double time_share;          /* 0..1, reserved */
    double average_w;           /* 0 when unused */
} rn_serving_gpu_state;

typedef struct rn_serving_machine_state {
    double pcie_bytes_per_s; /* used */
    double network_bytes_per_s;
    double provision_w; /* TDP of used GPUs, idle power of the others, host */
    double average_w;   /* used GPUs only */
} rn_serving_machine_state;

/* Money per hour. */
typedef struct rn_serving_money {
    double rent;
    double energy;
    double energy_kwh; /* at the meter: with PUE */
    double latency;    /* penalties of soft limits, by dimension */
    double redundancy;
    double other;
    double total;
    double requests_per_hour; /* of the workloads that are served */
} rn_serving_money;

typedef struct rn_serving_plan {
    const ration_serving *serving; /* borrowed */
    rn_arena arena;                /* everything below */
    int32_t replicas;
    rn_serving_replica *replica; /* by workload, then item */
    bool *served;                /* [workloads] */
    double *capacity_per_s;      /* [workloads] sum of its replicas' rates */
    int32_t gpus;
    rn_serving_gpu_state *gpu;         /* every GPU of the scenario, by machine */
    rn_serving_machine_state *machine; /* [machines] */
    rn_serving_money money;
} rn_serving_plan;

/* Decodes picks. plan: out, owned; free with rn_serving_plan_free. A result without picks gives a
 * plan without replicas. */
ration_status rn_serving_plan_make(const ration_serving *serving, const ration_result *result,
                                   rn_serving_plan **plan, ration_error *error);
void rn_serving_plan_free(rn_serving_plan *plan); /* NULL is a no-op */

/* Requests/s of a workload that replicas outside a failure domain carry. */
double rn_serving_rate_left(const rn_serving_plan *plan, int32_t workload, int32_t domain);

#endif
