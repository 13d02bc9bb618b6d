/* YAML: the events of libyaml become nodes. One document, core schema, aliases copied and counted,
 * no merge keys. */
#include <assert.h>
#include <string.h>
#include <yaml.h>

#include "alloc.h"
#include "core/fail.h"
#include "document_tree.h"

enum { ANCHORS_MAX = 1000 };

typedef struct anchor {
    int64_t name; /* pool offset */
    int32_t node;
} anchor;

typedef struct yaml_state {
    rn_builder *builder;
    anchor *anchors;
    int64_t anchor_count, anchor_capacity;
    int32_t alias_values; /* values that aliases added */
    int32_t documents;
} yaml_state;

static int32_t line_of(const yaml_event_t *event)
{
    const size_t line = event->start_mark.line;
    return line < INT32_MAX ? (int32_t)line + 1 : INT32_MAX;
}

/* Whether the next scalar is the key of a member. */
static bool key_is_due(const rn_builder *builder)
{
    const ration_node *top = rn_build_top(builder);
    return top != NULL && top->kind == RATION_KIND_MAP && builder->key < 0;
}

/* Remembers that name stands for the value just added. */
static ration_status remember(yaml_state *state, const yaml_char_t *name, int32_t line)
{
    if (name == NULL) {
        return RATION_OK;
    }
    if (state->anchor_count == ANCHORS_MAX) {
        return rn_build_fail(state->builder, line, "more than %d anchors", ANCHORS_MAX);
    }
    anchor *anchors =
        rn_grow(state->anchors, state->anchor_count + 1, sizeof *anchors, &state->anchor_capacity);
    if (anchors == NULL) {
        return rn_fail_memory(state->builder->error, state->builder->shown,
                              (size_t)state->anchor_count * sizeof *anchors);
    }
    state->anchors = anchors;
    const int32_t node = (int32_t)state->builder->count - 1;
    int64_t offset = 0;
    RN_TRY(rn_build_text(state->builder, (const char *)name, strlen((const char *)name), &offset));
    anchors[state->anchor_count++] = (anchor){offset, node};
    return RATION_OK;
}

static ration_status add_key(yaml_state *state, const yaml_event_t *event, int32_t line)
{
    rn_builder *builder = state->builder;
    const char *text = (const char *)event->data.scalar.value;
    const size_t bytes = event->data.scalar.length;
    if (event->data.scalar.anchor != NULL) {
        return rn_build_fail(builder, line, "an anchor on a key, expected it on a value");
    }
    if (event->data.scalar.plain_implicit != 0 && bytes == 2 && memcmp(text, "<<", 2) == 0) {
        return rn_build_fail(builder, line,
                             "merge keys (<<) are not accepted, write the members out");
    }
    return rn_build_text(builder, text, bytes, &builder->key);
}

/* Decides what a scalar with an explicit tag means: the tag must say what the scalar would mean
 * without it, or text. */
static ration_status apply_tag(rn_builder *builder, const char *tag, int32_t line, rn_plain *plain)
{
    static const struct {
        const char *tag;
        ration_kind kind;
    } known[] = {{"tag:yaml.org,2002:null", RATION_KIND_NULL},
                 {"tag:yaml.org,2002:bool", RATION_KIND_BOOL},
                 {"tag:yaml.org,2002:int", RATION_KIND_NUMBER},
                 {"tag:yaml.org,2002:float", RATION_KIND_NUMBER}};
    if (strcmp(tag, "!") == 0 || strcmp(tag, "tag:yaml.org,2002:str") == 0) {
        plain->kind = RATION_KIND_TEXT;
        plain->problem = NULL;
        return RATION_OK;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(tag, known[i].tag) == 0 && plain->kind == known[i].kind) {
            return RATION_OK;
        }
    }
    return rn_build_fail(builder, line,
                         "the tag %.80s does not fit or is not accepted, expected no tag", tag);
}

