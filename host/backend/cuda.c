/* The CUDA backend: a chain is a warp, all chains of a run lie on one device.
 *
 * Everything is allocated when a program is loaded: one device block (tables, arrays of an epoch,
 * pool of elites, states, scratch) and one pinned block (arrays of an epoch, heads). One stream
 * orders all work; a call returns when the stream is done.
 */
#include <assert.h>
#include <string.h>

#include "backend/cuda.h"
#include "core/chain.h"
#include "core/log2_table.h"
#include "kernels/launch.h"

#define MIB ((int64_t)1 << 20)

enum {
    /* chains of a multiprocessor that hide each other's waiting, when the rest would have to wait
     * for shared memory */
    RESIDENT_ENOUGH = 8,
    TEAMS_MOST = 4 /* chains of a block, when it is chosen here */
};

struct rn_backend_run {
    const rn_tables *host; /* kept */
    rn_tables tables;      /* device pointers */
    char *memory;          /* the device block */
    char *pinned;          /* the pinned block */
    rn_cuda_epoch staged;  /* in the pinned block */
    rn_cuda_epoch arrays;  /* in the device block */
    char *arrays_at;       /* the device's arrays of an epoch, one range */
    size_t arrays_bytes;
    rn_chain_head *head; /* [chains], pinned */
    int32_t *pick;       /* [items], pinned */
    rn_chains chains;
    rn_pool pool;
    rn_state_offsets map;
    cudaStream_t stream;
    int32_t device;
    int32_t streams; /* 1 once the stream is there */
};

/* ---- creation ---- */

/* Chooses threads of a block and where the chains' memory lies. Shared memory is used when it still
 * holds as many chains of a multiprocessor as there are, or RESIDENT_ENOUGH. */
static ration_status choose_shape(rn_backend_run *run, const rn_cuda_shape *wish,
                                  ration_error *error)
{
    rn_chains *c = &run->chains;
    const int32_t lanes = rn_kernel_lanes();
    int processors = 0;
    int block_most = 0;
    int processor_shared = 0;
    RN_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, run->device),
            error);
    RN_CUDA(
        cudaDeviceGetAttribute(&block_most, cudaDevAttrMaxSharedMemoryPerBlockOptin, run->device),
        error);
    RN_CUDA(cudaDeviceGetAttribute(&processor_shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor,
                                   run->device),
            error);
    const int32_t share =
        (c->chains + processors - 1) / processors; /* chains of a multiprocessor */
    const int32_t resident = share < RESIDENT_ENOUGH ? share : RESIDENT_ENOUGH;
    const int64_t whole = c->bytes + c->work_bytes;
    c->residence = wish->residence;
    if (c->residence < 0) {
        c->residence = whole * resident <= processor_shared           ? RN_RESIDE_ALL
                       : c->work_bytes * resident <= processor_shared ? RN_RESIDE_WORK
                                                                      : RN_RESIDE_GLOBAL;
    }
    c->threads = wish->threads;
    if (c->threads == 0) {
        const int32_t teams = share < TEAMS_MOST ? share : TEAMS_MOST;
        c->threads = teams * (lanes > 1 ? lanes : 32);
    }
    assert(c->threads % lanes == 0 && c->threads <= RN_BLOCK_MOST);
    while (c->residence != RN_RESIDE_GLOBAL && rn_kernel_shared(c) > block_most) {
        if (wish->threads == 0 && c->threads > lanes) {
            c->threads -= lanes;
        } else {
            c->residence--;
        }
    }
    return RATION_OK;
}

