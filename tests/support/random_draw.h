// Draws the random programs of random_program.h.
#ifndef RATION_TESTS_RANDOM_DRAW_H
#define RATION_TESTS_RANDOM_DRAW_H

#include "support/random_spec.h"

namespace ration_test {

inline std::vector<ration_piece> random_function(Dice &dice)
{
    std::vector<ration_piece> piece;
    int64_t start = dice.between(-4, 3);
    for (int32_t i = dice.between(1, 3); i > 0; i--) {
        piece.push_back({start, dice.between(-4, 9), dice.between(-2, 3)});
        start += dice.between(1, 5);
    }
    return piece;
}

// Every (place, mode) that a choice offers, excluded ones too.
inline std::vector<std::pair<int32_t, int32_t>> spots(const Spec &spec, const Item &item,
                                                      const Choice &choice)
{
    if (choice.place_class < 0) {
        return {{choice.place, choice.mode}};
    }
    std::vector<std::pair<int32_t, int32_t>> found;
    const bool stay = choice.mode >= 0 && spec.mode[(size_t)choice.mode];
    for (int32_t place = 0; place < (int32_t)spec.place.size(); place++) {
        if (spec.place[(size_t)place].place_class == choice.place_class &&
            (!stay || place == item.start_place)) {
            found.push_back({place, choice.mode});
        }
    }
    return found;
}

inline Picks allowed_spots(const Spec &spec, const Item &item)
{
    Picks all;
    for (const Choice &choice : item.choice) {
        for (const auto &spot : spots(spec, item, choice)) {
            if (item.excluded.count(spot.first) == 0) {
                all.push_back(spot);
            }
        }
    }
    return all;
}

class Drawing {
public:
    Drawing(uint64_t seed, const Limits &limits)
        : dice_(seed * 0x9E3779B97F4A7C15u + 1), limits_(limits)
    {
        spec_.seed = seed;
    }

    Spec draw()
    {
        draw_rows();
        draw_places();
        for (int32_t m = dice_.between(0, 3); m > 0; m--) {
            spec_.mode.push_back(limits_.start && dice_.chance(35));
        }
        draw_items();
        draw_sets();
        draw_traffic();
        draw_limits();
        return spec_;
    }

private:
    int32_t shared_ = 0;         // rows that anyone may load come first, then private ones
    std::vector<int32_t> group_; // [items]
    bool traffic_ = false;
    Dice dice_;
    Limits limits_;
    Spec spec_;

    void draw_rows()
    {
        shared_ = dice_.between(1, limits_.rows);
        const int32_t groups = limits_.groups ? dice_.between(0, 2) : 0;
        for (int32_t g = 0; g < groups; g++) {
            spec_.group.push_back({});
            for (int32_t r = dice_.between(0, 2); r > 0; r--) {
                spec_.group.back().row.push_back(shared_ + (int32_t)spec_.row.size());
                spec_.row.push_back({});
            }
        }
        spec_.row.resize((size_t)shared_ + spec_.row.size());
        for (Row &row : spec_.row) {
            row.offset = dice_.chance(30) ? dice_.between(-5, 5) : 0;
            row.dimension = dice_.between(0, RATION_DIMENSIONS - 1);
            if (dice_.chance(40)) {
                row.cost = random_function(dice_);
            }
        }
        // Feeds go from rank 0 to 1 or 2, or from 1 to 2.
        std::vector<int32_t> rank;
        for (int32_t r = 0; r < shared_; r++) {
            rank.push_back(dice_.between(0, 2));
        }
        for (int32_t from = 0; limits_.feeds && from < shared_; from++) {
            for (int32_t to = 0; to < shared_; to++) {
                if (rank[(size_t)from] < rank[(size_t)to] && dice_.chance(40)) {
                    spec_.feed.push_back({from, to, random_function(dice_)});
                }
            }
        }
    }

