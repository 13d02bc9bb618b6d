/* The kernels as the CUDA backend calls them: one launcher for each operation on all chains of a
 * run. Each puts its work on a stream and does not wait. Structs of pointers hold device pointers
 * and are passed to the kernels by value.
 */
#ifndef RN_KERNELS_H
#define RN_KERNELS_H

#include <cuda_runtime.h>

#include "core/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RN_BLOCK_MOST = 256 }; /* threads of a block */

/* Where a chain's memory lies while it moves. */
typedef enum rn_residence {
    RN_RESIDE_GLOBAL, /* state and scratch in device memory */
    RN_RESIDE_WORK,   /* scratch in shared memory */
    RN_RESIDE_ALL     /* state and scratch in shared memory, copied in and out once an epoch */
} rn_residence;

/* The chains of a run on the device. */
typedef struct rn_chains {
    char *state;                /* [chains * bytes] */
    char *work;                 /* [chains * work_bytes]; NULL when it lies in shared memory */
    const uint32_t *log2_table; /* [RN_LOG2_ENTRIES] */
    int64_t bytes;              /* rn_state_map */
    int64_t work_bytes;         /* rn_work_map, for rn_kernel_lanes() lanes */
    int32_t chains;
    int32_t threads;   /* of a block: a multiple of rn_kernel_lanes() */
    int32_t residence; /* rn_residence */
} rn_chains;

/* The best plans that breeding reads: elite s is a copy of the best plan of chain elite[s]. */
typedef struct rn_pool {
    int32_t *pick;        /* [elites * items] */
    const int32_t *elite; /* [elites] */
    const int32_t *slot;  /* [chains] elite of a chain, -1: it is no parent */
    int32_t elites;
} rn_pool;

/* Lanes of a chain: 32, or what a test was compiled with. */
int32_t rn_kernel_lanes(void);

/* Dynamic shared memory of a block of the anneal kernels, bytes. */
int64_t rn_kernel_shared(const rn_chains *chains);

/* Copies the best plans of the parents of an epoch into the pool. epoch: with device pointers, here
 * and below. */
ration_status rn_kernel_migrate(const rn_tables *tables, const rn_chains *chains,
                                const rn_pool *pool, cudaStream_t stream, ration_error *error);

/* Gives every chain that does not just go on its new picks, by epoch->mate, from the pool. */
ration_status rn_kernel_breed(const rn_tables *tables, const rn_epoch *epoch,
                              const rn_chains *chains, const rn_pool *pool, cudaStream_t stream,
                              ration_error *error);

/* Evaluates every chain whose picks were replaced. */
ration_status rn_kernel_evaluate(const rn_tables *tables, const rn_epoch *epoch,
                                 const rn_chains *chains, cudaStream_t stream, ration_error *error);

/* Makes the moves of an epoch: of one-row programs, and of any. */
ration_status rn_kernel_anneal_row(const rn_tables *tables, const rn_epoch *epoch,
                                   const rn_chains *chains, cudaStream_t stream,
                                   ration_error *error);
ration_status rn_kernel_anneal_any(const rn_tables *tables, const rn_epoch *epoch,
                                   const rn_chains *chains, cudaStream_t stream,
                                   ration_error *error);

#ifdef __cplusplus
}
#endif

/* ---- inside kernels ---- */

#if RN_WARP

/* The chain that this thread's lanes run; it may lie beyond the last. */
static __device__ __forceinline__ int32_t rn_my_chain(void)
{
    return (int32_t)(blockIdx.x * (blockDim.x / RN_LANES) + threadIdx.x / RN_LANES);
}

/* Blocks that hold all chains. */
static inline int32_t rn_blocks(const rn_chains *c)
{
    const int32_t warps = c->threads / RN_LANES;
    return (c->chains + warps - 1) / warps;
}
#endif

#endif
