/* `ration export`, and `ration verify` for what other solvers found. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "ration/export.h"

/* The format that a file's name asks for. */
static ration_status format_of(const char *path, ration_export_format *format, ration_error *error)
{
    const char *dot = strrchr(path, '.');
    if (dot != NULL && strcmp(dot, ".mps") == 0) {
        *format = RATION_EXPORT_MPS;
        return RATION_OK;
    }
    if (dot != NULL && strcmp(dot, ".lp") == 0) {
        *format = RATION_EXPORT_LP;
        return RATION_OK;
    }
    return ration_error_set(error, RATION_E_INPUT,
                            "-o: a file ending in .mps or .lp was expected, found '%.200s'", path);
}

/* Refuses --start where it is no part of the program. */
static ration_status check_start(const ration_instance *source, ration_error *error)
{
    if (source->start == NULL || cli_start_is_program(source)) {
        return RATION_OK;
    }
    return ration_error_set(error, RATION_E_INPUT,
                            "--start %.200s: only a program of format roadef needs a start",
                            source->start);
}

int cli_export(const cli_options *options)
{
    ration_error error = {RATION_OK, ""};
    ration_program *program = NULL;
    ration_export_format format = RATION_EXPORT_MPS;
    ration_export_size size;
    ration_instance source;
    if (options->output == NULL) {
        return cli_usage("'ration export' needs -o FILE, ending in .mps or .lp");
    }
    cli_source(options, options->subject, &source);
    ration_status status = format_of(options->output, &format, &error);
    if (status == RATION_OK) {
        status = check_start(&source, &error);
    }
    if (status == RATION_OK) {
        status = cli_target_check(options->output, options->subject, false, &error);
    }
    if (status == RATION_OK) {
        status = cli_program_read(&source, &program, &error);
    }
    if (status != RATION_OK) {
        return cli_fail_input(&error);
    }
    status = ration_program_export(program, format, options->output, &size, &error);
    ration_program_free(program);
    if (status != RATION_OK) {
        return cli_fail(&error);
    }
    if (!options->quiet) {
        printf("%s: %" PRId32 " columns (%" PRId32 " binary), %" PRId32 " rows, %" PRId64
               " nonzeros, %" PRId64 " bytes\n",
               options->output, size.columns, size.binaries, size.rows, size.nonzeros, size.bytes);
    }
    return CLI_DONE;
}

bool cli_is_solution(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcmp(dot, ".sol") == 0;
}

int cli_show_result(const cli_options *options, const ration_program *program,
                    const ration_instance *source, const ration_result *result)
{
    ration_error error = {RATION_OK, ""};
    if (!options->quiet && (options->json == NULL || strcmp(options->json, "-") != 0)) {
        cli_print_result(program, result, false);
    }
    return cli_write_result(options, program, source, result, &error) == RATION_OK
               ? cli_exit_of(result)
               : cli_fail(&error);
}

/* Prints and stores the judge's result of a solver's picks. */
static int show_solution(const cli_options *options, const ration_instance *source,
                         const ration_program *program)
{
    ration_error error = {RATION_OK, ""};
    ration_result *result = NULL;
    if (ration_export_read_result(program, options->subject, &result, &error) != RATION_OK) {
        return cli_fail_input(&error);
    }
    const int code = cli_show_result(options, program, source, result);
    ration_result_free(result);
    return code;
}

int cli_verify_solution(const cli_options *options)
{
    ration_error error = {RATION_OK, ""};
    ration_program *program = NULL;
    ration_instance source;
    if (options->program == NULL) {
        return cli_usage("%s: a solver's solution names no program; give --program FILE",
                         options->subject);
    }
    cli_source(options, options->program, &source);
    ration_status status = cli_target_check(options->json, options->subject, true, &error);
    if (status == RATION_OK) {
        status = check_start(&source, &error);
    }
    if (status == RATION_OK) {
        status = cli_program_read(&source, &program, &error);
    }
    const int code =
        status == RATION_OK ? show_solution(options, &source, program) : cli_fail_input(&error);
    ration_program_free(program);
    return code;
}
