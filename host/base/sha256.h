/* SHA-256. Source: FIPS 180-4, sections 4.1.2, 4.2.2, 5.1.1, 5.3.3 and 6.2. */
#ifndef RN_SHA256_H
#define RN_SHA256_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RN_SHA256_BYTES = 32, RN_SHA256_TEXT_MAX = 65, RN_SHA256_BLOCK = 64 };

typedef struct rn_sha256 {
    uint32_t state[8];
    uint64_t bytes; /* taken in so far */
    uint8_t block[RN_SHA256_BLOCK];
} rn_sha256;

void rn_sha256_start(rn_sha256 *hash);
void rn_sha256_add(rn_sha256 *hash, const void *data, size_t bytes);
/* Adds value as 8 bytes, lowest first, so that a digest of numbers is the same on every machine. */
void rn_sha256_add_integer(rn_sha256 *hash, int64_t value);
/* Ends the hash; it takes nothing more. digest: out, [RN_SHA256_BYTES]. */
void rn_sha256_end(rn_sha256 *hash, uint8_t *digest);
/* Writes the first bytes (1..RN_SHA256_BYTES) of digest as lower-case hexadecimal to text[2 * bytes
 * + 1]; returns it. */
const char *rn_sha256_text(const uint8_t *digest, int32_t bytes, char *text);

#ifdef __cplusplus
}
#endif

#endif
