// A program built by hand, a row or an option a line.
#ifndef RATION_TESTS_HAND_PROGRAM_H
#define RATION_TESTS_HAND_PROGRAM_H

#include <gtest/gtest.h>

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

} // namespace ration_test

#endif
