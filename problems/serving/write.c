/* plan.json. README.md describes its form. Reals have six decimals or more. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "serving/advise.h"
#include "serving/emit.h"
#include "serving/plan.h"
#include "serving/read.h"

static const double GIB = 1073741824.0;

/* Six decimals, or seven significant digits where that is more. */
static void put(ration_writer *out, const char *key, double value)
{
    const double size = fabs(value);
    const double more = size > 0.0 && size < 1.0 ? fmin(200.0, -floor(log10(size))) : 0.0;
    const double unit = pow(10.0, 6.0 + more);
    ration_writer_real(out, key, round(value * unit) / unit);
}

static void put_length(ration_writer *out, const char *key, const rn_serving_length *length)
{
    ration_writer_open_map(out, key);
    ration_writer_inline(out);
    put(out, "mean", length->mean);
    put(out, "p95", length->p95);
    put(out, "max", length->most);
    ration_writer_close(out);
}

static void put_gpus(ration_writer *out, const char *key, const rn_serving_seat *seat)
{
    ration_writer_open_list(out, key);
    ration_writer_inline(out);
    for (int32_t i = 0; i < seat->gpus; i++) {
        ration_writer_integer(out, NULL, seat->gpu[i]);
    }
    ration_writer_close(out);
}

static void put_mode(ration_writer *out, const ration_serving *v, const rn_serving_replica *r)
{
    const rn_serving_option *o = r->option;
    const rn_serving_node *node = &v->scenario.node[v->set_class[o->place_class].node];
    char name[512];
    ration_writer_open_map(out, "mode");
    ration_writer_text(out, "name",
                       ration_program_mode_name(v->program,
                                                v->group[r->workload].first_mode +
                                                    (int32_t)(o - v->options[r->workload].option),
                                                name, sizeof name));
    ration_writer_text(out, "gpu", v->scenario.gpu[node->gpu].name);
    ration_writer_integer(out, "tp", o->tp);
    ration_writer_integer(out, "pp", o->pp);
    ration_writer_text(out, "precision", rn_serving_weights_name(o->weights));
    ration_writer_text(out, "kv_cache", rn_serving_kv_name(o->kv));
    ration_writer_bool(out, "flash_attention", o->flash);
    ration_writer_integer(out, "batch_size", o->batch);
    put(out, "gpu_share", o->share / 100.0);
    ration_writer_close(out);
}

static void put_memory(ration_writer *out, const rn_serving_option *o)
{
    ration_writer_open_map(out, "memory");
    put(out, "weights_gib", o->weights_bytes / GIB);
    put(out, "kv_gib", o->kv_bytes / GIB);
    put(out, "work_gib", o->work_bytes / GIB);
    put(out, "reserve_gib", o->reserve_bytes / GIB);
    put(out, "total_gib", o->memory_bytes / GIB);
    ration_writer_close(out);
}

static void put_latency(ration_writer *out, const rn_serving_workload *w,
                        const rn_serving_option *o)
{
    const rn_perf_margin none = {1.0, 1.0};
    double time_ms[RN_SERVING_TIMES];
    rn_serving_times(w, &o->serving, none, time_ms);
    ration_writer_open_map(out, "latency");
    put(out, "ttft_ms", time_ms[0]);
    put(out, "ttft_p95_ms", time_ms[1]);
    put(out, "tpot_ms", time_ms[2]);
    put(out, "e2e_p95_ms", time_ms[3]);
    put(out, "batch_mean", o->serving.batch);
    put(out, "margin_ttft", o->margin.ttft);
    put(out, "margin_tpot", o->margin.tpot);
    ration_writer_close(out);
}

static void put_origin(ration_writer *out, const rn_serving_workload *w, const rn_serving_option *o)
{
    ration_writer_open_map(out, "origin");
    ration_writer_text(out, "memory", rn_perf_origin_text(o->memory_origin));
    ration_writer_text(out, "latency", rn_perf_origin_text(o->serving.origin));
    ration_writer_text(out, "power", rn_perf_origin_text(o->power.origin));
    if (w->quality_metric != NULL) {
        ration_writer_text(out, "quality", "user");
    }
    ration_writer_close(out);
}

