// Tabu search as a refinement: a population of chains' plans, and what it leaves alone.
#include <gtest/gtest.h>

#include "base/alloc.h"
#include "search/refine.h"
#include "support/search_run.h"
#include "support/tabu_case.h"

using namespace ration_test;

namespace
{

TabuDraw size(int32_t items)
{
    TabuDraw draw;
    draw.items = draw.places = items;
    return draw;
}

// Chains with a plan each; an epoch refines all of them, one after another.
class Population
{
  public:
    Population(TabuCase &c, int32_t chains) : c_(c), items_((size_t)c.view()->items)
    {
        EXPECT_EQ(rn_refine_tabu.create(c.tables(), 2, &state_, nullptr), RATION_OK);
        for (int32_t x = 0; x < chains; x++) {
            std::vector<int32_t> pick(items_);
            rn_tabu_load(c.tabu, c.work, c.draw_picks().data());
            EXPECT_TRUE(rn_tabu_picks(c.tabu, c.work, pick.data()));
            best.push_back(pick);
        }
        pick = best;
        memo.resize(best.size());
    }

    ~Population()
    {
        rn_refine_tabu.free(state_);
    }

    Population(const Population &) = delete;
    Population &operator=(const Population &) = delete;

    void epoch(uint32_t number, int64_t work, int32_t thread)
    {
        std::vector<int32_t> other;
        for (const std::vector<int32_t> &plan : best) {
            other.insert(other.end(), plan.begin(), plan.end());
        }
        for (size_t x = 0; x < best.size(); x++) {
            rn_refine_task task = {};
            task.seed = 5;
            task.epoch = number;
            task.chain = (uint32_t)x;
            task.work = work;
            task.other = other.data();
            task.others = (int32_t)best.size();
            task.self = (int32_t)x;
            task.best_cost = c_.price(best[x]).cost;
            task.best_violation = c_.price(best[x]).violation;
            task.pick = pick[x].data();
            task.best = best[x].data();
            task.memo = memo[x];
            rn_refine_tabu.run(state_, &task, thread);
            memo[x] = task.memo;
        }
    }

    std::vector<int64_t> costs() const
    {
        std::vector<int64_t> all;
        for (const std::vector<int32_t> &plan : best) {
            EXPECT_EQ(c_.price(plan).violation, 0);
            all.push_back(c_.price(plan).cost);
        }
        return all;
    }

    std::vector<std::vector<int32_t>> best, pick;
    std::vector<int64_t> memo;

  private:
    TabuCase &c_;
    size_t items_;
    void *state_ = nullptr;
};

TEST(TabuKind, TakesOnlyItsPrograms)
{
    ration_program *program = gap_program(20, 3, 1);
    rn_tables *tables = nullptr;
    const rn_tables_wish wish = {nullptr, false, false};
    ASSERT_EQ(rn_tables_create(rn_program_view(program), &wish, &tables, nullptr), RATION_OK);
    void *state = &tables;
    EXPECT_EQ(rn_refine_tabu.create(tables, 2, &state, nullptr), RATION_OK);
    EXPECT_EQ(state, nullptr);
    rn_refine_tabu.free(state);
    rn_tables_free(tables);
    ration_program_free(program);
}

TEST(TabuKind, EveryPlanIsAsGoodAsBeforeAndOneIsBetter)
{
    TabuCase c(size(24), 3);
    Population p(c, 5);
    std::vector<int64_t> before = p.costs();
    const int64_t first = before[0];
    for (uint32_t e = 0; e < 6; e++) {
        p.epoch(e, 200000, 0);
        const std::vector<int64_t> after = p.costs();
        for (size_t x = 0; x < after.size(); x++) {
            EXPECT_LE(after[x], before[x]);
        }
        before = after;
    }
    EXPECT_LT(before[0], first);
}

TEST(TabuKind, DependsOnTheTaskAlone)
{
    TabuCase c(size(16), 4);
    TabuCase d(size(16), 4);
    Population p(c, 4);
    Population q(d, 4);
    for (uint32_t e = 0; e < 4; e++) {
        p.epoch(e, 300000, 0);
        q.epoch(e, 300000, 1);
        EXPECT_EQ(p.best, q.best);
        EXPECT_EQ(p.pick, q.pick);
        EXPECT_EQ(p.memo, q.memo);
    }
}

// Two items have two plans: who has the worse one keeps it while another chain has the better.
TEST(TabuKind, TakesNoPlanThatAnotherChainHas)
{
    TabuCase c(size(2), 2);
    Population p(c, 2);
    p.best[1] = p.best[0];
    std::swap(p.best[1][0], p.best[1][1]);
    ASSERT_NE(p.costs()[0], p.costs()[1]);
    p.pick = p.best;
    const std::vector<std::vector<int32_t>> before = p.best;
    p.epoch(0, 1000, 0);
    EXPECT_EQ(p.best, before);
}

TEST(TabuKind, AFailedAllocationLeavesNothing)
{
    TabuCase c(size(5), 6);
    void *state = nullptr;
    int64_t failures = 0;
    for (int64_t n = 1; state == nullptr; n++) {
        rn_alloc_fail_at(n);
        const ration_status status = rn_refine_tabu.create(c.tables(), 2, &state, nullptr);
        rn_alloc_fail_at(0);
        ASSERT_EQ(status, state == nullptr ? RATION_E_MEMORY : RATION_OK);
        failures += state == nullptr;
    }
    EXPECT_GE(failures, 4);
    rn_refine_tabu.free(state);
}

} // namespace
