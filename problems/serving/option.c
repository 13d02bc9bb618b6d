/* The options of a workload.
 *
 *   for every kind of GPU set, layout, precision, KV precision, attention, batch and share
 *     the highest rate within the hard latency limits, by bisection over the open-loop model
 *   for every kind of set and share, at each operating rate
 *     the cheapest configuration that reaches it;
 *     below a full share also the one with the least memory
 *
 * Everything else is counted by the reason why it is not offered.
 */
#include "serving/option.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "serving/price.h"
#include "serving/read.h"

/* CANDIDATES_MAX is what the loops below can make of one set and share, so that none is lost:
 * tensor parallel 2^0 to 2^6, each with one pipeline depth; every precision of weights and of
 * keys; batch limits 8, 16, ..., 2048 and the workload's own, which is at most 4096. */
enum {
    LAYOUTS = 7,
    BATCHES = 10,
    CANDIDATES_MAX = LAYOUTS * RN_PERF_WEIGHTS_COUNT * RN_PERF_KV_COUNT * BATCHES,
    SPLITS = 8,   /* replicas of equal rate, at most: as many as a machine has GPUs */
    QUARTERS = 4, /* of the highest rate, for what equal parts don't meet */
    LEVELS_MAX = SPLITS + QUARTERS,
    SHARES_MAX = 3
};

const char *rn_serving_drop_text(int32_t drop)
{
    switch (drop) {
    case RN_SERVING_DROP_QUALITY:
        return "quality below the minimum or not known at this precision";
    case RN_SERVING_DROP_LATENCY:
        return "a latency limit is missed at any rate";
    case RN_SERVING_DROP_CONTEXT:
        return "the longest request does not fit in the KV cache";
    case RN_SERVING_DROP_LINK_ROOM:
        return "a link would be above 70 % of its capacity";
    case RN_SERVING_DROP_DOMINATED:
        return "another option is at least as good in everything";
    default:
        return rn_perf_status_text((rn_perf_status)drop);
    }
}

/* A configuration of one kind of set, with its highest rate. */
typedef struct candidate {
    rn_serving_option option; /* rate_per_s: the highest */
    rn_perf_case perf;
    bool used;
} candidate;

/* One search for options of a workload. */
typedef struct finder {
    const rn_serving_scenario *s;
    const rn_serving_workload *w;
    const rn_serving_class *list; /* all kinds of sets */
    const rn_serving_class *set;  /* the present one, place_class of them */
    int32_t place_class;
    int32_t candidates;
    candidate *candidate; /* [CANDIDATES_MAX] of the present set and share */
    rn_serving_options *found;
    int32_t room;
} finder;

static void try_share(finder *f, const rn_serving_option *base, const rn_perf_case *perf,
                      int32_t share)
{
    assert(f->candidates < CANDIDATES_MAX);
    assert(share > 0 && share <= 100);
    candidate *c = &f->candidate[f->candidates];
    c->option = *base;
    c->option.share = share;
    c->perf = *perf;
    c->used = false;
    const double usable = rn_serving_usable(f->s, f->set->node, share);
    if (c->option.memory_bytes > usable) {
        f->found->dropped[RN_PERF_MEMORY]++;
        return;
    }
    const int32_t reason =
        rn_serving_highest_rate(f->s, f->w, f->set, perf, &c->option, f->found->least_time_ms);
    if (reason >= 0) {
        f->found->dropped[reason]++;
        return;
    }
    f->candidates++;
}

/* Memory of a configuration; the reason for dropping it, or -1. */
static int32_t fill_memory(finder *f, const rn_perf_case *perf, rn_serving_option *o)
{
    const rn_serving_workload *w = f->w;
    const double tokens = w->input.mean + w->output.mean;
    const rn_perf_memory m = rn_perf_memory_of(perf, o->batch, tokens, w->input.mean);
    if (m.status != RN_PERF_OK && m.status != RN_PERF_MEMORY) {
        return (int32_t)m.status;
    }
    const double longest = rn_perf_kv_sequence(perf, w->input.most + w->output.most);
    o->weights_bytes = m.weights_bytes;
    o->kv_bytes = fmax(m.kv_bytes, longest);
    o->work_bytes = m.activation_bytes + rn_perf_scores(perf, w->input.most);
    o->reserve_bytes = m.reserve_bytes;
    o->memory_bytes = o->weights_bytes + o->kv_bytes + o->work_bytes + o->reserve_bytes;
    o->max_context_tokens = rn_perf_max_context(perf, o->kv_bytes);
    assert(o->kv_bytes > 0.0 && o->max_context_tokens >= 1);
    o->memory_origin = m.origin;
    const bool alone =
        o->memory_bytes - o->kv_bytes + rn_perf_kv_sequence(perf, tokens) <= m.usable_bytes;
    if (o->memory_bytes > m.usable_bytes) {
        return m.kv_bytes < longest && alone ? RN_SERVING_DROP_CONTEXT : (int32_t)RN_PERF_MEMORY;
    }
    return -1;
}

