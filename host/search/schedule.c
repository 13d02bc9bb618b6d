#include "search/schedule.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i128.h"
#include "core/eval.h"
#include "core/fail.h"
#include "core/philox.h"

enum {
    SAMPLES = 4096,       /* changes looked at to measure a program */
    SPREAD_SAMPLES = 512, /* items */
    GENERAL_OCTAVES = 6,  /* from hot to cold, general programs */
    MEAN_UNIT =
        256, /* amounts are counted in units of 1/256 of their mean, once that is above 256 */
    PURPOSE_MEASURE = 3
};

struct rn_schedule {
    const rn_tables *tables;
    int64_t *mean;   /* [rows + 1] mean magnitude of a candidate's amount on a row, >= 1 */
    int64_t *most;   /* [rows + 1] largest, >= 1 */
    int64_t *over;   /* [rows + 1] */
    int64_t *slack;  /* [rows + 1] */
    int64_t *clamp;  /* [rows + 1] */
    int32_t *weight; /* [rows + 1] */
    int32_t *heat;   /* [chains] */
    int32_t *push;   /* [chains] */
    rn_mate *mate;   /* [chains] */
    int64_t spread[RN_TEMPERATURES]; /* n <R>_T in energy */
    int64_t hot;                     /* rn_log2 of the temperature at which everything moves */
    int32_t chains;
    int32_t reserved; /* Q16 share of a homotopy that refines */
};

/* ---- integer functions ---- */

int64_t rn_exp2_negative(int64_t x_q16)
{
    /* 2^(-2^-k) in Q30, k = 1 .. 16 */
    static const int32_t root[16] = {759250125,  902905651,  984625594,  1028218693,
                                     1050733751, 1062175491, 1067942999, 1070838486,
                                     1072289173, 1073015252, 1073378477, 1073560135,
                                     1073650976, 1073696399, 1073719111, 1073730468};
    const int64_t whole = x_q16 >> 16;
    int64_t value = (int64_t)1 << 30;
    if (whole > 40) {
        return 0;
    }
    for (int32_t k = 0; k < 16; k++) {
        if ((x_q16 >> (15 - k)) & 1) {
            value = (value * root[k] + (1 << 29)) >> 30;
        }
    }
    return value >> whole;
}

int64_t rn_exp2(int64_t x_q16)
{
    const int64_t whole = x_q16 >> 16;
    const int64_t part = x_q16 & 65535;
    assert(x_q16 >= 0 && whole < 62);
    /* 2^part = 2 * 2^-(1 - part) */
    const int64_t fraction = part == 0 ? (int64_t)1 << 30 : 2 * rn_exp2_negative(65536 - part);
    return whole >= 30 ? fraction << (whole - 30) : fraction >> (30 - whole);
}

int64_t rn_log2(int64_t x)
{
    assert(x >= 1);
    int64_t whole = 0;
    for (int64_t rest = x; rest > 1; rest >>= 1) {
        whole++;
    }
    uint64_t mantissa = (uint64_t)x << (62 - whole) >> 31; /* Q31, 1 .. 2 */
    int64_t result = whole << 16;
    for (int32_t k = 15; k >= 0; k--) {
        mantissa = mantissa * mantissa >> 31;
        if (mantissa >= (uint64_t)1 << 32) {
            mantissa >>= 1;
            result += (int64_t)1 << k;
        }
    }
    return result;
}

/* The energy of a temperature t: t / (65536 ln 2). */
static int64_t energy_of(int64_t t)
{
    return rn_i128_saturate((rn_i128)t * 94548 >> 32); /* 65536 / ln 2 */
}

/* The temperature whose energy is this, at least 1. */
static int64_t temperature_of(int64_t energy)
{
    const rn_i128 t = (rn_i128)energy * 45426; /* 65536 ln 2 */
    return t < 1 ? 1 : t > ((rn_i128)1 << 57) ? (int64_t)1 << 57 : (int64_t)t;
}

/* ---- measuring ---- */

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

static void measure_option(rn_schedule *s, int32_t item, int32_t option, int64_t *count)
{
    const rn_view *v = &s->tables->view;
    rn_uses walk = rn_uses_begin(v, item, rn_option_decode(v, item, option));
    int32_t row;
    int64_t amount;
    while (rn_uses_next(v, &walk, &row, &amount)) {
        const int64_t size = magnitude(amount);
        s->most[row] = size > s->most[row] ? size : s->most[row];
        if (size > 0) {
            s->mean[row] += (size - s->mean[row]) / (count[row] + 1);
            count[row]++;
        }
    }
}

