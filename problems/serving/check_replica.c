/* One replica of a plan, checked again: its GPUs, its memory, its speed. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perf/memory.h"
#include "perf/power.h"
#include "serving/check.h"
#include "serving/read.h"

/* ---- where it runs ---- */

static ration_status read_seat(const rn_check *c, const ration_node *node, rn_check_seat *seat,
                               ration_error *error)
{
    const ration_node *gpus = NULL;
    const char *name = NULL;
    int64_t number = 0;
    RATION_TRY(rn_check_text(node, "node", &name, error));
    seat->machine = -1;
    for (int32_t m = 0; m < c->s->machines; m++) {
        seat->machine = strcmp(c->s->machine[m].name, name) == 0 ? m : seat->machine;
    }
    if (seat->machine < 0) {
        return rn_check_fail(node, error, "the scenario has no node \"%s\"", name);
    }
    RATION_TRY(ration_node_need(node, "gpus", &gpus, error));
    RATION_TRY(ration_node_list(gpus, 1, RN_SERVING_NODE_GPUS_MAX, error));
    seat->gpus = ration_node_count(gpus);
    const int32_t most = c->s->node[c->s->machine[seat->machine].node].gpus;
    for (int32_t i = 0; i < seat->gpus; i++) {
        RATION_TRY(ration_node_integer(ration_node_at(gpus, i), 0, INT32_MAX, &number, error));
        seat->first = i == 0 ? (int32_t)number : seat->first;
        if (number != seat->first + i || number >= most) {
            return rn_check_fail(ration_node_at(gpus, i), error,
                                 "GPU %d, expected %d of the %d of this node", (int)number,
                                 seat->first + i, most);
        }
    }
    return RATION_OK;
}

/* The island that holds the seat: its first GPU, or -1. */
static int32_t island_of(const rn_check *c, const rn_check_seat *seat, int32_t *size)
{
    const rn_serving_node *node = &c->s->node[c->s->machine[seat->machine].node];
    int32_t start = 0;
    for (int32_t i = 0; i < node->islands; i++) {
        if (seat->first >= start && seat->first + seat->gpus <= start + node->island[i]) {
            *size = node->island[i];
            return start;
        }
        start += node->island[i];
    }
    return -1;
}

bool rn_check_linked(const rn_check *c, const rn_check_replica *r)
{
    int32_t size = 0;
    for (int32_t k = 0; k < r->seats; k++) {
        if (island_of(c, &r->seat[k], &size) < 0) {
            return false;
        }
    }
    return true;
}

static ration_status check_set(const rn_check *c, const rn_check_replica *r, ration_error *error)
{
    const rn_check_seat *head = &r->seat[0];
    const int32_t entry = c->s->machine[head->machine].node;
    const rn_serving_node *node = &c->s->node[entry];
    int32_t size = 0;
    const int32_t start = island_of(c, head, &size);
    if (r->seats * head->gpus != r->tp * r->pp || head->gpus % r->tp != 0) {
        return rn_check_fail(r->node, error, "%d x %d GPUs for a layout of %d x %d", r->seats,
                             head->gpus, r->tp, r->pp);
    }
    for (int32_t k = 1; k < r->seats; k++) {
        const rn_check_seat *seat = &r->seat[k];
        if (seat->machine != head->machine + k || c->s->machine[seat->machine].node != entry ||
            seat->gpus != head->gpus || seat->first != 0 || seat->gpus != node->gpus) {
            return rn_check_fail(r->node, error,
                                 "the nodes are not whole or do not follow each other");
        }
    }
    if (r->seats > 1 && !(node->infiniband_bytes_per_s > 0.0)) {
        return rn_check_fail(r->node, error, "the nodes have no network between them");
    }
    if ((head->first - (start < 0 ? 0 : start)) % head->gpus != 0) {
        return rn_check_fail(r->node, error, "the set of %d GPUs from %d on is not aligned",
                             head->gpus, head->first);
    }
    return RATION_OK;
}

/* The word of a map among words[count] as read by name(index). */
static ration_status read_kind(const ration_node *map, const char *key, int32_t count, bool is_kv,
                               int32_t *index, ration_error *error)
{
    const char *words[RN_PERF_WEIGHTS_COUNT];
    const ration_node *value = NULL;
    for (int32_t i = 0; i < count; i++) {
        words[i] =
            is_kv ? rn_serving_kv_name((rn_perf_kv)i) : rn_serving_weights_name((rn_perf_weights)i);
    }
    RATION_TRY(ration_node_need(map, key, &value, error));
    return ration_node_word(value, words, count, index, error);
}

