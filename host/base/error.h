/* The va_list form of rn_fail, for functions that put something before the caller's sentence. */
#ifndef RN_ERROR_H
#define RN_ERROR_H

#include <stdarg.h>

#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets error to the formatted sentence after prefix; same contract as ration_error_set. prefix may
 * be "". */
ration_status rn_fail_list(ration_error *error, ration_status status, const char *prefix,
                           const char *format, va_list list) RATION_PRINTF(4, 0);

#ifdef __cplusplus
}
#endif

#endif