    // Roles 0..2 map to shared rows; role 8 + g leads to a private row of group g.
    void draw_places()
    {
        for (int32_t p = dice_.between(0, limits_.places); p > 0; p--) {
            Place place;
            place.place_class = dice_.between(0, 1) * 5 + 2;
            for (int32_t role = 0; role < 3; role++) {
                std::vector<int32_t> rows((size_t)shared_);
                std::iota(rows.begin(), rows.end(), 0);
                for (size_t i = 0; i < rows.size(); i++) {
                    std::swap(rows[i], rows[(size_t)dice_.between((int32_t)i, shared_ - 1)]);
                }
                rows.resize((size_t)std::min(shared_, dice_.between(0, 2)));
                if (dice_.chance(80)) {
                    place.role[role] = rows;
                }
            }
            for (size_t g = 0; g < spec_.group.size(); g++) {
                if (!spec_.group[g].row.empty() && dice_.chance(80)) {
                    place.role[8 + (int32_t)g] = {spec_.group[g].row[0]};
                }
            }
            spec_.place.push_back(place);
        }
        if (!spec_.place.empty() && dice_.chance(30)) {
            spec_.table_classes = dice_.between(1, 2);
            for (size_t i = 0; i < (size_t)spec_.table_classes * spec_.place.size(); i++) {
                spec_.table.push_back(dice_.between(-5, 9));
            }
        }
        traffic_ = limits_.traffic && !spec_.place.empty() && dice_.chance(50);
    }

    int32_t any_place()
    {
        return dice_.between(0, (int32_t)spec_.place.size() - 1);
    }

    void draw_uses(Choice &choice, int32_t group)
    {
        std::set<int32_t> targets;
        const int32_t most = choice.place_class < 0 ? shared_ - 1 : 2;
        for (int32_t u = dice_.between(0, 3); u > 0; u--) {
            targets.insert(dice_.between(0, most));
        }
        if (group >= 0 && choice.place_class < 0) {
            for (const int32_t row : spec_.group[(size_t)group].row) {
                if (dice_.chance(70)) {
                    targets.insert(row);
                }
            }
        } else if (group >= 0) {
            targets.insert(8 + group);
        }
        for (const int32_t target : targets) {
            choice.use.push_back({target, dice_.between(-2, 5)});
        }
    }

    Choice draw_choice(const Item &item, int32_t group)
    {
        Choice choice;
        choice.cost = dice_.between(-5, 20);
        choice.dimension = dice_.between(0, RATION_DIMENSIONS - 1);
        choice.mode = dice_.between(-1, (int32_t)spec_.mode.size() - 1);
        const bool placed = !spec_.place.empty() && (traffic_ || dice_.chance(80));
        if (placed && limits_.structured && dice_.chance(40)) {
            choice.place_class = spec_.place[(size_t)any_place()].place_class;
        } else if (placed) {
            choice.place = any_place();
        }
        const bool stay = choice.mode >= 0 && spec_.mode[(size_t)choice.mode];
        if (stay && choice.place_class < 0 &&
            (item.start_place < 0 || choice.place != item.start_place)) {
            choice.mode = RATION_NONE;
        }
        draw_uses(choice, group);
        return choice;
    }

    // Adds a choice unless it offers a (place, mode) that the item has.
    void add_choice(Item &item, const Choice &choice)
    {
        std::set<std::pair<int32_t, int32_t>> known;
        for (const Choice &old : item.choice) {
            for (const auto &spot : spots(spec_, item, old)) {
                known.insert(spot);
            }
            if (old.place_class >= 0 && old.place_class == choice.place_class &&
                old.mode == choice.mode) {
                return;
            }
        }
        for (const auto &spot : spots(spec_, item, choice)) {
            if (known.count(spot) > 0) {
                return;
            }
        }
        item.choice.push_back(choice);
    }

    Item draw_item(int32_t group)
    {
        Item item;
        if (limits_.start && !spec_.place.empty() && dice_.chance(40)) {
            item.start_place = any_place();
            item.start_mode = dice_.between(-1, (int32_t)spec_.mode.size() - 1);
            item.move_cost = dice_.between(-2, 8);
        }
        item.table_class = spec_.table_classes > 0 ? dice_.between(0, spec_.table_classes - 1) : 0;
        for (int32_t c = dice_.between(1, 8); c > 0; c--) {
            add_choice(item, draw_choice(item, group));
        }
        if (!spec_.place.empty() && dice_.chance(30)) {
            item.excluded.insert(any_place());
        }
        if (allowed_spots(spec_, item).empty()) {
            item.excluded.clear();
        }
        while (allowed_spots(spec_, item).empty()) {
            add_choice(item, draw_choice(item, group));
        }
        return item;
    }

