/* The sums of a plan, added up again: every GPU, link and machine, every workload, the money. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "serving/check.h"
#include "serving/read.h"

/* Of a link's capacity may be used: the project's rule, written again here and not shared with the
 * code that plans. */
static const double LINK_PART = 0.7;

/* What is added up. */
typedef struct sums {
    const rn_check *c;
    int32_t *tenants;    /* [gpus] */
    double *memory_gib;  /* [gpus] */
    double *time;        /* [gpus] */
    double *watts;       /* [gpus] */
    double *pcie;        /* [machines] GB/s */
    double *network;     /* [machines] GB/s */
    double *provisioned; /* [machines] W */
    double *average;     /* [machines] W */
    double rent;         /* money per hour, as the next four */
    double latency;
    double redundancy;
    double other;
    double requests_per_hour;
    int32_t next; /* first replica of the next workload */
} sums;

static const rn_serving_node *node_of(const rn_check *c, int32_t machine)
{
    return &c->s->node[c->s->machine[machine].node];
}

static ration_status sums_make(sums *t, rn_check *c, ration_error *error)
{
    rn_arena *arena = &c->arena;
    memset(t, 0, sizeof *t);
    t->c = c;
    RATION_TRY(rn_arena_take(arena, c->s->gpu_total, sizeof *t->tenants, &t->tenants, error));
    RATION_TRY(rn_arena_take(arena, c->s->gpu_total, sizeof *t->memory_gib, &t->memory_gib, error));
    RATION_TRY(rn_arena_take(arena, c->s->gpu_total, sizeof *t->time, &t->time, error));
    RATION_TRY(rn_arena_take(arena, c->s->gpu_total, sizeof *t->watts, &t->watts, error));
    RATION_TRY(rn_arena_take(arena, c->s->machines, sizeof *t->pcie, &t->pcie, error));
    RATION_TRY(rn_arena_take(arena, c->s->machines, sizeof *t->network, &t->network, error));
    RATION_TRY(
        rn_arena_take(arena, c->s->machines, sizeof *t->provisioned, &t->provisioned, error));
    return rn_arena_take(arena, c->s->machines, sizeof *t->average, &t->average, error);
}

static void add_replicas(sums *t)
{
    for (int32_t i = 0; i < t->c->replicas; i++) {
        const rn_check_replica *r = &t->c->replica[i];
        assert(r->seats >= 1 && r->tp >= 1 && r->pp >= 1);
        for (int32_t k = 0; k < r->seats; k++) {
            const rn_check_seat *seat = &r->seat[k];
            const int32_t first = t->c->s->machine[seat->machine].gpu + seat->first;
            assert(first >= 0 && first + seat->gpus <= t->c->s->gpu_total);
            for (int32_t g = first; g < first + seat->gpus; g++) {
                t->tenants[g]++;
                t->memory_gib[g] += r->total_gib;
                t->time[g] += r->share;
                t->watts[g] += r->power_w / (r->tp * r->pp);
            }
            t->pcie[seat->machine] += r->pcie_gb_per_s;
            t->network[seat->machine] += r->network_gb_per_s;
        }
        t->latency += r->latency_penalty;
        t->other += r->quality_penalty;
    }
}