static void try_config(finder *f, rn_serving_option *o, int32_t share)
{
    const rn_perf_case perf = rn_serving_case(f->s, f->w, f->set, o);
    const rn_perf_status status = rn_perf_case_check(&perf);
    if (status != RN_PERF_OK) {
        f->found->dropped[status]++;
        return;
    }
    o->quality = f->w->quality_of[o->weights];
    assert(o->tp * o->pp == f->set->gpus && o->batch >= 1);
    const bool unknown = f->w->quality_metric != NULL && isnan(o->quality);
    const bool low = f->w->quality.given && f->w->quality.hard && o->quality < f->w->quality.value;
    if (unknown || low) {
        f->found->dropped[RN_SERVING_DROP_QUALITY]++;
        return;
    }
    const int32_t reason = fill_memory(f, &perf, o);
    if (reason >= 0) {
        f->found->dropped[reason]++;
        return;
    }
    try_share(f, o, &perf, share);
}

/* Batch limits that are tried: powers of two from 8, and the workload's own. */
static void try_batches(finder *f, rn_serving_option *o, int32_t share)
{
    assert(f->w->max_batch >= 1 && f->w->max_batch <= 4096);
    for (int32_t batch = 8; batch < f->w->max_batch; batch *= 2) {
        o->batch = batch;
        try_config(f, o, share);
    }
    o->batch = f->w->max_batch;
    try_config(f, o, share);
}

/* Unfused attention is tried only where fused attention is not allowed, and 8-bit integer keys only
 * where 8-bit floats don't work: they take at least as much time and memory. */
static void try_attention(finder *f, rn_serving_option *o, int32_t share)
{
    const rn_perf_gpu *gpu = &f->s->gpu[f->s->node[f->set->node].gpu].perf;
    const bool fp8 =
        f->w->kv[RN_PERF_KV_FP8] && rn_perf_kv_check(gpu, RN_PERF_KV_FP8) == RN_PERF_OK;
    o->flash = f->w->flash[1];
    f->found->dropped[RN_SERVING_DROP_DOMINATED] += f->w->flash[0] && f->w->flash[1] ? 1 : 0;
    for (int32_t kv = 0; kv < RN_PERF_KV_COUNT; kv++) {
        if (!f->w->kv[kv]) {
            continue;
        }
        if (kv == RN_PERF_KV_INT8 && fp8) {
            f->found->dropped[RN_SERVING_DROP_DOMINATED]++;
            continue;
        }
        o->kv = (rn_perf_kv)kv;
        try_batches(f, o, share);
    }
}

static bool precision_tried(const finder *f, int32_t weights)
{
    const rn_perf_gpu *gpu = &f->s->gpu[f->s->node[f->set->node].gpu].perf;
    const bool both = f->w->precision[RN_PERF_W_BF16] && gpu->bf16_flops > 0.0;
    return f->w->precision[weights] &&
           !(weights == RN_PERF_W_FP16 && both && gpu->fp16_flops <= gpu->bf16_flops);
}

/* All candidates of the present set at one share. */
static void try_layouts(finder *f, int32_t share)
{
    f->candidates = 0;
    for (int32_t log = 0; log < LAYOUTS; log++) {
        const int32_t tp = 1 << log;
        const int32_t pp = f->set->gpus / tp;
        const bool fits =
            tp * pp == f->set->gpus && pp % f->set->span == 0 && tp <= f->set->gpus / f->set->span;
        if ((f->w->tp_mask >> log & 1U) == 0 || !fits || pp > f->w->max_pp) {
            continue;
        }
        for (int32_t weights = 0; weights < RN_PERF_WEIGHTS_COUNT; weights++) {
            if (!precision_tried(f, weights)) {
                continue;
            }
            rn_serving_option o;
            memset(&o, 0, sizeof o);
            o.place_class = f->place_class;
            o.tp = tp;
            o.pp = pp;
            o.weights = (rn_perf_weights)weights;
            try_attention(f, &o, share);
        }
    }
}

