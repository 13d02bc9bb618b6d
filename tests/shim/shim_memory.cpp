/* Devices, memory, errors and planned failures of the CUDA stand-in. */
#include "shim_internal.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <sys/mman.h>

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, nullptr, 0) : otherwise;
}

shim_settings::shim_settings(void)
    : seed(from_environment("SHIM_SEED", 0)), lazy(from_environment("SHIM_LAZY", 0)),
      devices(from_environment("SHIM_DEVICES", 1)), protect(from_environment("SHIM_PROTECT", 0)),
      memory(from_environment("SHIM_MEM", 1ull << 30))
{
}
shim_settings shim_env;

/* ---- errors and planned failures ---- */

static thread_local int device_now;
static thread_local cudaError_t last_error;
static std::mutex lock;
static std::atomic<int64_t> alive;

/* The planned failure: the nth call of `name` fails. */
struct plan {
    std::string name;
    int64_t left = 0;
    bool done = false;
    plan(void)
    {
        const char *text = getenv("SHIM_FAIL");
        const char *colon = text ? strrchr(text, ':') : nullptr;
        if (colon) {
            name.assign(text, colon);
            left = strtoll(colon + 1, nullptr, 10);
        }
    }
};
static plan &planned(void)
{
    static plan instance;
    return instance;
}

extern "C" void shim_fail(const char *name, int64_t nth)
{
    std::lock_guard<std::mutex> guard(lock);
    planned().name = name ? name : "";
    planned().left = name ? nth : 0;
    planned().done = false;
}

extern "C" int shim_failed(void)
{
    std::lock_guard<std::mutex> guard(lock);
    return planned().done;
}

bool shim_fails(const char *function)
{
    std::lock_guard<std::mutex> guard(lock);
    plan &next = planned();
    if (next.left == 0 || (next.name != "any" && next.name != function)) {
        return false;
    }
    next.done = --next.left == 0;
    return next.done;
}

extern "C" int64_t shim_live(void)
{
    return alive;
}

void shim_alive(int change)
{
    alive += change;
}

cudaError_t shim_return(cudaError_t error)
{
    if (error != cudaSuccess) {
        last_error = error;
    }
    return error;
}

int shim_device(void)
{
    return device_now;
}

