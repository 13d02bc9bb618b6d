/* The end-to-end runs of a table: reading, fitting with parts left out. */
#include "runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

enum { ROUNDS = 40 };

/* Weight of a flagged run, of TTFT beside TPOT, and where residuals stop counting squared. */
static const double FLAGGED = 0.3;
static const double TTFT_WEIGHT = 0.8;
static const double SOFT_TPOT = 0.10;
static const double SOFT_TTFT = 0.15;

static ration_status read_peer(const char *path, rn_fid_runs *runs, ration_error *error)
{
    rn_fid_table t;
    ration_status status = rn_fid_table_read(path, &t, error);
    if (status != RATION_OK) {
        return status;
    }
    int32_t at = 0; /* both tables are in the order of their ids */
    double id = -1.0;
    for (int32_t i = 0; i < runs->count; ++i) {
        const rn_fid_run *run = &runs->run[i];
        for (; status == RATION_OK && at < t.rows && id < run->id; at += id < run->id ? 1 : 0) {
            status = rn_fid_cell_number(&t, at, "row", -1.0, 0.0, 2e9, &id, error);
        }
        if (id == run->id) {
            const double ttft_ms = strtod(rn_fid_text(&t, at, "silicon_ttft_ms"), NULL);
            const double tpot_ms = strtod(rn_fid_text(&t, at, "silicon_tpot_ms"), NULL);
            runs->peer[i].ttft_s = ttft_ms / 1e3; /* 0 for a word in place of a number */
            runs->peer[i].tpot_s = tpot_ms / 1e3;
            runs->peer[i].tokens_per_s =
                tpot_ms > 0.0
                    ? 1e3 * run->given * run->output / (ttft_ms + (run->output - 1.0) * tpot_ms)
                    : 0.0;
        }
    }
    rn_fid_table_free(&t);
    return status;
}

ration_status rn_fid_runs_read(const ration_catalog *catalog, const char *path, const char *peer,
                               rn_fid_runs *runs, ration_error *error)
{
    rn_fid_runs r;
    memset(&r, 0, sizeof r);
    ration_status status = rn_fid_table_read(path, &r.table, error);
    if (status != RATION_OK) {
        return status;
    }
    const size_t rows = (size_t)r.table.rows;
    r.run = calloc(rows + 1, sizeof *r.run);
    r.peer = calloc(rows + 1, sizeof *r.peer);
    if (r.run == NULL || r.peer == NULL) {
        status = ration_error_set(error, RATION_E_MEMORY, "%s: out of memory", path);
    }
    for (int32_t i = 0; status == RATION_OK && i < r.table.rows; ++i) {
        status = rn_fid_run_read(catalog, &r.table, i, &r.run[i], error);
        r.count = i + 1;
    }
    status = status == RATION_OK && peer != NULL ? read_peer(peer, &r, error) : status;
    if (status != RATION_OK) {
        rn_fid_runs_free(&r);
        return status;
    }
    *runs = r;
    return RATION_OK;
}

void rn_fid_runs_free(rn_fid_runs *runs)
{
    rn_fid_table_free(&runs->table);
    free(runs->run);
    free(runs->peer);
    memset(runs, 0, sizeof *runs);
}

/* What the residuals need. */
typedef struct context {
    const rn_fid_runs *runs;
    const rn_fid_set *set;
    const double *weight;
} context;

static double log_ratio(double predicted, double measured)
{
    return predicted > 0.0 && measured > 0.0 ? log(predicted / measured) : 0.0;
}

static void residuals(const void *user, const double *value, double *residual)
{
    const context *c = user;
    rn_fid_serving numbers = rn_fid_serving_default();
    rn_fid_set_store(c->set, value, true, &numbers);
    for (int32_t i = 0; i < c->runs->count; ++i) {
        const rn_fid_run *run = &c->runs->run[i];
        residual[2 * i] = 0.0;
        residual[2 * i + 1] = 0.0;
        if (c->weight[2 * i] > 0.0) {
            const rn_fid_times t = rn_fid_run_predict(&numbers, run);
            residual[2 * i] = log_ratio(t.tpot_s, run->tpot_s);
            residual[2 * i + 1] = log_ratio(t.ttft_s, run->ttft_s);
        }
    }
}

static bool left_out(const rn_fid_run *run, rn_fid_out out, int32_t index)
{
    return (out == RN_FID_OUT_MODEL && run->model == index) ||
           (out == RN_FID_OUT_SYSTEM && run->gpu == index);
}

ration_status rn_fid_runs_fit(const rn_fid_runs *runs, rn_fid_out out, int32_t index,
                              rn_fid_serving *numbers, ration_error *error)
{
    double prior[RN_FID_NUMBERS_MAX];
    double spread[RN_FID_NUMBERS_MAX];
    double value[RN_FID_NUMBERS_MAX];
    const rn_fid_set set = rn_fid_serving_set();
    double *weight = calloc(4 * (size_t)runs->count + 1, sizeof *weight);
    if (weight == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "out of memory for the fit");
    }
    double *soft = weight + 2 * runs->count;
    for (int32_t i = 0; i < runs->count; ++i) {
        const rn_fid_run *run = &runs->run[i];
        const bool used = run->known && !left_out(run, out, index);
        weight[2 * i] = used ? (run->flagged ? FLAGGED : 1.0) : 0.0;
        weight[2 * i + 1] = TTFT_WEIGHT * weight[2 * i];
        soft[2 * i] = SOFT_TPOT;
        soft[2 * i + 1] = SOFT_TTFT;
    }
    rn_fid_set_priors(&set, prior, spread);
    const context c = {runs, &set, weight};
    const rn_fid_problem problem = {
        rn_fid_set_fitted(&set), 2 * runs->count, prior, spread, weight, soft, residuals, &c};
    const ration_status status = rn_fid_fit(&problem, ROUNDS, value, error);
    free(weight);
    if (status == RATION_OK) {
        rn_fid_set_store(&set, value, false, numbers);
    }
    return status;
}

ration_status rn_fid_runs_predict(const rn_fid_runs *runs, rn_fid_out out, rn_fid_times *times,
                                  ration_error *error)
{
    rn_fid_serving numbers = rn_fid_serving_default();
    if (out == RN_FID_OUT_NONE) {
        for (int32_t i = 0; i < runs->count; ++i) {
            times[i] = rn_fid_run_predict(&numbers, &runs->run[i]);
        }
        return RATION_OK;
    }
    for (int32_t i = 0; i < runs->count; ++i) {
        times[i].tpot_s = -1.0;
    }
    for (int32_t first = 0; first < runs->count; ++first) {
        const rn_fid_run *run = &runs->run[first];
        const int32_t index = out == RN_FID_OUT_MODEL ? run->model : run->gpu;
        if (!(times[first].tpot_s < 0.0)) {
            continue;
        }
        const ration_status status = rn_fid_runs_fit(runs, out, index, &numbers, error);
        if (status != RATION_OK) {
            return status;
        }
        for (int32_t i = first; i < runs->count; ++i) {
            if (left_out(&runs->run[i], out, index)) {
                times[i] = rn_fid_run_predict(&numbers, &runs->run[i]);
            }
        }
    }
    return RATION_OK;
}
