/* Prepares the relaxation: row terms as points between which they are lines, useful price ranges,
 * flat options, twins. */
#include "bound/relax.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "bound/group.h"
#include "core/fail.h"

int32_t rn_relax_entry_places(const rn_view *view, int32_t entry, int32_t *first)
{
    const int32_t place_class = view->entry_class[entry];
    *first = view->entry_place[entry];
    if (place_class < 0 || *first >= 0) {
        return 1;
    }
    *first = view->class_place[place_class];
    return view->class_place[place_class + 1] - *first;
}

int64_t rn_relax_row_cost(const rn_view *view, bool violation, int32_t row, int64_t z)
{
    if (!violation) {
        return row < view->rows
                   ? rn_pieces_at(view->piece, view->row_piece[row], view->row_piece[row + 1], z)
                   : 0;
    }
    const int64_t low = rn_row_low(view, row);
    const int64_t high = rn_row_high(view, row);
    if (high != INT64_MAX && z > high) {
        return z - high;
    }
    return low != INT64_MIN && z < low ? low - z : 0;
}

/* ---- rows ---- */

/* Number of points that a row can have at most. */
static int64_t most_points(const rn_view *view, bool violation, int32_t row)
{
    int64_t count = violation ? 4 : 2;
    if (row >= view->rows) {
        return count;
    }
    count += violation ? 0 : 2 * (int64_t)(view->row_piece[row + 1] - view->row_piece[row]);
    for (int32_t feed = view->row_feed[row]; feed < view->row_feed[row + 1]; feed++) {
        const int64_t pieces = view->feed_piece[feed + 1] - view->feed_piece[feed];
        count += pieces > 1 ? 2 * pieces : 0; /* a single line has no break */
    }
    return count;
}

static int compare_points(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;
    return a < b ? -1 : a > b ? 1 : 0;
}

typedef struct points {
    int64_t *z;
    int32_t count;
    int64_t low;
    int64_t high;
} points;

static void add_point(points *list, int64_t z)
{
    if (z > list->low && z < list->high) {
        list->z[list->count++] = z;
    }
}

static void add_breaks(points *list, const rn_view *view, int32_t first, int32_t end)
{
    for (int32_t k = first; k < end; k++) {
        add_point(list, view->piece[k].start);
        if (view->piece[k].start != INT64_MIN) {
            add_point(list, view->piece[k].start - 1);
        }
    }
}

/* Lists the points of a row with low <= high in order, without repetition. */
static void list_points(const rn_view *view, bool violation, int32_t row, points *list)
{
    assert(list->count == 0 && list->low <= list->high);
    list->z[list->count++] = list->low;
    if (list->high > list->low) {
        list->z[list->count++] = list->high;
    }
    if (violation) {
        add_point(list, rn_row_low(view, row));
        add_point(list, rn_row_high(view, row));
    }
    if (row < view->rows) {
        if (!violation) {
            add_breaks(list, view, view->row_piece[row], view->row_piece[row + 1]);
        }
        for (int32_t feed = view->row_feed[row]; feed < view->row_feed[row + 1]; feed++) {
            const int32_t first = view->feed_piece[feed];
            const int32_t end = view->feed_piece[feed + 1];
            if (end - first > 1) {
                add_breaks(list, view, first, end);
            }
        }
    }
    qsort(list->z, (size_t)list->count, sizeof *list->z, compare_points);
    int32_t kept = 1;
    for (int32_t k = 1; k < list->count; k++) {
        if (list->z[k] != list->z[kept - 1]) {
            list->z[kept++] = list->z[k];
        }
    }
    list->count = kept;
}

/* members: [conflicts] sizes of the conflict sets. */
static void set_range(rn_relax *relax, int32_t row, const int32_t *members)
{
    const rn_view *view = relax->view;
    int64_t low = 0;
    int64_t high = 0;
    if (relax->narrow != NULL) {
        low = relax->narrow->least[row];
        high = relax->narrow->most[row];
    } else if (row < view->rows) {
        low = view->row_least[row];
        high = view->row_most[row];
    } else {
        high = members[(row - view->rows) / view->places];
    }
    assert(low <= high);
    relax->cut_low[row] = rn_row_low(view, row) > low;
    relax->cut_high[row] = rn_row_high(view, row) < high;
    if (!relax->violation) {
        const int64_t limit_low = rn_row_low(view, row);
        const int64_t limit_high = rn_row_high(view, row);
        low = limit_low > low ? limit_low : low;
        high = limit_high < high ? limit_high : high;
    }
    relax->low[row] = low;
    relax->high[row] = high;
    relax->empty_row = low > high ? row : relax->empty_row;
}

