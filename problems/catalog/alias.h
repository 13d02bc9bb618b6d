/* Names that people give to one and the same model. */
#ifndef RATION_CATALOG_ALIAS_H
#define RATION_CATALOG_ALIAS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RN_ALIAS_BYTES = 96 };

/* Letter case aside. */
bool rn_name_same(const char *a, const char *b);

/* out: [RN_ALIAS_BYTES] the name without its owner ("nvidia/") and without the words at its end
 * that leave the shape as it is: precision, instruction tuning, a date of four digits. The first
 * word stays. A longer name is cut. */
void rn_alias_reduce(const char *name, char *out);

#ifdef __cplusplus
}
#endif

#endif
