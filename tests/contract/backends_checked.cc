// The checked backend accepts CUDA, and catches a planted difference at its epoch, chain and field.
#include <gtest/gtest.h>

#include <cstring>

#include "contract/backend_case.h"

using namespace ration_test;

namespace
{

// A backend like OpenMP, but after an epoch one byte of a chain's state is another.
struct Plant {
    int64_t epoch; // 1: the first
    int32_t chain;
    int64_t at;
    int64_t done;
};
Plant plant;

ration_status faulty_epoch(rn_backend_run *run, const rn_epoch *epoch, ration_error *error)
{
    const rn_backend *openmp = rn_backend_openmp();
    RN_TRY(openmp->epoch(run, epoch, error));
    plant.done++;
    return RATION_OK;
}

ration_status faulty_read(rn_backend_run *run, int32_t first, int32_t count, void *state,
                          ration_error *error)
{
    RN_TRY(rn_backend_openmp()->read(run, first, count, state, error));
    if (plant.done == plant.epoch && first == plant.chain) {
        ((char *)state)[plant.at] ^= 1;
    }
    return RATION_OK;
}

const rn_backend *faulty()
{
    static rn_backend backend = *rn_backend_openmp();
    backend.name = "faulty";
    backend.epoch = faulty_epoch;
    backend.read = faulty_read;
    return &backend;
}

void move_to_checked(SearchRun &run, const rn_backend *inner)
{
    rn_backend_load load = load_of(run.search, inner);
    rn_backend_run *chains = nullptr;
    ration_error error;
    load.threads = 2;
    ASSERT_EQ(rn_backend_checked()->create(&load, &chains, &error), RATION_OK) << error.text;
    move_to(run, rn_backend_checked(), chains);
}

class Checked : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        one_row_ = gap_program(40, 5, 1);
        Limits large;
        large.items = 9;
        large.places = 7;
        large.rows = 9;
        large.plans = 100000000;
        any_ = build(random_spec(1, large));
    }

    void TearDown() override
    {
        ration_program_free(one_row_);
        ration_program_free(any_);
    }

    // Runs epochs until the checked backend refuses; returns its sentence.
    std::string refusal(const ration_program *program, int64_t at)
    {
        SearchRun run(program, 1);
        run.options().epoch_length = 50;
        run.start();
        const rn_state_offsets m = rn_state_map(run.search->tables);
        plant = {3, 2, at >= 0 ? at : m.load + 8, 0};
        move_to_checked(run, faulty());
        ration_error error = {RATION_OK, ""};
        for (int64_t x = 1; x <= 5; x++) {
            const ration_status status = rn_search_epoch(run.search, &error);
            EXPECT_EQ(status, x < 3 ? RATION_OK : RATION_E_MISMATCH) << x << ": " << error.text;
            if (status != RATION_OK) {
                break;
            }
        }
        return error.text;
    }

    ration_program *one_row_ = nullptr;
    ration_program *any_ = nullptr;
};

TEST_F(Checked, AcceptsEqualBackends)
{
    for (const ration_program *program : {one_row_, any_}) {
        for (const rn_backend *inner : {rn_backend_openmp(), rn_backend_cuda()}) {
            SearchRun run(program, 1);
            run.options().epoch_length = 50;
            run.start();
            move_to_checked(run, inner);
            run.epochs(10);
            EXPECT_GT(run.search->moves, 0);
        }
    }
    EXPECT_EQ(shim_live(), 0);
}

TEST_F(Checked, CatchesAPlantedDifference)
{
    for (const ration_program *program : {one_row_, any_}) {
        const std::string load = refusal(program, -1);
        EXPECT_EQ(
            load.find("backends faulty and openmp differ after epoch 3, chain 2, load of row 1: "),
            0u)
            << load;
        const std::string cost = refusal(program, 0);
        EXPECT_EQ(
            cost.find("backends faulty and openmp differ after epoch 3, chain 2, cost of head 0: "),
            0u)
            << cost;
        const std::string spare = refusal(program, 100);
        EXPECT_NE(spare.find("in bytes that stand for nothing"), std::string::npos) << spare;
    }
}

} // namespace
