// Shrunk versions of the three examples: the plan equals the optimum found by trying every choice,
// in the user's units and without the program's integers.
#include <algorithm>
#include <vector>

#include "support/serving_case.h"

namespace {

using ration_test::islands;
using ration_test::mixed_pool;
using ration_test::read_serving;
using ration_test::replaced;
using ration_test::solve_serving;
using ration_test::two_servers;

// Tries all choices of replicas, one after the other. Loads are of cells (GPUs, or islands).
struct Enumeration {
    explicit Enumeration(const ration_serving *serving)
        : v_(serving), s_(serving->scenario), time_(v_->places.cells), memory_(v_->places.cells),
          tenants_(v_->places.cells), rate_(s_.workloads), count_(s_.workloads),
          in_domain_(s_.workloads, std::vector<double>(s_.domains))
    {
        for (int32_t w = 0; w < s_.workloads; w++) {
            for (int32_t k = 0; k < v_->group[w].items; k++) {
                owner_.push_back(w);
            }
        }
    }

    double best()
    {
        descend(0, 0, 0.0);
        return best_;
    }
    int64_t leaves() const
    {
        return leaves_;
    }

  private:
    bool fits(const rn_serving_place &place, const rn_serving_option &o) const
    {
        for (int32_t i = 0; i < place.cells; i++) {
            const int32_t c = place.cell[i];
            const rn_serving_cell &cell = v_->places.cell[c];
            const rn_serving_node &node = s_.node[s_.machine[cell.machine].node];
            const double memory = s_.gpu[node.gpu].perf.memory_bytes;
            const double part = 0.85 - 0.02 * std::log(tenants_[c] + 1.0);
            if (time_[c] + o.share * place.gpus_per_cell > 100 * cell.gpus) {
                return false;
            }
            if (cell.gpus == 1 && memory_[c] + o.memory_bytes > memory * part) {
                return false;
            }
        }
        return true;
    }

    void change(int32_t w, const rn_serving_place &place, const rn_serving_option &o, int32_t sign)
    {
        for (int32_t i = 0; i < place.cells; i++) {
            time_[place.cell[i]] += sign * o.share * place.gpus_per_cell;
            memory_[place.cell[i]] += sign * o.memory_bytes;
            tenants_[place.cell[i]] += sign;
        }
        rate_[w] += sign * o.rate_per_s;
        count_[w] += sign;
        in_domain_[w][s_.machine[place.machine].domain] += sign * o.rate_per_s;
    }

    bool carried() const
    {
        for (int32_t w = 0; w < s_.workloads; w++) {
            const rn_serving_workload &x = s_.workload[w];
            if (rate_[w] < x.rate_per_s * (1 - 1e-9) || count_[w] < x.min_replicas.value) {
                return false;
            }
            for (int32_t d = 0; x.survive.given && d < s_.domains; d++) {
                if (rate_[w] - in_domain_[w][d] < x.survive.value * x.rate_per_s * (1 - 1e-9)) {
                    return false;
                }
            }
        }
        return true;
    }

    // Rent and idle energy of what is rented and not used, and the power limits.
    bool settle(double *money) const
    {
        std::vector<double> watts(s_.machines);
        for (int32_t c = 0; c < v_->places.cells; c++) {
            const rn_serving_cell &cell = v_->places.cell[c];
            const rn_serving_node &node = s_.node[s_.machine[cell.machine].node];
            const rn_perf_gpu &gpu = s_.gpu[node.gpu].perf;
            const int32_t used = (time_[c] + 99) / 100;
            const double idle = gpu.idle_w / 1000 * s_.pue * s_.kwh_price;
            *money += (node.price_per_gpu_hour + idle) * (used - time_[c] / 100.0);
            watts[cell.machine] += used * gpu.tdp_w + (cell.gpus - used) * gpu.idle_w;
        }
        for (int32_t m = 0; m < s_.machines; m++) {
            const rn_serving_node &node = s_.node[s_.machine[m].node];
            if (node.power_w.given && watts[m] + node.host_w > node.power_w.value) {
                return false;
            }
        }
        return true;
    }

