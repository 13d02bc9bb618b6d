/* Two halves of deviations and their join. See subset_form.h. */
#include <assert.h>
#include <string.h>

#include "core/eval.h"
#include "core/state.h"
#include "search/subset_form.h"

enum {
    CELLS_WINDOW = 4,   /* cells that the budget spans in one row's load, about */
    CELLS_AROUND = 16,  /* of one row that are visited, at most */
    CELLS_VISITED = 32, /* by one set, about: limits the rows of the index */
    INDEX_ROWS = 4
};

/* ---- halves ---- */

/* Sorts the items that may deviate by (least deviation, index). Returns how many. */
static int32_t sort_items(rn_subset *s)
{
    int32_t count = 0;
    for (int32_t x = 0; x < s->items; x++) {
        if (s->item[x].least <= s->budget) {
            s->order[count++] = x;
        }
    }
    for (int32_t gap = count / 2; gap > 0; gap /= 2) {
        for (int32_t x = gap; x < count; x++) {
            const int32_t moved = s->order[x];
            const int64_t least = s->item[moved].least;
            int32_t at = x;
            for (; at >= gap; at -= gap) {
                const int32_t other = s->order[at - gap];
                if (s->item[other].least < least ||
                    (s->item[other].least == least && other < moved)) {
                    break;
                }
                s->order[at] = other;
            }
            s->order[at] = moved;
        }
    }
    return count;
}

/* Appends an item's deviations within the budget to a half, by reduced cost. */
static void add_steps(const rn_subset *s, rn_subset_half *h, int32_t x)
{
    const rn_subset_item *item = &s->item[x];
    const rn_subset_option *best = &s->option[item->first + item->best];
    const int32_t first = h->step_at[h->items];
    int32_t count = first;
    for (int32_t o = item->first; o < item->first + item->count; o++) {
        const rn_subset_option *to = &s->option[o];
        if (to == best || to->reduced > s->budget) {
            continue;
        }
        int32_t at = count++;
        while (at > first && h->step[at - 1].reduced > to->reduced) {
            h->step[at] = h->step[at - 1];
            at--;
        }
        h->step[at] = (rn_subset_step){to->reduced,
                                       to->cost - best->cost,
                                       rn_pick_hash(item->item, to->option) -
                                           rn_pick_hash(item->item, best->option),
                                       best->row,
                                       best->amount,
                                       to->row,
                                       to->amount,
                                       x,
                                       o};
    }
    assert(count > first);
    h->items++;
    h->step_at[h->items] = count;
}

/* Appends the set `parent` with one more step; false when there is no room. */
static bool add_set(rn_subset_half *h, int32_t parent, int32_t position, int32_t made)
{
    const rn_subset_step *step = &h->step[made];
    const int32_t set = h->count;
    if (set == RN_SUBSET_SETS) {
        h->full = true;
        return false;
    }
    memcpy(h->load[set], h->load[parent], sizeof h->load[set]);
    h->load[set][step->from] -= step->leaves;
    h->load[set][step->to] += step->arrives;
    h->reduced[set] = h->reduced[parent] + step->reduced;
    h->cost[set] = h->cost[parent] + step->cost;
    h->hash[set] = h->hash[parent] + step->hash;
    h->parent[set] = parent;
    h->last[set] = position;
    h->made[set] = made;
    h->count++;
    return true;
}

/* Lists all sets within the budget, small ones first. */
static void list_half(rn_subset_half *h, int64_t budget)
{
    memset(h->load[0], 0, sizeof h->load[0]);
    h->reduced[0] = 0;
    h->cost[0] = 0;
    h->hash[0] = 0;
    h->parent[0] = -1;
    h->last[0] = -1;
    h->made[0] = -1;
    h->count = 1;
    h->full = false;
    for (int32_t set = 0; set < h->count; set++) {
        const int64_t left = budget - h->reduced[set];
        for (int32_t y = h->last[set] + 1; y < h->items; y++) {
            if (h->step[h->step_at[y]].reduced > left) {
                break;
            }
            for (int32_t d = h->step_at[y]; d < h->step_at[y + 1]; d++) {
                if (h->step[d].reduced > left) {
                    break;
                }
                if (!add_set(h, set, y, d)) {
                    return;
                }
            }
        }
    }
}

