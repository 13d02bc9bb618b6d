/* A growing text and its columns. */
#include "serving/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rn_text_add(rn_text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (t->failed || length < 0) {
        return;
    }
    if (t->bytes + (size_t)length + 1 > t->room) {
        const size_t room = 2 * (t->bytes + (size_t)length + 1);
        char *grown = realloc(t->text, room);
        if (grown == NULL) {
            t->failed = true;
            return;
        }
        t->text = grown;
        t->room = room;
    }
    va_start(list, format);
    vsnprintf(t->text + t->bytes, t->room - t->bytes, format, list);
    va_end(list);
    t->bytes += (size_t)length;
    assert(t->bytes < t->room);
}

/* The code point at text and its number of bytes; the text was checked to be UTF-8 by its reader.
 */
static int32_t next_point(const char *text, int32_t *bytes)
{
    const unsigned char lead = (unsigned char)text[0];
    const int32_t length = lead < 0xc0 ? 1 : (lead < 0xe0 ? 2 : (lead < 0xf0 ? 3 : 4));
    int32_t point = length == 1 ? lead : lead & (0x7f >> length);
    for (int32_t i = 1; i < length; i++) {
        if (text[i] == '\0') {
            *bytes = i;
            return point;
        }
        point = point << 6 | (text[i] & 0x3f);
    }
    *bytes = length;
    return point;
}

static int32_t point_width(int32_t p)
{
    static const int32_t wide[][2] = {{0x1100, 0x115f},   {0x2e80, 0xa4cf},  {0xac00, 0xd7a3},
                                      {0xf900, 0xfaff},   {0xfe30, 0xfe6f},  {0xff00, 0xff60},
                                      {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
    if ((p >= 0x300 && p <= 0x36f) || p == 0x200b || p == 0x200d || (p >= 0xfe00 && p <= 0xfe0f)) {
        return 0;
    }
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
        if (p >= wide[i][0] && p <= wide[i][1]) {
            return 2;
        }
    }
    return 1;
}

int32_t rn_text_width(const char *text)
{
    int32_t width = 0;
    int32_t bytes = 0;
    while (*text != '\0') {
        width += point_width(next_point(text, &bytes));
        text += bytes;
    }
    return width;
}

void rn_text_cell(rn_text *t, const char *text, int32_t width, bool right)
{
    const int32_t whole = rn_text_width(text);
    if (whole <= width) {
        rn_text_add(t, "%*s%s%*s", right ? width - whole : 0, "", text, right ? 0 : width - whole,
                    "");
        return;
    }
    int32_t used = 0;
    int32_t bytes = 0;
    const char *end = text;
    while (used + point_width(next_point(end, &bytes)) <= width - 1) {
        used += point_width(next_point(end, &bytes));
        end += bytes;
    }
    assert(used < width);
    rn_text_add(t, "%.*s…%*s", (int)(end - text), text, width - 1 - used, "");
}
