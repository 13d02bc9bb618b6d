/* Machine reassignment (ROADEF/EURO challenge 2012): processes move between machines, within
 * capacities, away from a given start.
 *
 *   minimise  load costs + balance costs + costs of moving processes, services, between machines
 */
#ifndef RATION_ROADEF_H
#define RATION_ROADEF_H

#include "ration/instance.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a model and its start assignment in the challenge's formats (problems/roadef/README.md).
 *
 * Items are processes, places are machines, numbered from 0; modes are `stay` (only at the machine
 * of the start) and `move`. The start assignment is the program's start plan.
 *
 * request  borrowed; `problem` must be 0 or 1, `start` names the assignment, the sense is to
 *          minimise.
 * program  out, owned, frozen.
 * Errors: RATION_E_INPUT names file and line, or says that there is no start; RATION_E_IO,
 * RATION_E_RANGE, RATION_E_MEMORY.
 */
RATION_API ration_status ration_roadef_read(const ration_instance *request,
                                            ration_program **program, ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
