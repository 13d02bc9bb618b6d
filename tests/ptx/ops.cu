/* Every warp operation, intrinsic and atomic that kernels may use, once: prints a
 * hash of each one's results over all threads. The stand-in and the interpreter
 * of PTX, written independently, must print the same (ptx_test.py). */
#include "core/accept.h"
#include "core/log2_table.h"
#include "core/philox.h"
#include "kernels/launch.h"
#include "kernels/shared.h"

#include <cstdio>

enum { BLOCKS = 4, THREADS = 96, ALL = BLOCKS * THREADS, OPERATIONS = 64, CELLS = 16 };

/* What one thread has: where its results go, its two inputs. */
struct probe {
    uint32_t *out; /* [OPERATIONS][ALL] */
    int32_t next;  /* operation */
    int32_t t;     /* global number of the thread */
    uint32_t x, y;
};

static __device__ __forceinline__ void emit(probe *p, unsigned long long value)
{
    p->out[p->next * ALL + p->t] = (uint32_t)value ^ (uint32_t)(value >> 32) * 3u;
    p->next++;
}

static __device__ __forceinline__ probe start(uint32_t *out, const uint32_t *in)
{
    const int32_t t = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
    return {out, 0, t, in[t], in[t ^ 5]};
}

/* Both words as one. */
static __device__ __forceinline__ unsigned long long pair(uint32_t high, uint32_t low)
{
    return (unsigned long long)high << 32 | low;
}

__global__ void bits_kernel(uint32_t *out, const uint32_t *in)
{
    probe p = start(out, in);
    const uint32_t x = p.x, y = p.y;
    emit(&p, __clz((int)(x >> (x & 31))));
    emit(&p, __clzll((long long)(pair(x, y) >> (y & 63))));
    emit(&p, __ffs((int)(x << (x & 31))));
    emit(&p, __ffsll((long long)(pair(x, y) << (x & 63))));
    emit(&p, __popc(x));
    emit(&p, __popcll(pair(x, y)));
    emit(&p, __brev(x));
    emit(&p, __umulhi(x, y));
    emit(&p, (uint32_t)__mulhi((int)x, (int)y));
    emit(&p, __umul64hi(pair(x, y), pair(y, x)));
    emit(&p, (unsigned long long)__mul64hi((long long)pair(x, y), (long long)pair(y, x)));
    emit(&p, __funnelshift_l(x, y, x >> 3));
}

__global__ void shuffle_kernel(uint32_t *out, const uint32_t *in)
{
    probe p = start(out, in);
    const uint32_t x = p.x, y = p.y;
    emit(&p, __shfl_xor_sync(~0u, x, 3));
    emit(&p, __shfl_xor_sync(~0u, x, 9, 16));
    emit(&p, __shfl_up_sync(~0u, x, 5));
    emit(&p, __shfl_up_sync(~0u, x, 3, 8));
    emit(&p, __shfl_down_sync(~0u, x, 7));
    emit(&p, __shfl_down_sync(~0u, x, 2, 4));
    emit(&p, __shfl_sync(~0u, x, (int)(y & 31)));
    emit(&p, __shfl_sync(~0u, x, (int)(y & 31), 8));
    emit(&p, __shfl_xor_sync(~0u, (unsigned long long)x * y, 16));
    emit(&p, (unsigned long long)__shfl_sync(~0u, -(long long)x, 31));
    if ((threadIdx.x & 31) < 12) {
        emit(&p, __shfl_down_sync(0xfffu, x, 1, 4));
    } else {
        emit(&p, __shfl_sync(0xfffff000u, x, 20));
    }
}

__global__ void vote_kernel(uint32_t *out, const uint32_t *in)
{
    probe p = start(out, in);
    const uint32_t x = p.x, y = p.y;
    emit(&p, __ballot_sync(~0u, (int)(x & 1)));
    emit(&p, (unsigned)__any_sync(~0u, (x & 255) == 0));
    emit(&p, (unsigned)__all_sync(~0u, (x & 63) != 3));
    emit(&p, __match_any_sync(~0u, x & 3));
    emit(&p, __match_any_sync(~0u, (unsigned long long)(y & 1)));
    emit(&p, __reduce_add_sync(~0u, x));
    emit(&p, (uint32_t)__reduce_add_sync(~0u, (int)x));
    emit(&p, __reduce_min_sync(~0u, x));
    emit(&p, (uint32_t)__reduce_min_sync(~0u, (int)x));
    emit(&p, __reduce_max_sync(~0u, x));
    emit(&p, (uint32_t)__reduce_max_sync(~0u, (int)x));
    emit(&p, __reduce_and_sync(~0u, x | 0xf0u));
    emit(&p, __reduce_or_sync(~0u, x & 0xffu));
    emit(&p, __reduce_xor_sync(~0u, x));
    emit(&p, (unsigned)__syncthreads_count((int)(x & 1)));
    emit(&p, (unsigned)__syncthreads_or((x & 1023) == 0));
    emit(&p, (unsigned)__syncthreads_and(x != 0));
}

