/* Numbers as text. strtod and printf follow the locale's decimal point, so it is exchanged here. */
#include "number.h"

#include <assert.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The decimal point of the locale; JSON's own when the locale has one of several bytes. */
static char decimal_point(void)
{
    const char *point = localeconv()->decimal_point;
    return point != NULL && point[0] != '\0' && point[1] == '\0' ? point[0] : '.';
}

bool rn_integer_read(const char *text, int64_t *value)
{
    const bool negative = text[0] == '-';
    const char *digits = text + (negative ? 1 : 0);
    if (digits[0] == '\0' || (digits[0] == '0' && digits[1] != '\0')) {
        return false;
    }
    int64_t result = 0; /* kept negative: that side reaches one further */
    for (const char *at = digits; *at != '\0'; at++) {
        if (*at < '0' || *at > '9') {
            return false;
        }
        const int64_t digit = *at - '0';
        if (result < (INT64_MIN + digit) / 10) {
            return false;
        }
        result = result * 10 - digit;
    }
    if (!negative && result == INT64_MIN) {
        return false;
    }
    *value = negative ? result : -result;
    return true;
}

bool rn_real_read(const char *text, double *value)
{
    char copy[RN_NUMBER_LENGTH_MAX + 1];
    const size_t length = strlen(text);
    assert(length <= RN_NUMBER_LENGTH_MAX);
    memcpy(copy, text, length + 1);
    char *point = strchr(copy, '.');
    if (point != NULL) {
        *point = decimal_point();
    }
    char *end = copy;
    const double result = strtod(copy, &end);
    if (end == copy || *end != '\0' || !isfinite(result)) {
        return false;
    }
    *value = result;
    return true;
}

/* Lays out digits[count] x 10^(exponent - count + 1) in plain notation. */
static char *write_plain(char *at, const char *digits, int count, int exponent)
{
    if (exponent < 0) {
        *at++ = '0';
        *at++ = '.';
        for (int i = -1; i > exponent; i--) {
            *at++ = '0';
        }
    }
    for (int i = 0; i < count || i <= exponent; i++) {
        if (i == exponent + 1 && exponent >= 0) {
            *at++ = '.';
        }
        *at++ = i < count ? digits[i] : '0';
    }
    return at;
}

const char *rn_real_text(double value, char text[RN_REAL_TEXT_MAX])
{
    assert(isfinite(value));
    char form[RN_REAL_TEXT_MAX]; /* [-]d.ddddde[+-]xxx */
    for (int precision = 0; precision < 17; precision++) {
        (void)snprintf(form, sizeof form, "%.*e", precision, value);
        if (strtod(form, NULL) == value) {
            break;
        }
    }
    const char *mark = strchr(form, 'e');
    assert(mark != NULL);
    const int exponent = (int)strtol(mark + 1, NULL, 10);
    char digits[RN_REAL_TEXT_MAX];
    int count = 0;
    for (const char *from = form; from < mark; from++) {
        if (*from >= '0' && *from <= '9') {
            digits[count++] = *from;
        }
    }
    char *at = text;
    if (form[0] == '-') {
        *at++ = '-';
    }
    /* 10^16 and up would look exact and are not; below 10^-5 the zeros are hard to count. */
    if (exponent >= -5 && exponent < 16) {
        at = write_plain(at, digits, count, exponent);
        *at = '\0';
        return text;
    }
    *at++ = digits[0];
    if (count > 1) {
        *at++ = '.';
        memcpy(at, digits + 1, (size_t)(count - 1));
        at += count - 1;
    }
    (void)snprintf(at, (size_t)(text + RN_REAL_TEXT_MAX - at), "e%d", exponent);
    return text;
}