static ration_status read_mode(const rn_check *c, const ration_node *node, rn_check_replica *r,
                               ration_error *error)
{
    const ration_node *mode = NULL;
    const ration_node *flash = NULL;
    int32_t weights = 0;
    int32_t kv = 0;
    RATION_TRY(ration_node_need(node, "mode", &mode, error));
    RATION_TRY(rn_check_text(mode, "name", &r->mode_name, error));
    RATION_TRY(rn_check_count(mode, "tp", 1, 1024, &r->tp, error));
    RATION_TRY(rn_check_count(mode, "pp", 1, 1024, &r->pp, error));
    RATION_TRY(rn_check_count(mode, "batch_size", 1, RN_PERF_BATCH_MAX, &r->batch, error));
    RATION_TRY(read_kind(mode, "precision", RN_PERF_WEIGHTS_COUNT, false, &weights, error));
    RATION_TRY(read_kind(mode, "kv_cache", RN_PERF_KV_COUNT, true, &kv, error));
    RATION_TRY(ration_node_need(mode, "flash_attention", &flash, error));
    RATION_TRY(ration_node_bool(flash, &r->flash, error));
    RATION_TRY(rn_check_number(mode, "gpu_share", &r->share, error));
    r->weights = (rn_perf_weights)weights;
    r->kv = (rn_perf_kv)kv;
    const rn_serving_node *where = &c->s->node[c->s->machine[r->seat[0].machine].node];
    return rn_check_word(mode, "gpu", c->s->gpu[where->gpu].name, error);
}

ration_status rn_check_replica_read(rn_check *c, const ration_node *node, rn_check_replica *r,
                                    ration_error *error)
{
    const ration_node *seats = NULL;
    rn_check_seat head;
    r->node = node;
    RATION_TRY(rn_check_text(node, "name", &r->name, error));
    RATION_TRY(ration_node_need(node, "seats", &seats, error));
    RATION_TRY(ration_node_list(seats, 1, RN_SERVING_GPUS_MAX, error));
    r->seats = ration_node_count(seats);
    RATION_TRY(rn_arena_take(&c->arena, r->seats, sizeof *r->seat, &r->seat, error));
    for (int32_t k = 0; k < r->seats; k++) {
        RATION_TRY(read_seat(c, ration_node_at(seats, k), &r->seat[k], error));
    }
    RATION_TRY(read_seat(c, node, &head, error));
    if (memcmp(&head, &r->seat[0], sizeof head) != 0) {
        return rn_check_fail(node, error, "node and gpus are not those of seats[0]");
    }
    RATION_TRY(read_mode(c, node, r, error));
    return check_set(c, r, error);
}

/* ---- what it is and does ---- */

static rn_perf_case case_of(const rn_check *c, const rn_check_replica *r)
{
    const rn_serving_node *node = &c->s->node[c->s->machine[r->seat[0].machine].node];
    const rn_serving_workload *w = &c->s->workload[r->workload];
    rn_perf_case made;
    made.shape = c->s->model[w->model].shape;
    made.gpu = c->s->gpu[node->gpu].perf;
    made.engine = c->s->engine;
    made.fit = rn_perf_fit_default();
    made.config = rn_perf_config_default(r->weights);
    made.config.kv = r->kv;
    made.config.flash = r->flash ? 1 : 0;
    made.config.tp = r->tp;
    made.config.pp = r->pp;
    made.config.memory_fraction = 0.85;
    made.config.tp_link = rn_check_linked(c, r)
                              ? rn_perf_link_make(RN_PERF_NVLINK, made.gpu.link_bytes_per_s)
                              : rn_perf_link_make(RN_PERF_PCIE, node->pcie_bytes_per_s);
    made.config.pp_link = made.config.tp_link;
    if (r->seats > 1) {
        made.config.pp_link = rn_perf_link_make(RN_PERF_NETWORK, node->infiniband_bytes_per_s);
    }
    return made;
}

