/* Which chains refine, and the way of their plans from the backend and back. See refine.h. */
#include "search/refine.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/par.h"
#include "core/fail.h"
#include "core/state.h"
#include "search/start.h"

enum {
    STEPS = 3,             /* the number of chains halves this often */
    STATE_BYTES = 1 << 26, /* of the chains that refine at once */
    MEMO = 0               /* place of the memo in a head's spare numbers */
};

static const rn_refine_kind *const kinds[] = {&rn_refine_subset, &rn_refine_tabu};

struct rn_refine {
    const rn_tables *tables;
    const rn_refine_kind *kind;
    void *state;    /* the method's */
    char *block;    /* [most * bytes] states of chains */
    int32_t *other; /* [most * items] */
    int64_t *load;  /* [threads * (rows + 1)] */
    int32_t *seat;  /* [threads * items] */
    rn_refine_task task[RN_REFINED_MOST];
    int64_t bytes; /* of a state */
    int32_t chain[RN_REFINED_MOST];
    int32_t chains; /* of the run */
    int32_t most;   /* chains that refine at once, at most */
    int32_t count;  /* that refine now */
    int32_t threads;
};

/* ---- construction ---- */

static void carve(rn_layout *layout, rn_refine **refine, const rn_refine *sizes)
{
    const rn_tables *t = sizes->tables;
    const int64_t items = t->view.items;
    rn_refine *r = rn_carve(layout, 1, sizeof *r);
    rn_refine made = *sizes;
    made.block = rn_carve(layout, sizes->most, (size_t)sizes->bytes);
    made.other = rn_carve(layout, sizes->most * items, sizeof *made.other);
    made.load = rn_carve(layout, sizes->threads * ((int64_t)t->rows + 1), sizeof *made.load);
    made.seat = rn_carve(layout, sizes->threads * items, sizeof *made.seat);
    if (r != NULL) {
        *r = made;
        *refine = r;
    }
}

ration_status rn_refine_create(const rn_tables *tables, int32_t chains, int32_t threads,
                               rn_refine **refine, ration_error *error)
{
    rn_refine sizes = {.tables = tables, .chains = chains};
    rn_layout layout = {0};
    const int64_t bytes = rn_state_map(tables).bytes;
    const int64_t fit = STATE_BYTES / bytes;
    sizes.bytes = bytes;
    sizes.most = chains < RN_REFINED_MOST ? chains : RN_REFINED_MOST;
    sizes.most = fit < 1 ? 1 : fit < sizes.most ? (int32_t)fit : sizes.most;
    sizes.threads = rn_par_threads(threads);
    sizes.threads = sizes.threads < sizes.most ? sizes.threads : sizes.most;
    for (size_t k = 0; sizes.state == NULL && k < sizeof kinds / sizeof kinds[0]; k++) {
        sizes.kind = kinds[k];
        RN_TRY(kinds[k]->create(tables, sizes.threads, &sizes.state, error));
    }
    if (sizes.state == NULL) {
        *refine = NULL;
        return RATION_OK;
    }
    assert(sizes.kind->share > 0 && sizes.kind->share < 65536);
    carve(&layout, refine, &sizes);
    const ration_status status = rn_layout_allocate(&layout, "plans to refine", error);
    if (status != RATION_OK) {
        sizes.kind->free(sizes.state);
        return status;
    }
    carve(&layout, refine, &sizes);
    return RATION_OK;
}

void rn_refine_free(rn_refine *refine)
{
    if (refine != NULL) {
        refine->kind->free(refine->state);
        rn_free(refine);
    }
}

int32_t rn_refine_share(const rn_refine *refine)
{
    return refine == NULL ? 0 : refine->kind->share;
}

/* ---- which chains ---- */

/* Chooses the best chains, each plan once. */
static void choose(rn_refine *r, const rn_refine_epoch *e)
{
    int32_t want = r->most >> (e->at * (STEPS + 1) / e->length);
    assert(e->at >= 0 && e->at < e->length);
    want = want < 1 ? 1 : want;
    r->count = 0;
    while (r->count < want) {
        int32_t next = -1;
        for (int32_t c = 0; c < r->chains; c++) {
            const bool after = r->count == 0 || rn_chain_before(e->head, r->chain[r->count - 1], c);
            const bool new = r->count == 0 ||
                             e->head[c].best_digest != e->head[r->chain[r->count - 1]].best_digest;
            next = after && new && (next < 0 || rn_chain_before(e->head, c, next)) ? c : next;
        }
        if (next < 0) {
            return;
        }
        r->chain[r->count++] = next;
    }
}

/* ---- one epoch ---- */

static rn_chain_head *head_of(const rn_refine *r, int64_t index)
{
    return (rn_chain_head *)(r->block + index * r->bytes);
}

/* Refines one chain and takes up what is better. */
static void refine_chain(void *context, int64_t index, int32_t thread)
{
    rn_refine *r = context;
    rn_refine_task *task = &r->task[index];
    rn_chain_head *head = head_of(r, index);
    const int64_t items = r->tables->view.items;
    r->kind->run(r->state, task, thread);
    head->spare2[MEMO] = task->memo;
    head->fresh = 1;
    const int64_t rows = (int64_t)r->tables->rows + 1;
    const rn_change value =
        rn_plan_price(r->tables, task->best, r->load + thread * rows, r->seat + thread * items);
    if (value.violation < head->best_violation ||
        (value.violation == head->best_violation && value.cost < head->best_cost)) {
        head->best_violation = value.violation;
        head->best_cost = value.cost;
        head->best_digest = 0;
        for (int32_t i = 0; i < items; i++) {
            head->best_digest += rn_pick_hash(i, task->best[i]);
        }
    } else {
        memcpy(task->best, r->other + index * items, (size_t)items * sizeof *task->best);
    }
}

static void make_task(rn_refine *r, const rn_refine_epoch *e, int32_t index)
{
    const rn_state_offsets m = rn_state_map(r->tables);
    const size_t bytes = (size_t)r->tables->view.items * sizeof(int32_t);
    char *state = r->block + index * r->bytes;
    rn_refine_task *task = &r->task[index];
    task->seed = e->seed;
    task->epoch = e->number;
    task->chain = (uint32_t)r->chain[index];
    task->work = e->work / r->count;
    task->temperature = e->temperature;
    task->other = r->other;
    task->others = r->count;
    task->self = index;
    task->pick = (int32_t *)(state + m.pick);
    task->best = (int32_t *)(state + m.best);
    task->best_cost = head_of(r, index)->best_cost;
    task->best_violation = head_of(r, index)->best_violation;
    task->memo = head_of(r, index)->spare2[MEMO];
    if (e->at == 0) {
        memcpy(task->pick, task->best, bytes);
    }
    memcpy(r->other + index * (int64_t)r->tables->view.items, task->best, bytes);
}

ration_status rn_refine_run(rn_refine *r, const rn_refine_epoch *e, ration_error *error)
{
    choose(r, e);
    assert(r->count >= 1 && r->count <= r->most);
    for (int32_t x = 0; x < r->count; x++) {
        RN_TRY(e->backend->read(e->run, r->chain[x], 1, r->block + x * r->bytes, error));
        make_task(r, e, x);
    }
    rn_par_for(r->count, r->threads, refine_chain, r);
    for (int32_t x = 0; x < r->count; x++) {
        RN_TRY(e->backend->write(e->run, r->chain[x], 1, r->block + x * r->bytes, error));
    }
    return RATION_OK;
}
