// Tiny random machine reassignment models: the program agrees with the problem statement for every
// assignment, feasible or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "support/roadef_model.h"
#include "support/text_file.h"

namespace
{

using namespace ration_test;

class Drawing
{
  public:
    explicit Drawing(uint64_t seed) : random_(seed)
    {
    }

    int64_t between(int64_t low, int64_t high) // the same numbers with every library
    {
        return low + (int64_t)(random_() % (uint64_t)(high - low + 1));
    }

    std::vector<int64_t> assignment(const Roadef &m)
    {
        std::vector<int64_t> at(m.process.size());
        for (int64_t &machine : at) {
            machine = between(0, (int64_t)m.machine.size() - 1);
        }
        return at;
    }

    Roadef draw()
    {
        Roadef m;
        m.resource.resize((size_t)between(1, 3));
        m.machine.resize((size_t)between(1, 4));
        m.service.resize((size_t)between(1, 4));
        m.process.resize((size_t)between(1, 6));
        for (auto &r : m.resource) {
            r = {between(0, 1), between(0, 3)};
        }
        draw_services(m);
        for (auto &process : m.process) {
            process.service = between(0, (int64_t)m.service.size() - 1);
            process.need = numbers(m.resource.size(), 0, 6);
            process.move = between(0, 5);
        }
        const int64_t least = between(0, 3) == 0 ? 30 : 5; // of capacity
        for (auto &machine : m.machine) {
            machine = {3 * between(0, 2), 1000000007 - between(0, 2),
                       numbers(m.resource.size(), least, 30), numbers(m.resource.size(), 0, 12),
                       numbers(m.machine.size(), 0, 2)};
        }
        for (int64_t b = between(0, 2); b > 0; b--) {
            const int64_t last = (int64_t)m.resource.size() - 1;
            m.balance.push_back({between(0, last), between(0, last), between(0, 3), between(0, 2)});
        }
        m.process_weight = between(0, 2);
        m.service_weight = between(0, 4);
        m.machine_weight = between(0, 2);
        m.home = assignment(m);
        return m;
    }

  private:
    std::mt19937_64 random_;

    std::vector<int64_t> numbers(size_t count, int64_t low, int64_t high)
    {
        std::vector<int64_t> list(count);
        for (int64_t &number : list) {
            number = between(low, high);
        }
        return list;
    }

    // Now and then a dependency on itself or twice on another.
    void draw_services(Roadef &m)
    {
        for (auto &service : m.service) {
            service.spread = between(0, 5) / 3 + between(0, 3) / 3;
            for (int64_t d = std::max<int64_t>(0, between(-4, 2)); d > 0; d--) {
                service.needs.push_back(between(0, (int64_t)m.service.size() - 1));
            }
        }
    }
};

struct Seen {
    int32_t feasible = 0;
    int32_t infeasible = 0;
    int32_t wrong = 0;
};

// Compares assignments under a model with a program made of the text of another.
Seen compare(const Roadef &m, const Roadef &written, Drawing &drawing, int32_t assignments)
{
    const TextFile model(text_of(written));
    const TextFile start(text_of(written.home));
    const RoadefProgram read(model.path(), start.path());
    Seen seen;
    EXPECT_EQ(read.status, RATION_OK) << read.error.text << "\n" << text_of(written);
    for (int32_t n = 0; read.status == RATION_OK && n < assignments; n++) {
        std::vector<int64_t> at = m.home;
        if (n % 2 == 0) {
            at = drawing.assignment(m);
        } else if (n > 1) { // near the start
            at[(size_t)drawing.between(0, (int64_t)at.size() - 1)] =
                drawing.between(0, (int64_t)m.machine.size() - 1);
        }
        const Worth worth = worth_of(read.program, picks_of(read.program, m.home, at));
        const bool feasible = is_feasible(m, at);
        seen.wrong += worth.cost != cost_of(m, at) || (worth.violation == 0) != feasible;
        (feasible ? seen.feasible : seen.infeasible)++;
    }
    return seen;
}

TEST(RoadefModel, EveryRuleAndCost)
{
    Seen all;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        Drawing drawing(seed);
        const Roadef m = drawing.draw();
        const Seen seen = compare(m, m, drawing, 40);
        EXPECT_EQ(seen.wrong, 0) << "seed " << seed << "\n" << text_of(m) << text_of(m.home);
        all.feasible += seen.feasible;
        all.infeasible += seen.infeasible;
    }
    EXPECT_GT(all.feasible, 2000);
    EXPECT_GT(all.infeasible, 5000);
}

