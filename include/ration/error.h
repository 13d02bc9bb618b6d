/* Status codes and the one error object of libration.
 *
 * Every fallible call returns a ration_status. Where it also takes a
 * `ration_error *`, that object belongs to the caller and may be NULL; on
 * failure it receives the status and one sentence that names the file, path or
 * line, what was found and what was expected. Out-parameters are untouched on
 * failure. There is no global and no thread-local error.
 */
#ifndef RATION_ERROR_H
#define RATION_ERROR_H

#include <stdint.h>

#if defined(_WIN32) || !defined(__GNUC__)
#define RATION_API
#define RATION_PRINTF(format_at, first)
#else
#define RATION_API __attribute__((visibility("default")))
#define RATION_PRINTF(format_at, first) __attribute__((format(printf, format_at, first)))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers are published: a number is never reused for another meaning. */
typedef enum ration_status {
    RATION_OK = 0,
    RATION_E_INPUT = 1,    /* the caller's data or arguments are wrong */
    RATION_E_RANGE = 2,    /* a number lies outside what can be computed exactly */
    RATION_E_STATE = 3,    /* the call is not allowed now (adding to a frozen program) */
    RATION_E_MEMORY = 4,   /* host memory did not suffice */
    RATION_E_DEVICE = 5,   /* a GPU, its driver or its memory failed */
    RATION_E_IO = 6,       /* a file could not be read or written */
    RATION_E_MISMATCH = 7, /* a verification refused, or two backends disagree */
    RATION_E_ABSENT = 8,   /* a backend or library that this build or machine lacks */
    RATION_E_INTERNAL = 9  /* a broken promise inside the library */
} ration_status;

enum { RATION_ERROR_TEXT_MAX = 512 };

typedef struct ration_error {
    ration_status status;
    char text[RATION_ERROR_TEXT_MAX]; /* one sentence, UTF-8, no line break */
} ration_error;

/* Returns a short English name of a status ("bad input"), never NULL. */
RATION_API const char *ration_status_name(ration_status status);

/* Writes status and a printf-formatted sentence to error (may be NULL); returns status, so that
 * a caller can write `return ration_error_set(error, RATION_E_INPUT, ...)`. Over-long sentences are
 * cut at a character boundary; control characters are replaced by '?'. */
RATION_API ration_status ration_error_set(ration_error *error, ration_status status,
                                          const char *format, ...) RATION_PRINTF(3, 4);

/* Returns the status of a failed call upward: a macro, as no function returns for its caller. */
#define RATION_TRY(call)                                                                           \
    do {                                                                                           \
        const ration_status ration_tried_ = (call);                                                \
        if (ration_tried_ != RATION_OK) {                                                          \
            return ration_tried_;                                                                  \
        }                                                                                          \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
