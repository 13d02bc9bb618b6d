/* The configurations of a plan say what plan.json says. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "serving/check.h"
#include "serving/emit.h"
#include "serving/read.h"

static ration_status same_gpus(const ration_node *map, const rn_check_seat *seat,
                               ration_error *error)
{
    const ration_node *gpus = NULL;
    RATION_TRY(ration_node_need(map, "gpus", &gpus, error));
    RATION_TRY(ration_node_list(gpus, 1, RN_SERVING_NODE_GPUS_MAX, error));
    bool same = ration_node_count(gpus) == seat->gpus;
    for (int32_t i = 0; i < ration_node_count(gpus); i++) {
        int64_t gpu = 0;
        RATION_TRY(ration_node_integer(ration_node_at(gpus, i), 0, INT32_MAX, &gpu, error));
        same = same && gpu == seat->first + i;
    }
    return same ? RATION_OK
                : rn_check_fail(gpus, error, "not the %d GPUs from %d on of plan.json", seat->gpus,
                                seat->first);
}

static ration_status same_seats(const rn_check *c, const ration_node *node,
                                const rn_check_replica *r, ration_error *error)
{
    const ration_node *seats = NULL;
    RATION_TRY(rn_check_word(node, "node", c->s->machine[r->seat[0].machine].name, error));
    RATION_TRY(same_gpus(node, &r->seat[0], error));
    RATION_TRY(ration_node_need(node, "seats", &seats, error));
    RATION_TRY(ration_node_list(seats, r->seats, r->seats, error));
    for (int32_t k = 0; k < r->seats; k++) {
        const ration_node *seat = ration_node_at(seats, k);
        RATION_TRY(rn_check_word(seat, "node", c->s->machine[r->seat[k].machine].name, error));
        RATION_TRY(same_gpus(seat, &r->seat[k], error));
    }
    return RATION_OK;
}

/* The share of memory suffices, and what all tenants of a GPU are promised is not more than there
 * is. */
static ration_status check_fraction(rn_check *c, const ration_node *node, const rn_check_replica *r,
                                    ration_error *error)
{
    const rn_serving_node *where = &c->s->node[c->s->machine[r->seat[0].machine].node];
    const double memory = c->s->gpu[where->gpu].perf.memory_bytes / RN_CHECK_GIB;
    double fraction = 0.0;
    RATION_TRY(rn_check_number(node, "memory_fraction", &fraction, error));
    if (fraction < r->total_gib / memory - 1e-4 || fraction > 1.0) {
        return rn_check_fail(node, error, "memory_fraction is %.6g, the plan needs %.6g", fraction,
                             r->total_gib / memory);
    }
    for (int32_t k = 0; k < r->seats; k++) {
        const int32_t first = c->s->machine[r->seat[k].machine].gpu + r->seat[k].first;
        assert(first >= 0 && first + r->seat[k].gpus <= c->s->gpu_total);
        for (int32_t g = first; g < first + r->seat[k].gpus; g++) {
            c->fraction[g] += fraction;
            if (c->kept && c->fraction[g] > 1.0) {
                return rn_check_fail(node, error, "%.4g of the memory of a GPU is promised",
                                     c->fraction[g]);
            }
        }
    }
    return RATION_OK;
}

/* The number after an option of a command. */
static ration_status same_option(const ration_node *command, const char *run, const char *option,
                                 double expected, ration_error *error)
{
    const char *at = strstr(run, option);
    const double value = at == NULL ? (double)NAN : strtod(at + strlen(option), NULL);
    return fabs(value - expected) < 1e-6
               ? RATION_OK
               : rn_check_fail(command, error, "expected%s%.9g", option, expected);
}

/* The vLLM command of each node names its GPUs and has the numbers of the configuration. */
static ration_status check_commands(const ration_node *node, const rn_check_replica *r,
                                    ration_error *error)
{
    const ration_node *commands = NULL;
    const ration_node *list = NULL;
    double fraction = 0.0;
    int32_t context = 0;
    RATION_TRY(rn_check_number(node, "memory_fraction", &fraction, error));
    RATION_TRY(rn_check_count(node, "max_context_tokens", 1, RN_PERF_TOKENS_MAX, &context, error));
    RATION_TRY(ration_node_need(node, "commands", &commands, error));
    RATION_TRY(ration_node_need(commands, "vllm", &list, error));
    RATION_TRY(ration_node_list(list, r->seats, r->seats, error));
    for (int32_t k = 0; k < r->seats; k++) {
        const ration_node *command = NULL;
        const char *run = NULL;
        RATION_TRY(ration_node_need(ration_node_at(list, k), "run", &command, error));
        RATION_TRY(ration_node_text(command, false, &run, error));
        const char *devices = strstr(run, "_VISIBLE_DEVICES=");
        devices = devices == NULL ? "" : strchr(devices, '=') + 1;
        for (int32_t i = 0; i < r->seat[k].gpus; i++) {
            char *end = NULL;
            const int64_t gpu = strtoll(devices, &end, 10);
            const char after = i + 1 < r->seat[k].gpus ? ',' : ' ';
            if (end == devices || gpu != r->seat[k].first + i || *end != after) {
                return rn_check_fail(command, error, "it does not name the GPUs of plan.json");
            }
            devices = end + 1;
        }
        RATION_TRY(same_option(command, run, " --tensor-parallel-size ", r->tp, error));
        RATION_TRY(same_option(command, run, " --pipeline-parallel-size ", r->pp, error));
        RATION_TRY(same_option(command, run, " --max-num-seqs ", r->batch, error));
        RATION_TRY(same_option(command, run, " --gpu-memory-utilization ", fraction, error));
        RATION_TRY(same_option(command, run, " --max-model-len ", context, error));
    }
    return RATION_OK;
}

