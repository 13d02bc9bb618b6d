/* `ration solve --exact`: another solver looks for the plan, the judge says what it is worth.
 *
 * The model goes to a folder of its own below $TMPDIR, the solver runs there by
 * its command line, and the picks are read back. What the solver says of its
 * bound is shown as its word, not as ours: it comes without a certificate.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "ration/document.h"
#include "ration/export.h"

enum { EXACT_PATH_MAX = 4096, EXACT_WORD_MAX = 64, EXACT_WORDS_MAX = 24, EXACT_LINE_MAX = 200 };

/* One run: its folder and the command, whose words are those that the solver's table makes. */
typedef struct exact_run {
    const char *name; /* "highs", ... */
    char program[EXACT_PATH_MAX];
    char folder[EXACT_PATH_MAX];
    char words[EXACT_WORDS_MAX][EXACT_WORD_MAX];
    int32_t count;
    int64_t seconds; /* -1: no limit */
    int32_t threads; /* 0: the solver's own choice */
    bool maximise;
} exact_run;

/* Files of the folder. Short, so that no solver has trouble with them. */
static const char *const exact_files[] = {"model.mps", "model.sol", "options.txt", "log.txt"};
enum { EXACT_MODEL, EXACT_SOLUTION, EXACT_OPTIONS, EXACT_LOG, EXACT_FILES };

bool cli_find_program(const char *name, char *path, size_t size)
{
    const char *folders = getenv("PATH");
    while (folders != NULL && *folders != '\0') {
        const size_t length = strcspn(folders, ":");
        const int written = snprintf(path, size, "%.*s/%s", (int)length, folders, name);
        if (length > 0 && written > 0 && (size_t)written < size && access(path, X_OK) == 0) {
            return true;
        }
        folders += length + (folders[length] == ':' ? 1 : 0);
    }
    return false;
}

static void add_word(exact_run *run, const char *format, ...) RATION_PRINTF(2, 3);

static void add_word(exact_run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->words[run->count], EXACT_WORD_MAX, format, arguments);
    va_end(arguments);
    run->count++;
}

/* highs model.mps --options_file options.txt; everything else stands in that file. */
static ration_status highs_words(exact_run *run, ration_error *error)
{
    char path[EXACT_PATH_MAX + EXACT_WORD_MAX];
    char text[512];
    int used = snprintf(text, sizeof text,
                        "mip_rel_gap = 0\nmip_abs_gap = 0\nwrite_solution_to_file = true\n"
                        "solution_file = %s\n",
                        exact_files[EXACT_SOLUTION]);
    if (run->seconds >= 0) {
        used += snprintf(text + used, sizeof text - (size_t)used, "time_limit = %" PRId64 "\n",
                         run->seconds);
    }
    if (run->threads > 0) {
        used += snprintf(text + used, sizeof text - (size_t)used, "threads = %" PRId32 "\n",
                         run->threads);
    }
    snprintf(path, sizeof path, "%s/%s", run->folder, exact_files[EXACT_OPTIONS]);
    add_word(run, "%s", exact_files[EXACT_MODEL]);
    add_word(run, "--options_file");
    add_word(run, "%s", exact_files[EXACT_OPTIONS]);
    return ration_file_write(path, text, (size_t)used, error);
}

/* scip -c COMMAND ... */
static ration_status scip_words(exact_run *run, ration_error *error)
{
    (void)error;
    add_word(run, "-c");
    add_word(run, "read %s", exact_files[EXACT_MODEL]);
    add_word(run, "-c");
    add_word(run, "set limits gap 0");
    if (run->seconds >= 0) {
        add_word(run, "-c");
        add_word(run, "set limits time %" PRId64, run->seconds);
    }
    add_word(run, "-c");
    add_word(run, "optimize");
    add_word(run, "-c");
    add_word(run, "write solution %s", exact_files[EXACT_SOLUTION]);
    add_word(run, "-c");
    add_word(run, "quit");
    return RATION_OK;
}

