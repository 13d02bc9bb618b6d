/* JSON: the scan gives kinds, lines and number literals; cJSON decodes keys and texts; both are
 * walked side by side. */
#include <cjson/cJSON.h>
#include <string.h>

#include "core/fail.h"
#include "document_tree.h"

static ration_kind kind_of(const cJSON *item)
{
    if (cJSON_IsObject(item)) {
        return RATION_KIND_MAP;
    }
    if (cJSON_IsArray(item)) {
        return RATION_KIND_LIST;
    }
    if (cJSON_IsString(item)) {
        return RATION_KIND_TEXT;
    }
    if (cJSON_IsNumber(item)) {
        return RATION_KIND_NUMBER;
    }
    return cJSON_IsBool(item) ? RATION_KIND_BOOL : RATION_KIND_NULL;
}

/* Copies keys and texts to the nodes. cursor[d] is the item that the next node of depth d stands
 * for. */
static ration_status fill(rn_builder *builder, const cJSON *root)
{
    const cJSON *cursor[RN_DOCUMENT_DEPTH_MAX + 2] = {root};
    for (int64_t i = 0; i < builder->count; i++) {
        ration_node *node = &builder->nodes[i];
        const cJSON *item = cursor[node->depth];
        const bool in_map =
            node->parent >= 0 && builder->nodes[node->parent].kind == RATION_KIND_MAP;
        if (item == NULL || kind_of(item) != (ration_kind)node->kind ||
            (in_map && item->string == NULL)) {
            return rn_fail(builder->error, RATION_E_INTERNAL,
                           "%s: line %d: the scan and cJSON disagree", builder->shown, node->line);
        }
        if (in_map) {
            RN_TRY(rn_build_text(builder, item->string, strlen(item->string), &node->key));
        }
        if (node->kind == RATION_KIND_TEXT) {
            RN_TRY(
                rn_build_text(builder, item->valuestring, strlen(item->valuestring), &node->text));
        }
        cursor[node->depth] = item->next;
        cursor[node->depth + 1] = item->child;
    }
    return RATION_OK;
}

ration_status rn_json_build(rn_builder *builder, const char *text, size_t bytes)
{
    RN_TRY(rn_json_scan(builder, text, bytes));
    cJSON *root = cJSON_ParseWithLengthOpts(text, bytes, NULL, 0);
    if (root == NULL) {
        /* The scan accepted the text, so only memory is left as a reason. */
        return rn_fail(builder->error, RATION_E_MEMORY, "%s: out of memory while reading %zu bytes",
                       builder->shown, bytes);
    }
    const ration_status status = fill(builder, root);
    cJSON_Delete(root);
    return status;
}
