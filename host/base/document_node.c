/* Access to nodes, and where they are. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "document_tree.h"
#include "error.h"
#include "utf8.h"

void ration_document_free(ration_document *document)
{
    if (document != NULL) {
        rn_free(document->nodes);
        rn_free(document->pool);
        rn_free(document);
    }
}

const ration_node *ration_document_root(const ration_document *document)
{
    return &document->nodes[0];
}

const char *ration_document_name(const ration_document *document)
{
    return document->name;
}

ration_kind ration_node_kind(const ration_node *node)
{
    return (ration_kind)node->kind;
}

int32_t ration_node_count(const ration_node *node)
{
    return node->count;
}

const ration_node *ration_node_at(const ration_node *node, int32_t index)
{
    if (index < 0 || index >= node->count) {
        return NULL;
    }
    const ration_document *document = node->document;
    return &document->nodes[document->children[node->first + index]];
}

const char *ration_node_key(const ration_node *map, int32_t index)
{
    assert(map->kind == RATION_KIND_MAP);
    return rn_node_key(ration_node_at(map, index));
}

const ration_node *ration_node_find(const ration_node *map, const char *key)
{
    if (map->kind != RATION_KIND_MAP) {
        return NULL;
    }
    const ration_document *document = map->document;
    const int32_t *sorted = document->sorted + map->first;
    int32_t low = 0;
    int32_t high = map->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const ration_node *node = &document->nodes[sorted[middle]];
        const int order = strcmp(rn_node_key(node), key);
        if (order == 0) {
            return node;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

int32_t ration_node_line(const ration_node *node)
{
    return node->line;
}

/* Whether key can stand in a path as it is. */
static bool is_plain_key(const char *key)
{
    if (key[0] == '\0') {
        return false;
    }
    for (const char *at = key; *at != '\0'; at++) {
        const bool letter =
            (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9');
        if (!letter && *at != '_' && *at != '-') {
            return false;
        }
    }
    return true;
}

/* Length of text up to a character boundary at or before limit. */
static int cut_length(const char *text, size_t limit)
{
    const size_t length = strlen(text);
    size_t at = 0;
    while (at < length) {
        const size_t step = rn_utf8_length(text + at, length - at);
        const size_t next = at + (step == 0 ? 1 : step);
        if (next > limit) {
            break;
        }
        at = next;
    }
    return (int)at;
}

typedef struct path_text {
    char *buffer;
    size_t size, used;
} path_text;

static void append(path_text *path, const char *format, ...) RATION_PRINTF(2, 3);

static void append(path_text *path, const char *format, ...)
{
    if (path->used + 1 >= path->size) {
        return;
    }
    va_list list;
    va_start(list, format);
    const int wanted = vsnprintf(path->buffer + path->used, path->size - path->used, format, list);
    va_end(list);
    const size_t room = path->size - path->used - 1;
    path->used += wanted < 0 ? 0 : (size_t)wanted < room ? (size_t)wanted : room;
}

/* Appends the step that leads to node: "[2]", ".name", "name" or a key in brackets and quotes. */
static void append_step(path_text *path, const ration_node *node, bool first)
{
    enum { KEY_SHOWN = 60 };
    if (node->key < 0) {
        append(path, "[%d]", node->position);
        return;
    }
    const char *key = rn_node_key(node);
    const int length = cut_length(key, KEY_SHOWN);
    const char *more = key[length] == '\0' ? "" : "...";
    if (is_plain_key(key)) {
        append(path, "%s%.*s%s", first ? "" : ".", length, key, more);
    } else {
        append(path, "[\"%.*s%s\"]", length, key, more);
    }
}

const char *ration_node_where(const ration_node *node, char *buffer, size_t size)
{
    if (size == 0) {
        return buffer;
    }
    buffer[0] = '\0';
    path_text path = {buffer, size, 0};
    append(&path, "%s: line %d", node->document->shown, node->line);
    const ration_node *steps[RN_DOCUMENT_DEPTH_MAX + 1];
    int32_t count = 0;
    for (const ration_node *at = node; at->parent >= 0; at = &node->document->nodes[at->parent]) {
        assert(count <= RN_DOCUMENT_DEPTH_MAX);
        steps[count++] = at;
    }
    if (count > 0) {
        append(&path, ": ");
    }
    for (int32_t i = count - 1; i >= 0; i--) {
        append_step(&path, steps[i], i == count - 1);
    }
    return buffer;
}

ration_status ration_node_fail(const ration_node *node, ration_error *error, const char *format,
                               ...)
{
    enum { PLACE_MAX = 320 }; /* leaves the sentence some room */
    char prefix[PLACE_MAX + 3];
    (void)ration_node_where(node, prefix, PLACE_MAX);
    const size_t used = strlen(prefix);
    memcpy(prefix + used, ": ", 3);
    va_list list;
    va_start(list, format);
    rn_fail_list(error, RATION_E_INPUT, prefix, format, list);
    va_end(list);
    return RATION_E_INPUT;
}
