/* The doors of the reader: from a file, from memory. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "core/fail.h"
#include "document_tree.h"
#include "utf8.h"

void rn_name_shorten(const char *name, char shown[RN_NAME_SHOWN_MAX])
{
    const size_t length = strlen(name);
    size_t from = 0;
    size_t used = 0;
    if (length >= RN_NAME_SHOWN_MAX) {
        from = length - (RN_NAME_SHOWN_MAX - 4);
        while ((name[from] & 0xC0) == 0x80 && name[from] != '\0') {
            from++;
        }
        memcpy(shown, "...", 3);
        used = 3;
    }
    memcpy(shown + used, name + from, length - from + 1);
}

static bool begins_with(const char *text, size_t bytes, const char *mark, size_t mark_bytes)
{
    return bytes >= mark_bytes && memcmp(text, mark, mark_bytes) == 0;
}

ration_status rn_text_refuse_binary(const char *text, size_t bytes, const char *shown,
                                    ration_error *error)
{
    if (bytes == 0) {
        return rn_fail(error, RATION_E_INPUT, "%s: is empty", shown);
    }
    if (begins_with(text, bytes, "\x1f\x8b", 2)) {
        return rn_fail(error, RATION_E_INPUT, "%s: looks gzip-compressed, expected plain text",
                       shown);
    }
    if (begins_with(text, bytes, "\xff\xfe", 2) || begins_with(text, bytes, "\xfe\xff", 2)) {
        return rn_fail(error, RATION_E_INPUT, "%s: looks like UTF-16, expected UTF-8 text", shown);
    }
    const char *nul = memchr(text, '\0', bytes);
    if (nul != NULL) {
        return rn_fail(error, RATION_E_INPUT, "%s: a NUL byte at offset %zu, expected UTF-8 text",
                       shown, (size_t)(nul - text));
    }
    return RATION_OK;
}

/* Refuses what is no UTF-8 text. skip: out, bytes of a byte order mark. */
static ration_status check_text(const char *text, size_t bytes, const char *shown, size_t *skip,
                                ration_error *error)
{
    RN_TRY(rn_text_refuse_binary(text, bytes, shown, error));
    const size_t valid = rn_utf8_valid_bytes(text, bytes);
    if (valid < bytes) {
        int32_t line = 1;
        for (size_t i = 0; i < valid; i++) {
            line += text[i] == '\n' ? 1 : 0;
        }
        return rn_fail(error, RATION_E_INPUT, "%s: line %d: the byte 0x%02x is not UTF-8 here",
                       shown, line, (unsigned)(uint8_t)text[valid]);
    }
    *skip = begins_with(text, bytes, "\xef\xbb\xbf", 3) ? 3 : 0;
    return RATION_OK;
}

ration_status rn_document_parse(const char *text, size_t bytes, const char *name, bool yaml,
                                int32_t values_max, ration_document **document, ration_error *error)
{
    rn_builder builder = {.key = -1, .values_max = values_max, .name = name, .error = error};
    rn_name_shorten(name, builder.shown);
    size_t skip = 0;
    if (bytes > (size_t)RN_DOCUMENT_BYTES_MAX) {
        return rn_fail(error, RATION_E_INPUT, "%s: %zu bytes, at most %d are read", builder.shown,
                       bytes, RN_DOCUMENT_BYTES_MAX);
    }
    RN_TRY(check_text(text, bytes, builder.shown, &skip, error));
    ration_status status = yaml ? rn_yaml_build(&builder, text + skip, bytes - skip)
                                : rn_json_build(&builder, text + skip, bytes - skip);
    if (status == RATION_OK) {
        status = rn_build_finish(&builder, document);
    }
    rn_free(builder.nodes);
    rn_free(builder.pool);
    return status;
}

ration_status ration_document_parse(const char *text, size_t bytes, const char *name, bool yaml,
                                    ration_document **document, ration_error *error)
{
    return rn_document_parse(text, bytes, name, yaml, RN_DOCUMENT_VALUES_MAX, document, error);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);
    const size_t end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

ration_status ration_document_read(const char *path, ration_document **document,
                                   ration_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    RN_TRY(ration_text_read(path, RN_DOCUMENT_BYTES_MAX, &text, &bytes, error));
    const bool yaml = ends_with(path, ".yaml") || ends_with(path, ".yml");
    const ration_status status = ration_document_parse(text, bytes, path, yaml, document, error);
    free(text);
    return status;
}
