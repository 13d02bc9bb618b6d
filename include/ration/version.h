/* The version of the library. */
#ifndef RATION_VERSION_H
#define RATION_VERSION_H

#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "MAJOR.MINOR.PATCH", of the library at run time. */
RATION_API const char *ration_version(void);

#ifdef __cplusplus
}
#endif

#endif