static int compare_rates(const void *a, const void *b)
{
    double x = 0.0;
    double y = 0.0;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x < y) - (x > y);
}

/* Operating rates, highest first: quarters of the highest useful rate, and the workload's rate in
 * up to SPLITS equal parts. */
static int32_t list_levels(const finder *f, double *level)
{
    double top = 0.0;
    for (int32_t i = 0; i < f->candidates; i++) {
        top = fmax(top, f->candidate[i].option.rate_per_s);
    }
    top = fmin(top, f->w->rate_per_s);
    int32_t levels = 0;
    for (int32_t k = 1; k <= SPLITS; k++) {
        if (f->w->rate_per_s / k <= top) {
            level[levels++] = f->w->rate_per_s / k;
        }
    }
    for (int32_t q = QUARTERS; q >= 1; q--) {
        level[levels++] = top * q / QUARTERS;
    }
    assert(levels <= LEVELS_MAX);
    qsort(level, (size_t)levels, sizeof *level, compare_rates);
    int32_t kept = 0;
    for (int32_t i = 0; i < levels; i++) {
        if (kept == 0 || level[i] < level[kept - 1] * (1.0 - 1e-9)) {
            level[kept++] = level[i];
        }
    }
    assert(kept >= 1 && level[0] <= f->w->rate_per_s);
    return kept;
}

/* Whether a beats b: by memory or by cost, then the other, then the smaller batch (the earlier
 * candidate). */
static bool better(const rn_serving_option *a, const rn_serving_option *b, bool by_memory)
{
    const double cost_a = rn_serving_option_cost(a);
    const double cost_b = rn_serving_option_cost(b);
    assert(a->rate_per_s == b->rate_per_s && cost_a >= 0.0 && cost_b >= 0.0);
    if (by_memory && a->memory_bytes != b->memory_bytes) {
        return a->memory_bytes < b->memory_bytes;
    }
    if (fabs(cost_a - cost_b) > 1e-9 * (1.0 + fabs(cost_b))) {
        return cost_a < cost_b;
    }
    return a->memory_bytes < b->memory_bytes;
}

static int32_t best_at(finder *f, double rate, bool by_memory, rn_serving_option *best)
{
    assert(rate > 0.0 && f->candidates > 0);
    int32_t at = -1;
    for (int32_t i = 0; i < f->candidates; i++) {
        rn_serving_option o = f->candidate[i].option;
        if (o.rate_per_s < rate * (1.0 - 1e-12)) {
            continue;
        }
        o.rate_per_s = rate;
        if (rn_serving_price(f->s, f->w, f->set, &f->candidate[i].perf, &o) &&
            (at < 0 || better(&o, best, by_memory))) {
            *best = o;
            at = i;
        }
    }
    return at;
}

/* Whether every set of class b contains a set of class a of the same machines: single GPUs and, by
 * alignment, smaller sets of one tier. */
static bool contains(const rn_serving_class *b, const rn_serving_class *a)
{
    return a->node == b->node && !a->cross && a->gpus < b->gpus &&
           (a->gpus == 1 || a->tier == b->tier || b->cross);
}

/* Whether a is at least as good as b in rate, cost, memory and links, on the same set or inside it.
 */
static bool beats(const finder *f, const rn_serving_option *a, const rn_serving_option *b)
{
    const bool same = a->place_class == b->place_class && a->share <= b->share;
    const bool inside =
        b->share == 100 && contains(&f->list[b->place_class], &f->list[a->place_class]);
    return (same || inside) && a->rate_per_s >= b->rate_per_s &&
           rn_serving_option_cost(a) <= rn_serving_option_cost(b) &&
           (b->share == 100 || a->memory_bytes <= b->memory_bytes) &&
           a->pcie_bytes_per_s <= b->pcie_bytes_per_s &&
           a->network_bytes_per_s <= b->network_bytes_per_s;
}

