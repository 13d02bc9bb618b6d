/* Building the program: modes, places, the replicas of each workload and their options. */
#include "serving/encode.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "serving/read.h"

enum {
    ROLE_MEMORY = 0,
    ROLE_TIME = 1,
    ROLE_TENANTS = 2,
    ROLE_PCIE = 3,
    ROLE_NETWORK = 4,
    ROLE_FIRST = 5, /* of the workloads */
    USES_MAX = 8,
    NAME_BYTES = 512
};

static const double TINY = 1e-9; /* of a whole: below it a fraction is rounding */

int64_t rn_serving_units(const ration_serving *v, double money)
{
    const double units = money * v->money_unit;
    assert(money >= 0.0 && v->money_unit > 0.0);
    assert(units < 9e18);
    return (int64_t)ceil(units - TINY * fmax(1.0, units));
}

int64_t rn_serving_rate_units(const ration_serving *v, int32_t workload, double rate_per_s)
{
    const double part = rate_per_s / v->scenario.workload[workload].rate_per_s;
    assert(part > 0.0 && v->group[workload].rate_unit > 0);
    return (int64_t)floor(v->group[workload].rate_unit * part * (1.0 + TINY));
}

int64_t rn_serving_option_units(const ration_serving *v, const rn_serving_option *option)
{
    return rn_serving_units(v, option->rent) + rn_serving_units(v, option->energy) +
           rn_serving_units(v, option->latency_penalty) +
           rn_serving_units(v, option->quality_penalty);
}

static int64_t megabytes(double bytes)
{
    return (int64_t)ceil(bytes / 1e6 - TINY);
}

/* Rows that a role of workload w means at a place: row[..], at most `room`; returns their number.
 */
static int32_t role_rows(const ration_serving *v, const rn_serving_place *p,
                         const rn_serving_group *g, int32_t role, int32_t *row)
{
    const rn_serving_scenario *s = &v->scenario;
    const int32_t span = v->set_class[p->place_class].span;
    int32_t rows = 0;
    assert(span >= 1 && p->machine + span <= s->machines);
    if (role <= ROLE_TENANTS) {
        const int32_t *of =
            role == ROLE_MEMORY ? v->memory_row : (role == ROLE_TIME ? v->time_row : v->tenant_row);
        for (int32_t i = 0; i < p->cells; i++) {
            row[rows] = of[p->cell[i]];
            rows += row[rows] != RATION_NONE ? 1 : 0;
        }
        return rows;
    }
    if (role < ROLE_FIRST) {
        const int32_t *of = role == ROLE_PCIE ? v->pcie_row : v->network_row;
        for (int32_t k = 0; k < span; k++) {
            row[rows] = of[p->machine + k];
            rows += row[rows] != RATION_NONE ? 1 : 0;
        }
        return rows;
    }
    if (role == ROLE_FIRST) {
        row[rows++] = g->rate_row;
        row[rows] = g->carried_row;
        return rows + (g->carried_row != RATION_NONE ? 1 : 0);
    }
    if (role == ROLE_FIRST + 1) {
        row[rows] = g->count_row;
        return g->count_row != RATION_NONE ? 1 : 0;
    }
    for (int32_t k = 0; k < span && g->left_row != RATION_NONE; k++) {
        const int32_t of = g->left_row + s->machine[p->machine + k].domain;
        bool listed = false;
        for (int32_t i = 0; i < rows; i++) {
            listed = listed || row[i] == of;
        }
        row[rows] = of;
        rows += listed ? 0 : 1;
    }
    return rows;
}

/* What an option loads: role (ROLE_FIRST .. + 2 stand for the workload's own) and amount of every
 * row of it. */
static int32_t option_uses(const ration_serving *v, int32_t workload, const rn_serving_option *o,
                           ration_use *use)
{
    const rn_serving_group *g = &v->group[workload];
    const rn_serving_class *set = &v->set_class[o->place_class];
    const int64_t rate = rn_serving_rate_units(v, workload, o->rate_per_s);
    const ration_use all[USES_MAX] = {
        {ROLE_MEMORY,
         rn_serving_coarse(&v->scenario) ? 0 : (int64_t)ceil(o->memory_bytes / 1048576.0)},
        {ROLE_TIME, (int64_t)o->share * v->per_cell[o->place_class]},
        {ROLE_TENANTS, rn_serving_coarse(&v->scenario) ? 0 : 1},
        {ROLE_PCIE, set->tier == RN_PERF_PCIE ? megabytes(o->pcie_bytes_per_s) : 0},
        {ROLE_NETWORK, set->cross ? megabytes(o->network_bytes_per_s) : 0},
        {ROLE_FIRST, rate},
        {ROLE_FIRST + 1, g->count_row != RATION_NONE ? 1 : 0},
        {ROLE_FIRST + 2, g->left_row != RATION_NONE ? -rate : 0},
    };
    int32_t uses = 0;
    for (int32_t i = 0; i < USES_MAX; i++) {
        use[uses] = all[i];
        uses += all[i].amount != 0 ? 1 : 0;
    }
    assert(uses >= 2 && uses <= USES_MAX);
    return uses;
}

