/* The catalog: columns of each file, what a sane row is, look-up by name. */
#include "catalog/catalog.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/alias.h"
#include "catalog/table.h"
#include "ration/asset.h"
#include "ration/document.h"

/* Rows as read; what needs no conversion lies in its final place. */
typedef struct gpu_row {
    ration_gpu gpu;
    int32_t memory_mib;
} gpu_row;

typedef struct model_row {
    ration_model model;
    const char *attention;
    int32_t gated;
} model_row;

typedef struct mig_row {
    ration_mig_profile mig;
    const char *starts;
} mig_row;

typedef struct engine_row {
    ration_engine engine;
} engine_row;

/* Another name of a row of one of the other files. */
typedef struct alias_row {
    const char *kind; /* gpu, model, engine */
    const char *alias;
    const char *name;
} alias_row;

struct ration_catalog {
    gpu_row *gpu;
    model_row *model;
    mig_row *mig;
    engine_row *engine;
    alias_row *alias;
    int32_t count[RATION_CATALOG_FILES];
    char *text[RATION_CATALOG_FILES];
};

#define GPU(member) offsetof(gpu_row, gpu.member)
#define MODEL(member) offsetof(model_row, model.member)
#define MIG(member) offsetof(mig_row, mig.member)
#define ENGINE(member) offsetof(engine_row, engine.member)
#define TEXT(name, at, needed)                                                                     \
    {                                                                                              \
        name, RN_COLUMN_TEXT, needed, at, 0, 0, 1                                                  \
    }
#define REAL(name, at, needed, low, high, scale)                                                   \
    {                                                                                              \
        name, RN_COLUMN_REAL, needed, at, low, high, scale                                         \
    }
#define COUNT(name, at, needed, low, high)                                                         \
    {                                                                                              \
        name, RN_COLUMN_INTEGER, needed, at, low, high, 1                                          \
    }
#define SURE(name, at, needed)                                                                     \
    {                                                                                              \
        name, RN_COLUMN_CONFIDENCE, needed, at, 0, 0, 1                                            \
    }

static const rn_column gpu_columns[] = {
    TEXT("gpu", GPU(name), true),
    TEXT("vendor", GPU(vendor), true),
    TEXT("arch", GPU(architecture), true),
    COUNT("compute_capability", GPU(perf.compute_capability), false, 30, 200),
    TEXT("form", GPU(form), true),
    REAL("mem_gb", GPU(memory_gb), true, 1, 2048, 1),
    COUNT("memory_mib", offsetof(gpu_row, memory_mib), true, 1, 4194304),
    SURE("memory_confidence", GPU(memory_confidence), true),
    {"memory_source", RN_COLUMN_SKIP, true, 0, 0, 0, 1},
    REAL("mem_bw_gbs", GPU(perf.memory_bytes_per_s), true, 50, 30000, 1e9),
    REAL("bf16_dense_tflops", GPU(perf.bf16_flops), false, 5, 20000, 1e12),
    REAL("fp16_dense_tflops", GPU(perf.fp16_flops), true, 5, 20000, 1e12),
    REAL("fp8_dense_tflops", GPU(perf.fp8_flops), false, 5, 40000, 1e12),
    REAL("int8_dense_tops", GPU(perf.int8_ops), false, 5, 40000, 1e12),
    REAL("fp4_dense_tflops", GPU(perf.fp4_flops), false, 5, 80000, 1e12),
    REAL("link_gbs_per_direction", GPU(perf.link_bytes_per_s), true, 0, 5000, 1e9),
    COUNT("link_domain_gpus", GPU(perf.link_gpus), true, 1, 1024),
    REAL("pcie_x16_gbs_per_direction", GPU(perf.pcie_bytes_per_s), true, 3, 300, 1e9),
    REAL("tdp_w", GPU(perf.tdp_w), true, 20, 3000, 1),
    REAL("idle_w", GPU(perf.idle_w), true, 1, 500, 1),
    SURE("idle_confidence", GPU(idle_confidence), true),
    COUNT("mig_max_instances", GPU(mig_instances), true, 0, 16),
    REAL("price_usd_per_gpu_hour", GPU(price_usd_per_hour), false, 0.01, 100, 1),
    SURE("price_confidence", GPU(price_confidence), false),
    SURE("confidence", GPU(confidence), true),
    TEXT("source", GPU(source), true),
    TEXT("notes", GPU(notes), false),
};

