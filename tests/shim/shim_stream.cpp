/* Streams, events, copies and launches of the CUDA stand-in.
 *
 * Work is queued and, without SHIM_LAZY, run at once; with it nothing runs before
 * something waits for it, and devices are drained in an order drawn by SHIM_SEED.
 * One host thread drives all devices: the queues are not locked.
 */
#include "shim_internal.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>

/* Each entry says whether it could run; one that waits for an event cannot. */
struct shim_stream {
    std::deque<std::function<bool()>> queue;
    int device = 0;
};
/* Queued work keeps the counts alive: an event may be destroyed while it waits. */
struct shim_counts {
    uint64_t done = 0, wanted = 0;
};
struct shim_event {
    std::shared_ptr<shim_counts> counts = std::make_shared<shim_counts>();
};

static std::map<int, shim_stream> default_streams;
static std::vector<shim_stream *> streams;
static std::map<const void *, int> shared_limits;
int (*shim_engine)(const void *kernel, const cudaLaunchConfig_t *config, void **arguments);

/* The stream itself, or the current device's default stream. */
static shim_stream *resolve(cudaStream_t stream)
{
    if (stream) {
        return stream;
    }
    const int device = shim_device();
    const auto at = default_streams.find(device);
    if (at != default_streams.end()) {
        return &at->second;
    }
    shim_stream *made = &default_streams[device];
    made->device = device;
    streams.push_back(made);
    return made;
}

/* Runs the first entry of a queue; false if there is none or it waits. */
static bool step(shim_stream *stream)
{
    if (stream->queue.empty() || !stream->queue.front()()) {
        return false;
    }
    stream->queue.pop_front();
    return true;
}

static bool step_others(const shim_stream *except)
{
    bool any = false;
    for (shim_stream *other : streams) {
        any |= other != except && step(other);
    }
    return any;
}

static void drain(shim_stream *stream)
{
    while (!stream->queue.empty()) {
        if (!step(stream) && !step_others(stream)) {
            fprintf(stderr, "cuda shim: streams wait for each other\n");
            abort();
        }
    }
}

static cudaError_t put(shim_stream *stream, std::function<bool()> work)
{
    stream->queue.push_back(std::move(work));
    if (!shim_env.lazy) {
        drain(stream);
    }
    return cudaSuccess;
}

/* Does one thing with the memory of one or two devices open. */
template <class Work> static bool with_memory(int first, int second, Work work)
{
    shim_memory_open(first, true);
    shim_memory_open(second, true);
    work();
    shim_memory_open(first, false);
    shim_memory_open(second, false);
    return true;
}

/* Whether one end of a copy is where its kind says; its device to *device. */
static bool check_end(const void *pointer, size_t bytes, bool on_device, bool any, int *device)
{
    const bool inside = shim_memory_find(pointer, bytes, device);
    if (inside || on_device) {
        return inside && (on_device || any);
    }
    /* a host pointer, or one that leaves its device block */
    return !shim_memory_find(pointer, 1, nullptr) || bytes == 0;
}

