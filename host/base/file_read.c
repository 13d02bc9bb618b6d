/* Reading a whole regular file. Nothing here waits: a FIFO or a device is refused before and after
 * it is opened. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "core/fail.h"
#include "document_tree.h"
#include "file.h"

ration_status rn_fail_io(ration_error *error, const char *path, const char *what, int number)
{
    char shown[RN_NAME_SHOWN_MAX];
    rn_name_shorten(path, shown);
    return rn_fail(error, RATION_E_IO, "%s: %s: %s", shown, what, strerror(number));
}

/* Refuses what is no regular file. */
static ration_status check_kind(const char *path, const struct stat *about, ration_error *error)
{
    if (S_ISREG(about->st_mode)) {
        return RATION_OK;
    }
    const char *kind = S_ISDIR(about->st_mode)    ? "a folder"
                       : S_ISFIFO(about->st_mode) ? "a FIFO"
                       : S_ISSOCK(about->st_mode) ? "a socket"
                                                  : "a device";
    char shown[RN_NAME_SHOWN_MAX];
    rn_name_shorten(path, shown);
    return rn_fail(error, RATION_E_INPUT, "%s: is %s, expected a file", shown, kind);
}

static ration_status fail_limit(const char *path, size_t limit, ration_error *error)
{
    char shown[RN_NAME_SHOWN_MAX];
    rn_name_shorten(path, shown);
    return rn_fail(error, RATION_E_INPUT, "%s: the file is too large, at most %zu bytes are read",
                   shown, limit);
}

/* Reads file to its end into a growing block, which the caller frees, also on failure. */
static ration_status read_all(int file, const char *path, size_t expected, size_t limit,
                              char **text, size_t *bytes, ration_error *error)
{
    size_t capacity = expected + 1; /* one more, to see the end without growing */
    *text = rn_malloc(capacity + 1);
    if (*text == NULL) {
        return rn_fail_memory(error, path, capacity + 1);
    }
    for (;;) {
        const ssize_t got = read(file, *text + *bytes, capacity - *bytes);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return rn_fail_io(error, path, "cannot be read", errno);
        }
        *bytes += (size_t)got;
        if (*bytes > limit) {
            return fail_limit(path, limit, error);
        }
        if (got == 0) {
            (*text)[*bytes] = '\0';
            return RATION_OK;
        }
        if (*bytes == capacity) {
            capacity = capacity < limit / 2 ? capacity * 2 + 4096 : limit + 1;
            char *grown = rn_realloc(*text, capacity + 1);
            if (grown == NULL) {
                return rn_fail_memory(error, path, capacity + 1);
            }
            *text = grown;
        }
    }
}

static ration_status read_open(int file, const char *path, size_t limit, char **text, size_t *bytes,
                               ration_error *error)
{
    struct stat about;
    if (fstat(file, &about) != 0) {
        return rn_fail_io(error, path, "cannot be read", errno);
    }
    RN_TRY(check_kind(path, &about, error));
    if (about.st_size < 0 || (uint64_t)about.st_size > limit) {
        return fail_limit(path, limit, error);
    }
    RN_TRY(read_all(file, path, (size_t)about.st_size, limit, text, bytes, error));
    char shown[RN_NAME_SHOWN_MAX];
    rn_name_shorten(path, shown);
    return rn_text_refuse_binary(*text, *bytes, shown, error);
}

ration_status ration_text_read(const char *path, size_t limit, char **text, size_t *bytes,
                               ration_error *error)
{
    assert(limit < SIZE_MAX / 4);
    struct stat about;
    if (stat(path, &about) != 0) {
        return rn_fail_io(error, path, "cannot be opened", errno);
    }
    RN_TRY(check_kind(path, &about, error));
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        return rn_fail_io(error, path, "cannot be opened", errno);
    }
    char *read_text = NULL;
    size_t read_bytes = 0;
    const ration_status status = read_open(file, path, limit, &read_text, &read_bytes, error);
    (void)close(file);
    if (status != RATION_OK) {
        rn_free(read_text);
        return status;
    }
    if (read_bytes >= 3 && memcmp(read_text, "\xef\xbb\xbf", 3) == 0) {
        read_bytes -= 3;
        memmove(read_text, read_text + 3, read_bytes + 1);
    }
    *text = read_text;
    *bytes = read_bytes;
    return RATION_OK;
}
