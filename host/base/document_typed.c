/* Typed reads: each says what was found and what was expected. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "document_tree.h"
#include "number.h"
#include "utf8.h"

enum { FOUND_MAX = 96, EXPECTED_MAX = 128, LIST_MAX = 200, EXACT_MAX_SHIFT = 53 };

/* Describes a value: "text \"abc\"", "12.5", "a list of 3", "null". */
static const char *describe(const ration_node *node, char text[FOUND_MAX])
{
    switch ((ration_kind)node->kind) {
    case RATION_KIND_NULL:
        return "null";
    case RATION_KIND_BOOL:
        return node->truth ? "true" : "false";
    case RATION_KIND_NUMBER:
        return rn_node_text(node);
    case RATION_KIND_TEXT: {
        const char *value = rn_node_text(node);
        const size_t length = strlen(value);
        size_t shown = length;
        if (length > 40) {
            shown = 40;
            while ((value[shown] & 0xC0) == 0x80) {
                shown--;
            }
        }
        (void)snprintf(text, FOUND_MAX, "text \"%.*s%s\"", (int)shown, value,
                       shown < length ? "..." : "");
        return text;
    }
    case RATION_KIND_LIST:
        return "a list";
    case RATION_KIND_MAP:
        return "a map";
    }
    return "an unknown kind";
}

static ration_status fail_found(const ration_node *node, ration_error *error, const char *expected)
{
    char found[FOUND_MAX];
    return ration_node_fail(node, error, "found %s, expected %s", describe(node, found), expected);
}

static const char *describe_integers(int64_t low, int64_t high, char text[EXPECTED_MAX])
{
    if (low == INT64_MIN && high == INT64_MAX) {
        return "an integer";
    }
    if (low == high) {
        (void)snprintf(text, EXPECTED_MAX, "%lld", (long long)low);
    } else if (high == INT64_MAX) {
        (void)snprintf(text, EXPECTED_MAX, "an integer of at least %lld", (long long)low);
    } else if (low == INT64_MIN) {
        (void)snprintf(text, EXPECTED_MAX, "an integer of at most %lld", (long long)high);
    } else {
        (void)snprintf(text, EXPECTED_MAX, "an integer from %lld to %lld", (long long)low,
                       (long long)high);
    }
    return text;
}

/* Whether a JSON number is written without fraction and exponent. */
static bool is_whole(const char *number)
{
    return strpbrk(number, ".eE") == NULL;
}

ration_status ration_node_integer(const ration_node *node, int64_t low, int64_t high,
                                  int64_t *value, ration_error *error)
{
    const int64_t exact = (int64_t)1 << EXACT_MAX_SHIFT;
    char expected[EXPECTED_MAX];
    const bool number = node->kind == RATION_KIND_NUMBER;
    const bool text = node->kind == RATION_KIND_TEXT;
    int64_t result = 0;
    const bool read = (number || text) && rn_integer_read(rn_node_text(node), &result);
    if (number && is_whole(rn_node_text(node)) && (!read || result > exact || result < -exact)) {
        return ration_node_fail(
            node, error, "found %s, a number beyond 2^53 is not exact, expected it in quotes%s",
            rn_node_text(node), read ? "" : " and within 64 bits");
    }
    if (!read || result < low || result > high) {
        return fail_found(node, error, describe_integers(low, high, expected));
    }
    *value = result;
    return RATION_OK;
}

static const char *describe_reals(double low, double high, char text[EXPECTED_MAX])
{
    char low_text[RN_REAL_TEXT_MAX] = "";
    char high_text[RN_REAL_TEXT_MAX] = "";
    const bool has_low = isfinite(low);
    const bool has_high = isfinite(high);
    if (has_low) {
        (void)rn_real_text(low, low_text);
    }
    if (has_high) {
        (void)rn_real_text(high, high_text);
    }
    if (has_low && has_high) {
        (void)snprintf(text, EXPECTED_MAX, "a number from %s to %s", low_text, high_text);
    } else if (has_low) {
        (void)snprintf(text, EXPECTED_MAX, "a number of at least %s", low_text);
    } else if (has_high) {
        (void)snprintf(text, EXPECTED_MAX, "a number of at most %s", high_text);
    } else {
        (void)snprintf(text, EXPECTED_MAX, "a number");
    }
    return text;
}

ration_status ration_node_real(const ration_node *node, double low, double high, double *value,
                               ration_error *error)
{
    char expected[EXPECTED_MAX];
    double result = 0;
    if (node->kind != RATION_KIND_NUMBER || !rn_real_read(rn_node_text(node), &result) ||
        !(result >= low && result <= high)) {
        return fail_found(node, error, describe_reals(low, high, expected));
    }
    *value = result;
    return RATION_OK;
}

ration_status ration_node_bool(const ration_node *node, bool *value, ration_error *error)
{
    if (node->kind != RATION_KIND_BOOL) {
        return fail_found(node, error, "true or false");
    }
    *value = node->truth;
    return RATION_OK;
}

