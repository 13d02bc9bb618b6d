/* UTF-8 validity, one character at a time. Source: RFC 3629, section 4 (no surrogates, no overlong
 * forms, at most U+10FFFF). */
#ifndef RN_UTF8_H
#define RN_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Length in bytes, 1..4, of the valid character at text[bytes], or 0 when it is invalid or cut.
 * bytes >= 1. */
static inline size_t rn_utf8_length(const char *text, size_t bytes)
{
    const uint8_t *at = (const uint8_t *)text;
    if (at[0] < 0x80) {
        return 1;
    }
    if (at[0] < 0xC2 || at[0] > 0xF4) {
        return 0;
    }
    const size_t length = at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
    if (bytes < length) {
        return 0;
    }
    /* The second byte alone decides about overlong forms, surrogates and the upper end. */
    const uint8_t low = at[0] == 0xE0 ? 0xA0 : at[0] == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = at[0] == 0xED ? 0x9F : at[0] == 0xF4 ? 0x8F : 0xBF;
    if (at[1] < low || at[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return length;
}

/* Whether the valid character at text is a control character (U+0000..U+001F, U+007F..U+009F). */
static inline bool rn_utf8_is_control(const char *text)
{
    const uint8_t *at = (const uint8_t *)text;
    return at[0] < 0x20 || at[0] == 0x7F || (at[0] == 0xC2 && at[1] < 0xA0);
}

/* Offset of the first byte of text[bytes] that belongs to no valid character; bytes when all is
 * valid. */
static inline size_t rn_utf8_valid_bytes(const char *text, size_t bytes)
{
    size_t at = 0;
    while (at < bytes) {
        const size_t length = rn_utf8_length(text + at, bytes - at);
        if (length == 0) {
            return at;
        }
        at += length;
    }
    return bytes;
}

#ifdef __cplusplus
}
#endif

#endif
