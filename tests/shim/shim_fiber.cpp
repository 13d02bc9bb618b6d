/* Fibers of the CUDA stand-in: one for each GPU thread of a running block. */
#include "shim_internal.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
extern "C" {
void __sanitizer_start_switch_fiber(void **fake_stack, const void *bottom, size_t bytes);
void __sanitizer_finish_switch_fiber(void *fake_stack, const void **bottom, size_t *bytes);
void __asan_unpoison_memory_region(void const volatile *begin, size_t bytes);
}
#endif

#if !defined(__x86_64__) && !defined(SHIM_UCONTEXT)
#error "compile the stand-in with -DSHIM_UCONTEXT on this machine"
#endif

__thread const shim_ids *shim_current;
static thread_local std::vector<char *> stack_pool;

#ifndef SHIM_UCONTEXT
/* Saves the callee-saved registers and the stack pointer to *from, goes to `to`:
 * about 7 times faster than swapcontext, which asks the kernel for the signals. */
extern "C" void shim_switch_stack(void **from, void *to);
__asm__(".text\n"
        ".globl shim_switch_stack\n"
        ".type shim_switch_stack,@function\n"
        "shim_switch_stack:\n"
        "pushq %rbp\n"
        "pushq %rbx\n"
        "pushq %r12\n"
        "pushq %r13\n"
        "pushq %r14\n"
        "pushq %r15\n"
        "movq %rsp,(%rdi)\n"
        "movq %rsi,%rsp\n"
        "popq %r15\n"
        "popq %r14\n"
        "popq %r13\n"
        "popq %r12\n"
        "popq %rbx\n"
        "popq %rbp\n"
        "ret\n"
        ".size shim_switch_stack,.-shim_switch_stack\n");
#endif

/* Where every new fiber starts; never returns. */
static void enter(void)
{
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
    shim_fiber_entry();
    abort();
}

void shim_fiber_prepare(shim_fiber *fiber)
{
    if (stack_pool.empty()) {
        void *stack = mmap(nullptr, SHIM_STACK_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack == MAP_FAILED) {
            fprintf(stderr, "cuda shim: no memory for the stack of a GPU thread\n");
            abort();
        }
        fiber->stack = (char *)stack;
    } else {
        fiber->stack = stack_pool.back();
        stack_pool.pop_back();
    }
#if defined(__SANITIZE_ADDRESS__)
    /* Frames of the fiber that had this stack before never returned: their red zones are marked. */
    __asan_unpoison_memory_region(fiber->stack, SHIM_STACK_BYTES);
#endif
#ifdef SHIM_UCONTEXT
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = SHIM_STACK_BYTES;
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, enter, 0);
#else
    void **top = (void **)(fiber->stack + SHIM_STACK_BYTES - 64);
    *--top = nullptr; /* the return address of enter, which has none */
    *--top = (void *)enter;
    for (int i = 0; i < 6; i++) {
        *--top = nullptr; /* the callee-saved registers */
    }
    fiber->stack_pointer = top;
#endif
    SHIM_IF_TSAN(fiber->tsan = __tsan_create_fiber(0);)
}

void shim_fiber_release(shim_fiber *fiber)
{
    stack_pool.push_back(fiber->stack);
    SHIM_IF_TSAN(__tsan_destroy_fiber(fiber->tsan);)
}

void shim_stacks_free(void)
{
    for (char *stack : stack_pool) {
        munmap(stack, SHIM_STACK_BYTES);
    }
    stack_pool.clear();
}

void shim_fiber_switch(shim_fiber *from, shim_fiber *to)
{
    shim_current = &to->ids;
    SHIM_IF_TSAN(__tsan_switch_to_fiber(to->tsan, 1);) /* 1: the switch orders nothing */
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(from->done ? nullptr : &from->fake_stack, to->stack,
                                   SHIM_STACK_BYTES);
#endif
#ifdef SHIM_UCONTEXT
    swapcontext(&from->context, &to->context);
#else
    shim_switch_stack(&from->stack_pointer, to->stack_pointer);
#endif
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(from->fake_stack, nullptr, nullptr);
#endif
}
