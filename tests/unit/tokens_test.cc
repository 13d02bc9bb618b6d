// The tokenizer of the public formats.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "ration/tokens.h"

namespace
{

struct Tokens {
    std::string text;
    ration_tokens tokens{};
    ration_error error{};

    explicit Tokens(const std::string &from) : text(from)
    {
        EXPECT_EQ(ration_tokens_begin(&tokens, "f", text.data(), text.size(), &error), RATION_OK);
    }
    int64_t integer(int64_t otherwise = -999)
    {
        int64_t value = otherwise;
        ration_tokens_integer(&tokens, "x", INT64_MIN, INT64_MAX, &value, &error);
        return value;
    }
    int64_t decimal(int32_t places, int64_t otherwise = -999)
    {
        int64_t value = otherwise;
        ration_tokens_decimal(&tokens, "x", places, INT64_MIN, INT64_MAX, &value, &error);
        return value;
    }
};

TEST(Tokens, Integers)
{
    Tokens t("\xEF\xBB\xBF 12\r\n-3\t+4 9223372036854775807 9223372036854775808");
    EXPECT_EQ(t.integer(), 12);
    EXPECT_EQ(t.integer(), -3);
    EXPECT_EQ(t.integer(), 4);
    EXPECT_EQ(t.integer(), INT64_MAX);
    EXPECT_EQ(t.integer(), -999);
    EXPECT_STREQ(t.error.text, "f: line 2: x: found \"9223372036854775808\"; expected an integer");
    EXPECT_FALSE(ration_tokens_done(&t.tokens));
    for (const char *bad : {"1.0", "1e3", "0x10", "-", "+", "1-", "--1", "", "NaN", "1,", "\xFF"}) {
        Tokens u(bad);
        EXPECT_EQ(u.integer(), -999) << bad;
        EXPECT_EQ(u.error.status, RATION_E_INPUT) << bad;
    }
}

TEST(Tokens, Decimals)
{
    Tokens t("12 12.5 -0.25 12.50 100.0 .5 5.");
    EXPECT_EQ(ration_tokens_places(&t.tokens, 7), 2);
    EXPECT_EQ(ration_tokens_places(&t.tokens, 2), 1);
    EXPECT_EQ(t.decimal(2), 1200);
    EXPECT_EQ(t.decimal(2), 1250);
    EXPECT_EQ(t.decimal(2), -25);
    EXPECT_EQ(t.decimal(1), 125);
    EXPECT_EQ(t.decimal(0), 100);
    EXPECT_EQ(t.decimal(1), 5);
    EXPECT_EQ(t.decimal(0), 5);
    EXPECT_TRUE(ration_tokens_done(&t.tokens));
    for (const char *bad : {"0.125", "1.2.3", ".", "-.", "1.x", "99999999999999999999.5"}) {
        Tokens u(bad);
        EXPECT_EQ(u.decimal(2), -999) << bad;
    }
    Tokens half("0.5");
    EXPECT_EQ(half.decimal(0), -999);
}

TEST(Tokens, LinesBoundsAndTheEnd)
{
    Tokens t("1\n\n 2 \n");
    int64_t value = 7;
    EXPECT_EQ(ration_tokens_integer(&t.tokens, "x", 2, 5, &value, &t.error), RATION_E_INPUT);
    EXPECT_STREQ(t.error.text, "f: line 1: x: found 1; expected 2 to 5");
    EXPECT_EQ(value, 7);
    EXPECT_EQ(ration_tokens_skip(&t.tokens, "x", 1, &t.error), RATION_OK);
    EXPECT_EQ(ration_tokens_end(&t.tokens, &t.error), RATION_E_INPUT);
    EXPECT_STREQ(t.error.text, "f: line 3: found \"2\" after the end of the problem");
    EXPECT_EQ(ration_tokens_skip(&t.tokens, "x", 2, &t.error), RATION_E_INPUT);
    EXPECT_STREQ(t.error.text, "f: line 4: the file ends where x is expected");
    EXPECT_EQ(t.integer(), 2);
    EXPECT_EQ(ration_tokens_end(&t.tokens, &t.error), RATION_OK);
}

TEST(Tokens, NoText)
{
    ration_tokens tokens{};
    ration_error error{};
    EXPECT_EQ(ration_tokens_begin(&tokens, "f", "\x1F\x8B\x08", 3, &error), RATION_E_INPUT);
    EXPECT_NE(std::strstr(error.text, "gzip"), nullptr);
    EXPECT_EQ(ration_tokens_begin(&tokens, "f", "\xFF\xFE\x31", 3, &error), RATION_E_INPUT);
    EXPECT_NE(std::strstr(error.text, "UTF-16"), nullptr);
}

} // namespace