static const rn_column model_columns[] = {
    TEXT("model", MODEL(name), true),
    REAL("params_b", MODEL(params_billion), true, 0.01, 100000, 1),
    COUNT("layers", MODEL(shape.layers), false, 1, 10000),
    COUNT("hidden", MODEL(shape.hidden), true, 1, 1000000),
    COUNT("heads", MODEL(shape.heads), true, 1, 100000),
    COUNT("kv_heads", MODEL(shape.kv_heads), true, 1, 100000),
    COUNT("head_dim", MODEL(shape.head_dim), true, 1, 10000),
    COUNT("ffn", MODEL(shape.ffn), true, 1, 10000000),
    COUNT("gated_mlp", offsetof(model_row, gated), true, 0, 1),
    COUNT("vocab", MODEL(shape.vocab), true, 1, 10000000),
    COUNT("tied_embeddings", MODEL(shape.tied), true, 0, 1),
    COUNT("experts", MODEL(shape.experts), false, 1, 100000),
    COUNT("topk", MODEL(shape.topk), false, 1, 1000),
    COUNT("moe_ffn", MODEL(shape.moe_ffn), false, 1, 1000000),
    COUNT("shared_experts", MODEL(shape.shared_experts), false, 0, 1000),
    COUNT("moe_layers", MODEL(shape.moe_layers), false, 0, 10000),
    COUNT("moe_every", MODEL(shape.moe_every), false, 1, 100),
    REAL("active_params_b", MODEL(active_params_billion), false, 0.01, 100000, 1),
    TEXT("attention", offsetof(model_row, attention), true),
    COUNT("q_lora", MODEL(shape.q_lora), false, 0, 100000),
    COUNT("kv_lora", MODEL(shape.kv_lora), false, 1, 100000),
    COUNT("rope_dim", MODEL(shape.rope_dim), false, 0, 10000),
    COUNT("nope_dim", MODEL(shape.nope_dim), false, 1, 10000),
    COUNT("v_dim", MODEL(shape.v_dim), false, 1, 10000),
    COUNT("window_tokens", MODEL(shape.window_tokens), false, 1, 10000000),
    COUNT("window_layers", MODEL(shape.window_layers), false, 0, 10000),
    COUNT("sparse_tokens", MODEL(shape.sparse_tokens), false, 1, 10000000),
    COUNT("linear_layers", MODEL(shape.linear_layers), false, 0, 10000),
    COUNT("linear_heads", MODEL(shape.linear_heads), false, 1, 10000),
    SURE("confidence", MODEL(confidence), true),
    TEXT("source", MODEL(source), true),
    TEXT("notes", MODEL(notes), false),
};

static const rn_column mig_columns[] = {
    TEXT("gpu", MIG(gpu), true),
    TEXT("profile", MIG(profile), true),
    COUNT("compute_slices", MIG(compute_slices), true, 1, 8),
    COUNT("compute_slices_total", MIG(compute_slices_total), true, 1, 8),
    COUNT("memory_slices", MIG(memory_slices), true, 1, 8),
    COUNT("memory_slices_total", MIG(memory_slices_total), true, 1, 8),
    COUNT("memory_mib", MIG(memory_mib), true, 1024, 1048576),
    COUNT("sm_count", MIG(multiprocessors), true, 1, 1000),
    COUNT("max_instances", MIG(max_instances), true, 1, 8),
    TEXT("placement_starts", offsetof(mig_row, starts), true),
    SURE("confidence", MIG(confidence), true),
    TEXT("source", MIG(source), true),
    TEXT("notes", MIG(notes), false),
};

static const rn_column engine_columns[] = {
    TEXT("engine", ENGINE(name), true),
    TEXT("versions", ENGINE(versions), true),
    REAL("memory_fraction", ENGINE(perf.memory_fraction), true, 0.1, 1, 1),
    SURE("confidence", ENGINE(confidence), true),
    TEXT("source", ENGINE(source), true),
    TEXT("notes", ENGINE(notes), false),
};

