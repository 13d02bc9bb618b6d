/* The checked backend: runs another backend and OpenMP on one thread side by side and stops at the
 * first difference between the complete states of their chains.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "core/state.h"

struct rn_backend_run {
    const rn_backend *inner;
    const rn_backend *twin;
    rn_backend_run *inner_run;
    rn_backend_run *twin_run;
    const rn_tables *tables;
    char *inner_state; /* one chain's */
    char *twin_state;
    int64_t bytes;
    int64_t epochs; /* compared so far */
    int32_t chains;
};

static ration_status checked_probe(int32_t device, ration_error *error)
{
    (void)device;
    (void)error;
    return RATION_OK;
}

static void checked_free(rn_backend_run *run)
{
    if (run == NULL) {
        return;
    }
    if (run->inner_run != NULL) {
        run->inner->free(run->inner_run);
    }
    if (run->twin_run != NULL) {
        run->twin->free(run->twin_run);
    }
    rn_free(run);
}

static void carve(rn_layout *layout, rn_backend_run **run, int64_t bytes)
{
    rn_backend_run *r = rn_carve(layout, 1, sizeof *r);
    char *inner_state = rn_carve(layout, bytes, 1);
    char *twin_state = rn_carve(layout, bytes, 1);
    if (r != NULL) {
        r->inner_state = inner_state;
        r->twin_state = twin_state;
        *run = r;
    }
}

static ration_status checked_create(const rn_backend_load *load, rn_backend_run **run,
                                    ration_error *error)
{
    const int64_t bytes = rn_state_map(load->tables).bytes;
    rn_backend_load alone = *load;
    rn_layout layout = {0};
    rn_backend_run *r = NULL;
    assert(load->inner != NULL);
    alone.threads = 1;
    carve(&layout, &r, bytes);
    RN_TRY(rn_layout_allocate(&layout, "backend checked", error));
    carve(&layout, &r, bytes);
    r->inner = load->inner;
    r->twin = rn_backend_openmp();
    r->tables = load->tables;
    r->bytes = bytes;
    r->chains = load->chains;
    ration_status status = r->inner->create(load, &r->inner_run, error);
    if (status == RATION_OK) {
        status = r->twin->create(&alone, &r->twin_run, error);
    }
    if (status != RATION_OK) {
        checked_free(r);
        return status;
    }
    *run = r;
    return RATION_OK;
}

/* ---- comparing ---- */

/* One array of a chain's state. */
typedef struct field {
    const char *name;
    const char *unit; /* what an entry belongs to */
    int64_t at;
    int64_t count;
    int64_t size; /* bytes of an entry: 4 or 8 */
} field;

enum { FIELDS = 18 };

/* The fields of a state in order; the head's first. Returns how many. */
static int32_t list_fields(const rn_tables *t, field *list)
{
    static const char *const head[] = {"cost",           "violation",   "best cost",
                                       "best violation", "digest",      "best digest",
                                       "moves",          "evaluations", "accepted"};
    const rn_state_offsets m = rn_state_map(t);
    const int64_t items = t->view.items;
    const int64_t single = t->one_row ? items : 0;
    const int64_t ring = items * t->nodes + t->rows + 1;
    int32_t count = 0;
    for (; count < (int32_t)(sizeof head / sizeof head[0]); count++) {
        list[count] = (field){head[count], "head", (int64_t)count * 8, 1, 8};
    }
    const field rest[] = {
        {"fresh", "head", (int64_t)count * 8, 1, 4},
        {"load", "row", m.load, (int64_t)t->rows + 1, 8},
        {"amount", "item", m.amount, single, 8},
        {"reduced cost", "item", m.reduced, single, 8},
        {"pick", "item", m.pick, items, 4},
        {"best pick", "item", m.best, items, 4},
        {"seat", "item", m.seat, items, 4},
        {"list after", "node", m.next, ring, 4},
        {"list before", "node", m.prev, ring, 4},
    };
    memcpy(list + count, rest, sizeof rest);
    return count + (int32_t)(sizeof rest / sizeof rest[0]);
}

