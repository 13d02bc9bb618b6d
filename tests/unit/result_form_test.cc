// The JSON form of results: exact decimals, what is written, what is refused.
#include <gtest/gtest.h>

#include <string>

#include "plan/decimal.h"
#include "plan/result.h"
#include "program/program.h"

namespace
{

std::string decimal(int64_t value, int32_t scale)
{
    char text[RN_DECIMAL_TEXT_MAX];
    return rn_decimal_text(value, scale, text);
}

TEST(ResultDecimal, Text)
{
    EXPECT_EQ(decimal(0, 0), "0");
    EXPECT_EQ(decimal(0, 6), "0");
    EXPECT_EQ(decimal(-12, 0), "-12");
    EXPECT_EQ(decimal(1234, 2), "12.34");
    EXPECT_EQ(decimal(-1230, 2), "-12.3");
    EXPECT_EQ(decimal(5, 6), "0.000005");
    EXPECT_EQ(decimal(-50, 1), "-5");
    EXPECT_EQ(decimal(INT64_MAX, 18), "9.223372036854775807");
    EXPECT_EQ(decimal(INT64_MIN, 0), "-9223372036854775808");
}

TEST(ResultDecimal, ReadsBack)
{
    for (const int64_t value : {INT64_C(0), INT64_C(1), INT64_C(-1), INT64_C(100),
                                INT64_C(-123456789012345678), INT64_MAX, INT64_MIN + 1}) {
        for (int32_t scale = 0; scale <= 18; scale++) {
            rn_i128 back = 7;
            ASSERT_TRUE(rn_decimal_read(decimal(value, scale).c_str(), scale, &back))
                << value << " " << scale;
            EXPECT_TRUE(back == value) << value << " " << scale;
        }
    }
    rn_i128 value = 0;
    EXPECT_TRUE(rn_decimal_read("1.5e3", 0, &value) && value == 1500);
    EXPECT_TRUE(rn_decimal_read("25e-1", 1, &value) && value == 25);
    for (const char *wrong : {"", "-", ".5", "1.", "1.25", "x", "1e", "1e+", "0x10", " 1", "1 ",
                              "1e999999999999", "--1"}) {
        EXPECT_FALSE(rn_decimal_read(wrong, 1, &value)) << wrong;
    }
}

// Two items, two places with room for one each; costs 1 2 / 3 5, reported with sense, constant and
// scale.
ration_program *two_items(ration_sense sense, int64_t constant, int32_t scale)
{
    ration_program *program = nullptr;
    EXPECT_EQ(ration_program_create(1, &program, nullptr), RATION_OK);
    EXPECT_EQ(ration_program_set_objective(program, sense, constant, scale, nullptr), RATION_OK);
    int32_t row[2];
    int32_t place[2];
    for (int32_t p = 0; p < 2; p++) {
        EXPECT_EQ(ration_program_add_place(program, nullptr, 0, &place[p], nullptr), RATION_OK);
        EXPECT_EQ(ration_program_add_row(program, nullptr, RATION_DIMENSION_MEMORY, 0,
                                         RATION_LOW_FREE, 1, &row[p], nullptr),
                  RATION_OK);
    }
    const int64_t cost[2][2] = {{1, 2}, {3, 5}};
    for (int32_t i = 0; i < 2; i++) {
        int32_t item = 0;
        EXPECT_EQ(ration_program_add_item(program, nullptr, &item, nullptr), RATION_OK);
        for (int32_t p = 0; p < 2; p++) {
            const ration_use use = {row[p], 1};
            const ration_option option = {place[p],   RATION_NONE, RATION_DIMENSION_MONEY,
                                          cost[i][p], 1,           &use};
            EXPECT_EQ(ration_program_add_option(program, item, &option, nullptr), RATION_OK);
        }
    }
    EXPECT_EQ(ration_program_freeze(program, nullptr), RATION_OK);
    return program;
}

ration_result *result_of(const ration_program *program, const int32_t *pick)
{
    rn_bound *bound = nullptr;
    ration_result *result = nullptr;
    ration_error error{};
    EXPECT_EQ(rn_bound_find(rn_program_view(program), nullptr, &bound, &error), RATION_OK);
    rn_run_facts facts;
    rn_run_facts_clear(&facts);
    facts.seeded = true;
    facts.seed = UINT64_MAX;
    facts.epochs = 3;
    facts.elapsed_us = 1500000;
    EXPECT_EQ(rn_result_create(program, pick, bound, &facts, &result, &error), RATION_OK)
        << error.text;
    rn_bound_free(bound);
    return result;
}

std::string json_of(const ration_program *program, const ration_result *result)
{
    ration_writer *writer = nullptr;
    const char *text = nullptr;
    size_t bytes = 0;
    EXPECT_EQ(ration_writer_create(&writer, nullptr), RATION_OK);
    ration_writer_open_map(writer, nullptr);
    ration_result_write(result, program, nullptr, writer);
    ration_writer_close(writer);
    EXPECT_EQ(ration_writer_finish(writer, &text, &bytes, nullptr), RATION_OK);
    const std::string copy = text;
    ration_writer_free(writer);
    return copy;
}

// Reads and verifies; the status of the first step that fails.
ration_status check(const ration_program *program, const std::string &json, ration_error *error)
{
    ration_document *document = nullptr;
    ration_result *result = nullptr;
    ration_status status =
        ration_document_parse(json.data(), json.size(), "r.json", false, &document, error);
    if (status == RATION_OK) {
        status = ration_result_read(ration_document_root(document), program, &result, error);
    }
    if (status == RATION_OK) {
        status = ration_verify(program, result, error);
    }
    ration_result_free(result);
    ration_document_free(document);
    return status;
}

const int32_t OPTIMAL[2] = {1, 0};
const int32_t FEASIBLE[2] = {0, 1};
const int32_t CROWDED[2] = {0, 0};

bool has(const std::string &json, const std::string &part)
{
    return json.find(part) != std::string::npos;
}

TEST(ResultForm, Minimised)
{
    ration_program *program = two_items(RATION_MINIMISE, 0, 0);
    ration_result *result = result_of(program, OPTIMAL);
    EXPECT_EQ(ration_result_status(result), RATION_PLAN_OPTIMAL);
    EXPECT_EQ(ration_result_cost(result), 5);
    EXPECT_EQ(ration_result_cost_of(result, RATION_DIMENSION_MONEY), 5);
    EXPECT_EQ(ration_result_load(result, 0), 1);
    EXPECT_EQ(ration_result_gap_percent(result), 0.0);
    const std::string json = json_of(program, result);
    for (const char *part :
         {"\"status\": \"optimal\"", "\"cost\": 5,", "\"bound\": 5,", "\"gap_percent\": 0,",
          "\"money\": 5", "\"seed\": \"18446744073709551615\"", "\"epochs\": 3",
          "\"elapsed_s\": 1.5", "\"item\": \"1\", \"place\": \"2\"", "\"kind\": \"lagrange\""}) {
        EXPECT_TRUE(has(json, part)) << part << "\n" << json;
    }
    for (const char *part :
         {"scale\": 0", "mode", "violations", "backend", "stopped", "constant"}) {
        EXPECT_FALSE(has(json, part)) << part << "\n" << json;
    }
    ration_error error{};
    EXPECT_EQ(check(program, json, &error), RATION_OK) << error.text;
    ration_result_free(result);
    ration_program_free(program);
}

TEST(ResultForm, MaximisedWithConstantAndScale)
{
    ration_program *program = two_items(RATION_MAXIMISE, 1000, 2); // value = (1000 - cost) / 100
    ration_result *result = result_of(program, FEASIBLE);
    EXPECT_EQ(ration_result_status(result), RATION_PLAN_FEASIBLE);
    const std::string json = json_of(program, result);
    for (const char *part : {"\"cost\": 9.94,", "\"bound\": 9.95,", "\"scale\": 2,",
                             "\"money\": -0.06", "\"constant\": 10"}) {
        EXPECT_TRUE(has(json, part)) << part << "\n" << json;
    }
    ration_error error{};
    EXPECT_EQ(check(program, json, &error), RATION_OK) << error.text;
    EXPECT_NEAR(ration_result_gap_percent(result), 100.0 * 0.01 / 9.94, 1e-12);
    ration_result_free(result);
    ration_program_free(program);
}

TEST(ResultForm, BrokenLimits)
{
    ration_program *program = two_items(RATION_MINIMISE, 0, 0);
    ration_result *result = result_of(program, CROWDED);
    EXPECT_EQ(ration_result_status(result), RATION_PLAN_UNKNOWN);
    EXPECT_EQ(ration_result_violation(result), 1);
    EXPECT_LT(ration_result_gap_percent(result), 0.0);
    const std::string json = json_of(program, result);
    EXPECT_TRUE(has(json, "{\"row\": \"1\", \"load\": 2, \"limit\": 1}")) << json;
    EXPECT_TRUE(has(json, "\"gap_percent\": null")) << json;
    ration_error error{};
    EXPECT_EQ(check(program, json, &error), RATION_OK) << error.text;
    ration_result_free(result);
    ration_program_free(program);
}

TEST(ResultForm, BoundAlone)
{
    ration_program *program = two_items(RATION_MINIMISE, 0, 0);
    ration_run run;
    run = ration_run{};
    run.time_us = -1;
    ration_result *result = nullptr;
    ration_error error{};
    ASSERT_EQ(ration_bound(program, &run, &result, &error), RATION_OK) << error.text;
    EXPECT_EQ(ration_result_status(result), RATION_PLAN_UNKNOWN);
    EXPECT_FALSE(ration_result_has_picks(result));
    int64_t bound = 0;
    EXPECT_TRUE(ration_result_bound(result, &bound));
    EXPECT_EQ(bound, 5);
    const std::string json = json_of(program, result);
    EXPECT_FALSE(has(json, "picks")) << json;
    EXPECT_EQ(check(program, json, &error), RATION_OK) << error.text;
    ration_result_free(result);
    ration_program_free(program);
}

TEST(ResultForm, MalformedIsRefusedWithItsPath)
{
    ration_program *program = two_items(RATION_MINIMISE, 0, 0);
    ration_result *result = result_of(program, OPTIMAL);
    const std::string json = json_of(program, result);
    const struct {
        const char *from;
        const char *to;
        const char *says; // part of the message
    } cases[] = {
        {"\"optimal\"", "\"optimum\"", "status"},
        {"\"optimal\"", "7", "status"},
        {"\"cost\": 5", "\"cost\": \"five\"", "cost"},
        {"\"cost\": 5", "\"cost\": 5.5", "cost"},
        {"\"cost\": 5", "\"costs\": 5", "costs"},
        {"\"epochs\": 3", "\"epochs\": -3", "epochs"},
        {"\"epochs\": 3", "\"epochs\": 3.5", "epochs"},
        {"\"elapsed_s\": 1.5", "\"elapsed_s\": -1", "elapsed_s"},
        {"\"item\": \"1\"", "\"item\": \"9\"", "picks[0].item"},
        {"\"item\": \"1\"", "\"item\": \"2\"", "picks[1]"},
        {"\"place\": \"2\"", "\"place\": \"3\"", "picks[0].place"},
        {"\"money\"", "\"mony\"", "cost_by_dimension"},
        {"\"kind\": \"lagrange\"", "\"kind\": \"magic\"", "certificate.kind"},
        {"\"scale\": 1048576", "\"scale\": 1024", "scale"},
        {"\"18446744073709551615\"", "\"18446744073709551616\"", "seed"},
    };
    for (const auto &one : cases) {
        const size_t at = json.find(one.from);
        ASSERT_NE(at, std::string::npos) << one.from << json;
        std::string wrong = json;
        wrong.replace(at, std::string(one.from).size(), one.to);
        ration_error error{};
        EXPECT_EQ(check(program, wrong, &error), RATION_E_INPUT) << one.to << ": " << error.text;
        EXPECT_NE(std::string(error.text).find(one.says), std::string::npos)
            << one.to << ": " << error.text;
    }
    ration_result_free(result);
    ration_program_free(program);
}

TEST(ResultForm, OfAnotherProgram)
{
    ration_program *program = two_items(RATION_MINIMISE, 0, 0);
    ration_program *other = two_items(RATION_MINIMISE, 1, 0);
    ration_result *result = result_of(program, OPTIMAL);
    ration_error error{};
    EXPECT_EQ(check(other, json_of(program, result), &error), RATION_E_MISMATCH);
    EXPECT_NE(std::string(error.text).find("another program"), std::string::npos) << error.text;
    ration_result_free(result);
    ration_program_free(other);
    ration_program_free(program);
}

} // namespace
