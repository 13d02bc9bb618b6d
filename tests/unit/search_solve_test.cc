// ration_solve: limits of time and epochs, starts, stopping, resuming, what it refuses.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

#include "ration/solve.h"
#include "support/search_run.h"

using namespace ration_test;

namespace
{

struct Seen {
    int32_t epochs = 0;
    int64_t last_best = INT64_MAX;
    std::vector<std::string> notices;
    volatile sig_atomic_t stop = 0;
    int32_t stop_after = -1;
};

void on_progress(void *context, const ration_progress *progress)
{
    Seen *seen = (Seen *)context;
    seen->epochs++;
    EXPECT_EQ(progress->epoch, seen->epochs);
    seen->last_best = progress->best;
    if (seen->epochs == seen->stop_after) {
        seen->stop = 1;
    }
}

void on_notice(void *context, const char *sentence)
{
    ((Seen *)context)->notices.push_back(sentence);
}

class Solve : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        program = gap_program(40, 4, 7);
        ration_run_default(&run);
        run.epochs = 10;
        run.backend = RATION_BACKEND_OPENMP;
        run.threads = 2;
        run.chains = 4;
        run.progress = on_progress;
        run.notice = on_notice;
        run.context = &seen;
        run.stop = &seen.stop;
        const std::string name = "ration_solve_" + std::to_string(getpid()) + ".ck";
        file = (std::filesystem::temp_directory_path() / name).string();
    }

    void TearDown() override
    {
        ration_result_free(result);
        ration_program_free(program);
        remove(file.c_str());
        remove((file + ".prev").c_str());
    }

    void solve()
    {
        ration_result_free(result);
        result = nullptr;
        ASSERT_EQ(ration_solve(program, &run, &result, &error), RATION_OK) << error.text;
    }

    std::string digest()
    {
        return ration_result_digest(result);
    }

    ration_program *program = nullptr;
    ration_run run;
    ration_result *result = nullptr;
    ration_error error{};
    Seen seen;
    std::string file;
};

TEST_F(Solve, FindsAFeasiblePlanAndReportsEveryEpoch)
{
    solve();
    EXPECT_EQ(ration_result_violation(result), 0);
    EXPECT_EQ(ration_result_cost(result), seen.last_best);
    EXPECT_LE(seen.epochs, 10);
    EXPECT_EQ(ration_verify(program, result, &error), RATION_OK) << error.text;
    int64_t bound = 0;
    ASSERT_TRUE(ration_result_bound(result, &bound));
    EXPECT_LE(bound, ration_result_cost(result));
}

TEST_F(Solve, EqualParametersGiveEqualPlans)
{
    solve();
    const std::string first = digest();
    run.threads = 1;
    run.time_us = 1; // ignored when epochs are given
    seen.epochs = 0;
    solve();
    EXPECT_EQ(digest(), first);
}

TEST_F(Solve, NoTimeAndNoEpochsGiveTheGreedyPlan)
{
    run.epochs = 0;
    solve();
    EXPECT_TRUE(ration_result_has_picks(result));
    EXPECT_EQ(seen.epochs, 0);
    const std::string greedy = digest();
    run.epochs = -1;
    run.time_us = 0;
    solve();
    EXPECT_TRUE(ration_result_has_picks(result));
    EXPECT_EQ(seen.epochs, 0);
    EXPECT_FALSE(greedy.empty());
}

TEST_F(Solve, UsesTheStart)
{
    run.epochs = 40;
    solve();
    const int64_t good = ration_result_cost(result);
    std::vector<int32_t> start;
    for (int32_t i = 0; i < ration_program_items(program); i++) {
        start.push_back(ration_result_pick(result, i));
    }
    run.epochs = 0;
    run.start = start.data();
    solve();
    EXPECT_LE(ration_result_cost(result), good);
    EXPECT_EQ(ration_result_violation(result), 0);
    for (int32_t &option : start) {
        option = 0; // all on one agent
    }
    run.epochs = 10;
    seen.epochs = 0;
    solve();
    EXPECT_EQ(ration_result_violation(result), 0);
    EXPECT_EQ(ration_verify(program, result, &error), RATION_OK) << error.text;
    start[3] = 4;
    EXPECT_EQ(ration_solve(program, &run, &result, &error), RATION_E_INPUT);
    EXPECT_NE(std::string(error.text).find("has no option 4"), std::string::npos) << error.text;
}

