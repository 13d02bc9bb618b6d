// A short run of every program on the CUDA backend, for engines that take their time:
// ThreadSanitizer with one fiber a GPU thread, the interpreter of PTX. Exits 0 when every state
// equals OpenMP's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "contract/backend_case.h"

using namespace ration_test;

namespace
{

constexpr int64_t EPOCHS = 9; // the ninth breeds
constexpr int64_t MOVES = 12;

// Names the first byte that differs: the whole states are too long to read.
void expect_same(const std::vector<char> &a, const std::vector<char> &b, size_t program)
{
    ASSERT_EQ(a.size(), b.size());
    const size_t at = (size_t)(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
    EXPECT_EQ(at, a.size()) << "program " << program << " differs";
}

// $RATION_SHORT_SEED: order of the lanes.
TEST(Short, EqualOpenmp)
{
    const char *seed = getenv("RATION_SHORT_SEED");
    const std::vector<ration_program *> programs = contract_programs();
    for (size_t x = 0; x < programs.size(); x++) {
        SearchRun twin(programs[x], 1), run(programs[x], 1);
        for (SearchRun *r : {&twin, &run}) {
            r->options().epoch_length = MOVES;
            r->options().chains = 4;
            r->start();
        }
        shim_seed(seed == nullptr ? 0 : strtoull(seed, nullptr, 10));
        move_to_cuda(run, 64, (int32_t)(x % 3));
        twin.epochs(EPOCHS);
        run.epochs(EPOCHS);
        expect_same(twin.state(), run.state(), x);
        EXPECT_GT(run.search->moves, 0);
    }
    for (ration_program *p : programs) {
        ration_program_free(p);
    }
}

} // namespace