/* Amounts on each row. A row that is only fed counts its range over the items as an amount. */
static ration_status measure_amounts(rn_schedule *s, ration_error *error)
{
    const rn_tables *t = s->tables;
    const rn_view *v = &t->view;
    int64_t *count = rn_calloc((size_t)t->rows + 1, sizeof *count);
    if (count == NULL) {
        return rn_fail_memory(error, "rows", sizeof *count);
    }
    for (int32_t i = 0; i < v->items; i++) {
        for (int32_t k = 0; k < t->cand_count[i]; k++) {
            measure_option(s, i, t->cand_option[(int64_t)i * RN_CANDIDATES + k], count);
        }
    }
    for (int32_t r = 0; r <= t->rows; r++) {
        const int64_t span = r < v->rows ? v->row_most[r] - v->row_least[r] : 1;
        if (count[r] == 0) {
            s->mean[r] = span / (v->items > 0 ? v->items : 1);
        }
        s->mean[r] = s->mean[r] < 1 ? 1 : s->mean[r];
        s->most[r] = s->most[r] < s->mean[r] ? s->mean[r] : s->most[r];
        assert(s->mean[r] >= 1 && s->most[r] >= s->mean[r]);
    }
    rn_free(count);
    return RATION_OK;
}

/* Boltzmann mean of an item's reduced costs over its candidates at temperature t. */
static int64_t boltzmann(const int64_t *reduced, int32_t count, int64_t t)
{
    rn_i128 sum = 0;
    int64_t weights = 0;
    for (int32_t k = 0; k < count; k++) {
        const bool small = reduced[k] < INT32_MAX;
        const rn_i128 x = small ? (reduced[k] << 32) / t : ((rn_i128)reduced[k] << 32) / t;
        const int64_t weight = x > ((int64_t)64 << 16) ? 0 : rn_exp2_negative((int64_t)x);
        sum += (rn_i128)reduced[k] * weight;
        weights += weight;
    }
    assert(count > 0 && weights > 0); /* the least one has weight 1 */
    return (int64_t)(sum / weights);
}

static void measure_spread(rn_schedule *s)
{
    const rn_tables *t = s->tables;
    const int32_t items = t->view.items;
    const int32_t samples = items < SPREAD_SAMPLES ? items : SPREAD_SAMPLES;
    rn_i128 sum[RN_TEMPERATURES] = {0};
    for (int32_t x = 0; x < samples; x++) {
        const int32_t i = (int32_t)((int64_t)x * items / samples);
        int64_t reduced[RN_CANDIDATES];
        for (int32_t k = 0; k < t->cand_count[i]; k++) {
            const int64_t at = (int64_t)i * RN_CANDIDATES + k;
            reduced[k] = t->wide_reduced[at];
        }
        for (int32_t j = 0; j < RN_TEMPERATURES; j++) {
            sum[j] += boltzmann(reduced, t->cand_count[i], rn_exp2((int64_t)j << 14));
        }
    }
    for (int32_t j = 0; j < RN_TEMPERATURES; j++) {
        s->spread[j] = rn_i128_saturate(sum[j] * items / samples);
    }
}

/* log2 of the temperature at which n <R>_T reaches a target; at most hot. */
static int64_t temperature_at(const rn_schedule *s, int64_t target)
{
    int32_t j = 0;
    while (j + 1 < RN_TEMPERATURES && s->spread[j + 1] <= target) {
        j++;
    }
    int64_t level = (int64_t)j << 14;
    if (j + 1 < RN_TEMPERATURES && s->spread[j] <= target) {
        const int64_t rise = s->spread[j + 1] - s->spread[j];
        level += rn_i128_saturate((rn_i128)(target - s->spread[j]) * 16384 / (rise > 0 ? rise : 1));
    }
    assert(level >= 0);
    return level < s->hot ? level : s->hot;
}

/* Tmax: the largest temperature up to which <R>_T <= T / 4, if there is one. */
static void measure_hot(rn_schedule *s)
{
    const int64_t items = s->tables->view.items;
    const int64_t unit = rn_energy(s->tables, 1);
    s->hot = rn_log2(temperature_of(unit > 0 ? unit : 1));
    if (s->spread[RN_TEMPERATURES - 1] == 0) {
        return;
    }
    int32_t level = -1;
    int32_t half = 0; /* where <R>_T reaches half of the candidates' plain mean */
    for (int32_t j = 0; j < RN_TEMPERATURES; j++) {
        const bool above = s->spread[j] > energy_of(rn_exp2((int64_t)j << 14)) / 4 * items;
        level = level < 0 && above && s->spread[j] > items ? j : level;
        half = s->spread[j] < s->spread[RN_TEMPERATURES - 1] / 2 ? j : half;
    }
    s->hot = (int64_t)(level > 0 ? level - 1 : half) << 14;
}

