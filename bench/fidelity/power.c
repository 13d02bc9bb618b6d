/* Rows of the power table: reading, predicting, fitting, report. */
#include "power.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "run.h"
#include "score.h"

enum { ROUNDS = 40 };
static const double SOFT = 0.10;

static rn_fid_power_kind kind_of(const char *text)
{
    static const char *const names[] = {"llm_serving", "power_limit_training",
                                        "power_vs_gpu_utilisation", "mlperf_inference_power"};
    for (int32_t i = 0; i < RN_FID_POWER_NONE; ++i) {
        if (strcmp(text, names[i]) == 0) {
            return (rn_fid_power_kind)i;
        }
    }
    return RN_FID_POWER_NONE;
}

/* Bytes of weights that a step of `batch` sequences hits; experts drawn independently. */
static double bytes_hit(const ration_model *model, double params, double active, double batch,
                        const char *dtype)
{
    const double k = model->shape.topk;
    const double e = model->shape.experts;
    const double width =
        strstr(dtype, "mxfp4") != NULL ? 0.53 : rn_perf_weight_bytes(rn_fid_weights(dtype));
    if (!(e > k) || k < 1.0) {
        return params * width;
    }
    const double experts = (params - active) / (1.0 - k / e);
    return (params - experts * pow(1.0 - k / e, batch)) * width;
}

/* The engine's step where the row has no measured one. */
static double step_of(const ration_model *model, const rn_fid_power *p, const char *dtype)
{
    rn_perf_case c;
    c.shape = model->shape;
    c.gpu = p->gpu;
    c.engine = rn_perf_engine_fitted(RN_PERF_VLLM);
    c.fit = rn_perf_fit_default();
    c.config = rn_perf_config_default(rn_fid_weights(dtype));
    c.config.tp = (int32_t)p->gpus;
    c.config.tp_link = rn_perf_link_in_node(&p->gpu, c.config.tp);
    const rn_perf_speed v = rn_perf_speed_of(&c);
    return rn_perf_step_of(&c, &v, fmax(1.0, p->use.sequences), 1000.0).seconds;
}

static ration_status read_numbers(const rn_fid_table *table, int32_t row, rn_fid_power *p,
                                  double *itl_ms, double *params, double *active,
                                  ration_error *error)
{
    double most = 0.0;
    const struct {
        const char *column;
        double none;
        double *value;
    } list[] = {{"n_gpus", 1, &p->gpus},
                {"max_num_seqs", 0, &most},
                {"avg_batch", 0, &p->use.sequences},
                {"median_itl_ms", 0, itl_ms},
                {"tokens_per_s", 0, &p->tokens_per_s},
                {"power_limit_w", 0, &p->limit_w},
                {"gpu_util_pct", 0, &p->busy_percent},
                {"params_b", 0, params},
                {"active_params_b", 0, active},
                {"power_w", 0, &p->measured_w}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; ++i) {
        const ration_status status = rn_fid_cell_number(table, row, list[i].column, list[i].none,
                                                        0.0, 1e9, list[i].value, error);
        if (status != RATION_OK) {
            return status;
        }
    }
    p->use.sequences = p->use.sequences > 0.0 ? p->use.sequences : most;
    p->gpus = fmax(1.0, p->gpus);
    return RATION_OK;
}

static void fill_use(const ration_model *model, const char *dtype, double itl_ms, double params,
                     double active, rn_fid_power *p)
{
    const double total = 1e9 * (params > 0.0 ? params : model->params_billion);
    double used = 1e9 * (active > 0.0 ? active : model->active_params_billion);
    used = used > 0.0 ? used : total;
    const double batch = fmax(1.0, p->use.sequences);
    const double step_s = itl_ms > 0.0 ? itl_ms / 1e3 : step_of(model, p, dtype);
    p->tokens_per_s = p->tokens_per_s > 0.0 ? p->tokens_per_s : 0.9 * batch / step_s;
    p->use.experts = model->shape.experts > 0 ? 1 : 0;
    p->use.memory = bytes_hit(model, total, used, batch, dtype) /
                    (p->gpus * step_s * p->gpu.memory_bytes_per_s);
    p->use.compute = 2.0 * used * p->tokens_per_s / (p->gpus * rn_perf_flops16(&p->gpu));
}

