/* What a plan breaks, and the smallest changes that would help: found again from the plan in the
 * user's units. */
#include "serving/advise.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "serving/read.h"

enum { TEXT_BYTES = 480, SETS_MAX = 4096 };

static ration_status say(rn_arena *arena, rn_serving_texts *texts, ration_error *error,
                         const char *format, ...) RATION_PRINTF(4, 5);

static ration_status say(rn_arena *arena, rn_serving_texts *texts, ration_error *error,
                         const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list list;
    if (texts->count == texts->room) {
        return RATION_OK;
    }
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    RATION_TRY(rn_arena_text(arena, &texts->text[texts->count], error, "%s", text));
    texts->count++;
    return RATION_OK;
}

/* ---- why a workload has no option ---- */

/* The kind of GPU with the most memory that the workload may use, and the largest set of it. */
static int32_t best_gpu(const rn_serving_scenario *s, const rn_serving_workload *w,
                        int32_t *together)
{
    int32_t best = -1;
    *together = 0;
    for (int32_t n = 0; n < s->nodes; n++) {
        const int32_t gpu = s->node[n].gpu;
        if (!w->node_allowed[n]) {
            continue;
        }
        if (best < 0 || s->gpu[gpu].perf.memory_bytes > s->gpu[best].perf.memory_bytes) {
            best = gpu;
            *together = 0;
        }
        const int32_t joined =
            s->node[n].gpus * (s->node[n].infiniband_bytes_per_s > 0.0 ? s->node[n].count : 1);
        *together = gpu == best && joined > *together ? joined : *together;
    }
    return best;
}

/* GPUs, a power of two, that hold the model with one sequence at this precision; 0: not even
 * SETS_MAX. */
static int32_t gpus_to_hold(const rn_perf_shape *shape, const rn_perf_gpu *gpu,
                            rn_perf_weights weights)
{
    for (int32_t k = 1; k <= SETS_MAX; k *= 2) {
        const int32_t tp = shape->heads % k == 0 ? k : 1;
        const int32_t pp = k / tp;
        if (pp > shape->layers) {
            continue;
        }
        const double bytes =
            rn_perf_weights_per_gpu(shape, weights, tp, pp) + rn_perf_reserve_default();
        if (bytes < gpu->memory_bytes * rn_serving_usable_part(1)) {
            return k;
        }
    }
    return 0;
}

static ration_status advise_memory(const rn_serving_plan *plan, int32_t w, rn_arena *arena,
                                   rn_serving_advice *advice, ration_error *error)
{
    const rn_serving_scenario *s = &plan->serving->scenario;
    const rn_serving_workload *workload = &s->workload[w];
    const rn_serving_options *options = &plan->serving->options[w];
    const rn_perf_shape *shape = &s->model[workload->model].shape;
    int32_t together = 0;
    const int32_t gpu = best_gpu(s, workload, &together);
    const rn_perf_gpu *perf = &s->gpu[gpu].perf;
    int32_t narrow = -1;
    char needs[TEXT_BYTES] = "";
    size_t length = 0;
    for (int32_t p = 0; p < RN_PERF_WEIGHTS_COUNT; p++) {
        const double bytes = options->least_memory_bytes[p];
        if (bytes > 0.0 && length < sizeof needs) {
            length += (size_t)snprintf(needs + length, sizeof needs - length, "%s%.0f GB at %s",
                                       length > 0 ? ", " : "", bytes / 1e9,
                                       rn_serving_weights_name((rn_perf_weights)p));
            narrow = narrow < 0 || bytes < options->least_memory_bytes[narrow] ? p : narrow;
        }
    }
    if (narrow < 0) {
        return RATION_OK;
    }
    const int32_t hold = gpus_to_hold(shape, perf, (rn_perf_weights)narrow);
    RATION_TRY(say(arena, &advice->advice, error,
                   "%s: the weights of %s take %s; one %s has %.1f GB usable of %.1f GB",
                   workload->name, s->model[workload->model].name, needs, s->gpu[gpu].name,
                   perf->memory_bytes * rn_serving_usable_part(1) / 1e9, perf->memory_bytes / 1e9));
    if (hold > together) {
        RATION_TRY(
            say(arena, &advice->advice, error,
                "%s: add %d %s to the %d that can work together (%s on %d), or use GPUs with "
                "at least %.0f GB",
                workload->name, hold - together, s->gpu[gpu].name, together,
                rn_serving_weights_name((rn_perf_weights)narrow), hold,
                (options->least_memory_bytes[narrow] + rn_perf_reserve_default()) /
                    rn_serving_usable_part(1) / 1e9 / together));
    } else if (hold > 0) {
        RATION_TRY(say(arena, &advice->advice, error,
                       "%s: allow tensor_parallel or max_pipeline_parallel up to %d GPUs, or lower "
                       "max_batch",
                       workload->name, hold));
    }
    return RATION_OK;
}

