// The order in which a program was built changes nothing but numbers: the same view after canonical
// numbering, the same plan, cost, bound and prices from a search that is cut short.
#include <gtest/gtest.h>

#include <cstring>

#include "program/twin.h"
#include "ration/solve.h"
#include "support/random_program.h"

using namespace ration_test;

namespace
{

struct Answer {
    std::string digest;
    int64_t cost = 0, violation = 0, bound = 0;
    bool bounded = false;
    std::map<std::string, int64_t> price, load;
    std::map<std::string, std::string> pick; // item -> place, mode
};

std::string row_name(const ration_program *program, int32_t row)
{
    char text[128];
    return ration_program_row_name(program, row, text, sizeof text);
}

Answer answer_of(const ration_program *program, const ration_result *result)
{
    Answer answer;
    char item[128], place[128], mode[128];
    answer.digest = ration_result_digest(result);
    answer.cost = ration_result_cost(result);
    answer.violation = ration_result_violation(result);
    answer.bounded = ration_result_bound(result, &answer.bound);
    for (int32_t r = 0; r < ration_program_rows(program); r++) {
        int64_t scale = 0;
        answer.price[row_name(program, r)] = ration_result_price(result, r, &scale);
        answer.load[row_name(program, r)] = ration_result_load(result, r);
    }
    for (int32_t i = 0; i < ration_program_items(program); i++) {
        int32_t p = 0, m = 0;
        ration_program_option(program, i, ration_result_pick(result, i), &p, &m);
        answer.pick[ration_program_item_name(program, i, item, sizeof item)] =
            std::string(ration_program_place_name(program, p, place, sizeof place)) + "\t" +
            ration_program_mode_name(program, m, mode, sizeof mode);
    }
    return answer;
}

// start: picks of the program, or NULL.
Answer solve(const ration_program *program, const int32_t *start, int64_t epochs)
{
    ration_run run;
    ration_result *result = nullptr;
    ration_error error{};
    ration_run_default(&run);
    run.epochs = epochs;
    run.epoch_length = 64;
    run.chains = 4;
    run.threads = 1;
    run.passes = 7; // few, so that prices are no optimum that any order would reach
    run.backend = RATION_BACKEND_OPENMP;
    run.start = start;
    EXPECT_EQ(ration_solve(program, &run, &result, &error), RATION_OK) << error.text;
    Answer answer;
    if (result != nullptr) {
        answer = answer_of(program, result);
        EXPECT_EQ(ration_verify(program, result, &error), RATION_OK) << error.text;
    }
    ration_result_free(result);
    return answer;
}

void expect_equal(const Answer &a, const Answer &b, uint64_t seed)
{
    EXPECT_EQ(a.digest, b.digest) << "seed " << seed;
    EXPECT_EQ(a.cost, b.cost) << "seed " << seed;
    EXPECT_EQ(a.violation, b.violation) << "seed " << seed;
    EXPECT_EQ(a.bounded, b.bounded) << "seed " << seed;
    EXPECT_EQ(a.bound, b.bound) << "seed " << seed;
    EXPECT_EQ(a.price, b.price) << "seed " << seed;
    EXPECT_EQ(a.load, b.load) << "seed " << seed;
    EXPECT_EQ(a.pick, b.pick) << "seed " << seed;
}

template <class T> void expect_array(const T *a, const T *b, int64_t count, const char *name)
{
    ASSERT_EQ(a == nullptr, b == nullptr) << name;
    if (a != nullptr && count > 0) {
        EXPECT_EQ(memcmp(a, b, (size_t)count * sizeof *a), 0) << name;
    }
}

// Everything that a search looks at.
void expect_same_view(const rn_view &a, const rn_view &b)
{
    ASSERT_EQ(a.items, b.items);
    ASSERT_EQ(a.all_rows, b.all_rows);
    ASSERT_EQ(a.places, b.places);
    ASSERT_EQ(a.entries, b.entries);
    ASSERT_EQ(a.classes, b.classes);
    ASSERT_EQ(a.roles, b.roles);
    ASSERT_EQ(a.groups, b.groups);
    ASSERT_EQ(a.edges, b.edges);
    expect_array(a.item_entry, b.item_entry, a.items + 1, "item_entry");
    expect_array(a.item_options, b.item_options, a.items, "item_options");
    expect_array(a.entry_first, b.entry_first, a.entries, "entry_first");
    expect_array(a.entry_mode, b.entry_mode, a.entries, "entry_mode");
    expect_array(a.entry_class, b.entry_class, a.entries, "entry_class");
    expect_array(a.entry_place, b.entry_place, a.entries, "entry_place");
    expect_array(a.entry_cost, b.entry_cost, a.entries, "entry_cost");
    expect_array(a.entry_use, b.entry_use, a.entries + 1, "entry_use");
    expect_array(a.use_target, b.use_target, a.entry_use[a.entries], "use_target");
    expect_array(a.use_amount, b.use_amount, a.entry_use[a.entries], "use_amount");
    expect_array(a.class_place, b.class_place, a.classes + 1, "class_place");
    expect_array(a.role_row_at, b.role_row_at, (int64_t)a.places * a.roles + 1, "role_row_at");
    expect_array(a.role_row, b.role_row, a.role_row_at[(int64_t)a.places * a.roles], "role_row");
    expect_array(a.item_class, b.item_class, a.items, "item_class");
    expect_array(a.exclude_at, b.exclude_at, a.items + 1, "exclude_at");
    expect_array(a.start_place, b.start_place, a.items, "start_place");
    expect_array(a.start_mode, b.start_mode, a.items, "start_mode");
    expect_array(a.move_cost, b.move_cost, a.items, "move_cost");
    expect_array(a.row_offset, b.row_offset, a.rows, "row_offset");
    expect_array(a.row_low, b.row_low, a.rows, "row_low");
    expect_array(a.row_high, b.row_high, a.rows, "row_high");
    expect_array(a.row_piece, b.row_piece, a.rows + 1, "row_piece");
    expect_array(a.row_feed, b.row_feed, a.rows + 1, "row_feed");
    expect_array(a.feed_to, b.feed_to, a.row_feed[a.rows], "feed_to");
    expect_array(a.feed_piece, b.feed_piece, a.row_feed[a.rows] + 1, "feed_piece");
    expect_array(a.piece, b.piece, a.feed_piece[a.row_feed[a.rows]], "piece");
    expect_array(a.group_row, b.group_row, 2 * a.groups, "group_row");
    expect_array(a.conflict_at, b.conflict_at, a.items + 1, "conflict_at");
    expect_array(a.edge_at, b.edge_at, a.items + 1, "edge_at");
    expect_array(a.distance, b.distance, (int64_t)a.places * a.places, "distance");
    expect_array(a.tier_ancestor, b.tier_ancestor, (int64_t)a.levels * a.places, "tier_ancestor");
}

TEST(ProgramTwin, OrderOfBuildingChangesNothing)
{
    for (uint64_t seed = 1; seed <= 150; seed++) {
        const Spec spec = random_spec(seed);
        ration_program *plain = build(spec);
        ration_program *mixed = build(spec, seed * 31 + 7);
        ASSERT_NE(plain, nullptr);
        ASSERT_NE(mixed, nullptr);
        expect_equal(solve(plain, nullptr, 2), solve(mixed, nullptr, 2), seed);
        ration_program_free(plain);
        ration_program_free(mixed);
    }
}

// The bound alone, cut after a few passes.
TEST(ProgramTwin, OrderOfBuildingChangesNoPrice)
{
    for (uint64_t seed = 1; seed <= 150; seed++) {
        const Spec spec = random_spec(seed);
        std::map<std::string, int64_t> price[2];
        int64_t value[2] = {0, 0};
        for (int32_t k = 0; k < 2; k++) {
            ration_program *program = build(spec, k == 0 ? 0 : seed * 13 + 5);
            ASSERT_NE(program, nullptr);
            ration_run run;
            ration_result *result = nullptr;
            ration_error error{};
            ration_run_default(&run);
            run.time_us = -1;
            run.passes = 5;
            ASSERT_EQ(ration_bound(program, &run, &result, &error), RATION_OK) << error.text;
            EXPECT_EQ(ration_verify(program, result, &error), RATION_OK) << error.text;
            for (int32_t r = 0; r < ration_program_rows(program); r++) {
                int64_t scale = 0;
                price[k][row_name(program, r)] = ration_result_price(result, r, &scale);
            }
            ration_result_bound(result, &value[k]);
            ration_result_free(result);
            ration_program_free(program);
        }
        EXPECT_EQ(price[0], price[1]) << "seed " << seed;
        EXPECT_EQ(value[0], value[1]) << "seed " << seed;
    }
}

TEST(ProgramTwin, TwinsHaveOneView)
{
    int32_t anew = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        const Spec spec = random_spec(seed);
        ration_program *plain = build(spec);
        ration_program *mixed = build(spec, seed * 17 + 3);
        ASSERT_NE(plain, nullptr);
        ASSERT_NE(mixed, nullptr);
        rn_twin *a = nullptr;
        rn_twin *b = nullptr;
        ration_error error{};
        ASSERT_EQ(rn_twin_create(plain, &a, &error), RATION_OK) << error.text;
        ASSERT_EQ(rn_twin_create(mixed, &b, &error), RATION_OK) << error.text;
        anew += rn_twin_program(a) != plain;
        SCOPED_TRACE(seed);
        // an original may have roles that only entries of no place use, and any labels of tiers
        if (rn_twin_program(a) != plain && rn_twin_program(b) != mixed) {
            expect_same_view(*rn_program_view(rn_twin_program(a)),
                             *rn_program_view(rn_twin_program(b)));
        }
        // a twin is its own twin
        rn_twin *again = nullptr;
        ASSERT_EQ(rn_twin_create(rn_twin_program(a), &again, &error), RATION_OK) << error.text;
        EXPECT_EQ(rn_twin_program(again), rn_twin_program(a));
        rn_twin_free(again);
        rn_twin_free(a);
        rn_twin_free(b);
        ration_program_free(plain);
        ration_program_free(mixed);
    }
    EXPECT_GT(anew, 300);
}

