// Refinement: never worse, exact where a subset holds the whole program, the same for every number
// of threads, legal on the smallest programs.
#include <gtest/gtest.h>

#include "bound/bound.h"
#include "plan/verify.h"
#include "search/refine.h"
#include "support/hand_program.h"
#include "support/search_run.h"

using namespace ration_test;

namespace
{

struct Value {
    int64_t violation;
    int64_t cost;
    bool operator<(const Value &o) const
    {
        return violation != o.violation ? violation < o.violation : cost < o.cost;
    }
    bool operator==(const Value &o) const
    {
        return violation == o.violation && cost == o.cost;
    }
};

Value judged(const rn_view *view, const std::vector<int32_t> &pick)
{
    rn_verdict *verdict = nullptr;
    ration_error error;
    EXPECT_EQ(rn_verify_picks(view, pick.data(), &verdict, &error), RATION_OK) << error.text;
    const Value value = {verdict->violation, verdict->cost};
    rn_verdict_free(verdict);
    return value;
}

// The method alone, on a program under its own prices.
class Refining
{
  public:
    explicit Refining(const ration_program *program) : view(rn_program_view(program))
    {
        ration_error error;
        EXPECT_EQ(rn_bound_find(view, nullptr, &bound_, &error), RATION_OK) << error.text;
        const rn_tables_wish wish = {bound_->price, false, false};
        EXPECT_EQ(rn_tables_create(view, &wish, &tables_, &error), RATION_OK) << error.text;
        EXPECT_EQ(rn_refine_subset.create(tables_, 1, &state, &error), RATION_OK) << error.text;
    }

    ~Refining()
    {
        rn_refine_subset.free(state);
        rn_tables_free(tables_);
        rn_bound_free(bound_);
    }

    Refining(const Refining &) = delete;
    Refining &operator=(const Refining &) = delete;

    // Returns the best plan from a start on.
    std::vector<int32_t> run(const std::vector<int32_t> &start, uint64_t seed, int64_t work)
    {
        std::vector<int32_t> pick = start;
        std::vector<int32_t> best = start;
        const std::vector<int32_t> other = start;
        const Value value = judged(view, start);
        rn_refine_task task = {};
        task.seed = seed;
        task.work = work;
        task.other = other.data();
        task.others = 1;
        task.best_cost = value.cost;
        task.best_violation = value.violation;
        task.pick = pick.data();
        task.best = best.data();
        rn_refine_subset.run(state, &task, 0);
        EXPECT_NE(task.memo, 0);
        return best;
    }

    const rn_view *view;
    void *state = nullptr;

  private:
    rn_bound *bound_ = nullptr;
    rn_tables *tables_ = nullptr;
};

// The plan that a run begins with.
std::vector<int32_t> greedy_plan(const ration_program *program)
{
    SearchRun run(program, 1);
    run.start();
    return run.best();
}

TEST(SearchRefine, NeverWorseAndMostlyBetter)
{
    int32_t better = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        ration_program *program = gap_program(40 + 30 * (int32_t)seed, 4 + (int32_t)seed, seed);
        Refining refining(program);
        const std::vector<int32_t> start = greedy_plan(program);
        const std::vector<int32_t> first = refining.run(start, seed, 1000000);
        EXPECT_FALSE(judged(refining.view, start) < judged(refining.view, first));
        const std::vector<int32_t> second = refining.run(first, seed + 1, 1000000);
        EXPECT_FALSE(judged(refining.view, first) < judged(refining.view, second));
        EXPECT_EQ(refining.run(start, seed, 1000000), first) << "a function of its task alone";
        better += judged(refining.view, first) < judged(refining.view, start);
        ration_program_free(program);
    }
    EXPECT_GE(better, 5);
}

// With few rows and items a subset is the whole program and its lists hold all sets.
TEST(SearchRefine, ExactWhereASubsetIsTheProgram)
{
    int32_t found = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        ration_program *program = gap_program(7, 3, seed);
        Refining refining(program);
        Value least = {INT64_MAX, INT64_MAX};
        std::vector<int32_t> feasible;
        for_each_plan(program, [&](const std::vector<int32_t> &pick) {
            const Value value = judged(refining.view, pick);
            feasible = value.violation == 0 ? pick : feasible;
            least = value < least ? value : least;
        });
        if (!feasible.empty()) {
            EXPECT_EQ(judged(refining.view, refining.run(feasible, seed, 1000000)), least);
            found++;
        }
        ration_program_free(program);
    }
    EXPECT_GE(found, 20);
}

// A whole run of programs that have next to nothing to search, against enumeration.
void expect_searched(const ration_program *program, const char *what)
{
    const rn_view *view = rn_program_view(program);
    Value least = {INT64_MAX, INT64_MAX};
    for_each_plan(program, [&](const std::vector<int32_t> &pick) {
        const Value value = judged(view, pick);
        least = value < least ? value : least;
    });
    SearchRun run(program, 1);
    run.start();
    run.epochs(20);
    EXPECT_EQ(run.search->facts.best_violation, least.violation) << what;
    EXPECT_EQ(run.search->facts.best_cost, least.cost) << what;
}

TEST(SearchRefine, SmallestPrograms)
{
    HandProgram single;
    single.option(single.item(), 0, 7, {});
    single.freeze();
    expect_searched(single.program, "an item, an option, no row");

    HandProgram tight;
    const int32_t row = tight.row(0, RATION_LOW_FREE, 3);
    for (int32_t k = 0; k < 3; k++) {
        const int32_t item = tight.item();
        tight.option(item, 0, 5 + k, {});
        tight.option(item, 1, 1, {{row, 2}});
    }
    tight.freeze();
    expect_searched(tight.program, "a row, options without rows");

    HandProgram broken;
    const int32_t full = broken.row(9, RATION_LOW_FREE, 3);
    const int32_t item = broken.item();
    broken.option(item, 0, 5, {{full, 2}});
    broken.option(item, 1, 6, {{full, 1}});
    broken.freeze();
    expect_searched(broken.program, "infeasible");

    HandProgram negative;
    const int32_t low = negative.row(3, RATION_LOW_FREE, 2);
    for (int32_t k = 0; k < 2; k++) {
        const int32_t one = negative.item();
        negative.option(one, 0, 5 + k, {{low, -1}});
        negative.option(one, 1, 1, {{low, 1}});
    }
    negative.freeze();
    expect_searched(negative.program, "negative amounts");
}

// Epochs that refine keep what chains know consistent, and threads don't matter.
TEST(SearchRefine, RunsAreEqualOverThreads)
{
    ration_program *program = gap_program(120, 8, 5);
    SearchRun one(program, 1), three(program, 3);
    one.start();
    three.start();
    ASSERT_NE(one.search->refine, nullptr);
    one.epochs(30);
    three.epochs(30);
    EXPECT_EQ(one.state(), three.state());
    EXPECT_EQ(one.best(), three.best());
    EXPECT_EQ(judged(rn_program_view(program), one.best()).cost, one.search->facts.best_cost);
    ration_program_free(program);
}

} // namespace