static const rn_column alias_columns[] = {
    TEXT("kind", offsetof(alias_row, kind), true),
    TEXT("alias", offsetof(alias_row, alias), true),
    TEXT("name", offsetof(alias_row, name), true),
    {"notes", RN_COLUMN_SKIP, false, 0, 0, 0, 1},
};

#define COLUMNS(list) list, (int32_t)(sizeof list / sizeof list[0])

static const rn_table tables[RATION_CATALOG_FILES] = {
    {COLUMNS(gpu_columns), sizeof(gpu_row)},     {COLUMNS(model_columns), sizeof(model_row)},
    {COLUMNS(mig_columns), sizeof(mig_row)},     {COLUMNS(engine_columns), sizeof(engine_row)},
    {COLUMNS(alias_columns), sizeof(alias_row)},
};

static const char *const file_names[RATION_CATALOG_FILES] = {
    "gpus.csv", "models.csv", "mig_profiles.csv", "engines.csv", "aliases.csv"};

/* The word for a file in aliases.csv and in messages. */
static const char *const kinds[RATION_CATALOG_FILES] = {"gpu", "model", "mig", "engine", "alias"};

const char *ration_confidence_text(ration_confidence confidence)
{
    static const char *const words[] = {"", "assumed", "recalled", "source_read"};
    return confidence >= RATION_CONFIDENCE_NONE && confidence <= RATION_CONFIDENCE_READ
               ? words[confidence]
               : "";
}

/* A sentence about an insane row, or NULL. Each catches a kind of slip that a range can't. */
static const char *gpu_flaw(const gpu_row *row)
{
    const ration_gpu *g = &row->gpu;
    const double ratio = g->perf.memory_bytes / (g->memory_gb * 1e9);
    if (!(ratio > 0.90 && ratio < 1.08)) {
        return "memory_mib and mem_gb disagree: MiB of the driver, decimal GB of the data sheet "
               "expected";
    }
    if (g->perf.idle_w > 0.3 * g->perf.tdp_w) {
        return "idle_w is over 0.3 tdp_w";
    }
    if ((g->price_usd_per_hour > 0.0) != (g->price_confidence != RATION_CONFIDENCE_NONE)) {
        return "price and price_confidence go together";
    }
    if ((g->perf.link_bytes_per_s > 0.0) != (g->perf.link_gpus > 1) &&
        strcmp(g->form, "Superchip") != 0) {
        return "link_gbs_per_direction and link_domain_gpus go together";
    }
    if (g->perf.fp8_flops > 0.0 && !(g->perf.fp8_flops < 2.6 * g->perf.fp16_flops)) {
        return "fp8 is over 2.6 times fp16: a sparse peak?";
    }
    return NULL;
}

static const char *gpu_finish(gpu_row *row)
{
    ration_gpu *g = &row->gpu;
    g->memory_mib = row->memory_mib;
    g->perf.memory_bytes = (double)row->memory_mib * 1048576.0;
    const char *flaw = gpu_flaw(row);
    if (!(g->price_usd_per_hour > 0.0)) {
        g->price_usd_per_hour = -1.0;
    }
    return flaw;
}

static const char *model_finish(model_row *row)
{
    ration_model *m = &row->model;
    const bool grouped = strcmp(row->attention, "mha") == 0 || strcmp(row->attention, "gqa") == 0;
    const bool latent = strcmp(row->attention, "mla") == 0;
    if (!grouped && !latent) {
        m->shape.mlp_matrices = 2 + row->gated;
        m->shape.attention = RN_PERF_HYBRID;
        return strcmp(row->attention, "hybrid") == 0 ? NULL
                                                     : "attention is none of mha, gqa, mla, hybrid";
    }
    m->plannable = true;
    m->shape.mlp_matrices = 2 + row->gated;
    m->shape.attention = latent ? RN_PERF_LATENT : RN_PERF_GROUPED;
    if (rn_perf_shape_check(&m->shape) != RN_PERF_OK) {
        return "the shape is inconsistent";
    }
    const double counted = rn_perf_params_count(&m->shape).total / 1e9;
    return fabs(counted - m->params_billion) > 0.04 * m->params_billion
               ? "params_b is over 4 % from what the shape counts"
               : NULL;
}

