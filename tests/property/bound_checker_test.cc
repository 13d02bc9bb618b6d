// The independent checker (tests/check_result.py) and ration_verify: both accept what is right and
// both refuse planted faults.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <unistd.h>

#include "bound/bound.h"
#include "plan/result.h"
#include "plan/verify.h"
#include "program/program.h"
#include "support/hand_program.h"
#include "support/random_program.h"

namespace
{

namespace fs = std::filesystem;
using ration_test::Spec;

struct Pair {
    std::string what;
    bool right;
};

class BoundChecker : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        folder_ = fs::temp_directory_path() / ("ration-checker-" + std::to_string(::getpid()));
        fs::create_directories(folder_);
    }

    void TearDown() override
    {
        fs::remove_all(folder_);
    }

    // Writes a program and a result side by side as a pair for the checker.
    void add_pair(const ration_program *program, const ration_result *result,
                  const std::string &what, bool right)
    {
        const std::string stem = (folder_ / std::to_string(pairs_.size())).string();
        write(stem + ".program.json", [&](ration_writer *w) { ration_program_write(program, w); });
        write(stem + ".result.json",
              [&](ration_writer *w) { ration_result_write(result, program, nullptr, w); });
        pairs_.push_back({what, right});
    }

    // Runs the checker over all pairs and compares its verdicts.
    void run_checker()
    {
        std::string command = "python3 " RATION_SOURCE_DIR "/tests/check_result.py";
        for (size_t k = 0; k < pairs_.size(); k++) {
            const std::string stem = (folder_ / std::to_string(k)).string();
            command += " " + stem + ".program.json " + stem + ".result.json";
        }
        const std::string out = (folder_ / "out").string();
        (void)std::system((command + " > " + out + " 2>&1").c_str());
        std::ifstream lines(out);
        std::string line;
        size_t count = 0;
        while (std::getline(lines, line) && count < pairs_.size()) {
            EXPECT_EQ(line == "ok", pairs_[count].right) << pairs_[count].what << ": " << line;
            count++;
        }
        EXPECT_EQ(count, pairs_.size()) << line;
    }

    fs::path folder_;
    std::vector<Pair> pairs_;

  private:
    static void write(const std::string &path, const std::function<void(ration_writer *)> &fill)
    {
        ration_writer *writer = nullptr;
        const char *text = nullptr;
        size_t bytes = 0;
        ASSERT_EQ(ration_writer_create(&writer, nullptr), RATION_OK);
        ration_writer_open_map(writer, nullptr);
        fill(writer);
        ration_writer_close(writer);
        ASSERT_EQ(ration_writer_finish(writer, &text, &bytes, nullptr), RATION_OK);
        ASSERT_EQ(ration_file_write(path.c_str(), text, bytes, nullptr), RATION_OK);
        ration_writer_free(writer);
    }
};

// The plan of least (violation, cost).
std::vector<int32_t> best_plan(const ration_program *program)
{
    std::vector<int32_t> best;
    int64_t violation = INT64_MAX;
    int64_t cost = INT64_MAX;
    ration_test::for_each_plan(program, [&](const std::vector<int32_t> &picks) {
        rn_verdict *verdict = nullptr;
        ASSERT_EQ(rn_verify_picks(rn_program_view(program), picks.data(), &verdict, nullptr),
                  RATION_OK);
        if (verdict->violation < violation ||
            (verdict->violation == violation && verdict->cost < cost)) {
            violation = verdict->violation;
            cost = verdict->cost;
            best = picks;
        }
        rn_verdict_free(verdict);
    });
    return best;
}

ration_result *solve(const ration_program *program)
{
    const rn_bound_limits limits = {INT64_MAX, 150, 0, -1};
    rn_bound *bound = nullptr;
    ration_result *result = nullptr;
    ration_error error{};
    EXPECT_EQ(rn_bound_find(rn_program_view(program), &limits, &bound, &error), RATION_OK);
    const std::vector<int32_t> picks = best_plan(program);
    EXPECT_EQ(rn_result_create(program, picks.data(), bound, nullptr, &result, &error), RATION_OK)
        << error.text;
    rn_bound_free(bound);
    return result;
}

