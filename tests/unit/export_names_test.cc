// What `ration export` writes where names or numbers are odd, and what it refuses.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/alloc.h"
#include "ration/export.h"
#include "support/linear_model.h"
#include "support/text_file.h"

namespace ration_test
{

struct Program {
    ration_program *made = nullptr;
    ration_error error{};
    explicit Program(int32_t number_base = 0)
    {
        EXPECT_EQ(ration_program_create(number_base, &made, &error), RATION_OK);
    }
    ~Program()
    {
        ration_program_free(made);
    }
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    int32_t item(const char *name)
    {
        int32_t number = -1;
        EXPECT_EQ(ration_program_add_item(made, name, &number, &error), RATION_OK) << error.text;
        return number;
    }
    int32_t row(const char *name, int64_t low, int64_t high, int64_t offset = 0)
    {
        int32_t number = -1;
        EXPECT_EQ(ration_program_add_row(made, name, RATION_DIMENSION_OTHER, offset, low, high,
                                         &number, &error),
                  RATION_OK)
            << error.text;
        return number;
    }
    void option(int32_t item, int32_t place, int32_t mode, int64_t cost,
                std::vector<ration_use> use = {})
    {
        const ration_option made_option = {
            place, mode, RATION_DIMENSION_OTHER, cost, (int32_t)use.size(), use.data()};
        EXPECT_EQ(ration_program_add_option(made, item, &made_option, &error), RATION_OK)
            << error.text;
    }
    void freeze()
    {
        EXPECT_EQ(ration_program_freeze(made, &error), RATION_OK) << error.text;
    }
    ration_status write(const std::string &path, ration_export_format format)
    {
        return ration_program_export(made, format, path.c_str(), nullptr, &error);
    }
};

static const std::vector<std::string> odd_names = {"RHS",
                                                   "bounds",
                                                   "12monkeys",
                                                   "e5",
                                                   "a b",
                                                   "a%20b",
                                                   "~0",
                                                   "~1",
                                                   "%7E1",
                                                   "größe",
                                                   "日本",
                                                   "x(y,z)",
                                                   "a,b",
                                                   "a",
                                                   "b",
                                                   ".5",
                                                   "'MARKER'",
                                                   "-",
                                                   "free",
                                                   "st",
                                                   std::string(300, 'n'),
                                                   std::string(299, 'n') + "m",
                                                   std::string(16, ' ') + "x"};

static void add_odd(Program &program)
{
    for (const std::string &name : odd_names) {
        int32_t place = -1;
        int32_t mode = -1;
        EXPECT_EQ(ration_program_add_place(program.made, name.c_str(), 0, &place, &program.error),
                  RATION_OK);
        EXPECT_EQ(ration_program_add_mode(program.made, name.c_str(), false, &mode, &program.error),
                  RATION_OK);
        program.row(name.c_str(), RATION_LOW_FREE, 0);
    }
    const int32_t count = (int32_t)odd_names.size();
    for (int32_t i = 0; i < count; i++) {
        const int32_t item = program.item(odd_names[(size_t)i].c_str());
        const ration_use use = {i, 1};
        program.option(item, RATION_NONE, RATION_NONE, 1, {use});
        program.option(item, (i + 1) % count, RATION_NONE, 2);
        program.option(item, RATION_NONE, (i + 2) % count, 3);
        program.option(item, (i + 3) % count, (i + 4) % count, 4);
        program.option(item, i, i, 5);
    }
    program.freeze();
}

TEST(ExportNames, OddNamesAreUniqueAndComeBack)
{
    Program program;
    add_odd(program);
    const TextFile mps("");
    const TextFile lp("");
    ASSERT_EQ(program.write(mps.path(), RATION_EXPORT_MPS), RATION_OK) << program.error.text;
    ASSERT_EQ(program.write(lp.path(), RATION_EXPORT_LP), RATION_OK) << program.error.text;
    const Model model = read_mps(mps.path());
    const Model other = read_lp(lp.path());
    EXPECT_TRUE(model.column == other.column && model.line == other.line);
    ASSERT_EQ(model.column.size(), 5 * odd_names.size());
    ASSERT_EQ(model.line.size(), 2 * odd_names.size());
    const std::string plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.%~(),";
    for (const auto &c : model.column) {
        EXPECT_LT(c.first.size(), 256u);
        EXPECT_EQ(c.first.find_first_not_of(plain), std::string::npos) << c.first;
    }
    EXPECT_EQ(model.column.count("x(a%20b)"), 1u);
    EXPECT_EQ(model.column.count("x(a%2520b)"), 1u);
    EXPECT_EQ(model.column.count("x(~20)"), 1u);
    EXPECT_EQ(model.line.count("item(~21)"), 1u);
    for (int32_t cost = 1; cost <= 5; cost++) {
        std::string text;
        for (const auto &c : model.column) {
            text += c.second.cost == cost ? c.first + " 1\n" : "";
        }
        const TextFile file(text);
        std::vector<int32_t> picks(odd_names.size(), -1);
        ASSERT_EQ(ration_export_read_picks(program.made, file.path().c_str(), picks.data(),
                                           &program.error),
                  RATION_OK)
            << program.error.text;
        for (size_t i = 0; i < picks.size(); i++) {
            EXPECT_EQ(picks[i], cost - 1) << odd_names[i];
        }
    }
}

static std::string content(const std::string &path)
{
    std::ostringstream all;
    all << std::ifstream(path).rdbuf();
    return all.str();
}

// A folder that must hold one file, `out.mps` with "old", also after a failure.
class Folder
{
  public:
    Folder() : path_(std::filesystem::temp_directory_path() / "ration_export_XXXXXX")
    {
        std::string name = path_.string();
        path_ = mkdtemp(name.data());
        std::ofstream(file()) << "old";
    }
    ~Folder()
    {
        std::filesystem::remove_all(path_);
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    std::string file() const
    {
        return (path_ / "out.mps").string();
    }
    void expect_untouched() const
    {
        EXPECT_EQ(content(file()), "old");
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path_),
                                std::filesystem::directory_iterator{}),
                  1);
    }

  private:
    std::filesystem::path path_;
};

