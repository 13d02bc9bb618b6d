/* Sorting by buckets: counts at[i + 1] -> starts -> moved to the ends while filling -> starts. */
#ifndef RN_PROGRAM_BUCKET_H
#define RN_PROGRAM_BUCKET_H

#include <stdint.h>

/* Turns counts in at[1..count] into starts: at[i] is where bucket i begins. */
static inline void rn_bucket_starts(int32_t *at, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        at[i + 1] += at[i];
    }
}

/* After a bucket sort moved at[i] to the end of bucket i: back to the starts. */
static inline void rn_bucket_rewind(int32_t *at, int32_t count)
{
    for (int32_t i = count; i > 0; i--) {
        at[i] = at[i - 1];
    }
    at[0] = 0;
}

#endif
