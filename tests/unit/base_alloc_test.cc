// Allocation: checked sizes, the test hook, carving.
#include <gtest/gtest.h>

#include <cstdint>

#include "host/base/alloc.h"

namespace {

TEST(BaseAlloc, SizesAreChecked)
{
    size_t result = 5;
    EXPECT_FALSE(rn_size_mul(SIZE_MAX / 2 + 1, 2, &result));
    EXPECT_FALSE(rn_size_add(SIZE_MAX, 1, &result));
    EXPECT_EQ(result, 5u);
    EXPECT_TRUE(rn_size_mul(SIZE_MAX, 1, &result));
    EXPECT_EQ(result, SIZE_MAX);
    EXPECT_EQ(rn_calloc(SIZE_MAX / 2 + 1, 2), nullptr);
}

TEST(BaseAlloc, NothingIsABlock)
{
    void *a = rn_malloc(0);
    void *b = rn_calloc(0, 8);
    a = rn_realloc(a, 0);
    EXPECT_NE(a, nullptr);
    EXPECT_NE(b, nullptr);
    rn_free(a);
    rn_free(b);
    rn_free(nullptr);
}

TEST(BaseAlloc, TheNthAllocationFailsOnce)
{
    rn_alloc_fail_at(2);
    void *a = rn_malloc(1);
    EXPECT_EQ(rn_calloc(1, 1), nullptr);
    void *b = rn_malloc(1);
    EXPECT_NE(a, nullptr);
    EXPECT_NE(b, nullptr);
    rn_alloc_fail_at(1);
    EXPECT_EQ(rn_realloc(a, 100), nullptr);
    rn_alloc_fail_at(1);
    rn_alloc_fail_at(0);
    a = rn_realloc(a, 100);
    EXPECT_NE(a, nullptr);
    rn_free(a);
    rn_free(b);
}

TEST(BaseAlloc, GrowsByDoubling)
{
    int64_t capacity = 0;
    int32_t *block = nullptr;
    for (int32_t i = 0; i < 1000; i++) {
        block = static_cast<int32_t *>(rn_grow(block, i + 1, sizeof *block, &capacity));
        ASSERT_NE(block, nullptr);
        block[i] = i;
    }
    EXPECT_EQ(capacity, 1024);
    EXPECT_EQ(block[999], 999);
    const int64_t before = capacity;
    EXPECT_EQ(rn_grow(block, INT64_MAX, sizeof *block, &capacity), nullptr);
    EXPECT_EQ(capacity, before);
    rn_free(block);
}

struct thing {
    int64_t *cost;
    char *name;
    int32_t *item;
};

void carve(rn_layout *layout, thing *t, int64_t options)
{
    t->cost = static_cast<int64_t *>(rn_carve(layout, options, sizeof *t->cost));
    t->name = static_cast<char *>(rn_carve(layout, 3, 1));
    t->item = static_cast<int32_t *>(rn_carve(layout, 0, sizeof *t->item));
}

TEST(BaseAlloc, CarvesWhatItMeasured)
{
    thing t = {};
    rn_layout layout = {};
    carve(&layout, &t, 100);
    EXPECT_EQ(t.cost, nullptr);
    EXPECT_EQ(layout.used, 832u + 64u);
    ASSERT_EQ(rn_layout_allocate(&layout, "thing", nullptr), RATION_OK);
    carve(&layout, &t, 100);
    EXPECT_EQ(reinterpret_cast<char *>(t.cost), layout.base);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(t.cost) % RN_CARVE_ALIGN, 0u);
    EXPECT_EQ(t.name, layout.base + 832);
    EXPECT_EQ(layout.used, layout.bytes);
    EXPECT_EQ(t.cost[99], 0);
    rn_free(layout.base);
}

TEST(BaseAlloc, AnOverflowIsOutOfMemory)
{
    thing t = {};
    rn_layout layout = {};
    carve(&layout, &t, INT64_MAX);
    ration_error error = {};
    EXPECT_EQ(rn_layout_allocate(&layout, "thing", &error), RATION_E_MEMORY);
    EXPECT_STREQ(error.text, "out of memory: thing needs more bytes than can be addressed");
    EXPECT_EQ(layout.base, nullptr);
}

TEST(BaseAlloc, ALayoutMayBeMadeToFail)
{
    thing t = {};
    rn_layout layout = {};
    carve(&layout, &t, 1);
    rn_alloc_fail_at(1);
    ration_error error = {};
    EXPECT_EQ(rn_layout_allocate(&layout, "thing", &error), RATION_E_MEMORY);
    EXPECT_STREQ(error.text, "out of memory: thing needs 128 bytes");
    rn_alloc_fail_at(0);
}

} // namespace
