/* What an option costs and how fast it is: the performance model at the option's operating rate,
 * limits with their margin, links, money. */
#include "serving/price.h"

#include <assert.h>
#include <math.h>

double rn_serving_usable_part(int32_t tenants)
{
    assert(tenants >= 1);
    return 1.0 - (0.15 + 0.02 * log((double)tenants));
}

bool rn_serving_coarse(const rn_serving_scenario *s)
{
    return s->gpu_total > 32;
}

double rn_serving_usable(const rn_serving_scenario *s, int32_t node, int32_t share)
{
    const double memory = s->gpu[s->node[node].gpu].perf.memory_bytes;
    assert(memory > 0.0 && share > 0 && share <= 100);
    if (share == 100) {
        return memory * rn_serving_usable_part(1);
    }
    return rn_serving_coarse(s) ? memory * rn_serving_usable_part(4) * share / 100.0
                                : memory * rn_serving_usable_part(2);
}

rn_perf_case rn_serving_case(const rn_serving_scenario *s, const rn_serving_workload *w,
                             const rn_serving_class *set, const rn_serving_option *option)
{
    const rn_serving_node *node = &s->node[set->node];
    rn_perf_case c;
    c.shape = s->model[w->model].shape;
    c.gpu = s->gpu[node->gpu].perf;
    c.engine = s->engine;
    c.fit = rn_perf_fit_default();
    c.config = rn_perf_config_default(option->weights);
    c.config.kv = option->kv;
    c.config.flash = option->flash ? 1 : 0;
    c.config.tp = option->tp;
    c.config.pp = option->pp;
    c.config.tp_link = set->tier == RN_PERF_NVLINK
                           ? rn_perf_link_make(RN_PERF_NVLINK, c.gpu.link_bytes_per_s)
                           : rn_perf_link_make(RN_PERF_PCIE, node->pcie_bytes_per_s);
    c.config.pp_link = set->cross ? rn_perf_link_make(RN_PERF_NETWORK, node->infiniband_bytes_per_s)
                                  : c.config.tp_link;
    c.config.memory_fraction = rn_serving_usable_part(1);
    assert(c.gpu.memory_bytes > 0.0 && c.config.tp >= 1 && c.config.pp >= 1);
    return c;
}

void rn_serving_times(const rn_serving_workload *w, const rn_perf_serving *serving,
                      rn_perf_margin margin, double *time_ms)
{
    const double last = fmax(w->output.p95, w->output.mean) - 1.0;
    assert(last >= 0.0 && margin.ttft > 0.0 && margin.tpot > 0.0);
    time_ms[0] = 1e3 * serving->ttft_s * margin.ttft;
    time_ms[1] = 1e3 * serving->ttft_p95_s * margin.ttft;
    time_ms[2] = 1e3 * serving->tpot_s * margin.tpot;
    time_ms[3] = time_ms[1] + last * time_ms[2];
}

const rn_serving_limit *rn_serving_time_limit(const rn_serving_workload *w, int32_t time)
{
    switch (time) {
    case 0:
        return &w->ttft_ms;
    case 1:
        return &w->ttft_p95_ms;
    case 2:
        return &w->tpot_ms;
    default:
        return &w->e2e_p95_ms;
    }
}

static rn_perf_load load_of(const rn_serving_workload *w)
{
    const rn_perf_load l = {w->input.mean, w->output.mean, w->input.p95, w->output.p95,
                            w->work_cv2};
    return l;
}

static rn_perf_margin margin_of(const rn_serving_scenario *s, const rn_perf_case *perf)
{
    const rn_perf_margin given = {s->margin, s->margin};
    return s->margin > 0.0 ? given : rn_perf_margin_of(perf);
}

/* Links: bytes/s of a rate. Each GPU of a PCIe set sends its part of every all-reduce; a hand-over
 * between machines crosses their uplinks once. */
static void fill_links(const rn_serving_workload *w, const rn_serving_class *set,
                       const rn_perf_case *perf, rn_serving_option *o)
{
    assert(o->tp * o->pp == set->gpus && o->pp % set->span == 0);
    const rn_perf_traffic t = rn_perf_traffic_of(&perf->shape, o->tp, o->pp);
    const double tokens = o->rate_per_s * (w->input.mean + w->output.mean);
    const double inside = t.tp_bytes_per_token * o->tp * (o->pp / set->span) +
                          t.pp_bytes_per_token * (o->pp / set->span - 1);
    o->pcie_bytes_per_s = set->tier == RN_PERF_PCIE ? inside * tokens : 0.0;
    o->network_bytes_per_s = set->cross ? t.pp_bytes_per_token * tokens : 0.0;
}

