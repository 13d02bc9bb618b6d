/* Asks the runtime for the occupancy of the anneal kernels, which are defined in kernels/. */
#include "gpu/occupancy.h"

#include "kernels/launch.h"

__global__ void anneal_any_kernel(const __grid_constant__ rn_tables tables,
                                  const __grid_constant__ rn_epoch epoch,
                                  const __grid_constant__ rn_chains chains);
__global__ void anneal_row_kernel(const __grid_constant__ rn_tables tables,
                                  const __grid_constant__ rn_epoch epoch,
                                  const __grid_constant__ rn_chains chains);

ration_status occupancy_of(const rn_chains *chains, int32_t device, bool one_row, occupancy *answer,
                           ration_error *error)
{
    const int64_t shared = rn_kernel_shared(chains);
    int blocks = 0;
    int threads_most = 0;
    RN_CUDA(cudaDeviceGetAttribute(&threads_most, cudaDevAttrMaxThreadsPerMultiProcessor, device),
            error);
    const auto kernel = one_row ? anneal_row_kernel : anneal_any_kernel;
    if (shared > (int64_t)RN_SHARED_DEFAULT) {
        RN_CUDA(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared),
            error);
    }
    RN_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, chains->threads,
                                                          (size_t)shared),
            error);
    answer->warps = blocks * chains->threads / 32;
    answer->warps_most = threads_most / 32;
    answer->shared_bytes = shared;
    return RATION_OK;
}
