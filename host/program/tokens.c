/* The tokenizer of the public instance formats. */
#include "ration/tokens.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "core/fail.h"

enum { SHOWN = 24 }; /* characters of a token in a message */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

ration_status ration_tokens_fail(const ration_tokens *tokens, ration_error *error,
                                 const char *format, ...)
{
    char prefix[RATION_ERROR_TEXT_MAX];
    snprintf(prefix, sizeof prefix, "%.300s: line %" PRId32 ": ", tokens->name, tokens->line);
    va_list list;
    va_start(list, format);
    rn_fail_list(error, RATION_E_INPUT, prefix, format, list);
    va_end(list);
    return RATION_E_INPUT;
}

ration_status ration_tokens_begin(ration_tokens *tokens, const char *name, const char *text,
                                  size_t bytes, ration_error *error)
{
    const uint8_t *head = (const uint8_t *)text;
    if (bytes >= 2 && head[0] == 0x1F && head[1] == 0x8B) {
        return rn_fail(error, RATION_E_INPUT, "%s: is compressed with gzip; plain text is expected",
                       name);
    }
    if (bytes >= 2 &&
        ((head[0] == 0xFF && head[1] == 0xFE) || (head[0] == 0xFE && head[1] == 0xFF))) {
        return rn_fail(error, RATION_E_INPUT, "%s: is UTF-16; plain text is expected", name);
    }
    const size_t mark = bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    *tokens = (ration_tokens){name, text + mark, text + bytes, 1};
    return RATION_OK;
}

/* Passes white space; the next token, or NULL at the end; bytes: out. */
static const char *next(ration_tokens *tokens, size_t *bytes)
{
    while (tokens->at < tokens->end && is_space(*tokens->at)) {
        tokens->line += *tokens->at == '\n' ? 1 : 0;
        tokens->at++;
    }
    const char *end = tokens->at;
    while (end < tokens->end && !is_space(*end)) {
        end++;
    }
    *bytes = (size_t)(end - tokens->at);
    return *bytes == 0 ? NULL : tokens->at;
}

/* Decimals of a token, final zeros not counted. */
static int32_t places_of(const char *text, size_t bytes)
{
    const char *point = memchr(text, '.', bytes);
    if (point == NULL) {
        return 0;
    }
    const char *end = text + bytes;
    while (end > point + 1 && end[-1] == '0') {
        end--;
    }
    const int64_t places = end - point - 1;
    return places > INT32_MAX ? INT32_MAX : (int32_t)places;
}

/* value * 10 + digit, false when that leaves +-(2^63 - 1). */
static bool push_digit(int64_t *value, char c)
{
    const int64_t digit = c - '0';
    if (*value > (INT64_MAX - digit) / 10) {
        return false;
    }
    *value = *value * 10 + digit;
    return true;
}

/* Reads [+-]digits[.digits] times 10^places; false for anything else, or when it is too large. */
static bool parse(const char *text, size_t bytes, int32_t places, int64_t *value)
{
    const char *at = text;
    const char *end = text + bytes;
    const bool negative = *at == '-';
    at += *at == '-' || *at == '+' ? 1 : 0;
    int64_t sum = 0;
    int32_t digits = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++, digits++) {
        if (!push_digit(&sum, *at)) {
            return false;
        }
    }
    int32_t left = places;
    if (at < end && *at == '.' && places_of(text, bytes) <= places) {
        for (at++; at < end && *at >= '0' && *at <= '9'; at++, digits++) {
            if (left > 0 && !push_digit(&sum, *at)) {
                return false;
            }
            left -= left > 0 ? 1 : 0;
        }
    }
    for (; left > 0; left--) {
        if (!push_digit(&sum, '0')) {
            return false;
        }
    }
    *value = negative ? -sum : sum;
    return at == end && digits > 0;
}

/* Where the token after the white space is, for messages. */
static ration_tokens at_token(const ration_tokens *tokens)
{
    ration_tokens copy = *tokens;
    size_t bytes = 0;
    next(&copy, &bytes);
    return copy;
}