static void put_replica(ration_writer *out, const rn_serving_plan *plan,
                        const rn_serving_replica *r)
{
    const ration_serving *v = plan->serving;
    const rn_serving_workload *w = &v->scenario.workload[r->workload];
    const rn_serving_option *o = r->option;
    ration_writer_open_map(out, NULL);
    ration_writer_text(out, "name", r->name);
    assert(r->seats >= 1 && r->workload < v->scenario.workloads);
    ration_writer_text(out, "node", v->scenario.machine[r->seat[0].node].name);
    put_gpus(out, "gpus", &r->seat[0]);
    ration_writer_open_list(out, "seats");
    for (int32_t k = 0; k < r->seats; k++) {
        ration_writer_open_map(out, NULL);
        ration_writer_text(out, "node", v->scenario.machine[r->seat[k].node].name);
        put_gpus(out, "gpus", &r->seat[k]);
        ration_writer_close(out);
    }
    ration_writer_close(out);
    put_mode(out, v, r);
    put(out, "rate_per_s", o->rate_per_s);
    put_memory(out, o);
    ration_writer_integer(out, "max_context_tokens", o->max_context_tokens);
    put_latency(out, w, o);
    put(out, "power_w", o->energy_w);
    put(out, "pcie_gb_per_s", o->pcie_bytes_per_s / 1e9);
    put(out, "network_gb_per_s", o->network_bytes_per_s / 1e9);
    if (w->quality_metric != NULL) {
        put(out, "quality", o->quality);
    }
    put(out, "latency_penalty_per_hour", o->latency_penalty);
    put(out, "quality_penalty_per_hour", o->quality_penalty);
    put_origin(out, w, o);
    ration_writer_close(out);
}

static void put_workload(ration_writer *out, const rn_serving_plan *plan, int32_t index,
                         const char *config)
{
    const rn_serving_scenario *s = &plan->serving->scenario;
    const rn_serving_workload *w = &s->workload[index];
    double cost = 0.0;
    for (int32_t i = 0; i < plan->replicas; i++) {
        const rn_serving_option *o = plan->replica[i].option;
        cost += plan->replica[i].workload == index ? rn_serving_option_cost(o) : 0.0;
    }
    assert(cost >= 0.0 && plan->capacity_per_s[index] >= 0.0);
    ration_writer_open_map(out, NULL);
    ration_writer_text(out, "name", w->name);
    ration_writer_text(out, "model", s->model[w->model].name);
    ration_writer_bool(out, "served", plan->served[index]);
    put(out, "rate_per_s", w->rate_per_s);
    put(out, "capacity_per_s", plan->capacity_per_s[index]);
    put_length(out, "input_tokens", &w->input);
    put_length(out, "output_tokens", &w->output);
    put(out, "cost_per_hour", cost);
    ration_writer_text(out, "config", config);
    ration_writer_open_list(out, "replicas");
    for (int32_t i = 0; i < plan->replicas; i++) {
        if (plan->replica[i].workload == index) {
            put_replica(out, plan, &plan->replica[i]);
        }
    }
    ration_writer_close(out);
    ration_writer_close(out);
}

static void put_gpu_states(ration_writer *out, const rn_serving_plan *plan)
{
    const rn_serving_scenario *s = &plan->serving->scenario;
    ration_writer_open_list(out, "gpus");
    for (int32_t i = 0; i < plan->gpus; i++) {
        const rn_serving_gpu_state *g = &plan->gpu[i];
        const rn_serving_node *node = &s->node[s->machine[g->machine].node];
        ration_writer_open_map(out, NULL);
        ration_writer_text(out, "node", s->machine[g->machine].name);
        ration_writer_integer(out, "gpu", g->gpu);
        ration_writer_text(out, "type", s->gpu[node->gpu].name);
        ration_writer_integer(out, "tenants", g->tenants);
        put(out, "memory_used_gib", g->memory_used_bytes / GIB);
        put(out, "memory_usable_gib", g->memory_usable_bytes / GIB);
        put(out, "memory_gib", s->gpu[node->gpu].perf.memory_bytes / GIB);
        put(out, "time_share", g->time_share);
        put(out, "average_w", g->average_w);
        put(out, "price_per_hour", node->price_per_gpu_hour);
        ration_writer_close(out);
    }
    ration_writer_close(out);
}

static void put_link(ration_writer *out, const char *machine, const char *link, double used,
                     double capacity)
{
    ration_writer_open_map(out, NULL);
    ration_writer_text(out, "node", machine);
    ration_writer_text(out, "link", link);
    assert(used >= 0.0 && capacity >= 0.0);
    put(out, "used_gb_per_s", used / 1e9);
    put(out, "usable_gb_per_s", RN_SERVING_LINK_PART * capacity / 1e9);
    put(out, "capacity_gb_per_s", capacity / 1e9);
    ration_writer_close(out);
}