static void expect_refused(Program &program, const char *about)
{
    const Folder folder;
    for (const ration_export_format format : {RATION_EXPORT_MPS, RATION_EXPORT_LP}) {
        program.error = {};
        EXPECT_EQ(program.write(folder.file(), format), RATION_E_RANGE);
        EXPECT_NE(std::string(program.error.text).find(about), std::string::npos)
            << program.error.text;
        folder.expect_untouched();
    }
}

static constexpr int64_t EXACT = INT64_C(1) << 53;

TEST(ExportNumbers, WhatDoublesHoldIsWritten)
{
    Program program;
    const int32_t row = program.row("r", RATION_LOW_FREE, EXACT);
    const int32_t item = program.item("i");
    program.option(item, RATION_NONE, RATION_NONE, EXACT, {{row, EXACT}});
    int32_t mode = 0;
    ASSERT_EQ(ration_program_add_mode(program.made, "m", false, &mode, &program.error), RATION_OK);
    program.option(item, RATION_NONE, mode, -EXACT, {{row, EXACT / 2 + 1}});
    const int32_t other = program.item("j");
    program.option(other, RATION_NONE, RATION_NONE, 0);
    program.option(other, RATION_NONE, mode, 0, {{row, 1}});
    program.freeze();
    const TextFile file("");
    ASSERT_EQ(program.write(file.path(), RATION_EXPORT_MPS), RATION_OK) << program.error.text;
    EXPECT_NE(content(file.path()).find(" x(i) cost 9007199254740992 "), std::string::npos);
    EXPECT_NE(content(file.path()).find(" 4503599627370497\n"), std::string::npos);
    EXPECT_NE(content(file.path()).find(" rhs row(r) 9007199254740992\n"), std::string::npos);
}

TEST(ExportNumbers, WhatDoublesDoNotHoldIsRefused)
{
    Program cost;
    cost.option(cost.item("chat"), RATION_NONE, RATION_NONE, EXACT + 1);
    cost.freeze();
    expect_refused(cost, "item \"chat\": the model needs the number 9007199254740993");

    Program amount;
    const int32_t row = amount.row("memory", RATION_LOW_FREE, 5);
    amount.option(amount.item("chat"), RATION_NONE, RATION_NONE, 0, {{row, -EXACT - 1}});
    amount.option(0 + amount.item("other"), RATION_NONE, RATION_NONE, 0, {{row, EXACT + 7}});
    amount.freeze();
    expect_refused(amount, "item \"chat\"");

    Program limit;
    const int32_t far = limit.row("far", EXACT + 2, RATION_HIGH_FREE);
    limit.option(limit.item(nullptr), RATION_NONE, RATION_NONE, 0, {{far, 3}});
    limit.freeze();
    expect_refused(limit, "row \"far\"");

    Program constant;
    constant.option(constant.item(nullptr), RATION_NONE, RATION_NONE, 0);
    ASSERT_EQ(
        ration_program_set_objective(constant.made, RATION_MAXIMISE, EXACT + 1, 0, &constant.error),
        RATION_OK);
    constant.freeze();
    expect_refused(constant, "constant");

    Program wide;
    const int32_t band = wide.row("band", -EXACT, EXACT);
    const int32_t item = wide.item(nullptr);
    int32_t mode = 0;
    ASSERT_EQ(ration_program_add_mode(wide.made, "m", false, &mode, &wide.error), RATION_OK);
    wide.option(item, RATION_NONE, RATION_NONE, 0, {{band, 2 * EXACT}});
    wide.option(item, RATION_NONE, mode, 0, {{band, -2 * EXACT}});
    wide.freeze();
    expect_refused(wide, "row \"band\"");
}

