/* Moves of any program: a pick changes; while that is not acceptable, the row that was hit pushes
 * out the best of its items (or, when it lacks load, pulls in the best item that could load it), at
 * most `depth` times; all is undone if the sum is not accepted.
 */
#ifndef RN_MOVE_ANY_H
#define RN_MOVE_ANY_H

#include "core/move_row.h"

RN_HD rn_touch rn_touch_of(const rn_chain *c)
{
    rn_touch touch;
    touch.row = c->touched;
    touch.change = c->change;
    touch.count = 0;
    return touch;
}

/* Option of an item at a place with a mode; -1: none. */
RN_HD int32_t rn_option_at(const rn_view *v, int32_t item, int32_t place, int32_t mode)
{
    for (int32_t e = v->item_entry[item]; e < v->item_entry[item + 1]; e++) {
        if (v->entry_mode[e] != mode) {
            continue;
        }
        if (v->entry_place[e] >= 0 || v->entry_class[e] < 0) {
            if (v->entry_place[e] == place) {
                return v->entry_first[e];
            }
        } else if (v->entry_class[e] == v->place_class[place]) {
            return rn_place_allowed(v, item, place)
                       ? v->entry_first[e] + place - v->class_place[v->entry_class[e]]
                       : -1;
        }
    }
    return -1;
}

/* Puts an item's nodes into the lists of the rows its pick loads; by one lane. */
RN_HD void rn_any_link(const rn_chain *c, int32_t item, rn_option option)
{
    const rn_view *v = &c->t->view;
    rn_uses walk = rn_uses_begin(v, item, option);
    int32_t node = item * c->t->nodes;
    int32_t row;
    int64_t amount;
    while (rn_uses_next(v, &walk, &row, &amount)) {
        RN_ASSERT(node < (item + 1) * c->t->nodes);
        rn_list_insert(c, row, node);
        node++;
    }
}

RN_HD void rn_any_unlink(const rn_chain *c, int32_t item)
{
    const int32_t first = item * c->t->nodes;
    for (int32_t node = first; node < first + c->t->nodes && c->next[node] >= 0; node++) {
        rn_list_remove(c, node);
    }
}

/* What would change if an item's pick became this option, an allowed one. touch: out, this lane's
 * scratch. */
RN_HD rn_change rn_any_price(const rn_chain *c, int32_t item, int32_t option, rn_touch *touch)
{
    const rn_tables *t = c->t;
    const rn_view *v = &t->view;
    const rn_option from = rn_option_decode(v, item, c->pick[item]);
    const rn_option to = rn_option_decode(v, item, option);
    rn_touch_pick(v, c->load, item, from, to, touch);
    RN_ASSERT(touch->count <= t->touch);
    rn_change change = rn_change_rows(t, c->e, c->push, c->load, touch);
    const int64_t own =
        to.cost - from.cost + rn_traffic_change(v, c->seat, item, from.place, to.place);
    change.cost += own;
    change.energy += rn_energy(t, own);
    return change;
}

/* Gives an item another pick; costs, loads, lists follow. Returns what changed, in every lane. */
RN_DEVICE rn_change rn_any_set(rn_chain *c, int32_t item, int32_t option)
{
    const rn_tables *t = c->t;
    const rn_view *v = &t->view;
    const int32_t before = c->pick[item];
    rn_touch touch = rn_touch_of(c);
    const rn_change change = rn_any_price(c, item, option, &touch);
    rn_sync();
    if (rn_lane() == 0) {
        const rn_option to = rn_option_decode(v, item, option);
        for (int32_t x = 0; x < touch.count; x++) {
            c->load[touch.row[x]] += touch.change[x];
        }
        rn_any_unlink(c, item);
        rn_any_link(c, item, to);
        c->pick[item] = option;
        c->seat[item] = to.place;
    }
    rn_sync();
    c->cost += change.cost;
    c->violation += change.violation;
    c->digest += rn_pick_hash(item, option) - rn_pick_hash(item, before);
    return change;
}