/* Carves the device block; while it measures nothing is copied. */
static ration_status carve_device(rn_backend_run *run, rn_layout *device, ration_error *error)
{
    rn_chains *c = &run->chains;
    RN_TRY(rn_cuda_upload(run->host, device, &run->tables, run->stream, error));
    uint32_t *log2_table = rn_carve(device, RN_LOG2_ENTRIES, sizeof *log2_table);
    run->arrays_at = device->base == NULL ? NULL : device->base + device->used;
    run->arrays_bytes = device->used;
    rn_cuda_epoch_carve(device, &run->arrays, run->host->rows, c->chains);
    run->arrays_bytes = device->used - run->arrays_bytes;
    run->pool.pick = rn_carve(device, (int64_t)c->chains * run->host->view.items, sizeof(int32_t));
    run->pool.elite = run->arrays.elite;
    run->pool.slot = run->arrays.slot;
    c->state = rn_carve(device, c->chains, (size_t)c->bytes);
    c->work = rn_carve(device, c->residence == RN_RESIDE_GLOBAL ? c->chains : 0,
                       (size_t)c->work_bytes + 1);
    c->log2_table = log2_table;
    if (log2_table != NULL) {
        RN_CUDA(cudaMemcpyAsync(log2_table, rn_log2_table, RN_LOG2_ENTRIES * sizeof *log2_table,
                                cudaMemcpyHostToDevice, run->stream),
                error);
    }
    return RATION_OK;
}

static void carve_pinned(rn_backend_run *run, rn_layout *pinned)
{
    rn_cuda_epoch_carve(pinned, &run->staged, run->host->rows, run->chains.chains);
    run->head = rn_carve(pinned, run->chains.chains, sizeof *run->head);
    run->pick = rn_carve(pinned, run->host->view.items, sizeof *run->pick);
}

/* Allocates the device block, or says how much is missing. */
static ration_status allocate_device(rn_backend_run *run, rn_layout *device, ration_error *error)
{
    size_t unused = 0;
    size_t total = 0;
    void *memory = NULL;
    RN_CUDA(cudaMemGetInfo(&unused, &total), error);
    if (device->overflow || device->used > unused) {
        return rn_fail(error, RATION_E_DEVICE,
                       "backend cuda: %d chains need %lld MiB of device memory, device %d has %lld "
                       "MiB free; fewer chains "
                       "(--chains) need less",
                       (int)run->chains.chains,
                       device->overflow ? -1LL : (long long)((int64_t)device->used / MIB + 1),
                       (int)run->device, (long long)((int64_t)unused / MIB));
    }
    RN_CUDA(cudaMalloc(&memory, device->used), error);
    run->memory = memory;
    *device = (rn_layout){memory, 0, device->used, false};
    return RATION_OK;
}

static ration_status load(rn_backend_run *run, const rn_cuda_shape *wish, ration_error *error)
{
    rn_layout device = {0};
    rn_layout pinned = {0};
    void *memory = NULL;
    RN_CUDA(cudaSetDevice(run->device), error);
    RN_CUDA(cudaStreamCreateWithFlags(&run->stream, cudaStreamNonBlocking), error);
    run->streams = 1;
    RN_TRY(choose_shape(run, wish, error));
    RN_TRY(carve_device(run, &device, error));
    RN_TRY(allocate_device(run, &device, error));
    RN_TRY(carve_device(run, &device, error));
    carve_pinned(run, &pinned);
    RN_CUDA(cudaMallocHost(&memory, pinned.used), error);
    run->pinned = memory;
    pinned = (rn_layout){memory, 0, pinned.used, false};
    memset(memory, 0, pinned.bytes);
    carve_pinned(run, &pinned);
    RN_CUDA(cudaStreamSynchronize(run->stream), error);
    return RATION_OK;
}

/* Errors of giving back are not reported: what failed before has been. */
static void cuda_free(rn_backend_run *run)
{
    if (run == NULL) {
        return;
    }
    (void)cudaSetDevice(run->device);
    if (run->streams > 0) {
        (void)cudaStreamSynchronize(run->stream);
        (void)cudaStreamDestroy(run->stream);
    }
    if (run->memory != NULL) {
        (void)cudaFree(run->memory);
    }
    if (run->pinned != NULL) {
        (void)cudaFreeHost(run->pinned);
    }
    (void)cudaGetLastError();
    rn_free(run);
}

ration_status rn_cuda_create(const rn_backend_load *request, const rn_cuda_shape *shape,
                             rn_backend_run **run, ration_error *error)
{
    rn_backend_run *r = rn_calloc(1, sizeof *r);
    assert(request->chains > 0);
    if (r == NULL) {
        return rn_fail_memory(error, "backend cuda", sizeof *r);
    }
    r->host = request->tables;
    r->device = request->device;
    r->map = rn_state_map(request->tables);
    r->chains.chains = request->chains;
    r->chains.bytes = r->map.bytes;
    r->chains.work_bytes = rn_work_map(request->tables, rn_kernel_lanes()).bytes;
    const ration_status status = load(r, shape, error);
    if (status != RATION_OK) {
        cuda_free(r);
        return status;
    }
    *run = r;
    return RATION_OK;
}

