/* The nodes of a scenario: kinds of GPU, entries, machines, NVLink islands, failure domains. */
#include <assert.h>
#include <string.h>

#include "serving/read.h"

static const double GB = 1e9;

typedef struct gpu_field {
    const char *key;
    size_t at;
    double unit;
    bool needed;
} gpu_field;

#define FIELD(key, member, unit, needed)                                                           \
    {                                                                                              \
        key, offsetof(rn_perf_gpu, member), unit, needed                                           \
    }
static const gpu_field FIELDS[] = {
    FIELD("memory_gib", memory_bytes, 1073741824.0, true),
    FIELD("memory_gb_per_s", memory_bytes_per_s, 1e9, true),
    FIELD("fp16_tflops", fp16_flops, 1e12, true),
    FIELD("bf16_tflops", bf16_flops, 1e12, false),
    FIELD("fp8_tflops", fp8_flops, 1e12, false),
    FIELD("int8_tops", int8_ops, 1e12, false),
    FIELD("fp4_tflops", fp4_flops, 1e12, false),
    FIELD("nvlink_gb_per_s", link_bytes_per_s, 1e9, false),
    FIELD("pcie_gb_per_s", pcie_bytes_per_s, 1e9, false),
    FIELD("tdp_w", tdp_w, 1.0, true),
    FIELD("idle_w", idle_w, 1.0, false),
};
#undef FIELD
enum { GPU_FIELDS = sizeof FIELDS / sizeof FIELDS[0] };

/* A GPU given by its figures (dense peaks). */
static ration_status read_gpu_figures(const ration_node *map, rn_serving_gpu *gpu,
                                      ration_error *error)
{
    const char *known[GPU_FIELDS + 3];
    const ration_node *name = NULL;
    rn_perf_gpu perf;
    memset(&perf, 0, sizeof perf);
    for (int32_t i = 0; i < GPU_FIELDS; i++) {
        known[i] = FIELDS[i].key;
    }
    known[GPU_FIELDS] = "name";
    known[GPU_FIELDS + 1] = "nvlink_gpus";
    known[GPU_FIELDS + 2] = "compute_capability";
    RATION_TRY(ration_node_keys(map, known, GPU_FIELDS + 3, error));
    RATION_TRY(ration_node_need(map, "name", &name, error));
    RATION_TRY(ration_node_text(name, false, &gpu->name, error));
    perf.pcie_bytes_per_s = 31.5 * GB;
    for (int32_t i = 0; i < GPU_FIELDS; i++) {
        const ration_node *value = ration_node_find(map, FIELDS[i].key);
        double number = 0.0;
        if (value == NULL && !FIELDS[i].needed) {
            continue;
        }
        RATION_TRY(ration_node_need(map, FIELDS[i].key, &value, error));
        RATION_TRY(ration_node_real(value, FIELDS[i].needed ? 1e-3 : 0.0, 1e6, &number, error));
        number *= FIELDS[i].unit;
        memcpy((char *)&perf + FIELDS[i].at, &number, sizeof number);
    }
    perf.link_gpus = 1;
    perf.compute_capability = perf.bf16_flops > 0.0 ? 80 : 75;
    RATION_TRY(rn_read_integer(map, "nvlink_gpus", 1, 1024, &perf.link_gpus, error));
    RATION_TRY(rn_read_integer(map, "compute_capability", 0, 999, &perf.compute_capability, error));
    if (perf.idle_w >= perf.tdp_w) {
        return ration_node_fail(map, error, "idle_w is %.15g, expected less than tdp_w, %.15g",
                                perf.idle_w, perf.tdp_w);
    }
    gpu->perf = perf;
    gpu->price_per_hour = -1.0;
    gpu->origin = RN_SERVING_USER;
    gpu->source = "";
    return RATION_OK;
}

