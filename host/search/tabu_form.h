/* The tables of tabu.h for one width of values: included by tabu.c once for each
 * width, because the loops have to be over elements of their own type to become
 * vector code. Before: RN_VALUE, the type; RN_UNSIGNED, the same without sign;
 * RN_VALUE_MAX; RN_FORM(name), the name with a suffix of its own. No header
 * guard, by purpose.
 *
 * The ranges that tabu_make.c proved make sure that nothing here overflows. Only
 * the columns beyond the seats may wrap: they are barred, and nobody reads them.
 */

typedef struct RN_FORM(matrices) {
    const RN_VALUE *flow;
    const RN_VALUE *flow_back;
    const RN_VALUE *distance;
    const RN_VALUE *distance_back;
    const RN_VALUE *own;
    RN_VALUE *gain;   /* G: [seats * stride] */
    RN_VALUE *delta;  /* D: [items * stride] */
    RN_VALUE *until;  /* [items * stride] step until which a swap is tabu; RN_VALUE_MAX: barred */
    RN_VALUE *vector; /* [8 * stride] */
    RN_VALUE *least;  /* [items] of a row of delta, among what is not tabu */
} RN_FORM(matrices);

static inline RN_FORM(matrices) RN_FORM(open)(const rn_tabu *t, const rn_tabu_work *w)
{
    const RN_FORM(matrices) m = {t->flow, t->flow_back, t->distance, t->distance_back, t->own,
                                 w->gain, w->delta,     w->until,    w->vector,        w->least};
    return m;
}

/* sum[l] += factor * step[l] */
static inline void RN_FORM(add)(RN_VALUE *sum, const RN_VALUE *step, RN_VALUE factor, int32_t n)
{
    for (int32_t l = 0; l < n; l++) {
        sum[l] += factor * step[l];
    }
}

/* First element of the part of row i of delta that is kept: columns from there on. */
static inline int32_t RN_FORM(from)(int32_t i)
{
    return (i + 1) / RN_TABU_BLOCK * RN_TABU_BLOCK;
}

/* Pairs of r with every item, read off G. */
static inline void RN_FORM(pairs)(const rn_tabu *t, const rn_tabu_work *w,
                                  const RN_FORM(matrices) * m, int32_t r)
{
    const int64_t stride = t->stride;
    const int32_t *seat = w->seat;
    const RN_VALUE *gain = m->gain + r * stride;
    const RN_VALUE *flow = m->flow + r * stride;
    const RN_VALUE *back = m->flow_back + r * stride;
    const RN_VALUE *far = m->distance + seat[r] * stride;
    const RN_VALUE *near = m->distance_back + seat[r] * stride;
    const RN_VALUE here = gain[seat[r]];
    for (int32_t j = 0; j < t->seats; j++) {
        const int32_t q = seat[j];
        const RN_VALUE moved =
            gain[q] - here + m->gain[j * stride + seat[r]] - m->gain[j * stride + q];
        const RN_VALUE mutual =
            t->directed ? (flow[j] + back[j]) * (far[q] + near[q]) : 2 * flow[j] * far[q];
        const RN_VALUE change = j == r ? 0 : moved + mutual;
        if (j < t->items) {
            m->delta[j * stride + r] = change;
        }
        if (r < t->items) {
            m->delta[r * stride + j] = change;
        }
    }
}

/* Until when swaps of r are tabu. */
static inline void RN_FORM(bar)(const rn_tabu *t, const rn_tabu_work *w,
                                const RN_FORM(matrices) * m, int32_t r)
{
    const int64_t stride = t->stride;
    const int32_t place = t->seat_place[w->seat[r]];
    for (int32_t j = 0; j < t->seats; j++) {
        const int32_t a = w->tabu[r * stride + w->seat[j]];
        const int32_t b = w->tabu[j * stride + w->seat[r]];
        const bool same = t->seat_place[w->seat[j]] == place;
        const RN_VALUE until = same ? RN_VALUE_MAX : a < b ? a : b;
        if (j < t->items) {
            m->until[j * stride + r] = until;
        }
        if (r < t->items) {
            m->until[r * stride + j] = until;
        }
    }
}

/* All tables from scratch. */
static void RN_FORM(load)(const rn_tabu *t, rn_tabu_work *w)
{
    const RN_FORM(matrices) m = RN_FORM(open)(t, w);
    const int64_t stride = t->stride;
    memcpy(m.gain, m.own, (size_t)(t->seats * stride) * sizeof *m.gain);
    for (int32_t i = 0; i < t->items; i++) {
        for (int32_t k = 0; k < t->items; k++) {
            const int64_t at = w->seat[k] * stride;
            const RN_VALUE out = m.flow[i * stride + k];
            if (out != 0) {
                RN_FORM(add)(m.gain + i * stride, m.distance_back + at, out, t->stride);
            }
            const RN_VALUE in = t->directed ? m.flow_back[i * stride + k] : 0;
            if (in != 0) {
                RN_FORM(add)(m.gain + i * stride, m.distance + at, in, t->stride);
            }
        }
    }
    for (int64_t x = 0; x < t->items * stride; x++) {
        m.delta[x] = 0;
        m.until[x] = RN_VALUE_MAX;
    }
    memset(w->tabu, 0, (size_t)(t->seats * stride) * sizeof *w->tabu);
    for (int32_t r = 0; r < t->seats; r++) {
        RN_FORM(pairs)(t, w, &m, r);
        RN_FORM(bar)(t, w, &m, r);
    }
}

