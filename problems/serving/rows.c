/* Building the program: its rows, and how many replicas a workload could need. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "serving/encode.h"
#include "serving/read.h"

/* TENANTS_MAX: twice the replicas that quarter shares let on one GPU. RATE_FINE, RATE_COARSE: units
 * of a workload's rate, the least common multiples of 1 to 10 and of 1 to 8, so that equal parts of
 * it are whole; the small one keeps loads small enough for exact bounds by dynamic programming. */
enum { TENANTS_MAX = 8, NAME_BYTES = 512, RATE_FINE = 5040, RATE_COARSE = 840 };

double rn_serving_all_money(const rn_serving_scenario *s)
{
    double money = 0.0;
    for (int32_t n = 0; n < s->nodes; n++) {
        const rn_serving_node *node = &s->node[n];
        const double energy =
            rn_perf_energy_kwh(s->gpu[node->gpu].perf.tdp_w, 1.0, s->pue) * s->kwh_price;
        money += (double)node->count * node->gpus * (node->price_per_gpu_hour + energy);
    }
    return money;
}

/* "server-1/3" or "server-1/0-7" */
static void cell_name(const ration_serving *v, const char *what, const rn_serving_cell *cell,
                      char *name, size_t size)
{
    const char *machine = v->scenario.machine[cell->machine].name;
    if (cell->gpus == 1) {
        snprintf(name, size, "%s:%s/%d", what, machine, cell->gpu);
    } else {
        snprintf(name, size, "%s:%s/%d-%d", what, machine, cell->gpu, cell->gpu + cell->gpus - 1);
    }
}

/* Rent and idle energy of the unused part of the last GPU that is in use: a tooth per GPU. */
static ration_status price_time(ration_serving *v, int32_t row, const rn_serving_cell *cell,
                                ration_error *error)
{
    const rn_serving_scenario *s = &v->scenario;
    const rn_serving_node *node = &s->node[s->machine[cell->machine].node];
    const double idle =
        rn_perf_energy_kwh(s->gpu[node->gpu].perf.idle_w, 1.0, s->pue) * s->kwh_price;
    const int64_t each =
        rn_serving_units(v, node->price_per_gpu_hour / 100.0) + rn_serving_units(v, idle / 100.0);
    ration_piece piece[RN_SERVING_NODE_GPUS_MAX + 2] = {{0, 0, 0}};
    for (int32_t k = 0; k < cell->gpus; k++) {
        const ration_piece tooth = {100 * k + 1, 99 * each, -each};
        piece[k + 1] = tooth;
    }
    const ration_piece end = {(int64_t)100 * cell->gpus + 1, 0, 0};
    assert(cell->gpus >= 1 && cell->gpus <= RN_SERVING_NODE_GPUS_MAX && each >= 0);
    piece[cell->gpus + 1] = end;
    return ration_program_set_row_cost(v->program, row, cell->gpus + 2, piece, error);
}

/* Memory of one GPU: what n tenants lose to fragmentation is fed from the number of tenants. */
static ration_status add_memory(ration_serving *v, int32_t c, const rn_serving_cell *cell,
                                ration_error *error)
{
    const rn_serving_scenario *s = &v->scenario;
    const rn_serving_node *node = &s->node[s->machine[cell->machine].node];
    const double mebibytes = s->gpu[node->gpu].perf.memory_bytes / 1048576.0;
    char name[NAME_BYTES];
    ration_piece piece[TENANTS_MAX + 1] = {{0, 0, 0}};
    for (int32_t n = 1; n <= TENANTS_MAX; n++) {
        piece[n].start = n;
        piece[n].value = (int64_t)ceil(mebibytes * (1.0 - rn_serving_usable_part(n)));
        assert(piece[n].value >= piece[n - 1].value && (double)piece[n].value < mebibytes);
    }
    cell_name(v, "memory", cell, name, sizeof name);
    RATION_TRY(ration_program_add_row(v->program, name, RATION_DIMENSION_MEMORY, 0, RATION_LOW_FREE,
                                      (int64_t)floor(mebibytes), &v->memory_row[c], error));
    cell_name(v, "tenants", cell, name, sizeof name);
    RATION_TRY(ration_program_add_row(v->program, name, RATION_DIMENSION_OTHER, 0, RATION_LOW_FREE,
                                      RATION_HIGH_FREE, &v->tenant_row[c], error));
    return ration_program_add_feed(v->program, v->tenant_row[c], v->memory_row[c], TENANTS_MAX + 1,
                                   piece, error);
}

