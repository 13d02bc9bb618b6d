/* Data files that travel inside the library: the catalog, the JSON Schemas, the
 * templates of emitted files.
 *
 * They are problems/catalog/{*.csv,*.json},
 * {problems,host}/<folder>/<name>.schema.json and host/emit/templates/<name>,
 * found by file name alone ("gpus.csv", "serving.schema.json"), so that the
 * command works from any folder.
 */
#ifndef RATION_ASSET_H
#define RATION_ASSET_H

#include <stddef.h>
#include <stdint.h>

#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the content of the embedded file `name`, or NULL when there is none: static, never freed,
 * bytes[*bytes] followed by a NUL that isn't counted. bytes: out, may be NULL, untouched when there
 * is no such file. */
RATION_API const char *ration_asset(const char *name, size_t *bytes);

/* Returns the name of embedded file `index` (from 0), or NULL past the last; the order is fixed
 * within one build. */
RATION_API const char *ration_asset_name(int32_t index);

#ifdef __cplusplus
}
#endif

#endif
