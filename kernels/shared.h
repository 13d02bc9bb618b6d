/* Dynamic shared memory of a block, in the one form that nvcc and the CPU
 * stand-in of tests/shim both compile. */
#ifndef RN_SHARED_H
#define RN_SHARED_H

#include <cuda_runtime.h>

/* Declares `type *name`, the block's dynamic shared memory, 16-byte aligned.
 * A macro because `extern __shared__` must stand in the kernel itself. At most
 * once in a kernel; carve further arrays from it. */
#if defined(RN_CUDA_SHIM)
#define RN_SHARED(type, name) type *const name = (type *)shim_dynamic_shared()
#else
#define RN_SHARED(type, name)                                                                      \
    extern __shared__ __align__(16) unsigned char rn_shared_bytes[];                               \
    type *const name = (type *)rn_shared_bytes
#endif

#endif
