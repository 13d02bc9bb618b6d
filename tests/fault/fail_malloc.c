/* Preloaded before `ration`: the Nth allocation that its own code asks for fails, only that one.
 *
 * FAIL_AT, from 1, is N. Calls from shared libraries (libc, OpenMP's runtime) and those before main
 * (CUDA's runtime, where it is linked in) are passed on uncounted: what they do without memory is
 * theirs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t bytes);

static uintptr_t program_from, program_to;
static int64_t fail_at;
static atomic_long calls;
static atomic_bool counting;
static int (*program_main)(int, char **, char **);

/* The program comes first. */
static int note_program(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    for (int part = 0; part < info->dlpi_phnum; part++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[part];
        if (p->p_type == PT_LOAD && (p->p_flags & PF_X) != 0) {
            program_from = info->dlpi_addr + p->p_vaddr;
            program_to = program_from + p->p_memsz;
        }
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAIL_AT");
    dl_iterate_phdr(note_program, NULL);
    fail_at = at == NULL ? 0 : strtoll(at, NULL, 10);
}

static int counted_main(int count, char **words, char **environment)
{
    atomic_store(&counting, true);
    const int code = program_main(count, words, environment);
    atomic_store(&counting, false);
    return code;
}

/* What the program's entry calls; the parameters are libc's. */
int __libc_start_main(int (*main)(int, char **, char **), int count, char **words,
                      void (*first)(void), void (*last)(void), void (*unload)(void), void *stack)
{
    int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                 void (*)(void), void *);
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    program_main = main;
    return start(counted_main, count, words, first, last, unload, stack);
}

static bool fails(const void *caller)
{
    const uintptr_t at = (uintptr_t)caller;
    if (!atomic_load(&counting) || at < program_from || at >= program_to ||
        atomic_fetch_add(&calls, 1) + 1 != fail_at) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(block, bytes);
}
