/* Options: one table, one strict parser. The order of options never matters. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "ration/document.h"

enum { CLI_WORDS_MAX = 8, CLI_THREADS_MAX = 4096, CLI_CHAINS_MAX = 1 << 20 };

typedef enum option_kind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_COUNT,   /* int32_t */
    OPTION_COUNT64, /* int64_t */
    OPTION_SEED,
    OPTION_SECONDS,
    OPTION_WORD
} option_kind;

typedef struct option_row {
    char letter; /* names the option in cli_command.allowed */
    const char *name;
    option_kind kind;
    int64_t low;
    int64_t high;
    size_t offset; /* of the field in cli_options */
    const char *value;
    const char *help;
    const char *words[CLI_WORDS_MAX];
} option_row;

#define FIELD(member) offsetof(cli_options, member)

static const option_row option_table[] = {
    {'o',
     "-o",
     OPTION_TEXT,
     0,
     0,
     FIELD(output),
     "DIR",
     "folder (or file) that receives the result",
     {NULL}},
    {'j',
     "--json",
     OPTION_TEXT,
     0,
     0,
     FIELD(json),
     "FILE",
     "write the result as JSON; - is standard output",
     {NULL}},
    {'f',
     "--format",
     OPTION_TEXT,
     0,
     0,
     FIELD(format),
     "F",
     "format of FILE: json (default), gap, mkp, qap, vbp, roadef",
     {NULL}},
    {'S',
     "--sense",
     OPTION_WORD,
     0,
     0,
     0,
     "min|max",
     "direction of a public instance that has both",
     {"min", "max", NULL}},
    {'K',
     "--problem",
     OPTION_COUNT,
     1,
     INT32_MAX,
     FIELD(problem),
     "K",
     "which problem of a file with several",
     {NULL}},
    {'p',
     "--program",
     OPTION_TEXT,
     0,
     0,
     FIELD(program),
     "FILE",
     "where the program is now, if it has moved",
     {NULL}},
    {'s',
     "--start",
     OPTION_TEXT,
     0,
     0,
     FIELD(start),
     "FILE",
     "what to begin with: a result, picks, an assignment, a solver's FILE.sol",
     {NULL}},
    {'X',
     "--exact",
     OPTION_WORD,
     0,
     0,
     0,
     "highs|scip|cbc",
     "let this solver look for the plan; needs only --time, --threads",
     {"highs", "scip", "cbc", NULL}},
    {'t',
     "--time",
     OPTION_SECONDS,
     0,
     0,
     FIELD(run.time_us),
     "S",
     "seconds from process start, reading included (10)",
     {NULL}},
    {'e',
     "--epochs",
     OPTION_COUNT64,
     0,
     INT32_MAX,
     FIELD(run.epochs),
     "N",
     "epochs since the first start; no time limit then",
     {NULL}},
    {'x',
     "--passes",
     OPTION_COUNT,
     1,
     INT32_MAX,
     FIELD(run.passes),
     "N",
     "end the search for prices after N passes",
     {NULL}},
    {'d',
     "--seed",
     OPTION_SEED,
     0,
     0,
     FIELD(run.seed),
     "N",
     "seed of the random numbers (1)",
     {NULL}},
    {'n',
     "--threads",
     OPTION_COUNT,
     1,
     CLI_THREADS_MAX,
     FIELD(run.threads),
     "N",
     "threads (all); never changes the result",
     {NULL}},
    {'c',
     "--chains",
     OPTION_COUNT,
     1,
     CLI_CHAINS_MAX,
     FIELD(run.chains),
     "N",
     "chains (of the preset)",
     {NULL}},
    {'P',
     "--preset",
     OPTION_WORD,
     0,
     0,
     0,
     "cpu|gpu",
     "16 or 4096 chains (cpu)",
     {"cpu", "gpu", NULL}},
    {'b',
     "--backend",
     OPTION_WORD,
     0,
     0,
     0,
     "B",
     "auto, openmp, cuda, cuda:N, checked (auto)",
     {"auto", "openmp", "cuda", "checked", "cuda:0", "cuda:1", "cuda:2", NULL}},
    {'C',
     "--checkpoint",
     OPTION_TEXT,
     0,
     0,
     FIELD(run.checkpoint),
     "FILE",
     "save the state of the run here",
     {NULL}},
    {'r',
     "--resume",
     OPTION_TEXT,
     0,
     0,
     FIELD(run.resume),
     "FILE",
     "continue a saved run, bit for bit",
     {NULL}},
    {'q', "--quiet", OPTION_FLAG, 0, 0, FIELD(quiet), NULL, "print nothing but errors", {NULL}},
};
enum { OPTION_ROWS = (int32_t)(sizeof option_table / sizeof option_table[0]) };