static ration_status add_scalar(yaml_state *state, const yaml_event_t *event, int32_t line)
{
    rn_builder *builder = state->builder;
    const char *text = (const char *)event->data.scalar.value;
    const size_t bytes = event->data.scalar.length;
    if (memchr(text, '\0', bytes) != NULL) {
        return rn_build_fail(builder, line, "\\0 is not accepted in text");
    }
    if (key_is_due(builder)) {
        return add_key(state, event, line);
    }
    rn_plain plain = {.kind = RATION_KIND_TEXT};
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
        rn_yaml_plain(text, bytes, &plain);
    }
    if (event->data.scalar.tag != NULL) {
        RN_TRY(apply_tag(builder, (const char *)event->data.scalar.tag, line, &plain));
    }
    if (plain.problem != NULL) {
        return rn_build_fail(builder, line, "%.*s %s", bytes < 40 ? (int)bytes : 40, text,
                             plain.problem);
    }
    RN_TRY(rn_build_add(builder, plain.kind, line));
    const int64_t index = builder->count - 1;
    builder->nodes[index].truth = plain.truth;
    int64_t offset = -1;
    if (plain.kind == RATION_KIND_NUMBER) {
        RN_TRY(rn_build_text(builder, plain.number, strlen(plain.number), &offset));
    } else if (plain.kind == RATION_KIND_TEXT) {
        RN_TRY(rn_build_text(builder, text, bytes, &offset));
    }
    builder->nodes[index].text = offset;
    return remember(state, event->data.scalar.anchor, line);
}

static ration_status open_container(yaml_state *state, ration_kind kind, const yaml_char_t *tag,
                                    const yaml_char_t *name, int32_t line)
{
    if (key_is_due(state->builder)) {
        return rn_build_fail(state->builder, line, "a list or map as a key, expected text");
    }
    const char *fitting =
        kind == RATION_KIND_MAP ? "tag:yaml.org,2002:map" : "tag:yaml.org,2002:seq";
    if (tag != NULL && strcmp((const char *)tag, fitting) != 0 &&
        strcmp((const char *)tag, "!") != 0) {
        return rn_build_fail(state->builder, line,
                             "the tag %.80s does not fit or is not accepted, expected no tag",
                             (const char *)tag);
    }
    RN_TRY(rn_build_add(state->builder, kind, line));
    return remember(state, name, line);
}

/* Copies the subtree of node from to where the next value is due. */
static ration_status copy_subtree(yaml_state *state, int32_t from, int32_t line)
{
    rn_builder *builder = state->builder;
    const int64_t end = builder->count;
    const int32_t depth = builder->depth;
    const int32_t base = builder->nodes[from].depth;
    for (int64_t i = from; i < end && (i == from || builder->nodes[i].depth > base); i++) {
        const ration_node node = builder->nodes[i];
        if (state->alias_values++ == RN_DOCUMENT_ALIAS_VALUES_MAX) {
            return rn_build_fail(builder, line, "aliases repeat more than %d values",
                                 RN_DOCUMENT_ALIAS_VALUES_MAX);
        }
        builder->depth = depth + node.depth - base;
        builder->key = i == from ? builder->key : node.key;
        RN_TRY(rn_build_add(builder, (ration_kind)node.kind, line)); /* a refusal names the alias */
        ration_node *copy = &builder->nodes[builder->count - 1];
        copy->line = i == from ? line : node.line;
        copy->text = node.text;
        copy->truth = node.truth;
    }
    builder->depth = depth;
    return RATION_OK;
}

