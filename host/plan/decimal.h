/* Exact decimals: an integer divided by a power of ten, in JSON. */
#ifndef RN_DECIMAL_H
#define RN_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/i128.h"
#include "ration/document.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RN_DECIMAL_TEXT_MAX = 64 };

/* value / 10^scale, without zeros at the end of a fraction: "-12", "0.25"; returns text. scale
 * 0..18. */
const char *rn_decimal_text(rn_i128 value, int32_t scale, char text[RN_DECIMAL_TEXT_MAX]);

/* The integer text * 10^scale; false when text is no decimal number, when it is not that exact, or
 * leaves 64 bits twice over. */
bool rn_decimal_read(const char *text, int32_t scale, rn_i128 *value);

/* Writes it: a number where a double holds it exactly (at most 15 digits, or an integer up to
 * 2^53), else a decimal string. */
void rn_decimal_write(ration_writer *writer, const char *key, rn_i128 value, int32_t scale);

/* Reads what rn_decimal_write wrote. value: out. RATION_E_INPUT. */
ration_status rn_decimal_node(const ration_node *node, int32_t scale, rn_i128 *value,
                              ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
