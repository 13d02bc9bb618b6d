/* Writing a file so that a reader sees the old one or the new one.
 *
 * Temporary names: .NAME.HOST.PID.N.tmp, NAME cut to 180 bytes, HOST the
 * CRC-32C of the host name, because a folder may be shared by machines and a
 * process number means something on its own machine only.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "core/fail.h"
#include "crc32c.h"
#include "file.h"
#include "ration/document.h"

enum { TEMPORARY_MAX = 256, PREFIX_MAX = 200, TEMPORARY_NAME_CUT = 180, TEMPORARY_TRIES = 1000 };
enum { SINK_BYTES = 1 << 18 };

/* A path taken apart: an open folder and the name in it. */
typedef struct place {
    int folder;
    char *path;       /* owned; the folder's part, cut off at its end */
    const char *name; /* within path */
} place;

/* The common beginning of the temporary names of name on this machine. */
static void temporary_prefix(const char *name, char prefix[PREFIX_MAX])
{
    char host[256] = "";
    (void)gethostname(host, sizeof host - 1);
    (void)snprintf(prefix, PREFIX_MAX, ".%.*s.%08x.", TEMPORARY_NAME_CUT, name,
                   (unsigned)rn_crc32c(0, host, strlen(host)));
}

static void place_close(place *at)
{
    if (at->folder >= 0) {
        (void)close(at->folder);
    }
    rn_free(at->path);
}

/* Opens the folder of path. */
static ration_status place_open(const char *path, place *at, ration_error *error)
{
    const size_t bytes = strlen(path) + 1;
    *at = (place){-1, rn_malloc(bytes), NULL};
    if (at->path == NULL) {
        return rn_fail_memory(error, "a path", bytes);
    }
    memcpy(at->path, path, bytes);
    char *slash = strrchr(at->path, '/');
    const char *folder = ".";
    at->name = at->path;
    if (slash != NULL) {
        *slash = '\0';
        folder = slash == at->path ? "/" : at->path;
        at->name = slash + 1;
    }
    at->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (at->folder < 0) {
        const int number = errno;
        rn_free(at->path);
        at->path = NULL;
        return rn_fail_io(error, path, "its folder cannot be opened", number);
    }
    return RATION_OK;
}

/* 0, or the errno of the failure. */
static int write_all(int file, const char *at, size_t left)
{
    while (left > 0) {
        const ssize_t wrote = write(file, at, left);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote < 0) {
            return errno;
        }
        at += wrote;
        left -= (size_t)wrote;
    }
    return 0;
}

struct rn_sink {
    int file;
    int failure; /* errno, or 0 */
    int64_t bytes;
    size_t used;
    char buffer[SINK_BYTES];
};

static void sink_flush(rn_sink *sink)
{
    if (sink->failure == 0) {
        sink->failure = write_all(sink->file, sink->buffer, sink->used);
    }
    sink->used = 0;
}

void rn_sink_put(rn_sink *sink, const void *data, size_t bytes)
{
    sink->bytes += (int64_t)bytes;
    if (bytes > sizeof sink->buffer - sink->used) {
        sink_flush(sink);
    }
    if (bytes > sizeof sink->buffer) {
        if (sink->failure == 0) {
            sink->failure = write_all(sink->file, data, bytes);
        }
        return;
    }
    memcpy(sink->buffer + sink->used, data, bytes);
    sink->used += bytes;
}

void rn_sink_text(rn_sink *sink, const char *text)
{
    rn_sink_put(sink, text, strlen(text));
}

void rn_sink_integer(rn_sink *sink, int64_t value)
{
    enum { DIGITS = 20 };
    char text[DIGITS];
    int32_t at = DIGITS;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do {
        text[--at] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest != 0);
    if (value < 0) {
        text[--at] = '-';
    }
    rn_sink_put(sink, text + at, (size_t)(DIGITS - at));
}

bool rn_sink_failed(const rn_sink *sink)
{
    return sink->failure != 0;
}

int64_t rn_sink_bytes(const rn_sink *sink)
{
    return sink->bytes;
}

