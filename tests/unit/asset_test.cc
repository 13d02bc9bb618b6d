// The embedded data files: found by name, whole, and nothing else is.
#include "ration/asset.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"

namespace {

TEST(Asset, UnknownNameIsNull)
{
    size_t bytes = 7;
    EXPECT_EQ(ration_asset("no-such-file.csv", &bytes), nullptr);
    EXPECT_EQ(bytes, 7u);
    EXPECT_EQ(ration_asset("", nullptr), nullptr);
    EXPECT_EQ(ration_asset_name(-1), nullptr);
    EXPECT_EQ(ration_asset_name(1000000), nullptr);
}

TEST(Asset, EveryNameIsFoundOnceAndEndsInNul)
{
    for (int32_t i = 0; ration_asset_name(i) != nullptr; i++) {
        size_t bytes = 0;
        const char *data = ration_asset(ration_asset_name(i), &bytes);
        ASSERT_NE(data, nullptr);
        EXPECT_EQ(data[bytes], '\0');
        for (int32_t j = 0; j < i; j++) {
            EXPECT_STRNE(ration_asset_name(i), ration_asset_name(j));
        }
    }
}

TEST(Asset, CatalogFileIsByteForByteTheSource)
{
    std::ifstream file(std::string(RATION_SOURCE_DIR) + "/problems/catalog/gpus.csv",
                       std::ios::binary);
    if (!file) {
        EXPECT_EQ(ration_asset("gpus.csv", nullptr), nullptr);
        return;
    }
    const std::string source((std::istreambuf_iterator<char>(file)),
                             std::istreambuf_iterator<char>());
    size_t bytes = 0;
    const char *data = ration_asset("gpus.csv", &bytes);
    ASSERT_NE(data, nullptr);
    ASSERT_EQ(bytes, source.size());
    EXPECT_EQ(std::memcmp(data, source.data(), bytes), 0);
}

}  // namespace