static ration_status advise_latency(const rn_serving_plan *plan, int32_t w, rn_arena *arena,
                                    rn_serving_advice *advice, ration_error *error)
{
    static const char *const names[] = {"ttft_ms", "ttft_p95_ms", "tpot_ms", "e2e_p95_ms"};
    const rn_serving_workload *workload = &plan->serving->scenario.workload[w];
    for (int32_t t = 0; t < RN_SERVING_TIMES; t++) {
        const rn_serving_limit *limit = rn_serving_time_limit(workload, t);
        const double least = plan->serving->options[w].least_time_ms[t];
        if (limit->given && limit->hard && least > limit->value) {
            RATION_TRY(
                say(arena, &advice->advice, error,
                    "%s: no configuration comes below %s = %.0f even without load (margin "
                    "included); the limit is %.15g: more replicas don't help, raise it or use "
                    "faster GPUs",
                    workload->name, names[t], ceil(least), limit->value));
        }
    }
    return RATION_OK;
}

/* Where a sentence about an unserved workload belongs: it is wrong only if it must be served. */
static rn_serving_texts *unserved_texts(const rn_serving_plan *plan, int32_t w,
                                        rn_serving_advice *advice)
{
    return rn_serving_must_serve(&plan->serving->scenario, w) ? &advice->violations
                                                              : &advice->advice;
}

/* The reason that dropped most options, domination aside. */
static int32_t main_reason(const rn_serving_options *options)
{
    int32_t best = -1;
    for (int32_t d = 0; d < RN_SERVING_DROPS; d++) {
        if (d != RN_SERVING_DROP_DOMINATED && options->dropped[d] > 0 &&
            (best < 0 || options->dropped[d] > options->dropped[best])) {
            best = d;
        }
    }
    return best;
}

static ration_status advise_no_option(const rn_serving_plan *plan, int32_t w, rn_arena *arena,
                                      rn_serving_advice *advice, ration_error *error)
{
    const rn_serving_options *options = &plan->serving->options[w];
    const rn_serving_workload *workload = &plan->serving->scenario.workload[w];
    const char *name = workload->name;
    const int32_t reason = main_reason(options);
    assert(options->options == 0 && reason < RN_SERVING_DROPS);
    RATION_TRY(say(arena, unserved_texts(plan, w, advice), error,
                   "%s: no configuration is possible: %s", name,
                   reason < 0 ? "no GPU may be used" : rn_serving_drop_text(reason)));
    if (options->dropped[RN_SERVING_DROP_LATENCY] > 0) {
        return advise_latency(plan, w, arena, advice, error);
    }
    if (reason == RN_SERVING_DROP_CONTEXT) {
        return say(
            arena, &advice->advice, error,
            "%s: one request of %.0f tokens has no room beside the weights; lower the max of "
            "input_tokens or output_tokens, or use more or larger GPUs",
            name, workload->input.most + workload->output.most);
    }
    if (options->dropped[RN_PERF_MEMORY] > 0) {
        return advise_memory(plan, w, arena, advice, error);
    }
    if (options->dropped[RN_SERVING_DROP_QUALITY] > 0) {
        return say(arena, &advice->advice, error,
                   "%s: lower the minimum quality or allow a wider precision", name);
    }
    return RATION_OK;
}

/* ---- why a workload that has options is not carried ---- */

static ration_status advise_capacity(const rn_serving_plan *plan, int32_t w, rn_arena *arena,
                                     rn_serving_advice *advice, ration_error *error)
{
    const ration_serving *v = plan->serving;
    const rn_serving_workload *workload = &v->scenario.workload[w];
    const rn_serving_options *options = &v->options[w];
    double least = INFINITY;
    int32_t at = 0;
    for (int32_t i = 0; i < options->options; i++) {
        const rn_serving_option *o = &options->option[i];
        const double replicas = ceil(workload->rate_per_s / o->rate_per_s * (1.0 - 1e-9));
        const double gpus = fmax(replicas, v->group[w].least_replicas) *
                            v->set_class[o->place_class].gpus * o->share / 100.0;
        at = gpus < least ? i : at;
        least = fmin(least, gpus);
    }
    const rn_serving_option *o = &options->option[at];
    const int32_t node = v->set_class[o->place_class].node;
    assert(options->options > 0 && least < INFINITY);
    double free_gpus = 0.0;
    for (int32_t i = 0; i < plan->gpus; i++) {
        const bool same = v->scenario.machine[plan->gpu[i].machine].node == node;
        free_gpus += same ? fmax(0.0, 1.0 - plan->gpu[i].time_share) : 0.0;
    }
    RATION_TRY(say(arena, unserved_texts(plan, w, advice), error,
                   "%s: %.6g of %.6g requests/s are carried", workload->name,
                   plan->served[w] ? workload->rate_per_s : plan->capacity_per_s[w],
                   workload->rate_per_s));
    if (least > free_gpus) {
        return say(arena, &advice->advice, error,
                   "%s: needs at least %.4g %s (%s on %d GPUs, %.4g requests/s a replica), %.4g "
                   "are free: add %.0f, or lower the rate",
                   workload->name, least, v->scenario.gpu[v->scenario.node[node].gpu].name,
                   rn_serving_weights_name(o->weights), v->set_class[o->place_class].gpus,
                   o->rate_per_s, free_gpus, ceil(least - free_gpus));
    }
    if (!rn_serving_must_serve(&v->scenario, w)) {
        return RATION_OK;
    }
    return say(arena, &advice->advice, error,
               "%s: enough GPUs are free, but a limit on power, links, memory, spread or alignment "
               "of sets stands against it: see the violated rows",
               workload->name);
}