ration_status rn_fid_power_read(const ration_catalog *catalog, const rn_fid_table *table,
                                int32_t row, rn_fid_power *power, ration_error *error)
{
    rn_fid_power p;
    double itl_ms = 0.0;
    double params = 0.0;
    double active = 0.0;
    const ration_gpu *gpu = NULL;
    const ration_model *model = NULL;
    memset(&p, 0, sizeof p);
    const ration_status status = read_numbers(table, row, &p, &itl_ms, &params, &active, error);
    if (status != RATION_OK) {
        return status;
    }
    p.kind = kind_of(rn_fid_text(table, row, "kind"));
    p.model = -1;
    const bool serving = p.kind == RN_FID_POWER_SERVING;
    if (ration_catalog_gpu(catalog, rn_fid_text(table, row, "gpu"), &gpu, NULL) != RATION_OK ||
        (serving && ration_catalog_model(catalog, rn_fid_text(table, row, "model"), &model, NULL) !=
                        RATION_OK)) {
        p.kind = RN_FID_POWER_NONE;
    }
    if (p.kind != RN_FID_POWER_NONE) {
        p.gpu = gpu->perf;
        for (int32_t i = 0; i < ration_catalog_gpu_count(catalog); ++i) {
            p.card = ration_catalog_gpu_at(catalog, i) == gpu ? i : p.card;
        }
    }
    if (model != NULL && p.kind != RN_FID_POWER_NONE) {
        for (int32_t i = 0; i < ration_catalog_model_count(catalog); ++i) {
            p.model = ration_catalog_model_at(catalog, i) == model ? i : p.model;
        }
        fill_use(model, rn_fid_text(table, row, "dtype"), itl_ms, params, active, &p);
    }
    *power = p;
    return RATION_OK;
}

double rn_fid_power_predict(const rn_perf_power_fit *n, const rn_fid_power *p)
{
    switch (p->kind) {
    case RN_FID_POWER_SERVING:
        return p->gpus * rn_perf_power_curve_w(&p->gpu, n, &p->use);
    case RN_FID_POWER_CAPPED: {
        const double free_w = n->capped * p->gpu.tdp_w;
        return p->limit_w > 0.0 ? pow(pow(p->limit_w, -6.0) + pow(free_w, -6.0), -1.0 / 6.0) : 0.0;
    }
    case RN_FID_POWER_BUSY:
        return p->gpus *
               (p->gpu.idle_w + n->busy * p->busy_percent / 100.0 * (p->gpu.tdp_w - p->gpu.idle_w));
    case RN_FID_POWER_NODE:
        return p->gpus * p->gpu.tdp_w; /* 0.74 TDP, and the rest of the node */
    default:
        return 0.0;
    }
}

ration_status rn_fid_powers_read(const ration_catalog *catalog, const char *path,
                                 rn_fid_powers *powers, ration_error *error)
{
    rn_fid_table t;
    rn_fid_powers p = {NULL, 0};
    ration_status status = rn_fid_table_read(path, &t, error);
    if (status != RATION_OK) {
        return status;
    }
    p.row = calloc((size_t)t.rows + 1, sizeof *p.row);
    if (p.row == NULL) {
        status = ration_error_set(error, RATION_E_MEMORY, "%s: out of memory", path);
    }
    for (int32_t i = 0; status == RATION_OK && i < t.rows; ++i) {
        status = rn_fid_power_read(catalog, &t, i, &p.row[i], error);
        p.count = i + 1;
    }
    rn_fid_table_free(&t);
    if (status != RATION_OK) {
        rn_fid_powers_free(&p);
        return status;
    }
    *powers = p;
    return RATION_OK;
}

void rn_fid_powers_free(rn_fid_powers *powers)
{
    free(powers->row);
    powers->row = NULL;
    powers->count = 0;
}

typedef struct context {
    const rn_fid_powers *powers;
    const rn_fid_set *set;
} context;

static void residuals(const void *user, const double *value, double *residual)
{
    const context *c = user;
    rn_perf_power_fit numbers;
    rn_fid_set_store(c->set, value, true, &numbers);
    for (int32_t i = 0; i < c->powers->count; ++i) {
        const rn_fid_power *p = &c->powers->row[i];
        const double made = rn_fid_power_predict(&numbers, p);
        residual[i] = made > 0.0 && p->measured_w > 0.0 ? log(made / p->measured_w) : 0.0;
    }
}