const rn_chains *rn_cuda_chains(const rn_backend_run *run)
{
    return &run->chains;
}

static ration_status cuda_create(const rn_backend_load *request, rn_backend_run **run,
                                 ration_error *error)
{
    const rn_cuda_shape shape = {0, -1};
    return rn_cuda_create(request, &shape, run, error);
}

/* ---- states ---- */

static ration_status wait_for(rn_backend_run *run, ration_error *error)
{
    RN_CUDA(cudaStreamSynchronize(run->stream), error);
    return RATION_OK;
}

/* Copies `width` bytes of every chain's state. to and from: of the first chain; a pitch is the
 * distance to the next. */
typedef struct strided {
    char *to;
    const char *from;
    size_t to_pitch;
    size_t from_pitch;
    size_t width;
    size_t count;
    enum cudaMemcpyKind kind;
} strided;

static ration_status copy_strided(rn_backend_run *run, const strided *s, ration_error *error)
{
    RN_CUDA(cudaMemcpy2DAsync(s->to, s->to_pitch, s->from, s->from_pitch, s->width, s->count,
                              s->kind, run->stream),
            error);
    return RATION_OK;
}

/* Spreads plans over the chains' picks: the first `plans` chains from the host, then the chains so
 * far to as many more. */
static ration_status spread_picks(rn_backend_run *run, const int32_t *pick, int32_t plans,
                                  ration_error *error)
{
    const rn_chains *c = &run->chains;
    const size_t pitch = (size_t)c->bytes;
    const size_t width = (size_t)run->host->view.items * sizeof *pick;
    char *first = c->state + run->map.pick;
    int64_t done = plans < c->chains ? plans : c->chains;
    const strided begin = {first,        (const char *)pick,    pitch, width, width,
                           (size_t)done, cudaMemcpyHostToDevice};
    RN_TRY(copy_strided(run, &begin, error));
    while (done < c->chains) {
        const int64_t more = c->chains - done < done ? c->chains - done : done;
        const strided twice = {first + done * c->bytes, first, pitch, pitch, width, (size_t)more,
                               cudaMemcpyDeviceToDevice};
        RN_TRY(copy_strided(run, &twice, error));
        done += more;
    }
    const strided best = {c->state + run->map.best, first, pitch, pitch, width, (size_t)c->chains,
                          cudaMemcpyDeviceToDevice};
    return copy_strided(run, &best, error);
}

static ration_status begin(rn_backend_run *run, const int32_t *pick, int32_t plans,
                           ration_error *error)
{
    const rn_chains *c = &run->chains;
    const size_t size = sizeof *run->head;
    RN_CUDA(cudaSetDevice(run->device), error);
    memset(run->head, 0, (size_t)c->chains * size);
    for (int32_t i = 0; i < c->chains; i++) {
        run->head[i].fresh = 1;
        run->head[i].best_violation = INT64_MAX;
        run->head[i].best_cost = INT64_MAX;
    }
    RN_CUDA(cudaMemsetAsync(c->state, 0, (size_t)(c->chains * c->bytes), run->stream), error);
    RN_TRY(spread_picks(run, pick, plans, error));
    const strided heads = {c->state, (const char *)run->head, (size_t)c->bytes,      size,
                           size,     (size_t)c->chains,       cudaMemcpyHostToDevice};
    RN_TRY(copy_strided(run, &heads, error));
    return wait_for(run, error);
}

static ration_status cuda_begin(rn_backend_run *run, const int32_t *pick, int32_t plans,
                                ration_error *error)
{
    assert(plans > 0);
    const ration_status status = begin(run, pick, plans, error);
    if (status != RATION_OK) {
        (void)cudaStreamSynchronize(
            run->stream); /* pick is the caller's: no copy may still read it */
    }
    return status;
}