/* Change of energy if an item's pick became this option; INT64_MAX if it may not. */
RN_HD int64_t rn_any_energy(const rn_chain *c, int32_t item, int32_t option)
{
    const rn_tables *t = c->t;
    const rn_view *v = &t->view;
    if (option < 0 || option == c->pick[item]) {
        return INT64_MAX;
    }
    const rn_option to = rn_option_decode(v, item, option);
    if (!rn_place_allowed(v, item, to.place)) {
        return INT64_MAX;
    }
    const rn_option from = rn_option_decode(v, item, c->pick[item]);
    rn_touch touch = rn_touch_of(c);
    rn_touch_pick(v, c->load, item, from, to, &touch);
    RN_ASSERT(touch.count <= t->touch);
    const int64_t own =
        to.cost - from.cost + rn_traffic_change(v, c->seat, item, from.place, to.place);
    return rn_change_energy(t, c->e, c->push, c->load, &touch) + rn_energy(t, own);
}

/* Notes a partner; one lane writes. */
RN_DEVICE void rn_any_partner(const rn_chain *c, int32_t at, int32_t partner)
{
    RN_ASSERT(at >= 0 && at < RN_PARTNERS);
    if (rn_lane() == 0) {
        c->partner[at] = partner;
    }
}

/* Chooses the items that a push looks at, at most RN_PARTNERS, never `item`; in every lane the
 * same. Returns how many. */
RN_DEVICE int32_t rn_any_partners(const rn_chain *c, int32_t hit, int32_t item, uint32_t word)
{
    const rn_tables *t = c->t;
    const rn_view *v = &t->view;
    int32_t count = 0;
    RN_ASSERT(hit >= 0 && hit < t->rows);
    rn_sync();
    if (t->wanting && hit < v->rows && c->load[hit] < v->row_low[hit]) {
        const int32_t first = t->row_member_at[hit];
        const int32_t members = t->row_member_at[hit + 1] - first;
        const int32_t begin = rn_random_below(word, members > 0 ? members : 1);
        for (int32_t x = 0; x < members && count < RN_PARTNERS; x++) {
            const int32_t at = begin + x < members ? begin + x : begin + x - members;
            const int32_t partner = t->row_member[first + at];
            if (partner != item) {
                rn_any_partner(c, count, partner);
                count++;
            }
        }
    } else {
        const int32_t ring = v->items * t->nodes + hit;
        for (int32_t node = c->next[ring]; node != ring && count < RN_PARTNERS;
             node = c->next[node]) {
            const int32_t partner = node / t->nodes;
            if (partner != item) {
                rn_any_partner(c, count, partner);
                count++;
            }
        }
    }
    rn_sync();
    return count;
}

/* Option that slot `slot` of a partner stands for. free_place: where the first item came from, or
 * -1. */
RN_HD int32_t rn_any_slot(const rn_chain *c, int32_t partner, int32_t slot, int32_t free_place)
{
    const rn_tables *t = c->t;
    const rn_view *v = &t->view;
    if (slot < t->cand_count[partner]) {
        return t->cand_option[(int64_t)partner * RN_CANDIDATES + slot];
    }
    if (slot < RN_CANDIDATES || free_place < 0 || c->seat[partner] == free_place) {
        return -1;
    }
    const int32_t entry = rn_option_entry(v, partner, c->pick[partner]);
    return rn_option_at(v, partner, free_place, v->entry_mode[entry]);
}

/* The best change of one of the chosen partners. */
RN_DEVICE rn_push rn_any_scan(rn_chain *c, int32_t partners, int32_t free_place)
{
    const int32_t slots = RN_CANDIDATES + 1;
    rn_push push;
    push.change = INT64_MAX;
    push.item = 0;
    push.slot = 0;
    for (int32_t x = rn_lane(); x < partners * slots; x += RN_LANES) {
        const int32_t partner = c->partner[x / slots];
        const int32_t slot = x % slots;
        const int64_t change = rn_any_energy(c, partner, rn_any_slot(c, partner, slot, free_place));
        if (change != INT64_MAX) {
            rn_push_offer(&push, change, partner, slot);
        }
    }
    RN_ASSERT(partners >= 0 && partners <= RN_PARTNERS);
    c->evaluations += (int64_t)partners * slots;
    return rn_push_least(push);
}

