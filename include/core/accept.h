/* Acceptance of a worse state in integers, so that every backend decides alike:
 * delta is accepted when delta <= -T ln u.
 *
 *   u = (word + 1) / 2^32, -log2 u in Q26 from 257 values of log2(1 + i/256),
 *   linear between; threshold = (T ln 2 in Q16) * (-log2 u in Q26) in Q8 energy
 *   units; accept when 256 delta <= threshold.
 *
 * The chord of log2 over 1/256 is low by at most 0.18 / 256^2 = 2.75e-6, so an
 * acceptance probability is off by at most 1.9e-6 of itself. The table is
 * `rn_log2_table` of core/log2_table.h; device code gets a copy, hence the
 * pointer.
 */
#ifndef RN_ACCEPT_H
#define RN_ACCEPT_H

#include "core/hd.h"

enum {
    RN_LOG2_ENTRIES = 257 /* log2(1 + i/256) for i = 0 .. 256 */
};

/* Returns -log2((word + 1) / 2^32) in Q26, 0 .. 32 * 2^26; never rises with
 * word.
 *
 * table  [RN_LOG2_ENTRIES] log2(1 + i/256) in Q26.
 */
RN_HD uint32_t rn_neglog2_q26(uint32_t word, const uint32_t *table)
{
    if (word == 0xffffffffu) {
        return 0;
    }
    const int32_t zeros = rn_clz32(word + 1u);
    const uint32_t mantissa = (word + 1u) << zeros; /* 1.xxx in Q31 */
    const uint32_t i = (mantissa >> 23) & 255u;
    const uint32_t fraction = mantissa & 0x7fffffu;
    const uint32_t low = table[i];
    const uint32_t rise = table[i + 1u] - low; /* below 2^19 */
    RN_ASSERT(rise < (1u << 19));
    const uint32_t log2_q26 = low + (uint32_t)(((uint64_t)rise * fraction + (1u << 22)) >> 23);
    return ((uint32_t)(zeros + 1) << 26) - log2_q26;
}

/* Returns the largest acceptable change of energy in Q8, floor(temperature_q16
 * * -log2(u) / 2^34); exact, no overflow.
 *
 * temperature_q16  T * ln 2 in Q16 energy units, 0 .. 2^62.
 * word             the random word of this decision.
 * table            [RN_LOG2_ENTRIES] as above.
 */
RN_HD int64_t rn_accept_threshold(int64_t temperature_q16, uint32_t word, const uint32_t *table)
{
    const uint64_t bits = rn_neglog2_q26(word, table); /* at most 2^31 */
    RN_ASSERT(temperature_q16 >= 0 && temperature_q16 <= (int64_t)1 << 62);
    RN_ASSERT(bits <= (uint64_t)1 << 31);
    const uint64_t high = ((uint64_t)temperature_q16 >> 32) * bits;
    const uint64_t low = ((uint64_t)temperature_q16 & 0xffffffffu) * bits;
    return (int64_t)((high + (low >> 32)) >> 2);
}

/* Whether a change of energy is accepted under a threshold. |delta| < 2^54,
 * which freeze guarantees.
 */
RN_HD int32_t rn_accept(int64_t delta, int64_t threshold_q8)
{
    RN_ASSERT(delta < (int64_t)1 << 54 && delta > -((int64_t)1 << 54));
    return delta * 256 <= threshold_q8;
}

#endif
