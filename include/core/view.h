/* The frozen program as flat arrays: what every backend reads, on host and device.
 *
 * All pointers are to immutable arrays; on the device they are device pointers
 * and the struct is passed by value. Places are renumbered so that the places
 * of a class are consecutive; rows, items and modes keep the builder's numbers.
 *
 * Options of an item. Item i has entries item_entry[i] .. item_entry[i+1]-1.
 * Entry e holds the options entry_first[e] .. entry_first[e] + count - 1 of its
 * item: a direct entry (entry_class < 0) is one option at entry_place[e] (or
 * -1) whose uses name rows; a class entry is one option at each place of its
 * class, in order, whose uses name roles; an entry of a `stay` mode is one
 * option at entry_place[e] whose uses name roles (entry_class >= 0, entry_place
 * >= 0). A class entry has entry_place < 0.
 */
#ifndef RN_VIEW_H
#define RN_VIEW_H

#include "core/hd.h"

/* One piece of an integer piecewise-linear function: same fields as ration_piece. */
typedef struct rn_piece {
    int64_t start;
    int64_t value;
    int64_t slope;
} rn_piece;

typedef struct rn_view {
    int32_t items;
    int32_t rows;     /* explicit rows */
    /* rows + conflict sets * places; a conflict row has offset 0, limits [-inf, 1], no cost */
    int32_t all_rows;
    int32_t places;
    int32_t classes;
    int32_t roles;
    int32_t modes;
    int32_t entries;
    int32_t groups;
    int32_t conflicts; /* conflict sets; set s at place p is row rows + s * places + p, amount 1 */
    int32_t levels; /* of the tier tree; 0: distances come from a table, or there is no traffic */
    int32_t edges;     /* directed traffic edges, each listed under both ends */

    /* options */
    const int32_t *item_entry;   /* [items + 1] */
    const int32_t *item_options; /* [items] options of an item, excluded ones counted */
    const int32_t *entry_first; /* [entries] number, within the item, of the entry's first option */
    const int32_t *entry_mode;   /* [entries] or -1 */
    const int32_t *entry_class;  /* [entries] or -1: direct */
    const int32_t *entry_place;  /* [entries] place of a direct or stay entry, or -1 */
    const int64_t *entry_cost;   /* [entries] */
    const int32_t *entry_dimension; /* [entries] */
    const int32_t *entry_use;    /* [entries + 1] into use_target, use_amount */
    const int32_t *use_target;   /* row of a direct entry, role of a class or stay entry */
    const int64_t *use_amount;
    const int32_t *class_place;  /* [classes + 1] places of a class are consecutive */
    const int32_t *place_class;  /* [places] */
    const int32_t *role_row_at;  /* [places * roles + 1] into role_row */
    const int32_t *role_row;
    const int32_t *item_class;   /* [items] or NULL: no table */
    const int64_t *table;        /* [item classes * places] or NULL */
    const int32_t *exclude_at;   /* [items + 1] into exclude_place, or NULL: no exclusions */
    const int32_t *exclude_place; /* sorted per item */
    const int32_t *start_place;  /* [items] or NULL: no start plan; -1: the item has none */
    /* [items] mode of the start, -1: any mode at start_place is staying */
    const int32_t *start_mode;
    const int64_t *move_cost;    /* [items] added to every option that is not staying */

    /* rows; arrays are [rows], conflict rows have none */
    const int64_t *row_offset;
    const int64_t *row_low;       /* hard limits; INT64_MIN, INT64_MAX: none */
    const int64_t *row_high;
    const int64_t *row_least;     /* proved range of the load, feeds included */
    const int64_t *row_most;
    const int32_t *row_dimension;
    const int32_t *row_piece;     /* [rows + 1] into piece: the cost; none: 0 */
    const int32_t *row_feed;      /* [rows + 1] into feed_*: feeds that leave this row */
    const int32_t *row_rank;      /* 0: fed by nothing; 1: fed by rank 0 only; 2: the rest */
    const int32_t *feed_to;       /* [feeds] */
    const int32_t *feed_piece;    /* [feeds + 1] into piece */
    const rn_piece *piece;

    /* groups: items group_item[group_item_at[g]..], DP rows group_row[2 g], [2 g + 1] (or -1) */
    const int32_t *group_item_at; /* [groups + 1] */
    const int32_t *group_item;
    const int32_t *group_row;     /* [2 * groups] */
    const int32_t *item_group;    /* [items] or -1; NULL: no groups */

    /* conflict sets of an item */
    const int32_t *conflict_at;   /* [items + 1], or NULL: none */
    const int32_t *conflict_set;

    /* traffic */
    /* [items + 1] into edge_*, or NULL: none. A diagonal edge is listed once, as out */
    const int32_t *edge_at;
    const int32_t *edge_item;     /* the other end */
    const int64_t *edge_weight;
    const int32_t *edge_out;      /* 1: this item is `from`; 0: it is `to` */
    const int64_t *distance;      /* [places * places] from the table, or NULL */
    const int32_t *tier_ancestor; /* [levels * places] */
    const int64_t *tier_distance; /* [levels + 1] */
    int32_t traffic_dimension;
    int32_t table_dimension;
} rn_view;