/* The option that a move tries: three times in four a candidate, else any. */
RN_HD int32_t rn_any_draw(const rn_tables *t, int32_t item, uint32_t word)
{
    const int32_t any = (word & 3u) == 0;
    const uint32_t rest = (word >> 2) << 2;
    if (any) {
        return rn_random_below(rest, t->view.item_options[item]);
    }
    return t
        ->cand_option[(int64_t)item * RN_CANDIDATES + rn_random_below(rest, t->cand_count[item])];
}

/* Remembers an item and its pick, so that the move can be undone: in memory, for registers have no
 * index. */
RN_DEVICE void rn_any_remember(const rn_chain *c, int32_t at, int32_t item)
{
    RN_ASSERT(at >= 0 && at < RN_MOVED);
    if (rn_lane() == 0) {
        c->moved[2 * at] = item;
        c->moved[2 * at + 1] = c->pick[item];
    }
}

/* Whether relief of the row that was hit could make the sum acceptable. */
RN_HD int32_t rn_any_hopeful(const rn_chain *c, const rn_change *change, int64_t total,
                             int64_t threshold, int64_t temperature)
{
    return c->e->depth > 0 && change->hit >= 0 &&
           total - change->hit_rise <= threshold + rn_patience(temperature);
}

/* One move of any program. */
RN_DEVICE void rn_any_move(rn_chain *c, rn_random random, int64_t temperature,
                           const uint32_t *log2_table)
{
    const rn_tables *t = c->t;
    const rn_view *v = &t->view;
    const int32_t item = rn_random_below(random.word[0], v->items);
    const int32_t option = rn_any_draw(t, item, random.word[1]);
    const int64_t threshold = rn_accept_threshold(temperature, random.word[2], log2_table) >> 8;
    const int32_t first_place = c->seat[item];
    int32_t pushes = 0;
    c->evaluations++;
    if (option == c->pick[item] ||
        !rn_place_allowed(v, item, rn_option_decode(v, item, option).place)) {
        return;
    }
    rn_touch touch = rn_touch_of(c);
    rn_change change = rn_any_price(c, item, option, &touch);
    int64_t total = change.energy;
    if (total > threshold && !rn_any_hopeful(c, &change, total, threshold, temperature)) {
        return;
    }
    rn_best_reserve(c, 4);
    rn_any_remember(c, 0, item);
    rn_any_set(c, item, option);
    while (total > threshold && pushes < c->e->depth &&
           rn_any_hopeful(c, &change, total, threshold, temperature)) {
        const int32_t partners =
            rn_any_partners(c, change.hit, c->moved[2 * pushes], random.word[3]);
        const rn_push push = rn_any_scan(c, partners, first_place);
        if (push.change == INT64_MAX || push.change >= 0) {
            break;
        }
        pushes++;
        rn_any_remember(c, pushes, push.item);
        change = rn_any_set(c, push.item, rn_any_slot(c, push.item, push.slot, first_place));
        total += change.energy;
    }
    RN_ASSERT(pushes <= c->e->depth && pushes < RN_MOVED);
    if (total <= threshold) {
        for (int32_t x = 0; x <= pushes; x++) {
            rn_best_note(c, c->moved[2 * x], c->moved[2 * x + 1]);
        }
        rn_sync();
        c->accepted++;
        rn_best_offer(c);
        return;
    }
    for (int32_t x = pushes; x >= 0; x--) {
        rn_any_set(c, c->moved[2 * x], c->moved[2 * x + 1]);
    }
}

#endif
