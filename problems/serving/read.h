/* Optional fields of a map: each call leaves *value as it is when the key is absent. Private to
 * problems/serving. */
#ifndef RN_SERVING_READ_H
#define RN_SERVING_READ_H

#include "serving/scenario.h"

ration_status rn_read_real(const ration_node *map, const char *key, double low, double high,
                           double *value, ration_error *error);
ration_status rn_read_integer(const ration_node *map, const char *key, int32_t low, int32_t high,
                              int32_t *value, ration_error *error);
ration_status rn_read_bool(const ration_node *map, const char *key, bool *value,
                           ration_error *error);
ration_status rn_read_text(const ration_node *map, const char *key, const char **value,
                           ration_error *error);
ration_status rn_read_limit(const ration_node *map, const char *key, double low, double high,
                            rn_serving_limit *limit, ration_error *error);

/* A required name that no earlier element of the list has: key "name" of element `index`. */
ration_status rn_read_name(const ration_node *list, int32_t index, const char **name,
                           ration_error *error);

/* Index of a required text value of the map among names[count]; what: "a GPU", for the message. */
ration_status rn_read_reference(const ration_node *map, const char *key, const char *const *names,
                                int32_t count, int32_t *index, ration_error *error);

/* Figures of the catalog. node: where `name` stands, for messages; an unknown name is refused with
 * the nearest known one. */
ration_status rn_lookup_gpu(const rn_serving_scenario *s, const ration_node *node, const char *name,
                            rn_serving_gpu *gpu, ration_error *error);
ration_status rn_lookup_model(const rn_serving_scenario *s, const ration_node *node,
                              const char *name, rn_serving_model *model, ration_error *error);
/* node: NULL for the default engine. Sets engine_name and engine. */
ration_status rn_lookup_engine(const ration_node *node, rn_serving_scenario *s,
                               ration_error *error);

#endif