/* ---- limits of the machines ---- */

static ration_status list_machines(const rn_serving_plan *plan, rn_arena *arena,
                                   rn_serving_advice *advice, ration_error *error)
{
    const rn_serving_scenario *s = &plan->serving->scenario;
    for (int32_t i = 0; i < plan->gpus; i++) {
        const rn_serving_gpu_state *g = &plan->gpu[i];
        const char *machine = s->machine[g->machine].name;
        if (g->memory_used_bytes > g->memory_usable_bytes) {
            RATION_TRY(say(arena, &advice->violations, error,
                           "%s GPU %d: %.1f GB of %.1f GB usable memory", machine, g->gpu,
                           g->memory_used_bytes / 1e9, g->memory_usable_bytes / 1e9));
        }
        if (g->time_share > 1.0 + 1e-9) {
            RATION_TRY(say(arena, &advice->violations, error, "%s GPU %d: %.0f %% of its time",
                           machine, g->gpu, 100.0 * g->time_share));
        }
    }
    for (int32_t m = 0; m < s->machines; m++) {
        const rn_serving_node *node = &s->node[s->machine[m].node];
        const double watts = plan->machine[m].provision_w;
        if (node->power_w.given && node->power_w.hard && watts > node->power_w.value) {
            RATION_TRY(say(arena, &advice->violations, error,
                           "%s: %.0f W must be provided, the limit is %.0f W", s->machine[m].name,
                           watts, node->power_w.value));
            RATION_TRY(say(arena, &advice->advice, error, "%s: raise power_limit_w by %.0f W",
                           s->machine[m].name, ceil(watts - node->power_w.value)));
        }
    }
    return RATION_OK;
}

static ration_status list_replicas(const rn_serving_plan *plan, int32_t w, rn_arena *arena,
                                   rn_serving_advice *advice, ration_error *error)
{
    const rn_serving_workload *workload = &plan->serving->scenario.workload[w];
    double count = 0.0;
    for (int32_t i = 0; i < plan->replicas; i++) {
        count += plan->replica[i].workload == w ? 1.0 : 0.0;
    }
    if (!workload->min_replicas.hard || count >= workload->min_replicas.value) {
        return RATION_OK;
    }
    RATION_TRY(say(arena, &advice->violations, error, "%s: %.0f of at least %.0f replicas",
                   workload->name, count, workload->min_replicas.value));
    return say(arena, &advice->advice, error,
               "%s: lower min_replicas to %.0f, or add GPUs in sets that a replica may use",
               workload->name, count);
}

static ration_status list_spread(const rn_serving_plan *plan, int32_t w, rn_arena *arena,
                                 rn_serving_advice *advice, ration_error *error)
{
    const rn_serving_scenario *s = &plan->serving->scenario;
    const rn_serving_workload *workload = &s->workload[w];
    const double least = workload->survive.value * workload->rate_per_s;
    if (!workload->survive.given || !workload->survive.hard) {
        return RATION_OK;
    }
    for (int32_t d = 0; d < s->domains; d++) {
        const double left = rn_serving_rate_left(plan, w, d);
        assert(left >= 0.0);
        if (left < least * (1.0 - 1e-6)) {
            return say(arena, &advice->violations, error,
                       "%s: %.6g requests/s are left without %s, the limit is %.6g%s",
                       workload->name, left, s->domain[d], least,
                       s->domains == 1 ? "; there is only one failure domain" : "");
        }
    }
    return RATION_OK;
}

ration_status rn_serving_advise(const rn_serving_plan *plan, rn_arena *arena,
                                rn_serving_advice *advice, ration_error *error)
{
    const ration_serving *v = plan->serving;
    const int32_t room = 5 * v->scenario.workloads + 2 * plan->gpus + 2 * v->scenario.machines;
    memset(advice, 0, sizeof *advice);
    advice->violations.room = room;
    advice->advice.room = room;
    RATION_TRY(rn_arena_take(arena, room, sizeof *advice->violations.text, &advice->violations.text,
                             error));
    RATION_TRY(
        rn_arena_take(arena, room, sizeof *advice->advice.text, &advice->advice.text, error));
    for (int32_t w = 0; w < v->scenario.workloads; w++) {
        if (v->options[w].options == 0) {
            RATION_TRY(advise_no_option(plan, w, arena, advice, error));
        } else if (!plan->served[w]) {
            RATION_TRY(advise_capacity(plan, w, arena, advice, error));
        } else {
            RATION_TRY(list_replicas(plan, w, arena, advice, error));
            RATION_TRY(list_spread(plan, w, arena, advice, error));
        }
    }
    return list_machines(plan, arena, advice, error);
}
