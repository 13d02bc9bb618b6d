/* Device side of the CUDA stand-in: what kernels use, and the launch of one. */
#ifndef SHIM_DEVICE_H
#define SHIM_DEVICE_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>

#define __host__
#define __device__
#define __global__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ /* empty: libstdc++ writes __attribute__((__noinline__)) */
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#ifdef SHIM_POISON /* one OS thread; the section is refilled before each block */
#define __shared__ static __attribute__((section("shim_shared")))
#else
#define __shared__ static thread_local
#endif

struct int2 {
    int x, y;
};
struct int4 {
    int x, y, z, w;
};
struct uint2 {
    unsigned x, y;
};
struct uint4 {
    unsigned x, y, z, w;
};
struct float2 {
    float x, y;
};
struct double2 {
    double x, y;
};
struct longlong2 {
    long long x, y;
};

/* ---- who am I ---- */

struct shim_ids {
    uint3 thread, block;
    dim3 block_dim, grid_dim;
};

/* The running GPU thread. __thread: no init wrapper, which UBSan trips on. */
extern __thread const shim_ids *shim_current;

/* One coordinate of the running thread: field 0 thread, 1 block, 2 block_dim,
 * 3 grid_dim; axis 0 x, 1 y, 2 z. */
template <int Field, int Axis> struct shim_coordinate {
    __forceinline__ operator unsigned() const
    {
        const shim_ids *ids = shim_current;
        if (Field < 2) {
            const uint3 &at = Field == 0 ? ids->thread : ids->block;
            return Axis == 0 ? at.x : Axis == 1 ? at.y : at.z;
        }
        const dim3 &size = Field == 2 ? ids->block_dim : ids->grid_dim;
        return Axis == 0 ? size.x : Axis == 1 ? size.y : size.z;
    }
};
template <int Field> struct shim_vector {
    shim_coordinate<Field, 0> x;
    shim_coordinate<Field, 1> y;
    shim_coordinate<Field, 2> z;
    operator dim3() const
    {
        return dim3(x, y, z);
    }
};
static const shim_vector<0> threadIdx{};
static const shim_vector<1> blockIdx{};
static const shim_vector<2> blockDim{};
static const shim_vector<3> gridDim{};
static const int warpSize = 32;

/* ---- operations at which lanes take turns (never instrumented) ---- */

enum shim_op {
    SHIM_SYNC,
    SHIM_SHUFFLE,
    SHIM_BALLOT,
    SHIM_MATCH,
    SHIM_ADD,
    SHIM_MIN,
    SHIM_MAX,
    SHIM_UMIN,
    SHIM_UMAX,
    SHIM_AND,
    SHIM_OR_BITS,
    SHIM_XOR
};

extern "C" {
/* Joins a warp operation of the lanes in mask; returns this lane's result. */
uint64_t shim_warp(shim_op op, unsigned mask, uint64_t value, int source, int line);
/* The next warp operation of this lane is named by its caller's line as well. */
void shim_caller(int line);
/* Joins a block barrier; returns the sum of pred over the block. */
int shim_block(int pred, int line);
void *shim_dynamic_shared(void);
unsigned shim_lane(void);
unsigned shim_active(void);
void shim_fence(void);
}

#define SHIM_LINE int line = __builtin_LINE()

static inline void __syncthreads(SHIM_LINE)
{
    shim_block(0, line);
}
static inline int __syncthreads_count(int pred, SHIM_LINE)
{
    return shim_block(pred != 0, line);
}
static inline int __syncthreads_or(int pred, SHIM_LINE)
{
    return shim_block(pred != 0, line) != 0;
}
static inline int __syncthreads_and(int pred, SHIM_LINE)
{
    return shim_block(pred == 0, line) == 0;
}
static inline void __syncwarp(unsigned mask = ~0u, SHIM_LINE)
{
    shim_warp(SHIM_SYNC, mask, 0, 0, line);
}

template <class T> static inline T shim_shuffle(unsigned mask, T value, int source, int line)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves 32 or 64 bits");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = shim_warp(SHIM_SHUFFLE, mask, bits, source, line);
    memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T>
static inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, SHIM_LINE)
{
    const int base = (int)shim_lane() & ~(width - 1);
    return shim_shuffle(mask, value, base | (source & (width - 1)), line);
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, SHIM_LINE)
{
    const int lane = (int)shim_lane();
    const int end = (lane & ~(width - 1)) + width;
    return shim_shuffle(mask, value, (lane ^ bits) < end ? lane ^ bits : lane, line);
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, SHIM_LINE)
{
    const int lane = (int)shim_lane();
    const bool inside = (lane & (width - 1)) >= (int)delta;
    return shim_shuffle(mask, value, inside ? lane - (int)delta : lane, line);
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, SHIM_LINE)
{
    const int lane = (int)shim_lane();
    const bool inside = (lane & (width - 1)) + (int)delta < width;
    return shim_shuffle(mask, value, inside ? lane + (int)delta : lane, line);
}

static inline unsigned __ballot_sync(unsigned mask, int pred, SHIM_LINE)
{
    return (unsigned)shim_warp(SHIM_BALLOT, mask, pred != 0, 0, line);
}
static inline int __any_sync(unsigned mask, int pred, SHIM_LINE)
{
    return shim_warp(SHIM_BALLOT, mask, pred != 0, 0, line) != 0;
}
static inline int __all_sync(unsigned mask, int pred, SHIM_LINE)
{
    return shim_warp(SHIM_BALLOT, mask, pred == 0, 0, line) == 0;
}
template <class T> static inline unsigned __match_any_sync(unsigned mask, T value, SHIM_LINE)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return (unsigned)shim_warp(SHIM_MATCH, mask, bits, 0, line);
}

/* The reductions differ in name, type and operation only. */
#define SHIM_REDUCE(name, type, op)                                                                \
    static inline type name(unsigned mask, type value, SHIM_LINE)                                  \
    {                                                                                              \
        return (type)shim_warp(op, mask, (uint64_t)(uint32_t)value, 0, line);                      \
    }
SHIM_REDUCE(__reduce_add_sync, unsigned, SHIM_ADD)
SHIM_REDUCE(__reduce_add_sync, int, SHIM_ADD)
SHIM_REDUCE(__reduce_min_sync, unsigned, SHIM_UMIN)
SHIM_REDUCE(__reduce_min_sync, int, SHIM_MIN)
SHIM_REDUCE(__reduce_max_sync, unsigned, SHIM_UMAX)
SHIM_REDUCE(__reduce_max_sync, int, SHIM_MAX)
SHIM_REDUCE(__reduce_and_sync, unsigned, SHIM_AND)
SHIM_REDUCE(__reduce_or_sync, unsigned, SHIM_OR_BITS)
SHIM_REDUCE(__reduce_xor_sync, unsigned, SHIM_XOR)
#undef SHIM_REDUCE

static inline unsigned __activemask(void)
{
    return shim_active();
}
static inline void __threadfence_block(void)
{
    __asm__ volatile("" ::: "memory");
}
static inline void __threadfence(void)
{
    shim_fence();
}

/* ---- per-thread intrinsics ---- */