/* cbc model.mps COMMAND VALUE ... */
static ration_status cbc_words(exact_run *run, ration_error *error)
{
    (void)error;
    add_word(run, "%s", exact_files[EXACT_MODEL]);
    if (run->seconds >= 0) {
        add_word(run, "-sec");
        add_word(run, "%" PRId64, run->seconds);
    }
    if (run->threads > 0) {
        add_word(run, "-threads");
        add_word(run, "%" PRId32, run->threads);
    }
    if (run->maximise) {
        add_word(run, "-max"); /* CBC 2.10 does not look at OBJSENSE */
    }
    add_word(run, "-ratio");
    add_word(run, "0");
    add_word(run, "-allow");
    add_word(run, "0");
    add_word(run, "-solve");
    add_word(run, "-solu");
    add_word(run, "%s", exact_files[EXACT_SOLUTION]);
    add_word(run, "-quit");
    return RATION_OK;
}

typedef struct exact_solver {
    const char *name;
    ration_status (*words)(exact_run *run, ration_error *error);
} exact_solver;

static const exact_solver exact_solvers[] = {
    {"highs", highs_words}, {"scip", scip_words}, {"cbc", cbc_words}};
enum { EXACT_SOLVERS = (int32_t)(sizeof exact_solvers / sizeof exact_solvers[0]) };

static void path_of(const exact_run *run, int32_t file, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", run->folder, exact_files[file]);
}

static ration_status make_folder(exact_run *run, ration_error *error)
{
    const char *base = getenv("TMPDIR");
    const char *chosen = base != NULL && base[0] != '\0' ? base : "/tmp";
    const int length = snprintf(run->folder, sizeof run->folder, "%s/ration-XXXXXX", chosen);
    if (length < 0 || length >= (int)sizeof run->folder - EXACT_WORD_MAX ||
        mkdtemp(run->folder) == NULL) {
        run->folder[0] = '\0';
        return ration_error_set(error, RATION_E_IO, "%.200s: no folder can be made there: %s",
                                chosen, strerror(errno));
    }
    return RATION_OK;
}

/* Removes the folder and what is known to be in it. */
static void remove_folder(const exact_run *run)
{
    char path[EXACT_PATH_MAX + EXACT_WORD_MAX];
    for (int32_t file = 0; run->folder[0] != '\0' && file < EXACT_FILES; file++) {
        path_of(run, file, path, sizeof path);
        (void)unlink(path);
    }
    if (run->folder[0] != '\0') {
        (void)rmdir(run->folder);
    }
}

/* The child: goes to the folder, writes to the log, becomes the solver. */
static void become_solver(const exact_run *run)
{
    char *argv[EXACT_WORDS_MAX + 2];
    argv[0] = (char *)run->program;
    for (int32_t k = 0; k < run->count; k++) {
        argv[k + 1] = (char *)run->words[k];
    }
    argv[run->count + 1] = NULL;
    const int nothing = open("/dev/null", O_RDONLY);
    const int log = chdir(run->folder) == 0
                        ? open(exact_files[EXACT_LOG], O_WRONLY | O_CREAT | O_TRUNC, 0600)
                        : -1;
    if (nothing >= 0 && log >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
        dup2(log, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0) {
        execv(run->program, argv);
    }
    _exit(127);
}

/* Runs the solver to its end. As with system(3), this process lets the child have the signals from
 * the keyboard, so that the folder is removed in any case. */
static ration_status run_solver(const exact_run *run, ration_error *error)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction interrupt;
    struct sigaction quit;
    int state = 0;
    sigemptyset(&ignore.sa_mask);
    const pid_t child = fork();
    if (child == 0) {
        become_solver(run);
    }
    if (child < 0) {
        return ration_error_set(error, RATION_E_MEMORY, "%s cannot be started: %s", run->name,
                                strerror(errno));
    }
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    if (WIFEXITED(state) && WEXITSTATUS(state) == 127) {
        return ration_error_set(error, RATION_E_ABSENT, "%s cannot be run", run->program);
    }
    return RATION_OK;
}