static ration_status read_number(ration_tokens *tokens, const char *what, int32_t places,
                                 const int64_t range[2], int64_t *value, ration_error *error)
{
    ration_tokens after = *tokens;
    size_t bytes = 0;
    int64_t read = 0;
    const char *text = next(&after, &bytes);
    if (text == NULL) {
        return ration_tokens_fail(&after, error, "the file ends where %s is expected", what);
    }
    const int shown = bytes > SHOWN ? SHOWN : (int)bytes;
    const bool whole = places == 0 && memchr(text, '.', bytes) != NULL;
    if (whole || !parse(text, bytes, places, &read)) {
        return ration_tokens_fail(&after, error, "%s: found \"%.*s\"; expected %s", what, shown,
                                  text, places == 0 ? "an integer" : "a decimal number");
    }
    if (read < range[0] || read > range[1]) {
        const char *unit = places == 0 ? "" : " in units of the last decimal";
        if (range[1] == INT64_MAX) {
            return ration_tokens_fail(&after, error,
                                      "%s: found %.*s; expected at least %" PRId64 "%s", what,
                                      shown, text, range[0], unit);
        }
        return ration_tokens_fail(&after, error,
                                  "%s: found %.*s; expected %" PRId64 " to %" PRId64 "%s", what,
                                  shown, text, range[0], range[1], unit);
    }
    after.at += bytes;
    *tokens = after;
    *value = read;
    return RATION_OK;
}

ration_status ration_tokens_integer(ration_tokens *tokens, const char *what, int64_t low,
                                    int64_t high, int64_t *value, ration_error *error)
{
    return read_number(tokens, what, 0, (const int64_t[2]){low, high}, value, error);
}

ration_status ration_tokens_decimal(ration_tokens *tokens, const char *what, int32_t places,
                                    int64_t low, int64_t high, int64_t *value, ration_error *error)
{
    assert(places >= 0 && places <= 18);
    /* "100.0" is the integer 100 here, so even without decimals the point is allowed. */
    ration_tokens after = at_token(tokens);
    size_t bytes = 0;
    const char *text = next(&after, &bytes);
    const char *point = text == NULL ? NULL : memchr(text, '.', bytes);
    if (places > 0 || point == NULL || places_of(text, bytes) > 0) {
        return read_number(tokens, what, places, (const int64_t[2]){low, high}, value, error);
    }
    int64_t read = 0;
    if (!parse(text, bytes, 0, &read) || read < low || read > high) {
        return ration_tokens_fail(&after, error, "%s: found \"%.*s\"; expected a number", what,
                                  bytes > SHOWN ? SHOWN : (int)bytes, text);
    }
    after.at += bytes;
    *tokens = after;
    *value = read;
    return RATION_OK;
}

ration_status ration_tokens_skip(ration_tokens *tokens, const char *what, int64_t count,
                                 ration_error *error)
{
    ration_tokens after = *tokens;
    for (int64_t i = 0; i < count; i++) {
        size_t bytes = 0;
        if (next(&after, &bytes) == NULL) {
            return ration_tokens_fail(&after, error, "the file ends where %s is expected", what);
        }
        after.at += bytes;
    }
    *tokens = after;
    return RATION_OK;
}

int32_t ration_tokens_places(const ration_tokens *tokens, int64_t count)
{
    ration_tokens copy = *tokens;
    int32_t places = 0;
    for (int64_t i = 0; i < count; i++) {
        size_t bytes = 0;
        const char *text = next(&copy, &bytes);
        if (text == NULL) {
            break;
        }
        const int32_t found = places_of(text, bytes);
        places = found > places ? found : places;
        copy.at += bytes;
    }
    return places;
}

bool ration_tokens_done(const ration_tokens *tokens)
{
    const ration_tokens after = at_token(tokens);
    return after.at == after.end;
}

ration_status ration_tokens_end(const ration_tokens *tokens, ration_error *error)
{
    ration_tokens after = at_token(tokens);
    size_t bytes = 0;
    const char *text = next(&after, &bytes);
    if (text == NULL) {
        return RATION_OK;
    }
    return ration_tokens_fail(&after, error, "found \"%.*s\" after the end of the problem",
                              bytes > SHOWN ? SHOWN : (int)bytes, text);
}
