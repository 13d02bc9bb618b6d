/* The numbers that a fit determines: of the hardware's efficiency and of an
 * engine's overheads. Their values are in perf/fitted.h, and nowhere else.
 *
 * They trade off against each other: change a set by refitting
 * (build/bench/fidelity --fit), never one alone. They are not kernel
 * efficiencies.
 */
#ifndef RN_PERF_NUMBERS_H
#define RN_PERF_NUMBERS_H

#include "perf/hd.h"

/* What a serving engine adds. */
typedef struct rn_perf_engine {
    double layer_s;         /* host and launch time of a layer in a step */
    double moe_layer_s;     /* more for a layer with experts */
    double blackwell;       /* factor on overheads on Blackwell */
    double interference;    /* share of a prompt's work that delays the others' decode steps */
    double request_s;       /* host time of a request */
    double prefill_layer_s; /* per layer of a prompt alone */
    double first_s;         /* constant part of TTFT */
    double queue;           /* share of the other prompts that one waits for */
    double lock_step;       /* the same where all clients start at once */
    double memory_fraction; /* of the GPU's memory that the engine uses, by default; not fitted */
} rn_perf_engine;

/* What hardware and kernels reach. Fractions, factors, seconds. */
typedef struct rn_perf_fit {
    double memory;            /* of memory bandwidth, reading weights */
    double memory_kv;         /* of it, reading the KV cache */
    double memory_experts;    /* of it, reading experts */
    double memory_fp4;        /* factor on `memory` for 4-bit weights */
    double int4_experts;      /* factor on memory_experts for int4 */
    double compute;           /* of the peak, dense matrices */
    double compute_experts;   /* of it, experts */
    double compute_flash;     /* of it, attention of a prompt */
    double compute_latent;    /* of it, latent attention in a step */
    double compute_fp8;       /* of the 8-bit peak against that of 16 bits */
    double compute_fp4;       /* of the 4-bit peak */
    double elementwise;       /* passes over the activations per layer */
    double blackwell_memory;  /* factor on memory fractions on Blackwell */
    double blackwell_compute; /* factor on compute fractions there */
    double link_alpha_s;      /* an all-reduce over NVLink */
    double link_efficiency;   /* of NVLink's bandwidth */
    double latent_layer_s;    /* per layer of latent or linear attention */
    double sparse_layer_s;    /* per layer of sparse attention: its indexer */
    double step_s;            /* per step */
    double sequence_s;        /* per sequence in a step */
    double step_wait;         /* steps that a new request waits for */
    double refill;            /* share of a request's time that one waits for room in memory */
    double unfused_compute;   /* factor on compute_flash without flash attention */
    double unfused_bytes;     /* bytes per score and head without flash attention */
} rn_perf_fit;

/* A worker that always has enough to do, and a batch that starts together (TensorRT-LLM's own
 * tables, LMDeploy's, llama.cpp's): other numbers than under a closed loop. */
typedef struct rn_perf_batch_fit {
    rn_perf_fit fit;
    rn_perf_engine engine;
    double pcie_alpha_s;     /* an all-reduce over PCIe */
    double pcie_efficiency;  /* of its bandwidth */
    double sequences;        /* that the scheduler admits at most */
    double room;             /* share of the free memory that sequences fill in the mean */
    double kept_output;      /* share of an answer's tokens that are kept in the mean */
    double version_020;      /* factor on the rate since TensorRT-LLM 0.20 */
    double version_100;      /* since 1.0 */
    double static_layer_s;   /* host time of a layer and pass in a batch that starts together */
    double static_first_s;   /* constant part of its TTFT */
    double static_compute;   /* factor on compute fractions of a prompt there */
    double llamacpp_layer_s; /* both again, for llama.cpp */
    double llamacpp_compute;
} rn_perf_batch_fit;

/* Power of a GPU while it works, between idle and its limit; see perf/power.h. */
typedef struct rn_perf_power_fit {
    double memory;    /* per square root of the share of memory bandwidth that weights take */
    double compute;   /* per square root of the share of the 16-bit peak */
    double sequences; /* per natural logarithm of the sequences in a step */
    double experts;   /* for a model with experts */
    double blackwell; /* on Blackwell */
    double base;      /* taken off */
    double capped;    /* training under a power limit: unlimited power over the highest limit */
    double busy;      /* at 100 % utilisation as nvidia-smi counts it */
} rn_perf_power_fit;

/* Engines with fitted numbers. */
typedef enum rn_perf_engine_kind {
    RN_PERF_VLLM = 0,
    RN_PERF_SGLANG = 1,
    RN_PERF_TENSORRT_LLM = 2,
    RN_PERF_ENGINES = 3
} rn_perf_engine_kind;

#endif