TEST(ExportNumbers, MaximiseConstantAndScale)
{
    Program program;
    ASSERT_EQ(ration_program_set_objective(program.made, RATION_MAXIMISE, -40, 2, &program.error),
              RATION_OK);
    const int32_t row = program.row("used", RATION_LOW_FREE, RATION_HIGH_FREE, 3);
    const ration_piece piece[] = {{0, 10, 0}, {5, 12, 1}, {7, 20, 4}};
    ASSERT_EQ(ration_program_set_row_cost(program.made, row, 3, piece, &program.error), RATION_OK);
    const int32_t item = program.item("i");
    int32_t mode = 0;
    ASSERT_EQ(ration_program_add_mode(program.made, "m", false, &mode, &program.error), RATION_OK);
    program.option(item, RATION_NONE, RATION_NONE, -100, {{row, 1}}); // load 4: 10
    program.option(item, RATION_NONE, mode, -120, {{row, 5}});        // load 8: 24
    program.freeze();
    const TextFile file("");
    ASSERT_EQ(program.write(file.path(), RATION_EXPORT_LP), RATION_OK) << program.error.text;
    const Model model = read_lp(file.path());
    EXPECT_TRUE(model.maximise);
    const Solver solver(model);
    EXPECT_EQ(solver.best({{"x(i)", 1}}), 100 - 10 - 40);
    EXPECT_EQ(solver.best({{"x(i,,m)", 1}}), 120 - 24 - 40);
    EXPECT_EQ(solver.best({}), 120 - 24 - 40);
    EXPECT_NE(content(file.path()).find("times 10^2"), std::string::npos);
}

TEST(ExportNumbers, NothingToChoose)
{
    const TextFile mps("");
    const TextFile lp("");
    Program single;
    single.option(single.item(nullptr), RATION_NONE, RATION_NONE, 0);
    single.freeze();
    ASSERT_EQ(single.write(mps.path(), RATION_EXPORT_MPS), RATION_OK) << single.error.text;
    ASSERT_EQ(single.write(lp.path(), RATION_EXPORT_LP), RATION_OK) << single.error.text;
    EXPECT_EQ(Solver(read_mps(mps.path())).best({}), 0);
    EXPECT_EQ(Solver(read_lp(lp.path())).best({}), 0);

    Program impossible;
    impossible.row("low", 4, RATION_HIGH_FREE, 3);
    impossible.option(impossible.item(nullptr), RATION_NONE, RATION_NONE, 0);
    impossible.freeze();
    ASSERT_EQ(impossible.write(mps.path(), RATION_EXPORT_MPS), RATION_OK);
    ASSERT_EQ(impossible.write(lp.path(), RATION_EXPORT_LP), RATION_OK);
    EXPECT_EQ(Solver(read_mps(mps.path())).best({}), std::nullopt);
    EXPECT_EQ(Solver(read_lp(lp.path())).best({}), std::nullopt);
}

TEST(ExportNumbers, AnOpenProgramIsRefused)
{
    Program open;
    const Folder folder;
    EXPECT_EQ(open.write(folder.file(), RATION_EXPORT_MPS), RATION_E_STATE);
    folder.expect_untouched();
}

TEST(ExportNumbers, TooManyColumnsAreRefused)
{
    Program big;
    int32_t place = 0;
    for (int32_t p = 0; p < 10000; p++) {
        ASSERT_EQ(ration_program_add_place(big.made, nullptr, 0, &place, &big.error), RATION_OK);
    }
    for (int32_t i = 0; i < 5001; i++) {
        const ration_entry entry = {RATION_NONE, 0, RATION_DIMENSION_OTHER, 1, 0, nullptr};
        ASSERT_EQ(ration_program_add_entry(big.made, big.item(nullptr), &entry, &big.error),
                  RATION_OK);
    }
    big.freeze();
    expect_refused(big, "over 50000000 columns");
}

