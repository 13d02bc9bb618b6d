// Checkpoints whose sums are right and whose contents are not: refused before anything is used.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

#include "base/alloc.h"
#include "base/snapshot.h"
#include "support/search_run.h"

using namespace ration_test;

namespace
{

class Checkpoint : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        program = gap_program(40, 4, 7);
        name = (std::filesystem::temp_directory_path() /
                ("ration_checkpoint_" + std::to_string(getpid())))
                   .string();
        ration_run_default(&run);
        run.backend = RATION_BACKEND_OPENMP;
        run.threads = 1;
        run.epochs = 2;
        run.seed = 7;
        run.checkpoint = name.c_str();
        ASSERT_EQ(ration_solve(program, &run, &result, &error), RATION_OK) << error.text;
        ration_result_free(result);
        result = nullptr;
        run.checkpoint = nullptr;
        run.resume = name.c_str();
        run.epochs = 3;
        measure();
    }

    void TearDown() override
    {
        ration_result_free(result);
        ration_program_free(program);
        remove(name.c_str());
        remove((name + ".prev").c_str());
    }

    // Bytes behind the weights: plans and states, see checkpoint.c.
    void measure()
    {
        rn_tables *tables = nullptr;
        const rn_view *v = rn_program_view(program);
        const std::vector<int64_t> price((size_t)v->all_rows + 1);
        const rn_tables_wish wish = {price.data(), false, false};
        ASSERT_EQ(rn_tables_create(v, &wish, &tables, &error), RATION_OK);
        map = rn_state_map(tables);
        rn_tables_free(tables);
        states = 16 * map.bytes;
        best = states + (int64_t)v->items * 4;
        weights = best + ((int64_t)v->all_rows + 1) * 4;
    }

    // Overwrites the number at a distance from the end (negative: from the beginning) and makes the
    // sums right.
    void forge(int64_t from_end, int32_t value, int32_t *before = nullptr)
    {
        rn_snapshot s = {};
        bool previous = false;
        ASSERT_EQ(rn_snapshot_read(name.c_str(), problem_of_file(), &s, &previous, nullptr, &error),
                  RATION_OK)
            << error.text;
        char *at = (char *)s.payload + (from_end > 0 ? (int64_t)s.bytes - from_end : -from_end);
        if (before != nullptr) {
            memcpy(before, at, sizeof *before);
        }
        memcpy(at, &value, sizeof value);
        ASSERT_EQ(rn_snapshot_write(name.c_str(), &s, &error), RATION_OK) << error.text;
        rn_free(s.payload);
    }

    uint64_t problem_of_file()
    {
        uint64_t problem = 0;
        FILE *file = fopen(name.c_str(), "rb");
        EXPECT_NE(file, nullptr);
        EXPECT_EQ(fseek(file, 32, SEEK_SET), 0);
        EXPECT_EQ(fread(&problem, sizeof problem, 1, file), 1u);
        fclose(file);
        return problem;
    }

    void expect_refused(const char *words)
    {
        EXPECT_EQ(ration_solve(program, &run, &result, &error), RATION_E_INPUT) << words;
        EXPECT_EQ(result, nullptr);
        EXPECT_NE(std::string(error.text).find(words), std::string::npos) << error.text;
    }

    ration_program *program = nullptr;
    ration_result *result = nullptr;
    ration_error error;
    ration_run run;
    std::string name;
    rn_state_offsets map = {};
    int64_t states = 0;
    int64_t best = 0;
    int64_t weights = 0;
};

TEST_F(Checkpoint, WeightsOutOfRange)
{
    int32_t before = 0;
    for (const int32_t wrong : {-1, RN_WEIGHT_MOST + 1, 63, 64, INT32_MAX, INT32_MIN}) {
        forge(weights, wrong, &before);
        expect_refused("weights");
        forge(weights, before);
    }
    forge(weights, RN_WEIGHT_MOST);
    EXPECT_EQ(ration_solve(program, &run, &result, &error), RATION_OK) << error.text;
}

TEST_F(Checkpoint, DoublingsOutOfRange)
{
    const int64_t at = (int64_t)(sizeof(rn_run_key) + offsetof(rn_progress_facts, doublings));
    for (const int32_t wrong : {-1, RN_WEIGHT_MOST + 1, 64}) {
        forge(-at, wrong);
        expect_refused("weights");
    }
    forge(-at, 0);
    EXPECT_EQ(ration_solve(program, &run, &result, &error), RATION_OK) << error.text;
}

TEST_F(Checkpoint, PicksThatAreNoOptions)
{
    int32_t before = 0;
    for (const int64_t at :
         {best, states - map.pick, states - map.best, map.bytes - map.pick - 4}) {
        for (const int32_t wrong : {-1, 4, INT32_MAX}) {
            forge(at, wrong, &before);
            expect_refused("no options");
            forge(at, before);
        }
    }
    EXPECT_EQ(ration_solve(program, &run, &result, &error), RATION_OK) << error.text;
}

TEST_F(Checkpoint, OtherParametersThanTheRunBeganWith)
{
    run.seed = 8;
    EXPECT_EQ(ration_solve(program, &run, &result, &error), RATION_OK) << "not asked for";
    ration_result_free(result);
    result = nullptr;
    run.seed_given = true;
    expect_refused("seed 7");
    run.seed = 7;
    run.preset_given = true;
    run.preset_gpu = true;
    expect_refused("preset");
    run.preset_gpu = false;
    EXPECT_EQ(ration_solve(program, &run, &result, &error), RATION_OK) << error.text;
}

} // namespace
