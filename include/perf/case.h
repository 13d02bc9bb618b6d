/* One configuration to be priced: a model on a GPU type, in a layout, under an
 * engine, with the numbers of the fit (perf/numbers.h, perf/fitted.h).
 *
 * Range of the fit: 1-8 GPUs, one stage, concurrency 1-1024, 128-8192 tokens in
 * and out, TPOT 2.3-200 ms, on H100, H200, B200, B300.
 */
#ifndef RN_PERF_CASE_H
#define RN_PERF_CASE_H

#include "perf/comm.h"

typedef struct rn_perf_config {
    rn_perf_weights weights;
    rn_perf_kv kv;
    int32_t flash; /* 1: fused attention; 0: scores go through memory */
    int32_t tp;
    int32_t pp;
    /* attention data parallel: ranks of tp GPUs that share experts and dense MLPs; else 1 */
    int32_t ranks;
    rn_perf_link tp_link; /* slowest link inside a stage; not read when tp · ranks = 1 */
    rn_perf_link pp_link; /* slowest link between stages; not read when pp = 1 */
    int32_t chunk_tokens; /* prompt tokens in one pass, sizes the activations; usual 8192 */
    int32_t block_tokens; /* granularity of the KV cache; usual 16 */
    double reserve_bytes; /* runtime, graphs, communication buffers; see rn_perf_reserve_default */
    double memory_fraction; /* of memory_bytes that may be used, 0..1 */
} rn_perf_config;

typedef struct rn_perf_case {
    rn_perf_shape shape;
    rn_perf_gpu gpu;
    rn_perf_config config;
    rn_perf_engine engine;
    rn_perf_fit fit;
} rn_perf_case;

enum { RN_PERF_TOKENS_MAX = 1 << 24, RN_PERF_BATCH_MAX = 1 << 16 };

/* Runtime, graphs and communication buffers, bytes a GPU (2 GB in the fit of the batch limit). */
RN_PERF double rn_perf_reserve_default(void)
{
    return 2e9;
}

/* One GPU, fused attention, 16-bit KV cache, usual sizes, and no links: a start for filling in the
 * rest. */
RN_PERF rn_perf_config rn_perf_config_default(rn_perf_weights weights)
{
    rn_perf_config c;
    c.weights = weights;
    c.kv = RN_PERF_KV_16;
    c.flash = 1;
    c.tp = 1;
    c.pp = 1;
    c.ranks = 1;
    c.tp_link = rn_perf_link_make(RN_PERF_NVLINK, 0.0);
    c.pp_link = rn_perf_link_make(RN_PERF_NVLINK, 0.0);
    c.chunk_tokens = 8192;
    c.block_tokens = 16;
    c.reserve_bytes = rn_perf_reserve_default();
    c.memory_fraction = 0.90;
    return c;
}

RN_PERF rn_perf_status rn_perf_link_check(const rn_perf_link *l)
{
    return rn_perf_positive(l->bytes_per_s) && rn_perf_positive(l->efficiency) &&
                   l->alpha_s >= 0.0 && l->alpha_s < 1.0
               ? RN_PERF_OK
               : RN_PERF_LINK;
}

/* Everything that can be said before any number: shape, GPU, precisions, layout, links. */
RN_PERF rn_perf_status rn_perf_case_check(const rn_perf_case *c)
{
    rn_perf_status status = rn_perf_shape_check(&c->shape);
    status = status != RN_PERF_OK ? status : rn_perf_gpu_check(&c->gpu);
    status = status != RN_PERF_OK ? status : rn_perf_rate_of(&c->gpu, c->config.weights).status;
    status = status != RN_PERF_OK ? status : rn_perf_kv_check(&c->gpu, c->config.kv);
    status =
        status != RN_PERF_OK ? status : rn_perf_layout_check(&c->shape, c->config.tp, c->config.pp);
    if (status == RN_PERF_OK && c->config.ranks < 1) {
        status = RN_PERF_TP;
    }
    if (status == RN_PERF_OK && c->config.tp * c->config.ranks > 1) {
        status = rn_perf_link_check(&c->config.tp_link);
    }
    if (status == RN_PERF_OK && c->config.pp > 1) {
        status = rn_perf_link_check(&c->config.pp_link);
    }
    if (status == RN_PERF_OK &&
        (c->config.chunk_tokens < 1 || c->config.block_tokens < 1 ||
         !(c->config.memory_fraction > 0.0 && c->config.memory_fraction <= 1.0) ||
         !(c->config.reserve_bytes >= 0.0))) {
        status = RN_PERF_LENGTH;
    }
    return status;
}

/* How far the case lies from what the constants were fitted on. */
RN_PERF rn_perf_origin rn_perf_case_origin(const rn_perf_case *c)
{
    rn_perf_origin origin = rn_perf_rate_of(&c->gpu, c->config.weights).origin;
    const int32_t cc = c->gpu.compute_capability;
    const int fitted = (cc == 90 || cc == 100 || cc == 103) && c->config.pp == 1 &&
                       c->config.tp <= 8 &&
                       (c->config.tp == 1 || c->config.tp_link.tier == RN_PERF_NVLINK);
    origin = rn_perf_weaker(origin, fitted ? RN_PERF_FROM_FIT : RN_PERF_FROM_OUTSIDE);
    return c->config.flash && c->config.kv != RN_PERF_KV_INT8
               ? origin
               : rn_perf_weaker(origin, RN_PERF_FROM_ASSUMED);
}

#endif
