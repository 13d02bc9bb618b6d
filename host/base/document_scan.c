/* The strict look at JSON before cJSON sees it. Source of the grammar: RFC 8259.
 *
 * cJSON accepts control characters in text, "01", NaN where strtod does, text
 * after the end, and cuts numbers at 63 characters; it forgets lines and the
 * digits of large integers. So this pass refuses what is wrong, with its line,
 * and notes of every value kind, line and, for numbers, the literal. It is a
 * loop, not a recursion.
 */
#include <assert.h>
#include <string.h>

#include "core/fail.h"
#include "document_tree.h"
#include "number.h"
#include "utf8.h"

typedef struct scanner {
    const char *at, *end;
    int32_t line;
    rn_builder *builder;
} scanner;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '+' || c == '-' || c == '.';
}

static void skip_space(scanner *s)
{
    while (s->at < s->end &&
           (*s->at == ' ' || *s->at == '\t' || *s->at == '\r' || *s->at == '\n')) {
        s->line += *s->at == '\n' ? 1 : 0;
        s->at++;
    }
}

/* The next character, or NUL at the end (the text has no NUL). */
static char peek(const scanner *s)
{
    return s->at < s->end ? *s->at : '\0';
}

/* Refuses what is found here in place of expected. */
static ration_status refuse(const scanner *s, const char *expected)
{
    const rn_builder *builder = s->builder;
    if (s->at >= s->end) {
        const ration_node *top = rn_build_top(builder);
        if (top == NULL) {
            return rn_build_fail(builder, s->line, "the text ends here, expected %s", expected);
        }
        return rn_build_fail(builder, s->line,
                             "the text ends within the %s that begins on line %d, expected %s",
                             top->kind == RATION_KIND_MAP ? "map" : "list", top->line, expected);
    }
    int bytes = 0;
    while (bytes < 24 && s->at + bytes < s->end && is_word(s->at[bytes])) {
        bytes++;
    }
    if (bytes == 0) {
        bytes = (int)rn_utf8_length(s->at, (size_t)(s->end - s->at));
    }
    const char *hint = "";
    if (*s->at == '\'') {
        hint = " (JSON text stands in double quotes)";
    } else if (*s->at == '/' || *s->at == '#') {
        hint = " (JSON has no comments)";
    }
    return rn_build_fail(builder, s->line, "found %.*s, expected %s%s", bytes, s->at, expected,
                         hint);
}

/* Four hexadecimal digits after "\u", or -1. */
static int32_t read_hex4(const scanner *s, const char *at)
{
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const char c = at + i < s->end ? at[i] : '\0';
        if (is_digit(c)) {
            value = value * 16 + (c - '0');
        } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
            value = value * 16 + ((c | 0x20) - 'a' + 10);
        } else {
            return -1;
        }
    }
    return value;
}

/* s->at is behind "\u". */
static ration_status scan_unicode(scanner *s)
{
    const int32_t code = read_hex4(s, s->at);
    if (code < 0) {
        return rn_build_fail(s->builder, s->line, "\\u needs four hexadecimal digits");
    }
    if (code == 0) {
        return rn_build_fail(s->builder, s->line, "\\u0000 is not accepted in text");
    }
    s->at += 4;
    if (code < 0xD800 || code > 0xDFFF) {
        return RATION_OK;
    }
    const bool pair = code < 0xDC00 && s->end - s->at >= 6 && s->at[0] == '\\' && s->at[1] == 'u';
    const int32_t low = pair ? read_hex4(s, s->at + 2) : -1;
    if (low < 0xDC00 || low > 0xDFFF) {
        return rn_build_fail(s->builder, s->line,
                             "\\u%04x is half of a character, the other half is missing", code);
    }
    s->at += 6;
    return RATION_OK;
}

