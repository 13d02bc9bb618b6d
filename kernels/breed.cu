/* Breeding: crossover, restoring and mutation, one warp a child. */
#include "core/breed.h"
#include "kernels/kernels.h"
#include "kernels/launch.h"

__global__ void __launch_bounds__(RN_BLOCK_MOST, 1)
    breed_kernel(const __grid_constant__ rn_tables tables, const __grid_constant__ rn_epoch epoch,
                 const rn_chains chains, const rn_pool pool)
{
    const int32_t chain = rn_my_chain();
    if (chain >= chains.chains || epoch.mate[chain].kind == RN_MATE_KEEP) {
        return;
    }
    const rn_mate mate = epoch.mate[chain];
    const int64_t items = tables.view.items;
    rn_breed(&tables, &epoch, mate, chain, pool.pick + pool.slot[mate.a] * items,
             pool.pick + pool.slot[mate.b] * items, chains.state + chain * chains.bytes);
}

ration_status rn_kernel_breed(const rn_tables *tables, const rn_epoch *epoch,
                              const rn_chains *chains, const rn_pool *pool, cudaStream_t stream,
                              ration_error *error)
{
    RN_LAUNCH(breed_kernel, rn_blocks(chains), chains->threads, 0, stream, *tables, *epoch, *chains,
              *pool);
    return RATION_OK;
}
