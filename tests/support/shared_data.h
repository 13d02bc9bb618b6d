// Published instances that lie beside the repository; tests that need them skip where they are
// absent.
#ifndef RATION_TESTS_SHARED_DATA_H
#define RATION_TESTS_SHARED_DATA_H

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "ration/instance.h"

namespace ration_test
{

// $RATION_SHARED, or ../shared beside the sources; "" when there is none.
inline std::string shared_folder()
{
    const char *named = std::getenv("RATION_SHARED");
    const std::string folder = named != nullptr ? named : RATION_SOURCE_DIR "/../shared";
    struct stat status;
    return stat((folder + "/data").c_str(), &status) == 0 ? folder + "/data" : "";
}

#define SKIP_WITHOUT_SHARED()                                                                      \
    if (ration_test::shared_folder().empty()) {                                                    \
        GTEST_SKIP() << "skipped: needs ../shared";                                                \
    }

inline std::vector<std::string> split(const std::string &line, char by)
{
    std::vector<std::string> parts(1);
    for (const char c : line) {
        if (c == by) {
            parts.push_back("");
        } else if (c != '\r') {
            parts.back() += c;
        }
    }
    return parts;
}

// The lines of a CSV file without quotes, by column name.
inline std::vector<std::map<std::string, std::string>> read_csv(const std::string &path)
{
    std::vector<std::map<std::string, std::string>> rows;
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> head = split(line, ',');
    while (std::getline(file, line)) {
        const std::vector<std::string> parts = split(line, ',');
        std::map<std::string, std::string> row;
        for (size_t i = 0; i < head.size() && i < parts.size(); i++) {
            row[head[i]] = parts[i];
        }
        rows.push_back(row);
    }
    return rows;
}

inline bool exists(const std::string &path)
{
    struct stat status;
    return stat(path.c_str(), &status) == 0;
}

inline std::vector<int64_t> read_numbers(const std::string &path)
{
    std::ifstream file(path);
    std::vector<int64_t> numbers;
    int64_t number = 0;
    while (file >> number) {
        numbers.push_back(number);
    }
    return numbers;
}

inline ration_instance instance_of(const std::string &path, int32_t problem = 0)
{
    ration_instance request = {};
    request.path = path.c_str();
    request.problem = problem;
    return request;
}

} // namespace ration_test

#endif
