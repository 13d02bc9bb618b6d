/* A program as the matrices of a quadratic assignment, where it is one. See tabu.h. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i128.h"
#include "core/eval.h"
#include "core/fail.h"
#include "search/tabu.h"

enum { BLOCK = 16, VALUE_BITS_NARROW = 30, VALUE_BITS_WIDE = 60 };

/* The structure that was found. */
typedef struct shape {
    const rn_view *view;
    int32_t *option;   /* [items * places], -1: none */
    int32_t *owner;    /* [all_rows] place that loads the row, -1: none */
    int32_t *capacity; /* [places] items that fit */
    int32_t *first;    /* [places + 1] first seat */
    bool loose;        /* a row whose cost or lower limit needs every seat taken */
    int32_t seats;
    int32_t stride;
    int64_t barred; /* more than any plan costs */
    bool directed;
    bool wide;
} shape;

/* ---- detection ---- */

/* Whether every option has a place of its own item. */
static bool list_options(shape *f)
{
    const rn_view *v = f->view;
    for (int64_t x = 0; x < (int64_t)v->items * v->places; x++) {
        f->option[x] = -1;
    }
    for (int32_t i = 0; i < v->items; i++) {
        for (int32_t o = 0; o < v->item_options[i]; o++) {
            const int32_t place = rn_option_decode(v, i, o).place;
            if (place < 0) {
                return false;
            }
            int32_t *cell = &f->option[(int64_t)i * v->places + place];
            if (rn_place_allowed(v, i, place) != 0) {
                if (*cell >= 0) {
                    return false;
                }
                *cell = o;
            }
        }
    }
    return true;
}

/* Whether two items load the same at a place. */
static bool same_uses(const shape *f, int32_t a, int32_t b, int32_t place)
{
    const rn_view *v = f->view;
    const int32_t of_a = f->option[(int64_t)a * v->places + place];
    const int32_t of_b = f->option[(int64_t)b * v->places + place];
    rn_uses walk_a = rn_uses_begin(v, a, rn_option_decode(v, a, of_a));
    rn_uses walk_b = rn_uses_begin(v, b, rn_option_decode(v, b, of_b));
    int32_t row_a = 0;
    int32_t row_b = 0;
    int64_t amount_a = 0;
    int64_t amount_b = 0;
    int32_t more = 1;
    while (more != 0) {
        more = rn_uses_next(v, &walk_a, &row_a, &amount_a);
        if (more != rn_uses_next(v, &walk_b, &row_b, &amount_b)) {
            return false;
        }
        if (more != 0 && (row_a != row_b || amount_a != amount_b)) {
            return false;
        }
    }
    return true;
}

/* Items that fit on one row of a place, or -1: the row is not of the kind wanted. */
static int64_t fits_row(shape *f, int32_t row, int64_t amount)
{
    const rn_view *v = f->view;
    const int64_t offset = rn_row_offset(v, row);
    if (amount <= 0 || offset < -(INT64_C(1) << 61) || offset > rn_limit_high(v, row)) {
        return -1;
    }
    if (row < v->rows) {
        if (v->row_rank[row] != 0) {
            return -1;
        }
        f->loose = f->loose || v->row_piece[row] != v->row_piece[row + 1] ||
                   v->row_feed[row] != v->row_feed[row + 1] || offset < rn_limit_low(v, row);
    }
    return (rn_limit_high(v, row) - offset) / amount;
}

/* Items that fit at a place; -1: a row is not of the kind wanted. */
static int64_t fits_place(shape *f, int32_t item, int32_t place)
{
    const rn_view *v = f->view;
    const int32_t option = f->option[(int64_t)item * v->places + place];
    rn_uses walk = rn_uses_begin(v, item, rn_option_decode(v, item, option));
    int64_t most = v->items;
    int32_t row;
    int64_t amount;
    while (rn_uses_next(v, &walk, &row, &amount) != 0) {
        const int64_t fits = f->owner[row] < 0 ? fits_row(f, row, amount) : -1;
        if (fits < 0) {
            return -1;
        }
        f->owner[row] = place;
        most = fits < most ? fits : most;
    }
    return most;
}

