// Random programs: the flat view says what the definition says, and the order of adding is
// forgotten.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "host/program/program.h"
#include "support/random_program.h"

namespace
{

using namespace ration_test;

std::string digest_of(const ration_program *program)
{
    char text[RATION_DIGEST_TEXT];
    ration_program_digest(program, text);
    return text;
}

// The value of a plan read off the view.
Value value_in_view(const rn_view *v, const std::vector<int32_t> &picks)
{
    Value value;
    std::vector<int64_t> load((size_t)v->all_rows);
    std::vector<int32_t> place((size_t)v->items);
    for (int32_t r = 0; r < v->all_rows; r++) {
        load[(size_t)r] = rn_row_offset(v, r);
    }
    for (int32_t i = 0; i < v->items; i++) {
        const rn_option option = rn_option_decode(v, i, picks[(size_t)i]);
        value.cost += option.cost;
        place[(size_t)i] = option.place;
        rn_uses walk = rn_uses_begin(v, i, option);
        int32_t row = 0;
        int64_t amount = 0;
        while (rn_uses_next(v, &walk, &row, &amount)) {
            load[(size_t)row] += amount;
        }
    }
    for (int32_t rank = 0; rank < 2; rank++) {
        for (int32_t r = 0; r < v->rows; r++) {
            for (int32_t f = v->row_feed[r]; v->row_rank[r] == rank && f < v->row_feed[r + 1];
                 f++) {
                load[(size_t)v->feed_to[f]] +=
                    rn_pieces_at(v->piece, v->feed_piece[f], v->feed_piece[f + 1], load[(size_t)r]);
            }
        }
    }
    for (int32_t r = 0; r < v->all_rows; r++) {
        const int64_t z = load[(size_t)r];
        value.violation += z < rn_row_low(v, r) ? rn_row_low(v, r) - z : 0;
        value.violation += z > rn_row_high(v, r) ? z - rn_row_high(v, r) : 0;
        if (r < v->rows) {
            value.cost += rn_pieces_at(v->piece, v->row_piece[r], v->row_piece[r + 1], z);
            EXPECT_LE(v->row_least[r], z);
            EXPECT_GE(v->row_most[r], z);
        }
    }
    for (int32_t i = 0; v->edge_at != nullptr && i < v->items; i++) {
        for (int32_t e = v->edge_at[i]; e < v->edge_at[i + 1]; e++) {
            const int32_t other = v->edge_item[e];
            value.cost +=
                v->edge_out[e] != 0
                    ? v->edge_weight[e] * rn_distance(v, place[(size_t)i], place[(size_t)other])
                    : 0;
        }
    }
    load.resize((size_t)v->rows);
    value.load = load;
    return value;
}

TEST(ProgramForm, TheViewMeansTheDefinition)
{
    int64_t plans = 0;
    int64_t feasible = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        const Spec spec = random_spec(seed);
        ration_program *program = build(spec);
        ASSERT_NE(program, nullptr) << seed;
        for_each_plan(program, [&](const std::vector<int32_t> &picks) {
            if (++plans % 7 != 0 && plans > 50000) {
                return; // a sample is enough
            }
            const Value expected = evaluate(spec, program, picks);
            const Value found = value_in_view(rn_program_view(program), picks);
            ASSERT_EQ(expected.cost, found.cost) << seed;
            ASSERT_EQ(expected.violation, found.violation) << seed;
            ASSERT_EQ(expected.load, found.load) << seed;
            feasible += found.violation == 0 ? 1 : 0;
        });
        ration_program_free(program);
        ASSERT_FALSE(testing::Test::HasFailure()) << seed;
    }
    EXPECT_GT(plans, 50000);
    EXPECT_GT(feasible, 1000);
}

// Ranges of rows without feeds are reached by some plan.
TEST(ProgramForm, RangesAreTight)
{
    Limits limits;
    limits.feeds = false;
    limits.plans = 500;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        const Spec spec = random_spec(seed, limits);
        ration_program *program = build(spec);
        ASSERT_NE(program, nullptr);
        const rn_view *v = rn_program_view(program);
        std::vector<int64_t> least((size_t)v->rows, INT64_MAX);
        std::vector<int64_t> most((size_t)v->rows, INT64_MIN);
        for_each_plan(program, [&](const std::vector<int32_t> &picks) {
            const Value value = evaluate(spec, program, picks);
            for (size_t r = 0; r < least.size(); r++) {
                least[r] = std::min(least[r], value.load[r]);
                most[r] = std::max(most[r], value.load[r]);
            }
        });
        for (int32_t r = 0; r < v->rows; r++) {
            EXPECT_EQ(least[(size_t)r], v->row_least[r]) << seed;
            EXPECT_EQ(most[(size_t)r], v->row_most[r]) << seed;
        }
        ration_program_free(program);
    }
}

