// The CUDA backend gives the bits of the OpenMP backend: on the stand-in of tests/shim with 1 or 32
// lanes a chain, for several block sizes, orders of lanes and places of memory, and on the device
// of the machine. Built for each, see CMakeLists.txt here and in tests/gpu.
#include <gtest/gtest.h>

#include "contract/backend_case.h"

using namespace ration_test;

namespace
{

constexpr int64_t EPOCHS = 10; // into the second homotopy, so that breeding takes part
constexpr int64_t MOVES = 60;  // of a chain in an epoch: the stand-in takes its time

void shorten(SearchRun &run)
{
    run.options().epoch_length = MOVES;
}

class CudaCase
{
  protected:
    void open()
    {
        ration_error error;
        if (REAL_DEVICE && rn_cuda_probe(0, &error) != RATION_OK) {
            GTEST_SKIP() << "needs a GPU: " << error.text;
        }
        programs_ = contract_programs();
        ASSERT_EQ(programs_.size(), 10u);
    }

    void close()
    {
        for (ration_program *p : programs_) {
            ration_program_free(p);
        }
        shim_seed(0);
        EXPECT_EQ(shim_live(), 0);
    }

    // The state after EPOCHS epochs on OpenMP.
    std::vector<char> expected(const ration_program *program, int32_t threads, bool wide,
                               bool general)
    {
        SearchRun run(program, threads, wide, general);
        shorten(run);
        run.start();
        run.epochs(EPOCHS);
        EXPECT_GT(run.search->moves, 0);
        return run.state();
    }

    std::vector<ration_program *> programs_;
};

class CudaBits : public ::testing::TestWithParam<int>, protected CudaCase
{
    void SetUp() override
    {
        open();
    }

    void TearDown() override
    {
        close();
    }
};

class CudaGeneral : public ::testing::Test, protected CudaCase
{
    void SetUp() override
    {
        open();
    }

    void TearDown() override
    {
        close();
    }
};

TEST_P(CudaBits, EqualOpenmp)
{
    const ration_program *program = programs_[(size_t)GetParam()];
    const std::vector<char> state = expected(program, 1, false, false);
    for (const int32_t threads : {2, 3, 8}) {
        EXPECT_EQ(state, expected(program, threads, false, false)) << threads << " threads";
    }
    uint64_t seed = 0;
    for (const int32_t threads : {32, 128, 256}) {
        SearchRun run(program, 1);
        shorten(run);
        run.start();
        shim_seed(seed);
        move_to_cuda(run, threads, (int32_t)(seed % 3));
        run.epochs(EPOCHS);
        EXPECT_EQ(state, run.state()) << "blocks of " << threads << ", order " << seed;
        seed++;
    }
}

TEST_P(CudaBits, EveryPlaceOfMemory)
{
    const ration_program *program = programs_[(size_t)GetParam()];
    for (const bool wide : {false, true}) {
        const std::vector<char> state = expected(program, 2, wide, false);
        for (const int32_t residence : {RN_RESIDE_GLOBAL, RN_RESIDE_WORK, RN_RESIDE_ALL}) {
            SearchRun run(program, 1, wide);
            shorten(run);
            run.start();
            shim_seed((uint64_t)residence + 7);
            move_to_cuda(run, 64, residence);
            run.epochs(EPOCHS);
            EXPECT_EQ(state, run.state()) << "residence " << residence << ", wide " << wide;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Programs, CudaBits, ::testing::Range(0, 10));

// One-row programs on the general path.
TEST_F(CudaGeneral, GeneralPathOfOneRowPrograms)
{
    for (size_t x = 0; x < 3; x++) {
        const std::vector<char> state = expected(programs_[x], 1, false, true);
        SearchRun run(programs_[x], 1, false, true);
        shorten(run);
        run.start();
        move_to_cuda(run, 0, -1);
        run.epochs(EPOCHS);
        EXPECT_EQ(state, run.state()) << "program " << x;
    }
}

} // namespace
