/* Exact decimals in JSON. A double gives back every decimal of at most 15 significant digits, so
 * such a number is written as a number; what is longer is a string. */
#include "plan/decimal.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/number.h"
#include "core/fail.h"

enum { DOUBLE_DIGITS = 15, EXPONENT_MAX = 400 };

const char *rn_decimal_text(rn_i128 value, int32_t scale, char text[RN_DECIMAL_TEXT_MAX])
{
    assert(scale >= 0 && scale <= 18);
    while (scale > 0 && value % 10 == 0) {
        value /= 10;
        scale--;
    }
    char digits[RN_I128_TEXT_MAX];
    (void)rn_i128_text(value < 0 ? -value : value, digits);
    const int32_t count = (int32_t)strlen(digits);
    int32_t at = 0;
    if (value < 0) {
        text[at++] = '-';
    }
    if (count <= scale) {
        text[at++] = '0';
        text[at++] = '.';
        for (int32_t k = count; k < scale; k++) {
            text[at++] = '0';
        }
    }
    for (int32_t k = 0; k < count; k++) {
        if (k > 0 && k == count - scale) {
            text[at++] = '.';
        }
        text[at++] = digits[k];
    }
    assert(at < RN_DECIMAL_TEXT_MAX);
    text[at] = '\0';
    return text;
}

typedef struct cursor {
    const char *at;
    rn_i128 value;
    int32_t digits;   /* read so far */
    int32_t exponent; /* of ten */
    bool full;        /* the value would leave 2^100 */
} cursor;

static void read_digits(cursor *c, bool fraction)
{
    const rn_i128 most = (rn_i128)1 << 100;
    for (; *c->at >= '0' && *c->at <= '9'; c->at++) {
        c->full = c->full || c->value > most;
        c->value = c->full ? 0 : c->value * 10 + (*c->at - '0');
        c->digits++;
        c->exponent -= fraction ? 1 : 0;
    }
}

static bool read_exponent(cursor *c)
{
    if (*c->at != 'e' && *c->at != 'E') {
        return true;
    }
    c->at++;
    const bool negative = *c->at == '-';
    c->at += *c->at == '-' || *c->at == '+' ? 1 : 0;
    int32_t size = 0;
    const char *first = c->at;
    for (; *c->at >= '0' && *c->at <= '9'; c->at++) {
        size = size > EXPONENT_MAX ? size : size * 10 + (*c->at - '0');
    }
    c->exponent += negative ? -size : size;
    return c->at != first;
}

bool rn_decimal_read(const char *text, int32_t scale, rn_i128 *value)
{
    assert(scale >= 0);
    const bool negative = *text == '-';
    cursor c = {text + (negative ? 1 : 0), 0, 0, 0, false};
    read_digits(&c, false);
    if (c.digits > 0 && *c.at == '.') {
        const int32_t whole = c.digits;
        c.at++;
        read_digits(&c, true);
        c.digits = c.digits == whole ? 0 : c.digits;
    }
    if (c.digits == 0 || c.full || !read_exponent(&c) || *c.at != '\0') {
        return false;
    }
    int32_t power = c.exponent + scale;
    for (; power < 0 && c.value % 10 == 0 && c.value != 0; power++) {
        c.value /= 10;
    }
    const rn_i128 most = (rn_i128)1 << 100;
    for (; power > 0 && c.value <= most && c.value != 0; power--) {
        c.value *= 10;
    }
    if (c.value != 0 && power != 0) {
        return false;
    }
    *value = negative ? -c.value : c.value;
    return true;
}

void rn_decimal_write(ration_writer *writer, const char *key, rn_i128 value, int32_t scale)
{
    char text[RN_DECIMAL_TEXT_MAX];
    (void)rn_decimal_text(value, scale, text);
    int32_t digits = 0;
    bool whole = true;
    for (const char *c = text; *c != '\0'; c++) {
        digits += *c >= '0' && *c <= '9' ? 1 : 0;
        whole = whole && *c != '.';
    }
    int64_t integer = 0;
    double real = 0.0;
    if (whole && rn_integer_read(text, &integer)) {
        ration_writer_integer(writer, key, integer);
    } else if (digits <= DOUBLE_DIGITS && rn_real_read(text, &real)) {
        ration_writer_real(writer, key, real);
    } else {
        ration_writer_text(writer, key, text);
    }
}

ration_status rn_decimal_node(const ration_node *node, int32_t scale, rn_i128 *value,
                              ration_error *error)
{
    char number[RN_REAL_TEXT_MAX];
    const char *text = number;
    if (ration_node_kind(node) == RATION_KIND_TEXT) {
        RN_TRY(ration_node_text(node, false, &text, error));
    } else {
        double real = 0.0;
        RN_TRY(ration_node_real(node, -1e300, 1e300, &real, error));
        (void)rn_real_text(real, number);
    }
    rn_i128 read = 0;
    const rn_i128 most = (rn_i128)1 << 65;
    if (!rn_decimal_read(text, scale, &read) || read > most || read < -most) {
        return ration_node_fail(node, error, "%s; expected a number with at most %d decimals", text,
                                (int)scale);
    }
    *value = read;
    return RATION_OK;
}
