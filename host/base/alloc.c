/* Memory of the library. */
#include "alloc.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"

/* The only mutable global of the library: 0, or how many allocations are left up to the one that a
 * test wants to fail. */
static atomic_llong allocations_to_failure;

void rn_alloc_fail_at(int64_t n)
{
    assert(n >= 0);
    atomic_store(&allocations_to_failure, (long long)n);
}

/* Whether this allocation is the one to fail. */
static bool must_fail(void)
{
    if (atomic_load_explicit(&allocations_to_failure, memory_order_relaxed) <= 0) {
        return false;
    }
    return atomic_fetch_sub(&allocations_to_failure, 1) == 1;
}

void *rn_malloc(size_t bytes)
{
    return must_fail() ? NULL : malloc(bytes == 0 ? 1 : bytes);
}

void *rn_calloc(size_t count, size_t size)
{
    size_t bytes = 0;
    if (!rn_size_mul(count, size, &bytes) || must_fail()) {
        return NULL;
    }
    return calloc(1, bytes == 0 ? 1 : bytes);
}

void *rn_realloc(void *block, size_t bytes)
{
    return must_fail() ? NULL : realloc(block, bytes == 0 ? 1 : bytes);
}

void rn_free(void *block)
{
    free(block);
}

void *rn_grow(void *block, int64_t needed, size_t size, int64_t *capacity)
{
    assert(needed >= 0 && size > 0 && *capacity >= 0);
    if (needed <= *capacity && block != NULL) {
        return block;
    }
    int64_t wanted = *capacity < 8 ? 8 : *capacity;
    while (wanted < needed) {
        wanted = wanted > INT64_MAX / 2 ? needed : wanted * 2;
    }
    size_t bytes = 0;
    if ((uint64_t)wanted > SIZE_MAX || !rn_size_mul((size_t)wanted, size, &bytes)) {
        return NULL;
    }
    void *grown = rn_realloc(block, bytes);
    if (grown != NULL) {
        *capacity = wanted;
    }
    return grown;
}

ration_status rn_fail_memory(ration_error *error, const char *name, size_t bytes)
{
    return rn_fail(error, RATION_E_MEMORY, "out of memory: %s needs %zu bytes", name, bytes);
}

void *rn_carve(rn_layout *layout, int64_t count, size_t size)
{
    assert(count >= 0 && size > 0);
    size_t bytes = 0;
    size_t padded = 0;
    size_t end = 0;
    if (layout->overflow || (uint64_t)count > SIZE_MAX ||
        !rn_size_mul((size_t)count, size, &bytes) ||
        !rn_size_add(bytes, RN_CARVE_ALIGN - 1, &padded) ||
        !rn_size_add(layout->used, padded - padded % RN_CARVE_ALIGN, &end)) {
        layout->overflow = true;
        return NULL;
    }
    assert(layout->base == NULL || end <= layout->bytes);
    char *at = layout->base == NULL ? NULL : layout->base + layout->used;
    layout->used = end;
    return at;
}

ration_status rn_layout_allocate(rn_layout *layout, const char *name, ration_error *error)
{
    assert(layout->base == NULL && layout->used % RN_CARVE_ALIGN == 0);
    if (layout->overflow) {
        return rn_fail(error, RATION_E_MEMORY,
                       "out of memory: %s needs more bytes than can be addressed", name);
    }
    const size_t bytes = layout->used == 0 ? RN_CARVE_ALIGN : layout->used;
    char *base = must_fail() ? NULL : aligned_alloc(RN_CARVE_ALIGN, bytes);
    if (base == NULL) {
        return rn_fail_memory(error, name, bytes);
    }
    memset(base, 0, bytes);
    *layout = (rn_layout){base, 0, bytes, false};
    return RATION_OK;
}
