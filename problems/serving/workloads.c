/* The workloads of a scenario. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "serving/read.h"

static const char *const PRECISIONS[] = {"fp16", "bf16", "fp8", "int8", "w8a8", "int4", "fp4"};
static const char *const KV[] = {"16", "fp8", "int8"};

/* Sets flag[w] for the words of a list and clears the others; leaves all as they are when the key
 * is absent. */
static ration_status read_words(const ration_node *map, const char *key, const char *const *words,
                                int32_t count, bool *flag, ration_error *error)
{
    const ration_node *list = ration_node_find(map, key);
    if (list == NULL) {
        return RATION_OK;
    }
    RATION_TRY(ration_node_list(list, 1, count, error));
    memset(flag, 0, (size_t)count * sizeof *flag);
    for (int32_t i = 0; i < ration_node_count(list); i++) {
        int32_t word = 0;
        RATION_TRY(ration_node_word(ration_node_at(list, i), words, count, &word, error));
        flag[word] = true;
    }
    return RATION_OK;
}

static ration_status read_quality_values(const ration_node *map, rn_serving_workload *w,
                                         ration_error *error)
{
    const ration_node *by = ration_node_find(map, "by_precision");
    for (int32_t p = 0; p < RN_PERF_WEIGHTS_COUNT; p++) {
        const bool wide = p == RN_PERF_W_FP16 || p == RN_PERF_W_BF16;
        w->quality_of[p] = wide ? w->quality_baseline : (double)NAN;
    }
    if (by == NULL) {
        return RATION_OK;
    }
    RATION_TRY(ration_node_map(by, error));
    RATION_TRY(ration_node_keys(by, PRECISIONS, RN_PERF_WEIGHTS_COUNT, error));
    for (int32_t p = 0; p < RN_PERF_WEIGHTS_COUNT; p++) {
        RATION_TRY(rn_read_real(by, PRECISIONS[p], 0.0, 1.0, &w->quality_of[p], error));
    }
    return RATION_OK;
}

static ration_status read_quality(const ration_node *map, rn_serving_workload *w,
                                  ration_error *error)
{
    static const char *const known[] = {"metric", "baseline", "minimum", "by_precision"};
    const ration_node *quality = ration_node_find(map, "quality");
    const ration_node *value = NULL;
    if (quality == NULL) {
        for (int32_t p = 0; p < RN_PERF_WEIGHTS_COUNT; p++) {
            w->quality_of[p] = (double)NAN;
        }
        return RATION_OK;
    }
    RATION_TRY(ration_node_map(quality, error));
    RATION_TRY(ration_node_keys(quality, known, 4, error));
    RATION_TRY(ration_node_need(quality, "metric", &value, error));
    RATION_TRY(ration_node_text(value, false, &w->quality_metric, error));
    RATION_TRY(ration_node_need(quality, "baseline", &value, error));
    RATION_TRY(ration_node_real(value, 0.0, 1.0, &w->quality_baseline, error));
    RATION_TRY(rn_read_limit(quality, "minimum", 0.0, 1.0, &w->quality, error));
    return read_quality_values(quality, w, error);
}

static ration_status read_shares(const ration_node *map, rn_serving_workload *w,
                                 ration_error *error)
{
    static const int32_t known[] = {100, 50, 25};
    const ration_node *list = ration_node_find(map, "gpu_shares");
    w->shares = 3;
    memcpy(w->share, known, sizeof known);
    if (list == NULL) {
        return RATION_OK;
    }
    bool used[3] = {false, false, false};
    RATION_TRY(ration_node_list(list, 1, 3, error));
    for (int32_t i = 0; i < ration_node_count(list); i++) {
        double share = 0.0;
        RATION_TRY(ration_node_real(ration_node_at(list, i), 0.0, 1.0, &share, error));
        int32_t at = 0;
        while (at < 3 && fabs(100.0 * share - known[at]) > 1e-9) {
            at++;
        }
        if (at == 3) {
            return ration_node_fail(ration_node_at(list, i), error,
                                    "%.15g is not a GPU share; they are 1, 0.5 and 0.25", share);
        }
        used[at] = true;
    }
    w->shares = 0;
    for (int32_t i = 0; i < 3; i++) {
        if (used[i]) {
            w->share[w->shares++] = known[i];
        }
    }
    assert(w->shares >= 1 && w->shares <= 3);
    return RATION_OK;
}

