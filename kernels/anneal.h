/* What the two anneal kernels share: where a chain's memory lies while it moves. */
#ifndef RN_ANNEAL_H
#define RN_ANNEAL_H

#include "core/chain.h"
#include "kernels/kernels.h"

/* Copies a state block, a multiple of 64 bytes; all lanes. */
static __device__ __forceinline__ void rn_copy_state(char *to, const char *from, int64_t bytes)
{
    int64_t *target = (int64_t *)to;
    const int64_t *source = (const int64_t *)from;
    for (int64_t i = rn_lane(); i < bytes / 8; i += RN_LANES) {
        target[i] = source[i];
    }
    rn_sync();
}

/* One epoch of this thread's chain. shared: the block's dynamic shared memory. one_row:
 * tables.one_row, a constant. */
static __device__ __forceinline__ void rn_anneal(const rn_tables *tables, const rn_epoch *epoch,
                                                 const rn_chains *chains, char *shared,
                                                 int32_t one_row)
{
    const int32_t chain = rn_my_chain();
    if (chain >= chains->chains) {
        return;
    }
    const int64_t team = threadIdx.x / RN_LANES;
    char *const home = chains->state + chain * chains->bytes;
    if (chains->residence == RN_RESIDE_ALL) {
        char *const state = shared + team * (chains->bytes + chains->work_bytes);
        rn_copy_state(state, home, chains->bytes);
        rn_chain_anneal(tables, epoch, state, state + chains->bytes, chain, chains->log2_table,
                        one_row);
        rn_copy_state(home, state, chains->bytes);
        return;
    }
    char *const work = chains->residence == RN_RESIDE_WORK
                           ? shared + team * chains->work_bytes
                           : chains->work + chain * chains->work_bytes;
    rn_chain_anneal(tables, epoch, home, work, chain, chains->log2_table, one_row);
}

#endif
