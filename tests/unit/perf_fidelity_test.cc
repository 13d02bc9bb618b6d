// The serving model against measured closed-loop runs of dense models on Hopper: a coarse alarm,
// not the score of the model. Limits are generous: the mean errors measured when they were set
// stand beside them.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "perf_support.h"

namespace {

using Row = std::map<std::string, std::string>;

// The rows of a CSV file without quoted fields; empty when there is no such file.
std::vector<Row> rows_of(const std::string &path)
{
    std::ifstream file(path);
    std::vector<std::string> names;
    std::vector<Row> rows;
    for (std::string line; std::getline(file, line);) {
        std::stringstream fields(line);
        Row row;
        std::vector<std::string> list;
        for (std::string field; std::getline(fields, field, ',');) {
            list.push_back(field);
        }
        if (names.empty()) {
            names = list;
            continue;
        }
        list.resize(names.size());
        for (size_t i = 0; i < names.size(); ++i) {
            row[names[i]] = list[i];
        }
        rows.push_back(row);
    }
    return rows;
}

std::string shared()
{
    const char *given = std::getenv("RATION_SHARED");
    return given != nullptr ? given : std::string(RATION_SOURCE_DIR) + "/../shared";
}

struct Errors {
    std::vector<double> tpot;
    std::vector<double> ttft;
};

double mean(const std::vector<double> &list)
{
    double sum = 0.0;
    for (const double x : list) {
        sum += x;
    }
    return list.empty() ? 1e9 : sum / static_cast<double>(list.size());
}

double median(std::vector<double> list)
{
    std::sort(list.begin(), list.end());
    return list.empty() ? 1e9 : list[list.size() / 2];
}

// Sequences that fit by the rule of the fit: (0.93 memory - weights - 2 GB) / KV of a prompt and
// 0.6 of its answer.
double slots_of(const rn_perf_case &c, double prompt, double output)
{
    const double weights =
        rn_perf_weights_per_gpu(&c.shape, c.config.weights, c.config.tp, c.config.pp);
    const double room = 0.93 * c.gpu.memory_bytes - weights - 2e9;
    return std::floor(room / rn_perf_kv_sequence(&c, prompt + 0.6 * output));
}

// Adds the absolute relative errors of one row; false when the row is of another kind.
bool add(const Row &row, const std::map<std::string, std::string> &models, Errors *errors)
{
    const std::map<std::string, std::string> cards = {{"h100_sxm", "H100-SXM-80GB"},
                                                      {"h200_sxm", "H200-SXM-141GB"}};
    const std::map<std::string, std::string> engines = {
        {"vllm", "vllm"}, {"sglang", "sglang"}, {"trtllm", "tensorrt-llm"}};
    const auto model = models.find(row.at("model"));
    const auto card = cards.find(row.at("system"));
    if (model == models.end() || card == cards.end() || row.at("pp") != "1" ||
        row.at("concurrency").empty() || (row.at("adp") != "1" && !row.at("adp").empty())) {
        return false;
    }
    const std::string backend = engines.at(row.at("backend"));
    const bool fp8 = row.at("precision") == "fp8";
    rn_perf_case c = perf_support::of(model->second.c_str(), card->second.c_str(),
                                      fp8 ? RN_PERF_W_FP8 : RN_PERF_W_BF16,
                                      std::atoi(row.at("tp").c_str()), backend.c_str());
    const ration_engine *engine = nullptr;
    if (row.at("adp").empty() && ration_catalog_engine(perf_support::catalog(), backend.c_str(),
                                                       &engine, nullptr) == RATION_OK) {
        c.engine.queue = engine->perf.lock_step; // these rows started all clients at once
    }
    c.config.kv = fp8 && backend == "tensorrt-llm" ? RN_PERF_KV_FP8 : RN_PERF_KV_16;
    const double prompt = std::stod(row.at("isl"));
    const double output = std::stod(row.at("osl"));
    const rn_perf_load load = rn_perf_load_equal(prompt, output);
    const double clients = std::stod(row.at("concurrency"));
    const rn_perf_serving s = rn_perf_closed(&c, &load, clients, slots_of(c, prompt, output));
    if (s.status != RN_PERF_OK) {
        return false;
    }
    errors->tpot.push_back(std::fabs(1e3 * s.tpot_s / std::stod(row.at("tpot_ms")) - 1.0));
    errors->ttft.push_back(std::fabs(1e3 * s.ttft_s / std::stod(row.at("ttft_ms")) - 1.0));
    return true;
}

TEST(PerfFidelity, DenseModelsOnHopper)
{
    const std::vector<Row> rows = rows_of(shared() + "/data/silicon/e2e_agg.csv");
    if (rows.empty()) {
        GTEST_SKIP() << "skipped: needs ../shared";
    }
    const std::map<std::string, std::string> models = {
        {"meta-llama/Llama-3.1-8B-Instruct", "Llama-3.1-8B"},
        {"nvidia/Llama-3.1-8B-Instruct-FP8", "Llama-3.1-8B"},
        {"Qwen/Qwen3-32B", "Qwen3-32B"}};
    Errors errors;
    for (const Row &row : rows) {
        add(row, models, &errors);
    }
    std::printf("%zu rows: TPOT error mean %.3f median %.3f, TTFT error mean %.3f median %.3f\n",
                errors.tpot.size(), mean(errors.tpot), median(errors.tpot), mean(errors.ttft),
                median(errors.ttft));
    ASSERT_GT(errors.tpot.size(), 300u);
    EXPECT_LT(mean(errors.tpot), 0.18); // 0.137 over 504 rows
    EXPECT_LT(mean(errors.ttft), 0.55); // 0.424
}

TEST(PerfFidelity, MixturesOfExpertsOnHopper)
{
    const std::vector<Row> rows = rows_of(shared() + "/data/silicon/e2e_agg.csv");
    if (rows.empty()) {
        GTEST_SKIP() << "skipped: needs ../shared";
    }
    const std::map<std::string, std::string> models = {
        {"Qwen/Qwen3-235B-A22B-FP8", "Qwen3-235B-A22B"},
        {"deepseek-ai/DeepSeek-R1", "DeepSeek-R1"}};
    Errors errors;
    for (const Row &row : rows) {
        add(row, models, &errors);
    }
    std::printf("%zu rows: TPOT error mean %.3f median %.3f, TTFT error mean %.3f median %.3f\n",
                errors.tpot.size(), mean(errors.tpot), median(errors.tpot), mean(errors.ttft),
                median(errors.ttft));
    ASSERT_GT(errors.tpot.size(), 50u);
    EXPECT_LT(mean(errors.tpot), 0.20); // 0.151 over 218 rows
}

} // namespace
