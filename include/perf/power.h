/* Power and energy of a serving GPU.
 *
 *   W     = idle + (TDP - idle) · clip(level, 0.02, 1)
 *   level = a sqrt(u_bw) + b sqrt(u_fl) + c ln B + d [experts] + e [Blackwell] - f
 *   u_bw  = weight bytes a step / (step · BW)
 *   u_fl  = 2 · active parameters · tok/s / F16
 *   mean  = idle + duty · (W - idle)
 *
 * W while a step of B sequences runs; u_bw and u_fl per GPU. The numbers are
 * rn_perf_power_fit_default, fitted to ML.ENERGY runs of vLLM at saturation on
 * H100 and B200. Elsewhere 0.74 TDP is as good. Peaks reach the TDP (prefill):
 * provide for the TDP, bill the mean.
 */
#ifndef RN_PERF_POWER_H
#define RN_PERF_POWER_H

#include "perf/time.h"

typedef struct rn_perf_power {
    double active_w;  /* a GPU while a step runs */
    double average_w; /* a GPU at the predicted rate */
    double peak_w;    /* TDP */
    /* the replica's GPUs, PUE not included; 0 when it makes no tokens */
    double joule_per_output_token;
    rn_perf_status status;
    rn_perf_origin origin;
} rn_perf_power;

/* How hard a GPU works in a step. */
typedef struct rn_perf_use {
    double memory;    /* share of the bandwidth that weights take */
    double compute;   /* share of the 16-bit peak */
    double sequences; /* >= 1 */
    int32_t experts;  /* 1: a model with experts */
} rn_perf_use;

RN_PERF double rn_perf_power_curve_w(const rn_perf_gpu *g, const rn_perf_power_fit *f,
                                     const rn_perf_use *use)
{
    const double level = f->memory * sqrt(use->memory) + f->compute * sqrt(use->compute) +
                         f->sequences * log(fmax(1.0, use->sequences)) +
                         (use->experts ? f->experts : 0.0) +
                         (rn_perf_is_blackwell(g) ? f->blackwell : 0.0) - f->base;
    return g->idle_w + (g->tdp_w - g->idle_w) * fmin(1.0, fmax(0.02, level));
}

/* Mean power of a GPU that computes for `duty` (0..1) of the time. */
RN_PERF double rn_perf_power_mean_w(const rn_perf_gpu *g, double active_w, double duty)
{
    return g->idle_w + fmin(1.0, fmax(0.0, duty)) * (active_w - g->idle_w);
}

/* Energy of a load over time with the losses of the building: pue >= 1. */
RN_PERF double rn_perf_energy_kwh(double watts, double hours, double pue)
{
    return watts * hours * pue / 1000.0;
}

/* Power of each GPU of a predicted replica. RN_PERF_GPU without a TDP. */
RN_PERF rn_perf_power rn_perf_power_of(const rn_perf_case *c, const rn_perf_serving *s)
{
    rn_perf_power p = {0, 0, 0, 0, s->status, RN_PERF_FROM_NOTHING};
    if (s->status == RN_PERF_OK && !(c->gpu.tdp_w > c->gpu.idle_w && c->gpu.idle_w >= 0.0)) {
        p.status = RN_PERF_GPU;
    }
    if (p.status != RN_PERF_OK) {
        return p;
    }
    const double gpus = (double)c->config.tp * c->config.pp;
    const int32_t cc = c->gpu.compute_capability;
    const int fitted = cc == 90 || cc == 100;
    const rn_perf_power_fit fit = rn_perf_power_fit_default();
    rn_perf_use use;
    use.memory = s->weight_bytes_per_step / (s->step_s * c->gpu.memory_bytes_per_s);
    const double active = rn_perf_params_count(&c->shape).active;
    const double duty = s->batch >= 1.0 ? 1.0 : s->batch;
    const double running = duty > 0.0 ? s->output_tokens_per_s / duty : 0.0;
    use.compute = 2.0 * active * running / (gpus * rn_perf_flops16(&c->gpu));
    use.sequences = s->batch;
    use.experts = c->shape.moe_layers > 0;
    p.active_w = fitted ? rn_perf_power_curve_w(&c->gpu, &fit, &use) : 0.74 * c->gpu.tdp_w;
    p.average_w = rn_perf_power_mean_w(&c->gpu, p.active_w, duty);
    p.peak_w = c->gpu.tdp_w;
    p.joule_per_output_token =
        s->output_tokens_per_s > 0.0 ? gpus * p.average_w / s->output_tokens_per_s : 0.0;
    p.origin = fitted ? RN_PERF_FROM_FIT : RN_PERF_FROM_OUTSIDE;
    return p;
}

#endif
