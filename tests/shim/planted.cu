/* Kernels with planted bugs, and the same kernels without: planted_test.py says
 * which engine must notice which bug.
 *
 *   planted BUG     0 the answer is right, 1 it is wrong, 2 CUDA said no
 *
 * A bug is chosen at run time, so one program serves a build mode. */
#include "core/hd.h"
#include "kernels/launch.h"
#include "kernels/shared.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum bug {
    NONE,
    NO_SYNCWARP,         /* no barrier between a lane's write and another's read */
    HIDDEN_SYNCWARP,     /* a vote where a barrier is due: only memory order is lost */
    NO_SYNCTHREADS,      /* no barrier before the block's sum */
    LOST_UPDATE,         /* two blocks add without an atomic */
    TWO_BARRIERS,        /* half a block at one __syncthreads, half at another */
    TWO_WARP_OPERATIONS, /* odd lanes shuffle while even lanes vote */
    TWO_MINIMA,          /* odd lanes and even lanes call rn_min in two places */
    BARRIER_ALONE,       /* a barrier that half of the block never reaches */
    EXITED_LANE,         /* a mask names a lane that has returned */
    OUTSIDE_MASK,        /* a lane calls with a mask that leaves it out */
    DYNAMIC_OVERRUN,     /* one past the end of dynamic shared memory */
    STATIC_OVERRUN,      /* one past the end of a shared array */
    GLOBAL_OVERRUN,      /* one past the end of device memory */
    UNWRITTEN_SHARED,    /* a shared cell is read that nobody wrote */
    HOST_READS_DEVICE,   /* the host follows a device pointer */
    OTHER_DEVICE,        /* device 1 uses memory of device 0 */
    NO_WAIT,             /* a copy's result is used before the stream was waited for */
    WRONG_STREAM,        /* a copy on another stream than the kernel's, no event between */
    BUGS
};
static const char *const names[] = {
    "none",           "no_syncwarp",    "hidden_syncwarp",     "no_syncthreads",
    "lost_update",    "two_barriers",   "two_warp_operations", "two_minima",
    "barrier_alone",  "exited_lane",    "outside_mask",        "dynamic_overrun",
    "static_overrun", "global_overrun", "unwritten_shared",    "host_reads_device",
    "other_device",   "no_wait",        "wrong_stream"};

enum { BLOCKS = 4, WARPS = 2, THREADS = 32 * WARPS, STEPS = 24, FULL = -1 };

RN_HD uint32_t first_value(uint32_t thread)
{
    return thread * 2654435761u + 12345u;
}

/* Lanes pass values around their warp STEPS times, then a block adds up. Every
 * value depends on every exchange, so one stale read shows in the sum. */
__global__ void exchange_kernel(uint32_t *sums, int32_t bug)
{
    __shared__ uint32_t cell[THREADS];
    __shared__ uint32_t part[WARPS];
    const uint32_t t = threadIdx.x, lane = t % 32, base = t - lane;
    uint32_t value = first_value(blockIdx.x * blockDim.x + t);
    for (uint32_t step = 0; step < STEPS; step++) {
        cell[t] = value;
        if (bug == HIDDEN_SYNCWARP) {
            value += (uint32_t)__any_sync(0xffffffffu, 1) - 1u;
        } else if (bug != NO_SYNCWARP) {
            __syncwarp();
        }
        const uint32_t other = cell[base + (lane + 1 + step) % 32];
        __syncwarp();
        value = value * 5u + other + step;
    }
    for (int32_t step = 16; step > 0; step /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, step);
    }
    if (lane == 0) {
        part[t / 32] = value;
    }
    if (bug != NO_SYNCTHREADS) {
        __syncthreads();
    }
    if (t == 0) {
        uint32_t sum = 0;
        for (int32_t w = 0; w < WARPS; w++) {
            sum += part[w];
        }
        sums[blockIdx.x] = sum;
    }
}

/* Every block adds one. */
__global__ void count_kernel(uint32_t *count, int32_t bug)
{
    if (threadIdx.x == 0) {
        if (bug == LOST_UPDATE) {
            count[0] += 1;
        } else {
            atomicAdd(&count[0], 1u);
        }
    }
}