    void draw_items()
    {
        int64_t plans = 1;
        const int32_t items = dice_.between(std::max(1, limits_.items - 3), limits_.items);
        for (int32_t i = 0; i < items; i++) {
            const int32_t group = dice_.between(-1, (int32_t)spec_.group.size() - 1);
            const Item item = draw_item(group);
            const int64_t more = plans * (int64_t)allowed_spots(spec_, item).size();
            if (more > limits_.plans) {
                break;
            }
            plans = more;
            group_.push_back(group);
            spec_.item.push_back(item);
        }
        if (spec_.item.empty()) { // one item with more options than plans are wanted
            spec_.item.push_back(Item{});
            spec_.item.back().choice.resize(1);
            spec_.item.back().choice[0].place = spec_.place.empty() ? RATION_NONE : 0;
            group_.push_back(-1);
        }
    }

    void draw_sets()
    {
        for (size_t i = 0; i < spec_.item.size(); i++) {
            if (group_[i] >= 0) {
                spec_.group[(size_t)group_[i]].item.push_back((int32_t)i);
            }
        }
        std::vector<Set> kept;
        for (const Set &group : spec_.group) {
            if (!group.item.empty()) {
                kept.push_back(group);
            }
        }
        spec_.group = kept;
        for (int32_t s = limits_.conflicts && dice_.chance(40) ? dice_.between(1, 2) : 0; s > 0;
             s--) {
            Set set;
            for (size_t i = 0; i < spec_.item.size(); i++) {
                if (dice_.chance(60)) {
                    set.item.push_back((int32_t)i);
                }
            }
            if (!set.item.empty()) {
                spec_.conflict.push_back(set);
            }
        }
    }

    void draw_traffic()
    {
        if (!traffic_) {
            return;
        }
        const int32_t items = (int32_t)spec_.item.size();
        const size_t places = spec_.place.size();
        for (int32_t e = dice_.between(1, 6); e > 0; e--) {
            spec_.edge.push_back(
                {dice_.between(0, items - 1), dice_.between(0, items - 1), dice_.between(-1, 3)});
        }
        if (dice_.chance(50)) {
            for (size_t i = 0; i < places * places; i++) {
                spec_.distance.push_back(dice_.between(-1, 7));
            }
            return;
        }
        spec_.levels = dice_.between(1, 3);
        for (int32_t level = 0; level < spec_.levels; level++) {
            for (size_t p = 0; p < places; p++) {
                spec_.ancestor.push_back(level == 0 ? (int32_t)p : dice_.between(-1, 2));
            }
            spec_.tier_distance.push_back(dice_.between(0, 4));
        }
        spec_.tier_distance.push_back(dice_.between(4, 9));
    }

    // Mostly around the loads of a random plan, so that some plan is feasible.
    void draw_limits()
    {
        Picks picks;
        for (const Item &item : spec_.item) {
            const Picks all = allowed_spots(spec_, item);
            picks.push_back(all[(size_t)dice_.between(0, (int32_t)all.size() - 1)]);
        }
        const Value anchor = evaluate(spec_, picks);
        const bool anchored = dice_.chance(75);
        for (size_t r = 0; r < spec_.row.size(); r++) {
            const int64_t around = anchored ? anchor.load[r] : dice_.between(-3, 9);
            const int32_t kind = dice_.between(0, 9);
            if (kind <= 4 || kind == 7) { // upper limit, band
                spec_.row[r].high = around + dice_.between(0, 3);
            }
            if (kind >= 5 && kind <= 7) { // lower limit, band
                spec_.row[r].low = around - dice_.between(0, 3);
            }
            if (kind == 8) { // equality
                spec_.row[r].low = around;
                spec_.row[r].high = around;
            }
        }
    }
};

inline Spec random_spec(uint64_t seed, const Limits &limits = Limits())
{
    return Drawing(seed, limits).draw();
}

} // namespace ration_test

#endif
