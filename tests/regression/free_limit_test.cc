// A limit that does not exist took part in a difference: nvcc 13 turned `z < low ? low - z : 0`
// into max(low - z, 0), which is wrong where low is INT64_MIN. So no difference of a load and a
// limit may leave 64 bits, wanted or not; then either form gives the distance.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/search_run.h"

using namespace ration_test;

namespace
{

constexpr int64_t MOST = (int64_t)1 << 62; // of a load

// One row of each kind of limits; frozen.
ration_program *rows_program()
{
    const int64_t limits[][2] = {{RATION_LOW_FREE, RATION_HIGH_FREE},
                                 {RATION_LOW_FREE, 10},
                                 {-10, RATION_HIGH_FREE},
                                 {3, 5},
                                 {RATION_LOW_FREE, -7}};
    ration_program *p = nullptr;
    ration_error error;
    int32_t made = 0;
    EXPECT_EQ(ration_program_create(1, &p, &error), RATION_OK);
    for (const auto &limit : limits) {
        EXPECT_EQ(ration_program_add_row(p, nullptr, RATION_DIMENSION_OTHER, 0, limit[0], limit[1],
                                         &made, &error),
                  RATION_OK);
    }
    EXPECT_EQ(ration_program_add_item(p, nullptr, &made, &error), RATION_OK);
    for (int32_t r = 0; r < 5; r++) {
        const ration_use use = {r, 4};
        EXPECT_EQ(ration_program_add_place(p, nullptr, r, &made, &error), RATION_OK);
        const ration_option option = {made, RATION_NONE, RATION_DIMENSION_OTHER, 0, 1, &use};
        EXPECT_EQ(ration_program_add_option(p, 0, &option, &error), RATION_OK);
    }
    EXPECT_EQ(ration_program_freeze(p, &error), RATION_OK) << error.text;
    return p;
}

TEST(FreeLimit, NoDifferenceLeaves64Bits)
{
    ration_program *program = rows_program();
    const rn_view *v = rn_program_view(program);
    for (int32_t r = 0; r < v->rows; r++) {
        for (const int64_t z : {-MOST, -MOST + 1, (int64_t)-11, (int64_t)0, (int64_t)4, (int64_t)11,
                                MOST - 1, MOST}) {
            int64_t below = 0;
            int64_t above = 0;
            ASSERT_FALSE(__builtin_sub_overflow(rn_limit_low(v, r), z, &below)) << r << " " << z;
            ASSERT_FALSE(__builtin_sub_overflow(z, rn_limit_high(v, r), &above)) << r << " " << z;
            const int64_t distance = std::max(std::max(below, above), (int64_t)0);
            EXPECT_EQ(rn_row_distance(v, r, z), distance) << r << " " << z;
        }
    }
    ration_program_free(program);
}

// The limits as they are stored do leave 64 bits: this is what the test would notice.
TEST(FreeLimit, StoredLimitsWould)
{
    ration_program *program = rows_program();
    const rn_view *v = rn_program_view(program);
    int64_t below = 0;
    EXPECT_TRUE(__builtin_sub_overflow(rn_row_low(v, 0), (int64_t)4, &below));
    ration_program_free(program);
}

} // namespace
