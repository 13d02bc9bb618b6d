/* One epoch of the chains of any program: one warp a chain. */
#include "kernels/anneal.h"
#include "kernels/launch.h"
#include "kernels/shared.h"

__global__ void __launch_bounds__(RN_BLOCK_MOST, 1)
    anneal_any_kernel(const __grid_constant__ rn_tables tables,
                      const __grid_constant__ rn_epoch epoch,
                      const __grid_constant__ rn_chains chains)
{
    RN_SHARED(char, shared);
    rn_anneal(&tables, &epoch, &chains, shared, 0);
}

ration_status rn_kernel_anneal_any(const rn_tables *tables, const rn_epoch *epoch,
                                   const rn_chains *chains, cudaStream_t stream,
                                   ration_error *error)
{
    RN_LAUNCH(anneal_any_kernel, rn_blocks(chains), chains->threads,
              (size_t)rn_kernel_shared(chains), stream, *tables, *epoch, *chains);
    return RATION_OK;
}