/* What the workload allows. */
static ration_status check_rules(const rn_check *c, const rn_check_replica *r,
                                 const rn_perf_case *perf, ration_error *error)
{
    const rn_serving_workload *w = &c->s->workload[r->workload];
    const int32_t entry = c->s->machine[r->seat[0].machine].node;
    int32_t log = 0;
    bool share = false;
    while (log < 30 && (1 << log) < r->tp) {
        log++;
    }
    for (int32_t i = 0; i < w->shares; i++) {
        share = share || fabs(r->share - w->share[i] / 100.0) < 1e-9;
    }
    const char *what = NULL;
    what = !w->node_allowed[entry] ? "node" : what;
    what = !w->precision[r->weights] ? "precision" : what;
    what = !w->kv[r->kv] ? "kv_cache" : what;
    what = !w->flash[r->flash ? 1 : 0] ? "flash_attention" : what;
    what = (1 << log) != r->tp || (w->tp_mask >> log & 1U) == 0 ? "tp" : what;
    what = r->pp > w->max_pp ? "pp" : what;
    what = r->batch > w->max_batch ? "batch_size" : what;
    what = !share || (r->share < 1.0 && r->tp * r->pp > 1) ? "gpu_share" : what;
    if (what != NULL) {
        return rn_check_fail(r->node, error, "%s is not allowed by the workload %s", what, w->name);
    }
    const rn_perf_status status = rn_perf_case_check(perf);
    return status == RN_PERF_OK
               ? RATION_OK
               : rn_check_fail(r->node, error, "it can't run: %s", rn_perf_status_text(status));
}

static ration_status check_memory(const rn_check *c, rn_check_replica *r, const rn_perf_case *perf,
                                  ration_error *error)
{
    const rn_serving_workload *w = &c->s->workload[r->workload];
    const ration_node *map = NULL;
    const double most = w->input.most + w->output.most;
    const double weights = rn_perf_weights_per_gpu(&perf->shape, r->weights, r->tp, r->pp);
    const double longest = rn_perf_kv_sequence(perf, most);
    const double kv =
        fmax(r->batch * rn_perf_kv_sequence(perf, w->input.mean + w->output.mean), longest);
    const double work = rn_perf_activation(perf, r->batch) + rn_perf_scores(perf, w->input.most);
    const double reserve = rn_perf_reserve_default();
    int32_t context = 0;
    RATION_TRY(ration_node_need(r->node, "memory", &map, error));
    RATION_TRY(rn_check_same(map, "weights_gib", weights / RN_CHECK_GIB, error));
    RATION_TRY(rn_check_same(map, "kv_gib", kv / RN_CHECK_GIB, error));
    RATION_TRY(rn_check_same(map, "work_gib", work / RN_CHECK_GIB, error));
    RATION_TRY(rn_check_same(map, "reserve_gib", reserve / RN_CHECK_GIB, error));
    RATION_TRY(
        rn_check_same(map, "total_gib", (weights + kv + work + reserve) / RN_CHECK_GIB, error));
    RATION_TRY(
        rn_check_count(r->node, "max_context_tokens", 1, RN_PERF_TOKENS_MAX, &context, error));
    if (context < most || rn_perf_kv_sequence(perf, context) > kv * (1.0 + 1e-9)) {
        return rn_check_fail(r->node, error,
                             "max_context_tokens is %d; the longest request has %.15g, and the KV "
                             "cache must hold it",
                             context, most);
    }
    r->total_gib = (weights + kv + work + reserve) / RN_CHECK_GIB;
    return RATION_OK;
}

/* Times in ms without margin: ttft, ttft_p95, tpot, e2e_p95. */
enum { TIMES = 4 };
static const char *const TIME_KEYS[TIMES] = {"ttft_ms", "ttft_p95_ms", "tpot_ms", "e2e_p95_ms"};

static void times_of(const rn_serving_workload *w, const rn_perf_serving *s, rn_perf_margin margin,
                     double *ms)
{
    ms[0] = 1e3 * s->ttft_s * margin.ttft;
    ms[1] = 1e3 * s->ttft_p95_s * margin.ttft;
    ms[2] = 1e3 * s->tpot_s * margin.tpot;
    ms[3] = ms[1] + (fmax(w->output.p95, w->output.mean) - 1.0) * ms[2];
}