TEST(ProgramTwin, PicksThereAndBack)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        ration_program *program = build(random_spec(seed), seed);
        ASSERT_NE(program, nullptr);
        rn_twin *twin = nullptr;
        ration_error error{};
        ASSERT_EQ(rn_twin_create(program, &twin, &error), RATION_OK) << error.text;
        const size_t items = (size_t)ration_program_items(program);
        std::vector<int32_t> there(items), back(items);
        for_each_plan(program, [&](const std::vector<int32_t> &pick) {
            rn_twin_picks(twin, pick.data(), there.data());
            rn_twin_picks_back(twin, there.data(), back.data());
            ASSERT_EQ(back, pick) << "seed " << seed;
        });
        const std::vector<int32_t> none(items, RATION_NONE);
        rn_twin_picks(twin, none.data(), there.data());
        EXPECT_EQ(there, none);
        rn_twin_free(twin);
        ration_program_free(program);
    }
}

// A start plan is given by the program's own numbers.
TEST(ProgramTwin, StartIsMapped)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        ration_program *program = build(random_spec(seed), seed);
        ASSERT_NE(program, nullptr);
        std::vector<int32_t> last;
        for_each_plan(program, [&](const std::vector<int32_t> &pick) { last = pick; });
        const Answer free = solve(program, nullptr, 0);
        const Answer begun = solve(program, last.data(), 0);
        const bool no_worse = begun.violation < free.violation ||
                              (begun.violation == free.violation && begun.cost <= free.cost);
        EXPECT_TRUE(no_worse) << "seed " << seed;
        ration_program_free(program);
    }
}

