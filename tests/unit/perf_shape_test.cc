// Parameters, precisions and layouts of the performance model; the arithmetic stands beside each
// number.
#include "perf_support.h"

#include "gtest/gtest.h"

namespace {

using perf_support::gpu;
using perf_support::shape;

TEST(PerfShape, Llama2Of7BillionInHand)
{
    const rn_perf_shape s = shape("Llama-2-7B");
    ASSERT_EQ(rn_perf_shape_check(&s), RN_PERF_OK);
    const rn_perf_params p = rn_perf_params_count(&s);
    EXPECT_EQ(p.attention, 32.0 * 4.0 * 4096.0 * 4096.0); // q, k, v, o of 4096 x 4096
    EXPECT_EQ(p.mlp, 32.0 * 3.0 * 4096.0 * 11008.0);      // gate, up, down
    EXPECT_EQ(p.embedding, 32000.0 * 4096.0);
    EXPECT_EQ(p.head, p.embedding);
    EXPECT_EQ(p.norms, 65.0 * 4096.0); // two a layer, one at the end
    EXPECT_EQ(p.total, 6738415616.0);  // the published count
    EXPECT_NEAR(rn_perf_model_bytes(&s, RN_PERF_W_FP16) / 1e9, 13.48, 0.01);
}

TEST(PerfShape, GroupedKeysHaveFewerParameters)
{
    const rn_perf_shape s = shape("Llama-3-8B");
    // q and o 4096 x 4096, k and v 4096 x 1024
    EXPECT_EQ(rn_perf_attention_params(&s, 1), 2.0 * 4096.0 * 4096.0 + 2.0 * 4096.0 * 1024.0);
    EXPECT_EQ(rn_perf_attention_params(&s, 8), rn_perf_attention_params(&s, 1) / 8.0);
    // 16 GPUs, 8 heads: one whole head of keys and one of values on each
    EXPECT_EQ(rn_perf_attention_params(&s, 16), 2.0 * 4096.0 * 256.0 + 2.0 * 4096.0 * 128.0);
}

TEST(PerfShape, LatentAttentionInHand)
{
    const rn_perf_shape s = shape("DeepSeek-V3");
    const double query = 7168.0 * 1536.0 + 1536.0 * 128.0 * 192.0;
    const double latent = 7168.0 * 576.0 + 512.0 * 128.0 * 256.0;
    EXPECT_EQ(rn_perf_attention_params(&s, 1), query + latent + 128.0 * 128.0 * 7168.0);
    const rn_perf_params p = rn_perf_params_count(&s);
    EXPECT_NEAR(p.total / 1e9, 671.0, 0.5);
    EXPECT_NEAR(p.active / 1e9, 37.0, 0.5); // published 37
}

TEST(PerfShape, WhatStaysAt16Bits)
{
    const rn_perf_shape s = shape("Llama-3-8B");
    const rn_perf_params p = rn_perf_params_count(&s);
    const double rest = 2.0 * (p.embedding + p.head + p.norms);
    EXPECT_EQ(rn_perf_model_bytes(&s, RN_PERF_W_INT8), p.attention + p.mlp + rest);
    EXPECT_NEAR(rn_perf_model_bytes(&s, RN_PERF_W_INT4), 0.53 * (p.attention + p.mlp) + rest, 1.0);
    const rn_perf_shape moe = shape("GPT-OSS-20B");
    EXPECT_EQ(rn_perf_attention_bytes(&moe, RN_PERF_W_FP4), 2.0);
    EXPECT_EQ(rn_perf_attention_bytes(&s, RN_PERF_W_FP4), 0.5625);
}

TEST(PerfShape, NonsenseDoesNotApply)
{
    rn_perf_shape s = shape("Llama-3-8B");
    s.heads = 0;
    EXPECT_EQ(rn_perf_shape_check(&s), RN_PERF_SHAPE);
    s = shape("Llama-3-8B");
    s.kv_heads = 5;
    EXPECT_EQ(rn_perf_shape_check(&s), RN_PERF_SHAPE);
    s = shape("Mixtral-8x7B");
    s.topk = 9;
    EXPECT_EQ(rn_perf_shape_check(&s), RN_PERF_SHAPE);
    s = shape("Qwen3-Next-80B-A3B"); // hybrid
    EXPECT_EQ(rn_perf_shape_check(&s), RN_PERF_SHAPE);
    s = shape("DeepSeek-V3");
    s.kv_lora = 0;
    EXPECT_EQ(rn_perf_shape_check(&s), RN_PERF_SHAPE);
}

TEST(PerfShape, LayoutsThatDivide)
{
    const rn_perf_shape s =
        shape("Qwen2.5-7B"); // 28 heads, 4 key-value heads, width 18944 = 2^9 * 37
    EXPECT_EQ(rn_perf_layout_check(&s, 4, 1), RN_PERF_OK);
    EXPECT_EQ(rn_perf_layout_check(&s, 8, 1), RN_PERF_TP);
    EXPECT_EQ(rn_perf_layout_check(&s, 3, 1), RN_PERF_TP);
    EXPECT_EQ(rn_perf_layout_check(&s, 7, 1), RN_PERF_TP); // divides heads, not the keys
    EXPECT_EQ(rn_perf_layout_check(&s, 0, 1), RN_PERF_TP);
    EXPECT_EQ(rn_perf_layout_check(&s, 1, 29), RN_PERF_PP);
    EXPECT_EQ(rn_perf_layout_check(&s, 1, 0), RN_PERF_PP);
    EXPECT_EQ(rn_perf_layout_check(&s, 1, 28), RN_PERF_OK);
}

TEST(PerfShape, PrecisionsByGpu)
{
    const rn_perf_gpu h100 = gpu("H100-SXM-80GB");
    const rn_perf_gpu a100 = gpu("A100-SXM-80GB");
    const rn_perf_gpu v100 = gpu("V100-SXM2-32GB");
    const rn_perf_gpu t4 = gpu("T4");
    EXPECT_EQ(rn_perf_rate_of(&h100, RN_PERF_W_FP8).flops, 1979e12);
    EXPECT_EQ(rn_perf_rate_of(&h100, RN_PERF_W_FP8).weight_only, 0);
    EXPECT_EQ(rn_perf_rate_of(&h100, RN_PERF_W_INT8).flops, 989e12); // saves bytes only
    EXPECT_EQ(rn_perf_rate_of(&h100, RN_PERF_W_INT8_W8A8).flops, 1979e12);
    EXPECT_EQ(rn_perf_rate_of(&a100, RN_PERF_W_FP8).flops, 312e12);
    EXPECT_EQ(rn_perf_rate_of(&a100, RN_PERF_W_FP8).weight_only, 1);
    EXPECT_EQ(rn_perf_rate_of(&v100, RN_PERF_W_FP8).status, RN_PERF_WEIGHTS);
    EXPECT_EQ(rn_perf_rate_of(&v100, RN_PERF_W_BF16).status, RN_PERF_WEIGHTS);
    EXPECT_EQ(rn_perf_rate_of(&v100, RN_PERF_W_INT4).status, RN_PERF_WEIGHTS);
    EXPECT_EQ(rn_perf_rate_of(&v100, RN_PERF_W_FP16).status, RN_PERF_OK);
    EXPECT_EQ(rn_perf_rate_of(&t4, RN_PERF_W_INT4).status, RN_PERF_OK);
    EXPECT_EQ(rn_perf_kv_check(&a100, RN_PERF_KV_FP8), RN_PERF_KV);
    EXPECT_EQ(rn_perf_kv_check(&a100, RN_PERF_KV_INT8), RN_PERF_OK);
    EXPECT_EQ(rn_perf_kv_check(&v100, RN_PERF_KV_INT8), RN_PERF_KV);
    EXPECT_EQ(rn_perf_kv_check(&h100, RN_PERF_KV_FP8), RN_PERF_OK);
}

TEST(PerfComm, AllReduceInHand)
{
    const rn_perf_gpu h100 = gpu("H100-SXM-80GB");
    const rn_perf_link nvlink = rn_perf_link_in_node(&h100, 8);
    ASSERT_EQ(nvlink.tier, RN_PERF_NVLINK);
    EXPECT_EQ(rn_perf_allreduce_bytes(1e6, 8), 1.75e6); // 2 * 7/8
    EXPECT_NEAR(rn_perf_allreduce_s(&nvlink, 1e6, 8),
                rn_perf_fit_default().link_alpha_s + 1.75e6 / (450e9 * 0.60), 1e-15);
    EXPECT_EQ(rn_perf_allreduce_s(&nvlink, 1e6, 1), 0.0);
    EXPECT_EQ(rn_perf_link_in_node(&h100, 16).tier, RN_PERF_PCIE);
    const rn_perf_gpu l40s = gpu("L40S");
    EXPECT_EQ(rn_perf_link_in_node(&l40s, 2).tier, RN_PERF_PCIE);
    EXPECT_EQ(rn_perf_link_in_node(&l40s, 2).bytes_per_s, 31.5e9);
}

TEST(PerfComm, BytesOfATokenInHand)
{
    const rn_perf_shape s = shape("Llama-3-70B"); // 80 layers, hidden 8192
    const rn_perf_traffic one = rn_perf_traffic_of(&s, 1, 1);
    EXPECT_EQ(one.tp_bytes_per_token, 0.0);
    EXPECT_EQ(one.pp_bytes_per_token, 0.0);
    const rn_perf_traffic both = rn_perf_traffic_of(&s, 4, 2);
    EXPECT_EQ(both.tp_bytes_per_token,
              40.0 * 2.0 * 1.5 * 2.0 *
                  8192.0); // 40 layers a stage, 2 all-reduces, 2 * 3/4, 16 bits
    EXPECT_EQ(both.pp_bytes_per_token, 16384.0);
}

} // namespace
