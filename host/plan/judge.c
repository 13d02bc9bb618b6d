/* The judge's own reading of the view. It repeats, on purpose, what core/view.h does: a fault there
 * must not hide here. */
#include "plan/judge.h"

#include <assert.h>
#include <stddef.h>

/* Options that an entry stands for, excluded ones counted. */
static int32_t entry_size(const rn_view *view, int32_t entry)
{
    const int32_t place_class = view->entry_class[entry];
    if (place_class < 0 || view->entry_place[entry] >= 0) {
        return 1;
    }
    return view->class_place[place_class + 1] - view->class_place[place_class];
}

static int32_t entry_place(const rn_view *view, int32_t entry, int32_t step)
{
    if (view->entry_class[entry] < 0 || view->entry_place[entry] >= 0) {
        return view->entry_place[entry];
    }
    return view->class_place[view->entry_class[entry]] + step;
}

static bool excluded(const rn_view *view, int32_t item, int32_t place)
{
    if (view->exclude_at == NULL || place < 0) {
        return false;
    }
    for (int32_t k = view->exclude_at[item]; k < view->exclude_at[item + 1]; k++) {
        if (view->exclude_place[k] == place) {
            return true;
        }
    }
    return false;
}

rn_judge_walk rn_judge_first(const rn_view *view, int32_t item)
{
    assert(item >= 0 && item < view->items);
    const rn_judge_walk walk = {view, {item, view->item_entry[item], -1}, -1, 0, NULL};
    return walk;
}

bool rn_judge_next(rn_judge_walk *walk)
{
    const rn_view *view = walk->view;
    const int32_t item = walk->option.item;
    while (walk->option.entry < view->item_entry[item + 1]) {
        if (walk->step == entry_size(view, walk->option.entry)) {
            walk->option.entry++;
            walk->step = 0;
            continue;
        }
        walk->option.place = entry_place(view, walk->option.entry, walk->step);
        walk->step++;
        walk->number++;
        assert(walk->number < view->item_options[item]);
        if (!excluded(view, item, walk->option.place) &&
            (walk->out == NULL || walk->out[walk->number] == 0)) {
            return true;
        }
    }
    return false;
}

bool rn_judge_option(const rn_view *view, int32_t item, int32_t number, rn_judged *option)
{
    int32_t first = 0;
    for (int32_t entry = view->item_entry[item]; number >= 0 && entry < view->item_entry[item + 1];
         entry++) {
        const int32_t size = entry_size(view, entry);
        if (number < first + size) {
            option->item = item;
            option->entry = entry;
            option->place = entry_place(view, entry, number - first);
            return !excluded(view, item, option->place);
        }
        first += size;
    }
    return false;
}

int64_t rn_judge_own_cost(const rn_view *view, const rn_judged *option)
{
    return view->entry_cost[option->entry];
}

rn_i128 rn_judge_other_cost(const rn_view *view, const rn_judged *option)
{
    const int32_t item = option->item;
    rn_i128 cost = 0;
    if (view->table != NULL && option->place >= 0) {
        cost += view->table[(int64_t)view->item_class[item] * view->places + option->place];
    }
    if (view->start_place != NULL && view->start_place[item] >= 0) {
        const bool same_place = option->place == view->start_place[item];
        const bool same_mode =
            view->start_mode[item] < 0 || view->start_mode[item] == view->entry_mode[option->entry];
        if (!(same_place && same_mode)) {
            cost += view->move_cost[item];
        }
    }
    return cost;
}

static int32_t conflict_count(const rn_view *view, const rn_judged *option)
{
    if (view->conflict_at == NULL || option->place < 0) {
        return 0;
    }
    return view->conflict_at[option->item + 1] - view->conflict_at[option->item];
}

int32_t rn_judge_burdens(const rn_view *view, const rn_judged *option)
{
    int32_t count = conflict_count(view, option);
    const int32_t first = view->entry_use[option->entry];
    const int32_t end = view->entry_use[option->entry + 1];
    if (view->entry_class[option->entry] < 0) {
        return count + end - first;
    }
    for (int32_t use = first; use < end; use++) {
        const int64_t cell = (int64_t)option->place * view->roles + view->use_target[use];
        count += view->role_row_at[cell + 1] - view->role_row_at[cell];
    }
    return count;
}

void rn_judge_list(const rn_view *view, const rn_judged *option, rn_burden *burden)
{
    int32_t count = 0;
    for (int32_t use = view->entry_use[option->entry]; use < view->entry_use[option->entry + 1];
         use++) {
        if (view->entry_class[option->entry] < 0) {
            burden[count].row = view->use_target[use];
            burden[count++].amount = view->use_amount[use];
            continue;
        }
        const int64_t cell = (int64_t)option->place * view->roles + view->use_target[use];
        for (int32_t k = view->role_row_at[cell]; k < view->role_row_at[cell + 1]; k++) {
            burden[count].row = view->role_row[k];
            burden[count++].amount = view->use_amount[use];
        }
    }
    const int32_t conflicts = conflict_count(view, option);
    for (int32_t k = 0; k < conflicts; k++) {
        const int32_t set = view->conflict_set[view->conflict_at[option->item] + k];
        burden[count].row = view->rows + set * view->places + option->place;
        burden[count++].amount = 1;
    }
    assert(count == rn_judge_burdens(view, option));
}

int64_t rn_judge_most_burdens(const rn_view *view)
{
    int64_t role_rows = 1;
    for (int64_t cell = 0; cell < (int64_t)view->places * view->roles; cell++) {
        const int64_t rows = view->role_row_at[cell + 1] - view->role_row_at[cell];
        role_rows = rows > role_rows ? rows : role_rows;
    }
    int64_t most = 1;
    for (int32_t entry = 0; entry < view->entries; entry++) {
        const int64_t uses = view->entry_use[entry + 1] - view->entry_use[entry];
        const int64_t rows = view->entry_class[entry] < 0 ? uses : uses * role_rows;
        most = rows > most ? rows : most;
    }
    int64_t conflicts = 0;
    for (int32_t item = 0; view->conflict_at != NULL && item < view->items; item++) {
        const int64_t count = view->conflict_at[item + 1] - view->conflict_at[item];
        conflicts = count > conflicts ? count : conflicts;
    }
    return most + conflicts;
}

rn_i128 rn_judge_pieces(const rn_view *view, int32_t first, int32_t end, rn_i128 z)
{
    if (first == end) {
        return 0;
    }
    int32_t at = end - 1;
    while (at > first && view->piece[at].start > z) {
        at--;
    }
    return view->piece[at].value + view->piece[at].slope * (z - view->piece[at].start);
}

int64_t rn_judge_distance(const rn_view *view, int32_t from, int32_t to)
{
    if (view->distance != NULL) {
        return view->distance[(int64_t)from * view->places + to];
    }
    assert(view->levels > 0 && from >= 0 && from < view->places && to >= 0 && to < view->places);
    int32_t level = 0;
    while (level < view->levels && view->tier_ancestor[(int64_t)level * view->places + from] !=
                                       view->tier_ancestor[(int64_t)level * view->places + to]) {
        level++;
    }
    return view->tier_distance[level];
}