static bool say(const char *format, ...) RATION_PRINTF(1, 2);

static bool say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cli_usage_list(format, arguments);
    va_end(arguments);
    return false;
}

/* Digits only, within [low, high]. */
static bool read_count(const char *text, int64_t low, int64_t high, int64_t *value)
{
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    assert(low >= 0 && low <= high);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number < low ||
        number > high) {
        return false;
    }
    *value = number;
    return true;
}

static bool read_seed(const char *text, uint64_t *value)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) {
        return false;
    }
    *value = number;
    return true;
}

static bool read_seconds(const char *text, int64_t *us)
{
    char *end = NULL;
    const double number = strtod(text, &end);
    if (((text[0] < '0' || text[0] > '9') && text[0] != '.') || *end != '\0' ||
        strpbrk(text, "xXpP") != NULL || !(number >= 0.0 && number <= 1e9)) {
        return false;
    }
    *us = (int64_t)(number * 1e6);
    return true;
}

/* Applies an option that takes one of a few words. */
static bool apply_word(const option_row *row, const char *text, cli_options *options)
{
    int32_t count = 0;
    int32_t found = -1;
    assert(row->kind == OPTION_WORD && row->words[0] != NULL);
    while (row->words[count] != NULL) {
        found = strcmp(row->words[count], text) == 0 ? count : found;
        count++;
    }
    if (row->letter == 'b' && strncmp(text, "cuda:", 5) == 0) {
        int64_t device = 0;
        if (!read_count(text + 5, 0, 3, &device)) {
            return say("--backend %s: cuda:0 to cuda:3 was expected", text);
        }
        options->run.backend = RATION_BACKEND_CUDA;
        options->run.device = (int32_t)device;
        return true;
    }
    if (found < 0) {
        const char *near = ration_nearest(text, row->words, count);
        return say("%s %s: %s was expected%s%s%s", row->name, text,
                   row->letter == 'b' ? row->help : row->value, near ? "; did you mean " : "",
                   near ? near : "", near ? "?" : "");
    }
    if (row->letter == 'X') {
        options->exact = row->words[found];
    } else if (row->letter == 'S') {
        options->sense_given = true;
        options->sense = found == 0 ? RATION_MINIMISE : RATION_MAXIMISE;
    } else if (row->letter == 'P') {
        options->run.preset_gpu = found == 1;
        options->run.preset_given = true;
    } else {
        const ration_backend_kind kinds[] = {RATION_BACKEND_AUTO, RATION_BACKEND_OPENMP,
                                             RATION_BACKEND_CUDA, RATION_BACKEND_CHECKED};
        options->run.backend = kinds[found];
    }
    return true;
}

static bool apply(const option_row *row, const char *text, cli_options *options)
{
    char *field = (char *)options + row->offset;
    int64_t number = 0;
    assert(row->offset < sizeof *options && (text != NULL || row->kind == OPTION_FLAG));
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)(void *)field = true;
        return true;
    case OPTION_TEXT:
        if (text[0] == '\0') {
            return say("%s: a name was expected, found an empty text", row->name);
        }
        *(const char **)(void *)field = text;
        options->format_given = options->format_given || row->letter == 'f';
        return true;
    case OPTION_COUNT:
        if (!read_count(text, row->low, row->high, &number)) {
            return say("%s %s: a whole number from %lld to %lld was expected", row->name, text,
                       (long long)row->low, (long long)row->high);
        }
        *(int32_t *)(void *)field = (int32_t)number;
        return true;
    case OPTION_COUNT64:
        if (!read_count(text, row->low, row->high, (int64_t *)(void *)field)) {
            return say("%s %s: a whole number from %lld to %lld was expected", row->name, text,
                       (long long)row->low, (long long)row->high);
        }
        return true;
    case OPTION_SEED:
        options->run.seed_given = true;
        return read_seed(text, (uint64_t *)(void *)field) ||
               say("%s %s: a whole number below 2^64 was expected", row->name, text);
    case OPTION_SECONDS:
        return read_seconds(text, (int64_t *)(void *)field) ||
               say("%s %s: seconds from 0 to 1e9 were expected", row->name, text);
    case OPTION_WORD:
        return apply_word(row, text, options);
    }
    return false;
}

