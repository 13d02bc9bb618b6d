// The player against full evaluation, on random programs that use every part of the form.
#include <gtest/gtest.h>

#include "support/search_case.h"

using namespace ration_test;

namespace
{

rn_change full(const ChainCase &c, const rn_epoch &e, int32_t push,
               const std::vector<int32_t> &picks, std::vector<int64_t> *load)
{
    std::vector<int32_t> seat(picks.size());
    for (size_t i = 0; i < picks.size(); i++) {
        seat[i] = rn_option_decode(c.view(), (int32_t)i, picks[i]).place;
    }
    load->assign((size_t)c.tables()->rows + 1, 0);
    rn_eval_loads(c.tables(), picks.data(), load->data());
    return rn_eval_plan(c.tables(), &e, push, picks.data(), seat.data(), load->data());
}

// One random change of a pick: energy, cost, violation and every load.
void check_delta(ChainCase &c, std::mt19937_64 &dice)
{
    const rn_view *v = c.view();
    std::vector<int32_t> picks = c.draw_picks(dice);
    std::vector<int64_t> load, after_load;
    const int32_t push = (int32_t)(dice() % 3);
    const rn_change before = full(c, c.epoch(), push, picks, &load);
    std::vector<int32_t> seat(picks.size());
    for (size_t i = 0; i < picks.size(); i++) {
        seat[i] = rn_option_decode(v, (int32_t)i, picks[i]).place;
    }
    const int32_t item = (int32_t)(dice() % (uint64_t)v->items);
    const int32_t option = c.draw_picks(dice)[(size_t)item];
    std::vector<int32_t> row((size_t)c.tables()->touch);
    std::vector<int64_t> change((size_t)c.tables()->touch);
    rn_touch touch = {row.data(), change.data(), 0};
    const rn_option from = rn_option_decode(v, item, picks[(size_t)item]);
    const rn_option to = rn_option_decode(v, item, option);
    rn_touch_pick(v, load.data(), item, from, to, &touch);
    ASSERT_LE(touch.count, c.tables()->touch);
    const rn_change delta = rn_change_rows(c.tables(), &c.epoch(), push, load.data(), &touch);
    const int64_t own =
        to.cost - from.cost + rn_traffic_change(v, seat.data(), item, from.place, to.place);
    EXPECT_EQ(delta.energy, rn_change_energy(c.tables(), &c.epoch(), push, load.data(), &touch));
    picks[(size_t)item] = option;
    const rn_change after = full(c, c.epoch(), push, picks, &after_load);
    for (int32_t x = 0; x < touch.count; x++) {
        load[(size_t)touch.row[x]] += touch.change[x];
    }
    EXPECT_EQ(load, after_load);
    EXPECT_EQ(before.cost + delta.cost + own, after.cost);
    EXPECT_EQ(before.violation + delta.violation, after.violation);
    EXPECT_EQ(before.energy + delta.energy + rn_energy(c.tables(), own), after.energy);
}

TEST(SearchDelta, EqualsFullEvaluation)
{
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        const Spec spec = random_spec(seed);
        ration_program *program = build(spec);
        ASSERT_NE(program, nullptr);
        std::mt19937_64 dice(seed);
        ChainCase c(program, seed);
        for (int32_t x = 0; x < 8; x++) {
            check_delta(c, dice);
        }
        ration_program_free(program);
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
}

// Lists hold each item once for every use of its pick, in the rows that it loads.
void check_lists(const ChainCase &c, std::vector<char> &state, const std::vector<int32_t> &picks)
{
    const rn_tables *t = c.tables();
    const rn_state_offsets m = rn_state_map(t);
    const int32_t *next = (const int32_t *)(ChainCase::aligned(state) + m.next);
    std::map<std::pair<int32_t, int32_t>, int32_t> found, expected; // (row, item) -> times
    for (int32_t r = 0; r < t->rows; r++) {
        const int32_t ring = t->view.items * t->nodes + r;
        for (int32_t node = next[ring]; node != ring; node = next[node]) {
            found[{r, node / t->nodes}]++;
        }
    }
    for (int32_t i = 0; i < t->view.items; i++) {
        rn_uses walk = rn_uses_begin(&t->view, i, rn_option_decode(&t->view, i, picks[(size_t)i]));
        int32_t row;
        int64_t amount;
        while (rn_uses_next(&t->view, &walk, &row, &amount)) {
            expected[{row, i}]++;
        }
    }
    EXPECT_EQ(found, expected);
}

void check_plan(const Spec &spec, const ration_program *program, const std::vector<int32_t> &picks,
                int64_t cost, int64_t violation)
{
    const Value value = evaluate(spec, program, picks);
    EXPECT_EQ(value.cost, cost);
    EXPECT_EQ(value.violation, violation);
}

// After an epoch the chain's costs, loads and lists are those of its picks, by the definition and
// by the judge.
TEST(SearchChain, KeepsExactCosts)
{
    for (uint64_t seed = 1; seed <= 600; seed++) {
        const Spec spec = random_spec(seed);
        ration_program *program = build(spec);
        ASSERT_NE(program, nullptr);
        std::mt19937_64 dice(seed);
        ChainCase c(program, seed);
        std::vector<char> state = c.begin(c.draw_picks(dice));
        for (int32_t epoch = 0; epoch < 3; epoch++) {
            c.epoch().step += c.epoch().moves;
            c.epoch().stiffness = (int32_t)(dice() % 65537);
            c.run(state, epoch);
            const rn_chain_head head = c.head(state);
            const std::vector<int32_t> picks = c.picks(state, false);
            check_plan(spec, program, picks, head.cost, head.violation);
            check_plan(spec, program, c.picks(state, true), head.best_cost, head.best_violation);
            check_lists(c, state, picks);
            uint64_t digest = 0;
            for (size_t i = 0; i < picks.size(); i++) {
                digest += rn_pick_hash((int32_t)i, picks[i]);
            }
            EXPECT_EQ(digest, head.digest);
            rn_verdict *verdict = nullptr;
            ASSERT_EQ(rn_verify_picks(c.view(), picks.data(), &verdict, nullptr), RATION_OK);
            EXPECT_EQ(verdict->cost, head.cost);
            EXPECT_EQ(verdict->violation, head.violation);
            rn_verdict_free(verdict);
        }
        ration_program_free(program);
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
}

// A child's items come from its parents or, mutated, from the candidates.
TEST(SearchBreed, TakesItemsOfParents)
{
    int32_t mutants = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        ration_program *program = build(random_spec(seed));
        std::mt19937_64 dice(seed);
        ChainCase c(program, seed);
        std::vector<char> a = c.begin(c.draw_picks(dice)), b = c.begin(c.draw_picks(dice));
        c.run(a, 0);
        c.run(b, 1);
        std::vector<char> child = c.begin(c.draw_picks(dice));
        const rn_mate mate = {RN_MATE_CROSS, 0, 1, (uint32_t)1 << 31, (uint32_t)1 << 28};
        const std::vector<int32_t> pa = c.picks(a, true), pb = c.picks(b, true);
        rn_breed(c.tables(), &c.epoch(), mate, 2, pa.data(), pb.data(), ChainCase::aligned(child));
        const std::vector<int32_t> pc = c.picks(child, false);
        for (size_t i = 0; i < pc.size(); i++) {
            const int32_t *cand = c.tables()->cand_option + i * RN_CANDIDATES;
            const bool candidate =
                std::find(cand, cand + RN_CANDIDATES, pc[i]) != cand + RN_CANDIDATES;
            EXPECT_TRUE(pc[i] == pa[i] || pc[i] == pb[i] || candidate);
            mutants += pc[i] != pa[i] && pc[i] != pb[i];
        }
        EXPECT_EQ(c.head(child).fresh, 1);
        ration_program_free(program);
    }
    EXPECT_GT(mutants, 0);
}

} // namespace
