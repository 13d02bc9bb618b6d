// Tiny random programs that use every part of the form, and what they mean (random_spec.h),
// computed from the definition in include/ration/program.h alone: no view, no freeze, no evaluator.
//
//   const Spec spec = random_spec(seed);             // what was drawn
//   ration_program *p = build(spec);                 // frozen; free with ration_program_free
//   for_each_plan(p, [&](const std::vector<int32_t> &picks) {
//       const Value value = evaluate(spec, p, picks); // cost, violation, loads
//   });
//
// build(spec, shuffle) with shuffle != 0 adds everything in another order: the same program, other
// numbers.
#ifndef RATION_TESTS_RANDOM_PROGRAM_H
#define RATION_TESTS_RANDOM_PROGRAM_H

#include "support/random_draw.h"
#include "support/random_spec.h"

namespace ration_test {

// Name of thing i of a kind; the order of names is not the order of numbers.
inline std::string thing_name(const char *kind, int32_t index)
{
    return kind + std::to_string((index * 7 + 3) % 10) + "." + std::to_string(index);
}

inline std::vector<int32_t> order_of(size_t count, uint64_t shuffle)
{
    std::vector<int32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    if (shuffle != 0) {
        Dice dice(shuffle);
        for (size_t i = 0; i < count; i++) {
            std::swap(order[i], order[(size_t)dice.between((int32_t)i, (int32_t)count - 1)]);
        }
    }
    return order;
}

// A program under construction: spec numbers -> program numbers.
class Build {
public:
    Build(const Spec &spec, uint64_t shuffle) : spec_(spec), shuffle_(shuffle)
    {
        EXPECT_EQ(ration_program_create(0, &program_, &error_), RATION_OK);
    }

    ration_program *make()
    {
        add_rows();
        add_places();
        for (const int32_t m : order_of(spec_.mode.size(), shuffle_)) {
            check(ration_program_add_mode(program_, thing_name("m", m).c_str(),
                                          spec_.mode[(size_t)m], at(mode_, m, spec_.mode.size()),
                                          &error_));
        }
        add_items();
        add_tables();
        add_sets();
        if (!failed_ && ration_program_freeze(program_, &error_) == RATION_OK) {
            return program_;
        }
        ADD_FAILURE() << "seed " << spec_.seed << ": " << error_.text;
        ration_program_free(program_);
        return nullptr;
    }

private:
    const Spec &spec_;
    uint64_t shuffle_;
    ration_program *program_ = nullptr;
    ration_error error_{};
    bool failed_ = false;
    std::vector<int32_t> row_, place_, mode_, item_;

    void check(ration_status status)
    {
        failed_ = failed_ || status != RATION_OK;
        EXPECT_EQ(status, RATION_OK) << "seed " << spec_.seed << ": " << error_.text;
    }

    static int32_t *at(std::vector<int32_t> &map, int32_t index, size_t count)
    {
        map.resize(count, RATION_NONE);
        return &map[(size_t)index];
    }

    static int32_t mapped(const std::vector<int32_t> &map, int32_t index)
    {
        return index < 0 ? RATION_NONE : map[(size_t)index];
    }

    void add_rows()
    {
        for (const int32_t r : order_of(spec_.row.size(), shuffle_)) {
            const Row &row = spec_.row[(size_t)r];
            check(ration_program_add_row(program_, thing_name("r", r).c_str(),
                                         (ration_dimension)row.dimension, row.offset, row.low,
                                         row.high, at(row_, r, spec_.row.size()), &error_));
            if (!row.cost.empty()) {
                check(ration_program_set_row_cost(
                    program_, row_[(size_t)r], (int32_t)row.cost.size(), row.cost.data(), &error_));
            }
        }
        for (const int32_t f : order_of(spec_.feed.size(), shuffle_)) {
            const Feed &feed = spec_.feed[(size_t)f];
            check(ration_program_add_feed(program_, mapped(row_, feed.from), mapped(row_, feed.to),
                                          (int32_t)feed.piece.size(), feed.piece.data(), &error_));
        }
    }

    void add_places()
    {
        for (const int32_t p : order_of(spec_.place.size(), shuffle_)) {
            const Place &place = spec_.place[(size_t)p];
            check(ration_program_add_place(program_, thing_name("p", p).c_str(), place.place_class,
                                           at(place_, p, spec_.place.size()), &error_));
            for (const auto &role : place.role) {
                std::vector<int32_t> rows;
                for (const int32_t row : role.second) {
                    rows.push_back(mapped(row_, row));
                }
                check(ration_program_set_role(program_, place_[(size_t)p], role.first,
                                              (int32_t)rows.size(), rows.data(), &error_));
            }
        }
    }

    void add_choice(int32_t item, const Choice &choice)
    {
        std::vector<ration_use> use = choice.use;
        for (ration_use &u : use) {
            u.row = choice.place_class < 0 ? mapped(row_, u.row) : u.row;
        }
        const ration_dimension dimension = (ration_dimension)choice.dimension;
        if (choice.place_class < 0) {
            const ration_option option = {mapped(place_, choice.place),
                                          mapped(mode_, choice.mode),
                                          dimension,
                                          choice.cost,
                                          (int32_t)use.size(),
                                          use.data()};
            check(ration_program_add_option(program_, item, &option, &error_));
        } else {
            const ration_entry entry = {
                mapped(mode_, choice.mode), choice.place_class, dimension, choice.cost,
                (int32_t)use.size(),        use.data()};
            check(ration_program_add_entry(program_, item, &entry, &error_));
        }
    }