static inline int __clz(int x)
{
    return x != 0 ? __builtin_clz((unsigned)x) : 32;
}
static inline int __clzll(long long x)
{
    return x != 0 ? __builtin_clzll((unsigned long long)x) : 64;
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
static inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)(((uint64_t)a * b) >> 32);
}
static inline int __mulhi(int a, int b)
{
    return (int)(((int64_t)a * b) >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
static inline long long __mul64hi(long long a, long long b)
{
    return (long long)(((__int128)a * b) >> 64);
}
static inline unsigned __brev(unsigned x)
{
    unsigned reversed = 0;
    for (int i = 0; i < 32; i++) {
        reversed |= ((x >> i) & 1u) << (31 - i);
    }
    return reversed;
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((((uint64_t)high << 32) | low) << (shift & 31)) >> 32);
}
template <class T> static inline T __ldg(const T *p)
{
    return *p;
}
template <class T> static inline T __ldcg(const T *p)
{
    return *p;
}

/* CUDA's global min and max; signedness must agree, as there. */
template <class T> static inline std::enable_if_t<std::is_arithmetic_v<T>, T> min(T a, T b)
{
    return a < b ? a : b;
}
template <class T> static inline std::enable_if_t<std::is_arithmetic_v<T>, T> max(T a, T b)
{
    return a > b ? a : b;
}

/* ---- atomics: relaxed, as on the device ---- */

/* The parameter type of a value: not deduced, so `atomicAdd(&x, 1)` converts. */
template <class T> struct shim_same {
    typedef T type;
};
template <class T> using shim_value = typename shim_same<T>::type;

/* The fetch-and-change atomics differ in name and builtin only. */
#define SHIM_ATOMIC(name, builtin)                                                                 \
    template <class T> static inline T name(T *p, shim_value<T> value)                             \
    {                                                                                              \
        return builtin(p, value, __ATOMIC_RELAXED);                                                \
    }
SHIM_ATOMIC(atomicExch, __atomic_exchange_n)
SHIM_ATOMIC(atomicAdd, __atomic_fetch_add)
SHIM_ATOMIC(atomicSub, __atomic_fetch_sub)
SHIM_ATOMIC(atomicAnd, __atomic_fetch_and)
SHIM_ATOMIC(atomicOr, __atomic_fetch_or)
SHIM_ATOMIC(atomicXor, __atomic_fetch_xor)
#undef SHIM_ATOMIC

template <class T> static inline T atomicCAS(T *p, shim_value<T> expected, shim_value<T> value)
{
    __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
template <class T> static inline T atomicMin(T *p, shim_value<T> value)
{
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(p, &old, value, false, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) {
    }
    return old;
}
template <class T> static inline T atomicMax(T *p, shim_value<T> value)
{
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (value > old && !__atomic_compare_exchange_n(p, &old, value, false, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) {
    }
    return old;
}

/* ---- typed allocation, as the toolkit has it for C++ ---- */

template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return cudaMalloc((void **)pointer, bytes);
}
template <class T> static inline cudaError_t cudaMallocHost(T **pointer, size_t bytes)
{
    return cudaMallocHost((void **)pointer, bytes);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned flags)
{
    return cudaHostAlloc((void **)pointer, bytes, flags);
}

/* ---- launch ---- */

/* One launch: each way to run it has its own copies of the arguments. */
struct shim_grid {
    cudaLaunchConfig_t config;
    std::function<void()> thread;                          /* the kernel, for one GPU thread */
    std::function<int(const cudaLaunchConfig_t *)> engine; /* the whole grid elsewhere, or empty */
};

extern "C" {
/* Another way to run a whole grid, e.g. its PTX; NULL runs it here. Returns 0. */
extern int (*shim_engine)(const void *kernel, const cudaLaunchConfig_t *config, void **arguments);
cudaError_t shim_shared_limit(const void *kernel, int bytes);
/* Checks a launch and queues it on its stream; grid is moved from. */
cudaError_t shim_launch(const void *kernel, shim_grid *grid);
}

template <class F>
static inline cudaError_t cudaFuncSetAttribute(F *kernel, cudaFuncAttribute attribute, int value)
{
    (void)attribute;
    return shim_shared_limit((const void *)kernel, value);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes)
{
    if (bytes > sizeof symbol) {
        return cudaErrorInvalidValue;
    }
    memcpy((void *)&symbol, from, bytes);
    return cudaSuccess;
}
template <class F>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F *kernel,
                                                                        int threads, size_t shared)
{
    (void)kernel;
    const int by_threads = threads > 0 ? 2048 / threads : 0;
    const int by_shared = shared > 0 ? (int)((size_t)(228 << 10) / (shared + 1024)) : 32;
    *blocks = by_threads < by_shared ? by_threads : by_shared;
    return cudaSuccess;
}
template <class... P, class... A>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...),
                                             A &&...arguments)
{
    std::tuple<P...> copies(static_cast<P>(arguments)...); /* taken at launch, as CUDA does */
    shim_grid grid;
    grid.config = *config;
    grid.thread = [kernel, copies] { std::apply(kernel, copies); };
    if (shim_engine != nullptr) {
        grid.engine = [kernel, copies](const cudaLaunchConfig_t *at) {
            return std::apply(
                [&](const auto &...value) {
                    void *pointers[] = {(void *)&value..., nullptr};
                    return shim_engine((const void *)kernel, at, pointers);
                },
                copies);
        };
    }
    return shim_launch((const void *)kernel, &grid);
}

#endif