static void put_machines(ration_writer *out, const rn_serving_plan *plan)
{
    const rn_serving_scenario *s = &plan->serving->scenario;
    ration_writer_open_list(out, "links");
    for (int32_t m = 0; m < s->machines; m++) {
        const rn_serving_node *node = &s->node[s->machine[m].node];
        put_link(out, s->machine[m].name, "pcie", plan->machine[m].pcie_bytes_per_s,
                 node->pcie_bytes_per_s * node->gpus);
        if (node->infiniband_bytes_per_s > 0.0) {
            put_link(out, s->machine[m].name, "infiniband", plan->machine[m].network_bytes_per_s,
                     node->infiniband_bytes_per_s);
        }
    }
    ration_writer_close(out);
    ration_writer_open_list(out, "power");
    for (int32_t m = 0; m < s->machines; m++) {
        const rn_serving_node *node = &s->node[s->machine[m].node];
        ration_writer_open_map(out, NULL);
        ration_writer_text(out, "node", s->machine[m].name);
        put(out, "provisioned_w", plan->machine[m].provision_w);
        put(out, "average_w", plan->machine[m].average_w);
        if (node->power_w.given) {
            put(out, "limit_w", node->power_w.value);
        } else {
            ration_writer_null(out, "limit_w");
        }
        ration_writer_close(out);
    }
    ration_writer_close(out);
}

static void put_cost(ration_writer *out, const rn_serving_plan *plan)
{
    const rn_serving_money *money = &plan->money;
    ration_writer_open_map(out, "cost");
    ration_writer_text(out, "currency", plan->serving->scenario.currency);
    put(out, "per_hour", money->total);
    if (money->requests_per_hour > 0.0) {
        put(out, "per_1000", 1000.0 * money->total / money->requests_per_hour);
    } else {
        ration_writer_null(out, "per_1000");
    }
    ration_writer_open_map(out, "by_dimension");
    put(out, "money", money->rent);
    put(out, "energy", money->energy);
    put(out, "latency", money->latency);
    put(out, "redundancy", money->redundancy);
    put(out, "other", money->other);
    ration_writer_close(out);
    put(out, "energy_kwh_per_hour", money->energy_kwh);
    ration_writer_close(out);
}

static void put_dropped(ration_writer *out, const ration_serving *v)
{
    ration_writer_open_list(out, "dropped");
    for (int32_t w = 0; w < v->scenario.workloads; w++) {
        for (int32_t d = 0; d < RN_SERVING_DROPS; d++) {
            if (v->options[w].dropped[d] > 0) {
                ration_writer_open_map(out, NULL);
                ration_writer_inline(out);
                ration_writer_text(out, "workload", v->scenario.workload[w].name);
                ration_writer_text(out, "reason", rn_serving_drop_text(d));
                ration_writer_integer(out, "count", v->options[w].dropped[d]);
                ration_writer_close(out);
            }
        }
    }
    ration_writer_close(out);
}

static void put_texts(ration_writer *out, const char *key, const rn_serving_texts *texts)
{
    ration_writer_open_list(out, key);
    for (int32_t i = 0; i < texts->count; i++) {
        ration_writer_text(out, NULL, texts->text[i]);
    }
    ration_writer_close(out);
}

static void put_origins(ration_writer *out, const ration_serving *v)
{
    const rn_serving_scenario *s = &v->scenario;
    char key[256];
    ration_writer_open_map(out, "origins");
    for (int32_t g = 0; g < s->gpus; g++) {
        snprintf(key, sizeof key, "gpu %s", s->gpu[g].name);
        ration_writer_text(out, key,
                           s->gpu[g].origin == RN_SERVING_USER ? "user" : "table:gpus.csv");
    }
    for (int32_t m = 0; m < s->models; m++) {
        snprintf(key, sizeof key, "model %s", s->model[m].name);
        ration_writer_text(out, key,
                           s->model[m].origin == RN_SERVING_USER ? "user" : "table:models.csv");
    }
    for (int32_t n = 0; n < s->nodes; n++) {
        snprintf(key, sizeof key, "price %s", s->node[n].name);
        ration_writer_text(out, key,
                           s->node[n].price_origin == RN_SERVING_USER ? "user" : "table:gpus.csv");
    }
    for (int32_t w = 0; w < s->workloads; w++) {
        snprintf(key, sizeof key, "lengths %s", s->workload[w].name);
        ration_writer_text(
            out, key, s->workload[w].length_origin == RN_SERVING_USER ? "user" : "table:trace");
    }
    ration_writer_text(out, "engine", "table:engines.csv");
    ration_writer_text(out, "memory_usable_gib", "formula:assumed");
    ration_writer_text(out, "links", "formula:assumed");
    ration_writer_text(out, "latency.margin", s->margin > 0.0 ? "user" : "formula:fitted");
    ration_writer_text(out, "cost", "user");
    ration_writer_close(out);
}