static ration_status read_layouts(const ration_node *map, rn_serving_workload *w,
                                  ration_error *error)
{
    const ration_node *list = ration_node_find(map, "tensor_parallel");
    w->tp_mask = 15;
    w->max_pp = 8;
    RATION_TRY(rn_read_integer(map, "max_pipeline_parallel", 1, 64, &w->max_pp, error));
    if (list == NULL) {
        return RATION_OK;
    }
    w->tp_mask = 0;
    RATION_TRY(ration_node_list(list, 1, 7, error));
    for (int32_t i = 0; i < ration_node_count(list); i++) {
        int64_t size = 0;
        int32_t log = 0;
        RATION_TRY(ration_node_integer(ration_node_at(list, i), 1, RN_SERVING_NODE_GPUS_MAX, &size,
                                       error));
        while ((1 << log) < size) {
            log++;
        }
        if ((1 << log) != size) {
            return ration_node_fail(ration_node_at(list, i), error, "%d is not a power of two",
                                    (int)size);
        }
        w->tp_mask |= 1U << log;
    }
    assert(w->tp_mask != 0);
    return RATION_OK;
}

static ration_status read_allowed(const ration_node *map, rn_arena *arena,
                                  const rn_serving_scenario *s, rn_serving_workload *w,
                                  ration_error *error)
{
    const char **names = NULL;
    bool *allowed = NULL;
    RATION_TRY(rn_arena_take(arena, s->nodes, sizeof *names, &names, error));
    RATION_TRY(rn_arena_take(arena, s->nodes, sizeof *allowed, &allowed, error));
    for (int32_t n = 0; n < s->nodes; n++) {
        names[n] = s->node[n].name;
        allowed[n] = true;
    }
    w->node_allowed = allowed;
    return read_words(map, "nodes", names, s->nodes, allowed, error);
}

static ration_status read_flash(const ration_node *map, rn_serving_workload *w, ration_error *error)
{
    bool flash = true;
    const bool given = ration_node_find(map, "flash_attention") != NULL;
    RATION_TRY(rn_read_bool(map, "flash_attention", &flash, error));
    w->flash[0] = !given || !flash;
    w->flash[1] = !given || flash;
    assert(w->flash[0] || w->flash[1]);
    return RATION_OK;
}

static ration_status read_limits(const ration_node *map, rn_serving_workload *w,
                                 ration_error *error)
{
    const double most_ms = 1e7;
    w->served = (rn_serving_limit){true, true, 1.0, 0.0};
    w->min_replicas = (rn_serving_limit){true, true, 1.0, 0.0};
    RATION_TRY(rn_read_limit(map, "served", 1.0, 1.0, &w->served, error));
    w->served.given = ration_node_find(map, "served") != NULL;
    RATION_TRY(rn_read_limit(map, "ttft_ms", 0.1, most_ms, &w->ttft_ms, error));
    RATION_TRY(rn_read_limit(map, "ttft_p95_ms", 0.1, most_ms, &w->ttft_p95_ms, error));
    RATION_TRY(rn_read_limit(map, "tpot_ms", 0.01, most_ms, &w->tpot_ms, error));
    RATION_TRY(rn_read_limit(map, "e2e_p95_ms", 0.1, most_ms, &w->e2e_p95_ms, error));
    RATION_TRY(
        rn_read_limit(map, "min_replicas", 0.0, RN_SERVING_REPLICAS_MAX, &w->min_replicas, error));
    RATION_TRY(rn_read_limit(map, "survive_domain_loss", 0.0, 1.0, &w->survive, error));
    RATION_TRY(
        rn_read_integer(map, "max_replicas", 1, RN_SERVING_REPLICAS_MAX, &w->max_replicas, error));
    if (w->min_replicas.value != floor(w->min_replicas.value)) {
        return ration_node_fail(ration_node_find(map, "min_replicas"), error,
                                "%.15g is not a whole number of replicas", w->min_replicas.value);
    }
    if (w->max_replicas > 0 && w->min_replicas.value > w->max_replicas) {
        return ration_node_fail(map, error, "min_replicas is %.0f and max_replicas %d",
                                w->min_replicas.value, w->max_replicas);
    }
    return RATION_OK;
}

