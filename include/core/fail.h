/* How code inside the library reports and passes on failures. */
#ifndef RN_FAIL_H
#define RN_FAIL_H

#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Says why, once, where it is known; returns status. Same contract as ration_error_set. */
ration_status rn_fail(ration_error *error, ration_status status, const char *format, ...)
    RATION_PRINTF(3, 4);

#ifdef __cplusplus
}
#endif

/* Returns the status upward, says nothing. A macro because it must return from its caller. */
#define RN_TRY(call)                                \
    do {                                            \
        const ration_status rn_status_ = (call);    \
        if (rn_status_ != RATION_OK) {              \
            return rn_status_;                      \
        }                                           \
    } while (0)

#endif