/* One option, decoded. */
typedef struct rn_option {
    int32_t entry;
    int32_t place; /* or -1 */
    int64_t cost;  /* base + table + move cost */
} rn_option;

/* Where a walk over the rows that an option loads stands. */
typedef struct rn_uses {
    int32_t use;      /* current use */
    int32_t use_end;
    int32_t at;       /* current row of the role's rows */
    int32_t at_end;
    int32_t conflict; /* next conflict set */
    int32_t conflict_end;
    int32_t place;
    int32_t direct;   /* 1: use_target are rows */
} rn_uses;

/* Value of a piecewise-linear function of pieces first .. end-1 at z; 0 if there are none. */
RN_HD int64_t rn_pieces_at(const rn_piece *piece, int32_t first, int32_t end, int64_t z)
{
    if (first == end) {
        return 0;
    }
    int32_t low = first;
    int32_t high = end - 1;
    RN_ASSERT(first < end);
    while (low < high) {
        const int32_t middle = low + (high - low + 1) / 2;
        if (piece[middle].start <= z) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return piece[low].value + piece[low].slope * (z - piece[low].start);
}

/* The entry of option number `option` of an item. */
RN_HD int32_t rn_option_entry(const rn_view *v, int32_t item, int32_t option)
{
    int32_t low = v->item_entry[item];
    int32_t high = v->item_entry[item + 1] - 1;
    RN_ASSERT(item >= 0 && item < v->items && low <= high);
    RN_ASSERT(option >= 0 && option < v->item_options[item]);
    while (low < high) {
        const int32_t middle = low + (high - low + 1) / 2;
        if (v->entry_first[middle] <= option) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* Decodes option number `option` of an item, 0 <= option < item_options[item]. */
RN_HD rn_option rn_option_decode(const rn_view *v, int32_t item, int32_t option)
{
    rn_option result;
    const int32_t entry = rn_option_entry(v, item, option);
    const int32_t place_class = v->entry_class[entry];
    result.entry = entry;
    result.place = v->entry_place[entry];
    if (place_class >= 0 && result.place < 0) {
        result.place = v->class_place[place_class] + (option - v->entry_first[entry]);
    }
    RN_ASSERT(result.place < v->places);
    result.cost = v->entry_cost[entry];
    if (v->table != 0 && result.place >= 0) {
        result.cost += v->table[(int64_t)v->item_class[item] * v->places + result.place];
    }
    if (v->start_place != 0 && v->start_place[item] >= 0) {
        const int32_t mode = v->start_mode[item];
        const int32_t stays =
            result.place == v->start_place[item] && (mode < 0 || mode == v->entry_mode[entry]);
        result.cost += stays ? 0 : v->move_cost[item];
    }
    return result;
}

/* Whether an item may take this place (1) or excludes it (0). */
RN_HD int32_t rn_place_allowed(const rn_view *v, int32_t item, int32_t place)
{
    if (v->exclude_at == 0 || place < 0) {
        return 1;
    }
    int32_t low = v->exclude_at[item];
    int32_t high = v->exclude_at[item + 1];
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (v->exclude_place[middle] < place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == v->exclude_at[item + 1] || v->exclude_place[low] != place;
}

/* Starts a walk over the (row, amount) pairs of an option; rows may repeat where roles share a row.
 */
RN_HD rn_uses rn_uses_begin(const rn_view *v, int32_t item, rn_option option)
{
    rn_uses walk;
    walk.use = v->entry_use[option.entry];
    walk.use_end = v->entry_use[option.entry + 1];
    walk.direct = v->entry_class[option.entry] < 0;
    walk.place = option.place;
    walk.at = 0;
    walk.at_end = 0;
    if (!walk.direct && walk.use < walk.use_end) {
        const int64_t cell = (int64_t)option.place * v->roles + v->use_target[walk.use];
        walk.at = v->role_row_at[cell];
        walk.at_end = v->role_row_at[cell + 1];
    }
    walk.conflict = 0;
    walk.conflict_end = 0;
    if (v->conflict_at != 0 && option.place >= 0) {
        walk.conflict = v->conflict_at[item];
        walk.conflict_end = v->conflict_at[item + 1];
    }
    return walk;
}

/* Takes the next pair; returns 0 at the end. */
RN_HD int32_t rn_uses_next(const rn_view *v, rn_uses *walk, int32_t *row, int64_t *amount)
{
    while (walk->use < walk->use_end) {
        if (walk->direct) {
            *row = v->use_target[walk->use];
            *amount = v->use_amount[walk->use];
            walk->use++;
            return 1;
        }
        if (walk->at < walk->at_end) {
            *row = v->role_row[walk->at];
            *amount = v->use_amount[walk->use];
            walk->at++;
            return 1;
        }
        walk->use++;
        if (walk->use < walk->use_end) {
            const int64_t cell = (int64_t)walk->place * v->roles + v->use_target[walk->use];
            walk->at = v->role_row_at[cell];
            walk->at_end = v->role_row_at[cell + 1];
        }
    }
    if (walk->conflict < walk->conflict_end) {
        *row = v->rows + v->conflict_set[walk->conflict] * v->places + walk->place;
        RN_ASSERT(*row < v->all_rows);
        *amount = 1;
        walk->conflict++;
        return 1;
    }
    return 0;
}

/* Distance between two places, by table or tiers. */
RN_HD int64_t rn_distance(const rn_view *v, int32_t from, int32_t to)
{
    RN_ASSERT(from >= 0 && from < v->places && to >= 0 && to < v->places);
    if (v->distance != 0) {
        return v->distance[(int64_t)from * v->places + to];
    }
    for (int32_t level = 0; level < v->levels; level++) {
        const int32_t *ancestor = v->tier_ancestor + (int64_t)level * v->places;
        if (ancestor[from] == ancestor[to]) {
            return v->tier_distance[level];
        }
    }
    return v->tier_distance[v->levels];
}

/* Limits of any row, conflict rows included. */
RN_HD int64_t rn_row_low(const rn_view *v, int32_t row)
{
    return row < v->rows ? v->row_low[row] : INT64_MIN;
}

RN_HD int64_t rn_row_high(const rn_view *v, int32_t row)
{
    return row < v->rows ? v->row_high[row] : 1;
}

RN_HD int64_t rn_row_offset(const rn_view *v, int32_t row)
{
    return row < v->rows ? v->row_offset[row] : 0;
}

#endif
