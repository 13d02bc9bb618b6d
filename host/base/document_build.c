/* The builder of documents: limits, tables, duplicate keys. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "core/fail.h"
#include "document_tree.h"
#include "error.h"

ration_status rn_build_fail(const rn_builder *builder, int32_t line, const char *format, ...)
{
    char prefix[RN_NAME_SHOWN_MAX + 32];
    (void)snprintf(prefix, sizeof prefix, "%s: line %d: ", builder->shown, line);
    va_list list;
    va_start(list, format);
    rn_fail_list(builder->error, RATION_E_INPUT, prefix, format, list);
    va_end(list);
    return RATION_E_INPUT;
}

ration_status rn_build_text(rn_builder *builder, const char *text, size_t bytes, int64_t *offset)
{
    const int64_t needed = builder->pool_used + (int64_t)bytes + 1;
    char *pool = rn_grow(builder->pool, needed, 1, &builder->pool_capacity);
    if (pool == NULL) {
        return rn_fail_memory(builder->error, builder->shown, (size_t)needed);
    }
    builder->pool = pool;
    memcpy(pool + builder->pool_used, text, bytes);
    pool[needed - 1] = '\0';
    *offset = builder->pool_used;
    builder->pool_used = needed;
    return RATION_OK;
}

static bool is_container(ration_kind kind)
{
    return kind == RATION_KIND_LIST || kind == RATION_KIND_MAP;
}

ration_status rn_build_add(rn_builder *builder, ration_kind kind, int32_t line)
{
    if (builder->count >= builder->values_max) {
        return rn_build_fail(builder, line, "more than %d values", builder->values_max);
    }
    if (is_container(kind) && builder->depth == RN_DOCUMENT_DEPTH_MAX) {
        return rn_build_fail(builder, line, "more than %d lists and maps within each other",
                             RN_DOCUMENT_DEPTH_MAX);
    }
    ration_node *nodes =
        rn_grow(builder->nodes, builder->count + 1, sizeof *nodes, &builder->capacity);
    if (nodes == NULL) {
        return rn_fail_memory(builder->error, builder->shown,
                              (size_t)builder->count * sizeof *nodes);
    }
    builder->nodes = nodes;
    const int32_t index = (int32_t)builder->count++;
    const int32_t parent = builder->depth == 0 ? -1 : builder->stack[builder->depth - 1];
    assert(parent >= 0 || index == 0);
    nodes[index] = (ration_node){.text = -1,
                                 .key = builder->key,
                                 .parent = parent,
                                 .position = parent < 0 ? 0 : nodes[parent].count,
                                 .line = line,
                                 .kind = (int8_t)kind,
                                 .depth = (int8_t)builder->depth};
    builder->key = -1;
    if (parent >= 0) {
        nodes[parent].count++;
    }
    if (is_container(kind)) {
        builder->stack[builder->depth++] = index;
    }
    return RATION_OK;
}

const ration_node *rn_build_top(const rn_builder *builder)
{
    return builder->depth == 0 ? NULL : &builder->nodes[builder->stack[builder->depth - 1]];
}

void rn_build_close(rn_builder *builder)
{
    assert(builder->depth > 0);
    builder->depth--;
}

typedef struct sort_entry {
    const char *key;
    int32_t index;
} sort_entry;

static int compare_entries(const void *a, const void *b)
{
    const sort_entry *left = a;
    const sort_entry *right = b;
    const int order = strcmp(left->key, right->key);
    return order != 0 ? order : (left->index > right->index) - (left->index < right->index);
}

/* Sorts the children of one map by key into sorted[count]; refuses a key that is there twice. */
static ration_status sort_map(const ration_document *document, const ration_node *map,
                              sort_entry *entries, int32_t *sorted, ration_error *error)
{
    for (int32_t i = 0; i < map->count; i++) {
        const int32_t index = document->children[map->first + i];
        entries[i] = (sort_entry){rn_node_key(&document->nodes[index]), index};
    }
    qsort(entries, (size_t)map->count, sizeof *entries, compare_entries);
    const ration_node *first = NULL;
    /* the twin that comes first in the text, so the message does not depend on the sort */
    const ration_node *twin = NULL;
    for (int32_t i = 0; i < map->count; i++) {
        sorted[i] = entries[i].index;
        const bool twice = i > 0 && strcmp(entries[i - 1].key, entries[i].key) == 0;
        if (twice && (twin == NULL || entries[i].index < twin - document->nodes)) {
            first = &document->nodes[entries[i - 1].index];
            twin = &document->nodes[entries[i].index];
        }
    }
    if (twin != NULL) {
        return ration_node_fail(twin, error, "the key is there twice, first on line %d",
                                first->line);
    }
    return RATION_OK;
}

