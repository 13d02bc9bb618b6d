/* `ration plan`: from a scenario to a folder with the plan. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "problems/serving/check_plan.h"
#include "problems/serving/serving.h"
#include "ration/document.h"

/* Writes what was asked for: the folder, the result as JSON, the table. */
static ration_status show(const cli_options *options, const ration_serving *serving,
                          const ration_result *result, ration_error *error)
{
    char *table = NULL;
    assert(options->subject != NULL);
    const ration_instance source = {.path = options->subject, .format = "scenario"};
    RATION_TRY(ration_serving_table(serving, result, &table, error));
    assert(table != NULL);
    ration_status status = RATION_OK;
    if (options->output != NULL) {
        status = ration_serving_write(serving, result, options->output, error);
    }
    if (status == RATION_OK) {
        status = cli_write_result(options, ration_serving_program(serving), &source, result, error);
    }
    const bool table_wanted =
        !options->quiet && (options->json == NULL || strcmp(options->json, "-") != 0);
    if (status == RATION_OK && table_wanted) {
        fputs(table, stdout);
        if (options->output != NULL) {
            printf("\nWritten to %s: plan.json and one configuration per workload; check with "
                   "'ration verify %s'.\n",
                   options->output, options->output);
        }
    }
    free(table);
    return status;
}

static int solve_and_show(const cli_options *options, ration_serving *serving, const int32_t *start)
{
    ration_error error = {RATION_OK, ""};
    ration_result *result = NULL;
    ration_run run = options->run;
    run.start = start;
    assert(start == NULL || options->run.resume == NULL);
    cli_watch(options, &run);
    ration_status status = ration_serving_solve(serving, &run, &result, &error);
    cli_watch_end();
    if (status != RATION_OK) {
        return cli_fail(&error);
    }
    const int code = cli_exit_of(result);
    status = show(options, serving, result, &error);
    ration_result_free(result);
    return status == RATION_OK ? code : cli_fail(&error);
}

int cli_plan(const cli_options *options)
{
    ration_error error = {RATION_OK, ""};
    ration_serving *serving = NULL;
    int32_t *start = NULL;
    ration_status status = cli_target_check(options->json, options->subject, true, &error);
    if (status == RATION_OK) {
        status = cli_folder_check(options->output, &error);
    }
    if (status == RATION_OK) {
        status = cli_target_check(options->run.checkpoint, options->subject, false, &error);
    }
    if (status == RATION_OK) {
        status = cli_resume_check(options->run.resume, &error);
    }
    if (status == RATION_OK) {
        status = ration_serving_read(options->subject, &serving, &error);
    }
    if (status == RATION_OK && options->start != NULL) {
        status = cli_start_read(options->start, ration_serving_program(serving), &start, &error);
    }
    const int code =
        status == RATION_OK ? solve_and_show(options, serving, start) : cli_fail_input(&error);
    free(start);
    ration_serving_free(serving);
    return code;
}

int cli_verify_plan(const cli_options *options)
{
    static const char *const words[] = {"optimal", "feasible", "infeasible", "unknown"};
    ration_error error = {RATION_OK, ""};
    ration_plan_status found = RATION_PLAN_UNKNOWN;
    if (options->json != NULL) {
        return cli_usage("--json writes a result; %s is the folder of a plan, whose figures are in "
                         "its plan.json",
                         options->subject);
    }
    const ration_status status = ration_serving_verify_dir(options->subject, &found, &error);
    if (status != RATION_OK) {
        return status == RATION_E_MISMATCH ? cli_fail(&error) : cli_fail_input(&error);
    }
    if (!options->quiet) {
        printf(
            "verified: %s\n  %s; every figure of plan.json, the configurations, the picks and the"
            " proof of the bound hold\n",
            options->subject, words[found]);
    }
    return CLI_DONE;
}
