// Documents that must be refused, each with what its sentence must say; and their nearest
// neighbours that must pass.
#include <gtest/gtest.h>

#include <string>

#include "host/base/document_tree.h"
#include "ration/document.h"

namespace {

ration_document *const UNTOUCHED = reinterpret_cast<ration_document *>(0x10);

std::string repeat(const std::string &text, int times)
{
    std::string result;
    for (int i = 0; i < times; i++) {
        result += text;
    }
    return result;
}

// The sentence with which text is refused; "" when it is accepted.
std::string refusal(const std::string &text, bool yaml, ration_status expected = RATION_E_INPUT)
{
    ration_document *document = UNTOUCHED;
    ration_error error = {};
    const ration_status status =
        ration_document_parse(text.data(), text.size(), "x", yaml, &document, &error);
    if (status == RATION_OK) {
        ration_document_free(document);
        return "";
    }
    EXPECT_EQ(status, expected) << error.text;
    EXPECT_EQ(error.status, status);
    EXPECT_EQ(document, UNTOUCHED);
    EXPECT_EQ(ration_document_parse(text.data(), text.size(), "x", yaml, &document, nullptr),
              status);
    return error.text;
}

struct broken {
    std::string text;
    const char *sentence;
};

const std::string NUL(1, '\0');

const broken JSON[] = {
    {"", "x: is empty"},
    {" \n ", "x: line 2: the text ends here, expected a value"},
    {"{", "x: line 1: the text ends within the map that begins on line 1, expected a key in double "
          "quotes"},
    {"{\"a\": [1,\n2",
     "x: line 2: the text ends within the list that begins on line 1, expected ',' or ']'"},
    {"{\"a\": \"bc", "x: line 1: the text ends within quotes that begin on line 1"},
    {"{\"a\" 1}", "x: line 1: found 1, expected ':' after the key"},
    {"{\"a\": 1 \"b\": 2}", "x: line 1: found \", expected ',' or '}'"},
    {"{\"a\": 1,}", "x: line 1: a comma before '}', expected another member or no comma"},
    {"[1,]", "x: line 1: a comma before ']', expected another value or no comma"},
    {"[,1]", "x: line 1: found ,, expected a value"},
    {"[1 2]", "x: line 1: found 2, expected ',' or ']'"},
    {"[1}", "x: line 1: found }, expected ',' or ']'"},
    {"{\"a\": 1}\n\n{", "x: line 3: found {, expected nothing after the end of the document"},
    {"{} x", "x: line 1: found x, expected nothing after the end of the document"},
    {"{a: 1}", "x: line 1: found a, expected a key in double quotes"},
    {"{'a': 1}",
     "x: line 1: found ', expected a key in double quotes (JSON text stands in double quotes)"},
    {"// note\n{}", "x: line 1: found /, expected a value (JSON has no comments)"},
    {"[True]", "x: line 1: found True, expected a value"},
    {"[NaN]", "x: line 1: NaN is not accepted, expected a finite number"},
    {"[-Infinity]", "x: line 1: -Infinity is not accepted, expected a finite number"},
    {"[1e400]", "x: line 1: 1e400 is too large, the largest number is about 1.8e308"},
    {"[-1e400]", "x: line 1: -1e400 is too large, the largest number is about 1.8e308"},
    {"[01]", "x: line 1: 01 begins with 0: write it without"},
    {"[-]", "x: line 1: found -, expected a value"},
    {"[+1]", "x: line 1: +1 is not a number (a digit must come first)"},
    {"[.5]", "x: line 1: .5 is not a number (a digit must come first)"},
    {"[1.]", "x: line 1: 1. has no digit after the point"},
    {"[1e]", "x: line 1: 1e has no digit in its exponent"},
    {"[0x10]", "x: line 1: 0x10 is not a number"},
    {"[1.2.3]", "x: line 1: 1.2.3 is not a number"},
    {"[1" + repeat("0", 70) + "]", "... is a number of 71 characters, at most 63 are read"},
    {"[\"a\nb\"]", "x: line 1: a line ends within quotes, expected a closing quote or \\n"},
    {"[\"a\tb\"]", "x: line 1: control character 9 within quotes, expected an escape"},
    {"[\"\\x\"]", "x: line 1: unknown escape \\x in text"},
    {"[\"\\u12g4\"]", "x: line 1: \\u needs four hexadecimal digits"},
    {"[\"\\u0000\"]", "x: line 1: \\u0000 is not accepted in text"},
    {"[\"\\ud800\"]", "x: line 1: \\ud800 is half of a character, the other half is missing"},
    {"[\"\\udc00\\ud800\"]",
     "x: line 1: \\udc00 is half of a character, the other half is missing"},
    {"{\"a\": 1,\n\"b\": {\"c\": 1, \"d\": 2,\n\"c\": 3}}",
     "x: line 3: b.c: the key is there twice, first on line 2"},
    {"{\"a\": 1, \"\\u0061\": 2}", "x: line 1: a: the key is there twice, first on line 1"},
    {"[\"\xff\"]", "x: line 1: the byte 0xff is not UTF-8 here"},
    {"[1,\n\"\xc0\xaf\"]", "x: line 2: the byte 0xc0 is not UTF-8 here"},
    {"[\"\xed\xa0\x80\"]", "x: line 1: the byte 0xed is not UTF-8 here"},
    {"[\"\xe2\x82\"]", "x: line 1: the byte 0xe2 is not UTF-8 here"},
    {std::string("\xff\xfe[\0]\0", 6), "x: looks like UTF-16, expected UTF-8 text"},
    {std::string("\xfe\xff\0[\0]", 6), "x: looks like UTF-16, expected UTF-8 text"},
    {"\x1f\x8b\x08", "x: looks gzip-compressed, expected plain text"},
    {"[1" + NUL + "]", "x: a NUL byte at offset 2, expected UTF-8 text"},
    {repeat("[", 65) + repeat("]", 65), "x: line 1: more than 64 lists and maps within each other"},
    {repeat("[", 10000), "x: line 1: more than 64 lists and maps within each other"},
    {repeat("{\"a\":", 100000), "x: line 1: more than 64 lists and maps within each other"},
    {"\xef\xbb\xbf", "x: line 1: the text ends here, expected a value"},
};

TEST(DocumentBroken, Json)
{
    for (const broken &b : JSON) {
        const std::string sentence = refusal(b.text, false);
        EXPECT_NE(sentence.find(b.sentence), std::string::npos)
            << b.text.substr(0, 80) << "\n  said:     " << sentence
            << "\n  expected: " << b.sentence;
    }
}

const broken YAML[] = {
    {"", "x: is empty"},
    {"# only a comment\n", "x: line 1: no value, only comments or white space"},
    {"a: 1\nb: [1, 2\n",
     "x: line 3: not YAML: did not find expected ',' or ']', while parsing a flow sequence"},
    {"a: 1\n\tb: 2\n", "x: line 2: not YAML: found a tab character that violates indentation"},
    {"a: 1\na: 2\n", "x: line 2: a: the key is there twice, first on line 1"},
    {"a: 1\n\"a\": 2\n", "x: line 2: a: the key is there twice, first on line 1"},
    {"a: 1\n---\nb: 1\n", "x: line 2: a second document begins, expected one"},
    {"a: &x {b: 1}\nc:\n  <<: *x\n",
     "x: line 3: merge keys (<<) are not accepted, write the members out"},
    {"a: *x\n", "x: line 1: the alias *x has no anchor before it"},
    {"a: &x [*x]\n", "x: line 1: the alias *x stands within its own anchor"},
    {"&x a: 1\n", "x: line 1: an anchor on a key, expected it on a value"},
    {"a: &x b\n*x : 1\n", "x: line 2: the alias *x as a key, expected text"},
    {"? [a]\n: 1\n", "x: line 1: a list or map as a key, expected text"},
    {"a: .nan\n", "x: line 1: .nan is not accepted, expected a finite number"},
    {"a:\n  - -.Inf\n", "x: line 2: -.Inf is not accepted, expected a finite number"},
    {"a: 1e400\n", "x: line 1: 1e400 is too large, the largest number is about 1.8e308"},
    {"a: 010\n", "x: line 1: 010 begins with 0: write the number without, or text in quotes"},
    {"a: -007\n", "x: line 1: -007 begins with 0"},
    {"a: 0x1ffffffffffffffff\n", "x: line 1: 0x1ffffffffffffffff has more than 64 bits"},
    {"a: !weight 3\n",
     "x: line 1: the tag !weight does not fit or is not accepted, expected no tag"},
    {"a: !!int abc\n", "x: line 1: the tag tag:yaml.org,2002:int does not fit or is not accepted"},
    {"a: !!set {b}\n", "x: line 1: the tag tag:yaml.org,2002:set does not fit or is not accepted"},
    {"a: \"b\\0c\"\n", "x: line 1: \\0 is not accepted in text"},
    {"a: 1\nb: \x01\n", "x: line 2: not YAML: control characters are not allowed"},
    {"a: \xff\n", "x: line 1: the byte 0xff is not UTF-8 here"},
    {repeat("[", 65) + repeat("]", 65), "x: line 1: more than 64 lists and maps within each other"},
    {repeat("[", 10000), "x: line 1: more than 64 lists and maps within each other"},
    {repeat("- ", 10000) + "1", "x: line 1: more than 64 lists and maps within each other"},
    {"a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c "
     "[*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
     "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f "
     "[*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
     "g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: &h [*g,*g,*g,*g,*g,*g,*g,*g,*g]\ni: &i "
     "[*h,*h,*h,*h,*h,*h,*h,*h,*h]\n",
     "x: line 7: aliases repeat more than 1000000 values"},
};

TEST(DocumentBroken, Yaml)
{
    for (const broken &b : YAML) {
        const std::string sentence = refusal(b.text, true);
        EXPECT_NE(sentence.find(b.sentence), std::string::npos)
            << b.text.substr(0, 80) << "\n  said:     " << sentence
            << "\n  expected: " << b.sentence;
    }
}

TEST(DocumentBroken, NestedAliasesCountAsDepth)
{
    std::string text = "a0: &a0 [1]\n";
    for (int i = 1; i < 70; i++) {
        text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" +
                std::to_string(i - 1) + "]\n";
    }
    EXPECT_EQ(refusal(text, true), "x: line 64: more than 64 lists and maps within each other");
}

TEST(DocumentBroken, TooManyAnchors)
{
    std::string text;
    for (int i = 0; i <= 1000; i++) {
        text += "- &a" + std::to_string(i) + " 1\n";
    }
    EXPECT_EQ(refusal(text, true), "x: line 1001: more than 1000 anchors");
}

TEST(DocumentBroken, TooManyValues)
{
    for (bool yaml : {false, true}) {
        for (int32_t limit = 1; limit <= 5; limit++) {
            ration_document *document = UNTOUCHED;
            ration_error error = {};
            const std::string text = "[1, [2, 3]]";
            const ration_status status =
                rn_document_parse(text.data(), text.size(), "x", yaml, limit, &document, &error);
            if (limit < 5) {
                EXPECT_EQ(status, RATION_E_INPUT);
                EXPECT_EQ(error.text, "x: line 1: more than " + std::to_string(limit) + " values");
                EXPECT_EQ(document, UNTOUCHED);
            } else {
                EXPECT_EQ(status, RATION_OK);
                ration_document_free(document);
            }
        }
    }
}

TEST(DocumentBroken, EveryPrefixOfADocumentIsRefused)
{
    const std::string text =
        "{\"a\": [1, -2.5e3, \"b\\u00e9\\ud83d\\ude00\"], \"c\": {\"d\": null, \"e\": true}}";
    EXPECT_EQ(refusal(text, false), "");
    for (size_t bytes = 0; bytes < text.size(); bytes++) {
        EXPECT_NE(refusal(text.substr(0, bytes), false), "") << bytes;
    }
}

TEST(DocumentBroken, NeighboursAreAccepted)
{
    for (const std::string &text :
         {std::string("[0, -0, 0.5, 1e308, 1e-400, 1E+2]"),
          std::string("\xef\xbb\xbf{\"a\":\r\n1}\r\n"), std::string("\"\\ud83d\\ude00\\/\\b\\f\""),
          std::string(" 5 "), std::string("{\"\": {}, \" \": []}"),
          repeat("[", 64) + repeat("]", 64), std::string("{\"a\": 1, \"A\": 2}")}) {
        EXPECT_EQ(refusal(text, false), "") << text;
    }
    for (const std::string &text :
         {std::string("%YAML 1.1\n---\na: 1\n...\n"),
          std::string("\xef\xbb\xbf"
                      "a:\r\n  - 1\r\n  - b\r\n"),
          std::string("a: &x [1]\nb: *x\nc: *x\n"),
          std::string("a: !!str 1\nb: !!int 1\nc: !!map {}\n"), std::string("\"<<\": 1\n"),
          repeat("[", 64) + repeat("]", 64)}) {
        EXPECT_EQ(refusal(text, true), "") << text;
    }
}

} // namespace
