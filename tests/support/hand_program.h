// A program built by hand, a row or an option a line.
#ifndef RATION_TESTS_HAND_PROGRAM_H
#define RATION_TESTS_HAND_PROGRAM_H

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "program/program.h"

namespace ration_test
{

struct HandProgram {
    ration_program *program = nullptr;

    HandProgram()
    {
        EXPECT_EQ(ration_program_create(0, &program, nullptr), RATION_OK);
    }
    ~HandProgram()
    {
        ration_program_free(program);
    }
    int32_t row(int64_t offset, int64_t low, int64_t high)
    {
        int32_t row = 0;
        EXPECT_EQ(ration_program_add_row(program, nullptr, RATION_DIMENSION_OTHER, offset, low,
                                         high, &row, nullptr),
                  RATION_OK);
        return row;
    }
    int32_t item()
    {
        int32_t item = 0;
        EXPECT_EQ(ration_program_add_item(program, nullptr, &item, nullptr), RATION_OK);
        return item;
    }
    // Option number k of an item must have mode k.
    void option(int32_t item, int32_t mode, int64_t cost, const std::vector<ration_use> &use)
    {
        while (ration_program_modes(program) <= mode) {
            int32_t made = 0;
            EXPECT_EQ(ration_program_add_mode(program, nullptr, false, &made, nullptr), RATION_OK);
        }
        const ration_option option = {RATION_NONE,         mode,      RATION_DIMENSION_MONEY, cost,
                                      (int32_t)use.size(), use.data()};
        EXPECT_EQ(ration_program_add_option(program, item, &option, nullptr), RATION_OK);
    }
    const rn_view *freeze()
    {
        ration_error error{};
        EXPECT_EQ(ration_program_freeze(program, &error), RATION_OK) << error.text;
        return rn_program_view(program);
    }
};

// Assignment of items to rows as random programs of up to 4^6 plans: every third with two ways to
// load a row, every fourth with charges for rows in use by a feed. Rows are tight.
inline void assign_at_random(uint64_t seed, HandProgram *p)
{
    std::mt19937_64 random(seed);
    const auto draw = [&random](int64_t low, int64_t high) {
        return low + (int64_t)(random() % (uint64_t)(high - low + 1));
    };
    const bool charged = seed % 4 == 0;
    const int32_t used = charged ? p->row(0, RATION_LOW_FREE, RATION_HIGH_FREE) : 0;
    const ration_piece each = {0, 0, 20};
    const ration_piece in_use[2] = {{0, 0, 0}, {1, 1, 0}};
    if (charged) {
        EXPECT_EQ(ration_program_set_row_cost(p->program, used, 1, &each, nullptr), RATION_OK);
    }
    std::vector<int32_t> rows;
    for (int32_t r = 0; r < (charged ? 4 : 3); r++) {
        const int64_t offset = draw(0, 3);
        rows.push_back(p->row(offset, RATION_LOW_FREE, offset + draw(12, 22)));
        if (charged) {
            EXPECT_EQ(ration_program_add_feed(p->program, rows.back(), used, 2, in_use, nullptr),
                      RATION_OK);
        }
    }
    for (int32_t k = 0; k < 6; k++) {
        const int32_t item = p->item();
        int32_t mode = 0;
        for (const int32_t row : rows) {
            const int64_t amount = draw(1, 9);
            p->option(item, mode++, 30 - 3 * amount + draw(0, 5), {{row, amount}});
        }
        if (seed % 3 == 0) {
            p->option(item, mode++, draw(20, 40), {{rows[0], draw(0, 3)}});
        }
    }
}

} // namespace ration_test

#endif
