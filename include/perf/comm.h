/* Communication between the GPUs of one replica: alpha-beta times and the bytes
 * that cross each link.
 *
 *   all-reduce  t = alpha + 2 (n-1)/n · S / (X e)     over n GPUs
 *   hand-over   t = alpha + S / (X e)                 between pipeline stages
 *
 * S bytes, X link bytes/s per GPU one way, e fraction reached. Two all-reduces of
 * 2 h bytes a token a layer (row-parallel attention output and MLP output, 16-bit
 * activations).
 */
#ifndef RN_PERF_COMM_H
#define RN_PERF_COMM_H

#include "perf/fitted.h"
#include "perf/shape.h"

typedef enum rn_perf_tier {
    RN_PERF_NVLINK = 0,
    RN_PERF_PCIE = 1,
    RN_PERF_NETWORK = 2
} rn_perf_tier;

typedef struct rn_perf_link {
    rn_perf_tier tier;
    double bytes_per_s; /* raw, per GPU, one way */
    double efficiency;
    double alpha_s; /* of one collective or message */
} rn_perf_link;

/* A link with the constants of its tier. NVLink: the fit of the serving model. PCIe: 15
 * us, 0.70 (saturated TensorRT-LLM fit, still 28-37 % too fast). Network: 20 us, 0.73 (training
 * model: TP latency, NIC fraction); not fitted for serving. */
RN_PERF rn_perf_link rn_perf_link_make(rn_perf_tier tier, double bytes_per_s)
{
    rn_perf_link l;
    const rn_perf_fit f = rn_perf_fit_default();
    l.tier = tier;
    l.bytes_per_s = bytes_per_s;
    l.efficiency =
        tier == RN_PERF_NVLINK ? f.link_efficiency : (tier == RN_PERF_PCIE ? 0.70 : 0.73);
    l.alpha_s = tier == RN_PERF_NVLINK ? f.link_alpha_s : (tier == RN_PERF_PCIE ? 15e-6 : 20e-6);
    return l;
}

/* The link between n GPUs of one node: NVLink when the domain holds them, else PCIe. */
RN_PERF rn_perf_link rn_perf_link_in_node(const rn_perf_gpu *g, int32_t n)
{
    return g->link_bytes_per_s > 0.0 && n <= g->link_gpus
               ? rn_perf_link_make(RN_PERF_NVLINK, g->link_bytes_per_s)
               : rn_perf_link_make(RN_PERF_PCIE, g->pcie_bytes_per_s);
}

RN_PERF double rn_perf_transfer_s(const rn_perf_link *l, double bytes)
{
    return bytes / (l->bytes_per_s * l->efficiency);
}

/* Bytes that one GPU sends for one all-reduce of `bytes` over n GPUs. */
RN_PERF double rn_perf_allreduce_bytes(double bytes, int32_t n)
{
    return n > 1 ? 2.0 * (n - 1) / n * bytes : 0.0;
}

RN_PERF double rn_perf_allreduce_s(const rn_perf_link *l, double bytes, int32_t n)
{
    return n > 1 ? l->alpha_s + rn_perf_transfer_s(l, rn_perf_allreduce_bytes(bytes, n)) : 0.0;
}

RN_PERF double rn_perf_handover_s(const rn_perf_link *l, double bytes)
{
    return l->alpha_s + rn_perf_transfer_s(l, bytes);
}

/* Bytes that one token (of a prompt or generated) puts on the links of a replica. */
typedef struct rn_perf_traffic {
    /* sent by each GPU inside its tensor-parallel group, over one stage's layers */
    double tp_bytes_per_token;
    /* over each boundary between stages, all GPUs of the stage together */
    double pp_bytes_per_token;
} rn_perf_traffic;

RN_PERF rn_perf_traffic rn_perf_traffic_of(const rn_perf_shape *s, int32_t tp, int32_t pp)
{
    rn_perf_traffic t;
    const double activation = 2.0 * s->hidden;
    const double layers = ceil((double)s->layers / pp);
    t.tp_bytes_per_token = layers * 2.0 * rn_perf_allreduce_bytes(activation, tp);
    t.pp_bytes_per_token = pp > 1 ? activation : 0.0;
    return t;
}

#endif
