// Files that are opened, refused, replaced.
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "ration/document.h"
#include "unit/base_folder.h"

namespace {

std::string refusal(const std::string &path, ration_status expected)
{
    ration_document *document = nullptr;
    ration_error error = {};
    EXPECT_EQ(ration_document_read(path.c_str(), &document, &error), expected) << error.text;
    EXPECT_EQ(document, nullptr);
    ration_document_free(document);
    return error.text;
}

TEST(DocumentFile, SyntaxFollowsTheName)
{
    const base_folder folder;
    for (const char *name : {"a.yaml", "b.yml", "c.json", "d"}) {
        const bool yaml = name[0] < 'c';
        const std::string path = folder.write(name, yaml ? "a: 1\n" : "{\"a\": 1}");
        ration_document *document = nullptr;
        ration_error error = {};
        ASSERT_EQ(ration_document_read(path.c_str(), &document, &error), RATION_OK) << error.text;
        EXPECT_EQ(ration_document_name(document), path);
        EXPECT_NE(ration_node_find(ration_document_root(document), "a"), nullptr);
        ration_document_free(document);
    }
}

TEST(DocumentFile, WhatIsNoFileIsRefusedAtOnce)
{
    const base_folder folder;
    const std::string fifo = folder / "fifo";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_EQ(refusal(fifo, RATION_E_INPUT), fifo + ": is a FIFO, expected a file");
    EXPECT_EQ(refusal(folder.path(), RATION_E_INPUT),
              folder.path() + ": is a folder, expected a file");
    EXPECT_EQ(refusal("/dev/null", RATION_E_INPUT), "/dev/null: is a device, expected a file");
    const std::string absent = folder / "absent.json";
    EXPECT_EQ(refusal(absent, RATION_E_IO),
              absent + ": cannot be opened: No such file or directory");
    const std::string gzip = folder.write("a.json", "\x1f\x8b\x08");
    EXPECT_EQ(refusal(gzip, RATION_E_INPUT), gzip + ": looks gzip-compressed, expected plain text");
    const std::string empty = folder.write("b.json", "");
    EXPECT_EQ(refusal(empty, RATION_E_INPUT), empty + ": is empty");
}

TEST(DocumentFile, AnUnreadableFile)
{
    const base_folder folder;
    const std::string path = folder.write("a.json", "{}");
    ASSERT_EQ(chmod(path.c_str(), 0), 0);
    const bool root = geteuid() == 0;
    if (root) {
        ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
        ASSERT_EQ(seteuid(65534), 0);
    }
    const std::string text = refusal(path, RATION_E_IO);
    if (root) {
        ASSERT_EQ(seteuid(0), 0);
    }
    EXPECT_EQ(text, path + ": cannot be opened: Permission denied");
}

TEST(DocumentFile, TextReadKeepsToItsLimit)
{
    const base_folder folder;
    const std::string path = folder.write("a.txt", "\xef\xbb\xbf" "12345\n");
    char *text = nullptr;
    size_t bytes = 77;
    ration_error error = {};
    EXPECT_EQ(ration_text_read(path.c_str(), 8, &text, &bytes, &error), RATION_E_INPUT);
    EXPECT_EQ(error.text, path + ": the file is too large, at most 8 bytes are read");
    EXPECT_EQ(text, nullptr);
    EXPECT_EQ(bytes, 77u);
    ASSERT_EQ(ration_text_read(path.c_str(), 9, &text, &bytes, &error), RATION_OK);
    EXPECT_EQ(bytes, 6u);
    EXPECT_STREQ(text, "12345\n");
    free(text);
    // A file that says nothing of its size.
    ASSERT_EQ(ration_text_read("/proc/self/status", 1 << 20, &text, &bytes, &error), RATION_OK)
        << error.text;
    EXPECT_GT(bytes, 10u);
    free(text);
}

TEST(DocumentFile, WritesAndReplaces)
{
    const base_folder folder;
    const std::string path = folder / "plan.json";
    ration_error error = {};
    ASSERT_EQ(ration_file_write(path.c_str(), "one\n", 4, &error), RATION_OK) << error.text;
    ASSERT_EQ(chmod(path.c_str(), 0640), 0);
    ASSERT_EQ(ration_file_write(path.c_str(), "", 0, &error), RATION_OK) << error.text;
    EXPECT_EQ(base_folder::read(path), "");
    ASSERT_EQ(symlink("plan.json", (folder / "link").c_str()), 0);
    ASSERT_EQ(ration_file_write((folder / "link").c_str(), "two\n", 4, &error), RATION_OK)
        << error.text;
    EXPECT_EQ(base_folder::read(path), "two\n");
    struct stat about;
    ASSERT_EQ(lstat((folder / "link").c_str(), &about), 0);
    EXPECT_TRUE(S_ISLNK(about.st_mode));
    ASSERT_EQ(stat(path.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 07777, 0640u);
    EXPECT_EQ(folder.count(), 2);
}

TEST(DocumentFile, FailedWritesLeaveNothing)
{
    const base_folder folder;
    ration_error error = {};
    const std::string absent = folder / "no/plan.json";
    EXPECT_EQ(ration_file_write(absent.c_str(), "x", 1, &error), RATION_E_IO);
    EXPECT_EQ(error.text, absent + ": its folder cannot be opened: No such file or directory");
    EXPECT_EQ(ration_file_write(folder.path().c_str(), "x", 1, &error), RATION_E_INPUT);
    EXPECT_EQ(error.text, folder.path() + ": is a folder, expected a file");
    EXPECT_EQ(ration_file_write((folder / std::string(300, 'n')).c_str(), "x", 1, &error),
              RATION_E_IO);
    EXPECT_EQ(folder.count(), 0);
    EXPECT_EQ(ration_file_write("/dev/null", "x", 1, &error), RATION_OK) << error.text;
    struct stat about;
    ASSERT_EQ(stat("/dev/null", &about), 0);
    EXPECT_TRUE(S_ISCHR(about.st_mode));
    EXPECT_EQ(ration_file_write("/dev/full", "x", 1, &error), RATION_E_IO);
    EXPECT_STREQ(error.text, "/dev/full: cannot be written: No space left on device");
}

} // namespace
