/* The allocation program of a scenario, and what its numbers mean. Private to problems/serving.
 * README.md describes the encoding. */
#ifndef RN_SERVING_ENCODE_H
#define RN_SERVING_ENCODE_H

#include "serving/option.h"
#include "serving/price.h"
#include "serving/serving.h"

/* Program units of a weight of 1, for the objectives that price it. */
static const double RN_SERVING_WEIGHT_UNIT = 1e8;

/* What is counted: one GPU, or all GPUs of an NVLink island (of a machine where it has no islands).
 */
typedef struct rn_serving_cell {
    int32_t machine;
    int32_t gpu; /* first, number within the machine */
    int32_t gpus;
} rn_serving_cell;

/* A GPU set. All its cells carry the same load. */
typedef struct rn_serving_place {
    int32_t place_class;
    int32_t machine; /* first of `span` */
    int32_t cells;
    const int32_t *cell;
    int32_t gpus_per_cell;
} rn_serving_place;

typedef struct rn_serving_places {
    int32_t cells;
    rn_serving_cell *cell;
    int32_t places;
    rn_serving_place *place; /* by class */
} rn_serving_places;

/* Numbers of rows and items of a workload; RATION_NONE where there is none. */
typedef struct rn_serving_group {
    int32_t items;
    int32_t first_item;
    int32_t rate_row;
    int32_t count_row;
    int32_t served_row;
    int32_t carried_row; /* the rate once more: feeds each left_row */
    int32_t left_row;    /* first of one per failure domain */
    int32_t rate_unit;   /* parts that the workload's rate is counted in */
    int32_t first_role;  /* rate, then replicas, then rate lost */
    int32_t least_replicas;
    int32_t least_left; /* in rate units */
    int32_t first_mode; /* of option 0; option k has mode first_mode + k */
} rn_serving_group;

struct ration_serving {
    ration_document *document;
    ration_catalog *catalog;
    rn_arena arena; /* everything below but the program */
    rn_serving_scenario scenario;
    int32_t classes;
    rn_serving_class *set_class;
    int32_t *per_cell;           /* [classes] GPUs that a set takes from each of its cells */
    rn_serving_options *options; /* [workloads] */
    rn_serving_places places;
    rn_serving_group *group; /* [workloads] */
    int32_t none_mode;
    int32_t unserved_mode;
    int32_t *tenant_row; /* [cells], as memory_row */
    int32_t *memory_row; /* [cells], RATION_NONE where GPUs are counted per island */
    int32_t *time_row;   /* [cells] */
    int32_t *power_row;  /* [machines], RATION_NONE without a limit */
    int32_t *pcie_row;   /* [machines], RATION_NONE where nothing crosses */
    int32_t *network_row;
    double money_unit;    /* program units per currency and hour */
    double ratio;         /* benefit_per_cost: price of money of the present program */
    int32_t *scratch_row; /* [cells + domains + machines] */
    ration_program *program;
};

/* Cells and sets of all classes. */
ration_status rn_serving_places_list(const rn_serving_scenario *s, int32_t classes,
                                     const rn_serving_class *list, rn_arena *arena,
                                     rn_serving_places *places, ration_error *error);

/* Builds and freezes serving->program (an earlier one is freed). */
ration_status rn_serving_encode(ration_serving *serving, ration_error *error);

/* Amounts and costs of the program. */
int64_t rn_serving_rate_units(const ration_serving *v, int32_t workload, double rate_per_s);
int64_t rn_serving_option_units(const ration_serving *v, const rn_serving_option *option);

/* Whether a workload must be served, or may be left unserved at a price. */
bool rn_serving_must_serve(const rn_serving_scenario *s, int32_t workload);

/* Option numbers to begin a search with. pick: [items of the program], out; RATION_NONE: no idea.
 */
ration_status rn_serving_start(const ration_serving *serving, int32_t *pick, ration_error *error);

/* Parts of encoding. */
ration_status rn_serving_rows_add(ration_serving *v, ration_error *error);
ration_status rn_serving_items_add(ration_serving *v, ration_error *error);
int64_t rn_serving_units(const ration_serving *v, double money); /* program units, rounded up */

/* Money per hour if every GPU were rented and ran at its limit. */
double rn_serving_all_money(const rn_serving_scenario *s);

#endif
