/* The folder of a plan: everything under other names first, then renamed into place. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serving/emit.h"
#include "serving/read.h"

/* ---- the scenario and its traces ---- */

static const size_t TRACE_BYTES_MAX = (size_t)512 << 20;

/* The path that a trace was given as; a map {path} or a text. */
static const char *trace_name(const ration_node *trace)
{
    const char *name = NULL;
    const ration_node *value =
        ration_node_kind(trace) == RATION_KIND_MAP ? ration_node_find(trace, "path") : trace;
    return value != NULL && ration_node_text(value, false, &name, NULL) == RATION_OK ? name : "";
}

static ration_status add_trace(const ration_serving *v, const char *name, rn_arena *arena,
                               rn_serving_file *file, ration_error *error)
{
    const char *slash = name[0] == '/' ? NULL : strrchr(v->scenario.path, '/');
    const int length = slash == NULL ? 0 : (int)(slash - v->scenario.path) + 1;
    const char *path = NULL;
    char *text = NULL;
    char *kept = NULL;
    RATION_TRY(rn_arena_text(arena, &path, error, "%.*s%s", length, v->scenario.path, name));
    RATION_TRY(ration_text_read(path, TRACE_BYTES_MAX, &text, &file->bytes, error));
    const ration_status status = rn_arena_take(arena, (int64_t)file->bytes + 1, 1, &kept, error);
    if (status == RATION_OK) {
        memcpy(kept, text, file->bytes);
        file->text = kept;
    }
    free(text);
    return status;
}

/* Adds the traces of the scenario; copy[w]: their names in the folder, NULL where a workload has
 * none. */
static ration_status add_traces(const ration_serving *v, const ration_node *workloads,
                                const char **copy, rn_arena *arena, rn_serving_files *files,
                                ration_error *error)
{
    int32_t traces = 0;
    for (int32_t w = 0; w < v->scenario.workloads; w++) {
        const ration_node *trace = ration_node_find(ration_node_at(workloads, w), "trace");
        if (trace == NULL) {
            continue;
        }
        for (int32_t k = 0; k < w && copy[w] == NULL; k++) {
            const ration_node *other = ration_node_find(ration_node_at(workloads, k), "trace");
            const bool same = other != NULL && strcmp(trace_name(other), trace_name(trace)) == 0;
            copy[w] = same ? copy[k] : NULL;
        }
        if (copy[w] == NULL) {
            rn_serving_file *file = &files->file[files->count];
            RATION_TRY(add_trace(v, trace_name(trace), arena, file, error));
            RATION_TRY(rn_arena_text(arena, &copy[w], error, "trace-%d.csv", ++traces));
            file->name = copy[w];
            files->count++;
        }
    }
    return RATION_OK;
}

static void copy_workloads(ration_writer *out, const ration_node *workloads, const char **copy)
{
    ration_writer_open_list(out, "workloads");
    for (int32_t w = 0; w < ration_node_count(workloads); w++) {
        const ration_node *map = ration_node_at(workloads, w);
        ration_writer_open_map(out, NULL);
        for (int32_t i = 0; i < ration_node_count(map); i++) {
            const char *key = ration_node_key(map, i);
            if (strcmp(key, "trace") == 0) {
                ration_writer_text(out, key, copy[w]);
            } else {
                ration_writer_copy(out, key, ration_node_at(map, i));
            }
        }
        ration_writer_close(out);
    }
    ration_writer_close(out);
}

static ration_status copy_scenario(const ration_serving *v, const char **copy, rn_arena *arena,
                                   rn_serving_file *file, ration_error *error)
{
    const ration_node *root = ration_document_root(v->document);
    ration_writer *out = NULL;
    const char *text = NULL;
    RATION_TRY(ration_writer_create(&out, error));
    ration_writer_open_map(out, NULL);
    if (ration_node_find(root, "name") == NULL) {
        ration_writer_text(out, "name", v->scenario.name);
    }
    for (int32_t i = 0; i < ration_node_count(root); i++) {
        const char *key = ration_node_key(root, i);
        if (strcmp(key, "workloads") == 0) {
            copy_workloads(out, ration_node_at(root, i), copy);
        } else {
            ration_writer_copy(out, key, ration_node_at(root, i));
        }
    }
    ration_writer_close(out);
    ration_status status = ration_writer_finish(out, &text, &file->bytes, error);
    status = status == RATION_OK ? rn_arena_text(arena, &file->text, error, "%s", text) : status;
    ration_writer_free(out);
    return status;
}

ration_status rn_serving_scenario_add(const ration_serving *serving, rn_arena *arena,
                                      rn_serving_files *files, ration_error *error)
{
    const ration_node *root = ration_document_root(serving->document);
    const ration_node *workloads = ration_node_find(root, "workloads");
    const char **copy = NULL;
    RATION_TRY(rn_arena_take(arena, serving->scenario.workloads, sizeof *copy, &copy, error));
    RATION_TRY(add_traces(serving, workloads, copy, arena, files, error));
    rn_serving_file *file = &files->file[files->count];
    RATION_TRY(copy_scenario(serving, copy, arena, file, error));
    file->name = RN_SERVING_SCENARIO_COPY;
    files->count++;
    return RATION_OK;
}

/* ---- writing ---- */

/* A folder that is being written. */
typedef struct folder {
    const char *dir;
    const char *stage; /* a folder inside it */
    rn_arena arena;
    bool made; /* dir did not exist before */
    int32_t stale_count;
    const char **stale; /* names of files of an earlier plan, not written again */
} folder;

