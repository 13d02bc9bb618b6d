/* The device generator of cuRAND gives the numbers of core/philox.h.
 *
 * Built by nvcc it runs on a GPU (contract/curand_test.py); built against the
 * stand-in, with PTX_FILE, it runs what nvcc made of cuRAND (ptx_test.py). g++
 * cannot compile cuRAND's device code, so there the kernel is only a name.
 *
 *   0 equal, 1 different, 2 CUDA said no, 77 there is no GPU */
#include "core/philox.h"
#include "kernels/launch.h"

#include <cstdio>

#if defined(__CUDACC__)
#include <curand_kernel.h>
#endif

enum { BLOCKS = 8, THREADS = 64, STREAMS = BLOCKS * THREADS, DRAWS = 5, WORDS = 4 * DRAWS };

/* out  [STREAMS][WORDS] the words of one subsequence a thread. */
__global__ void curand_kernel(uint64_t seed, uint64_t offset, uint32_t *out)
{
#if defined(__CUDACC__)
    const uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, (unsigned long long)t << 28, 4 * offset, &state);
    for (int32_t draw = 0; draw < DRAWS; draw++) {
        const uint4 words = curand4(&state);
        uint32_t *to = out + (size_t)t * WORDS + 4 * draw;
        to[0] = words.x;
        to[1] = words.y;
        to[2] = words.z;
        to[3] = words.w;
    }
#else
    (void)seed;
    (void)offset;
    (void)out;
#endif
}

static uint32_t words[STREAMS * WORDS];

/* Subsequence s, offset 4 k: the counters (k, k >> 32, s, s >> 32) and on. */
static int64_t count_different(uint64_t seed, uint64_t offset)
{
    int64_t different = 0;
    for (uint32_t t = 0; t < STREAMS; t++) {
        const uint64_t stream = (uint64_t)t << 28;
        for (uint32_t draw = 0; draw < DRAWS; draw++) {
            const uint64_t at = offset + draw;
            const uint32_t counter[4] = {(uint32_t)at, (uint32_t)(at >> 32), (uint32_t)stream,
                                         (uint32_t)(stream >> 32)};
            const rn_random ours = rn_philox(counter, seed);
            for (uint32_t k = 0; k < 4; k++) {
                different += words[t * WORDS + 4 * draw + k] != ours.word[k];
            }
        }
    }
    return different;
}

static ration_status compare(uint64_t seed, uint64_t offset, int64_t *different,
                             ration_error *error)
{
    uint32_t *d_words;
    RN_CUDA(cudaMalloc((void **)&d_words, sizeof words), error);
    RN_CUDA(cudaMemset(d_words, 0, sizeof words), error);
    RN_LAUNCH(curand_kernel, BLOCKS, THREADS, 0, (cudaStream_t)0, seed, offset, d_words);
    RN_CUDA(cudaMemcpy(words, d_words, sizeof words, cudaMemcpyDeviceToHost), error);
    RN_CUDA(cudaFree(d_words), error);
    *different += count_different(seed, offset);
    return RATION_OK;
}

int main(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        printf("skipped: needs a GPU\n");
        return 77;
    }
    const uint64_t seeds[] = {0, 1, 0x0123456789abcdefull};
    const uint64_t offsets[] = {0, 12345, (1ull << 32) - 2};
    ration_error error;
    int64_t different = 0;
    for (int32_t k = 0; k < 3; k++) {
        if (compare(seeds[k], offsets[k], &different, &error) != RATION_OK) {
            printf("%s\n", error.text);
            return 2;
        }
    }
    printf("%lld of %d words different\n", (long long)different, 3 * STREAMS * WORDS);
    return different != 0;
}
