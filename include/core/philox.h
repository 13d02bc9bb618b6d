/* Random numbers of the search: Philox4x32-10, a function of a counter and a
 * key, so there is no state to store.
 *
 *   10 rounds of (c0, c1, c2, c3) <- (hi(M1 c2) ^ c1 ^ k0, lo(M1 c2),
 *                                     hi(M0 c0) ^ c3 ^ k1, lo(M0 c0)),
 *   (k0, k1) growing by (W0, W1) after each round.
 *
 * J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
 * cuRAND's Philox generator gives the same words: its host generator's output i
 * with seed s is word i mod 4 of the counter ((i / 4) / 65536, 0, (i / 4) mod
 * 65536, 0), key = s.
 */
#ifndef RN_PHILOX_H
#define RN_PHILOX_H

#include "core/hd.h"

/* One block of random bits: four independent words. */
typedef struct rn_random {
    uint32_t word[4];
} rn_random;

/* Returns the block at a counter under a 64-bit key (low word first). */
RN_HD rn_random rn_philox(const uint32_t counter[4], uint64_t key)
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int32_t round = 0; round < 10; round++) {
        const uint64_t p0 = (uint64_t)0xD2511F53u * c0;
        const uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    rn_random random;
    random.word[0] = c0;
    random.word[1] = c1;
    random.word[2] = c2;
    random.word[3] = c3;
    return random;
}

/* Returns the block for one draw of the search.
 *
 * step     of the chain, counted from the start of the run.
 * draw     index of the candidate, never of the lane that computes it.
 * chain    global number of the chain, over all islands and ranks.
 * purpose  separates the uses of one (step, draw, chain), e.g. moves from
 *          breeding.
 */
RN_HD rn_random rn_random_at(uint64_t seed, uint32_t step, uint32_t draw, uint32_t chain,
                             uint32_t purpose)
{
    const uint32_t counter[4] = {step, draw, chain, purpose};
    return rn_philox(counter, seed);
}

/* Maps a random word to 0 .. count-1 as floor(word * count / 2^32); count >= 1.
 * No value's probability is off by more than 2^-32.
 */
RN_HD int32_t rn_random_below(uint32_t word, int32_t count)
{
    RN_ASSERT(count >= 1);
    return (int32_t)(((uint64_t)word * (uint64_t)count) >> 32);
}

#endif
