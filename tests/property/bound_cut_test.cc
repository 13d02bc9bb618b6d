// A search for prices that the clock cut is repeated by its number of passes, and more passes never
// lower the bound.
#include <gtest/gtest.h>

#include "bound/bound.h"
#include "program/program.h"
#include "support/random_program.h"

using namespace ration_test;

namespace
{

struct Found {
    int64_t value = 0;
    int32_t passes = 0;
    bool infeasible = false;
    bool cut = false;
    std::vector<int64_t> price, width;
};

Found find(const ration_program *program, int32_t cut_after, int64_t deadline_us)
{
    const rn_bound_limits limits = {INT64_MAX, 0, cut_after, deadline_us};
    rn_bound *bound = nullptr;
    ration_error error{};
    Found found;
    EXPECT_EQ(rn_bound_find(rn_program_view(program), &limits, &bound, &error), RATION_OK)
        << error.text;
    if (bound != nullptr) {
        found.value = bound->value;
        found.passes = bound->passes;
        found.infeasible = bound->infeasible;
        found.cut = bound->cut;
        found.price.assign(bound->price, bound->price + bound->all_rows);
        found.width.assign(bound->width, bound->width + 2 * bound->groups);
    }
    rn_bound_free(bound);
    return found;
}

void expect_same(const Found &a, const Found &b, uint64_t seed)
{
    EXPECT_EQ(a.value, b.value) << "seed " << seed;
    EXPECT_EQ(a.passes, b.passes) << "seed " << seed;
    EXPECT_EQ(a.infeasible, b.infeasible) << "seed " << seed;
    EXPECT_EQ(a.cut, b.cut) << "seed " << seed;
    EXPECT_EQ(a.price, b.price) << "seed " << seed;
    EXPECT_EQ(a.width, b.width) << "seed " << seed;
}

TEST(BoundCut, PassesRepeatWhatADeadlineCut)
{
    int32_t cut = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        ration_program *program = build(random_spec(seed));
        ASSERT_NE(program, nullptr);
        const Found late = find(program, 0, 0); // the deadline is long over
        EXPECT_LE(late.passes, 1) << "seed " << seed;
        if (late.cut) {
            cut++;
            expect_same(find(program, late.passes, -1), late, seed);
        }
        ration_program_free(program);
    }
    EXPECT_GT(cut, 100);
}

TEST(BoundCut, MorePassesNeverLowerTheBound)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        ration_program *program = build(random_spec(seed));
        ASSERT_NE(program, nullptr);
        const Found whole = find(program, 0, -1);
        EXPECT_FALSE(whole.cut) << "seed " << seed;
        int64_t last = INT64_MIN;
        for (int32_t passes = 1; passes < whole.passes; passes += 1 + passes / 2) {
            const Found part = find(program, passes, -1);
            EXPECT_TRUE(part.cut) << "seed " << seed << ", " << passes << " passes";
            EXPECT_EQ(part.passes, passes) << "seed " << seed;
            if (!part.infeasible) { // else the value is one of the violation
                EXPECT_GE(part.value, last) << "seed " << seed << ", " << passes << " passes";
                last = part.value;
            }
        }
        if (!whole.infeasible) {
            EXPECT_GE(whole.value, last) << "seed " << seed;
        }
        ration_program_free(program);
    }
}

} // namespace
