/* The JSON writer. A failure is kept, and everything after it does nothing. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "core/fail.h"
#include "document_tree.h"
#include "number.h"
#include "utf8.h"

enum { WRITER_DEPTH_MAX = 128 };

typedef struct level {
    bool map;
    bool one_line;
    int32_t count;
} level;

struct ration_writer {
    char *text;
    int64_t used, capacity;
    int32_t depth;
    int32_t roots; /* values at depth 0 */
    bool finished;
    ration_error error; /* the first failure */
    level levels[WRITER_DEPTH_MAX];
};

ration_status ration_writer_create(ration_writer **writer, ration_error *error)
{
    ration_writer *made = rn_calloc(1, sizeof *made);
    if (made == NULL) {
        return rn_fail_memory(error, "a writer", sizeof *made);
    }
    *writer = made;
    return RATION_OK;
}

void ration_writer_free(ration_writer *writer)
{
    if (writer != NULL) {
        rn_free(writer->text);
        rn_free(writer);
    }
}

static bool is_failed(const ration_writer *writer)
{
    return writer->error.status != RATION_OK;
}

static void put_bytes(ration_writer *writer, const char *text, size_t bytes)
{
    if (is_failed(writer)) {
        return;
    }
    const int64_t needed = writer->used + (int64_t)bytes + 1;
    char *grown = rn_grow(writer->text, needed, 1, &writer->capacity);
    if (grown == NULL) {
        (void)rn_fail_memory(&writer->error, "the text of a writer", (size_t)needed);
        return;
    }
    writer->text = grown;
    memcpy(grown + writer->used, text, bytes);
    writer->used += (int64_t)bytes;
    grown[writer->used] = '\0';
}

static void put(ration_writer *writer, const char *text)
{
    put_bytes(writer, text, strlen(text));
}

/* Text in quotes; what is not UTF-8 becomes U+FFFD. */
static void put_quoted(ration_writer *writer, const char *text)
{
    const size_t bytes = strlen(text);
    put(writer, "\"");
    size_t plain = 0; /* what can be copied as it is begins here */
    size_t at = 0;
    while (at < bytes) {
        const size_t length = rn_utf8_length(text + at, bytes - at);
        const bool control = length != 0 && rn_utf8_is_control(text + at);
        const bool special = text[at] == '"' || text[at] == '\\';
        if (length != 0 && !control && !special) {
            at += length;
            continue;
        }
        put_bytes(writer, text + plain, at - plain);
        char escape[8] = "\xef\xbf\xbd";
        if (special) {
            (void)snprintf(escape, sizeof escape, "\\%c", text[at]);
        } else if (text[at] == '\n' || text[at] == '\t' || text[at] == '\r') {
            (void)snprintf(escape, sizeof escape, "\\%c",
                           text[at] == '\n'   ? 'n'
                           : text[at] == '\t' ? 't'
                                              : 'r');
        } else if (control) {
            const int code = length == 1 ? text[at] : (uint8_t)text[at + 1];
            (void)snprintf(escape, sizeof escape, "\\u%04x", (unsigned)code);
        }
        put(writer, escape);
        at += length == 0 ? 1 : length;
        plain = at;
    }
    put_bytes(writer, text + plain, bytes - plain);
    put(writer, "\"");
}

static void put_break(ration_writer *writer)
{
    put(writer, "\n");
    for (int32_t i = 0; i < writer->depth; i++) {
        put(writer, "  ");
    }
}

/* Keeps a misuse: a promise that the calling code broke. */
static void misuse(ration_writer *writer, const char *what)
{
    if (!is_failed(writer)) {
        (void)rn_fail(&writer->error, RATION_E_STATE, "writer: %s", what);
    }
}

/* Everything before a value: comma, line break, key. */
static void begin_value(ration_writer *writer, const char *key)
{
    if (writer->finished) {
        misuse(writer, "a value after the end");
    }
    if (writer->depth == 0) {
        if (writer->roots++ > 0 || key != NULL) {
            misuse(writer, key != NULL ? "a key outside of a map"
                                       : "a second value outside of lists and maps");
        }
        return;
    }
    level *top = &writer->levels[writer->depth - 1];
    if (top->map != (key != NULL)) {
        misuse(writer, top->map ? "a value in a map without a key" : "a key in a list");
        return;
    }
    if (top->count++ > 0) {
        put(writer, top->one_line ? ", " : ",");
    }
    if (!top->one_line) {
        put_break(writer);
    }
    if (key != NULL) {
        put_quoted(writer, key);
        put(writer, ": ");
    }
}

