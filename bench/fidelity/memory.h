/* Rows of memory_vllm: what vLLM finds at its start. */
#ifndef RN_FIDELITY_MEMORY_H
#define RN_FIDELITY_MEMORY_H

#include "catalog/catalog.h"
#include "table.h"

typedef struct rn_fid_memory {
    double weights_gib;
    double activation_gib;
    double non_torch_gib;
    double kv_cache_gib;
    bool known;
} rn_fid_memory;

ration_status rn_fid_memory_read(const ration_catalog *catalog, const rn_fid_table *table,
                                 int32_t row, rn_fid_memory *memory, ration_error *error);
ration_status rn_fid_memory_report(const ration_catalog *catalog, const char *path,
                                   ration_error *error);

#endif
