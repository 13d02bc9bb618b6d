/* Builds the search's tables: the scale of energies, prices, candidates, and for one-row programs
 * the arrays of the scan. */
#include "search/tables.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/par.h"
#include "bound/bound.h"
#include "core/fail.h"
#include "core/move_row.h"
#include "search/measure.h"

enum {
    ENERGY_BITS = 44, /* of a single term, see core/tables.h */
    SHIFT_MOST = 12,
    SHIFT_NARROW = 8, /* one-row: 1/256 cost unit is fine enough for temperatures above 1/16 */
    SHIFT_LEAST = -62,
    AMOUNT_NARROW = 4096,
    JOURNAL_LEAST = 64,
    MEMBERS_MOST = 1 << 24
};
#define BACK_CELLS_MOST ((int64_t)1 << 25)

/* The tables' arrays while they are written. */
typedef struct arrays {
    rn_tables *tables;
    int64_t *price;
    int64_t *origin;
    int32_t *cand_count;
    int32_t *cand_option;
    int64_t *item_base;
    int32_t *member_at;
    int32_t *member;
    int32_t *cand_row;
    int32_t *cand_amount;
    int32_t *cand_reduced;
    int64_t *wide_amount;
    int64_t *wide_reduced;
    int32_t *back_option;
    int32_t *back_amount;
    int32_t *back_reduced;
    int64_t *wide_back_amount;
    int64_t *wide_back_reduced;
} arrays;

static int64_t back_cells(const rn_measure *m)
{
    const int64_t cells = ((int64_t)m->view->all_rows + 1) * m->view->items;
    return m->one_row && cells <= BACK_CELLS_MOST ? cells : 0;
}

static void carve(rn_layout *layout, arrays *a, const rn_measure *m)
{
    const rn_view *v = m->view;
    const int64_t slots = (int64_t)v->items * RN_CANDIDATES;
    const int64_t single = m->one_row ? slots : 0;
    const int64_t cells = back_cells(m);
    a->tables = rn_carve(layout, 1, sizeof *a->tables);
    a->price = rn_carve(layout, v->all_rows + 1, sizeof *a->price);
    a->origin = rn_carve(layout, v->all_rows + 1, sizeof *a->origin);
    a->cand_count = rn_carve(layout, v->items, sizeof *a->cand_count);
    a->cand_option = rn_carve(layout, slots, sizeof *a->cand_option);
    a->item_base = rn_carve(layout, v->items, sizeof *a->item_base);
    a->member_at = rn_carve(layout, v->rows + 1, sizeof *a->member_at);
    a->member = rn_carve(layout, m->members, sizeof *a->member);
    a->cand_row = rn_carve(layout, single, sizeof *a->cand_row);
    a->cand_amount = rn_carve(layout, single, sizeof *a->cand_amount);
    a->cand_reduced = rn_carve(layout, single, sizeof *a->cand_reduced);
    a->wide_amount = rn_carve(layout, single, sizeof *a->wide_amount);
    a->wide_reduced = rn_carve(layout, single, sizeof *a->wide_reduced);
    a->back_option = rn_carve(layout, cells, sizeof *a->back_option);
    a->back_amount = rn_carve(layout, cells, sizeof *a->back_amount);
    a->back_reduced = rn_carve(layout, cells, sizeof *a->back_reduced);
    a->wide_back_amount = rn_carve(layout, cells, sizeof *a->wide_back_amount);
    a->wide_back_reduced = rn_carve(layout, cells, sizeof *a->wide_back_reduced);
}

static void point(const arrays *a, const rn_measure *m)
{
    rn_tables *t = a->tables;
    t->view = *m->view;
    t->rows = m->view->all_rows;
    t->one_row = m->one_row;
    t->nodes = m->nodes;
    t->touch = m->touch;
    t->journal = m->view->items / 8 > JOURNAL_LEAST ? m->view->items / 8 : JOURNAL_LEAST;
    t->wanting = m->members > 0;
    t->price = a->price;
    t->origin = a->origin;
    t->cand_count = a->cand_count;
    t->cand_option = a->cand_option;
    t->item_base = a->item_base;
    t->row_member_at = a->member_at;
    t->row_member = a->member;
    t->cand_row = a->cand_row;
    t->cand_amount = a->cand_amount;
    t->cand_reduced = a->cand_reduced;
    t->wide_amount = a->wide_amount;
    t->wide_reduced = a->wide_reduced;
    t->back_option = back_cells(m) > 0 ? a->back_option : NULL;
    t->back_amount = a->back_amount;
    t->back_reduced = a->back_reduced;
    t->wide_back_amount = a->wide_back_amount;
    t->wide_back_reduced = a->wide_back_reduced;
}