TEST_F(BoundChecker, AcceptsWhatIsRight)
{
    for (uint64_t seed = 1; seed <= 120; seed++) {
        ration_program *program = ration_test::build(ration_test::random_spec(seed));
        ASSERT_NE(program, nullptr);
        ration_result *result = solve(program);
        ASSERT_NE(result, nullptr);
        add_pair(program, result, "seed " + std::to_string(seed), true);
        ration_result_free(result);
        ration_program_free(program);
    }
    run_checker();
}

// Rows kept by knapsacks: never above the best plan, and accepted by both.
TEST_F(BoundChecker, AcceptsKnapsacks)
{
    int32_t knapsacks = 0;
    int32_t optimal = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        ration_test::HandProgram p;
        ration_test::assign_at_random(seed, &p);
        ASSERT_NE(p.freeze(), nullptr);
        ration_result *result = solve(p.program);
        ASSERT_NE(result, nullptr);
        knapsacks += result->kind == RN_BOUND_KNAPSACK ? 1 : 0;
        optimal += result->status == RATION_PLAN_OPTIMAL ? 1 : 0;
        ration_error error{};
        EXPECT_EQ(ration_verify(p.program, result, &error), RATION_OK) << error.text;
        add_pair(p.program, result, "seed " + std::to_string(seed), true);
        ration_result_free(result);
    }
    std::printf("%d of 150 bounds by knapsacks, %d plans proved optimal\n", knapsacks, optimal);
    EXPECT_GT(knapsacks, 40);
    run_checker();
}

// A fault changes a true result; whether it did is the return value.
struct Fault {
    const char *name;
    std::function<bool(const ration_program *, ration_result *)> plant;
};

bool other_pick(const ration_program *program, ration_result *result)
{
    for (int32_t item = 0; item < result->items; item++) {
        for (int32_t option = 0; option < ration_program_options(program, item); option++) {
            int32_t place = 0;
            int32_t mode = 0;
            if (option != result->pick[item] &&
                ration_program_option(program, item, option, &place, &mode)) {
                result->pick[item] = option;
                return true;
            }
        }
    }
    return false;
}

// A price changed so that another bound follows.
bool other_price(const ration_program *program, ration_result *result)
{
    const rn_claim claim = rn_result_claim(result);
    int64_t value = 0;
    for (int32_t row = 0; row < result->all_rows && (result->bounded || result->infeasible);
         row++) {
        result->price[row] += (int64_t)5 << RN_PRICE_BITS;
        if (rn_verify_claim(rn_program_view(program), &claim, &value, nullptr) == RATION_OK &&
            value != (result->infeasible ? result->violation_bound : result->bound)) {
            return true;
        }
        result->price[row] -= (int64_t)5 << RN_PRICE_BITS;
    }
    return false;
}

// Options left out, or not, so that another bound follows.
bool other_rounds(const ration_program *program, ration_result *result)
{
    if (!result->bounded && !result->infeasible) {
        return false;
    }
    result->rounds = result->rounds > 0 ? 0 : 1;
    const rn_claim claim = rn_result_claim(result);
    int64_t value = 0;
    return rn_verify_claim(rn_program_view(program), &claim, &value, nullptr) != RATION_OK ||
           value != (result->infeasible ? result->violation_bound : result->bound);
}

// A value changed so that another bound follows.
bool other_value(const ration_program *program, ration_result *result)
{
    const rn_claim claim = rn_result_claim(result);
    int64_t value = 0;
    for (int32_t item = 0; item < result->items && result->kind == RN_BOUND_KNAPSACK; item++) {
        result->value_of[item] += (int64_t)5 << RN_PRICE_BITS;
        if (rn_verify_claim(rn_program_view(program), &claim, &value, nullptr) == RATION_OK &&
            value != result->bound) {
            return true;
        }
        result->value_of[item] -= (int64_t)5 << RN_PRICE_BITS;
    }
    return false;
}

