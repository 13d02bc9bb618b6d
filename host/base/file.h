/* Files: replacing one as a whole, and sentences about what went wrong. */
#ifndef RN_FILE_H
#define RN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A run of bytes to write; several make a file. */
typedef struct rn_part {
    const void *data;
    size_t bytes;
} rn_part;

/* Sets error to "PATH: WHAT: reason of number (an errno)", RATION_E_IO; returns that status. */
ration_status rn_fail_io(ration_error *error, const char *path, const char *what, int number);

/* Writes parts[count] as the new content of the regular file path, by a temporary file in the same
 * folder, fsync and rename: a reader sees the old content or the new one. A symbolic link is
 * followed, the mode of an old file kept. With keep_previous the old content stays as PATH.prev.
 * RATION_E_IO, RATION_E_INPUT for a path that is no regular file, RATION_E_MEMORY; the old file is
 * intact then, and no temporary file is left. */
ration_status rn_file_replace(const char *path, const rn_part *parts, int32_t count,
                              bool keep_previous, ration_error *error);

/* Bytes on their way to a file; a failure is kept, and what comes after it does nothing. */
typedef struct rn_sink rn_sink;

void rn_sink_put(rn_sink *sink, const void *data, size_t bytes);
void rn_sink_text(rn_sink *sink, const char *text);
void rn_sink_integer(rn_sink *sink, int64_t value); /* in decimal */
/* Whether something could not be written: whoever writes much may stop then. */
bool rn_sink_failed(const rn_sink *sink);
/* Bytes put so far. */
int64_t rn_sink_bytes(const rn_sink *sink);

/* Writes the content of a file; context is the caller's. A failure's sentence goes to error. */
typedef ration_status (*rn_filler)(void *context, rn_sink *sink, ration_error *error);

/* As rn_file_replace without a previous file, for content that is made while it is written. Also
 * the errors of fill. */
ration_status rn_file_fill(const char *path, rn_filler fill, void *context, ration_error *error);

/* Removes temporary files that rn_file_replace left for path in processes of this machine that no
 * longer live. Returns how many. */
int32_t rn_file_sweep(const char *path);

#ifdef __cplusplus
}
#endif

#endif
