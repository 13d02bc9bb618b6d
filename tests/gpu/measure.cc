// Evaluated options a second on the CUDA backend and on OpenMP, and whether both left the same
// bits.
//
//   measure [small|middle]      fewer chains and moves, for the stand-in of tests/shim
//
// Programs: generalised assignment of type D, once by the kernel for one-row programs and once by
// the one for any. The preset is gpu, the epochs are those of a run; the first is not timed. Prints
// one JSON object. Exits 0 when all states are equal, 3 when not, 77 without a device, 4 when
// something failed.
#include <gtest/gtest.h>

#include <chrono>
#include <cinttypes>
#include <cstring>
#include <ctime>
#include <string>

#include "contract/backend_case.h"
#include "gpu/occupancy.h"

using namespace ration_test;

namespace
{

struct Size {
    int32_t items;
    int32_t agents;
    int32_t chains;  // 0: of the preset
    int64_t moves;   // of a chain in an epoch; 0: as a run has it
    int64_t epochs;  // timed
    int32_t threads; // of OpenMP; 0: all
};

constexpr Size FULL = {1600, 80, 0, 0, 12, 0};
constexpr Size SMALL = {60, 5, 8, 60, 9, 1}; // the ninth epoch breeds
constexpr Size MIDDLE = {400, 20, 16, 400, 9, 1};

struct Measured {
    double options = 0; // evaluated
    double seconds = 0;
    double cpu_s = 0; // of all threads
    int64_t moves = 0;
    std::vector<char> state;
};

// Times all epochs but the first.
Measured timed(SearchRun &run, int64_t epochs)
{
    Measured m;
    run.epochs(1);
    const int64_t before = run.search->options;
    const clock_t cpu = clock();
    const auto begin = std::chrono::steady_clock::now();
    run.epochs(epochs);
    m.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    m.cpu_s = (double)(clock() - cpu) / CLOCKS_PER_SEC;
    m.options = (double)(run.search->options - before);
    m.moves = run.search->moves;
    m.state = run.state();
    return m;
}

void prepare(SearchRun &run, const Size &size)
{
    run.options().preset_gpu = true;
    run.options().chains = size.chains;
    run.options().islands = size.chains > 0 ? 2 : 0;
    run.options().epoch_length = size.moves;
    run.start();
}

void print_engine(const char *name, const Measured &m)
{
    printf(
        "   \"%s\": {\"seconds\": %.6f, \"cpu_seconds\": %.6f, \"million_options_per_s\": %.3f},\n",
        name, m.seconds, m.cpu_s, m.options / m.seconds / 1e6);
}

// One program by one kernel; returns whether the backends agree. last: nothing follows.
bool compare(const Size &size, bool general, bool last)
{
    ration_program *program = gap_program(size.items, size.agents, 1);
    const char *kernel = general ? "anneal_any" : "anneal_row";
    occupancy o = {};
    ration_error error;
    bool equal = false;
    {
        SearchRun host(program, size.threads, false, general);
        SearchRun device(program, size.threads, false, general);
        prepare(host, size);
        prepare(device, size);
        const Measured a = timed(host, size.epochs);
        move_to_cuda(device, 0, -1);
        const rn_chains *chains = rn_cuda_chains(device.search->chains);
        const Measured b = timed(device, size.epochs);
        equal = a.state == b.state && a.moves == b.moves && a.moves > 0;
        EXPECT_EQ(occupancy_of(chains, 0, !general, &o, &error), RATION_OK) << error.text;
        printf("  {\"kernel\": \"%s\", \"items\": %d, \"agents\": %d, \"chains\": %d,\n", kernel,
               size.items, size.agents, chains->chains);
        print_engine("openmp", a);
        print_engine("cuda", b);
        printf("   \"block_threads\": %d, \"residence\": %d, \"shared_bytes\": %" PRId64 ",\n",
               chains->threads, chains->residence, o.shared_bytes);
        printf("   \"resident_warps\": %d, \"resident_warps_most\": %d,\n", o.warps, o.warps_most);
        printf("   \"equal\": %s}%s\n", equal ? "true" : "false", last ? "" : ",");
    }
    ration_program_free(program);
    return equal;
}

} // namespace

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "full";
    const Size &size = strcmp(word, "small") == 0    ? SMALL
                       : strcmp(word, "middle") == 0 ? MIDDLE
                                                     : FULL;
    ration_error error;
    cudaDeviceProp device = {};
    if (REAL_DEVICE && rn_cuda_probe(0, &error) != RATION_OK) {
        fprintf(stderr, "skipped: needs a GPU: %s\n", error.text);
        return 77;
    }
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) {
        fprintf(stderr, "measure: the device does not say what it is\n");
        return 4;
    }
    printf("{\"device\": \"%s\", \"compute\": \"%d.%d\", \"multiprocessors\": %d,\n", device.name,
           device.major, device.minor, device.multiProcessorCount);
    printf(" \"epochs\": %d, \"programs\": [\n", (int)size.epochs);
    const bool row = compare(size, false, false);
    const bool any = compare(size, true, true);
    printf(" ]}\n");
    if (testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed()) {
        return 4;
    }
    return row && any ? 0 : 3;
}