const Fault faults[] = {
    {"bound + 1", [](const ration_program *,
                     ration_result *r) { return r->bounded && ++r->bound != INT64_MAX; }},
    {"bound - 1", [](const ration_program *,
                     ration_result *r) { return r->bounded && --r->bound != INT64_MAX; }},
    {"violation bound + 1",
     [](const ration_program *, ration_result *r) {
         return r->infeasible && ++r->violation_bound > 0;
     }},
    {"pick changed", other_pick},
    {"price changed", other_price},
    {"cost + 1", [](const ration_program *, ration_result *r) { return ++r->cost != 0 || true; }},
    {"cost moved between dimensions",
     [](const ration_program *, ration_result *r) {
         r->cost_of[0]++;
         r->cost_of[1]--;
         return true;
     }},
    {"digest changed",
     [](const ration_program *, ration_result *r) {
         r->digest[3] = r->digest[3] == '0' ? '1' : '0';
         return true;
     }},
    {"violation hidden",
     [](const ration_program *, ration_result *r) {
         const bool any = r->broken_count > 0;
         r->broken_count = 0;
         r->violation = 0;
         return any;
     }},
    {"status changed",
     [](const ration_program *, ration_result *r) {
         r->status = r->status == RATION_PLAN_OPTIMAL ? RATION_PLAN_FEASIBLE : RATION_PLAN_OPTIMAL;
         return true;
     }},
    {"rounds changed", other_rounds},
    {"value of an item changed", other_value},
    {"kind changed",
     [](const ration_program *, ration_result *r) {
         r->kind = RN_BOUND_TREE;
         return r->bounded || r->infeasible;
     }},
};

TEST_F(BoundChecker, RefusesPlantedFaults)
{
    std::vector<int32_t> planted(sizeof faults / sizeof faults[0], 0);
    for (uint64_t seed = 1; seed <= 32; seed++) {
        ration_test::HandProgram assigned;
        ration_test::assign_at_random(seed, &assigned);
        ration_program *random =
            seed <= 24 ? ration_test::build(ration_test::random_spec(seed)) : nullptr;
        if (seed > 24) {
            assigned.freeze();
        }
        const ration_program *program = seed <= 24 ? random : assigned.program;
        ASSERT_NE(program, nullptr);
        for (size_t k = 0; k < planted.size(); k++) {
            ration_result *result = solve(program);
            ASSERT_NE(result, nullptr);
            if (faults[k].plant(program, result)) {
                planted[k]++;
                ration_error error{};
                EXPECT_EQ(ration_verify(program, result, &error), RATION_E_MISMATCH)
                    << faults[k].name << ", seed " << seed;
                EXPECT_NE(error.text[0], '\0');
                add_pair(program, result, faults[k].name, false);
            }
            ration_result_free(result);
        }
        ration_program_free(random);
    }
    for (size_t k = 0; k < planted.size(); k++) {
        EXPECT_GT(planted[k], 0) << faults[k].name;
    }
    run_checker();
}

// A program that differs in what the plan uses: an amount, or a feed that is left out.
TEST_F(BoundChecker, RefusesAnotherProgram)
{
    int32_t amounts = 0;
    int32_t feeds = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        Spec spec = ration_test::random_spec(seed);
        ration_program *program = ration_test::build(spec);
        ASSERT_NE(program, nullptr);
        ration_result *result = solve(program);
        ASSERT_NE(result, nullptr);
        const bool without_feed = seed % 2 == 0 && !spec.feed.empty();
        if (without_feed) {
            spec.feed.clear();
        } else {
            spec.row[0].offset++;
        }
        ration_program *other = ration_test::build(spec);
        ASSERT_NE(other, nullptr);
        ration_error error{};
        EXPECT_EQ(ration_verify(other, result, &error), RATION_E_MISMATCH);
        // Without the digest of the program the difference shows only where it changes a value.
        ration_program_digest(other, result->program_digest);
        const bool caught = ration_verify(other, result, &error) == RATION_E_MISMATCH;
        feeds += caught && without_feed ? 1 : 0;
        amounts += caught && !without_feed ? 1 : 0;
        add_pair(other, result, "seed " + std::to_string(seed), !caught);
        ration_result_free(result);
        ration_program_free(other);
        ration_program_free(program);
    }
    EXPECT_GT(amounts, 5);
    EXPECT_GT(feeds, 5);
    run_checker();
}

} // namespace
