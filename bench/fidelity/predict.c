/* Predicts the rows of a table of any of the known kinds. */
#include "predict.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disagg.h"
#include "memory.h"
#include "power.h"
#include "rate.h"
#include "run.h"

rn_fid_answer rn_fid_answer_none(void)
{
    rn_fid_answer a;
    for (int32_t q = 0; q < RN_FID_QUANTITIES; ++q) {
        a.value[q] = NAN;
    }
    return a;
}

/* The quantities of end-to-end runs; none where no time came out. */
static void take_times(rn_fid_times t, rn_fid_answer *answer)
{
    if (t.tpot_s > 0.0) {
        answer->value[0] = 1e3 * t.ttft_s;
        answer->value[1] = 1e3 * t.tpot_s;
        answer->value[2] = t.tokens_per_s;
    }
}

static ration_status answer_aggregated(const ration_catalog *catalog, const rn_fid_table *table,
                                       int32_t row, rn_fid_answer *answer, ration_error *error)
{
    rn_fid_run run;
    const ration_status status = rn_fid_run_read(catalog, table, row, &run, error);
    if (status != RATION_OK) {
        return status;
    }
    const rn_fid_serving numbers = rn_fid_serving_default();
    take_times(rn_fid_run_predict(&numbers, &run), answer);
    return RATION_OK;
}

static ration_status answer_rate(const ration_catalog *catalog, const rn_fid_table *table,
                                 int32_t row, rn_fid_answer *answer, ration_error *error)
{
    rn_fid_rate rate;
    const ration_status status = rn_fid_rate_read(catalog, table, row, &rate, error);
    if (status != RATION_OK) {
        return status;
    }
    const rn_perf_batch_fit numbers = rn_perf_batch_fit_default();
    const double value = rn_fid_rate_predict(&numbers, &rate);
    answer->value[0] = value > 0.0 ? value : NAN;
    return RATION_OK;
}

static ration_status answer_memory(const ration_catalog *catalog, const rn_fid_table *table,
                                   int32_t row, rn_fid_answer *answer, ration_error *error)
{
    rn_fid_memory m;
    const ration_status status = rn_fid_memory_read(catalog, table, row, &m, error);
    if (status == RATION_OK && m.known) {
        answer->value[0] = m.weights_gib;
        answer->value[1] = m.activation_gib;
        answer->value[2] = m.non_torch_gib;
        answer->value[3] = m.kv_cache_gib;
    }
    return status;
}

static ration_status answer_power(const ration_catalog *catalog, const rn_fid_table *table,
                                  int32_t row, rn_fid_answer *answer, ration_error *error)
{
    rn_fid_power p;
    const ration_status status = rn_fid_power_read(catalog, table, row, &p, error);
    if (status != RATION_OK) {
        return status;
    }
    const rn_perf_power_fit numbers = rn_perf_power_fit_default();
    const double watts = rn_fid_power_predict(&numbers, &p);
    if (watts > 0.0) {
        answer->value[0] = watts;
        answer->value[1] = watts / p.gpus;
        answer->value[2] = p.tokens_per_s > 0.0 ? watts / p.tokens_per_s : NAN;
    }
    return RATION_OK;
}

static ration_status answer_split(const ration_catalog *catalog, const rn_fid_table *table,
                                  int32_t row, rn_fid_answer *answer, ration_error *error)
{
    rn_fid_split split;
    const ration_status status = rn_fid_split_read(catalog, table, row, &split, error);
    if (status != RATION_OK) {
        return status;
    }
    const rn_fid_serving numbers = rn_fid_serving_default();
    take_times(rn_fid_split_predict(&numbers, &split), answer);
    return RATION_OK;
}

static const rn_fid_kind kinds[] = {
    {"e2e_disagg",
     "row",
     {"system", "backend", "model", "isl", "osl", "p_tp", "d_tp", NULL},
     {"ttft_ms", "tpot_ms", "output_tokens_per_s", NULL},
     answer_split},
    {"memory_vllm",
     "row",
     {"model", "gpu", "tp", "gpu_mem_util", NULL},
     {"weights_gib", "activation_gib", "non_torch_gib", "kv_cache_gib", NULL},
     answer_memory},
    {"power",
     "row_id",
     {"kind", "gpu", "n_gpus", "scenario", NULL},
     {"power_w", "power_w_per_gpu", "j_per_output_token", NULL},
     answer_power},
    {"serving",
     "row_id",
     {"metric", "batching", "model", "gpu", "isl", "osl", NULL},
     {"value", NULL},
     answer_rate},
    {"e2e_agg",
     "row",
     {"system", "backend", "model", "isl", "osl", "tp", NULL},
     {"ttft_ms", "tpot_ms", "output_tokens_per_s", NULL},
     answer_aggregated},
};

