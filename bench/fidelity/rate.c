/* Rows with one measured quantity, of a static batch or a saturated worker. */
#include "rate.h"

#include <math.h>
#include <string.h>

#include "run.h"

typedef struct word {
    const char *text;
    rn_fid_metric metric;
    double unit;
} word;

static const word metrics[] = {{"output_tokens_per_s", RN_FID_TOKENS_PER_S, 1.0},
                               {"total_tokens_per_s", RN_FID_TOTAL_PER_S, 1.0},
                               {"requests_per_s", RN_FID_REQUESTS_PER_S, 1.0},
                               {"samples_per_s", RN_FID_REQUESTS_PER_S, 1.0},
                               {"prefill_tokens_per_s", RN_FID_PREFILL_PER_S, 1.0},
                               {"decode_tokens_per_s", RN_FID_DECODE_PER_S, 1.0},
                               {"mlperf_offline_tokens_per_s", RN_FID_TOKENS_PER_S, 1.0},
                               {"mlperf_server_tokens_per_s", RN_FID_TOKENS_PER_S, 1.0},
                               {"ttft_ms", RN_FID_TTFT_S, 1e-3},
                               {"ttft", RN_FID_TTFT_S, 1.0},
                               {"itl_ms", RN_FID_STEP_S, 1e-3},
                               {"itl", RN_FID_STEP_S, 1.0},
                               {"tpot", RN_FID_STEP_S, 1.0},
                               {"latency", RN_FID_LATENCY_S, 1.0}};

static void read_metric(const char *text, rn_fid_rate *r)
{
    r->metric = RN_FID_NO_METRIC;
    r->unit = 1.0;
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; ++i) {
        if (strstr(text, metrics[i].text) != NULL && r->metric == RN_FID_NO_METRIC) {
            r->metric = metrics[i].metric;
            r->unit = metrics[i].unit;
        }
    }
}

static void find_places(const ration_catalog *catalog, const ration_model *model,
                        const ration_gpu *gpu, rn_fid_rate *r)
{
    for (int32_t i = 0; i < ration_catalog_model_count(catalog); ++i) {
        r->model = ration_catalog_model_at(catalog, i) == model ? i : r->model;
    }
    for (int32_t i = 0; i < ration_catalog_gpu_count(catalog); ++i) {
        r->gpu = ration_catalog_gpu_at(catalog, i) == gpu ? i : r->gpu;
    }
}

/* MLPerf leaves the precision out: NVIDIA ran FP8, on B200 FP4. */
static rn_perf_weights weights_of(const char *dtype, const rn_perf_gpu *gpu)
{
    if (dtype[0] != '\0') {
        return strcmp(dtype, "fp32") == 0 ? RN_PERF_W_FP16 : rn_fid_weights(dtype);
    }
    return gpu->fp4_flops > 0.0 ? RN_PERF_W_FP4
                                : (gpu->fp8_flops > 0.0 ? RN_PERF_W_FP8 : RN_PERF_W_FP16);
}

static void fill_case(const char *dtype, int32_t tp, int32_t pp, rn_fid_rate *r)
{
    rn_perf_config *c = &r->base.config;
    *c = rn_perf_config_default(weights_of(dtype, &r->base.gpu));
    c->tp = tp;
    c->pp = pp;
    const int32_t gpus = tp * pp;
    c->tp_link = rn_perf_link_in_node(&r->base.gpu, gpus > 1 ? gpus : 2);
    c->pp_link = c->tp_link;
    const bool narrow = c->weights == RN_PERF_W_FP8 || c->weights == RN_PERF_W_FP4;
    c->kv = narrow && r->base.gpu.fp8_flops > 0.0 ? RN_PERF_KV_FP8 : RN_PERF_KV_16;
}

/* A row without a layout (MLPerf): as few GPUs a worker as hold the weights in half of their
 * memory, and as many workers as GPUs allow. Its prompts are those of the benchmark: 300
 * tokens, 900 where answers are short summaries (no osl). */
static void settle(const char *dtype, double gpus, double *tp, rn_fid_rate *r)
{
    const rn_perf_weights w = weights_of(dtype, &r->base.gpu);
    r->replicas = 1.0;
    if (*tp >= 1.0) {
        return;
    }
    *tp = gpus;
    if (r->inflight) {
        *tp = 1.0;
        while (2.0 * *tp <= gpus && rn_perf_weights_per_gpu(&r->base.shape, w, (int32_t)*tp, 1) >
                                        0.5 * r->base.gpu.memory_bytes) {
            *tp *= 2.0;
        }
        r->replicas = floor(gpus / *tp);
        const bool summary = !(r->load.output_tokens > 0.0);
        r->load.prompt_tokens = r->load.prompt_tokens > 0.0 ? r->load.prompt_tokens
                                : summary                   ? 900.0
                                                            : 300.0;
        r->load.output_tokens = summary ? 70.0 : r->load.output_tokens;
    }
}

