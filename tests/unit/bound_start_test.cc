// Prices to begin with: a fixed charge reaches what is put into a bin.
#include <gtest/gtest.h>

#include <vector>

#include "bound/bound.h"
#include "bound/relax.h"
#include "support/hand_program.h"

namespace
{

using ration_test::HandProgram;

// `bins` bins of 100 that cost 1 each when they hold anything, by a feed into `used`; 60 items of
// 50 + k / 2.
void pack(HandProgram *p, int32_t bins)
{
    const int32_t used = p->row(0, RATION_LOW_FREE, RATION_HIGH_FREE);
    const ration_piece one_each = {0, 0, 1};
    const ration_piece in_use[2] = {{0, 0, 0}, {1, 1, 0}};
    ASSERT_EQ(ration_program_set_row_cost(p->program, used, 1, &one_each, nullptr), RATION_OK);
    std::vector<int32_t> load;
    for (int32_t bin = 0; bin < bins; bin++) {
        load.push_back(p->row(0, RATION_LOW_FREE, 100));
        ASSERT_EQ(ration_program_add_feed(p->program, load.back(), used, 2, in_use, nullptr),
                  RATION_OK);
    }
    for (int32_t k = 0; k < 60; k++) {
        const int32_t item = p->item();
        for (int32_t bin = 0; bin < bins; bin++) {
            p->option(item, bin, 0, {{load[(size_t)bin], 20 + k / 2}});
        }
    }
}

// The first evaluation already counts every unit of size as 1/100 of a bin: 2070 units, 21 bins.
TEST(BoundStart, AFixedChargeIsPaidByTheUnit)
{
    HandProgram p;
    pack(&p, 40);
    const rn_bound_limits limits = {INT64_MAX, 1, 0, -1};
    rn_bound *bound = nullptr;
    ASSERT_EQ(rn_bound_find(p.freeze(), &limits, &bound, nullptr), RATION_OK);
    EXPECT_EQ(bound->value, 21);
    rn_bound_free(bound);
}

// A row without cost and feeds begins at 0; one with a cost that is a line, at its slope.
TEST(BoundStart, LinesAndNothing)
{
    HandProgram p;
    const int32_t bare = p.row(0, 0, 10);
    const int32_t line = p.row(0, 0, 10);
    const ration_piece three_each = {0, 0, 3};
    ASSERT_EQ(ration_program_set_row_cost(p.program, line, 1, &three_each, nullptr), RATION_OK);
    p.option(p.item(), 0, 0, {{bare, 4}});
    p.option(0, 1, 0, {{line, 4}});
    rn_relax *relax = nullptr;
    ASSERT_EQ(rn_relax_create(p.freeze(), nullptr, false, &relax, nullptr), RATION_OK);
    std::vector<int64_t> price(2, -1);
    rn_relax_start(relax, price.data());
    EXPECT_EQ(price[(size_t)bare], 0);
    EXPECT_EQ(price[(size_t)line], (int64_t)3 << RN_PRICE_BITS);
    rn_relax_free(relax);
}

} // namespace