/* Row i of D after a swap, for one product. */
static inline void RN_FORM(product)(RN_VALUE *delta, const RN_VALUE *x, const RN_VALUE *y,
                                    RN_VALUE xi, RN_VALUE yi, int32_t n)
{
    for (int32_t j = 0; j < n; j++) {
        delta[j] =
            (RN_VALUE)((RN_UNSIGNED)delta[j] - (RN_UNSIGNED)(xi - x[j]) * (RN_UNSIGNED)(yi - y[j]));
    }
}

/* One direction of the update: how traffic from r and s differs, times how their seats differ. */
static inline void RN_FORM(direction)(const rn_tabu *t, const rn_tabu_work *w,
                                      const RN_FORM(matrices) * m, int32_t r, int32_t s, bool back)
{
    const int64_t stride = t->stride;
    const RN_VALUE *flow = back ? m->flow : m->flow_back; /* a(r, i) or a(i, r) over i */
    const RN_VALUE *distance = back ? m->distance : m->distance_back;
    RN_VALUE *x = m->vector;
    RN_VALUE *y = x + stride;
    RN_VALUE *z = y + stride;
    const RN_VALUE *flow_r = flow + r * stride;
    const RN_VALUE *flow_s = flow + s * stride;
    const RN_VALUE *to_r = distance + w->seat[r] * stride;
    const RN_VALUE *to_s = distance + w->seat[s] * stride;
    for (int32_t l = 0; l < t->stride; l++) {
        x[l] = flow_r[l] - flow_s[l];
        z[l] = to_r[l] - to_s[l];
    }
    for (int32_t i = 0; i < t->seats; i++) {
        y[i] = z[w->seat[i]];
    }
    for (int32_t i = 0; i < t->items; i++) {
        if (x[i] != 0) {
            RN_FORM(add)(m->gain + i * stride, z, x[i], t->stride);
        }
        const int32_t from = RN_FORM(from)(i);
        RN_FORM(product)
        (m->delta + i * stride + from, x + from, y + from, x[i], y[i], t->stride - from);
    }
}

RN_CLONES static void RN_FORM(swap)(const rn_tabu *t, rn_tabu_work *w, int32_t r, int32_t s)
{
    const RN_FORM(matrices) m = RN_FORM(open)(t, w);
    const int32_t seat = w->seat[r];
    w->seat[r] = w->seat[s];
    w->seat[s] = seat;
    RN_FORM(direction)(t, w, &m, r, s, false);
    if (t->directed) {
        RN_FORM(direction)(t, w, &m, r, s, true);
    }
    RN_FORM(pairs)(t, w, &m, r);
    RN_FORM(pairs)(t, w, &m, s);
    RN_FORM(bar)(t, w, &m, r);
    RN_FORM(bar)(t, w, &m, s);
}

/* A change if its swap may be made, else the largest value. */
static inline RN_VALUE RN_FORM(allowed)(RN_VALUE delta, RN_VALUE until, RN_VALUE step,
                                        RN_VALUE wanted)
{
    const RN_VALUE limit = until == RN_VALUE_MAX ? -RN_VALUE_MAX : wanted;
    const RN_VALUE tabu = delta < limit ? delta : RN_VALUE_MAX;
    return until > step ? tabu : delta;
}

static inline RN_VALUE RN_FORM(row_least)(const RN_VALUE *delta, const RN_VALUE *until,
                                          RN_VALUE step, RN_VALUE wanted, int32_t n)
{
    RN_VALUE least = RN_VALUE_MAX;
    for (int32_t j = 0; j < n; j++) {
        const RN_VALUE value = RN_FORM(allowed)(delta[j], until[j], step, wanted);
        least = value < least ? value : least;
    }
    return least;
}

/* The least change that is not tabu, or is below `wanted`; among equals the one that word draws. */
RN_CLONES static rn_tabu_pair RN_FORM(choose)(const rn_tabu *t, rn_tabu_work *w, int64_t now,
                                              int64_t below, uint32_t word)
{
    const RN_FORM(matrices) m = RN_FORM(open)(t, w);
    const RN_VALUE step = (RN_VALUE)now;
    const RN_VALUE wanted = below < -(RN_VALUE_MAX / 2) ? -(RN_VALUE_MAX / 2) : (RN_VALUE)below;
    RN_VALUE least = RN_VALUE_MAX;
    int32_t ties = 0;
    for (int32_t i = 0; i < t->items; i++) {
        const int32_t from = RN_FORM(from)(i);
        const int64_t at = (int64_t)i * t->stride + from;
        m.least[i] = RN_FORM(row_least)(m.delta + at, m.until + at, step, wanted, t->stride - from);
        least = m.least[i] < least ? m.least[i] : least;
    }
    rn_tabu_pair pair = {-1, -1, 0};
    if (least == RN_VALUE_MAX) {
        return pair;
    }
    for (int32_t i = 0; i < t->items; i++) {
        const int64_t at = (int64_t)i * t->stride;
        for (int32_t j = i + 1; m.least[i] == least && j < t->seats; j++) {
            if (RN_FORM(allowed)(m.delta[at + j], m.until[at + j], step, wanted) == least) {
                w->tie[ties].first = i;
                w->tie[ties].second = j;
                ties = ties < RN_TABU_TIES - 1 ? ties + 1 : ties;
            }
        }
    }
    pair = w->tie[rn_random_below(word, ties)];
    pair.change = least;
    return pair;
}
