/* The fit and the report of static batches and saturated workers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "rate.h"
#include "score.h"

enum { ROUNDS = 40 };
static const double SOFT = 0.10;
static const double STATIC_WEIGHT = 0.3;

static ration_status append(const ration_catalog *catalog, const char *path, rn_fid_rates *rates,
                            ration_error *error)
{
    rn_fid_table t;
    ration_status status = rn_fid_table_read(path, &t, error);
    if (status != RATION_OK) {
        return status;
    }
    const size_t rows = (size_t)rates->count + (size_t)t.rows + 1;
    rn_fid_rate *more = realloc(rates->rate, rows * sizeof *more);
    if (more == NULL) {
        status = ration_error_set(error, RATION_E_MEMORY, "%s: out of memory", path);
    } else {
        rates->rate = more;
    }
    for (int32_t i = 0; status == RATION_OK && i < t.rows; ++i) {
        status = rn_fid_rate_read(catalog, &t, i, &rates->rate[rates->count], error);
        rates->count += status == RATION_OK ? 1 : 0;
    }
    rn_fid_table_free(&t);
    return status;
}

ration_status rn_fid_rates_read(const ration_catalog *catalog, const char *trtllm,
                                const char *other, rn_fid_rates *rates, ration_error *error)
{
    rn_fid_rates r = {NULL, 0};
    ration_status status = append(catalog, trtllm, &r, error);
    status = status == RATION_OK ? append(catalog, other, &r, error) : status;
    if (status != RATION_OK) {
        rn_fid_rates_free(&r);
        return status;
    }
    *rates = r;
    return RATION_OK;
}

void rn_fid_rates_free(rn_fid_rates *rates)
{
    free(rates->rate);
    rates->rate = NULL;
    rates->count = 0;
}

typedef struct context {
    const rn_fid_rates *rates;
    const rn_fid_set *set;
    const double *weight;
} context;

static void residuals(const void *user, const double *value, double *residual)
{
    const context *c = user;
    rn_perf_batch_fit numbers;
    rn_fid_set_store(c->set, value, true, &numbers);
    for (int32_t i = 0; i < c->rates->count; ++i) {
        const rn_fid_rate *r = &c->rates->rate[i];
        const double made = c->weight[i] > 0.0 ? rn_fid_rate_predict(&numbers, r) : 0.0;
        residual[i] = made > 0.0 ? log(made / r->measured) : 0.0;
    }
}

static bool used(const rn_fid_rate *r)
{
    return r->known && r->scored && r->measured > 0.0 && (r->trtllm || r->llamacpp);
}

ration_status rn_fid_rates_fit(const rn_fid_rates *rates, int32_t model, int32_t gpu,
                               rn_perf_batch_fit *numbers, ration_error *error)
{
    double prior[RN_FID_NUMBERS_MAX];
    double spread[RN_FID_NUMBERS_MAX];
    double value[RN_FID_NUMBERS_MAX];
    const rn_fid_set set = rn_fid_batch_set();
    double *weight = calloc(2 * (size_t)rates->count + 1, sizeof *weight);
    if (weight == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "out of memory for the fit");
    }
    double *soft = weight + rates->count;
    for (int32_t i = 0; i < rates->count; ++i) {
        const rn_fid_rate *r = &rates->rate[i];
        const bool in = used(r) && r->model != model && r->gpu != gpu;
        weight[i] = in ? (r->inflight ? 1.0 : STATIC_WEIGHT) : 0.0;
        soft[i] = SOFT;
    }
    rn_fid_set_priors(&set, prior, spread);
    const context c = {rates, &set, weight};
    const rn_fid_problem problem = {
        rn_fid_set_fitted(&set), rates->count, prior, spread, weight, soft, residuals, &c};
    const ration_status status = rn_fid_fit(&problem, ROUNDS, value, error);
    free(weight);
    if (status == RATION_OK) {
        rn_fid_set_store(&set, value, false, numbers);
    }
    return status;
}

/* Which rows a line of the report is about. */
typedef struct part {
    const char *name;
    int32_t engine; /* 0 TensorRT-LLM's pages, 1 llama.cpp, 2 the rest: MLPerf, LMDeploy, premAI */
    int32_t inflight; /* -1 any */
    int32_t metric;   /* -1 any */
} part;

