/* Builds and evaluates the knapsack bound. The formula is in bound/knapsack.h. */
#include "bound/knapsack.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clones.h"
#include "core/fail.h"

enum { ROOM_MAX = 1 << 16, PACKABLES_MAX = 1 << 22 };
#define SUM_MAX ((int64_t)1 << 61)

/* ---- which rows ---- */

/* g of a row at a load. */
static rn_i128 charge_at(const rn_view *view, const int64_t *price, int32_t row, int64_t z)
{
    rn_i128 sum = (rn_i128)rn_relax_row_cost(view, false, row, z) * ((rn_i128)1 << RN_PRICE_BITS);
    for (int32_t feed = view->row_feed[row]; feed < view->row_feed[row + 1]; feed++) {
        sum += (rn_i128)price[view->feed_to[feed]] *
               rn_pieces_at(view->piece, view->feed_piece[feed], view->feed_piece[feed + 1], z);
    }
    return sum;
}

/* Whether a row can be kept, as far as it goes by the row alone. */
static bool row_fits(const rn_relax *relax, const int64_t *price, int32_t row)
{
    const rn_view *view = relax->view;
    const rn_i128 room = (rn_i128)relax->high[row] - view->row_offset[row];
    if (view->row_rank[row] != 0 || relax->low[row] != view->row_offset[row] || room < 0 ||
        room > ROOM_MAX) {
        return false;
    }
    const bool bare = view->row_piece[row] == view->row_piece[row + 1] &&
                      view->row_feed[row] == view->row_feed[row + 1];
    rn_i128 before = 0;
    for (int64_t z = relax->low[row]; !bare && z <= relax->high[row]; z++) {
        const rn_i128 here = charge_at(view, price, row, z);
        if ((z > relax->low[row] && here < before) || here > SUM_MAX || here < -SUM_MAX) {
            return false;
        }
        before = here;
    }
    return true;
}

/* Marks the rows that can be kept; where some of them charge for their load, those alone. Returns
 * whether there are any. */
static bool choose_rows(const rn_relax *relax, const int64_t *price, char *kept)
{
    const rn_view *view = relax->view;
    bool any = false;
    bool feeds = false;
    memset(kept, 0, (size_t)view->all_rows);
    for (int32_t row = 0; row < view->rows; row++) {
        kept[row] = row_fits(relax, price, row) ? 1 : 0;
        feeds = feeds || (kept[row] != 0 && view->row_feed[row] < view->row_feed[row + 1]);
    }
    for (int32_t row = 0; row < view->rows; row++) {
        kept[row] = feeds && view->row_feed[row] == view->row_feed[row + 1] ? 0 : kept[row];
        any = any || kept[row] != 0;
    }
    return any;
}

/* The kept row that an option loads, -1: none, -2: two of them, or a negative amount. */
static int32_t kept_row(const rn_view *view, const char *kept, int32_t entry, int32_t place,
                        int64_t *amount)
{
    int32_t found = -1;
    *amount = 0;
    for (int32_t use = view->entry_use[entry]; use < view->entry_use[entry + 1]; use++) {
        const bool direct = view->entry_class[entry] < 0;
        const int32_t target = view->use_target[use];
        const int64_t cell = direct ? 0 : (int64_t)place * view->roles + target;
        const int32_t first = direct ? 0 : view->role_row_at[cell];
        const int32_t end = direct ? 1 : view->role_row_at[cell + 1];
        for (int32_t k = first; k < end; k++) {
            const int32_t row = direct ? target : view->role_row[k];
            if (kept[row] == 0) {
                continue;
            }
            if ((found >= 0 && found != row) || view->use_amount[use] < 0) {
                return -2;
            }
            found = row;
            *amount += view->use_amount[use];
        }
    }
    return found;
}

/* ---- building ---- */

typedef struct build {
    rn_relax *relax;
    const rn_pass *pass; /* evaluated with the kept rows solved */
    const char *kept;
    int32_t *sack_of; /* [all_rows] */
    int32_t *fill;    /* [sacks] packables so far */
    rn_knapsack *made;
    int64_t most;   /* magnitude of a cost */
    rn_i128 minima; /* sum over items of the least cost of all their options */
} build;

/* Lists an item's options, or counts them per sack while made->packable is NULL. Returns false when
 * one doesn't fit the form. */
