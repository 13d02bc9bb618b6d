// The main function of every GoogleTest program: GoogleTest's own, and a rule about skipped tests.
//
// A skipped test prints its reason. When nothing else ran the program ends with 77, which ctest
// counts as skipped. With RATION_REQUIRE=all a skipped test is a failure, unless its reason is one
// that no installation can mend: it contains "needs ../shared" or "needs a GPU".
#include <cstdlib>
#include <cstring>

#include "gtest/gtest.h"

namespace {

class SkipRule : public testing::EmptyTestEventListener {
  public:
    explicit SkipRule(bool all) : all_(all) {}
    int refused() const { return refused_; }

    void OnTestPartResult(const testing::TestPartResult &part) override
    {
        if (part.skipped()) {
            reason_ = part.message();
        }
    }

    void OnTestEnd(const testing::TestInfo &test) override
    {
        if (!test.result()->Skipped()) {
            return;
        }
        const bool allowed = reason_.find("needs ../shared") != std::string::npos ||
                             reason_.find("needs a GPU") != std::string::npos;
        std::printf("skipped: %s.%s: %s\n", test.test_suite_name(), test.name(), reason_.c_str());
        if (all_ && !allowed) {
            std::printf("a failure, for RATION_REQUIRE=all\n");
            refused_++;
        }
        reason_.clear();
    }

  private:
    bool all_;
    int refused_ = 0;
    std::string reason_;
};

}  // namespace

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    const char *require = std::getenv("RATION_REQUIRE");
    auto *rule = new SkipRule(require != nullptr && std::strcmp(require, "all") == 0);
    testing::UnitTest::GetInstance()->listeners().Append(rule);
    const int status = RUN_ALL_TESTS();
    if (status != 0 || rule->refused() > 0) {
        return 1;
    }
    const testing::UnitTest *unit = testing::UnitTest::GetInstance();
    const bool listing = testing::GTEST_FLAG(list_tests);
    return !listing && unit->skipped_test_count() > 0 && unit->successful_test_count() == 0 ? 77
                                                                                            : 0;
}