/* Number of the role of a workload's own rows in the program. */
static int32_t role_number(const rn_serving_group *g, int32_t role)
{
    const int32_t after_count = g->count_row != RATION_NONE ? 2 : 1;
    return role <= ROLE_FIRST
               ? g->first_role
               : (role == ROLE_FIRST + 1 ? g->first_role + 1 : g->first_role + after_count);
}

static ration_status add_entry(ration_serving *v, int32_t item, const rn_serving_group *g,
                               const ration_entry *entry, ration_error *error)
{
    ration_use use[USES_MAX];
    ration_entry made = *entry;
    assert(entry->uses > 0 && entry->uses <= USES_MAX);
    for (int32_t i = 0; i < entry->uses; i++) {
        use[i] = entry->use[i];
        use[i].row = use[i].row < ROLE_FIRST ? use[i].row : role_number(g, use[i].row);
    }
    made.use = use;
    return ration_program_add_entry(v->program, item, &made, error);
}

/* ---- modes and places ---- */

static const char *const WEIGHT_NAMES[] = {"fp16", "bf16", "fp8", "int8", "w8a8", "int4", "fp4"};
static const char *const KV_NAMES[] = {"16", "fp8", "int8"};

const char *rn_serving_weights_name(rn_perf_weights weights)
{
    assert((int32_t)weights >= 0 && weights < RN_PERF_WEIGHTS_COUNT);
    return WEIGHT_NAMES[weights];
}

const char *rn_serving_kv_name(rn_perf_kv kv)
{
    assert((int32_t)kv >= 0 && kv < RN_PERF_KV_COUNT);
    return KV_NAMES[kv];
}

static ration_status add_modes(ration_serving *v, ration_error *error)
{
    char name[NAME_BYTES];
    RATION_TRY(ration_program_add_mode(v->program, "none", false, &v->none_mode, error));
    RATION_TRY(ration_program_add_mode(v->program, "unserved", false, &v->unserved_mode, error));
    for (int32_t w = 0; w < v->scenario.workloads; w++) {
        for (int32_t k = 0; k < v->options[w].options; k++) {
            const rn_serving_option *o = &v->options[w].option[k];
            const rn_serving_class *set = &v->set_class[o->place_class];
            int32_t mode = 0;
            snprintf(name, sizeof name, "%s:%sx%d%s-tp%d-pp%d-%s-kv%s-batch%d%s-share%d-rate%.6g",
                     v->scenario.workload[w].name, v->scenario.node[set->node].name, set->gpus,
                     set->tier == RN_PERF_PCIE ? "-pcie" : "", o->tp, o->pp,
                     WEIGHT_NAMES[o->weights], KV_NAMES[o->kv], o->batch, o->flash ? "-flash" : "",
                     o->share, o->rate_per_s);
            RATION_TRY(ration_program_add_mode(v->program, name, false, &mode, error));
            v->group[w].first_mode = k == 0 ? mode : v->group[w].first_mode;
        }
    }
    return RATION_OK;
}

/* "server-1/0-3", "server-1+3" over several machines; "server-1/0-7x2" for two GPUs of an island
 * counted together. */
static void place_name(const ration_serving *v, const rn_serving_place *p, char *name, size_t size)
{
    const rn_serving_scenario *s = &v->scenario;
    const rn_serving_class *set = &v->set_class[p->place_class];
    const rn_serving_cell *first = &v->places.cell[p->cell[0]];
    const rn_serving_cell *last = &v->places.cell[p->cell[p->cells - 1]];
    if (set->cross) {
        snprintf(name, size, "%s+%d", s->machine[p->machine].name, set->span - 1);
        return;
    }
    const int32_t end = last->gpu + last->gpus - 1;
    assert(first->machine == last->machine && end >= first->gpu);
    int length = snprintf(name, size, "%s/%d", s->machine[p->machine].name, first->gpu);
    if (end > first->gpu) {
        length += snprintf(name + length, size - (size_t)length, "-%d", end);
    }
    if (rn_serving_coarse(s)) {
        snprintf(name + length, size - (size_t)length, "x%d", set->gpus);
    }
}

