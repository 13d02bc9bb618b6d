// 128-bit helpers, numbers from text, clock, threads.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "host/base/clock.h"
#include "host/base/i128.h"
#include "host/base/number.h"
#include "host/base/par.h"

namespace {

TEST(BaseI128, DividesTowardsTheNamedSide)
{
    for (int a = -9; a <= 9; a++) {
        for (int b = -4; b <= 4; b++) {
            if (b == 0) {
                continue;
            }
            int floor = -100;
            while ((floor + 1) * (b > 0 ? b : -b) <= a * (b > 0 ? 1 : -1)) {
                floor++;
            }
            const bool whole = floor * b == a;
            EXPECT_EQ(static_cast<int>(rn_i128_floor_div(a, b)), floor) << a << "/" << b;
            EXPECT_EQ(static_cast<int>(rn_i128_ceil_div(a, b)), whole ? floor : floor + 1)
                << a << "/" << b;
        }
    }
}

TEST(BaseI128, Saturates)
{
    const rn_i128 big = static_cast<rn_i128>(INT64_MAX);
    EXPECT_EQ(rn_i128_saturate(big), INT64_MAX);
    EXPECT_EQ(rn_i128_saturate(big + 1), INT64_MAX);
    EXPECT_EQ(rn_i128_saturate(-big - 1), INT64_MIN);
    EXPECT_EQ(rn_i128_saturate(-big - 2), INT64_MIN);
    EXPECT_EQ(rn_i128_saturate(-5), -5);
}

TEST(BaseI128, WritesDecimal)
{
    char text[RN_I128_TEXT_MAX];
    EXPECT_STREQ(rn_i128_text(0, text), "0");
    EXPECT_STREQ(rn_i128_text(-12345, text), "-12345");
    const rn_i128 power = static_cast<rn_i128>(1) << 126;
    EXPECT_STREQ(rn_i128_text(power - 1 + power, text), "170141183460469231731687303715884105727");
    EXPECT_STREQ(rn_i128_text(-power - power, text), "-170141183460469231731687303715884105728");
}

TEST(BaseReal, ReadsAllOfTheTextOrNothing)
{
    double value = 7;
    for (const char *text : {"", "x", "1x", "1 ", "--1", "1e", "1e400", "nan", "inf", "."}) {
        EXPECT_FALSE(rn_real_read(text, &value)) << text;
        EXPECT_EQ(value, 7) << text;
    }
    EXPECT_TRUE(rn_real_read("-0.25e1", &value));
    EXPECT_EQ(value, -2.5);
    EXPECT_TRUE(rn_real_read("1e-400", &value));
    EXPECT_EQ(value, 0);
}

TEST(BaseClock, StartLiesBeforeNow)
{
    const int64_t first = rn_clock_us();
    const int64_t start = rn_clock_start_us();
    const int64_t second = rn_clock_us();
    EXPECT_LE(first, second);
    EXPECT_LE(start, second);
}

void count_up(void *context, int64_t index, int32_t thread)
{
    ASSERT_TRUE(thread >= 0 && thread < 3);
    auto *seen = static_cast<std::vector<int> *>(context);
    (*seen)[static_cast<size_t>(index)] += 1;
}

TEST(BasePar, EveryIndexOnce)
{
    EXPECT_EQ(rn_par_threads(3), 3);
    EXPECT_GE(rn_par_threads(0), 1);
    for (int32_t threads = 1; threads <= 3; threads++) {
        std::vector<int> seen(1000, 0);
        rn_par_for(1000, threads, count_up, &seen);
        EXPECT_EQ(seen, std::vector<int>(1000, 1));
    }
}

} // namespace