    void add_items()
    {
        for (const int32_t i : order_of(spec_.item.size(), shuffle_)) {
            const Item &item = spec_.item[(size_t)i];
            int32_t *made = at(item_, i, spec_.item.size());
            check(ration_program_add_item(program_, thing_name("i", i).c_str(), made, &error_));
            for (const int32_t c : order_of(item.choice.size(), shuffle_)) {
                add_choice(*made, item.choice[(size_t)c]);
            }
            for (const int32_t place : item.excluded) {
                check(ration_program_exclude(program_, *made, mapped(place_, place), &error_));
            }
            if (item.start_place >= 0) {
                check(ration_program_set_start(program_, *made, mapped(place_, item.start_place),
                                               mapped(mode_, item.start_mode), item.move_cost,
                                               &error_));
            }
        }
    }

    void add_tables()
    {
        const size_t places = spec_.place.size();
        if (spec_.table_classes > 0) {
            std::vector<int32_t> item_class(spec_.item.size());
            std::vector<int64_t> table(spec_.table.size());
            for (size_t i = 0; i < spec_.item.size(); i++) {
                item_class[(size_t)item_[i]] = spec_.item[i].table_class;
            }
            for (size_t i = 0; i < spec_.table.size(); i++) {
                table[i / places * places + (size_t)place_[i % places]] = spec_.table[i];
            }
            check(ration_program_set_table(program_, RATION_DIMENSION_LATENCY, spec_.table_classes,
                                           item_class.data(), table.data(), &error_));
        }
        if (!spec_.distance.empty()) {
            std::vector<int64_t> distance(spec_.distance.size());
            for (size_t i = 0; i < distance.size(); i++) {
                distance[(size_t)place_[i / places] * places + (size_t)place_[i % places]] =
                    spec_.distance[i];
            }
            check(ration_program_set_distances(program_, RATION_DIMENSION_BANDWIDTH,
                                               distance.data(), &error_));
        }
        if (spec_.levels > 0) {
            std::vector<int32_t> ancestor(spec_.ancestor.size());
            for (size_t i = 0; i < ancestor.size(); i++) {
                ancestor[i / places * places + (size_t)place_[i % places]] = spec_.ancestor[i];
            }
            check(ration_program_set_tiers(program_, RATION_DIMENSION_BANDWIDTH, spec_.levels,
                                           ancestor.data(), spec_.tier_distance.data(), &error_));
        }
    }

    std::vector<int32_t> items_of(const Set &set)
    {
        std::vector<int32_t> items;
        for (const int32_t i : order_of(set.item.size(), shuffle_)) {
            items.push_back(mapped(item_, set.item[(size_t)i]));
        }
        return items;
    }

    void add_sets()
    {
        for (const Set &set : spec_.conflict) {
            const std::vector<int32_t> items = items_of(set);
            check(ration_program_add_conflict(program_, (int32_t)items.size(), items.data(),
                                              &error_));
        }
        for (const Set &set : spec_.group) {
            const std::vector<int32_t> items = items_of(set);
            std::vector<int32_t> rows;
            for (const int32_t row : set.row) {
                rows.push_back(mapped(row_, row));
            }
            check(ration_program_add_group(program_, (int32_t)items.size(), items.data(),
                                           (int32_t)rows.size(), rows.data(), &error_));
        }
        for (const int32_t e : order_of(spec_.edge.size(), shuffle_)) {
            const Edge &edge = spec_.edge[(size_t)e];
            check(ration_program_add_traffic(program_, mapped(item_, edge.from),
                                             mapped(item_, edge.to), edge.weight, &error_));
        }
    }
};

// The frozen program of a spec, or NULL after a test failure. shuffle 0: numbers as in the spec.
inline ration_program *build(const Spec &spec, uint64_t shuffle = 0)
{
    return Build(spec, shuffle).make();
}

// ---- plans ----

// Calls visit(picks) for every plan of allowed options; picks: [items] option numbers.
template <class Visit> void for_each_plan(const ration_program *program, Visit visit)
{
    const int32_t items = ration_program_items(program);
    std::vector<std::vector<int32_t>> allowed((size_t)items);
    for (int32_t i = 0; i < items; i++) {
        for (int32_t o = 0; o < ration_program_options(program, i); o++) {
            int32_t place = 0;
            int32_t mode = 0;
            if (ration_program_option(program, i, o, &place, &mode)) {
                allowed[(size_t)i].push_back(o);
            }
        }
    }
    std::vector<size_t> at((size_t)items, 0);
    std::vector<int32_t> picks((size_t)items);
    for (;;) {
        for (size_t i = 0; i < picks.size(); i++) {
            picks[i] = allowed[i][at[i]];
        }
        visit(static_cast<const std::vector<int32_t> &>(picks));
        size_t next = 0;
        while (next < at.size() && ++at[next] == allowed[next].size()) {
            at[next++] = 0;
        }
        if (next == at.size()) {
            return;
        }
    }
}

// Picks in the numbers of the spec; the program was built from it without shuffling.
inline Picks picks_of(const ration_program *program, const std::vector<int32_t> &option)
{
    Picks picks;
    for (size_t i = 0; i < option.size(); i++) {
        int32_t place = RATION_NONE;
        int32_t mode = RATION_NONE;
        EXPECT_TRUE(ration_program_option(program, (int32_t)i, option[i], &place, &mode));
        picks.push_back({place, mode});
    }
    return picks;
}

// What the options of a program built from the spec without shuffling cost.
inline Value evaluate(const Spec &spec, const ration_program *program,
                      const std::vector<int32_t> &option)
{
    return evaluate(spec, picks_of(program, option));
}

} // namespace ration_test

#endif
