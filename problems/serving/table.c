/* What a person reads on stdout. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serving/advise.h"
#include "serving/plan.h"
#include "serving/read.h"
#include "serving/text.h"

enum { GPU_LINES_MAX = 16, CELL_BYTES = 384, BAR = 20 };

/* ---- headline ---- */

static void add_headline(rn_text *t, const rn_serving_plan *plan, const ration_result *result)
{
    const rn_serving_scenario *s = &plan->serving->scenario;
    const double gap = ration_result_gap_percent(result);
    int32_t used = 0;
    int32_t served = 0;
    double weight = 0.0;
    for (int32_t i = 0; i < plan->gpus; i++) {
        used += plan->gpu[i].tenants > 0 ? 1 : 0;
    }
    for (int32_t w = 0; w < s->workloads; w++) {
        served += plan->served[w] ? 1 : 0;
        weight += plan->served[w] ? s->workload[w].weight : 0.0;
    }
    assert(used <= plan->gpus && served <= s->workloads);
    rn_text_add(t, "%s\n  %d of %d workloads served on %d of %d GPUs for %.2f %s an hour\n  ",
                s->name, served, s->workloads, used, plan->gpus, plan->money.total, s->currency);
    if (s->objective != RN_SERVING_LEAST_COST) {
        rn_text_add(t, "weight served: %.6g, %.6g per %s an hour\n  ", weight,
                    plan->money.total > 0.0 ? weight / plan->money.total : 0.0, s->currency);
    }
    switch (ration_result_status(result)) {
    case RATION_PLAN_OPTIMAL:
        rn_text_add(t, "optimal: no plan of these options is better (proven)\n");
        break;
    case RATION_PLAN_FEASIBLE:
        if (gap >= 0.0) {
            rn_text_add(t, "feasible: at most %.2f %% from the proven bound\n", gap);
        } else {
            rn_text_add(t, "feasible: no bound is known\n");
        }
        break;
    case RATION_PLAN_INFEASIBLE:
        rn_text_add(t, "infeasible (proven): this is the plan that breaks least\n");
        break;
    default:
        rn_text_add(t, "no feasible plan was found, and none was excluded: this is the plan that "
                       "breaks least\n");
        break;
    }
}

/* ---- who runs where ---- */

/* Places of all replicas with the option of replica `first`: "server-1:0-1,4 server-2:0", over as
 * many lines as it takes. */
static void add_where(rn_text *t, const rn_serving_plan *plan, int32_t first)
{
    enum { LEFT = 74, RIGHT = 100 };
    const rn_serving_scenario *s = &plan->serving->scenario;
    int32_t column = LEFT;
    int32_t machine = -1;
    for (int32_t i = first; i < plan->replicas; i++) {
        const rn_serving_replica *r = &plan->replica[i];
        for (int32_t k = 0; r->option == plan->replica[first].option && k < r->seats; k++) {
            const rn_serving_seat *seat = &r->seat[k];
            char cell[CELL_BYTES];
            assert(seat->gpus >= 1);
            char gpus[40];
            snprintf(gpus, sizeof gpus, seat->gpus > 1 ? "%d-%d" : "%d", seat->gpu[0],
                     seat->gpu[seat->gpus - 1]);
            snprintf(cell, sizeof cell, seat->node == machine ? ",%s" : "  %s:%s",
                     seat->node == machine ? gpus : s->machine[seat->node].name, gpus);
            if (column > LEFT && column + rn_text_width(cell) > RIGHT) {
                rn_text_add(t, "\n%*s", LEFT, "");
                column = LEFT;
                snprintf(cell, sizeof cell, "  %s:%s", s->machine[seat->node].name, gpus);
            }
            rn_text_add(t, "%s", cell);
            column += rn_text_width(cell);
            machine = seat->node;
        }
    }
    rn_text_add(t, "\n");
}

static void add_group(rn_text *t, const rn_serving_plan *plan, int32_t first, bool heading)
{
    const ration_serving *v = plan->serving;
    const rn_serving_replica *lead = &plan->replica[first];
    const rn_serving_workload *w = &v->scenario.workload[lead->workload];
    const rn_serving_option *o = lead->option;
    const rn_serving_node *node = &v->scenario.node[v->set_class[o->place_class].node];
    char cell[CELL_BYTES];
    int32_t count = 0;
    for (int32_t i = first; i < plan->replicas; i++) {
        count += plan->replica[i].option == o ? 1 : 0;
    }
    assert(count >= 1);
    rn_text_add(t, "  ");
    rn_text_cell(t, heading ? w->name : "", 16, false);
    snprintf(cell, sizeof cell, "%.3g", w->rate_per_s);
    rn_text_cell(t, heading ? cell : "", 8, true);
    snprintf(cell, sizeof cell, "%d ×", count);
    rn_text_cell(t, cell, 6, true);
    snprintf(cell, sizeof cell, "%.3g/s", o->rate_per_s);
    rn_text_cell(t, cell, 9, true);
    if (o->share < 100) {
        snprintf(cell, sizeof cell, "  %d %% %s %s b%d", o->share, v->scenario.gpu[node->gpu].name,
                 rn_serving_weights_name(o->weights), o->batch);
    } else {
        char stages[24] = "";
        if (o->pp > 1) {
            snprintf(stages, sizeof stages, " pp%d", o->pp);
        }
        snprintf(cell, sizeof cell, "  %d %s%s %s b%d", o->tp * o->pp,
                 v->scenario.gpu[node->gpu].name, stages, rn_serving_weights_name(o->weights),
                 o->batch);
    }
    rn_text_cell(t, cell, 26, false);
    snprintf(cell, sizeof cell, "%.2f", count * rn_serving_option_cost(o));
    rn_text_cell(t, cell, 9, true);
    add_where(t, plan, first);
}