static const char *mig_finish(mig_row *row)
{
    ration_mig_profile *p = &row->mig;
    for (const char *at = row->starts; *at != '\0'; ++at) {
        const bool digit = *at >= '0' && *at <= '7';
        if (digit == (at != row->starts && at[-1] != ' ') || (!digit && *at != ' ') ||
            p->starts == 8) {
            return "placement_starts is no list of slices 0 to 7";
        }
        if (digit) {
            p->start[p->starts++] = *at - '0';
        }
    }
    for (int32_t i = 0; i < p->starts; ++i) {
        if (p->start[i] + p->memory_slices > p->memory_slices_total) {
            return "an instance reaches past the last memory slice";
        }
    }
    if (p->max_instances > p->starts ||
        p->compute_slices * p->max_instances > p->compute_slices_total) {
        return "max_instances is more than can be placed";
    }
    return NULL;
}

/* The fitted numbers of an engine are not of its row: they are those of its name. */
static const char *engine_finish(engine_row *row)
{
    static const char *const names[RN_PERF_ENGINES] = {"vllm", "sglang", "tensorrt-llm"};
    for (int32_t kind = 0; kind < RN_PERF_ENGINES; ++kind) {
        if (rn_name_same(row->engine.name, names[kind])) {
            const double fraction = row->engine.perf.memory_fraction;
            row->engine.kind = (rn_perf_engine_kind)kind;
            row->engine.perf = rn_perf_engine_fitted(row->engine.kind);
            row->engine.perf.memory_fraction = fraction;
            return NULL;
        }
    }
    return "no numbers were fitted for this engine: vllm, sglang or tensorrt-llm expected";
}

static const char *row_name(const ration_catalog *c, ration_catalog_file file, int32_t i)
{
    switch (file) {
    case RATION_CATALOG_GPUS:
        return c->gpu[i].gpu.name;
    case RATION_CATALOG_MODELS:
        return c->model[i].model.name;
    case RATION_CATALOG_ENGINES:
        return c->engine[i].engine.name;
    case RATION_CATALOG_ALIASES:
        return c->alias[i].alias;
    default:
        return "";
    }
}

/* An alias names a row of another file, and is the name of none. The aliases come last, so that all
 * rows are there. */
static const char *alias_flaw(const ration_catalog *c, const alias_row *row)
{
    for (int32_t file = 0; file < RATION_CATALOG_ALIASES; ++file) {
        if (file == RATION_CATALOG_MIG || strcmp(row->kind, kinds[file]) != 0) {
            continue;
        }
        bool found = false;
        for (int32_t i = 0; i < c->count[file]; ++i) {
            const char *name = row_name(c, (ration_catalog_file)file, i);
            found = found || strcmp(name, row->name) == 0;
            if (rn_name_same(name, row->alias)) {
                return "the alias is the name of a row";
            }
        }
        return found ? NULL : "the name is not in the file of its kind";
    }
    return "kind is none of gpu, model, engine";
}

static const char *row_finish(ration_catalog *c, ration_catalog_file file, int32_t i)
{
    switch (file) {
    case RATION_CATALOG_GPUS:
        return gpu_finish(&c->gpu[i]);
    case RATION_CATALOG_MODELS:
        return model_finish(&c->model[i]);
    case RATION_CATALOG_MIG:
        return mig_finish(&c->mig[i]);
    case RATION_CATALOG_ENGINES:
        return engine_finish(&c->engine[i]);
    default:
        return alias_flaw(c, &c->alias[i]);
    }
}

static ration_status finish(ration_catalog *c, ration_catalog_file file, const char *name,
                            ration_error *error)
{
    for (int32_t i = 0; i < c->count[file]; ++i) {
        const char *flaw = row_finish(c, file, i);
        for (int32_t k = 0; k < i && flaw == NULL && file != RATION_CATALOG_MIG; ++k) {
            flaw = rn_name_same(row_name(c, file, i), row_name(c, file, k))
                       ? "the name was used before"
                       : NULL;
        }
        if (flaw != NULL) {
            return ration_error_set(error, RATION_E_INPUT, "%s: line %d: %s: %s", name, i + 2,
                                    row_name(c, file, i), flaw);
        }
    }
    return RATION_OK;
}