static ration_status add_cells(ration_serving *v, ration_error *error)
{
    const int32_t cells = v->places.cells;
    char name[NAME_BYTES];
    RATION_TRY(rn_arena_take(&v->arena, cells, sizeof *v->memory_row, &v->memory_row, error));
    RATION_TRY(rn_arena_take(&v->arena, cells, sizeof *v->tenant_row, &v->tenant_row, error));
    RATION_TRY(rn_arena_take(&v->arena, cells, sizeof *v->time_row, &v->time_row, error));
    for (int32_t c = 0; c < cells; c++) {
        const rn_serving_cell *cell = &v->places.cell[c];
        v->memory_row[c] = RATION_NONE;
        v->tenant_row[c] = RATION_NONE;
        if (!rn_serving_coarse(&v->scenario)) {
            RATION_TRY(add_memory(v, c, cell, error));
        }
        cell_name(v, "time", cell, name, sizeof name);
        RATION_TRY(ration_program_add_row(v->program, name, RATION_DIMENSION_MONEY, 0,
                                          RATION_LOW_FREE, (int64_t)100 * cell->gpus,
                                          &v->time_row[c], error));
        RATION_TRY(price_time(v, v->time_row[c], cell, error));
    }
    return RATION_OK;
}

/* A row whose limit is hard, or costs `penalty` a unit beyond it. */
static ration_status add_capped(ration_serving *v, const char *name, ration_dimension dimension,
                                int64_t offset, const rn_serving_limit *limit, int32_t *row,
                                ration_error *error)
{
    const int64_t cap = (int64_t)floor(limit->value);
    assert(limit->given && limit->penalty >= 0.0);
    RATION_TRY(ration_program_add_row(v->program, name, dimension, offset, RATION_LOW_FREE,
                                      limit->hard ? cap : RATION_HIGH_FREE, row, error));
    if (limit->hard) {
        return RATION_OK;
    }
    const ration_piece piece[2] = {{cap - 1, 0, 0}, {cap, 0, rn_serving_units(v, limit->penalty)}};
    return ration_program_set_row_cost(v->program, *row, 2, piece, error);
}

/* Power that a machine must be able to draw: TDP of the GPUs in use, idle power of the others. */
static ration_status add_power(ration_serving *v, int32_t m, ration_error *error)
{
    const rn_serving_scenario *s = &v->scenario;
    const rn_serving_node *node = &s->node[s->machine[m].node];
    const rn_perf_gpu *gpu = &s->gpu[node->gpu].perf;
    const int64_t idle = (int64_t)ceil(gpu->idle_w);
    const int64_t full = (int64_t)ceil(gpu->tdp_w);
    assert(idle >= 0 && idle <= full);
    char name[NAME_BYTES];
    v->power_row[m] = RATION_NONE;
    if (!node->power_w.given) {
        return RATION_OK;
    }
    snprintf(name, sizeof name, "power:%s", s->machine[m].name);
    RATION_TRY(add_capped(v, name, RATION_DIMENSION_ENERGY, (int64_t)ceil(node->host_w),
                          &node->power_w, &v->power_row[m], error));
    for (int32_t c = 0; c < v->places.cells; c++) {
        const rn_serving_cell *cell = &v->places.cell[c];
        ration_piece piece[RN_SERVING_NODE_GPUS_MAX + 1] = {{0, 0, 0}};
        if (cell->machine != m) {
            continue;
        }
        piece[0].value = idle * cell->gpus;
        for (int32_t k = 0; k < cell->gpus; k++) {
            const ration_piece step = {100 * k + 1, full * (k + 1) + idle * (cell->gpus - k - 1),
                                       0};
            piece[k + 1] = step;
        }
        RATION_TRY(ration_program_add_feed(v->program, v->time_row[c], v->power_row[m],
                                           cell->gpus + 1, piece, error));
    }
    return RATION_OK;
}

static bool has_sets(const ration_serving *v, int32_t node, bool cross)
{
    for (int32_t c = 0; c < v->classes; c++) {
        const rn_serving_class *set = &v->set_class[c];
        if (set->node == node && (cross ? set->cross : set->tier == RN_PERF_PCIE)) {
            return true;
        }
    }
    return false;
}