/* n tenants may use memory · (1 - (0.15 + 0.02 ln n)) together. */
static ration_status check_gpu(sums *t, int32_t machine, int32_t k, const ration_node *g,
                               ration_error *error)
{
    const rn_serving_node *node = node_of(t->c, machine);
    const rn_serving_gpu *gpu = &t->c->s->gpu[node->gpu];
    const int32_t at = t->c->s->machine[machine].gpu + k;
    const int32_t n = t->tenants[at];
    const double memory = gpu->perf.memory_bytes / RN_CHECK_GIB;
    const double usable = memory * (0.85 - 0.02 * log(n > 1 ? (double)n : 1.0));
    const double idle = n > 0 ? gpu->perf.idle_w * fmax(0.0, 1.0 - t->time[at]) : 0.0;
    assert(n >= 0 && at < t->c->s->gpu_total && usable > 0.0);
    RATION_TRY(rn_check_word(g, "node", t->c->s->machine[machine].name, error));
    RATION_TRY(rn_check_same(g, "gpu", k, error));
    RATION_TRY(rn_check_word(g, "type", gpu->name, error));
    RATION_TRY(rn_check_same(g, "tenants", n, error));
    RATION_TRY(rn_check_same(g, "memory_used_gib", t->memory_gib[at], error));
    RATION_TRY(rn_check_same(g, "memory_usable_gib", usable, error));
    RATION_TRY(rn_check_same(g, "memory_gib", memory, error));
    RATION_TRY(rn_check_same(g, "time_share", t->time[at], error));
    RATION_TRY(rn_check_same(g, "average_w", t->watts[at] + idle, error));
    RATION_TRY(rn_check_same(g, "price_per_hour", node->price_per_gpu_hour, error));
    if (t->c->kept && (t->memory_gib[at] > usable * (1.0 + 1e-9) || t->time[at] > 1.0 + 1e-9)) {
        return rn_check_fail(g, error, "over-committed: %.6g of %.6g GiB, %.0f %% of its time",
                             t->memory_gib[at], usable, 100.0 * t->time[at]);
    }
    t->provisioned[machine] += n > 0 ? gpu->perf.tdp_w : gpu->perf.idle_w;
    t->average[machine] += t->watts[at] + idle;
    t->rent += n > 0 ? node->price_per_gpu_hour : 0.0;
    return RATION_OK;
}

static ration_status check_gpus(sums *t, ration_error *error)
{
    const ration_node *list = NULL;
    const rn_serving_scenario *s = t->c->s;
    RATION_TRY(ration_node_need(t->c->plan, "gpus", &list, error));
    RATION_TRY(ration_node_list(list, s->gpu_total, s->gpu_total, error));
    for (int32_t m = 0; m < s->machines; m++) {
        for (int32_t k = 0; k < node_of(t->c, m)->gpus; k++) {
            RATION_TRY(check_gpu(t, m, k, ration_node_at(list, s->machine[m].gpu + k), error));
        }
    }
    return RATION_OK;
}

static ration_status check_link(const sums *t, const ration_node *list, int32_t *at,
                                int32_t machine, bool network, ration_error *error)
{
    const rn_serving_node *node = node_of(t->c, machine);
    const ration_node *link = ration_node_at(list, *at);
    const double used = network ? t->network[machine] : t->pcie[machine];
    const double capacity =
        network ? node->infiniband_bytes_per_s / 1e9 : node->pcie_bytes_per_s * node->gpus / 1e9;
    if (link == NULL) {
        return rn_check_fail(list, error, "no %s of %s", network ? "infiniband" : "pcie",
                             t->c->s->machine[machine].name);
    }
    RATION_TRY(rn_check_word(link, "node", t->c->s->machine[machine].name, error));
    RATION_TRY(rn_check_word(link, "link", network ? "infiniband" : "pcie", error));
    RATION_TRY(rn_check_same(link, "used_gb_per_s", used, error));
    RATION_TRY(rn_check_same(link, "usable_gb_per_s", LINK_PART * capacity, error));
    RATION_TRY(rn_check_same(link, "capacity_gb_per_s", capacity, error));
    if (t->c->kept && used > LINK_PART * capacity * (1.0 + 1e-9)) {
        return rn_check_fail(link, error, "%.6g GB/s of the %.6g that may be used", used,
                             LINK_PART * capacity);
    }
    ++*at;
    return RATION_OK;
}

static ration_status check_links(const sums *t, ration_error *error)
{
    const ration_node *list = NULL;
    int32_t at = 0;
    RATION_TRY(ration_node_need(t->c->plan, "links", &list, error));
    for (int32_t m = 0; m < t->c->s->machines; m++) {
        RATION_TRY(check_link(t, list, &at, m, false, error));
        if (node_of(t->c, m)->infiniband_bytes_per_s > 0.0) {
            RATION_TRY(check_link(t, list, &at, m, true, error));
        }
    }
    return ration_node_count(list) == at ? RATION_OK
                                         : rn_check_fail(list, error, "more links than expected");
}

