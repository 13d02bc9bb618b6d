/* Test-only stand-in for the CUDA runtime.
 *
 * Compiles kernels as C++ and runs every GPU thread as a fiber on the CPU. One
 * block runs on one OS thread; its threads take turns only at warp and block
 * operations, in an order drawn from SHIM_SEED. This folder comes first on -I.
 * This file is the host API (C11 and C++17); shim_device.h is the device side.
 * README.md beside it lists the environment and what is left out.
 */
#ifndef SHIM_CUDA_RUNTIME_H
#define SHIM_CUDA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#define CUDART_VERSION 13000

typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorStubLibrary = 34,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchFailure = 719,
    cudaErrorUnknown = 999
} cudaError_t;

typedef enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
} cudaMemcpyKind;

typedef enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8
} cudaFuncAttribute;

typedef enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
} cudaDeviceAttr;

enum {
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1,
    cudaEventDefault = 0,
    cudaEventBlockingSync = 1,
    cudaEventDisableTiming = 2,
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1
};

typedef struct shim_stream *cudaStream_t;
typedef struct shim_event *cudaEvent_t;

typedef struct uint3 {
    unsigned x, y, z;
} uint3;

typedef struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c)
    {
    }
#endif
} dim3;

typedef struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
    int regsPerBlock, warpSize, maxThreadsPerBlock, multiProcessorCount, major, minor, l2CacheSize;
} cudaDeviceProp;

typedef struct cudaLaunchAttribute {
    int id;
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig_st {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;

#ifdef __cplusplus
#define SHIM_OR(value) = value
extern "C" {
#else
#define SHIM_OR(value)
#endif

/* Devices. */
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *prop, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaDeviceSynchronize(void);

/* Memory. */
cudaError_t cudaMalloc(void **pointer, size_t bytes);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaMallocHost(void **pointer, size_t bytes);
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream SHIM_OR(0));
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream SHIM_OR(0));
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream SHIM_OR(0));
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream SHIM_OR(0));

/* Streams and events. The default stream orders nothing but itself. */
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags SHIM_OR(0));
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream SHIM_OR(0));
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

/* Errors. */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);

/* For tests: makes the nth next call (1 = the next) of the named function fail;
 * "any" counts the calls of every function that can fail; NULL ends it. The same
 * as SHIM_FAIL=name:n, but within one process. */
void shim_fail(const char *name, int64_t nth);

/* For tests: whether the call chosen by shim_fail or SHIM_FAIL has come. */
int shim_failed(void);

/* For tests: the order of lanes, blocks and streams from now on, as SHIM_SEED. */
void shim_seed(uint64_t seed);

/* For tests: how many device and pinned blocks, streams and events are alive. */
int64_t shim_live(void);

#ifdef __cplusplus
}
#include "shim_device.h"
#endif

#endif