/* Removes what another option beats; of equals the first stays. */
static void prune(finder *f)
{
    rn_serving_options *found = f->found;
    int32_t kept = 0;
    for (int32_t i = 0; i < found->options; i++) {
        bool beaten = false;
        for (int32_t k = 0; k < kept; k++) {
            beaten = beaten || beats(f, &found->option[k], &found->option[i]);
        }
        for (int32_t k = i + 1; k < found->options; k++) {
            const bool equal = beats(f, &found->option[i], &found->option[k]);
            beaten = beaten || (beats(f, &found->option[k], &found->option[i]) && !equal);
        }
        if (beaten) {
            found->dropped[RN_SERVING_DROP_DOMINATED]++;
        } else {
            found->option[kept++] = found->option[i];
        }
    }
    assert(kept > 0 || found->options == 0);
    found->options = kept;
}

static void offer(finder *f, int32_t at, const rn_serving_option *o)
{
    if (at < 0) {
        return;
    }
    assert(at < f->candidates && f->found->options < f->room);
    assert(o->rate_per_s > 0.0 && o->memory_bytes > 0.0);
    f->candidate[at].used = true;
    f->found->option[f->found->options++] = *o;
    f->found->best_rate_per_s = fmax(f->found->best_rate_per_s, o->rate_per_s);
}

static void offer_share(finder *f, int32_t share)
{
    double level[LEVELS_MAX];
    try_layouts(f, share);
    const int32_t levels = f->candidates == 0 ? 0 : list_levels(f, level);
    assert(levels <= LEVELS_MAX && (levels > 0 || f->candidates == 0));
    for (int32_t l = 0; l < levels; l++) {
        rn_serving_option best;
        offer(f, best_at(f, level[l], false, &best), &best);
        if (share < 100) {
            offer(f, best_at(f, level[l], true, &best), &best);
        }
    }
    for (int32_t i = 0; i < f->candidates; i++) {
        f->found->dropped[RN_SERVING_DROP_DOMINATED] += f->candidate[i].used ? 0 : 1;
    }
}

/* Weights on one GPU, for messages. */
static void note_memory(const rn_serving_scenario *s, const rn_serving_workload *w,
                        rn_serving_options *found)
{
    for (int32_t p = 0; p < RN_PERF_WEIGHTS_COUNT; p++) {
        if (w->precision[p] && (w->quality_metric == NULL || !isnan(w->quality_of[p]))) {
            found->least_memory_bytes[p] =
                rn_perf_weights_per_gpu(&s->model[w->model].shape, (rn_perf_weights)p, 1, 1);
        }
    }
}

ration_status rn_serving_options_find(const rn_serving_scenario *s, int32_t w, int32_t count,
                                      const rn_serving_class *list, rn_arena *arena,
                                      rn_serving_options *found, ration_error *error)
{
    enum { PER_SHARE = 2 * LEVELS_MAX };
    finder f;
    memset(&f, 0, sizeof f);
    memset(found, 0, sizeof *found);
    f.s = s;
    f.w = &s->workload[w];
    f.found = found;
    f.list = list;
    f.room = count * SHARES_MAX * PER_SHARE;
    assert(f.w->shares >= 1 && f.w->shares <= SHARES_MAX);
    RATION_TRY(rn_arena_take(arena, f.room, sizeof *found->option, &found->option, error));
    f.candidate = malloc((size_t)CANDIDATES_MAX * sizeof *f.candidate);
    if (f.candidate == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "out of memory for the options of %s",
                                f.w->name);
    }
    note_memory(s, f.w, found);
    for (int32_t t = 0; t < RN_SERVING_TIMES; t++) {
        found->least_time_ms[t] = INFINITY;
    }
    for (int32_t pass = 0; pass < 2 && found->options == 0; pass++) {
        for (int32_t c = 0; c < count; c++) {
            f.set = &list[c];
            f.place_class = c;
            if (list[c].cross != (pass == 1) || !f.w->node_allowed[list[c].node]) {
                continue;
            }
            for (int32_t i = 0; i < f.w->shares; i++) {
                if (f.w->share[i] == 100 || list[c].gpus == 1) {
                    offer_share(&f, f.w->share[i]);
                }
            }
        }
    }
    free(f.candidate);
    prune(&f);
    return RATION_OK;
}