/* Counts the seats of every place; false: not such a program. */
static bool count_seats(shape *f)
{
    const rn_view *v = f->view;
    int64_t seats = 0;
    for (int32_t r = 0; r < v->all_rows; r++) {
        f->owner[r] = -1;
    }
    for (int32_t p = 0; p < v->places; p++) {
        int32_t one = -1;
        for (int32_t i = 0; i < v->items; i++) {
            if (f->option[(int64_t)i * v->places + p] < 0) {
                continue;
            }
            if (one >= 0 && !same_uses(f, one, i, p)) {
                return false;
            }
            one = one < 0 ? i : one;
        }
        const int64_t fits = one < 0 ? 0 : fits_place(f, one, p);
        if (fits < 0 || seats + fits > RN_TABU_SEATS) {
            return false;
        }
        f->first[p] = (int32_t)seats;
        f->capacity[p] = (int32_t)fits;
        seats += fits;
    }
    f->first[v->places] = (int32_t)seats;
    f->seats = (int32_t)seats;
    f->stride = (f->seats + BLOCK - 1) / BLOCK * BLOCK;
    return seats >= v->items && (!f->loose || seats == v->items);
}

/* ---- ranges ---- */

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

/* Whether all sums fit, and in how many bits. */
static bool measure(shape *f)
{
    const rn_view *v = f->view;
    int64_t far = 0;
    int64_t weight = 0;
    rn_i128 most = 0; /* traffic and options of one item */
    rn_i128 total = 0;
    for (int32_t p = 0; p < v->places; p++) {
        for (int32_t q = 0; q < v->places; q++) {
            const int64_t d = magnitude(rn_distance(v, p, q));
            far = d > far ? d : far;
        }
    }
    for (int32_t i = 0; i < v->items; i++) {
        rn_i128 flow = 0;
        int64_t own = 0;
        for (int32_t x = v->edge_at[i]; x < v->edge_at[i + 1]; x++) {
            const int64_t w = magnitude(v->edge_weight[x]);
            flow += w;
            weight = w > weight ? w : weight;
        }
        for (int32_t o = 0; o < v->item_options[i]; o++) {
            const int64_t cost = magnitude(rn_option_decode(v, i, o).cost);
            own = cost > own ? cost : own;
        }
        const rn_i128 sum = 2 * flow * far + own; /* 2: a matrix may be added to its transpose */
        most = sum > most ? sum : most;
        total += sum;
    }
    bool barred = false;
    for (int64_t x = 0; x < (int64_t)v->items * v->places; x++) {
        barred = barred || (f->option[x] < 0 && f->capacity[x % v->places] > 0);
    }
    /* G, D and the products of an update: weights and distances may double twice */
    const rn_i128 end = barred ? total + 1 : 0;
    const rn_i128 value = 8 * (most + end) + (rn_i128)64 * weight * far;
    f->barred = rn_i128_saturate(total + 1);
    f->wide = value >= (INT64_C(1) << VALUE_BITS_NARROW);
    return value < (INT64_C(1) << VALUE_BITS_WIDE) &&
           total + (rn_i128)v->items * end < (INT64_C(1) << VALUE_BITS_WIDE);
}

/* ---- matrices ---- */

static void put(const rn_tabu *t, void *matrix, int64_t at, int64_t value)
{
    if (t->wide) {
        ((int64_t *)matrix)[at] = value;
    } else {
        assert(value >= INT32_MIN && value <= INT32_MAX);
        ((int32_t *)matrix)[at] = (int32_t)value;
    }
}

static int64_t get(const rn_tabu *t, const void *matrix, int64_t at)
{
    return t->wide ? ((const int64_t *)matrix)[at] : ((const int32_t *)matrix)[at];
}

/* Weights of the traffic between different items, and what an item costs on a seat. */
static void fill_items(const rn_tabu *t, const shape *f)
{
    const rn_view *v = f->view;
    const int64_t stride = t->stride;
    for (int32_t i = 0; i < v->items; i++) {
        int64_t self = 0;
        for (int32_t x = v->edge_at[i]; x < v->edge_at[i + 1]; x++) {
            const int64_t w = v->edge_weight[x];
            if (v->edge_item[x] == i) {
                self += w;
            } else if (v->edge_out[x] != 0) {
                const int64_t at = i * stride + v->edge_item[x];
                put(t, t->flow, at, get(t, t->flow, at) + w);
            }
        }
        for (int32_t s = 0; s < t->seats; s++) {
            const int32_t p = t->seat_place[s];
            const int32_t o = f->option[(int64_t)i * v->places + p];
            t->option[(int64_t)i * t->seats + s] = o;
            const int64_t own =
                o < 0 ? f->barred : rn_option_decode(v, i, o).cost + self * rn_distance(v, p, p);
            put(t, t->own, i * stride + s, own);
        }
    }
}

static void fill_seats(const rn_tabu *t, const rn_view *v)
{
    for (int32_t a = 0; a < t->seats; a++) {
        for (int32_t b = 0; b < t->seats; b++) {
            const int64_t d = rn_distance(v, t->seat_place[a], t->seat_place[b]);
            put(t, t->distance, (int64_t)a * t->stride + b, a == b ? 0 : d);
        }
    }
}

