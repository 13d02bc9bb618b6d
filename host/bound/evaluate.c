/* One evaluation of L: the least option of every item, the least point of every row, and the
 * difference of loads that is the subgradient. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "bound/group.h"
#include "bound/relax.h"
#include "core/fail.h"

static const rn_i128 scale = (rn_i128)1 << RN_PRICE_BITS;

rn_i128 rn_relax_option_cost(const rn_relax *relax, int32_t item, int32_t entry, int32_t place)
{
    const rn_view *view = relax->view;
    if (relax->violation) {
        return 0;
    }
    rn_i128 cost = view->entry_cost[entry];
    if (view->table != NULL && place >= 0) {
        cost += view->table[(int64_t)view->item_class[item] * view->places + place];
    }
    if (view->start_place != NULL && view->start_place[item] >= 0) {
        const int32_t mode = view->start_mode[item];
        const bool stays =
            place == view->start_place[item] && (mode < 0 || mode == view->entry_mode[entry]);
        cost += stays ? 0 : view->move_cost[item];
    }
    if (relax->half != NULL && place >= 0) {
        cost += relax->half[(int64_t)item * view->places + place];
    }
    return cost;
}

rn_i128 rn_relax_option_price(const rn_relax *relax, const rn_pass *pass, int32_t item,
                              int32_t entry, int32_t place)
{
    const rn_view *view = relax->view;
    rn_i128 sum = 0;
    const int64_t *price =
        view->entry_class[entry] < 0 ? pass->price : pass->role + (int64_t)place * view->roles;
    for (int32_t use = view->entry_use[entry]; use < view->entry_use[entry + 1]; use++) {
        sum += (rn_i128)price[view->use_target[use]] * view->use_amount[use];
    }
    if (view->conflict_at != NULL && place >= 0) {
        for (int32_t k = view->conflict_at[item]; k < view->conflict_at[item + 1]; k++) {
            sum += pass->price[view->rows + view->conflict_set[k] * view->places + place];
        }
    }
    return sum;
}

/* Adds the loads of an option to pass->gradient. */
static void add_loads(const rn_view *view, int32_t item, int32_t entry, int32_t place,
                      int64_t *load)
{
    for (int32_t use = view->entry_use[entry]; use < view->entry_use[entry + 1]; use++) {
        const int32_t target = view->use_target[use];
        if (view->entry_class[entry] < 0) {
            load[target] += view->use_amount[use];
            continue;
        }
        const int64_t cell = (int64_t)place * view->roles + target;
        for (int32_t k = view->role_row_at[cell]; k < view->role_row_at[cell + 1]; k++) {
            load[view->role_row[k]] += view->use_amount[use];
        }
    }
    if (view->conflict_at != NULL && place >= 0) {
        for (int32_t k = view->conflict_at[item]; k < view->conflict_at[item + 1]; k++) {
            load[view->rows + view->conflict_set[k] * view->places + place]++;
        }
    }
}

/* Fills pass->price (solved rows at 0) and pass->role. */
static void fill_prices(const rn_relax *relax, const int64_t *price, rn_pass *pass)
{
    const rn_view *view = relax->view;
    for (int32_t row = 0; row < view->all_rows; row++) {
        assert(price[row] <= relax->price_max && price[row] >= -relax->price_max);
        pass->price[row] = relax->solved[row] != 0 ? 0 : price[row];
    }
    pass->price[view->all_rows] = 0;
    for (int64_t cell = 0; cell < (int64_t)view->places * view->roles; cell++) {
        int64_t sum = 0;
        for (int32_t k = view->role_row_at[cell]; k < view->role_row_at[cell + 1]; k++) {
            sum += pass->price[view->role_row[k]];
        }
        pass->role[cell] = sum;
    }
}

