/* Every fitted number, written by `build/bench/fidelity --fit`: change them by
 * refitting. What each means: perf/numbers.h. Data, method and errors:
 * docs/fidelity.md. None belongs to a model.
 */
#ifndef RN_PERF_FITTED_H
#define RN_PERF_FITTED_H

#include "perf/numbers.h"

/* End-to-end runs: 38 fitted numbers, here and in the engines. */
RN_PERF rn_perf_fit rn_perf_fit_default(void)
{
    rn_perf_fit f;
    f.memory = 0.95; /* fixed */
    f.memory_kv = 0.75; /* fixed */
    f.memory_experts = 0.95926;
    f.memory_fp4 = 0.699;
    f.int4_experts = 0.5; /* fixed */
    f.compute = 0.85; /* fixed */
    f.compute_experts = 0.22355;
    f.compute_flash = 0.8; /* fixed */
    f.compute_latent = 0.32332;
    f.compute_fp8 = 0.60886;
    f.compute_fp4 = 0.87411;
    f.elementwise = 15; /* fixed */
    f.blackwell_memory = 0.92582;
    f.blackwell_compute = 0.71867;
    f.link_alpha_s = 5.8814e-06;
    f.link_efficiency = 0.6; /* fixed */
    f.latent_layer_s = 8e-06; /* fixed */
    f.sparse_layer_s = 0.00010705;
    f.step_s = 0.0004; /* fixed */
    f.sequence_s = 4e-06; /* fixed */
    f.step_wait = 1.6886;
    f.refill = 0.85; /* fixed */
    f.unfused_compute = 0.6; /* fixed */
    f.unfused_bytes = 11; /* fixed */
    return f;
}

RN_PERF rn_perf_engine rn_perf_engine_fitted(rn_perf_engine_kind kind)
{
    rn_perf_engine e;
    if (kind == RN_PERF_VLLM) {
        e.layer_s = 5.2254e-05;
        e.moe_layer_s = 3.9766e-05;
        e.blackwell = 0.91615;
        e.interference = 0.92692;
        e.request_s = 0.0019457;
        e.prefill_layer_s = 0.0004595;
        e.first_s = 0.015701;
        e.queue = 0.075798;
        e.lock_step = 0.038912;
        e.memory_fraction = 0.9; /* fixed */
    } else if (kind == RN_PERF_SGLANG) {
        e.layer_s = 4.3255e-05;
        e.moe_layer_s = 5.8944e-05;
        e.blackwell = 0.83887;
        e.interference = 1.0384;
        e.request_s = 0.0023148;
        e.prefill_layer_s = 0.00051545;
        e.first_s = 0.15002;
        e.queue = 0.16369;
        e.lock_step = 0.42491;
        e.memory_fraction = 0.9; /* fixed */
    } else {
        e.layer_s = 4.938e-05;
        e.moe_layer_s = 3.1262e-05;
        e.blackwell = 0.53437;
        e.interference = 1.0606;
        e.request_s = 0.0025336;
        e.prefill_layer_s = 0.00075076;
        e.first_s = 0.040628;
        e.queue = 0.048932;
        e.lock_step = 0.096378;
        e.memory_fraction = 0.9; /* fixed */
    }
    return e;
}

/* Saturated workers and static batches: 30 fitted numbers. */
RN_PERF rn_perf_batch_fit rn_perf_batch_fit_default(void)
{
    rn_perf_batch_fit b;
    b.fit.memory = 0.91076;
    b.fit.memory_kv = 0.86735;
    b.fit.memory_experts = 0.53886;
    b.fit.memory_fp4 = 0.84868;
    b.fit.int4_experts = 0.5; /* fixed */
    b.fit.compute = 0.61585;
    b.fit.compute_experts = 0.5338;
    b.fit.compute_flash = 0.59016;
    b.fit.compute_latent = 0.3; /* fixed */
    b.fit.compute_fp8 = 0.85051;
    b.fit.compute_fp4 = 0.55861;
    b.fit.elementwise = 15; /* fixed */
    b.fit.blackwell_memory = 0.92836;
    b.fit.blackwell_compute = 0.95697;
    b.fit.link_alpha_s = 1.01e-05;
    b.fit.link_efficiency = 0.57895;
    b.fit.latent_layer_s = 8e-06; /* fixed */
    b.fit.sparse_layer_s = 0.0001; /* fixed */
    b.fit.step_s = 0.00094254;
    b.fit.sequence_s = 2.8515e-06;
    b.fit.step_wait = 1.5; /* fixed */
    b.fit.refill = 0.85; /* fixed */
    b.fit.unfused_compute = 0.6; /* fixed */
    b.fit.unfused_bytes = 11; /* fixed */
    b.engine.layer_s = 0.00014677;
    b.engine.moe_layer_s = 2.9389e-05;
    b.engine.blackwell = 1; /* fixed */
    b.engine.interference = 0.82174;
    b.engine.request_s = 0.00041901;
    b.engine.prefill_layer_s = 0.0005; /* fixed */
    b.engine.first_s = 0.05; /* fixed */
    b.engine.queue = 0.1; /* fixed */
    b.engine.lock_step = 0.1; /* fixed */
    b.engine.memory_fraction = 0.9; /* fixed */
    b.pcie_alpha_s = 2.5196e-05;
    b.pcie_efficiency = 0.55625;
    b.sequences = 6433.4;
    b.room = 0.67835;
    b.kept_output = 0.75; /* fixed */
    b.version_020 = 1.0981;
    b.version_100 = 1.2067;
    b.static_layer_s = 7.8353e-05;
    b.static_first_s = 0.0018346;
    b.static_compute = 1.1931;
    b.llamacpp_layer_s = 9.772e-05;
    b.llamacpp_compute = 0.71263;
    return b;
}

/* Power: 8 fitted numbers. */
RN_PERF rn_perf_power_fit rn_perf_power_fit_default(void)
{
    rn_perf_power_fit p;
    p.memory = 0.72287;
    p.compute = 1.4607;
    p.sequences = 0.029643;
    p.experts = 0.13726;
    p.blackwell = 0.074286;
    p.base = 0.19472;
    p.capped = 0.86125;
    p.busy = 0.61388;
    return p;
}

#endif
