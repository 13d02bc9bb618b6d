/* The command line: what its parts share.
 *
 * A command reads its options from cli_options, works through the public API
 * alone, prints for people on stdout, remarks and progress on stderr, and
 * returns an exit code. Everything that prints or reads the environment lives
 * in this folder.
 */
#ifndef CLI_H
#define CLI_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "ration/error.h"
#include "ration/program.h"
#include "ration/solve.h"

enum {
    CLI_DONE = 0,      /* a feasible plan, or a command that makes none is done */
    CLI_NO_PLAN = 1,   /* infeasible or unknown */
    CLI_BAD_INPUT = 2, /* input or usage */
    CLI_REFUSED = 3,   /* verify refused, or an internal disagreement */
    CLI_MACHINE = 4,   /* device, memory, disk */
    CLI_STOPPED = 75   /* stopped by a signal after saving */
};

/* Everything the command line can say. Texts are borrowed from argv; NULL or a negative number: not
 * given. */
typedef struct cli_options {
    const char *subject; /* the one positional argument: a file or a folder */
    const char *output;  /* -o */
    const char *json;    /* --json */
    const char *format;  /* --format; "json" when not given */
    const char *program; /* --program */
    const char *start;   /* --start */
    const char *exact;   /* --exact: the solver to run instead */
    bool format_given;
    bool sense_given;
    ration_sense sense;
    int32_t problem;
    bool quiet;
    ration_run run;
} cli_options;

typedef struct cli_command {
    const char *name;
    const char *summary; /* one line */
    const char *subject; /* "FILE", or NULL: takes none */
    bool subject_needed;
    const char *allowed; /* option letters of the table in options.c */
    const char *help;    /* examples and what else there is to say */
    int (*run)(const cli_options *options);
} cli_command;

extern const cli_command cli_commands[];
extern const int32_t cli_command_count;

/* Parses argv[2..]; false after one sentence on stderr. */
bool cli_parse(const cli_command *command, int argc, char **argv, cli_options *options);
/* The options a command allows, as help lines on stdout. */
void cli_print_options(const cli_command *command);

/* Prints "ration: sentence" on stderr and returns the exit code of the error's status. */
int cli_fail(const ration_error *error);
/* The same for a failure to read input: whatever the reason, the input is at fault (except memory).
 */
int cli_fail_input(const ration_error *error);
/* printf form for usage errors; returns CLI_BAD_INPUT. */
int cli_usage(const char *format, ...) RATION_PRINTF(1, 2);
int cli_usage_list(const char *format, va_list arguments) RATION_PRINTF(1, 0);

/* Reads the program a command names; format from the options. program: out, owned. */
ration_status cli_program_read(const ration_instance *source, ration_program **program,
                               ration_error *error);
void cli_source(const cli_options *options, const char *path, ration_instance *source);
/* Whether --start is a part of the program, not picks to begin with. */
bool cli_start_is_program(const ration_instance *source);

/* Refuses a target that could not be written, or that is the input (NULL: none), before any work.
 * stream_allowed: "-", a FIFO or a device will do as well. */
ration_status cli_target_check(const char *path, const char *input, bool stream_allowed,
                               ration_error *error);
/* Refuses a checkpoint to resume from that cannot be opened. */
ration_status cli_resume_check(const char *path, ration_error *error);
/* The same for a folder that exists or whose parent does. */
ration_status cli_folder_check(const char *path, ration_error *error);

/* Reads picks to begin with from a result or a list of picks. start: out, [items], owned, free().
 */
ration_status cli_start_read(const char *path, const ration_program *program, int32_t **start,
                             ration_error *error);

/* Installs the handlers (once) and points run->stop, run->save, run->progress at them. */
void cli_watch(const cli_options *options, ration_run *run);
/* Ends the progress line, if one was drawn. */
void cli_watch_end(void);

/* Prints the summary of a result that is not a front-end's plan: status, cost, bound, gap, what is
 * violated. */
void cli_print_result(const ration_program *program, const ration_result *result, bool bound_only);
/* Writes the result as JSON where --json says so. */
ration_status cli_write_result(const cli_options *options, const ration_program *program,
                               const ration_instance *source, const ration_result *result,
                               ration_error *error);
/* Exit code of a finished run. */
int cli_exit_of(const ration_result *result);

/* Looks a program up on PATH as the shell would; path[size] receives where it is. */
bool cli_find_program(const char *name, char *path, size_t size);
/* Lets options->exact solve the program; prints and stores what the judge makes of its picks. */
int cli_solve_exact(const cli_options *options, const ration_instance *source,
                    const ration_program *program);
/* Prints and stores a result with picks; returns its exit code. */
int cli_show_result(const cli_options *options, const ration_program *program,
                    const ration_instance *source, const ration_result *result);

int cli_solve(const cli_options *options);
int cli_bound(const cli_options *options);
int cli_verify(const cli_options *options);
int cli_export(const cli_options *options);
/* Whether a file's name (*.sol) says that it is the solution of another solver. */
bool cli_is_solution(const char *path);
int cli_verify_solution(const cli_options *options);
int cli_plan(const cli_options *options);
int cli_verify_plan(const cli_options *options); /* of a folder */
int cli_doctor(const cli_options *options);
int cli_schema(const cli_options *options);

#endif