static bool seen_before(const rn_serving_plan *plan, int32_t index)
{
    for (int32_t i = 0; i < index; i++) {
        if (plan->replica[i].option == plan->replica[index].option) {
            return true;
        }
    }
    return false;
}

static void add_workloads(rn_text *t, const rn_serving_plan *plan)
{
    const rn_serving_scenario *s = &plan->serving->scenario;
    char cell[CELL_BYTES];
    snprintf(cell, sizeof cell, "%s/h", s->currency);
    rn_text_add(t, "\n  %-16s%8s%6s%9s  %-24s%9s  %s\n", "workload", "rate/s", "", "each", "on",
                cell, "where");
    for (int32_t w = 0; w < s->workloads; w++) {
        bool heading = true;
        for (int32_t i = 0; i < plan->replicas; i++) {
            if (plan->replica[i].workload == w && !seen_before(plan, i)) {
                add_group(t, plan, i, heading);
                heading = false;
            }
        }
        if (heading || !plan->served[w]) {
            rn_text_add(t, "  ");
            rn_text_cell(t, heading ? s->workload[w].name : "", 16, false);
            snprintf(cell, sizeof cell, "%.3g", s->workload[w].rate_per_s);
            rn_text_cell(t, heading ? cell : "", 8, true);
            rn_text_add(t, "    NOT SERVED\n");
        }
    }
}

/* ---- how full ---- */

static void add_bar(rn_text *t, double part)
{
    const int32_t full = (int32_t)fmin(BAR, fmax(0.0, round(part * BAR)));
    assert(full >= 0 && full <= BAR);
    rn_text_add(t, "[");
    for (int32_t i = 0; i < BAR; i++) {
        rn_text_add(t, "%s", i < full ? "█" : "·");
    }
    rn_text_add(t, "]");
}

static void add_gpu_line(rn_text *t, const rn_serving_plan *plan, const rn_serving_gpu_state *g)
{
    const rn_serving_scenario *s = &plan->serving->scenario;
    const rn_serving_node *node = &s->node[s->machine[g->machine].node];
    char cell[CELL_BYTES];
    rn_text_add(t, "  ");
    rn_text_cell(t, s->machine[g->machine].name, 16, false);
    rn_text_add(t, "%3d  ", g->gpu);
    rn_text_cell(t, s->gpu[node->gpu].name, 16, false);
    if (g->tenants == 0) {
        rn_text_add(t, " free\n");
        return;
    }
    add_bar(t, g->memory_used_bytes / g->memory_usable_bytes);
    snprintf(cell, sizeof cell, "%5.1f of %.1f GiB", g->memory_used_bytes / 1073741824.0,
             g->memory_usable_bytes / 1073741824.0);
    rn_text_cell(t, cell, 18, true);
    rn_text_add(t, "  time %3.0f %%\n", 100.0 * g->time_share);
}

/* One line a machine: what is in use, mean and highest use of it. */
static void add_machine_line(rn_text *t, const rn_serving_plan *plan, int32_t m)
{
    const rn_serving_scenario *s = &plan->serving->scenario;
    const rn_serving_node *node = &s->node[s->machine[m].node];
    int32_t used = 0;
    double memory = 0.0;
    double most = 0.0;
    double time = 0.0;
    for (int32_t k = 0; k < node->gpus; k++) {
        const rn_serving_gpu_state *g = &plan->gpu[s->machine[m].gpu + k];
        const double part = g->memory_used_bytes / g->memory_usable_bytes;
        assert(g->machine == m && g->memory_usable_bytes > 0.0);
        used += g->tenants > 0 ? 1 : 0;
        memory += part;
        most = fmax(most, part);
        time += g->time_share;
    }
    rn_text_add(t, "  ");
    rn_text_cell(t, s->machine[m].name, 16, false);
    rn_text_cell(t, s->gpu[node->gpu].name, 17, false);
    rn_text_add(t, "%2d of %2d in use  ", used, node->gpus);
    add_bar(t, used > 0 ? memory / used : 0.0);
    rn_text_add(t, " memory %3.0f %%, most %3.0f %%, time %3.0f %%\n",
                used > 0 ? 100.0 * memory / used : 0.0, 100.0 * most,
                used > 0 ? 100.0 * time / used : 0.0);
}

