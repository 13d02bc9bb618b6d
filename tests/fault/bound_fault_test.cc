// The Nth allocation fails while a bound is found, a program solved, a result made, written back
// and verified: the right code, nothing written, no leak, for every N up to success.
#include <gtest/gtest.h>

#include <functional>

#include "base/alloc.h"
#include "bound/bound.h"
#include "plan/result.h"
#include "program/program.h"
#include "support/random_program.h"

namespace
{

int fail_each(const std::function<ration_status(ration_error *)> &attempt)
{
    for (int n = 1; n < 2000; n++) {
        ration_error error{};
        rn_alloc_fail_at(n);
        const ration_status status = attempt(&error);
        rn_alloc_fail_at(0);
        if (status == RATION_OK) {
            return n - 1;
        }
        EXPECT_EQ(status, RATION_E_MEMORY) << n << ": " << error.text;
        EXPECT_NE(std::string(error.text).find("out of memory"), std::string::npos) << error.text;
    }
    return -1;
}

rn_bound *const NO_BOUND = reinterpret_cast<rn_bound *>(0x10);
ration_result *const NO_RESULT = reinterpret_cast<ration_result *>(0x10);

TEST(BoundFault, FindAndVerify)
{
    int32_t failures = 0;
    for (uint64_t seed = 1; seed <= 25; seed++) {
        ration_program *program = ration_test::build(ration_test::random_spec(seed));
        ASSERT_NE(program, nullptr);
        const rn_view *view = rn_program_view(program);
        const rn_bound_limits limits = {INT64_MAX, 20, 0, -1};
        failures += fail_each([&](ration_error *error) {
            rn_bound *bound = NO_BOUND;
            const ration_status status = rn_bound_find(view, &limits, &bound, error);
            if (status == RATION_OK) {
                rn_bound_free(bound);
            } else {
                EXPECT_EQ(bound, NO_BOUND);
            }
            return status;
        });
        rn_bound *bound = nullptr;
        ASSERT_EQ(rn_bound_find(view, &limits, &bound, nullptr), RATION_OK);
        std::vector<int32_t> picks;
        ration_test::for_each_plan(program, [&](const std::vector<int32_t> &plan) {
            picks = picks.empty() ? plan : picks;
        });
        failures += fail_each([&](ration_error *error) {
            ration_result *result = NO_RESULT;
            ration_status status =
                rn_result_create(program, picks.data(), bound, nullptr, &result, error);
            if (status != RATION_OK) {
                EXPECT_EQ(result, NO_RESULT);
                return status;
            }
            status = ration_verify(program, result, error);
            ration_result_free(result);
            return status;
        });
        rn_bound_free(bound);
        ration_program_free(program);
    }
    EXPECT_GT(failures, 300);
}

// The whole way: twin, bound, search, judge. Programs numbered otherwise than by name.
TEST(BoundFault, Solve)
{
    int32_t failures = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        ration_program *program = ration_test::build(ration_test::random_spec(seed), seed);
        ASSERT_NE(program, nullptr);
        std::vector<int32_t> picks;
        ration_test::for_each_plan(program, [&](const std::vector<int32_t> &plan) {
            picks = picks.empty() ? plan : picks;
        });
        ration_run run;
        ration_run_default(&run);
        run.epochs = 1;
        run.epoch_length = 64;
        run.chains = 2;
        run.threads = 1;
        run.passes = 5;
        run.backend = RATION_BACKEND_OPENMP;
        run.start = picks.data();
        failures += fail_each([&](ration_error *error) {
            ration_result *result = NO_RESULT;
            const ration_status status = ration_solve(program, &run, &result, error);
            if (status == RATION_OK) {
                ration_result_free(result);
            } else {
                EXPECT_EQ(result, NO_RESULT);
            }
            return status;
        });
        ration_program_free(program);
    }
    EXPECT_GT(failures, 100);
}

} // namespace
