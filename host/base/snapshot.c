/* Checkpoints: header, sums, the generation before. */
#include "snapshot.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "core/fail.h"
#include "crc32c.h"
#include "file.h"

enum { HEADER_BYTES = 48, HEADER_SUMMED = 44, VERSION = 1 };

static const char MAGIC[8] = {'R', 'A', 'T', 'I', 'O', 'N', 'C', 'K'};

static void put(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t get(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

ration_status rn_snapshot_write(const char *path, const rn_snapshot *snapshot, ration_error *error)
{
    assert(snapshot->step >= 0);
    uint8_t header[HEADER_BYTES];
    memcpy(header, MAGIC, sizeof MAGIC);
    put(header + 8, VERSION, 4);
    put(header + 12, HEADER_BYTES, 4);
    put(header + 16, (uint64_t)snapshot->step, 8);
    put(header + 24, snapshot->bytes, 8);
    put(header + 32, snapshot->problem, 8);
    put(header + 40, rn_crc32c(0, snapshot->payload, snapshot->bytes), 4);
    put(header + HEADER_SUMMED, rn_crc32c(0, header, HEADER_SUMMED), 4);
    const rn_part parts[] = {{header, HEADER_BYTES}, {snapshot->payload, snapshot->bytes}};
    return rn_file_replace(path, parts, 2, true, error);
}

/* Reads exactly bytes; RATION_E_INPUT when the file ends before. */
static ration_status read_exactly(int file, void *to, size_t bytes, const char *path,
                                  ration_error *error)
{
    char *at = to;
    while (bytes > 0) {
        const ssize_t got = read(file, at, bytes);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return rn_fail_io(error, path, "cannot be read", errno);
        }
        if (got == 0) {
            return rn_fail(error, RATION_E_INPUT, "%s: damaged checkpoint (cut)", path);
        }
        at += got;
        bytes -= (size_t)got;
    }
    return RATION_OK;
}

/* Reads and checks the header; the payload's bytes and sum: out. */
static ration_status read_header(int file, const char *path, uint64_t problem,
                                 rn_snapshot *snapshot, uint32_t *sum, ration_error *error)
{
    struct stat about;
    if (fstat(file, &about) != 0) {
        return rn_fail_io(error, path, "cannot be read", errno);
    }
    if (!S_ISREG(about.st_mode)) {
        return rn_fail(error, RATION_E_INPUT, "%s: is no file, expected a checkpoint", path);
    }
    uint8_t header[HEADER_BYTES];
    RN_TRY(read_exactly(file, header, sizeof header, path, error));
    if (memcmp(header, MAGIC, sizeof MAGIC) != 0) {
        return rn_fail(error, RATION_E_INPUT, "%s: is no checkpoint", path);
    }
    if (get(header + HEADER_SUMMED, 4) != rn_crc32c(0, header, HEADER_SUMMED)) {
        return rn_fail(error, RATION_E_INPUT, "%s: damaged checkpoint (sum of the header)", path);
    }
    if (get(header + 8, 4) != VERSION || get(header + 12, 4) != HEADER_BYTES) {
        return rn_fail(error, RATION_E_INPUT, "%s: a checkpoint of version %u, expected %d", path,
                       (unsigned)get(header + 8, 4), VERSION);
    }
    const uint64_t bytes = get(header + 24, 8);
    if (about.st_size < HEADER_BYTES || bytes != (uint64_t)about.st_size - HEADER_BYTES ||
        get(header + 16, 8) > INT64_MAX) {
        return rn_fail(error, RATION_E_INPUT,
                       "%s: damaged checkpoint (%lld bytes in place of %llu)", path,
                       (long long)about.st_size, (unsigned long long)bytes + HEADER_BYTES);
    }
    if (get(header + 32, 8) != problem) {
        return rn_fail(error, RATION_E_MISMATCH,
                       "%s: a checkpoint of another problem or other run parameters", path);
    }
    *snapshot = (rn_snapshot){(int64_t)get(header + 16, 8), problem, NULL, (size_t)bytes};
    *sum = (uint32_t)get(header + 40, 4);
    return RATION_OK;
}

static ration_status read_open(int file, const char *path, uint64_t problem, rn_snapshot *snapshot,
                               ration_error *error)
{
    rn_snapshot read_in;
    uint32_t sum = 0;
    RN_TRY(read_header(file, path, problem, &read_in, &sum, error));
    read_in.payload = rn_malloc(read_in.bytes);
    if (read_in.payload == NULL) {
        return rn_fail_memory(error, path, read_in.bytes);
    }
    ration_status status = read_exactly(file, read_in.payload, read_in.bytes, path, error);
    if (status == RATION_OK && rn_crc32c(0, read_in.payload, read_in.bytes) != sum) {
        status =
            rn_fail(error, RATION_E_INPUT, "%s: damaged checkpoint (sum of the payload)", path);
    }
    if (status != RATION_OK) {
        rn_free(read_in.payload);
        return status;
    }
    *snapshot = read_in;
    return RATION_OK;
}

static ration_status read_one(const char *path, uint64_t problem, rn_snapshot *snapshot,
                              ration_error *error)
{
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        return rn_fail_io(error, path, "cannot be opened", errno);
    }
    const ration_status status = read_open(file, path, problem, snapshot, error);
    (void)close(file);
    return status;
}

ration_status rn_snapshot_read(const char *path, uint64_t problem, rn_snapshot *snapshot,
                               bool *previous, char *note, ration_error *error)
{
    (void)rn_file_sweep(path);
    ration_error first = {0};
    const ration_status status = read_one(path, problem, snapshot, &first);
    if (status == RATION_OK) {
        *previous = false;
        return RATION_OK;
    }
    if (status == RATION_E_MEMORY || status == RATION_E_MISMATCH) {
        return rn_fail(error, status, "%s", first.text);
    }
    const size_t bytes = strlen(path) + sizeof ".prev";
    char *older = rn_malloc(bytes);
    if (older == NULL) {
        return rn_fail_memory(error, "a path", bytes);
    }
    (void)snprintf(older, bytes, "%s.prev", path);
    const ration_status second = read_one(older, problem, snapshot, NULL);
    rn_free(older);
    if (second != RATION_OK) {
        return rn_fail(error, status, "%s",
                       first.text); /* what is wrong with the main file says more */
    }
    *previous = true;
    if (note != NULL) {
        (void)snprintf(note, RATION_ERROR_TEXT_MAX, "%s", first.text);
    }
    return RATION_OK;
}
