/* The check of a plan's folder: everything in plan.json is added up again from the copy of the
 * scenario, in the user's units. Private to problems/serving.
 *
 * It shares the reader of scenarios and the formulas of include/perf with the planner, and nothing
 * of what prices options, encodes them or turns picks into a plan. plan.json has seven significant
 * digits or six decimals: a figure may differ by 1e-5 and 1e-6 of its size.
 */
#ifndef RN_SERVING_CHECK_H
#define RN_SERVING_CHECK_H

#include "serving/encode.h"

/* GPUs first .. first + gpus - 1 of a machine. */
typedef struct rn_check_seat {
    int32_t machine;
    int32_t first;
    int32_t gpus;
} rn_check_seat;

/* A replica as plan.json has it. */
typedef struct rn_check_replica {
    const ration_node *node;
    int32_t workload;
    const char *name;
    const char *mode_name;
    int32_t seats;
    rn_check_seat *seat;
    int32_t tp;
    int32_t pp;
    int32_t batch;
    rn_perf_weights weights;
    rn_perf_kv kv;
    bool flash;
    double share; /* 0..1 */
    double rate_per_s;
    double total_gib; /* per GPU */
    double power_w;   /* all its GPUs */
    double pcie_gb_per_s;
    double network_gb_per_s;
    double latency_penalty; /* money per hour */
    double quality_penalty;
} rn_check_replica;

typedef struct rn_check {
    ration_serving *v; /* of the copy of the scenario */
    const rn_serving_scenario *s;
    const ration_node *plan; /* root of plan.json */
    const char *dir;
    rn_arena arena;
    bool kept; /* the status says that all limits are kept */
    ration_plan_status status;
    int32_t replicas;
    rn_check_replica *replica; /* in the order of plan.json */
    bool *served;              /* [workloads] as plan.json has it */
    double *fraction;          /* [gpus of the scenario] memory that the configurations promise */
} rn_check;

static const double RN_CHECK_GIB = 1073741824.0;

/* RATION_E_MISMATCH with where a value stands. */
ration_status rn_check_fail(const ration_node *node, ration_error *error, const char *format, ...)
    RATION_PRINTF(3, 4);

/* A number of a map. RATION_E_INPUT when it is missing or not a number. */
ration_status rn_check_number(const ration_node *map, const char *key, double *value,
                              ration_error *error);
/* The number must be `expected`. */
ration_status rn_check_same(const ration_node *map, const char *key, double expected,
                            ration_error *error);
/* The text must be `expected`. */
ration_status rn_check_word(const ration_node *map, const char *key, const char *expected,
                            ration_error *error);
ration_status rn_check_text(const ration_node *map, const char *key, const char **text,
                            ration_error *error);
ration_status rn_check_count(const ration_node *map, const char *key, int32_t low, int32_t high,
                             int32_t *value, ration_error *error);

/* Reads seats and mode of a replica; the GPUs exist and are an aligned set that fits the layout. */
ration_status rn_check_replica_read(rn_check *c, const ration_node *node, rn_check_replica *r,
                                    ration_error *error);
/* Memory, latency, power, links and penalties of a replica by the formulas of include/perf, and its
 * workload's rules. */
ration_status rn_check_replica_figures(const rn_check *c, rn_check_replica *r, ration_error *error);
/* All GPUs of the set lie in one NVLink island. */
bool rn_check_linked(const rn_check *c, const rn_check_replica *r);

/* GPUs, links, power, rates, spread, money. */
ration_status rn_check_sums(rn_check *c, ration_error *error);

/* The configurations say what plan.json says. */
ration_status rn_check_configs(rn_check *c, ration_error *error);

#endif
