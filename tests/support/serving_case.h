// Small scenarios of serving, read from text.
#ifndef RATION_TESTS_SERVING_CASE_H
#define RATION_TESTS_SERVING_CASE_H

#include <cmath>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "perf/power.h"
#include "support/text_file.h"

extern "C" {
#include "serving/advise.h"
#include "serving/encode.h"
#include "serving/plan.h"
#include "serving/text.h"
}

namespace ration_test
{

struct ServingFree {
    void operator()(ration_serving *serving) const
    {
        ration_serving_free(serving);
    }
};
using Serving = std::unique_ptr<ration_serving, ServingFree>;

struct ResultFree {
    void operator()(ration_result *result) const
    {
        ration_result_free(result);
    }
};
using Result = std::unique_ptr<ration_result, ResultFree>;

struct PlanFree {
    void operator()(rn_serving_plan *plan) const
    {
        rn_serving_plan_free(plan);
    }
};
using Plan = std::unique_ptr<rn_serving_plan, PlanFree>;

// Reads a scenario; sentence is what was said against it, "" when nothing.
inline Serving read_serving(const std::string &text, std::string *sentence = nullptr)
{
    const TextFile file(text);
    ration_serving *serving = nullptr;
    ration_error error = {};
    const ration_status status = ration_serving_read(file.path().c_str(), &serving, &error);
    if (sentence != nullptr) {
        *sentence = status == RATION_OK ? "" : error.text;
    } else {
        EXPECT_EQ(status, RATION_OK) << error.text;
    }
    return Serving(serving);
}

inline Result solve_serving(ration_serving *serving, int64_t epochs = 20)
{
    ration_run run;
    ration_run_default(&run);
    run.epochs = epochs;
    run.threads = 1;
    ration_result *result = nullptr;
    ration_error error = {};
    EXPECT_EQ(ration_serving_solve(serving, &run, &result, &error), RATION_OK) << error.text;
    return Result(result);
}

inline Plan plan_of(const ration_serving *serving, const ration_result *result)
{
    rn_serving_plan *plan = nullptr;
    ration_error error = {};
    EXPECT_EQ(rn_serving_plan_make(serving, result, &plan, &error), RATION_OK) << error.text;
    return Plan(plan);
}

inline std::string replaced(std::string text, const std::string &from, const std::string &to)
{
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Two servers with two A100 each and three workloads: the first example, shrunk.
inline std::string two_servers()
{
    return R"({"nodes": [{"name": "server", "count": 2, "gpu": "A100-SXM-80GB", "gpus": 2,
  "power_limit_w": 2500, "host_power_w": 300, "price_per_gpu_hour": 1.79}],
 "models": [{"name": "llama-8b", "catalog": "Llama-3.1-8B"},
            {"name": "qwen-32b", "catalog": "Qwen2.5-32B"}],
 "workloads": [
  {"name": "code", "model": "qwen-32b", "rate_per_s": 1.2, "input_tokens": 2000,
   "output_tokens": 60, "e2e_p95_ms": 40000, "min_replicas": 2, "max_replicas": 2,
   "survive_domain_loss": 0.5, "precisions": ["int4"], "gpu_shares": [1, 0.5]},
  {"name": "routing", "model": "llama-8b", "rate_per_s": 20, "input_tokens": 400,
   "output_tokens": 10, "ttft_ms": 1500, "precisions": ["int8"], "max_replicas": 2,
   "tensor_parallel": [1], "gpu_shares": [0.5, 0.25]}]})";
}

// One GPU of each of three kinds: the second example, shrunk.
inline std::string mixed_pool()
{
    return R"({"nodes": [
  {"name": "a100", "gpu": "A100-SXM-80GB", "gpus": 1, "price_per_gpu_hour": 1.6},
  {"name": "l40s", "gpu": "L40S", "gpus": 2, "price_per_gpu_hour": 0.8},
  {"name": "desk", "gpu": "RTX-4090", "gpus": 1, "price_per_gpu_hour": 0.35}],
 "models": [{"name": "mistral", "catalog": "Mistral-7B"},
            {"name": "qwen", "catalog": "Qwen3-32B"}],
 "workloads": [
  {"name": "search", "model": "qwen", "rate_per_s": 1.5, "input_tokens": 1500,
   "output_tokens": 120, "ttft_ms": 5000, "precisions": ["fp8"], "max_replicas": 2,
   "gpu_shares": [1]},
  {"name": "tagging", "model": "mistral", "rate_per_s": 12, "input_tokens": 300,
   "output_tokens": 8, "precisions": ["int4"], "max_replicas": 2, "gpu_shares": [0.5, 0.25],
   "tpot_ms": {"limit": 5, "penalty_per_unit": 0.002}}]})";
}

// 40 GPUs in five nodes, counted per island: the third example, shrunk.
inline std::string islands()
{
    return R"({"nodes": [{"name": "hgx", "count": 5, "gpu": "H100-SXM-80GB", "gpus": 8,
  "power_limit_w": 10200, "host_power_w": 2000}],
 "models": [{"name": "llama-70b", "catalog": "Llama-3.1-70B"},
            {"name": "qwen-7b", "catalog": "Qwen2.5-7B"}],
 "workloads": [
  {"name": "chat", "model": "llama-70b", "rate_per_s": 9, "input_tokens": 1034,
   "output_tokens": 244, "ttft_ms": 2500, "precisions": ["fp8"], "max_replicas": 2,
   "gpu_shares": [1]},
  {"name": "code", "model": "qwen-7b", "rate_per_s": 12, "input_tokens": 2000,
   "output_tokens": 28, "precisions": ["fp8"], "max_replicas": 2, "gpu_shares": [0.5, 0.25]}]})";
}

} // namespace ration_test

#endif