/* Runs fill into an open file. */
static ration_status fill_file(int file, const char *path, rn_filler fill, void *context,
                               ration_error *error)
{
    rn_sink *sink = rn_malloc(sizeof *sink);
    if (sink == NULL) {
        return rn_fail_memory(error, "a buffer", sizeof *sink);
    }
    sink->file = file;
    sink->failure = 0;
    sink->bytes = 0;
    sink->used = 0;
    ration_status status = fill(context, sink, error);
    sink_flush(sink);
    if (status == RATION_OK && sink->failure != 0) {
        status = rn_fail_io(error, path, "cannot be written", sink->failure);
    }
    rn_free(sink);
    return status;
}

/* A file of parts that lie in memory. */
typedef struct part_list {
    const rn_part *parts;
    int32_t count;
} part_list;

static ration_status put_parts(void *context, rn_sink *sink, ration_error *error)
{
    (void)error;
    const part_list *list = context;
    for (int32_t i = 0; i < list->count; i++) {
        rn_sink_put(sink, list->parts[i].data, list->parts[i].bytes);
    }
    return RATION_OK;
}

/* Creates a temporary file beside at->name; its name to temporary. Returns the file or -1 with
 * errno. */
static int open_temporary(const place *at, char temporary[TEMPORARY_MAX])
{
    char prefix[PREFIX_MAX];
    temporary_prefix(at->name, prefix);
    for (int i = 0; i < TEMPORARY_TRIES; i++) {
        (void)snprintf(temporary, TEMPORARY_MAX, "%s%lld.%d.tmp", prefix, (long long)getpid(), i);
        const int file = openat(at->folder, temporary,
                                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) {
            return file;
        }
    }
    return -1;
}

/* Makes the rename last; folders of some file systems cannot be synced, which is no failure. */
static bool sync_folder(int folder)
{
    return fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS ||
           errno == EBADF;
}

/* Keeps the old file as NAME.prev by a hard link; where links are not possible there is no previous
 * file. */
static ration_status keep_old(const place *at, const char *path, ration_error *error)
{
    char previous[NAME_MAX + 1];
    const int wanted = snprintf(previous, sizeof previous, "%s.prev", at->name);
    if (wanted < 0 || (size_t)wanted >= sizeof previous) {
        return rn_fail_io(error, path, "cannot keep the previous file", ENAMETOOLONG);
    }
    if (faccessat(at->folder, at->name, F_OK, 0) != 0) {
        return RATION_OK; /* nothing to keep, and an older .prev stays */
    }
    if (unlinkat(at->folder, previous, 0) != 0 && errno != ENOENT) {
        return rn_fail_io(error, path, "cannot keep the previous file", errno);
    }
    if (linkat(at->folder, at->name, at->folder, previous, 0) != 0 && errno != EPERM &&
        errno != ENOTSUP) {
        return rn_fail_io(error, path, "cannot keep the previous file", errno);
    }
    return RATION_OK;
}

/* One replacement under way. */
typedef struct replacement {
    const char *path; /* no symbolic link */
    rn_filler fill;
    void *context;
    bool keep_previous;
    int mode; /* of the old file, or -1 */
    place at;
    char temporary[TEMPORARY_MAX];
} replacement;

/* Fills the temporary file and puts it in place. Closes file. */
static ration_status fill_temporary(const replacement *r, int file, ration_error *error)
{
    ration_status status = fill_file(file, r->path, r->fill, r->context, error);
    if (status == RATION_OK &&
        ((r->mode >= 0 && fchmod(file, (mode_t)r->mode) != 0) || fsync(file) != 0)) {
        status = rn_fail_io(error, r->path, "cannot be written", errno);
    }
    if (close(file) != 0 && status == RATION_OK) {
        status = rn_fail_io(error, r->path, "cannot be written", errno);
    }
    RN_TRY(status);
    if (r->keep_previous) {
        RN_TRY(keep_old(&r->at, r->path, error));
    }
    if (renameat(r->at.folder, r->temporary, r->at.folder, r->at.name) != 0) {
        return rn_fail_io(error, r->path, "cannot be replaced", errno);
    }
    return sync_folder(r->at.folder)
               ? RATION_OK
               : rn_fail_io(error, r->path, "its folder cannot be synced", errno);
}