struct error_name {
    cudaError_t error;
    const char *name, *text;
};
static const error_name error_names[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorStubLibrary, "cudaErrorStubLibrary", "CUDA driver is a stub library"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

static const error_name *find_error(cudaError_t error)
{
    for (const error_name &entry : error_names) {
        if (entry.error == error) {
            return &entry;
        }
    }
    return &error_names[sizeof error_names / sizeof error_names[0] - 1];
}

void shim_seed(uint64_t seed)
{
    shim_env.seed = seed;
}

extern "C" {

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return find_error(error)->text;
}

const char *cudaGetErrorName(cudaError_t error)
{
    return find_error(error)->name;
}

/* ---- devices ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
    const bool none = shim_fails(__func__) || shim_env.devices == 0;
    *count = none ? 0 : (int)shim_env.devices;
    return shim_return(none ? cudaErrorNoDevice : cudaSuccess);
}

static bool device_exists(int device)
{
    return device >= 0 && device < (int)shim_env.devices;
}

cudaError_t cudaSetDevice(int device)
{
    if (shim_fails(__func__) || !device_exists(device)) {
        return shim_return(cudaErrorInvalidDevice);
    }
    device_now = device;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = device_now;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *prop, int device)
{
    if (shim_fails(__func__) || !device_exists(device)) {
        return shim_return(cudaErrorInvalidDevice);
    }
    memset(prop, 0, sizeof *prop);
    snprintf(prop->name, sizeof prop->name, "CPU stand-in %d", device);
    prop->totalGlobalMem = shim_env.memory;
    prop->sharedMemPerBlock = SHIM_SHARED_DEFAULT;
    prop->sharedMemPerBlockOptin = SHIM_SHARED_MAX;
    prop->sharedMemPerMultiprocessor = 228 << 10;
    prop->regsPerBlock = 65536;
    prop->warpSize = SHIM_WARP_SIZE;
    prop->maxThreadsPerBlock = SHIM_THREADS_MAX;
    prop->multiProcessorCount = 4;
    prop->major = 9;
    prop->l2CacheSize = 50 << 20;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    if (shim_fails(__func__) || !device_exists(device)) {
        return shim_return(cudaErrorInvalidDevice);
    }
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        *value = SHIM_THREADS_MAX;
        return cudaSuccess;
    case cudaDevAttrWarpSize:
        *value = SHIM_WARP_SIZE;
        return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
        *value = 4;
        return cudaSuccess;
    case cudaDevAttrL2CacheSize:
        *value = 50 << 20;
        return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
        *value = 9;
        return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
        *value = 0;
        return cudaSuccess;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = 2048;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = 228 << 10;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = SHIM_SHARED_MAX;
        return cudaSuccess;
    }
    return shim_return(cudaErrorInvalidValue);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = shim_env.devices ? CUDART_VERSION : 0;
    return cudaSuccess;
}

} /* extern "C" */

/* ---- device memory ---- */

struct allocation {
    size_t bytes, mapped;
    int device;
};
static std::map<uintptr_t, allocation> allocations;
static std::map<int, size_t> used;

void shim_memory_open(int device, bool open)
{
    if (!shim_env.protect) {
        return;
    }
    std::lock_guard<std::mutex> guard(lock);
    for (const auto &entry : allocations) {
        if (entry.second.device == device) {
            mprotect((void *)entry.first, entry.second.mapped,
                     open ? PROT_READ | PROT_WRITE : PROT_NONE);
        }
    }
}

bool shim_memory_find(const void *pointer, size_t bytes, int *device)
{
    std::lock_guard<std::mutex> guard(lock);
    auto after = allocations.upper_bound((uintptr_t)pointer);
    if (after == allocations.begin()) {
        return false;
    }
    --after;
    const uintptr_t offset = (uintptr_t)pointer - after->first;
    if (offset > after->second.bytes || bytes > after->second.bytes - offset) {
        return false;
    }
    if (device) {
        *device = after->second.device;
    }
    return true;
}

/* Device memory as bytes: malloc, so that ASan knows its ends, or whole pages
 * where its protection is asked for. Filled with a pattern. */
static void *device_block(size_t bytes, size_t *mapped)
{
    *mapped = (bytes + 4095) / 4096 * 4096;
    if (!shim_env.protect) {
        void *block = malloc(bytes);
        return block ? memset(block, 0xCB, bytes) : nullptr;
    }
    void *block =
        mmap(nullptr, *mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) {
        return nullptr;
    }
    memset(block, 0xCB, *mapped);
    mprotect(block, *mapped, PROT_NONE);
    return block;
}

extern "C" {

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    if (shim_fails(__func__)) {
        return shim_return(cudaErrorMemoryAllocation);
    }
    if (!device_exists(device_now)) {
        return shim_return(cudaErrorNoDevice);
    }
    if (bytes == 0) {
        *pointer = nullptr;
        return cudaSuccess;
    }
    std::lock_guard<std::mutex> guard(lock);
    size_t &in_use = used[device_now];
    if (bytes > shim_env.memory || in_use > shim_env.memory - bytes) {
        return shim_return(cudaErrorMemoryAllocation);
    }
    size_t mapped = 0;
    void *block = device_block(bytes, &mapped);
    if (!block) {
        return shim_return(cudaErrorMemoryAllocation);
    }
    allocations[(uintptr_t)block] = {bytes, mapped, device_now};
    in_use += bytes;
    alive++;
    *pointer = block;
    return cudaSuccess;
}

cudaError_t cudaFree(void *pointer)
{
    if (!pointer) {
        return cudaSuccess;
    }
    std::lock_guard<std::mutex> guard(lock);
    const auto at = allocations.find((uintptr_t)pointer);
    if (at == allocations.end()) {
        return shim_return(cudaErrorInvalidValue);
    }
    used[at->second.device] -= at->second.bytes;
    if (shim_env.protect) {
        munmap(pointer, at->second.mapped);
    } else {
        free(pointer);
    }
    allocations.erase(at);
    alive--;
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    (void)flags;
    void *block = shim_fails(__func__) ? nullptr : malloc(bytes ? bytes : 1);
    if (!block) {
        return shim_return(cudaErrorMemoryAllocation);
    }
    alive++;
    *pointer = block;
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    if (shim_fails(__func__)) {
        return shim_return(cudaErrorMemoryAllocation);
    }
    return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *pointer)
{
    alive -= pointer != nullptr;
    free(pointer);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    if (shim_fails(__func__) || !device_exists(device_now)) {
        return shim_return(cudaErrorNoDevice);
    }
    std::lock_guard<std::mutex> guard(lock);
    *total_bytes = shim_env.memory;
    *free_bytes = shim_env.memory - used[device_now];
    return cudaSuccess;
}

} /* extern "C" */