static ration_status read_file(ration_catalog *c, ration_catalog_file file,
                               const ration_catalog_text *text, ration_error *error)
{
    void *rows = NULL;
    const ration_status status =
        rn_table_read(&tables[file], text, &rows, &c->count[file], &c->text[file], error);
    if (status != RATION_OK) {
        return status;
    }
    switch (file) {
    case RATION_CATALOG_GPUS:
        c->gpu = rows;
        break;
    case RATION_CATALOG_MODELS:
        c->model = rows;
        break;
    case RATION_CATALOG_MIG:
        c->mig = rows;
        break;
    case RATION_CATALOG_ENGINES:
        c->engine = rows;
        break;
    default:
        c->alias = rows;
        break;
    }
    return finish(c, file, text->name, error);
}

ration_status ration_catalog_parse(const ration_catalog_text files[RATION_CATALOG_FILES],
                                   ration_catalog **catalog, ration_error *error)
{
    ration_catalog *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "out of memory for the catalog");
    }
    for (int32_t i = 0; i < RATION_CATALOG_FILES; ++i) {
        const ration_status status = read_file(c, (ration_catalog_file)i, &files[i], error);
        if (status != RATION_OK) {
            ration_catalog_free(c);
            return status;
        }
    }
    *catalog = c;
    return RATION_OK;
}

ration_status ration_catalog_open(ration_catalog **catalog, ration_error *error)
{
    ration_catalog_text files[RATION_CATALOG_FILES];
    for (int32_t i = 0; i < RATION_CATALOG_FILES; ++i) {
        files[i].name = file_names[i];
        files[i].bytes = 0;
        files[i].text = ration_asset(file_names[i], &files[i].bytes);
        if (files[i].text == NULL) {
            return ration_error_set(error, RATION_E_INTERNAL, "%s is missing in the library",
                                    file_names[i]);
        }
    }
    const ration_status status = ration_catalog_parse(files, catalog, error);
    if (status == RATION_E_INPUT && error != NULL) {
        error->status = RATION_E_INTERNAL;
    }
    return status == RATION_E_INPUT ? RATION_E_INTERNAL : status;
}

void ration_catalog_free(ration_catalog *catalog)
{
    if (catalog == NULL) {
        return;
    }
    for (int32_t i = 0; i < RATION_CATALOG_FILES; ++i) {
        free(catalog->text[i]);
    }
    free(catalog->gpu);
    free(catalog->model);
    free(catalog->mig);
    free(catalog->engine);
    free(catalog->alias);
    free(catalog);
}

static bool starts_with(const char *name, const char *part)
{
    for (; *part != '\0'; ++name, ++part) {
        const char head[2] = {*name, '\0'};
        const char want[2] = {*part, '\0'};
        if (*name == '\0' || !rn_name_same(head, want)) {
            return false;
        }
    }
    return true;
}

/* The name a reader may have meant: the first that begins with the text, else the nearest by edit
 * distance, else NULL. */
static const char *suggest(const ration_catalog *c, ration_catalog_file file, const char *name)
{
    for (int32_t i = 0; i < c->count[file] && name[0] != '\0'; ++i) {
        if (starts_with(row_name(c, file, i), name)) {
            return row_name(c, file, i);
        }
    }
    const size_t count = (size_t)c->count[file];
    const char **words = malloc(count * sizeof *words);
    if (words == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; ++i) {
        words[i] = row_name(c, file, (int32_t)i);
    }
    const char *near = ration_nearest(name, words, c->count[file]);
    free(words);
    return near;
}

static int32_t exact(const ration_catalog *c, ration_catalog_file file, const char *name)
{
    for (int32_t i = 0; i < c->count[file]; ++i) {
        if (rn_name_same(row_name(c, file, i), name)) {
            return i;
        }
    }
    return -1;
}