/* Half of the block goes another way. */
__global__ void branch_kernel(uint32_t *out, int32_t bug)
{
    const uint32_t t = threadIdx.x;
    uint32_t value = 1;
    if (bug == BARRIER_ALONE && t < blockDim.x / 2) {
        __syncthreads();
        value = (uint32_t)__shfl_sync(0xffffffffu, (int)value, 0);
    }
    if (bug == TWO_BARRIERS) {
        if (t < blockDim.x / 2) {
            __syncthreads();
            out[0] = 1;
        } else {
            __syncthreads();
            out[t] = 1;
        }
    }
    if (bug == TWO_WARP_OPERATIONS) {
        if (t % 2 != 0) {
            value = (uint32_t)__shfl_xor_sync(0xffffffffu, (int)t, 1);
        } else {
            value = __ballot_sync(0xffffffffu, (int)t);
        }
    }
    if (bug == TWO_MINIMA) {
        if (t % 2 != 0) {
            value = (uint32_t)rn_min((int64_t)t);
        } else {
            value = (uint32_t)rn_min((int64_t)t + 1);
        }
    }
    if (bug == EXITED_LANE && t == 5) {
        return;
    }
    if (bug == OUTSIDE_MASK && t < 16) {
        __syncwarp(0xffffff00u);
    }
    out[t] = (uint32_t)__shfl_sync(0xffffffffu, (int)value, 0);
}

/* Each thread writes its own cell of shared and of global memory; `past` 1 moves
 * the cell chosen by bug one further. */
__global__ void bounds_kernel(uint32_t *out, int32_t bug, uint32_t past)
{
    RN_SHARED(uint32_t, dynamic);
    __shared__ uint32_t fixed[THREADS];
    const uint32_t t = threadIdx.x;
    dynamic[t + (bug == DYNAMIC_OVERRUN ? past : 0u)] = 1;
    fixed[t + (bug == STATIC_OVERRUN ? past : 0u)] = 1;
    __syncthreads();
    out[t + (bug == GLOBAL_OVERRUN ? past : 0u)] = dynamic[t] * fixed[t];
}

/* The last thread of a block reads a cell that nobody wrote. */
__global__ void unwritten_kernel(uint32_t *out, int32_t bug)
{
    __shared__ uint32_t cell[THREADS];
    const uint32_t t = threadIdx.x;
    if (bug != UNWRITTEN_SHARED || t + 1 < blockDim.x) {
        cell[t] = 1;
    }
    __syncthreads();
    out[t] = cell[t];
}

/* What exchange_kernel must give for a block, computed in order. */
static uint32_t expected_sum(uint32_t block)
{
    uint32_t sum = 0;
    for (uint32_t warp = 0; warp < WARPS; warp++) {
        uint32_t value[32], next[32];
        for (uint32_t lane = 0; lane < 32; lane++) {
            value[lane] = first_value(block * THREADS + warp * 32 + lane);
        }
        for (uint32_t step = 0; step < STEPS; step++) {
            for (uint32_t lane = 0; lane < 32; lane++) {
                next[lane] = value[lane] * 5u + value[(lane + 1 + step) % 32] + step;
            }
            memcpy(value, next, sizeof value);
        }
        for (uint32_t lane = 0; lane < 32; lane++) {
            sum += value[lane];
        }
    }
    return sum;
}

/* The launches and copies of one run: device memory, its host copy, two streams. */
struct run {
    uint32_t *device;
    uint32_t host[THREADS];
    cudaStream_t stream, other;
};

static ration_status fetch(run *r, ration_error *error)
{
    RN_CUDA(cudaMemcpyAsync(r->host, r->device, sizeof r->host, cudaMemcpyDeviceToHost, r->stream),
            error);
    RN_CUDA(cudaStreamSynchronize(r->stream), error);
    return RATION_OK;
}

/* Whether every host cell is 1. */
static bool all_one(const run *r)
{
    for (uint32_t cell : r->host) {
        if (cell != 1) {
            return false;
        }
    }
    return true;
}

static ration_status run_exchange(run *r, int32_t bug, bool *right, ration_error *error)
{
    RN_LAUNCH(exchange_kernel, BLOCKS, THREADS, 0, r->stream, r->device, bug);
    RN_TRY(fetch(r, error));
    *right = true;
    for (uint32_t block = 0; block < BLOCKS; block++) {
        *right = *right && r->host[block] == expected_sum(block);
    }
    return RATION_OK;
}

