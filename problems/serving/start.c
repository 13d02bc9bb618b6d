/* A plan to begin with: each workload's cheapest cover of its rate, by dynamic programming over the
 * rate, then packed by decreasing size.
 *
 *   best[k][z] = min over options o of best[k - 1][max(0, z - rate_o)] + cost_o
 *
 * with k replicas that carry z parts of the rate. It knows nothing of scarcity or spread beyond
 * preferring empty failure domains; the search mends what it breaks.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "serving/encode.h"
#include "serving/read.h"

enum { WHOLE = 100 };

/* What the cells and machines carry so far, in program units. */
typedef struct packer {
    const ration_serving *v;
    rn_arena arena;
    int64_t *time;       /* [cells] hundredths */
    int64_t *memory;     /* [cells] MiB */
    int32_t *tenants;    /* [cells] */
    int64_t *pcie;       /* [machines] MB/s */
    int64_t *network;    /* [machines] MB/s */
    int32_t *neighbours; /* [domains] replicas of the present workload */
} packer;

/* One replica that waits for a place. */
typedef struct wanted {
    int32_t workload;
    int32_t option;
    int32_t item;
} wanted;

/* Chooses options[..count] of workload w that cover its rate at least cost; *count is 0 when
 * nothing does. */
static ration_status cover(const ration_serving *v, int32_t w, rn_arena *arena, int32_t *chosen,
                           int32_t *count, ration_error *error)
{
    const rn_serving_group *g = &v->group[w];
    const rn_serving_options *options = &v->options[w];
    const int64_t width = (int64_t)g->rate_unit + 1;
    assert(g->items >= 1 && g->rate_unit > 0 && options->options >= 0);
    int64_t *best = NULL;
    int32_t *choice = NULL;
    RATION_TRY(rn_arena_take(arena, (g->items + 1) * width, sizeof *best, &best, error));
    RATION_TRY(rn_arena_take(arena, (g->items + 1) * width, sizeof *choice, &choice, error));
    for (int64_t z = 1; z < width; z++) {
        best[z] = INT64_MAX / 4;
    }
    for (int32_t k = 1; k <= g->items; k++) {
        for (int64_t z = 0; z < width; z++) {
            best[k * width + z] = INT64_MAX / 4;
            for (int32_t o = 0; o < options->options; o++) {
                const int64_t rate = rn_serving_rate_units(v, w, options->option[o].rate_per_s);
                const int64_t cost = best[(k - 1) * width + (z > rate ? z - rate : 0)] +
                                     rn_serving_option_units(v, &options->option[o]);
                if (cost < best[k * width + z]) {
                    best[k * width + z] = cost;
                    choice[k * width + z] = o;
                }
            }
        }
    }
    int32_t at = g->least_replicas > 1 ? g->least_replicas : 1;
    for (int32_t k = at; k <= g->items; k++) {
        at = best[k * width + g->rate_unit] < best[at * width + g->rate_unit] ? k : at;
    }
    *count = 0;
    if (at > g->items || best[at * width + g->rate_unit] >= INT64_MAX / 4) {
        return RATION_OK;
    }
    int64_t z = g->rate_unit;
    for (int32_t k = at; k > 0; k--) {
        const int32_t o = choice[k * width + z];
        const int64_t rate = rn_serving_rate_units(v, w, options->option[o].rate_per_s);
        chosen[(*count)++] = o;
        z = z > rate ? z - rate : 0;
    }
    assert(z == 0 && *count == at && *count <= g->items);
    return RATION_OK;
}

/* Whether replicas chosen[count], dealt round the failure domains, leave enough of the rate when
 * any domain is lost. */
static bool survives(const ration_serving *v, int32_t w, const int32_t *chosen, int32_t count)
{
    const rn_serving_group *g = &v->group[w];
    const int32_t domains = v->scenario.domains;
    int64_t all = 0;
    int64_t worst = 0;
    for (int32_t d = 0; d < domains && d < count; d++) {
        int64_t here = 0;
        for (int32_t k = d; k < count; k += domains) {
            here += rn_serving_rate_units(v, w, v->options[w].option[chosen[k]].rate_per_s);
        }
        all += here;
        worst = here > worst ? here : worst;
    }
    assert(all >= worst && worst >= 0);
    return all - worst >= g->least_left;
}

/* The cheapest number of equal replicas that carries the rate also when a failure domain is lost;
 * leaves chosen as it is if none does. */
