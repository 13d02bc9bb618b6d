// A file with given contents that lives as long as the object.
#ifndef RATION_TESTS_TEXT_FILE_H
#define RATION_TESTS_TEXT_FILE_H

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace ration_test
{

class TextFile
{
  public:
    explicit TextFile(const std::string &text)
    {
        path_ = (std::filesystem::temp_directory_path() / "ration_test_XXXXXX").string();
        const int descriptor = mkstemp(path_.data());
        FILE *file = descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
        if (file != nullptr) {
            std::fwrite(text.data(), 1, text.size(), file);
            std::fclose(file);
        }
    }
    ~TextFile()
    {
        std::remove(path_.c_str());
    }
    TextFile(const TextFile &) = delete;
    TextFile &operator=(const TextFile &) = delete;
    const std::string &path() const
    {
        return path_;
    }

  private:
    std::string path_;
};

} // namespace ration_test

#endif
