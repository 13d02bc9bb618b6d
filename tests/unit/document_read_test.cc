// Trees: kinds, paths, lines, typed reads.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "host/base/document_tree.h"
#include "ration/document.h"

namespace {

using document_ptr = std::unique_ptr<ration_document, decltype(&ration_document_free)>;

document_ptr parse(const std::string &text, bool yaml = false, const char *name = "x")
{
    ration_document *document = nullptr;
    ration_error error = {};
    const ration_status status =
        ration_document_parse(text.data(), text.size(), name, yaml, &document, &error);
    EXPECT_EQ(status, RATION_OK) << error.text;
    return {document, ration_document_free};
}

const ration_node *root_of(const document_ptr &document)
{
    return ration_document_root(document.get());
}

const char *const SAMPLE = "{\"name\": \"a \\\"b\\\" \\u00e9\\ud83d\\ude00\",\n"
                           " \"list\": [1, -2.5e3, true, null, []],\n"
                           " \"map\": {\"inner\": {\"deep\": [[7]]},\n"
                           "  \"odd key.\": 1, \"\": 2}}";

TEST(DocumentRead, KindsAndOrder)
{
    const auto document = parse(SAMPLE);
    const ration_node *root = root_of(document);
    EXPECT_STREQ(ration_document_name(document.get()), "x");
    ASSERT_EQ(ration_node_kind(root), RATION_KIND_MAP);
    ASSERT_EQ(ration_node_count(root), 3);
    EXPECT_STREQ(ration_node_key(root, 0), "name");
    EXPECT_STREQ(ration_node_key(root, 1), "list");
    EXPECT_STREQ(ration_node_key(root, 2), "map");
    const ration_node *list = ration_node_find(root, "list");
    ASSERT_EQ(ration_node_kind(list), RATION_KIND_LIST);
    const ration_kind kinds[] = {RATION_KIND_NUMBER, RATION_KIND_NUMBER, RATION_KIND_BOOL,
                                 RATION_KIND_NULL, RATION_KIND_LIST};
    ASSERT_EQ(ration_node_count(list), 5);
    for (int32_t i = 0; i < 5; i++) {
        EXPECT_EQ(ration_node_kind(ration_node_at(list, i)), kinds[i]) << i;
    }
    EXPECT_EQ(ration_node_find(root, "nam"), nullptr);
    EXPECT_EQ(ration_node_find(list, "name"), nullptr);
    EXPECT_EQ(ration_node_count(ration_node_at(list, 0)), 0);
    EXPECT_EQ(ration_node_at(list, 5), nullptr);
    EXPECT_EQ(ration_node_at(list, -1), nullptr);
    EXPECT_EQ(ration_node_at(ration_node_at(list, 0), 0), nullptr);
}

TEST(DocumentRead, PathsAndLines)
{
    const auto document = parse(SAMPLE);
    const ration_node *root = root_of(document);
    const ration_node *map = ration_node_find(root, "map");
    const ration_node *deep = ration_node_find(ration_node_find(map, "inner"), "deep");
    char where[200];
    EXPECT_STREQ(ration_node_where(ration_node_at(ration_node_at(deep, 0), 0), where, sizeof where),
                 "x: line 3: map.inner.deep[0][0]");
    EXPECT_STREQ(ration_node_where(ration_node_find(map, "odd key."), where, sizeof where),
                 "x: line 4: map[\"odd key.\"]");
    EXPECT_STREQ(ration_node_where(ration_node_find(map, ""), where, sizeof where),
                 "x: line 4: map[\"\"]");
    EXPECT_STREQ(ration_node_where(root, where, sizeof where), "x: line 1");
    EXPECT_STREQ(ration_node_where(deep, where, 8), "x: line");
    EXPECT_EQ(ration_node_line(ration_node_find(root, "list")), 2);
    ration_error error = {};
    EXPECT_EQ(ration_node_fail(deep, &error, "found %d", 5), RATION_E_INPUT);
    EXPECT_STREQ(error.text, "x: line 3: map.inner.deep: found 5");
}

TEST(DocumentRead, LongNamesAndKeysLeaveRoomForTheSentence)
{
    const std::string name = "/very" + std::string(3000, 'n') + "/scenario.json";
    const auto document = parse("{\"" + std::string(5000, 'k') + "\": 1}", false, name.c_str());
    ration_error error = {};
    bool value = false;
    EXPECT_EQ(ration_node_bool(ration_node_at(root_of(document), 0), &value, &error),
              RATION_E_INPUT);
    const std::string text = error.text;
    EXPECT_EQ(text.substr(0, 4), "...n");
    EXPECT_NE(text.find("/scenario.json: line 1: kkk"), std::string::npos) << text;
    EXPECT_NE(text.find("k...: found 1, expected true or false"), std::string::npos) << text;
    EXPECT_EQ(ration_document_name(document.get()), name);
}

std::string read_integer(const char *json, int64_t low = INT64_MIN, int64_t high = INT64_MAX)
{
    const auto document = parse(json);
    int64_t value = 77;
    ration_error error = {};
    if (ration_node_integer(root_of(document), low, high, &value, &error) == RATION_OK) {
        return std::to_string(value);
    }
    EXPECT_EQ(value, 77);
    EXPECT_EQ(error.status, RATION_E_INPUT);
    return error.text;
}

TEST(DocumentRead, Integers)
{
    EXPECT_EQ(read_integer("0"), "0");
    EXPECT_EQ(read_integer("-0"), "0");
    EXPECT_EQ(read_integer("9007199254740992"), "9007199254740992");
    EXPECT_EQ(read_integer("-9007199254740992"), "-9007199254740992");
    EXPECT_EQ(read_integer("\"9223372036854775807\""), "9223372036854775807");
    EXPECT_EQ(read_integer("\"-9223372036854775808\""), "-9223372036854775808");
    EXPECT_EQ(read_integer("9007199254740993"), "x: line 1: found 9007199254740993, a number "
                                                "beyond 2^53 is not exact, expected it in quotes");
    EXPECT_EQ(read_integer("-9007199254740993"), "x: line 1: found -9007199254740993, a number "
                                                 "beyond 2^53 is not exact, expected it in quotes");
    EXPECT_EQ(read_integer("99999999999999999999"),
              "x: line 1: found 99999999999999999999, a number beyond 2^53 is not "
              "exact, expected it in quotes and within 64 bits");
    EXPECT_EQ(read_integer("\"9223372036854775808\""),
              "x: line 1: found text \"9223372036854775808\", expected an integer");
    EXPECT_EQ(read_integer("1.0"), "x: line 1: found 1.0, expected an integer");
    EXPECT_EQ(read_integer("1e3"), "x: line 1: found 1e3, expected an integer");
    for (const char *bad :
         {"\"\"", "\"-\"", "\"01\"", "\"+1\"", "\" 1\"", "\"1 \"", "\"1.0\"", "\"0x1\""}) {
        EXPECT_NE(read_integer(bad).find("expected an integer"), std::string::npos) << bad;
    }
    EXPECT_EQ(read_integer("true"), "x: line 1: found true, expected an integer");
    EXPECT_EQ(read_integer("[1]"), "x: line 1: found a list, expected an integer");
    EXPECT_EQ(read_integer("null"), "x: line 1: found null, expected an integer");
    EXPECT_EQ(read_integer("8", 1, 8), "8");
    EXPECT_EQ(read_integer("1", 1, 8), "1");
    EXPECT_EQ(read_integer("9", 1, 8), "x: line 1: found 9, expected an integer from 1 to 8");
    EXPECT_EQ(read_integer("0", 1, 8), "x: line 1: found 0, expected an integer from 1 to 8");
    EXPECT_EQ(read_integer("-1", 0), "x: line 1: found -1, expected an integer of at least 0");
    EXPECT_EQ(read_integer("1", INT64_MIN, 0),
              "x: line 1: found 1, expected an integer of at most 0");
}

std::string read_real(const char *json, double low, double high)
{
    const auto document = parse(json);
    double value = 77;
    ration_error error = {};
    if (ration_node_real(root_of(document), low, high, &value, &error) == RATION_OK) {
        return std::to_string(value);
    }
    EXPECT_EQ(value, 77);
    return error.text;
}

TEST(DocumentRead, Reals)
{
    EXPECT_EQ(read_real("0.25", 0, 1), "0.250000");
    EXPECT_EQ(read_real("1", 0, 1), "1.000000");
    EXPECT_EQ(read_real("1.5", 0, 1), "x: line 1: found 1.5, expected a number from 0 to 1");
    EXPECT_EQ(read_real("-1e-9", 0, HUGE_VAL),
              "x: line 1: found -1e-9, expected a number of at least 0");
    EXPECT_EQ(read_real("2", -HUGE_VAL, 0.5),
              "x: line 1: found 2, expected a number of at most 0.5");
    EXPECT_EQ(read_real("\"1\"", -HUGE_VAL, HUGE_VAL),
              "x: line 1: found text \"1\", expected a number");
    EXPECT_EQ(read_real("1e-400", 0, 1), "0.000000");
}

TEST(DocumentRead, BoolTextWord)
{
    const auto document = parse(
        "{\"b\": true, \"t\": \"soft\", \"e\": \"\", \"c\": \"a\\nb\", \"n\": 5, \"w\": \"hrad\", "
        "\"q\": \"zzzzzz\"}");
    const ration_node *root = root_of(document);
    ration_error error = {};
    bool flag = false;
    EXPECT_EQ(ration_node_bool(ration_node_find(root, "b"), &flag, &error), RATION_OK);
    EXPECT_TRUE(flag);
    const char *text = nullptr;
    EXPECT_EQ(ration_node_text(ration_node_find(root, "t"), false, &text, &error), RATION_OK);
    EXPECT_STREQ(text, "soft");
    text = nullptr;
    EXPECT_EQ(ration_node_text(ration_node_find(root, "e"), false, &text, &error), RATION_E_INPUT);
    EXPECT_STREQ(error.text, "x: line 1: e: found text \"\", expected text that is not empty");
    EXPECT_EQ(text, nullptr);
    EXPECT_EQ(ration_node_text(ration_node_find(root, "e"), true, &text, &error), RATION_OK);
    EXPECT_EQ(ration_node_text(ration_node_find(root, "c"), true, &text, &error), RATION_E_INPUT);
    EXPECT_STREQ(error.text,
                 "x: line 1: c: found text \"a?b\", expected text without control characters");
    EXPECT_EQ(ration_node_text(ration_node_find(root, "n"), true, &text, &error), RATION_E_INPUT);
    EXPECT_STREQ(error.text, "x: line 1: n: found 5, expected text in quotes");
    const char *const words[] = {"hard", "soft"};
    int32_t index = -1;
    EXPECT_EQ(ration_node_word(ration_node_find(root, "t"), words, 2, &index, &error), RATION_OK);
    EXPECT_EQ(index, 1);
    EXPECT_EQ(ration_node_word(ration_node_find(root, "w"), words, 2, &index, &error),
              RATION_E_INPUT);
    EXPECT_STREQ(
        error.text,
        "x: line 1: w: found text \"hrad\", did you mean \"hard\"? Expected one of: hard, soft");
    EXPECT_EQ(ration_node_word(ration_node_find(root, "q"), words, 2, &index, &error),
              RATION_E_INPUT);
    EXPECT_STREQ(error.text, "x: line 1: q: found text \"zzzzzz\", expected one of: hard, soft");
    EXPECT_EQ(ration_node_word(ration_node_find(root, "n"), words, 2, &index, &error),
              RATION_E_INPUT);
    EXPECT_STREQ(error.text, "x: line 1: n: found 5, expected one of: hard, soft");
    EXPECT_EQ(index, 1);
}

TEST(DocumentRead, ListsMapsKeys)
{
    const auto document =
        parse("{\"l\": [1,2,3], \"nodes\": {\"memry_gib\": 1}, \"m\": {\"zzzzzzzz\": 1}}");
    const ration_node *root = root_of(document);
    const ration_node *list = ration_node_find(root, "l");
    ration_error error = {};
    EXPECT_EQ(ration_node_list(list, 3, 3, &error), RATION_OK);
    EXPECT_EQ(ration_node_list(list, 0, INT32_MAX, &error), RATION_OK);
    EXPECT_EQ(ration_node_list(list, 4, INT32_MAX, &error), RATION_E_INPUT);
    EXPECT_STREQ(error.text,
                 "x: line 1: l: found a list of 3 values, expected a list of at least 4 values");
    EXPECT_EQ(ration_node_list(list, 1, 2, &error), RATION_E_INPUT);
    EXPECT_STREQ(error.text,
                 "x: line 1: l: found a list of 3 values, expected a list of 1 to 2 values");
    EXPECT_EQ(ration_node_list(root, 1, 1, &error), RATION_E_INPUT);
    EXPECT_STREQ(error.text, "x: line 1: found a map, expected a list of 1 value");
    EXPECT_EQ(ration_node_map(list, &error), RATION_E_INPUT);
    EXPECT_STREQ(error.text, "x: line 1: l: found a list, expected a map");
    const char *const known[] = {"memory_gib", "power_w"};
    const ration_node *nodes = ration_node_find(root, "nodes");
    EXPECT_EQ(ration_node_keys(nodes, known, 2, &error), RATION_E_INPUT);
    EXPECT_STREQ(error.text,
                 "x: line 1: nodes.memry_gib: unknown field, did you mean \"memory_gib\"?");
    EXPECT_EQ(ration_node_keys(ration_node_find(root, "m"), known, 2, &error), RATION_E_INPUT);
    EXPECT_STREQ(error.text,
                 "x: line 1: m.zzzzzzzz: unknown field, expected one of: memory_gib, power_w");
    const char *const all[] = {"l", "m", "nodes"};
    EXPECT_EQ(ration_node_keys(root, all, 3, &error), RATION_OK);
    const ration_node *value = nullptr;
    EXPECT_EQ(ration_node_need(root, "l", &value, &error), RATION_OK);
    EXPECT_EQ(value, list);
    EXPECT_EQ(ration_node_need(nodes, "power_w", &value, &error), RATION_E_INPUT);
    EXPECT_STREQ(error.text, "x: line 1: nodes: the field \"power_w\" is missing");
    EXPECT_EQ(value, list);
}

TEST(DocumentRead, ManyKeysAreFound)
{
    std::string text = "{";
    for (int i = 0; i < 5000; i++) {
        text +=
            (i > 0 ? ",\"k" : "\"k") + std::to_string(i * 7919 % 5000) + "\":" + std::to_string(i);
    }
    const auto document = parse(text + "}");
    for (int i = 0; i < 5000; i++) {
        const ration_node *node =
            ration_node_find(root_of(document), ("k" + std::to_string(i * 7919 % 5000)).c_str());
        ASSERT_NE(node, nullptr);
        EXPECT_EQ(node, ration_node_at(root_of(document), i));
    }
    EXPECT_EQ(ration_node_find(root_of(document), "k5000"), nullptr);
}

TEST(DocumentYaml, ReadsAsTheSameJson)
{
    const auto yaml = parse("name: two servers # a note\n"
                            "nodes:\n"
                            "  - {gpus: 8, \"power\": 6500.5}\n"
                            "  - gpus: 0x10\n"
                            "    power: .5\n"
                            "text: |\n"
                            "  one\n"
                            "  two\n"
                            "none: ~\n"
                            "empty:\n"
                            "yes: yes\n"
                            "flag: True\n"
                            "quoted: '12'\n"
                            "version: 1.2.3\n"
                            "neg: -17\n"
                            "exp: +1e3\n",
                            true, "s.yaml");
    ration_writer *writer = nullptr;
    ASSERT_EQ(ration_writer_create(&writer, nullptr), RATION_OK);
    ration_writer_open_map(writer, nullptr);
    ration_writer_inline(writer);
    ration_writer_copy(writer, "a", root_of(yaml));
    ration_writer_close(writer);
    const char *text = nullptr;
    size_t bytes = 0;
    ASSERT_EQ(ration_writer_finish(writer, &text, &bytes, nullptr), RATION_OK);
    EXPECT_STREQ(text, "{\"a\": {\"name\": \"two servers\", \"nodes\": [{\"gpus\": 8, \"power\": "
                       "6500.5}, {\"gpus\": 16, "
                       "\"power\": 0.5}], \"text\": \"one\\ntwo\\n\", \"none\": null, \"empty\": "
                       "null, \"yes\": \"yes\", "
                       "\"flag\": true, \"quoted\": \"12\", \"version\": \"1.2.3\", \"neg\": -17, "
                       "\"exp\": 1e3}}\n");
    ration_writer_free(writer);
    char where[100];
    const ration_node *second = ration_node_at(ration_node_find(root_of(yaml), "nodes"), 1);
    EXPECT_STREQ(ration_node_where(ration_node_find(second, "power"), where, sizeof where),
                 "s.yaml: line 5: nodes[1].power");
}

TEST(DocumentYaml, AliasesAreCopies)
{
    const auto document =
        parse("base: &b {gpus: [1, {x: 2}], name: n}\nother:\n  - *b\n  - *b\n", true);
    const ration_node *other = ration_node_find(root_of(document), "other");
    ASSERT_EQ(ration_node_count(other), 2);
    const ration_node *gpus = ration_node_find(ration_node_at(other, 1), "gpus");
    ASSERT_EQ(ration_node_count(gpus), 2);
    char where[100];
    const ration_node *x = ration_node_find(ration_node_at(gpus, 1), "x");
    EXPECT_STREQ(ration_node_where(x, where, sizeof where), "x: line 1: other[1].gpus[1].x");
    EXPECT_EQ(ration_node_line(ration_node_at(other, 1)), 4);
    int64_t value = 0;
    EXPECT_EQ(ration_node_integer(x, 0, 9, &value, nullptr), RATION_OK);
    EXPECT_EQ(value, 2);
}

// YAML 1.2.2, section 10.3.2: what a plain scalar is.
TEST(DocumentYaml, PlainScalars)
{
    const struct {
        const char *text;
        ration_kind kind;
        const char *number;
    } known[] = {
        {"", RATION_KIND_NULL, ""},
        {"~", RATION_KIND_NULL, ""},
        {"NULL", RATION_KIND_NULL, ""},
        {"nULL", RATION_KIND_TEXT, ""},
        {"TRUE", RATION_KIND_BOOL, ""},
        {"tRue", RATION_KIND_TEXT, ""},
        {"yes", RATION_KIND_TEXT, ""},
        {"off", RATION_KIND_TEXT, ""},
        {"0", RATION_KIND_NUMBER, "0"},
        {"-0", RATION_KIND_NUMBER, "-0"},
        {"+12", RATION_KIND_NUMBER, "12"},
        {"0o17", RATION_KIND_NUMBER, "15"},
        {"0xfF", RATION_KIND_NUMBER, "255"},
        {"0xg", RATION_KIND_TEXT, ""},
        {"0o8", RATION_KIND_TEXT, ""},
        {"0x", RATION_KIND_TEXT, ""},
        {"1.", RATION_KIND_NUMBER, "1"},
        {".5", RATION_KIND_NUMBER, "0.5"},
        {"-.5e-3", RATION_KIND_NUMBER, "-0.5e-3"},
        {"01.50", RATION_KIND_NUMBER, "1.50"},
        {"12e03", RATION_KIND_NUMBER, "12e03"},
        {".", RATION_KIND_TEXT, ""},
        {"-", RATION_KIND_TEXT, ""},
        {"1e", RATION_KIND_TEXT, ""},
        {"1_000", RATION_KIND_TEXT, ""},
        {"12:30", RATION_KIND_TEXT, ""},
        {"1.2.3", RATION_KIND_TEXT, ""},
        {"inf", RATION_KIND_TEXT, ""},
        {"NaN", RATION_KIND_TEXT, ""},
        {"1e5x", RATION_KIND_TEXT, ""},
        {"0xffffffffffffffff", RATION_KIND_NUMBER, "18446744073709551615"},
    };
    for (const auto &k : known) {
        rn_plain plain;
        rn_yaml_plain(k.text, strlen(k.text), &plain);
        EXPECT_EQ(plain.kind, k.kind) << k.text;
        EXPECT_STREQ(plain.number, k.number) << k.text;
        EXPECT_EQ(plain.problem, nullptr) << k.text;
    }
}

TEST(DocumentNearest, FindsWhatWasMeant)
{
    const char *const words[] = {"openmp",  "cuda", "checked", "memory_gib",
                                 "power_w", "gpu",  "cpu"};
    const struct {
        const char *text, *near;
    } known[] = {
        {"cdua", "cuda"},
        {"CUDA", "cuda"},
        {"cud", "cuda"},
        {"cheked", "checked"},
        {"gpus", "gpu"},
        {"memory", "memory_gib"},
        {"memory_gb", "memory_gib"},
        {"xyz", nullptr},
        {"", nullptr},
        {"power", "power_w"},
        {"opnemp", "openmp"},
    };
    for (const auto &k : known) {
        const char *near = ration_nearest(k.text, words, 7);
        EXPECT_STREQ(near, k.near) << k.text;
    }
    EXPECT_EQ(ration_nearest(std::string(1000, 'a').c_str(), words, 7), nullptr);
    EXPECT_EQ(ration_nearest("cuda", words, 0), nullptr);
}

} // namespace