/* The row of an option word (without "=value"), if the command allows it. */
static const option_row *find_option(const cli_command *command, const char *word, size_t length)
{
    assert(length <= strlen(word));
    for (int32_t i = 0; i < OPTION_ROWS; i++) {
        const option_row *row = &option_table[i];
        if (strlen(row->name) == length && strncmp(row->name, word, length) == 0 &&
            strchr(command->allowed, row->letter) != NULL) {
            return row;
        }
    }
    return NULL;
}

static bool unknown_option(const cli_command *command, const char *word)
{
    const char *names[OPTION_ROWS + 1];
    int32_t count = 0;
    for (int32_t i = 0; i < OPTION_ROWS; i++) {
        if (strchr(command->allowed, option_table[i].letter) != NULL) {
            names[count++] = option_table[i].name;
        }
    }
    names[count++] = "--help";
    assert(count <= OPTION_ROWS + 1);
    const char *near = ration_nearest(word, names, count);
    return say("%s: unknown option of 'ration %s'%s%s%s", word, command->name,
               near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static bool take_subject(const cli_command *command, const char *word, cli_options *options)
{
    assert(word != NULL);
    if (command->subject == NULL) {
        return say("'ration %s' takes no file, found '%s'", command->name, word);
    }
    if (options->subject != NULL) {
        return say("'ration %s' takes one %s, found '%s' and '%s'", command->name, command->subject,
                   options->subject, word);
    }
    if (word[0] == '\0') {
        return say("%s: a name was expected, found an empty text", command->subject);
    }
    options->subject = word;
    return true;
}

/* Handles argv[*at] (and its value); advances *at past what it used. */
static bool take_option(const cli_command *command, int argc, char **argv, int *at,
                        cli_options *options)
{
    const char *word = argv[*at];
    const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    const size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const option_row *row = find_option(command, word, length);
    assert(word[0] == '-');
    *at += 1;
    if (row == NULL) {
        return unknown_option(command, word);
    }
    if (row->kind == OPTION_FLAG) {
        return equals == NULL ? apply(row, NULL, options) : say("%s takes no value", row->name);
    }
    if (equals != NULL) {
        return apply(row, equals + 1, options);
    }
    if (*at >= argc) {
        return say("%s: %s was expected after it", row->name, row->value);
    }
    *at += 1;
    return apply(row, argv[*at - 1], options);
}

bool cli_parse(const cli_command *command, int argc, char **argv, cli_options *options)
{
    assert(argc >= 2 && command->allowed != NULL);
    *options = (cli_options){0};
    ration_run_default(&options->run);
    options->format = "json";
    bool words_only = false;
    for (int at = 2; at < argc;) {
        const char *word = argv[at];
        const bool option = !words_only && word[0] == '-' && word[1] != '\0';
        if (option && strcmp(word, "--") == 0) {
            words_only = true;
            at++;
        } else if (option ? !take_option(command, argc, argv, &at, options)
                          : !take_subject(command, argv[at++], options)) {
            return false;
        }
    }
    if (command->subject_needed && options->subject == NULL) {
        return say("'ration %s' needs a %s; see 'ration %s --help'", command->name,
                   command->subject, command->name);
    }
    if (options->start != NULL && options->run.resume != NULL) {
        return say("--start %s and --resume %s exclude each other: a saved run has begun",
                   options->start, options->run.resume);
    }
    return true;
}

void cli_print_options(const cli_command *command)
{
    for (int32_t i = 0; i < OPTION_ROWS; i++) {
        const option_row *row = &option_table[i];
        if (strchr(command->allowed, row->letter) != NULL) {
            char left[40];
            snprintf(left, sizeof left, "%s %s", row->name, row->value != NULL ? row->value : "");
            printf("  %-22s %s\n", left, row->help);
        }
    }
}
