/* What the parts of the CUDA stand-in share. None of them is ever compiled with
 * -fsanitize=thread: the scheduler must order nothing that a GPU does not. */
#ifndef SHIM_INTERNAL_H
#define SHIM_INTERNAL_H

#include "cuda_runtime.h"

#include <map>
#include <vector>

#ifdef SHIM_TSAN
extern "C" {
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void *__tsan_get_current_fiber(void);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_acquire(void *object);
void __tsan_release(void *object);
}
#define SHIM_IF_TSAN(...) __VA_ARGS__
#else
#define SHIM_IF_TSAN(...)
#endif

#ifdef SHIM_UCONTEXT
#include <ucontext.h>
#endif

enum {
    SHIM_WARP_SIZE = 32,
    SHIM_STACK_BYTES = 256 << 10,
    SHIM_SHARED_DEFAULT = 48 << 10,
    SHIM_SHARED_MAX = 227 << 10,
    SHIM_THREADS_MAX = 1024
};

/* The environment, read once; a test may change the seed. */
struct shim_settings {
    uint64_t seed;    /* SHIM_SEED: order of lanes, blocks and streams; 0 is the plain order */
    uint64_t lazy;    /* SHIM_LAZY: nothing on a stream runs before it is waited for */
    uint64_t devices; /* SHIM_DEVICES: how many devices there are, default 1 */
    uint64_t protect; /* SHIM_PROTECT: device memory is readable by its device only */
    uint64_t memory;  /* SHIM_MEM: bytes of each device, default 1 GiB */
    shim_settings(void);
};
extern shim_settings shim_env;

/* One GPU thread. */
struct shim_fiber {
    shim_ids ids;
    char *stack;
    bool done;
    const char *where; /* the operation it waits at, or NULL */
    int line, caller;  /* of the operation; of who called it through core/hd.h, or 0 */
    SHIM_IF_TSAN(void *tsan;)
#if defined(__SANITIZE_ADDRESS__)
    void *fake_stack;
#endif
#ifdef SHIM_UCONTEXT
    ucontext_t context;
#else
    void *stack_pointer;
#endif
};

/* TSan's order object of one mask: it alternates with the barrier's parity, else
 * a lane that resumes late takes in the next barrier and hides a race. */
struct shim_order {
    unsigned generation;
    char object[2];
};

struct shim_warp_state {
    SHIM_IF_TSAN(std::map<unsigned, shim_order> order;)
    unsigned size, live, waiting;
    unsigned mask[SHIM_WARP_SIZE];
    shim_op op[SHIM_WARP_SIZE];
    int source[SHIM_WARP_SIZE], line[SHIM_WARP_SIZE], caller[SHIM_WARP_SIZE];
    uint64_t value[SHIM_WARP_SIZE], result[SHIM_WARP_SIZE];
};

/* One block while it runs. */
struct shim_block_state {
    std::vector<shim_fiber> fibers;
    std::vector<shim_warp_state> warps;
    std::vector<int> ready;
    shim_fiber scheduler;
    char barrier_object[2];
    int current, live, at_barrier, barrier_count, barrier_line, barrier_result;
    unsigned barrier_generation;
    uint64_t random;
    char *dynamic_shared;
    std::function<void()> *thread;
};

/* The block that this OS thread runs, or NULL. */
extern thread_local shim_block_state *shim_running;

/* Writes what happened and where each thread of the block stands, and aborts. */
[[noreturn]] void shim_die(const char *what);

/* shim_fiber.cpp */
void shim_fiber_prepare(shim_fiber *fiber);
void shim_fiber_release(shim_fiber *fiber);
void shim_fiber_switch(shim_fiber *from, shim_fiber *to);
/* The first code of a GPU thread (shim_block.cpp). */
void shim_fiber_entry(void);
/* Unmaps the stacks that this OS thread keeps for reuse. */
void shim_stacks_free(void);

/* shim_block.cpp: runs every block of a grid; consumes thread. */
void shim_grid_run(const cudaLaunchConfig_t *config, std::function<void()> *thread);

/* shim_memory.cpp */
cudaError_t shim_return(cudaError_t error);
bool shim_fails(const char *function);
void shim_alive(int change);
int shim_device(void);
/* Opens or closes the memory of a device (SHIM_PROTECT). */
void shim_memory_open(int device, bool open);
/* Whether [pointer, bytes) lies in one block of device memory; its device to
 * *device (may be NULL). */
bool shim_memory_find(const void *pointer, size_t bytes, int *device);

#endif