static ration_status check_power(sums *t, ration_error *error)
{
    const ration_node *list = NULL;
    const rn_serving_scenario *s = t->c->s;
    RATION_TRY(ration_node_need(t->c->plan, "power", &list, error));
    RATION_TRY(ration_node_list(list, s->machines, s->machines, error));
    for (int32_t m = 0; m < s->machines; m++) {
        const ration_node *power = ration_node_at(list, m);
        const rn_serving_limit *limit = &node_of(t->c, m)->power_w;
        const ration_node *shown = NULL;
        const double watts = t->provisioned[m] + node_of(t->c, m)->host_w;
        RATION_TRY(rn_check_word(power, "node", s->machine[m].name, error));
        RATION_TRY(rn_check_same(power, "provisioned_w", watts, error));
        RATION_TRY(rn_check_same(power, "average_w", t->average[m], error));
        RATION_TRY(ration_node_need(power, "limit_w", &shown, error));
        if (!limit->given && ration_node_kind(shown) != RATION_KIND_NULL) {
            return rn_check_fail(shown, error, "the scenario has no limit");
        }
        if (!limit->given) {
            continue;
        }
        RATION_TRY(rn_check_same(power, "limit_w", limit->value, error));
        const double over = fmax(0.0, watts - limit->value);
        if (limit->hard && t->c->kept && over > 1e-6 * limit->value) {
            return rn_check_fail(power, error, "%.6g W must be provided, the limit is %.6g", watts,
                                 limit->value);
        }
        t->other += limit->hard ? 0.0 : limit->penalty * over;
    }
    return RATION_OK;
}

/* ---- workloads ---- */

/* Rate of a workload's replicas [first, end) that lie outside a failure domain. */
static double rate_left(const rn_check *c, int32_t first, int32_t end, int32_t domain)
{
    double left = 0.0;
    for (int32_t i = first; i < end; i++) {
        const rn_check_replica *r = &c->replica[i];
        bool lost = false;
        for (int32_t k = 0; k < r->seats; k++) {
            lost = lost || c->s->machine[r->seat[k].machine].domain == domain;
        }
        left += lost ? 0.0 : r->rate_per_s;
    }
    return left;
}

/* Replicas first .. t->next - 1 are those of the workload. */
static ration_status check_spread(sums *t, int32_t index, const ration_node *node, int32_t first,
                                  ration_error *error)
{
    const rn_check *c = t->c;
    const int32_t count = t->next - first;
    const rn_serving_workload *w = &c->s->workload[index];
    const double missing = fmax(0.0, w->min_replicas.value - count);
    if (w->min_replicas.hard && c->kept && missing > 0.0) {
        return rn_check_fail(node, error, "%d replicas, at least %.15g are asked for", count,
                             w->min_replicas.value);
    }
    t->redundancy += w->min_replicas.hard ? 0.0 : w->min_replicas.penalty * missing;
    for (int32_t d = 0; d < c->s->domains && w->survive.given; d++) {
        const double short_of = w->survive.value - rate_left(c, first, t->next, d) / w->rate_per_s;
        if (w->survive.hard && c->kept && short_of > 1e-5) {
            return rn_check_fail(node, error,
                                 "%.6g of its rate are left without %s, %.6g asked for",
                                 w->survive.value - short_of, c->s->domain[d], w->survive.value);
        }
        t->redundancy += w->survive.hard ? 0.0 : w->survive.penalty * fmax(0.0, short_of);
    }
    return RATION_OK;
}

static ration_status check_length(const ration_node *node, const char *key,
                                  const rn_serving_length *length, ration_error *error)
{
    const ration_node *map = NULL;
    RATION_TRY(ration_node_need(node, key, &map, error));
    RATION_TRY(rn_check_same(map, "mean", length->mean, error));
    RATION_TRY(rn_check_same(map, "p95", length->p95, error));
    return rn_check_same(map, "max", length->most, error);
}

