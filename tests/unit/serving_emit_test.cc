// Texts in configurations: whatever a name holds, the YAML reader and a shell give it back.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "ration/document.h"

extern "C" {
#include "serving/check_plan.h"
#include "serving/emit.h"
}

namespace
{

std::string quoted(void (*add)(rn_text *, const char *), const std::string &text)
{
    rn_text out = {nullptr, 0, 0, false};
    add(&out, text.c_str());
    const std::string made = out.text;
    free(out.text);
    return made;
}

const char *const TEXTS[] = {"plain",
                             "a b",
                             "it's",
                             "say \"x\" \\ y",
                             "# no comment",
                             "- not a list",
                             "yes",
                             "1e5",
                             "{a: b}",
                             "%tag",
                             "\xc2\x85next",
                             "\xe2\x80\xa8line",
                             "\xef\xbb\xbf"
                             "mark",
                             "\xe8\x81\x8a\xe5\xa4\xa9",
                             "\xf0\x9f\x98\x80",
                             "tab\there",
                             "trailing ",
                             "~",
                             "null"};

TEST(ServingEmit, YamlTextReadsBack)
{
    for (const char *text : TEXTS) {
        const std::string yaml = "key: " + quoted(rn_serving_yaml_text, text) + "\n";
        for (const bool is_yaml : {true, false}) {
            const std::string whole = is_yaml ? yaml : "{\"key\": " + yaml.substr(5) + "}";
            ration_document *document = nullptr;
            ration_error error = {RATION_OK, ""};
            ASSERT_EQ(
                ration_document_parse(whole.data(), whole.size(), "x", is_yaml, &document, &error),
                RATION_OK)
                << whole << error.text;
            const ration_node *node = ration_node_find(ration_document_root(document), "key");
            ASSERT_EQ(ration_node_kind(node), RATION_KIND_TEXT) << whole;
            const char *back = nullptr;
            if (ration_node_text(node, true, &back, nullptr) == RATION_OK) {
                EXPECT_STREQ(back, text);
            } else {
                EXPECT_NE(std::string(text).find_first_of("\t\xc2"), std::string::npos) << text;
            }
            ration_document_free(document);
        }
    }
}

TEST(ServingEmit, ShellTextIsOneWord)
{
    EXPECT_EQ(quoted(rn_serving_shell_text, "Llama-3.1-8B"), "Llama-3.1-8B");
    EXPECT_EQ(quoted(rn_serving_shell_text, "a b"), "'a b'");
    EXPECT_EQ(quoted(rn_serving_shell_text, "it's"), "'it'\\''s'");
    EXPECT_EQ(quoted(rn_serving_shell_text, "$(x)`y`"), "'$(x)`y`'");
    EXPECT_EQ(quoted(rn_serving_shell_text, "-rf"), "'-rf'");
    EXPECT_EQ(quoted(rn_serving_shell_text, ""), "''");
}

TEST(ServingEmit, VerifyLeavesItsOutputAloneOnFailure)
{
    ration_plan_status status = RATION_PLAN_FEASIBLE;
    EXPECT_EQ(ration_serving_verify_dir("/no/such/folder", &status, nullptr), RATION_E_IO);
    EXPECT_EQ(status, RATION_PLAN_FEASIBLE);
}

} // namespace
