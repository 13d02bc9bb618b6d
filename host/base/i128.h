/* 128-bit integers: for sums that the verifier and the bound must not lose. The only home of
 * __int128. */
#ifndef RN_I128_H
#define RN_I128_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

__extension__ typedef __int128 rn_i128;
__extension__ typedef unsigned __int128 rn_u128;

enum { RN_I128_TEXT_MAX = 41 }; /* sign, 39 digits, NUL */

/* The largest integer <= a / b. b != 0, and not (a = -2^127, b = -1). */
static inline rn_i128 rn_i128_floor_div(rn_i128 a, rn_i128 b)
{
    assert(b != 0);
    const rn_i128 quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/* The smallest integer >= a / b. Same conditions. */
static inline rn_i128 rn_i128_ceil_div(rn_i128 a, rn_i128 b)
{
    assert(b != 0);
    const rn_i128 quotient = a / b;
    return quotient + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
}

/* value, or the end of the int64_t range that is nearest to it. */
static inline int64_t rn_i128_saturate(rn_i128 value)
{
    return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

/* Writes value in decimal to text[RN_I128_TEXT_MAX]; returns text. */
static inline const char *rn_i128_text(rn_i128 value, char text[RN_I128_TEXT_MAX])
{
    char digits[RN_I128_TEXT_MAX];
    int32_t count = 0;
    rn_u128 rest = value < 0 ? -(rn_u128)value : (rn_u128)value;
    do {
        digits[count++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest != 0);
    int32_t at = 0;
    if (value < 0) {
        text[at++] = '-';
    }
    while (count > 0) {
        text[at++] = digits[--count];
    }
    text[at] = '\0';
    return text;
}

#ifdef __cplusplus
}
#endif

#endif
