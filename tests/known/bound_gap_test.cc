// Bounds of the public assignment instances of types C, D and E against the best known costs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "base/clock.h"
#include "bound/bound.h"
#include "plan/verify.h"
#include "problems/gap/gap.h"
#include "program/program.h"

namespace
{

namespace fs = std::filesystem;

// Folder of shared data, or "" when it is not there.
std::string shared_folder()
{
    const char *named = std::getenv("RATION_SHARED");
    const fs::path folder =
        named != nullptr ? fs::path(named) : fs::path(RATION_SOURCE_DIR) / ".." / "shared";
    return fs::exists(folder / "data" / "gap") ? (folder / "data" / "gap").string() : "";
}

// instance -> best known minimum.
std::map<std::string, int64_t> best_known(const std::string &folder)
{
    std::map<std::string, int64_t> best;
    std::ifstream file(folder + "/best_known.csv");
    std::string line;
    while (std::getline(file, line)) {
        std::stringstream fields(line);
        std::string name, sense, value;
        std::getline(fields, name, ',');
        std::getline(fields, sense, ',');
        std::getline(fields, value, ',');
        if (sense == "min") {
            best[name] = std::atoll(value.c_str());
        }
    }
    return best;
}

struct Found {
    double gap_percent;
    double seconds;
};

void bound_file(const std::string &path, int64_t best, Found *found)
{
    const ration_instance request = {path.c_str(), "gap", RATION_MINIMISE, false, 0, nullptr};
    ration_program *program = nullptr;
    ration_error error{};
    ASSERT_EQ(ration_gap_read(&request, &program, &error), RATION_OK) << error.text;
    const rn_view *view = rn_program_view(program);
    rn_bound *bound = nullptr;
    const int64_t start_us = rn_clock_us();
    ASSERT_EQ(rn_bound_find(view, nullptr, &bound, &error), RATION_OK) << error.text;
    found->seconds = (double)(rn_clock_us() - start_us) / 1e6;
    const rn_claim claim = rn_bound_claim(bound);
    int64_t value = 0;
    ASSERT_EQ(rn_verify_claim(view, &claim, &value, &error), RATION_OK) << error.text;
    EXPECT_EQ(value, bound->value) << path;
    EXPECT_FALSE(bound->infeasible) << path;
    EXPECT_LE(bound->value, best) << path << ": better than a known plan";
    found->gap_percent = 100.0 * (double)(best - bound->value) / (double)best;
    rn_bound_free(bound);
    ration_program_free(program);
}

TEST(BoundGapFull, MeanGapOfTypesCDE)
{
    const std::string folder = shared_folder();
    if (folder.empty()) {
        GTEST_SKIP() << "the shared data is not here";
    }
    const std::map<std::string, int64_t> best = best_known(folder);
    double sum = 0.0;
    double most = 0.0;
    double slowest = 0.0;
    int32_t count = 0;
    for (const auto &entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().stem().string();
        if (entry.path().extension() != ".txt" || name.find_first_of("cde") != 0 ||
            best.count(name) == 0) {
            continue;
        }
        Found found{};
        bound_file(entry.path().string(), best.at(name), &found);
        sum += found.gap_percent;
        most = std::max(most, found.gap_percent);
        slowest = std::max(slowest, found.seconds);
        count++;
    }
    ASSERT_GE(count, 20);
    std::printf("%d files: mean gap %.4f %%, largest %.4f %%, slowest %.3f s\n", count, sum / count,
                most, slowest);
    EXPECT_LE(sum / count, 0.25);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(NDEBUG)
    EXPECT_LE(slowest, 2.0);
#endif
}

} // namespace
