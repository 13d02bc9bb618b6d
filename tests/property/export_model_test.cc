// The exported model is the program: for every plan of tiny random programs the best that the model
// can make of its picks is the plan's cost, or nothing where the plan is not feasible; MPS and LP
// say the same; picks come back through their names.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/alloc.h"
#include "emit/formats.h"
#include "ration/export.h"
#include "support/linear_model.h"
#include "support/random_program.h"
#include "support/text_file.h"

namespace ration_test
{

static std::string pick_name(const ration_program *program, int32_t item, int32_t option)
{
    char text[256];
    int32_t place = 0;
    int32_t mode = 0;
    EXPECT_TRUE(ration_program_option(program, item, option, &place, &mode));
    std::string name = "x(";
    name += ration_program_item_name(program, item, text, sizeof text);
    if (place >= 0 || mode >= 0) {
        name += std::string(",") + ration_program_place_name(program, place, text, sizeof text);
    }
    if (mode >= 0) {
        name += std::string(",") + ration_program_mode_name(program, mode, text, sizeof text);
    }
    return name + ")";
}

// Every x of the model, all 0.
static std::map<std::string, double> no_picks(const ration_program *program, const Model &model)
{
    std::map<std::string, double> fixed;
    for (int32_t i = 0; i < ration_program_items(program); i++) {
        for (int32_t o = 0; o < ration_program_options(program, i); o++) {
            int32_t place = 0;
            int32_t mode = 0;
            if (ration_program_option(program, i, o, &place, &mode)) {
                const std::string name = pick_name(program, i, o);
                EXPECT_EQ(model.column.count(name), 1u) << name;
                EXPECT_TRUE(fixed.emplace(name, 0).second) << name;
            }
        }
    }
    size_t picks = 0;
    for (const auto &c : model.column) {
        picks += c.first.compare(0, 2, "x(") == 0 ? 1 : 0;
    }
    EXPECT_EQ(picks, fixed.size());
    return fixed;
}

static void expect_picks_back(const ration_program *program,
                              const std::map<std::string, double> &fixed,
                              const std::vector<int32_t> &picks)
{
    std::string text = "Model status\nOptimal\n\n# Columns\n";
    for (const auto &f : fixed) {
        text += f.first + (f.second > 0 ? " 0.99999999\n" : " -1e-9\n");
    }
    const TextFile file(text + "# Dual solution values\n" + fixed.begin()->first + " 17\n");
    std::vector<int32_t> back(picks.size(), -7);
    ration_error error{};
    ASSERT_EQ(ration_export_read_picks(program, file.path().c_str(), back.data(), &error),
              RATION_OK)
        << error.text;
    EXPECT_EQ(back, picks);
}

struct Seen {
    int32_t plans = 0;
    int32_t feasible = 0;
    int32_t choices = 0; // rows with parts to choose from
    int32_t flows = 0;
    int32_t spread = 0;
    int32_t steps = 0; // bounded parts
};

static Model export_both(const ration_program *program, int64_t flows = RN_FORMATS_FLOWS)
{
    const TextFile mps("");
    const TextFile lp("");
    ration_error error{};
    ration_export_size size{};
    EXPECT_EQ(
        rn_formats_export(program, RATION_EXPORT_MPS, mps.path().c_str(), flows, &size, &error),
        RATION_OK)
        << error.text;
    EXPECT_EQ(
        rn_formats_export(program, RATION_EXPORT_LP, lp.path().c_str(), flows, nullptr, &error),
        RATION_OK)
        << error.text;
    const Model model = read_mps(mps.path());
    const Model other = read_lp(lp.path());
    EXPECT_EQ((size_t)size.columns, model.column.size());
    EXPECT_EQ((size_t)size.rows, model.line.size());
    EXPECT_EQ(model.maximise, other.maximise);
    EXPECT_EQ(model.constant, other.constant);
    EXPECT_TRUE(model.column == other.column);
    EXPECT_TRUE(model.line == other.line);
    return model;
}

static void check_program(const Spec &spec, int64_t flows, Seen &seen)
{
    ration_program *program = build(spec);
    ASSERT_NE(program, nullptr);
    const Model model = export_both(program, flows);
    const Solver solver(model);
    std::map<std::string, double> fixed = no_picks(program, model);
    for (const auto &l : model.line) {
        seen.choices += l.first.compare(0, 4, "one(") == 0 ? 1 : 0;
    }
    int64_t best = INT64_MAX;
    for_each_plan(program, [&](const std::vector<int32_t> &picks) {
        for (size_t i = 0; i < picks.size(); i++) {
            fixed[pick_name(program, (int32_t)i, picks[i])] = 1;
        }
        const Value value = evaluate(spec, program, picks);
        const std::optional<double> found = solver.best(fixed);
        EXPECT_EQ(found.has_value(), value.violation == 0) << "seed " << spec.seed;
        if (found && value.violation == 0) {
            EXPECT_EQ(*found, (double)value.cost) << "seed " << spec.seed;
            seen.feasible++;
            best = std::min(best, value.cost);
        }
        if (seen.plans++ % 16 == 0) {
            expect_picks_back(program, fixed, picks);
        }
        for (size_t i = 0; i < picks.size(); i++) {
            fixed[pick_name(program, (int32_t)i, picks[i])] = 0;
        }
    });
    for (const auto &c : model.column) {
        seen.flows += c.first.compare(0, 2, "y(") == 0 ? 1 : 0;
        seen.spread += c.first.compare(0, 2, "u(") == 0 ? 1 : 0;
        seen.steps += c.first.compare(0, 2, "w(") == 0 && c.second.high != INFINITE ? 1 : 0;
    }
    ration_program_free(program);
}

TEST(ExportModel, EveryPlanCostsTheSame)
{
    Limits limits;
    limits.plans = 150;
    Seen seen;
    for (uint64_t seed = 1; seed <= 150 && !::testing::Test::HasFailure(); seed++) {
        check_program(random_spec(seed, limits), RN_FORMATS_FLOWS, seen);
    }
    EXPECT_GT(seen.plans, 3000);
    EXPECT_GT(seen.feasible, 500);
    EXPECT_GT(seen.choices, 30);
    EXPECT_GT(seen.flows, 100);
    EXPECT_GT(seen.steps, 50);
}

// The same with traffic spread by place instead of paired.
TEST(ExportModel, SpreadTrafficCostsTheSame)
{
    Limits limits;
    limits.plans = 100;
    limits.feeds = false;
    Seen seen;
    for (uint64_t seed = 2001; seed <= 2150 && !::testing::Test::HasFailure(); seed++) {
        Spec spec = random_spec(seed, limits);
        if (spec.edge.empty()) {
            continue;
        }
        for (Edge &edge : spec.edge) {
            edge.weight = std::abs(edge.weight);
        }
        for (int64_t &distance : spec.distance) {
            distance = std::abs(distance);
        }
        check_program(spec, 0, seen);
    }
    EXPECT_GT(seen.feasible, 200);
    EXPECT_GT(seen.spread, 100);
    EXPECT_EQ(seen.flows, 0);
}

// With no picks fixed, the model's optimum is the program's.
TEST(ExportModel, OptimumIsTheProgramsOptimum)
{
    Limits limits;
    limits.plans = 30;
    limits.items = 4;
    for (uint64_t seed = 1001; seed <= 1080 && !::testing::Test::HasFailure(); seed++) {
        const Spec spec = random_spec(seed, limits);
        ration_program *program = build(spec);
        ASSERT_NE(program, nullptr);
        std::optional<double> best;
        for_each_plan(program, [&](const std::vector<int32_t> &picks) {
            const Value value = evaluate(spec, program, picks);
            if (value.violation == 0 && (!best || (double)value.cost < *best)) {
                best = (double)value.cost;
            }
        });
        const Model model = export_both(program);
        EXPECT_EQ(Solver(model).best({}), best) << "seed " << seed;
        ration_program_free(program);
    }
}

TEST(ExportModel, AnyFailedAllocationIsSaid)
{
    int64_t failures = 0;
    for (uint64_t seed = 3001; seed <= 3012; seed++) {
        Spec spec = random_spec(seed);
        for (Edge &edge : spec.edge) {
            edge.weight = std::abs(edge.weight);
        }
        for (int64_t &distance : spec.distance) {
            distance = std::abs(distance);
        }
        ration_program *program = build(spec);
        ASSERT_NE(program, nullptr);
        for (const int64_t flows : {(int64_t)0, (int64_t)RN_FORMATS_FLOWS}) {
            const TextFile file("old");
            ration_status status = RATION_E_MEMORY;
            for (int64_t n = 1; status != RATION_OK; n++) {
                ASSERT_LT(n, 1000);
                ration_error error{};
                rn_alloc_fail_at(n);
                status = rn_formats_export(program, RATION_EXPORT_LP, file.path().c_str(), flows,
                                           nullptr, &error);
                rn_alloc_fail_at(0);
                EXPECT_TRUE(status == RATION_OK || status == RATION_E_MEMORY) << error.text;
                failures += status == RATION_OK ? 0 : 1;
                EXPECT_EQ(std::filesystem::file_size(file.path()) == 3, status != RATION_OK);
            }
        }
        ration_program_free(program);
    }
    EXPECT_GT(failures, 300);
}

} // namespace ration_test
