// A folder for one test, removed with what is in it.
#ifndef RN_TEST_BASE_FOLDER_H
#define RN_TEST_BASE_FOLDER_H

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

class base_folder {
  public:
    base_folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "ration-test-XXXXXX").string();
        path_ = mkdtemp(name.data()) != nullptr ? name : std::string();
    }
    ~base_folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    base_folder(const base_folder &) = delete;
    base_folder &operator=(const base_folder &) = delete;

    std::string operator/(const std::string &name) const { return path_ + "/" + name; }
    const std::string &path() const { return path_; }

    std::string write(const std::string &name, const std::string &text) const
    {
        std::ofstream(*this / name, std::ios::binary) << text;
        return *this / name;
    }
    static std::string read(const std::string &path)
    {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }
    int count() const
    {
        int files = 0;
        for (const auto &entry : std::filesystem::directory_iterator(path_)) {
            files += entry.path().empty() ? 0 : 1;
        }
        return files;
    }

  private:
    std::string path_;
};

#endif
