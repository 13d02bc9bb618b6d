/* Integer acceptance against long double logarithms and exponentials. */
#include "core/accept.h"
#include "core/log2_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace
{

const double Q26 = 67108864.0;
const double LN2 = 0.69314718055994530942;

TEST(Accept, TableIsTheRoundedLogarithm)
{
    static_assert(sizeof rn_log2_table == 4 * RN_LOG2_ENTRIES, "table length");
    for (int i = 0; i < RN_LOG2_ENTRIES; i++) {
        const long double exact = log2l(1.0L + (long double)i / 256.0L) * 67108864.0L;
        EXPECT_EQ(rn_log2_table[i], (uint32_t)llroundl(exact)) << "entry " << i;
    }
}

TEST(Accept, LogarithmIsWithinItsBoundAndNeverRises)
{
    uint32_t last = ~0u;
    double worst = 0;
    int64_t rises = 0;
    uint64_t step = 1;
    for (uint64_t word = 0; word < (1ull << 32); word += step) {
        step = word < 100000 || word > 4294867296u ? 1 : 4099;
        const uint32_t got = rn_neglog2_q26((uint32_t)word, rn_log2_table);
        const double exact = 32.0 - (double)log2l((long double)word + 1.0L);
        worst = std::fmax(worst, std::fabs(got / Q26 - exact));
        rises += got > last;
        last = got;
    }
    EXPECT_LT(worst, 2.8e-6);
    EXPECT_EQ(rises, 0);
    EXPECT_EQ(rn_neglog2_q26(0, rn_log2_table), 32u << 26);
    EXPECT_EQ(rn_neglog2_q26(0x7fffffffu, rn_log2_table), 1u << 26);
    EXPECT_EQ(rn_neglog2_q26(0xffffffffu, rn_log2_table), 0u);
}

/* The share of words that accept delta, by bisection: thresholds never rise. */
double accepted_share(int64_t temperature_q16, int64_t delta)
{
    uint64_t low = 0;
    uint64_t high = 1ull << 32;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        const uint32_t word = (uint32_t)middle;
        if (rn_accept(delta, rn_accept_threshold(temperature_q16, word, rn_log2_table))) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (double)low / 4294967296.0;
}

TEST(Accept, ProbabilityIsBoltzmanns)
{
    for (double t = 0.5; t < 1e12; t *= 7) {
        for (int quarter = 1; quarter <= 40; quarter++) {
            const int64_t delta = (int64_t)std::ceil(t * quarter / 4);
            const int64_t q16 = (int64_t)std::llround(t * LN2 * 65536);
            const double exact = std::exp(-(double)delta / ((double)q16 / 65536 / LN2));
            if (exact < 1e-6) {
                continue;
            }
            const double bound = exact * 1e-4 + 2.0 / 4294967296.0;
            EXPECT_NEAR(accepted_share(q16, delta), exact, bound) << t << " " << delta;
        }
    }
}

TEST(Accept, ThresholdIsTheExactProduct)
{
    const int64_t temperatures[] = {
        0, 1, 65535, (1ll << 32) - 1, 1ll << 32, (1ll << 40) + 12345, 1ll << 62};
    for (int64_t t : temperatures) {
        for (uint32_t word : {0u, 1u, 77777777u, 0x7fffffffu, 0xfffffffeu, 0xffffffffu}) {
            const uint32_t bits = rn_neglog2_q26(word, rn_log2_table);
            const unsigned __int128 product = (unsigned __int128)t * bits;
            const int64_t got = rn_accept_threshold(t, word, rn_log2_table);
            EXPECT_EQ(got, (int64_t)(product >> 34));
        }
    }
}

TEST(Accept, BetterIsAlwaysAcceptedAndColdAcceptsNothingWorse)
{
    EXPECT_TRUE(rn_accept(0, rn_accept_threshold(0, 0xffffffffu, rn_log2_table)));
    EXPECT_TRUE(rn_accept(-1, rn_accept_threshold(0, 5, rn_log2_table)));
    EXPECT_FALSE(rn_accept(1, rn_accept_threshold(0, 0, rn_log2_table)));
}

} // namespace
