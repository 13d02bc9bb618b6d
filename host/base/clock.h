/* Time, for deciding when to stop and for reports; never for what a search does. */
#ifndef RN_CLOCK_H
#define RN_CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Microseconds of the monotonic clock. */
int64_t rn_clock_us(void);

/* The value that rn_clock_us had when this process started, as far as the system tells (Linux: to a
 * clock tick, 10 ms); elsewhere the value now. Reads a file: call it once. */
int64_t rn_clock_start_us(void);

#ifdef __cplusplus
}
#endif

#endif
