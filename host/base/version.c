/* The version, as the build names it. */
#include "ration/version.h"

#ifndef RATION_VERSION_TEXT
#error "the build defines RATION_VERSION_TEXT"
#endif

const char *ration_version(void)
{
    return RATION_VERSION_TEXT;
}