static ration_status check_replica(rn_check *c, const ration_node *node, const rn_check_replica *r,
                                   ration_error *error)
{
    const rn_serving_workload *w = &c->s->workload[r->workload];
    const ration_node *flash = NULL;
    const ration_node *planned = NULL;
    int32_t context = 0;
    int32_t most = 0;
    bool fused = false;
    RATION_TRY(rn_check_word(node, "name", r->name, error));
    RATION_TRY(same_seats(c, node, r, error));
    RATION_TRY(rn_check_same(node, "tensor_parallel", r->tp, error));
    RATION_TRY(rn_check_same(node, "pipeline_parallel", r->pp, error));
    RATION_TRY(rn_check_same(node, "batch_size", r->batch, error));
    RATION_TRY(rn_check_word(node, "precision", rn_serving_weights_name(r->weights), error));
    RATION_TRY(rn_check_word(node, "kv_cache_quant", rn_serving_kv_name(r->kv), error));
    RATION_TRY(rn_check_same(node, "gpu_share", r->share, error));
    RATION_TRY(ration_node_need(node, "flash_attention", &flash, error));
    RATION_TRY(ration_node_bool(flash, &fused, error));
    RATION_TRY(rn_check_count(node, "max_context_tokens", 1, RN_PERF_TOKENS_MAX, &context, error));
    RATION_TRY(ration_node_need(r->node, "max_context_tokens", &planned, error));
    RATION_TRY(rn_check_count(r->node, "max_context_tokens", 1, RN_PERF_TOKENS_MAX, &most, error));
    if (fused != r->flash) {
        return rn_check_fail(flash, error, "not as in plan.json");
    }
    if (context > most || context < w->input.most + w->output.most) {
        return rn_check_fail(node, error,
                             "max_context_tokens is %d; the KV cache holds %d and the longest "
                             "request has %.15g",
                             context, most, w->input.most + w->output.most);
    }
    RATION_TRY(check_fraction(c, node, r, error));
    return check_commands(node, r, error);
}

static ration_status check_file(rn_check *c, int32_t workload, const ration_node *root,
                                ration_error *error)
{
    const ration_node *list = NULL;
    int32_t at = 0;
    RATION_TRY(ration_node_map(root, error));
    RATION_TRY(rn_check_word(root, "workload", c->s->workload[workload].name, error));
    RATION_TRY(ration_node_need(root, "replicas", &list, error));
    RATION_TRY(ration_node_list(list, 0, INT32_MAX, error));
    for (int32_t i = 0; i < c->replicas; i++) {
        if (c->replica[i].workload != workload) {
            continue;
        }
        if (at >= ration_node_count(list)) {
            return rn_check_fail(list, error, "the replica %s is missing", c->replica[i].name);
        }
        RATION_TRY(check_replica(c, ration_node_at(list, at++), &c->replica[i], error));
    }
    return at == ration_node_count(list)
               ? RATION_OK
               : rn_check_fail(list, error, "%d replicas, plan.json has %d",
                               ration_node_count(list), at);
}

ration_status rn_check_configs(rn_check *c, ration_error *error)
{
    const ration_node *workloads = ration_node_find(c->plan, "workloads");
    const char **names = NULL;
    RATION_TRY(rn_serving_config_names(c->s, &c->arena, &names, error));
    RATION_TRY(rn_arena_take(&c->arena, c->s->gpu_total, sizeof *c->fraction, &c->fraction, error));
    for (int32_t w = 0; w < c->s->workloads; w++) {
        const char *path = NULL;
        ration_document *document = NULL;
        RATION_TRY(rn_check_word(ration_node_at(workloads, w), "config", names[w], error));
        RATION_TRY(rn_arena_text(&c->arena, &path, error, "%s/%s", c->dir, names[w]));
        RATION_TRY(ration_document_read(path, &document, error));
        const ration_status status = check_file(c, w, ration_document_root(document), error);
        ration_document_free(document);
        RATION_TRY(status);
    }
    return RATION_OK;
}