ration_status ration_node_text(const ration_node *node, bool empty_allowed, const char **text,
                               ration_error *error)
{
    if (node->kind != RATION_KIND_TEXT) {
        const bool quotes = node->kind == RATION_KIND_NUMBER || node->kind == RATION_KIND_BOOL;
        return fail_found(node, error, quotes ? "text in quotes" : "text");
    }
    const char *value = rn_node_text(node);
    if (value[0] == '\0' && !empty_allowed) {
        return fail_found(node, error, "text that is not empty");
    }
    for (const char *at = value; *at != '\0'; at++) {
        if (rn_utf8_is_control(at)) {
            return fail_found(node, error, "text without control characters");
        }
    }
    *text = value;
    return RATION_OK;
}

/* Writes words[count] as "a, b, c", cut with "..." where they do not fit, to text. */
static const char *list_words(const char *const *words, int32_t count, char text[LIST_MAX])
{
    size_t used = 0;
    text[0] = '\0';
    for (int32_t i = 0; i < count; i++) {
        const size_t length = strlen(words[i]);
        if (used + length + 8 > LIST_MAX) {
            (void)snprintf(text + used, LIST_MAX - used, "...");
            break;
        }
        const int wrote =
            snprintf(text + used, LIST_MAX - used, "%s%s", words[i], i + 1 < count ? ", " : "");
        used += (size_t)wrote;
    }
    return text;
}

ration_status ration_node_word(const ration_node *node, const char *const *words, int32_t count,
                               int32_t *index, ration_error *error)
{
    char known[LIST_MAX];
    if (node->kind == RATION_KIND_TEXT) {
        const char *text = rn_node_text(node);
        for (int32_t i = 0; i < count; i++) {
            if (strcmp(text, words[i]) == 0) {
                *index = i;
                return RATION_OK;
            }
        }
        const char *near = ration_nearest(text, words, count);
        if (near != NULL) {
            char found[FOUND_MAX];
            return ration_node_fail(node, error,
                                    "found %s, did you mean \"%s\"? Expected one of: %s",
                                    describe(node, found), near, list_words(words, count, known));
        }
    }
    char expected[LIST_MAX + 16];
    (void)snprintf(expected, sizeof expected, "one of: %s", list_words(words, count, known));
    return fail_found(node, error, expected);
}

ration_status ration_node_list(const ration_node *node, int32_t low, int32_t high,
                               ration_error *error)
{
    char expected[EXPECTED_MAX];
    const bool any = high >= INT32_MAX - 1; /* the most that there can be of anything */
    if (any && low <= 0) {
        (void)snprintf(expected, sizeof expected, "a list");
    } else if (any) {
        (void)snprintf(expected, sizeof expected, "a list of at least %d value%s", low,
                       low == 1 ? "" : "s");
    } else if (low == high) {
        (void)snprintf(expected, sizeof expected, "a list of %d value%s", low, low == 1 ? "" : "s");
    } else {
        (void)snprintf(expected, sizeof expected, "a list of %d to %d values", low, high);
    }
    if (node->kind != RATION_KIND_LIST) {
        return fail_found(node, error, expected);
    }
    if (node->count < low || node->count > high) {
        return ration_node_fail(node, error, "found a list of %d value%s, expected %s", node->count,
                                node->count == 1 ? "" : "s", expected);
    }
    return RATION_OK;
}

ration_status ration_node_map(const ration_node *node, ration_error *error)
{
    return node->kind == RATION_KIND_MAP ? RATION_OK : fail_found(node, error, "a map");
}

ration_status ration_node_keys(const ration_node *map, const char *const *known, int32_t count,
                               ration_error *error)
{
    RN_TRY(ration_node_map(map, error));
    for (int32_t i = 0; i < map->count; i++) {
        const char *key = ration_node_key(map, i);
        bool found = false;
        for (int32_t k = 0; k < count && !found; k++) {
            found = strcmp(key, known[k]) == 0;
        }
        if (found) {
            continue;
        }
        const ration_node *value = ration_node_at(map, i);
        const char *near = ration_nearest(key, known, count);
        if (near != NULL) {
            return ration_node_fail(value, error, "unknown field, did you mean \"%s\"?", near);
        }
        char names[LIST_MAX];
        return ration_node_fail(value, error, "unknown field, expected one of: %s",
                                list_words(known, count, names));
    }
    return RATION_OK;
}

ration_status ration_node_need(const ration_node *map, const char *key, const ration_node **value,
                               ration_error *error)
{
    RN_TRY(ration_node_map(map, error));
    const ration_node *found = ration_node_find(map, key);
    if (found == NULL) {
        return ration_node_fail(map, error, "the field \"%s\" is missing", key);
    }
    *value = found;
    return RATION_OK;
}
