// The JSON form: what it means, and what is refused, with the place.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "host/program/program.h"
#include "ration/program.h"

namespace
{

const char *const small = R"({
  "format": "ration-program", "version": 1,
  "objective": {"sense": "maximise", "constant": 7, "scale": 2},
  "rows": [
    {"name": "memory", "dimension": "memory", "high": 80, "cost": [[0, 0, 0], [60, 0, 5]]},
    {"name": "tenants", "feeds": [{"to": "memory", "function": [[0, 0, 3]]}]}
  ],
  "places": [{"name": "gpu", "class": 4, "roles": {"0": ["memory"], "1": ["tenants"]}},
             {"class": 4}],
  "modes": [{"name": "run"}, {"name": "stay", "stay": true}],
  "items": [
    {"name": "chat", "class": 1,
     "entries": [{"class": 4, "mode": "run", "cost": 10, "dimension": "money",
                  "loads": {"0": 40, "1": 1}}],
     "exclude": [2], "start": {"place": "gpu", "mode": "run", "move_cost": 3}},
    {"options": [{"place": "2", "cost": "9007199254740993", "loads": {"memory": -5}}]}
  ],
  "table": {"costs": [[1, 2], [30, 40]]},
  "conflicts": [["chat", 2]],
  "groups": [{"items": ["chat"], "rows": []}],
  "traffic": {"dimension": "bandwidth", "edges": [{"from": "chat", "to": "2", "weight": 6}],
              "tiers": [{"distance": 0, "ancestors": [0, 1]}, {"distance": 9}]}
})";

struct Read {
    ration_program *program = nullptr;
    ration_status status = RATION_OK;
    ration_error error{};

    explicit Read(const std::string &text)
    {
        ration_document *document = nullptr;
        status =
            ration_document_parse(text.data(), text.size(), "x.json", false, &document, &error);
        if (status == RATION_OK) {
            status = ration_program_read(document, &program, &error);
        }
        ration_document_free(document);
    }
    ~Read()
    {
        ration_program_free(program);
    }
    Read(const Read &) = delete;
    Read &operator=(const Read &) = delete;
};

std::string replaced(const std::string &from, const std::string &to)
{
    std::string text = small;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(ProgramJson, SaysWhatItSays)
{
    Read r(small);
    ASSERT_EQ(r.status, RATION_OK) << r.error.text;
    const rn_view *v = rn_program_view(r.program);
    ration_sense sense = RATION_MINIMISE;
    int64_t constant = 0;
    int32_t scale = 0;
    ration_program_objective(r.program, &sense, &constant, &scale);
    EXPECT_EQ(sense, RATION_MAXIMISE);
    EXPECT_EQ(constant, 7);
    EXPECT_EQ(scale, 2);
    EXPECT_EQ(ration_program_option_total(r.program), 2);
    EXPECT_EQ(ration_program_start(r.program, 0), 0);
    EXPECT_EQ(rn_option_decode(v, 0, 0).cost, 10 + 30);
    EXPECT_EQ(rn_option_decode(v, 1, 0).cost, INT64_C(9007199254740993) + 2);
    EXPECT_EQ(v->row_least[0], 40 - 5 + 3);
    EXPECT_EQ(v->row_dimension[0], RATION_DIMENSION_MEMORY);
    EXPECT_EQ(v->edges, 1);
    EXPECT_EQ(rn_distance(v, 0, 1), 9);
    EXPECT_EQ(v->all_rows, 4);
}

TEST(ProgramJson, RefusalsNameThePlace)
{
    const struct {
        const char *from;
        const char *to;
        const char *says;
    } broken[] = {
        {"\"version\": 1", "\"version\": 2", "version"},
        {"ration-program", "ration-programs", "format"},
        {"\"high\": 80", "\"hihg\": 80", "hihg"},
        {"\"high\": 80", "\"high\": 80.5", "rows[0].high"},
        {"\"high\": 80", "\"high\": 9007199254740993", "rows[0].high"},
        {"\"high\": 80", "\"high\": 80, \"low\": 81", "rows[0]"},
        {"{\"to\": \"memory\"", "{\"to\": \"memori\"", "there is no row \"memori\""},
        {"[60, 0, 5]", "[0, 0, 5]", "rows[0].cost"},
        {"[60, 0, 5]", "[60, 0]", "rows[0].cost[1]"},
        {"\"0\": [\"memory\"]", "\"4096\": [\"memory\"]", "role \"4096\""},
        {"\"exclude\": [2]", "\"exclude\": [3]", "items[0].exclude[0]"},
        {"{\"memory\": -5}", "{\"memory\": -5.5}", "items[1].options[0].loads.memory"},
        {"{\"memory\": -5}", "{\"memory\": -5, \"memory\": 1}", "memory"},
        {"[[1, 2], [30, 40]]", "[[1, 2], [30]]", "table.costs[1]"},
        {"[[1, 2], [30, 40]]", "[[1, 2]]", "item \"chat\" has class 1"},
        {"[[\"chat\", 2]]", "[[\"chat\", \"chat\"]]", "conflicts[0]"},
        {"\"weight\": 6", "\"weight\": null", "traffic.edges[0].weight"},
        {"[0, 1]}, {\"distance\": 9}", "[0]}, {\"distance\": 9}", "traffic.tiers[0].ancestors"},
        {"\"cost\": 10", "\"cost\": \"4611686018427387905\"", "the cost of an option"},
        {"{\"place\": \"2\", ", "{", "has traffic, but an option without a place"},
        {"\"items\": [\"chat\"]", "\"items\": []", "groups[0]"},
        {"{\"class\": 4}]", "{\"name\": \"gpu\"}]", "two places are named \"gpu\""},
    };
    for (const auto &b : broken) {
        Read r(replaced(b.from, b.to));
        EXPECT_NE(r.status, RATION_OK) << b.to;
        EXPECT_EQ(r.program, nullptr);
        EXPECT_NE(std::strstr(r.error.text, "x.json"), nullptr) << r.error.text;
        EXPECT_NE(std::strstr(r.error.text, b.says), nullptr) << b.to << ": " << r.error.text;
    }
}

TEST(ProgramJson, NeedsItems)
{
    Read r("{\"format\": \"ration-program\", \"version\": 1, \"items\": []}");
    EXPECT_EQ(r.status, RATION_E_INPUT);
    Read s("{\"format\": \"ration-program\", \"version\": 1}");
    EXPECT_EQ(s.status, RATION_E_INPUT);
    EXPECT_NE(std::strstr(s.error.text, "items"), nullptr) << s.error.text;
    Read t("[]");
    EXPECT_EQ(t.status, RATION_E_INPUT);
}

} // namespace
