/* A measured end-to-end run as a case of the performance model. */
#include "run.h"

#include <math.h>
#include <string.h>

/* Sizes of a layout as the row has them; 0 where blank. */
typedef struct layout {
    double tp;
    double pp;
    double ranks; /* adp */
    double moe_tp;
    double moe_ep;
    double batch; /* per attention rank */
} layout;

rn_perf_weights rn_fid_weights(const char *text)
{
    static const struct {
        const char *part;
        rn_perf_weights weights;
    } words[] = {
        {"w4a", RN_PERF_W_INT4},       {"awq", RN_PERF_W_INT4},   {"gptq", RN_PERF_W_INT4},
        {"fp4", RN_PERF_W_FP4},        {"fp8", RN_PERF_W_FP8},    {"int4", RN_PERF_W_INT4},
        {"q4", RN_PERF_W_INT4},        {"sq", RN_PERF_W_INT8_W8A8},
        {"w8a8", RN_PERF_W_INT8_W8A8}, {"int8", RN_PERF_W_INT8},  {"fp16", RN_PERF_W_FP16}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (strstr(text, words[i].part) != NULL) {
            return words[i].weights;
        }
    }
    return RN_PERF_W_BF16;
}

rn_perf_engine_kind rn_fid_engine_of(const char *backend)
{
    if (strcmp(backend, "sglang") == 0) {
        return RN_PERF_SGLANG;
    }
    return strcmp(backend, "trtllm") == 0 || strstr(backend, "ensorrt") != NULL
               ? RN_PERF_TENSORRT_LLM
               : RN_PERF_VLLM;
}

static ration_status read_numbers(const rn_fid_table *t, int32_t row, rn_fid_run *run, layout *l,
                                  ration_error *error)
{
    double id = -1.0;
    double ttft_ms = 0.0;
    double tpot_ms = 0.0;
    const struct {
        const char *column;
        double none;
        double low;
        double high;
        double *value;
    } list[] = {{"row", -1, 0, 2e9, &id},
                {"isl", 0, 1, RN_PERF_TOKENS_MAX, &run->prompt},
                {"osl", 0, 1, RN_PERF_TOKENS_MAX, &run->output},
                {"concurrency", 0, 1, 1e6, &run->given},
                {"batch", 0, 1, 1e6, &l->batch},
                {"tp", 1, 1, 4096, &l->tp},
                {"pp", 1, 1, 4096, &l->pp},
                {"adp", 0, 0, 4096, &l->ranks},
                {"moe_tp", 0, 0, 4096, &l->moe_tp},
                {"moe_ep", 0, 0, 4096, &l->moe_ep},
                {"ttft_ms", 0, 0, 1e9, &ttft_ms},
                {"tpot_ms", 0, 0, 1e9, &tpot_ms}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; ++i) {
        const ration_status status = rn_fid_cell_number(
            t, row, list[i].column, list[i].none, list[i].low, list[i].high, list[i].value, error);
        if (status != RATION_OK) {
            return status;
        }
    }
    run->id = (int32_t)id;
    run->ttft_s = ttft_ms / 1e3;
    run->tpot_s = tpot_ms / 1e3;
    run->lock_step = rn_fid_text(t, row, "adp")[0] == '\0';
    return RATION_OK;
}

/* GPUs that a row really means. tp = n² with moe_tp = moe_ep = n names n GPUs unless the weights
 * don't fit there; so does adp = tp = n with moe_ep = n². Experts over more GPUs than tp without
 * adp, and C = tp · batch, both mean attention data parallelism. */
static void settle(rn_fid_run *run, layout *l)
{
    const rn_perf_shape *shape = &run->base.shape;
    const double given_ranks = fmax(1.0, l->ranks);
    const double experts = fmax(1.0, l->moe_tp) * fmax(1.0, l->moe_ep);
    const double weights = rn_perf_weights_per_gpu(shape, run->base.config.weights, 1, 1);
    const double ratio = l->batch > 0.0 ? run->given / (l->batch * given_ranks) : 1.0;
    l->ranks = given_ranks;
    run->clients = run->given;
    if (l->moe_tp > 1.0 && l->moe_tp == l->moe_ep && l->tp == experts && l->ranks == 1.0 &&
        weights < 0.9 * l->moe_tp * run->base.gpu.memory_bytes) {
        l->tp = l->moe_tp;
    } else if (l->ranks > 1.0 && l->ranks == l->tp && l->moe_ep == l->tp * l->tp) {
        l->tp = 1.0;
    } else if (l->ranks == 1.0 && shape->moe_layers > 0 && experts > l->tp) {
        l->ranks = floor(experts / l->tp);
    }
    if (ratio > 1.01 && shape->moe_layers > 0 && fabs(ratio - l->tp) < 0.02 * l->tp &&
        l->ranks == 1.0) {
        l->ranks = l->tp;
        l->tp = 1.0;
    } else if (ratio > 8.0) {
        run->clients = l->batch * given_ranks;
    }
    run->flagged = ratio > 1.01 || ratio < 0.99 || l->tp * l->ranks * l->pp > 8.0;
    while (l->tp > 1.0 && fmod(shape->heads, l->tp) != 0.0) {
        l->tp = floor(l->tp / 2.0);
    }
}