__global__ void arithmetic_kernel(uint32_t *out, const uint32_t *in)
{
    probe p = start(out, in);
    const uint32_t x = p.x, y = p.y;
    const int a = (int)x, b = (int)y;
    emit(&p, (uint32_t)(a / ((b & 1023) + 1)));
    emit(&p, (uint32_t)(a % ((b & 1023) + 1)));
    emit(&p, (unsigned long long)x * y / (y | 1u));
    emit(&p, (unsigned long long)((long long)(pair(x, y) << 4) % 1000003));
    emit(&p, (uint32_t)(a >> (y & 31)));
    emit(&p, x << (y & 31));
    emit(&p, (unsigned long long)((long long)pair(x, y) >> (y & 63)));
    emit(&p, (uint32_t)((short)x * (short)y));
    emit(&p, (uint32_t)(signed char)x);
    emit(&p, (uint32_t)min(a, b));
    emit(&p, (uint32_t)max(a, b));
    emit(&p, min(pair(x, y), pair(y, x)));
    emit(&p, (unsigned long long)max((long long)pair(x, y), (long long)pair(y, x)));
    emit(&p, x > y ? x - y : y - x);
    emit(&p, (unsigned)((float)(x & 0xffff) * 0.5f));
    emit(&p, (unsigned)(int)rintf((float)(a >> 8) * 0.125f));
    emit(&p, (unsigned long long)((double)x * 3.0));
    emit(&p, (unsigned long long)(sqrt((double)x) * 1024.0));
}

/* The random numbers and the acceptance of the search; the table of logarithms
 * follows the inputs. */
__global__ void search_kernel(uint32_t *out, const uint32_t *in)
{
    probe p = start(out, in);
    const uint32_t *table = in + ALL;
    const rn_random random = rn_random_at(pair(p.x, p.y), p.y, (uint32_t)p.t, p.x >> 7, 3);
    for (int32_t i = 0; i < 4; i++) {
        emit(&p, random.word[i]);
    }
    const int64_t temperature = (int64_t)(pair(p.x, p.y) >> (2 + (p.y & 31)));
    const int64_t threshold = rn_accept_threshold(temperature, random.word[0], table);
    emit(&p, rn_neglog2_q26(p.x >> (p.y & 31), table));
    emit(&p, (unsigned long long)threshold);
    emit(&p, (unsigned long long)rn_accept((int64_t)(p.x >> 12), threshold));
    emit(&p, (unsigned long long)rn_random_below(random.word[1], (int32_t)(p.x >> 1) + 1));
    emit(&p, (unsigned long long)rn_clz32(p.y >> (p.x & 31)));
    const int64_t key = (int64_t)pair(p.x, p.y);
    emit(&p, (unsigned long long)rn_min(key));
    emit(&p, (unsigned long long)rn_sum(key));
    emit(&p, (unsigned long long)rn_from(key, 7));
    emit(&p, (unsigned long long)rn_lane());
}

/* cells: 32-bit accumulators; wide: 64-bit ones. */
__global__ void atomic_kernel(const uint32_t *in, uint32_t *cells, unsigned long long *wide)
{
    RN_SHARED(uint32_t, sum);
    const int32_t t = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
    const uint32_t x = in[t], y = in[t ^ 5];
    if (threadIdx.x == 0) {
        sum[0] = 0;
    }
    __syncthreads();
    atomicAdd(&sum[0], x);
    atomicAdd(&cells[0], x);
    atomicMin(&cells[1], x);
    atomicMax(&cells[2], x);
    atomicXor(&cells[3], x);
    atomicOr(&cells[4], x & 0xf0f0u);
    atomicAnd(&cells[5], x | 0xffu);
    atomicAdd((int *)&cells[6], (int)x);
    atomicMin((int *)&cells[7], (int)x);
    atomicMax((int *)&cells[8], (int)x);
    atomicSub(&cells[9], y);
    atomicMin(&wide[0], (unsigned long long)x * y);
    atomicMax(&wide[1], (unsigned long long)x * y);
    atomicAdd(&wide[2], (unsigned long long)x * y);
    unsigned long long old = wide[3], seen;
    do {
        seen = old;
        old = atomicCAS(&wide[3], seen, seen + x);
    } while (old != seen);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicXor(&cells[10], sum[0]);
        atomicExch(&cells[11], 7u);
    }
}

