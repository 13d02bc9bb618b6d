// When a call of the CUDA runtime fails: the right status and a reason, nothing leaks, nothing that
// the caller owns is written.
#include <gtest/gtest.h>

#include <cstring>

#include "contract/backend_case.h"

using namespace ration_test;

namespace
{

class CudaFault : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        program_ = gap_program(20, 4, 5);
        run_ = new SearchRun(program_, 1);
        run_->options().chains = 3;
        run_->options().epoch_length = 20;
        run_->start();
        load_ = load_of(run_->search);
    }

    void TearDown() override
    {
        shim_fail(nullptr, 0);
        delete run_;
        ration_program_free(program_);
        EXPECT_EQ(shim_live(), 0);
    }

    ration_program *program_ = nullptr;
    SearchRun *run_ = nullptr;
    rn_backend_load load_ = {};
};

// What a run does, from loading to the best plan. Fills the outputs only when all went well.
struct Outputs {
    rn_backend_run *run = nullptr;
    std::vector<rn_chain_head> head;
    std::vector<int32_t> pick;
};

ration_status use_all(const rn_backend_load &load, const rn_epoch &epoch, Outputs *out,
                      ration_error *error)
{
    const rn_backend *cuda = rn_backend_cuda();
    const int32_t items = load.tables->view.items;
    const std::vector<int32_t> start((size_t)items, 0);
    RN_TRY(cuda->probe(0, error));
    RN_TRY(cuda->create(&load, &out->run, error));
    RN_TRY(cuda->begin(out->run, start.data(), 1, error));
    RN_TRY(cuda->epoch(out->run, &epoch, error));
    RN_TRY(cuda->heads(out->run, out->head.data(), error));
    return cuda->best(out->run, load.chains - 1, out->pick.data(), error);
}

TEST_F(CudaFault, EveryCallMayFail)
{
    const rn_tables *t = run_->search->tables;
    const size_t rows = (size_t)t->rows + 1;
    const std::vector<int64_t> over(rows, 1 << 20), slack(rows, 0), clamp(rows, 1 << 10);
    const std::vector<int32_t> heat(3, 256), push(3, 0);
    const std::vector<rn_mate> mate(3, rn_mate{RN_MATE_RESTORE, 0, 1, 0, 0});
    rn_epoch epoch = {};
    epoch.moves = 10;
    epoch.evaluations = 1000;
    epoch.depth = 1;
    epoch.breeds = 1;
    epoch.over_price = over.data();
    epoch.slack_price = slack.data();
    epoch.clamp = clamp.data();
    epoch.heat = heat.data();
    epoch.push = push.data();
    epoch.mate = mate.data();
    int64_t n = 1;
    for (;; n++) {
        Outputs out;
        ration_error error = {RATION_OK, ""};
        rn_chain_head untouched;
        memset(&untouched, 0x5a, sizeof untouched);
        out.head.assign(3, untouched);
        out.pick.assign((size_t)t->view.items, -7);
        shim_fail("any", n);
        const ration_status status = use_all(load_, epoch, &out, &error);
        const bool failed = shim_failed() != 0;
        shim_fail(nullptr, 0);
        if (!failed) {
            EXPECT_EQ(status, RATION_OK) << error.text;
            rn_backend_cuda()->free(out.run);
            break;
        }
        EXPECT_TRUE(status == RATION_E_DEVICE || status == RATION_E_ABSENT) << n << ": " << status;
        EXPECT_EQ(error.status, status);
        EXPECT_NE(strstr(error.text, "CUDA"), nullptr) << n << ": " << error.text;
        EXPECT_TRUE(out.pick.back() == -7) << n;
        EXPECT_EQ(cudaGetLastError(), cudaSuccess) << n << ": the runtime's error is cleared";
        rn_backend_cuda()->free(out.run);
        EXPECT_EQ(shim_live(), 0) << n;
    }
    EXPECT_GT(n, 20) << "the loop no longer reaches the calls";
}

TEST_F(CudaFault, MemoryThatDoesNotSufficeIsSaidBeforeTheRun)
{
    rn_backend_run *chains = nullptr;
    ration_error error;
    load_.chains = 1 << 20; // of about 1.5 KiB: more than the stand-in's GiB
    EXPECT_EQ(rn_backend_cuda()->create(&load_, &chains, &error), RATION_E_DEVICE);
    EXPECT_EQ(chains, nullptr);
    EXPECT_NE(strstr(error.text, "MiB free"), nullptr) << error.text;
    EXPECT_EQ(shim_live(), 0);
}

TEST_F(CudaFault, ADeviceThatIsNotThereIsRefused)
{
    ration_error error;
    EXPECT_EQ(rn_backend_cuda()->probe(3, &error), RATION_E_ABSENT);
    EXPECT_STREQ(error.text, "CUDA device 3 was asked for, this machine has devices 0 to 0");
    EXPECT_EQ(rn_backend_cuda()->probe(-1, &error), RATION_E_ABSENT);
    EXPECT_EQ(rn_backend_cuda()->probe(0, &error), RATION_OK);
}

} // namespace
