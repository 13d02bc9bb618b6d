// Faults that users of planners reported, tried here; each name ends in the kind of fault.
#include <cstdlib>

#include "support/serving_case.h"

namespace
{

using ration_test::plan_of;
using ration_test::read_serving;
using ration_test::solve_serving;

// One kind of node and one workload; more fields of each may be given, with a comma in front.
std::string scenario(const std::string &gpu, int32_t gpus, const std::string &model,
                     const std::string &workload = "", const std::string &node = "")
{
    return "{\"nodes\": [{\"name\": \"n\", \"gpu\": \"" + gpu +
           "\", \"gpus\": " + std::to_string(gpus) + node +
           "}], \"models\": [{\"name\": \"m\", \"catalog\": \"" + model +
           "\"}], \"workloads\": [{\"name\": \"w\", \"model\": \"m\", \"rate_per_s\": 0.2, "
           "\"output_tokens\": 100" +
           (workload.find("input_tokens") == std::string::npos ? ", \"input_tokens\": 500" : "") +
           workload + "}]}";
}

std::string table_of(const ration_serving *serving, const ration_result *result)
{
    char *text = nullptr;
    ration_error error = {};
    EXPECT_EQ(ration_serving_table(serving, result, &text, &error), RATION_OK) << error.text;
    const std::string table(text == nullptr ? "" : text);
    std::free(text);
    std::string one_line; // sentences are wrapped
    for (const char c : table) {
        if (!((c == ' ' || c == '\n') && !one_line.empty() && one_line.back() == ' ')) {
            one_line += c == '\n' ? ' ' : c;
        }
    }
    return one_line;
}

void expect_infeasible(const std::string &text, const std::string &wrong, const std::string &help)
{
    const auto serving = read_serving(text);
    ASSERT_NE(serving, nullptr);
    const auto result = solve_serving(serving.get(), 4);
    EXPECT_EQ(ration_result_status(result.get()), RATION_PLAN_INFEASIBLE);
    const std::string table = table_of(serving.get(), result.get());
    EXPECT_NE(table.find(wrong), std::string::npos) << table;
    EXPECT_NE(table.find(help), std::string::npos) << table;
}

TEST(ServingFaults, AModelThatDoesNotFitIsSaidToNotFit)
{
    expect_infeasible(scenario("H100-SXM-80GB", 1, "Llama-3.1-405B"),
                      "the model does not fit in GPU memory", "812 GB at bf16");
}

TEST(ServingFaults, AnImpossibleLatencyIsSaidToBeImpossible)
{
    expect_infeasible(scenario("H100-SXM-80GB", 1, "Llama-3.1-8B", ", \"ttft_ms\": 1"),
                      "a latency limit is missed at any rate", "more replicas don't help");
}

TEST(ServingFaults, ARequestLongerThanTheKvCacheIsRefused)
{
    expect_infeasible(
        scenario("RTX-4090", 1, "Llama-3.1-8B",
                 ", \"precisions\": [\"bf16\"], \"input_tokens\": {\"mean\": 500, \"max\": "
                 "120000}"),
        "the longest request does not fit", "one request of 120100 tokens");
}

TEST(ServingFaults, ThePlannedContextHoldsTheLongestRequest)
{
    const auto serving = read_serving(scenario(
        "H100-SXM-80GB", 1, "Llama-3.1-8B", ", \"input_tokens\": {\"mean\": 500, \"max\": 60000}"));
    ASSERT_NE(serving, nullptr);
    ASSERT_GT(serving->options[0].options, 0);
    for (int32_t i = 0; i < serving->options[0].options; i++) {
        EXPECT_GE(serving->options[0].option[i].max_context_tokens, 60100);
    }
}

TEST(ServingFaults, SixAndTwoGpusInIslandsAreNotEight)
{
    const auto serving =
        read_serving(scenario("A100-SXM-80GB", 8, "Llama-3.1-70B",
                              ", \"tensor_parallel\": [2, 4, 8], \"gpu_shares\": [1]",
                              ", \"nvlink_islands\": [6, 2], \"pcie_gb_per_s\": 0"));
    ASSERT_NE(serving, nullptr);
    for (int32_t p = 0; p < serving->places.places; p++) {
        const rn_serving_place &place = serving->places.place[p];
        const int32_t first = place.cell[0];
        const int32_t last = place.cell[place.cells - 1];
        EXPECT_TRUE(last < 6 || first >= 6);
        EXPECT_LE(place.cells, 4);
    }
}

TEST(ServingFaults, ReplicasOfFourDoNotSpanFourAndTwo)
{
    const std::string two_nodes =
        "{\"nodes\": [{\"name\": \"a\", \"gpu\": \"A100-SXM-80GB\", \"gpus\": 4}, "
        "{\"name\": \"b\", \"gpu\": \"A100-SXM-80GB\", \"gpus\": 2}], ";
    const std::string one = scenario("A100-SXM-80GB", 4, "Llama-3.1-70B",
                                     ", \"precisions\": [\"bf16\"], \"tensor_parallel\": [4], "
                                     "\"max_pipeline_parallel\": 1, \"min_replicas\": 2");
    expect_infeasible(two_nodes + one.substr(one.find("\"models\"")), "1 of at least 2 replicas",
                      "lower min_replicas to 1");
}

TEST(ServingFaults, TwoModelsOnGpusForOneAreNotBothServed)
{
    std::string text = scenario("A100-SXM-80GB", 1, "Llama-3.1-8B", ", \"gpu_shares\": [1]");
    const size_t at = text.find("{\"name\": \"w\"");
    std::string second = text.substr(at, text.size() - at - 2);
    second.replace(second.find("\"w\""), 3, "\"heavy\", \"weight\": 5");
    text = text.substr(0, text.size() - 2) + ", " + second + "]}";
    const auto serving = read_serving(text);
    ASSERT_NE(serving, nullptr);
    const auto result = solve_serving(serving.get(), 4);
    EXPECT_EQ(ration_result_status(result.get()), RATION_PLAN_INFEASIBLE);
    const auto plan = plan_of(serving.get(), result.get());
    EXPECT_FALSE(plan->served[0]);
    EXPECT_TRUE(plan->served[1]);
    EXPECT_EQ(plan->gpu[0].tenants, 1);
}

TEST(ServingFaults, AWorkloadNeverRunsWhereItMayNot)
{
    std::string text = scenario("A100-SXM-80GB", 2, "Llama-3.1-8B", ", \"nodes\": [\"h\"]",
                                ", \"price_per_gpu_hour\": 0.01");
    text = ration_test::replaced(
        text, "{\"name\": \"n\"",
        "{\"name\": \"h\", \"gpu\": \"H100-SXM-80GB\", \"gpus\": 1}, {\"name\": \"n\"");
    const auto serving = read_serving(text);
    ASSERT_NE(serving, nullptr);
    const auto result = solve_serving(serving.get(), 4);
    const auto plan = plan_of(serving.get(), result.get());
    ASSERT_GT(plan->replicas, 0);
    for (int32_t i = 0; i < plan->replicas; i++) {
        EXPECT_STREQ(serving->scenario.machine[plan->replica[i].seat[0].node].name, "h");
    }
}

TEST(ServingFaults, AModelOverTwoNodesNeedsALinkBetweenThem)
{
    const std::string node = ", \"count\": 2, \"infiniband_gb_per_s\": 50";
    const std::string workload = ", \"precisions\": [\"bf16\"]";
    const auto linked =
        read_serving(scenario("A100-SXM-80GB", 8, "Llama-3.1-405B", workload, node));
    const auto apart =
        read_serving(scenario("A100-SXM-80GB", 8, "Llama-3.1-405B", workload, ", \"count\": 2"));
    ASSERT_NE(linked, nullptr);
    ASSERT_NE(apart, nullptr);
    EXPECT_EQ(apart->options[0].options, 0);
    ASSERT_GT(linked->options[0].options, 0);
    const auto result = solve_serving(linked.get(), 4);
    const auto plan = plan_of(linked.get(), result.get());
    ASSERT_EQ(plan->replicas, 1);
    EXPECT_EQ(plan->replica[0].seats, 2);
    EXPECT_GT(plan->machine[0].network_bytes_per_s, 0.0);
    EXPECT_GE(plan->replica[0].option->pp, 2);
}

} // namespace
