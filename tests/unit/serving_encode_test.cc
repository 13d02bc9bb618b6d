// The program of a scenario says in integers what the plan says in the user's units.
#include <vector>

#include "program/program.h"
#include "support/serving_case.h"

namespace
{

using ration_test::islands;
using ration_test::mixed_pool;
using ration_test::plan_of;
using ration_test::read_serving;
using ration_test::replaced;
using ration_test::solve_serving;
using ration_test::two_servers;

const double MEBIBYTE = 1048576.0;

int64_t load_of(const ration_serving *serving, const ration_result *result, const std::string &row)
{
    const ration_program *program = ration_serving_program(serving);
    const int32_t number = ration_program_find_row(program, row.c_str());
    EXPECT_GE(number, 0) << row;
    return number < 0 ? -1 : ration_result_load(result, number);
}

// Whether every memory row is the plan's memory in `unit` bytes, fragmentation included, and not
// below it.
bool memory_agrees(const ration_serving *serving, const ration_result *result, double unit)
{
    const auto plan = plan_of(serving, result);
    bool agrees = true;
    for (int32_t i = 0; i < plan->gpus; i++) {
        const rn_serving_gpu_state &g = plan->gpu[i];
        const rn_serving_machine &machine = serving->scenario.machine[g.machine];
        const rn_serving_node &node = serving->scenario.node[machine.node];
        const double all = serving->scenario.gpu[node.gpu].perf.memory_bytes;
        const double lost = g.tenants > 0 ? all * (0.15 + 0.02 * std::log(g.tenants)) : 0.0;
        const double expected = (g.memory_used_bytes + lost) / unit;
        const double found = static_cast<double>(load_of(
            serving, result, std::string("memory:") + machine.name + "/" + std::to_string(g.gpu)));
        agrees = agrees && found >= expected - 1e-6 && found <= expected + g.tenants + 1;
    }
    return agrees;
}

// Whether the replicas of a plan carry every workload's rate.
bool rates_agree(const ration_serving *serving, const rn_serving_plan *plan)
{
    bool agrees = true;
    for (int32_t w = 0; w < serving->scenario.workloads; w++) {
        double rate = 0.0;
        for (int32_t i = 0; i < plan->replicas; i++) {
            rate += plan->replica[i].workload == w ? plan->replica[i].option->rate_per_s : 0.0;
        }
        agrees = agrees && rate >= serving->scenario.workload[w].rate_per_s * (1 - 1e-9);
    }
    return agrees;
}

TEST(ServingEncode, MemoryIsInMebibytes)
{
    const auto serving = read_serving(two_servers());
    ASSERT_NE(serving, nullptr);
    const auto result = solve_serving(serving.get());
    EXPECT_TRUE(memory_agrees(serving.get(), result.get(), MEBIBYTE));
    // planted: GiB for MiB, and 10^6 bytes for MiB
    EXPECT_FALSE(memory_agrees(serving.get(), result.get(), 1024 * MEBIBYTE));
    EXPECT_FALSE(memory_agrees(serving.get(), result.get(), 1e6));
}

TEST(ServingEncode, ReplicasCarryTheRate)
{
    const auto serving = read_serving(two_servers());
    ASSERT_NE(serving, nullptr);
    const auto result = solve_serving(serving.get());
    const auto plan = plan_of(serving.get(), result.get());
    EXPECT_TRUE(rates_agree(serving.get(), plan.get()));
    ASSERT_GT(plan->replicas, 0);
    plan->replicas--; // planted: a dropped replica
    EXPECT_FALSE(rates_agree(serving.get(), plan.get()));
}

TEST(ServingEncode, MoneyIsTheSameOnBothSides)
{
    for (const std::string &text : {two_servers(), mixed_pool(), islands()}) {
        const auto serving = read_serving(text);
        ASSERT_NE(serving, nullptr);
        const auto result = solve_serving(serving.get());
        const auto plan = plan_of(serving.get(), result.get());
        ASSERT_EQ(ration_result_violation(result.get()), 0);
        EXPECT_NEAR(ration_result_cost(result.get()) / 1e6, plan->money.total, 1e-3);
        EXPECT_GE(ration_result_cost(result.get()) / 1e6, plan->money.total - 1e-6);
        const double parts = plan->money.rent + plan->money.energy + plan->money.latency +
                             plan->money.redundancy + plan->money.other;
        EXPECT_NEAR(parts, plan->money.total, 1e-9);
    }
}

TEST(ServingEncode, SeatsOfIslandsAreAlignedAndDoNotOverlap)
{
    const auto serving = read_serving(islands());
    ASSERT_NE(serving, nullptr);
    EXPECT_EQ(serving->places.cells, 5);
    EXPECT_EQ(ration_program_find_row(ration_serving_program(serving.get()), "memory:hgx-1/0"), -1);
    const auto result = solve_serving(serving.get());
    const auto plan = plan_of(serving.get(), result.get());
    ASSERT_EQ(ration_result_violation(result.get()), 0);
    for (int32_t i = 0; i < plan->gpus; i++) {
        EXPECT_LE(plan->gpu[i].time_share, 1.0 + 1e-9);
        EXPECT_LE(plan->gpu[i].memory_used_bytes, plan->gpu[i].memory_usable_bytes);
    }
    for (int32_t i = 0; i < plan->replicas; i++) {
        const rn_serving_seat &seat = plan->replica[i].seat[0];
        EXPECT_EQ(seat.gpu[0] % seat.gpus, 0);
        EXPECT_EQ(seat.gpu[seat.gpus - 1] - seat.gpu[0], seat.gpus - 1);
        EXPECT_EQ(seat.gpus, plan->replica[i].option->tp * plan->replica[i].option->pp);
    }
}

TEST(ServingEncode, TheStartPlanIsFeasible)
{
    for (const std::string &text : {two_servers(), mixed_pool(), islands()}) {
        const auto serving = read_serving(text);
        ASSERT_NE(serving, nullptr);
        std::vector<int32_t> pick(static_cast<size_t>(ration_program_items(serving->program)), -2);
        ration_error error = {};
        ASSERT_EQ(rn_serving_start(serving.get(), pick.data(), &error), RATION_OK);
        for (size_t i = 0; i < pick.size(); i++) {
            EXPECT_GE(pick[i], 0);
            EXPECT_LT(pick[i], ration_program_options(serving->program, static_cast<int32_t>(i)));
        }
    }
}

TEST(ServingEncode, ManyWorkloadsStayStructured)
{
    std::string workloads;
    for (int32_t w = 0; w < 32; w++) {
        workloads += std::string(w > 0 ? "," : "") + "{\"name\": \"w" + std::to_string(w) +
                     "\", \"model\": \"m\", \"rate_per_s\": 1, \"input_tokens\": 400, "
                     "\"output_tokens\": 10, "
                     "\"min_replicas\": 2, \"max_replicas\": 2, \"precisions\": [\"int8\"]}";
    }
    const auto serving =
        read_serving("{\"nodes\": [{\"name\": \"n\", \"count\": 5, \"gpu\": \"A100-SXM-80GB\", "
                     "\"gpus\": 4}], \"models\": [{\"name\": \"m\", \"catalog\": "
                     "\"Llama-3.1-8B\"}], \"workloads\": [" +
                     workloads + "]}");
    ASSERT_NE(serving, nullptr);
    // An entry a mode of a replica: no option is written out place by place.
    const rn_view *view = rn_program_view(serving->program);
    int32_t entries = 0;
    for (int32_t w = 0; w < 32; w++) {
        entries += serving->group[w].items * (serving->options[w].options + 1) + 1;
    }
    EXPECT_EQ(view->entries, entries);
    EXPECT_GT(ration_program_option_total(serving->program), 2 * entries);
    const auto result = solve_serving(serving.get(), 4);
    const auto plan = plan_of(serving.get(), result.get());
    EXPECT_EQ(ration_result_violation(result.get()), 0);
    EXPECT_TRUE(rates_agree(serving.get(), plan.get()));
    EXPECT_TRUE(memory_agrees(serving.get(), result.get(), MEBIBYTE));
    EXPECT_NEAR(ration_result_cost(result.get()) / 1e6, plan->money.total, 1e-2);
}

TEST(ServingEncode, SaysWhatIsMissingWhenAModelDoesNotFit)
{
    const auto serving = read_serving(
        "{\"nodes\": [{\"name\": \"desk\", \"gpu\": \"RTX-4090\", \"gpus\": 1}], \"models\": "
        "[{\"name\": \"big\", \"catalog\": \"Llama-3.1-70B\"}], \"workloads\": [{\"name\": "
        "\"chat\", \"model\": \"big\", \"rate_per_s\": 1, \"input_tokens\": 500, "
        "\"output_tokens\": 100}]}");
    ASSERT_NE(serving, nullptr);
    const auto result = solve_serving(serving.get(), 2);
    EXPECT_EQ(ration_result_status(result.get()), RATION_PLAN_INFEASIBLE);
    EXPECT_GT(ration_result_violation(result.get()), 0);
    char *text = nullptr;
    ration_error error = {};
    ASSERT_EQ(ration_serving_table(serving.get(), result.get(), &text, &error), RATION_OK);
    const std::string table(text);
    free(text);
    for (const char *expected :
         {"141 GB at bf16", "40 GB at int4", "add 3 RTX-4090", "infeasible"}) {
        EXPECT_NE(table.find(expected), std::string::npos) << table;
    }
}

TEST(ServingEncode, LeavesTheLightestUnservedWhenNotAllFit)
{
    std::string text = replaced(two_servers(), "{\"nodes\"",
                                "{\"objective\": \"highest_satisfied_weight\", \"nodes\"");
    text = replaced(text, "\"rate_per_s\": 20", "\"weight\": 0.5, \"rate_per_s\": 20");
    text = replaced(text, "\"power_limit_w\": 2500", "\"power_limit_w\": 800");
    text = replaced(text, "\"rate_per_s\": 1.2", "\"weight\": 2, \"rate_per_s\": 2.4");
    const auto serving = read_serving(text);
    ASSERT_NE(serving, nullptr);
    const auto result = solve_serving(serving.get());
    const auto plan = plan_of(serving.get(), result.get());
    EXPECT_EQ(ration_result_violation(result.get()), 0);
    EXPECT_TRUE(plan->served[0]);
    EXPECT_FALSE(plan->served[1]);
}

TEST(ServingEncode, BenefitPerCostServesWhatPays)
{
    std::string text =
        replaced(two_servers(), "{\"nodes\"", "{\"objective\": \"benefit_per_cost\", \"nodes\"");
    text = replaced(text, "\"rate_per_s\": 20", "\"weight\": 100, \"rate_per_s\": 5");
    const auto serving = read_serving(text);
    ASSERT_NE(serving, nullptr);
    const auto result = solve_serving(serving.get());
    const auto plan = plan_of(serving.get(), result.get());
    EXPECT_FALSE(plan->served[0]); // weight 1 for two GPUs
    EXPECT_TRUE(plan->served[1]);
}

TEST(ServingEncode, TheTableKeepsToAHundredColumns)
{
    std::string text = replaced(two_servers(), "\"name\": \"routing\"",
                                "\"name\": \"Übersetzung für alle Sprachen 翻訳\"");
    text = replaced(text, "\"name\": \"server\"", "\"name\": \"サーバー\"");
    const auto serving = read_serving(text);
    ASSERT_NE(serving, nullptr);
    const auto result = solve_serving(serving.get(), 2);
    char *table = nullptr;
    ration_error error = {};
    ASSERT_EQ(ration_serving_table(serving.get(), result.get(), &table, &error), RATION_OK);
    std::string line;
    for (const char *at = table; *at != '\0'; at++) {
        line += *at == '\n' ? "" : std::string(1, *at);
        if (*at == '\n') {
            EXPECT_LE(rn_text_width(line.c_str()), 100) << line;
            line.clear();
        }
    }
    EXPECT_TRUE(line.empty());
    free(table);
}

} // namespace
