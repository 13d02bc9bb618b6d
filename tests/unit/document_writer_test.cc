// The writer: form, numbers, misuse; and that what is written reads back the same.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "host/base/number.h"
#include "ration/document.h"

namespace {

class DocumentWriter : public testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(ration_writer_create(&w, nullptr), RATION_OK); }
    void TearDown() override { ration_writer_free(w); }

    std::string finish()
    {
        const char *text = nullptr;
        size_t bytes = 0;
        ration_error error = {};
        const ration_status status = ration_writer_finish(w, &text, &bytes, &error);
        if (status != RATION_OK) {
            EXPECT_EQ(text, nullptr);
            return std::to_string(status) + " " + error.text;
        }
        EXPECT_EQ(strlen(text), bytes);
        return text;
    }

    ration_writer *w = nullptr;
};

TEST_F(DocumentWriter, Form)
{
    ration_writer_open_map(w, nullptr);
    ration_writer_integer(w, "b", -5);
    ration_writer_open_list(w, "a");
    ration_writer_inline(w);
    ration_writer_real(w, nullptr, 0.1);
    ration_writer_open_map(w, nullptr);
    ration_writer_bool(w, "yes", true);
    ration_writer_null(w, "no");
    ration_writer_close(w);
    ration_writer_close(w);
    ration_writer_open_map(w, "empty");
    ration_writer_close(w);
    ration_writer_open_list(w, "list");
    ration_writer_text(w, nullptr, nullptr);
    ration_writer_real(w, nullptr, std::nan(""));
    ration_writer_real(w, nullptr, HUGE_VAL);
    ration_writer_close(w);
    ration_writer_close(w);
    const std::string expected = "{\n"
                                 "  \"b\": -5,\n"
                                 "  \"a\": [0.1, {\"yes\": true, \"no\": null}],\n"
                                 "  \"empty\": {},\n"
                                 "  \"list\": [\n"
                                 "    null,\n"
                                 "    null,\n"
                                 "    null\n"
                                 "  ]\n"
                                 "}\n";
    EXPECT_EQ(finish(), expected);
    EXPECT_EQ(finish(), expected);
}

TEST_F(DocumentWriter, LargeIntegersAreText)
{
    ration_writer_open_list(w, nullptr);
    ration_writer_inline(w);
    for (int64_t value :
         {int64_t{9007199254740992}, int64_t{9007199254740993}, int64_t{-9007199254740992},
          int64_t{-9007199254740993}, INT64_MAX, INT64_MIN}) {
        ration_writer_integer(w, nullptr, value);
    }
    ration_writer_close(w);
    EXPECT_EQ(finish(),
              "[9007199254740992, \"9007199254740993\", -9007199254740992, \"-9007199254740993\", "
              "\"9223372036854775807\", \"-9223372036854775808\"]\n");
}

TEST_F(DocumentWriter, Text)
{
    ration_writer_text(w, nullptr,
                       "a\"b\\c\n\t\r\x01\x7f\xc2\x85 \xc3\xa9\xf0\x9f\x98\x80 \xff\xe2\x82");
    EXPECT_EQ(finish(), "\"a\\\"b\\\\c\\n\\t\\r\\u0001\\u007f\\u0085 \xc3\xa9\xf0\x9f\x98\x80 "
                        "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"\n");
}

TEST_F(DocumentWriter, NothingWritten)
{
    EXPECT_EQ(finish(), "3 writer: nothing was written");
}

TEST_F(DocumentWriter, LeftOpen)
{
    ration_writer_open_map(w, nullptr);
    EXPECT_EQ(finish(), "3 writer: a list or map is still open");
}

TEST_F(DocumentWriter, FirstMisuseIsKept)
{
    ration_writer_open_list(w, nullptr);
    ration_writer_integer(w, "key", 1);
    ration_writer_close(w);
    ration_writer_close(w);
    EXPECT_EQ(finish(), "3 writer: a key in a list");
}

TEST_F(DocumentWriter, MapNeedsKeys)
{
    ration_writer_open_map(w, nullptr);
    ration_writer_integer(w, nullptr, 1);
    EXPECT_EQ(finish(), "3 writer: a value in a map without a key");
}

TEST_F(DocumentWriter, ClosedTooOften)
{
    ration_writer_integer(w, nullptr, 1);
    ration_writer_close(w);
    EXPECT_EQ(finish(), "3 writer: closed more than was opened");
}

TEST_F(DocumentWriter, OneRoot)
{
    ration_writer_integer(w, nullptr, 1);
    ration_writer_integer(w, nullptr, 2);
    EXPECT_EQ(finish(), "3 writer: a second value outside of lists and maps");
}

TEST_F(DocumentWriter, TooDeep)
{
    for (int i = 0; i < 200; i++) {
        ration_writer_open_list(w, nullptr);
    }
    EXPECT_EQ(finish(), "3 writer: more than 128 lists and maps within each other");
}

TEST_F(DocumentWriter, CopiesReadBackTheSame)
{
    const std::string text = "{\n"
                             "  \"a\": [\n"
                             "    1,\n"
                             "    -2.50e3,\n"
                             "    [],\n"
                             "    {\n"
                             "      \"k\": {\n"
                             "        \"l\": [\n"
                             "          []\n"
                             "        ]\n"
                             "      },\n"
                             "      \"m\": \"t\\u0001\"\n"
                             "    },\n"
                             "    null\n"
                             "  ],\n"
                             "  \"big\": \"9223372036854775807\",\n"
                             "  \"flag\": false\n"
                             "}\n";
    ration_document *document = nullptr;
    ASSERT_EQ(ration_document_parse(text.data(), text.size(), "x", false, &document, nullptr),
              RATION_OK);
    ration_writer_copy(w, nullptr, ration_document_root(document));
    ration_document_free(document);
    EXPECT_EQ(finish(), text);
}

TEST(DocumentNumber, ShortestForm)
{
    const struct {
        double value;
        const char *text;
    } known[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1.5, "-1.5"},
        {100, "100"},
        {0.1, "0.1"},
        {1.0 / 3, "0.3333333333333333"},
        {1e15, "1000000000000000"},
        {9007199254740993.0, "9007199254740992"},
        {1e16, "1e16"},
        {1e-5, "0.00001"},
        {0.00012345, "0.00012345"},
        {1e-6, "1e-6"},
        {1.5e-7, "1.5e-7"},
        {123456.789, "123456.789"},
        {1.7976931348623157e308, "1.7976931348623157e308"},
        {5e-324, "5e-324"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {6500.5, "6500.5"},
        {1e100, "1e100"},
    };
    char text[RN_REAL_TEXT_MAX];
    for (const auto &k : known) {
        EXPECT_STREQ(rn_real_text(k.value, text), k.text);
    }
}

TEST(DocumentNumber, EveryRealReadsBackTheSame)
{
    std::mt19937_64 random(7);
    char text[RN_REAL_TEXT_MAX];
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = random();
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        if (!std::isfinite(value)) {
            continue;
        }
        const std::string written = rn_real_text(value, text);
        double back = 0;
        ASSERT_TRUE(rn_real_read(written.c_str(), &back)) << written;
        ASSERT_EQ(std::memcmp(&back, &value, sizeof back), 0) << written;
    }
}

} // namespace
