/* The OpenMP backend: a chain is one lane, chains are dealt to threads. Every chain's state and
 * random numbers are its own, so the bits don't depend on the threads.
 */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clones.h"
#include "base/par.h"
#include "core/breed.h"
#include "core/chain.h"
#include "core/fail.h"
#include "core/log2_table.h"

struct rn_backend_run {
    char *state; /* [chains * bytes] */
    char *work;  /* [threads * work_bytes] */
    const rn_tables *tables;
    const rn_epoch *epoch; /* borrowed while it runs */
    int64_t bytes;
    int64_t work_bytes;
    int32_t chains;
    int32_t threads;
};

static ration_status openmp_probe(int32_t device, ration_error *error)
{
    (void)device;
    (void)error;
    return RATION_OK;
}

static void carve(rn_layout *layout, rn_backend_run **run, const rn_backend_run *sizes)
{
    rn_backend_run *r = rn_carve(layout, 1, sizeof *r);
    char *state = rn_carve(layout, sizes->chains, (size_t)sizes->bytes);
    char *work = rn_carve(layout, sizes->threads, (size_t)sizes->work_bytes);
    if (r != NULL) {
        *r = *sizes;
        r->state = state;
        r->work = work;
        *run = r;
    }
}

static ration_status openmp_create(const rn_backend_load *load, rn_backend_run **run,
                                   ration_error *error)
{
    rn_backend_run sizes = {0};
    rn_layout layout = {0};
    assert(load->chains > 0);
    sizes.tables = load->tables;
    sizes.chains = load->chains;
    sizes.threads = rn_par_threads(load->threads);
    sizes.threads = sizes.threads < load->chains ? sizes.threads : load->chains;
    sizes.bytes = rn_state_map(load->tables).bytes;
    sizes.work_bytes = rn_work_map(load->tables, RN_LANES).bytes;
    carve(&layout, run, &sizes);
    RN_TRY(rn_layout_allocate(&layout, "the chains' states", error));
    carve(&layout, run, &sizes);
    return RATION_OK;
}

static void openmp_free(rn_backend_run *run)
{
    rn_free(run);
}

static char *state_of(const rn_backend_run *run, int64_t chain)
{
    assert(chain >= 0 && chain < run->chains);
    return run->state + chain * run->bytes;
}

static ration_status openmp_begin(rn_backend_run *run, const int32_t *pick, int32_t plans,
                                  ration_error *error)
{
    const rn_state_offsets m = rn_state_map(run->tables);
    const int64_t items = run->tables->view.items;
    (void)error;
    assert(plans > 0);
    for (int32_t c = 0; c < run->chains; c++) {
        char *state = state_of(run, c);
        rn_chain_head *head = (rn_chain_head *)state;
        memset(state, 0, (size_t)run->bytes);
        head->fresh = 1;
        head->best_violation = INT64_MAX;
        head->best_cost = INT64_MAX;
        memcpy(state + m.pick, pick + (c % plans) * items, (size_t)items * sizeof *pick);
        memcpy(state + m.best, pick + (c % plans) * items, (size_t)items * sizeof *pick);
    }
    return RATION_OK;
}

RN_CLONES static void run_chain(const rn_backend_run *run, int32_t chain, char *work)
{
    rn_chain_epoch(run->tables, run->epoch, state_of(run, chain), work, chain, rn_log2_table);
}

static void breed_chain(void *context, int64_t chain, int32_t thread)
{
    const rn_backend_run *run = context;
    const rn_mate mate = run->epoch->mate[chain];
    const int64_t best = rn_state_map(run->tables).best;
    const int32_t *a = (const int32_t *)(state_of(run, mate.a) + best);
    const int32_t *b = (const int32_t *)(state_of(run, mate.b) + best);
    (void)thread;
    rn_breed(run->tables, run->epoch, mate, (int32_t)chain, a, b, state_of(run, chain));
}

static void move_chain(void *context, int64_t chain, int32_t thread)
{
    const rn_backend_run *run = context;
    run_chain(run, (int32_t)chain, run->work + (int64_t)thread * run->work_bytes);
}

static ration_status openmp_epoch(rn_backend_run *run, const rn_epoch *epoch, ration_error *error)
{
    (void)error;
    run->epoch = epoch;
    if (epoch->breeds) {
        rn_par_for(run->chains, run->threads, breed_chain, run);
    }
    rn_par_for(run->chains, run->threads, move_chain, run);
    run->epoch = NULL;
    return RATION_OK;
}

static ration_status openmp_heads(rn_backend_run *run, rn_chain_head *head, ration_error *error)
{
    (void)error;
    for (int32_t c = 0; c < run->chains; c++) {
        memcpy(&head[c], state_of(run, c), sizeof head[c]);
    }
    return RATION_OK;
}

static ration_status openmp_best(rn_backend_run *run, int32_t chain, int32_t *pick,
                                 ration_error *error)
{
    (void)error;
    memcpy(pick, state_of(run, chain) + rn_state_map(run->tables).best,
           (size_t)run->tables->view.items * sizeof *pick);
    return RATION_OK;
}

static ration_status openmp_read(rn_backend_run *run, int32_t first, int32_t count, void *state,
                                 ration_error *error)
{
    (void)error;
    memcpy(state, state_of(run, first), (size_t)(count * run->bytes));
    return RATION_OK;
}

static ration_status openmp_write(rn_backend_run *run, int32_t first, int32_t count,
                                  const void *state, ration_error *error)
{
    (void)error;
    memcpy(state_of(run, first), state, (size_t)(count * run->bytes));
    return RATION_OK;
}

static int32_t openmp_threads(const rn_backend_run *run)
{
    return run->threads;
}

const rn_backend *rn_backend_openmp(void)
{
    static const rn_backend backend = {
        .name = "openmp",
        .probe = openmp_probe,
        .create = openmp_create,
        .free = openmp_free,
        .begin = openmp_begin,
        .epoch = openmp_epoch,
        .heads = openmp_heads,
        .best = openmp_best,
        .read = openmp_read,
        .write = openmp_write,
        .threads = openmp_threads,
    };
    return &backend;
}
