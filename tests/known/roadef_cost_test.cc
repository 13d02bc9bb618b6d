// The published start cost of every machine reassignment instance, and the costs of the published
// solutions, as the verifier adds them up.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/roadef_model.h"
#include "support/shared_data.h"
#include "support/text_file.h"

namespace
{

using namespace ration_test;

// The number behind some words of a text, -1 when they do not occur.
int64_t number_behind(const std::string &text, const std::string &words)
{
    const size_t at = text.find(words);
    return at == std::string::npos ? -1 : std::stoll(text.substr(at + words.size()));
}

TEST(RoadefCost, PublishedStartsAndSolutions)
{
    SKIP_WITHOUT_SHARED();
    const std::string folder = shared_folder() + "/roadef2012/";
    int32_t instances = 0;
    for (auto &row : read_csv(folder + "best_known.csv")) {
        const std::string name = row["instance"];
        const std::string start = folder + "assignment_" + name + ".txt";
        SCOPED_TRACE(name);
        const RoadefProgram read(folder + row["file"], start);
        ASSERT_EQ(read.status, RATION_OK) << read.error.text;
        EXPECT_EQ(std::to_string(ration_program_items(read.program)), row["n"]);
        EXPECT_EQ(std::to_string(ration_program_places(read.program)), row["m"]);
        const std::vector<int64_t> home = read_numbers(start);
        const Worth begin = worth_of(read.program, picks_of(read.program, home, home));
        EXPECT_EQ(begin.cost, number_behind(row["note"], "initial assignment costs "));
        EXPECT_EQ(begin.violation, 0);
        const std::vector<int64_t> at = read_numbers(folder + "solution_" + name + ".txt");
        const Worth end = worth_of(read.program, picks_of(read.program, home, at));
        EXPECT_EQ(end.cost, number_behind(row["note"], "evaluates to "));
        EXPECT_EQ(end.violation, 0);
        EXPECT_GE(end.cost, std::stoll(row["bound"]));
        instances++;
    }
    EXPECT_EQ(instances, 10);
}

// Two machines in two locations, two services, worked out by hand.
TEST(RoadefCost, ByHand)
{
    const TextFile model("2\n 1 3\n 0 5\n"                                 // disk is transient
                         "2\n 0 0  10 8  4 6  0 2\n 0 1  10 9  5 9  2 0\n" // machines
                         "2\n 2 0\n 1 1 0\n"                               // 1 depends on 0
                         "3\n 0 4 2 7\n 0 3 3 9\n 1 2 5 11\n"              // processes
                         "1\n 0 1 2\n 10\n"                                // balance
                         "1 100 1000\n");
    const TextFile start("0 1 0\n");
    const RoadefProgram read(model.path(), start.path());
    ASSERT_EQ(read.status, RATION_OK) << read.error.text;
    // used 6 7 | 3 3: load 3*2 + 5*1; free 4 1 | 7 6: balance 10 * (7 + 8)
    const std::vector<int64_t> home = {0, 1, 0};
    const Worth begin = worth_of(read.program, picks_of(read.program, home, home));
    EXPECT_EQ(begin.cost, 11 + 150);
    EXPECT_EQ(begin.violation, 0);
    // used 4 2 | 5 8: no load cost; free 6 6 | 5 1: 10 * (6 + 9); moves 11 + 100 + 2000
    const Worth moved = worth_of(read.program, picks_of(read.program, home, {0, 1, 1}));
    EXPECT_EQ(moved.cost, 150 + 11 + 100 + 2000);
    EXPECT_EQ(moved.violation, 0);
    // used 2 5 | 7 5: two processes of a service on a machine, in one location; the first has disk
    // on both machines
    const Worth broken = worth_of(read.program, picks_of(read.program, home, {1, 1, 0}));
    EXPECT_EQ(broken.cost, 3 * 2 + 10 * (2 * 8 - 3) + 10 * (2 * 3 - 4) + 7 + 100 + 2000);
    EXPECT_GE(broken.violation, 2);
}

} // namespace
