/* `ration solve` and `ration bound`. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef ration_status (*program_runner)(const ration_program *, const ration_run *,
                                        ration_result **, ration_error *);

/* Runs, prints, stores. program and start are borrowed. */
static int run_and_show(const cli_options *options, const ration_instance *source,
                        const ration_program *program, const int32_t *start, bool bound_only)
{
    const program_runner runner = bound_only ? ration_bound : ration_solve;
    ration_error error = {RATION_OK, ""};
    ration_result *result = NULL;
    ration_run run = options->run;
    run.start = start;
    assert(start == NULL || options->run.resume == NULL);
    cli_watch(options, &run);
    ration_status status = runner(program, &run, &result, &error);
    cli_watch_end();
    if (status != RATION_OK) {
        return cli_fail(&error);
    }
    int code = bound_only ? CLI_DONE : cli_exit_of(result);
    if (bound_only && ration_result_status(result) == RATION_PLAN_INFEASIBLE) {
        code = CLI_NO_PLAN;
    }
    if (!options->quiet && (options->json == NULL || strcmp(options->json, "-") != 0)) {
        cli_print_result(program, result, bound_only);
    }
    status = cli_write_result(options, program, source, result, &error);
    ration_result_free(result);
    return status == RATION_OK ? code : cli_fail(&error);
}

static int solve_or_bound(const cli_options *options, bool bound_only)
{
    ration_error error = {RATION_OK, ""};
    ration_program *program = NULL;
    int32_t *start = NULL;
    ration_instance source;
    cli_source(options, options->subject, &source);
    ration_status status = cli_target_check(options->json, options->subject, true, &error);
    if (status == RATION_OK) {
        status = cli_target_check(options->run.checkpoint, options->subject, false, &error);
    }
    if (status == RATION_OK) {
        status = cli_resume_check(options->run.resume, &error);
    }
    if (status == RATION_OK) {
        status = cli_program_read(&source, &program, &error);
    }
    if (status == RATION_OK && source.start != NULL && !cli_start_is_program(&source)) {
        if (options->exact != NULL) {
            ration_program_free(program);
            return cli_usage("--start %s: --exact begins with no picks", source.start);
        }
        status = cli_start_read(source.start, program, &start, &error);
        source.start = NULL;
    }
    const int code = status != RATION_OK ? cli_fail_input(&error)
                     : options->exact != NULL
                         ? cli_solve_exact(options, &source, program)
                         : run_and_show(options, &source, program, start, bound_only);
    free(start);
    ration_program_free(program);
    return code;
}

int cli_solve(const cli_options *options)
{
    return solve_or_bound(options, false);
}

int cli_bound(const cli_options *options)
{
    cli_options unlimited = *options;
    ration_instance source;
    cli_source(options, options->subject, &source);
    if (options->start != NULL && !cli_start_is_program(&source)) {
        return cli_usage("--start %s: a bound begins with no picks; only a program of format "
                         "roadef needs a start",
                         options->start);
    }
    ration_run untouched;
    ration_run_default(&untouched);
    if (unlimited.run.time_us == untouched.time_us) {
        unlimited.run.time_us = -1; /* a bound ends by itself */
    }
    return solve_or_bound(&unlimited, true);
}
