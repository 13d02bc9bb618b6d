/* The folder of a plan, checked: plan.json in the user's units, then the result inside it. */
#include "serving/check_plan.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serving/check.h"
#include "serving/emit.h"
#include "serving/read.h"

enum { NAME_BYTES = 512 };

/* ---- values of plan.json ---- */

ration_status rn_check_fail(const ration_node *node, ration_error *error, const char *format, ...)
{
    char what[RATION_ERROR_TEXT_MAX];
    char where[RATION_ERROR_TEXT_MAX];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return ration_error_set(error, RATION_E_MISMATCH, "%s: %s",
                            ration_node_where(node, where, sizeof where), what);
}

ration_status rn_check_number(const ration_node *map, const char *key, double *value,
                              ration_error *error)
{
    const ration_node *node = NULL;
    RATION_TRY(ration_node_need(map, key, &node, error));
    return ration_node_real(node, -1e300, 1e300, value, error);
}

ration_status rn_check_same(const ration_node *map, const char *key, double expected,
                            ration_error *error)
{
    double value = 0.0;
    RATION_TRY(rn_check_number(map, key, &value, error));
    if (fabs(value - expected) <= 1e-5 + 1e-6 * fabs(expected)) {
        return RATION_OK;
    }
    return rn_check_fail(ration_node_find(map, key), error, "%.9g, expected %.9g", value, expected);
}

ration_status rn_check_text(const ration_node *map, const char *key, const char **text,
                            ration_error *error)
{
    const ration_node *node = NULL;
    RATION_TRY(ration_node_need(map, key, &node, error));
    return ration_node_text(node, false, text, error);
}

ration_status rn_check_word(const ration_node *map, const char *key, const char *expected,
                            ration_error *error)
{
    const char *text = NULL;
    RATION_TRY(rn_check_text(map, key, &text, error));
    return strcmp(text, expected) == 0 ? RATION_OK
                                       : rn_check_fail(ration_node_find(map, key), error,
                                                       "\"%s\", expected \"%s\"", text, expected);
}

ration_status rn_check_count(const ration_node *map, const char *key, int32_t low, int32_t high,
                             int32_t *value, ration_error *error)
{
    const ration_node *node = NULL;
    int64_t wide = 0;
    RATION_TRY(ration_node_need(map, key, &node, error));
    RATION_TRY(ration_node_integer(node, low, high, &wide, error));
    *value = (int32_t)wide;
    return RATION_OK;
}

/* ---- replicas ---- */

static ration_status read_head(rn_check *c, ration_error *error)
{
    static const char *const words[] = {"optimal", "feasible", "infeasible", "unknown"};
    const ration_node *status = NULL;
    const ration_node *result = NULL;
    int32_t word = 0;
    RATION_TRY(rn_check_word(c->plan, "format", "ration-plan-1", error));
    RATION_TRY(rn_check_word(c->plan, "scenario", RN_SERVING_SCENARIO_COPY, error));
    RATION_TRY(ration_node_need(c->plan, "status", &status, error));
    RATION_TRY(ration_node_word(status, words, 4, &word, error));
    RATION_TRY(ration_node_need(c->plan, "result", &result, error));
    RATION_TRY(rn_check_word(result, "status", words[word], error));
    RATION_TRY(rn_check_word(c->plan, "name", c->s->name, error));
    c->status = (ration_plan_status)word;
    assert(word >= 0 && word < 4);
    c->kept = c->status == RATION_PLAN_OPTIMAL || c->status == RATION_PLAN_FEASIBLE;
    return rn_check_word(c->plan, "engine", c->s->engine_name, error);
}

static ration_status read_workload(rn_check *c, int32_t w, const ration_node *node,
                                   ration_error *error)
{
    const ration_node *list = ration_node_find(node, "replicas");
    const ration_node *served = NULL;
    RATION_TRY(rn_check_word(node, "name", c->s->workload[w].name, error));
    RATION_TRY(ration_node_need(node, "served", &served, error));
    RATION_TRY(ration_node_bool(served, &c->served[w], error));
    for (int32_t i = 0; i < ration_node_count(list); i++) {
        rn_check_replica *r = &c->replica[c->replicas];
        r->workload = w;
        RATION_TRY(rn_check_replica_read(c, ration_node_at(list, i), r, error));
        RATION_TRY(rn_check_replica_figures(c, r, error));
        c->replicas++;
    }
    return RATION_OK;
}