static ration_status add_link(ration_serving *v, int32_t m, const char *what, double bytes_per_s,
                              int32_t *row, ration_error *error)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s:%s", what, v->scenario.machine[m].name);
    return ration_program_add_row(v->program, name, RATION_DIMENSION_BANDWIDTH, 0, RATION_LOW_FREE,
                                  (int64_t)floor(RN_SERVING_LINK_PART * bytes_per_s / 1e6), row,
                                  error);
}

static ration_status add_machines(ration_serving *v, ration_error *error)
{
    const rn_serving_scenario *s = &v->scenario;
    RATION_TRY(rn_arena_take(&v->arena, s->machines, sizeof *v->power_row, &v->power_row, error));
    RATION_TRY(rn_arena_take(&v->arena, s->machines, sizeof *v->pcie_row, &v->pcie_row, error));
    RATION_TRY(
        rn_arena_take(&v->arena, s->machines, sizeof *v->network_row, &v->network_row, error));
    for (int32_t m = 0; m < s->machines; m++) {
        const rn_serving_node *node = &s->node[s->machine[m].node];
        RATION_TRY(add_power(v, m, error));
        v->pcie_row[m] = RATION_NONE;
        v->network_row[m] = RATION_NONE;
        if (has_sets(v, s->machine[m].node, false)) {
            RATION_TRY(add_link(v, m, "pcie", node->pcie_bytes_per_s * node->gpus, &v->pcie_row[m],
                                error));
        }
        if (has_sets(v, s->machine[m].node, true)) {
            RATION_TRY(
                add_link(v, m, "net", node->infiniband_bytes_per_s, &v->network_row[m], error));
        }
    }
    return RATION_OK;
}

/* ---- workloads ---- */

/* Highest rate of an option, by what is asked: per money, of the smallest set at a full share. */
static double rate_of_cheapest(const rn_serving_options *options)
{
    double rate = 0.0;
    double cost = INFINITY;
    for (int32_t i = 0; i < options->options; i++) {
        const double each =
            rn_serving_option_cost(&options->option[i]) / options->option[i].rate_per_s;
        rate = each < cost ? options->option[i].rate_per_s : rate;
        cost = fmin(cost, each);
    }
    return rate;
}

static double rate_of_smallest(const ration_serving *v, const rn_serving_options *options)
{
    double rate = 0.0;
    int32_t gpus = INT32_MAX;
    for (int32_t i = 0; i < options->options; i++) {
        const rn_serving_option *o = &options->option[i];
        const int32_t size = v->set_class[o->place_class].gpus;
        rate = size < gpus ? o->rate_per_s : (size == gpus ? fmax(rate, o->rate_per_s) : rate);
        gpus = size < gpus ? size : gpus;
    }
    return rate;
}

/* Replicas offered: twice what the fastest option needs, what the cheapest one per request needs,
 * what the smallest sets need up to SMALL_MAX, one more where failure domains ask for spread, and
 * the minimum. */
static int32_t replicas_needed(const ration_serving *v, int32_t w, int32_t least)
{
    enum { SMALL_MAX = 12 };
    const rn_serving_workload *workload = &v->scenario.workload[w];
    const rn_serving_options *options = &v->options[w];
    if (options->options == 0) {
        return 1;
    }
    const double need = workload->rate_per_s * (1.0 - 1e-9);
    const double most =
        workload->max_replicas > 0 ? workload->max_replicas : RN_SERVING_REPLICAS_MAX;
    double count = 2.0 * ceil(need / options->best_rate_per_s);
    count = fmax(count, ceil(need / rate_of_cheapest(options)) + 1.0);
    count = fmax(count, fmin(SMALL_MAX, ceil(need / rate_of_smallest(v, options)) + 1.0));
    count = fmax(count + (workload->survive.value > 0.0 ? 1.0 : 0.0), least + 1.0);
    count = fmin(count, 4.0 * v->scenario.gpu_total);
    assert(need > 0.0 && options->best_rate_per_s > 0.0 && least >= 0);
    return (int32_t)fmax(1.0, fmin(count, most));
}

/* A private row with a lower limit, hard or at `penalty` program units a unit below. */
static ration_status add_least(ration_serving *v, const char *name, int64_t low,
                               const rn_serving_limit *limit, int64_t penalty, int32_t *row,
                               ration_error *error)
{
    RATION_TRY(ration_program_add_row(v->program, name, RATION_DIMENSION_REDUNDANCY, 0,
                                      limit->hard ? low : RATION_LOW_FREE, RATION_HIGH_FREE, row,
                                      error));
    if (limit->hard) {
        return RATION_OK;
    }
    const ration_piece piece[2] = {{0, low * penalty, -penalty}, {low, 0, 0}};
    return ration_program_set_row_cost(v->program, *row, 2, piece, error);
}