static ration_status make_folder(folder *f, ration_error *error)
{
    struct stat info;
    char *stage = NULL;
    f->made = mkdir(f->dir, 0777) == 0;
    if (!f->made && errno != EEXIST) {
        return ration_error_set(error, RATION_E_IO, "%s: the folder can't be made: %s", f->dir,
                                strerror(errno));
    }
    if (stat(f->dir, &info) != 0 || !S_ISDIR(info.st_mode)) {
        return ration_error_set(error, RATION_E_IO, "%s: not a folder", f->dir);
    }
    const size_t bytes = strlen(f->dir) + sizeof "/.ration-XXXXXX";
    RATION_TRY(rn_arena_take(&f->arena, (int64_t)bytes, 1, &stage, error));
    snprintf(stage, bytes, "%s/.ration-XXXXXX", f->dir);
    if (mkdtemp(stage) == NULL) {
        return ration_error_set(error, RATION_E_IO,
                                "%s: nothing can be written into the folder: %s", f->dir,
                                strerror(errno));
    }
    f->stage = stage;
    return RATION_OK;
}

static ration_status path_in(folder *f, const char *dir, const char *name, const char **path,
                             ration_error *error)
{
    return rn_arena_text(&f->arena, path, error, "%s/%s", dir, name);
}

static bool is_own(const char *name)
{
    return name[0] != '.' && strchr(name, '/') == NULL && strcmp(name, "plan.json") != 0;
}

/* Lists what an earlier plan.json calls its own and the new files do not replace. A folder without
 * a readable one has nothing stale. */
static ration_status list_stale(folder *f, const rn_serving_files *files, ration_error *error)
{
    const char *path = NULL;
    ration_document *document = NULL;
    RATION_TRY(path_in(f, f->dir, "plan.json", &path, error));
    if (access(path, R_OK) != 0 || ration_document_read(path, &document, NULL) != RATION_OK) {
        return RATION_OK;
    }
    const ration_node *root = ration_document_root(document);
    const ration_node *list =
        ration_node_kind(root) == RATION_KIND_MAP ? ration_node_find(root, "files") : NULL;
    const int32_t count = list == NULL ? 0 : ration_node_count(list);
    ration_status status = rn_arena_take(&f->arena, count, sizeof *f->stale, &f->stale, error);
    for (int32_t i = 0; i < count && status == RATION_OK; i++) {
        const char *name = NULL;
        if (ration_node_text(ration_node_at(list, i), false, &name, NULL) != RATION_OK ||
            !is_own(name)) {
            continue;
        }
        bool kept = false;
        for (int32_t k = 0; k < files->count; k++) {
            kept = kept || strcmp(files->file[k].name, name) == 0;
        }
        if (!kept) {
            status = rn_arena_text(&f->arena, &f->stale[f->stale_count], error, "%s", name);
            f->stale_count += status == RATION_OK ? 1 : 0;
        }
    }
    ration_document_free(document);
    return status;
}

static ration_status stage_files(folder *f, const rn_serving_files *files, ration_error *error)
{
    struct stat info;
    for (int32_t i = 0; i < files->count; i++) {
        const char *path = NULL;
        RATION_TRY(path_in(f, f->dir, files->file[i].name, &path, error));
        if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
            return ration_error_set(error, RATION_E_IO, "%s: in the way of a file of the plan",
                                    path);
        }
        RATION_TRY(path_in(f, f->stage, files->file[i].name, &path, error));
        RATION_TRY(ration_file_write(path, files->file[i].text, files->file[i].bytes, error));
    }
    return RATION_OK;
}

static ration_status take_names(folder *f, const rn_serving_files *files, ration_error *error)
{
    for (int32_t i = 0; i < files->count; i++) {
        const char *from = NULL;
        const char *to = NULL;
        RATION_TRY(path_in(f, f->stage, files->file[i].name, &from, error));
        RATION_TRY(path_in(f, f->dir, files->file[i].name, &to, error));
        if (rename(from, to) != 0) {
            return ration_error_set(error, RATION_E_IO, "%s: can't be written: %s", to,
                                    strerror(errno));
        }
    }
    for (int32_t i = 0; i < f->stale_count; i++) {
        const char *path = NULL;
        RATION_TRY(path_in(f, f->dir, f->stale[i], &path, error));
        unlink(path); /* gone already is as good */
    }
    return RATION_OK;
}

/* Removes what is left of the stage, and a folder that nothing was written to. */
static void clear_stage(folder *f, const rn_serving_files *files, bool failed)
{
    const char *path = NULL;
    for (int32_t i = 0; f->stage != NULL && i < files->count; i++) {
        if (path_in(f, f->stage, files->file[i].name, &path, NULL) == RATION_OK) {
            unlink(path);
        }
    }
    if (f->stage != NULL) {
        rmdir(f->stage);
    }
    if (failed && f->made) {
        rmdir(f->dir);
    }
}

ration_status rn_serving_folder_write(const char *dir, const rn_serving_files *files,
                                      ration_error *error)
{
    folder f;
    memset(&f, 0, sizeof f);
    f.dir = dir;
    ration_status status = make_folder(&f, error);
    status = status == RATION_OK ? list_stale(&f, files, error) : status;
    status = status == RATION_OK ? stage_files(&f, files, error) : status;
    status = status == RATION_OK ? take_names(&f, files, error) : status;
    clear_stage(&f, files, status != RATION_OK);
    rn_arena_free(&f.arena);
    return status;
}