static ration_status read_replicas(rn_check *c, ration_error *error)
{
    const ration_node *workloads = NULL;
    int64_t total = 0;
    RATION_TRY(ration_node_need(c->plan, "workloads", &workloads, error));
    RATION_TRY(ration_node_list(workloads, c->s->workloads, c->s->workloads, error));
    for (int32_t w = 0; w < c->s->workloads; w++) {
        const ration_node *list = NULL;
        RATION_TRY(ration_node_map(ration_node_at(workloads, w), error));
        RATION_TRY(ration_node_need(ration_node_at(workloads, w), "replicas", &list, error));
        RATION_TRY(ration_node_list(list, 0, RN_SERVING_REPLICAS_MAX, error));
        total += ration_node_count(list);
    }
    RATION_TRY(rn_arena_take(&c->arena, total, sizeof *c->replica, &c->replica, error));
    RATION_TRY(rn_arena_take(&c->arena, c->s->workloads, sizeof *c->served, &c->served, error));
    for (int32_t w = 0; w < c->s->workloads; w++) {
        RATION_TRY(read_workload(c, w, ration_node_at(workloads, w), error));
    }
    return RATION_OK;
}

/* ---- the result ---- */

/* The GPUs of a replica are what its place stands for. */
static ration_status check_place(const rn_check *c, const rn_check_replica *r, int32_t place,
                                 ration_error *error)
{
    const rn_serving_place *p = &c->v->places.place[place];
    assert(place >= 0 && place < c->v->places.places);
    int32_t inside = 0;
    for (int32_t i = 0; i < p->cells; i++) {
        const rn_serving_cell *cell = &c->v->places.cell[p->cell[i]];
        int32_t here = 0;
        for (int32_t k = 0; k < r->seats; k++) {
            const rn_check_seat *seat = &r->seat[k];
            for (int32_t g = seat->first; g < seat->first + seat->gpus; g++) {
                here +=
                    seat->machine == cell->machine && g >= cell->gpu && g < cell->gpu + cell->gpus
                        ? 1
                        : 0;
            }
        }
        inside += here == p->gpus_per_cell ? here : 0;
    }
    return inside == r->tp * r->pp
               ? RATION_OK
               : rn_check_fail(r->node, error, "its GPUs are not those that the result picked");
}

/* The picks of the result, `none` and `unserved` aside, are the replicas in their order. */
static ration_status check_picks(const rn_check *c, const ration_result *result,
                                 ration_error *error)
{
    const ration_program *program = c->v->program;
    const ration_node *workloads = ration_node_find(c->plan, "workloads");
    int32_t at = 0;
    char name[NAME_BYTES];
    if (!ration_result_has_picks(result)) {
        return c->replicas == 0 ? RATION_OK
                                : rn_check_fail(workloads, error, "the result has no picks");
    }
    for (int32_t i = 0; i < ration_program_items(program); i++) {
        int32_t place = RATION_NONE;
        int32_t mode = RATION_NONE;
        if (!ration_program_option(program, i, ration_result_pick(result, i), &place, &mode)) {
            return ration_error_set(error, RATION_E_INTERNAL, "item %d picks no option", i);
        }
        if (mode == c->v->none_mode || mode == c->v->unserved_mode) {
            continue;
        }
        ration_program_item_name(program, i, name, sizeof name);
        const rn_check_replica *r = at < c->replicas ? &c->replica[at] : NULL;
        if (r == NULL || strcmp(r->name, name) != 0) {
            return rn_check_fail(r == NULL ? workloads : r->node, error,
                                 "the result picked a replica %s, which is not here", name);
        }
        ration_program_mode_name(program, mode, name, sizeof name);
        if (strcmp(r->mode_name, name) != 0) {
            return rn_check_fail(r->node, error, "the result picked the mode %s", name);
        }
        RATION_TRY(check_place(c, r, place, error));
        at++;
    }
    return at == c->replicas
               ? RATION_OK
               : rn_check_fail(c->replica[at].node, error, "the result did not pick this replica");
}

