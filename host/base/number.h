/* Decimal text to numbers and back, independent of the locale of the process. */
#ifndef RN_NUMBER_H
#define RN_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RN_REAL_TEXT_MAX = 32, RN_NUMBER_LENGTH_MAX = 63 };

/* Reads all of text as "-?(0|[1-9][0-9]*)" of at most 64 bits; false, and *value untouched, when it
 * is anything else. */
bool rn_integer_read(const char *text, int64_t *value);

/* Reads all of text, at most RN_NUMBER_LENGTH_MAX characters, as a JSON number; false, and *value
 * untouched, when it is none or overflows. What is too small becomes the nearest subnormal number
 * or 0. */
bool rn_real_read(const char *text, double *value);

/* Writes value, finite, as the JSON number with the fewest digits that reads back the same; returns
 * text. */
const char *rn_real_text(double value, char text[RN_REAL_TEXT_MAX]);

#ifdef __cplusplus
}
#endif

#endif
