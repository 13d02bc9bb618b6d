// Runs of the search in tests, and programs of the size that a chain's lists and vectors need.
#ifndef RATION_TESTS_SEARCH_RUN_H
#define RATION_TESTS_SEARCH_RUN_H

#include <string>
#include <vector>

#include "support/search_case.h"

namespace ration_test
{

// Generalised assignment with inversely correlated costs (type D of the literature): tight, one row
// an option.
inline ration_program *gap_program(int32_t items, int32_t agents, uint64_t seed, int64_t scale = 1)
{
    std::mt19937_64 dice(seed);
    ration_program *p = nullptr;
    ration_error error;
    int32_t made = 0;
    std::vector<std::vector<int64_t>> need((size_t)agents);
    EXPECT_EQ(ration_program_create(1, &p, &error), RATION_OK);
    for (int32_t a = 0; a < agents; a++) {
        int64_t total = 0;
        for (int32_t i = 0; i < items; i++) {
            need[(size_t)a].push_back((int64_t)(1 + dice() % 100) * scale);
            total += need[(size_t)a].back();
        }
        EXPECT_EQ(ration_program_add_row(p, nullptr, RATION_DIMENSION_OTHER, 0, RATION_LOW_FREE,
                                         total * 8 / (10 * agents), &made, &error),
                  RATION_OK);
        EXPECT_EQ(ration_program_add_place(p, nullptr, 0, &made, &error), RATION_OK);
    }
    for (int32_t i = 0; i < items; i++) {
        EXPECT_EQ(ration_program_add_item(p, nullptr, &made, &error), RATION_OK);
        for (int32_t a = 0; a < agents; a++) {
            const int64_t w = need[(size_t)a][(size_t)i];
            const ration_use use = {a, w};
            const int64_t cost = 111 - w / scale + (int64_t)(dice() % 21) - 10;
            const ration_option option = {a, RATION_NONE, RATION_DIMENSION_OTHER, cost, 1, &use};
            EXPECT_EQ(ration_program_add_option(p, i, &option, &error), RATION_OK);
        }
    }
    EXPECT_EQ(ration_program_freeze(p, &error), RATION_OK) << error.text;
    return p;
}

// A run and its complete state after some epochs.
class SearchRun {
public:
  SearchRun(const ration_program *program, int32_t threads, bool wide = false, bool general = false)
      : program_(program)
  {
      ration_run_default(&run_);
      run_.threads = threads;
      run_.backend = RATION_BACKEND_OPENMP;
      run_.chains = 8;
      run_.islands = 2;
      wide_ = wide;
      general_ = general;
    }

    ~SearchRun()
    {
        rn_search_free(search);
    }

    SearchRun(const SearchRun &) = delete;
    SearchRun &operator=(const SearchRun &) = delete;

    ration_run &options()
    {
        return run_;
    }

    void start()
    {
        rn_bound *bound = nullptr;
        ration_error error;
        ASSERT_EQ(rn_bound_find(rn_program_view(program_), nullptr, &bound, &error), RATION_OK)
            << error.text;
        start_with(bound);
    }

    void start_with(rn_bound *bound)
    {
        ration_error error;
        rn_search_wish wish = {};
        wish.program = program_;
        wish.run = &run_;
        wish.wide = wide_;
        wish.general = general_;
        ASSERT_EQ(rn_search_create(&wish, bound, &search, &error), RATION_OK) << error.text;
    }

    void epochs(int64_t count)
    {
        ration_error error;
        for (int64_t x = 0; x < count; x++) {
            ASSERT_EQ(rn_search_epoch(search, &error), RATION_OK) << error.text;
        }
    }

    // Every chain's block.
    std::vector<char> state() const
    {
        const size_t bytes = (size_t)rn_state_map(search->tables).bytes;
        std::vector<char> all(bytes * (size_t)search->key.chains);
        EXPECT_EQ(search->backend->read(search->chains, 0, search->key.chains, all.data(), nullptr),
                  RATION_OK);
        return all;
    }

    std::vector<int32_t> best() const
    {
        return std::vector<int32_t>(search->best, search->best + search->view->items);
    }

    rn_search *search = nullptr;

private:
    const ration_program *program_;
    ration_run run_;
    bool wide_ = false;
    bool general_ = false;
};

// Programs of five kinds, some tiny, some with lists longer than a vector.
inline std::vector<ration_program *> contract_programs()
{
    std::vector<ration_program *> all = {gap_program(60, 5, 1), gap_program(200, 10, 2),
                                         gap_program(50, 4, 3, 1000000)};
    Limits large;
    large.items = 9;
    large.places = 7;
    large.rows = 9;
    large.plans = 100000000;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        all.push_back(build(random_spec(seed, large)));
    }
    large.feeds = false;
    large.conflicts = false;
    for (uint64_t seed = 5; seed <= 7; seed++) {
        all.push_back(build(random_spec(seed, large)));
    }
    return all;
}

} // namespace ration_test

#endif