void rn_subset_list(rn_subset *s)
{
    const int32_t count = sort_items(s);
    for (int32_t k = 0; k < 2; k++) {
        rn_subset_half *h = &s->half[k];
        h->items = 0;
        h->step_at[0] = 0;
        for (int32_t x = k; x < count; x += 2) {
            add_steps(s, h, s->order[x]);
        }
        list_half(h, s->budget);
        s->work += 8 * (int64_t)h->count;
    }
    s->work += 8 * (int64_t)count;
}

/* ---- join ---- */

typedef struct join {
    rn_subset *s;
    int32_t room[RN_SUBSET_WIDTH]; /* limits less the best options' loads */
    int32_t row[INDEX_ROWS];       /* of highest price: the index's */
    int32_t size[INDEX_ROWS];      /* load units of a cell */
    int32_t depth;                 /* rows of the index */
    int64_t most; /* change of cost against the best options must stay below this */
    rn_subset_pair pair;
} join;

static int32_t floor_div(int32_t a, int32_t b)
{
    return a / b - (a % b != 0 && a < 0);
}

/* Goes on in the hash of a cell's coordinates. */
static uint32_t mix(uint32_t hash, int32_t coordinate)
{
    const uint32_t x = (hash ^ (uint32_t)coordinate) * 0x9E3779B1u;
    return x ^ (x >> 15);
}

/* The rows of highest price, as many as keep the cells to visit few. */
static void choose_rows(join *j)
{
    const rn_subset *s = j->s;
    bool taken[RN_SUBSET_WIDTH] = {false};
    int32_t cells = 1;
    for (j->depth = 0; j->depth < INDEX_ROWS && j->depth < s->rows; j->depth++) {
        int32_t next = -1;
        for (int32_t r = 0; r < s->rows; r++) {
            next = !taken[r] && (next < 0 || s->price[r] > s->price[next]) ? r : next;
        }
        const int64_t price = s->price[next];
        const int64_t span = price > 0 ? (s->budget << 16) / price : INT32_MAX / 4;
        cells *= span < CELLS_WINDOW ? 1 + (int32_t)span : CELLS_WINDOW;
        if (j->depth >= 2 && cells > CELLS_VISITED) {
            return;
        }
        const int64_t size = span / CELLS_WINDOW;
        j->size[j->depth] = 1 + (int32_t)(size < INT32_MAX / 16 ? size : INT32_MAX / 16);
        j->row[j->depth] = next;
        taken[next] = true;
    }
}

static void index_half(const join *j, const rn_subset_half *h)
{
    rn_subset *s = j->s;
    for (int32_t c = 0; c < RN_SUBSET_CELLS; c++) {
        s->cell[c] = -1;
    }
    for (int32_t b = h->count - 1; b >= 0; b--) {
        uint32_t hash = 0;
        for (int32_t k = 0; k < j->depth; k++) {
            hash = mix(hash, floor_div(h->load[b][j->row[k]], j->size[k]));
        }
        const uint32_t cell = hash % RN_SUBSET_CELLS;
        s->same[b] = s->cell[cell];
        s->cell[cell] = b;
    }
    s->work += RN_SUBSET_CELLS / 4 + 4 * (int64_t)h->count;
}

/* Room that a set of the first half leaves. */
static void leave(const join *j, int32_t a, int32_t *room)
{
    const int32_t *load = j->s->half[0].load[a];
    for (int32_t r = 0; r < RN_SUBSET_WIDTH; r++) {
        room[r] = j->room[r] - load[r];
    }
}