/* Mean rise of the cost when a random item takes a random candidate: the hot end of a general
 * program. */
static ration_status measure_changes(rn_schedule *s, const int32_t *start, ration_error *error)
{
    const rn_tables *t = s->tables;
    const rn_view *v = &t->view;
    int64_t *load = rn_calloc((size_t)t->rows + 1, sizeof *load);
    int64_t *change = rn_calloc((size_t)t->touch, sizeof *change);
    int32_t *row = rn_calloc((size_t)t->touch, sizeof *row);
    int32_t *seat = rn_calloc((size_t)v->items, sizeof *seat);
    rn_i128 sum = 0;
    int64_t count = 1;
    const bool memory = load != NULL && change != NULL && row != NULL && seat != NULL;
    if (memory) {
        rn_epoch e;
        rn_touch touch = {row, change, 0};
        memset(&e, 0, sizeof e);
        e.stiffness = 65536;
        e.over_price = s->over;
        e.slack_price = s->slack;
        e.clamp = s->clamp;
        rn_eval_loads(t, start, load);
        for (int32_t i = 0; i < v->items; i++) {
            seat[i] = rn_option_decode(v, i, start[i]).place;
        }
        for (int32_t x = 0; x < SAMPLES; x++) {
            const rn_random random = rn_random_at(0, (uint32_t)x, 0, 0, PURPOSE_MEASURE);
            const int32_t i = rn_random_below(random.word[0], v->items);
            const int32_t k = rn_random_below(random.word[1], t->cand_count[i]);
            const rn_option from = rn_option_decode(v, i, start[i]);
            const rn_option to =
                rn_option_decode(v, i, t->cand_option[(int64_t)i * RN_CANDIDATES + k]);
            rn_touch_pick(v, load, i, from, to, &touch);
            const int64_t rise =
                rn_change_energy(t, &e, 0, load, &touch) +
                rn_energy(t, to.cost - from.cost +
                                 rn_traffic_change(v, seat, i, from.place, to.place));
            sum += rise < 0 ? -rise : rise;
            count += rise != 0;
        }
        const int64_t mean = rn_i128_saturate(sum / count);
        const int64_t unit = rn_energy(t, 1) > 0 ? rn_energy(t, 1) : 1;
        s->hot = rn_log2(temperature_of(mean > 0 ? mean / 2 + 1 : unit));
    }
    rn_free(load);
    rn_free(change);
    rn_free(row);
    rn_free(seat);
    return memory ? RATION_OK
                  : rn_fail_memory(error, "a plan's loads", ((size_t)t->rows + 1) * sizeof *load);
}

/* ---- construction ---- */

static void carve(rn_layout *layout, rn_schedule **schedule, const rn_tables *t, int32_t chains)
{
    const int64_t rows = (int64_t)t->rows + 1;
    rn_schedule empty = {0};
    rn_schedule *s = rn_carve(layout, 1, sizeof *s);
    empty.tables = t;
    empty.chains = chains;
    empty.mean = rn_carve(layout, rows, sizeof *empty.mean);
    empty.most = rn_carve(layout, rows, sizeof *empty.most);
    empty.over = rn_carve(layout, rows, sizeof *empty.over);
    empty.slack = rn_carve(layout, rows, sizeof *empty.slack);
    empty.clamp = rn_carve(layout, rows, sizeof *empty.clamp);
    empty.weight = rn_carve(layout, rows, sizeof *empty.weight);
    empty.heat = rn_carve(layout, chains, sizeof *empty.heat);
    empty.push = rn_carve(layout, chains, sizeof *empty.push);
    empty.mate = rn_carve(layout, chains, sizeof *empty.mate);
    if (s != NULL) {
        *s = empty;
        *schedule = s;
    }
}