static bool list_item(build *b, int32_t item)
{
    const rn_view *view = b->relax->view;
    bool any = false;
    rn_i128 least = 0;
    for (int32_t entry = view->item_entry[item]; entry < view->item_entry[item + 1]; entry++) {
        int32_t first = 0;
        const int32_t places = rn_relax_entry_places(view, entry, &first);
        for (int32_t place = first; place < first + places; place++) {
            int64_t amount = 0;
            if (!rn_relax_allowed(b->relax, item, entry, place)) {
                continue;
            }
            const int32_t row = kept_row(view, b->kept, entry, place, &amount);
            const rn_i128 cost =
                rn_relax_option_cost(b->relax, item, entry, place) * ((rn_i128)1 << RN_PRICE_BITS) +
                rn_relax_option_price(b->relax, b->pass, item, entry, place);
            if (row == -2 || cost > b->most || cost < -b->most) {
                return false;
            }
            least = !any || cost < least ? cost : least;
            any = true;
            if (row < 0) {
                int64_t *free_cost = &b->made->free_cost[item];
                *free_cost = cost < *free_cost ? (int64_t)cost : *free_cost;
            } else if (amount <= b->made->sack[b->sack_of[row]].room) {
                const int32_t sack = b->sack_of[row];
                const rn_packable packable = {item, (int32_t)amount, (int64_t)cost};
                if (b->made->packable != NULL) {
                    b->made->packable[b->made->sack[sack].first + b->fill[sack]] = packable;
                }
                b->fill[sack]++;
            }
        }
    }
    assert(any);
    b->minima += least;
    return true;
}

static bool list_items(build *b)
{
    memset(b->fill, 0, (size_t)b->made->sacks * sizeof *b->fill);
    b->minima = 0;
    for (int32_t item = 0; item < b->relax->view->items; item++) {
        b->made->free_cost[item] = INT64_MAX;
        if (!list_item(b, item)) {
            return false;
        }
    }
    return true;
}

static void carve_sacks(rn_layout *layout, const rn_view *view, int32_t sacks,
                        rn_knapsack **knapsack)
{
    rn_knapsack *k = (rn_knapsack *)rn_carve(layout, 1, sizeof *k);
    rn_sack *sack = (rn_sack *)rn_carve(layout, sacks, sizeof *sack);
    int64_t *free_cost = (int64_t *)rn_carve(layout, view->items, sizeof *free_cost);
    if (k != NULL) {
        k->sack = sack;
        k->free_cost = free_cost;
        k->sacks = sacks;
    }
    *knapsack = k;
}

/* Charges of the sacks that have any. */
static ration_status fill_charges(rn_knapsack *k, const int64_t *price, ration_error *error)
{
    const rn_view *view = k->relax->view;
    int64_t count = 0;
    for (int32_t s = 0; s < k->sacks; s++) {
        const int32_t row = k->sack[s].row;
        k->sack[s].charged = view->row_piece[row] < view->row_piece[row + 1] ||
                             view->row_feed[row] < view->row_feed[row + 1];
        k->sack[s].charge = count;
        count += k->sack[s].charged ? (int64_t)k->sack[s].room + 1 : 0;
    }
    k->charges = (int64_t *)rn_malloc(((size_t)count + 1) * sizeof *k->charges);
    if (k->charges == NULL) {
        return rn_fail_memory(error, "charges of knapsacks", (size_t)count * sizeof *k->charges);
    }
    for (int32_t s = 0; s < k->sacks; s++) {
        const rn_sack *sack = &k->sack[s];
        for (int32_t z = 0; sack->charged && z <= sack->room; z++) {
            k->charges[sack->charge + z] =
                (int64_t)charge_at(view, price, sack->row, view->row_offset[sack->row] + z);
        }
    }
    return RATION_OK;
}

static void find_repeats(rn_knapsack *k)
{
    for (int32_t s = 1; s < k->sacks; s++) {
        const rn_sack *a = &k->sack[s - 1];
        rn_sack *b = &k->sack[s];
        const int32_t count = b->end - b->first;
        bool same = a->end - a->first == count && a->room == b->room && a->charged == b->charged;
        same = same && (!a->charged || memcmp(k->charges + a->charge, k->charges + b->charge,
                                              ((size_t)a->room + 1) * sizeof *k->charges) == 0);
        for (int32_t j = 0; same && j < count; j++) {
            const rn_packable *p = &k->packable[a->first + j];
            const rn_packable *q = &k->packable[b->first + j];
            same = p->item == q->item && p->amount == q->amount && p->cost == q->cost;
        }
        b->repeats = same;
    }
}

