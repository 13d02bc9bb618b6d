/* The end-to-end runs of a table: reading, fitting with parts left out,
 * predicting, and the report. */
#ifndef RN_FIDELITY_RUNS_H
#define RN_FIDELITY_RUNS_H

#include "run.h"

typedef struct rn_fid_runs {
    rn_fid_table table;
    rn_fid_run *run; /* [table.rows] */
    int32_t count;
    rn_fid_times *peer; /* [count] of the peer's predictions; 0 where it has none */
} rn_fid_runs;

/* path: a table with the columns of e2e_agg; peer: e2e_aic_pred or NULL. runs: out, owned. */
ration_status rn_fid_runs_read(const ration_catalog *catalog, const char *path, const char *peer,
                               rn_fid_runs *runs, ration_error *error);
void rn_fid_runs_free(rn_fid_runs *runs);

/* What a fit leaves out. */
typedef enum rn_fid_out { RN_FID_OUT_NONE, RN_FID_OUT_MODEL, RN_FID_OUT_SYSTEM } rn_fid_out;

/* Fits to all runs but those of one model or GPU (`index`). */
ration_status rn_fid_runs_fit(const rn_fid_runs *runs, rn_fid_out out, int32_t index,
                              rn_fid_serving *numbers, ration_error *error);

/* times: [count]; with something left out, each run by the fit that didn't see its model or GPU. */
ration_status rn_fid_runs_predict(const rn_fid_runs *runs, rn_fid_out out, rn_fid_times *times,
                                  ration_error *error);

/* Prints the tables of e2e_agg. */
ration_status rn_fid_runs_report(const ration_catalog *catalog, const rn_fid_runs *runs,
                                 ration_error *error);

/* Prints margins and picks. left_out: [count] predictions with the model left out; room: [2 *
 * count]. */
void rn_fid_margins_report(const rn_fid_runs *runs, const rn_fid_times *left_out, double *room);

#endif