static ration_status check_result(rn_check *c, ration_error *error)
{
    const ration_node *map = ration_node_find(c->plan, "result");
    ration_result *result = NULL;
    if (c->s->objective == RN_SERVING_BENEFIT_PER_COST) {
        RATION_TRY(rn_check_number(c->plan, "benefit_ratio", &c->v->ratio, error));
        RATION_TRY(rn_serving_encode(c->v, error));
    }
    RATION_TRY(ration_result_read(map, c->v->program, &result, error));
    ration_status status = ration_verify(c->v->program, result, error);
    if (status == RATION_OK && ration_result_status(result) != c->status) {
        status = rn_check_fail(map, error, "its status is not that of the plan");
    }
    status = status == RATION_OK ? check_picks(c, result, error) : status;
    const double gap = ration_result_gap_percent(result);
    ration_result_free(result);
    RATION_TRY(status);
    const ration_node *shown = NULL;
    RATION_TRY(ration_node_need(c->plan, "gap_percent", &shown, error));
    if (gap < 0.0) {
        return ration_node_kind(shown) == RATION_KIND_NULL
                   ? RATION_OK
                   : rn_check_fail(shown, error, "expected null");
    }
    return rn_check_same(c->plan, "gap_percent", gap, error);
}

/* Options left out, by reason; a plan that keeps all limits lists none that is broken, and another
 * says what it breaks. */
static ration_status check_remarks(const rn_check *c, ration_error *error)
{
    const ration_node *dropped = NULL;
    const ration_node *violations = NULL;
    int32_t at = 0;
    RATION_TRY(ration_node_need(c->plan, "dropped", &dropped, error));
    for (int32_t w = 0; w < c->s->workloads; w++) {
        for (int32_t d = 0; d < RN_SERVING_DROPS; d++) {
            if (c->v->options[w].dropped[d] == 0) {
                continue;
            }
            const ration_node *entry = ration_node_at(dropped, at++);
            if (entry == NULL) {
                return rn_check_fail(dropped, error, "an entry is missing");
            }
            RATION_TRY(rn_check_word(entry, "workload", c->s->workload[w].name, error));
            RATION_TRY(rn_check_word(entry, "reason", rn_serving_drop_text(d), error));
            RATION_TRY(rn_check_same(entry, "count", (double)c->v->options[w].dropped[d], error));
        }
    }
    if (ration_node_count(dropped) != at) {
        return rn_check_fail(dropped, error, "%d entries, expected %d", ration_node_count(dropped),
                             at);
    }
    RATION_TRY(ration_node_need(c->plan, "violations", &violations, error));
    if (c->kept == (ration_node_count(violations) > 0)) {
        return rn_check_fail(violations, error, "%d entries with the status of this plan",
                             ration_node_count(violations));
    }
    return RATION_OK;
}

static ration_status check_all(rn_check *c, ration_error *error)
{
    RATION_TRY(ration_node_map(c->plan, error));
    RATION_TRY(read_head(c, error));
    RATION_TRY(read_replicas(c, error));
    RATION_TRY(rn_check_sums(c, error));
    RATION_TRY(rn_check_configs(c, error));
    RATION_TRY(check_remarks(c, error));
    return check_result(c, error);
}

ration_status ration_serving_verify_dir(const char *dir, ration_plan_status *status,
                                        ration_error *error)
{
    rn_check c;
    ration_document *document = NULL;
    const char *path = NULL;
    const char *scenario = NULL;
    memset(&c, 0, sizeof c);
    c.dir = dir;
    ration_status done = rn_arena_text(&c.arena, &path, error, "%s/plan.json", dir);
    done = done == RATION_OK
               ? rn_arena_text(&c.arena, &scenario, error, "%s/%s", dir, RN_SERVING_SCENARIO_COPY)
               : done;
    done = done == RATION_OK ? ration_document_read(path, &document, error) : done;
    done = done == RATION_OK ? ration_serving_read(scenario, &c.v, error) : done;
    if (done == RATION_OK) {
        c.s = &c.v->scenario;
        c.plan = ration_document_root(document);
        done = check_all(&c, error);
    }
    if (done == RATION_OK) {
        *status = c.status;
    }
    ration_serving_free(c.v);
    ration_document_free(document);
    rn_arena_free(&c.arena);
    return done;
}
