/* ration: the command. Finds the subcommand, prints help, hands over. */
#include <assert.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "ration/document.h"
#include "ration/version.h"

const cli_command cli_commands[] = {
    {"plan", "place and configure serving workloads on a cluster", "SCENARIO", true,
     "ojstexdncPbCrq",
     "  ration plan cluster.json -o plan/             plan for 10 s, write plan/plan.json and a "
     "YAML per workload\n"
     "  ration plan cluster.yaml -o plan/ --time 60   look longer\n"
     "  ration verify plan/                           check the plan from scratch\n",
     cli_plan},
    {"solve", "solve an allocation program or a public instance", "FILE", true, "jfSKsXtexdncPbCrq",
     "  ration solve d20200.txt --format gap --time 30          a generalised assignment instance\n"
     "  ration solve mknapcb1.txt --format mkp --problem 3      the third knapsack of a file\n"
     "  ration solve model.txt --format roadef --start now.txt  move processes from now on\n"
     "  ration solve program.json --json result.json            an allocation program; keep the "
     "result\n"
     "  ration solve program.json --start result.json           begin where an earlier result "
     "ended\n"
     "  ration solve program.json --epochs 40 --seed 7          the same bits on every machine\n"
     "  ration solve program.json --exact highs --time 60       let another solver look for it\n",
     cli_solve},
    {"bound", "only the proven bound, with its prices", "FILE", true, "jfSKstxnq",
     "  ration bound d20200.txt --format gap                    a lower bound that verify can "
     "re-check\n"
     "  ration bound program.json --json bound.json\n",
     cli_bound},
    {"verify", "re-check a result or plan and its certificate from scratch", "RESULT|DIR", true,
     "pjfSKsq",
     "  ration verify result.json                     the program is found by the path inside\n"
     "  ration verify result.json --program p.json    the program has moved\n"
     "  ration verify plan/                           a plan: also re-added in the scenario's "
     "units\n"
     "  ration verify highs.sol --program p.json      what another solver found for an exported "
     "program\n",
     cli_verify},
    {"export", "write a program for an exact solver", "FILE", true, "ofSKsq",
     "  ration export program.json -o program.mps               free MPS\n"
     "  ration export d20200.txt --format gap -o d20200.lp      CPLEX LP\n"
     "  ration verify highs.sol --program program.json          check what a solver found\n"
     "  ration solve program.json --start highs.sol             go on from it\n",
     cli_export},
    {"doctor", "what this machine offers, and what is missing", NULL, false, "j",
     "  ration doctor\n", cli_doctor},
    {"schema", "print the JSON Schema of a file kind", "NAME", false, "",
     "  ration schema                                 the kinds there are\n"
     "  ration schema scenario > scenario.schema.json\n",
     cli_schema},
};
const int32_t cli_command_count = (int32_t)(sizeof cli_commands / sizeof cli_commands[0]);

int cli_usage_list(const char *format, va_list arguments)
{
    char text[2 * RATION_ERROR_TEXT_MAX];
    ration_error error;
    vsnprintf(text, sizeof text, format, arguments);
    ration_error_set(&error, RATION_E_INPUT, "%s",
                     text); /* what the user typed may hold line breaks */
    return cli_fail(&error);
}

int cli_usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int code = cli_usage_list(format, arguments);
    va_end(arguments);
    return code;
}

int cli_fail(const ration_error *error)
{
    assert(error->status != RATION_OK && error->text[0] != '\0');
    fprintf(stderr, "ration: %s\n", error->text);
    switch (error->status) {
    case RATION_E_INPUT:
    case RATION_E_RANGE:
    case RATION_E_STATE:
        return CLI_BAD_INPUT;
    case RATION_E_MEMORY:
    case RATION_E_DEVICE:
    case RATION_E_IO:
    case RATION_E_ABSENT:
        return CLI_MACHINE;
    default:
        return CLI_REFUSED;
    }
}

int cli_fail_input(const ration_error *error)
{
    const int code = cli_fail(error);
    assert(code != CLI_DONE);
    return error->status == RATION_E_MEMORY ? code : CLI_BAD_INPUT;
}

static int print_help(void)
{
    printf("ration %s plans AI compute and proves how good the plan is.\n\n", ration_version());
    printf("  ration plan problems/serving/examples/two-servers.json -o plan/\n\nCommands:\n");
    for (int32_t i = 0; i < cli_command_count; i++) {
        printf("  %-8s %s\n", cli_commands[i].name, cli_commands[i].summary);
    }
    printf("\n'ration COMMAND --help' shows examples and options.\n"
           "Exit codes: 0 a feasible plan or done, 1 no feasible plan, 2 bad input, 3 refused by a "
           "check,\n"
           "            4 the machine failed, 75 stopped by a signal after saving.\n");
    return CLI_DONE;
}

static int print_command_help(const cli_command *command)
{
    assert(command->help != NULL && command->summary != NULL);
    printf("ration %s %s: %s\n\nExamples:\n%s", command->name,
           command->subject != NULL ? command->subject : "", command->summary, command->help);
    if (command->allowed[0] != '\0') {
        printf("\nOptions:\n");
        cli_print_options(command);
    }
    return CLI_DONE;
}

static bool asks_help(int argc, char **argv, int from)
{
    for (int i = from; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
        if (strcmp(argv[i], "--") == 0) {
            return false;
        }
    }
    return false;
}

static int unknown_command(const char *word)
{
    enum { NAMES_MAX = 32 };
    const char *names[NAMES_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < cli_command_count && count < NAMES_MAX; i++) {
        names[count++] = cli_commands[i].name;
    }
    assert(count == cli_command_count);
    const char *near = ration_nearest(word, names, count);
    return cli_usage("'%s' is no command%s%s%s; see 'ration --help'", word,
                     near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* A full disk or closed pipe on stdout must not look like success. */
static int finish(int code)
{
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        fputs("ration: standard output could not be written\n", stderr);
        return code == CLI_DONE ? CLI_MACHINE : code;
    }
    return code;
}

/* Closed standard files are opened on nothing, so that no file of the run gets their numbers;
 * writing to them still fails. */
static void hold_standard_files(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
        if (fcntl(file, F_GETFD) == -1 && open("/dev/null", O_RDONLY) < 0) {
            return;
        }
    }
}

int main(int argc, char **argv)
{
    hold_standard_files();
    if (argc < 2) {
        print_help();
        return finish(CLI_BAD_INPUT);
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        return finish(print_help());
    }
    if (strcmp(word, "--version") == 0) {
        printf("ration %s\n", ration_version());
        return finish(CLI_DONE);
    }
    for (int32_t i = 0; i < cli_command_count; i++) {
        const cli_command *command = &cli_commands[i];
        if (strcmp(command->name, word) == 0) {
            cli_options options;
            if (asks_help(argc, argv, 2)) {
                return finish(print_command_help(command));
            }
            return finish(cli_parse(command, argc, argv, &options) ? command->run(&options)
                                                                   : CLI_BAD_INPUT);
        }
    }
    return finish(unknown_command(word));
}
