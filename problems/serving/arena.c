/* Memory with one life: a list of blocks. */
#include "serving/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 65536, ALIGNMENT = 16 };

struct rn_arena_block {
    rn_arena_block *next;
    size_t used;
    size_t size;
    size_t unused; /* keeps the header a multiple of the alignment */
};

static void *block_bytes(rn_arena_block *block)
{
    return block + 1;
}

ration_status rn_arena_take(rn_arena *arena, int64_t count, size_t size, void *out,
                            ration_error *error)
{
    const size_t most = SIZE_MAX / 4;
    if (count < 0 || size == 0 || (uint64_t)count > most / size) {
        return ration_error_set(error, RATION_E_MEMORY, "out of memory for %lld objects",
                                (long long)count);
    }
    const size_t bytes = ((size_t)count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    rn_arena_block *block = arena->block;
    if (block == NULL || block->size - block->used < bytes) {
        const size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        block = calloc(1, sizeof *block + room);
        if (block == NULL) {
            return ration_error_set(error, RATION_E_MEMORY, "out of memory for %zu bytes", room);
        }
        block->size = room;
        block->next = arena->block;
        arena->block = block;
    }
    void *at = (char *)block_bytes(block) + block->used;
    block->used += bytes;
    assert(block->used <= block->size && block->used % ALIGNMENT == 0);
    memcpy(out, &at, sizeof at);
    return RATION_OK;
}

ration_status rn_arena_text(rn_arena *arena, const char **text, ration_error *error,
                            const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *buffer = NULL;
    const ration_status status = rn_arena_take(arena, (int64_t)length + 1, 1, &buffer, error);
    if (status != RATION_OK) {
        return status;
    }
    va_start(list, format);
    vsnprintf(buffer, (size_t)length + 1, format, list);
    va_end(list);
    *text = buffer;
    return RATION_OK;
}

void rn_arena_free(rn_arena *arena)
{
    while (arena->block != NULL) {
        rn_arena_block *next = arena->block->next;
        free(arena->block);
        arena->block = next;
    }
}
