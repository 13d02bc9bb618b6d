// Bounds of tiny random programs against enumeration by the definition (support/random_spec.h).
#include <gtest/gtest.h>

#include <climits>
#include <cstdlib>

#include "base/i128.h"
#include "bound/bound.h"
#include "bound/group.h"
#include "bound/relax.h"
#include "plan/result.h"
#include "plan/verify.h"
#include "program/program.h"
#include "support/random_program.h"

namespace
{

using ration_test::Limits;
using ration_test::Spec;
using ration_test::Value;

struct Best {
    bool feasible = false;
    int64_t cost = 0;
    int64_t violation = INT64_MAX;
    std::vector<int32_t> picks; // the best feasible plan, else the least violating one
};

// All plans, by the definition; each is also judged, and must be judged alike.
Best enumerate(const Spec &spec, const ration_program *program)
{
    Best best;
    int64_t seen = 0;
    ration_test::for_each_plan(program, [&](const std::vector<int32_t> &picks) {
        const Value value = ration_test::evaluate(spec, program, picks);
        if (seen++ % 7 == 0) {
            rn_verdict *verdict = nullptr;
            ration_error error{};
            ASSERT_EQ(rn_verify_picks(rn_program_view(program), picks.data(), &verdict, &error),
                      RATION_OK)
                << error.text;
            EXPECT_EQ(verdict->cost, value.cost) << "seed " << spec.seed;
            EXPECT_EQ(verdict->violation, value.violation) << "seed " << spec.seed;
            for (size_t row = 0; row < value.load.size(); row++) {
                EXPECT_EQ(verdict->load[row], value.load[row]) << "seed " << spec.seed;
            }
            rn_verdict_free(verdict);
        }
        const bool feasible = value.violation == 0;
        const bool better = best.feasible ? feasible && value.cost < best.cost
                                          : feasible || value.violation < best.violation;
        if (better) {
            best.feasible = feasible;
            best.cost = value.cost;
            best.violation = value.violation;
            best.picks = picks;
        }
    });
    return best;
}

struct Tally {
    int32_t programs = 0;
    int32_t feasible = 0;
    int32_t tight = 0;    // bound = optimum
    int32_t group = 0;    // certificates of that kind
    int32_t knapsack = 0; // likewise
    int32_t proven = 0;   // infeasible with proof
    int32_t unproven = 0; // infeasible without
    double gap = 0;       // sum of (optimum - bound) / max(1, |optimum|)
};

// The result of a plan and a bound survives JSON and is verified.
void round_trip(const ration_program *program, const Best &best, const rn_bound *bound)
{
    ration_error error{};
    ration_result *result = nullptr;
    ASSERT_EQ(rn_result_create(program, best.picks.data(), bound, nullptr, &result, &error),
              RATION_OK)
        << error.text;
    ration_writer *writer = nullptr;
    ASSERT_EQ(ration_writer_create(&writer, &error), RATION_OK);
    ration_writer_open_map(writer, nullptr);
    ration_result_write(result, program, nullptr, writer);
    ration_writer_close(writer);
    const char *text = nullptr;
    size_t bytes = 0;
    ASSERT_EQ(ration_writer_finish(writer, &text, &bytes, &error), RATION_OK) << error.text;
    ration_document *document = nullptr;
    ASSERT_EQ(ration_document_parse(text, bytes, "result", false, &document, &error), RATION_OK)
        << error.text;
    ration_result *back = nullptr;
    ASSERT_EQ(ration_result_read(ration_document_root(document), program, &back, &error), RATION_OK)
        << error.text << text;
    EXPECT_EQ(ration_verify(program, back, &error), RATION_OK) << error.text << text;
    EXPECT_EQ(ration_result_status(back), ration_result_status(result));
    EXPECT_EQ(ration_result_cost(back), best.cost);
    ration_result_free(back);
    ration_document_free(document);
    ration_writer_free(writer);
    ration_result_free(result);
}

void check(uint64_t seed, const Limits &limits, int32_t passes, Tally *tally)
{
    const Spec spec = ration_test::random_spec(seed, limits);
    ration_program *program = ration_test::build(spec);
    ASSERT_NE(program, nullptr);
    const Best best = enumerate(spec, program);
    rn_bound *bound = nullptr;
    ration_error error{};
    const rn_bound_limits how = {INT64_MAX, passes, 0, -1};
    ASSERT_EQ(rn_bound_find(rn_program_view(program), &how, &bound, &error), RATION_OK)
        << error.text;
    tally->programs++;
    tally->group += bound->kind == RN_BOUND_GROUP ? 1 : 0;
    tally->knapsack += bound->kind == RN_BOUND_KNAPSACK ? 1 : 0;
    if (bound->value != INT64_MIN) {
        const rn_claim claim = rn_bound_claim(bound);
        int64_t value = 0;
        ASSERT_EQ(rn_verify_claim(rn_program_view(program), &claim, &value, &error), RATION_OK)
            << "seed " << seed << ": " << error.text;
        EXPECT_EQ(value, bound->value) << "seed " << seed;
    }
    if (bound->infeasible) {
        tally->proven++;
        EXPECT_FALSE(best.feasible) << "seed " << seed;
        EXPECT_LE(bound->value, best.violation) << "seed " << seed;
    } else if (best.feasible) {
        tally->feasible++;
        EXPECT_NE(bound->value, INT64_MIN) << "seed " << seed;
        EXPECT_LE(bound->value, best.cost) << "seed " << seed;
        tally->tight += bound->value == best.cost ? 1 : 0;
        tally->gap +=
            (double)(best.cost - bound->value) / (double)std::max<int64_t>(1, std::abs(best.cost));
    } else {
        tally->unproven++;
    }
    round_trip(program, best, bound);
    rn_bound_free(bound);
    ration_program_free(program);
}

// Any prices and any widths prove something true; and the search for prices sees the value that the
// judge sees.
void check_any_claim(uint64_t seed, int32_t *claims, int32_t *rounded, int32_t *narrowed)
{
    const Spec spec = ration_test::random_spec(seed);
    ration_program *program = ration_test::build(spec);
    ASSERT_NE(program, nullptr);
    const rn_view *view = rn_program_view(program);
    const Best best = enumerate(spec, program);
    ration_test::Dice dice(seed);
    for (int32_t trial = 0; trial < 6; trial++) {
        std::vector<int64_t> price((size_t)view->all_rows);
        std::vector<int64_t> width((size_t)view->groups * 2, 0);
        for (int64_t &u : price) {
            u = dice.between(-(1 << 23), 1 << 23) * (int64_t)dice.between(0, 1);
        }
        for (size_t k = 0; k < width.size(); k++) {
            width[k] = view->group_row[k] >= 0 ? dice.between(1, 4) : 0;
        }
        const bool violation = trial % 3 == 2;
        const int32_t rounds = trial < 3 ? 0 : dice.between(0, 4);
        const rn_bound_kind kind = trial % 2 == 0 ? RN_BOUND_LAGRANGE : RN_BOUND_GROUP;
        const rn_claim claim = {kind,   violation, price.data(), width.data(),
                                rounds, nullptr,   nullptr};
        int64_t value = 0;
        ration_error error{};
        const ration_status status = rn_verify_claim(view, &claim, &value, &error);
        if (status == RATION_E_MISMATCH && !best.feasible) {
            continue; // a row or group has no load within its limits
        }
        ASSERT_EQ(status, RATION_OK) << "seed " << seed << ": " << error.text;
        (*claims)++;
        *rounded += kind == RN_BOUND_GROUP && !width.empty() ? 1 : 0;
        if (violation) {
            EXPECT_LE(value, best.violation) << "seed " << seed;
        } else if (best.feasible) {
            EXPECT_LE(value, best.cost) << "seed " << seed;
        }
        if (kind == RN_BOUND_LAGRANGE && !(violation && rounds > 0)) {
            rn_narrow *narrow = nullptr;
            rn_relax *relax = nullptr;
            rn_pass *pass = nullptr;
            if (rounds > 0) {
                ASSERT_EQ(rn_narrow_create(view, rounds, &narrow, &error), RATION_OK);
            }
            if (rounds > 0 && narrow == nullptr) {
                continue; // nothing is left out; only the ranges of conflict rows are narrower
            }
            *narrowed += narrow != nullptr ? 1 : 0;
            ASSERT_EQ(rn_relax_create(view, narrow, violation, &relax, &error), RATION_OK);
            ASSERT_EQ(rn_pass_create(relax, &pass, &error), RATION_OK);
            rn_relax_evaluate(relax, price.data(), pass);
            EXPECT_EQ((int64_t)rn_i128_ceil_div(pass->value, (rn_i128)1 << RN_PRICE_BITS), value);
            rn_pass_free(pass);
            rn_relax_free(relax);
            rn_narrow_free(narrow);
        }
    }
    ration_program_free(program);
}

TEST(BoundRandom, AnyPricesAndWidthsProveSomethingTrue)
{
    int32_t claims = 0;
    int32_t rounded = 0;
    int32_t narrowed = 0;
    for (uint64_t seed = 1; seed <= 600 && !HasFatalFailure(); seed++) {
        check_any_claim(seed, &claims, &rounded, &narrowed);
    }
    EXPECT_GT(claims, 1000);
    EXPECT_GT(rounded, 100);
    EXPECT_GT(narrowed, 50);
}

// Whatever rows are kept and whatever items are worth, what the judge makes of it is true.
void check_any_knapsack(uint64_t seed, int32_t *claims)
{
    Limits limits;
    limits.traffic = limits.groups = seed % 2 == 0;
    const Spec spec = ration_test::random_spec(seed, limits);
    ration_program *program = ration_test::build(spec);
    ASSERT_NE(program, nullptr);
    const rn_view *view = rn_program_view(program);
    const Best best = enumerate(spec, program);
    ration_test::Dice dice(seed);
    for (int32_t trial = 0; trial < 8; trial++) {
        std::vector<int64_t> price((size_t)view->all_rows);
        std::vector<int64_t> kept((size_t)view->all_rows, 0);
        std::vector<int64_t> value_of((size_t)view->items);
        for (int64_t &u : price) {
            u = dice.between(-(1 << 23), 1 << 23) * (int64_t)dice.between(0, 1);
        }
        for (int64_t &v : value_of) {
            v = dice.between(-(1 << 23), 1 << 24);
        }
        for (int32_t row = 0; row < view->rows; row++) {
            kept[(size_t)row] = view->row_rank[row] == 0 && dice.between(0, 1 + trial % 3) == 0;
        }
        const rn_claim claim = {RN_BOUND_KNAPSACK, false,           price.data(), nullptr,
                                trial % 3,         value_of.data(), kept.data()};
        int64_t value = 0;
        ration_error error{};
        const ration_status status = rn_verify_claim(view, &claim, &value, &error);
        if (status == RATION_E_MISMATCH) {
            continue; // two kept rows in one option, a negative amount, or no load in the limits
        }
        ASSERT_EQ(status, RATION_OK) << "seed " << seed << ": " << error.text;
        (*claims)++;
        if (best.feasible) {
            EXPECT_LE(value, best.cost) << "seed " << seed;
        }
    }
    ration_program_free(program);
}

TEST(BoundRandom, AnyKnapsacksProveSomethingTrue)
{
    int32_t claims = 0;
    for (uint64_t seed = 1; seed <= 1500 && !HasFatalFailure(); seed++) {
        check_any_knapsack(seed, &claims);
    }
    EXPECT_GT(claims, 1000);
}

// The flat arrays and the plain walk give the same value, picks and differences of loads.
TEST(BoundRandom, FlatAndGenericAgree)
{
    Limits limits;
    limits.feeds = limits.groups = limits.traffic = limits.structured = limits.conflicts = false;
    int32_t flat = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        Spec spec = ration_test::random_spec(seed, limits);
        for (ration_test::Item &item : spec.item) {
            for (ration_test::Choice &choice : item.choice) {
                choice.use.resize(std::min<size_t>(choice.use.size(), 1));
            }
        }
        ration_program *program = ration_test::build(spec);
        ASSERT_NE(program, nullptr);
        const rn_view *view = rn_program_view(program);
        rn_relax *relax = nullptr;
        rn_pass *one = nullptr;
        rn_pass *two = nullptr;
        ASSERT_EQ(rn_relax_create(view, nullptr, false, &relax, nullptr), RATION_OK);
        ASSERT_EQ(rn_pass_create(relax, &one, nullptr), RATION_OK);
        ASSERT_EQ(rn_pass_create(relax, &two, nullptr), RATION_OK);
        flat += relax->flat != nullptr ? 1 : 0;
        ration_test::Dice dice(seed);
        std::vector<int64_t> price((size_t)view->all_rows + 1);
        for (int64_t &u : price) {
            u = dice.between(-(1 << 23), 1 << 23);
        }
        if (relax->empty_row < 0) {
            rn_relax_evaluate(relax, price.data(), one);
            rn_relax_evaluate_generic(relax, price.data(), two);
            EXPECT_TRUE(one->value == two->value) << "seed " << seed;
            for (int32_t item = 0; item < view->items; item++) {
                EXPECT_EQ(one->pick[item], two->pick[item]) << "seed " << seed;
            }
            for (int32_t row = 0; row < view->all_rows; row++) {
                EXPECT_EQ(one->gradient[row], two->gradient[row]) << "seed " << seed;
            }
        }
        rn_pass_free(one);
        rn_pass_free(two);
        rn_relax_free(relax);
        ration_program_free(program);
    }
    EXPECT_GT(flat, 300);
}

