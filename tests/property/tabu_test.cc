// The tabu search's table of changes against full evaluation, on programs whose every part that it
// takes is drawn; what it must not take; determinism; and that no plan gets worse.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "core/eval.h"
#include "program/program.h"
#include "search/tables.h"
#include "search/tabu.h"

namespace
{

// What to draw.
struct Draw {
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

class Case
{
  public:
    Case(const Draw &draw, uint64_t seed) : dice_(seed), draw_(draw)
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

    ~Case()
    {
        rn_tabu_work_free(work);
        rn_tabu_free(tabu);
        rn_tables_free(tables_);
        ration_program_free(program_);
    }

    Case(const Case &) = delete;
    Case &operator=(const Case &) = delete;

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
    const Draw &draw_;
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

std::vector<Draw> draws()
{
    std::vector<Draw> all(10);
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

// The change of every pair's swap is what full evaluation says, after every one of many swaps.
void check_swaps(Case &c, int32_t swaps)
{
    const int32_t items = c.tabu->items;
    const int32_t seats = c.tabu->seats;
    std::vector<int32_t> pick = c.draw_picks();
    std::vector<int32_t> other((size_t)items);
    rn_tabu_load(c.tabu, c.work, pick.data());
    for (int32_t x = 0; x < swaps; x++) {
        const int32_t i = c.below(items);
        const int32_t j = (i + 1 + c.below(seats - 1)) % seats;
        const int32_t first = i < j ? i : j;
        const int32_t second = i < j ? j : i;
        const bool before = rn_tabu_picks(c.tabu, c.work, pick.data());
        const int64_t change = rn_tabu_change(c.tabu, c.work, first, second);
        rn_tabu_swap(c.tabu, c.work, i, j);
        const bool after = rn_tabu_picks(c.tabu, c.work, other.data());
        ASSERT_EQ(rn_tabu_change(c.tabu, c.work, first, second), -change);
        if (before && after) {
            const rn_change a = c.price(pick);
            const rn_change b = c.price(other);
            ASSERT_EQ(b.cost - a.cost, change) << "swap " << x << " of " << i << ", " << j;
            ASSERT_EQ(b.violation, a.violation);
        }
    }
}

TEST(TabuTable, EqualsFullEvaluation)
{
    uint64_t seed = 0;
    bool directed = false;
    bool undirected = false;
    bool wide = false;
    for (const Draw &draw : draws()) {
        for (int32_t x = 0; x < 4; x++) {
            Case c(draw, ++seed);
            ASSERT_NE(c.tabu, nullptr) << "draw " << seed;
            directed = directed || c.tabu->directed;
            undirected = undirected || !c.tabu->directed;
            wide = wide || c.tabu->wide;
            check_swaps(c, 1500);
            ASSERT_FALSE(HasFatalFailure()) << "draw " << seed;
        }
    }
    EXPECT_TRUE(directed && undirected && wide);
}

TEST(TabuRefine, NeverWorseAndMostlyBetter)
{
    int32_t better = 0;
    uint64_t seed = 100;
    for (const Draw &draw : draws()) {
        Case c(draw, ++seed);
        for (uint32_t x = 0; x < 5; x++) {
            std::vector<int32_t> pick = c.draw_picks();
            const rn_change before = c.price(pick);
            const rn_tabu_key key = {seed, x, 0};
            EXPECT_GE(rn_tabu_refine(c.tabu, c.work, &key, 100000, pick.data()), 1);
            const rn_change after = c.price(pick);
            EXPECT_TRUE(after.violation < before.violation ||
                        (after.violation == before.violation && after.cost <= before.cost));
            better += after.violation < before.violation || after.cost < before.cost;
        }
    }
    EXPECT_GE(better, 30);
}

// With so few items every permutation can be tried.
TEST(TabuRefine, FindsTheOptimumOfTinyPrograms)
{
    Draw draw;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Case c(draw, seed);
        std::vector<int32_t> order(6);
        std::vector<int32_t> pick(6);
        int64_t least = INT64_MAX;
        for (int32_t i = 0; i < 6; i++) {
            order[(size_t)i] = i;
        }
        do {
            rn_tabu_load(c.tabu, c.work, order.data());
            ASSERT_TRUE(rn_tabu_picks(c.tabu, c.work, pick.data()));
            least = std::min(least, c.price(order).cost);
        } while (std::next_permutation(order.begin(), order.end()));
        pick = c.draw_picks();
        const rn_tabu_key key = {seed, 0, 0};
        rn_tabu_refine(c.tabu, c.work, &key, 30000, pick.data());
        EXPECT_EQ(c.price(pick).violation, 0);
        EXPECT_EQ(c.price(pick).cost, least) << "seed " << seed;
    }
}

TEST(TabuRefine, DependsOnTheTaskAlone)
{
    const Draw draw = draws()[1];
    Case c(draw, 5);
    const std::vector<int32_t> begin = c.draw_picks();
    std::vector<std::vector<int32_t>> found(4, begin);
    std::vector<std::thread> threads;
    for (uint32_t x = 0; x < 4; x++) {
        threads.emplace_back([&c, &found, x] {
            rn_tabu_work *work = nullptr;
            const rn_tabu_key key = {9, 3, x / 2};
            ASSERT_EQ(rn_tabu_work_create(c.tabu, &work, nullptr), RATION_OK);
            std::vector<int32_t> other(found[x].rbegin(), found[x].rend());
            rn_tabu_refine(c.tabu, work, &key, 1000 * x, other.data()); // leaves traces in the work
            rn_tabu_refine(c.tabu, work, &key, 5000, found[x].data());
            rn_tabu_work_free(work);
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(found[2], found[3]);
    EXPECT_NE(found[0], found[2]); // another chain draws otherwise
}

// Programs of other shapes are refused.
TEST(TabuShape, TakesOnlyAssignmentsToSeats)
{
    Draw few;
    few.places = 5; // six items do not fit
    EXPECT_EQ(Case(few, 1).tabu, nullptr);
    Draw loose;
    loose.exactly = true;
    loose.places = 7; // a row's cost depends on who stays empty
    EXPECT_EQ(Case(loose, 1).tabu, nullptr);
    Draw many;
    many.places = RN_TABU_SEATS + 1;
    many.tiers = true;
    EXPECT_EQ(Case(many, 1).tabu, nullptr);
    Draw huge;
    huge.scale = (int64_t)1 << 47;
    EXPECT_EQ(Case(huge, 1).tabu, nullptr);
    Draw one;
    one.items = 1;
    EXPECT_EQ(Case(one, 1).tabu, nullptr);
}

} // namespace