/* The least option of one item, by the plain walk over its entries. */
static rn_i128 least_option(const rn_relax *relax, int32_t item, rn_pass *pass)
{
    const rn_view *view = relax->view;
    bool any = false;
    rn_i128 least = 0;
    for (int32_t entry = view->item_entry[item]; entry < view->item_entry[item + 1]; entry++) {
        int32_t first = 0;
        const int32_t count = rn_relax_entry_places(view, entry, &first);
        for (int32_t k = 0; k < count; k++) {
            const int32_t place = first + k;
            if (!rn_relax_allowed(relax, item, entry, place)) {
                continue;
            }
            const rn_i128 value = scale * rn_relax_option_cost(relax, item, entry, place) +
                                  rn_relax_option_price(relax, pass, item, entry, place);
            if (!any || value < least) {
                least = value;
                pass->pick[item] = entry;
                pass->place[item] = place;
                any = true;
            }
        }
    }
    assert(any);
    return least;
}

static void add_items(const rn_relax *relax, rn_pass *pass)
{
    rn_i128 least = 0;
    bool known = false; /* whether `least` is of the item before */
    for (int32_t item = 0; item < relax->view->items; item++) {
        if (relax->group != NULL && rn_group_dp_has(relax->group, item)) {
            known = false;
            continue;
        }
        if (known && relax->twin[item]) {
            pass->pick[item] = pass->pick[item - 1] + relax->view->item_entry[item] -
                               relax->view->item_entry[item - 1];
            pass->place[item] = pass->place[item - 1];
        } else {
            least = least_option(relax, item, pass);
            known = true;
        }
        pass->value += least;
    }
}

/* The same over flat arrays; the loads are added on the way. */
static void add_flat_items(const rn_relax *relax, rn_pass *pass)
{
    const rn_flat *flat = relax->flat;
    const int64_t *price = pass->price;
    for (int32_t item = 0; item < relax->view->items; item++) {
        int32_t at = flat->item_at[item];
        int64_t least = INT64_MAX;
        for (int32_t k = at; k < flat->item_at[item + 1]; k++) {
            const int64_t value = flat->cost[k] + price[flat->row[k]] * flat->amount[k];
            at = value < least ? k : at;
            least = value < least ? value : least;
        }
        pass->value += least;
        assert(at < flat->item_at[item + 1]);
        pass->pick[item] = flat->option[at];
        pass->place[item] = relax->view->entry_place[flat->option[at]];
    }
}

/* Value of a row's term at point k. */
static rn_i128 term(const rn_relax *relax, const rn_pass *pass, int32_t row, int32_t k)
{
    const rn_view *view = relax->view;
    rn_i128 value = scale * relax->point_cost[k] - (rn_i128)pass->price[row] * relax->point_z[k];
    if (row < view->rows) {
        const int32_t feeds = view->row_feed[row + 1] - view->row_feed[row];
        const int64_t *phi =
            relax->phi + relax->phi_at[row] + (int64_t)(k - relax->point_at[row]) * feeds;
        for (int32_t j = 0; j < feeds; j++) {
            value += (rn_i128)pass->price[view->feed_to[view->row_feed[row] + j]] * phi[j];
        }
    }
    return value;
}

static int64_t distance(int64_t a, int64_t b)
{
    return rn_i128_saturate(a < b ? (rn_i128)b - a : (rn_i128)a - b);
}

/* Adds a row's term to the value and finds z, among its minimisers the one nearest to the load. Two
 * neighbouring points of equal value mean that all loads between them have it. */
static int64_t least_load(const rn_relax *relax, rn_pass *pass, int32_t row)
{
    const int64_t load = pass->gradient[row];
    assert(relax->point_at[row] < relax->point_at[row + 1]);
    rn_i128 least = 0;
    int64_t z = 0;
    bool before = false; /* whether the point before has the least value so far */
    for (int32_t k = relax->point_at[row]; k < relax->point_at[row + 1]; k++) {
        const rn_i128 value = term(relax, pass, row, k);
        const int64_t here = relax->point_z[k];
        if (k == relax->point_at[row] || value < least) {
            least = value;
            z = here;
            before = true;
            continue;
        }
        const bool equal = value == least;
        if (equal) {
            const bool inside = before && relax->point_z[k - 1] <= load && load <= here;
            const int64_t candidate = inside ? load : here;
            z = distance(candidate, load) < distance(z, load) ? candidate : z;
        }
        before = equal;
    }
    pass->value += least;
    return z;
}