static bool links_fit(const rn_serving_node *node, const rn_serving_option *o)
{
    return o->pcie_bytes_per_s <= RN_SERVING_LINK_PART * node->pcie_bytes_per_s * node->gpus &&
           o->network_bytes_per_s <= RN_SERVING_LINK_PART * node->infiniband_bytes_per_s;
}

static bool within_limits(const rn_serving_workload *w, const rn_perf_serving *serving,
                          rn_perf_margin margin)
{
    double time_ms[RN_SERVING_TIMES];
    rn_serving_times(w, serving, margin, time_ms);
    for (int32_t t = 0; t < RN_SERVING_TIMES; t++) {
        const rn_serving_limit *limit = rn_serving_time_limit(w, t);
        if (limit->given && limit->hard && time_ms[t] > limit->value) {
            return false;
        }
    }
    return true;
}

/* Up to 0.98 of the capacity: beyond that the queue of the model has no meaning. */
int32_t rn_serving_highest_rate(const rn_serving_scenario *s, const rn_serving_workload *w,
                                const rn_serving_class *set, const rn_perf_case *perf,
                                rn_serving_option *option, double *least_time_ms)
{
    double time_ms[RN_SERVING_TIMES];
    const rn_perf_load load = load_of(w);
    const rn_perf_margin margin = margin_of(s, perf);
    const double share = option->share / 100.0;
    rn_perf_serving serving = rn_perf_open(perf, &load, 1e-9, option->batch, share);
    if (serving.status != RN_PERF_OK) {
        return (int32_t)serving.status;
    }
    rn_serving_times(w, &serving, margin, time_ms);
    for (int32_t t = 0; t < RN_SERVING_TIMES; t++) {
        least_time_ms[t] = fmin(least_time_ms[t], time_ms[t]);
    }
    if (!within_limits(w, &serving, margin)) {
        return RN_SERVING_DROP_LATENCY;
    }
    double low = 0.0;
    double high = fmin(w->rate_per_s, 0.98 * share * serving.capacity_requests_per_s);
    serving = rn_perf_open(perf, &load, high, option->batch, share);
    low = serving.status == RN_PERF_OK && within_limits(w, &serving, margin) ? high : 0.0;
    for (int32_t round = 0; round < 16 && low < high; round++) {
        const double middle = 0.5 * (low + high);
        serving = rn_perf_open(perf, &load, middle, option->batch, share);
        if (serving.status == RN_PERF_OK && within_limits(w, &serving, margin)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    assert(low >= 0.0 && low <= w->rate_per_s);
    option->rate_per_s = low;
    if (!(low > w->rate_per_s * 1e-3)) {
        return RN_SERVING_DROP_LATENCY;
    }
    fill_links(w, set, perf, option);
    return links_fit(&s->node[set->node], option) ? -1 : RN_SERVING_DROP_LINK_ROOM;
}

bool rn_serving_price(const rn_serving_scenario *s, const rn_serving_workload *w,
                      const rn_serving_class *set, const rn_perf_case *perf,
                      rn_serving_option *option)
{
    const rn_perf_load load = load_of(w);
    const double share = option->share / 100.0;
    double time_ms[RN_SERVING_TIMES];
    option->serving = rn_perf_open(perf, &load, option->rate_per_s, option->batch, share);
    option->power = rn_perf_power_of(perf, &option->serving);
    if (option->serving.status != RN_PERF_OK || option->power.status != RN_PERF_OK) {
        return false;
    }
    assert(option->share > 0 && option->share <= 100 && option->rate_per_s > 0.0);
    option->margin = margin_of(s, perf);
    fill_links(w, set, perf, option);
    option->rent = s->node[set->node].price_per_gpu_hour * set->gpus * share;
    option->energy_w = option->power.average_w * set->gpus * share;
    option->energy = rn_perf_energy_kwh(option->energy_w, 1.0, s->pue) * s->kwh_price;
    rn_serving_times(w, &option->serving, option->margin, time_ms);
    const double part = fmin(1.0, option->rate_per_s / w->rate_per_s);
    option->latency_penalty = 0.0;
    for (int32_t t = 0; t < RN_SERVING_TIMES; t++) {
        const rn_serving_limit *limit = rn_serving_time_limit(w, t);
        if (limit->given && !limit->hard) {
            option->latency_penalty += part * limit->penalty * fmax(0.0, time_ms[t] - limit->value);
        }
    }
    option->quality_penalty = 0.0;
    if (w->quality.given && !w->quality.hard && option->quality < w->quality.value) {
        option->quality_penalty =
            part * w->quality.penalty * 100.0 * (w->quality.value - option->quality);
    }
    return true;
}

double rn_serving_option_cost(const rn_serving_option *option)
{
    return option->rent + option->energy + option->latency_penalty + option->quality_penalty;
}
