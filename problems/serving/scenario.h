/* A scenario as read: the user's words in plain structs. Private to problems/serving. Money is per
 * hour in the scenario's currency. */
#ifndef RN_SERVING_SCENARIO_H
#define RN_SERVING_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "catalog/catalog.h"
#include "perf/case.h"
#include "perf/time.h"
#include "ration/document.h"
#include "serving/arena.h"

enum {
    RN_SERVING_GPUS_MAX = 16384,   /* of a scenario */
    RN_SERVING_NODE_GPUS_MAX = 64, /* of one node */
    RN_SERVING_WORKLOADS_MAX = 1024,
    RN_SERVING_SPREAD_MAX = 262144, /* workloads with a spread times failure domains */
    RN_SERVING_REPLICAS_MAX = 256   /* of one workload */
};

/* Where a figure comes from. */
typedef enum rn_serving_origin {
    RN_SERVING_USER,
    RN_SERVING_CATALOG,
    RN_SERVING_DEFAULT
} rn_serving_origin;

/* A limit: hard, or soft at `penalty` per hour for each unit beyond it. */
typedef struct rn_serving_limit {
    bool given;
    bool hard;
    double value;
    double penalty;
} rn_serving_limit;

/* A kind of GPU; several kinds of node may share one. */
typedef struct rn_serving_gpu {
    const char *name;
    rn_perf_gpu perf;
    double price_per_hour; /* of the catalog; < 0 unknown */
    rn_serving_origin origin;
    const char *source; /* "" unless from the catalog */
} rn_serving_gpu;

/* One entry of `nodes`: `count` equal machines. */
typedef struct rn_serving_node {
    const char *name;
    int32_t count;
    int32_t gpu;                   /* index into gpu */
    int32_t gpus;                  /* per machine */
    int32_t islands;               /* NVLink islands per machine; a GPU alone is an island of 1 */
    const int32_t *island;         /* [islands] GPUs of each, in the order of GPU numbers */
    double pcie_bytes_per_s;       /* per GPU, one way */
    double infiniband_bytes_per_s; /* per machine, one way; 0 none */
    double host_w;                 /* the machine without its GPUs */
    rn_serving_limit power_w;
    double price_per_gpu_hour;
    rn_serving_origin price_origin;
    const char *domain; /* "": every machine is a failure domain of its own */
    int32_t machine;    /* its first machine */
} rn_serving_node;

/* One physical machine. */
typedef struct rn_serving_machine {
    const char *name; /* NAME, or NAME-1, NAME-2, ... where count > 1 */
    int32_t node;
    int32_t domain; /* index into domain */
    int32_t gpu;    /* number of its first GPU among all */
} rn_serving_machine;

typedef struct rn_serving_model {
    const char *name;
    rn_perf_shape shape;
    rn_serving_origin origin;
    const char *source;
} rn_serving_model;

/* Tokens of a request, prompt or answer. */
typedef struct rn_serving_length {
    double mean;
    double p95;
    double most;
} rn_serving_length;

typedef struct rn_serving_workload {
    const char *name;
    int32_t model;
    double rate_per_s;
    rn_serving_length input;
    rn_serving_length output;
    double work_cv2;
    rn_serving_origin length_origin; /* user, or catalog where a trace gave them */
    double weight;
    rn_serving_limit served;  /* penalty: money per hour while it is not served */
    rn_serving_limit ttft_ms; /* of the mean */
    rn_serving_limit ttft_p95_ms;
    rn_serving_limit tpot_ms;
    rn_serving_limit e2e_p95_ms;
    const char *quality_metric;               /* NULL: no quality given */
    double quality_baseline;                  /* of the 16-bit model */
    rn_serving_limit quality;                 /* minimum */
    double quality_of[RN_PERF_WEIGHTS_COUNT]; /* NaN: not given, the precision is not used */
    bool precision[RN_PERF_WEIGHTS_COUNT];    /* allowed */
    bool kv[RN_PERF_KV_COUNT];
    bool flash[2]; /* [0] unfused, [1] fused attention allowed */
    rn_serving_limit min_replicas;
    int32_t max_replicas; /* 0: as many as it takes */
    /* fraction of the rate that is left after losing any one failure domain */
    rn_serving_limit survive;
    int32_t max_batch;
    int32_t shares; /* allowed GPU shares, in hundredths */
    int32_t share[3];
    uint32_t tp_mask; /* bit k: tensor parallel size 2^k allowed */
    int32_t max_pp;
    const bool *node_allowed; /* [nodes] */
    const ration_node *at;    /* for messages */
} rn_serving_workload;

typedef enum rn_serving_objective {
    RN_SERVING_LEAST_COST,
    RN_SERVING_SATISFIED_WEIGHT,
    RN_SERVING_BENEFIT_PER_COST
} rn_serving_objective;

typedef struct rn_serving_scenario {
    const ration_catalog *catalog; /* borrowed */
    const char *path;
    const char *name;
    const char *currency;
    double kwh_price;
    double pue;
    /* factor on predicted latency before it is compared with a limit; 0: the
     * measured margins of the model */
    double margin;
    rn_serving_objective objective;
    const char *engine_name;
    rn_perf_engine engine;
    int32_t gpus; /* kinds */
    rn_serving_gpu *gpu;
    int32_t nodes;
    rn_serving_node *node;
    int32_t machines;
    rn_serving_machine *machine;
    int32_t gpu_total; /* physical GPUs */
    int32_t domains;
    const char **domain;
    int32_t models;
    rn_serving_model *model;
    int32_t workloads;
    rn_serving_workload *workload;
} rn_serving_scenario;

/* Fills a scenario from a document; what it points to lives in the arena, the document or the
 * catalog. Errors: RATION_E_INPUT, RATION_E_IO (a trace), RATION_E_MEMORY. */
ration_status rn_serving_scenario_read(const ration_document *document, const char *path,
                                       const ration_catalog *catalog, rn_arena *arena,
                                       rn_serving_scenario *scenario, ration_error *error);

/* Shared by the readers of its parts. */
ration_status rn_serving_nodes_read(const ration_node *list, rn_arena *arena,
                                    rn_serving_scenario *s, ration_error *error);
ration_status rn_serving_models_read(const ration_node *list, rn_arena *arena,
                                     rn_serving_scenario *s, ration_error *error);
ration_status rn_serving_workloads_read(const ration_node *list, rn_arena *arena,
                                        rn_serving_scenario *s, ration_error *error);
ration_status rn_serving_lengths_read(const ration_node *map, const char *scenario_path,
                                      rn_serving_workload *w, ration_error *error);

#endif