static ration_status make_scratch(rn_knapsack *k, ration_error *error)
{
    size_t most = 1;
    for (int32_t s = 0; s < k->sacks; s++) {
        const size_t count = (size_t)(k->sack[s].end - k->sack[s].first);
        most = count > most ? count : most;
    }
    const size_t room = (size_t)k->most_room + 1;
    k->value[0] = (int64_t *)rn_malloc(room * sizeof *k->value[0]);
    k->value[1] = (int64_t *)rn_malloc(room * sizeof *k->value[1]);
    k->taken = (char *)rn_malloc(most * room);
    k->chosen = (int32_t *)rn_malloc(most * sizeof *k->chosen);
    k->ratio = (rn_ratio *)rn_malloc(most * sizeof *k->ratio);
    return k->value[0] != NULL && k->value[1] != NULL && k->taken != NULL && k->chosen != NULL &&
                   k->ratio != NULL
               ? RATION_OK
               : rn_fail_memory(error, "knapsacks", most * room);
}

/* Fills a knapsack whose sacks and rows are set. *fits: out, false when it is not of the form. */
static ration_status fill(build *b, const int64_t *price, bool *fits, ration_error *error)
{
    rn_knapsack *k = b->made;
    *fits = list_items(b);
    int64_t count = 0;
    for (int32_t s = 0; *fits && s < k->sacks; s++) {
        k->sack[s].first = (int32_t)count;
        count += b->fill[s];
        *fits = count <= PACKABLES_MAX;
        k->sack[s].end = (int32_t)count;
        k->most_room = k->sack[s].room > k->most_room ? k->sack[s].room : k->most_room;
    }
    if (!*fits) {
        return RATION_OK;
    }
    k->packable = (rn_packable *)rn_malloc(((size_t)count + 1) * sizeof *k->packable);
    if (k->packable == NULL) {
        return rn_fail_memory(error, "options of knapsacks", (size_t)count * sizeof *k->packable);
    }
    (void)list_items(b);
    k->other = b->pass->value - b->minima;
    RN_TRY(fill_charges(k, price, error));
    find_repeats(k);
    return make_scratch(k, error);
}

static ration_status build_with(rn_relax *relax, const int64_t *price, const char *kept, build *b,
                                bool *fits, ration_error *error)
{
    const rn_view *view = relax->view;
    rn_pass *pass = NULL;
    RN_TRY(rn_pass_create(relax, &pass, error));
    memcpy(relax->solved, kept, (size_t)view->all_rows);
    rn_relax_evaluate_generic(relax, price, pass);
    memset(relax->solved, 0, (size_t)view->all_rows);
    b->pass = pass;
    const ration_status status = fill(b, price, fits, error);
    rn_pass_free(pass);
    return status;
}

ration_status rn_knapsack_create(rn_relax *relax, const int64_t *price, char *kept,
                                 rn_knapsack **made, ration_error *error)
{
    const rn_view *view = relax->view;
    assert(relax->group == NULL && !relax->violation && relax->empty_row < 0);
    *made = NULL;
    if (!choose_rows(relax, price, kept)) {
        return RATION_OK;
    }
    int32_t sacks = 0;
    for (int32_t row = 0; row < view->rows; row++) {
        sacks += kept[row];
    }
    rn_layout layout = {0};
    build b = {relax, NULL, kept, NULL, NULL, NULL, 0, 0};
    carve_sacks(&layout, view, sacks, &b.made);
    RN_TRY(rn_layout_allocate(&layout, "knapsacks", error));
    carve_sacks(&layout, view, sacks, &b.made);
    b.made->relax = relax;
    b.most = rn_knapsack_most(b.made);
    b.sack_of = (int32_t *)rn_malloc((size_t)view->all_rows * sizeof *b.sack_of);
    b.fill = (int32_t *)rn_malloc((size_t)sacks * sizeof *b.fill);
    bool fits = false;
    ration_status status = RATION_OK;
    if (b.sack_of == NULL || b.fill == NULL) {
        status = rn_fail_memory(error, "knapsacks", (size_t)view->all_rows * sizeof *b.sack_of);
    } else {
        int32_t at = 0;
        for (int32_t row = 0; row < view->rows; row++) {
            if (kept[row] != 0) {
                b.sack_of[row] = at;
                b.made->sack[at].row = row;
                b.made->sack[at++].room = (int32_t)(relax->high[row] - view->row_offset[row]);
            }
        }
        assert(at == sacks);
        status = build_with(relax, price, kept, &b, &fits, error);
    }
    rn_free(b.sack_of);
    rn_free(b.fill);
    if (status != RATION_OK || !fits) {
        rn_knapsack_free(b.made);
        return status;
    }
    *made = b.made;
    return RATION_OK;
}