static void cover_equally(const ration_serving *v, int32_t w, int32_t *chosen, int32_t *count)
{
    const rn_serving_group *g = &v->group[w];
    int64_t best = INT64_MAX;
    int32_t best_option = -1;
    int32_t best_count = 0;
    for (int32_t o = 0; o < v->options[w].options; o++) {
        const rn_serving_option *option = &v->options[w].option[o];
        int32_t equal[RN_SERVING_REPLICAS_MAX];
        for (int32_t k = 1; k <= g->items; k++) {
            equal[k - 1] = o;
            const int64_t cost = k * rn_serving_option_units(v, option);
            const bool enough = k * rn_serving_rate_units(v, w, option->rate_per_s) >= g->rate_unit;
            if (k >= g->least_replicas && enough && cost < best && survives(v, w, equal, k)) {
                best = cost;
                best_option = o;
                best_count = k;
            }
        }
    }
    for (int32_t k = 0; k < best_count; k++) {
        chosen[k] = best_option;
    }
    *count = best_count > 0 ? best_count : *count;
    assert(*count >= 0 && *count <= g->items && (best_count == 0 || best_option >= 0));
}

static int64_t gpus_used(const packer *p, int32_t machine, int32_t cell, int64_t more)
{
    int64_t used = 0;
    for (int32_t c = 0; c < p->v->places.cells; c++) {
        if (p->v->places.cell[c].machine == machine) {
            used += (p->time[c] + (c == cell ? more : 0) + WHOLE - 1) / WHOLE;
        }
    }
    return used;
}

static bool machine_fits(const packer *p, int32_t m, const rn_serving_option *o, int32_t cell,
                         int64_t more)
{
    const rn_serving_scenario *s = &p->v->scenario;
    const rn_serving_node *node = &s->node[s->machine[m].node];
    const rn_perf_gpu *gpu = &s->gpu[node->gpu].perf;
    const double pcie = RN_SERVING_LINK_PART * node->pcie_bytes_per_s * node->gpus / 1e6;
    const double network = RN_SERVING_LINK_PART * node->infiniband_bytes_per_s / 1e6;
    if ((double)p->pcie[m] + ceil(o->pcie_bytes_per_s / 1e6) > floor(pcie) ||
        (double)p->network[m] + ceil(o->network_bytes_per_s / 1e6) > floor(network)) {
        return false;
    }
    if (!node->power_w.given || !node->power_w.hard) {
        return true;
    }
    const double used = (double)gpus_used(p, m, cell, more);
    assert(used >= 0.0 && more > 0);
    return ceil(node->host_w) + used * ceil(gpu->tdp_w) + (node->gpus - used) * ceil(gpu->idle_w) <=
           node->power_w.value;
}

static bool fits(const packer *p, const rn_serving_place *place, const rn_serving_option *o)
{
    const ration_serving *v = p->v;
    const int64_t more = (int64_t)o->share * place->gpus_per_cell;
    assert(more > 0 && place->cells >= 1);
    for (int32_t i = 0; i < place->cells; i++) {
        const int32_t c = place->cell[i];
        const rn_serving_cell *cell = &v->places.cell[c];
        if (p->time[c] + more > (int64_t)WHOLE * cell->gpus) {
            return false;
        }
        if (v->memory_row[c] != RATION_NONE) {
            const rn_serving_node *node =
                &v->scenario.node[v->scenario.machine[cell->machine].node];
            const double all = v->scenario.gpu[node->gpu].perf.memory_bytes / 1048576.0;
            const double usable =
                floor(all) - ceil(all * (1.0 - rn_serving_usable_part(p->tenants[c] + 1)));
            if ((double)p->memory[c] + ceil(o->memory_bytes / 1048576.0) > usable) {
                return false;
            }
        }
    }
    const int32_t span = v->set_class[place->place_class].span;
    for (int32_t k = 0; k < span; k++) {
        if (!machine_fits(p, place->machine + k, o, place->cell[0], more)) {
            return false;
        }
    }
    return true;
}

static void take(packer *p, const rn_serving_place *place, const rn_serving_option *o)
{
    for (int32_t i = 0; i < place->cells; i++) {
        const int32_t c = place->cell[i];
        p->time[c] += (int64_t)o->share * place->gpus_per_cell;
        p->memory[c] += (int64_t)ceil(o->memory_bytes / 1048576.0);
        p->tenants[c]++;
        assert(p->time[c] <= (int64_t)WHOLE * p->v->places.cell[c].gpus); /* it fitted */
    }
    for (int32_t k = 0; k < p->v->set_class[place->place_class].span; k++) {
        p->pcie[place->machine + k] += (int64_t)ceil(o->pcie_bytes_per_s / 1e6);
        p->network[place->machine + k] += (int64_t)ceil(o->network_bytes_per_s / 1e6);
    }
}

