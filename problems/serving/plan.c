/* Picks back into a plan: who runs on which GPUs, how full they are, what it costs. Everything is
 * added up again from the options in the user's units; the program's integers are not used. */
#include "serving/plan.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serving/read.h"

enum { NAME_BYTES = 512, WHOLE = 100 };

/* ---- which GPUs ---- */

/* Hundredths of a GPU that are taken, while replicas are seated. */
typedef struct seating {
    const ration_serving *v;
    rn_serving_plan *plan;
    int32_t *taken; /* [gpus] */
} seating;

static int32_t global_gpu(const ration_serving *v, const rn_serving_cell *cell)
{
    assert(cell->machine >= 0 && cell->machine < v->scenario.machines);
    return v->scenario.machine[cell->machine].gpu + cell->gpu;
}

/* First aligned free run of `size` GPUs in a cell; for a share the fullest GPU that has room. The
 * least loaded run if there is none, as in a plan that breaks limits. */
static int32_t find_run(const seating *t, const rn_serving_cell *cell, int32_t size, int32_t share)
{
    const int32_t first = global_gpu(t->v, cell);
    assert(size >= 1 && size <= cell->gpus && share > 0 && share <= WHOLE);
    int32_t best = 0;
    int64_t best_score = INT64_MAX;
    for (int32_t at = 0; at + size <= cell->gpus; at += size) {
        int64_t load = 0;
        int32_t most = 0;
        for (int32_t k = 0; k < size; k++) {
            load += t->taken[first + at + k];
            most = t->taken[first + at + k] > most ? t->taken[first + at + k] : most;
        }
        const int64_t score = most + share <= WHOLE ? WHOLE - load : (int64_t)WHOLE * WHOLE + load;
        if (score < best_score) {
            best_score = score;
            best = at;
        }
    }
    return best;
}

static ration_status seat_cells(seating *t, rn_serving_replica *r, const rn_serving_place *place,
                                ration_error *error)
{
    const ration_serving *v = t->v;
    const rn_serving_class *set = &v->set_class[place->place_class];
    rn_serving_seat *seat = NULL;
    RATION_TRY(rn_arena_take(&t->plan->arena, set->span, sizeof *seat, &seat, error));
    r->seats = set->span;
    for (int32_t k = 0; k < set->span; k++) {
        int32_t *gpu = NULL;
        RATION_TRY(rn_arena_take(&t->plan->arena, set->gpus / set->span, sizeof *gpu, &gpu, error));
        seat[k].node = place->machine + k;
        seat[k].gpu = gpu;
        for (int32_t c = 0; c < place->cells; c++) {
            const rn_serving_cell *cell = &v->places.cell[place->cell[c]];
            if (cell->machine != seat[k].node) {
                continue;
            }
            const int32_t run = find_run(t, cell, place->gpus_per_cell, r->option->share);
            for (int32_t i = 0; i < place->gpus_per_cell; i++) {
                gpu[seat[k].gpus++] = cell->gpu + run + i;
                t->taken[global_gpu(v, cell) + run + i] += r->option->share;
            }
        }
        assert(seat[k].gpus == set->gpus / set->span);
    }
    r->seat = seat;
    return RATION_OK;
}

/* Larger sets first, then larger shares: aligned runs of powers of two then always fit when their
 * sum does. */
static ration_status seat_replicas(const ration_serving *v, rn_serving_plan *plan,
                                   ration_error *error)
{
    seating t = {v, plan, NULL};
    RATION_TRY(
        rn_arena_take(&plan->arena, v->scenario.gpu_total, sizeof *t.taken, &t.taken, error));
    int32_t largest = 1;
    for (int32_t c = 0; c < v->classes; c++) {
        largest = v->set_class[c].gpus > largest ? v->set_class[c].gpus : largest;
    }
    for (int32_t size = largest; size >= 1; size /= 2) {
        for (int32_t share = WHOLE; share >= 25; share /= 2) {
            for (int32_t i = 0; i < plan->replicas; i++) {
                rn_serving_replica *r = &plan->replica[i];
                const rn_serving_place *place = &v->places.place[r->place];
                if (v->set_class[place->place_class].gpus == size && r->option->share == share) {
                    RATION_TRY(seat_cells(&t, r, place, error));
                }
            }
        }
    }
    return RATION_OK;
}

/* ---- picks ---- */