ration_status rn_schedule_create(const rn_tables *tables, int32_t chains, const int32_t *start,
                                 rn_schedule **schedule, ration_error *error)
{
    rn_layout layout = {0};
    rn_schedule *s = NULL;
    carve(&layout, &s, tables, chains);
    RN_TRY(rn_layout_allocate(&layout, "the schedule", error));
    carve(&layout, &s, tables, chains);
    ration_status status = measure_amounts(s, error);
    if (status == RATION_OK && tables->one_row) {
        measure_spread(s);
        measure_hot(s);
    } else if (status == RATION_OK) {
        status = measure_changes(s, start, error);
    }
    if (status != RATION_OK) {
        rn_schedule_free(s);
        return status;
    }
    static const int32_t heat[4] = {256, 128, 512, 64};
    for (int32_t c = 0; c < chains; c++) {
        s->heat[c] = tables->one_row ? 256 : heat[c % 4];
        s->push[c] = tables->one_row ? 0 : c / 4 % 3;
    }
    *schedule = s;
    return RATION_OK;
}

void rn_schedule_free(rn_schedule *schedule)
{
    rn_free(schedule);
}

int32_t *rn_schedule_weights(rn_schedule *schedule)
{
    return schedule->weight;
}

int32_t rn_schedule_homotopy(int64_t epoch, int64_t *first, int64_t *length)
{
    int32_t number = 0;
    *first = 0;
    *length = RN_FIRST_EPOCHS;
    while (epoch >= *first + *length) {
        *first += *length;
        *length *= 2;
        number++;
    }
    return number;
}

void rn_schedule_reserve(rn_schedule *schedule, int32_t share)
{
    assert(share >= 0 && share < 65536);
    schedule->reserved = share;
}

int64_t rn_schedule_annealing(const rn_schedule *schedule, int64_t length)
{
    return length - (length * schedule->reserved >> 16);
}

/* ---- one epoch ---- */

/* Sets a row's prices from its stiffness, Q16 energy per unit. */
static void set_row(rn_schedule *s, int32_t row, rn_i128 over, rn_i128 slack)
{
    const rn_tables *t = s->tables;
    const rn_view *v = &t->view;
    const rn_i128 cap = t->whole ? ((rn_i128)1 << (16 + RN_NARROW_BITS)) / (4 * s->most[row])
                                 : ((rn_i128)1 << 60) / (4 * (rn_i128)s->most[row]);
    const bool limited =
        row < t->rows && (rn_row_high(v, row) != INT64_MAX || rn_row_low(v, row) != INT64_MIN);
    rn_i128 p = limited ? over < cap ? over : cap : 0;
    rn_i128 q = limited ? slack < p ? slack : p : 0;
    if (t->whole && limited) {
        p = p < 65536 ? 65536 : p >> 16 << 16;
        q = (q + 32768) >> 16 << 16;
        q = q < p ? q : p;
        s->clamp[row] = p > 0 ? (int64_t)(((rn_i128)1 << (16 + RN_NARROW_BITS)) / p) : 0;
    } else {
        s->clamp[row] = p > 0 ? (int64_t)(((rn_i128)1 << 60) / p) : 0;
    }
    assert(q >= 0 && q <= p && s->clamp[row] >= 0);
    s->over[row] = (int64_t)p;
    s->slack[row] = (int64_t)q;
}

static int64_t least64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Twice a row's price: what slack is worth at most. */
static rn_i128 slack_cap(const rn_schedule *s, int32_t row)
{
    return row < s->tables->rows ? 2 * (rn_i128)magnitude(s->tables->price[row]) : 0;
}

/* Unit of load of a row in which the cold end of its stiffness is told. */
static int64_t load_unit(const rn_schedule *s, int32_t row)
{
    return s->mean[row] > MEAN_UNIT ? s->mean[row] / MEAN_UNIT : 1;
}

/* Interpolates between two levels at share / 2^16. */
static int64_t between(int64_t from, int64_t to, int64_t share)
{
    return from + ((to - from) * share >> 16);
}

static void one_row_prices(rn_schedule *s, int64_t t0, int64_t t1, int64_t share, int32_t doublings)
{
    const int64_t grown = least64(65536, share * 20 / 19); /* over the first 95 % */
    for (int32_t r = 0; r <= s->tables->rows; r++) {
        /* sigma in Q16: energy_of(t) * 65536 = t / ln 2 = t * 1.4427 */
        const rn_i128 first = (rn_i128)t0 * 2 * 94548 / 65536 / s->mean[r];
        const rn_i128 last = (rn_i128)t1 * 20 * 94548 / 65536 / load_unit(s, r);
        const int64_t low = rn_log2(rn_i128_saturate(first < 1 ? 1 : first));
        const int64_t high = rn_log2(rn_i128_saturate(last < 1 ? 1 : last));
        const int64_t level = between(low, high > low ? high : low, grown);
        const rn_i128 sigma = rn_exp2(least64(level, ((int64_t)61 << 16)));
        const rn_i128 slack = sigma < slack_cap(s, r) ? sigma : slack_cap(s, r);
        set_row(s, r, (4 * sigma) << (doublings + s->weight[r]), slack);
    }
}