/* The place that leaves the least unused part of a GPU, in the failure domain with the fewest
 * replicas if the workload asks for spread; RATION_NONE when none has room. */
static int32_t find_place(const packer *p, const rn_serving_workload *w, const rn_serving_option *o)
{
    const ration_serving *v = p->v;
    int32_t best = RATION_NONE;
    int64_t best_score = INT64_MAX;
    for (int32_t i = 0; i < v->places.places; i++) {
        const rn_serving_place *place = &v->places.place[i];
        if (place->place_class != o->place_class || !fits(p, place, o)) {
            continue;
        }
        const int64_t load = p->time[place->cell[0]] + (int64_t)o->share * place->gpus_per_cell;
        const int64_t unused = (WHOLE - load % WHOLE) % WHOLE;
        const int64_t crowd =
            w->survive.given ? p->neighbours[v->scenario.machine[place->machine].domain] : 0;
        const int64_t left = (int64_t)WHOLE * v->places.cell[place->cell[0]].gpus - load;
        assert(left >= 0 && unused >= 0 && unused < WHOLE && crowd >= 0);
        const int64_t score = (crowd * 2 * WHOLE + unused) * 16 * WHOLE + left;
        if (score < best_score) {
            best_score = score;
            best = i;
        }
    }
    return best;
}

/* Larger sets first, then larger shares, then by workload: of equals the earlier stays first. */
static int32_t size_of(const ration_serving *v, const wanted *x)
{
    assert(x->option >= 0 && x->option < v->options[x->workload].options);
    const rn_serving_option *o = &v->options[x->workload].option[x->option];
    return v->set_class[o->place_class].gpus * o->share;
}

/* Places replicas; returns the workload of the first that found no place, or RATION_NONE. */
static int32_t place_all(packer *p, wanted *list, int32_t count, int32_t *pick)
{
    const ration_serving *v = p->v;
    for (int32_t i = 1; i < count; i++) {
        const wanted x = list[i];
        int32_t k = i;
        for (; k > 0 && size_of(v, &list[k - 1]) < size_of(v, &x); k--) {
            list[k] = list[k - 1];
        }
        list[k] = x;
    }
    for (int32_t i = 0; i < count; i++) {
        const wanted *x = &list[i];
        const rn_serving_workload *w = &v->scenario.workload[x->workload];
        const rn_serving_option *o = &v->options[x->workload].option[x->option];
        memset(p->neighbours, 0, (size_t)v->scenario.domains * sizeof *p->neighbours);
        for (int32_t k = 0; k < i; k++) {
            int32_t place = RATION_NONE;
            int32_t mode = RATION_NONE;
            if (list[k].workload == x->workload && pick[list[k].item] >= 0 &&
                ration_program_option(v->program, list[k].item, pick[list[k].item], &place,
                                      &mode) &&
                place >= 0) {
                p->neighbours[v->scenario.machine[v->places.place[place].machine].domain]++;
            }
        }
        const int32_t place = find_place(p, w, o);
        if (place == RATION_NONE) {
            return x->workload;
        }
        take(p, &v->places.place[place], o);
        pick[x->item] = ration_program_find_option(v->program, x->item, place,
                                                   v->group[x->workload].first_mode + x->option);
        assert(pick[x->item] >= 0); /* the place is of the option's class */
    }
    return RATION_NONE;
}

static ration_status make_packer(const ration_serving *v, packer *p, ration_error *error)
{
    memset(p, 0, sizeof *p);
    p->v = v;
    RATION_TRY(rn_arena_take(&p->arena, v->places.cells, sizeof *p->time, &p->time, error));
    RATION_TRY(rn_arena_take(&p->arena, v->places.cells, sizeof *p->memory, &p->memory, error));
    RATION_TRY(rn_arena_take(&p->arena, v->places.cells, sizeof *p->tenants, &p->tenants, error));
    RATION_TRY(rn_arena_take(&p->arena, v->scenario.machines, sizeof *p->pcie, &p->pcie, error));
    RATION_TRY(
        rn_arena_take(&p->arena, v->scenario.machines, sizeof *p->network, &p->network, error));
    return rn_arena_take(&p->arena, v->scenario.domains, sizeof *p->neighbours, &p->neighbours,
                         error);
}

/* What a start plan is made of. */
typedef struct draft {
    int32_t *chosen; /* [items] option of a replica, RATION_NONE: none */
    bool *left_out;  /* [workloads] */
    wanted *list;    /* [items] */
    int32_t *pick;   /* [items] */
} draft;