static void add_rows(const rn_relax *relax, rn_pass *pass)
{
    const rn_view *view = relax->view;
    for (int32_t k = 0; k < view->all_rows; k++) {
        const int32_t row = relax->order[k];
        if (relax->solved[row] != 0) {
            pass->gradient[row] = 0;
            continue;
        }
        const int64_t z = least_load(relax, pass, row);
        pass->gradient[row] = rn_i128_saturate((rn_i128)pass->gradient[row] - z);
        if (row >= view->rows) {
            continue;
        }
        pass->value += (rn_i128)pass->price[row] * view->row_offset[row];
        for (int32_t feed = view->row_feed[row]; feed < view->row_feed[row + 1]; feed++) {
            pass->gradient[view->feed_to[feed]] +=
                rn_pieces_at(view->piece, view->feed_piece[feed], view->feed_piece[feed + 1], z);
        }
    }
}

static void evaluate(const rn_relax *relax, const int64_t *price, bool flat, rn_pass *pass)
{
    const rn_view *view = relax->view;
    assert(relax->empty_row < 0);
    pass->value = 0;
    pass->empty = false;
    fill_prices(relax, price, pass);
    if (flat && relax->group == NULL) {
        add_flat_items(relax, pass);
    } else {
        add_items(relax, pass);
    }
    if (relax->group != NULL) {
        rn_group_dp_evaluate(relax, relax->group, pass);
    }
    memset(pass->gradient, 0, ((size_t)view->all_rows + 1) * sizeof *pass->gradient);
    memcpy(pass->gradient, view->row_offset, (size_t)view->rows * sizeof *pass->gradient);
    for (int32_t item = 0; item < view->items; item++) {
        add_loads(view, item, pass->pick[item], pass->place[item], pass->gradient);
    }
    add_rows(relax, pass);
}

void rn_relax_evaluate(const rn_relax *relax, const int64_t *price, rn_pass *pass)
{
    evaluate(relax, price, relax->flat != NULL, pass);
}

void rn_relax_evaluate_generic(const rn_relax *relax, const int64_t *price, rn_pass *pass)
{
    evaluate(relax, price, false, pass);
}

static void carve_pass(rn_layout *layout, const rn_view *view, rn_pass **pass)
{
    rn_pass *p = (rn_pass *)rn_carve(layout, 1, sizeof *p);
    rn_pass shape = {0};
    shape.gradient =
        (int64_t *)rn_carve(layout, (int64_t)view->all_rows + 1, sizeof *shape.gradient);
    shape.pick = (int32_t *)rn_carve(layout, view->items, sizeof *shape.pick);
    shape.place = (int32_t *)rn_carve(layout, view->items, sizeof *shape.place);
    shape.role =
        (int64_t *)rn_carve(layout, (int64_t)view->places * view->roles, sizeof *shape.role);
    shape.price = (int64_t *)rn_carve(layout, (int64_t)view->all_rows + 1, sizeof *shape.price);
    if (p != NULL) {
        *p = shape;
    }
    *pass = p;
}

ration_status rn_pass_create(const rn_relax *relax, rn_pass **pass, ration_error *error)
{
    rn_layout layout = {0};
    rn_pass *made = NULL;
    carve_pass(&layout, relax->view, &made);
    RN_TRY(rn_layout_allocate(&layout, "bound", error));
    carve_pass(&layout, relax->view, &made);
    *pass = made;
    return RATION_OK;
}

void rn_pass_free(rn_pass *pass)
{
    rn_free(pass);
}