static ration_status run_count(run *r, int32_t bug, bool *right, ration_error *error)
{
    RN_LAUNCH(count_kernel, 64, 32, 0, r->stream, r->device, bug);
    RN_TRY(fetch(r, error));
    *right = r->host[0] == 64;
    return RATION_OK;
}

/* The kernels whose threads all end with a 1 in their cell. */
static ration_status run_ones(run *r, int32_t bug, bool *right, ration_error *error)
{
    *right = true;
    RN_LAUNCH(branch_kernel, 1, 32, 0, r->stream, r->device, bug);
    RN_LAUNCH(branch_kernel, 1, THREADS, 0, r->stream, r->device, bug);
    RN_TRY(fetch(r, error));
    *right = *right && all_one(r);
    RN_LAUNCH(bounds_kernel, 1, THREADS, sizeof r->host, r->stream, r->device, bug, 1u);
    RN_TRY(fetch(r, error));
    *right = *right && (all_one(r) || bug == GLOBAL_OVERRUN);
    RN_LAUNCH(unwritten_kernel, 1, THREADS, 0, r->stream, r->device, bug);
    RN_TRY(fetch(r, error));
    *right = *right && all_one(r);
    return RATION_OK;
}

/* Bugs of the host code. */
static ration_status run_host(run *r, int32_t bug, bool *right, ration_error *error)
{
    memset(r->host, 0, sizeof r->host);
    if (bug == OTHER_DEVICE) {
        RN_CUDA(cudaSetDevice(1), error);
        RN_CUDA(cudaStreamDestroy(r->stream), error);
        RN_CUDA(cudaStreamCreate(&r->stream), error);
    }
    RN_LAUNCH(unwritten_kernel, 1, THREADS, 0, r->stream, r->device, (int32_t)NONE);
    if (bug == HOST_READS_DEVICE) {
        *right = r->device[0] == 1;
        return RATION_OK;
    }
    cudaStream_t copier = bug == WRONG_STREAM ? r->other : r->stream;
    RN_CUDA(cudaMemcpyAsync(r->host, r->device, sizeof r->host, cudaMemcpyDeviceToHost, copier),
            error);
    if (bug != NO_WAIT) {
        RN_CUDA(cudaStreamSynchronize(copier), error);
    }
    *right = all_one(r);
    RN_CUDA(cudaDeviceSynchronize(), error);
    return RATION_OK;
}

static ration_status run_all(int32_t bug, bool *right, ration_error *error)
{
    run r;
    memset(&r, 0, sizeof r);
    RN_CUDA(cudaMalloc((void **)&r.device, sizeof r.host), error);
    RN_CUDA(cudaStreamCreate(&r.stream), error);
    RN_CUDA(cudaStreamCreate(&r.other), error);
    RN_CUDA(cudaMemsetAsync(r.device, 0, sizeof r.host, r.stream), error);
    bool exchange = false, count = false, ones = false, host = false;
    if (bug == NONE || bug >= HOST_READS_DEVICE) {
        RN_TRY(run_host(&r, bug, &host, error));
    }
    RN_CUDA(cudaMemsetAsync(r.device, 0, sizeof r.host, r.stream), error);
    if (bug < HOST_READS_DEVICE) {
        RN_TRY(run_count(&r, bug, &count, error));
        RN_TRY(run_exchange(&r, bug, &exchange, error));
        RN_TRY(run_ones(&r, bug, &ones, error));
    }
    *right = (exchange && count && ones) || bug >= HOST_READS_DEVICE;
    *right = *right && (host || (bug != NONE && bug < HOST_READS_DEVICE));
    RN_CUDA(cudaStreamDestroy(r.stream), error);
    RN_CUDA(cudaStreamDestroy(r.other), error);
    RN_CUDA(cudaFree(r.device), error);
    return RATION_OK;
}

int main(int argc, char **argv)
{
    int32_t bug = 0;
    while (bug < BUGS && (argc != 2 || strcmp(argv[1], names[bug]) != 0)) {
        bug++;
    }
    if (bug == BUGS) {
        fprintf(stderr, "usage: planted BUG\n");
        return 64;
    }
    ration_error error;
    bool right = false;
    if (run_all(bug, &right, &error) != RATION_OK) {
        printf("%s\n", error.text);
        return 2;
    }
    puts(right ? "right" : "wrong");
    return right ? 0 : 1;
}
