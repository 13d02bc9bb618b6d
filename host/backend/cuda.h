/* The CUDA backend's private parts. Every file named cuda* is left out of a build without CUDA. */
#ifndef RN_BACKEND_CUDA_H
#define RN_BACKEND_CUDA_H

#include <cuda_runtime.h>
#include <stddef.h>

#include "base/alloc.h"
#include "core/backend.h"
#include "kernels/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Carves the arrays that chains read out of `device` (which measures while its base is NULL) and
 * makes `tables`, a copy of the host's struct, point to them. stream: takes the copies of their
 * contents; the host's arrays are borrowed until it was waited for. RATION_E_DEVICE. */
ration_status rn_cuda_upload(const rn_tables *host, rn_layout *device, rn_tables *tables,
                             cudaStream_t stream, ration_error *error);

/* Arrays of one epoch, at the same offsets in pinned and in device memory. */
typedef struct rn_cuda_epoch {
    int64_t *over_price;  /* [rows + 1] */
    int64_t *slack_price; /* [rows + 1] */
    int64_t *clamp;       /* [rows + 1] */
    int32_t *heat;        /* [chains] */
    int32_t *push;        /* [chains] */
    rn_mate *mate;        /* [chains] */
    int32_t *elite;       /* [chains] */
    int32_t *slot;        /* [chains] */
} rn_cuda_epoch;

void rn_cuda_epoch_carve(rn_layout *layout, rn_cuda_epoch *arrays, int32_t rows, int32_t chains);

/* Writes an epoch's arrays into pinned memory. Returns the number of elites: chains that are a
 * parent. */
int32_t rn_cuda_epoch_fill(const rn_cuda_epoch *pinned, const rn_epoch *epoch, int32_t rows,
                           int32_t chains);

/* Whether a device answers; else why not. RATION_E_ABSENT, RATION_E_DEVICE. */
ration_status rn_cuda_probe(int32_t device, ration_error *error);

/* How chains lie on the device. */
typedef struct rn_cuda_shape {
    int32_t threads;   /* of a block; 0: chosen from chains and device */
    int32_t residence; /* rn_residence; -1: chosen */
} rn_cuda_shape;

/* As rn_backend.create, with a shape. For tests. */
ration_status rn_cuda_create(const rn_backend_load *load, const rn_cuda_shape *shape,
                             rn_backend_run **run, ration_error *error);

/* How the chains of a run lie on the device. For tests. */
const rn_chains *rn_cuda_chains(const rn_backend_run *run);

#ifdef __cplusplus
}
#endif

#endif
