/* A growing text and its columns. Private to problems/serving. */
#ifndef RN_SERVING_TEXT_H
#define RN_SERVING_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ration/error.h"

/* Zero-initialise. text is NUL-terminated once something was added; free() it. failed: out of
 * memory, text is incomplete. */
typedef struct rn_text {
    char *text;
    size_t bytes;
    size_t room;
    bool failed;
} rn_text;

void rn_text_add(rn_text *t, const char *format, ...) RATION_PRINTF(2, 3);

/* Columns that UTF-8 text takes on a terminal: 0 for combining marks, 2 for wide characters. */
int32_t rn_text_width(const char *text);

/* Adds text in exactly `width` columns: cut with an ellipsis, or filled with blanks on the right,
 * or on the left if `right`. */
void rn_text_cell(rn_text *t, const char *text, int32_t width, bool right);

#endif