static int64_t clip(rn_i128 value, int64_t limit)
{
    return value > limit ? limit : value < -limit ? -limit : (int64_t)value;
}

/* The price beyond which the term of a row without outgoing feeds stays at one end of its range:
 * the slopes of f between neighbouring points; without end where a limit cuts the range that the
 * loads can have. */
static void set_price_range(rn_relax *relax, int32_t row)
{
    const rn_view *view = relax->view;
    const int64_t most = relax->price_max;
    relax->price_low[row] = -most;
    relax->price_high[row] = most;
    if (row < view->rows && view->row_feed[row] != view->row_feed[row + 1]) {
        return;
    }
    bool any = false;
    rn_i128 least = 0;
    rn_i128 greatest = 0;
    for (int32_t k = relax->point_at[row]; k + 1 < relax->point_at[row + 1]; k++) {
        const rn_i128 rise = ((rn_i128)relax->point_cost[k + 1] - relax->point_cost[k]) *
                             ((rn_i128)1 << RN_PRICE_BITS);
        const rn_i128 run = (rn_i128)relax->point_z[k + 1] - relax->point_z[k];
        const rn_i128 down = rn_i128_floor_div(rise, run);
        const rn_i128 up = rn_i128_ceil_div(rise, run);
        least = !any || down < least ? down : least;
        greatest = !any || up > greatest ? up : greatest;
        any = true;
    }
    const bool limits = !relax->violation;
    relax->price_low[row] = limits && relax->cut_low[row] ? -most : clip(least, most);
    relax->price_high[row] = limits && relax->cut_high[row] ? most : clip(greatest, most);
    assert(relax->price_low[row] <= relax->price_high[row]);
}

static void fill_points(rn_relax *relax)
{
    const rn_view *view = relax->view;
    int32_t at = 0;
    int64_t phi_at = 0;
    for (int32_t row = 0; row < view->all_rows; row++) {
        relax->point_at[row] = at;
        relax->phi_at[row] = phi_at;
        relax->point_at[row + 1] = at;
        if (relax->low[row] > relax->high[row]) {
            continue;
        }
        points list = {relax->point_z + at, 0, relax->low[row], relax->high[row]};
        list_points(view, relax->violation, row, &list);
        assert(list.count >= 1 && list.count <= most_points(view, relax->violation, row));
        const int32_t feeds = row < view->rows ? view->row_feed[row + 1] - view->row_feed[row] : 0;
        for (int32_t k = 0; k < list.count; k++) {
            relax->point_cost[at + k] = rn_relax_row_cost(view, relax->violation, row, list.z[k]);
            for (int32_t j = 0; j < feeds; j++) {
                const int32_t feed = view->row_feed[row] + j;
                relax->phi[phi_at++] = rn_pieces_at(view->piece, view->feed_piece[feed],
                                                    view->feed_piece[feed + 1], list.z[k]);
            }
        }
        at += list.count;
        relax->point_at[row + 1] = at;
        set_price_range(relax, row);
    }
}

/* ---- scales ---- */

/* Adds what one entry does to its rows: sum of |amount| and the number of options. Exclusions are
 * not looked at. */
static void add_typical(const rn_view *view, int32_t entry, rn_i128 *sum, int64_t *count)
{
    int32_t first = 0;
    const int32_t places = rn_relax_entry_places(view, entry, &first);
    for (int32_t use = view->entry_use[entry]; use < view->entry_use[entry + 1]; use++) {
        const int64_t amount = view->use_amount[use];
        const int64_t size = amount < 0 ? -amount : amount;
        const int32_t target = view->use_target[use];
        if (size != 0 && view->entry_class[entry] < 0) {
            sum[target] += size;
            count[target]++;
        }
        for (int32_t p = first; size != 0 && view->entry_class[entry] >= 0 && p < first + places;
             p++) {
            const int64_t cell = (int64_t)p * view->roles + target;
            for (int32_t k = view->role_row_at[cell]; k < view->role_row_at[cell + 1]; k++) {
                sum[view->role_row[k]] += size;
                count[view->role_row[k]]++;
            }
        }
    }
}

