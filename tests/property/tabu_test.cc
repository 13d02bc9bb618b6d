// The tabu search's table of changes against full evaluation, on programs whose every part that it
// takes is drawn; what it must not take; determinism; and that no plan gets worse.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "support/tabu_case.h"

using namespace ration_test;

namespace
{

// The change of every pair's swap is what full evaluation says, after every one of many swaps.
void check_swaps(TabuCase &c, int32_t swaps)
{
    const int32_t items = c.tabu->items;
    const int32_t seats = c.tabu->seats;
    std::vector<int32_t> pick = c.draw_picks();
    std::vector<int32_t> other((size_t)items);
    rn_tabu_load(c.tabu, c.work, pick.data());
    for (int32_t x = 0; x < swaps; x++) {
        const int32_t i = c.below(items);
        const int32_t j = (i + 1 + c.below(seats - 1)) % seats;
        const int32_t first = i < j ? i : j;
        const int32_t second = i < j ? j : i;
        const bool before = rn_tabu_picks(c.tabu, c.work, pick.data());
        const int64_t change = rn_tabu_change(c.tabu, c.work, first, second);
        rn_tabu_swap(c.tabu, c.work, i, j);
        const bool after = rn_tabu_picks(c.tabu, c.work, other.data());
        ASSERT_EQ(rn_tabu_change(c.tabu, c.work, first, second), -change);
        if (before && after) {
            const rn_change a = c.price(pick);
            const rn_change b = c.price(other);
            ASSERT_EQ(b.cost - a.cost, change) << "swap " << x << " of " << i << ", " << j;
            ASSERT_EQ(b.violation, a.violation);
        }
    }
}

TEST(TabuTable, EqualsFullEvaluation)
{
    uint64_t seed = 0;
    bool directed = false;
    bool undirected = false;
    bool wide = false;
    for (const TabuDraw &draw : tabu_draws()) {
        for (int32_t x = 0; x < 4; x++) {
            TabuCase c(draw, ++seed);
            ASSERT_NE(c.tabu, nullptr) << "draw " << seed;
            directed = directed || c.tabu->directed;
            undirected = undirected || !c.tabu->directed;
            wide = wide || c.tabu->wide;
            check_swaps(c, 1500);
            ASSERT_FALSE(HasFatalFailure()) << "draw " << seed;
        }
    }
    EXPECT_TRUE(directed && undirected && wide);
}

TEST(TabuRefine, NeverWorseAndMostlyBetter)
{
    int32_t better = 0;
    uint64_t seed = 100;
    for (const TabuDraw &draw : tabu_draws()) {
        TabuCase c(draw, ++seed);
        for (uint32_t x = 0; x < 5; x++) {
            std::vector<int32_t> pick = c.draw_picks();
            const rn_change before = c.price(pick);
            rn_tabu_key key = {seed, x, 0, 0};
            rn_change said = {};
            EXPECT_GE(rn_tabu_refine(c.tabu, c.work, &key, 100000, pick.data(), &said), 1);
            const rn_change after = c.price(pick);
            EXPECT_EQ(said.cost, after.cost);
            EXPECT_EQ(said.violation, after.violation);
            EXPECT_TRUE(after.violation < before.violation ||
                        (after.violation == before.violation && after.cost <= before.cost));
            better += after.violation < before.violation || after.cost < before.cost;
        }
    }
    EXPECT_GE(better, 30);
}

// With so few items every permutation can be tried.
TEST(TabuRefine, FindsTheOptimumOfTinyPrograms)
{
    TabuDraw draw;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        TabuCase c(draw, seed);
        std::vector<int32_t> order(6);
        std::vector<int32_t> pick(6);
        int64_t least = INT64_MAX;
        for (int32_t i = 0; i < 6; i++) {
            order[(size_t)i] = i;
        }
        do {
            rn_tabu_load(c.tabu, c.work, order.data());
            ASSERT_TRUE(rn_tabu_picks(c.tabu, c.work, pick.data()));
            least = std::min(least, c.price(order).cost);
        } while (std::next_permutation(order.begin(), order.end()));
        pick = c.draw_picks();
        rn_tabu_key key = {seed, 0, 0, 0};
        rn_change value = {};
        rn_tabu_refine(c.tabu, c.work, &key, 30000, pick.data(), &value);
        EXPECT_EQ(c.price(pick).violation, 0);
        EXPECT_EQ(c.price(pick).cost, least) << "seed " << seed;
    }
}

