/* Rows of memory_vllm: what vLLM finds at its start, per GPU.
 *
 *   weights     of the shape; what the published count has beyond it (a vision
 *               part) at 16 bits; 4-bit float experts at 4.25 bits with their
 *               width padded to 256
 *   activation  38 · 1024 V + 21 475 h bytes + 32 MiB: the profile of 1024
 *               sequences and 2048 tokens
 *   non-torch   0.13 GiB, 0.55 with tensor parallelism
 *   KV cache    fraction · memory - the three. Where that is negative the engine
 *               would not have started: the fraction was 0.95
 *
 * The constants were read off the rows of llm-d-planner's empirical results.
 */
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/memory.h"
#include "run.h"
#include "score.h"

static const double GIB = 1073741824.0;

/* Models whose checkpoints have 4-bit experts under the plain name. */
static rn_perf_weights weights_of(const char *name)
{
    char lower[96];
    size_t i = 0;
    for (; name[i] != '\0' && i + 1 < sizeof lower; ++i) {
        lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
    }
    lower[i] = '\0';
    if (strstr(lower, "gpt-oss") != NULL) {
        return RN_PERF_W_FP4;
    }
    return strstr(lower, "awq") != NULL || strstr(lower, "gptq") != NULL ? RN_PERF_W_INT4
                                                                         : rn_fid_weights(lower);
}

static double weights_bytes(const ration_model *model, rn_perf_weights w, int32_t tp)
{
    rn_perf_shape s = model->shape;
    s.attention = s.attention == RN_PERF_HYBRID ? RN_PERF_GROUPED : s.attention;
    const double counted = rn_perf_params_count(&s).total;
    const double more = fmax(0.0, model->params_billion * 1e9 - counted);
    double padded = 0.0;
    if (w == RN_PERF_W_FP4 && s.moe_layers > 0) {
        const double experts = (double)s.moe_layers * s.experts * rn_perf_expert_params(&s);
        const double pad = ceil(s.moe_ffn / 256.0) * 256.0 / s.moe_ffn;
        padded = experts * (0.53125 * pad - rn_perf_weight_bytes(w)) / tp;
    }
    const bool part = more > 0.01 * counted; /* less is rounding of the published count */
    return rn_perf_weights_per_gpu(&s, w, tp, 1) + padded + (part ? 2.0 * more / tp : 0.0);
}

ration_status rn_fid_memory_read(const ration_catalog *catalog, const rn_fid_table *table,
                                 int32_t row, rn_fid_memory *memory, ration_error *error)
{
    rn_fid_memory m;
    double tp = 1.0;
    double fraction = 0.9;
    const ration_gpu *gpu = NULL;
    const ration_model *model = NULL;
    const char *name = rn_fid_text(table, row, "model");
    memset(&m, 0, sizeof m);
    ration_status status = rn_fid_cell_number(table, row, "tp", 1.0, 1.0, 1024.0, &tp, error);
    if (status == RATION_OK) {
        status = rn_fid_cell_number(table, row, "gpu_mem_util", 0.9, 0.01, 1.0, &fraction, error);
    }
    if (status != RATION_OK) {
        return status;
    }
    m.known = ration_catalog_model(catalog, name, &model, NULL) == RATION_OK &&
              ration_catalog_gpu(catalog, rn_fid_text(table, row, "gpu"), &gpu, NULL) == RATION_OK;
    if (m.known) {
        const double all = gpu->perf.memory_bytes / GIB;
        m.weights_gib = weights_bytes(model, weights_of(name), (int32_t)tp) / GIB;
        m.activation_gib =
            (38.0 * 1024.0 * model->shape.vocab + 21475.0 * model->shape.hidden) / GIB + 0.03125;
        m.non_torch_gib = tp > 1.0 ? 0.55 : 0.13;
        const double fixed = m.weights_gib + m.activation_gib + m.non_torch_gib;
        m.kv_cache_gib = (fraction * all > fixed ? fraction : 0.95) * all - fixed;
        m.kv_cache_gib = fmax(0.0, m.kv_cache_gib);
    }
    *memory = m;
    return RATION_OK;
}

ration_status rn_fid_memory_report(const ration_catalog *catalog, const char *path,
                                   ration_error *error)
{
    rn_fid_table t;
    ration_status status = rn_fid_table_read(path, &t, error);
    if (status != RATION_OK) {
        return status;
    }
    printf(
        "\n| memory_vllm, GiB per GPU | tp | weights | measured | activation | measured | KV cache "
        "| measured |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int32_t i = 0; i < t.rows && status == RATION_OK; ++i) {
        rn_fid_memory m;
        status = rn_fid_memory_read(catalog, &t, i, &m, error);
        if (status == RATION_OK && m.known) {
            printf("| %s | %s | %.2f | %s | %.2f | %s | %.2f | %s |\n", rn_fid_text(&t, i, "model"),
                   rn_fid_text(&t, i, "tp"), m.weights_gib, rn_fid_text(&t, i, "weights_gib"),
                   m.activation_gib, rn_fid_text(&t, i, "activation_gib"), m.kv_cache_gib,
                   rn_fid_text(&t, i, "kv_cache_gib"));
        }
    }
    rn_fid_table_free(&t);
    return status;
}
