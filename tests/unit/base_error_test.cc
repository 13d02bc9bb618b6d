// The error object: names, cutting, cleaning.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "core/fail.h"
#include "ration/error.h"

namespace {

TEST(BaseError, EveryStatusHasItsOwnName)
{
    std::string seen;
    for (int i = RATION_OK; i <= RATION_E_INTERNAL; i++) {
        const std::string name = ration_status_name(static_cast<ration_status>(i));
        EXPECT_NE(name, "unknown status") << i;
        EXPECT_EQ(seen.find("|" + name + "|"), std::string::npos) << name;
        seen += "|" + name + "|";
    }
    EXPECT_STREQ(ration_status_name(static_cast<ration_status>(RATION_E_INTERNAL + 1)),
                 "unknown status");
}

TEST(BaseError, SetsAndReturns)
{
    ration_error error = {};
    EXPECT_EQ(rn_fail(&error, RATION_E_INPUT, "tasks[%d]: %s", 7, "negative"), RATION_E_INPUT);
    EXPECT_EQ(error.status, RATION_E_INPUT);
    EXPECT_STREQ(error.text, "tasks[7]: negative");
    EXPECT_EQ(ration_error_set(nullptr, RATION_E_IO, "unseen"), RATION_E_IO);
}

TEST(BaseError, TheOldSentenceMayBeAnArgument)
{
    ration_error error = {};
    rn_fail(&error, RATION_E_INPUT, "inner");
    ration_error_set(&error, RATION_E_IO, "outer: %s", error.text);
    EXPECT_STREQ(error.text, "outer: inner");
}

TEST(BaseError, ControlCharactersAndBadBytesBecomeQuestionMarks)
{
    ration_error error = {};
    rn_fail(&error, RATION_E_INPUT, "%s", "a\nb\tc\x7f" "d\xff\xc2\x85" "e\xed\xa0\x80 \xc3\xa9");
    EXPECT_STREQ(error.text, "a?b?c?d??e??? \xc3\xa9");
}

TEST(BaseError, CutsAtACharacterBoundary)
{
    for (size_t ascii = 500; ascii < 520; ascii++) {
        std::string text(ascii, 'x');
        for (int i = 0; i < 10; i++) {
            text += "\xe2\x82\xac";
        }
        ration_error error = {};
        rn_fail(&error, RATION_E_INPUT, "%s", text.c_str());
        const size_t room = RATION_ERROR_TEXT_MAX - 1;
        const size_t expected = ascii >= room ? room : ascii + (room - ascii) / 3 * 3;
        EXPECT_EQ(std::strlen(error.text), expected < text.size() ? expected : text.size())
            << ascii;
        EXPECT_EQ(text.compare(0, std::strlen(error.text), error.text), 0) << ascii;
    }
}

} // namespace