/* The largest shift at which the largest term of an energy stays below 2^ENERGY_BITS. */
static int32_t energy_shift(const rn_measure *m)
{
    int32_t shift = m->one_row ? SHIFT_NARROW : SHIFT_MOST;
    rn_i128 limit = ((rn_i128)1 << ENERGY_BITS) >> shift;
    while (m->term >= limit && shift > SHIFT_LEAST) {
        shift--;
        limit *= 2;
    }
    assert(shift >= SHIFT_LEAST && shift <= SHIFT_MOST);
    return shift;
}

static void set_prices(const arrays *a, const rn_measure *m)
{
    const rn_view *v = m->view;
    const int32_t by = a->tables->shift + 16 - RN_PRICE_BITS;
    for (int32_t r = 0; r < v->all_rows; r++) {
        const int64_t price = m->wish->price != NULL ? m->wish->price[r] : 0;
        a->price[r] = by >= 0 ? price * ((int64_t)1 << by) : by > -63 ? price >> -by : 0;
        a->origin[r] = r < v->rows ? v->row_least[r] : 0;
    }
}

/* ---- candidates ---- */

typedef struct candidate {
    int64_t priced;
    int32_t option;
} candidate;

static int64_t priced_cost(const rn_tables *t, int32_t item, rn_option option)
{
    const rn_view *v = &t->view;
    rn_uses walk = rn_uses_begin(v, item, option);
    int64_t priced = rn_energy(t, option.cost);
    int32_t row;
    int64_t amount;
    while (rn_uses_next(v, &walk, &row, &amount)) {
        priced += rn_priced(t->price[row], amount);
    }
    return priced;
}

/* Keeps the least of them, in order. */
static void keep(candidate *best, int32_t *count, candidate next)
{
    int32_t at = *count;
    while (at > 0 && next.priced < best[at - 1].priced) {
        at--;
    }
    if (at == RN_CANDIDATES) {
        return;
    }
    assert(at <= *count && (at == 0 || best[at - 1].priced <= next.priced));
    *count += *count < RN_CANDIDATES;
    for (int32_t x = *count - 1; x > at; x--) {
        best[x] = best[x - 1];
    }
    best[at] = next;
}

static void find_candidates(void *context, int64_t block, int32_t thread)
{
    const arrays *a = context;
    const rn_tables *t = a->tables;
    const rn_view *v = &t->view;
    (void)thread;
    for (int64_t i = block * 256; i < (block + 1) * 256 && i < v->items; i++) {
        candidate best[RN_CANDIDATES] = {{0, 0}};
        int32_t count = 0;
        for (int32_t o = 0; o < v->item_options[i]; o++) {
            const rn_option option = rn_option_decode(v, (int32_t)i, o);
            if (rn_place_allowed(v, (int32_t)i, option.place)) {
                keep(best, &count, (candidate){priced_cost(t, (int32_t)i, option), o});
            }
        }
        assert(count > 0);
        a->cand_count[i] = count;
        a->item_base[i] = best[0].priced;
        for (int32_t k = 0; k < RN_CANDIDATES; k++) {
            a->cand_option[i * RN_CANDIDATES + k] = best[k < count ? k : 0].option;
        }
    }
}

/* ---- one-row programs ---- */

/* Fills the wide arrays of an item; returns whether they fit the narrow ones. */
static bool fill_wide(const arrays *a, int32_t item)
{
    const rn_tables *t = a->tables;
    bool fits = true;
    for (int32_t k = 0; k < RN_CANDIDATES; k++) {
        const int64_t at = (int64_t)item * RN_CANDIDATES + k;
        a->cand_row[at] = t->rows;
        a->wide_amount[at] = 0;
        a->wide_reduced[at] = RN_WIDE_BARRED;
        if (k < a->cand_count[item]) {
            a->wide_reduced[at] =
                rn_reduced(t, item, a->cand_option[at], &a->cand_row[at], &a->wide_amount[at]);
            fits = fits && a->wide_reduced[at] < (1 << RN_NARROW_BITS);
        }
        assert(a->cand_row[at] >= 0 && a->cand_row[at] <= t->rows);
        fits = fits && a->wide_amount[at] <= AMOUNT_NARROW && a->wide_amount[at] >= -AMOUNT_NARROW;
    }
    return fits;
}

