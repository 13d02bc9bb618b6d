// Random quadratic assignments as allocation programs, with their tabu tables.
#ifndef RATION_TESTS_TABU_CASE_H
#define RATION_TESTS_TABU_CASE_H

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/eval.h"
#include "program/program.h"
#include "search/tables.h"
#include "search/tabu.h"

namespace ration_test
{

// What to draw.
struct TabuDraw {
    int32_t items = 6;
    int32_t places = 6;
    int32_t capacity = 1; // items that fit at a place
    bool symmetric_flow = false;
    bool symmetric_distance = false;
    bool diagonal = true;
    bool exclusions = false;
    bool tiers = false;
    bool exactly = false; // a lower limit of 1 and a cost of the row
    int64_t scale = 1;    // of weights
    int64_t zero = 0;     // of 10 distances
};

class TabuCase
{
  public:
    TabuCase(const TabuDraw &draw, uint64_t seed) : dice_(seed), draw_(draw)
    {
        check(ration_program_create(0, &program_, &error_));
        places();
        items();
        traffic();
        check(ration_program_freeze(program_, &error_));
        const rn_tables_wish wish = {nullptr, false, false};
        check(rn_tables_create(view(), &wish, &tables_, &error_));
        check(rn_tabu_create(tables_, &tabu, &error_));
        if (tabu != nullptr) {
            check(rn_tabu_work_create(tabu, &work, &error_));
        }
    }

    ~TabuCase()
    {
        rn_tabu_work_free(work);
        rn_tabu_free(tabu);
        rn_tables_free(tables_);
        ration_program_free(program_);
    }

    TabuCase(const TabuCase &) = delete;
    TabuCase &operator=(const TabuCase &) = delete;

    const rn_tables *tables() const
    {
        return tables_;
    }

    const rn_view *view() const
    {
        return rn_program_view(program_);
    }

    rn_change price(const std::vector<int32_t> &pick) const
    {
        std::vector<int64_t> load((size_t)tables_->rows + 1);
        std::vector<int32_t> seat;
        for (int32_t i = 0; i < view()->items; i++) {
            seat.push_back(rn_option_decode(view(), i, pick[(size_t)i]).place);
        }
        rn_eval_loads(tables_, pick.data(), load.data());
        return rn_eval_plan(tables_, nullptr, 0, pick.data(), seat.data(), load.data());
    }

    // Any picks; allowed ones and one item a seat only by chance.
    std::vector<int32_t> draw_picks()
    {
        std::vector<int32_t> pick;
        for (int32_t i = 0; i < view()->items; i++) {
            int32_t option = 0;
            do {
                option = below(view()->item_options[i]);
            } while (!rn_place_allowed(view(), i, rn_option_decode(view(), i, option).place));
            pick.push_back(option);
        }
        return pick;
    }

    int32_t below(int32_t count)
    {
        return (int32_t)(dice_() % (uint64_t)count);
    }

    rn_tabu *tabu = nullptr;
    rn_tabu_work *work = nullptr;

  private:
    std::mt19937_64 dice_;
    const TabuDraw draw_;
    ration_program *program_ = nullptr;
    rn_tables *tables_ = nullptr;
    ration_error error_{};
    int32_t made_ = 0;

    void check(ration_status status)
    {
        ASSERT_EQ(status, RATION_OK) << error_.text;
    }

    int64_t value(int32_t most)
    {
        return below(2 * most + 1) - most;
    }

    void places()
    {
        const int64_t amount = 3;
        for (int32_t p = 0; p < draw_.places; p++) {
            const int64_t low = draw_.exactly ? amount : RATION_LOW_FREE;
            int32_t row = 0;
            check(ration_program_add_place(program_, nullptr, below(2), &made_, &error_));
            check(ration_program_add_row(program_, nullptr, RATION_DIMENSION_OTHER, 0, low,
                                         amount * draw_.capacity + 2, &row, &error_));
            check(ration_program_set_role(program_, made_, 0, 1, &row, &error_));
            if (draw_.exactly) {
                const ration_piece piece = {-1000, -7000, 7};
                check(ration_program_set_row_cost(program_, row, 1, &piece, &error_));
            }
        }
    }

    void items()
    {
        const ration_use use = {0, 3};
        for (int32_t i = 0; i < draw_.items; i++) {
            check(ration_program_add_item(program_, nullptr, &made_, &error_));
            for (int32_t c = 0; c < 2; c++) {
                const ration_entry entry = {RATION_NONE, c, RATION_DIMENSION_OTHER,
                                            value(20),   1, &use};
                check(ration_program_add_entry(program_, i, &entry, &error_));
            }
        }
        for (int32_t i = 1; draw_.exclusions && i < draw_.items; i++) {
            check(ration_program_exclude(program_, i, below(draw_.places), &error_));
        }
    }

    std::vector<int64_t> matrix(int32_t n, bool symmetric, int32_t most)
    {
        std::vector<int64_t> m((size_t)(n * n));
        for (int32_t a = 0; a < n; a++) {
            for (int32_t b = 0; b < n; b++) {
                const bool none = (a == b && !draw_.diagonal) || below(10) < 2;
                m[(size_t)(a * n + b)] = none ? 0 : value(most);
                if (symmetric && b < a) {
                    m[(size_t)(a * n + b)] = m[(size_t)(b * n + a)];
                }
            }
        }
        return m;
    }

    void traffic()
    {
        const std::vector<int64_t> flow = matrix(draw_.items, draw_.symmetric_flow, 50);
        for (int32_t a = 0; a < draw_.items; a++) {
            for (int32_t b = 0; b < draw_.items; b++) {
                const int64_t w = flow[(size_t)(a * draw_.items + b)] * draw_.scale;
                if (w != 0) {
                    check(ration_program_add_traffic(program_, a, b, w, &error_));
                }
            }
        }
        if (draw_.tiers) {
            std::vector<int32_t> ancestor;
            for (int32_t p = 0; p < draw_.places; p++) {
                ancestor.push_back(below(3));
            }
            const int64_t distance[2] = {2, 9};
            check(ration_program_set_tiers(program_, RATION_DIMENSION_OTHER, 1, ancestor.data(),
                                           distance, &error_));
            return;
        }
        std::vector<int64_t> distance = matrix(draw_.places, draw_.symmetric_distance, 30);
        for (int64_t &d : distance) {
            d = below(10) < draw_.zero ? 0 : d;
        }
        check(ration_program_set_distances(program_, RATION_DIMENSION_OTHER, distance.data(),
                                           &error_));
    }
};

inline std::vector<TabuDraw> tabu_draws()
{
    std::vector<TabuDraw> all(10);
    all[0].items = 13;
    all[0].places = 13;
    all[1].symmetric_flow = true;
    all[1].items = all[1].places = 21;
    all[2].symmetric_distance = true;
    all[2].items = 9;
    all[2].places = 20; // empty places
    all[3].items = 7;
    all[3].places = 4;
    all[3].capacity = 2; // 8 seats
    all[3].exclusions = true;
    all[4].items = all[4].places = 17;
    all[4].scale = 1000000000; // wide
    all[5].items = 8;
    all[5].places = 6;
    all[5].capacity = 2;
    all[5].tiers = true;
    all[6].items = all[6].places = 2;
    all[6].exactly = true;
    all[7].items = all[7].places = 33;
    all[7].exactly = true;
    all[7].diagonal = false;
    all[8].items = all[8].places = 5;
    all[8].zero = 10; // every distance is 0
    all[9].items = 3;
    all[9].places = 40;
    all[9].exclusions = true;
    all[9].scale = 100000000;
    return all;
}

} // namespace ration_test

#endif
