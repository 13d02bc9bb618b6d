/* A file that holds a program, as the user named it. */
#ifndef RATION_INSTANCE_H
#define RATION_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "ration/program.h"
#include "ration/tokens.h"

#ifdef __cplusplus
extern "C" {
#endif

/* path, format, start: borrowed. format: "json", "gap", "mkp", "qap", "vbp", "roadef". start: a
 * second file that the program is made of, for formats that need one; NULL: none is given. */
typedef struct ration_instance {
    const char *path;
    const char *format;
    ration_sense sense; /* means something only if sense_given */
    bool sense_given;   /* --sense; otherwise the format's own */
    int32_t problem;    /* --problem, from 1; 0: not given */
    const char *start;
} ration_instance;

/* A text format. `problem` is the front-end's own structure, which its caller makes and frees. */
typedef struct ration_instance_format {
    ration_sense sense; /* when the user gives none */
    bool several;       /* a file may hold more than one problem */
    /* Reads the wanted problem and everything behind it; what a failure leaves in *problem is freed
     * by the owner. */
    ration_status (*read)(ration_tokens *tokens, int32_t wanted, void *problem,
                          ration_error *error);
    /* Makes the program of it, but doesn't freeze it. */
    ration_status (*fill)(const void *problem, ration_sense sense, ration_program *program,
                          ration_error *error);
    bool from_zero; /* items, places and rows are numbered from 0, not from 1 */
} ration_instance_format;

/* Reads the file of a request, calls read and fill, freezes.
 *
 * request, format  borrowed.
 * problem          in and out, for read and fill.
 * program          out, owned, frozen.
 * Errors: RATION_E_INPUT names the file and, where there is one, the line; RATION_E_IO,
 * RATION_E_RANGE, RATION_E_MEMORY; those of read and fill. On failure *program is untouched.
 */
RATION_API ration_status ration_instance_read(const ration_instance *request,
                                              const ration_instance_format *format, void *problem,
                                              ration_program **program, ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
