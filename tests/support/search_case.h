// Helpers of the search's tests: a chain on the host for any program.
#ifndef RATION_TESTS_SEARCH_CASE_H
#define RATION_TESTS_SEARCH_CASE_H

#include <cstring>
#include <vector>

#include "core/breed.h"
#include "core/chain.h"
#include "core/log2_table.h"
#include "plan/verify.h"
#include "program/program.h"
#include "search/run.h"
#include "search/schedule.h"
#include "search/tables.h"
#include "support/random_program.h"

namespace ration_test {

// Tables with drawn prices, and prices of an epoch drawn too.
class ChainCase {
public:
    ChainCase(const ration_program *program, uint64_t seed, bool wide = false, bool general = false)
        : view_(rn_program_view(program))
    {
        std::mt19937_64 dice(seed);
        price_.resize((size_t)view_->all_rows + 1);
        for (int64_t &p : price_) {
            p = (int64_t)(dice() % 8) * (1 << 18) - (1 << 20);
        }
        const rn_tables_wish wish = {price_.data(), wide, general};
        ration_error error;
        EXPECT_EQ(rn_tables_create(view_, &wish, &tables_, &error), RATION_OK) << error.text;
        draw_epoch(dice);
    }

    ~ChainCase()
    {
        rn_tables_free(tables_);
    }

    ChainCase(const ChainCase &) = delete;
    ChainCase &operator=(const ChainCase &) = delete;

    const rn_view *view() const
    {
        return view_;
    }

    const rn_tables *tables() const
    {
        return tables_;
    }

    rn_epoch &epoch()
    {
        return epoch_;
    }

    // A chain's state that begins with these picks.
    std::vector<char> begin(const std::vector<int32_t> &picks) const
    {
        const rn_state_offsets m = rn_state_map(tables_);
        std::vector<char> state((size_t)m.bytes + 64, 0);
        rn_chain_head head;
        memset(&head, 0, sizeof head);
        head.fresh = 1;
        head.best_violation = INT64_MAX;
        memcpy(aligned(state), &head, sizeof head);
        memcpy(aligned(state) + m.pick, picks.data(), picks.size() * sizeof picks[0]);
        return state;
    }

    void run(std::vector<char> &state, int32_t chain = 0)
    {
        std::vector<char> work((size_t)rn_work_map(tables_, 1).bytes + 64, 0x55);
        rn_chain_epoch(tables_, &epoch_, aligned(state), aligned(work), chain, rn_log2_table);
    }

    static char *aligned(std::vector<char> &block)
    {
        return block.data() + (64 - (uintptr_t)block.data() % 64) % 64;
    }

    rn_chain_head head(std::vector<char> &state) const
    {
        rn_chain_head h;
        memcpy(&h, aligned(state), sizeof h);
        return h;
    }

    std::vector<int32_t> picks(std::vector<char> &state, bool best) const
    {
        const rn_state_offsets m = rn_state_map(tables_);
        std::vector<int32_t> result((size_t)view_->items);
        memcpy(result.data(), aligned(state) + (best ? m.best : m.pick),
               result.size() * sizeof result[0]);
        return result;
    }

    // Any allowed picks.
    std::vector<int32_t> draw_picks(std::mt19937_64 &dice) const
    {
        std::vector<int32_t> picks((size_t)view_->items);
        for (int32_t i = 0; i < view_->items; i++) {
            do {
                picks[(size_t)i] = (int32_t)(dice() % (uint64_t)view_->item_options[i]);
            } while (
                !rn_place_allowed(view_, i, rn_option_decode(view_, i, picks[(size_t)i]).place));
        }
        return picks;
    }

private:
    const rn_view *view_;
    rn_tables *tables_ = nullptr;
    rn_epoch epoch_;
    std::vector<int64_t> price_, over_, slack_, clamp_;
    int32_t heat_[4] = {256, 128, 512, 64};
    int32_t push_[4] = {0, 1, 2, 0};
    rn_mate mate_[4] = {};

    void draw_epoch(std::mt19937_64 &dice)
    {
        const size_t rows = (size_t)tables_->rows + 1;
        memset(&epoch_, 0, sizeof epoch_);
        for (size_t r = 0; r < rows; r++) {
            const bool real = r + 1 < rows;
            over_.push_back(real ? (int64_t)(1 + dice() % 4000) << 16 : 0);
            slack_.push_back(real ? (int64_t)(dice() % 1000) << 16 : 0);
            slack_[r] = slack_[r] < over_[r] ? slack_[r] : over_[r];
            clamp_.push_back(real ? (int64_t)1 << 12 : 0);
        }
        epoch_.seed = dice();
        epoch_.moves = 400;
        epoch_.evaluations = 1 << 30;
        epoch_.depth = 2;
        epoch_.stiffness = (int32_t)(dice() % 65537);
        for (int64_t &t : epoch_.temperature) {
            t = (int64_t)(dice() % 4000) << 16;
        }
        epoch_.over_price = over_.data();
        epoch_.slack_price = slack_.data();
        epoch_.clamp = clamp_.data();
        epoch_.heat = heat_;
        epoch_.push = push_;
        epoch_.mate = mate_;
    }
};

} // namespace ration_test

#endif
