/* Measures a program before its tables are built: the largest term of an energy, list nodes, its
 * class. */
#include "search/measure.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/i128.h"
#include "bound/bound.h"
#include "core/eval.h"
#include "core/fail.h"

static rn_i128 magnitude(int64_t value)
{
    return value < 0 ? -(rn_i128)value : value;
}

static void raise(rn_i128 *most, rn_i128 value)
{
    *most = value > *most ? value : *most;
}

/* Largest magnitude of pieces over least..most. */
static rn_i128 pieces_most(const rn_view *v, int32_t first, int32_t end, int64_t least,
                           int64_t most)
{
    rn_i128 result = 0;
    if (first == end) {
        return 0;
    }
    raise(&result, magnitude(rn_pieces_at(v->piece, first, end, least)));
    raise(&result, magnitude(rn_pieces_at(v->piece, first, end, most)));
    for (int32_t x = first; x < end; x++) {
        const rn_piece *piece = &v->piece[x];
        if (piece->start > least && piece->start <= most) {
            raise(&result, magnitude(piece->value));
            if (x > first) {
                const rn_piece *before = piece - 1;
                raise(&result, magnitude(before->value +
                                         before->slope * (piece->start - 1 - before->start)));
            }
        }
    }
    return result;
}

static int64_t row_least(const rn_view *v, int32_t row)
{
    return row < v->rows ? v->row_least[row] : 0;
}

static int64_t row_most(const rn_view *v, int32_t row)
{
    return row < v->rows ? v->row_most[row] : v->items;
}

static int64_t wished_price(const rn_measure *m, int32_t row)
{
    return m->wish->price != NULL ? m->wish->price[row] : 0;
}

static void measure_rows(rn_measure *m)
{
    const rn_view *v = m->view;
    const rn_i128 scale = (rn_i128)1 << RN_PRICE_BITS;
    for (int32_t r = 0; r < v->all_rows; r++) {
        const rn_i128 span = (rn_i128)row_most(v, r) - row_least(v, r);
        raise(&m->term, magnitude(wished_price(m, r)) * span / scale + 1);
        if (r >= v->rows) {
            continue;
        }
        raise(&m->term, pieces_most(v, v->row_piece[r], v->row_piece[r + 1], v->row_least[r],
                                    v->row_most[r]));
        for (int32_t f = v->row_feed[r]; f < v->row_feed[r + 1]; f++) {
            const rn_i128 fed = pieces_most(v, v->feed_piece[f], v->feed_piece[f + 1],
                                            v->row_least[r], v->row_most[r]);
            raise(&m->term, magnitude(wished_price(m, v->feed_to[f])) * fed / scale);
        }
    }
}

static void measure_items(rn_measure *m)
{
    const rn_view *v = m->view;
    rn_i128 cost = 0;
    for (int32_t e = 0; e < v->entries; e++) {
        raise(&cost, magnitude(v->entry_cost[e]));
    }
    rn_i128 table = 0;
    int32_t kinds = 0;
    for (int32_t i = 0; v->table != NULL && i < v->items; i++) {
        kinds = v->item_class[i] >= kinds ? v->item_class[i] + 1 : kinds;
    }
    for (int64_t x = 0; x < (int64_t)kinds * v->places; x++) {
        raise(&table, magnitude(v->table[x]));
    }
    rn_i128 move = 0;
    for (int32_t i = 0; v->start_place != NULL && i < v->items; i++) {
        raise(&move, magnitude(v->move_cost[i]));
    }
    raise(&m->term, cost + table + move);
}

static void measure_traffic(rn_measure *m)
{
    const rn_view *v = m->view;
    if (v->edge_at == NULL) {
        return;
    }
    rn_i128 distance = 0;
    const int64_t cells = v->distance != NULL ? (int64_t)v->places * v->places : v->levels + 1;
    for (int64_t x = 0; x < cells; x++) {
        raise(&distance, magnitude(v->distance != NULL ? v->distance[x] : v->tier_distance[x]));
    }
    for (int32_t i = 0; i < v->items; i++) {
        rn_i128 weight = 0;
        for (int32_t x = v->edge_at[i]; x < v->edge_at[i + 1]; x++) {
            weight += magnitude(v->edge_weight[x]);
        }
        raise(&m->term, 2 * weight * distance);
    }
}

/* Most rows that one role maps to at a place of a class: rows[class * roles + role]. */
static void role_rows(const rn_view *v, int32_t *rows)
{
    for (int32_t p = 0; p < v->places; p++) {
        for (int32_t role = 0; role < v->roles; role++) {
            const int64_t cell = (int64_t)p * v->roles + role;
            const int32_t count = v->role_row_at[cell + 1] - v->role_row_at[cell];
            int32_t *most = &rows[(int64_t)v->place_class[p] * v->roles + role];
            *most = count > *most ? count : *most;
        }
    }
}