static ration_status add_places(ration_serving *v, ration_error *error)
{
    char name[NAME_BYTES];
    for (int32_t p = 0; p < v->places.places; p++) {
        int32_t place = 0;
        place_name(v, &v->places.place[p], name, sizeof name);
        RATION_TRY(ration_program_add_place(v->program, name, v->places.place[p].place_class,
                                            &place, error));
        assert(place == p); /* the program numbers places as we do */
    }
    return RATION_OK;
}

static ration_status set_roles(ration_serving *v, int32_t *row, ration_error *error)
{
    for (int32_t p = 0; p < v->places.places; p++) {
        const rn_serving_place *place = &v->places.place[p];
        for (int32_t role = 0; role < ROLE_FIRST; role++) {
            const int32_t rows = role_rows(v, place, NULL, role, row);
            if (rows > 0) {
                RATION_TRY(ration_program_set_role(v->program, p, role, rows, row, error));
            }
        }
        for (int32_t w = 0; w < v->scenario.workloads; w++) {
            const rn_serving_group *g = &v->group[w];
            for (int32_t role = ROLE_FIRST; role < ROLE_FIRST + 3; role++) {
                const int32_t rows = role_rows(v, place, g, role, row);
                if (rows > 0) {
                    RATION_TRY(ration_program_set_role(v->program, p, role_number(g, role), rows,
                                                       row, error));
                }
            }
        }
    }
    return RATION_OK;
}

/* ---- items ---- */

static ration_status add_unserved(ration_serving *v, int32_t w, int32_t item, ration_error *error)
{
    const rn_serving_group *g = &v->group[w];
    const rn_serving_workload *workload = &v->scenario.workload[w];
    const bool priced = v->scenario.objective != RN_SERVING_LEAST_COST && !workload->served.given;
    ration_use use[USES_MAX];
    double most = 0.0;
    for (int32_t i = 0; i < v->scenario.workloads; i++) {
        most = fmax(most, v->scenario.workload[i].weight);
    }
    ration_option option = {RATION_NONE, v->unserved_mode, RATION_DIMENSION_OTHER, 0, 0, use};
    use[option.uses].row = g->served_row;
    use[option.uses++].amount =
        most > 0.0 ? (int64_t)fmax(1.0, round(20.0 * workload->weight / most)) : 1;
    use[option.uses].row = g->rate_row;
    use[option.uses++].amount = g->rate_unit;
    if (g->count_row != RATION_NONE) {
        use[option.uses].row = g->count_row;
        use[option.uses++].amount = g->least_replicas;
    }
    if (g->carried_row != RATION_NONE) {
        use[option.uses].row = g->carried_row;
        use[option.uses++].amount = g->least_left;
    }
    assert(option.uses >= 2 && option.uses <= USES_MAX && option.cost == 0);
    if (priced) {
        option.cost = (int64_t)ceil(workload->weight * RN_SERVING_WEIGHT_UNIT);
    } else {
        option.cost = rn_serving_units(v, workload->served.hard ? rn_serving_all_money(&v->scenario)
                                                                : workload->served.penalty);
    }
    return ration_program_add_option(v->program, item, &option, error);
}

/* Refuses costs of which 64 bits could not add up a few. */
static ration_status check_costs(const ration_serving *v, int32_t w, ration_error *error)
{
    const double most = (double)((int64_t)1 << 60) / v->money_unit;
    for (int32_t i = 0; i < v->options[w].options; i++) {
        const double cost = rn_serving_option_cost(&v->options[w].option[i]);
        if (!(cost < most)) {
            return ration_node_fail(v->scenario.workload[w].at, error,
                                    "a replica would cost %.3g an hour, penalties included; below "
                                    "%.3g was expected: lower penalty_per_unit",
                                    cost, most);
        }
    }
    return RATION_OK;
}

