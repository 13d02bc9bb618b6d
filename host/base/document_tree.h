/* What a document is made of, and the builder that both syntaxes share.
 *
 * Nodes lie in document order (a container, then its content), so the subtree
 * of node i is i and the nodes after it that are deeper. Two tables of indexes
 * are added at the end: children by position, and the children of a map by key,
 * which also finds duplicates. Nothing here recurses.
 */
#ifndef RN_DOCUMENT_TREE_H
#define RN_DOCUMENT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ration/document.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RN_DOCUMENT_DEPTH_MAX = 64,          /* containers within each other */
    RN_DOCUMENT_VALUES_MAX = 20000000,   /* 48 bytes each */
    RN_DOCUMENT_ALIAS_VALUES_MAX = 1000000, /* values that YAML aliases may add */
    RN_DOCUMENT_BYTES_MAX = 512 << 20,
    RN_NAME_SHOWN_MAX = 164 /* of a file's name in a message: its end, with the NUL */
};

struct ration_node {
    const ration_document *document;
    int64_t text;     /* offset in pool: decoded text, or the number as a JSON literal; -1 */
    int64_t key;      /* offset in pool; -1 outside of maps */
    int32_t parent;   /* index; -1 for the root */
    int32_t position; /* in its parent */
    int32_t line;     /* from 1 */
    int32_t count;    /* children */
    int32_t first;    /* its children are children[first .. first + count - 1] */
    int8_t kind;      /* ration_kind */
    int8_t depth;     /* containers around it */
    bool truth;       /* of a bool */
};

/* Three blocks, because the first two grow while reading and may be large: nodes, pool, and the
 * document with the rest. */
struct ration_document {
    ration_node *nodes;      /* [node_count] in document order */
    char *pool;              /* keys, text and numbers, each with its NUL */
    int32_t node_count;
    const int32_t *children; /* [node_count - 1] indexes by position */
    const int32_t *sorted; /* [node_count - 1] the same, those of maps in the order of their keys */
    const char *name;
    char shown[RN_NAME_SHOWN_MAX]; /* the name as messages have it */
};

typedef struct rn_builder {
    ration_node *nodes;
    int64_t count, capacity;
    char *pool;
    int64_t pool_used, pool_capacity;
    int64_t key;           /* pool offset of the key for the next value; -1 none */
    int32_t stack[RN_DOCUMENT_DEPTH_MAX]; /* open containers */
    int32_t depth;
    int32_t values_max;
    const char *name;      /* full */
    char shown[RN_NAME_SHOWN_MAX];
    ration_error *error;
} rn_builder;

/* Sets error to "NAME: line L: " + sentence, RATION_E_INPUT; returns that status. */
ration_status rn_build_fail(const rn_builder *builder, int32_t line, const char *format, ...)
    RATION_PRINTF(3, 4);

/* Copies text[bytes] and a NUL to the pool; offset: out. RATION_E_MEMORY. */
ration_status rn_build_text(rn_builder *builder, const char *text, size_t bytes, int64_t *offset);

/* Adds a value to the open container, with the pending key; a list or map is opened. Index:
 * builder->count - 1. RATION_E_INPUT beyond the limits of depth and count, RATION_E_MEMORY. */
ration_status rn_build_add(rn_builder *builder, ration_kind kind, int32_t line);

/* The innermost open container, or NULL; valid until the next value is added. */
const ration_node *rn_build_top(const rn_builder *builder);

/* Closes the innermost container. */
void rn_build_close(rn_builder *builder);

/* Ends building: tables, duplicate keys refused; the builder's blocks become the document's. */
ration_status rn_build_finish(rn_builder *builder, ration_document **document);

/* Text that is no JSON is refused here, with its line; fills the nodes of builder, but not keys and
 * texts. text[bytes] is valid UTF-8 without NUL. */
ration_status rn_json_scan(rn_builder *builder, const char *text, size_t bytes);

/* Fills builder from JSON or YAML text[bytes], valid UTF-8 without NUL and byte order mark. */
ration_status rn_json_build(rn_builder *builder, const char *text, size_t bytes);
ration_status rn_yaml_build(rn_builder *builder, const char *text, size_t bytes);

/* What a plain YAML scalar means (YAML 1.2.2, section 10.3.2, core schema). */
typedef struct rn_plain {
    ration_kind kind; /* null, bool, number or text */
    bool truth;
    char number[80];     /* as a JSON literal */
    const char *problem; /* NULL, or why it is refused */
} rn_plain;

void rn_yaml_plain(const char *text, size_t bytes, rn_plain *plain);

/* ration_document_parse with a limit on the number of values, for tests. */
ration_status rn_document_parse(const char *text, size_t bytes, const char *name, bool yaml,
                                int32_t values_max, ration_document **document,
                                ration_error *error);

/* Writes the end of name, "..." before it where it is cut, to shown. */
void rn_name_shorten(const char *name, char shown[RN_NAME_SHOWN_MAX]);

/* Refuses what is no text: nothing at all, gzip, UTF-16, NUL bytes. RATION_E_INPUT. */
ration_status rn_text_refuse_binary(const char *text, size_t bytes, const char *shown,
                                    ration_error *error);

static inline const char *rn_node_text(const ration_node *node)
{
    return node->document->pool + node->text;
}

static inline const char *rn_node_key(const ration_node *node)
{
    return node->document->pool + node->key;
}

#ifdef __cplusplus
}
#endif

#endif
