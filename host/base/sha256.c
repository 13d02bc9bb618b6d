/* SHA-256, as in FIPS 180-4. */
#include "sha256.h"

#include <assert.h>
#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes
 * (section 4.2.2). */
static const uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* Section 6.2.2, steps 1 to 4, for one block. */
static void compress(uint32_t *state, const uint8_t *block)
{
    uint32_t w[64];
    for (int t = 0; t < 16; t++) {
        const uint8_t *at = block + 4 * t;
        w[t] =
            (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | (uint32_t)at[3];
    }
    for (int t = 16; t < 64; t++) {
        const uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        const uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
    uint32_t v[8];
    memcpy(v, state, sizeof v);
    for (int t = 0; t < 64; t++) {
        const uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
        const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        const uint32_t t1 = v[7] + s1 + choice + ROUND[t] + w[t];
        const uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
        const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + s0 + majority;
    }
    for (int i = 0; i < 8; i++) {
        state[i] += v[i];
    }
}

void rn_sha256_start(rn_sha256 *hash)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memset(hash, 0, sizeof *hash);
    memcpy(hash->state, first, sizeof first);
}

void rn_sha256_add(rn_sha256 *hash, const void *data, size_t bytes)
{
    const uint8_t *from = data;
    size_t held = (size_t)(hash->bytes % RN_SHA256_BLOCK);
    hash->bytes += bytes;
    while (bytes > 0) {
        if (held == 0 && bytes >= RN_SHA256_BLOCK) {
            compress(hash->state, from);
            from += RN_SHA256_BLOCK;
            bytes -= RN_SHA256_BLOCK;
            continue;
        }
        const size_t room = RN_SHA256_BLOCK - held;
        const size_t part = bytes < room ? bytes : room;
        memcpy(hash->block + held, from, part);
        from += part;
        bytes -= part;
        held += part;
        if (held == RN_SHA256_BLOCK) {
            compress(hash->state, hash->block);
            held = 0;
        }
    }
}

void rn_sha256_add_integer(rn_sha256 *hash, int64_t value)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)((uint64_t)value >> (8 * i));
    }
    rn_sha256_add(hash, bytes, sizeof bytes);
}

void rn_sha256_end(rn_sha256 *hash, uint8_t *digest)
{
    const uint64_t bits = hash->bytes * 8;
    static const uint8_t padding[RN_SHA256_BLOCK] = {0x80};
    const size_t held = (size_t)(hash->bytes % RN_SHA256_BLOCK);
    rn_sha256_add(hash, padding, held < 56 ? 56 - held : 120 - held);
    uint8_t length[8];
    for (int i = 0; i < 8; i++) {
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    }
    rn_sha256_add(hash, length, sizeof length);
    assert(hash->bytes % RN_SHA256_BLOCK == 0);
    for (int i = 0; i < RN_SHA256_BYTES; i++) {
        digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
    }
}

const char *rn_sha256_text(const uint8_t *digest, int32_t bytes, char *text)
{
    assert(bytes >= 1 && bytes <= RN_SHA256_BYTES);
    static const char digits[] = "0123456789abcdef";
    for (int32_t i = 0; i < bytes; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    text[2 * bytes] = '\0';
    return text;
}
