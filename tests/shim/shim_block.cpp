/* Warp and block operations of the CUDA stand-in, and the running of grids. */
#include "shim_internal.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sched.h>
#include <string>
#include <thread>

thread_local shim_block_state *shim_running;

void shim_die(const char *what)
{
    const shim_block_state *block = shim_running;
    const uint3 at = block->fibers[0].ids.block;
    fprintf(stderr, "cuda shim: %s in block (%u,%u,%u)\n", what, at.x, at.y, at.z);
    std::map<std::pair<std::string, int>, int> places;
    for (const shim_fiber &fiber : block->fibers) {
        const char *place = fiber.done ? "exited" : fiber.where ? fiber.where : "running";
        const int line = fiber.caller ? fiber.caller : fiber.line;
        places[{place, fiber.done || !fiber.where ? 0 : line}]++;
    }
    for (const auto &place : places) {
        const std::string line = place.first.second ? " line " : "";
        const std::string number = place.first.second ? std::to_string(place.first.second) : "";
        fprintf(stderr, "  %d thread(s) %s%s%s\n", place.second, place.first.first.c_str(),
                line.c_str(), number.c_str());
    }
    abort();
}

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t next_random(shim_block_state *block)
{
    uint64_t z = (block->random += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

/* Leaves the running fiber for a ready one, or for the scheduler at the end. */
static void yield_from(shim_fiber *me)
{
    shim_block_state *block = shim_running;
    std::vector<int> &ready = block->ready;
    if (ready.empty()) {
        if (block->live) {
            shim_die("deadlock: some threads wait at a barrier others never reach");
        }
        shim_fiber_switch(me, &block->scheduler);
        return;
    }
    const size_t k = shim_env.seed ? next_random(block) % ready.size() : ready.size() - 1;
    const int next = ready[k];
    ready[k] = ready.back();
    ready.pop_back();
    block->current = next;
    if (&block->fibers[(size_t)next] == me) {
        shim_current = &me->ids;
        return;
    }
    shim_fiber_switch(me, &block->fibers[(size_t)next]);
}

/* ---- warp operations ---- */

/* Dies unless all lanes of the mask do the same operation with the same mask. */
static void check_agreement(const shim_warp_state *warp, unsigned mask)
{
    const int first = __builtin_ctz(mask);
    for (int lane = 0; lane < SHIM_WARP_SIZE; lane++) {
        if (!(mask >> lane & 1)) {
            continue;
        }
        if (warp->mask[lane] != mask) {
            shim_die("lanes of one warp operation name different masks");
        }
        if (warp->op[lane] != warp->op[first] || warp->line[lane] != warp->line[first] ||
            warp->caller[lane] != warp->caller[first]) {
            shim_die("lanes of one warp meet in different warp operations (divergence)");
        }
    }
}

/* Adds one lane's value to a reduction; first is the lane that starts it. */
static uint64_t reduce(shim_op op, uint64_t sum, uint64_t lane_value, int lane, bool first)
{
    const uint32_t value = (uint32_t)lane_value, so_far = (uint32_t)sum;
    if (op == SHIM_BALLOT) {
        return sum | lane_value << lane;
    }
    if (first) {
        return value;
    }
    switch (op) {
    case SHIM_ADD:
        return so_far + value;
    case SHIM_MIN:
        return (int32_t)value < (int32_t)so_far ? value : so_far;
    case SHIM_MAX:
        return (int32_t)value > (int32_t)so_far ? value : so_far;
    case SHIM_UMIN:
        return value < so_far ? value : so_far;
    case SHIM_UMAX:
        return value > so_far ? value : so_far;
    case SHIM_AND:
        return so_far & value;
    case SHIM_OR_BITS:
        return so_far | value;
    case SHIM_XOR:
        return so_far ^ value;
    default:
        return sum;
    }
}

/* One lane's result of a complete operation. */
static uint64_t lane_result(const shim_warp_state *warp, unsigned mask, int lane, uint64_t reduced)
{
    if (warp->op[lane] == SHIM_SHUFFLE) {
        const int source = warp->source[lane] & (SHIM_WARP_SIZE - 1);
        if (!(mask >> source & 1)) {
            shim_die("shuffle reads a lane outside the mask");
        }
        return warp->value[source];
    }
    if (warp->op[lane] == SHIM_MATCH) {
        unsigned same = 0;
        for (int other = 0; other < SHIM_WARP_SIZE; other++) {
            const bool equal = (mask >> other & 1) && warp->value[other] == warp->value[lane];
            same |= equal ? 1u << other : 0u;
        }
        return same;
    }
    return reduced;
}

/* Completes the operation of mask if all its lanes have come. */
static void warp_try(shim_block_state *block, int index, unsigned mask)
{
    shim_warp_state *warp = &block->warps[(size_t)index];
    if ((warp->waiting & mask) != mask) {
        return;
    }
    check_agreement(warp, mask);
    const int first = __builtin_ctz(mask);
    uint64_t reduced = 0;
    for (int lane = first; lane < SHIM_WARP_SIZE; lane++) {
        if (mask >> lane & 1) {
            reduced = reduce(warp->op[first], reduced, warp->value[lane], lane, lane == first);
        }
    }
    for (int lane = first; lane < SHIM_WARP_SIZE; lane++) {
        if (mask >> lane & 1) {
            warp->result[lane] = lane_result(warp, mask, lane, reduced);
            block->ready.push_back(index * SHIM_WARP_SIZE + lane);
        }
    }
    warp->waiting &= ~mask;
    SHIM_IF_TSAN(if (warp->op[first] == SHIM_SYNC) { warp->order[mask].generation++; })
}

extern "C" uint64_t shim_warp(shim_op op, unsigned mask, uint64_t value, int source, int line)
{
    shim_block_state *block = shim_running;
    const int index = block->current / SHIM_WARP_SIZE, lane = block->current % SHIM_WARP_SIZE;
    shim_warp_state *warp = &block->warps[(size_t)index];
    shim_fiber *me = &block->fibers[(size_t)block->current];
    if (warp->size < SHIM_WARP_SIZE && mask == ~0u) {
        mask = (1u << warp->size) - 1; /* a short last warp */
    }
    me->where = op == SHIM_SYNC ? "at __syncwarp" : "at a warp operation";
    me->line = line;
    if (!(mask >> lane & 1)) {
        shim_die("calling lane is not in its own mask");
    }
    if ((warp->live & mask) != mask) {
        shim_die("a lane named in a warp mask has exited");
    }
    warp->mask[lane] = mask;
    warp->op[lane] = op;
    warp->source[lane] = source;
    warp->line[lane] = line;
    warp->caller[lane] = me->caller;
    warp->value[lane] = value;
    warp->waiting |= 1u << lane;
    /* Shuffles and votes release nothing: CUDA promises no memory order for them. */
    SHIM_IF_TSAN(char *object = nullptr; if (op == SHIM_SYNC) {
        shim_order &order = warp->order[mask];
        object = &order.object[order.generation & 1];
        __tsan_release(object);
    })
    warp_try(block, index, mask);
    yield_from(me);
    SHIM_IF_TSAN(if (object) { __tsan_acquire(object); })
    me->where = nullptr;
    me->caller = 0;
    return warp->result[lane];
}

extern "C" void shim_caller(int line)
{
    shim_running->fibers[(size_t)shim_running->current].caller = line;
}

/* ---- block operations ---- */

/* Opens the block barrier if all live threads have come. */
static void block_try(shim_block_state *block)
{
    if (!block->live || block->at_barrier < block->live) {
        return;
    }
    block->at_barrier = 0;
    block->barrier_result = block->barrier_count;
    block->barrier_count = 0;
    block->barrier_generation++;
    for (size_t i = 0; i < block->fibers.size(); i++) {
        if (!block->fibers[i].done) {
            block->ready.push_back((int)i);
        }
    }
}

extern "C" int shim_block(int pred, int line)
{
    shim_block_state *block = shim_running;
    shim_fiber *me = &block->fibers[(size_t)block->current];
    me->where = "at __syncthreads";
    me->line = line;
    if (block->at_barrier && block->barrier_line != line) {
        shim_die("threads of one block meet at different __syncthreads (divergence)");
    }
    block->barrier_line = line;
    block->at_barrier++;
    block->barrier_count += pred;
    SHIM_IF_TSAN(char *object = &block->barrier_object[block->barrier_generation & 1];
                 __tsan_release(object);)
    block_try(block);
    yield_from(me);
    SHIM_IF_TSAN(__tsan_acquire(object);)
    me->where = nullptr;
    return block->barrier_result;
}

extern "C" void *shim_dynamic_shared(void)
{
    return shim_running->dynamic_shared;
}

extern "C" unsigned shim_lane(void)
{
    return (unsigned)shim_running->current % SHIM_WARP_SIZE;
}

extern "C" unsigned shim_active(void)
{
    return shim_running->warps[(size_t)shim_running->current / SHIM_WARP_SIZE].live;
}

extern "C" void shim_fence(void)
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

/* ---- one GPU thread, one block, one grid ---- */

void shim_fiber_entry(void)
{
    shim_block_state *block = shim_running;
    const int index = block->current;
    shim_fiber *me = &block->fibers[(size_t)index];
    SHIM_IF_TSAN(__tsan_acquire(block->thread);)
    (*block->thread)();
    /* start and end are two objects: with one, blocks would look ordered */
    SHIM_IF_TSAN(__tsan_release((char *)block->thread + 1); __tsan_release(block);)
    me->done = true;
    block->live--;
    shim_warp_state *warp = &block->warps[(size_t)index / SHIM_WARP_SIZE];
    const unsigned bit = 1u << (index % SHIM_WARP_SIZE);
    warp->live &= ~bit;
    for (int lane = 0; lane < SHIM_WARP_SIZE; lane++) {
        if ((warp->waiting >> lane & 1) && (warp->mask[lane] & bit)) {
            shim_die("a lane named in a warp mask has exited");
        }
    }
    block_try(block);
    yield_from(me);
}

#ifdef SHIM_POISON
extern "C" char __start_shim_shared[], __stop_shim_shared[];
static char anchor __attribute__((section("shim_shared"), used)); /* so that the section exists */
#endif

/* Fills a fiber's numbers. */
static void number_thread(shim_ids *ids, const cudaLaunchConfig_t *config, unsigned t, uint64_t b)
{
    const dim3 size = config->blockDim, grid = config->gridDim;
    ids->thread = {t % size.x, t / size.x % size.y, t / (size.x * size.y)};
    ids->block = {(unsigned)(b % grid.x), (unsigned)(b / grid.x % grid.y),
                  (unsigned)(b / ((uint64_t)grid.x * grid.y))};
    ids->block_dim = size;
    ids->grid_dim = grid;
}

/* Allocates a block's shared memory, filled with a pattern, and its fibers. */
static void block_start(shim_block_state *block, const cudaLaunchConfig_t *config, uint64_t number)
{
    const dim3 size = config->blockDim;
    const unsigned threads = size.x * size.y * size.z;
    block->fibers.resize(threads);
    block->warps.resize((threads + SHIM_WARP_SIZE - 1) / SHIM_WARP_SIZE);
    block->live = (int)threads;
    block->random = shim_env.seed * 0x2545F4914F6CDD1Dull + number * 0x9E3779B97F4A7C15ull;
    if (config->dynamicSmemBytes) {
        block->dynamic_shared = (char *)malloc(config->dynamicSmemBytes);
        memset(block->dynamic_shared, 0xCD, config->dynamicSmemBytes);
    }
#ifdef SHIM_POISON
    memset(__start_shim_shared, 0xCD, (size_t)(__stop_shim_shared - __start_shim_shared));
#endif
    block->ready.reserve(threads);
    for (unsigned t = 0; t < threads; t++) {
        shim_fiber *fiber = &block->fibers[t];
        number_thread(&fiber->ids, config, t, number);
        shim_fiber_prepare(fiber);
        block->ready.push_back((int)t);
    }
    for (size_t w = 0; w < block->warps.size(); w++) {
        const unsigned left = threads - (unsigned)w * SHIM_WARP_SIZE;
        shim_warp_state *warp = &block->warps[w];
        warp->size = left < 32u ? left : 32u;
        warp->live = warp->size == SHIM_WARP_SIZE ? ~0u : (1u << warp->size) - 1;
    }
}

/* Runs one block on this OS thread. */
static void block_run(const cudaLaunchConfig_t *config, std::function<void()> *thread,
                      uint64_t number)
{
    std::unique_ptr<shim_block_state> block(new shim_block_state());
    block->thread = thread;
    shim_running = block.get();
    SHIM_IF_TSAN(block->scheduler.tsan = __tsan_get_current_fiber();)
    block_start(block.get(), config, number);
    block->current = block->ready.back();
    block->ready.pop_back();
    shim_fiber_switch(&block->scheduler, &block->fibers[(size_t)block->current]);
    SHIM_IF_TSAN(__tsan_acquire(block.get());) /* orders only the frees below */
    for (shim_fiber &fiber : block->fibers) {
        shim_fiber_release(&fiber);
    }
    free(block->dynamic_shared);
    shim_running = nullptr;
    shim_current = nullptr;
}

void shim_grid_run(const cudaLaunchConfig_t *config, std::function<void()> *thread)
{
    const dim3 grid = config->gridDim;
    const uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
#ifdef SHIM_TSAN
    /* A fresh detached OS thread for each block: blocks are as unordered as on a
     * GPU. At most two at a time. */
    __tsan_release(thread);
    std::atomic<uint64_t> *done = new std::atomic<uint64_t>(0);
    for (uint64_t i = 0; i < blocks; i++) {
        const cudaLaunchConfig_t copy = *config;
        std::thread([copy, thread, i, done] {
            block_run(&copy, thread, i);
            shim_stacks_free();
            done->fetch_add(1);
        }).detach();
        while (done->load() + 2 <= i + 1) {
            sched_yield();
        }
    }
    while (done->load() < blocks) {
        sched_yield();
    }
    delete done;
    __tsan_acquire((char *)thread + 1);
#else
#ifndef SHIM_POISON
#pragma omp parallel for schedule(dynamic, 1)
#endif
    for (uint64_t i = 0; i < blocks; i++) {
        block_run(config, thread, shim_env.seed % 2 ? blocks - 1 - i : i);
    }
#endif
    delete thread;
}
