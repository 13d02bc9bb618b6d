// Amounts at the edges of what is packed, of 16 and of 32 bits: the packed form of the tables gives
// the bits of the wide one or is not used, and a form that lost bits is noticed.
#include <gtest/gtest.h>

#include "support/search_run.h"

using namespace ration_test;

namespace
{

constexpr int32_t ITEMS = 40;
constexpr int32_t AGENTS = 4;
constexpr int64_t EPOCHS = 10; // into the second homotopy, so that breeding takes part

// Generalised assignment whose amounts are one of `amount`, drawn, with some room.
ration_program *amounts_program(const std::vector<int64_t> &amount)
{
    std::mt19937_64 dice(5);
    ration_program *p = nullptr;
    ration_error error;
    int32_t made = 0;
    int64_t most = 0;
    for (const int64_t a : amount) {
        most = std::max(most, a);
    }
    EXPECT_EQ(ration_program_create(1, &p, &error), RATION_OK);
    for (int32_t a = 0; a < AGENTS; a++) {
        EXPECT_EQ(ration_program_add_row(p, nullptr, RATION_DIMENSION_OTHER, 0, RATION_LOW_FREE,
                                         most * ITEMS / (2 * AGENTS), &made, &error),
                  RATION_OK);
        EXPECT_EQ(ration_program_add_place(p, nullptr, 0, &made, &error), RATION_OK);
    }
    for (int32_t i = 0; i < ITEMS; i++) {
        EXPECT_EQ(ration_program_add_item(p, nullptr, &made, &error), RATION_OK);
        for (int32_t a = 0; a < AGENTS; a++) {
            const ration_use use = {a, amount[dice() % amount.size()]};
            const int64_t cost = (int64_t)(dice() % 100);
            const ration_option option = {a, RATION_NONE, RATION_DIMENSION_OTHER, cost, 1, &use};
            EXPECT_EQ(ration_program_add_option(p, i, &option, &error), RATION_OK);
        }
    }
    EXPECT_EQ(ration_program_freeze(p, &error), RATION_OK) << error.text;
    return p;
}

std::vector<char> state_after(const ration_program *program, bool wide, bool *packed)
{
    SearchRun run(program, 1, wide);
    run.start();
    *packed = run.search->tables->narrow != 0;
    run.epochs(EPOCHS);
    return run.state();
}

struct Case {
    std::vector<int64_t> amount;
    bool packed;
};

// Packed, and one too many for it; the edges of 16 and of 32 bits.
TEST(PackedAmounts, EqualWideAtEveryEdge)
{
    const int64_t one = 1;
    for (const Case &c : {Case{{4095, 4096, -4096, 1}, true},
                          {{4097, 1}, false},
                          {{-4097, 100}, false},
                          {{32767, 32768, 1}, false},
                          {{65535, 65536, 65537}, false},
                          {{-32768, 32769, 100, 65536}, false},
                          {{32768, -32769, 40000}, false},
                          {{(one << 31) - 1, one << 30}, false},
                          {{(one << 31), 5}, false},
                          {{(one << 32) + 1, one << 32}, false}}) {
        ration_program *program = amounts_program(c.amount);
        bool packed = false;
        bool wide = false;
        EXPECT_EQ(state_after(program, false, &packed), state_after(program, true, &wide))
            << c.amount[0];
        EXPECT_EQ(packed, c.packed) << c.amount[0];
        EXPECT_FALSE(wide);
        ration_program_free(program);
    }
}

// The planted fault: amounts cut to 16 bits.
TEST(PackedAmounts, CutTo16BitsIsNoticed)
{
    for (const std::vector<int64_t> &amount :
         {std::vector<int64_t>{32768, 1}, {65535, 2}, {65536, 65537}, {-32769, 5}}) {
        ration_program *program = amounts_program(amount);
        bool packed = true;
        SearchRun run(program, 1);
        run.start();
        for (int32_t x = 0; x < ITEMS * RN_CANDIDATES; x++) {
            int64_t *at = const_cast<int64_t *>(run.search->tables->wide_amount) + x;
            *at = (int16_t)*at;
        }
        run.epochs(EPOCHS);
        EXPECT_NE(run.state(), state_after(program, true, &packed)) << amount[0];
        ration_program_free(program);
    }
}

} // namespace
