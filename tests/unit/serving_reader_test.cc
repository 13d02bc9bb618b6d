// Scenarios that are refused, and the sentence that says why; lengths from a trace.
#include <vector>

#include "support/serving_case.h"

namespace
{

using ration_test::read_serving;
using ration_test::replaced;
using ration_test::two_servers;

struct Refusal {
    const char *from;
    const char *to;
    const char *sentence;
};

TEST(ServingReader, RefusesWhatItDoesNotUnderstand)
{
    const std::vector<Refusal> refusals = {
        {"\"count\": 2", "\"cuont\": 2", "did you mean \"count\""},
        {"\"gpus\": 2", "\"gpus\": 0", "nodes[0].gpus"},
        {"\"gpus\": 2,", "", "gpus"},
        {"\"gpus\": 2", "\"gpus\": 2.5", "nodes[0].gpus"},
        {"A100-SXM-80GB", "A100-SXM-80G", "A100-SXM-80GB"},
        {"Qwen2.5-32B", "Qwen2.5-32", "Qwen2.5-32B"},
        {"\"rate_per_s\": 1.2", "\"rate_per_s\": -1", "workloads[0].rate_per_s"},
        {"\"rate_per_s\": 1.2,", "", "rate_per_s"},
        {"\"rate_per_s\": 1.2", "\"rate_per_s\": \"1.2\"", "workloads[0].rate_per_s"},
        {"\"model\": \"qwen-32b\"", "\"model\": \"qwen-33b\"", "qwen-32b"},
        {"\"name\": \"routing\"", "\"name\": \"code\"", "already used"},
        {"\"name\": \"routing\"", "\"name\": \"a/b\"", "neither / nor"},
        {"\"int4\"", "\"int5\"", "workloads[0].precisions[0]"},
        {"[1, 0.5]", "[1, 0.4]", "0.4 is not a GPU share"},
        {"\"min_replicas\": 2", "\"min_replicas\": 1.5", "whole number"},
        {"\"min_replicas\": 2", "\"min_replicas\": 3", "min_replicas is 3"},
        {"\"e2e_p95_ms\": 40000", "\"e2e_p95_ms\": {\"limit\": 4, \"hard\": false}",
         "penalty_per_unit"},
        {"\"e2e_p95_ms\": 40000", "\"e2e_p95_ms\": {\"hard\": true}", "limit"},
        {"\"e2e_p95_ms\": 40000", "\"e2e_p95_s\": 40", "did you mean"},
        {"\"e2e_p95_ms\": 40000",
         "\"e2e_p95_ms\": {\"limit\": 4, \"hard\": true, \"penalty_per_unit\": 1}", "not both"},
        {"\"input_tokens\": 2000", "\"input_tokens\": {\"mean\": 9, \"max\": 8}", "max is 8"},
        {"\"input_tokens\": 2000", "\"input_tokens\": {\"p95\": 9}", "mean"},
        {"\"input_tokens\": 2000", "\"trace\": \"x.csv\"", "not both"},
        {"\"price_per_gpu_hour\": 1.79", "\"nvlink_islands\": [2, 2]", "islands of 4 GPUs"},
        {"{\"nodes\"", "{\"currency\": \"usd\", \"nodes\"", "three capital letters"},
        {"{\"nodes\"", "{\"objective\": \"cheapest\", \"nodes\"", "objective"},
        {"{\"nodes\"", "{\"pue\": 0.9, \"nodes\"", "pue"},
        {"{\"nodes\"", "{\"currency\": \"EUR\", \"nodes\"", ""},
        {"\"tensor_parallel\": [1]", "\"tensor_parallel\": [3]", "power of two"},
    };
    for (const Refusal &r : refusals) {
        std::string sentence;
        const auto serving = read_serving(replaced(two_servers(), r.from, r.to), &sentence);
        EXPECT_NE(sentence.find(r.sentence), std::string::npos) << r.to << ": " << sentence;
        EXPECT_EQ(serving == nullptr, !sentence.empty());
        EXPECT_EQ(sentence.empty(), r.sentence[0] == '\0') << r.to << ": " << sentence;
    }
}

TEST(ServingReader, AsksForAPriceInAnotherCurrency)
{
    std::string sentence;
    std::string text = replaced(two_servers(), ", \"price_per_gpu_hour\": 1.79", "");
    text = replaced(text, "{\"nodes\"", "{\"currency\": \"EUR\", \"nodes\"");
    read_serving(text, &sentence);
    EXPECT_NE(sentence.find("price_per_gpu_hour is missing"), std::string::npos) << sentence;
}

TEST(ServingReader, SaysThatTheFileIsNotThere)
{
    ration_serving *serving = nullptr;
    ration_error error = {};
    EXPECT_EQ(ration_serving_read("/nowhere/scenario.json", &serving, &error), RATION_E_IO);
    EXPECT_EQ(serving, nullptr);
    EXPECT_NE(std::string(error.text).find("/nowhere/scenario.json"), std::string::npos);
}

std::string with_trace(const std::string &path)
{
    std::string text =
        replaced(two_servers(), "\"input_tokens\": 2000,", "\"trace\": \"" + path + "\",");
    text = replaced(text, "\"output_tokens\": 60, ", "");
    return replaced(text, "\"rate_per_s\": 1.2, ", "");
}

TEST(ServingReader, TakesLengthsAndRateFromATrace)
{
    const ration_test::TextFile trace("TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
                                      "2023-11-16 23:59:59.5000000,100,10\r\n"
                                      "2023-11-17 00:00:00.5000000,300,20\r\n"
                                      "2023-11-17 00:00:01.5,200,60\r\n");
    const auto serving = read_serving(with_trace(trace.path()));
    ASSERT_NE(serving, nullptr);
    const rn_serving_workload &w = serving->scenario.workload[0];
    EXPECT_DOUBLE_EQ(w.rate_per_s, 1.0);
    EXPECT_DOUBLE_EQ(w.input.mean, 200.0);
    EXPECT_DOUBLE_EQ(w.input.p95, 300.0);
    EXPECT_DOUBLE_EQ(w.output.mean, 30.0);
    EXPECT_DOUBLE_EQ(w.output.most, 60.0);
    EXPECT_NEAR(w.work_cv2, (100.0 + 400.0 + 3600.0) / 3.0 / 900.0 - 1.0, 1e-12);
}

TEST(ServingReader, RefusesBrokenTraces)
{
    const std::vector<std::pair<std::string, std::string>> traces = {
        {"TIMESTAMP,ContextTokens\n2023-11-16 00:00:00,1\n", "no column GeneratedTokens"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n", "fewer than two rows"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 00:00:00,1,-2\n", "line 2"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 00:00:00,1,2x\n", "line 2"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 00:00:00,0x10,2\n",
         "line 2: ContextTokens: \"0x10\" is not a number of tokens: digits, at most 10000000, "
         "were "
         "expected"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 00:00:00,1,1e3\n",
         "line 2: GeneratedTokens: \"1e3\" is not a number of tokens"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 00:00:00,1,10000001\n",
         "\"10000001\" is not a number of tokens"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 00:00:00, 1,\n",
         "\" 1\" is not a number of tokens"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-13-16 00:00:00,1,2\n", "time stamp"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 00:00:02,1,2\n2023-11-16 "
         "00:00:01,1,2\n",
         "line 3"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 00:00:00,1\n", "no GeneratedTokens"},
    };
    for (const auto &[text, expected] : traces) {
        const ration_test::TextFile trace(text);
        std::string sentence;
        EXPECT_EQ(read_serving(with_trace(trace.path()), &sentence), nullptr);
        EXPECT_NE(sentence.find(expected), std::string::npos) << sentence;
    }
}

} // namespace
