/* GPUs, models, MIG profiles and engines as data with sources: the CSV files of
 * this folder, embedded in the library.
 *
 * A catalog is opened once and is read-only; everything it hands out is
 * borrowed from it and lives as long. Reading is strict: every row has every
 * column, every number parses and is sane (README.md), else the catalog doesn't
 * open and says file and line.
 */
#ifndef RATION_CATALOG_H
#define RATION_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/case.h"
#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How sure a fact is. */
typedef enum ration_confidence {
    RATION_CONFIDENCE_NONE = 0,     /* no such fact */
    RATION_CONFIDENCE_ASSUMED = 1,  /* by a rule named in README.md */
    RATION_CONFIDENCE_RECALLED = 2, /* written down without a source text at hand */
    RATION_CONFIDENCE_READ = 3      /* read in the source named */
} ration_confidence;

typedef struct ration_catalog ration_catalog;

typedef struct ration_gpu {
    const char *name;
    const char *vendor;
    const char *architecture;
    const char *form;
    const char *source;
    const char *notes;
    double memory_gb;  /* data sheet, as marketed */
    /* used by the planner: what a driver shows where that is known, else memory_gb · 1e9 bytes */
    int64_t memory_mib;
    double price_usd_per_hour; /* one GPU, on demand; negative when unknown */
    int32_t mig_instances;     /* 0: no MIG */
    ration_confidence confidence;        /* of compute, bandwidth, links */
    ration_confidence memory_confidence; /* ASSUMED: decimal gigabytes of the data sheet */
    ration_confidence price_confidence;
    ration_confidence idle_confidence; /* ASSUMED: a tenth of the TDP */
    rn_perf_gpu perf;                  /* memory_bytes = memory_mib · 2^20 */
} ration_gpu;

typedef struct ration_model {
    const char *name;
    const char *source;
    const char *notes;
    double params_billion; /* as published; rn_perf_params_count counts from the shape */
    double active_params_billion; /* 0 for dense models */
    ration_confidence confidence;
    /* false: layers that the formulas don't cover; shape.attention is RN_PERF_HYBRID then and the
     * rest of the shape is as published, with holes */
    bool plannable;
    rn_perf_shape shape;
} ration_model;

/* A MIG profile. An instance takes memory_slices from one of the placement starts on; instances may
 * not overlap and their compute slices add up to at most compute_slices_total. */
typedef struct ration_mig_profile {
    const char *gpu; /* "A100-80GB": a key of mig_profiles.csv, not of gpus.csv */
    const char *profile;
    const char *source;
    const char *notes;
    int32_t compute_slices;
    int32_t compute_slices_total;
    int32_t memory_slices;
    int32_t memory_slices_total;
    int32_t memory_mib;
    int32_t multiprocessors;
    int32_t max_instances;
    int32_t starts; /* number of placement starts */
    int32_t start[8];
    ration_confidence confidence;
} ration_mig_profile;

typedef struct ration_engine {
    const char *name; /* "vllm", "sglang", "tensorrt-llm" */
    const char *versions;
    const char *source;
    const char *notes;
    rn_perf_engine_kind kind;
    ration_confidence confidence;
    rn_perf_engine perf;
} ration_engine;

/* Reads the embedded files. catalog: out, owned. RATION_E_MEMORY; RATION_E_INTERNAL with file and
 * line when a file is broken. */
ration_status ration_catalog_open(ration_catalog **catalog, ration_error *error);
void ration_catalog_free(ration_catalog *catalog);

/* The same from given texts (bytes counted, borrowed until return); for tests and for catalogs of
 * one's own. RATION_E_INPUT when a text is broken. */
typedef struct ration_catalog_text {
    const char *name; /* of the file, for messages */
    const char *text;
    size_t bytes;
} ration_catalog_text;

typedef enum ration_catalog_file {
    RATION_CATALOG_GPUS = 0,
    RATION_CATALOG_MODELS = 1,
    RATION_CATALOG_MIG = 2,
    RATION_CATALOG_ENGINES = 3,
    RATION_CATALOG_ALIASES = 4, /* names of rows of the others; read last */
    RATION_CATALOG_FILES = 5
} ration_catalog_file;

ration_status ration_catalog_parse(const ration_catalog_text files[RATION_CATALOG_FILES],
                                   ration_catalog **catalog, ration_error *error);

/* By name or alias, letter case aside; a model also without its owner and without the words of its
 * name that leave the shape as it is ("RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic" is
 * Llama-3.3-70B). out: borrowed. RATION_E_INPUT names the nearest known one. */
ration_status ration_catalog_gpu(const ration_catalog *catalog, const char *name,
                                 const ration_gpu **gpu, ration_error *error);
ration_status ration_catalog_model(const ration_catalog *catalog, const char *name,
                                   const ration_model **model, ration_error *error);
ration_status ration_catalog_engine(const ration_catalog *catalog, const char *name,
                                    const ration_engine **engine, ration_error *error);

/* By position in file order, NULL outside 0 .. count-1. */
int32_t ration_catalog_gpu_count(const ration_catalog *catalog);
int32_t ration_catalog_model_count(const ration_catalog *catalog);
int32_t ration_catalog_mig_count(const ration_catalog *catalog);
int32_t ration_catalog_engine_count(const ration_catalog *catalog);
const ration_gpu *ration_catalog_gpu_at(const ration_catalog *catalog, int32_t index);
const ration_model *ration_catalog_model_at(const ration_catalog *catalog, int32_t index);
const ration_mig_profile *ration_catalog_mig_at(const ration_catalog *catalog, int32_t index);
const ration_engine *ration_catalog_engine_at(const ration_catalog *catalog, int32_t index);

/* A word for a confidence, as in the files: "assumed", "recalled", "source_read", "" for none. */
const char *ration_confidence_text(ration_confidence confidence);

#ifdef __cplusplus
}
#endif

#endif
