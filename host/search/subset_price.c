/* Prices of a subset's rows and what they say about its options. See subset_form.h. */
#include <assert.h>

#include "base/i128.h"
#include "core/eval.h"
#include "core/state.h"
#include "search/subset_form.h"

enum {
    STEP_ONE = 256,    /* Q8 length of a step: 1 */
    STEP_PATIENCE = 3, /* passes without gain before it is halved */
};

#define PRICE_MOST ((int64_t)1 << 44)

/* What one pass under some prices found. */
typedef struct pass {
    int64_t excess[RN_SUBSET_WIDTH]; /* load of the best options above the limit */
    int64_t bound;
} pass;

static int64_t priced(const rn_subset *s, const rn_subset_option *o)
{
    return o->energy + rn_priced(s->price[o->row], o->amount);
}

/* The highest price of a row at which no product overflows. */
static int64_t highest(const rn_subset *s, int32_t r)
{
    const int64_t limit = s->limit[r] < 0 ? -(int64_t)s->limit[r] : s->limit[r];
    const int64_t most = ((int64_t)1 << 60) / (limit + s->amount_most + 1);
    return most < PRICE_MOST ? most : PRICE_MOST;
}

static void look(rn_subset *s, pass *p)
{
    p->bound = 0;
    for (int32_t r = 0; r < RN_SUBSET_WIDTH; r++) {
        p->excess[r] = -(int64_t)s->limit[r];
        p->bound -= rn_priced(s->price[r], s->limit[r]);
    }
    for (int32_t x = 0; x < s->items; x++) {
        const rn_subset_option *option = s->option + s->item[x].first;
        int64_t least = INT64_MAX;
        int32_t best = 0;
        for (int32_t o = 0; o < s->item[x].count; o++) {
            const int64_t value = priced(s, option + o);
            best = value < least ? o : best;
            least = value < least ? value : least;
        }
        p->bound += least;
        p->excess[option[best].row] += option[best].amount;
    }
    s->work += s->options;
}

/* Steps along the excess: price += step (target - bound) / |excess|^2 excess, kept >= 0. Returns
 * whether there was a direction. */
static bool step(rn_subset *s, const pass *p, int64_t length)
{
    rn_i128 norm = 0;
    const int64_t gap = s->target - p->bound > 1 ? s->target - p->bound : 1;
    for (int32_t r = 0; r < s->rows; r++) {
        if (p->excess[r] > 0 || s->price[r] > 0) {
            norm += (rn_i128)p->excess[r] * p->excess[r];
        }
    }
    if (norm == 0) {
        return false;
    }
    const rn_i128 factor = ((rn_i128)gap * length << 24) / norm; /* Q32 */
    for (int32_t r = 0; r < s->rows; r++) {
        const int64_t price = rn_i128_saturate(s->price[r] + (factor * p->excess[r] >> 16));
        const int64_t most = highest(s, r);
        s->price[r] = price < 0 ? 0 : price < most ? price : most;
    }
    return true;
}

static void keep(const rn_subset *s, int64_t *price)
{
    for (int32_t r = 0; r < RN_SUBSET_WIDTH; r++) {
        price[r] = s->price[r];
    }
}

/* Sets reduced costs and each item's best option. */
static void reduce(rn_subset *s)
{
    s->best_cost = 0;
    s->best_hash = 0;
    for (int32_t x = 0; x < s->items; x++) {
        rn_subset_item *item = &s->item[x];
        rn_subset_option *option = s->option + item->first;
        int64_t least = INT64_MAX;
        item->least = INT64_MAX;
        for (int32_t o = 0; o < item->count; o++) {
            option[o].reduced = priced(s, option + o);
            item->best = option[o].reduced < least ? o : item->best;
            least = option[o].reduced < least ? option[o].reduced : least;
        }
        for (int32_t o = 0; o < item->count; o++) {
            option[o].reduced -= least;
            if (o != item->best && option[o].reduced < item->least) {
                item->least = option[o].reduced;
            }
        }
        assert(least != INT64_MAX && option[item->best].reduced == 0);
        s->best_cost += option[item->best].cost;
        s->best_hash += rn_pick_hash(item->item, option[item->best].option);
    }
    s->work += 2 * s->options;
}

void rn_subset_price(rn_subset *s, int32_t passes)
{
    int64_t best[RN_SUBSET_WIDTH];
    int64_t length = STEP_ONE;
    int32_t idle = 0;
    pass p;
    for (int32_t r = 0; r < s->rows; r++) {
        s->price[r] = s->price[r] < highest(s, r) ? s->price[r] : highest(s, r);
    }
    look(s, &p);
    s->bound = p.bound;
    keep(s, best);
    for (int32_t k = 0; k < passes && step(s, &p, length); k++) {
        look(s, &p);
        idle++;
        if (p.bound > s->bound) {
            s->bound = p.bound;
            keep(s, best);
            idle = 0;
        } else if (idle == STEP_PATIENCE) {
            length /= 2;
            idle = 0;
        }
    }
    for (int32_t r = 0; r < RN_SUBSET_WIDTH; r++) {
        s->price[r] = best[r];
    }
    reduce(s);
}

int32_t rn_subset_count(const rn_subset *s)
{
    int32_t count = 0;
    for (int32_t o = 0; o < s->options; o++) {
        count += s->option[o].reduced <= s->budget;
    }
    return count - s->items;
}
