// Checkpoints: damage is found, the generation before is used, a kill at any moment leaves a whole
// file.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "host/base/alloc.h"
#include "host/base/file.h"
#include "host/base/snapshot.h"
#include "unit/base_folder.h"

namespace {

const uint64_t PROBLEM = 0x123456789abcdef0u;

std::string payload_of(int64_t step, size_t bytes)
{
    std::string payload(bytes, '\0');
    for (size_t i = 0; i < bytes; i++) {
        payload[i] = static_cast<char>(static_cast<size_t>(step) * 31 + i * 7);
    }
    return payload;
}

ration_status save(const std::string &path, int64_t step, size_t bytes,
                   ration_error *error = nullptr)
{
    std::string payload = payload_of(step, bytes);
    const rn_snapshot snapshot = {step, PROBLEM, payload.data(), payload.size()};
    return rn_snapshot_write(path.c_str(), &snapshot, error);
}

struct loaded {
    ration_status status = RATION_E_INTERNAL;
    int64_t step = -1;
    bool previous = false;
    bool whole = false; // the payload is that of the step
    std::string said;   // the error, or the note
};

loaded load(const std::string &path, uint64_t problem = PROBLEM)
{
    loaded result;
    rn_snapshot snapshot = {-7, 0, nullptr, 0};
    ration_error error = {};
    char note[RATION_ERROR_TEXT_MAX] = "";
    result.status =
        rn_snapshot_read(path.c_str(), problem, &snapshot, &result.previous, note, &error);
    result.said = result.status == RATION_OK ? note : error.text;
    if (result.status != RATION_OK) {
        EXPECT_EQ(snapshot.step, -7);
        EXPECT_EQ(snapshot.payload, nullptr);
        return result;
    }
    EXPECT_EQ(snapshot.problem, problem);
    result.step = snapshot.step;
    result.whole = payload_of(snapshot.step, snapshot.bytes) ==
                   std::string(static_cast<const char *>(snapshot.payload), snapshot.bytes);
    rn_free(snapshot.payload);
    return result;
}

TEST(BaseSnapshot, ReadsWhatWasWritten)
{
    const base_folder folder;
    const std::string path = folder / "run.ck";
    for (size_t bytes : {size_t{0}, size_t{1}, size_t{100000}}) {
        ration_error error = {};
        ASSERT_EQ(save(path, static_cast<int64_t>(bytes) + 1, bytes, &error), RATION_OK)
            << error.text;
        const loaded l = load(path);
        EXPECT_EQ(l.status, RATION_OK) << l.said;
        EXPECT_EQ(l.step, static_cast<int64_t>(bytes) + 1);
        EXPECT_TRUE(l.whole);
        EXPECT_FALSE(l.previous);
    }
    EXPECT_EQ(folder.count(), 2); // run.ck and run.ck.prev
}

// The layout is published in snapshot.h: these bytes were put together by hand, the sums by another
// program.
TEST(BaseSnapshot, TheFormatStays)
{
    const base_folder folder;
    const std::string path = folder / "run.ck";
    char payload[] = "123456789";
    const rn_snapshot snapshot = {0x0102, 0x1122334455667788, payload, 9};
    ASSERT_EQ(rn_snapshot_write(path.c_str(), &snapshot, nullptr), RATION_OK);
    const std::string file = base_folder::read(path);
    const std::string expected(
        "RATIONCK\1\0\0\0\x30\0\0\0\2\1\0\0\0\0\0\0\t\0\0\0\0\0\0\0\x88\x77\x66\x55\x44\x33\x22\x11"
        "\x83\x92\x06\xe3",
        44);
    EXPECT_EQ(file.substr(0, 44), expected);
    EXPECT_EQ(file.substr(48), "123456789");
    EXPECT_EQ(file.size(), 57u);
}

TEST(BaseSnapshot, EveryDamageIsFound)
{
    const base_folder folder;
    const std::string path = folder / "run.ck";
    ASSERT_EQ(save(path, 1, 40), RATION_OK);
    ASSERT_EQ(save(path, 2, 40), RATION_OK);
    const std::string whole = base_folder::read(path);
    std::vector<std::string> damaged;
    for (size_t i = 0; i < whole.size(); i++) {
        damaged.push_back(whole.substr(0, i));
        for (int bit = 0; bit < 8; bit++) {
            damaged.push_back(whole);
            damaged.back()[i] = static_cast<char>(whole[i] ^ (1 << bit));
        }
    }
    damaged.push_back(whole + '\0');
    damaged.push_back(whole + whole);
    for (const std::string &text : damaged) {
        folder.write("run.ck", text);
        const loaded l = load(path);
        ASSERT_EQ(l.status, RATION_OK) << l.said;
        EXPECT_TRUE(l.previous && l.step == 1 && l.whole);
        EXPECT_EQ(l.said.compare(0, path.size(), path), 0) << l.said;
    }
    folder.write("run.ck", whole);
    EXPECT_EQ(load(path).step, 2);
}

TEST(BaseSnapshot, SaysWhatIsWrong)
{
    const base_folder folder;
    const std::string path = folder / "run.ck";
    loaded l = load(path);
    EXPECT_EQ(l.status, RATION_E_IO);
    EXPECT_EQ(l.said, path + ": cannot be opened: No such file or directory");
    folder.write("run.ck", "not a checkpoint, though longer than a header is");
    l = load(path);
    EXPECT_EQ(l.status, RATION_E_INPUT);
    EXPECT_EQ(l.said, path + ": is no checkpoint");
    ASSERT_EQ(save(path, 5, 10), RATION_OK);
    ASSERT_EQ(save(path, 6, 10), RATION_OK);
    l = load(path, PROBLEM + 1);
    EXPECT_EQ(l.status, RATION_E_MISMATCH);
    EXPECT_EQ(l.said, path + ": a checkpoint of another problem or other run parameters");
    ASSERT_EQ(unlink(path.c_str()), 0);
    l = load(path);
    EXPECT_TRUE(l.status == RATION_OK && l.previous && l.step == 5);
    EXPECT_EQ(l.said, path + ": cannot be opened: No such file or directory");
    const std::string fifo = folder / "fifo";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_EQ(load(fifo).said, fifo + ": is no file, expected a checkpoint");
}

TEST(BaseSnapshot, AFailedAllocationIsSaid)
{
    const base_folder folder;
    const std::string path = folder / "run.ck";
    ASSERT_EQ(save(path, 1, 10), RATION_OK);
    for (int n = 1; n <= 2; n++) { // the sweep gives up in silence, the payload does not
        rn_alloc_fail_at(n);
        const loaded l = load(path);
        rn_alloc_fail_at(0);
        EXPECT_EQ(l.status, n == 1 ? RATION_OK : RATION_E_MEMORY) << l.said;
    }
}

// A child saves as fast as it can and is killed; what is there must be whole, and its temporary
// files go at the next read.
TEST(BaseSnapshot, KilledAtAnyMoment)
{
    const base_folder folder;
    const std::string path = folder / "run.ck";
    ASSERT_EQ(save(path, 0, 3000), RATION_OK);
    int64_t last = 0;
    for (int round = 0; round < 30; round++) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            for (int64_t step = last + 1;; step++) {
                if (save(path, step, 3000) != RATION_OK) {
                    _exit(1);
                }
            }
        }
        usleep(static_cast<useconds_t>(500 + round * 333));
        ASSERT_EQ(kill(child, SIGKILL), 0);
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status));
        const loaded l = load(path);
        ASSERT_EQ(l.status, RATION_OK) << l.said;
        EXPECT_FALSE(l.previous) << l.said;
        EXPECT_TRUE(l.whole);
        EXPECT_GE(l.step, last);
        last = l.step;
        EXPECT_LE(folder.count(), 2);
    }
}