ration_status rn_fid_rate_read(const ration_catalog *catalog, const rn_fid_table *table,
                               int32_t row, rn_fid_rate *rate, ration_error *error)
{
    rn_fid_rate r;
    double tp = 0.0;
    double pp = 0.0;
    double gpus = 0.0;
    double clients = 0.0;
    memset(&r, 0, sizeof r);
    const struct {
        const char *column;
        double none;
        double high;
        double *value;
    } list[] = {{"isl", 0, RN_PERF_TOKENS_MAX, &r.load.prompt_tokens},
                {"osl", 0, RN_PERF_TOKENS_MAX, &r.load.output_tokens},
                {"batch", 0, 1e6, &r.batch},
                {"concurrency", 0, 1e6, &clients},
                {"n_gpus", 1, 1e6, &gpus},
                {"tp", 0, 4096, &tp},
                {"pp", 1, 4096, &pp},
                {"value", 0, 1e12, &r.measured}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; ++i) {
        const ration_status status = rn_fid_cell_number(table, row, list[i].column, list[i].none,
                                                        0.0, list[i].high, list[i].value, error);
        if (status != RATION_OK) {
            return status;
        }
    }
    const ration_model *model = NULL;
    const ration_gpu *gpu = NULL;
    const char *notes = rn_fid_text(table, row, "notes");
    const char *engine = rn_fid_text(table, row, "engine");
    read_metric(rn_fid_text(table, row, "metric"), &r);
    r.inflight = strcmp(rn_fid_text(table, row, "batching"), "inflight") == 0;
    r.scored = strstr(notes, "do not score") == NULL && strstr(notes, "flagged") == NULL;
    r.scored = r.scored && strstr(notes, "suspect") == NULL;
    r.least = strstr(rn_fid_text(table, row, "metric"), "ttft_min") != NULL;
    r.llamacpp = strncmp(engine, "llama.cpp", 9) == 0;
    r.trtllm = strncmp(engine, "TensorRT-LLM", 12) == 0;
    r.version = strcmp(engine, "TensorRT-LLM 0.20") == 0  ? 1
                : strcmp(engine, "TensorRT-LLM 1.0") == 0 ? 2
                                                          : 0;
    r.known = r.metric != RN_FID_NO_METRIC &&
              ration_catalog_model(catalog, rn_fid_text(table, row, "model"), &model, NULL) ==
                  RATION_OK &&
              ration_catalog_gpu(catalog, rn_fid_text(table, row, "gpu"), &gpu, NULL) == RATION_OK;
    if (r.known) {
        r.base.shape = model->shape;
        r.base.gpu = gpu->perf;
        pp = fmax(1.0, pp);
        settle(rn_fid_text(table, row, "dtype"), fmax(1.0, gpus / pp), &tp, &r);
        r.batch = r.inflight ? clients : fmax(1.0, r.batch);
        r.load.prompt_tokens = r.load.prompt_tokens > 0.0 ? r.load.prompt_tokens : 250.0;
        r.load.output_tokens = r.load.output_tokens > 0.0 ? r.load.output_tokens : 250.0;
        r.load = rn_perf_load_equal(r.load.prompt_tokens, r.load.output_tokens);
        fill_case(rn_fid_text(table, row, "dtype"), (int32_t)tp, (int32_t)pp, &r);
        find_places(catalog, model, gpu, &r);
    }
    *rate = r;
    return RATION_OK;
}

double rn_fid_rate_predict(const rn_perf_batch_fit *n, const rn_fid_rate *r)
{
    const double versions[] = {1.0, n->version_020, n->version_100};
    if (!r->known) {
        return 0.0;
    }
    rn_perf_batch_fit other = *n;
    if (r->llamacpp) {
        other.static_layer_s = n->llamacpp_layer_s;
        other.static_compute = n->llamacpp_compute;
    }
    const bool saturated = r->inflight && r->batch < 1.0;
    const rn_perf_batch b =
        saturated
            ? rn_perf_saturated(&r->base, n, &r->load, versions[r->version])
            : rn_perf_static(&r->base, &other, &r->load, r->least ? 1.0 : fmax(1.0, r->batch));
    if (b.status != RN_PERF_OK) {
        return 0.0;
    }
    const double prompt = r->load.prompt_tokens;
    const double output = r->load.output_tokens;
    switch (r->metric) {
    case RN_FID_TOKENS_PER_S:
        return r->replicas * b.output_tokens_per_s;
    case RN_FID_TOTAL_PER_S:
        return r->replicas * b.output_tokens_per_s * (prompt + output) / output;
    case RN_FID_REQUESTS_PER_S:
        return r->replicas * b.output_tokens_per_s / output;
    case RN_FID_TTFT_S:
        return b.ttft_s / r->unit;
    case RN_FID_STEP_S:
        return b.step_s / r->unit;
    case RN_FID_LATENCY_S:
        return (b.ttft_s + output * b.step_s) / r->unit;
    case RN_FID_PREFILL_PER_S:
        return b.sequences * prompt / b.ttft_s;
    default:
        return b.sequences / b.step_s;
    }
}
