/* A file that holds a program, as the user named it. */
#ifndef RATION_INSTANCE_H
#define RATION_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "ration/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* path, format: borrowed. format: "json", "gap", "mkp", "qap", "vbp", ... */
typedef struct ration_instance {
    const char *path;
    const char *format;
    ration_sense sense; /* means something only if sense_given */
    bool sense_given;   /* --sense; otherwise the format's own */
    int32_t problem;    /* --problem, from 1; 0: not given */
} ration_instance;

#ifdef __cplusplus
}
#endif

#endif