static ration_status add_replica(const ration_serving *v, rn_serving_plan *plan, int32_t w,
                                 int32_t item, const ration_result *result, ration_error *error)
{
    const rn_serving_group *g = &v->group[w];
    int32_t place = RATION_NONE;
    int32_t mode = RATION_NONE;
    char name[NAME_BYTES];
    if (!ration_program_option(v->program, item, ration_result_pick(result, item), &place, &mode)) {
        return ration_error_set(error, RATION_E_INTERNAL,
                                "item %d picks an option that does not exist", item);
    }
    plan->served[w] = plan->served[w] && mode != v->unserved_mode;
    if (mode == v->none_mode || mode == v->unserved_mode) {
        return RATION_OK;
    }
    rn_serving_replica *r = &plan->replica[plan->replicas++];
    assert(place != RATION_NONE && mode >= g->first_mode);
    assert(mode - g->first_mode < v->options[w].options);
    r->workload = w;
    r->item = item;
    r->place = place;
    r->option = &v->options[w].option[mode - g->first_mode];
    plan->capacity_per_s[w] += r->option->rate_per_s;
    ration_program_item_name(v->program, item, name, sizeof name);
    return rn_arena_text(&plan->arena, &r->name, error, "%s", name);
}

static ration_status decode_picks(const ration_serving *v, rn_serving_plan *plan,
                                  const ration_result *result, ration_error *error)
{
    for (int32_t w = 0; w < v->scenario.workloads; w++) {
        plan->served[w] = true;
        for (int32_t k = 0; k < v->group[w].items; k++) {
            RATION_TRY(add_replica(v, plan, w, v->group[w].first_item + k, result, error));
        }
        plan->served[w] = plan->served[w] && plan->capacity_per_s[w] >=
                                                 v->scenario.workload[w].rate_per_s * (1.0 - 1e-6);
    }
    return RATION_OK;
}

/* ---- sums ---- */

static void load_gpus(const ration_serving *v, rn_serving_plan *plan)
{
    for (int32_t i = 0; i < plan->replicas; i++) {
        const rn_serving_replica *r = &plan->replica[i];
        for (int32_t k = 0; k < r->seats; k++) {
            const rn_serving_seat *seat = &r->seat[k];
            rn_serving_machine_state *machine = &plan->machine[seat->node];
            machine->pcie_bytes_per_s += r->option->pcie_bytes_per_s;
            machine->network_bytes_per_s += r->option->network_bytes_per_s;
            for (int32_t n = 0; n < seat->gpus; n++) {
                rn_serving_gpu_state *gpu =
                    &plan->gpu[v->scenario.machine[seat->node].gpu + seat->gpu[n]];
                gpu->tenants++;
                gpu->memory_used_bytes += r->option->memory_bytes;
                gpu->time_share += r->option->share / 100.0;
                gpu->average_w += r->option->power.average_w * r->option->share / 100.0;
            }
        }
    }
}

static void finish_gpus(const ration_serving *v, rn_serving_plan *plan)
{
    const rn_serving_scenario *s = &v->scenario;
    for (int32_t i = 0; i < plan->gpus; i++) {
        rn_serving_gpu_state *gpu = &plan->gpu[i];
        const rn_serving_node *node = &s->node[s->machine[gpu->machine].node];
        const rn_perf_gpu *perf = &s->gpu[node->gpu].perf;
        rn_serving_machine_state *machine = &plan->machine[gpu->machine];
        gpu->memory_usable_bytes =
            perf->memory_bytes * rn_serving_usable_part(gpu->tenants > 1 ? gpu->tenants : 1);
        machine->provision_w += gpu->tenants > 0 ? perf->tdp_w : perf->idle_w;
        if (gpu->tenants > 0) {
            gpu->average_w += perf->idle_w * fmax(0.0, 1.0 - gpu->time_share);
            machine->average_w += gpu->average_w;
            plan->money.rent += node->price_per_gpu_hour;
            plan->money.energy_kwh += rn_perf_energy_kwh(gpu->average_w, 1.0, s->pue);
        }
    }
    plan->money.energy = plan->money.energy_kwh * s->kwh_price;
    assert(plan->money.rent >= 0.0 && plan->money.energy >= 0.0);
}

/* What soft limits on the number and spread of replicas cost. */
static double redundancy_penalty(const ration_serving *v, const rn_serving_plan *plan, int32_t w)
{
    const rn_serving_scenario *s = &v->scenario;
    const rn_serving_workload *workload = &s->workload[w];
    double count = 0.0;
    double penalty = 0.0;
    for (int32_t i = 0; i < plan->replicas; i++) {
        count += plan->replica[i].workload == w ? 1.0 : 0.0;
    }
    if (!workload->min_replicas.hard) {
        penalty += workload->min_replicas.penalty * fmax(0.0, workload->min_replicas.value - count);
    }
    for (int32_t d = 0; d < s->domains && workload->survive.given && !workload->survive.hard; d++) {
        const double left = rn_serving_rate_left(plan, w, d) / workload->rate_per_s;
        assert(left >= 0.0);
        penalty += workload->survive.penalty * fmax(0.0, workload->survive.value - left);
    }
    return penalty;
}