/* s->at is at the opening quote. */
static ration_status scan_text(scanner *s)
{
    const int32_t begin = s->line;
    s->at++;
    for (;;) {
        const char c = peek(s);
        if (s->at >= s->end) {
            return rn_build_fail(s->builder, begin,
                                 "the text ends within quotes that begin on line %d", begin);
        }
        if (c == '\n' || c == '\r') {
            return rn_build_fail(s->builder, begin,
                                 "a line ends within quotes, expected a closing quote or \\n");
        }
        if ((uint8_t)c < 0x20) {
            return rn_build_fail(s->builder, begin,
                                 "control character %d within quotes, expected an escape", c);
        }
        s->at++;
        if (c == '"') {
            return RATION_OK;
        }
        if (c != '\\') {
            continue;
        }
        const char escape = peek(s);
        if (escape == '\0' || strchr("\"\\/bfnrtu", escape) == NULL) {
            return rn_build_fail(
                s->builder, begin, "unknown escape \\%.*s in text",
                s->at < s->end ? (int)rn_utf8_length(s->at, (size_t)(s->end - s->at)) : 0, s->at);
        }
        s->at++;
        if (escape == 'u') {
            RN_TRY(scan_unicode(s));
        }
    }
}

/* Length of the digits at *at, which moves behind them. */
static int32_t scan_digits(const char **at, const char *end)
{
    int32_t count = 0;
    while (*at < end && is_digit(**at)) {
        (*at)++;
        count++;
    }
    return count;
}

/* Why word[length] is no JSON number, or NULL when it is one. */
static const char *number_problem(const char *word, int32_t length)
{
    const char *at = word;
    const char *end = word + length;
    at += at < end && *at == '-' ? 1 : 0;
    const char *whole = at;
    const int32_t digits = scan_digits(&at, end);
    if (digits == 0) {
        return "is not a number (a digit must come first)";
    }
    if (digits > 1 && *whole == '0') {
        return "begins with 0: write it without";
    }
    if (at < end && *at == '.') {
        at++;
        if (scan_digits(&at, end) == 0) {
            return "has no digit after the point";
        }
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '+' || *at == '-') ? 1 : 0;
        if (scan_digits(&at, end) == 0) {
            return "has no digit in its exponent";
        }
    }
    return at == end ? NULL : "is not a number";
}

static ration_status scan_number(scanner *s, const char *word, int32_t length)
{
    const int shown = length < 40 ? length : 40;
    const char *problem = number_problem(word, length);
    if (problem != NULL) {
        return rn_build_fail(s->builder, s->line, "%.*s %s", shown, word, problem);
    }
    if (length > RN_NUMBER_LENGTH_MAX) {
        return rn_build_fail(s->builder, s->line,
                             "%.*s... is a number of %d characters, at most %d are read", shown,
                             word, length, RN_NUMBER_LENGTH_MAX);
    }
    RN_TRY(rn_build_add(s->builder, RATION_KIND_NUMBER, s->line));
    int64_t offset = 0;
    RN_TRY(rn_build_text(s->builder, word, (size_t)length, &offset));
    s->builder->nodes[s->builder->count - 1].text = offset;
    /* Without an exponent it is below 10^63. */
    double value = 0;
    const bool exponent =
        memchr(word, 'e', (size_t)length) != NULL || memchr(word, 'E', (size_t)length) != NULL;
    if (exponent && !rn_real_read(s->builder->pool + offset, &value)) {
        return rn_build_fail(s->builder, s->line,
                             "%.*s is too large, the largest number is about 1.8e308", shown, word);
    }
    return RATION_OK;
}

static bool is_same(const char *word, int32_t length, const char *name)
{
    return (size_t)length == strlen(name) && memcmp(word, name, (size_t)length) == 0;
}

