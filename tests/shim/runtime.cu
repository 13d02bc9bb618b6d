/* The host API of the stand-in refuses what a device refuses, counts what is alive
 * and fails where it is told to. */
#include "kernels/launch.h"
#include "kernels/shared.h"

#include "gtest/gtest.h"

#include <cstring>

/* Adds one to each cell, through dynamic shared memory. */
__global__ void add_kernel(int32_t *cells, int32_t count)
{
    RN_SHARED(int32_t, copy);
    const int32_t i = (int32_t)threadIdx.x;
    copy[i] = cells[i];
    __syncthreads();
    if (i < count) {
        cells[i] = copy[i] + 1;
    }
}

namespace
{

enum { CELLS = 64, BYTES = CELLS * 4 };

class Shim : public testing::Test
{
  protected:
    void SetUp() override
    {
        ASSERT_EQ(cudaMalloc(&cells, BYTES), cudaSuccess);
        ASSERT_EQ(cudaMemset(cells, 0, BYTES), cudaSuccess);
    }
    void TearDown() override
    {
        shim_fail(nullptr, 0);
        EXPECT_EQ(cudaFree(cells), cudaSuccess);
        EXPECT_EQ(shim_live(), 0);
    }
    ration_status launch(int32_t blocks, int32_t threads, size_t shared, ration_error *error)
    {
        return rn_launch(error, "add_kernel", add_kernel, blocks, threads, shared,
                         (cudaStream_t) nullptr, cells, (int32_t)CELLS);
    }
    int32_t *cells = nullptr;
};

TEST_F(Shim, LaunchesOnlyShapesThatADeviceAccepts)
{
    ration_error error;
    EXPECT_EQ(launch(1, CELLS, BYTES, &error), RATION_OK);
    EXPECT_EQ(launch(1, CELLS, 200 << 10, &error), RATION_OK) << error.text;
    EXPECT_EQ(launch(0, CELLS, BYTES, &error), RATION_E_DEVICE);
    EXPECT_EQ(launch(1, 0, BYTES, &error), RATION_E_DEVICE);
    EXPECT_EQ(launch(1, 1025, BYTES, &error), RATION_E_DEVICE);
    EXPECT_EQ(launch(1, CELLS, 228 << 10, &error), RATION_E_DEVICE);
    EXPECT_NE(strstr(error.text, "add_kernel (1 blocks of 64 threads, 233472 bytes"), nullptr)
        << error.text;
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "the runtime's error is cleared";
    EXPECT_EQ(rn_launch(nullptr, "x", add_kernel, 0, 1, 0, nullptr, cells, 1), RATION_E_DEVICE);
}

TEST_F(Shim, CopiesOnlyWhereTheMemoryIs)
{
    int32_t host[CELLS + 1] = {0}, other[CELLS];
    EXPECT_EQ(cudaMemcpy(cells, host, BYTES, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(cells, host, BYTES + 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(cells + 1, host, BYTES, cudaMemcpyDefault), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(host, other, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(host, cells, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(host, cells, BYTES, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(cudaMemset(cells + 1, 0, BYTES), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFree(host), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Shim, AnEventOrdersTwoStreams)
{
    cudaStream_t first, second;
    cudaEvent_t event;
    int32_t host[CELLS];
    ASSERT_EQ(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
    ASSERT_EQ(
        rn_launch(nullptr, "add_kernel", add_kernel, 1, CELLS, BYTES, first, cells, (int32_t)CELLS),
        RATION_OK);
    ASSERT_EQ(cudaEventRecord(event, first), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess) << "work that waits for it is queued";
    ASSERT_EQ(cudaMemcpyAsync(host, cells, BYTES, cudaMemcpyDeviceToHost, second), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(second), cudaSuccess);
    EXPECT_EQ(host[0], 1);
    EXPECT_EQ(host[CELLS - 1], 1);
    EXPECT_EQ(cudaStreamDestroy(first), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(second), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(second), cudaErrorInvalidResourceHandle);
}

TEST_F(Shim, CountsWhatIsAliveAndFailsWhereTold)
{
    EXPECT_EQ(shim_live(), 1);
    int32_t *more = nullptr;
    shim_fail("cudaMalloc", 2);
    EXPECT_EQ(cudaMalloc(&more, 4), cudaSuccess);
    EXPECT_EQ(shim_failed(), 0);
    EXPECT_EQ(cudaFree(more), cudaSuccess);
    int32_t *none = nullptr;
    EXPECT_EQ(cudaMalloc(&none, 4), cudaErrorMemoryAllocation);
    EXPECT_EQ(none, nullptr);
    EXPECT_EQ(shim_failed(), 1);
    shim_fail("any", 1);
    ration_error error;
    EXPECT_EQ(launch(1, CELLS, BYTES, &error), RATION_E_DEVICE);
    EXPECT_EQ(launch(1, CELLS, BYTES, &error), RATION_OK);
    EXPECT_EQ(shim_live(), 1);
}

} // namespace
