/* A machine reassignment model as an allocation program. */
#ifndef RN_ROADEF_ENCODE_H
#define RN_ROADEF_ENCODE_H

#include "model.h"
#include "ration/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills an empty program; problems/roadef/README.md says with what. model: with its start.
 * RATION_E_RANGE: more services with rules for places than there are roles, or too many rows; and
 * what the builder refuses. */
ration_status rn_roadef_encode(const rn_roadef *model, ration_program *program,
                               ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