/* The row of a name or of an alias, or -1. */
static int32_t known(const ration_catalog *c, ration_catalog_file file, const char *name)
{
    const int32_t index = exact(c, file, name);
    for (int32_t i = 0; index < 0 && i < c->count[RATION_CATALOG_ALIASES]; ++i) {
        const alias_row *row = &c->alias[i];
        if (strcmp(row->kind, kinds[file]) == 0 && rn_name_same(row->alias, name)) {
            return exact(c, file, row->name);
        }
    }
    return index;
}

static ration_status find(const ration_catalog *c, ration_catalog_file file, const char *name,
                          int32_t *index, ration_error *error)
{
    static const char *const words[RATION_CATALOG_FILES] = {"GPU", "model", "MIG profile", "engine",
                                                            "alias"};
    char reduced[RN_ALIAS_BYTES];
    int32_t at = known(c, file, name);
    rn_alias_reduce(name, reduced);
    if (at < 0 && file == RATION_CATALOG_MODELS) {
        at = known(c, file, reduced);
    }
    if (at >= 0) {
        *index = at;
        return RATION_OK;
    }
    const char *near = suggest(c, file, file == RATION_CATALOG_MODELS ? reduced : name);
    return near == NULL
               ? ration_error_set(error, RATION_E_INPUT, "\"%.60s\" is no %s of the catalog", name,
                                  words[file])
               : ration_error_set(error, RATION_E_INPUT,
                                  "\"%.60s\" is no %s of the catalog; the nearest is \"%s\"", name,
                                  words[file], near);
}

ration_status ration_catalog_gpu(const ration_catalog *catalog, const char *name,
                                 const ration_gpu **gpu, ration_error *error)
{
    int32_t index = 0;
    const ration_status status = find(catalog, RATION_CATALOG_GPUS, name, &index, error);
    if (status == RATION_OK) {
        *gpu = &catalog->gpu[index].gpu;
    }
    return status;
}

ration_status ration_catalog_model(const ration_catalog *catalog, const char *name,
                                   const ration_model **model, ration_error *error)
{
    int32_t index = 0;
    const ration_status status = find(catalog, RATION_CATALOG_MODELS, name, &index, error);
    if (status == RATION_OK) {
        *model = &catalog->model[index].model;
    }
    return status;
}

ration_status ration_catalog_engine(const ration_catalog *catalog, const char *name,
                                    const ration_engine **engine, ration_error *error)
{
    int32_t index = 0;
    const ration_status status = find(catalog, RATION_CATALOG_ENGINES, name, &index, error);
    if (status == RATION_OK) {
        *engine = &catalog->engine[index].engine;
    }
    return status;
}

int32_t ration_catalog_gpu_count(const ration_catalog *catalog)
{
    return catalog->count[RATION_CATALOG_GPUS];
}

int32_t ration_catalog_model_count(const ration_catalog *catalog)
{
    return catalog->count[RATION_CATALOG_MODELS];
}

int32_t ration_catalog_mig_count(const ration_catalog *catalog)
{
    return catalog->count[RATION_CATALOG_MIG];
}

int32_t ration_catalog_engine_count(const ration_catalog *catalog)
{
    return catalog->count[RATION_CATALOG_ENGINES];
}

static bool inside(const ration_catalog *catalog, ration_catalog_file file, int32_t index)
{
    return index >= 0 && index < catalog->count[file];
}

const ration_gpu *ration_catalog_gpu_at(const ration_catalog *catalog, int32_t index)
{
    return inside(catalog, RATION_CATALOG_GPUS, index) ? &catalog->gpu[index].gpu : NULL;
}

const ration_model *ration_catalog_model_at(const ration_catalog *catalog, int32_t index)
{
    return inside(catalog, RATION_CATALOG_MODELS, index) ? &catalog->model[index].model : NULL;
}

const ration_mig_profile *ration_catalog_mig_at(const ration_catalog *catalog, int32_t index)
{
    return inside(catalog, RATION_CATALOG_MIG, index) ? &catalog->mig[index].mig : NULL;
}

const ration_engine *ration_catalog_engine_at(const ration_catalog *catalog, int32_t index)
{
    return inside(catalog, RATION_CATALOG_ENGINES, index) ? &catalog->engine[index].engine : NULL;
}
