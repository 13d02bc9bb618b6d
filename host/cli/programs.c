/* Which reader a `--format` means, and where programs come from. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "problems/gap/gap.h"
#include "problems/mkp/mkp.h"
#include "problems/qap/qap.h"
#include "problems/roadef/roadef.h"
#include "problems/vbp/vbp.h"
#include "ration/document.h"
#include "ration/export.h"

enum { CLI_PATH_MAX = 4096 };

typedef ration_status (*program_reader)(const ration_instance *, ration_program **, ration_error *);

static ration_status read_json(const ration_instance *source, ration_program **program,
                               ration_error *error)
{
    ration_document *document = NULL;
    if (source->sense_given || source->problem > 0) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%s: --sense and --problem belong to public instances, not to json",
                                source->path);
    }
    ration_status status = ration_document_read(source->path, &document, error);
    if (status == RATION_OK) {
        status = ration_program_read(document, program, error);
    }
    ration_document_free(document);
    return status;
}

static const char *const format_names[] = {"json", "gap", "mkp", "qap", "vbp", "roadef"};
static const program_reader format_readers[] = {read_json,       ration_gap_read,
                                                ration_mkp_read, ration_qap_read,
                                                ration_vbp_read, ration_roadef_read};
enum { FORMATS = (int32_t)(sizeof format_names / sizeof format_names[0]) };

void cli_source(const cli_options *options, const char *path, ration_instance *source)
{
    *source = (ration_instance){.path = path,
                                .format = options->format,
                                .sense = options->sense,
                                .sense_given = options->sense_given,
                                .problem = options->problem,
                                .start = options->start};
}

bool cli_start_is_program(const ration_instance *source)
{
    return strcmp(source->format, "roadef") == 0;
}

ration_status cli_program_read(const ration_instance *source, ration_program **program,
                               ration_error *error)
{
    for (int32_t i = 0; i < FORMATS; i++) {
        if (strcmp(source->format, format_names[i]) == 0) {
            return format_readers[i](source, program, error);
        }
    }
    const char *near = ration_nearest(source->format, format_names, FORMATS);
    return ration_error_set(
        error, RATION_E_INPUT,
        "format '%s' is unknown: json, gap, mkp, qap, vbp or roadef was expected%s%s%s",
        source->format, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* Whether files can be made in the folder of a path. */
static ration_status check_folder_of(const char *path, const char *shown, ration_error *error)
{
    char folder[CLI_PATH_MAX];
    struct stat found;
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 1 : (slash == path ? 1 : (size_t)(slash - path));
    if (length >= sizeof folder) {
        return ration_error_set(error, RATION_E_INPUT, "%.200s: the path has over %d bytes", shown,
                                CLI_PATH_MAX - 1);
    }
    memcpy(folder, slash == NULL ? "." : path, length);
    folder[length] = '\0';
    if (stat(folder, &found) == 0 && !S_ISDIR(found.st_mode)) {
        errno = ENOTDIR;
    } else if (access(folder, W_OK | X_OK) == 0) {
        return RATION_OK;
    }
    return ration_error_set(error, RATION_E_INPUT, "%.200s: can't be written: %.200s: %s", shown,
                            folder, strerror(errno));
}

/* A target that exists: a file that is not the input, or something that takes a stream. */
static ration_status check_existing(const char *path, const struct stat *found, const char *input,
                                    bool stream_allowed, ration_error *error)
{
    struct stat about;
    if (S_ISDIR(found->st_mode)) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%.200s: is a folder, expected a file to write", path);
    }
    if (!S_ISREG(found->st_mode)) {
        if (!stream_allowed || S_ISSOCK(found->st_mode)) {
            return ration_error_set(error, RATION_E_INPUT,
                                    "%.200s: is no regular file, expected a file to write", path);
        }
        return access(path, W_OK) == 0
                   ? RATION_OK
                   : ration_error_set(error, RATION_E_INPUT, "%.200s: can't be written: %s", path,
                                      strerror(errno));
    }
    if (input != NULL && stat(input, &about) == 0 && about.st_dev == found->st_dev &&
        about.st_ino == found->st_ino) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%.200s: is the input, expected another file to write", path);
    }
    char *target = realpath(path, NULL); /* of a link the file is replaced that it leads to */
    const ration_status status = check_folder_of(target != NULL ? target : path, path, error);
    free(target);
    return status;
}

ration_status cli_target_check(const char *path, const char *input, bool stream_allowed,
                               ration_error *error)
{
    struct stat found;
    if (path == NULL || (stream_allowed && strcmp(path, "-") == 0)) {
        return RATION_OK;
    }
    if (stat(path, &found) == 0) {
        return check_existing(path, &found, input, stream_allowed, error);
    }
    if (errno == ENOENT && path[0] != '\0' && path[strlen(path) - 1] == '/') {
        return ration_error_set(error, RATION_E_INPUT,
                                "%.200s: a file to write was expected, found a folder", path);
    }
    if (errno == ENOENT && lstat(path, &found) == 0) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%.200s: the link leads nowhere, expected a file to write", path);
    }
    if (errno != ENOENT) {
        return ration_error_set(error, RATION_E_INPUT, "%.200s: can't be written: %s", path,
                                strerror(errno));
    }
    return check_folder_of(path, path, error);
}