    // Replicas of a workload are alike: their choices (0 is none) never decrease.
    void descend(size_t item, int64_t from, double money)
    {
        if (money >= best_) {
            return;
        }
        if (item == owner_.size()) {
            leaves_++;
            if (carried() && settle(&money)) {
                best_ = std::min(best_, money);
            }
            return;
        }
        const int32_t w = owner_[item];
        const bool same = item > 0 && owner_[item - 1] == w;
        int64_t choice = 0;
        if (!same || from == 0) {
            descend(item + 1, 0, money);
        }
        for (int32_t k = 0; k < v_->options[w].options; k++) {
            const rn_serving_option &o = v_->options[w].option[k];
            for (int32_t p = 0; p < v_->places.places; p++) {
                const rn_serving_place &place = v_->places.place[p];
                if (place.place_class != o.place_class) {
                    continue;
                }
                choice++;
                if ((same && choice < from) || !fits(place, o)) {
                    continue;
                }
                change(w, place, o, 1);
                descend(item + 1, choice, money + rn_serving_option_cost(&o));
                change(w, place, o, -1);
            }
        }
    }

    const ration_serving *v_;
    const rn_serving_scenario &s_;
    std::vector<int32_t> owner_; // of each replica
    std::vector<int32_t> time_;
    std::vector<double> memory_;
    std::vector<int32_t> tenants_;
    std::vector<double> rate_;
    std::vector<int32_t> count_;
    std::vector<std::vector<double>> in_domain_;
    double best_ = HUGE_VAL;
    int64_t leaves_ = 0;
};

void expect_optimum(const std::string &text)
{
    const auto serving = read_serving(text);
    ASSERT_NE(serving, nullptr);
    Enumeration every(serving.get());
    const double optimum = every.best();
    const auto result = solve_serving(serving.get(), 60);
    ASSERT_TRUE(std::isfinite(optimum));
    EXPECT_EQ(ration_result_violation(result.get()), 0);
    EXPECT_GT(every.leaves(), 10);
    const double cost = ration_result_cost(result.get()) / 1e6;
    EXPECT_NEAR(cost, optimum, 1e-3 * optimum) << every.leaves() << " choices";
    const auto plan = ration_test::plan_of(serving.get(), result.get());
    EXPECT_NEAR(plan->money.total, optimum, 1e-3 * optimum);
    int64_t bound = 0;
    if (ration_result_bound(result.get(), &bound)) {
        EXPECT_LE(bound / 1e6, optimum * (1 + 1e-3));
    }
    ration_error error = {};
    EXPECT_EQ(ration_verify(ration_serving_program(serving.get()), result.get(), &error), RATION_OK)
        << error.text;
}

TEST(ServingOptimum, TwoServersShrunk)
{
    expect_optimum(two_servers());
}

TEST(ServingOptimum, TwoServersShrunkWithoutSpread)
{
    expect_optimum(replaced(two_servers(), "\"survive_domain_loss\": 0.5, ", ""));
}

TEST(ServingOptimum, TwoServersShrunkUnderAPowerLimit)
{
    // 300 W host + 400 W + 60 W: one GPU of each server at most.
    expect_optimum(
        replaced(replaced(two_servers(), "\"power_limit_w\": 2500", "\"power_limit_w\": 800"),
                 "\"rate_per_s\": 20", "\"rate_per_s\": 5"));
}

TEST(ServingOptimum, MixedPoolShrunk)
{
    expect_optimum(mixed_pool());
}

TEST(ServingOptimum, MixedPoolShrunkWithAHardLimit)
{
    expect_optimum(replaced(mixed_pool(), "{\"limit\": 5, \"penalty_per_unit\": 0.002}", "60"));
}

TEST(ServingOptimum, IslandsShrunk)
{
    expect_optimum(islands());
}

} // namespace