static ration_status set_typical(rn_relax *relax, ration_error *error)
{
    const rn_view *view = relax->view;
    rn_i128 *sum = (rn_i128 *)rn_calloc((size_t)view->all_rows + 1, sizeof *sum);
    int64_t *count = (int64_t *)rn_calloc((size_t)view->all_rows + 1, sizeof *count);
    if (sum == NULL || count == NULL) {
        rn_free(sum);
        rn_free(count);
        return rn_fail_memory(error, "scales of rows", (size_t)view->all_rows * sizeof *sum);
    }
    for (int32_t entry = 0; entry < view->entries; entry++) {
        add_typical(view, entry, sum, count);
    }
    for (int32_t row = 0; row < view->all_rows; row++) {
        const rn_i128 width =
            row < view->rows ? ((rn_i128)view->row_most[row] - view->row_least[row]) / 16 : 1;
        const rn_i128 mean = count[row] > 0 ? sum[row] / count[row] : width;
        relax->typical[row] = mean < 1 ? 1 : rn_i128_saturate(mean);
    }
    rn_free(sum);
    rn_free(count);
    return RATION_OK;
}

static void set_order(rn_relax *relax)
{
    const rn_view *view = relax->view;
    int32_t at = 0;
    for (int32_t rank = 0; rank < 3; rank++) {
        for (int32_t row = 0; row < view->all_rows; row++) {
            if ((row < view->rows ? view->row_rank[row] : 0) == rank) {
                relax->order[at++] = row;
            }
        }
    }
    assert(at == view->all_rows);
}

static void find_relays(rn_relax *relax)
{
    const rn_view *view = relax->view;
    for (int32_t row = 0; row < view->rows; row++) {
        const int32_t first = view->row_feed[row];
        const int32_t end = view->row_feed[row + 1];
        bool relay = first < end && view->row_piece[row] == view->row_piece[row + 1] &&
                     view->row_low[row] == INT64_MIN && view->row_high[row] == INT64_MAX;
        for (int32_t feed = first; feed < end; feed++) {
            relay = relay && view->feed_piece[feed + 1] == view->feed_piece[feed] + 1;
        }
        relax->relay[row] = relay ? 1 : 0;
    }
}

void rn_relax_set_relays(const rn_relax *relax, int64_t *price)
{
    const rn_view *view = relax->view;
    for (int32_t k = view->all_rows - 1; k >= 0; k--) {
        const int32_t row = relax->order[k];
        rn_i128 sum = 0;
        if (relax->relay[row] == 0) {
            continue;
        }
        for (int32_t feed = view->row_feed[row]; feed < view->row_feed[row + 1]; feed++) {
            sum += (rn_i128)view->piece[view->feed_piece[feed]].slope * price[view->feed_to[feed]];
        }
        price[row] = clip(sum, relax->price_max);
    }
}

/* ---- items ---- */

static bool same_entry(const rn_view *view, int32_t a, int32_t b)
{
    const int32_t uses = view->entry_use[a + 1] - view->entry_use[a];
    const size_t first = (size_t)view->entry_use[a];
    const size_t second = (size_t)view->entry_use[b];
    return view->entry_class[a] == view->entry_class[b] &&
           view->entry_place[a] == view->entry_place[b] &&
           view->entry_cost[a] == view->entry_cost[b] &&
           uses == view->entry_use[b + 1] - view->entry_use[b] &&
           memcmp(view->use_target + first, view->use_target + second,
                  (size_t)uses * sizeof *view->use_target) == 0 &&
           memcmp(view->use_amount + first, view->use_amount + second,
                  (size_t)uses * sizeof *view->use_amount) == 0;
}

static bool same_list(const int32_t *at, const int32_t *list, int32_t item)
{
    if (at == NULL) {
        return true;
    }
    const int32_t count = at[item + 1] - at[item];
    return count == at[item] - at[item - 1] &&
           memcmp(list + at[item], list + at[item - 1], (size_t)count * sizeof *list) == 0;
}

/* Whether an item's options cost and load what those of the item before do. Items with a start or
 * with traffic don't. */
static bool is_twin(const rn_view *view, int32_t item)
{
    const int32_t before = item - 1;
    const int32_t entries = view->item_entry[item + 1] - view->item_entry[item];
    if (entries != view->item_entry[item] - view->item_entry[before] || view->edge_at != NULL ||
        (view->start_place != NULL &&
         (view->start_place[item] >= 0 || view->start_place[before] >= 0)) ||
        (view->table != NULL && view->item_class[item] != view->item_class[before]) ||
        (view->item_group != NULL && view->item_group[item] != view->item_group[before]) ||
        !same_list(view->exclude_at, view->exclude_place, item) ||
        !same_list(view->conflict_at, view->conflict_set, item)) {
        return false;
    }
    for (int32_t k = 0; k < entries; k++) {
        if (!same_entry(view, view->item_entry[before] + k, view->item_entry[item] + k)) {
            return false;
        }
    }
    return true;
}