ration_status cli_resume_check(const char *path, ration_error *error)
{
    struct stat found;
    if (path == NULL) {
        return RATION_OK;
    }
    if (stat(path, &found) != 0 || access(path, R_OK) != 0) {
        return ration_error_set(error, RATION_E_INPUT, "%.200s: cannot be opened: %s", path,
                                strerror(errno));
    }
    if (!S_ISREG(found.st_mode)) {
        return ration_error_set(error, RATION_E_INPUT, "%.200s: is no file, expected a checkpoint",
                                path);
    }
    return RATION_OK;
}

ration_status cli_folder_check(const char *path, ration_error *error)
{
    struct stat found;
    char folder[CLI_PATH_MAX];
    if (path == NULL) {
        return RATION_OK;
    }
    if (stat(path, &found) == 0) {
        if (!S_ISDIR(found.st_mode)) {
            return ration_error_set(error, RATION_E_INPUT,
                                    "%.200s: a folder was expected, found a file", path);
        }
        if (access(path, W_OK | X_OK) != 0) {
            return ration_error_set(error, RATION_E_INPUT, "%.200s: can't be written: %s", path,
                                    strerror(errno));
        }
        return RATION_OK;
    }
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    if (length >= sizeof folder) {
        return ration_error_set(error, RATION_E_INPUT, "%.200s: the path has over %d bytes", path,
                                CLI_PATH_MAX - 1);
    }
    memcpy(folder, path, length);
    folder[length] = '\0';
    return cli_target_check(folder, NULL, false, error);
}

/* The option a pick names; RATION_E_INPUT names what the program lacks. */
static ration_status pick_option(const ration_node *pick, const ration_program *program,
                                 int32_t *start, ration_error *error)
{
    const char *const known[] = {"item", "place", "mode"};
    const char *name[3] = {NULL, NULL, NULL};
    RATION_TRY(ration_node_map(pick, error));
    RATION_TRY(ration_node_keys(pick, known, 3, error));
    for (int32_t i = 0; i < 3; i++) {
        const ration_node *node = ration_node_find(pick, known[i]);
        if (node != NULL) {
            RATION_TRY(ration_node_text(node, false, &name[i], error));
        }
    }
    const int32_t item = name[0] != NULL ? ration_program_find_item(program, name[0]) : RATION_NONE;
    if (item == RATION_NONE) {
        return ration_node_fail(pick, error, "'item' must name an item of the program, found '%s'",
                                name[0] ? name[0] : "");
    }
    const int32_t place =
        name[1] != NULL ? ration_program_find_place(program, name[1]) : RATION_NONE;
    const int32_t mode = name[2] != NULL ? ration_program_find_mode(program, name[2]) : RATION_NONE;
    const bool known_names =
        (name[1] == NULL || place != RATION_NONE) && (name[2] == NULL || mode != RATION_NONE);
    const int32_t option =
        known_names ? ration_program_find_option(program, item, place, mode) : RATION_NONE;
    if (option == RATION_NONE) {
        return ration_node_fail(pick, error, "item '%s' has no option at place '%s' in mode '%s'",
                                name[0], name[1] ? name[1] : "", name[2] ? name[2] : "");
    }
    if (start[item] != RATION_NONE) {
        return ration_node_fail(pick, error, "item '%s' is picked twice", name[0]);
    }
    start[item] = option;
    return RATION_OK;
}

/* The picks of a solver's solution. */
static ration_status read_solution(const char *path, const ration_program *program, int32_t **start,
                                   ration_error *error)
{
    const int32_t items = ration_program_items(program);
    int32_t *picks = malloc(((size_t)items + 1) * sizeof *picks);
    if (picks == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "%s: no memory for %d picks", path, items);
    }
    const ration_status status = ration_export_read_picks(program, path, picks, error);
    if (status != RATION_OK) {
        free(picks);
        return status;
    }
    *start = picks;
    return RATION_OK;
}

ration_status cli_start_read(const char *path, const ration_program *program, int32_t **start,
                             ration_error *error)
{
    ration_document *document = NULL;
    if (cli_is_solution(path)) {
        return read_solution(path, program, start, error);
    }
    ration_status status = ration_document_read(path, &document, error);
    if (status != RATION_OK) {
        return status;
    }
    const int32_t items = ration_program_items(program);
    int32_t *picks = malloc(((size_t)items + 1) * sizeof *picks);
    if (picks == NULL) {
        ration_document_free(document);
        return ration_error_set(error, RATION_E_MEMORY, "%s: no memory for %d picks", path, items);
    }
    for (int32_t i = 0; i < items; i++) {
        picks[i] = RATION_NONE;
    }
    const ration_node *list = ration_document_root(document);
    if (ration_node_kind(list) == RATION_KIND_MAP && ration_node_find(list, "result") != NULL) {
        list = ration_node_find(list, "result"); /* plan.json holds the result of the solver */
    }
    if (ration_node_kind(list) == RATION_KIND_MAP) {
        status = ration_node_need(list, "picks", &list, error);
    }
    if (status == RATION_OK) {
        status = ration_node_list(list, 0, items, error);
    }
    for (int32_t i = 0; status == RATION_OK && i < ration_node_count(list); i++) {
        status = pick_option(ration_node_at(list, i), program, picks, error);
    }
    ration_document_free(document);
    if (status != RATION_OK) {
        free(picks);
        return status;
    }
    *start = picks;
    return RATION_OK;
}
