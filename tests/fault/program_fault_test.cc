// The Nth allocation fails while a program is read from JSON, frozen or written: the right code,
// nothing handed out, no leak, for every N up to success; and the program stays usable.
#include <gtest/gtest.h>

#include <string>

#include "base/alloc.h"
#include "program/program.h"
#include "support/random_program.h"

namespace
{

std::string written(const ration_program *program)
{
    ration_writer *writer = nullptr;
    const char *text = nullptr;
    size_t bytes = 0;
    EXPECT_EQ(ration_writer_create(&writer, nullptr), RATION_OK);
    ration_writer_open_map(writer, nullptr);
    ration_program_write(program, writer);
    ration_writer_close(writer);
    EXPECT_EQ(ration_writer_finish(writer, &text, &bytes, nullptr), RATION_OK);
    const std::string copy(text, bytes);
    ration_writer_free(writer);
    return copy;
}

TEST(ProgramFault, ReadingAndFreezing)
{
    ration_program *const none = reinterpret_cast<ration_program *>(0x10);
    int32_t failures = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        ration_program *program = ration_test::build(ration_test::random_spec(seed));
        ASSERT_NE(program, nullptr);
        char digest[RATION_DIGEST_TEXT];
        ration_program_digest(program, digest);
        const std::string text = written(program);
        ration_program_free(program);
        ration_document *document = nullptr;
        ASSERT_EQ(ration_document_parse(text.data(), text.size(), "x", false, &document, nullptr),
                  RATION_OK);
        for (int64_t n = 1;; n++) {
            ration_error error{};
            ration_program *read = none;
            rn_alloc_fail_at(n);
            const ration_status status = ration_program_read(document, &read, &error);
            rn_alloc_fail_at(0);
            if (status == RATION_OK) {
                char again[RATION_DIGEST_TEXT];
                ration_program_digest(read, again);
                EXPECT_STREQ(digest, again);
                ration_program_free(read);
                break;
            }
            ASSERT_EQ(status, RATION_E_MEMORY) << n << ": " << error.text;
            ASSERT_NE(std::string(error.text).find("out of memory"), std::string::npos);
            ASSERT_EQ(read, none);
            failures++;
        }
        ration_document_free(document);
    }
    EXPECT_GT(failures, 1000);
}

// A freeze that fails leaves the program open, and a later one gives the same digest.
TEST(ProgramFault, FreezingAgain)
{
    for (int64_t n = 1;; n++) {
        ration_program *program = nullptr;
        int32_t index = 0;
        ASSERT_EQ(ration_program_create(1, &program, nullptr), RATION_OK);
        ASSERT_EQ(ration_program_add_place(program, "p", 1, &index, nullptr), RATION_OK);
        ASSERT_EQ(ration_program_add_item(program, "a", &index, nullptr), RATION_OK);
        const ration_entry entry = {RATION_NONE, 1, RATION_DIMENSION_OTHER, 3, 0, nullptr};
        ASSERT_EQ(ration_program_add_entry(program, 0, &entry, nullptr), RATION_OK);
        rn_alloc_fail_at(n);
        const ration_status status = ration_program_freeze(program, nullptr);
        rn_alloc_fail_at(0);
        if (status != RATION_OK) {
            ASSERT_EQ(status, RATION_E_MEMORY);
            ASSERT_EQ(ration_program_add_item(program, "b", &index, nullptr), RATION_OK);
            ASSERT_EQ(ration_program_add_entry(program, 1, &entry, nullptr), RATION_OK);
            ASSERT_EQ(ration_program_freeze(program, nullptr), RATION_OK);
        }
        EXPECT_EQ(ration_program_option_total(program), status == RATION_OK ? 1 : 2);
        ration_program_free(program);
        if (status == RATION_OK) {
            EXPECT_GT(n, 5);
            break;
        }
    }
}

} // namespace