static ration_status check_between(const ration_node *map, const char *key, double low, double high,
                                   ration_error *error)
{
    double value = 0.0;
    RATION_TRY(rn_check_number(map, key, &value, error));
    if (value < low * (1.0 - 1e-6) - 1e-5 || value > high * (1.0 + 1e-6) + 1e-5) {
        return rn_check_fail(ration_node_find(map, key), error, "%.9g, the model says %.9g", value,
                             low);
    }
    return RATION_OK;
}

/* Times grow with the rate, which plan.json rounds: what the plan says must lie between those of
 * the rate a little lower and a little higher. */
static ration_status check_times(const rn_serving_workload *w, const rn_check_replica *r,
                                 const rn_perf_case *perf, const rn_perf_load *load,
                                 ration_error *error)
{
    const rn_perf_margin none = {1.0, 1.0};
    const ration_node *map = NULL;
    double low[TIMES];
    double high[TIMES];
    const rn_perf_serving less =
        rn_perf_open(perf, load, r->rate_per_s * (1.0 - 1e-6), r->batch, r->share);
    const rn_perf_serving more =
        rn_perf_open(perf, load, r->rate_per_s * (1.0 + 1e-6), r->batch, r->share);
    if (less.status != RN_PERF_OK || more.status != RN_PERF_OK) {
        return rn_check_fail(r->node, error, "%.6g requests/s: %s", r->rate_per_s,
                             rn_perf_status_text(more.status));
    }
    RATION_TRY(ration_node_need(r->node, "latency", &map, error));
    times_of(w, &less, none, low);
    times_of(w, &more, none, high);
    RATION_TRY(check_between(map, "batch_mean", less.batch, more.batch, error));
    for (int32_t t = 0; t < TIMES; t++) {
        RATION_TRY(check_between(map, TIME_KEYS[t], low[t], high[t], error));
    }
    return RATION_OK;
}

static const rn_serving_limit *limit_of(const rn_serving_workload *w, int32_t time)
{
    const rn_serving_limit *const limits[TIMES] = {&w->ttft_ms, &w->ttft_p95_ms, &w->tpot_ms,
                                                   &w->e2e_p95_ms};
    return limits[time];
}

/* Limits on times, with the margin; adds up the penalty of soft ones. */
static ration_status check_latency(const rn_check *c, rn_check_replica *r, const rn_perf_case *perf,
                                   const rn_perf_serving *now, ration_error *error)
{
    const rn_serving_workload *w = &c->s->workload[r->workload];
    const rn_perf_margin given = {c->s->margin, c->s->margin};
    const rn_perf_margin margin = c->s->margin > 0.0 ? given : rn_perf_margin_of(perf);
    const double part = fmin(1.0, r->rate_per_s / w->rate_per_s);
    const ration_node *map = ration_node_find(r->node, "latency");
    double ms[TIMES];
    RATION_TRY(rn_check_same(map, "margin_ttft", margin.ttft, error));
    RATION_TRY(rn_check_same(map, "margin_tpot", margin.tpot, error));
    times_of(w, now, margin, ms);
    r->latency_penalty = 0.0;
    for (int32_t t = 0; t < TIMES; t++) {
        const rn_serving_limit *limit = limit_of(w, t);
        const double over = limit->given ? ms[t] - limit->value : 0.0;
        if (limit->given && limit->hard && over > 1e-4 * limit->value) {
            return rn_check_fail(ration_node_find(map, TIME_KEYS[t]), error,
                                 "%.6g ms with its margin, the limit is %.6g", ms[t], limit->value);
        }
        r->latency_penalty += over > 0.0 && !limit->hard ? part * limit->penalty * over : 0.0;
    }
    double said = 0.0;
    RATION_TRY(rn_check_number(r->node, "latency_penalty_per_hour", &said, error));
    if (fabs(said - r->latency_penalty) > 1e-5 + 1e-3 * r->latency_penalty) {
        return rn_check_same(r->node, "latency_penalty_per_hour", r->latency_penalty, error);
    }
    r->latency_penalty = said;
    return RATION_OK;
}