TEST(BaseSnapshot, SweepsOnlyWhatTheDeadLeft)
{
    const base_folder folder;
    const std::string path = folder / "run.ck";
    const pid_t child = fork(); // a process number that is free again
    ASSERT_GE(child, 0);
    if (child == 0) {
        _exit(0);
    }
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    uint32_t sum = 0xffffffffu; // CRC-32C, bit by bit
    for (const char *at = host; *at != '\0'; at++) {
        sum ^= static_cast<uint8_t>(*at);
        for (int bit = 0; bit < 8; bit++) {
            sum = sum >> 1 ^ ((sum & 1) != 0 ? 0x82F63B78u : 0);
        }
    }
    char prefix[64];
    snprintf(prefix, sizeof prefix, ".run.ck.%08x.", ~sum);
    const std::string dead = prefix + std::to_string(child) + ".0.tmp";
    const std::string alive = prefix + std::to_string(getpid()) + ".0.tmp";
    for (const std::string &name :
         {dead, alive, dead + "x", ".other.ck" + dead, std::string(".run.ck.00000000.1.0.tmp")}) {
        folder.write(name, "x");
    }
    EXPECT_EQ(rn_file_sweep(path.c_str()), 1);
    EXPECT_EQ(access((folder / dead).c_str(), F_OK), -1);
    EXPECT_EQ(folder.count(), 4);
}

// A limit on the size of files stands for a full disk: the old checkpoint stays, nothing is left
// behind, the run goes on.
TEST(BaseSnapshot, AFullDiskKeepsTheOldOne)
{
    const base_folder folder;
    const std::string path = folder / "run.ck";
    ASSERT_EQ(save(path, 1, 1000), RATION_OK);
    rlimit old = {};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
    const rlimit small = {10000, old.rlim_max};
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    ration_error error = {};
    const ration_status status = save(path, 2, 20000, &error);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    EXPECT_EQ(status, RATION_E_IO);
    EXPECT_EQ(error.text, path + ": cannot be written: File too large");
    EXPECT_EQ(folder.count(), 1);
    EXPECT_EQ(load(path).step, 1);
    EXPECT_EQ(save(path, 3, 1000), RATION_OK);
    EXPECT_EQ(load(path).step, 3);
}

} // namespace