static ration_status sort_maps(const ration_document *document, int32_t *sorted,
                               ration_error *error)
{
    int32_t largest = 1;
    for (int32_t i = 0; i < document->node_count; i++) {
        const ration_node *node = &document->nodes[i];
        largest = node->kind == RATION_KIND_MAP && node->count > largest ? node->count : largest;
    }
    sort_entry *entries = rn_calloc((size_t)largest, sizeof *entries);
    if (entries == NULL) {
        return rn_fail_memory(error, document->shown, (size_t)largest * sizeof *entries);
    }
    ration_status status = RATION_OK;
    for (int32_t i = 0; i < document->node_count && status == RATION_OK; i++) {
        const ration_node *node = &document->nodes[i];
        if (node->kind == RATION_KIND_MAP) {
            status = sort_map(document, node, entries, sorted + node->first, error);
        }
    }
    rn_free(entries);
    return status;
}

/* Gives every container its slice of the table of children and fills the table. */
static void link_children(ration_document *document, int32_t *children)
{
    int32_t used = 0;
    for (int32_t i = 0; i < document->node_count; i++) {
        ration_node *node = &document->nodes[i];
        node->document = document;
        node->first = used;
        used += node->count;
    }
    assert(used == document->node_count - 1);
    for (int32_t i = 1; i < document->node_count; i++) {
        const ration_node *node = &document->nodes[i];
        children[document->nodes[node->parent].first + node->position] = i;
    }
}

typedef struct document_arrays {
    ration_document *document;
    char *name;
    int32_t *children, *sorted;
} document_arrays;

static void carve(rn_layout *layout, document_arrays *arrays, int64_t nodes, size_t name_bytes)
{
    arrays->document = rn_carve(layout, 1, sizeof *arrays->document);
    arrays->name = rn_carve(layout, (int64_t)name_bytes, 1);
    arrays->children = rn_carve(layout, nodes, sizeof *arrays->children);
    arrays->sorted = rn_carve(layout, nodes, sizeof *arrays->sorted);
}

ration_status rn_build_finish(rn_builder *builder, ration_document **document)
{
    assert(builder->depth == 0 && builder->count >= 1);
    const size_t name_bytes = strlen(builder->name) + 1;
    document_arrays arrays;
    rn_layout layout = {0};
    carve(&layout, &arrays, builder->count, name_bytes);
    RN_TRY(rn_layout_allocate(&layout, builder->shown, builder->error));
    carve(&layout, &arrays, builder->count, name_bytes);

    ration_document *made = arrays.document;
    memcpy(arrays.name, builder->name, name_bytes);
    memcpy(made->shown, builder->shown, sizeof made->shown);
    made->name = arrays.name;
    made->nodes = builder->nodes;
    made->pool = builder->pool;
    made->node_count = (int32_t)builder->count;
    made->children = arrays.children;
    made->sorted = arrays.sorted;
    link_children(made, arrays.children);
    memcpy(arrays.sorted, arrays.children, (size_t)builder->count * sizeof *arrays.sorted);
    const ration_status status = sort_maps(made, arrays.sorted, builder->error);
    if (status != RATION_OK) {
        rn_free(layout.base); /* nodes and pool stay the builder's */
        return status;
    }
    builder->nodes = NULL;
    builder->pool = NULL;
    *document = made;
    return RATION_OK;
}