static int64_t entry_nodes(const rn_view *v, int32_t entry, const int32_t *rows)
{
    if (v->entry_class[entry] < 0) {
        return v->entry_use[entry + 1] - v->entry_use[entry];
    }
    int64_t nodes = 0;
    for (int32_t u = v->entry_use[entry]; u < v->entry_use[entry + 1]; u++) {
        nodes += rows[(int64_t)v->entry_class[entry] * v->roles + v->use_target[u]];
    }
    return nodes;
}

static ration_status measure_nodes(rn_measure *m, ration_error *error)
{
    const rn_view *v = m->view;
    int32_t *rows = rn_calloc((size_t)v->classes * (size_t)v->roles + 1, sizeof *rows);
    if (rows == NULL) {
        return rn_fail_memory(error, "roles", sizeof *rows);
    }
    role_rows(v, rows);
    int64_t nodes = 1;
    for (int32_t i = 0; i < v->items; i++) {
        const int32_t sets = v->conflict_at != NULL ? v->conflict_at[i + 1] - v->conflict_at[i] : 0;
        for (int32_t e = v->item_entry[i]; e < v->item_entry[i + 1]; e++) {
            const int64_t count = entry_nodes(v, e, rows) + sets;
            nodes = count > nodes ? count : nodes;
        }
    }
    rn_free(rows);
    int64_t feeds = 0;
    for (int32_t r = 0; r < v->rows; r++) {
        const int64_t count = v->row_feed[r + 1] - v->row_feed[r];
        feeds = count > feeds ? count : feeds;
    }
    const rn_i128 touch = (rn_i128)2 * nodes * (1 + feeds + (rn_i128)feeds * feeds);
    assert(nodes >= 1 && feeds >= 0);
    m->touch = touch < v->all_rows ? (int32_t)touch : v->all_rows > 0 ? v->all_rows : 1;
    if ((rn_i128)nodes * v->items + v->all_rows + 1 > INT32_MAX) {
        return rn_fail(
            error, RATION_E_RANGE,
            "the search needs %lld list nodes for each of %d items, more than 2^31 in all",
            (long long)nodes, v->items);
    }
    m->nodes = (int32_t)nodes;
    return RATION_OK;
}

static bool is_one_row(const rn_measure *m)
{
    const rn_view *v = m->view;
    bool one = !m->wish->general && m->nodes == 1 && v->edge_at == NULL && v->conflict_at == NULL;
    for (int32_t r = 0; one && r < v->rows; r++) {
        one = v->row_low[r] == INT64_MIN && v->row_piece[r] == v->row_piece[r + 1] &&
              v->row_feed[r] == v->row_feed[r + 1];
    }
    return one;
}

/* Counts, per row with a lower limit, the items that have an option on it; member != NULL: lists
 * them too. at: [rows + 1] zero or, for listing, where each row's list begins; afterwards where it
 * ends. stamp: [rows] scratch. */
void rn_measure_members(const rn_view *v, int64_t *at, int32_t *stamp, int32_t *member)
{
    for (int32_t r = 0; r < v->rows; r++) {
        stamp[r] = -1;
    }
    for (int32_t i = 0; i < v->items; i++) {
        for (int32_t o = 0; o < v->item_options[i]; o++) {
            rn_uses walk = rn_uses_begin(v, i, rn_option_decode(v, i, o));
            int32_t row;
            int64_t amount;
            while (rn_uses_next(v, &walk, &row, &amount)) {
                if (row >= v->rows || v->row_low[row] == INT64_MIN || stamp[row] == i) {
                    continue;
                }
                stamp[row] = i;
                if (member != NULL) {
                    member[at[row]] = i;
                }
                at[row]++;
            }
        }
    }
}

static ration_status measure_members(rn_measure *m, ration_error *error)
{
    const rn_view *v = m->view;
    bool any = false;
    for (int32_t r = 0; r < v->rows; r++) {
        any = any || v->row_low[r] != INT64_MIN;
    }
    if (!any || m->one_row) {
        return RATION_OK;
    }
    int64_t *at = rn_calloc((size_t)v->rows + 1, sizeof *at);
    int32_t *stamp = rn_calloc((size_t)v->rows + 1, sizeof *stamp);
    if (at != NULL && stamp != NULL) {
        rn_measure_members(v, at, stamp, NULL);
        for (int32_t r = 0; r < v->rows; r++) {
            assert(at[r] >= 0 && at[r] <= v->items);
            m->members += at[r];
        }
    }
    const bool memory = at != NULL && stamp != NULL;
    rn_free(at);
    rn_free(stamp);
    return memory ? RATION_OK : rn_fail_memory(error, "rows", (size_t)v->rows * sizeof *at);
}

ration_status rn_measure_program(const rn_view *view, const rn_tables_wish *wish, rn_measure *m,
                                 ration_error *error)
{
    *m = (rn_measure){.view = view, .wish = wish, .term = 1};
    RN_TRY(measure_nodes(m, error));
    m->one_row = is_one_row(m);
    RN_TRY(measure_members(m, error));
    measure_rows(m);
    measure_items(m);
    measure_traffic(m);
    return RATION_OK;
}