static bool fill_back(const arrays *a, int32_t item)
{
    const rn_tables *t = a->tables;
    const rn_view *v = &t->view;
    bool fits = true;
    for (int32_t r = 0; r <= t->rows; r++) {
        a->back_option[(int64_t)r * v->items + item] = -1;
    }
    for (int32_t o = 0; o < v->item_options[item]; o++) {
        int32_t row;
        int64_t amount;
        const int64_t reduced = rn_reduced(t, item, o, &row, &amount);
        assert(row >= 0 && row <= t->rows);
        const int64_t at = (int64_t)row * v->items + item;
        if (!rn_place_allowed(v, item, rn_option_decode(v, item, o).place) ||
            (a->back_option[at] >= 0 && a->wide_back_reduced[at] <= reduced)) {
            continue;
        }
        a->back_option[at] = o;
        a->wide_back_amount[at] = amount;
        a->wide_back_reduced[at] = reduced;
        fits = fits && reduced < INT32_MAX && amount <= AMOUNT_NARROW && amount >= -AMOUNT_NARROW;
    }
    return fits;
}

static void fill_narrow(const arrays *a, int64_t slots, int64_t cells)
{
    for (int64_t x = 0; x < slots; x++) {
        const bool padding = a->wide_reduced[x] == RN_WIDE_BARRED;
        a->cand_amount[x] = (int32_t)a->wide_amount[x];
        a->cand_reduced[x] = padding ? RN_NARROW_BARRED : (int32_t)a->wide_reduced[x];
    }
    for (int64_t x = 0; x < cells; x++) {
        a->back_amount[x] = (int32_t)a->wide_back_amount[x];
        a->back_reduced[x] = (int32_t)a->wide_back_reduced[x];
    }
}

/* Whether every excess that a row can have fits 32 bits with room for a clamp. */
static bool narrow_loads(const rn_view *v)
{
    bool fits = true;
    for (int32_t r = 0; r < v->rows; r++) {
        const int64_t limit = v->row_high[r] == INT64_MAX ? 0 : v->row_high[r];
        const rn_i128 most = (rn_i128)v->row_most[r] - limit;
        const rn_i128 least = (rn_i128)v->row_least[r] - limit;
        fits = fits && most < (1 << 30) && least > -(1 << 30);
    }
    return fits;
}

static void fill_one_row(const arrays *a, const rn_measure *m)
{
    const rn_view *v = m->view;
    bool fits = narrow_loads(v);
    for (int32_t i = 0; i < v->items; i++) {
        fits = fill_wide(a, i) && fits;
        if (back_cells(m) > 0) {
            fits = fill_back(a, i) && fits;
        }
    }
    a->tables->whole = fits;
    a->tables->narrow = fits && !m->wish->wide;
    if (a->tables->narrow) {
        fill_narrow(a, (int64_t)v->items * RN_CANDIDATES, back_cells(m));
    }
}

static ration_status fill_members(const arrays *a, const rn_measure *m, ration_error *error)
{
    const rn_view *v = m->view;
    if (m->members == 0) {
        return RATION_OK;
    }
    int64_t *at = rn_calloc((size_t)v->rows + 1, sizeof *at);
    int32_t *stamp = rn_calloc((size_t)v->rows + 1, sizeof *stamp);
    const bool memory = at != NULL && stamp != NULL;
    if (memory) {
        int64_t total = 0;
        rn_measure_members(v, at, stamp, NULL);
        for (int32_t r = 0; r < v->rows; r++) {
            const int64_t count = at[r];
            a->member_at[r] = (int32_t)total;
            at[r] = total;
            total += count;
        }
        assert(total == m->members);
        a->member_at[v->rows] = (int32_t)total;
        rn_measure_members(v, at, stamp, a->member);
    }
    rn_free(at);
    rn_free(stamp);
    return memory ? RATION_OK : rn_fail_memory(error, "rows", (size_t)v->rows * sizeof *at);
}

ration_status rn_tables_create(const rn_view *view, const rn_tables_wish *wish, rn_tables **tables,
                               ration_error *error)
{
    rn_measure m;
    rn_layout layout = {0};
    arrays a;
    RN_TRY(rn_measure_program(view, wish, &m, error));
    if (m.members > MEMBERS_MOST) {
        m.members = 0;
    }
    carve(&layout, &a, &m);
    RN_TRY(rn_layout_allocate(&layout, "the search's tables", error));
    carve(&layout, &a, &m);
    point(&a, &m);
    a.tables->shift = energy_shift(&m);
    set_prices(&a, &m);
    rn_par_for(((int64_t)view->items + 255) / 256, rn_par_threads(0), find_candidates, &a);
    if (m.one_row) {
        fill_one_row(&a, &m);
    }
    const ration_status status = fill_members(&a, &m, error);
    if (status != RATION_OK) {
        rn_tables_free(a.tables);
        return status;
    }
    assert(a.tables->nodes >= 1 && a.tables->touch >= 1 && a.tables->rows == view->all_rows);
    *tables = a.tables;
    return RATION_OK;
}

void rn_tables_free(rn_tables *tables)
{
    rn_free(tables);
}
