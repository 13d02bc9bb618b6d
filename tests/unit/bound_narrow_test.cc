// Options that no feasible plan can use: by hand, with negative amounts, feeds and shared rows.
#include <gtest/gtest.h>

#include <vector>

#include "bound/bound.h"
#include "bound/narrow.h"
#include "plan/verify.h"
#include "support/hand_program.h"

namespace
{

using ration_test::HandProgram;

rn_narrow *narrow(const rn_view *view, int32_t rounds = 16)
{
    rn_narrow *made = nullptr;
    EXPECT_EQ(rn_narrow_create(view, rounds, &made, nullptr), RATION_OK);
    return made;
}

// The bound of a program, accepted by the judge.
struct Found {
    bool infeasible;
    int64_t value;
    int32_t rounds;
};

Found find(const rn_view *view)
{
    rn_bound *bound = nullptr;
    ration_error error{};
    EXPECT_EQ(rn_bound_find(view, nullptr, &bound, &error), RATION_OK) << error.text;
    const rn_claim claim = rn_bound_claim(bound);
    int64_t value = 0;
    EXPECT_EQ(rn_verify_claim(view, &claim, &value, &error), RATION_OK) << error.text;
    EXPECT_EQ(value, bound->value);
    const Found found = {bound->infeasible, bound->value, bound->rounds};
    rn_bound_free(bound);
    return found;
}

// A model of 140 on GPUs of 24 and 80: no mix of the two options is a plan, though a price sees one
// where there are many GPUs.
TEST(BoundNarrow, AnItemThatFitsNowhere)
{
    HandProgram p;
    const int32_t small = p.row(0, 0, 24);
    const int32_t large = p.row(0, 0, 80);
    const int32_t other = p.row(0, 0, 80);
    p.option(p.item(), 0, 5, {{small, 140}});
    p.option(0, 1, 5, {{large, 140}});
    p.option(0, 2, 5, {{other, 150}});
    const Found found = find(p.freeze());
    EXPECT_TRUE(found.infeasible);
    EXPECT_EQ(found.value, 60); // 140 on the GPU of 80 is the least evil
    EXPECT_GE(found.rounds, 1);
}

// Two such items: what they break adds up.
TEST(BoundNarrow, ExcessesAddUp)
{
    HandProgram p;
    const int32_t row = p.row(0, 0, 24);
    const int32_t next = p.row(0, 0, 24);
    for (int32_t k = 0; k < 2; k++) {
        p.option(p.item(), 0, 5, {{row, 100}});
        p.option(k, 1, 5, {{next, 110}});
    }
    const Found found = find(p.freeze());
    EXPECT_TRUE(found.infeasible);
    EXPECT_GE(found.value, 152); // 76 each; the best plan, one on each row, breaks 76 + 86
    EXPECT_LE(found.value, 162);
}

// What others may take away counts: an option of 30 on a row of 24 can stand beside one of -10.
TEST(BoundNarrow, NegativeAmountsMakeRoom)
{
    for (const int64_t relief : {-10, -5}) {
        HandProgram p;
        const int32_t row = p.row(0, RATION_LOW_FREE, 24);
        p.option(p.item(), 0, 1, {{row, 30}});
        p.option(p.item(), 0, 0, {});
        p.option(1, 1, 7, {{row, relief}});
        const Found found = find(p.freeze());
        EXPECT_EQ(found.infeasible, relief == -5);
        EXPECT_EQ(found.value, relief == -5 ? 1 : 8);
    }
}

// A feed that may lower the load of the row counts with its least value.
TEST(BoundNarrow, FeedsMakeRoom)
{
    for (const int64_t relief : {-10, -5}) {
        HandProgram p;
        const int32_t row = p.row(0, RATION_LOW_FREE, 24);
        const int32_t helpers = p.row(0, 0, 5);
        const ration_piece piece[2] = {{0, 0, 0}, {1, relief, 0}};
        ASSERT_EQ(ration_program_add_feed(p.program, helpers, row, 2, piece, nullptr), RATION_OK);
        p.option(p.item(), 0, 1, {{row, 30}});
        p.option(p.item(), 0, 0, {});
        p.option(1, 1, 7, {{helpers, 1}});
        const Found found = find(p.freeze());
        EXPECT_EQ(found.infeasible, relief == -5);
    }
}

// A lower limit: the option that brings too little, and the one that brings nothing, are left out.
TEST(BoundNarrow, LowerLimits)
{
    HandProgram p;
    const int32_t rate = p.row(0, 10, RATION_HIGH_FREE);
    p.option(p.item(), 0, 0, {});
    p.option(0, 1, 2, {{rate, 6}});
    p.option(0, 2, 9, {{rate, 8}});
    p.option(p.item(), 0, 0, {{rate, 2}});
    p.option(1, 1, 1, {{rate, 1}});
    rn_narrow *n = narrow(p.freeze());
    ASSERT_NE(n, nullptr);
    EXPECT_EQ(n->rounds, 1);
    EXPECT_EQ(n->empty_item, -1);
    EXPECT_EQ(n->violation, 0);
    EXPECT_EQ(n->left_out, 3);
    const bool expected[2][3] = {{true, true, false}, {false, true, false}};
    for (int32_t item = 0; item < 2; item++) {
        for (int32_t option = 0; option < (item == 0 ? 3 : 2); option++) {
            EXPECT_EQ(rn_narrow_out(n, item, option), expected[item][option]) << item << option;
        }
    }
    EXPECT_EQ(n->least[rate], 10);
    EXPECT_EQ(n->most[rate], 10);
    rn_narrow_free(n);
    EXPECT_EQ(find(rn_program_view(p.program)).value, 9);
}

// Each round makes the next possible: a chain of items that push each other out ends in a proof.
TEST(BoundNarrow, RoundsFollowEachOther)
{
    HandProgram p;
    const int32_t length = 5;
    std::vector<int32_t> row;
    for (int32_t k = 0; k <= length; k++) {
        row.push_back(p.row(0, 0, 1));
    }
    for (int32_t k = 0; k < length; k++) {
        p.option(p.item(), 0, 0, {{row[(size_t)k], 1}});
        p.option(k, 1, 0, {{row[(size_t)k + 1], 1}});
    }
    p.option(p.item(), 0, 0, {{row[0], 1}});
    p.option(p.item(), 0, 0, {{row[(size_t)length], 1}});
    const rn_view *view = p.freeze();
    rn_narrow *n = narrow(view);
    ASSERT_NE(n, nullptr);
    EXPECT_GE(n->empty_item, 0);
    EXPECT_EQ(n->rounds, 3); // from both ends
    EXPECT_EQ(n->violation, 1);
    rn_narrow_free(n);
    n = narrow(view, 2);
    ASSERT_NE(n, nullptr);
    EXPECT_EQ(n->empty_item, -1);
    EXPECT_EQ(n->rounds, 2);
    rn_narrow_free(n);
    EXPECT_TRUE(find(view).infeasible);
}

// Roles that share a row add up before the limit is looked at.
TEST(BoundNarrow, RolesThatShareARow)
{
    for (const int64_t high : {9, 10}) {
        HandProgram p;
        const int32_t row = p.row(0, 0, high);
        const int32_t spare = p.row(0, 0, 100);
        for (const int32_t used : {row, spare}) {
            int32_t place = 0;
            ASSERT_EQ(ration_program_add_place(p.program, nullptr, 0, &place, nullptr), RATION_OK);
            for (int32_t role = 0; role < 2; role++) {
                ASSERT_EQ(ration_program_set_role(p.program, place, role, 1, &used, nullptr),
                          RATION_OK);
            }
        }
        const ration_use use[2] = {{0, 4}, {1, 6}};
        const ration_entry entry = {RATION_NONE, 0, RATION_DIMENSION_OTHER, 3, 2, use};
        ASSERT_EQ(ration_program_add_entry(p.program, p.item(), &entry, nullptr), RATION_OK);
        rn_narrow *n = narrow(p.freeze());
        EXPECT_EQ(n != nullptr, high == 9);
        EXPECT_EQ(n != nullptr ? n->left_out : 0, high == 9 ? 1 : 0);
        rn_narrow_free(n);
    }
}

// Nothing to leave out: no object, and the bound has no rounds.
TEST(BoundNarrow, NothingToLeaveOut)
{
    HandProgram p;
    const int32_t row = p.row(0, 0, 10);
    p.option(p.item(), 0, 1, {{row, 10}});
    const rn_view *view = p.freeze();
    EXPECT_EQ(narrow(view), nullptr);
    EXPECT_EQ(find(view).rounds, 0);
}

} // namespace
