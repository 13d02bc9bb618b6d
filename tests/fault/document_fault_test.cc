// The Nth allocation fails: the right code, nothing written, no leak (the sanitizer's part), for
// every N up to success.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "host/base/alloc.h"
#include "ration/document.h"
#include "unit/base_folder.h"

namespace {

// Runs attempt with the Nth allocation failing until it succeeds; returns how many failed.
int fail_each(const std::function<ration_status(ration_error *)> &attempt)
{
    for (int n = 1; n < 1000; n++) {
        ration_error error = {};
        rn_alloc_fail_at(n);
        const ration_status status = attempt(&error);
        rn_alloc_fail_at(0);
        if (status == RATION_OK) {
            return n - 1;
        }
        EXPECT_EQ(status, RATION_E_MEMORY) << n << ": " << error.text;
        EXPECT_EQ(error.status, RATION_E_MEMORY);
        EXPECT_NE(std::string(error.text).find("out of memory"), std::string::npos) << error.text;
    }
    return -1;
}

ration_document *const UNTOUCHED = reinterpret_cast<ration_document *>(0x10);

ration_status parse(const std::string &text, bool yaml, ration_error *error)
{
    ration_document *document = UNTOUCHED;
    const ration_status status =
        ration_document_parse(text.data(), text.size(), "x", yaml, &document, error);
    if (status == RATION_OK) {
        ration_document_free(document);
    } else {
        EXPECT_EQ(document, UNTOUCHED);
    }
    return status;
}

TEST(DocumentFault, ParseJson)
{
    std::string text = "{\"list\": [0";
    for (int i = 0; i < 300; i++) {
        text += ", \"text number " + std::to_string(i) + "\"";
    }
    text += "], \"map\": {\"a\": 1, \"b\": [true, null]}}";
    EXPECT_GE(fail_each([&](ration_error *error) { return parse(text, false, error); }), 8);
}

TEST(DocumentFault, ParseYaml)
{
    std::string text = "base: &b {a: 1, c: [x, y]}\nlist:\n";
    for (int i = 0; i < 40; i++) {
        text += "  - &n" + std::to_string(i) + " " + std::to_string(i) + "\n";
    }
    text += "copies: [*b, *b, *n3]\n";
    EXPECT_GE(fail_each([&](ration_error *error) { return parse(text, true, error); }), 8);
}

TEST(DocumentFault, ReadAndWriteFiles)
{
    const base_folder folder;
    const std::string path = folder.write("a.json", "{\"a\": [1, 2]}");
    const auto read = [&](ration_error *error) {
        ration_document *document = UNTOUCHED;
        const ration_status status = ration_document_read(path.c_str(), &document, error);
        if (status == RATION_OK) {
            ration_document_free(document);
        } else {
            EXPECT_EQ(document, UNTOUCHED);
        }
        return status;
    };
    EXPECT_GE(fail_each(read), 4);
    const std::string target = folder / "out";
    const auto write = [&](ration_error *error) {
        const ration_status status = ration_file_write(target.c_str(), "x", 1, error);
        EXPECT_EQ(folder.count(), status == RATION_OK ? 2 : 1);
        return status;
    };
    EXPECT_EQ(fail_each(write), 2); // the temporary name and the buffer
}

TEST(DocumentFault, Writer)
{
    const auto write = [](ration_error *error) {
        ration_writer *writer = nullptr;
        ration_status status = ration_writer_create(&writer, error);
        if (status != RATION_OK) {
            return status;
        }
        ration_writer_open_list(writer, nullptr);
        for (int i = 0; i < 100; i++) {
            ration_writer_text(writer, nullptr, "some text");
        }
        ration_writer_close(writer);
        const char *text = nullptr;
        size_t bytes = 0;
        status = ration_writer_finish(writer, &text, &bytes, error);
        EXPECT_EQ(text != nullptr, status == RATION_OK);
        ration_writer_free(writer);
        return status;
    };
    EXPECT_GE(fail_each(write), 5);
}

} // namespace
