/* What the search needs beside the view: prices in energy units, candidate
 * options, lists' sizes. Made once at load by host/search/tables.c; immutable;
 * on the device all pointers are device pointers and the struct is passed by
 * value.
 *
 * Energy is cost * 2^shift. A price is Q16 energy units per unit of load. The
 * range of energies is kept below 2^44, so that a Q16 price times a load stays
 * below 2^62.
 *
 * One-row programs (every option loads at most one row, rows have an upper
 * limit and nothing else, no feeds, no traffic) have the arrays of section 2,
 * on which the scan works with vectors. The row of an option without rows is
 * row `rows`, which costs nothing.
 */
#ifndef RN_TABLES_H
#define RN_TABLES_H

#include "core/view.h"

enum {
    RN_CANDIDATES = 8,   /* options of least reduced cost per item */
    RN_PARTNERS = 32,    /* items that one push-out looks at, general path */
    RN_NARROW_BITS = 24, /* reduced costs and energies of rows are below 2^24 in the 32-bit form */
    RN_NARROW_BARRED = 1 << 26 /* bars a row from the scan; reduced cost of padding */
};

typedef struct rn_tables {
    rn_view view;

    /* 1. every program */
    int32_t rows;       /* = view.all_rows */
    int32_t one_row;    /* 1: the fast path */
    int32_t whole; /* 1: one-row arrays fit 32 bits, so prices of an epoch are whole energy units */
    int32_t narrow;     /* 1: the 32-bit form is used (only when whole); 0: the 64-bit form */
    int32_t nodes;      /* list nodes of an item: most (row, amount) pairs of an option, >= 1 */
    int32_t touch;      /* most rows whose load changes with one pick, >= 1 */
    int32_t journal;    /* entries of the journal of changes since the best plan */
    int32_t shift;      /* energy = cost * 2^shift, -62 .. 12 */
    int32_t wanting;    /* 1: row_member_at, row_member exist */
    const int64_t *price;        /* [rows] Q16 energy per unit of load, any sign */
    const int64_t *origin;       /* [rows] load at which the priced part of a row is 0 */
    const int32_t *cand_count;   /* [items] 1 .. RN_CANDIDATES */
    /* [items * RN_CANDIDATES], by (reduced cost, option); padding: the first again */
    const int32_t *cand_option;
    /* [items] least priced cost of an option: reduced cost = priced cost - base */
    const int64_t *item_base;
    /* [view.rows + 1] items with an option on a row that has a lower limit; NULL: none */
    const int32_t *row_member_at;
    const int32_t *row_member;

    /* 2. one-row programs */
    const int32_t *cand_row;     /* [items * RN_CANDIDATES], padding: rows */
    const int32_t *cand_amount;  /* the same; narrow form */
    const int32_t *cand_reduced; /* narrow form; padding RN_NARROW_BARRED */
    const int64_t *wide_amount;  /* wide form */
    const int64_t *wide_reduced; /* padding 2^56 */
    /* [(rows + 1) * items] option of an item on a row, least reduced; -1: none; NULL: no table */
    const int32_t *back_option;
    const int32_t *back_amount;  /* the same cells; narrow form */
    const int32_t *back_reduced;
    const int64_t *wide_back_amount; /* wide form */
    const int64_t *wide_back_reduced;
} rn_tables;

/* Cost units to energy. */
RN_HD int64_t rn_energy(const rn_tables *t, int64_t cost)
{
    RN_ASSERT(t->shift >= -62 && t->shift <= 12);
    return t->shift >= 0 ? cost * ((int64_t)1 << t->shift) : cost >> -t->shift;
}

#endif