/* Whether the flat arrays can hold this program: direct options that load at most one row, costs
 * within 2^40. */
static bool is_flat(const rn_relax *relax)
{
    const rn_view *view = relax->view;
    if (view->edge_at != NULL || view->conflict_at != NULL || relax->violation) {
        return false;
    }
    for (int32_t entry = 0; entry < view->entries; entry++) {
        if (view->entry_class[entry] >= 0 ||
            view->entry_use[entry + 1] - view->entry_use[entry] > 1) {
            return false;
        }
    }
    const rn_i128 limit = (rn_i128)1 << 40;
    for (int32_t item = 0; item < view->items; item++) {
        for (int32_t entry = view->item_entry[item]; entry < view->item_entry[item + 1]; entry++) {
            const rn_i128 cost = rn_relax_option_cost(relax, item, entry, view->entry_place[entry]);
            if (cost > limit || cost < -limit) {
                return false;
            }
        }
    }
    return true;
}

/* Cuts the prices of the flat form so that 64 bits hold any option's cost plus price. */
static void cut_flat_prices(rn_relax *relax)
{
    const rn_flat *flat = relax->flat;
    for (int32_t k = 0; k < flat->item_at[relax->view->items]; k++) {
        const int64_t size = flat->amount[k] < 0 ? -flat->amount[k] : flat->amount[k];
        const int32_t row = flat->row[k];
        if (size == 0) {
            continue;
        }
        const int64_t most = ((int64_t)1 << 61) / size;
        relax->price_high[row] = relax->price_high[row] > most ? most : relax->price_high[row];
        relax->price_low[row] = relax->price_low[row] < -most ? -most : relax->price_low[row];
    }
}

static void carve_flat(rn_layout *layout, const rn_view *view, rn_flat **flat)
{
    rn_flat *f = (rn_flat *)rn_carve(layout, 1, sizeof *f);
    rn_flat shape = {0};
    shape.item_at = (int32_t *)rn_carve(layout, (int64_t)view->items + 1, sizeof *shape.item_at);
    shape.option = (int32_t *)rn_carve(layout, view->entries, sizeof *shape.option);
    shape.row = (int32_t *)rn_carve(layout, view->entries, sizeof *shape.row);
    shape.amount = (int64_t *)rn_carve(layout, view->entries, sizeof *shape.amount);
    shape.cost = (int64_t *)rn_carve(layout, view->entries, sizeof *shape.cost);
    if (f != NULL) {
        *f = shape;
    }
    *flat = f;
}

static ration_status build_flat(rn_relax *relax, ration_error *error)
{
    const rn_view *view = relax->view;
    if (!is_flat(relax)) {
        return RATION_OK;
    }
    rn_layout layout = {0};
    rn_flat *flat = NULL;
    carve_flat(&layout, view, &flat);
    RN_TRY(rn_layout_allocate(&layout, "flat options", error));
    carve_flat(&layout, view, &flat);
    int32_t at = 0;
    for (int32_t item = 0; item < view->items; item++) {
        flat->item_at[item] = at;
        for (int32_t entry = view->item_entry[item]; entry < view->item_entry[item + 1]; entry++) {
            if (!rn_relax_allowed(relax, item, entry, view->entry_place[entry])) {
                continue;
            }
            const int32_t use = view->entry_use[entry];
            const bool loads = view->entry_use[entry + 1] > use;
            flat->option[at] = entry;
            flat->row[at] = loads ? view->use_target[use] : view->all_rows;
            flat->amount[at] = loads ? view->use_amount[use] : 0;
            flat->cost[at++] =
                (int64_t)rn_relax_option_cost(relax, item, entry, view->entry_place[entry]) *
                (1 << RN_PRICE_BITS);
        }
    }
    assert(at <= view->entries);
    flat->item_at[view->items] = at;
    relax->flat = flat;
    cut_flat_prices(relax);
    return RATION_OK;
}

/* The largest price with which 64 bits hold the price of a role. */
static int64_t find_price_max(const rn_view *view)
{
    int64_t most = RN_PRICE_MAX;
    for (int64_t cell = 0; cell < (int64_t)view->places * view->roles; cell++) {
        const int64_t rows = view->role_row_at[cell + 1] - view->role_row_at[cell];
        most = rows > 0 && ((int64_t)1 << 62) / rows < most ? ((int64_t)1 << 62) / rows : most;
    }
    return most;
}

