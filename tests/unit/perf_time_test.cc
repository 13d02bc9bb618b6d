// Times, rates and power: by hand where a hand can, else what must grow or shrink with what.
#include "perf_support.h"

#include <cmath>

#include "gtest/gtest.h"

namespace
{

using perf_support::of;

TEST(PerfTime, OneSequenceReadsTheWeights)
{
    rn_perf_case c = of("Llama-3-8B", "H100-SXM-80GB", RN_PERF_W_BF16);
    const rn_perf_speed v = rn_perf_speed_of(&c);
    const rn_perf_params p = rn_perf_params_count(&c.shape);
    const rn_perf_step step = rn_perf_step_of(&c, &v, 1.0, 1000.0);
    EXPECT_EQ(step.weight_bytes, 2.0 * (p.attention + p.mlp));
    const double weights = 2.0 * (p.attention + p.mlp + p.head) / (3350e9 * 0.95);
    const double keys = 131072.0 * 1000.0 / (3350e9 * 0.75);
    const double touch = 32.0 * 15.0 * 2.0 * 4096.0 / 3350e9;
    const double host = 32.0 * c.engine.layer_s + 0.4e-3 + 4e-6;
    // one token computes for a moment only: the norm adds less than 1e-6 to the bytes
    EXPECT_NEAR(step.seconds, weights + keys + touch + host, 1e-6 * step.seconds);
}

TEST(PerfTime, ALongPromptComputes)
{
    rn_perf_case c = of("Llama-3-8B", "H100-SXM-80GB", RN_PERF_W_BF16);
    const rn_perf_speed v = rn_perf_speed_of(&c);
    const rn_perf_params p = rn_perf_params_count(&c.shape);
    const double tokens = 8192.0;
    const double matrices = 2.0 * (p.attention + p.mlp) * tokens / (989e12 * 0.85);
    const double attention = 32.0 * 4.0 * 32.0 * 128.0 * tokens * tokens / 2.0 /
                             (989e12 * 0.80 * tokens / (tokens + 1500.0));
    const double touch = 32.0 * 15.0 * 2.0 * 4096.0 * tokens / 3350e9;
    EXPECT_NEAR(rn_perf_prefill_of(&c, &v, tokens).marginal_s,
                matrices + attention + touch + c.engine.request_s, 1e-9);
    EXPECT_GT(rn_perf_prefill_of(&c, &v, tokens).alone_s, matrices + attention + touch);
}

TEST(PerfTime, ExpertsHitInHand)
{
    const rn_perf_shape s = perf_support::shape("Mixtral-8x7B");
    EXPECT_NEAR(rn_perf_experts_hit(&s, 1.0), 2.0, 1e-12);
    EXPECT_NEAR(rn_perf_experts_hit(&s, 2.0), 8.0 * (1.0 - 0.75 * 0.75), 1e-12); // 3.5
    EXPECT_NEAR(rn_perf_experts_hit(&s, 1000.0), 8.0, 1e-9);
}

TEST(PerfTime, FewerBytesAreFasterInDecode)
{
    const rn_perf_load load = rn_perf_load_equal(512.0, 256.0);
    double last = 1e9;
    for (const rn_perf_weights w : {RN_PERF_W_BF16, RN_PERF_W_INT8, RN_PERF_W_INT4}) {
        const rn_perf_case c = of("Llama-3-70B", "A100-SXM-80GB", w, 4);
        const rn_perf_serving s = rn_perf_closed(&c, &load, 1.0, 64.0);
        ASSERT_EQ(s.status, RN_PERF_OK);
        EXPECT_LT(s.tpot_s, last);
        last = s.tpot_s;
    }
}

TEST(PerfTime, WeightOnlyDoesNotComputeFaster)
{
    rn_perf_case c = of("Llama-3-8B", "A100-SXM-80GB", RN_PERF_W_BF16);
    rn_perf_case d = of("Llama-3-8B", "A100-SXM-80GB", RN_PERF_W_INT4);
    const rn_perf_speed v = rn_perf_speed_of(&c);
    const rn_perf_speed w = rn_perf_speed_of(&d);
    EXPECT_EQ(rn_perf_prefill_of(&c, &v, 4096.0).marginal_s,
              rn_perf_prefill_of(&d, &w, 4096.0).marginal_s);
    d.config.weights = RN_PERF_W_INT8_W8A8;
    const rn_perf_speed x = rn_perf_speed_of(&d);
    EXPECT_LT(rn_perf_prefill_of(&d, &x, 4096.0).marginal_s,
              rn_perf_prefill_of(&c, &v, 4096.0).marginal_s);
}

TEST(PerfTime, UnfusedAttentionAndWiderKeysAreSlower)
{
    const rn_perf_load load = rn_perf_load_equal(4096.0, 256.0);
    const rn_perf_case c = of("Llama-3-8B", "H100-SXM-80GB", RN_PERF_W_BF16);
    rn_perf_case unfused = c;
    unfused.config.flash = 0;
    rn_perf_case narrow = c;
    narrow.config.kv = RN_PERF_KV_FP8;
    const rn_perf_serving s = rn_perf_closed(&c, &load, 32.0, 64.0);
    EXPECT_GT(rn_perf_closed(&unfused, &load, 32.0, 64.0).ttft_s, s.ttft_s);
    EXPECT_GT(rn_perf_closed(&unfused, &load, 32.0, 64.0).tpot_s, s.tpot_s);
    EXPECT_LT(rn_perf_closed(&narrow, &load, 32.0, 64.0).tpot_s, s.tpot_s);
    EXPECT_EQ(rn_perf_closed(&unfused, &load, 32.0, 64.0).origin, RN_PERF_FROM_ASSUMED);
    EXPECT_EQ(s.origin, RN_PERF_FROM_FIT);
}

TEST(PerfTime, SlowLinksAreSlower)
{
    const rn_perf_load load = rn_perf_load_equal(1024.0, 256.0);
    rn_perf_case c = of("Llama-3-70B", "H100-SXM-80GB", RN_PERF_W_BF16, 8);
    const rn_perf_serving nvlink = rn_perf_closed(&c, &load, 16.0, 64.0);
    c.config.tp_link = rn_perf_link_make(RN_PERF_PCIE, 63e9);
    const rn_perf_serving pcie = rn_perf_closed(&c, &load, 16.0, 64.0);
    EXPECT_GT(pcie.tpot_s, nvlink.tpot_s);
    EXPECT_GT(pcie.ttft_s, nvlink.ttft_s);
    EXPECT_EQ(pcie.origin, RN_PERF_FROM_OUTSIDE);
    EXPECT_GT(rn_perf_margin_of(&c).tpot, 1.26);
    c.config.tp_link.bytes_per_s = 0.0;
    EXPECT_EQ(rn_perf_closed(&c, &load, 16.0, 64.0).status, RN_PERF_LINK);
}

TEST(PerfTime, PipelinesRaiseCapacityNotSpeed)
{
    const rn_perf_load load = rn_perf_load_equal(1024.0, 256.0);
    const rn_perf_case one = of("Llama-3-8B", "H100-SXM-80GB", RN_PERF_W_BF16);
    rn_perf_case two = one;
    two.config.pp = 2;
    two.config.pp_link = rn_perf_link_make(RN_PERF_NETWORK, 50e9);
    const rn_perf_serving a = rn_perf_closed(&one, &load, 1.0, 64.0);
    const rn_perf_serving b = rn_perf_closed(&two, &load, 1.0, 64.0);
    EXPECT_GT(b.tpot_s, a.tpot_s);
    EXPECT_GT(b.capacity_requests_per_s, a.capacity_requests_per_s);
}

TEST(PerfTime, OpenLoopIsMonotoneUntilOverload)
{
    const rn_perf_case c = of("Llama-3-8B", "A100-SXM-80GB", RN_PERF_W_BF16);
    rn_perf_load load = rn_perf_load_equal(1024.0, 256.0);
    load.work_cv2 = 1.0;
    load.prompt_p95_tokens = 3000.0;
    load.output_p95_tokens = 700.0;
    const double capacity = rn_perf_open(&c, &load, 0.0, 64.0, 1.0).capacity_requests_per_s;
    rn_perf_serving last = rn_perf_open(&c, &load, 0.0, 64.0, 1.0);
    for (int32_t i = 1; i < 100; ++i) {
        const rn_perf_serving s = rn_perf_open(&c, &load, capacity * i / 100.0, 64.0, 1.0);
        ASSERT_EQ(s.status, RN_PERF_OK) << i;
        EXPECT_GE(s.tpot_s, last.tpot_s) << i;
        EXPECT_GE(s.ttft_s, last.ttft_s) << i;
        EXPECT_GE(s.e2e_p95_s, last.e2e_p95_s) << i;
        EXPECT_GE(s.batch, last.batch) << i;
        EXPECT_GE(s.e2e_p95_s, s.e2e_s);
        EXPECT_NEAR(s.gpu_fraction, i / 100.0, 1e-9);
        // Little's law: sequences in decode = rate times the time of a request's tokens, up to what
        // b = B + 1 adds
        EXPECT_LE(s.batch, s.requests_per_s * load.output_tokens * s.tpot_s * 1.02 + 0.01) << i;
        last = s;
    }
    const rn_perf_serving over = rn_perf_open(&c, &load, capacity * 1.001, 64.0, 1.0);
    EXPECT_EQ(over.status, RN_PERF_OVERLOAD);
    EXPECT_EQ(over.ttft_s, 0.0);
    EXPECT_NEAR(over.gpu_fraction, 1.001, 1e-9);
}

TEST(PerfTime, HalfAGpuIsSlowerAndHoldsHalf)
{
    const rn_perf_case c = of("Llama-3-8B", "A100-SXM-80GB", RN_PERF_W_BF16);
    const rn_perf_load load = rn_perf_load_equal(512.0, 128.0);
    const rn_perf_serving full = rn_perf_open(&c, &load, 1.0, 64.0, 1.0);
    const rn_perf_serving half = rn_perf_open(&c, &load, 1.0, 64.0, 0.5);
    EXPECT_GT(half.tpot_s, 2.0 * full.tpot_s * 0.999);
    EXPECT_EQ(half.gpu_fraction, full.gpu_fraction); // work does not change
    EXPECT_EQ(rn_perf_open(&c, &load, 0.6 * full.capacity_requests_per_s, 64.0, 0.5).status,
              RN_PERF_OVERLOAD);
}

TEST(PerfTime, MoreClientsMoreTokensLongerWaits)
{
    const rn_perf_case c = of("Qwen3-32B", "H100-SXM-80GB", RN_PERF_W_FP8);
    const rn_perf_load load = rn_perf_load_equal(1024.0, 512.0);
    rn_perf_serving last = rn_perf_closed(&c, &load, 1.0, 48.0);
    for (double clients = 2.0; clients <= 128.0; clients *= 2.0) {
        const rn_perf_serving s = rn_perf_closed(&c, &load, clients, 48.0);
        EXPECT_GE(s.ttft_s, last.ttft_s);
        EXPECT_GE(s.output_tokens_per_s, last.output_tokens_per_s);
        last = s;
    }
    EXPECT_EQ(last.near_limit, 1);
    EXPECT_LE(last.requests_per_s, last.capacity_requests_per_s * 1.2);
}

TEST(PerfTime, EveryCatalogPairIsFiniteOrDoesNotApply)
{
    const rn_perf_load load = rn_perf_load_equal(700.0, 300.0);
    int32_t priced = 0;
    for (int32_t g = 0; g < ration_catalog_gpu_count(perf_support::catalog()); ++g) {
        for (int32_t m = 0; m < ration_catalog_model_count(perf_support::catalog()); ++m) {
            for (int32_t w = 0; w < RN_PERF_WEIGHTS_COUNT; ++w) {
                const rn_perf_case c = of(ration_catalog_model_at(perf_support::catalog(), m)->name,
                                          ration_catalog_gpu_at(perf_support::catalog(), g)->name,
                                          static_cast<rn_perf_weights>(w));
                const rn_perf_serving s = rn_perf_open(&c, &load, 0.01, 8.0, 1.0);
                const rn_perf_power p = rn_perf_power_of(&c, &s);
                ASSERT_TRUE(std::isfinite(s.ttft_s + s.tpot_s + s.e2e_p95_s + s.gpu_fraction +
                                          p.average_w));
                ASSERT_EQ(s.status == RN_PERF_OK, s.tpot_s > 0.0);
                priced += s.status == RN_PERF_OK ? 1 : 0;
            }
        }
    }
    EXPECT_GT(priced, 1000);
}

TEST(PerfTime, NonsenseDoesNotApply)
{
    const rn_perf_case c = of("Llama-3-8B", "H100-SXM-80GB", RN_PERF_W_BF16);
    const rn_perf_load load = rn_perf_load_equal(512.0, 128.0);
    EXPECT_EQ(rn_perf_open(&c, &load, -1.0, 8.0, 1.0).status, RN_PERF_LENGTH);
    EXPECT_EQ(rn_perf_open(&c, &load, NAN, 8.0, 1.0).status, RN_PERF_LENGTH);
    EXPECT_EQ(rn_perf_open(&c, &load, 1.0, 0.0, 1.0).status, RN_PERF_LENGTH);
    EXPECT_EQ(rn_perf_open(&c, &load, 1.0, 8.0, 0.0).status, RN_PERF_LENGTH);
    const rn_perf_load empty = rn_perf_load_equal(0.0, 128.0);
    EXPECT_EQ(rn_perf_closed(&c, &empty, 1.0, 8.0).status, RN_PERF_LENGTH);
    for (int32_t i = 0; i < RN_PERF_STATUSES; ++i) {
        EXPECT_STRNE(rn_perf_status_text(static_cast<rn_perf_status>(i)), "unknown");
    }
}

TEST(PerfPower, CurveInHand)
{
    const rn_perf_gpu h100 = perf_support::gpu("H100-SXM-80GB"); // idle 70, TDP 700
    rn_perf_power_fit fit = rn_perf_power_fit_default();
    fit.memory = 0.7;
    fit.compute = 1.5;
    fit.sequences = 0.03;
    fit.experts = 0.1;
    fit.base = 0.2;
    rn_perf_use use = {0.25, 0.04, 1.0, 0};
    EXPECT_NEAR(rn_perf_power_curve_w(&h100, &fit, &use), 70.0 + 630.0 * (0.35 + 0.3 - 0.2), 1e-9);
    use.experts = 1;
    EXPECT_NEAR(rn_perf_power_curve_w(&h100, &fit, &use), 70.0 + 630.0 * 0.55, 1e-9);
    use.compute = 1.0;
    EXPECT_EQ(rn_perf_power_curve_w(&h100, &fit, &use), 700.0); // clipped
    EXPECT_EQ(rn_perf_power_mean_w(&h100, 700.0, 0.0), 70.0);
    EXPECT_EQ(rn_perf_power_mean_w(&h100, 700.0, 0.5), 385.0);
    EXPECT_EQ(rn_perf_energy_kwh(1000.0, 24.0, 1.3), 31.2);
}

TEST(PerfPower, RisesWithTheRateUpToTdp)
{
    const rn_perf_case c = of("Llama-3-8B", "H100-SXM-80GB", RN_PERF_W_BF16);
    const rn_perf_load load = rn_perf_load_equal(512.0, 256.0);
    double last = 0.0;
    for (double rate = 0.0; rate < 8.0; rate += 0.25) {
        const rn_perf_serving s = rn_perf_open(&c, &load, rate, 64.0, 1.0);
        const rn_perf_power p = rn_perf_power_of(&c, &s);
        ASSERT_EQ(p.status, RN_PERF_OK);
        EXPECT_GE(p.average_w, last);
        EXPECT_LE(p.average_w, 700.0);
        last = p.average_w;
    }
    EXPECT_GT(last, 350.0);
}

} // namespace
