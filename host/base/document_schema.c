/* What a plain YAML scalar means. Source: YAML 1.2.2, section 10.3.2 (core schema).
 *
 *   null   null | Null | NULL | ~ | nothing
 *   bool   true | True | TRUE | false | False | FALSE
 *   int    [-+]? [0-9]+  |  0o [0-7]+  |  0x [0-9a-fA-F]+
 *   float  [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
 *          |  [-+]? .inf  |  .nan
 *
 * Everything else is text, also yes, no, on, off, 1_000 and 12:30. Two
 * deviations, both refusals: infinities and NaN; whole numbers with a leading 0
 * (YAML 1.1 reads 010 as 8, 1.2 as 10).
 */
#include <stdio.h>
#include <string.h>

#include "document_tree.h"
#include "number.h"

static bool is_one_of(const char *text, size_t bytes, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) == bytes && memcmp(words[i], text, bytes) == 0) {
            return true;
        }
    }
    return false;
}

static size_t count_digits(const char *text, size_t bytes, size_t from)
{
    size_t at = from;
    while (at < bytes && text[at] >= '0' && text[at] <= '9') {
        at++;
    }
    return at - from;
}

/* 0o17 and 0x1F as decimal; false when text is neither. */
static bool read_radix(const char *text, size_t bytes, rn_plain *plain)
{
    if (bytes < 3 || text[0] != '0' || (text[1] != 'o' && text[1] != 'x')) {
        return false;
    }
    const uint64_t radix = text[1] == 'o' ? 8 : 16;
    uint64_t value = 0;
    bool large = false;
    for (size_t i = 2; i < bytes; i++) {
        const char c = text[i];
        const char lower = (char)(c | 0x20);
        uint64_t digit = radix;
        if (c >= '0' && c <= '9') {
            digit = (uint64_t)(c - '0');
        } else if (lower >= 'a' && lower <= 'f') {
            digit = (uint64_t)(lower - 'a') + 10;
        }
        if (digit >= radix) {
            return false;
        }
        large = large || value > (UINT64_MAX - digit) / radix;
        value = large ? 0 : value * radix + digit;
    }
    plain->kind = RATION_KIND_NUMBER;
    plain->problem = large ? "has more than 64 bits" : NULL;
    (void)snprintf(plain->number, sizeof plain->number, "%llu", (unsigned long long)value);
    return true;
}

/* The parts of a decimal number: sign, whole digits, fraction digits, exponent (with its e). */
typedef struct decimal {
    bool negative;
    const char *whole, *fraction, *exponent;
    size_t whole_length, fraction_length, exponent_length;
} decimal;

static bool split_decimal(const char *text, size_t bytes, decimal *d)
{
    size_t at = bytes > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    memset(d, 0, sizeof *d);
    d->negative = bytes > 0 && text[0] == '-';
    d->whole = text + at;
    d->whole_length = count_digits(text, bytes, at);
    at += d->whole_length;
    d->fraction = text + at;
    if (at < bytes && text[at] == '.') {
        d->fraction = text + at + 1;
        d->fraction_length = count_digits(text, bytes, at + 1);
        at += 1 + d->fraction_length;
    }
    if (d->whole_length + d->fraction_length == 0) {
        return false;
    }
    d->exponent = text + at;
    if (at < bytes && (text[at] == 'e' || text[at] == 'E')) {
        size_t next = at + 1;
        next += next < bytes && (text[next] == '+' || text[next] == '-') ? 1 : 0;
        const size_t digits = count_digits(text, bytes, next);
        if (digits == 0) {
            return false;
        }
        d->exponent_length = next + digits - at;
        at = next + digits;
    }
    return at == bytes;
}

static bool read_decimal(const char *text, size_t bytes, rn_plain *plain)
{
    decimal d;
    if (!split_decimal(text, bytes, &d)) {
        return false;
    }
    plain->kind = RATION_KIND_NUMBER;
    const bool whole = d.whole_length == bytes || (d.whole_length + 1 == bytes && d.whole != text);
    if (whole && d.whole_length > 1 && d.whole[0] == '0') {
        plain->problem = "begins with 0: write the number without, or text in quotes";
        return true;
    }
    if (bytes > RN_NUMBER_LENGTH_MAX) {
        plain->problem = "is too long for a number (63 characters), text stands in quotes";
        return true;
    }
    while (d.whole_length > 1 && d.whole[0] == '0') {
        d.whole++;
        d.whole_length--;
    }
    (void)snprintf(plain->number, sizeof plain->number, "%s%.*s%s%.*s%.*s", d.negative ? "-" : "",
                   d.whole_length == 0 ? 1 : (int)d.whole_length,
                   d.whole_length == 0 ? "0" : d.whole, d.fraction_length == 0 ? "" : ".",
                   (int)d.fraction_length, d.fraction, (int)d.exponent_length, d.exponent);
    double value = 0;
    if (strlen(plain->number) > RN_NUMBER_LENGTH_MAX || !rn_real_read(plain->number, &value)) {
        plain->problem = "is too large, the largest number is about 1.8e308";
    }
    return true;
}

void rn_yaml_plain(const char *text, size_t bytes, rn_plain *plain)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    static const char *const trues[] = {"true", "True", "TRUE"};
    static const char *const falses[] = {"false", "False", "FALSE"};
    static const char *const infinite[] = {".inf",  ".Inf",  ".INF",  "+.inf", "+.Inf", "+.INF",
                                           "-.inf", "-.Inf", "-.INF", ".nan",  ".NaN",  ".NAN"};
    memset(plain, 0, sizeof *plain);
    plain->kind = RATION_KIND_TEXT;
    if (is_one_of(text, bytes, nulls, sizeof nulls / sizeof *nulls)) {
        plain->kind = RATION_KIND_NULL;
    } else if (is_one_of(text, bytes, trues, sizeof trues / sizeof *trues)) {
        plain->kind = RATION_KIND_BOOL;
        plain->truth = true;
    } else if (is_one_of(text, bytes, falses, sizeof falses / sizeof *falses)) {
        plain->kind = RATION_KIND_BOOL;
    } else if (is_one_of(text, bytes, infinite, sizeof infinite / sizeof *infinite)) {
        plain->kind = RATION_KIND_NUMBER;
        plain->problem = "is not accepted, expected a finite number";
    } else if (!read_radix(text, bytes, plain)) {
        (void)read_decimal(text, bytes, plain);
    }
}