void report(const char *what, const Tally &tally)
{
    std::printf("%s: %d programs, %d feasible, %d tight, mean gap %.3f, %d by groups, "
                "%d by knapsacks, %d proven infeasible, %d infeasible without proof\n",
                what, tally.programs, tally.feasible, tally.tight,
                tally.gap / std::max(1, tally.feasible), tally.group, tally.knapsack, tally.proven,
                tally.unproven);
}

TEST(BoundRandom, NeverAboveTheOptimum)
{
    Tally tally;
    for (uint64_t seed = 1; seed <= 700 && !HasFatalFailure(); seed++) {
        check(seed, Limits(), 120, &tally);
    }
    report("all parts", tally);
    EXPECT_GT(tally.feasible, 100);
    EXPECT_GT(tally.group, 10);
}

TEST(BoundRandomFull, NeverAboveTheOptimum)
{
    Tally tally;
    for (uint64_t seed = 1000; seed <= 6000 && !HasFatalFailure(); seed++) {
        check(seed, Limits(), 120, &tally);
    }
    report("all parts", tally);
}

TEST(BoundRandom, PlainProgramsAreTightEnough)
{
    Limits limits;
    limits.feeds = limits.groups = limits.traffic = limits.structured = limits.conflicts = false;
    limits.start = false;
    Tally tally;
    for (uint64_t seed = 1; seed <= 300 && !HasFatalFailure(); seed++) {
        check(seed, limits, 500, &tally);
    }
    report("plain", tally);
    EXPECT_GT(tally.tight, tally.feasible / 4);
}

} // namespace