/* Replicas of every workload, whether they fit or not. */
static ration_status choose_all(packer *p, draft *d, ration_error *error)
{
    const ration_serving *v = p->v;
    int32_t chosen[RN_SERVING_REPLICAS_MAX];
    for (int32_t w = 0; w < v->scenario.workloads; w++) {
        const rn_serving_group *g = &v->group[w];
        rn_arena scratch = {NULL};
        int32_t replicas = 0;
        const ration_status status = cover(v, w, &scratch, chosen, &replicas, error);
        rn_arena_free(&scratch);
        RATION_TRY(status);
        if (g->least_left > 0 && v->scenario.workload[w].survive.hard &&
            !survives(v, w, chosen, replicas)) {
            cover_equally(v, w, chosen, &replicas);
        }
        for (int32_t k = 0; k < g->items; k++) {
            d->chosen[g->first_item + k] = k < replicas ? chosen[k] : RATION_NONE;
        }
        d->left_out[w] = replicas == 0;
    }
    return RATION_OK;
}

/* Clears the packer and places what is not left out; returns a workload that does not fit, or
 * RATION_NONE. */
static int32_t try_draft(packer *p, draft *d)
{
    const ration_serving *v = p->v;
    int32_t count = 0;
    memset(p->time, 0, (size_t)v->places.cells * sizeof *p->time);
    memset(p->memory, 0, (size_t)v->places.cells * sizeof *p->memory);
    memset(p->tenants, 0, (size_t)v->places.cells * sizeof *p->tenants);
    memset(p->pcie, 0, (size_t)v->scenario.machines * sizeof *p->pcie);
    memset(p->network, 0, (size_t)v->scenario.machines * sizeof *p->network);
    for (int32_t w = 0; w < v->scenario.workloads; w++) {
        for (int32_t k = 0; k < v->group[w].items; k++) {
            const int32_t item = v->group[w].first_item + k;
            const bool idle = d->chosen[item] == RATION_NONE || d->left_out[w];
            const int32_t mode = d->left_out[w] && k == 0 ? v->unserved_mode : v->none_mode;
            const wanted x = {w, d->chosen[item], item};
            d->pick[item] = ration_program_find_option(v->program, item, RATION_NONE, mode);
            assert(d->pick[item] >= 0); /* `none` or `unserved` */
            if (!idle) {
                d->list[count++] = x;
            }
        }
    }
    return place_all(p, d->list, count, d->pick);
}

/* Of the workloads that weigh no more than w, the one with the least weight per GPU that it takes.
 */
static int32_t least_worthy(const packer *p, const draft *d, int32_t w)
{
    const ration_serving *v = p->v;
    int32_t worst = w;
    double least = INFINITY;
    for (int32_t x = 0; x < v->scenario.workloads; x++) {
        double gpus = 0.0;
        for (int32_t k = 0; k < v->group[x].items; k++) {
            const wanted replica = {x, d->chosen[v->group[x].first_item + k], 0};
            gpus += replica.option == RATION_NONE ? 0.0 : size_of(v, &replica) / (double)WHOLE;
        }
        const double weight = v->scenario.workload[x].weight;
        if (!d->left_out[x] && gpus > 0.0 && weight <= v->scenario.workload[w].weight &&
            weight / gpus < least) {
            least = weight / gpus;
            worst = x;
        }
    }
    return worst;
}

/* Leaves out workloads until the rest fits. */
static ration_status start_with(packer *p, int32_t *pick, ration_error *error)
{
    const int32_t items = ration_program_items(p->v->program);
    const int32_t workloads = p->v->scenario.workloads;
    draft d = {NULL, NULL, NULL, pick};
    RATION_TRY(rn_arena_take(&p->arena, items, sizeof *d.chosen, &d.chosen, error));
    RATION_TRY(rn_arena_take(&p->arena, items, sizeof *d.list, &d.list, error));
    RATION_TRY(rn_arena_take(&p->arena, workloads, sizeof *d.left_out, &d.left_out, error));
    RATION_TRY(choose_all(p, &d, error));
    for (int32_t round = 0; round <= workloads; round++) {
        const int32_t failed = try_draft(p, &d);
        if (failed == RATION_NONE) {
            break;
        }
        assert(!d.left_out[failed]);
        d.left_out[least_worthy(p, &d, failed)] = true;
    }
    return RATION_OK;
}

ration_status rn_serving_start(const ration_serving *serving, int32_t *pick, ration_error *error)
{
    packer p;
    ration_status status = make_packer(serving, &p, error);
    status = status == RATION_OK ? start_with(&p, pick, error) : status;
    rn_arena_free(&p.arena);
    return status;
}