static ration_status cuda_heads(rn_backend_run *run, rn_chain_head *head, ration_error *error)
{
    const rn_chains *c = &run->chains;
    const size_t size = sizeof *head;
    const strided heads = {(char *)run->head,     c->state, size,
                           (size_t)c->bytes,      size,     (size_t)c->chains,
                           cudaMemcpyDeviceToHost};
    RN_CUDA(cudaSetDevice(run->device), error);
    RN_TRY(copy_strided(run, &heads, error));
    RN_TRY(wait_for(run, error));
    memcpy(head, run->head, (size_t)c->chains * size);
    return RATION_OK;
}

static char *state_of(const rn_backend_run *run, int64_t chain)
{
    assert(chain >= 0 && chain < run->chains.chains);
    return run->chains.state + chain * run->chains.bytes;
}

static ration_status cuda_best(rn_backend_run *run, int32_t chain, int32_t *pick,
                               ration_error *error)
{
    const size_t bytes = (size_t)run->host->view.items * sizeof *pick;
    RN_CUDA(cudaSetDevice(run->device), error);
    RN_CUDA(cudaMemcpyAsync(run->pick, state_of(run, chain) + run->map.best, bytes,
                            cudaMemcpyDeviceToHost, run->stream),
            error);
    RN_TRY(wait_for(run, error));
    memcpy(pick, run->pick, bytes);
    return RATION_OK;
}

static ration_status cuda_read(rn_backend_run *run, int32_t first, int32_t count, void *state,
                               ration_error *error)
{
    const size_t bytes = (size_t)(count * run->chains.bytes);
    RN_CUDA(cudaSetDevice(run->device), error);
    RN_CUDA(
        cudaMemcpyAsync(state, state_of(run, first), bytes, cudaMemcpyDeviceToHost, run->stream),
        error);
    return wait_for(run, error);
}

static ration_status cuda_write(rn_backend_run *run, int32_t first, int32_t count,
                                const void *state, ration_error *error)
{
    const size_t bytes = (size_t)(count * run->chains.bytes);
    RN_CUDA(cudaSetDevice(run->device), error);
    RN_CUDA(
        cudaMemcpyAsync(state_of(run, first), state, bytes, cudaMemcpyHostToDevice, run->stream),
        error);
    return wait_for(run, error);
}

/* ---- epochs ---- */

static ration_status cuda_epoch(rn_backend_run *run, const rn_epoch *epoch, ration_error *error)
{
    rn_epoch e = *epoch;
    RN_CUDA(cudaSetDevice(run->device), error);
    run->pool.elites = rn_cuda_epoch_fill(&run->staged, epoch, run->host->rows, run->chains.chains);
    RN_CUDA(cudaMemcpyAsync(run->arrays_at, run->pinned, run->arrays_bytes, cudaMemcpyHostToDevice,
                            run->stream),
            error);
    e.over_price = run->arrays.over_price;
    e.slack_price = run->arrays.slack_price;
    e.clamp = run->arrays.clamp;
    e.heat = run->arrays.heat;
    e.push = run->arrays.push;
    e.mate = run->arrays.mate;
    if (run->pool.elites > 0) {
        RN_TRY(rn_kernel_migrate(&run->tables, &run->chains, &run->pool, run->stream, error));
        RN_TRY(rn_kernel_breed(&run->tables, &e, &run->chains, &run->pool, run->stream, error));
    }
    RN_TRY(rn_kernel_evaluate(&run->tables, &e, &run->chains, run->stream, error));
    if (run->host->one_row) {
        RN_TRY(rn_kernel_anneal_row(&run->tables, &e, &run->chains, run->stream, error));
    } else {
        RN_TRY(rn_kernel_anneal_any(&run->tables, &e, &run->chains, run->stream, error));
    }
    return wait_for(run, error);
}

static int32_t cuda_threads(const rn_backend_run *run)
{
    (void)run;
    return 1;
}

const rn_backend *rn_backend_cuda(void)
{
    static const rn_backend backend = {
        .name = "cuda",
        .probe = rn_cuda_probe,
        .create = cuda_create,
        .free = cuda_free,
        .begin = cuda_begin,
        .epoch = cuda_epoch,
        .heads = cuda_heads,
        .best = cuda_best,
        .read = cuda_read,
        .write = cuda_write,
        .threads = cuda_threads,
    };
    return &backend;
}
