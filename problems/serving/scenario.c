/* The top level of a scenario, and its models. */
#include "serving/scenario.h"

#include <stddef.h>
#include <string.h>

#include "serving/read.h"

static const char *const OBJECTIVES[] = {"least_cost", "highest_satisfied_weight",
                                         "benefit_per_cost"};

/* "path/two-servers.json" -> "two-servers" */
static ration_status stem_of(const char *path, rn_arena *arena, const char **stem,
                             ration_error *error)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(base, '.');
    const int length = dot == NULL || dot == base ? (int)strlen(base) : (int)(dot - base);
    return rn_arena_text(arena, stem, error, "%.*s", length, base);
}

static ration_status read_settings(const ration_node *root, rn_serving_scenario *s,
                                   ration_error *error)
{
    const ration_node *objective = ration_node_find(root, "objective");
    const ration_node *currency = ration_node_find(root, "currency");
    int32_t word = 0;
    s->currency = "USD";
    s->kwh_price = 0.12;
    s->pue = 1.3;
    RATION_TRY(rn_read_text(root, "name", &s->name, error));
    RATION_TRY(rn_read_text(root, "currency", &s->currency, error));
    if (currency != NULL &&
        (strlen(s->currency) != 3 || strspn(s->currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 3)) {
        return ration_node_fail(currency, error,
                                "\"%s\" is not a currency of three capital letters, like USD",
                                s->currency);
    }
    RATION_TRY(rn_read_real(root, "electricity_price_per_kwh", 0.0, 1e3, &s->kwh_price, error));
    RATION_TRY(rn_read_real(root, "pue", 1.0, 10.0, &s->pue, error));
    RATION_TRY(rn_read_real(root, "latency_margin", 1.0, 10.0, &s->margin, error));
    if (objective != NULL) {
        RATION_TRY(ration_node_word(objective, OBJECTIVES, 3, &word, error));
    }
    s->objective = (rn_serving_objective)word;
    return rn_lookup_engine(ration_node_find(root, "engine"), s, error);
}

/* Each workload that must survive has a row for each failure domain: too many are refused before
 * there is memory for them. */
static ration_status check_spread(const rn_serving_scenario *s, const ration_node *workloads,
                                  ration_error *error)
{
    int64_t spread = 0;
    for (int32_t w = 0; w < s->workloads; w++) {
        spread += s->workload[w].survive.given && s->workload[w].survive.value > 0.0 ? 1 : 0;
    }
    if (spread * s->domains > RN_SERVING_SPREAD_MAX) {
        return ration_node_fail(workloads, error,
                                "%d workloads with survive_domain_loss over %d failure domains; "
                                "at most %d pairs of the two can be planned",
                                (int)spread, (int)s->domains, (int)RN_SERVING_SPREAD_MAX);
    }
    return RATION_OK;
}

ration_status rn_serving_scenario_read(const ration_document *document, const char *path,
                                       const ration_catalog *catalog, rn_arena *arena,
                                       rn_serving_scenario *scenario, ration_error *error)
{
    static const char *const known[] = {
        "name",   "currency", "objective", "electricity_price_per_kwh",
        "pue",    "engine",   "nodes",     "latency_margin",
        "models", "workloads"};
    const ration_node *root = ration_document_root(document);
    const ration_node *nodes = NULL;
    const ration_node *models = NULL;
    const ration_node *workloads = NULL;
    rn_serving_scenario s;
    memset(&s, 0, sizeof s);
    s.path = path;
    s.catalog = catalog;
    RATION_TRY(stem_of(path, arena, &s.name, error));
    RATION_TRY(ration_node_map(root, error));
    RATION_TRY(ration_node_keys(root, known, (int32_t)(sizeof known / sizeof known[0]), error));
    RATION_TRY(ration_node_need(root, "nodes", &nodes, error));
    RATION_TRY(ration_node_need(root, "models", &models, error));
    RATION_TRY(ration_node_need(root, "workloads", &workloads, error));
    RATION_TRY(read_settings(root, &s, error));
    RATION_TRY(ration_node_list(nodes, 1, RN_SERVING_GPUS_MAX, error));
    RATION_TRY(ration_node_list(models, 1, RN_SERVING_WORKLOADS_MAX, error));
    RATION_TRY(ration_node_list(workloads, 1, RN_SERVING_WORKLOADS_MAX, error));
    RATION_TRY(rn_serving_nodes_read(nodes, arena, &s, error));
    RATION_TRY(rn_serving_models_read(models, arena, &s, error));
    RATION_TRY(rn_serving_workloads_read(workloads, arena, &s, error));
    RATION_TRY(check_spread(&s, workloads, error));
    *scenario = s;
    return RATION_OK;
}

/* ---- models ---- */

typedef struct shape_field {
    const char *key;
    size_t at;
    int32_t low;
    bool needed;
} shape_field;

#define FIELD(name, low, needed)                                                                   \
    {                                                                                              \
#name, offsetof(rn_perf_shape, name), low, needed                                          \
    }
static const shape_field SHAPE[] = {
    FIELD(layers, 1, true),         FIELD(hidden, 1, true),     FIELD(heads, 1, true),
    FIELD(kv_heads, 1, true),       FIELD(head_dim, 1, false),  FIELD(ffn, 1, false),
    FIELD(mlp_matrices, 2, false),  FIELD(vocab, 1, true),      FIELD(experts, 1, false),
    FIELD(topk, 1, false),          FIELD(moe_ffn, 1, false),   FIELD(shared_experts, 0, false),
    FIELD(moe_layers, 1, false),    FIELD(moe_every, 1, false), FIELD(window_tokens, 1, false),
    FIELD(window_layers, 0, false),
};
#undef FIELD
enum { SHAPE_FIELDS = sizeof SHAPE / sizeof SHAPE[0] };

static ration_status read_shape(const ration_node *map, rn_perf_shape *shape, ration_error *error)
{
    const char *known[SHAPE_FIELDS + 1];
    bool tied = false;
    memset(shape, 0, sizeof *shape);
    shape->mlp_matrices = 3;
    shape->moe_every = 1;
    RATION_TRY(ration_node_map(map, error));
    for (int32_t i = 0; i < SHAPE_FIELDS; i++) {
        known[i] = SHAPE[i].key;
    }
    known[SHAPE_FIELDS] = "tied_embeddings";
    RATION_TRY(ration_node_keys(map, known, SHAPE_FIELDS + 1, error));
    for (int32_t i = 0; i < SHAPE_FIELDS; i++) {
        const ration_node *value = ration_node_find(map, SHAPE[i].key);
        int64_t number = 0;
        if (value == NULL && SHAPE[i].needed) {
            return ration_node_need(map, SHAPE[i].key, &value, error);
        }
        if (value == NULL) {
            continue;
        }
        RATION_TRY(ration_node_integer(value, SHAPE[i].low, 1 << 24, &number, error));
        const int32_t narrow = (int32_t)number;
        memcpy((char *)shape + SHAPE[i].at, &narrow, sizeof narrow);
    }
    RATION_TRY(rn_read_bool(map, "tied_embeddings", &tied, error));
    shape->tied = tied ? 1 : 0;
    shape->head_dim = shape->head_dim > 0 ? shape->head_dim : shape->hidden / shape->heads;
    shape->moe_layers =
        shape->experts > 0 && shape->moe_layers == 0 ? shape->layers : shape->moe_layers;
    if (rn_perf_shape_check(shape) != RN_PERF_OK) {
        return ration_node_fail(
            map, error,
            "not a decoder that can be planned: heads must be a multiple of kv_heads, and dense "
            "layers need ffn, expert layers experts, topk and moe_ffn");
    }
    return RATION_OK;
}

static ration_status read_model(const ration_node *map, const rn_serving_scenario *s,
                                rn_serving_model *model, ration_error *error)
{
    static const char *const known[] = {"name", "catalog", "shape"};
    const ration_node *shape = ration_node_find(map, "shape");
    const ration_node *name = ration_node_find(map, "catalog");
    const char *text = NULL;
    RATION_TRY(ration_node_keys(map, known, 3, error));
    if ((shape == NULL) == (name == NULL)) {
        return ration_node_fail(map, error, "a model needs either \"catalog\" or \"shape\"");
    }
    model->source = "";
    if (shape != NULL) {
        model->origin = RN_SERVING_USER;
        return read_shape(shape, &model->shape, error);
    }
    RATION_TRY(ration_node_text(name, false, &text, error));
    model->origin = RN_SERVING_CATALOG;
    return rn_lookup_model(s, name, text, model, error);
}

ration_status rn_serving_models_read(const ration_node *list, rn_arena *arena,
                                     rn_serving_scenario *s, ration_error *error)
{
    s->models = ration_node_count(list);
    RATION_TRY(rn_arena_take(arena, s->models, sizeof *s->model, &s->model, error));
    for (int32_t i = 0; i < s->models; i++) {
        RATION_TRY(rn_read_name(list, i, &s->model[i].name, error));
        RATION_TRY(read_model(ration_node_at(list, i), s, &s->model[i], error));
    }
    return RATION_OK;
}