static void open_level(ration_writer *writer, const char *key, bool map)
{
    begin_value(writer, key);
    if (writer->depth == WRITER_DEPTH_MAX) {
        misuse(writer, "more than 128 lists and maps within each other");
    }
    put(writer, map ? "{" : "[");
    if (!is_failed(writer)) {
        const bool one_line = writer->depth > 0 && writer->levels[writer->depth - 1].one_line;
        writer->levels[writer->depth++] = (level){map, one_line, 0};
    }
}

void ration_writer_open_map(ration_writer *writer, const char *key)
{
    open_level(writer, key, true);
}

void ration_writer_open_list(ration_writer *writer, const char *key)
{
    open_level(writer, key, false);
}

void ration_writer_inline(ration_writer *writer)
{
    if (is_failed(writer)) {
        return;
    }
    if (writer->depth == 0 || writer->levels[writer->depth - 1].count > 0) {
        misuse(writer, "one line asked for, but no list or map was just opened");
        return;
    }
    writer->levels[writer->depth - 1].one_line = true;
}

void ration_writer_close(ration_writer *writer)
{
    if (is_failed(writer)) {
        return;
    }
    if (writer->depth == 0) {
        misuse(writer, "closed more than was opened");
        return;
    }
    const level top = writer->levels[--writer->depth];
    if (top.count > 0 && !top.one_line) {
        put_break(writer);
    }
    put(writer, top.map ? "}" : "]");
}

void ration_writer_integer(ration_writer *writer, const char *key, int64_t value)
{
    const int64_t exact = (int64_t)1 << 53;
    char text[32];
    const char *quote = value > exact || value < -exact ? "\"" : "";
    (void)snprintf(text, sizeof text, "%s%lld%s", quote, (long long)value, quote);
    begin_value(writer, key);
    put(writer, text);
}

void ration_writer_real(ration_writer *writer, const char *key, double value)
{
    char text[RN_REAL_TEXT_MAX];
    begin_value(writer, key);
    put(writer, isfinite(value) ? rn_real_text(value, text) : "null");
}

void ration_writer_bool(ration_writer *writer, const char *key, bool value)
{
    begin_value(writer, key);
    put(writer, value ? "true" : "false");
}

void ration_writer_text(ration_writer *writer, const char *key, const char *value)
{
    begin_value(writer, key);
    if (value == NULL) {
        put(writer, "null");
    } else {
        put_quoted(writer, value);
    }
}

void ration_writer_null(ration_writer *writer, const char *key)
{
    begin_value(writer, key);
    put(writer, "null");
}

static void copy_scalar(ration_writer *writer, const char *key, const ration_node *node)
{
    if (node->kind == RATION_KIND_TEXT) {
        ration_writer_text(writer, key, rn_node_text(node));
    } else if (node->kind == RATION_KIND_BOOL) {
        ration_writer_bool(writer, key, node->truth);
    } else if (node->kind == RATION_KIND_NUMBER) {
        begin_value(writer, key);
        put(writer, rn_node_text(node));
    } else {
        ration_writer_null(writer, key);
    }
}

/* The nodes of a subtree lie behind each other: close what is as deep as the next one, then write
 * it. */
void ration_writer_copy(ration_writer *writer, const char *key, const ration_node *node)
{
    const ration_node *end = node->document->nodes + node->document->node_count;
    int32_t open = 0;
    for (const ration_node *at = node;
         at < end && (at == node || at->depth > node->depth) && !is_failed(writer); at++) {
        for (; open > at->depth - node->depth; open--) {
            ration_writer_close(writer);
        }
        const char *at_key = at == node ? key : at->key < 0 ? NULL : rn_node_key(at);
        if (at->kind == RATION_KIND_LIST || at->kind == RATION_KIND_MAP) {
            open_level(writer, at_key, at->kind == RATION_KIND_MAP);
            open++;
        } else {
            copy_scalar(writer, at_key, at);
        }
    }
    for (; open > 0; open--) {
        ration_writer_close(writer);
    }
}

ration_status ration_writer_finish(ration_writer *writer, const char **text, size_t *bytes,
                                   ration_error *error)
{
    if (!writer->finished) {
        if (writer->depth > 0 || writer->roots == 0) {
            misuse(writer,
                   writer->depth > 0 ? "a list or map is still open" : "nothing was written");
        }
        put(writer, "\n");
        writer->finished = true;
    }
    if (is_failed(writer)) {
        return rn_fail(error, writer->error.status, "%s", writer->error.text);
    }
    *text = writer->text;
    *bytes = (size_t)writer->used;
    return RATION_OK;
}
