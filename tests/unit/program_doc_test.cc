// The example of docs/program-format.md is a program and costs what the page says.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "ration/asset.h"
#include "ration/program.h"

namespace
{

TEST(ProgramDoc, TheExampleReads)
{
    std::ifstream file(RATION_SOURCE_DIR "/docs/program-format.md");
    std::stringstream page;
    page << file.rdbuf();
    const std::string text = page.str();
    const size_t from = text.find("```json\n");
    ASSERT_NE(from, std::string::npos);
    const size_t end = text.find("```", from + 8);
    ration_document *document = nullptr;
    ration_program *program = nullptr;
    ration_error error{};
    ASSERT_EQ(ration_document_parse(text.data() + from + 8, end - from - 8, "page", false,
                                    &document, &error),
              RATION_OK)
        << error.text;
    ASSERT_EQ(ration_program_read(document, &program, &error), RATION_OK) << error.text;
    EXPECT_EQ(ration_program_option_total(program), 6);
    ration_program_free(program);
    ration_document_free(document);
}

TEST(ProgramDoc, TheSchemaIsADocument)
{
    size_t bytes = 0;
    const char *schema = ration_asset("program.schema.json", &bytes);
    ASSERT_NE(schema, nullptr);
    ration_document *document = nullptr;
    ration_error error{};
    EXPECT_EQ(ration_document_parse(schema, bytes, "program.schema.json", false, &document, &error),
              RATION_OK)
        << error.text;
    ration_document_free(document);
}

} // namespace
