/* The lane primitives of core/hd.h, built for 1 and for 32 lanes: both give what a
 * loop gives, for several block sizes. */
#include "core/hd.h"
#include "kernels/launch.h"

#include "gtest/gtest.h"

#include <vector>

namespace
{

enum { VALUES = 77, CHAINS = 24 };

int64_t value_at(int32_t chain, int32_t i)
{
    return (int64_t)((uint32_t)(chain * VALUES + i) * 2654435761u >> 4) - (1 << 26);
}

struct answers {
    int64_t least[CHAINS], sum[CHAINS], winner[CHAINS];
};

} // namespace

/* A chain is RN_LANES threads: the least key, the sum and the value of the lane
 * that has the least key. */
__global__ void lanes_kernel(const int64_t *values, int64_t *least, int64_t *sum, int64_t *winner)
{
    const int32_t thread = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
    const int32_t chain = thread / RN_LANES, lane = rn_lane();
    int64_t key = INT64_MAX, total = 0;
    for (int32_t i = lane; i < VALUES; i += RN_LANES) {
        const int64_t candidate = values[chain * VALUES + i] * 128 + i;
        key = candidate < key ? candidate : key;
        total += values[chain * VALUES + i];
    }
    const int64_t mine = key;
    key = rn_min(key);
    total = rn_sum(total);
    const int64_t from = rn_from(mine, (int32_t)(key & 127) % RN_LANES);
    if (lane == 0) {
        least[chain] = key;
        sum[chain] = total;
        winner[chain] = from;
    }
    rn_sync();
}

namespace
{

ration_status run_lanes(int32_t threads, answers *got, ration_error *error)
{
    std::vector<int64_t> values(CHAINS * VALUES);
    for (int32_t chain = 0; chain < CHAINS; chain++) {
        for (int32_t i = 0; i < VALUES; i++) {
            values[(size_t)(chain * VALUES + i)] = value_at(chain, i);
        }
    }
    int64_t *d_values;
    int64_t *d_answers;
    const size_t bytes = values.size() * sizeof(int64_t);
    RN_CUDA(cudaMalloc(&d_values, bytes), error);
    RN_CUDA(cudaMalloc(&d_answers, sizeof *got), error);
    RN_CUDA(cudaMemcpy(d_values, values.data(), bytes, cudaMemcpyHostToDevice), error);
    RN_LAUNCH(lanes_kernel, CHAINS * RN_LANES / threads, threads, 0, (cudaStream_t)0, d_values,
              d_answers, d_answers + CHAINS, d_answers + 2 * CHAINS);
    RN_CUDA(cudaMemcpy(got, d_answers, sizeof *got, cudaMemcpyDeviceToHost), error);
    RN_CUDA(cudaFree(d_values), error);
    RN_CUDA(cudaFree(d_answers), error);
    return RATION_OK;
}

TEST(ShimLanes, PrimitivesGiveWhatALoopGives)
{
    for (int32_t threads : {RN_LANES, 4 * RN_LANES, 8 * RN_LANES}) {
        answers got;
        ration_error error;
        ASSERT_EQ(run_lanes(threads, &got, &error), RATION_OK) << error.text;
        for (int32_t chain = 0; chain < CHAINS; chain++) {
            int64_t least = INT64_MAX, sum = 0;
            for (int32_t i = 0; i < VALUES; i++) {
                const int64_t key = value_at(chain, i) * 128 + i;
                least = key < least ? key : least;
                sum += value_at(chain, i);
            }
            EXPECT_EQ(got.least[chain], least) << "chain " << chain << " threads " << threads;
            EXPECT_EQ(got.sum[chain], sum) << "chain " << chain << " threads " << threads;
            EXPECT_EQ(got.winner[chain], least) << "chain " << chain << " threads " << threads;
        }
    }
}

} // namespace