static ration_status read_model_of(const ration_node *map, rn_arena *arena,
                                   const rn_serving_scenario *s, rn_serving_workload *w,
                                   ration_error *error)
{
    const char **names = NULL;
    RATION_TRY(rn_arena_take(arena, s->models, sizeof *names, &names, error));
    for (int32_t m = 0; m < s->models; m++) {
        names[m] = s->model[m].name;
    }
    return rn_read_reference(map, "model", names, s->models, &w->model, error);
}

static ration_status read_workload(const ration_node *map, rn_arena *arena,
                                   const rn_serving_scenario *s, rn_serving_workload *w,
                                   ration_error *error)
{
    static const char *const known[] = {"name",
                                        "model",
                                        "rate_per_s",
                                        "input_tokens",
                                        "output_tokens",
                                        "trace",
                                        "ttft_ms",
                                        "ttft_p95_ms",
                                        "tpot_ms",
                                        "e2e_p95_ms",
                                        "weight",
                                        "served",
                                        "quality",
                                        "precisions",
                                        "kv_precisions",
                                        "flash_attention",
                                        "min_replicas",
                                        "max_replicas",
                                        "survive_domain_loss",
                                        "max_batch",
                                        "gpu_shares",
                                        "tensor_parallel",
                                        "max_pipeline_parallel",
                                        "nodes"};
    RATION_TRY(ration_node_keys(map, known, (int32_t)(sizeof known / sizeof known[0]), error));
    w->at = map;
    w->weight = 1.0;
    w->max_batch = 256;
    for (int32_t p = 0; p < RN_PERF_WEIGHTS_COUNT; p++) {
        w->precision[p] = p != RN_PERF_W_INT8_W8A8 && p != RN_PERF_W_FP4;
    }
    for (int32_t k = 0; k < RN_PERF_KV_COUNT; k++) {
        w->kv[k] = k != RN_PERF_KV_INT8;
    }
    RATION_TRY(read_model_of(map, arena, s, w, error));
    RATION_TRY(rn_read_real(map, "rate_per_s", 1e-6, 1e6, &w->rate_per_s, error));
    RATION_TRY(rn_serving_lengths_read(map, s->path, w, error));
    RATION_TRY(rn_read_real(map, "weight", 0.0, 1e6, &w->weight, error));
    RATION_TRY(read_limits(map, w, error));
    RATION_TRY(read_quality(map, w, error));
    RATION_TRY(
        read_words(map, "precisions", PRECISIONS, RN_PERF_WEIGHTS_COUNT, w->precision, error));
    RATION_TRY(read_words(map, "kv_precisions", KV, RN_PERF_KV_COUNT, w->kv, error));
    RATION_TRY(read_flash(map, w, error));
    RATION_TRY(rn_read_integer(map, "max_batch", 1, 4096, &w->max_batch, error));
    RATION_TRY(read_shares(map, w, error));
    RATION_TRY(read_layouts(map, w, error));
    return read_allowed(map, arena, s, w, error);
}

ration_status rn_serving_workloads_read(const ration_node *list, rn_arena *arena,
                                        rn_serving_scenario *s, ration_error *error)
{
    s->workloads = ration_node_count(list);
    RATION_TRY(rn_arena_take(arena, s->workloads, sizeof *s->workload, &s->workload, error));
    for (int32_t i = 0; i < s->workloads; i++) {
        RATION_TRY(rn_read_name(list, i, &s->workload[i].name, error));
        RATION_TRY(read_workload(ration_node_at(list, i), arena, s, &s->workload[i], error));
    }
    return RATION_OK;
}
