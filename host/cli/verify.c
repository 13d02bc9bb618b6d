/* `ration verify`: a result against its program, or the folder of a plan against its scenario. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "ration/document.h"

enum { VERIFY_PATH_MAX = 4096 };

/* Whether a document is the plan.json of a plan's folder. */
static bool is_plan(const ration_document *document)
{
    const ration_node *root = ration_document_root(document);
    return ration_node_kind(root) == RATION_KIND_MAP &&
           ration_node_find(root, "workloads") != NULL && ration_node_find(root, "result") != NULL;
}

/* Where a file is that a result names: given on the command line, else the path inside, else that
 * path seen from the result's own folder. */
static ration_status locate(const cli_options *options, const char *given, const char *named,
                            char *path, ration_error *error)
{
    const char *slash = strrchr(options->subject, '/');
    const char *chosen = given != NULL ? given : named;
    assert(options->subject != NULL);
    if (chosen == NULL) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%s: it names no program; give --program FILE", options->subject);
    }
    int length = snprintf(path, VERIFY_PATH_MAX, "%s", chosen);
    if (given == NULL && chosen[0] != '/' && access(path, F_OK) != 0 && slash != NULL) {
        length = snprintf(path, VERIFY_PATH_MAX, "%.*s/%s", (int)(slash - options->subject),
                          options->subject, chosen);
    }
    if (length < 0 || length >= VERIFY_PATH_MAX) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%.200s: the path of the program has over %d bytes",
                                options->subject, VERIFY_PATH_MAX - 1);
    }
    return RATION_OK;
}

/* Reads program.{path,format,start,sense,problem} of a result; options on the command line win, but
 * path and start are what the result names. */
static ration_status read_source(const cli_options *options, const ration_node *root,
                                 ration_instance *source, ration_error *error)
{
    static const char *const senses[] = {"min", "max"};
    const ration_node *map = NULL;
    RATION_TRY(ration_node_map(root, error));
    RATION_TRY(ration_node_need(root, "program", &map, error));
    RATION_TRY(ration_node_map(map, error));
    const ration_node *path = ration_node_find(map, "path");
    const ration_node *format = ration_node_find(map, "format");
    const ration_node *start = ration_node_find(map, "start");
    const ration_node *sense = ration_node_find(map, "sense");
    const ration_node *problem = ration_node_find(map, "problem");
    cli_source(options, NULL, source);
    source->start = NULL;
    if (path != NULL) {
        RATION_TRY(ration_node_text(path, false, &source->path, error));
    }
    if (start != NULL) {
        RATION_TRY(ration_node_text(start, false, &source->start, error));
    }
    if (format != NULL && !options->format_given) {
        RATION_TRY(ration_node_text(format, false, &source->format, error));
    }
    if (sense != NULL && !options->sense_given) {
        int32_t index = 0;
        RATION_TRY(ration_node_word(sense, senses, 2, &index, error));
        source->sense_given = true;
        source->sense = index == 0 ? RATION_MINIMISE : RATION_MAXIMISE;
    }
    if (problem != NULL && options->problem == 0) {
        int64_t number = 0;
        RATION_TRY(ration_node_integer(problem, 1, INT32_MAX, &number, error));
        source->problem = (int32_t)number;
    }
    assert(source->format != NULL);
    return RATION_OK;
}

/* Both sides of the check and where the program came from. */
typedef struct sides {
    char path[VERIFY_PATH_MAX];
    char start[VERIFY_PATH_MAX];
    ration_instance source;
    ration_document *document; /* of the result */
    ration_program *program;
    ration_result *result;
} sides;

/* Reads both sides; some may be left NULL on failure. */
static ration_status read_both(const cli_options *options, sides *both, ration_error *error)
{
    RATION_TRY(cli_target_check(options->json, options->subject, true, error));
    RATION_TRY(ration_document_read(options->subject, &both->document, error));
    if (is_plan(both->document)) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%.200s: is a part of a plan; its folder was expected",
                                options->subject);
    }
    const ration_node *root = ration_document_root(both->document);
    RATION_TRY(read_source(options, root, &both->source, error));
    RATION_TRY(locate(options, options->program, both->source.path, both->path, error));
    both->source.path = both->path;
    if (options->start != NULL || both->source.start != NULL) {
        RATION_TRY(locate(options, options->start, both->source.start, both->start, error));
        both->source.start = both->start;
    }
    if (both->source.start != NULL && !cli_start_is_program(&both->source)) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%.200s: a start is no part of a program of format %s",
                                options->subject, both->source.format);
    }
    RATION_TRY(cli_program_read(&both->source, &both->program, error));
    return ration_result_read(root, both->program, &both->result, error);
}

/* Prints why the check refused, the file's name first. */
static int refuse(const cli_options *options, ration_error *error)
{
    assert(error->status != RATION_OK);
    ration_error_set(error, error->status, "%.200s: %s", options->subject, error->text);
    return cli_fail(error);
}

/* Prints and stores what was verified. */
static int show_verified(const cli_options *options, const sides *both)
{
    ration_error error = {RATION_OK, ""};
    if (!options->quiet && (options->json == NULL || strcmp(options->json, "-") != 0)) {
        printf("verified: %s\n", options->subject);
        cli_print_result(both->program, both->result, !ration_result_has_picks(both->result));
    }
    const ration_status status =
        cli_write_result(options, both->program, &both->source, both->result, &error);
    return status == RATION_OK ? CLI_DONE : cli_fail(&error);
}

static int verify_result(const cli_options *options)
{
    ration_error error = {RATION_OK, ""};
    sides both = {.document = NULL};
    int code = CLI_DONE;
    ration_status status = read_both(options, &both, &error);
    if (status != RATION_OK) {
        code = status == RATION_E_MISMATCH ? refuse(options, &error) : cli_fail_input(&error);
    } else {
        status = ration_verify(both.program, both.result, &error);
        code = status == RATION_OK ? show_verified(options, &both) : refuse(options, &error);
    }
    ration_result_free(both.result);
    ration_program_free(both.program);
    ration_document_free(both.document);
    return code;
}

int cli_verify(const cli_options *options)
{
    struct stat found;
    if (stat(options->subject, &found) == 0 && S_ISDIR(found.st_mode)) {
        return cli_verify_plan(options);
    }
    return cli_is_solution(options->subject) ? cli_verify_solution(options)
                                             : verify_result(options);
}
