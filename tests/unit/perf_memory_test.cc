// Memory of a GPU: weights, keys and values, activations, and what fits. Numbers by hand, and a
// measured table.
#include "perf_support.h"

#include "gtest/gtest.h"

namespace {

using perf_support::of;
using perf_support::shape;

const double GIB = 1073741824.0;

TEST(PerfMemory, KeysOfATokenInHand)
{
    const rn_perf_shape llama3 = shape("Llama-3-8B");
    EXPECT_EQ(rn_perf_kv_rate_of(&llama3, RN_PERF_KV_16, 1, 1).full_bytes,
              131072.0); // 32 · 2 · 8 · 128 · 2
    EXPECT_EQ(rn_perf_kv_rate_of(&llama3, RN_PERF_KV_FP8, 1, 1).full_bytes, 65536.0);
    const rn_perf_shape llama2 = shape("Llama-2-7B");
    EXPECT_EQ(rn_perf_kv_rate_of(&llama2, RN_PERF_KV_16, 1, 1).full_bytes,
              524288.0); // 32 · 2 · 32 · 128 · 2
    const rn_perf_shape large = shape("Llama-2-70B");
    EXPECT_EQ(rn_perf_kv_rate_of(&large, RN_PERF_KV_16, 1, 1).full_bytes,
              327680.0); // 80 · 2 · 8 · 128 · 2
    EXPECT_EQ(rn_perf_kv_rate_of(&large, RN_PERF_KV_16, 8, 1).full_bytes,
              40960.0); // one head a GPU
    EXPECT_EQ(rn_perf_kv_rate_of(&large, RN_PERF_KV_16, 16, 1).full_bytes,
              40960.0); // never less than one head
    EXPECT_EQ(rn_perf_kv_rate_of(&large, RN_PERF_KV_16, 1, 2).full_bytes,
              163840.0); // half the layers
}

TEST(PerfMemory, LatentKeysAreNotSplit)
{
    const rn_perf_shape s = shape("DeepSeek-V3");
    EXPECT_EQ(rn_perf_kv_rate_of(&s, RN_PERF_KV_16, 1, 1).full_bytes, 61.0 * 576.0 * 2.0); // 70272
    EXPECT_EQ(rn_perf_kv_rate_of(&s, RN_PERF_KV_16, 8, 1).full_bytes, 70272.0);
}

TEST(PerfMemory, WindowLayersKeepTheirWindow)
{
    rn_perf_case c = of("GPT-OSS-120B", "H100-SXM-80GB", RN_PERF_W_FP4);
    const double token = 2.0 * 8.0 * 64.0 * 2.0; // a layer
    EXPECT_EQ(rn_perf_kv_sequence(&c, 16000.0), 18.0 * token * 16000.0 + 18.0 * token * 128.0);
    EXPECT_EQ(rn_perf_kv_sequence(&c, 64.0), 36.0 * token * 64.0);
    c.shape.window_layers = 0;
    EXPECT_EQ(rn_perf_kv_sequence(&c, 16000.0), 36.0 * token * 16000.0);
}

TEST(PerfMemory, KeysComeInBlocks)
{
    rn_perf_case c = of("Llama-3-8B", "H100-SXM-80GB", RN_PERF_W_BF16);
    EXPECT_EQ(rn_perf_kv_sequence(&c, 1.0), 16.0 * 131072.0);
    EXPECT_EQ(rn_perf_kv_sequence(&c, 16.0), 16.0 * 131072.0);
    EXPECT_EQ(rn_perf_kv_sequence(&c, 17.0), 32.0 * 131072.0);
    c.config.block_tokens = 128;
    EXPECT_EQ(rn_perf_kv_sequence(&c, 17.0), 128.0 * 131072.0);
}

TEST(PerfMemory, WeightsSplitInHand)
{
    const rn_perf_shape s = shape("Llama-3-8B");
    const double layer = 2.0 * 4096.0 * 4096.0 + 2.0 * 4096.0 * 1024.0 + 3.0 * 4096.0 * 14336.0;
    const double table =
        128256.0 * 4096.0; // 128256 = 64 · 2004 = 64 · 4 · 501: no padding up to 4 GPUs
    EXPECT_EQ(rn_perf_weights_per_gpu(&s, RN_PERF_W_BF16, 1, 1),
              2.0 * (32.0 * layer + 2.0 * table + 65.0 * 4096.0));
    EXPECT_EQ(rn_perf_weights_per_gpu(&s, RN_PERF_W_BF16, 4, 1),
              2.0 * (8.0 * layer + table / 2.0 + 65.0 * 4096.0));
    // 8 GPUs: 2004 blocks of 64 become 2008; two stages: a stage holds 16 layers and one of the two
    // tables
    const double padded = 2008.0 * 64.0 * 4096.0;
    EXPECT_EQ(rn_perf_weights_per_gpu(&s, RN_PERF_W_BF16, 8, 2),
              2.0 * (2.0 * layer + 33.0 * 4096.0) + 2.0 * padded / 8.0);
}

TEST(PerfMemory, TheLargestStageCounts)
{
    const rn_perf_shape s = shape("Llama-3.1-405B"); // 126 layers
    EXPECT_EQ(rn_perf_stage_layers(&s, 4), 32);
    const rn_perf_shape v3 = shape("DeepSeek-V3"); // the first 3 of 61 are dense
    EXPECT_EQ(rn_perf_stage_moe_layers(&v3, 1), 58);
    EXPECT_EQ(rn_perf_stage_moe_layers(&v3, 2), 31);
    const rn_perf_shape maverick = shape("Llama-4-Maverick");
    EXPECT_EQ(rn_perf_stage_moe_layers(&maverick, 1), 24);
    EXPECT_EQ(rn_perf_stage_moe_layers(&maverick, 4), 6);
}

TEST(PerfMemory, A405BModelDoesNotFitOneGpu)
{
    const rn_perf_case c = of("Llama-3.1-405B", "H100-SXM-80GB", RN_PERF_W_BF16);
    const rn_perf_memory m = rn_perf_memory_of(&c, 1.0, 2048.0, 1024.0);
    EXPECT_EQ(m.status, RN_PERF_MEMORY);
    EXPECT_GT(m.weights_bytes, 800e9); // says by how much
    EXPECT_EQ(m.max_sequences, 0);
    EXPECT_EQ(m.max_context_tokens, 0);
    const rn_perf_case eight = of("Llama-3.1-405B", "H200-SXM-141GB", RN_PERF_W_FP8, 8);
    EXPECT_EQ(rn_perf_memory_of(&eight, 16.0, 4096.0, 2048.0).status, RN_PERF_OK);
}

TEST(PerfMemory, LongestContextFitsAndOneBlockMoreDoesNot)
{
    const rn_perf_case c = of("Llama-3-70B", "H100-SXM-80GB", RN_PERF_W_FP8);
    // 72.7 GB of weights in 0.9 of 79.18 GiB: a short context fits, one of 131072 tokens (42.9 GB)
    // does not
    const rn_perf_memory wide = rn_perf_memory_of(&c, 1.0, 131072.0, 1024.0);
    EXPECT_EQ(wide.status, RN_PERF_MEMORY);
    EXPECT_EQ(wide.max_sequences, 0);
    EXPECT_GT(wide.max_context_tokens, 0);
    EXPECT_LT(wide.max_context_tokens, 8192);
    EXPECT_EQ(rn_perf_memory_of(&c, 1.0, wide.max_context_tokens, 16.0).status, RN_PERF_OK);
    const rn_perf_case two = of("Llama-3-70B", "H100-SXM-80GB", RN_PERF_W_FP8, 2);
    const rn_perf_memory m = rn_perf_memory_of(&two, 1.0, 1024.0, 512.0);
    ASSERT_EQ(m.status, RN_PERF_OK);
    ASSERT_GT(m.max_context_tokens, 16384);
    EXPECT_EQ(rn_perf_memory_of(&two, 1.0, m.max_context_tokens, 512.0).status, RN_PERF_OK);
    EXPECT_EQ(rn_perf_memory_of(&two, 1.0, m.max_context_tokens + 1.0, 512.0).status,
              RN_PERF_MEMORY);
}

TEST(PerfMemory, PartsAddUp)
{
    const rn_perf_case c = of("Llama-3-8B", "A100-SXM-80GB", RN_PERF_W_BF16);
    const rn_perf_memory m = rn_perf_memory_of(&c, 64.0, 2048.0, 1024.0);
    ASSERT_EQ(m.status, RN_PERF_OK);
    EXPECT_EQ(m.total_bytes,
              m.weights_bytes + m.kv_bytes + m.activation_bytes + m.scores_bytes + m.reserve_bytes);
    EXPECT_EQ(m.kv_bytes, 64.0 * 2048.0 * 131072.0);
    EXPECT_EQ(m.usable_bytes, 0.9 * 81920.0 * 1048576.0);
    EXPECT_EQ(m.scores_bytes, 0.0);
    EXPECT_GT(m.max_sequences, 64);
    EXPECT_EQ(rn_perf_memory_of(&c, m.max_sequences, 2048.0, 1024.0).status, RN_PERF_OK);
    EXPECT_EQ(rn_perf_memory_of(&c, m.max_sequences + 1.0, 2048.0, 1024.0).status, RN_PERF_MEMORY);
}

TEST(PerfMemory, ActivationsFollowTheMlpWidthOverTp)
{
    rn_perf_case c = of("Llama-3-8B", "H100-SXM-80GB", RN_PERF_W_BF16);
    // 8192 tokens, 16 bits: residual and its copy, gate, up and product of 14336
    EXPECT_EQ(rn_perf_activation(&c, 1.0), 2.0 * 8192.0 * (2.0 * 4096.0 + 3.0 * 14336.0));
    c.config.tp = 4;
    EXPECT_EQ(rn_perf_activation(&c, 1.0), 2.0 * 8192.0 * (2.0 * 4096.0 + 3.0 * 14336.0 / 4.0));
}

TEST(PerfMemory, UnfusedAttentionTakesScores)
{
    rn_perf_case c = of("Llama-2-7B", "A100-SXM-80GB", RN_PERF_W_FP16);
    c.config.flash = 0;
    EXPECT_EQ(rn_perf_scores(&c, 2048.0), 6.0 * 32.0 * 2048.0 * 2048.0);
    c.config.tp = 2;
    EXPECT_EQ(rn_perf_scores(&c, 2048.0), 3.0 * 32.0 * 2048.0 * 2048.0);
}

// vLLM 0.9 debug log on H100 (llm-d-planner, empirical memory results): GiB a GPU at 1024
// sequences.
TEST(PerfMemory, MeasuredStartUpMemory)
{
    struct Row {
        const char *model;
        rn_perf_weights weights;
        int32_t tp;
        double weights_gib;
        double activation_gib;
    };
    const Row rows[] = {{"Llama-3.1-8B", RN_PERF_W_BF16, 1, 14.99, 4.76},
                        {"Llama-3.3-70B", RN_PERF_W_FP8, 2, 33.88, 4.84},
                        {"Qwen3-32B", RN_PERF_W_BF16, 1, 61.03, 5.64},
                        {"Qwen3-32B", RN_PERF_W_BF16, 2, 30.59, 5.64},
                        {"GPT-OSS-20B", RN_PERF_W_FP4, 1, 13.47, 7.38},
                        {"GPT-OSS-120B", RN_PERF_W_FP4, 1, 64.38, 7.38}};
    for (const Row &row : rows) {
        const rn_perf_case c = of(row.model, "H100-SXM-80GB", row.weights, row.tp);
        const double weights = rn_perf_weights_per_gpu(&c.shape, row.weights, row.tp, 1) / GIB;
        std::printf("%s tp %d: weights %.2f measured %.2f GiB, activation %.2f measured %.2f GiB\n",
                    row.model, row.tp, weights, row.weights_gib,
                    rn_perf_activation(&c, 1024.0) / GIB, row.activation_gib);
        EXPECT_NEAR(weights, row.weights_gib, 0.07 * row.weights_gib) << row.model;
        EXPECT_NEAR(rn_perf_activation(&c, 1024.0) / GIB, row.activation_gib,
                    0.05 * row.activation_gib)
            << row.model;
    }
}

TEST(PerfMemory, NonsenseDoesNotApply)
{
    rn_perf_case c = of("Llama-3-8B", "H100-SXM-80GB", RN_PERF_W_BF16);
    EXPECT_EQ(rn_perf_memory_of(&c, 0.0, 2048.0, 1024.0).status, RN_PERF_LENGTH);
    EXPECT_EQ(rn_perf_memory_of(&c, NAN, 2048.0, 1024.0).status, RN_PERF_LENGTH);
    EXPECT_EQ(rn_perf_memory_of(&c, 1.0, 100.0, 101.0).status, RN_PERF_LENGTH);
    EXPECT_EQ(rn_perf_memory_of(&c, 1.0, 1e30, 1.0).status, RN_PERF_LENGTH);
    c.config.memory_fraction = 1.5;
    EXPECT_EQ(rn_perf_memory_of(&c, 1.0, 100.0, 10.0).status, RN_PERF_LENGTH);
    c = of("Llama-3-8B", "H100-SXM-80GB", RN_PERF_W_BF16);
    c.gpu.memory_bytes_per_s = 0.0;
    const rn_perf_memory m = rn_perf_memory_of(&c, 1.0, 100.0, 10.0);
    EXPECT_EQ(m.status, RN_PERF_GPU);
    EXPECT_EQ(m.total_bytes, 0.0);
}

} // namespace
