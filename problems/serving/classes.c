/* Kinds of GPU sets. */
#include "serving/option.h"

#include <assert.h>
#include "serving/read.h"

/* Aligned sets of `size` GPUs in one island. */
static int32_t island_sets(const rn_serving_node *node, int32_t size)
{
    int32_t sets = 0;
    for (int32_t i = 0; i < node->islands; i++) {
        assert(node->island[i] >= 1);
        sets += node->island[i] / size;
    }
    return sets;
}

bool rn_serving_set_crosses(const rn_serving_node *node, int32_t first, int32_t size)
{
    int32_t start = 0;
    for (int32_t i = 0; i < node->islands; i++) {
        if (first >= start && first + size <= start + node->island[i]) {
            return false;
        }
        start += node->island[i];
    }
    return true;
}

/* Aligned sets of `size` GPUs of a machine that lie in no single island. */
static int32_t bridge_sets(const rn_serving_node *node, int32_t size)
{
    int32_t sets = 0;
    for (int32_t first = 0; first + size <= node->gpus; first += size) {
        sets += rn_serving_set_crosses(node, first, size) ? 1 : 0;
    }
    return sets;
}

static void add_class(rn_serving_class *list, int32_t *count, const rn_serving_class *made)
{
    if (made->sets > 0) {
        list[(*count)++] = *made;
    }
}

static bool power_of_two(int32_t n)
{
    return (n & (n - 1)) == 0;
}

static void node_classes(const rn_serving_scenario *s, int32_t n, rn_serving_class *list,
                         int32_t *count)
{
    const rn_serving_node *node = &s->node[n];
    const bool bridged = node->pcie_bytes_per_s > 0.0;
    for (int32_t size = 1; size <= node->gpus; size *= 2) {
        rn_serving_class made = {
            n, size, 1, RN_PERF_NVLINK, false, island_sets(node, size) * node->count};
        add_class(list, count, &made);
        made.tier = RN_PERF_PCIE;
        made.sets = size > 1 && bridged ? bridge_sets(node, size) * node->count : 0;
        add_class(list, count, &made);
    }
    if (!power_of_two(node->gpus) || !(node->infiniband_bytes_per_s > 0.0) ||
        (node->islands > 1 && !bridged)) {
        return;
    }
    for (int32_t span = 2; span <= node->count && span <= 8; span *= 2) {
        const rn_perf_tier tier = node->islands == 1 ? RN_PERF_NVLINK : RN_PERF_PCIE;
        const rn_serving_class made = {n, span * node->gpus, span, tier, true, node->count / span};
        add_class(list, count, &made);
    }
}

ration_status rn_serving_classes_list(const rn_serving_scenario *s, rn_arena *arena, int32_t *count,
                                      rn_serving_class **list, ration_error *error)
{
    enum { PER_NODE = 20 }; /* 7 sizes, two tiers each, 3 spans */
    rn_serving_class *made = NULL;
    int32_t found = 0;
    RATION_TRY(rn_arena_take(arena, (int64_t)s->nodes * PER_NODE, sizeof *made, &made, error));
    for (int32_t n = 0; n < s->nodes; n++) {
        node_classes(s, n, made, &found);
    }
    assert(found >= s->nodes && found <= s->nodes * PER_NODE); /* single GPUs at least */
    *count = found;
    *list = made;
    return RATION_OK;
}