TEST(ProgramForm, ShufflingKeepsTheDigest)
{
    std::map<std::string, uint64_t> seen;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        const Spec spec = random_spec(seed);
        ration_program *straight = build(spec);
        ration_program *shuffled = build(spec, seed);
        ASSERT_TRUE(straight != nullptr && shuffled != nullptr);
        EXPECT_EQ(digest_of(straight), digest_of(shuffled)) << seed;
        EXPECT_EQ(ration_program_option_total(straight), ration_program_option_total(shuffled));
        seen[digest_of(straight)]++;
        ration_program_free(straight);
        ration_program_free(shuffled);
    }
    EXPECT_GT(seen.size(), 990u); // hardly any two draws are the same program
}

// JSON and back: the same program, and the same text again.
TEST(ProgramForm, WritingAndReadingKeepsTheDigest)
{
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        ration_program *program = build(random_spec(seed), seed % 2);
        ASSERT_NE(program, nullptr);
        std::string text[2];
        std::string digest[2];
        for (int32_t turn = 0; turn < 2; turn++) {
            ration_writer *writer = nullptr;
            ration_document *document = nullptr;
            ration_error error{};
            const char *written = nullptr;
            size_t bytes = 0;
            digest[turn] = digest_of(program);
            ASSERT_EQ(ration_writer_create(&writer, &error), RATION_OK);
            ration_writer_open_map(writer, nullptr);
            ration_program_write(program, writer);
            ration_writer_close(writer);
            ASSERT_EQ(ration_writer_finish(writer, &written, &bytes, &error), RATION_OK)
                << error.text;
            text[turn] = std::string(written, bytes);
            ration_writer_free(writer);
            ration_program_free(program);
            program = nullptr;
            ASSERT_EQ(
                ration_document_parse(text[turn].data(), bytes, "text", false, &document, &error),
                RATION_OK)
                << error.text;
            ASSERT_EQ(ration_program_read(document, &program, &error), RATION_OK)
                << error.text << "\n"
                << text[turn];
            ration_document_free(document);
        }
        EXPECT_EQ(digest[0], digest[1]) << seed;
        EXPECT_EQ(text[0], text[1]) << seed;
        ration_program_free(program);
    }
}

// Any one changed number changes the digest.
TEST(ProgramForm, EveryNumberCounts)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        const Spec spec = random_spec(seed);
        ration_program *program = build(spec);
        ASSERT_NE(program, nullptr);
        const std::string before = digest_of(program);
        ration_program_free(program);
        for (int32_t what = 0; what < 5; what++) {
            Spec other = spec;
            if (what == 0) {
                other.row.back().offset++;
            } else if (what == 1) {
                other.item[0].choice[0].cost++;
            } else if (what == 2 && !other.item[0].choice[0].use.empty()) {
                other.item[0].choice[0].use[0].amount++;
            } else if (what == 3 && !other.feed.empty()) {
                other.feed[0].piece[0].slope++;
            } else if (what == 4 && !other.distance.empty()) {
                other.distance[0]++;
            } else {
                continue;
            }
            // A choice of a class entry that no place or start admits is not part of the program.
            if ((what == 1 || what == 2) &&
                spots(spec, spec.item[0], spec.item[0].choice[0]).empty()) {
                continue;
            }
            program = build(other);
            ASSERT_NE(program, nullptr);
            EXPECT_NE(before, digest_of(program)) << seed << " " << what;
            ration_program_free(program);
        }
    }
}

// Options are found by place and mode, and the start is one of them or absent.
TEST(ProgramForm, OptionsAreFoundAgain)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        const Spec spec = random_spec(seed);
        ration_program *program = build(spec);
        ASSERT_NE(program, nullptr);
        int64_t allowed = 0;
        for (int32_t i = 0; i < ration_program_items(program); i++) {
            allowed += (int64_t)allowed_spots(spec, spec.item[(size_t)i]).size();
            for (int32_t o = 0; o < ration_program_options(program, i); o++) {
                int32_t place = 0;
                int32_t mode = 0;
                const bool may = ration_program_option(program, i, o, &place, &mode);
                EXPECT_EQ(ration_program_find_option(program, i, place, mode),
                          may ? o : RATION_NONE);
                EXPECT_NE(choice_at(spec, i, place, mode), nullptr);
            }
            const int32_t start = ration_program_start(program, i);
            if (start != RATION_NONE) {
                int32_t place = 0;
                int32_t mode = 0;
                EXPECT_TRUE(ration_program_option(program, i, start, &place, &mode));
                EXPECT_EQ(place, spec.item[(size_t)i].start_place);
            }
        }
        EXPECT_EQ(ration_program_option_total(program), allowed);
        ration_program_free(program);
    }
}

} // namespace
