/* The state of one chain as one flat block, its scratch memory, and the best plan seen.
 *
 * Items that load a row are in the row's list: a ring of nodes, node `item * nodes + u` for the
 * u-th use of the item's pick, closed by the row's own node `items * nodes + row`. Lists give sets;
 * no decision depends on their order but which RN_PARTNERS of a longer list are looked at (general
 * path), and that order is the same on every backend.
 *
 * The best plan is kept as "the picks now, with the journal undone" until the journal is full, so
 * that a new best plan costs one store.
 */
#ifndef RN_STATE_H
#define RN_STATE_H

#include "core/backend.h"

enum { RN_MOVED = 4 }; /* changes of one move: the first and one for each push */

/* Byte offsets of the arrays of a chain's state. */
typedef struct rn_state_offsets {
    int64_t load;    /* int64 [rows + 1] */
    int64_t amount;  /* int64 [items]: one-row: amount of the pick */
    int64_t reduced; /* int64 [items]: one-row: reduced cost of the pick */
    int64_t pick;    /* int32 [items] */
    int64_t best;    /* int32 [items]: picks of the best plan */
    int64_t seat;    /* int32 [items]: one-row: row of the pick; else its place or -1 */
    int64_t next;    /* int32 [items * nodes + rows + 1] */
    int64_t prev;    /* int32, the same */
    int64_t bytes;   /* a multiple of 64 */
} rn_state_offsets;

/* Byte offsets of the arrays of a chain's scratch memory. */
typedef struct rn_work_offsets {
    /* one-row: 5 arrays of [rows + 1], int32 (narrow) or int64: excess, over, slack, energy,
     * clamp */
    int64_t row;
    int64_t change;   /* general: int64 [lanes * touch] */
    int64_t touched;  /* general: int32 [lanes * touch] */
    int64_t partner;  /* general: int32 [RN_PARTNERS] */
    int64_t moved;    /* general: int32 [2 * RN_MOVED]: item, option before, of a move */
    int64_t journal;  /* int32 [2 * journal]: item, option before */
    int64_t bytes;
} rn_work_offsets;

RN_HD int64_t rn_state_space(int64_t *at, int64_t count, int64_t size)
{
    const int64_t begin = *at;
    RN_ASSERT(begin % 64 == 0 && count >= 0);
    *at += (count * size + 63) / 64 * 64;
    return begin;
}

RN_HD rn_state_offsets rn_state_map(const rn_tables *t)
{
    rn_state_offsets m;
    const int64_t items = t->view.items;
    const int64_t single = t->one_row ? items : 0;
    const int64_t ring = items * t->nodes + t->rows + 1;
    int64_t at = 128; /* rn_chain_head */
    m.load = rn_state_space(&at, (int64_t)t->rows + 1, 8);
    m.amount = rn_state_space(&at, single, 8);
    m.reduced = rn_state_space(&at, single, 8);
    m.pick = rn_state_space(&at, items, 4);
    m.best = rn_state_space(&at, items, 4);
    m.seat = rn_state_space(&at, items, 4);
    m.next = rn_state_space(&at, ring, 4);
    m.prev = rn_state_space(&at, ring, 4);
    m.bytes = at;
    return m;
}

RN_HD rn_work_offsets rn_work_map(const rn_tables *t, int32_t lanes)
{
    rn_work_offsets m;
    const int64_t touch = t->one_row ? 0 : (int64_t)t->touch * lanes;
    int64_t at = 0;
    m.row = rn_state_space(&at, t->one_row ? 5 * ((int64_t)t->rows + 1) : 0, t->narrow ? 4 : 8);
    m.change = rn_state_space(&at, touch, 8);
    m.touched = rn_state_space(&at, touch, 4);
    m.partner = rn_state_space(&at, t->one_row ? 0 : RN_PARTNERS, 4);
    m.moved = rn_state_space(&at, t->one_row ? 0 : 2 * RN_MOVED, 4);
    m.journal = rn_state_space(&at, 2 * (int64_t)t->journal, 4);
    m.bytes = at;
    return m;
}

/* A chain while it runs: pointers into its state and scratch, and what all its lanes know alike. */
typedef struct rn_chain {
    const rn_tables *t;
    const rn_epoch *e;
    rn_chain_head *head;
    int64_t *load;
    int64_t *amount;
    int64_t *reduced;
    int32_t *pick;
    int32_t *best;
    int32_t *seat;
    int32_t *next;
    int32_t *prev;
    int64_t *change;  /* this lane's */
    int32_t *touched; /* this lane's */
    int32_t *partner;
    int32_t *moved;
    int32_t *journal;
    int32_t *narrow; /* row arrays of the 32-bit form */
    int64_t *wide;   /* row arrays of the 64-bit form */
    int32_t chain;   /* global number */
    int32_t journaled; /* entries; -1: `best` holds the best plan */
    int32_t push;
    int64_t cost;
    int64_t violation;
    int64_t best_cost;
    int64_t best_violation;
    uint64_t digest;
    uint64_t best_digest;
    int64_t accepted;
    int64_t evaluations;
} rn_chain;

/* 64 bits that stand for "item has this pick"; their sum stands for a plan (splitmix64's finaliser:
 * S. Vigna, prng.di.unimi.it). */
