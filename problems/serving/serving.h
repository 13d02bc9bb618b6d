/* Serving: which GPUs run which models, in which configuration, so that every
 * workload gets its rate within its limits.
 *
 *   read -> program -> solve -> write, table
 *
 * The scenario's units (GiB, ms, W, requests/s, money) live on this side only;
 * README.md has the model, the encoding and the form of scenario and plan. A
 * `ration_serving` is immutable but for `ration_serving_solve`.
 */
#ifndef RATION_SERVING_H
#define RATION_SERVING_H

#include "ration/document.h"
#include "ration/error.h"
#include "ration/program.h"
#include "ration/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ration_serving ration_serving;

/* Reads a scenario (JSON; YAML by the name's ending), enumerates and prices its options, and builds
 * and freezes its program. Trace paths inside are relative to the scenario's folder. serving: out,
 * owned; free with ration_serving_free (NULL is a no-op). RATION_E_IO, RATION_E_INPUT with file,
 * line and path of the value, RATION_E_RANGE, RATION_E_MEMORY. */
RATION_API ration_status ration_serving_read(const char *path, ration_serving **serving,
                                             ration_error *error);
RATION_API void ration_serving_free(ration_serving *serving);

/* The frozen program: borrowed, valid until the next ration_serving_solve or the free. */
RATION_API const ration_program *ration_serving_program(const ration_serving *serving);

/* Solves it. For the objective `benefit_per_cost` this is up to four runs of ration_solve that
 * share run->time_us, each with the ratio reached so far as the price of money (Dinkelbach); the
 * program afterwards is that of the last run. result: out, owned; it belongs to
 * ration_serving_program as it is after the call. Errors of ration_solve. */
RATION_API ration_status ration_serving_solve(ration_serving *serving, const ration_run *run,
                                              ration_result **result, ration_error *error);

/* Writes DIR/plan.json, DIR/scenario.json (the scenario as it was read, also from YAML; traces are
 * copied beside it) and DIR/NAME.yaml for each workload. The folder is made if its parent exists;
 * on failure it is as before. Of an earlier plan in DIR the files that it calls its own are
 * replaced or removed. Also for an infeasible or unknown result: then plan.json holds the
 * least-violating plan, the rows it violates and what would help. RATION_E_IO, RATION_E_MEMORY. */
RATION_API ration_status ration_serving_write(const ration_serving *serving,
                                              const ration_result *result, const char *dir,
                                              ration_error *error);

/* What a person reads on stdout: at most 100 columns, UTF-8, ends in a line break. text: out,
 * owned, free(). */
RATION_API ration_status ration_serving_table(const ration_serving *serving,
                                              const ration_result *result, char **text,
                                              ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
