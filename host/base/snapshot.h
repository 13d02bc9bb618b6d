/* Checkpoints: a numbered state of a run in a file that is whole or not used.
 *
 * File: header of 48 bytes, then the payload; numbers lowest byte first.
 *
 *   0  8  magic "RATIONCK"      24  8  payload bytes
 *   8  4  version, 1            32  8  hash of the problem
 *  12  4  header bytes, 48      40  4  CRC-32C of the payload
 *  16  8  step                  44  4  CRC-32C of the 44 bytes before
 *
 * A file is written beside the old one, synced and renamed; the old one stays
 * as NAME.prev. CRC-32C finds damage, it is no protection against a forger.
 */
#ifndef RN_SNAPSHOT_H
#define RN_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rn_snapshot {
    int64_t step;    /* >= 0 */
    uint64_t problem; /* hash: a snapshot is of use for this problem only */
    void *payload;   /* [bytes] */
    size_t bytes;
} rn_snapshot;

/* Writes snapshot (borrowed) to path. RATION_E_IO, RATION_E_MEMORY; then the old file is intact. */
ration_status rn_snapshot_write(const char *path, const rn_snapshot *snapshot, ration_error *error);

/* Reads path or, when that is damaged or absent, PATH.prev; removes temporary
 * files of dead processes.
 *
 * problem   the hash that the snapshot must have.
 * snapshot  out; payload owned, rn_free.
 * previous  out; true: PATH.prev was used, and note[RATION_ERROR_TEXT_MAX] (may be NULL) says why.
 * RATION_E_INPUT when both are damaged or of another version, RATION_E_MISMATCH
 * when path is whole but of another problem, RATION_E_IO when there is none,
 * RATION_E_MEMORY.
 */
ration_status rn_snapshot_read(const char *path, uint64_t problem, rn_snapshot *snapshot,
                               bool *previous, char *note, ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
