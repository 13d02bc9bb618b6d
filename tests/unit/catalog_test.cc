// The embedded catalog opens, says what it should, and refuses each kind of broken row.
#include "perf_support.h"

#include <string>

#include "catalog/table.h"
#include "gtest/gtest.h"
#include "ration/asset.h"

namespace
{

const char *const FILES[] = {"gpus.csv", "models.csv", "mig_profiles.csv", "engines.csv",
                             "aliases.csv"};

std::string text_of(int32_t file)
{
    size_t bytes = 0;
    const char *text = ration_asset(FILES[file], &bytes);
    return text == nullptr ? std::string() : std::string(text, bytes);
}

// Parses the catalog with one file changed; "" when it opens, else the sentence.
std::string parse_with(int32_t file, const std::string &changed)
{
    std::string texts[RATION_CATALOG_FILES];
    ration_catalog_text files[RATION_CATALOG_FILES];
    for (int32_t i = 0; i < RATION_CATALOG_FILES; ++i) {
        texts[i] = i == file ? changed : text_of(i);
        files[i] = {FILES[i], texts[i].data(), texts[i].size()};
    }
    ration_catalog *catalog = nullptr;
    ration_error error = {};
    const ration_status status = ration_catalog_parse(files, &catalog, &error);
    if (status == RATION_OK) {
        ration_catalog_free(catalog);
        return "";
    }
    EXPECT_EQ(status, RATION_E_INPUT);
    EXPECT_EQ(catalog, nullptr);
    return error.text;
}

std::string replaced(int32_t file, const std::string &from, const std::string &to)
{
    std::string text = text_of(file);
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

void expect_refused(int32_t file, const std::string &from, const std::string &to,
                    const std::string &sentence)
{
    const std::string found = parse_with(file, replaced(file, from, to));
    EXPECT_NE(found.find(sentence), std::string::npos) << "found: " << found;
    EXPECT_NE(found.find(FILES[file]), std::string::npos) << found;
}

TEST(Catalog, EveryRowIsRead)
{
    const ration_catalog *c = perf_support::catalog();
    ASSERT_NE(c, nullptr);
    EXPECT_EQ(ration_catalog_gpu_count(c), 48);
    EXPECT_EQ(ration_catalog_model_count(c), 81);
    EXPECT_EQ(ration_catalog_mig_count(c), 40);
    EXPECT_EQ(ration_catalog_engine_count(c), 3);
    EXPECT_EQ(ration_catalog_gpu_at(c, -1), nullptr);
    EXPECT_EQ(ration_catalog_gpu_at(c, 48), nullptr);
    for (int32_t i = 0; i < 48; ++i) {
        const ration_gpu *g = ration_catalog_gpu_at(c, i);
        EXPECT_EQ(rn_perf_gpu_check(&g->perf), RN_PERF_OK) << g->name;
        EXPECT_GT(g->perf.tdp_w, g->perf.idle_w) << g->name;
        EXPECT_STRNE(g->source, "") << g->name;
    }
    int32_t plannable = 0;
    for (int32_t i = 0; i < 81; ++i) {
        plannable += ration_catalog_model_at(c, i)->plannable ? 1 : 0;
    }
    EXPECT_EQ(plannable, 72);
}

TEST(Catalog, FactsOfAGpu)
{
    const ration_gpu *g = nullptr;
    ASSERT_EQ(ration_catalog_gpu(perf_support::catalog(), "h100-sxm-80gb", &g, nullptr),
              RATION_OK); // letter case aside
    EXPECT_STREQ(g->name, "H100-SXM-80GB");
    EXPECT_EQ(g->memory_gb, 80.0);
    EXPECT_EQ(g->memory_mib, 81080); // 79.18 GiB
    EXPECT_EQ(g->perf.memory_bytes, 81080.0 * 1048576.0);
    EXPECT_EQ(g->perf.bf16_flops, 989e12);
    EXPECT_EQ(g->perf.link_bytes_per_s, 450e9);
    EXPECT_EQ(g->price_usd_per_hour, 3.99);
    EXPECT_EQ(g->price_confidence, RATION_CONFIDENCE_READ);
    ASSERT_EQ(ration_catalog_gpu(perf_support::catalog(), "RTX-4090", &g, nullptr), RATION_OK);
    EXPECT_EQ(g->memory_mib, 22888); // 24e9 bytes
    EXPECT_EQ(g->memory_confidence, RATION_CONFIDENCE_ASSUMED);
    ASSERT_EQ(ration_catalog_gpu(perf_support::catalog(), "H20-96GB", &g, nullptr), RATION_OK);
    EXPECT_LT(g->price_usd_per_hour, 0.0);
    EXPECT_EQ(g->price_confidence, RATION_CONFIDENCE_NONE);
    EXPECT_EQ(g->perf.idle_w, 40.0);
}

TEST(Catalog, UnknownNamesGetTheNearest)
{
    const ration_gpu *g = nullptr;
    const ration_model *m = nullptr;
    ration_error error = {};
    EXPECT_EQ(ration_catalog_gpu(perf_support::catalog(), "A100-SXM-80G", &g, &error),
              RATION_E_INPUT);
    EXPECT_NE(std::string(error.text).find("\"A100-SXM-80GB\""), std::string::npos) << error.text;
    EXPECT_EQ(ration_catalog_gpu(perf_support::catalog(), "h200", &g, &error), RATION_E_INPUT);
    EXPECT_NE(std::string(error.text).find("\"H200-SXM-141GB\""), std::string::npos) << error.text;
    EXPECT_EQ(ration_catalog_model(perf_support::catalog(), "Llama-3.1-80B", &m, &error),
              RATION_E_INPUT);
    EXPECT_NE(std::string(error.text).find("\"Llama-3.1-"), std::string::npos) << error.text;
    EXPECT_EQ(g, nullptr);
    EXPECT_EQ(m, nullptr);
}

TEST(Catalog, MigInstancesFillTheirSlices)
{
    int32_t seen = 0;
    for (int32_t i = 0; i < ration_catalog_mig_count(perf_support::catalog()); ++i) {
        const ration_mig_profile *p = ration_catalog_mig_at(perf_support::catalog(), i);
        if (std::string(p->gpu) == "A100-80GB" && std::string(p->profile) == "3g.40gb") {
            ++seen;
            EXPECT_EQ(p->starts, 2);
            EXPECT_EQ(p->start[0], 0);
            EXPECT_EQ(p->start[1], 4);
            EXPECT_EQ(p->memory_slices, 4);
            EXPECT_EQ(p->memory_mib, 40192);
        }
    }
    EXPECT_EQ(seen, 1);
}

TEST(Catalog, UnchangedTextsOpenAgain)
{
    for (int32_t i = 0; i < RATION_CATALOG_FILES; ++i) {
        EXPECT_EQ(parse_with(i, text_of(i)), "");
    }
    std::string crlf;
    for (const char c : text_of(RATION_CATALOG_GPUS)) {
        crlf += c == '\n' ? "\r\n" : std::string(1, c);
    }
    EXPECT_EQ(parse_with(RATION_CATALOG_GPUS, crlf), "");
    std::string open_end = text_of(RATION_CATALOG_MODELS);
    open_end.pop_back();
    EXPECT_EQ(parse_with(RATION_CATALOG_MODELS, open_end), "");
}

TEST(Catalog, PlantedSlipsAreCaught)
{
    expect_refused(RATION_CATALOG_GPUS, ",80,81920,", ",80,80,",
                   "memory_mib and mem_gb disagree"); // GiB in MiB
    expect_refused(RATION_CATALOG_GPUS, ",80,81920,", ",80,85899,",
                   "memory_mib and mem_gb disagree"); // MB in MiB
    expect_refused(RATION_CATALOG_GPUS, ",80,81920,", ",80,-81920,", "expected 1 to");
    expect_refused(RATION_CATALOG_GPUS, ",80,81920,", ",80,8x,", "a plain decimal number");
    expect_refused(RATION_CATALOG_GPUS, ",80,81920,", ",80,81920.5,", "a whole number");
    expect_refused(RATION_CATALOG_GPUS, ",80,81920,", ",80,,", "expected a value");
    expect_refused(RATION_CATALOG_GPUS, ",989,989,1979,", ",989,989,3958,", "a sparse peak?");
    expect_refused(RATION_CATALOG_GPUS, "3.99,source_read", "3.99,", "price and price_confidence");
    expect_refused(RATION_CATALOG_GPUS, "3.99,source_read", "3.99,guessed",
                   "assumed, recalled or source_read");
    expect_refused(RATION_CATALOG_GPUS, "H100-SXM-80GB,", "h100-pcie-80gb,", "was used before");
    expect_refused(RATION_CATALOG_GPUS, "mem_gb", "mem_gib", "expected mem_gb");
    expect_refused(RATION_CATALOG_MODELS, "Llama-2-7B,6.74,32,", "Llama-2-7B,6.74,40,", "params_b");
    expect_refused(RATION_CATALOG_MODELS, "Llama-2-7B,6.74,32,4096,32,32,",
                   "Llama-2-7B,6.74,32,4096,32,31,", "inconsistent");
    expect_refused(RATION_CATALOG_MODELS, "mha", "mqa", "attention is none of");
    expect_refused(RATION_CATALOG_MIG, ",0 4,", ",0 5,", "past the last memory slice");
    expect_refused(RATION_CATALOG_MIG, ",0 4,", ",0  4,", "no list of slices");
    expect_refused(RATION_CATALOG_ENGINES, "vllm,", "vlm,", "no numbers were fitted");
    expect_refused(RATION_CATALOG_ALIASES, "gpu,h100,", "gpu,H100-NVL-94GB,", "name of a row");
    expect_refused(RATION_CATALOG_ALIASES, "gpu,h100,", "card,h100,", "kind is none of");
    expect_refused(RATION_CATALOG_ALIASES, "gpu,h100,H100-SXM", "gpu,h100,H100-SXN",
                   "not in the file of its kind");
}

TEST(Catalog, BrokenTextsAreRefused)
{
    EXPECT_NE(parse_with(0, "").find("no rows"), std::string::npos);
    EXPECT_NE(parse_with(0, "gpu,vendor\n").find("no rows"), std::string::npos);
    EXPECT_NE(parse_with(0, text_of(0) + "\n").find("fewer"), std::string::npos);
    EXPECT_NE(parse_with(0, text_of(0) + "X,Y\n").find("line 50: found fewer"), std::string::npos);
    EXPECT_NE(
        parse_with(3, replaced(3, "tensorrt-llm,", "tensorrt-llm,,")).find("engines.csv: line 4"),
        std::string::npos);
    EXPECT_NE(parse_with(3, replaced(3, "vllm,", "\"vllm,")).find("quote"), std::string::npos);
    EXPECT_NE(parse_with(3, replaced(3, "vllm,", "v\"llm,")).find("quote"), std::string::npos);
    EXPECT_NE(parse_with(3, text_of(3) + std::string(1, '\0')).find("NUL"), std::string::npos);
    const std::string whole = text_of(0);
    for (size_t cut = 0; cut < whole.size(); cut += 97) {
        parse_with(0, whole.substr(0, cut)); // must not crash; most are refused
    }
}

TEST(Catalog, PlainDecimals)
{
    double value = 7.0;
    EXPECT_TRUE(rn_decimal_parse("31.5", &value));
    EXPECT_EQ(value, 31.5);
    EXPECT_TRUE(rn_decimal_parse("-0.1", &value));
    EXPECT_EQ(value, -0.1);
    for (const char *bad : {"", "-", ".5", "5.", "1e5", " 1", "1 ", "0x1", "nan", "inf", "1.2.3",
                            "1234567890123456", "1,5"}) {
        EXPECT_FALSE(rn_decimal_parse(bad, &value)) << bad;
    }
    EXPECT_EQ(value, -0.1); // untouched
}

} // namespace