TEST_F(Solve, StopsAndResumesExactly)
{
    run.epochs = 20;
    solve();
    const std::string whole = digest();
    const int32_t epochs = seen.epochs;
    seen = Seen();
    seen.stop_after = 5;
    run.checkpoint = file.c_str();
    solve();
    EXPECT_TRUE(ration_result_stopped(result));
    EXPECT_EQ(seen.epochs, 5);
    run.resume = file.c_str();
    run.progress = nullptr;
    seen = Seen();
    solve();
    EXPECT_FALSE(ration_result_stopped(result));
    EXPECT_EQ(digest(), whole) << "stopped after 5 of " << epochs << " epochs";
}

TEST_F(Solve, SavesOnDemand)
{
    volatile sig_atomic_t save = 1;
    run.save = &save;
    run.checkpoint = file.c_str();
    run.epochs = 2;
    solve();
    EXPECT_EQ(save, 0);
    EXPECT_EQ(access(file.c_str(), R_OK), 0);
    run.checkpoint = "/nonexistent/folder/x.ck";
    run.progress = nullptr;
    save = 1;
    EXPECT_EQ(ration_solve(program, &run, &result, &error), RATION_E_IO);
}

TEST_F(Solve, RefusesNumbersThatAreNone)
{
    ration_result *none = nullptr;
    run.chains = -1;
    EXPECT_EQ(ration_solve(program, &run, &none, &error), RATION_E_INPUT);
    run.chains = 4;
    run.resume = "/nonexistent.ck";
    EXPECT_EQ(ration_solve(program, &run, &none, &error), RATION_E_IO);
    EXPECT_EQ(none, nullptr);
}

TEST_F(Solve, AutomaticBackendSaysWhyItFallsBack)
{
    run.backend = RATION_BACKEND_AUTO;
    run.epochs = 1;
    solve();
    if (!seen.notices.empty()) {
        EXPECT_EQ(seen.notices.size(), 1u);
        EXPECT_NE(seen.notices[0].find("OpenMP"), std::string::npos);
    }
}

// Two items that need a unit each of one row of one: every plan breaks the limit, and the result
// says by how much.
TEST(SolveInfeasible, GivesTheLeastViolatingPlan)
{
    ration_program *p = nullptr;
    ration_error error;
    int32_t made = 0;
    ASSERT_EQ(ration_program_create(1, &p, &error), RATION_OK);
    ASSERT_EQ(ration_program_add_row(p, "cap", RATION_DIMENSION_MEMORY, 0, RATION_LOW_FREE, 10,
                                     &made, &error),
              RATION_OK);
    for (int32_t i = 0; i < 2; i++) {
        ASSERT_EQ(ration_program_add_item(p, nullptr, &made, &error), RATION_OK);
        for (int32_t k = 0; k < 3; k++) {
            const ration_use use = {0, 7 + k};
            const ration_option option = {RATION_NONE, RATION_NONE, RATION_DIMENSION_OTHER,
                                          -k,          1,           &use};
            int32_t mode = 0;
            if (i == 0) {
                ASSERT_EQ(ration_program_add_mode(p, nullptr, false, &mode, &error), RATION_OK);
            }
            ration_option named = option;
            named.mode = k;
            ASSERT_EQ(ration_program_add_option(p, i, &named, &error), RATION_OK);
        }
    }
    ASSERT_EQ(ration_program_freeze(p, &error), RATION_OK) << error.text;
    ration_run run;
    ration_run_default(&run);
    run.epochs = 10;
    run.threads = 1;
    run.backend = RATION_BACKEND_OPENMP;
    ration_result *result = nullptr;
    ASSERT_EQ(ration_solve(p, &run, &result, &error), RATION_OK) << error.text;
    EXPECT_EQ(ration_result_violation(result), 4);
    EXPECT_EQ(ration_result_status(result), RATION_PLAN_INFEASIBLE);
    ration_result_free(result);
    ration_program_free(p);
}

} // namespace
