/* What stands beside plan.json in the folder of a plan: a copy of the scenario and one
 * configuration a workload. Private to problems/serving.
 *
 *   plan.json  scenario.json  [trace-1.csv ...]  NAME.yaml ...
 */
#ifndef RN_SERVING_EMIT_H
#define RN_SERVING_EMIT_H

#include "serving/plan.h"
#include "serving/text.h"

static const char *const RN_SERVING_SCENARIO_COPY = "scenario.json";

/* One file of a folder. name, text: in an arena. */
typedef struct rn_serving_file {
    const char *name;
    const char *text;
    size_t bytes;
} rn_serving_file;

typedef struct rn_serving_files {
    int32_t count;
    rn_serving_file *file; /* [2 workloads + 2] at most: traces, scenario, configurations, plan */
    int32_t first_config;  /* number of the first workload's configuration */
} rn_serving_files;

/* Names of the configurations, without a folder: the workload's name where that is made of letters,
 * digits, '-', '_' and '.' and does not begin with '.', else what is left of it and the workload's
 * number. No two are equal, letter case aside, and none is "scenario.yaml" or "plan.yaml". They
 * depend on the workloads' names only. names: out, [workloads], in the arena. */
ration_status rn_serving_config_names(const rn_serving_scenario *s, rn_arena *arena,
                                      const char ***names, ration_error *error);

/* Adds the configurations of all workloads as YAML that ration_document_read accepts: all texts are
 * quoted. */
ration_status rn_serving_configs_add(const rn_serving_plan *plan, rn_arena *arena,
                                     rn_serving_files *files, ration_error *error);

/* Adds the scenario as it was read, as JSON, and the traces it names as trace-1.csv ...: so the
 * folder can be moved. RATION_E_IO when a trace can't be read any more. */
ration_status rn_serving_scenario_add(const ration_serving *serving, rn_arena *arena,
                                      rn_serving_files *files, ration_error *error);

/* Adds plan.json, which names the files added before it. */
ration_status rn_serving_plan_add(const rn_serving_plan *plan, const ration_result *result,
                                  rn_arena *arena, rn_serving_files *files, ration_error *error);

/* Writes files into a folder, which is made if its parent exists. All are written under other names
 * first: where that fails (a full disk), the folder is as before. Then they take their names, in
 * order, plan.json last. Configurations that an earlier plan.json in the folder names as its own
 * and that are not among the files are removed; nothing else is touched. RATION_E_IO,
 * RATION_E_MEMORY. */
ration_status rn_serving_folder_write(const char *dir, const rn_serving_files *files,
                                      ration_error *error);

/* ---- one replica's configuration ---- */

/* What the commands of a replica have in common. */
typedef struct rn_serving_launch {
    const rn_serving_plan *plan;
    const rn_serving_replica *replica;
    const char *checkpoint; /* borrowed */
    int32_t port;           /* no other replica with the same first node has it */
    int32_t master_port;
    int32_t context_tokens;    /* the longest request, whole blocks; fits the KV cache */
    double memory_fraction;    /* of a GPU's memory for this replica */
    double memory_fraction_kv; /* the same for weights and KV cache alone */
} rn_serving_launch;

void rn_serving_launch_set(const rn_serving_plan *plan, const rn_serving_replica *replica,
                           int32_t number, rn_serving_launch *launch);

/* Engines that a command can be written for; RN_SERVING_TORCHRUN starts a program of the user's
 * own. */
typedef enum rn_serving_launcher {
    RN_SERVING_VLLM,
    RN_SERVING_SGLANG,
    RN_SERVING_TENSORRT,
    RN_SERVING_TORCHRUN
} rn_serving_launcher;
const char *rn_serving_launcher_name(rn_serving_launcher launcher);

/* The command of seat `seat`, for a POSIX shell. */
void rn_serving_command(const rn_serving_launch *launch, rn_serving_launcher launcher, int32_t seat,
                        rn_text *text);

/* What a person must know about a precision or cache before the command works; NULL: nothing. */
const char *rn_serving_weights_note(rn_perf_weights weights);
const char *rn_serving_kv_note(rn_perf_kv kv);

/* Adds text in double quotes for YAML (also valid JSON), or in single quotes for a shell where it
 * needs them. */
void rn_serving_yaml_text(rn_text *out, const char *text);
void rn_serving_shell_text(rn_text *out, const char *text);

#endif