ration_status rn_fid_kind_of(const rn_fid_table *table, const rn_fid_kind **kind,
                             ration_error *error)
{
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        bool fits = true;
        for (int32_t i = 0; kinds[k].column[i] != NULL; ++i) {
            fits = fits && rn_fid_column(table, kinds[k].column[i]) >= 0;
        }
        if (fits) {
            *kind = &kinds[k];
            return RATION_OK;
        }
    }
    return ration_error_set(error, RATION_E_INPUT,
                            "%s: line 1: found the header of no known table, expected the columns "
                            "of e2e_agg, e2e_disagg, trtllm_serving, serving_other, memory_vllm "
                            "or power",
                            table->path);
}

static void write_row(FILE *out, const rn_fid_kind *kind, const char *id, int32_t row,
                      const rn_fid_answer *answer)
{
    const bool plain = strpbrk(id, ",\"\n") == NULL;
    if (id[0] != '\0' && plain) {
        fprintf(out, "%s", id);
    } else {
        fprintf(out, "%d", row + 1);
    }
    for (int32_t q = 0; q < RN_FID_QUANTITIES && kind->quantity[q] != NULL; ++q) {
        if (isfinite(answer->value[q])) {
            fprintf(out, ",%.6g", answer->value[q]);
        } else {
            fprintf(out, ",");
        }
    }
    fprintf(out, "\n");
}

static ration_status write_all(const rn_fid_kind *kind, const rn_fid_table *table,
                               const rn_fid_answer *answer, const char *path, ration_error *error)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        return ration_error_set(error, RATION_E_IO, "%s: %s", path, strerror(errno));
    }
    fprintf(out, "%s", kind->id);
    for (int32_t q = 0; q < RN_FID_QUANTITIES && kind->quantity[q] != NULL; ++q) {
        fprintf(out, ",%s", kind->quantity[q]);
    }
    fprintf(out, "\n");
    for (int32_t row = 0; row < table->rows; ++row) {
        write_row(out, kind, rn_fid_text(table, row, kind->id), row, &answer[row]);
    }
    const bool broken = ferror(out) != 0;
    if (fclose(out) != 0 || broken) {
        return ration_error_set(error, RATION_E_IO, "%s: %s", path, strerror(errno));
    }
    return RATION_OK;
}

static bool answered(const rn_fid_answer *answer)
{
    for (int32_t q = 0; q < RN_FID_QUANTITIES; ++q) {
        if (isfinite(answer->value[q])) {
            return true;
        }
    }
    return false;
}

ration_status rn_fid_predict(const ration_catalog *catalog, const char *rows_path,
                             const char *out_path, ration_error *error)
{
    rn_fid_table table;
    const rn_fid_kind *kind = NULL;
    int32_t count = 0;
    ration_status status = rn_fid_table_read(rows_path, &table, error);
    if (status != RATION_OK) {
        return status;
    }
    rn_fid_answer *answer = calloc((size_t)table.rows + 1, sizeof *answer);
    status = answer == NULL
                 ? ration_error_set(error, RATION_E_MEMORY, "%s: out of memory", rows_path)
                 : rn_fid_kind_of(&table, &kind, error);
    for (int32_t row = 0; status == RATION_OK && row < table.rows; ++row) {
        answer[row] = rn_fid_answer_none();
        status = kind->answer(catalog, &table, row, &answer[row], error);
        count += answered(&answer[row]) ? 1 : 0;
    }
    status = status == RATION_OK ? write_all(kind, &table, answer, out_path, error) : status;
    if (status == RATION_OK) {
        fprintf(stderr, "%s: %d of %d rows answered as %s\n", rows_path, count, table.rows,
                kind->name);
    }
    free(answer);
    rn_fid_table_free(&table);
    return status;
}
