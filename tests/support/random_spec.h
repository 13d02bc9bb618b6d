// A random program as it was drawn, and its value from the definition alone. See random_program.h.
#ifndef RATION_TESTS_RANDOM_SPEC_H
#define RATION_TESTS_RANDOM_SPEC_H

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ration/program.h"

namespace ration_test
{

struct Row {
    int64_t offset = 0;
    int64_t low = RATION_LOW_FREE;
    int64_t high = RATION_HIGH_FREE;
    std::vector<ration_piece> cost;
    int32_t dimension = 0;
};

struct Feed {
    int32_t from = 0;
    int32_t to = 0;
    std::vector<ration_piece> piece;
};

struct Place {
    int32_t place_class = 0;
    std::map<int32_t, std::vector<int32_t>> role; // role -> rows
};

// place_class < 0: one option at `place` whose uses name rows; else an entry whose uses name roles.
struct Choice {
    int32_t place = RATION_NONE;
    int32_t place_class = RATION_NONE;
    int32_t mode = RATION_NONE;
    int32_t dimension = 0;
    int64_t cost = 0;
    std::vector<ration_use> use;
};

struct Item {
    std::vector<Choice> choice;
    std::set<int32_t> excluded;
    int32_t start_place = RATION_NONE;
    int32_t start_mode = RATION_NONE;
    int64_t move_cost = 0;
    int32_t table_class = 0;
};

struct Set {
    std::vector<int32_t> item;
    std::vector<int32_t> row; // of a group
};

struct Edge {
    int32_t from = 0;
    int32_t to = 0;
    int64_t weight = 0;
};

struct Spec {
    uint64_t seed = 0;
    std::vector<Row> row;
    std::vector<Feed> feed;
    std::vector<Place> place;
    std::vector<bool> mode; // stay
    std::vector<Item> item;
    std::vector<Set> conflict;
    std::vector<Set> group;
    std::vector<Edge> edge;
    int32_t table_classes = 0;
    std::vector<int64_t> table;    // [table_classes * places]
    std::vector<int64_t> distance; // [places * places], or empty
    int32_t levels = 0;
    std::vector<int32_t> ancestor; // [levels * places]
    std::vector<int64_t> tier_distance;
};

// What to draw. Counts are upper ends; a part that is switched off never occurs.
struct Limits {
    int32_t items = 5;
    int32_t places = 4;
    int32_t rows = 5;
    int32_t plans = 4000; // of a program, excluded options not counted
    bool feeds = true;
    bool groups = true;
    bool traffic = true;
    bool structured = true;
    bool conflicts = true;
    bool start = true;
};

struct Value {
    int64_t cost = 0;
    int64_t violation = 0;
    std::vector<int64_t> load; // explicit rows
};

class Dice {
public:
    explicit Dice(uint64_t seed) : engine_(seed)
    {
    }
    // low .. high, both included
    int32_t between(int32_t low, int32_t high)
    {
        return low + (int32_t)(engine_() % (uint64_t)(high - low + 1));
    }
    bool chance(int32_t percent)
    {
        return between(1, 100) <= percent;
    }

private:
    std::mt19937_64 engine_;
};

inline int64_t function_at(const std::vector<ration_piece> &piece, int64_t z)
{
    if (piece.empty()) {
        return 0;
    }
    size_t at = 0;
    while (at + 1 < piece.size() && piece[at + 1].start <= z) {
        at++;
    }
    return piece[at].value + piece[at].slope * (z - piece[at].start);
}

inline int64_t distance_of(const Spec &spec, int32_t from, int32_t to)
{
    const int32_t places = (int32_t)spec.place.size();
    if (!spec.distance.empty()) {
        return spec.distance[(size_t)(from * places + to)];
    }
    for (int32_t level = 0; level < spec.levels; level++) {
        if (spec.ancestor[(size_t)(level * places + from)] ==
            spec.ancestor[(size_t)(level * places + to)]) {
            return spec.tier_distance[(size_t)level];
        }
    }
    return spec.tier_distance[(size_t)spec.levels];
}

// The choice of an item that offers (place, mode), or NULL.
inline const Choice *choice_at(const Spec &spec, int32_t item, int32_t place, int32_t mode)
{
    const Item &of = spec.item[(size_t)item];
    for (const Choice &choice : of.choice) {
        if (choice.mode != mode) {
            continue;
        }
        if (choice.place_class < 0) {
            if (choice.place == place) {
                return &choice;
            }
            continue;
        }
        const bool stay = mode >= 0 && spec.mode[(size_t)mode];
        if (place >= 0 && spec.place[(size_t)place].place_class == choice.place_class &&
            (!stay || place == of.start_place)) {
            return &choice;
        }
    }
    return nullptr;
}

// Loads that the picks put on the rows, before feeds.
inline void add_loads(const Spec &spec, const Choice &choice, int32_t place,
                      std::vector<int64_t> &load)
{
    for (const ration_use &use : choice.use) {
        if (choice.place_class < 0) {
            load[(size_t)use.row] += use.amount;
            continue;
        }
        const auto &role = spec.place[(size_t)place].role;
        const auto rows = role.find(use.row);
        if (rows != role.end()) {
            for (const int32_t row : rows->second) {
                load[(size_t)row] += use.amount;
            }
        }
    }
}

inline void add_feeds(const Spec &spec, std::vector<int64_t> &load)
{
    std::vector<int32_t> waits(spec.row.size(), 0); // feeds that have not arrived yet
    for (const Feed &feed : spec.feed) {
        waits[(size_t)feed.to]++;
    }
    std::vector<bool> done(spec.row.size(), false);
    for (size_t round = 0; round < spec.row.size(); round++) {
        for (size_t row = 0; row < spec.row.size(); row++) {
            if (done[row] || waits[row] > 0) {
                continue;
            }
            done[row] = true;
            for (const Feed &feed : spec.feed) {
                if (feed.from == (int32_t)row) {
                    load[(size_t)feed.to] += function_at(feed.piece, load[row]);
                    waits[(size_t)feed.to]--;
                }
            }
        }
    }
}

// place and mode of each item, in the numbers of the spec.
using Picks = std::vector<std::pair<int32_t, int32_t>>;

inline int64_t pick_cost(const Spec &spec, int32_t item, std::pair<int32_t, int32_t> pick)
{
    const Item &of = spec.item[(size_t)item];
    int64_t cost = choice_at(spec, item, pick.first, pick.second)->cost;
    if (spec.table_classes > 0 && pick.first >= 0) {
        cost += spec.table[(size_t)of.table_class * spec.place.size() + (size_t)pick.first];
    }
    if (of.start_place >= 0) {
        const bool stays =
            pick.first == of.start_place && (of.start_mode < 0 || of.start_mode == pick.second);
        cost += stays ? 0 : of.move_cost;
    }
    return cost;
}

inline Value evaluate(const Spec &spec, const Picks &picks)
{
    Value value;
    for (const Row &row : spec.row) {
        value.load.push_back(row.offset);
    }
    for (size_t i = 0; i < picks.size(); i++) {
        value.cost += pick_cost(spec, (int32_t)i, picks[i]);
        add_loads(spec, *choice_at(spec, (int32_t)i, picks[i].first, picks[i].second),
                  picks[i].first, value.load);
    }
    add_feeds(spec, value.load);
    for (size_t r = 0; r < spec.row.size(); r++) {
        const Row &row = spec.row[r];
        const int64_t z = value.load[r];
        value.cost += function_at(row.cost, z);
        value.violation += row.low != RATION_LOW_FREE && z < row.low ? row.low - z : 0;
        value.violation += row.high != RATION_HIGH_FREE && z > row.high ? z - row.high : 0;
    }
    for (const Set &set : spec.conflict) {
        std::map<int32_t, int64_t> at;
        for (const int32_t item : set.item) {
            const int32_t place = picks[(size_t)item].first;
            value.violation += place >= 0 && ++at[place] > 1 ? 1 : 0;
        }
    }
    for (const Edge &edge : spec.edge) {
        value.cost += edge.weight * distance_of(spec, picks[(size_t)edge.from].first,
                                                picks[(size_t)edge.to].first);
    }
    return value;
}

} // namespace ration_test

#endif