/* FNV-1a over the results of one operation. */
static unsigned long long hash(const uint32_t *values)
{
    unsigned long long sum = 1469598103934665603ull;
    for (int32_t i = 0; i < ALL; i++) {
        sum = (sum ^ values[i]) * 1099511628211ull;
    }
    return sum;
}

static uint32_t results[OPERATIONS * ALL];

typedef void (*probe_kernel)(uint32_t *, const uint32_t *);

static ration_status run_probe(const char *name, probe_kernel kernel, uint32_t *d_out,
                               const uint32_t *d_in, ration_error *error)
{
    RN_CUDA(cudaMemset(d_out, 0, sizeof results), error);
    RN_LAUNCH(kernel, BLOCKS, THREADS, 0, (cudaStream_t)0, d_out, d_in);
    RN_CUDA(cudaDeviceSynchronize(), error);
    RN_CUDA(cudaMemcpy(results, d_out, sizeof results, cudaMemcpyDeviceToHost), error);
    for (int32_t k = 0; k < OPERATIONS; k++) {
        printf("%s %d %016llx\n", name, k, hash(&results[k * ALL]));
    }
    return RATION_OK;
}

static ration_status run_atomics(const uint32_t *d_in, ration_error *error)
{
    uint32_t cells[CELLS] = {0};
    unsigned long long wide[4] = {~0ull, 0, 0, 0};
    cells[1] = cells[5] = ~0u;
    uint32_t *d_cells;
    unsigned long long *d_wide;
    RN_CUDA(cudaMalloc((void **)&d_cells, sizeof cells), error);
    RN_CUDA(cudaMalloc((void **)&d_wide, sizeof wide), error);
    RN_CUDA(cudaMemcpy(d_cells, cells, sizeof cells, cudaMemcpyHostToDevice), error);
    RN_CUDA(cudaMemcpy(d_wide, wide, sizeof wide, cudaMemcpyHostToDevice), error);
    RN_LAUNCH(atomic_kernel, BLOCKS, THREADS, 16, (cudaStream_t)0, d_in, d_cells, d_wide);
    RN_CUDA(cudaDeviceSynchronize(), error);
    RN_CUDA(cudaMemcpy(cells, d_cells, sizeof cells, cudaMemcpyDeviceToHost), error);
    RN_CUDA(cudaMemcpy(wide, d_wide, sizeof wide, cudaMemcpyDeviceToHost), error);
    for (int32_t k = 0; k < CELLS; k++) {
        printf("atomic %d %08x\n", k, cells[k]);
    }
    for (int32_t k = 0; k < 4; k++) {
        printf("wide atomic %d %016llx\n", k, wide[k]);
    }
    RN_CUDA(cudaFree(d_cells), error);
    RN_CUDA(cudaFree(d_wide), error);
    return RATION_OK;
}

static ration_status run_all(ration_error *error)
{
    uint32_t inputs[ALL + RN_LOG2_ENTRIES], state = 1;
    for (int32_t i = 0; i < ALL; i++) { /* Marsaglia's xorshift */
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        inputs[i] = state;
    }
    for (int32_t i = 0; i < RN_LOG2_ENTRIES; i++) {
        inputs[ALL + i] = rn_log2_table[i];
    }
    uint32_t *d_in, *d_out;
    RN_CUDA(cudaMalloc((void **)&d_in, sizeof inputs), error);
    RN_CUDA(cudaMalloc((void **)&d_out, sizeof results), error);
    RN_CUDA(cudaMemcpy(d_in, inputs, sizeof inputs, cudaMemcpyHostToDevice), error);
    RN_TRY(run_probe("bits", bits_kernel, d_out, d_in, error));
    RN_TRY(run_probe("shuffle", shuffle_kernel, d_out, d_in, error));
    RN_TRY(run_probe("vote", vote_kernel, d_out, d_in, error));
    RN_TRY(run_probe("arithmetic", arithmetic_kernel, d_out, d_in, error));
    RN_TRY(run_probe("search", search_kernel, d_out, d_in, error));
    RN_TRY(run_atomics(d_in, error));
    RN_CUDA(cudaFree(d_in), error);
    RN_CUDA(cudaFree(d_out), error);
    return RATION_OK;
}

int main(void)
{
    ration_error error;
    if (run_all(&error) != RATION_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 2;
    }
    return 0;
}