void rn_knapsack_free(rn_knapsack *k)
{
    if (k != NULL) {
        rn_free(k->packable);
        rn_free(k->charges);
        rn_free(k->value[0]);
        rn_free(k->value[1]);
        rn_free(k->taken);
        rn_free(k->chosen);
        rn_free(k->ratio);
        rn_free(k);
    }
}

int64_t rn_knapsack_most(const rn_knapsack *k)
{
    return SUM_MAX / (k->relax->view->items + 1) / 2;
}

/* ---- evaluation ---- */

/* A sack being packed: k->chosen[0 .. count-1], by item, compete for `room`. */
typedef struct packing {
    const rn_knapsack *k;
    const int64_t *v;
    int32_t count;
    int32_t room;
    int32_t times; /* how often its picks count */
    rn_packed *packed;
} packing;

static const rn_packable *chosen_at(const packing *p, int32_t at)
{
    return &p->k->packable[p->k->chosen[at]];
}

static int64_t gain_of(const packing *p, const rn_packable *option)
{
    return option->cost - p->v[option->item];
}

static void pick(const packing *p, const rn_packable *option)
{
    p->packed->count[option->item] += p->times;
}

/* Takes the options of one item, chosen[from .. end-1], into the table. The load of a state is at
 * most z. taken: a row of it for each option; only the last one marked counts. */
RN_CLONES static void add_item(const packing *p, int32_t from, int32_t end, const int64_t *before,
                               int64_t *after)
{
    const size_t width = (size_t)p->room + 1;
    memcpy(after, before, width * sizeof *after);
    for (int32_t j = from; j < end; j++) {
        const int64_t gain = gain_of(p, chosen_at(p, j));
        const int32_t amount = chosen_at(p, j)->amount;
        char *taken = p->k->taken + (size_t)j * width;
        assert(amount >= 0);
        memset(taken, 0, amount <= p->room ? (size_t)amount : width);
        for (int32_t z = amount; z <= p->room; z++) {
            const int64_t with = before[z - amount] + gain;
            taken[z] = with < after[z] ? 1 : 0;
            after[z] = with < after[z] ? with : after[z];
        }
    }
}

/* Least values by load, at most one option an item. Returns them: [room + 1]. */
static const int64_t *fill_table(const packing *p)
{
    int64_t *before = p->k->value[0];
    int64_t *after = p->k->value[1];
    memset(before, 0, ((size_t)p->room + 1) * sizeof *before);
    for (int32_t from = 0; from < p->count;) {
        int32_t end = from + 1;
        while (end < p->count && chosen_at(p, end)->item == chosen_at(p, from)->item) {
            end++;
        }
        add_item(p, from, end, before, after);
        int64_t *swapped = before;
        before = after;
        after = swapped;
        from = end;
    }
    p->packed->steps += (int64_t)p->count * (p->room + 1);
    return before;
}

/* Counts the picks that lead to the value at load z. */
static void walk_back(const packing *p, int32_t z)
{
    const size_t width = (size_t)p->room + 1;
    for (int32_t j = p->count - 1; j >= 0;) {
        const rn_packable *option = chosen_at(p, j);
        const bool taken = p->k->taken[(size_t)j * width + (size_t)z] != 0;
        if (taken) {
            pick(p, option);
            z -= option->amount;
        }
        j--;
        while (taken && j >= 0 && chosen_at(p, j)->item == option->item) {
            j--;
        }
    }
    assert(z >= 0);
}

/* The least value with charges, by the whole table. */
static int64_t pack_charged(const packing *p, const rn_sack *sack)
{
    const int64_t *value = fill_table(p);
    const int64_t *charge = p->k->charges + sack->charge;
    int32_t at = 0;
    for (int32_t z = 1; z <= p->room; z++) {
        at = value[z] + charge[z] < value[at] + charge[at] ? z : at;
    }
    walk_back(p, at);
    return value[at] + charge[at];
}

static int compare_ratios(const void *left, const void *right)
{
    const rn_ratio *a = (const rn_ratio *)left;
    const rn_ratio *b = (const rn_ratio *)right;
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->option < b->option ? -1 : 1;
}

/* Sorts the chosen by gain per amount. Returns the position of the first that doesn't fit, count if
 * all do; *greedy: out, value of all that fit one after the other. */
