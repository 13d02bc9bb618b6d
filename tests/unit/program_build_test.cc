// The builder and freezing: refusals, the flat view, load ranges, the digest.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "host/program/program.h"
#include "ration/program.h"

namespace
{

struct Program {
    ration_program *p = nullptr;
    ration_error error{};

    explicit Program(int32_t base = 1)
    {
        EXPECT_EQ(ration_program_create(base, &p, &error), RATION_OK);
    }
    ~Program()
    {
        ration_program_free(p);
    }
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    int32_t place(const char *name, int32_t place_class = 0)
    {
        int32_t made = -1;
        EXPECT_EQ(ration_program_add_place(p, name, place_class, &made, &error), RATION_OK)
            << error.text;
        return made;
    }
    int32_t mode(const char *name, bool stay = false)
    {
        int32_t made = -1;
        EXPECT_EQ(ration_program_add_mode(p, name, stay, &made, &error), RATION_OK) << error.text;
        return made;
    }
    int32_t row(const char *name, int64_t offset = 0, int64_t low = RATION_LOW_FREE,
                int64_t high = RATION_HIGH_FREE)
    {
        int32_t made = -1;
        EXPECT_EQ(ration_program_add_row(p, name, RATION_DIMENSION_OTHER, offset, low, high, &made,
                                         &error),
                  RATION_OK)
            << error.text;
        return made;
    }
    int32_t item(const char *name)
    {
        int32_t made = -1;
        EXPECT_EQ(ration_program_add_item(p, name, &made, &error), RATION_OK) << error.text;
        return made;
    }
    ration_status option(int32_t item, int32_t place, int32_t mode, int64_t cost,
                         std::vector<ration_use> use = {})
    {
        const ration_option made = {
            place, mode, RATION_DIMENSION_OTHER, cost, (int32_t)use.size(), use.data()};
        return ration_program_add_option(p, item, &made, &error);
    }
    ration_status entry(int32_t item, int32_t place_class, int32_t mode, int64_t cost,
                        std::vector<ration_use> use = {})
    {
        const ration_entry made = {mode, place_class,         RATION_DIMENSION_OTHER,
                                   cost, (int32_t)use.size(), use.data()};
        return ration_program_add_entry(p, item, &made, &error);
    }
    ration_status freeze()
    {
        return ration_program_freeze(p, &error);
    }
    bool says(const char *part) const
    {
        return std::strstr(error.text, part) != nullptr;
    }
};

TEST(ProgramBuild, RefusesWhatDoesNotExist)
{
    Program q;
    const int32_t i = q.item("a");
    int32_t out = 77;
    EXPECT_EQ(q.option(i, 0, RATION_NONE, 1), RATION_E_INPUT);
    EXPECT_TRUE(q.says("place index 0 does not exist")) << q.error.text;
    EXPECT_EQ(q.option(i, RATION_NONE, 3, 1), RATION_E_INPUT);
    EXPECT_EQ(q.option(i, RATION_NONE, RATION_NONE, 1, {{0, 1}}), RATION_E_INPUT);
    EXPECT_EQ(q.option(5, RATION_NONE, RATION_NONE, 1), RATION_E_INPUT);
    EXPECT_EQ(q.entry(i, 0, RATION_NONE, 1, {{4096, 1}}), RATION_E_INPUT);
    EXPECT_EQ(q.entry(i, 0, RATION_NONE, 1, {{3, 1}, {3, 1}}), RATION_E_INPUT);
    EXPECT_EQ(q.entry(i, -1, RATION_NONE, 1), RATION_E_INPUT);
    EXPECT_EQ(ration_program_add_row(q.p, "r", (ration_dimension)9, 0, 0, 1, &out, &q.error),
              RATION_E_INPUT);
    EXPECT_EQ(ration_program_add_row(q.p, "r", RATION_DIMENSION_OTHER, 0, 3, 1, &out, &q.error),
              RATION_E_INPUT);
    EXPECT_TRUE(q.says("lower limit 3 is above its upper limit 1")) << q.error.text;
    EXPECT_EQ(out, 77);
}

TEST(ProgramBuild, RolesComeInAnyOrderAndOnce)
{
    Program q;
    const int32_t row = q.row("r");
    const int32_t at = q.place("a");
    const auto set = [&](int32_t role) {
        return ration_program_set_role(q.p, at, role, 1, &row, &q.error);
    };
    EXPECT_EQ(set(4095), RATION_OK);
    EXPECT_EQ(set(3), RATION_OK);
    EXPECT_EQ(set(7), RATION_OK);
    EXPECT_EQ(set(3), RATION_E_INPUT);
    EXPECT_TRUE(q.says("role 3 is set twice")) << q.error.text;
    EXPECT_EQ(set(4095), RATION_E_INPUT);
    EXPECT_EQ(set(4096), RATION_E_INPUT);
    const int32_t i = q.item("i");
    EXPECT_EQ(q.entry(i, 0, q.mode("m"), 1, {{4095, 2}, {4, 1}, {3, 1}}), RATION_OK);
    EXPECT_EQ(q.freeze(), RATION_OK) << q.error.text;
}

TEST(ProgramBuild, NamesAreUniqueCleanText)
{
    Program q;
    int32_t out = 77;
    q.item("a");
    EXPECT_EQ(ration_program_add_item(q.p, "a", &out, &q.error), RATION_E_INPUT);
    EXPECT_TRUE(q.says("two items are named \"a\"")) << q.error.text;
    EXPECT_EQ(ration_program_add_item(q.p, "", &out, &q.error), RATION_E_INPUT);
    EXPECT_EQ(ration_program_add_item(q.p, "a\tb", &out, &q.error), RATION_E_INPUT);
    EXPECT_EQ(ration_program_add_item(q.p, "\xC0\x80", &out, &q.error), RATION_E_INPUT);
    EXPECT_EQ(ration_program_add_row(q.p, "conflict:1@2", RATION_DIMENSION_OTHER, 0, 0, 1, &out,
                                     &q.error),
              RATION_E_INPUT);
    EXPECT_EQ(out, 77);
    EXPECT_EQ(q.place("a"), 0); // another kind of thing
    std::vector<std::string> many;
    for (int32_t i = 0; i < 1000; i++) {
        many.push_back("item " + std::to_string(i));
        EXPECT_EQ(q.item(many.back().c_str()), i + 1);
    }
    for (int32_t i = 0; i < 1000; i++) {
        EXPECT_EQ(ration_program_find_item(q.p, many[(size_t)i].c_str()), i + 1);
    }
    EXPECT_EQ(ration_program_find_item(q.p, "nobody"), RATION_NONE);
}

TEST(ProgramBuild, UnnamedThingsAreTheirNumbers)
{
    Program q(1);
    char text[32];
    q.item(nullptr);
    q.item("2x");
    q.item(nullptr);
    EXPECT_STREQ(ration_program_item_name(q.p, 2, text, sizeof text), "3");
    EXPECT_EQ(ration_program_find_item(q.p, "3"), 2);
    EXPECT_EQ(ration_program_find_item(q.p, "03"), RATION_NONE);
    EXPECT_EQ(ration_program_find_item(q.p, "2"), RATION_NONE);
    EXPECT_EQ(ration_program_find_item(q.p, "0"), RATION_NONE);
    q.item("1");
    for (int32_t i = 0; i < 4; i++) {
        ASSERT_EQ(q.option(i, RATION_NONE, RATION_NONE, 0), RATION_OK);
    }
    EXPECT_EQ(q.freeze(), RATION_E_INPUT);
    EXPECT_TRUE(q.says("also the number of another item")) << q.error.text;
}

TEST(ProgramBuild, FreezeRefusals)
{
    Program q;
    EXPECT_EQ(q.freeze(), RATION_E_INPUT);
    EXPECT_TRUE(q.says("no items"));
    const int32_t i = q.item("a");
    EXPECT_EQ(q.freeze(), RATION_E_INPUT);
    EXPECT_TRUE(q.says("item \"a\" has no options")) << q.error.text;
    ASSERT_EQ(q.entry(i, 4, RATION_NONE, 1), RATION_OK); // no place has this class
    EXPECT_EQ(q.freeze(), RATION_E_INPUT);
    const int32_t p = q.place("p", 4);
    ASSERT_EQ(ration_program_exclude(q.p, i, p, &q.error), RATION_OK);
    EXPECT_EQ(q.freeze(), RATION_E_INPUT);
    EXPECT_TRUE(q.says("that it does not exclude")) << q.error.text;
    q.place("o", 4);
    ASSERT_EQ(q.option(i, p, RATION_NONE, 1), RATION_OK);
    EXPECT_EQ(q.freeze(), RATION_E_INPUT);
    EXPECT_TRUE(q.says("two options at place \"p\", no mode")) << q.error.text;
}

TEST(ProgramBuild, FrozenIsFrozen)
{
    Program q;
    ASSERT_EQ(q.option(q.item(nullptr), RATION_NONE, RATION_NONE, 5), RATION_OK);
    ASSERT_EQ(q.freeze(), RATION_OK) << q.error.text;
    int32_t out = 0;
    EXPECT_EQ(q.freeze(), RATION_E_STATE);
    EXPECT_EQ(ration_program_add_item(q.p, nullptr, &out, &q.error), RATION_E_STATE);
    EXPECT_EQ(ration_program_option_total(q.p), 1);
}

TEST(ProgramBuild, FeedsAreShallowAndAcyclic)
{
    const ration_piece one = {0, 0, 1};
    for (int32_t links = 1; links <= 4; links++) {
        Program q;
        ASSERT_EQ(q.option(q.item(nullptr), RATION_NONE, RATION_NONE, 5), RATION_OK);
        for (int32_t r = 0; r <= 4; r++) {
            q.row(nullptr);
        }
        for (int32_t r = 0; r < links; r++) {
            ASSERT_EQ(ration_program_add_feed(q.p, 4 - r, 3 - r, 1, &one, &q.error), RATION_OK);
        }
        EXPECT_EQ(q.freeze(), links <= 2 ? RATION_OK : RATION_E_INPUT) << links;
    }
    Program q;
    ASSERT_EQ(q.option(q.item(nullptr), RATION_NONE, RATION_NONE, 5), RATION_OK);
    q.row("a");
    q.row("b");
    EXPECT_EQ(ration_program_add_feed(q.p, 0, 0, 1, &one, &q.error), RATION_E_INPUT);
    ASSERT_EQ(ration_program_add_feed(q.p, 0, 1, 1, &one, &q.error), RATION_OK);
    ASSERT_EQ(ration_program_add_feed(q.p, 1, 0, 1, &one, &q.error), RATION_OK);
    EXPECT_EQ(q.freeze(), RATION_E_INPUT);
    EXPECT_TRUE(q.says("cycle")) << q.error.text;
}

// Two classes given out of order; a role with two rows; one with none; stay; exclusion; table;
// start.
TEST(ProgramBuild, StructuredOptionsInTheView)
{
    Program q(0);
    const int32_t p0 = q.place("p0", 7);
    const int32_t p1 = q.place("p1", 2);
    const int32_t p2 = q.place("p2", 7);
    const int32_t run = q.mode("run");
    const int32_t stay = q.mode("stay", true);
    for (int32_t r = 0; r < 4; r++) {
        q.row(nullptr);
    }
    const int32_t pair[2] = {0, 1};
    const int32_t three = 3;
    ASSERT_EQ(ration_program_set_role(q.p, p0, 0, 2, pair, &q.error), RATION_OK);
    EXPECT_EQ(ration_program_set_role(q.p, p0, 0, 2, pair, &q.error), RATION_E_INPUT);
    ASSERT_EQ(ration_program_set_role(q.p, p2, 1, 1, &three, &q.error), RATION_OK);
    const int32_t a = q.item("a");
    ASSERT_EQ(q.entry(a, 7, run, 10, {{0, 3}, {1, -2}, {5, 100}}), RATION_OK);
    ASSERT_EQ(q.entry(a, 7, stay, 4, {{1, 8}}), RATION_OK);
    ASSERT_EQ(q.entry(a, 2, stay, 4, {{1, 8}}), RATION_OK); // not at home: left out
    ASSERT_EQ(q.option(a, p1, run, 1, {{2, 6}}), RATION_OK);
    ASSERT_EQ(ration_program_set_start(q.p, a, p2, RATION_NONE, 50, &q.error), RATION_OK);
    const int32_t item_class = 0;
    const int64_t table[3] = {1000, 2000, 3000};
    ASSERT_EQ(
        ration_program_set_table(q.p, RATION_DIMENSION_OTHER, 1, &item_class, table, &q.error),
        RATION_OK);
    ASSERT_EQ(q.freeze(), RATION_OK) << q.error.text;
    const rn_view *v = rn_program_view(q.p);
    ASSERT_EQ(v->classes, 2);
    EXPECT_EQ(rn_program_place_public(q.p, 0), p1); // class 2 comes first
    EXPECT_EQ(rn_program_place_internal(q.p, p2), 2);
    ASSERT_EQ(ration_program_options(q.p, a), 4);
    EXPECT_EQ(ration_program_find_option(q.p, a, p0, run), 0);
    EXPECT_EQ(ration_program_find_option(q.p, a, p2, run), 1);
    EXPECT_EQ(ration_program_find_option(q.p, a, p2, stay), 2);
    EXPECT_EQ(ration_program_find_option(q.p, a, p1, run), 3);
    EXPECT_EQ(ration_program_find_option(q.p, a, p0, stay), RATION_NONE);
    EXPECT_EQ(ration_program_start(q.p, a), 1); // any mode at home
    EXPECT_EQ(rn_option_decode(v, a, 0).cost, 10 + 1000 + 50);
    EXPECT_EQ(rn_option_decode(v, a, 1).cost, 10 + 3000);
    EXPECT_EQ(rn_option_decode(v, a, 2).cost, 4 + 3000);
    EXPECT_EQ(rn_option_decode(v, a, 3).cost, 1 + 2000 + 50);
    const int64_t least[4] = {0, 0, 0, -2};
    const int64_t most[4] = {3, 3, 6, 8};
    for (int32_t r = 0; r < 4; r++) {
        EXPECT_EQ(v->row_least[r], least[r]) << r;
        EXPECT_EQ(v->row_most[r], most[r]) << r;
    }
}

TEST(ProgramBuild, RangesGoThroughFeeds)
{
    Program q;
    q.row("n");
    q.row("used", 5);
    const ration_piece use[2] = {{0, 0, 0}, {1, 1, 0}};
    ASSERT_EQ(ration_program_add_feed(q.p, 0, 1, 2, use, &q.error), RATION_OK);
    const int32_t a = q.item("a");
    const int32_t b = q.item("b");
    for (const int32_t i : {a, b}) {
        ASSERT_EQ(q.option(i, RATION_NONE, q.mode(nullptr), 0, {{0, 1}}), RATION_OK);
    }
    ASSERT_EQ(q.option(b, RATION_NONE, q.mode(nullptr), 0), RATION_OK);
    ASSERT_EQ(q.freeze(), RATION_OK) << q.error.text;
    const rn_view *v = rn_program_view(q.p);
    EXPECT_EQ(v->row_least[0], 1);
    EXPECT_EQ(v->row_most[0], 2);
    EXPECT_EQ(v->row_least[1], 6);
    EXPECT_EQ(v->row_most[1], 6);
}

TEST(ProgramBuild, OverflowIsRefusedByName)
{
    const int64_t big = INT64_C(1) << 61;
    Program q;
    q.row("memory");
    for (int32_t i = 0; i < 3; i++) {
        ASSERT_EQ(q.option(q.item(nullptr), RATION_NONE, RATION_NONE, 0, {{0, big}}), RATION_OK);
    }
    EXPECT_EQ(q.freeze(), RATION_E_RANGE);
    EXPECT_TRUE(q.says("row \"memory\"") && q.says("6917529027641081856") &&
                q.says("4611686018427387904"))
        << q.error.text;

    Program r;
    for (int32_t i = 0; i < 3; i++) {
        ASSERT_EQ(r.option(r.item(nullptr), RATION_NONE, RATION_NONE, i == 1 ? -big : big),
                  RATION_OK);
    }
    EXPECT_EQ(r.freeze(), RATION_E_RANGE);
    EXPECT_TRUE(r.says("item 3")) << r.error.text;

    Program s;
    s.row("steep");
    const ration_piece steep = {0, 0, INT64_MAX};
    ASSERT_EQ(ration_program_set_row_cost(s.p, 0, 1, &steep, &s.error), RATION_OK);
    ASSERT_EQ(s.option(s.item(nullptr), RATION_NONE, RATION_NONE, 0, {{0, 2}}), RATION_OK);
    EXPECT_EQ(s.freeze(), RATION_E_RANGE);
    EXPECT_TRUE(s.says("row \"steep\"")) << s.error.text;
}

TEST(ProgramBuild, LimitsBeyondEveryLoadAreNone)
{
    Program q;
    q.row("r", 0, -INT64_C(9000000000000000000), INT64_C(9000000000000000000));
    int32_t out = 0;
    EXPECT_EQ(ration_program_add_row(q.p, "s", RATION_DIMENSION_OTHER, 0, RATION_LOW_FREE,
                                     -INT64_C(9000000000000000000), &out, &q.error),
              RATION_E_RANGE);
    ASSERT_EQ(q.option(q.item(nullptr), RATION_NONE, RATION_NONE, 0, {{0, 2}}), RATION_OK);
    ASSERT_EQ(q.freeze(), RATION_OK);
    EXPECT_EQ(rn_program_view(q.p)->row_low[0], INT64_MIN);
    EXPECT_EQ(rn_program_view(q.p)->row_high[0], INT64_MAX);
}

TEST(ProgramBuild, PieceRangesSeeJumpsAndBreaks)
{
    const rn_piece piece[3] = {{0, 0, 1}, {10, -5, 2}, {20, 100, -3}};
    int64_t low = 0;
    int64_t high = 0;
    ASSERT_TRUE(rn_pieces_range(piece, 3, 5, 15, &low, &high));
    EXPECT_EQ(low, -5);
    EXPECT_EQ(high, 9);
    ASSERT_TRUE(rn_pieces_range(piece, 3, 19, 21, &low, &high));
    EXPECT_EQ(low, 13);
    EXPECT_EQ(high, 100);
    ASSERT_TRUE(rn_pieces_range(piece, 3, -7, -7, &low, &high));
    EXPECT_EQ(low, -7);
    EXPECT_EQ(high, -7);
    EXPECT_FALSE(rn_pieces_range(piece, 3, 20, INT64_C(1) << 61, &low, &high));
}

TEST(ProgramBuild, GroupRowsArePrivate)
{
    for (int32_t broken = 0; broken < 3; broken++) {
        Program q;
        q.row("rate");
        q.row("other");
        const int32_t a = q.item("a");
        const int32_t b = q.item("b");
        ASSERT_EQ(q.option(a, RATION_NONE, RATION_NONE, 0, {{0, 2}}), RATION_OK);
        ASSERT_EQ(q.option(b, RATION_NONE, RATION_NONE, 0, {{broken == 1 ? 0 : 1, 2}}), RATION_OK);
        const int32_t row = 0;
        const ration_piece one = {0, 0, 1};
        if (broken == 2) {
            ASSERT_EQ(ration_program_add_feed(q.p, 0, 1, 1, &one, &q.error), RATION_OK);
        }
        ASSERT_EQ(ration_program_add_group(q.p, 1, &a, 1, &row, &q.error), RATION_OK);
        EXPECT_EQ(ration_program_add_group(q.p, 1, &a, 0, nullptr, &q.error), RATION_E_INPUT);
        EXPECT_EQ(q.freeze(), broken == 0 ? RATION_OK : RATION_E_INPUT) << q.error.text;
    }
}

TEST(ProgramBuild, TrafficNeedsPlacesAndDistances)
{
    Program q;
    const int32_t a = q.item("a");
    const int32_t b = q.item("b");
    const int32_t p = q.place("p", 1);
    const int32_t o = q.place("o", 0);
    for (const int32_t i : {a, b}) {
        ASSERT_EQ(q.option(i, p, RATION_NONE, 0), RATION_OK);
        ASSERT_EQ(q.option(i, o, RATION_NONE, 0), RATION_OK);
    }
    ASSERT_EQ(ration_program_add_traffic(q.p, a, b, 3, &q.error), RATION_OK);
    ASSERT_EQ(ration_program_add_traffic(q.p, a, b, 4, &q.error), RATION_OK);
    ASSERT_EQ(ration_program_add_traffic(q.p, b, b, 1, &q.error), RATION_OK);
    EXPECT_EQ(q.freeze(), RATION_E_INPUT);
    EXPECT_TRUE(q.says("no distances")) << q.error.text;
    const int64_t distance[4] = {1, 2, 3, 4};
    ASSERT_EQ(ration_program_set_distances(q.p, RATION_DIMENSION_BANDWIDTH, distance, &q.error),
              RATION_OK);
    ASSERT_EQ(q.freeze(), RATION_OK) << q.error.text;
    const rn_view *v = rn_program_view(q.p);
    EXPECT_EQ(v->edges, 2);
    EXPECT_EQ(v->edge_at[1], 1);
    EXPECT_EQ(v->edge_at[2], 3);
    EXPECT_EQ(v->edge_weight[0], 7);
    EXPECT_EQ(rn_distance(v, rn_program_place_internal(q.p, p), rn_program_place_internal(q.p, o)),
              2);

    Program r;
    const int32_t c = r.item("c");
    r.place("p");
    ASSERT_EQ(r.option(c, RATION_NONE, RATION_NONE, 0), RATION_OK);
    ASSERT_EQ(ration_program_add_traffic(r.p, c, c, 3, &r.error), RATION_OK);
    const int64_t none = 0;
    ASSERT_EQ(ration_program_set_distances(r.p, RATION_DIMENSION_BANDWIDTH, &none, &r.error),
              RATION_OK);
    EXPECT_EQ(r.freeze(), RATION_E_INPUT);
    EXPECT_TRUE(r.says("without a place")) << r.error.text;
}

TEST(ProgramBuild, ConflictRowsHaveNames)
{
    Program q;
    const int32_t p = q.place("p", 1);
    const int32_t o = q.place("o", 0);
    const int32_t a = q.item("a");
    ASSERT_EQ(q.option(a, p, RATION_NONE, 0), RATION_OK);
    ASSERT_EQ(q.option(a, o, RATION_NONE, 0), RATION_OK);
    ASSERT_EQ(ration_program_add_conflict(q.p, 1, &a, &q.error), RATION_OK);
    ASSERT_EQ(q.freeze(), RATION_OK) << q.error.text;
    const rn_view *v = rn_program_view(q.p);
    ASSERT_EQ(v->all_rows, 2);
    char name[64];
    EXPECT_STREQ(ration_program_row_name(q.p, 0, name, sizeof name), "conflict:1@o");
    EXPECT_EQ(ration_program_find_row(q.p, "conflict:1@p"), 1);
    EXPECT_EQ(ration_program_find_row(q.p, "conflict:2@p"), RATION_NONE);
    EXPECT_EQ(ration_program_find_row(q.p, "conflict:1@x"), RATION_NONE);
}

} // namespace
