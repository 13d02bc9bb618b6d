// Readers of the public formats: sizes and values of published instances, and refusals by line.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "host/program/program.h"
#include "problems/gap/gap.h"
#include "problems/mkp/mkp.h"
#include "problems/qap/qap.h"
#include "problems/vbp/vbp.h"
#include "support/shared_data.h"
#include "support/text_file.h"

namespace
{

using namespace ration_test;

using Reader = ration_status (*)(const ration_instance *, ration_program **, ration_error *);

struct Read {
    ration_program *program = nullptr;
    ration_status status = RATION_OK;
    ration_error error{};

    Read(Reader reader, const std::string &path, int32_t problem = 0, bool maximise = false)
    {
        ration_instance request = instance_of(path, problem);
        request.sense_given = maximise;
        request.sense = RATION_MAXIMISE;
        status = reader(&request, &program, &error);
    }
    ~Read()
    {
        ration_program_free(program);
    }
    Read(const Read &) = delete;
    Read &operator=(const Read &) = delete;
    const rn_view *view() const
    {
        return rn_program_view(program);
    }
};

// The objective of picks, in program units; INT64_MAX when a limit is broken.
int64_t value_of(const rn_view *v, const std::vector<int32_t> &picks)
{
    std::vector<int64_t> load((size_t)v->rows);
    std::vector<int32_t> place;
    int64_t cost = 0;
    for (int32_t i = 0; i < v->items; i++) {
        const rn_option option = rn_option_decode(v, i, picks[(size_t)i]);
        int32_t row = 0;
        int64_t amount = 0;
        rn_uses walk = rn_uses_begin(v, i, option);
        while (rn_uses_next(v, &walk, &row, &amount)) {
            load[(size_t)row] += amount;
        }
        cost += option.cost;
        place.push_back(option.place);
    }
    for (int32_t r = 0; r < v->rows; r++) { // sources of feeds have rank 0 in these problems
        for (int32_t f = v->row_feed[r]; f < v->row_feed[r + 1]; f++) {
            load[(size_t)v->feed_to[f]] +=
                rn_pieces_at(v->piece, v->feed_piece[f], v->feed_piece[f + 1], load[(size_t)r]);
        }
    }
    for (int32_t r = 0; r < v->rows; r++) {
        if (load[(size_t)r] > v->row_high[r] || load[(size_t)r] < v->row_low[r]) {
            return INT64_MAX;
        }
        cost += rn_pieces_at(v->piece, v->row_piece[r], v->row_piece[r + 1], load[(size_t)r]);
    }
    for (int32_t i = 0; v->edge_at != nullptr && i < v->items; i++) {
        for (int32_t e = v->edge_at[i]; e < v->edge_at[i + 1]; e++) {
            const int32_t to = place[(size_t)v->edge_item[e]];
            cost +=
                v->edge_out[e] != 0 ? v->edge_weight[e] * rn_distance(v, place[(size_t)i], to) : 0;
        }
    }
    return cost;
}

// The best value over all picks of a small program.
int64_t best_of(const rn_view *v)
{
    std::vector<int32_t> picks((size_t)v->items, 0);
    int64_t best = INT64_MAX;
    for (;;) {
        best = std::min(best, value_of(v, picks));
        size_t at = 0;
        while (at < picks.size() && ++picks[at] == v->item_options[at]) {
            picks[at++] = 0;
        }
        if (at == picks.size()) {
            return best;
        }
    }
}

void expect_refusal(Reader reader, const std::string &text, const char *says, int32_t problem = 0)
{
    const TextFile file(text);
    Read r(reader, file.path(), problem);
    EXPECT_EQ(r.status, RATION_E_INPUT) << text;
    EXPECT_EQ(r.program, nullptr);
    EXPECT_NE(std::strstr(r.error.text, says), nullptr) << r.error.text;
    EXPECT_NE(std::strstr(r.error.text, file.path().c_str()), nullptr) << r.error.text;
}

TEST(GapReader, SmallByHand)
{
    const TextFile file("\xEF\xBB\xBF 2 3\r\n1 2 3\r\n6 5 4\r\n2 2 2\r\n3 3 3\r\n4 3\r\n");
    Read least(ration_gap_read, file.path());
    ASSERT_EQ(least.status, RATION_OK) << least.error.text;
    EXPECT_EQ(best_of(least.view()), 1 + 2 + 4); // agent 1 has room for two jobs, agent 2 for one
    Read most(ration_gap_read, file.path(), 1, true);
    ASSERT_EQ(most.status, RATION_OK) << most.error.text;
    EXPECT_EQ(best_of(most.view()), -(6 + 2 + 3));
    char name[16];
    EXPECT_STREQ(ration_program_item_name(most.program, 2, name, sizeof name), "3");
    EXPECT_EQ(ration_program_find_place(most.program, "2"), 1);
    EXPECT_EQ(ration_program_find_row(most.program, "2"), 1);
}

TEST(GapReader, Refusals)
{
    expect_refusal(ration_gap_read, "", "is empty");
    expect_refusal(ration_gap_read, "\n \n", "line 3: the file ends where the number of agents");
    expect_refusal(ration_gap_read, "1 1\n5\n4\n", "line 4: the file ends where a capacity");
    expect_refusal(ration_gap_read, "1 1\n5\n4\n3 9\n", "line 4: found \"9\" after the end");
    expect_refusal(ration_gap_read, "1 1\n5.0\n4\n3\n",
                   "line 2: a cost: found \"5.0\"; expected an integer");
    expect_refusal(ration_gap_read, "1 1\nNaN\n4\n3\n", "found \"NaN\"");
    expect_refusal(ration_gap_read, "1 1\n1e400\n4\n3\n", "found \"1e400\"");
    expect_refusal(ration_gap_read, "1 1\n5\n-4\n3\n", "line 3: a resource need: found -4");
    expect_refusal(ration_gap_read, "1 1\n9007199254740993\n4\n3\n",
                   "line 2: a cost: found 9007199254740993");
    expect_refusal(ration_gap_read, "1 1\n99999999999999999999\n4\n3\n", "a cost");
    expect_refusal(ration_gap_read, "9000000 9000000\n5\n", "more numbers than the file holds");
    expect_refusal(ration_gap_read, "0 5\n", "the number of agents: found 0");
    expect_refusal(ration_gap_read, "1 1\n5\n4\n3\n", "problem 2 is asked for", 2);
    expect_refusal(ration_gap_read, "\x1F\x8B\x08\x01", "gzip");
}

TEST(GapReader, PublishedSizes)
{
    SKIP_WITHOUT_SHARED();
    const std::string folder = shared_folder() + "/gap/";
    int32_t files = 0;
    for (auto &line : read_csv(folder + "best_known.csv")) {
        if (!exists(folder + line["file"]) || line["file"].empty()) {
            continue;
        }
        Read r(ration_gap_read, folder + line["file"]);
        ASSERT_EQ(r.status, RATION_OK) << r.error.text;
        EXPECT_EQ(std::to_string(ration_program_items(r.program)), line["n"]);
        EXPECT_EQ(std::to_string(ration_program_places(r.program)), line["m"]);
        files++;
    }
    EXPECT_GT(files, 50);
}

TEST(MkpReader, SmallByHand)
{
    const char *const one = "3 2 0\n 10 7.5 6\n 2 2 3\n 1 1.5 1\n 4 2.0\n";
    for (const std::string &text : {std::string(one), "1\n" + std::string(one)}) {
        const TextFile file(text);
        Read r(ration_mkp_read, file.path());
        ASSERT_EQ(r.status, RATION_OK) << r.error.text;
        ration_sense sense = RATION_MINIMISE;
        int64_t constant = 1;
        int32_t scale = 0;
        ration_program_objective(r.program, &sense, &constant, &scale);
        EXPECT_EQ(sense, RATION_MAXIMISE);
        EXPECT_EQ(scale, 1);
        EXPECT_EQ(best_of(r.view()), -100); // 1 and 2 break the second limit, 1 and 3 the first
        EXPECT_EQ(ration_program_find_option(r.program, 0, RATION_NONE,
                                             ration_program_find_mode(r.program, "in")),
                  0);
    }
    const TextFile two("2\n1 1 0 5 1 1\n1 1 0 6 1 1\n");
    Read second(ration_mkp_read, two.path(), 2);
    ASSERT_EQ(second.status, RATION_OK) << second.error.text;
    EXPECT_EQ(best_of(second.view()), -6);
}

TEST(MkpReader, Refusals)
{
    const std::string two = "2\n1 1 0 5 1 1\n1 1 0 6 1 1\n";
    expect_refusal(ration_mkp_read, two, "holds 2 problems; choose one with --problem 1 to 2");
    expect_refusal(ration_mkp_read, two, "problem 3 is asked for; there are 2", 3);
    expect_refusal(ration_mkp_read, "3 2 0\n 10 7 6\n 2 2 3\n 1 1 1\n 4\n",
                   "line 6: the file ends where a capacity");
    expect_refusal(ration_mkp_read, "3 2 0\n 10 7 6\n 2 2 3\n 1 -1 1\n 4 2\n",
                   "line 4: a weight: found -1");
    expect_refusal(ration_mkp_read, "3 2 0\n 10 7 6\n 2 2 3\n 1 1 1\n 4 2 8\n", "after the end");
    expect_refusal(ration_mkp_read, "3 2 0\n 10 x 6\n 2 2 3\n 1 1 1\n 4 2\n",
                   "line 2: a profit: found \"x\"");
}

TEST(MkpReader, PublishedSizes)
{
    SKIP_WITHOUT_SHARED();
    const std::string folder = shared_folder() + "/mkp/";
    int32_t files = 0;
    for (auto &line : read_csv(folder + "best_known.csv")) {
        const std::string &file = line["file"];
        if (file.empty() || !exists(folder + file)) {
            continue;
        }
        const bool several = file == "mknap1.txt";
        const int32_t problem = several ? line["instance"].back() - '0' : 0;
        Read r(ration_mkp_read, folder + file, problem);
        ASSERT_EQ(r.status, RATION_OK) << r.error.text;
        EXPECT_EQ(std::to_string(ration_program_items(r.program)), line["n"]) << file;
        EXPECT_EQ(std::to_string(ration_program_rows(r.program)), line["m"]) << file;
        files++;
        if (ration_program_items(r.program) <= 15) { // small enough for all 2^n picks
            ration_sense sense = RATION_MINIMISE;
            int64_t constant = 0;
            int32_t scale = 0;
            ration_program_objective(r.program, &sense, &constant, &scale);
            const double best = -(double)best_of(r.view()) / (scale == 1 ? 10 : 1);
            EXPECT_EQ(best, std::stod(line["best_known"])) << line["instance"];
        }
    }
    EXPECT_GT(files, 100);
}

TEST(QapReader, SmallByHand)
{
    const TextFile file("2\n\n1 5\n0 0\n\n0 3\n7 10\n");
    Read r(ration_qap_read, file.path());
    ASSERT_EQ(r.status, RATION_OK) << r.error.text;
    EXPECT_EQ(value_of(r.view(), {0, 1}), 1 * 0 + 5 * 3);
    EXPECT_EQ(value_of(r.view(), {1, 0}), 1 * 10 + 5 * 7);
    EXPECT_EQ(value_of(r.view(), {0, 0}), INT64_MAX);
    expect_refusal(ration_qap_read, "2\n1 5 0 0\n0 3 7\n",
                   "the file ends where an element of the second");
    expect_refusal(ration_qap_read, "2\n1 5 0 0\n0 3 7 1.5\n", "line 3");
    expect_refusal(ration_qap_read, "20000\n1\n", "more numbers than the file holds");
}

// Published permutations cost what is published.
TEST(QapReader, PublishedSolutions)
{
    SKIP_WITHOUT_SHARED();
    const std::string folder = shared_folder() + "/qap/";
    int32_t files = 0;
    for (auto &line : read_csv(folder + "best_known.csv")) {
        const std::string name = line["instance"];
        if (!exists(folder + name + ".sln") || !exists(folder + name + ".dat")) {
            continue;
        }
        const std::vector<int64_t> solution = read_numbers(folder + name + ".sln");
        Read r(ration_qap_read, folder + name + ".dat");
        ASSERT_EQ(r.status, RATION_OK) << r.error.text;
        ASSERT_EQ(ration_program_items(r.program), solution[0]);
        std::vector<int32_t> picks;
        for (int32_t i = 0; i < ration_program_items(r.program); i++) {
            picks.push_back(ration_program_find_option(
                r.program, i, (int32_t)solution[(size_t)i + 2] - 1, RATION_NONE));
        }
        EXPECT_EQ(value_of(r.view(), picks), solution[1]) << name;
        files++;
    }
    EXPECT_GT(files, 50);
}

TEST(VbpReader, SmallByHand)
{
    const TextFile file("2\n10 10\n3\n6 1 1\n4 1 2\n0 9 1\n");
    Read r(ration_vbp_read, file.path());
    ASSERT_EQ(r.status, RATION_OK) << r.error.text;
    EXPECT_EQ(ration_program_items(r.program), 4);
    EXPECT_EQ(best_of(r.view()), 2); // {6, 4}, {4, (0, 9)}
    const TextFile named("1\n u\n 1.5 3 2\n0.5\n1.0\n1\n");
    Read s(ration_vbp_read, named.path());
    ASSERT_EQ(s.status, RATION_OK) << s.error.text;
    EXPECT_EQ(best_of(s.view()), 2);
    const TextFile pairs("2\n10\n6 2\n4 1\n");
    Read t(ration_vbp_read, pairs.path());
    ASSERT_EQ(t.status, RATION_OK) << t.error.text;
    EXPECT_EQ(ration_program_items(t.program), 3);
    EXPECT_EQ(best_of(t.view()), 2);
    expect_refusal(ration_vbp_read, "2\n10 10\n3\n6 1 1\n4 1 2\n0 9\n", "the file ends where");
    expect_refusal(ration_vbp_read, "2\n u\n 1 1 1\n1\n w\n 1 1 1\n1\n", "--problem 1 to 2");
}

// As many bins as the simple rule needs; never fewer than the best known.
TEST(VbpReader, PublishedSizes)
{
    SKIP_WITHOUT_SHARED();
    const std::string folder = shared_folder() + "/vbp/";
    int32_t files = 0;
    for (auto &line : read_csv(folder + "best_known.csv")) {
        if (line["file"].empty() || !exists(folder + line["file"]) || std::stoi(line["n"]) > 260) {
            continue;
        }
        Read r(ration_vbp_read, folder + line["file"]);
        ASSERT_EQ(r.status, RATION_OK) << r.error.text;
        const int32_t extra = line["file"].find("panigrahy/class9") == 0 ? 1 : 0;
        EXPECT_LE(std::abs(ration_program_items(r.program) - std::stoi(line["n"])), extra)
            << line["file"];
        EXPECT_GE(ration_program_places(r.program), std::stoi(line["best_known"])) << line["file"];
        files++;
    }
    EXPECT_GT(files, 50);
}

} // namespace
