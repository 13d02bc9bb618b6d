/* Philox4x32-10: published vectors, and the numbers of cuRAND. */
#include "core/philox.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace
{

void expect_words(const uint32_t (&counter)[4], uint64_t key, const uint32_t (&want)[4])
{
    const rn_random got = rn_philox(counter, key);
    for (int i = 0; i < 4; i++) {
        EXPECT_EQ(got.word[i], want[i]) << "word " << i;
    }
}

/* Known answers of the Random123 distribution (kat_vectors, philox4x32 10). */
TEST(Philox, PublishedVectors)
{
    expect_words({0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    expect_words({~0u, ~0u, ~0u, ~0u}, ~0ull, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    expect_words({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822ull,
                 {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST(Philox, DrawUsesEveryCoordinate)
{
    const uint32_t base[4] = {1, 2, 3, 4};
    const rn_random want = rn_philox(base, 5);
    EXPECT_EQ(rn_random_at(5, 1, 2, 3, 4).word[0], want.word[0]);
    EXPECT_NE(rn_random_at(6, 1, 2, 3, 4).word[0], want.word[0]);
    EXPECT_NE(rn_random_at(5 + (1ull << 32), 1, 2, 3, 4).word[0], want.word[0]);
    EXPECT_NE(rn_random_at(5, 2, 2, 3, 4).word[0], want.word[0]);
    EXPECT_NE(rn_random_at(5, 1, 3, 3, 4).word[0], want.word[0]);
    EXPECT_NE(rn_random_at(5, 1, 2, 4, 4).word[0], want.word[0]);
    EXPECT_NE(rn_random_at(5, 1, 2, 3, 5).word[0], want.word[0]);
}

TEST(Philox, BoundedDrawCoversItsRangeEvenly)
{
    EXPECT_EQ(rn_random_below(0, 7), 0);
    EXPECT_EQ(rn_random_below(~0u, 7), 6);
    EXPECT_EQ(rn_random_below(~0u, 1), 0);
    EXPECT_EQ(rn_random_below(~0u, INT32_MAX), INT32_MAX - 1);
    int seen[7] = {0};
    const int draws = 70000;
    for (uint32_t i = 0; i < (uint32_t)draws / 4; i++) {
        const rn_random random = rn_random_at(1, i, 0, 0, 0);
        for (uint32_t word : random.word) {
            seen[rn_random_below(word, 7)]++;
        }
    }
    for (int count : seen) {
        EXPECT_NEAR(count, draws / 7, 500); /* 5.4 standard deviations of a binomial count */
    }
}

} // namespace