static ration_status add_redundancy(ration_serving *v, int32_t w, ration_error *error)
{
    const rn_serving_scenario *s = &v->scenario;
    const rn_serving_workload *workload = &s->workload[w];
    rn_serving_group *g = &v->group[w];
    char name[NAME_BYTES];
    g->count_row = RATION_NONE;
    g->left_row = RATION_NONE;
    g->carried_row = RATION_NONE;
    if (g->least_replicas > 1) {
        const int64_t penalty = rn_serving_units(v, workload->min_replicas.penalty);
        snprintf(name, sizeof name, "replicas:%s", workload->name);
        RATION_TRY(add_least(v, name, g->least_replicas, &workload->min_replicas, penalty,
                             &g->count_row, error));
    }
    if (g->least_left > 0) {
        snprintf(name, sizeof name, "carried:%s", workload->name);
        RATION_TRY(ration_program_add_row(v->program, name, RATION_DIMENSION_OTHER, 0,
                                          RATION_LOW_FREE, RATION_HIGH_FREE, &g->carried_row,
                                          error));
    }
    for (int32_t d = 0; d < s->domains && g->least_left > 0; d++) {
        const ration_piece same = {0, 0, 1};
        const int64_t penalty = rn_serving_units(v, workload->survive.penalty / g->rate_unit);
        int32_t row = 0;
        snprintf(name, sizeof name, "left:%s/%s", workload->name, s->domain[d]);
        RATION_TRY(add_least(v, name, g->least_left, &workload->survive, penalty, &row, error));
        RATION_TRY(ration_program_add_feed(v->program, g->carried_row, row, 1, &same, error));
        g->left_row = d == 0 ? row : g->left_row;
        assert(row == g->left_row + d); /* a domain's row is found by counting */
    }
    return RATION_OK;
}

bool rn_serving_must_serve(const rn_serving_scenario *s, int32_t workload)
{
    const rn_serving_limit *served = &s->workload[workload].served;
    return served->hard && (served->given || s->objective == RN_SERVING_LEAST_COST);
}

static ration_status add_workload(ration_serving *v, int32_t w, ration_error *error)
{
    const rn_serving_workload *workload = &v->scenario.workload[w];
    const bool hard = rn_serving_must_serve(&v->scenario, w);
    rn_serving_group *g = &v->group[w];
    char name[NAME_BYTES];
    const bool spread =
        workload->survive.given && workload->survive.hard && workload->survive.value > 0.0;
    g->least_replicas = (int32_t)workload->min_replicas.value;
    if (spread && workload->min_replicas.hard && g->least_replicas < 2) {
        g->least_replicas = 2; /* one replica is lost with its domain */
    }
    g->items = replicas_needed(v, w, g->least_replicas);
    assert(g->items >= 1 && g->items <= RN_SERVING_REPLICAS_MAX);
    g->rate_unit = g->items > 16 ? RATE_FINE : RATE_COARSE;
    g->least_left =
        workload->survive.given ? (int32_t)ceil(g->rate_unit * workload->survive.value - 1e-6) : 0;
    assert(g->least_left >= 0 && g->least_left <= g->rate_unit);
    snprintf(name, sizeof name, "rate:%s", workload->name);
    RATION_TRY(ration_program_add_row(v->program, name, RATION_DIMENSION_OTHER, 0, g->rate_unit,
                                      RATION_HIGH_FREE, &g->rate_row, error));
    snprintf(name, sizeof name, "served:%s", workload->name);
    RATION_TRY(ration_program_add_row(v->program, name, RATION_DIMENSION_OTHER, 0, RATION_LOW_FREE,
                                      hard ? 0 : RATION_HIGH_FREE, &g->served_row, error));
    return add_redundancy(v, w, error);
}

ration_status rn_serving_rows_add(ration_serving *v, ration_error *error)
{
    RATION_TRY(add_cells(v, error));
    RATION_TRY(add_machines(v, error));
    for (int32_t w = 0; w < v->scenario.workloads; w++) {
        RATION_TRY(add_workload(v, w, error));
    }
    return RATION_OK;
}