static ration_status add_item(ration_serving *v, int32_t w, int32_t k, ration_error *error)
{
    const rn_serving_group *g = &v->group[w];
    char name[NAME_BYTES];
    int32_t item = 0;
    ration_use use[USES_MAX];
    snprintf(name, sizeof name, "%s/%d", v->scenario.workload[w].name, k + 1);
    RATION_TRY(ration_program_add_item(v->program, name, &item, error));
    const ration_option none = {RATION_NONE, v->none_mode, RATION_DIMENSION_MONEY, 0, 0, NULL};
    if (v->options[w].options > 0) {
        RATION_TRY(ration_program_add_option(v->program, item, &none, error));
    }
    if (k == 0) {
        RATION_TRY(add_unserved(v, w, item, error));
    }
    for (int32_t i = 0; i < v->options[w].options; i++) {
        const rn_serving_option *o = &v->options[w].option[i];
        ration_entry entry = {g->first_mode + i,
                              o->place_class,
                              RATION_DIMENSION_MONEY,
                              rn_serving_option_units(v, o),
                              0,
                              use};
        entry.uses = option_uses(v, w, o, use);
        RATION_TRY(add_entry(v, item, g, &entry, error));
    }
    return RATION_OK;
}

ration_status rn_serving_items_add(ration_serving *v, ration_error *error)
{
    int32_t item[RN_SERVING_REPLICAS_MAX];
    for (int32_t w = 0; w < v->scenario.workloads; w++) {
        rn_serving_group *g = &v->group[w];
        const bool counted =
            g->count_row != RATION_NONE && v->scenario.workload[w].min_replicas.hard;
        const int32_t rows[2] = {g->rate_row, g->count_row};
        g->first_item = ration_program_items(v->program);
        RATION_TRY(check_costs(v, w, error));
        assert(g->items >= 1 && g->items <= RN_SERVING_REPLICAS_MAX);
        for (int32_t k = 0; k < g->items; k++) {
            item[k] = g->first_item + k;
            RATION_TRY(add_item(v, w, k, error));
        }
        RATION_TRY(
            ration_program_add_group(v->program, g->items, item, counted ? 2 : 1, rows, error));
    }
    return RATION_OK;
}

/* Gives every workload its roles: at most 3 of RN_SERVING_WORKLOADS_MAX each, and ROLE_FIRST. */
static void assign_roles(ration_serving *v)
{
    int32_t next = ROLE_FIRST;
    for (int32_t w = 0; w < v->scenario.workloads; w++) {
        rn_serving_group *g = &v->group[w];
        const int32_t needed =
            1 + (g->count_row != RATION_NONE ? 1 : 0) + (g->left_row != RATION_NONE ? 1 : 0);
        g->first_role = next;
        next += needed;
        assert(needed >= 1 && needed <= 3);
    }
}

static ration_status set_objective(ration_serving *v, ration_error *error)
{
    double weight = 0.0;
    for (int32_t w = 0; w < v->scenario.workloads; w++) {
        weight += ceil(v->scenario.workload[w].weight * RN_SERVING_WEIGHT_UNIT);
    }
    if (v->scenario.objective == RN_SERVING_LEAST_COST) {
        v->money_unit = 1e6;
        return ration_program_set_objective(v->program, RATION_MINIMISE, 0, 6, error);
    }
    const double all = fmax(1e-6, rn_serving_all_money(&v->scenario));
    v->money_unit = v->scenario.objective == RN_SERVING_SATISFIED_WEIGHT
                        ? 1e-3 * RN_SERVING_WEIGHT_UNIT / all
                        : v->ratio * RN_SERVING_WEIGHT_UNIT;
    assert(all > 0.0 && v->money_unit > 0.0 && weight >= 0.0);
    return ration_program_set_objective(v->program, RATION_MAXIMISE, (int64_t)weight, 8, error);
}

ration_status rn_serving_encode(ration_serving *v, ration_error *error)
{
    ration_program_free(v->program);
    v->program = NULL;
    RATION_TRY(ration_program_create(0, &v->program, error));
    RATION_TRY(rn_arena_take(&v->arena,
                             v->places.cells + v->scenario.domains + v->scenario.machines,
                             sizeof *v->scratch_row, &v->scratch_row, error));
    RATION_TRY(set_objective(v, error));
    RATION_TRY(rn_serving_rows_add(v, error));
    assign_roles(v);
    RATION_TRY(add_modes(v, error));
    RATION_TRY(add_places(v, error));
    RATION_TRY(set_roles(v, v->scratch_row, error));
    RATION_TRY(rn_serving_items_add(v, error));
    return ration_program_freeze(v->program, error);
}
