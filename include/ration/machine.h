/* What the machine offers to a run: threads, GPUs, the libraries around them. */
#ifndef RATION_MACHINE_H
#define RATION_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RATION_MACHINE_TEXT = 192, RATION_MACHINE_DEVICES = 16 };

typedef struct ration_device {
    char name[64];
    int32_t capability; /* 90 for compute capability 9.0 */
    int64_t memory_bytes;
} ration_device;

/* Each `..._text` is one clause that says what was found or why it's missing. */
typedef struct ration_machine {
    int32_t processors;   /* that this process may use */
    int32_t threads;      /* a run uses by default */
    bool openmp;          /* built in */
    bool cuda_built;
    int32_t devices;      /* CUDA devices that answer */
    ration_device device[RATION_MACHINE_DEVICES];
    char cuda_text[RATION_MACHINE_TEXT];
    bool nccl;
    char nccl_text[RATION_MACHINE_TEXT];
    bool mpi;
    char mpi_text[RATION_MACHINE_TEXT];
} ration_machine;

/* Looks; never fails: what can't be found is said in the texts. machine: out. */
RATION_API void ration_machine_probe(ration_machine *machine);

#ifdef __cplusplus
}
#endif

#endif