static const part parts[] = {
    {"trtllm_serving, in-flight, output tokens/s", 0, 1, RN_FID_TOKENS_PER_S},
    {"trtllm_serving, static, output tokens/s", 0, 0, RN_FID_TOKENS_PER_S},
    {"trtllm_serving, static, TTFT", 0, 0, RN_FID_TTFT_S},
    {"llama.cpp, decode", 1, 0, RN_FID_DECODE_PER_S},
    {"llama.cpp, prefill", 1, 0, RN_FID_PREFILL_PER_S},
    {"MLPerf and LMDeploy, in-flight, tokens/s (not fitted)", 2, 1, RN_FID_TOKENS_PER_S},
    {"MLPerf, samples/s (not fitted)", 2, 1, RN_FID_REQUESTS_PER_S},
    {"MLPerf, TPOT (not fitted)", 2, 1, RN_FID_STEP_S},
    {"MLPerf, TTFT (not fitted)", 2, 1, RN_FID_TTFT_S},
    {"LMDeploy, static, tokens/s (not fitted)", 2, 0, RN_FID_TOKENS_PER_S},
    {"LMDeploy, static, ITL (not fitted)", 2, 0, RN_FID_STEP_S},
    {"LMDeploy, static, TTFT (not fitted)", 2, 0, RN_FID_TTFT_S},
    {"premAI, decode of one sequence (not fitted)", 2, 0, RN_FID_DECODE_PER_S},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static bool belongs(const rn_fid_rate *r, const part *p)
{
    return r->scored && r->measured > 0.0 && r->known &&
           (r->trtllm     ? 0
            : r->llamacpp ? 1
                          : 2) == p->engine &&
           (p->inflight < 0 || r->inflight == (p->inflight == 1)) &&
           (p->metric < 0 || (int32_t)r->metric == p->metric);
}

static rn_fid_score score(const rn_fid_rates *rates, const double *made, const part *p,
                          double *room)
{
    int32_t rows = 0;
    for (int32_t i = 0; i < rates->count; ++i) {
        if (made[i] > 0.0 && belongs(&rates->rate[i], p)) {
            room[rows++] = rn_fid_error(made[i], rates->rate[i].measured);
        }
    }
    return rn_fid_score_of(room, rows);
}

/* by: 0 shipped numbers, 1 model left out, 2 GPU left out. */
static ration_status predict(const rn_fid_rates *rates, int32_t by, double *made,
                             ration_error *error)
{
    rn_perf_batch_fit numbers = rn_perf_batch_fit_default();
    for (int32_t i = 0; i < rates->count; ++i) {
        made[i] = by == 0 ? rn_fid_rate_predict(&numbers, &rates->rate[i]) : -1.0;
    }
    for (int32_t first = 0; first < rates->count; ++first) {
        const rn_fid_rate *f = &rates->rate[first];
        if (!(made[first] < 0.0) || !used(f)) {
            continue;
        }
        const ration_status status = rn_fid_rates_fit(rates, by == 1 ? f->model : -1,
                                                      by == 2 ? f->gpu : -1, &numbers, error);
        if (status != RATION_OK) {
            return status;
        }
        for (int32_t i = first; i < rates->count; ++i) {
            const rn_fid_rate *r = &rates->rate[i];
            if (used(r) && (by == 1 ? r->model == f->model : r->gpu == f->gpu)) {
                made[i] = rn_fid_rate_predict(&numbers, r);
            }
        }
    }
    return RATION_OK;
}

ration_status rn_fid_rates_report(const rn_fid_rates *rates, ration_error *error)
{
    const size_t count = (size_t)rates->count + 1;
    double *made = calloc(4 * count, sizeof *made);
    if (made == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "out of memory for the report");
    }
    ration_status status = RATION_OK;
    for (int32_t by = 0; by < 3 && status == RATION_OK; ++by) {
        status = predict(rates, by, made + (size_t)by * count, error);
    }
    if (status == RATION_OK) {
        printf("\n| saturated and static | rows | in-sample | model left out | GPU left out |\n"
               "| --- | --- | --- | --- | --- |\n");
    }
    for (int32_t p = 0; p < PARTS && status == RATION_OK; ++p) {
        char text[3][RN_FID_SCORE_BYTES];
        rn_fid_score s[3];
        for (int32_t by = 0; by < 3; ++by) {
            s[by] = score(rates, made + (size_t)by * count, &parts[p], made + 3 * count);
            rn_fid_score_text(s[by], text[by]);
        }
        printf("| %s | %d | %s | %s | %s |\n", parts[p].name, s[0].rows, text[0], text[1], text[2]);
    }
    free(made);
    return status;
}
