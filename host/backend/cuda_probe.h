/* What the machine probe asks the CUDA backend. */
#ifndef RN_BACKEND_CUDA_PROBE_H
#define RN_BACKEND_CUDA_PROBE_H

#include "ration/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills cuda_built, devices, device and cuda_text. */
void rn_cuda_machine(ration_machine *machine);

#ifdef __cplusplus
}
#endif

#endif
