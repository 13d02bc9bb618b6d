/* How many chains the anneal kernels keep on a multiprocessor of the device. */
#ifndef RATION_TESTS_OCCUPANCY_H
#define RATION_TESTS_OCCUPANCY_H

#include "kernels/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct occupancy {
    int32_t warps;        /* resident on a multiprocessor at once */
    int32_t warps_most;   /* the device's limit */
    int64_t shared_bytes; /* dynamic, of a block */
} occupancy;

/* As the runtime computes it from registers, shared memory and threads of a
 * block; the chains may be too few to fill it. answer: out. RATION_E_DEVICE. */
ration_status occupancy_of(const rn_chains *chains, int32_t device, bool one_row, occupancy *answer,
                           ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