RN_HD uint64_t rn_pick_hash(int32_t item, int32_t option)
{
    uint64_t x = ((uint64_t)(uint32_t)item << 32 | (uint32_t)option) + 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

RN_DEVICE rn_chain rn_chain_open(const rn_tables *t, const rn_epoch *e, char *state, char *work,
                                 int32_t chain)
{
    const rn_state_offsets s = rn_state_map(t);
    const rn_work_offsets w = rn_work_map(t, RN_LANES);
    rn_chain c;
    RN_ASSERT(chain >= 0 && e->push[chain] >= 0);
    c.t = t;
    c.e = e;
    c.head = (rn_chain_head *)state;
    c.load = (int64_t *)(state + s.load);
    c.amount = (int64_t *)(state + s.amount);
    c.reduced = (int64_t *)(state + s.reduced);
    c.pick = (int32_t *)(state + s.pick);
    c.best = (int32_t *)(state + s.best);
    c.seat = (int32_t *)(state + s.seat);
    c.next = (int32_t *)(state + s.next);
    c.prev = (int32_t *)(state + s.prev);
    c.change = (int64_t *)(work + w.change) + (int64_t)rn_lane() * t->touch;
    c.touched = (int32_t *)(work + w.touched) + (int64_t)rn_lane() * t->touch;
    c.partner = (int32_t *)(work + w.partner);
    c.moved = (int32_t *)(work + w.moved);
    c.journal = (int32_t *)(work + w.journal);
    c.narrow = (int32_t *)(work + w.row);
    c.wide = (int64_t *)(work + w.row);
    c.chain = chain;
    c.journaled = -1;
    c.push = e->push[chain];
    c.cost = c.head->cost;
    c.violation = c.head->violation;
    c.best_cost = c.head->best_cost;
    c.best_violation = c.head->best_violation;
    c.digest = c.head->digest;
    c.best_digest = c.head->best_digest;
    c.accepted = 0;
    c.evaluations = 0;
    return c;
}

/* ---- lists; by one lane ---- */

RN_HD void rn_list_remove(const rn_chain *c, int32_t node)
{
    const int32_t after = c->next[node];
    const int32_t before = c->prev[node];
    RN_ASSERT(after >= 0 && before >= 0 && c->next[before] == node && c->prev[after] == node);
    c->next[before] = after;
    c->prev[after] = before;
    c->next[node] = -1;
}

/* At the end of the row's list. */
RN_HD void rn_list_insert(const rn_chain *c, int32_t row, int32_t node)
{
    const int32_t ring = c->t->view.items * c->t->nodes + row;
    const int32_t last = c->prev[ring];
    RN_ASSERT(row >= 0 && row <= c->t->rows && c->next[node] < 0 && c->next[last] == ring);
    c->next[last] = node;
    c->prev[node] = last;
    c->next[node] = ring;
    c->prev[ring] = node;
}

/* Empties all lists; all lanes. */
RN_DEVICE void rn_list_clear(const rn_chain *c)
{
    const int32_t nodes = c->t->view.items * c->t->nodes;
    for (int32_t i = rn_lane(); i < nodes; i += RN_LANES) {
        c->next[i] = -1;
        c->prev[i] = -1;
    }
    for (int32_t r = rn_lane(); r <= c->t->rows; r += RN_LANES) {
        c->next[nodes + r] = nodes + r;
        c->prev[nodes + r] = nodes + r;
    }
    rn_sync();
}

/* ---- the best plan; all lanes ---- */

/* Writes the best plan to `best` unless it is there. */
RN_DEVICE void rn_best_settle(rn_chain *c)
{
    if (c->journaled < 0) {
        return;
    }
    for (int32_t i = rn_lane(); i < c->t->view.items; i += RN_LANES) {
        c->best[i] = c->pick[i];
    }
    rn_sync();
    if (rn_lane() == 0) {
        for (int32_t x = c->journaled - 1; x >= 0; x--) {
            c->best[c->journal[2 * x]] = c->journal[2 * x + 1];
        }
    }
    rn_sync();
    c->journaled = -1;
}

/* Makes room for the changes of one move. */
RN_DEVICE void rn_best_reserve(rn_chain *c, int32_t changes)
{
    RN_ASSERT(changes >= 1 && changes <= c->t->journal);
    if (c->journaled + changes > c->t->journal) {
        rn_best_settle(c);
    }
}

/* Notes that an item's pick has changed from `before`. */
RN_DEVICE void rn_best_note(rn_chain *c, int32_t item, int32_t before)
{
    if (c->journaled < 0) {
        return;
    }
    RN_ASSERT(c->journaled < c->t->journal);
    if (rn_lane() == 0) {
        c->journal[2 * c->journaled] = item;
        c->journal[2 * c->journaled + 1] = before;
    }
    c->journaled++;
}

/* Compares the picks now with the best plan. */
RN_DEVICE void rn_best_offer(rn_chain *c)
{
    if (c->violation < c->best_violation ||
        (c->violation == c->best_violation && c->cost < c->best_cost)) {
        c->best_violation = c->violation;
        c->best_cost = c->cost;
        c->best_digest = c->digest;
        c->journaled = 0;
    }
}

/* Writes back what the lanes know. moves: made in this epoch. */
RN_DEVICE void rn_chain_close(rn_chain *c, int64_t moves)
{
    RN_ASSERT(moves >= 0 && c->violation >= 0 && c->best_violation <= c->violation);
    rn_best_settle(c);
    rn_sync(); /* all have read the head before one writes it */
    if (rn_lane() == 0) {
        rn_chain_head *h = c->head;
        h->cost = c->cost;
        h->violation = c->violation;
        h->best_cost = c->best_cost;
        h->best_violation = c->best_violation;
        h->digest = c->digest;
        h->best_digest = c->best_digest;
        h->moves += moves;
        h->evaluations += c->evaluations;
        h->accepted += c->accepted;
        h->fresh = 0;
    }
    rn_sync();
}

#endif
