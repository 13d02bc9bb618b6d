/* Figures of the catalog, under the names that a scenario uses. */
#include "serving/read.h"

ration_status rn_lookup_gpu(const rn_serving_scenario *s, const ration_node *node, const char *name,
                            rn_serving_gpu *gpu, ration_error *error)
{
    const ration_gpu *found = NULL;
    ration_error why;
    if (ration_catalog_gpu(s->catalog, name, &found, &why) != RATION_OK) {
        return ration_node_fail(node, error, "%s", why.text);
    }
    gpu->name = found->name;
    gpu->perf = found->perf;
    gpu->price_per_hour = found->price_usd_per_hour;
    gpu->origin = RN_SERVING_CATALOG;
    gpu->source = found->source;
    return RATION_OK;
}

ration_status rn_lookup_model(const rn_serving_scenario *s, const ration_node *node,
                              const char *name, rn_serving_model *model, ration_error *error)
{
    const ration_model *found = NULL;
    ration_error why;
    if (ration_catalog_model(s->catalog, name, &found, &why) != RATION_OK) {
        return ration_node_fail(node, error, "%s", why.text);
    }
    if (!found->plannable) {
        return ration_node_fail(
            node, error,
            "%s has layers that the performance model does not cover; give its shape instead",
            found->name);
    }
    model->shape = found->shape;
    model->source = found->source;
    return RATION_OK;
}

ration_status rn_lookup_engine(const ration_node *node, rn_serving_scenario *s, ration_error *error)
{
    const ration_engine *found = NULL;
    const char *name = "vllm";
    ration_error why;
    if (node != NULL) {
        const ration_status status = ration_node_text(node, false, &name, error);
        if (status != RATION_OK) {
            return status;
        }
    }
    if (ration_catalog_engine(s->catalog, name, &found, &why) != RATION_OK) {
        return node != NULL ? ration_node_fail(node, error, "%s", why.text)
                            : ration_error_set(error, why.status, "%s", why.text);
    }
    s->engine_name = found->name;
    s->engine = found->perf;
    return RATION_OK;
}