static int32_t sort_and_fill(const packing *p, int64_t *greedy)
{
    rn_ratio *ratio = p->k->ratio;
    for (int32_t j = 0; j < p->count; j++) {
        const rn_packable *option = chosen_at(p, j);
        ratio[j].option = p->k->chosen[j];
        ratio[j].key = option->amount > 0 ? gain_of(p, option) / option->amount : INT64_MIN;
    }
    qsort(ratio, (size_t)p->count, sizeof *ratio, compare_ratios);
    int32_t left = p->room;
    int32_t stop = p->count;
    *greedy = 0;
    for (int32_t j = 0; j < p->count; j++) {
        const rn_packable *option = &p->k->packable[ratio[j].option];
        if (option->amount <= left) {
            left -= option->amount;
            *greedy += gain_of(p, option);
        } else {
            stop = stop == p->count ? j : stop;
        }
    }
    return stop;
}

/* The least value without charges, one option an item: options are fixed in or out by what the
 * knapsack loses otherwise, the rest goes into the table. With the ratio of the option b that
 * doesn't fit as price, r_j = gain_j a_b - gain_b a_j is the reduced cost times a_b; an option
 * against whose sign the bound would exceed the greedy value is fixed. */
static int64_t pack_core(packing *p)
{
    int64_t greedy = 0;
    const int32_t stop = sort_and_fill(p, &greedy);
    p->packed->steps += 8 * (int64_t)p->count;
    if (stop == p->count) {
        for (int32_t j = 0; j < p->count; j++) {
            pick(p, chosen_at(p, j));
        }
        return greedy;
    }
    const rn_packable *b = &p->k->packable[p->k->ratio[stop].option];
    const rn_i128 gain_b = gain_of(p, b);
    rn_i128 bound = gain_b * p->room;
    for (int32_t j = 0; j < p->count; j++) {
        const rn_packable *option = chosen_at(p, j);
        const rn_i128 reduced = (rn_i128)gain_of(p, option) * b->amount - gain_b * option->amount;
        bound += reduced < 0 ? reduced : 0;
    }
    const rn_i128 slack = (rn_i128)greedy * b->amount - bound;
    assert(slack >= 0);
    int64_t fixed = 0;
    int64_t open = 0; /* sum of amounts */
    int32_t kept = 0;
    for (int32_t j = 0; j < p->count; j++) {
        const rn_packable *option = chosen_at(p, j);
        const rn_i128 reduced = (rn_i128)gain_of(p, option) * b->amount - gain_b * option->amount;
        if (reduced < -slack) {
            fixed += gain_of(p, option);
            p->room -= option->amount;
            pick(p, option);
        } else if (reduced <= slack) {
            open += option->amount;
            p->k->chosen[kept++] = p->k->chosen[j];
        }
    }
    assert(p->room >= 0);
    assert(kept <= p->count && fixed <= 0 && open >= 0);
    p->count = kept;
    p->room = open < p->room ? (int32_t)open : p->room;
    const int64_t *value = fill_table(p);
    const int64_t least = value[p->room];
    walk_back(p, p->room);
    return fixed + least;
}

/* The least value of a sack; counts its picks `times` times. */
static int64_t pack(const rn_knapsack *k, const rn_sack *sack, const int64_t *v, int32_t times,
                    rn_packed *packed)
{
    packing p = {k, v, 0, sack->room, times, packed};
    bool once = true; /* no item has two of the options chosen */
    for (int32_t j = sack->first; j < sack->end; j++) {
        if (k->packable[j].cost < v[k->packable[j].item]) {
            once =
                once && (p.count == 0 || chosen_at(&p, p.count - 1)->item != k->packable[j].item);
            k->chosen[p.count++] = j;
        }
    }
    packed->steps += sack->end - sack->first;
    if (sack->charged) {
        return pack_charged(&p, sack);
    }
    if (once) {
        return pack_core(&p);
    }
    const int64_t least = fill_table(&p)[p.room];
    walk_back(&p, p.room);
    return least;
}

void rn_knapsack_evaluate(const rn_knapsack *k, const int64_t *v, rn_packed *packed)
{
    const rn_view *view = k->relax->view;
    packed->value = k->other;
    packed->steps = 0;
    for (int32_t item = 0; item < view->items; item++) {
        assert(v[item] <= rn_knapsack_most(k) && v[item] >= -rn_knapsack_most(k));
        const bool idle = k->free_cost[item] < v[item];
        packed->value += v[item];
        packed->value += idle ? (rn_i128)k->free_cost[item] - v[item] : 0;
        packed->count[item] = idle ? 1 : 0;
    }
    for (int32_t s = 0; s < k->sacks;) {
        int32_t times = 1;
        while (s + times < k->sacks && k->sack[s + times].repeats) {
            times++;
        }
        packed->value += (rn_i128)times * pack(k, &k->sack[s], v, times, packed);
        s += times;
    }
}