static bool fits(const int32_t *load, const int32_t *room)
{
    int32_t above = 0;
    for (int32_t r = 0; r < RN_SUBSET_WIDTH; r++) {
        above |= load[r] > room[r];
    }
    return above == 0;
}

static void visit(join *j, int32_t a, int32_t b, const int32_t *room)
{
    rn_subset *s = j->s;
    const rn_subset_half *x = &s->half[0];
    const rn_subset_half *y = &s->half[1];
    const int64_t cost = x->cost[a] + y->cost[b];
    s->work += 2;
    if (cost >= j->most || !fits(y->load[b], room) ||
        s->best_hash + x->hash[a] + y->hash[b] == s->present_hash) {
        return;
    }
    j->most = cost;
    j->pair.found = true;
    j->pair.set[0] = a;
    j->pair.set[1] = b;
}

/* Least slack of a row when the second half's load lies in a cell. */
static int64_t least_slack(const join *j, int32_t k, const int32_t *room, int32_t cell)
{
    const int64_t slack = room[j->row[k]] - (((int64_t)cell + 1) * j->size[k] - 1);
    return slack > 0 ? slack : 0;
}

/* A set of the first half, and how far into the index its search is. */
typedef struct probe {
    int32_t room[RN_SUBSET_WIDTH];
    int32_t set;
    int32_t depth;
    uint32_t hash;
    int64_t left; /* budget */
} probe;

/* Visits the sets whose slack in the indexed rows the budget can pay for. */
static void match(join *j, const probe *p)
{
    rn_subset *s = j->s;
    if (p->depth == j->depth) {
        s->work += 2;
        for (int32_t b = s->cell[p->hash % RN_SUBSET_CELLS]; b >= 0; b = s->same[b]) {
            visit(j, p->set, b, p->room);
        }
        return;
    }
    const int32_t k = p->depth;
    const int32_t high = floor_div(p->room[j->row[k]], j->size[k]);
    for (int32_t cell = high; cell > high - CELLS_AROUND; cell--) {
        const int64_t priced = rn_priced(s->price[j->row[k]], least_slack(j, k, p->room, cell));
        if (priced > p->left) {
            return;
        }
        probe next = *p;
        next.depth++;
        next.hash = mix(p->hash, cell);
        next.left -= priced;
        match(j, &next);
    }
}

/* Change of cost that an energy above 0 allows, rounded up. */
static int64_t cost_of(const rn_tables *t, int64_t energy)
{
    if (t->shift >= 0) {
        return (energy + ((int64_t)1 << t->shift) - 1) >> t->shift;
    }
    return energy < INT64_MAX >> (2 - t->shift) ? energy * ((int64_t)1 << -t->shift)
                                                : INT64_MAX >> 2;
}

rn_subset_pair rn_subset_join(rn_subset *s, int64_t margin)
{
    join j = {.s = s};
    int64_t load[RN_SUBSET_WIDTH] = {0};
    for (int32_t x = 0; x < s->items; x++) {
        const rn_subset_option *best = &s->option[s->item[x].first + s->item[x].best];
        load[best->row] += best->amount;
    }
    for (int32_t r = 0; r < RN_SUBSET_WIDTH; r++) {
        j.room[r] = r < s->rows ? (int32_t)(s->limit[r] - load[r]) : INT32_MAX / 2;
    }
    choose_rows(&j);
    index_half(&j, &s->half[1]);
    j.most = s->broken ? INT64_MAX : s->present_cost - s->best_cost + cost_of(s->tables, margin);
    for (int32_t a = 0; a < s->half[0].count; a++) {
        probe p = {.set = a, .left = s->budget - s->half[0].reduced[a]};
        leave(&j, a, p.room);
        match(&j, &p);
    }
    if (j.pair.found) {
        j.pair.cost = j.most + s->best_cost - s->present_cost;
    }
    return j.pair;
}