TEST(TabuRefine, DependsOnTheTaskAlone)
{
    const TabuDraw draw = tabu_draws()[1];
    TabuCase c(draw, 5);
    const std::vector<int32_t> begin = c.draw_picks();
    std::vector<std::vector<int32_t>> found(4, begin);
    std::vector<std::thread> threads;
    for (uint32_t x = 0; x < 4; x++) {
        threads.emplace_back([&c, &found, &begin, x] {
            rn_tabu_work *work = nullptr;
            rn_tabu_key key = {9, 3, x / 2, 0};
            ASSERT_EQ(rn_tabu_work_create(c.tabu, &work, nullptr), RATION_OK);
            rn_tabu_key trace = {x, 0, 0, 0};
            rn_change value = {};
            std::vector<int32_t> other(begin.rbegin(), begin.rend());
            const std::vector<int32_t> mate = other;
            rn_tabu_refine(c.tabu, work, &trace, 1000 * x, other.data(), &value);
            rn_tabu_refine(c.tabu, work, &key, 5000, found[x].data(), &value);
            rn_tabu_cross(c.tabu, work, &key, mate.data(), found[x].data());
            rn_tabu_refine(c.tabu, work, &key, 5000, found[x].data(), &value);
            rn_tabu_work_free(work);
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(found[2], found[3]);
    EXPECT_NE(found[0], found[2]); // another chain draws otherwise
}

// A child sits on a seat of a parent wherever it can, and where both agree in any case.
TEST(TabuCross, KeepsWhatTheParentsAgreeOn)
{
    uint64_t seed = 200;
    for (const TabuDraw &draw : tabu_draws()) {
        TabuCase c(draw, ++seed);
        rn_tabu_key key = {seed, 0, 0, 0};
        std::vector<int32_t> one((size_t)c.tabu->items);
        std::vector<int32_t> two((size_t)c.tabu->items);
        for (std::vector<int32_t> *parent : {&one, &two}) {
            do {
                rn_tabu_load(c.tabu, c.work, c.draw_picks().data());
            } while (!rn_tabu_picks(c.tabu, c.work, parent->data()));
        }
        std::vector<int32_t> child = one;
        if (rn_tabu_cross(c.tabu, c.work, &key, two.data(), child.data())) {
            EXPECT_EQ(c.price(child).violation, c.price(one).violation);
            for (size_t i = 0; i < child.size() && draw.capacity == 1; i++) {
                EXPECT_TRUE(one[i] != two[i] || child[i] == one[i]);
            }
        }
    }
}

// Programs of other shapes are refused.
TEST(TabuShape, TakesOnlyAssignmentsToSeats)
{
    TabuDraw few;
    few.places = 5; // six items do not fit
    EXPECT_EQ(TabuCase(few, 1).tabu, nullptr);
    TabuDraw loose;
    loose.exactly = true;
    loose.places = 7; // a row's cost depends on who stays empty
    EXPECT_EQ(TabuCase(loose, 1).tabu, nullptr);
    TabuDraw many;
    many.places = RN_TABU_SEATS + 1;
    many.tiers = true;
    EXPECT_EQ(TabuCase(many, 1).tabu, nullptr);
    TabuDraw huge;
    huge.scale = (int64_t)1 << 47;
    EXPECT_EQ(TabuCase(huge, 1).tabu, nullptr);
    TabuDraw one;
    one.items = 1;
    EXPECT_EQ(TabuCase(one, 1).tabu, nullptr);
}

} // namespace
