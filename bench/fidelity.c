/* How well the performance model predicts published measurements.
 *
 *   build/bench/fidelity                                  the tables of docs/fidelity.md
 *   build/bench/fidelity --rows FILE.csv --predict OUT.csv
 *   build/bench/fidelity --fit include/perf/fitted.h      refits, writes every fitted number
 *
 * FILE has the columns of one of the shared tables; measured columns may be
 * blank. The report and the fit read the shared data (--shared DIR, default
 * ../shared beside the sources); a prediction needs nothing but FILE.
 * Exit codes: 0 done, 2 bad input or usage, 4 the machine failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fidelity/disagg.h"
#include "fidelity/memory.h"
#include "fidelity/power.h"
#include "fidelity/predict.h"
#include "fidelity/rate.h"
#include "fidelity/runs.h"

#ifndef RATION_SHARED_DIR
#define RATION_SHARED_DIR "../shared"
#endif

typedef struct options {
    const char *shared;
    const char *rows;
    const char *predict;
    const char *fit;
} options;

enum { PATH_BYTES = 4096 };

static const char *data(const options *o, const char *file, char *path)
{
    snprintf(path, PATH_BYTES, "%s/data/%s", o->shared, file);
    return path;
}

/* The shared tables, read once. */
typedef struct shared {
    rn_fid_runs runs;
    rn_fid_rates rates;
    rn_fid_powers powers;
} shared;

static void forget(shared *s)
{
    rn_fid_runs_free(&s->runs);
    rn_fid_rates_free(&s->rates);
    rn_fid_powers_free(&s->powers);
}

static ration_status read_shared(const ration_catalog *catalog, const options *o, shared *s,
                                 ration_error *error)
{
    char one[PATH_BYTES];
    char two[PATH_BYTES];
    memset(s, 0, sizeof *s);
    ration_status status =
        rn_fid_runs_read(catalog, data(o, "silicon/e2e_agg.csv", one),
                         data(o, "silicon/e2e_aic_pred.csv", two), &s->runs, error);
    if (status == RATION_OK) {
        status = rn_fid_rates_read(catalog, data(o, "fidelity/trtllm_serving.csv", one),
                                   data(o, "fidelity/serving_other.csv", two), &s->rates, error);
    }
    if (status == RATION_OK) {
        status = rn_fid_powers_read(catalog, data(o, "fidelity/power.csv", one), &s->powers, error);
    }
    if (status != RATION_OK) {
        forget(s);
    }
    return status;
}

static ration_status report(const ration_catalog *catalog, const options *o, ration_error *error)
{
    shared s;
    ration_status status = read_shared(catalog, o, &s, error);
    if (status != RATION_OK) {
        return status;
    }
    printf("Errors are |predicted / measured - 1| in per cent, mean / median.\n");
    status = rn_fid_runs_report(catalog, &s.runs, error);
    if (status == RATION_OK) {
        char rows[PATH_BYTES];
        char peer[PATH_BYTES];
        status = rn_fid_splits_report(catalog, data(o, "silicon/e2e_disagg.csv", rows),
                                      data(o, "silicon/e2e_aic_pred.csv", peer), error);
    }
    status = status == RATION_OK ? rn_fid_rates_report(&s.rates, error) : status;
    status = status == RATION_OK ? rn_fid_powers_report(&s.powers, error) : status;
    if (status == RATION_OK) {
        char path[PATH_BYTES];
        status = rn_fid_memory_report(catalog, data(o, "silicon/memory_vllm.csv", path), error);
    }
    forget(&s);
    return status;
}

static ration_status refit(const ration_catalog *catalog, const options *o, ration_error *error)
{
    shared s;
    rn_fid_serving serving = rn_fid_serving_default();
    rn_perf_batch_fit batch = rn_perf_batch_fit_default();
    rn_perf_power_fit power = rn_perf_power_fit_default();
    ration_status status = read_shared(catalog, o, &s, error);
    if (status != RATION_OK) {
        return status;
    }
    status = rn_fid_runs_fit(&s.runs, RN_FID_OUT_NONE, 0, &serving, error);
    status = status == RATION_OK ? rn_fid_rates_fit(&s.rates, -1, -1, &batch, error) : status;
    status = status == RATION_OK ? rn_fid_powers_fit(&s.powers, -1, -1, &power, error) : status;
    forget(&s);
    return status == RATION_OK ? rn_fid_numbers_write(o->fit, &serving, &batch, &power, error)
                               : status;
}

static ration_status run(const options *o, ration_error *error)
{
    ration_catalog *catalog = NULL;
    ration_status status = ration_catalog_open(&catalog, error);
    if (status != RATION_OK) {
        return status;
    }
    if (o->rows != NULL) {
        status = rn_fid_predict(catalog, o->rows, o->predict, error);
    } else if (o->fit != NULL) {
        status = refit(catalog, o, error);
    } else {
        status = report(catalog, o, error);
    }
    ration_catalog_free(catalog);
    return status;
}

static int usage(const char *word)
{
    fprintf(stderr,
            "fidelity: %s\nusage: fidelity [--shared DIR]\n"
            "       fidelity --rows FILE.csv --predict OUT.csv\n"
            "       fidelity --fit FITTED.h [--shared DIR]\n",
            word);
    return 2;
}

int main(int argc, char **argv)
{
    const char *given = getenv("RATION_SHARED");
    options o = {given != NULL ? given : RATION_SHARED_DIR, NULL, NULL, NULL};
    for (int i = 1; i < argc; ++i) {
        const char **value = strcmp(argv[i], "--shared") == 0    ? &o.shared
                             : strcmp(argv[i], "--rows") == 0    ? &o.rows
                             : strcmp(argv[i], "--predict") == 0 ? &o.predict
                             : strcmp(argv[i], "--fit") == 0     ? &o.fit
                                                                 : NULL;
        if (value == NULL || i + 1 == argc) {
            return usage(value == NULL ? "an unknown word" : "a word lacks its value");
        }
        *value = argv[++i];
    }
    if ((o.rows == NULL) != (o.predict == NULL) || (o.rows != NULL && o.fit != NULL)) {
        return usage("--rows and --predict go together, and alone");
    }
    ration_error error;
    const ration_status status = run(&o, &error);
    if (status != RATION_OK) {
        fprintf(stderr, "fidelity: %s\n", error.text);
        return status == RATION_E_INPUT || status == RATION_E_IO ? 2 : 4;
    }
    return 0;
}
