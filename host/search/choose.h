/* Which backend a run gets. */
#ifndef RN_SEARCH_CHOOSE_H
#define RN_SEARCH_CHOOSE_H

#include "core/backend.h"
#include "ration/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rn_choice {
    const rn_backend *backend;
    const rn_backend *inner; /* of the checked backend, else NULL */
} rn_choice;

/* Automatic choice falls back to OpenMP and says so through run->notice; a backend asked for that
 * can't run is RATION_E_ABSENT or RATION_E_DEVICE with the reason. choice: out. */
ration_status rn_choose_backend(const ration_run *run, rn_choice *choice, ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
