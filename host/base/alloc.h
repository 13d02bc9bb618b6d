/* All memory of the library: checked sizes, one hook for tests, and "add up, allocate once, carve".
 *
 * A constructor writes its list of arrays once, as a function that carves:
 *
 *     static void carve(rn_layout *layout, thing *t)
 *     {
 *         t->cost = rn_carve(layout, t->options, sizeof *t->cost);
 *         t->item = rn_carve(layout, t->options, sizeof *t->item);
 *     }
 *
 * and runs it twice, with rn_layout_allocate between: the first run measures
 * (and gives NULL), the second carves.
 */
#ifndef RN_ALLOC_H
#define RN_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* a * b or a + b into *result; false, and *result untouched, on overflow. */
static inline bool rn_size_mul(size_t a, size_t b, size_t *result)
{
    if (b != 0 && a > SIZE_MAX / b) {
        return false;
    }
    *result = a * b;
    return true;
}

static inline bool rn_size_add(size_t a, size_t b, size_t *result)
{
    if (a > SIZE_MAX - b) {
        return false;
    }
    *result = a + b;
    return true;
}

/* As malloc, calloc, realloc and free, and mixable with them; a size of 0 gives a block of its own.
 * NULL when memory does not suffice, when count * size overflows, or when a test wants it. A failed
 * rn_realloc leaves the old block. */
void *rn_malloc(size_t bytes);
void *rn_calloc(size_t count, size_t size);
void *rn_realloc(void *block, size_t bytes);
void rn_free(void *block);

/* Grows an array by doubling so that it holds at least needed elements. capacity: in and out,
 * elements. Returns the block (moved or not), or NULL and the old block stays valid. */
void *rn_grow(void *block, int64_t needed, size_t size, int64_t *capacity);

/* Sets "out of memory: NAME needs N bytes", RATION_E_MEMORY; returns that status. */
ration_status rn_fail_memory(ration_error *error, const char *name, size_t bytes);

/* For tests only: the n-th allocation from now fails, once; n = 0 switches this off. Process-wide.
 */
void rn_alloc_fail_at(int64_t n);

enum { RN_CARVE_ALIGN = 64 }; /* a cache line */

/* Start with all zero. */
typedef struct rn_layout {
    char *base;    /* NULL while measuring */
    size_t used;   /* bytes so far, a multiple of RN_CARVE_ALIGN */
    size_t bytes;  /* size of base */
    bool overflow; /* a size did not fit */
} rn_layout;

/* Space for count elements of size bytes, aligned to RN_CARVE_ALIGN; NULL while measuring. count >=
 * 0. */
void *rn_carve(rn_layout *layout, int64_t count, size_t size);

/* Ends measuring: allocates what was measured, zeroed, and rewinds. Free layout->base, which is
 * also the first thing carved, with rn_free. name is used in the message. RATION_E_MEMORY. */
ration_status rn_layout_allocate(rn_layout *layout, const char *name, ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