// A model that differs in one number is told apart: one planted fault for each rule and cost.
TEST(RoadefModel, PlantedFaultsAreSeen)
{
    const std::vector<void (*)(Roadef &)> faults = {
        [](Roadef &m) { m.resource[0].weight++; },
        [](Roadef &m) { m.resource[0].transient = 1 - m.resource[0].transient; },
        [](Roadef &m) { m.machine[0].capacity[0] -= 5; },
        [](Roadef &m) { m.machine[0].safety[0] += 1; },
        [](Roadef &m) { m.machine[0].move.back() += 1; },
        [](Roadef &m) { m.machine[0].location = 7; },
        [](Roadef &m) { m.machine[0].neighbourhood = 7; },
        [](Roadef &m) { m.service[0].spread += 1; },
        [](Roadef &m) { m.service[0].needs.push_back((int64_t)m.service.size() - 1); },
        [](Roadef &m) { m.process[0].service = (int64_t)m.service.size() - 1; },
        [](Roadef &m) { m.process[0].need[0]++; },
        [](Roadef &m) { m.process[0].move++; },
        [](Roadef &m) {
            m.balance.push_back({0, (int64_t)m.resource.size() - 1, 3, 1});
        },
        [](Roadef &m) { m.process_weight++; },
        [](Roadef &m) { m.service_weight++; },
        [](Roadef &m) { m.machine_weight++; },
    };
    for (size_t fault = 0; fault < faults.size(); fault++) {
        int32_t wrong = 0;
        for (uint64_t seed = 1; seed <= 150; seed++) {
            Drawing drawing(seed);
            const Roadef m = drawing.draw();
            Roadef changed = m;
            faults[fault](changed);
            wrong += compare(m, changed, drawing, 40).wrong;
        }
        EXPECT_GT(wrong, 0) << "fault " << fault;
    }
}

// No choice of options is better than the best assignment: `move` at home, which the statement does
// not know, never pays.
TEST(RoadefModel, NothingBeatsTheBestAssignment)
{
    int32_t solvable = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        Drawing drawing(seed);
        Roadef m = drawing.draw();
        m.process.resize(std::min<size_t>(m.process.size(), 4));
        m.machine.resize(std::min<size_t>(m.machine.size(), 3));
        for (auto &machine : m.machine) {
            machine.move.resize(m.machine.size());
        }
        m.home = drawing.assignment(m);
        const TextFile model(text_of(m));
        const TextFile start(text_of(m.home));
        const RoadefProgram read(model.path(), start.path());
        ASSERT_EQ(read.status, RATION_OK) << read.error.text;
        int64_t best = INT64_MAX;
        std::vector<int64_t> at(m.process.size());
        for (size_t next = 0; next < at.size();) { // counts in base `machines`
            if (is_feasible(m, at)) {
                best = std::min(best, cost_of(m, at));
            }
            for (next = 0; next < at.size() && ++at[next] == (int64_t)m.machine.size(); next++) {
                at[next] = 0;
            }
        }
        int64_t least = INT64_MAX;
        std::vector<int32_t> pick(m.process.size());
        for (size_t next = 0; next < pick.size();) {
            const Worth worth = worth_of(read.program, pick);
            if (worth.violation == 0) {
                least = std::min(least, worth.cost);
            }
            for (next = 0; next < pick.size() &&
                           ++pick[next] == ration_program_options(read.program, (int32_t)next);
                 next++) {
                pick[next] = 0;
            }
        }
        EXPECT_EQ(least, best) << "seed " << seed << "\n" << text_of(m) << text_of(m.home);
        solvable += best != INT64_MAX;
    }
    EXPECT_GT(solvable, 15);
}

} // namespace