static void general_prices(rn_schedule *s, int64_t share, int32_t doublings)
{
    const int64_t hot = rn_exp2(s->hot);
    for (int32_t r = 0; r <= s->tables->rows; r++) {
        const rn_i128 whole = (rn_i128)hot * 94548 / 65536; /* Q16 energy of T */
        const int64_t low = rn_log2(rn_i128_saturate(whole / 2 / s->mean[r] + 1));
        const rn_i128 mean = 64 * whole / s->mean[r] + 1;
        const int64_t high = rn_log2(rn_i128_saturate(mean));
        const int64_t level = between(low, high, least64(65536, share * 5 / 4));
        const rn_i128 over = rn_exp2(least64(level, ((int64_t)61 << 16)));
        const rn_i128 slack = over / 4 < slack_cap(s, r) / 2 ? over / 4 : slack_cap(s, r) / 2;
        set_row(s, r, over << (doublings + s->weight[r]), slack);
    }
}

static void point(const rn_schedule *s, rn_epoch *e)
{
    e->over_price = s->over;
    e->slack_price = s->slack;
    e->clamp = s->clamp;
    e->heat = s->heat;
    e->push = s->push;
    e->mate = s->mate;
}

void rn_schedule_epoch(rn_schedule *s, int64_t epoch, const rn_progress_facts *facts, rn_epoch *e)
{
    const rn_tables *t = s->tables;
    int64_t first;
    int64_t length;
    const int32_t homotopy = rn_schedule_homotopy(epoch, &first, &length);
    length = rn_schedule_annealing(s, length);
    const int64_t at = least64(epoch - first, length - 1); /* refinement goes on at the cold end */
    int64_t hot = s->hot;
    int64_t cold = s->hot - 65536; /* before there is a plan: Tmax to Tmax / 2 */
    const int32_t doublings = facts->doublings < RN_WEIGHT_MOST ? facts->doublings : RN_WEIGHT_MOST;
    const bool known = facts->best_violation == 0 && facts->bound != INT64_MIN;
    if (t->one_row && known && homotopy > 0) {
        const int64_t above = facts->best_cost > facts->bound ? facts->best_cost - facts->bound : 1;
        const int64_t gap = rn_energy(t, above) > 0 ? rn_energy(t, above) : 1;
        hot = temperature_at(s, gap / 4);
        cold = temperature_at(s, gap / 40);
        cold = cold < hot - 65536 ? cold : hot - 65536;
    } else if (!t->one_row) {
        cold = s->hot - ((int64_t)GENERAL_OCTAVES << 16);
    }
    hot = hot < 0 ? 0 : hot;
    cold = cold < 0 ? 0 : cold;
    for (int32_t x = 0; x < RN_EPOCH_LEVELS; x++) {
        const int64_t done = at * RN_EPOCH_LEVELS + x;
        const int64_t share = done * 65536 / (length * RN_EPOCH_LEVELS);
        assert(share >= 0 && share < 65536 && cold <= hot);
        e->temperature[x] = rn_exp2(between(hot, cold, share));
    }
    const int64_t share = at * 65536 / length;
    if (t->one_row) {
        one_row_prices(s, rn_exp2(hot), rn_exp2(cold), share, doublings);
    } else {
        general_prices(s, share, doublings);
    }
    e->stiffness =
        (int32_t)least64(65536, 8192 + share * 57344 / 39322); /* 1/8 to 1 over the first 60 % */
    assert(e->stiffness >= 8192 && e->stiffness <= 65536);
    e->depth = t->one_row ? 1 : 2;
    point(s, e);
}

void rn_schedule_rigid(rn_schedule *s, rn_epoch *e)
{
    const int64_t hot = rn_exp2(s->hot);
    for (int32_t r = 0; r <= s->tables->rows; r++) {
        set_row(s, r, ((rn_i128)hot * 256) / load_unit(s, r) + 1, 0);
    }
    e->stiffness = 65536;
    e->depth = 0;
    point(s, e);
}