static void transpose(const rn_tabu *t, const void *from, void *to)
{
    for (int64_t a = 0; a < t->seats; a++) {
        for (int64_t b = 0; b < t->seats; b++) {
            put(t, to, b * t->stride + a, get(t, from, a * t->stride + b));
        }
    }
}

static bool symmetric(const rn_tabu *t, const void *matrix)
{
    for (int64_t a = 0; a < t->seats; a++) {
        for (int64_t b = 0; b < a; b++) {
            if (get(t, matrix, a * t->stride + b) != get(t, matrix, b * t->stride + a)) {
                return false;
            }
        }
    }
    return true;
}

/* Matrix += transpose. */
static void symmetrise(const rn_tabu *t, void *matrix)
{
    for (int64_t a = 0; a < t->seats; a++) {
        for (int64_t b = 0; b < a; b++) {
            const int64_t x = a * t->stride + b;
            const int64_t y = b * t->stride + a;
            const int64_t sum = get(t, matrix, x) + get(t, matrix, y);
            put(t, matrix, x, sum);
            put(t, matrix, y, sum);
        }
    }
}

/* With one symmetric matrix the other counts once a pair, both directions added up. */
static void fill(rn_tabu *t, const shape *f)
{
    fill_items(t, f);
    fill_seats(t, f->view);
    if (symmetric(t, t->distance)) {
        symmetrise(t, t->flow);
    } else if (symmetric(t, t->flow)) {
        symmetrise(t, t->distance);
    } else {
        t->directed = true;
    }
    transpose(t, t->flow, t->flow_back);
    transpose(t, t->distance, t->distance_back);
}

/* ---- construction ---- */

static void carve_shape(rn_layout *layout, shape *f)
{
    const rn_view *v = f->view;
    f->first = rn_carve(layout, (int64_t)v->places + 1, sizeof *f->first);
    f->capacity = rn_carve(layout, v->places, sizeof *f->capacity);
    f->owner = rn_carve(layout, (int64_t)v->all_rows + 1, sizeof *f->owner);
    f->option = rn_carve(layout, (int64_t)v->items * v->places, sizeof *f->option);
}

static void carve(rn_layout *layout, rn_tabu **tabu, const shape *f)
{
    rn_tabu sizes = {
        .items = f->view->items, .seats = f->seats, .stride = f->stride, .wide = f->wide};
    const size_t size = f->wide ? sizeof(int64_t) : sizeof(int32_t);
    const int64_t cells = (int64_t)f->seats * f->stride;
    rn_tabu *t = rn_carve(layout, 1, sizeof *t);
    sizes.seat_place = rn_carve(layout, f->seats, sizeof *sizes.seat_place);
    sizes.option = rn_carve(layout, (int64_t)f->view->items * f->seats, sizeof *sizes.option);
    sizes.flow = rn_carve(layout, cells, size);
    sizes.flow_back = rn_carve(layout, cells, size);
    sizes.distance = rn_carve(layout, cells, size);
    sizes.distance_back = rn_carve(layout, cells, size);
    sizes.own = rn_carve(layout, cells, size);
    if (t != NULL) {
        *t = sizes;
        *tabu = t;
    }
}

static ration_status make(const rn_tables *tables, const shape *f, rn_tabu **tabu,
                          ration_error *error)
{
    rn_layout layout = {0};
    rn_tabu *t = NULL;
    carve(&layout, &t, f);
    RN_TRY(rn_layout_allocate(&layout, "the matrices of a quadratic assignment", error));
    carve(&layout, &t, f);
    t->tables = tables;
    for (int32_t p = 0; p < f->view->places; p++) {
        for (int32_t s = f->first[p]; s < f->first[p + 1]; s++) {
            t->seat_place[s] = p;
        }
    }
    fill(t, f);
    *tabu = t;
    return RATION_OK;
}

ration_status rn_tabu_create(const rn_tables *tables, rn_tabu **tabu, ration_error *error)
{
    const rn_view *v = &tables->view;
    shape f = {.view = v};
    rn_layout layout = {0};
    ration_status status = RATION_OK;
    *tabu = NULL;
    if (v->edge_at == NULL || v->edges == 0 || v->items < 2 || v->items > RN_TABU_SEATS ||
        v->places > RN_TABU_SEATS) {
        return RATION_OK;
    }
    carve_shape(&layout, &f);
    RN_TRY(rn_layout_allocate(&layout, "the shape of a quadratic assignment", error));
    void *block = layout.base;
    carve_shape(&layout, &f);
    if (list_options(&f) && count_seats(&f) && measure(&f)) {
        status = make(tables, &f, tabu, error);
    }
    rn_free(block);
    return status;
}

void rn_tabu_free(rn_tabu *tabu)
{
    rn_free(tabu);
}
