// Tests that skip, one that passes and one that fails: material for lint/runner_test.py, not tests
// of ration.
#include "gtest/gtest.h"

namespace {

TEST(Sample, SkipsForData)
{
    GTEST_SKIP() << "needs ../shared";
}

TEST(Sample, SkipsForDevice)
{
    GTEST_SKIP() << "needs a GPU";
}

TEST(Sample, SkipsForPackage)
{
    GTEST_SKIP() << "needs a program that is not installed";
}

TEST(Sample, Passes)
{
    EXPECT_TRUE(true);
}

TEST(Sample, Fails)
{
    EXPECT_TRUE(false);
}

}  // namespace
