/* Calls of the CUDA runtime and launches of kernels, checked in every build. */
#ifndef RN_LAUNCH_H
#define RN_LAUNCH_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#include "core/fail.h"

/* Returns RATION_E_DEVICE from its caller when a call of the CUDA runtime fails,
 * and clears the runtime's error. A macro because it must return. */
#define RN_CUDA(call, error)                                                                       \
    do {                                                                                           \
        const cudaError_t rn_cuda_ = (call);                                                       \
        if (rn_cuda_ != cudaSuccess) {                                                             \
            (void)cudaGetLastError();                                                              \
            return rn_fail((error), RATION_E_DEVICE, "CUDA refused %s: %s", #call,                 \
                           cudaGetErrorString(rn_cuda_));                                          \
        }                                                                                          \
    } while (0)

#ifdef __cplusplus

enum {
    RN_SHARED_DEFAULT = 48 * 1024 /* bytes a block gets without asking */
};

/* Launches a kernel on a stream and says whether the launch was accepted.
 *
 * error         borrowed, may be NULL.
 * name          of the kernel, for the message.
 * blocks        >= 1.
 * threads       of a block, 1 .. 1024.
 * shared_bytes  dynamic shared memory of a block; above RN_SHARED_DEFAULT it is
 *               asked for first.
 * stream        of the current device.
 * arguments     converted to the kernel's parameter types and copied at launch.
 * Returns RATION_OK or RATION_E_DEVICE. A fault inside the kernel shows at the
 * next call that waits.
 */
template <class... Parameters, class... Arguments>
static inline ration_status
rn_launch(ration_error *error, const char *name, void (*kernel)(Parameters...), int32_t blocks,
          int32_t threads, size_t shared_bytes, cudaStream_t stream, Arguments... arguments)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    cudaError_t status = cudaSuccess;
    if (shared_bytes > (size_t)RN_SHARED_DEFAULT) {
        status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)shared_bytes);
    }
    if (status == cudaSuccess) {
        status = cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
    }
    if (status != cudaSuccess) {
        (void)cudaGetLastError();
        return rn_fail(error, RATION_E_DEVICE,
                       "CUDA refused to launch %s (%d blocks of %d threads, %lld bytes shared): %s",
                       name, (int)blocks, (int)threads, (long long)shared_bytes,
                       cudaGetErrorString(status));
    }
    return RATION_OK;
}

/* Launches a kernel; returns the status upward when it is refused. The caller
 * has a `ration_error *error` in scope. A macro because it must return and names
 * the kernel. */
#define RN_LAUNCH(kernel, blocks, threads, shared_bytes, stream, ...)                              \
    RN_TRY(rn_launch(error, #kernel, kernel, (blocks), (threads), (shared_bytes), (stream),        \
                     __VA_ARGS__))

#endif

#endif