// Without names the number is the name: the program is searched as it is.
TEST(ProgramTwin, NamelessProgramsAreTheirOwnTwin)
{
    ration_program *program = nullptr;
    ration_error error{};
    int32_t row = 0;
    ASSERT_EQ(ration_program_create(1, &program, &error), RATION_OK);
    ASSERT_EQ(ration_program_add_row(program, nullptr, RATION_DIMENSION_OTHER, 0, RATION_LOW_FREE,
                                     9, &row, &error),
              RATION_OK);
    for (int32_t i = 0; i < 3; i++) {
        int32_t item = 0;
        ASSERT_EQ(ration_program_add_item(program, nullptr, &item, &error), RATION_OK);
        const ration_use use = {row, 4};
        const ration_option dear = {RATION_NONE, RATION_NONE, RATION_DIMENSION_OTHER, 5, 1, &use};
        ASSERT_EQ(ration_program_add_option(program, item, &dear, &error), RATION_OK);
    }
    ASSERT_EQ(ration_program_freeze(program, &error), RATION_OK) << error.text;
    rn_twin *twin = nullptr;
    ASSERT_EQ(rn_twin_create(program, &twin, &error), RATION_OK);
    EXPECT_EQ(rn_twin_program(twin), program);
    rn_twin_free(twin);
    ration_program_free(program);
}

} // namespace
