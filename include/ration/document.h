/* The one reader of JSON and YAML.
 *
 * A document is a read-only tree of values; every value knows its path
 * ("workloads[2].model.name") and line. The reader refuses, before a tree is
 * built where that is possible: duplicate keys, text after the end, NaN and
 * infinities, numbers that overflow, bad UTF-8 (and UTF-16, gzip, NUL bytes),
 * depth over 64, more than 2e7 values, more than 512 MiB, anything but a
 * regular file (a directory, a FIFO, a device), numbers of more than 63
 * characters. A UTF-8 byte order mark and CRLF are accepted. YAML: one
 * document, core schema (yes and no are text), at most 1000 anchors and 1e6
 * values repeated by aliases, no merge keys, no custom tags, no integers with a
 * leading 0 (8 or 10, depending on the version).
 *
 * Integers are exact: in JSON and YAML an integer literal of at most 2^53 in
 * magnitude, or a decimal string of one up to 64 bits. Nodes are borrowed from
 * their document and live as long as it.
 */
#ifndef RATION_DOCUMENT_H
#define RATION_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ration_document ration_document;
typedef struct ration_node ration_node;

typedef enum ration_kind {
    RATION_KIND_NULL,
    RATION_KIND_BOOL,
    RATION_KIND_NUMBER,
    RATION_KIND_TEXT,
    RATION_KIND_LIST,
    RATION_KIND_MAP
} ration_kind;

/* Reads a file; YAML when the name ends in .yaml or .yml, else JSON. document: out, owned.
 * RATION_E_IO when it can't be opened or read, RATION_E_INPUT when it is not acceptable,
 * RATION_E_MEMORY. */
RATION_API ration_status ration_document_read(const char *path, ration_document **document,
                                              ration_error *error);

/* The same from memory: text[bytes], borrowed until return; name is used in messages; yaml selects
 * the syntax. */
RATION_API ration_status ration_document_parse(const char *text, size_t bytes, const char *name,
                                               bool yaml, ration_document **document,
                                               ration_error *error);

/* Reads a whole regular file of at most limit bytes with the reader's refusals of non-files, gzip,
 * UTF-16, NUL bytes and nothing at all; a byte order mark is dropped. text: out, owned, free();
 * NUL-terminated at text[*bytes]; not checked to be UTF-8. For readers of other text formats. */
RATION_API ration_status ration_text_read(const char *path, size_t limit, char **text,
                                          size_t *bytes, ration_error *error);

RATION_API void ration_document_free(ration_document *document);
RATION_API const ration_node *ration_document_root(const ration_document *document);
RATION_API const char *ration_document_name(const ration_document *document);

RATION_API ration_kind ration_node_kind(const ration_node *node);
RATION_API int32_t ration_node_count(const ration_node *node); /* of a list or map, else 0 */
RATION_API const ration_node *ration_node_at(const ration_node *node,
                                             int32_t index); /* by position; NULL outside */
RATION_API const char *ration_node_key(const ration_node *map, int32_t index); /* key by position */
RATION_API const ration_node *ration_node_find(const ration_node *map,
                                               const char *key); /* NULL when absent */
RATION_API int32_t ration_node_line(const ration_node *node);                       /* from 1 */

/* Writes "NAME: line L: path.to.value" into buffer[size] (cut if needed); returns buffer. */
RATION_API const char *ration_node_where(const ration_node *node, char *buffer, size_t size);

/* Sets error to "NAME: line L: PATH: " + the formatted text, RATION_E_INPUT; returns that status.
 */
RATION_API ration_status ration_node_fail(const ration_node *node, ration_error *error,
                                          const char *format, ...) RATION_PRINTF(3, 4);

/* Typed reads. Each says what was found and what was expected. Bounds are inclusive and part of the
 * message. */
RATION_API ration_status ration_node_integer(const ration_node *node, int64_t low, int64_t high,
                                             int64_t *value, ration_error *error);
RATION_API ration_status ration_node_real(const ration_node *node, double low, double high,
                                          double *value, ration_error *error);
RATION_API ration_status ration_node_bool(const ration_node *node, bool *value,
                                          ration_error *error);
/* text: borrowed from the document; not empty unless empty_allowed; no control characters. */
RATION_API ration_status ration_node_text(const ration_node *node, bool empty_allowed,
                                          const char **text, ration_error *error);
/* Index into words[count] of a text value; an unknown word is refused with the nearest known one.
 */
RATION_API ration_status ration_node_word(const ration_node *node, const char *const *words,
                                          int32_t count, int32_t *index, ration_error *error);
RATION_API ration_status ration_node_list(const ration_node *node, int32_t low, int32_t high,
                                          ration_error *error);
RATION_API ration_status ration_node_map(const ration_node *node, ration_error *error);

/* Refuses keys of a map that are not in known[count], naming the nearest known one. */
RATION_API ration_status ration_node_keys(const ration_node *map, const char *const *known,
                                          int32_t count, ration_error *error);
/* The value of a key that must be there. value: out, borrowed. */
RATION_API ration_status ration_node_need(const ration_node *map, const char *key,
                                          const ration_node **value, ration_error *error);

/* The word of words[count] nearest to text by edit distance, or NULL when none is near. */
RATION_API const char *ration_nearest(const char *text, const char *const *words, int32_t count);

/* ---- writing ---- */

typedef struct ration_writer ration_writer;

/* A JSON writer into memory: two-space indent, keys in the order written, integers beyond 2^53 as
 * decimal strings, reals in the shortest form that reads back the same. Failures are kept and
 * returned by ration_writer_finish. Key is NULL inside lists. */
RATION_API ration_status ration_writer_create(ration_writer **writer, ration_error *error);
RATION_API void ration_writer_free(ration_writer *writer);
RATION_API void ration_writer_open_map(ration_writer *writer, const char *key);
RATION_API void ration_writer_open_list(ration_writer *writer, const char *key);
RATION_API void
ration_writer_inline(ration_writer *writer); /* the container just opened is written on one line */
RATION_API void ration_writer_close(ration_writer *writer);
RATION_API void ration_writer_integer(ration_writer *writer, const char *key, int64_t value);
RATION_API void ration_writer_real(ration_writer *writer, const char *key,
                                   double value); /* not finite: null */
RATION_API void ration_writer_bool(ration_writer *writer, const char *key, bool value);
RATION_API void ration_writer_text(ration_writer *writer, const char *key,
                                   const char *value); /* NULL: null */
RATION_API void ration_writer_null(ration_writer *writer, const char *key);
RATION_API void ration_writer_copy(ration_writer *writer, const char *key,
                                   const ration_node *node); /* a whole subtree */
/* text: out, borrowed from the writer until it is freed, NUL-terminated, ends in a line break. */
RATION_API ration_status ration_writer_finish(ration_writer *writer, const char **text,
                                              size_t *bytes, ration_error *error);

/* Writes bytes to path so that a reader sees the old file or the new one, never a part: temporary
 * file in the same folder, fsync, rename. Path "-" is standard output. RATION_E_IO with the reason;
 * nothing is left behind then. */
RATION_API ration_status ration_file_write(const char *path, const char *text, size_t bytes,
                                           ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