static int64_t entry_of(const char *state, const field *f, int64_t index)
{
    int64_t wide = 0;
    int32_t narrow = 0;
    if (f->size == 8) {
        memcpy(&wide, state + f->at + index * 8, sizeof wide);
        return wide;
    }
    memcpy(&narrow, state + f->at + index * 4, sizeof narrow);
    return narrow;
}

/* Names the first difference of two states that differ. */
static ration_status name_difference(const rn_backend_run *run, int32_t chain, ration_error *error)
{
    field list[FIELDS];
    const int32_t count = list_fields(run->tables, list);
    assert(count == FIELDS);
    for (int32_t x = 0; x < count; x++) {
        for (int64_t i = 0; i < list[x].count; i++) {
            const int64_t found = entry_of(run->inner_state, &list[x], i);
            const int64_t expected = entry_of(run->twin_state, &list[x], i);
            if (found != expected) {
                return rn_fail(error, RATION_E_MISMATCH,
                               "backends %s and openmp differ after epoch %" PRId64
                               ", chain %d, %s of %s %" PRId64 ": %" PRId64 " and %" PRId64,
                               run->inner->name, run->epochs, (int)chain, list[x].name,
                               list[x].unit, i, found, expected);
            }
        }
    }
    return rn_fail(error, RATION_E_MISMATCH,
                   "backends %s and openmp differ after epoch %" PRId64
                   ", chain %d, in bytes that stand for nothing",
                   run->inner->name, run->epochs, (int)chain);
}

static ration_status compare(rn_backend_run *run, ration_error *error)
{
    for (int32_t c = 0; c < run->chains; c++) {
        RN_TRY(run->inner->read(run->inner_run, c, 1, run->inner_state, error));
        RN_TRY(run->twin->read(run->twin_run, c, 1, run->twin_state, error));
        if (memcmp(run->inner_state, run->twin_state, (size_t)run->bytes) != 0) {
            return name_difference(run, c, error);
        }
    }
    return RATION_OK;
}

/* ---- the rest passes through ---- */

static ration_status checked_begin(rn_backend_run *run, const int32_t *pick, int32_t plans,
                                   ration_error *error)
{
    RN_TRY(run->inner->begin(run->inner_run, pick, plans, error));
    RN_TRY(run->twin->begin(run->twin_run, pick, plans, error));
    run->epochs = 0;
    return compare(run, error);
}

static ration_status checked_epoch(rn_backend_run *run, const rn_epoch *epoch, ration_error *error)
{
    RN_TRY(run->inner->epoch(run->inner_run, epoch, error));
    RN_TRY(run->twin->epoch(run->twin_run, epoch, error));
    run->epochs++;
    return compare(run, error);
}

static ration_status checked_heads(rn_backend_run *run, rn_chain_head *head, ration_error *error)
{
    return run->inner->heads(run->inner_run, head, error);
}

static ration_status checked_best(rn_backend_run *run, int32_t chain, int32_t *pick,
                                  ration_error *error)
{
    return run->inner->best(run->inner_run, chain, pick, error);
}

static ration_status checked_read(rn_backend_run *run, int32_t first, int32_t count, void *state,
                                  ration_error *error)
{
    return run->inner->read(run->inner_run, first, count, state, error);
}

static ration_status checked_write(rn_backend_run *run, int32_t first, int32_t count,
                                   const void *state, ration_error *error)
{
    RN_TRY(run->inner->write(run->inner_run, first, count, state, error));
    return run->twin->write(run->twin_run, first, count, state, error);
}

static int32_t checked_threads(const rn_backend_run *run)
{
    return run->inner->threads(run->inner_run);
}

const rn_backend *rn_backend_checked(void)
{
    static const rn_backend backend = {
        .name = "checked",
        .probe = checked_probe,
        .create = checked_create,
        .free = checked_free,
        .begin = checked_begin,
        .epoch = checked_epoch,
        .heads = checked_heads,
        .best = checked_best,
        .read = checked_read,
        .write = checked_write,
        .threads = checked_threads,
    };
    return &backend;
}