extern "C" {

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    if (shim_fails(__func__)) {
        return shim_return(cudaErrorInvalidValue);
    }
    shim_stream *queue = resolve(stream);
    const bool any = kind == cudaMemcpyDefault;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    int first = queue->device, second = queue->device;
    if (!check_end(to, bytes, to_device, any, &first) ||
        !check_end(from, bytes, from_device, any, &second)) {
        return shim_return(cudaErrorInvalidValue);
    }
    return put(queue, [=] { return with_memory(first, second, [=] { memcpy(to, from, bytes); }); });
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    if (shim_fails(__func__) || width > to_pitch || width > from_pitch) {
        return shim_return(cudaErrorInvalidValue);
    }
    if (width == 0 || height == 0) {
        return cudaSuccess;
    }
    shim_stream *queue = resolve(stream);
    const bool any = kind == cudaMemcpyDefault;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    int first = queue->device, second = queue->device;
    if (!check_end(to, to_pitch * (height - 1) + width, to_device, any, &first) ||
        !check_end(from, from_pitch * (height - 1) + width, from_device, any, &second)) {
        return shim_return(cudaErrorInvalidValue);
    }
    const auto copy = [=] {
        for (size_t row = 0; row < height; row++) {
            memcpy((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width);
        }
    };
    return put(queue, [=] { return with_memory(first, second, copy); });
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream)
{
    int first = 0, second = 0;
    if (shim_fails(__func__) || !shim_memory_find(to, bytes, &first) ||
        !shim_memory_find(from, bytes, &second) || first != to_device || second != from_device) {
        return shim_return(cudaErrorInvalidValue);
    }
    return put(resolve(stream),
               [=] { return with_memory(first, second, [=] { memcpy(to, from, bytes); }); });
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if (shim_fails(__func__)) {
        return shim_return(cudaErrorInvalidValue);
    }
    const cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
    if (error == cudaSuccess) {
        drain(resolve(nullptr));
    }
    return error;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    int device = 0;
    if (shim_fails(__func__) || !shim_memory_find(to, bytes, &device)) {
        return shim_return(cudaErrorInvalidValue);
    }
    return put(resolve(stream),
               [=] { return with_memory(device, device, [=] { memset(to, value, bytes); }); });
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    return cudaMemsetAsync(to, value, bytes, nullptr);
}

/* ---- streams ---- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    (void)flags;
    if (shim_fails(__func__)) {
        return shim_return(cudaErrorMemoryAllocation);
    }
    shim_stream *made = new shim_stream();
    made->device = shim_device();
    streams.push_back(made);
    shim_alive(1);
    *stream = made;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    for (shim_stream *&entry : streams) {
        if (entry == stream && stream) {
            drain(stream);
            entry = streams.back();
            streams.pop_back();
            delete stream;
            shim_alive(-1);
            return cudaSuccess;
        }
    }
    return shim_return(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    if (shim_fails(__func__)) {
        return shim_return(cudaErrorLaunchFailure);
    }
    drain(resolve(stream));
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    if (shim_fails(__func__)) {
        return shim_return(cudaErrorLaunchFailure);
    }
    return resolve(stream)->queue.empty() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaDeviceSynchronize(void)
{
    if (shim_fails(__func__)) {
        return shim_return(cudaErrorLaunchFailure);
    }
    for (size_t i = 0; i < streams.size(); i++) {
        shim_stream *stream = streams[shim_env.seed % 2 ? streams.size() - 1 - i : i];
        if (stream->device == shim_device()) {
            drain(stream);
        }
    }
    return cudaSuccess;
}

/* ---- events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    if (shim_fails(__func__)) {
        return shim_return(cudaErrorMemoryAllocation);
    }
    *event = new shim_event();
    shim_alive(1);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    if (shim_fails(__func__)) {
        return shim_return(cudaErrorLaunchFailure);
    }
    while (event->counts->done < event->counts->wanted) {
        if (!step_others(nullptr)) {
            fprintf(stderr, "cuda shim: streams wait for each other\n");
            abort();
        }
    }
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    shim_alive(-1);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (shim_fails(__func__)) {
        return shim_return(cudaErrorInvalidResourceHandle);
    }
    const std::shared_ptr<shim_counts> counts = event->counts;
    const uint64_t number = ++counts->wanted;
    return put(resolve(stream), [counts, number] {
        counts->done = number;
        return true;
    });
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return event->counts->done >= event->counts->wanted ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    if (shim_fails(__func__)) {
        return shim_return(cudaErrorInvalidResourceHandle);
    }
    const std::shared_ptr<shim_counts> counts = event->counts;
    const uint64_t number = counts->wanted;
    return put(resolve(stream), [counts, number] { return counts->done >= number; });
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    (void)start;
    (void)end;
    *milliseconds = 0;
    return cudaSuccess;
}

/* ---- launch ---- */

cudaError_t shim_shared_limit(const void *kernel, int bytes)
{
    if (shim_fails("cudaFuncSetAttribute") || bytes < 0 || bytes > SHIM_SHARED_MAX) {
        return shim_return(cudaErrorInvalidValue);
    }
    shared_limits[kernel] = bytes;
    return cudaSuccess;
}

/* Whether a device would accept the shape of a launch. */
static bool shape_fits(const void *kernel, const cudaLaunchConfig_t *config)
{
    const dim3 block = config->blockDim, grid = config->gridDim;
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    const auto asked = shared_limits.find(kernel);
    size_t limit = SHIM_SHARED_DEFAULT;
    if (asked != shared_limits.end() && (size_t)asked->second > limit) {
        limit = (size_t)asked->second;
    }
    return threads > 0 && threads <= SHIM_THREADS_MAX && block.z <= 64 && grid.x > 0 &&
           grid.x <= INT32_MAX && grid.y > 0 && grid.y <= 65535 && grid.z > 0 && grid.z <= 65535 &&
           config->dynamicSmemBytes <= limit;
}

cudaError_t shim_launch(const void *kernel, shim_grid *grid)
{
    if (shim_fails("cudaLaunchKernelEx") || !shape_fits(kernel, &grid->config)) {
        return shim_return(cudaErrorInvalidConfiguration);
    }
    shim_stream *queue = resolve(grid->config.stream);
    if (queue->device != shim_device()) {
        return shim_return(cudaErrorInvalidResourceHandle);
    }
    const shim_grid copy = std::move(*grid);
    return put(queue, [copy, queue] {
        return with_memory(queue->device, queue->device, [&] {
            if (!copy.engine) {
                shim_grid_run(&copy.config, new std::function<void()>(copy.thread));
            } else if (copy.engine(&copy.config)) {
                fprintf(stderr, "cuda shim: the other engine failed\n");
                abort();
            }
        });
    });
}

} /* extern "C" */