/* ---- the whole ---- */

static void carve_relax(rn_layout *layout, const rn_view *view, bool violation, rn_relax **relax)
{
    int64_t count = 0;
    int64_t values = 0;
    for (int32_t row = 0; row < view->all_rows; row++) {
        const int64_t most = most_points(view, violation, row);
        count += most;
        values += row < view->rows ? most * (view->row_feed[row + 1] - view->row_feed[row]) : 0;
    }
    rn_relax *r = (rn_relax *)rn_carve(layout, 1, sizeof *r);
    rn_relax shape = {0};
    const int64_t rows = (int64_t)view->all_rows + 1;
    shape.low = (int64_t *)rn_carve(layout, rows, sizeof *shape.low);
    shape.high = (int64_t *)rn_carve(layout, rows, sizeof *shape.high);
    shape.point_at = (int32_t *)rn_carve(layout, rows, sizeof *shape.point_at);
    shape.point_z = (int64_t *)rn_carve(layout, count, sizeof *shape.point_z);
    shape.point_cost = (int64_t *)rn_carve(layout, count, sizeof *shape.point_cost);
    shape.phi_at = (int64_t *)rn_carve(layout, rows, sizeof *shape.phi_at);
    shape.phi = (int64_t *)rn_carve(layout, values, sizeof *shape.phi);
    shape.typical = (int64_t *)rn_carve(layout, rows, sizeof *shape.typical);
    shape.price_low = (int64_t *)rn_carve(layout, rows, sizeof *shape.price_low);
    shape.price_high = (int64_t *)rn_carve(layout, rows, sizeof *shape.price_high);
    shape.order = (int32_t *)rn_carve(layout, rows, sizeof *shape.order);
    shape.relay = (char *)rn_carve(layout, rows, sizeof *shape.relay);
    shape.cut_low = (bool *)rn_carve(layout, rows, sizeof *shape.cut_low);
    shape.cut_high = (bool *)rn_carve(layout, rows, sizeof *shape.cut_high);
    shape.solved = (char *)rn_carve(layout, rows, sizeof *shape.solved);
    shape.twin = (bool *)rn_carve(layout, view->items, sizeof *shape.twin);
    if (view->edge_at != NULL && !violation) {
        shape.half =
            (int64_t *)rn_carve(layout, (int64_t)view->items * view->places, sizeof *shape.half);
    }
    if (r != NULL) {
        *r = shape;
    }
    *relax = r;
}

static ration_status fill_relax(rn_relax *relax, ration_error *error)
{
    const rn_view *view = relax->view;
    relax->empty_row = -1;
    relax->price_max = find_price_max(view);
    int32_t *members = (int32_t *)rn_calloc((size_t)view->conflicts + 1, sizeof *members);
    if (members == NULL) {
        return rn_fail_memory(error, "conflict sets", (size_t)view->conflicts * sizeof *members);
    }
    for (int32_t k = 0; view->conflict_at != NULL && k < view->conflict_at[view->items]; k++) {
        members[view->conflict_set[k]]++;
    }
    for (int32_t row = 0; row < view->all_rows; row++) {
        set_range(relax, row, members);
    }
    rn_free(members);
    fill_points(relax);
    set_order(relax);
    find_relays(relax);
    RN_TRY(set_typical(relax, error));
    for (int32_t item = 1; item < view->items; item++) {
        relax->twin[item] = is_twin(view, item);
    }
    if (relax->half != NULL) {
        RN_TRY(rn_relax_build_halves(relax, relax->half, error));
    }
    return build_flat(relax, error);
}

ration_status rn_relax_create(const rn_view *view, const rn_narrow *narrow, bool violation,
                              rn_relax **relax, ration_error *error)
{
    assert(view != NULL && relax != NULL);
    assert(narrow == NULL || (narrow->rounds > 0 && narrow->empty_item < 0));
    rn_layout layout = {0};
    rn_relax *made = NULL;
    carve_relax(&layout, view, violation, &made);
    RN_TRY(rn_layout_allocate(&layout, "relaxation", error));
    carve_relax(&layout, view, violation, &made);
    made->view = view;
    made->narrow = narrow;
    made->violation = violation;
    const ration_status status = fill_relax(made, error);
    if (status != RATION_OK) {
        rn_relax_free(made);
        return status;
    }
    *relax = made;
    return RATION_OK;
}

void rn_relax_free(rn_relax *relax)
{
    if (relax != NULL) {
        rn_group_dp_free(relax->group);
        rn_free(relax->flat);
        rn_free(relax);
    }
}