static ration_status replace_resolved(replacement *r, ration_error *error)
{
    struct stat about;
    r->mode = stat(r->path, &about) == 0 ? (int)(about.st_mode & 0777) : -1;
    if (r->mode >= 0 && !S_ISREG(about.st_mode)) {
        return rn_fail(error, RATION_E_INPUT, "%s: is %s, expected a file", r->path,
                       S_ISDIR(about.st_mode) ? "a folder" : "no regular file");
    }
    RN_TRY(place_open(r->path, &r->at, error));
    const int file = open_temporary(&r->at, r->temporary);
    ration_status status = RATION_OK;
    if (file < 0) {
        status = rn_fail_io(error, r->path, "cannot be written", errno);
    } else {
        status = fill_temporary(r, file, error);
        if (status != RATION_OK) {
            (void)unlinkat(r->at.folder, r->temporary, 0);
        }
    }
    place_close(&r->at);
    return status;
}

static ration_status replace(replacement *r, const char *path, ration_error *error)
{
    struct stat about;
    r->path = path;
    if (lstat(path, &about) != 0 || !S_ISLNK(about.st_mode)) {
        return replace_resolved(r, error);
    }
    char *target = realpath(path, NULL);
    if (target == NULL) {
        return rn_fail_io(error, path, "the link leads nowhere", errno);
    }
    r->path = target;
    const ration_status status = replace_resolved(r, error);
    free(target);
    return status;
}

ration_status rn_file_replace(const char *path, const rn_part *parts, int32_t count,
                              bool keep_previous, ration_error *error)
{
    part_list list = {parts, count};
    replacement r = {.fill = put_parts, .context = &list, .keep_previous = keep_previous};
    return replace(&r, path, error);
}

ration_status rn_file_fill(const char *path, rn_filler fill, void *context, ration_error *error)
{
    replacement r = {.fill = fill, .context = context};
    return replace(&r, path, error);
}

/* Whether name is PREFIX PID . N .tmp of a process that no longer lives. */
static bool is_stale(const char *name, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0) {
        return false;
    }
    long long pid = 0;
    int number = 0;
    int used = 0;
    if (sscanf(name + length, "%lld.%d.tmp%n", &pid, &number, &used) != 2 || used == 0 ||
        name[length + (size_t)used] != '\0') {
        return false;
    }
    return pid > 0 && pid <= INT32_MAX && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

int32_t rn_file_sweep(const char *path)
{
    place at;
    if (place_open(path, &at, NULL) != RATION_OK) {
        return 0;
    }
    int32_t removed = 0;
    char prefix[PREFIX_MAX];
    temporary_prefix(at.name, prefix);
    const int copy = openat(at.folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = copy < 0 ? NULL : fdopendir(copy);
    if (folder == NULL && copy >= 0) {
        (void)close(copy);
    }
    for (const struct dirent *entry = NULL; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (is_stale(entry->d_name, prefix) && unlinkat(at.folder, entry->d_name, 0) == 0) {
            removed++;
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    place_close(&at);
    return removed;
}

/* Writes to a FIFO or device as it is: there is nothing to replace. */
static ration_status write_stream(const char *path, const rn_part *part, ration_error *error)
{
    const int file = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        return rn_fail_io(error, path, "cannot be written", errno);
    }
    const int failure = write_all(file, part->data, part->bytes);
    ration_status status =
        failure == 0 ? RATION_OK : rn_fail_io(error, path, "cannot be written", failure);
    if (close(file) != 0 && status == RATION_OK) {
        status = rn_fail_io(error, path, "cannot be written", errno);
    }
    return status;
}

ration_status ration_file_write(const char *path, const char *text, size_t bytes,
                                ration_error *error)
{
    const rn_part part = {text, bytes};
    if (strcmp(path, "-") == 0) {
        if (fwrite(text, 1, bytes, stdout) != bytes || fflush(stdout) != 0) {
            return rn_fail_io(error, "standard output", "cannot be written", errno);
        }
        return RATION_OK;
    }
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) {
        return write_stream(path, &part, error);
    }
    return rn_file_replace(path, &part, 1, false, error);
}