static void fill_case(rn_fid_run *run, const layout *l)
{
    rn_perf_config *c = &run->base.config;
    c->tp = (int32_t)l->tp;
    c->pp = (int32_t)l->pp;
    c->ranks = (int32_t)l->ranks;
    c->tp_link = rn_perf_link_in_node(&run->base.gpu, 2);
    c->pp_link = c->tp_link;
    const bool narrow = c->weights > RN_PERF_W_BF16 && run->base.gpu.fp8_flops > 0.0;
    const bool eight = rn_perf_is_blackwell(&run->base.gpu) || run->engine == RN_PERF_TENSORRT_LLM;
    c->kv = narrow && eight ? RN_PERF_KV_FP8 : RN_PERF_KV_16;
}

static void find_places(const ration_catalog *catalog, const ration_model *model,
                        const ration_gpu *gpu, rn_fid_run *run)
{
    for (int32_t i = ration_catalog_model_count(catalog) - 1; i >= 0; --i) {
        const ration_model *other = ration_catalog_model_at(catalog, i);
        run->model =
            memcmp(&other->shape, &model->shape, sizeof model->shape) == 0 ? i : run->model;
    }
    for (int32_t i = 0; i < ration_catalog_gpu_count(catalog); ++i) {
        run->gpu = ration_catalog_gpu_at(catalog, i) == gpu ? i : run->gpu;
    }
}

ration_status rn_fid_run_read(const ration_catalog *catalog, const rn_fid_table *table, int32_t row,
                              rn_fid_run *run, ration_error *error)
{
    rn_fid_run r;
    layout l;
    const ration_model *model = NULL;
    const ration_gpu *gpu = NULL;
    memset(&r, 0, sizeof r);
    memset(&l, 0, sizeof l);
    const ration_status status = read_numbers(table, row, &r, &l, error);
    if (status != RATION_OK) {
        return status;
    }
    r.table_row = row;
    r.known =
        ration_catalog_model(catalog, rn_fid_text(table, row, "model"), &model, NULL) ==
            RATION_OK &&
        ration_catalog_gpu(catalog, rn_fid_text(table, row, "system"), &gpu, NULL) == RATION_OK &&
        r.prompt > 0.0 && r.output > 0.0 && (r.given > 0.0 || l.batch > 0.0);
    if (r.known) {
        const char *gemm = rn_fid_text(table, row, "gemm_q");
        const char *precision = rn_fid_text(table, row, "precision");
        r.engine = rn_fid_engine_of(rn_fid_text(table, row, "backend"));
        r.given = r.given > 0.0 ? r.given : l.batch * fmax(1.0, l.ranks);
        r.base.shape = model->shape;
        if (model->shape.attention == RN_PERF_HYBRID) {
            r.base.shape.attention = RN_PERF_GROUPED; /* too much KV cache, else as good as any */
        }
        r.base.gpu = gpu->perf;
        r.base.config = rn_perf_config_default(rn_fid_weights(gemm[0] != '\0' ? gemm : precision));
        settle(&r, &l);
        fill_case(&r, &l);
        find_places(catalog, model, gpu, &r);
        r.flagged = r.flagged || rn_fid_text(table, row, "backend_version")[0] == '\0';
    }
    *run = r;
    return RATION_OK;
}

rn_fid_times rn_fid_run_predict(const rn_fid_serving *numbers, const rn_fid_run *run)
{
    rn_fid_times t = {0.0, 0.0, 0.0};
    if (!run->known) {
        return t;
    }
    rn_perf_case c = run->base;
    c.fit = numbers->fit;
    c.engine = numbers->engine[run->engine];
    c.engine.queue = run->lock_step ? c.engine.lock_step : c.engine.queue;
    if (c.config.tp_link.tier == RN_PERF_NVLINK) {
        c.config.tp_link.alpha_s = c.fit.link_alpha_s;
        c.config.tp_link.efficiency = c.fit.link_efficiency;
    } else { /* no end-to-end run went over PCIe: what saturated workers reach there */
        const rn_perf_batch_fit batch = rn_perf_batch_fit_default();
        c.config.tp_link.alpha_s = batch.pcie_alpha_s;
        c.config.tp_link.efficiency = batch.pcie_efficiency;
    }
    const rn_perf_load load = rn_perf_load_equal(run->prompt, run->output);
    const double slots =
        rn_perf_slots(&c, run->prompt, run->output, run->engine == RN_PERF_TENSORRT_LLM);
    const rn_perf_serving s = rn_perf_closed(&c, &load, run->clients, slots);
    if (s.status == RN_PERF_OK) {
        t.ttft_s = s.ttft_s;
        t.tpot_s = s.tpot_s;
        t.tokens_per_s = run->given * run->output / (s.ttft_s + (run->output - 1.0) * s.tpot_s);
    }
    return t;
}
