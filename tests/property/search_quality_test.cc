// The search against enumeration on tiny programs of every kind.
#include <gtest/gtest.h>

#include "support/search_case.h"

using namespace ration_test;

namespace
{

struct Best {
    int64_t violation = INT64_MAX;
    int64_t cost = INT64_MAX;
    bool operator==(const Best &o) const
    {
        return violation == o.violation && cost == o.cost;
    }
};

Best enumerated(const Spec &spec, const ration_program *program)
{
    Best best;
    for_each_plan(program, [&](const std::vector<int32_t> &picks) {
        const Value value = evaluate(spec, program, picks);
        if (value.violation < best.violation ||
            (value.violation == best.violation && value.cost < best.cost)) {
            best.violation = value.violation;
            best.cost = value.cost;
        }
    });
    return best;
}

Best searched(const ration_program *program, uint64_t seed, int64_t epochs)
{
    ration_run run;
    ration_run_default(&run);
    run.seed = seed;
    run.threads = 1;
    run.chains = 8;
    run.backend = RATION_BACKEND_OPENMP;
    ration_error error;
    rn_bound *bound = nullptr;
    rn_search *search = nullptr;
    rn_search_wish wish = {};
    wish.program = program;
    wish.run = &run;
    EXPECT_EQ(rn_bound_find(rn_program_view(program), nullptr, &bound, &error), RATION_OK)
        << error.text;
    EXPECT_EQ(rn_search_create(&wish, bound, &search, &error), RATION_OK) << error.text;
    Best best;
    while (search != nullptr && search->epoch < epochs && !rn_search_done(search)) {
        EXPECT_EQ(rn_search_epoch(search, &error), RATION_OK) << error.text;
    }
    best.violation = search->facts.best_violation;
    best.cost = search->facts.best_cost;
    rn_search_free(search);
    return best;
}

// Finds the enumerated optimum (or the least violation) on at least 99 % of the programs.
void check_rate(uint64_t first, uint64_t count, int64_t epochs)
{
    int32_t found = 0;
    std::string missed;
    for (uint64_t seed = first; seed < first + count; seed++) {
        const Spec spec = random_spec(seed);
        ration_program *program = build(spec);
        ASSERT_NE(program, nullptr);
        const Best best = enumerated(spec, program);
        const Best ours = searched(program, seed, epochs);
        // Better than the optimum is a bug of the search, never luck.
        ASSERT_FALSE(ours.violation < best.violation ||
                     (ours.violation == best.violation && ours.cost < best.cost))
            << "seed " << seed;
        found += ours == best;
        if (!(ours == best)) {
            missed += " " + std::to_string(seed) + ":" + std::to_string(ours.violation) + "/" +
                      std::to_string(best.violation) + "," + std::to_string(ours.cost) + "/" +
                      std::to_string(best.cost);
        }
        ration_program_free(program);
    }
    ::testing::Test::RecordProperty("found", found);
    EXPECT_GE(found * 100, (int64_t)count * 99) << found << " of " << count << "; missed" << missed;
}

TEST(SearchQuality, FindsEnumeratedOptimum)
{
    check_rate(1, 200, 24);
}

TEST(SearchQualityFull, FindsEnumeratedOptimum)
{
    check_rate(10001, 2000, 56);
}

} // namespace
