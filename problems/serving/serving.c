/* From a scenario file to a program, and from there to a result. */
#include "serving/serving.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "serving/encode.h"
#include "serving/plan.h"
#include "serving/read.h"

enum { RATIO_ROUNDS = 4 };

static ration_status enumerate(ration_serving *v, ration_error *error)
{
    const rn_serving_scenario *s = &v->scenario;
    RATION_TRY(rn_serving_classes_list(s, &v->arena, &v->classes, &v->set_class, error));
    RATION_TRY(rn_serving_places_list(s, v->classes, v->set_class, &v->arena, &v->places, error));
    RATION_TRY(rn_arena_take(&v->arena, v->classes, sizeof *v->per_cell, &v->per_cell, error));
    for (int32_t p = 0; p < v->places.places; p++) {
        v->per_cell[v->places.place[p].place_class] = v->places.place[p].gpus_per_cell;
    }
    RATION_TRY(rn_arena_take(&v->arena, s->workloads, sizeof *v->options, &v->options, error));
    RATION_TRY(rn_arena_take(&v->arena, s->workloads, sizeof *v->group, &v->group, error));
    for (int32_t w = 0; w < s->workloads; w++) {
        RATION_TRY(rn_serving_options_find(s, w, v->classes, v->set_class, &v->arena,
                                           &v->options[w], error));
    }
    /* So small that everything is worth its money at first: whatever is served then sets the ratio.
     */
    double weight = 1.0;
    for (int32_t w = 0; w < s->workloads; w++) {
        weight = s->workload[w].weight > 0.0 ? fmin(weight, s->workload[w].weight) : weight;
    }
    v->ratio = 0.5 * weight / fmax(1e-6, rn_serving_all_money(s));
    return rn_serving_encode(v, error);
}

static ration_status read_into(ration_serving *v, const char *path, ration_error *error)
{
    const char *kept = NULL;
    RATION_TRY(rn_arena_text(&v->arena, &kept, error, "%s", path));
    RATION_TRY(ration_catalog_open(&v->catalog, error));
    RATION_TRY(ration_document_read(kept, &v->document, error));
    RATION_TRY(
        rn_serving_scenario_read(v->document, kept, v->catalog, &v->arena, &v->scenario, error));
    return enumerate(v, error);
}

ration_status ration_serving_read(const char *path, ration_serving **serving, ration_error *error)
{
    ration_serving *v = calloc(1, sizeof *v);
    if (v == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "out of memory for a scenario");
    }
    const ration_status status = read_into(v, path, error);
    if (status != RATION_OK) {
        ration_serving_free(v);
        return status;
    }
    *serving = v;
    return RATION_OK;
}

void ration_serving_free(ration_serving *serving)
{
    if (serving == NULL) {
        return;
    }
    ration_program_free(serving->program);
    ration_document_free(serving->document);
    ration_catalog_free(serving->catalog);
    rn_arena_free(&serving->arena);
    free(serving);
}

const ration_program *ration_serving_program(const ration_serving *serving)
{
    return serving->program;
}

/* Weight served per money and hour of a result; 0 when it has none. */
static ration_status ratio_of(const ration_serving *v, const ration_result *result, double *ratio,
                              ration_error *error)
{
    rn_serving_plan *plan = NULL;
    double weight = 0.0;
    RATION_TRY(rn_serving_plan_make(v, result, &plan, error));
    for (int32_t w = 0; w < v->scenario.workloads; w++) {
        weight += plan->served[w] ? v->scenario.workload[w].weight : 0.0;
    }
    *ratio = plan->money.total > 0.0 && weight > 0.0 ? weight / plan->money.total : 0.0;
    rn_serving_plan_free(plan);
    return RATION_OK;
}

/* ration_solve, beginning with a plan of our own unless the run has one. */
static ration_status solve_once(const ration_serving *v, const ration_run *run,
                                ration_result **result, ration_error *error)
{
    const int32_t items = ration_program_items(v->program);
    assert(items > 0);
    ration_run with = *run;
    int32_t *pick = malloc((size_t)items * sizeof *pick);
    if (pick == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "out of memory for a start plan");
    }
    ration_status status = rn_serving_start(v, pick, error);
    with.start = run->start != NULL ? run->start : pick;
    status = status == RATION_OK ? ration_solve(v->program, &with, result, error) : status;
    free(pick);
    return status;
}

/* One round of ration_serving_solve for a ratio: *better says whether `next` beats the price of
 * money it was found with. */
static ration_status solve_round(ration_serving *serving, const ration_run *run, int32_t round,
                                 ration_result **next, double *ratio, ration_error *error)
{
    ration_run part = *run;
    part.time_us = run->time_us < 0 ? run->time_us : run->time_us * (round + 1) / RATIO_ROUNDS;
    assert(round >= 0 && round < RATIO_ROUNDS);
    RATION_TRY(solve_once(serving, &part, next, error));
    const ration_status status = ratio_of(serving, *next, ratio, error);
    if (status != RATION_OK) {
        ration_result_free(*next);
    }
    return status;
}

/* Goes back to the program of an earlier price of money. */
static ration_status encode_at(ration_serving *serving, double ratio, ration_error *error)
{
    assert(ratio > 0.0);
    serving->ratio = ratio;
    return rn_serving_encode(serving, error);
}

/* Dinkelbach, Management Science 13 (1967) 492-498: maximise weight - ratio * money with the best
 * ratio so far, until no plan is above 0. In the last round `nothing at all` is as good as the best
 * plan, so the plan before it is kept, with its program. */
ration_status ration_serving_solve(ration_serving *serving, const ration_run *run,
                                   ration_result **result, ration_error *error)
{
    if (serving->scenario.objective != RN_SERVING_BENEFIT_PER_COST) {
        return solve_once(serving, run, result, error);
    }
    ration_result *best = NULL;
    double best_ratio = -1.0;
    double priced_at = serving->ratio;
    for (int32_t round = 0; round < RATIO_ROUNDS; round++) {
        ration_result *next = NULL;
        double ratio = 0.0;
        ration_status status = solve_round(serving, run, round, &next, &ratio, error);
        const bool better = status == RATION_OK && ratio > best_ratio * (1.0 + 1e-6);
        if (status == RATION_OK && !better) {
            ration_result_free(next);
            status = encode_at(serving, priced_at, error);
        }
        if (better) {
            ration_result_free(best);
            best = next;
            best_ratio = ratio;
            priced_at = serving->ratio;
        }
        if (status != RATION_OK) {
            ration_result_free(best);
            return status;
        }
        if (!better || ratio <= 0.0 || round + 1 == RATIO_ROUNDS || ration_result_stopped(best)) {
            break;
        }
        status = encode_at(serving, ratio, error);
        if (status != RATION_OK) {
            ration_result_free(best);
            return status;
        }
    }
    *result = best;
    return RATION_OK;
}