/* true, false, null, a number, or a refusal. */
static ration_status scan_word(scanner *s)
{
    const char *word = s->at;
    int32_t length = 0;
    while (word + length < s->end && length < (1 << 20) && is_word(word[length])) {
        length++;
    }
    if (length == 0) {
        return refuse(s, "a value");
    }
    if (is_digit(*word) || *word == '+' || *word == '.' ||
        (*word == '-' && length > 1 && is_digit(word[1]))) {
        RN_TRY(scan_number(s, word, length));
        s->at += length;
        return RATION_OK;
    }
    if (is_same(word, length, "null")) {
        RN_TRY(rn_build_add(s->builder, RATION_KIND_NULL, s->line));
    } else if (is_same(word, length, "true") || is_same(word, length, "false")) {
        RN_TRY(rn_build_add(s->builder, RATION_KIND_BOOL, s->line));
        s->builder->nodes[s->builder->count - 1].truth = *word == 't';
    } else {
        static const char *const infinite[] = {"NaN", "nan",  "Infinity", "-Infinity",
                                               "inf", "-inf", "-NaN",     "-nan"};
        for (size_t i = 0; i < sizeof infinite / sizeof *infinite; i++) {
            if (is_same(word, length, infinite[i])) {
                return rn_build_fail(s->builder, s->line,
                                     "%s is not accepted, expected a finite number", infinite[i]);
            }
        }
        return refuse(s, "a value");
    }
    s->at += length;
    return RATION_OK;
}

/* The key and colon of the next member of a map. */
static ration_status scan_key(scanner *s)
{
    skip_space(s);
    if (peek(s) == '}') {
        return rn_build_fail(s->builder, s->line,
                             "a comma before '}', expected another member or no comma");
    }
    if (peek(s) != '"') {
        return refuse(s, "a key in double quotes");
    }
    RN_TRY(scan_text(s));
    skip_space(s);
    if (peek(s) != ':') {
        return refuse(s, "':' after the key");
    }
    s->at++;
    return RATION_OK;
}

/* One value; of a list or map that is not empty only its beginning, up to where the first value
 * stands. */
static ration_status scan_value(scanner *s, bool *opened)
{
    *opened = false;
    skip_space(s);
    const char c = peek(s);
    if (c == '"') {
        RN_TRY(rn_build_add(s->builder, RATION_KIND_TEXT, s->line));
        return scan_text(s);
    }
    if (c != '{' && c != '[') {
        const ration_node *top = rn_build_top(s->builder);
        if (c == ']' && top != NULL && top->kind == RATION_KIND_LIST && top->count > 0) {
            return rn_build_fail(s->builder, s->line,
                                 "a comma before ']', expected another value or no comma");
        }
        return scan_word(s);
    }
    RN_TRY(rn_build_add(s->builder, c == '{' ? RATION_KIND_MAP : RATION_KIND_LIST, s->line));
    s->at++;
    skip_space(s);
    if (peek(s) == (c == '{' ? '}' : ']')) {
        s->at++;
        rn_build_close(s->builder);
        return RATION_OK;
    }
    *opened = true;
    return c == '{' ? scan_key(s) : RATION_OK;
}

/* What stands behind a value: closes containers; goes on to the next value or, at depth 0, is done.
 */
static ration_status scan_behind(scanner *s, bool *done)
{
    *done = false;
    while (s->builder->depth > 0) {
        const bool map = rn_build_top(s->builder)->kind == RATION_KIND_MAP;
        skip_space(s);
        const char c = peek(s);
        if (c == ',') {
            s->at++;
            return map ? scan_key(s) : RATION_OK;
        }
        if (c != (map ? '}' : ']')) {
            return refuse(s, map ? "',' or '}'" : "',' or ']'");
        }
        s->at++;
        rn_build_close(s->builder);
    }
    *done = true;
    return RATION_OK;
}

ration_status rn_json_scan(rn_builder *builder, const char *text, size_t bytes)
{
    assert(builder->count == 0 && builder->depth == 0);
    scanner s = {text, text + bytes, 1, builder};
    bool done = false;
    while (!done) {
        bool opened = false;
        RN_TRY(scan_value(&s, &opened));
        if (!opened) {
            RN_TRY(scan_behind(&s, &done));
        }
    }
    skip_space(&s);
    if (s.at != s.end) {
        return refuse(&s, "nothing after the end of the document");
    }
    return RATION_OK;
}
