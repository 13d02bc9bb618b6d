/* Numbers and words separated by white space: what the public instance formats are made of.
 *
 * Line breaks mean nothing but are counted, so that a refusal names the line. A UTF-8 byte order
 * mark and CRLF are accepted. There is no floating point: a decimal is read as an integer times a
 * power of ten that the caller asks for.
 */
#ifndef RATION_TOKENS_H
#define RATION_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where reading stands. A copy of it is a place to come back to. */
typedef struct ration_tokens {
    const char *name; /* of the file, for messages */
    const char *at;
    const char *end;
    int32_t line; /* from 1, of the next token */
} ration_tokens;

/* Starts at text[bytes], which is kept. RATION_E_INPUT when it is compressed or UTF-16. */
RATION_API ration_status ration_tokens_begin(ration_tokens *tokens, const char *name,
                                             const char *text, size_t bytes, ration_error *error);

/* Reads an integer of low..high; `what` says in messages what was expected ("capacity"). */
RATION_API ration_status ration_tokens_integer(ration_tokens *tokens, const char *what, int64_t low,
                                               int64_t high, int64_t *value, ration_error *error);

/* Reads a decimal times 10^places (0..18); low..high bound the result. More decimals than that are
 * refused, unless they are zeros. */
RATION_API ration_status ration_tokens_decimal(ration_tokens *tokens, const char *what,
                                               int32_t places, int64_t low, int64_t high,
                                               int64_t *value, ration_error *error);

/* Passes over `count` tokens, whatever they are. */
RATION_API ration_status ration_tokens_skip(ration_tokens *tokens, const char *what, int64_t count,
                                            ration_error *error);

/* The most decimals, final zeros not counted, in the next `count` tokens (fewer where the text
 * ends); reads nothing. */
RATION_API int32_t ration_tokens_places(const ration_tokens *tokens, int64_t count);

/* Whether only white space is left. */
RATION_API bool ration_tokens_done(const ration_tokens *tokens);

/* Refuses anything but white space at the end. */
RATION_API ration_status ration_tokens_end(const ration_tokens *tokens, ration_error *error);

/* Sets error to "NAME: line L: " + the formatted text, RATION_E_INPUT; returns that status. */
RATION_API ration_status ration_tokens_fail(const ration_tokens *tokens, ration_error *error,
                                            const char *format, ...) RATION_PRINTF(3, 4);

#ifdef __cplusplus
}
#endif

#endif