double rn_serving_rate_left(const rn_serving_plan *plan, int32_t workload, int32_t domain)
{
    double rate = 0.0;
    for (int32_t i = 0; i < plan->replicas; i++) {
        const rn_serving_replica *r = &plan->replica[i];
        bool lost = false;
        for (int32_t k = 0; k < r->seats; k++) {
            lost = lost || plan->serving->scenario.machine[r->seat[k].node].domain == domain;
        }
        rate += r->workload == workload && !lost ? r->option->rate_per_s : 0.0;
    }
    return rate;
}

static void add_money(const ration_serving *v, rn_serving_plan *plan)
{
    const rn_serving_scenario *s = &v->scenario;
    rn_serving_money *money = &plan->money;
    for (int32_t i = 0; i < plan->replicas; i++) {
        money->latency += plan->replica[i].option->latency_penalty;
        money->other += plan->replica[i].option->quality_penalty;
    }
    for (int32_t w = 0; w < s->workloads; w++) {
        const rn_serving_workload *workload = &s->workload[w];
        if (plan->served[w]) {
            money->redundancy += redundancy_penalty(v, plan, w);
            money->requests_per_hour += 3600.0 * workload->rate_per_s;
        } else if (!workload->served.hard) {
            money->other += workload->served.penalty;
        }
    }
    for (int32_t m = 0; m < s->machines; m++) {
        const rn_serving_node *node = &s->node[s->machine[m].node];
        plan->machine[m].provision_w += node->host_w;
        if (node->power_w.given && !node->power_w.hard) {
            money->other += node->power_w.penalty *
                            fmax(0.0, plan->machine[m].provision_w - node->power_w.value);
        }
    }
    money->total = money->rent + money->energy + money->latency + money->redundancy + money->other;
    assert(money->latency >= 0.0 && money->redundancy >= 0.0 && money->other >= 0.0);
}

static ration_status fill(const ration_serving *v, const ration_result *result,
                          rn_serving_plan *plan, ration_error *error)
{
    const rn_serving_scenario *s = &v->scenario;
    const int32_t items = ration_program_items(v->program);
    assert(items >= s->workloads && s->gpu_total >= 1);
    RATION_TRY(rn_arena_take(&plan->arena, items, sizeof *plan->replica, &plan->replica, error));
    RATION_TRY(
        rn_arena_take(&plan->arena, s->workloads, sizeof *plan->served, &plan->served, error));
    RATION_TRY(rn_arena_take(&plan->arena, s->workloads, sizeof *plan->capacity_per_s,
                             &plan->capacity_per_s, error));
    RATION_TRY(rn_arena_take(&plan->arena, s->gpu_total, sizeof *plan->gpu, &plan->gpu, error));
    RATION_TRY(
        rn_arena_take(&plan->arena, s->machines, sizeof *plan->machine, &plan->machine, error));
    plan->gpus = s->gpu_total;
    for (int32_t m = 0; m < s->machines; m++) {
        for (int32_t k = 0; k < s->node[s->machine[m].node].gpus; k++) {
            plan->gpu[s->machine[m].gpu + k].machine = m;
            plan->gpu[s->machine[m].gpu + k].gpu = k;
        }
    }
    if (ration_result_has_picks(result)) {
        RATION_TRY(decode_picks(v, plan, result, error));
        RATION_TRY(seat_replicas(v, plan, error));
    }
    load_gpus(v, plan);
    finish_gpus(v, plan);
    add_money(v, plan);
    return RATION_OK;
}

ration_status rn_serving_plan_make(const ration_serving *serving, const ration_result *result,
                                   rn_serving_plan **plan, ration_error *error)
{
    rn_serving_plan *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "out of memory for a plan");
    }
    made->serving = serving;
    const ration_status status = fill(serving, result, made, error);
    if (status != RATION_OK) {
        rn_serving_plan_free(made);
        return status;
    }
    *plan = made;
    return RATION_OK;
}

void rn_serving_plan_free(rn_serving_plan *plan)
{
    if (plan != NULL) {
        rn_arena_free(&plan->arena);
        free(plan);
    }
}
