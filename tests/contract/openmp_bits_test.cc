// Equal runs give equal bits: over threads, over storage forms, over a checkpoint.
#include <gtest/gtest.h>

#include <cstring>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

#include "support/search_run.h"

using namespace ration_test;

namespace
{

constexpr int64_t EPOCHS = 12; // into the second homotopy, so that breeding takes part

class OpenmpBits : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        programs = contract_programs();
    }

    void TearDown() override
    {
        for (ration_program *p : programs) {
            ration_program_free(p);
        }
    }

    std::vector<ration_program *> programs;
};

TEST_F(OpenmpBits, ThreadsDoNotMatter)
{
    for (size_t x = 0; x < programs.size(); x++) {
        SearchRun one(programs[x], 1);
        one.start();
        one.epochs(EPOCHS);
        for (const int32_t threads : {2, 3, 8}) {
            SearchRun many(programs[x], threads);
            many.start();
            many.epochs(EPOCHS);
            EXPECT_EQ(one.state(), many.state())
                << "program " << x << ", " << threads << " threads";
            EXPECT_EQ(one.best(), many.best());
        }
    }
}

TEST_F(OpenmpBits, PackedEqualsWide)
{
    int32_t packed = 0;
    for (size_t x = 0; x < programs.size(); x++) {
        SearchRun narrow(programs[x], 2), wide(programs[x], 2, true);
        narrow.start();
        wide.start();
        packed += narrow.search->tables->narrow;
        EXPECT_FALSE(wide.search->tables->narrow);
        narrow.epochs(EPOCHS);
        wide.epochs(EPOCHS);
        EXPECT_EQ(narrow.state(), wide.state()) << "program " << x;
    }
    EXPECT_GE(packed, 2) << "the programs no longer reach the 32-bit form";
}

TEST_F(OpenmpBits, AnotherSeedIsAnotherRun)
{
    SearchRun a(programs[1], 1), b(programs[1], 1);
    b.options().seed = 2;
    a.start();
    b.start();
    a.epochs(1);
    b.epochs(1);
    EXPECT_NE(a.state(), b.state());
}

std::string scratch_file()
{
    const std::string name = "ration_bits_" + std::to_string(getpid()) + ".ck";
    return (std::filesystem::temp_directory_path() / name).string();
}

// 2N epochs = N, save, load into another run, N.
TEST_F(OpenmpBits, ResumeIsExact)
{
    const std::string file = scratch_file();
    for (size_t x = 0; x < programs.size(); x++) {
        SearchRun whole(programs[x], 2), first(programs[x], 1), second(programs[x], 3);
        ration_error error;
        whole.start();
        whole.epochs(2 * EPOCHS);
        first.start();
        first.epochs(EPOCHS);
        ASSERT_EQ(rn_search_save(first.search, file.c_str(), &error), RATION_OK) << error.text;
        second.options().resume = file.c_str();
        rn_saved *saved = nullptr;
        rn_bound *bound = nullptr;
        rn_run_key key;
        ASSERT_EQ(rn_saved_read(programs[x], &second.options(), &saved, &bound, &key, &error),
                  RATION_OK)
            << error.text;
        second.start_with(bound);
        ASSERT_EQ(rn_saved_restore(saved, second.search, &error), RATION_OK) << error.text;
        rn_saved_free(saved);
        EXPECT_EQ(second.search->epoch, EPOCHS);
        second.epochs(EPOCHS);
        EXPECT_EQ(whole.state(), second.state()) << "program " << x;
        EXPECT_EQ(whole.best(), second.best());
        EXPECT_EQ(whole.search->facts.best_cost, second.search->facts.best_cost);
        EXPECT_EQ(whole.search->moves, second.search->moves);
    }
    remove(file.c_str());
    remove((file + ".prev").c_str());
}

// A checkpoint of another program, and one with other numbers, are refused.
TEST_F(OpenmpBits, ForeignCheckpointsAreRefused)
{
    const std::string file = scratch_file();
    SearchRun run(programs[0], 1);
    ration_error error;
    run.start();
    ASSERT_EQ(rn_search_save(run.search, file.c_str(), &error), RATION_OK);
    run.options().resume = file.c_str();
    rn_saved *saved = nullptr;
    rn_bound *bound = nullptr;
    rn_run_key key;
    EXPECT_EQ(rn_saved_read(programs[1], &run.options(), &saved, &bound, &key, &error),
              RATION_E_INPUT);
    EXPECT_NE(strstr(error.text, "a checkpoint of another program"), nullptr) << error.text;
    run.options().chains = 5;
    EXPECT_EQ(rn_saved_read(programs[0], &run.options(), &saved, &bound, &key, &error),
              RATION_E_INPUT);
    EXPECT_EQ(saved, nullptr);
    EXPECT_EQ(bound, nullptr);
    remove(file.c_str());
}

} // namespace
