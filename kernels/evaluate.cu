/* Full evaluation of the chains whose picks were replaced: loads, lists, costs, digest, best plan.
 */
#include "core/chain.h"
#include "kernels/kernels.h"
#include "kernels/launch.h"

__global__ void __launch_bounds__(RN_BLOCK_MOST, 1)
    evaluate_kernel(const __grid_constant__ rn_tables tables,
                    const __grid_constant__ rn_epoch epoch, const rn_chains chains)
{
    const int32_t chain = rn_my_chain();
    if (chain < chains.chains) {
        rn_chain_evaluate(&tables, &epoch, chains.state + chain * chains.bytes, chain);
    }
}

ration_status rn_kernel_evaluate(const rn_tables *tables, const rn_epoch *epoch,
                                 const rn_chains *chains, cudaStream_t stream, ration_error *error)
{
    RN_LAUNCH(evaluate_kernel, rn_blocks(chains), chains->threads, 0, stream, *tables, *epoch,
              *chains);
    return RATION_OK;
}