static ration_status check_quality(const rn_check *c, rn_check_replica *r, ration_error *error)
{
    const rn_serving_workload *w = &c->s->workload[r->workload];
    const double quality = w->quality_of[r->weights];
    const double part = fmin(1.0, r->rate_per_s / w->rate_per_s);
    r->quality_penalty = 0.0;
    if (w->quality_metric != NULL) {
        if (isnan(quality) || (w->quality.given && w->quality.hard && quality < w->quality.value)) {
            return rn_check_fail(r->node, error, "its precision misses the quality of %s", w->name);
        }
        RATION_TRY(rn_check_same(r->node, "quality", quality, error));
        if (w->quality.given && !w->quality.hard) {
            r->quality_penalty =
                part * w->quality.penalty * 100.0 * fmax(0.0, w->quality.value - quality);
        }
    }
    return rn_check_same(r->node, "quality_penalty_per_hour", r->quality_penalty, error);
}

/* All-reduces of a stage's layers, two a layer of 2 h bytes a token, each GPU sending 2 (tp - 1) /
 * tp of them; a hand-over of 2 h bytes a token between stages. */
static ration_status check_links(const rn_check *c, rn_check_replica *r, const rn_perf_case *perf,
                                 ration_error *error)
{
    const rn_serving_workload *w = &c->s->workload[r->workload];
    const double tokens = r->rate_per_s * (w->input.mean + w->output.mean);
    const double hidden = 2.0 * perf->shape.hidden;
    const int32_t inside = r->pp / r->seats; /* stages on each machine */
    const double layers = ceil((double)perf->shape.layers / r->pp);
    assert(r->seats >= 1 && r->pp % r->seats == 0 && inside >= 1);
    const double reduce = layers * 2.0 * (2.0 * (r->tp - 1) / r->tp * hidden) * r->tp * inside;
    const double pcie = rn_check_linked(c, r) ? 0.0 : (reduce + hidden * (inside - 1)) * tokens;
    const double network = r->seats > 1 ? hidden * tokens : 0.0;
    RATION_TRY(rn_check_same(r->node, "pcie_gb_per_s", pcie / 1e9, error));
    RATION_TRY(rn_check_same(r->node, "network_gb_per_s", network / 1e9, error));
    r->pcie_gb_per_s = pcie / 1e9;
    r->network_gb_per_s = network / 1e9;
    return RATION_OK;
}

static ration_status check_origin(const rn_serving_workload *w, const rn_check_replica *r,
                                  const rn_perf_serving *now, const rn_perf_power *power,
                                  ration_error *error)
{
    const ration_node *map = NULL;
    const rn_perf_origin memory = r->flash ? RN_PERF_FROM_SHAPE : RN_PERF_FROM_ASSUMED;
    RATION_TRY(ration_node_need(r->node, "origin", &map, error));
    RATION_TRY(rn_check_word(map, "memory", rn_perf_origin_text(memory), error));
    RATION_TRY(rn_check_word(map, "latency", rn_perf_origin_text(now->origin), error));
    RATION_TRY(rn_check_word(map, "power", rn_perf_origin_text(power->origin), error));
    return w->quality_metric == NULL ? RATION_OK : rn_check_word(map, "quality", "user", error);
}

ration_status rn_check_replica_figures(const rn_check *c, rn_check_replica *r, ration_error *error)
{
    const rn_serving_workload *w = &c->s->workload[r->workload];
    const rn_perf_load load = {w->input.mean, w->output.mean, w->input.p95, w->output.p95,
                               w->work_cv2};
    const rn_perf_case perf = case_of(c, r);
    RATION_TRY(rn_check_number(r->node, "rate_per_s", &r->rate_per_s, error));
    if (!(r->rate_per_s > 0.0)) {
        return rn_check_fail(r->node, error, "its rate is not positive");
    }
    RATION_TRY(check_rules(c, r, &perf, error));
    RATION_TRY(check_memory(c, r, &perf, error));
    RATION_TRY(check_times(w, r, &perf, &load, error));
    const rn_perf_serving now = rn_perf_open(&perf, &load, r->rate_per_s, r->batch, r->share);
    const rn_perf_power power = rn_perf_power_of(&perf, &now);
    RATION_TRY(check_latency(c, r, &perf, &now, error));
    RATION_TRY(check_quality(c, r, error));
    r->power_w = power.average_w * r->tp * r->pp * r->share;
    RATION_TRY(rn_check_same(r->node, "power_w", r->power_w, error));
    RATION_TRY(check_origin(w, r, &now, &power, error));
    return check_links(c, r, &perf, error);
}