/* The kind of GPU of a node entry: an earlier one of the same name and figures, or a new one. */
static ration_status read_gpu(const ration_node *map, rn_serving_scenario *s, int32_t *index,
                              ration_error *error)
{
    const ration_node *node = NULL;
    const char *name = NULL;
    rn_serving_gpu gpu;
    memset(&gpu, 0, sizeof gpu);
    RATION_TRY(ration_node_need(map, "gpu", &node, error));
    if (ration_node_kind(node) == RATION_KIND_MAP) {
        RATION_TRY(read_gpu_figures(node, &gpu, error));
    } else {
        RATION_TRY(ration_node_text(node, false, &name, error));
        RATION_TRY(rn_lookup_gpu(s, node, name, &gpu, error));
    }
    for (int32_t i = 0; i < s->gpus; i++) {
        if (strcmp(s->gpu[i].name, gpu.name) == 0) {
            if (gpu.origin == RN_SERVING_USER &&
                memcmp(&s->gpu[i].perf, &gpu.perf, sizeof gpu.perf) != 0) {
                return ration_node_fail(node, error, "\"%s\" was given with other figures before",
                                        gpu.name);
            }
            *index = i;
            return RATION_OK;
        }
    }
    s->gpu[s->gpus] = gpu;
    *index = s->gpus++;
    return RATION_OK;
}

/* Default islands: full link domains, what is left as one more; single GPUs without NVLink. */
static ration_status default_islands(const rn_perf_gpu *gpu, rn_arena *arena, rn_serving_node *node,
                                     ration_error *error)
{
    const int32_t size = gpu->link_bytes_per_s > 0.0 && gpu->link_gpus > 1 ? gpu->link_gpus : 1;
    int32_t *island = NULL;
    node->islands = (node->gpus + size - 1) / size;
    RATION_TRY(rn_arena_take(arena, node->islands, sizeof *island, &island, error));
    for (int32_t i = 0; i < node->islands; i++) {
        const int32_t left = node->gpus - i * size;
        island[i] = left < size ? left : size;
    }
    node->island = island;
    return RATION_OK;
}

static ration_status read_islands(const ration_node *map, const rn_perf_gpu *gpu, rn_arena *arena,
                                  rn_serving_node *node, ration_error *error)
{
    const ration_node *list = ration_node_find(map, "nvlink_islands");
    int32_t *island = NULL;
    int64_t sum = 0;
    if (list == NULL) {
        return default_islands(gpu, arena, node, error);
    }
    RATION_TRY(ration_node_list(list, 1, RN_SERVING_NODE_GPUS_MAX, error));
    node->islands = ration_node_count(list);
    RATION_TRY(rn_arena_take(arena, node->islands, sizeof *island, &island, error));
    for (int32_t i = 0; i < node->islands; i++) {
        int64_t size = 0;
        RATION_TRY(ration_node_integer(ration_node_at(list, i), 1, RN_SERVING_NODE_GPUS_MAX, &size,
                                       error));
        if (size > 1 && !(gpu->link_bytes_per_s > 0.0)) {
            return ration_node_fail(list, error, "an island of %d GPUs, but this GPU has no NVLink",
                                    (int)size);
        }
        island[i] = (int32_t)size;
        sum += size;
    }
    if (sum != node->gpus) {
        return ration_node_fail(list, error,
                                "islands of %d GPUs in all, expected %d as in \"gpus\"", (int)sum,
                                node->gpus);
    }
    node->island = island;
    return RATION_OK;
}