TEST(ExportPicks, BrokenSolutionsAreRefused)
{
    Program program;
    const int32_t item = program.item("i");
    int32_t mode = 0;
    ASSERT_EQ(ration_program_add_mode(program.made, "m", false, &mode, &program.error), RATION_OK);
    program.option(item, RATION_NONE, RATION_NONE, 0);
    program.option(item, RATION_NONE, mode, 0);
    program.freeze();
    const std::pair<const char *, const char *> cases[] = {
        {"nothing here\n", "no pick for item \"i\""},
        {"x(i) 0\nx(i,,m) 0\n", "no pick for item \"i\""},
        {"x(i) 1\nx(i,,m) 1\n", "line 2: a second pick for item \"i\""},
        {"\nx(i) 0.5\n", "line 2: x(i) is 0.5, expected 0 or 1"},
        {"\nx(i) 1a\n", "line 2: a number was expected after x(i)"},
        {"x(i) 1e400\n", "a number was expected"},
        {"x(i) -1\n", "is -1"},
        {"x(i)\n", "a number was expected"},
        {"x(i) nan\n", "a number was expected"},
        {"x(j) 1\n", "x(j) is no column"},
        {"x(i,,n) 1\n", "is no column"},
        {"x(i,,m,) 1\n", "is no column"},
        {"x(i 1\n", "is no column"},
        {"x( 1\n", "is no column"},
        {"x() 1\n", "is no column"},
        {"x(% 1\n", "is no column"},
        {"x(%6) 1\n", "is no column"},
        {"x(~1) 1\n", "is no column"},
        {"x(~00) 1\n", "is no column"},
        {"x(~99999999999999999999) 1\n", "is no column"},
        {"x(i)) 1\n", "is no column"},
        {"x(i,) 0.2\n", "0 or 1"},
    };
    for (const auto &c : cases) {
        const TextFile file(c.first);
        int32_t pick = -5;
        EXPECT_EQ(
            ration_export_read_picks(program.made, file.path().c_str(), &pick, &program.error),
            RATION_E_INPUT)
            << c.first;
        EXPECT_NE(std::string(program.error.text).find(c.second), std::string::npos)
            << c.first << program.error.text;
        EXPECT_EQ(pick, -5);
    }
    for (const char *good : {"x(i,,m) 1", "  3 x(i,,m) 1.0000000000000000e+00  7\n",
                             "** 3 x(i,,m) 1 0\r\n", "x(~0,,~0)\t0.9999999 \t(obj:0)\n"}) {
        const TextFile file(good);
        int32_t pick = -5;
        EXPECT_EQ(
            ration_export_read_picks(program.made, file.path().c_str(), &pick, &program.error),
            RATION_OK)
            << good << program.error.text;
        EXPECT_EQ(pick, 1);
    }
}

TEST(ExportFault, AnyFailedAllocationLeavesTheOldFile)
{
    Program program;
    add_odd(program);
    const Folder folder;
    for (const ration_export_format format : {RATION_EXPORT_MPS, RATION_EXPORT_LP}) {
        int64_t n = 1;
        for (;; n++) {
            ASSERT_LT(n, 1000);
            rn_alloc_fail_at(n);
            const ration_status status = program.write(folder.file(), format);
            rn_alloc_fail_at(0);
            if (status == RATION_OK) {
                break;
            }
            EXPECT_EQ(status, RATION_E_MEMORY) << program.error.text;
            folder.expect_untouched();
        }
        EXPECT_GT(n, 5);
        std::ofstream(folder.file()) << "old";
    }
    const TextFile solution("x(RHS) 1\n");
    std::vector<int32_t> picks(odd_names.size());
    for (int64_t n = 1; n < 3; n++) {
        rn_alloc_fail_at(n);
        EXPECT_EQ(ration_export_read_picks(program.made, solution.path().c_str(), picks.data(),
                                           &program.error),
                  RATION_E_MEMORY);
        rn_alloc_fail_at(0);
    }
}

TEST(ExportFault, WhatIsNoFileIsRefused)
{
    Program program;
    add_odd(program);
    EXPECT_EQ(program.write("/no/such/folder/out.mps", RATION_EXPORT_MPS), RATION_E_IO);
    EXPECT_EQ(program.write(std::filesystem::temp_directory_path().string(), RATION_EXPORT_MPS),
              RATION_E_INPUT);
}

} // namespace ration_test