static void add_gpus(rn_text *t, const rn_serving_plan *plan)
{
    rn_text_add(t, "\n  GPU memory in use\n");
    for (int32_t i = 0; i < plan->gpus && plan->gpus <= GPU_LINES_MAX; i++) {
        add_gpu_line(t, plan, &plan->gpu[i]);
    }
    for (int32_t m = 0; m < plan->serving->scenario.machines && plan->gpus > GPU_LINES_MAX; m++) {
        add_machine_line(t, plan, m);
    }
}

/* ---- money, what was dropped, what is wrong ---- */

static void add_money(rn_text *t, const rn_serving_plan *plan)
{
    const rn_serving_money *m = &plan->money;
    const char *currency = plan->serving->scenario.currency;
    rn_text_add(t, "\n  cost  %.2f %s/h = GPUs %.2f + energy %.2f (%.2f kWh with PUE)", m->total,
                currency, m->rent, m->energy, m->energy_kwh);
    if (m->latency + m->redundancy + m->other > 0.0) {
        rn_text_add(t, "\n        + penalties: latency %.2f, redundancy %.2f, other %.2f",
                    m->latency, m->redundancy, m->other);
    }
    if (m->requests_per_hour > 0.0) {
        rn_text_add(t, "; %.4g %s per 1000 requests", 1000.0 * m->total / m->requests_per_hour,
                    currency);
    }
    rn_text_add(t, "\n");
}

static void add_dropped(rn_text *t, const ration_serving *v)
{
    int64_t total = 0;
    int64_t offered = 0;
    int64_t by[RN_SERVING_DROPS] = {0};
    for (int32_t w = 0; w < v->scenario.workloads; w++) {
        offered += v->options[w].options;
        for (int32_t d = 0; d < RN_SERVING_DROPS; d++) {
            by[d] += v->options[w].dropped[d];
            total += v->options[w].dropped[d];
        }
    }
    rn_text_add(t, "\n  %lld configurations offered, %lld dropped:\n", (long long)offered,
                (long long)total);
    for (int32_t d = 0; d < RN_SERVING_DROPS; d++) {
        if (by[d] > 0) {
            rn_text_add(t, "  %8lld  %s\n", (long long)by[d], rn_serving_drop_text(d));
        }
    }
}

/* A sentence over as many lines of at most 98 columns as it takes. */
static void add_wrapped(rn_text *t, const char *text)
{
    enum { LINE = 92 };
    bool first = true;
    while (*text != '\0') {
        size_t end = strlen(text);
        if (rn_text_width(text) > LINE) {
            size_t space = 0;
            int32_t width = 0;
            for (size_t i = 0; text[i] != '\0' && width <= LINE; i++) {
                space = text[i] == ' ' ? i : space;
                width += ((unsigned char)text[i] & 0xc0) != 0x80 ? 1 : 0;
            }
            end = space > 0 ? space : end;
        }
        rn_text_add(t, "  %s %.*s\n", first ? "-" : " ", (int)end, text);
        assert(end > 0); /* each line takes something */
        text += end;
        text += *text == ' ' ? 1 : 0;
        first = false;
    }
}

static void add_advice(rn_text *t, const rn_serving_advice *advice)
{
    for (int32_t i = 0; i < advice->violations.count; i++) {
        rn_text_add(t, "%s", i == 0 ? "\n  what is wrong\n" : "");
        add_wrapped(t, advice->violations.text[i]);
    }
    for (int32_t i = 0; i < advice->advice.count; i++) {
        rn_text_add(t, "%s", i == 0 ? "\n  what would help\n" : "");
        add_wrapped(t, advice->advice.text[i]);
    }
}

static ration_status make_table(const rn_serving_plan *plan, const ration_result *result,
                                rn_text *t, ration_error *error)
{
    rn_arena arena = {NULL};
    rn_serving_advice advice;
    const ration_status status = rn_serving_advise(plan, &arena, &advice, error);
    if (status == RATION_OK) {
        add_headline(t, plan, result);
        add_advice(t, &advice);
        add_workloads(t, plan);
        add_gpus(t, plan);
        add_money(t, plan);
        add_dropped(t, plan->serving);
    }
    rn_arena_free(&arena);
    return status;
}

ration_status ration_serving_table(const ration_serving *serving, const ration_result *result,
                                   char **text, ration_error *error)
{
    rn_serving_plan *plan = NULL;
    rn_text t = {NULL, 0, 0, false};
    ration_status status = rn_serving_plan_make(serving, result, &plan, error);
    status = status == RATION_OK ? make_table(plan, result, &t, error) : status;
    rn_serving_plan_free(plan);
    if (status == RATION_OK && t.failed) {
        status = ration_error_set(error, RATION_E_MEMORY, "out of memory for the table");
    }
    if (status != RATION_OK) {
        free(t.text);
        return status;
    }
    *text = t.text;
    return RATION_OK;
}
