/* Memory with one life: many small allocations, one free. Private to problems/serving. */
#ifndef RN_SERVING_ARENA_H
#define RN_SERVING_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "ration/error.h"

typedef struct rn_arena_block rn_arena_block;

/* Zero-initialise before use. */
typedef struct rn_arena {
    rn_arena_block *block;
} rn_arena;

/* Zeroed memory for count objects of `size` bytes; also for a count of 0. out: borrowed from the
 * arena. RATION_E_MEMORY. */
ration_status rn_arena_take(rn_arena *arena, int64_t count, size_t size, void *out,
                            ration_error *error);

/* A formatted copy. text: out, borrowed from the arena. */
ration_status rn_arena_text(rn_arena *arena, const char **text, ration_error *error,
                            const char *format, ...) RATION_PRINTF(4, 5);

void rn_arena_free(rn_arena *arena);

#endif
