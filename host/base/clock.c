/* Time since the process started. Source for the start: proc(5), /proc/pid/stat, field 22
 * (starttime, ticks since boot). */
#include "clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t clock_read_us(clockid_t id)
{
    struct timespec now;
    if (clock_gettime(id, &now) != 0) {
        return 0;
    }
    return (int64_t)now.tv_sec * 1000000 + (int64_t)now.tv_nsec / 1000;
}

int64_t rn_clock_us(void)
{
    return clock_read_us(CLOCK_MONOTONIC);
}

/* Start of this process in ticks since boot, or -1. */
static int64_t start_ticks(void)
{
    FILE *file = fopen("/proc/self/stat", "re");
    if (file == NULL) {
        return -1;
    }
    char text[1024];
    const size_t bytes = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[bytes] = '\0';
    /* Field 2 is the command in parentheses and may hold anything, so count from the last ')'. */
    const char *at = strrchr(text, ')');
    for (int field = 2; at != NULL && field < 22; field++) {
        at = strchr(at + 1, ' ');
    }
    int64_t ticks = -1;
    if (at == NULL || sscanf(at, "%" SCNd64, &ticks) != 1) {
        return -1;
    }
    return ticks;
}

int64_t rn_clock_start_us(void)
{
    const int64_t now = rn_clock_us();
#ifdef CLOCK_BOOTTIME
    const int64_t ticks = start_ticks();
    const int64_t per_second = (int64_t)sysconf(_SC_CLK_TCK);
    if (ticks >= 0 && per_second > 0 && ticks < INT64_MAX / 1000000) {
        const int64_t age = clock_read_us(CLOCK_BOOTTIME) - ticks * 1000000 / per_second;
        /* A container may show another boot time than the clock has: then the age is not
         * believable. */
        if (age >= 0 && age < (int64_t)86400 * 1000000 * 365) {
            return now - age;
        }
    }
#endif
    return now;
}
