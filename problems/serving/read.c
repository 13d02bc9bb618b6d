/* Optional fields of a map. */
#include "serving/read.h"

#include <string.h>

ration_status rn_read_real(const ration_node *map, const char *key, double low, double high,
                           double *value, ration_error *error)
{
    const ration_node *node = ration_node_find(map, key);
    return node == NULL ? RATION_OK : ration_node_real(node, low, high, value, error);
}

ration_status rn_read_integer(const ration_node *map, const char *key, int32_t low, int32_t high,
                              int32_t *value, ration_error *error)
{
    const ration_node *node = ration_node_find(map, key);
    int64_t wide = 0;
    if (node == NULL) {
        return RATION_OK;
    }
    RATION_TRY(ration_node_integer(node, low, high, &wide, error));
    *value = (int32_t)wide;
    return RATION_OK;
}

ration_status rn_read_bool(const ration_node *map, const char *key, bool *value,
                           ration_error *error)
{
    const ration_node *node = ration_node_find(map, key);
    return node == NULL ? RATION_OK : ration_node_bool(node, value, error);
}

ration_status rn_read_text(const ration_node *map, const char *key, const char **value,
                           ration_error *error)
{
    const ration_node *node = ration_node_find(map, key);
    return node == NULL ? RATION_OK : ration_node_text(node, false, value, error);
}

ration_status rn_read_limit(const ration_node *map, const char *key, double low, double high,
                            rn_serving_limit *limit, ration_error *error)
{
    static const char *const known[] = {"limit", "hard", "penalty_per_unit"};
    const ration_node *node = ration_node_find(map, key);
    if (node == NULL) {
        return RATION_OK;
    }
    rn_serving_limit found = {true, true, limit->value, 0.0};
    if (ration_node_kind(node) != RATION_KIND_MAP) {
        RATION_TRY(ration_node_real(node, low, high, &found.value, error));
        *limit = found;
        return RATION_OK;
    }
    const bool priced = ration_node_find(node, "penalty_per_unit") != NULL;
    RATION_TRY(ration_node_keys(node, known, 3, error));
    if (ration_node_find(node, "limit") == NULL && !limit->given) {
        const ration_node *unused = NULL;
        return ration_node_need(node, "limit", &unused, error);
    }
    RATION_TRY(rn_read_real(node, "limit", low, high, &found.value, error));
    RATION_TRY(rn_read_bool(node, "hard", &found.hard, error));
    RATION_TRY(rn_read_real(node, "penalty_per_unit", 0.0, 1e9, &found.penalty, error));
    if (priced && ration_node_find(node, "hard") != NULL && found.hard) {
        return ration_node_fail(node, error,
                                "a limit is either hard or has a penalty_per_unit, not both");
    }
    if (!priced && !found.hard) {
        return ration_node_fail(node, error, "a limit that is not hard needs a penalty_per_unit");
    }
    found.hard = !priced;
    *limit = found;
    return RATION_OK;
}

ration_status rn_read_name(const ration_node *list, int32_t index, const char **name,
                           ration_error *error)
{
    const ration_node *value = NULL;
    const char *text = NULL;
    RATION_TRY(ration_node_map(ration_node_at(list, index), error));
    RATION_TRY(ration_node_need(ration_node_at(list, index), "name", &value, error));
    RATION_TRY(ration_node_text(value, false, &text, error));
    if (strlen(text) > 100 || strpbrk(text, "/\\") != NULL) {
        return ration_node_fail(value, error, "a name has at most 100 bytes and neither / nor \\");
    }
    for (int32_t i = 0; i < index; i++) {
        const ration_node *other = ration_node_find(ration_node_at(list, i), "name");
        const char *earlier = NULL;
        if (other != NULL && ration_node_text(other, false, &earlier, NULL) == RATION_OK &&
            strcmp(earlier, text) == 0) {
            return ration_node_fail(value, error, "the name \"%s\" is already used on line %d",
                                    text, (int)ration_node_line(other));
        }
    }
    *name = text;
    return RATION_OK;
}

ration_status rn_read_reference(const ration_node *map, const char *key, const char *const *names,
                                int32_t count, int32_t *index, ration_error *error)
{
    const ration_node *value = NULL;
    RATION_TRY(ration_node_need(map, key, &value, error));
    return ration_node_word(value, names, count, index, error);
}
