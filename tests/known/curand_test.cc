// core/philox.h gives the numbers of cuRAND: of its host generator, which needs no
// GPU, and of its device header, compiled for the host.
#include "core/philox.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#if RATION_WITH_CUDA && defined(__has_include)
#if __has_include(<curand_philox4x32_x.h>)
#define HAVE_DEVICE_HEADER 1
#include <cuda_runtime.h>
#define QUALIFIERS static inline
#include <curand_philox4x32_x.h>
#endif
#endif

namespace {

// The parts of curand.h that the test calls, as its ABI has them.
typedef void *generator;
const int PHILOX4_32_10 = 161;  // CURAND_RNG_PSEUDO_PHILOX4_32_10
typedef int (*create_function)(generator *, int);
typedef int (*seed_function)(generator, unsigned long long);
typedef int (*generate_function)(generator, unsigned *, size_t);
typedef int (*destroy_function)(generator);

// Opens libcurand by the loader's path or beside nvcc; NULL when there is none.
void *open_curand()
{
    std::vector<std::string> names = {"libcurand.so", "libcurand.so.10"};
    const char *nvcc = std::getenv("NVCC");
    if (nvcc != nullptr) {
        const std::string root = std::string(nvcc) + "/../../";
        for (const char *folder : {"lib64/", "lib/"}) {
            names.push_back(root + folder + "libcurand.so");
            names.push_back(root + folder + "libcurand.so.10");
        }
    }
    for (const std::string &name : names) {
        void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library != nullptr) {
            return library;
        }
    }
    return nullptr;
}

template <class F> F symbol(void *library, const char *name)
{
    return (F)dlsym(library, name);
}

TEST(Curand, HostGeneratorGivesTheSameNumbers)
{
    void *library = open_curand();
    if (library == nullptr) {
        GTEST_SKIP() << "needs libcurand";
    }
    const auto create = symbol<create_function>(library, "curandCreateGeneratorHost");
    const auto seed = symbol<seed_function>(library, "curandSetPseudoRandomGeneratorSeed");
    const auto generate = symbol<generate_function>(library, "curandGenerate");
    const auto destroy = symbol<destroy_function>(library, "curandDestroyGenerator");
    ASSERT_TRUE(create && seed && generate && destroy);

    const uint64_t key = 0x0123456789abcdefull;
    const size_t count = 1 << 20;
    std::vector<unsigned> numbers(count);
    generator philox = nullptr;
    ASSERT_EQ(create(&philox, PHILOX4_32_10), 0);
    ASSERT_EQ(seed(philox, key), 0);
    ASSERT_EQ(generate(philox, numbers.data(), count), 0);
    EXPECT_EQ(destroy(philox), 0);

    int64_t different = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t block = (uint32_t)(i / 4);
        const uint32_t counter[4] = {block / 65536, 0, block % 65536, 0};
        different += rn_philox(counter, key).word[i % 4] != numbers[i];
    }
    EXPECT_EQ(different, 0);
}

TEST(Curand, DeviceHeaderGivesTheSameNumbers)
{
#ifdef HAVE_DEVICE_HEADER
    uint64_t state = 0x9E3779B97F4A7C15ull;
    const auto next = [&state] {  // Marsaglia's xorshift, independent of Philox
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return (uint32_t)(state >> 16);
    };
    int64_t different = 0;
    for (int32_t i = 0; i < 2000000; i++) {
        const uint32_t counter[4] = {next(), next(), next(), next()};
        const uint32_t key[2] = {next(), next()};
        const uint4 theirs = curand_Philox4x32_10(
            make_uint4(counter[0], counter[1], counter[2], counter[3]), make_uint2(key[0], key[1]));
        const rn_random ours = rn_philox(counter, ((uint64_t)key[1] << 32) | key[0]);
        different += theirs.x != ours.word[0] || theirs.y != ours.word[1] ||
                     theirs.z != ours.word[2] || theirs.w != ours.word[3];
    }
    EXPECT_EQ(different, 0);
#else
    GTEST_SKIP() << "needs cuRAND's headers";
#endif
}

}  // namespace