/* What the solver says of its work, where its files say it in one line: HiGHS below "Model
 * status", CBC in the first line. */
static void show_word(const exact_run *run)
{
    char path[EXACT_PATH_MAX + EXACT_WORD_MAX];
    char line[EXACT_LINE_MAX];
    path_of(run, EXACT_SOLUTION, path, sizeof path);
    FILE *file = fopen(path, "r");
    for (int32_t k = 0; file != NULL && k < 2 && fgets(line, sizeof line, file) != NULL; k++) {
        line[strcspn(line, "\r\n")] = '\0';
        if ((strcmp(run->name, "highs") == 0 && k == 1) ||
            (strcmp(run->name, "highs") != 0 && k == 0)) {
            fprintf(stderr, "ration: %s says '%s'; what follows is the judge's\n", run->name, line);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

/* Reads, prints and stores what the solver found. */
static int show_found(const cli_options *options, const ration_instance *source,
                      const ration_program *program, const exact_run *run)
{
    char path[EXACT_PATH_MAX + EXACT_WORD_MAX];
    ration_error error = {RATION_OK, ""};
    ration_result *result = NULL;
    path_of(run, EXACT_SOLUTION, path, sizeof path);
    if (!options->quiet) {
        show_word(run);
    }
    if (access(path, R_OK) != 0) {
        fprintf(stderr, "ration: %s left no solution\n", run->name);
        return CLI_NO_PLAN;
    }
    const ration_status status = ration_export_read_result(program, path, &result, &error);
    if (status != RATION_OK) {
        return status == RATION_E_INPUT ? (cli_fail(&error), CLI_NO_PLAN) : cli_fail(&error);
    }
    const int code = cli_show_result(options, program, source, result);
    ration_result_free(result);
    return code;
}

static ration_status prepare(const cli_options *options, const ration_program *program,
                             exact_run *run, ration_error *error)
{
    char path[EXACT_PATH_MAX + EXACT_WORD_MAX];
    char found[EXACT_PATH_MAX];
    run->name = options->exact;
    run->seconds = options->run.time_us < 0 ? -1 : (options->run.time_us + 999999) / 1000000;
    run->threads = options->run.threads;
    if (!cli_find_program(run->name, found, sizeof found) ||
        realpath(found, run->program) == NULL) {
        return ration_error_set(error, RATION_E_ABSENT,
                                "%s was not found on PATH; 'ration doctor' shows what there is",
                                run->name);
    }
    ration_sense sense;
    int64_t constant = 0;
    int32_t scale = 0;
    ration_program_objective(program, &sense, &constant, &scale);
    run->maximise = sense == RATION_MAXIMISE;
    RATION_TRY(make_folder(run, error));
    path_of(run, EXACT_MODEL, path, sizeof path);
    RATION_TRY(ration_program_export(program, RATION_EXPORT_MPS, path, NULL, error));
    for (int32_t k = 0; k < EXACT_SOLVERS; k++) {
        if (strcmp(exact_solvers[k].name, run->name) == 0) {
            RATION_TRY(exact_solvers[k].words(run, error));
        }
    }
    return RATION_OK;
}

int cli_solve_exact(const cli_options *options, const ration_instance *source,
                    const ration_program *program)
{
    ration_error error = {RATION_OK, ""};
    exact_run run = {.name = NULL};
    if (options->run.epochs >= 0 || options->run.seed_given || options->run.checkpoint != NULL ||
        options->run.resume != NULL) {
        return cli_usage("--exact: only --time and --threads reach %s, found --epochs, --seed, "
                         "--checkpoint or --resume",
                         options->exact);
    }
    ration_status status = prepare(options, program, &run, &error);
    if (status == RATION_OK) {
        status = run_solver(&run, &error);
    }
    const int code =
        status == RATION_OK ? show_found(options, source, program, &run) : cli_fail(&error);
    remove_folder(&run);
    return code;
}
