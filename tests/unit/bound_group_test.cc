// Bounds by hand: groups that need rounding, proofs of infeasibility, the largest numbers.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/i128.h"
#include "bound/bound.h"
#include "bound/group.h"
#include "bound/relax.h"
#include "plan/result.h"
#include "plan/verify.h"
#include "program/program.h"
#include "support/hand_program.h"

namespace
{

using Program = ration_test::HandProgram;

// Finds a bound and checks that the judge agrees.
rn_bound *find(const rn_view *view, int32_t passes)
{
    const rn_bound_limits limits = {INT64_MAX, passes, 0, -1};
    rn_bound *bound = nullptr;
    ration_error error{};
    EXPECT_EQ(rn_bound_find(view, &limits, &bound, &error), RATION_OK) << error.text;
    const rn_claim claim = rn_bound_claim(bound);
    int64_t value = 0;
    if (bound->value != INT64_MIN) {
        EXPECT_EQ(rn_verify_claim(view, &claim, &value, &error), RATION_OK) << error.text;
        EXPECT_EQ(value, bound->value);
    }
    return bound;
}

// Covering with items of 7 against a demand of 20: the plain relaxation pays for 20 / 7 items, a
// group for 3.
TEST(BoundGroup, ClosesTheGapOfACover)
{
    for (const bool grouped : {false, true}) {
        Program p;
        const int32_t rate = p.row(0, 20, RATION_HIGH_FREE);
        std::vector<int32_t> items;
        for (int32_t k = 0; k < 5; k++) {
            items.push_back(p.item());
            p.option(items.back(), 0, 0, {});
            p.option(items.back(), 1, 100, {{rate, 7}});
        }
        if (grouped) {
            EXPECT_EQ(ration_program_add_group(p.program, 5, items.data(), 1, &rate, nullptr),
                      RATION_OK);
        }
        rn_bound *bound = find(p.freeze(), 500);
        EXPECT_FALSE(bound->infeasible);
        EXPECT_EQ(bound->kind, grouped ? RN_BOUND_GROUP : RN_BOUND_LAGRANGE);
        EXPECT_LE(bound->value, grouped ? 300 : 286);
        EXPECT_GE(bound->value, grouped ? 300 : 280);
        rn_bound_free(bound);
    }
}

// So many different loads that the table needs rounding: the bound stays below a plan, and is worth
// something.
TEST(BoundGroup, RoundsWhatIsTooLarge)
{
    std::mt19937_64 random(5);
    Program p;
    const int32_t row[2] = {p.row(0, 40000000, RATION_HIGH_FREE),
                            p.row(0, RATION_LOW_FREE, 60000000)};
    std::vector<int32_t> items;
    for (int32_t k = 0; k < 30; k++) {
        items.push_back(p.item());
        p.option(items.back(), 0, 0, {});
        for (int32_t m = 1; m < 8; m++) {
            const int64_t rate = 1000000 + (int64_t)(random() % 1000000);
            p.option(items.back(), m, rate / 1000,
                     {{row[0], rate}, {row[1], 1000000 + (int64_t)(random() % 500000)}});
        }
    }
    EXPECT_EQ(ration_program_add_group(p.program, 30, items.data(), 2, row, nullptr), RATION_OK);
    const rn_view *view = p.freeze();
    rn_bound *bound = find(view, 200);
    EXPECT_FALSE(bound->infeasible);
    EXPECT_LE(bound->value, 40100); // every 1000 units of rate cost 1: about 40 000 is needed
    EXPECT_GE(bound->value, 39000);
    rn_bound_free(bound);

    // The table alone, at no prices: what the search sees is what the judge recomputes.
    rn_relax *relax = nullptr;
    rn_pass *pass = nullptr;
    ASSERT_EQ(rn_relax_create(view, nullptr, false, &relax, nullptr), RATION_OK);
    ASSERT_EQ(rn_group_dp_create(relax, &relax->group, nullptr), RATION_OK);
    ASSERT_NE(relax->group, nullptr);
    ASSERT_EQ(rn_pass_create(relax, &pass, nullptr), RATION_OK);
    const std::vector<int64_t> price((size_t)view->all_rows, 0);
    int64_t width[2] = {0, 0};
    rn_relax_evaluate(relax, price.data(), pass);
    rn_group_dp_widths(relax->group, width);
    EXPECT_GT(width[0], 1);
    EXPECT_GT(width[1], 1);
    const rn_claim claim = {RN_BOUND_GROUP, false, price.data(), width, 0, nullptr, nullptr};
    int64_t value = 0;
    ASSERT_EQ(rn_verify_claim(view, &claim, &value, nullptr), RATION_OK);
    EXPECT_EQ((int64_t)rn_i128_ceil_div(pass->value, (rn_i128)1 << RN_PRICE_BITS), value);
    EXPECT_LE(value, 40100);
    EXPECT_GT(value, 30000);
    rn_pass_free(pass);
    rn_relax_free(relax);
}

// A row that only passes its load on: three items of which 2 units must be left when the second one
// is taken away; at the price of what it feeds its term is 0, and any other price is worse.
TEST(BoundRelay, ItsPriceIsThatOfWhatItFeeds)
{
    Program p;
    const int32_t relay = p.row(0, RATION_LOW_FREE, RATION_HIGH_FREE);
    const int32_t left = p.row(0, 2, RATION_HIGH_FREE);
    const int32_t twice = p.row(5, RATION_LOW_FREE, 40);
    const ration_piece same = {0, 0, 1};
    const ration_piece doubled = {1, 3, 2};
    for (int32_t i = 0; i < 3; i++) {
        const int32_t item = p.item();
        p.option(item, 0, 0, {});
        p.option(item, 1, 10 + i, {{relay, 1}});
        p.option(item, 2, 5, {{relay, 1}, {left, -1}});
    }
    ASSERT_EQ(ration_program_add_feed(p.program, relay, left, 1, &same, nullptr), RATION_OK);
    ASSERT_EQ(ration_program_add_feed(p.program, relay, twice, 1, &doubled, nullptr), RATION_OK);
    const rn_view *view = p.freeze();
    rn_relax *relax = nullptr;
    rn_pass *pass = nullptr;
    ASSERT_EQ(rn_relax_create(view, nullptr, false, &relax, nullptr), RATION_OK);
    ASSERT_EQ(rn_pass_create(relax, &pass, nullptr), RATION_OK);
    std::vector<int64_t> price = {7, -(INT64_C(10) << RN_PRICE_BITS), 900};
    EXPECT_EQ(relax->relay[relay], 1);
    EXPECT_EQ(relax->relay[left], 0);
    rn_relax_set_relays(relax, price.data());
    const int64_t best = -(INT64_C(10) << RN_PRICE_BITS) + 2 * 900;
    EXPECT_EQ(price[relay], best);
    rn_relax_evaluate(relax, price.data(), pass);
    const rn_i128 value = pass->value;
    EXPECT_EQ(pass->gradient[relay], 0);
    for (const int64_t change : {-(INT64_C(1) << 20), INT64_C(-1), INT64_C(1), INT64_C(1) << 20}) {
        price[relay] = best + change;
        rn_relax_evaluate(relax, price.data(), pass);
        EXPECT_LE(pass->value, value) << change;
    }
    rn_pass_free(pass);
    rn_relax_free(relax);
    rn_bound *bound = find(view, 200);
    EXPECT_GT(bound->value, 19); // two of the first kind: 21
    EXPECT_LE(bound->value, 21);
    rn_bound_free(bound);
}

TEST(BoundInfeasible, ARowThatCannotFit)
{
    Program p;
    const int32_t memory = p.row(0, RATION_LOW_FREE, 24);
    p.option(p.item(), 0, 1, {{memory, 140}});
    rn_bound *bound = find(p.freeze(), 0);
    EXPECT_TRUE(bound->infeasible);
    EXPECT_EQ(bound->value, 116);
    rn_bound_free(bound);
}

// Each row alone could be kept, both together not: 10 items of (1, 0) or (0, 1) with limits 4
// and 4.
TEST(BoundInfeasible, RowsThatExcludeEachOther)
{
    Program p;
    const int32_t a = p.row(0, RATION_LOW_FREE, 4);
    const int32_t b = p.row(0, RATION_LOW_FREE, 4);
    for (int32_t k = 0; k < 10; k++) {
        const int32_t item = p.item();
        p.option(item, 0, 1, {{a, 1}});
        p.option(item, 1, 2, {{b, 1}});
    }
    ration_result *result = nullptr;
    const rn_view *view = p.freeze();
    rn_bound *bound = find(view, 0);
    EXPECT_TRUE(bound->infeasible);
    EXPECT_EQ(bound->value, 2);
    EXPECT_EQ(rn_result_create(p.program, nullptr, bound, nullptr, &result, nullptr), RATION_OK);
    EXPECT_EQ(ration_result_status(result), RATION_PLAN_INFEASIBLE);
    ration_result_free(result);
    rn_bound_free(bound);
}

// A group whose loads jump over its band.
TEST(BoundInfeasible, AGroupThatMissesItsBand)
{
    Program p;
    const int32_t row = p.row(0, 8, 9);
    std::vector<int32_t> items;
    for (int32_t k = 0; k < 4; k++) {
        items.push_back(p.item());
        p.option(items.back(), 0, 0, {});
        p.option(items.back(), 1, 1, {{row, 7}});
    }
    EXPECT_EQ(ration_program_add_group(p.program, 4, items.data(), 1, &row, nullptr), RATION_OK);
    rn_bound *bound = find(p.freeze(), 0);
    EXPECT_TRUE(bound->infeasible);
    EXPECT_EQ(bound->kind, RN_BOUND_GROUP);
    EXPECT_EQ(bound->value, 1);
    rn_bound_free(bound);
}

// Totals near 2^62 neither overflow nor lose a unit.
TEST(BoundLarge, NearTheEndOfTheRange)
{
    const int64_t large = (int64_t)1 << 60;
    for (const int64_t sign : {1, -1}) {
        Program p;
        const int32_t row = p.row(sign * (large - 1), sign > 0 ? RATION_LOW_FREE : -large,
                                  sign > 0 ? large : RATION_HIGH_FREE);
        for (int32_t k = 0; k < 2; k++) {
            const int32_t item = p.item();
            p.option(item, 0, -large, {{row, large}});
            p.option(item, 1, large - k, {{row, -large}});
            p.option(item, 2, large - 5, {{row, 0}});
        }
        rn_bound *bound = find(p.freeze(), 200);
        EXPECT_FALSE(bound->infeasible);
        EXPECT_LE(bound->value, sign > 0 ? -1 : -2 * large + 1 + 2 * large);
        rn_bound_free(bound);
    }
}

} // namespace