ration_status rn_fid_powers_fit(const rn_fid_powers *powers, int32_t model, int32_t card,
                                rn_perf_power_fit *numbers, ration_error *error)
{
    double prior[RN_FID_NUMBERS_MAX];
    double spread[RN_FID_NUMBERS_MAX];
    double value[RN_FID_NUMBERS_MAX];
    const rn_fid_set set = rn_fid_power_set();
    double *weight = calloc(2 * (size_t)powers->count + 1, sizeof *weight);
    if (weight == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "out of memory for the fit");
    }
    double *soft = weight + powers->count;
    for (int32_t i = 0; i < powers->count; ++i) {
        const rn_fid_power *p = &powers->row[i];
        const bool in = p->kind < RN_FID_POWER_NODE && p->measured_w > 0.0 &&
                        (model < 0 || p->model != model) && (card < 0 || p->card != card);
        weight[i] = in ? 1.0 : 0.0;
        soft[i] = SOFT;
    }
    rn_fid_set_priors(&set, prior, spread);
    const context c = {powers, &set};
    const rn_fid_problem problem = {
        rn_fid_set_fitted(&set), powers->count, prior, spread, weight, soft, residuals, &c};
    const ration_status status = rn_fid_fit(&problem, ROUNDS, value, error);
    free(weight);
    if (status == RATION_OK) {
        rn_fid_set_store(&set, value, false, numbers);
    }
    return status;
}

/* by: 0 shipped numbers, 1 model left out, 2 GPU left out. Only serving rows in the last two. */
static ration_status predict(const rn_fid_powers *powers, int32_t by, double *made,
                             ration_error *error)
{
    rn_perf_power_fit numbers = rn_perf_power_fit_default();
    for (int32_t i = 0; i < powers->count; ++i) {
        made[i] = by == 0 ? rn_fid_power_predict(&numbers, &powers->row[i]) : -1.0;
    }
    for (int32_t first = 0; first < powers->count; ++first) {
        const rn_fid_power *f = &powers->row[first];
        if (!(made[first] < 0.0) || f->kind != RN_FID_POWER_SERVING) {
            continue;
        }
        const ration_status status = rn_fid_powers_fit(powers, by == 1 ? f->model : -1,
                                                       by == 2 ? f->card : -1, &numbers, error);
        if (status != RATION_OK) {
            return status;
        }
        for (int32_t i = first; i < powers->count; ++i) {
            const rn_fid_power *p = &powers->row[i];
            if (p->kind == f->kind && (by == 1 ? p->model == f->model : p->card == f->card)) {
                made[i] = rn_fid_power_predict(&numbers, p);
            }
        }
    }
    return RATION_OK;
}

ration_status rn_fid_powers_report(const rn_fid_powers *powers, ration_error *error)
{
    static const char *const names[] = {"serving, W and J per output token",
                                        "training under a limit", "utilisation by nvidia-smi",
                                        "whole nodes (not fitted)"};
    const size_t count = (size_t)powers->count + 1;
    double *made = calloc(4 * count, sizeof *made);
    if (made == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "out of memory for the report");
    }
    ration_status status = RATION_OK;
    for (int32_t by = 0; by < 3 && status == RATION_OK; ++by) {
        status = predict(powers, by, made + (size_t)by * count, error);
    }
    if (status == RATION_OK) {
        printf("\n| power | rows | in-sample | model left out | GPU left out |\n"
               "| --- | --- | --- | --- | --- |\n");
    }
    for (int32_t kind = 0; kind < RN_FID_POWER_NONE && status == RATION_OK; ++kind) {
        char text[3][RN_FID_SCORE_BYTES];
        rn_fid_score s[3];
        for (int32_t by = 0; by < 3; ++by) {
            int32_t rows = 0;
            for (int32_t i = 0; i < powers->count; ++i) {
                const rn_fid_power *p = &powers->row[i];
                const double watts = made[(size_t)by * count + (size_t)i];
                if ((int32_t)p->kind == kind && watts > 0.0 && p->measured_w > 0.0) {
                    made[3 * count + (size_t)rows++] = rn_fid_error(watts, p->measured_w);
                }
            }
            s[by] = rn_fid_score_of(made + 3 * count, rows);
            rn_fid_score_text(s[by], text[by]);
        }
        printf("| %s | %d | %s | %s | %s |\n", names[kind], s[0].rows, text[0], text[1], text[2]);
    }
    free(made);
    return status;
}