static const char *status_word(ration_plan_status status)
{
    static const char *const words[] = {"optimal", "feasible", "infeasible", "unknown"};
    assert((size_t)status < sizeof words / sizeof words[0]);
    return words[status];
}

/* What the folder holds besides plan.json: a later plan may remove it. */
static void put_files(ration_writer *out, const rn_serving_files *files)
{
    ration_writer_open_list(out, "files");
    for (int32_t i = 0; i < files->count; i++) {
        ration_writer_text(out, NULL, files->file[i].name);
    }
    ration_writer_close(out);
}

static void put_plan(ration_writer *out, const rn_serving_plan *plan, const ration_result *result,
                     const rn_serving_advice *advice, const rn_serving_files *files)
{
    const ration_serving *v = plan->serving;
    const double gap = ration_result_gap_percent(result);
    const ration_instance source = {.path = RN_SERVING_SCENARIO_COPY, .format = "serving"};
    ration_writer_open_map(out, NULL);
    ration_writer_text(out, "format", "ration-plan-1");
    ration_writer_text(out, "name", v->scenario.name);
    ration_writer_text(out, "scenario", RN_SERVING_SCENARIO_COPY);
    put_files(out, files);
    ration_writer_text(out, "engine", v->scenario.engine_name);
    ration_writer_text(out, "status", status_word(ration_result_status(result)));
    ration_writer_real(out, "gap_percent", gap >= 0.0 ? gap : (double)NAN);
    if (v->scenario.objective == RN_SERVING_BENEFIT_PER_COST) {
        ration_writer_real(out, "benefit_ratio", v->ratio);
    }
    ration_writer_open_list(out, "workloads");
    for (int32_t w = 0; w < v->scenario.workloads; w++) {
        put_workload(out, plan, w, files->file[files->first_config + w].name);
    }
    ration_writer_close(out);
    put_gpu_states(out, plan);
    put_machines(out, plan);
    put_cost(out, plan);
    put_dropped(out, v);
    put_texts(out, "violations", &advice->violations);
    put_texts(out, "advice", &advice->advice);
    put_origins(out, v);
    ration_writer_open_map(out, "result");
    ration_result_write(result, v->program, &source, out);
    ration_writer_close(out);
    ration_writer_close(out);
}

ration_status rn_serving_plan_add(const rn_serving_plan *plan, const ration_result *result,
                                  rn_arena *arena, rn_serving_files *files, ration_error *error)
{
    rn_serving_advice advice;
    ration_writer *out = NULL;
    const char *text = NULL;
    rn_serving_file *file = &files->file[files->count];
    RATION_TRY(rn_serving_advise(plan, arena, &advice, error));
    RATION_TRY(ration_writer_create(&out, error));
    put_plan(out, plan, result, &advice, files);
    ration_status status = ration_writer_finish(out, &text, &file->bytes, error);
    status = status == RATION_OK ? rn_arena_text(arena, &file->text, error, "%s", text) : status;
    file->name = "plan.json";
    files->count += status == RATION_OK ? 1 : 0;
    ration_writer_free(out);
    return status;
}

static ration_status write_all(const rn_serving_plan *plan, const ration_result *result,
                               const char *dir, rn_arena *arena, ration_error *error)
{
    rn_serving_files files = {0, NULL, 0};
    const int64_t room = 2 * (int64_t)plan->serving->scenario.workloads + 2;
    RATION_TRY(rn_arena_take(arena, room, sizeof *files.file, &files.file, error));
    RATION_TRY(rn_serving_scenario_add(plan->serving, arena, &files, error));
    RATION_TRY(rn_serving_configs_add(plan, arena, &files, error));
    RATION_TRY(rn_serving_plan_add(plan, result, arena, &files, error));
    assert(files.count <= room);
    return rn_serving_folder_write(dir, &files, error);
}

ration_status ration_serving_write(const ration_serving *serving, const ration_result *result,
                                   const char *dir, ration_error *error)
{
    rn_serving_plan *plan = NULL;
    rn_arena arena = {NULL};
    ration_status status = rn_serving_plan_make(serving, result, &plan, error);
    status = status == RATION_OK ? write_all(plan, result, dir, &arena, error) : status;
    rn_serving_plan_free(plan);
    rn_arena_free(&arena);
    return status;
}
