// Names in the wild find their shape: owners, precisions and tunings aside, and every model and
// system that the shared tables name.
#include "perf_support.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "catalog/alias.h"
#include "gtest/gtest.h"

namespace
{

std::string model_of(const std::string &name)
{
    const ration_model *found = nullptr;
    return ration_catalog_model(perf_support::catalog(), name.c_str(), &found, nullptr) == RATION_OK
               ? found->name
               : "";
}

std::string gpu_of(const std::string &name)
{
    const ration_gpu *found = nullptr;
    return ration_catalog_gpu(perf_support::catalog(), name.c_str(), &found, nullptr) == RATION_OK
               ? found->name
               : "";
}

TEST(CatalogAlias, OwnersPrecisionsAndTuningsFall)
{
    EXPECT_EQ(model_of("RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic"), "Llama-3.3-70B");
    EXPECT_EQ(model_of("meta-llama/Llama-3.1-70B"), "Llama-3.1-70B");
    EXPECT_EQ(model_of("zhipuai/GLM-5"), "GLM-5");
    EXPECT_EQ(model_of("nvidia/DeepSeek-R1-NVFP4"), "DeepSeek-R1");
    EXPECT_EQ(model_of("Qwen/Qwen3-235B-A22B-Thinking-2507-FP8"), "Qwen3-235B-A22B");
    EXPECT_EQ(model_of("openai/gpt-oss-120b"), "GPT-OSS-120B");
    EXPECT_EQ(model_of("Qwen/Qwen3.6-27B"), "Qwen3.5-27B");
    EXPECT_EQ(model_of("Llama-3.1-80B"), "");
    EXPECT_EQ(model_of("FP8"), "");
    EXPECT_EQ(model_of("/"), "");
}

TEST(CatalogAlias, ReductionKeepsTheFirstWordAndItsRoom)
{
    char out[RN_ALIAS_BYTES];
    rn_alias_reduce("owner/instruct-fp8", out);
    EXPECT_STREQ(out, "instruct");
    rn_alias_reduce(std::string(500, 'x').c_str(), out);
    EXPECT_EQ(std::string(out).size(), static_cast<size_t>(RN_ALIAS_BYTES - 1));
    rn_alias_reduce("", out);
    EXPECT_STREQ(out, "");
    EXPECT_TRUE(rn_name_same("H100_sxm", "h100_SXM"));
    EXPECT_FALSE(rn_name_same("h100", "h1000"));
}

TEST(CatalogAlias, SystemsOfTheTables)
{
    EXPECT_EQ(gpu_of("h100_sxm"), "H100-SXM-80GB");
    EXPECT_EQ(gpu_of("b300_sxm"), "B300-SXM");
    EXPECT_EQ(gpu_of("h300_sxm"), "");
}

// The first column of a table's rows.
std::set<std::string> first_column(const std::string &file)
{
    const char *given = std::getenv("RATION_SHARED");
    std::ifstream in((given != nullptr ? given : std::string(RATION_SOURCE_DIR) + "/../shared") +
                     "/data/" + file);
    std::set<std::string> names;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        names.insert(line.substr(0, line.find(',')));
    }
    return names;
}

TEST(CatalogAlias, EveryModelAndSystemOfTheSharedTables)
{
    const std::set<std::string> silicon = first_column("silicon/models.csv");
    const std::set<std::string> fidelity = first_column("fidelity/models.csv");
    if (silicon.empty() || fidelity.empty()) {
        GTEST_SKIP() << "skipped: needs ../shared";
    }
    EXPECT_EQ(silicon.size(), 89u);
    for (const std::string &name : silicon) {
        EXPECT_NE(model_of(name), "") << name;
    }
    for (const std::string &name : fidelity) {
        EXPECT_EQ(model_of(name), name);
    }
    for (const char *file : {"silicon/systems.csv", "fidelity/gpus.csv"}) {
        for (const std::string &name : first_column(file)) {
            EXPECT_NE(gpu_of(name), "") << name;
        }
    }
}

} // namespace
