/* The one error object: a status and a sentence that is safe to print. */
#include "error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "utf8.h"

const char *ration_status_name(ration_status status)
{
    switch (status) {
    case RATION_OK:
        return "success";
    case RATION_E_INPUT:
        return "bad input";
    case RATION_E_RANGE:
        return "out of range";
    case RATION_E_STATE:
        return "not allowed now";
    case RATION_E_MEMORY:
        return "out of memory";
    case RATION_E_DEVICE:
        return "device failure";
    case RATION_E_IO:
        return "input or output failed";
    case RATION_E_MISMATCH:
        return "mismatch";
    case RATION_E_ABSENT:
        return "not available";
    case RATION_E_INTERNAL:
        return "internal error";
    }
    return "unknown status";
}

/* Copies from[bytes] to to[RATION_ERROR_TEXT_MAX] as clean UTF-8: a control character or an invalid
 * byte becomes '?'; what does not fit, or was cut within a character, is left out. */
static void copy_clean(char *to, const char *from, size_t bytes, bool cut)
{
    size_t at = 0;
    size_t used = 0;
    while (at < bytes) {
        size_t length = rn_utf8_length(from + at, bytes - at);
        if (length == 0 && cut && bytes - at < 4 && (from[at] & 0x40) != 0) {
            break; /* the head of the character that the cut went through */
        }
        const bool bad = length == 0 || rn_utf8_is_control(from + at);
        length = length == 0 ? 1 : length;
        const size_t written = bad ? 1 : length;
        if (used + written >= RATION_ERROR_TEXT_MAX) {
            break;
        }
        if (bad) {
            to[used] = '?';
        } else {
            memcpy(to + used, from + at, length);
        }
        used += written;
        at += length;
    }
    to[used] = '\0';
}

ration_status rn_fail_list(ration_error *error, ration_status status, const char *prefix,
                           const char *format, va_list list)
{
    if (error == NULL) {
        return status;
    }
    /* A local buffer: the arguments may point into error->text. */
    char text[RATION_ERROR_TEXT_MAX];
    size_t used = 0;
    while (prefix[used] != '\0' && used < sizeof text - 1) {
        text[used] = prefix[used];
        used++;
    }
    const int wanted = vsnprintf(text + used, sizeof text - used, format, list);
    if (wanted < 0) {
        text[used] = '\0';
    }
    const size_t bytes = strlen(text);
    const bool cut = wanted >= 0 && (size_t)wanted > bytes - used;
    error->status = status;
    copy_clean(error->text, text, bytes, cut);
    return status;
}

ration_status ration_error_set(ration_error *error, ration_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    rn_fail_list(error, status, "", format, list);
    va_end(list);
    return status;
}

ration_status rn_fail(ration_error *error, ration_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    rn_fail_list(error, status, "", format, list);
    va_end(list);
    return status;
}
