/* The one place that knows which compiler reads the device-neutral core.
 *
 * gcc/clang as C11: a chain is one lane. nvcc, and g++ against the test
 * stand-in for the CUDA runtime: a chain is one warp of RN_LANES lanes. Code in
 * include/core is written against RN_HD, RN_LANES and the lane primitives
 * below; it draws random numbers by candidate and never by lane, takes minima
 * by (key, index), lets one lane update lists and scans without early exit, so
 * both forms take the same decisions.
 */
#ifndef RN_HD_H
#define RN_HD_H

#include <stdint.h>

/* What the core promises itself: `assert`, but nothing where nvcc compiles it, so that no kernel
 * pays for it. A macro because it must vanish. */
#if defined(__CUDACC__)
#define RN_ASSERT(condition) ((void)0)
#else
#include <assert.h>
#define RN_ASSERT(condition) assert(condition)
#endif

#if defined(__CUDACC__) || defined(RN_CUDA_SHIM)
#define RN_WARP 1
#else
#define RN_WARP 0
#endif

#if RN_WARP
#include <cuda_runtime.h>
#if defined(__CUDACC__)
#define RN_HD static __host__ __device__ __forceinline__
#define RN_DEVICE static __device__ __forceinline__
#else
#define RN_HD static inline
#define RN_DEVICE static inline
#endif
#ifndef RN_LANES
#define RN_LANES 32
#endif
#else
#define RN_HD static inline
#define RN_DEVICE static inline
#define RN_LANES 1
#endif

/* Zero bits above the highest one bit; 32 for 0. */
RN_HD int32_t rn_clz32(uint32_t x)
{
#if defined(__CUDA_ARCH__)
    return (int32_t)__clz((int)x);
#else
    return x != 0 ? (int32_t)__builtin_clz(x) : 32;
#endif
}

/* Lane primitives. `RN_DEVICE` functions run on the device only; all RN_LANES lanes of a chain call
 * them together. */

#if defined(RN_CUDA_SHIM) /* where lanes part ways, the stand-in for CUDA names the caller's line */
#define RN_CALLER int caller = __builtin_LINE()
#define RN_AND_CALLER , RN_CALLER
#define RN_CALLED shim_caller(caller)
#else
#define RN_CALLER void
#define RN_AND_CALLER
#define RN_CALLED (void)0
#endif

#if RN_WARP && RN_LANES > 1

/* This lane, 0 .. RN_LANES-1. */
RN_DEVICE int32_t rn_lane(void)
{
    return (int32_t)(threadIdx.x % RN_LANES);
}

/* Orders the chain's memory: what any lane wrote before is seen by all after. */
RN_DEVICE void rn_sync(RN_CALLER)
{
    RN_CALLED;
    __syncwarp();
}

/* The smallest key of all lanes, in every lane. */
RN_DEVICE int64_t rn_min(int64_t key RN_AND_CALLER)
{
    RN_CALLED;
    for (int32_t step = RN_LANES / 2; step > 0; step /= 2) {
        const int64_t other = (int64_t)__shfl_xor_sync(0xffffffffu, (long long)key, step);
        key = other < key ? other : key;
    }
    return key;
}

/* The sum over all lanes, in every lane. */
RN_DEVICE int64_t rn_sum(int64_t value RN_AND_CALLER)
{
    RN_CALLED;
    for (int32_t step = RN_LANES / 2; step > 0; step /= 2) {
        value += (int64_t)__shfl_xor_sync(0xffffffffu, (long long)value, step);
    }
    return value;
}

/* The value of lane `from`, in every lane. */
RN_DEVICE int64_t rn_from(int64_t value, int32_t from RN_AND_CALLER)
{
    RN_CALLED;
    return (int64_t)__shfl_sync(0xffffffffu, (long long)value, from);
}

#else

RN_DEVICE int32_t rn_lane(void)
{
    return 0;
}

RN_DEVICE void rn_sync(void)
{
}

RN_DEVICE int64_t rn_min(int64_t key)
{
    return key;
}

RN_DEVICE int64_t rn_sum(int64_t value)
{
    return value;
}

RN_DEVICE int64_t rn_from(int64_t value, int32_t from)
{
    (void)from;
    return value;
}

#endif

#endif
