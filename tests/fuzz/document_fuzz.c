/* Feeds any bytes to the reader, as JSON and as YAML, and walks over what it accepts: every access,
 * every typed read, and the writer, whose text must be accepted as JSON and be written the same a
 * second time.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ration/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (!holds) {
        (void)fprintf(stderr, "broken promise: %s\n", what);
        abort();
    }
}

static void read_all_ways(const ration_node *node)
{
    static const char *const words[] = {"hard", "soft"};
    ration_error error;
    int64_t integer = 0;
    double real = 0;
    bool truth = false;
    const char *text = NULL;
    int32_t index = 0;
    char where[64];
    (void)ration_node_integer(node, -5, 1000, &integer, &error);
    (void)ration_node_real(node, -1, 1e9, &real, &error);
    (void)ration_node_bool(node, &truth, &error);
    (void)ration_node_text(node, false, &text, &error);
    (void)ration_node_word(node, words, 2, &index, &error);
    (void)ration_node_list(node, 1, 3, &error);
    if (ration_node_keys(node, words, 2, &error) != RATION_OK) {
        require(error.status == RATION_E_INPUT && strlen(error.text) > 0,
                "a refusal has a sentence");
    }
    (void)ration_node_where(node, where, sizeof where);
    require(ration_node_line(node) >= 1, "lines count from 1");
}

/* Depth is at most 64 by the reader's promise, so this may recurse. */
static void walk(const ration_node *node, int32_t depth)
{
    require(depth <= 64, "depth");
    read_all_ways(node);
    for (int32_t i = 0; i < ration_node_count(node); i++) {
        const ration_node *child = ration_node_at(node, i);
        if (ration_node_kind(node) == RATION_KIND_MAP) {
            require(ration_node_find(node, ration_node_key(node, i)) == child,
                    "a key finds its value");
        }
        walk(child, depth + 1);
    }
}

/* Writes document; text: owned. */
static char *write_again(const ration_document *document)
{
    ration_writer *writer = NULL;
    const char *text = NULL;
    size_t bytes = 0;
    require(ration_writer_create(&writer, NULL) == RATION_OK, "memory");
    ration_writer_copy(writer, NULL, ration_document_root(document));
    require(ration_writer_finish(writer, &text, &bytes, NULL) == RATION_OK,
            "what was read can be written");
    char *copy = malloc(bytes + 1);
    require(copy != NULL, "memory");
    memcpy(copy, text, bytes + 1);
    ration_writer_free(writer);
    return copy;
}

static void try_syntax(const char *text, size_t size, bool yaml)
{
    ration_document *document = NULL;
    ration_error error = {RATION_OK, ""};
    if (ration_document_parse(text, size, "fuzz", yaml, &document, &error) != RATION_OK) {
        require(document == NULL && strncmp(error.text, "fuzz: ", 6) == 0,
                "a refusal names the file and writes nothing");
        return;
    }
    walk(ration_document_root(document), 0);
    char *first = write_again(document);
    ration_document_free(document);
    document = NULL;
    require(ration_document_parse(first, strlen(first), "fuzz", false, &document, &error) ==
                RATION_OK,
            "what was written can be read");
    char *second = write_again(document);
    require(strcmp(first, second) == 0, "written twice, the same");
    free(first);
    free(second);
    ration_document_free(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_syntax((const char *)data, size, false);
    try_syntax((const char *)data, size, true);
    return 0;
}