static ration_status read_node(const ration_node *map, rn_arena *arena, rn_serving_scenario *s,
                               rn_serving_node *node, ration_error *error)
{
    static const char *const known[] = {"name",
                                        "count",
                                        "gpu",
                                        "gpus",
                                        "nvlink_islands",
                                        "pcie_gb_per_s",
                                        "infiniband_gb_per_s",
                                        "host_power_w",
                                        "power_limit_w",
                                        "price_per_gpu_hour",
                                        "failure_domain"};
    const ration_node *gpus = NULL;
    RATION_TRY(ration_node_keys(map, known, (int32_t)(sizeof known / sizeof known[0]), error));
    node->count = 1;
    RATION_TRY(rn_read_integer(map, "count", 1, RN_SERVING_GPUS_MAX, &node->count, error));
    RATION_TRY(ration_node_need(map, "gpus", &gpus, error));
    RATION_TRY(rn_read_integer(map, "gpus", 1, RN_SERVING_NODE_GPUS_MAX, &node->gpus, error));
    RATION_TRY(read_gpu(map, s, &node->gpu, error));
    const rn_serving_gpu *gpu = &s->gpu[node->gpu];
    RATION_TRY(read_islands(map, &gpu->perf, arena, node, error));
    double pcie = gpu->perf.pcie_bytes_per_s / GB;
    double infiniband = 0.0;
    RATION_TRY(rn_read_real(map, "pcie_gb_per_s", 0.0, 1e4, &pcie, error));
    RATION_TRY(rn_read_real(map, "infiniband_gb_per_s", 0.0, 1e5, &infiniband, error));
    RATION_TRY(rn_read_real(map, "host_power_w", 0.0, 1e6, &node->host_w, error));
    RATION_TRY(rn_read_limit(map, "power_limit_w", 0.0, 1e9, &node->power_w, error));
    node->pcie_bytes_per_s = pcie * GB;
    node->infiniband_bytes_per_s = infiniband * GB;
    node->price_per_gpu_hour = gpu->price_per_hour;
    node->price_origin = RN_SERVING_CATALOG;
    if (ration_node_find(map, "price_per_gpu_hour") != NULL) {
        RATION_TRY(
            rn_read_real(map, "price_per_gpu_hour", 0.0, 1e6, &node->price_per_gpu_hour, error));
        node->price_origin = RN_SERVING_USER;
    } else if (node->price_per_gpu_hour < 0.0 || strcmp(s->currency, "USD") != 0) {
        return ration_node_fail(
            map, error, "price_per_gpu_hour is missing; the catalog has no price of %s in %s",
            gpu->name, s->currency);
    }
    node->domain = "";
    return rn_read_text(map, "failure_domain", &node->domain, error);
}

static int32_t domain_of(rn_serving_scenario *s, const char *name)
{
    int32_t at = 0;
    while (at < s->domains && strcmp(s->domain[at], name) != 0) {
        at++;
    }
    s->domain[at] = name;
    s->domains = at == s->domains ? at + 1 : s->domains;
    return at;
}

/* Machines of all entries, named NAME-1, NAME-2, ... where an entry has several. */
static ration_status make_machines(const ration_node *list, rn_arena *arena, rn_serving_scenario *s,
                                   ration_error *error)
{
    RATION_TRY(rn_arena_take(arena, s->machines, sizeof *s->machine, &s->machine, error));
    RATION_TRY(rn_arena_take(arena, s->machines, sizeof *s->domain, &s->domain, error));
    int32_t at = 0;
    int32_t gpu = 0;
    for (int32_t n = 0; n < s->nodes; n++) {
        rn_serving_node *node = &s->node[n];
        node->machine = at;
        for (int32_t k = 0; k < node->count; k++) {
            rn_serving_machine *machine = &s->machine[at];
            machine->name = node->name;
            if (node->count > 1) {
                RATION_TRY(rn_arena_text(arena, &machine->name, error, "%s-%d", node->name, k + 1));
            }
            for (int32_t i = 0; i < at && s->nodes > 1; i++) {
                if (strcmp(s->machine[i].name, machine->name) == 0) {
                    return ration_node_fail(ration_node_at(list, n), error,
                                            "two machines would be named \"%s\"", machine->name);
                }
            }
            machine->node = n;
            machine->gpu = gpu;
            machine->domain = domain_of(s, node->domain[0] != '\0' ? node->domain : machine->name);
            gpu += node->gpus;
            at++;
        }
    }
    s->gpu_total = gpu;
    return RATION_OK;
}

ration_status rn_serving_nodes_read(const ration_node *list, rn_arena *arena,
                                    rn_serving_scenario *s, ration_error *error)
{
    int64_t total = 0;
    int64_t machines = 0;
    s->nodes = ration_node_count(list);
    RATION_TRY(rn_arena_take(arena, s->nodes, sizeof *s->node, &s->node, error));
    RATION_TRY(rn_arena_take(arena, s->nodes, sizeof *s->gpu, &s->gpu, error));
    for (int32_t i = 0; i < s->nodes; i++) {
        rn_serving_node *node = &s->node[i];
        RATION_TRY(rn_read_name(list, i, &node->name, error));
        RATION_TRY(read_node(ration_node_at(list, i), arena, s, node, error));
        machines += node->count;
        total += (int64_t)node->count * node->gpus;
        if (total > RN_SERVING_GPUS_MAX) {
            return ration_node_fail(ration_node_at(list, i), error, "more than %d GPUs in all",
                                    RN_SERVING_GPUS_MAX);
        }
    }
    s->machines = (int32_t)machines;
    return make_machines(list, arena, s, error);
}