static ration_status add_alias(yaml_state *state, const yaml_event_t *event, int32_t line)
{
    rn_builder *builder = state->builder;
    const char *name = (const char *)event->data.alias.anchor;
    if (key_is_due(builder)) {
        return rn_build_fail(builder, line, "the alias *%.40s as a key, expected text", name);
    }
    int64_t found = state->anchor_count - 1;
    while (found >= 0 && strcmp(builder->pool + state->anchors[found].name, name) != 0) {
        found--;
    }
    if (found < 0) {
        return rn_build_fail(builder, line, "the alias *%.40s has no anchor before it", name);
    }
    const int32_t node = state->anchors[found].node;
    for (int32_t d = 0; d < builder->depth; d++) {
        if (builder->stack[d] == node) {
            return rn_build_fail(builder, line, "the alias *%.40s stands within its own anchor",
                                 name);
        }
    }
    return copy_subtree(state, node, line);
}

static ration_status handle(yaml_state *state, const yaml_event_t *event)
{
    const int32_t line = line_of(event);
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (state->documents++ > 0) {
            return rn_build_fail(state->builder, line, "a second document begins, expected one");
        }
        return RATION_OK;
    case YAML_ALIAS_EVENT:
        return add_alias(state, event, line);
    case YAML_SCALAR_EVENT:
        return add_scalar(state, event, line);
    case YAML_SEQUENCE_START_EVENT:
        return open_container(state, RATION_KIND_LIST, event->data.sequence_start.tag,
                              event->data.sequence_start.anchor, line);
    case YAML_MAPPING_START_EVENT:
        return open_container(state, RATION_KIND_MAP, event->data.mapping_start.tag,
                              event->data.mapping_start.anchor, line);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        rn_build_close(state->builder);
        return RATION_OK;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        return RATION_OK;
    }
    return RATION_OK;
}

/* Line breaks before offset, plus one. */
static int32_t line_at(const char *text, size_t bytes, size_t offset)
{
    int32_t line = 1;
    for (size_t i = 0; i < bytes && i < offset; i++) {
        line += text[i] == '\n' && line < INT32_MAX ? 1 : 0;
    }
    return line;
}

static ration_status syntax_error(const rn_builder *builder, const yaml_parser_t *parser,
                                  const char *text, size_t bytes)
{
    if (parser->error == YAML_MEMORY_ERROR) {
        return rn_fail(builder->error, RATION_E_MEMORY, "%s: out of memory while reading %zu bytes",
                       builder->shown, bytes);
    }
    const char *problem = parser->problem != NULL ? parser->problem : "unknown problem";
    if (parser->error == YAML_READER_ERROR) {
        return rn_build_fail(builder, line_at(text, bytes, parser->problem_offset), "not YAML: %s",
                             problem);
    }
    const int32_t line =
        parser->problem_mark.line < INT32_MAX ? (int32_t)parser->problem_mark.line + 1 : INT32_MAX;
    const bool context = parser->context != NULL;
    return rn_build_fail(builder, line, "not YAML: %s%s%s", problem, context ? ", " : "",
                         context ? parser->context : "");
}

static ration_status read_events(yaml_state *state, yaml_parser_t *parser, const char *text,
                                 size_t bytes)
{
    bool done = false;
    while (!done) {
        yaml_event_t event;
        if (yaml_parser_parse(parser, &event) == 0) {
            return syntax_error(state->builder, parser, text, bytes);
        }
        done = event.type == YAML_STREAM_END_EVENT;
        const ration_status status = handle(state, &event);
        yaml_event_delete(&event);
        RN_TRY(status);
    }
    return RATION_OK;
}

ration_status rn_yaml_build(rn_builder *builder, const char *text, size_t bytes)
{
    assert(builder->count == 0 && builder->depth == 0);
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0) {
        return rn_fail(builder->error, RATION_E_MEMORY, "%s: out of memory while starting to read",
                       builder->shown);
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, bytes);
    yaml_state state = {.builder = builder};
    const ration_status status = read_events(&state, &parser, text, bytes);
    yaml_parser_delete(&parser);
    rn_free(state.anchors);
    RN_TRY(status);
    if (builder->count == 0) {
        return rn_build_fail(builder, 1, "no value, only comments or white space");
    }
    return RATION_OK;
}
