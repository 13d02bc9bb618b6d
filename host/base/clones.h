/* Functions compiled once more for each vector width. */
#ifndef RN_CLONES_H
#define RN_CLONES_H

/* Before a function of plain integer loops: the widest form that the machine has is chosen when the
 * program starts; all give the same bits. Not under sanitizers, whose instrumented resolver
 * crashes, nor where the compiler or the machine lacks it. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define RN_CLONES __attribute__((flatten, target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define RN_CLONES
#endif

#endif