static ration_status check_workload(sums *t, int32_t index, const ration_node *node,
                                    ration_error *error)
{
    const rn_check *c = t->c;
    const rn_serving_workload *w = &c->s->workload[index];
    double capacity = 0.0;
    double cost = 0.0;
    const int32_t first = t->next;
    for (; t->next < c->replicas && c->replica[t->next].workload == index; t->next++) {
        const rn_check_replica *r = &c->replica[t->next];
        capacity += r->rate_per_s;
        cost += node_of(c, r->seat[0].machine)->price_per_gpu_hour * r->tp * r->pp * r->share +
                r->power_w / 1000.0 * c->s->pue * c->s->kwh_price + r->latency_penalty +
                r->quality_penalty;
    }
    const int32_t count = t->next - first;
    RATION_TRY(rn_check_word(node, "model", c->s->model[w->model].name, error));
    RATION_TRY(rn_check_same(node, "rate_per_s", w->rate_per_s, error));
    RATION_TRY(rn_check_same(node, "capacity_per_s", capacity, error));
    RATION_TRY(rn_check_same(node, "cost_per_hour", cost, error));
    RATION_TRY(check_length(node, "input_tokens", &w->input, error));
    RATION_TRY(check_length(node, "output_tokens", &w->output, error));
    if (w->max_replicas > 0 && count > w->max_replicas) {
        return rn_check_fail(node, error, "%d replicas, at most %d are allowed", count,
                             w->max_replicas);
    }
    if (!c->served[index]) {
        t->other += w->served.hard ? 0.0 : w->served.penalty;
        const bool must = c->s->objective == RN_SERVING_LEAST_COST && w->served.hard;
        return c->kept && must ? rn_check_fail(node, error, "it is not served") : RATION_OK;
    }
    if (capacity < w->rate_per_s * (1.0 - 1e-5)) {
        return rn_check_fail(node, error, "called served with %.9g of %.9g requests/s", capacity,
                             w->rate_per_s);
    }
    t->requests_per_hour += 3600.0 * w->rate_per_s;
    return check_spread(t, index, node, first, error);
}

static ration_status check_money(const sums *t, ration_error *error)
{
    const rn_serving_scenario *s = t->c->s;
    const ration_node *cost = NULL;
    const ration_node *by = NULL;
    const ration_node *each = NULL;
    double kwh = 0.0;
    for (int32_t m = 0; m < s->machines; m++) {
        kwh += t->average[m] / 1000.0 * s->pue;
    }
    const double energy = kwh * s->kwh_price;
    const double total = t->rent + energy + t->latency + t->redundancy + t->other;
    assert(t->rent >= 0.0 && energy >= 0.0 && t->redundancy >= 0.0);
    RATION_TRY(ration_node_need(t->c->plan, "cost", &cost, error));
    RATION_TRY(ration_node_need(cost, "by_dimension", &by, error));
    RATION_TRY(rn_check_word(cost, "currency", s->currency, error));
    RATION_TRY(rn_check_same(by, "money", t->rent, error));
    RATION_TRY(rn_check_same(by, "energy", energy, error));
    RATION_TRY(rn_check_same(by, "latency", t->latency, error));
    RATION_TRY(rn_check_same(by, "redundancy", t->redundancy, error));
    RATION_TRY(rn_check_same(by, "other", t->other, error));
    RATION_TRY(rn_check_same(cost, "energy_kwh_per_hour", kwh, error));
    RATION_TRY(rn_check_same(cost, "per_hour", total, error));
    RATION_TRY(ration_node_need(cost, "per_1000", &each, error));
    if (t->requests_per_hour > 0.0) {
        return rn_check_same(cost, "per_1000", 1000.0 * total / t->requests_per_hour, error);
    }
    return ration_node_kind(each) == RATION_KIND_NULL
               ? RATION_OK
               : rn_check_fail(each, error, "nothing is served, expected null");
}

ration_status rn_check_sums(rn_check *c, ration_error *error)
{
    const ration_node *workloads = ration_node_find(c->plan, "workloads");
    sums t;
    RATION_TRY(sums_make(&t, c, error));
    add_replicas(&t);
    RATION_TRY(check_gpus(&t, error));
    RATION_TRY(check_links(&t, error));
    RATION_TRY(check_power(&t, error));
    for (int32_t w = 0; w < c->s->workloads; w++) {
        RATION_TRY(check_workload(&t, w, ration_node_at(workloads, w), error));
    }
    assert(t.next == c->replicas); /* they are listed by workload */
    return check_money(&t, error);
}
