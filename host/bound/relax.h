/* The relaxation behind the bound, prepared once so that one evaluation of L and its subgradient is
 * a few plain loops. The formula is in bound/bound.h. */
#ifndef RN_RELAX_H
#define RN_RELAX_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/i128.h"
#include "bound/bound.h"
#include "bound/narrow.h"
#include "core/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of items as flat arrays, where every option is direct and loads at most one row. */
typedef struct rn_flat {
    int32_t *item_at; /* [items + 1] */
    int32_t *option;  /* number within the item */
    int32_t *row;     /* all_rows: loads nothing */
    int64_t *amount;
    int64_t *cost; /* times 2^RN_PRICE_BITS */
} rn_flat;

struct rn_group_dp;

typedef struct rn_relax {
    const rn_view *view;     /* kept */
    const rn_narrow *narrow; /* kept; options left out, or NULL */
    bool violation;          /* L bounds the violation instead of the cost */
    int64_t price_max;       /* largest magnitude of any price */
    /* rows, [all_rows]: points are the loads between which a row's term is a line */
    int64_t *low; /* least and greatest z of the term */
    int64_t *high;
    int32_t empty_row; /* a row with low > high, or -1 */
    int32_t *point_at; /* [all_rows + 1] */
    int64_t *point_z;
    int64_t *point_cost; /* f_r(z) */
    int64_t *phi_at;     /* [all_rows] into phi: feed k of point j at phi_at + j * feeds + k */
    int64_t *phi;
    int64_t *typical;   /* mean |amount| on the row, at least 1 */
    int64_t *price_low; /* prices outside these cannot help */
    int64_t *price_high;
    int32_t *order; /* rows by rank */
    /* 1: without cost and limits, its feeds are lines: its best price is that of what it feeds, see
     * rn_relax_set_relays */
    char *relay;
    bool *cut_low; /* the lower limit cuts the proved range; likewise the upper */
    bool *cut_high;
    char *solved; /* 1: a group solves this row, its price counts nothing */
    /* items */
    int64_t *half;             /* [items * places] halves of traffic, or NULL */
    bool *twin;                /* [items] its options are those of the item before */
    rn_flat *flat;             /* or NULL */
    struct rn_group_dp *group; /* or NULL */
} rn_relax;

/* One evaluation. Arrays are the caller's. */
typedef struct rn_pass {
    rn_i128 value;     /* 2^RN_PRICE_BITS L */
    int64_t *gradient; /* [all_rows]: load of the picks minus load chosen by the row's term */
    int32_t *pick;     /* [items] entry of the least option */
    int32_t *place;    /* [items] its place, or -1 */
    int64_t *role;     /* [places * roles] scratch: price of a role at a place */
    int64_t *price;    /* [all_rows + 1] scratch: prices, 0 at solved rows and at the end */
    bool empty;        /* a group reaches no load within its limits; value means nothing */
} rn_pass;

/* narrow: kept, or NULL; without an empty item. */
ration_status rn_relax_create(const rn_view *view, const rn_narrow *narrow, bool violation,
                              rn_relax **relax, ration_error *error);
void rn_relax_free(rn_relax *relax);

/* Sets the price of every relay to sum over its feeds of slope * price of the fed row, cut to
 * +-price_max. Its term is then a constant, so its load passes through to what it feeds; no other
 * price of it gives a higher L, for min (f + g) >= min f + min g. price: [all_rows], in and out. */
void rn_relax_set_relays(const rn_relax *relax, int64_t *price);

/* Prices by what the rows' terms cost per unit of load (start.c). price: [all_rows] out, each
 * within price_low .. price_high. */
void rn_relax_start(const rn_relax *relax, int64_t *price);

/* Evaluates L at price[all_rows], each within price_low .. price_high or +-2^30. */
void rn_relax_evaluate(const rn_relax *relax, const int64_t *price, rn_pass *pass);
/* The same without the flat arrays, for tests. */
void rn_relax_evaluate_generic(const rn_relax *relax, const int64_t *price, rn_pass *pass);

ration_status rn_pass_create(const rn_relax *relax, rn_pass **pass, ration_error *error);
void rn_pass_free(rn_pass *pass);

/* ---- parts ---- */

/* Base, table, move and traffic of an option at a place; 0 in a violation relaxation. */
rn_i128 rn_relax_option_cost(const rn_relax *relax, int32_t item, int32_t entry, int32_t place);
/* Sum of the prices of what it loads. pass: role and price are filled. */
rn_i128 rn_relax_option_price(const rn_relax *relax, const rn_pass *pass, int32_t item,
                              int32_t entry, int32_t place);
/* Places of an entry: count of them, the first in *first (or -1 with count 1). */
int32_t rn_relax_entry_places(const rn_view *view, int32_t entry, int32_t *first);
/* Whether the option of an entry at a place counts: neither excluded nor left out. */
static inline bool rn_relax_allowed(const rn_relax *relax, int32_t item, int32_t entry,
                                    int32_t place)
{
    const rn_view *view = relax->view;
    if (relax->narrow == NULL) {
        return rn_place_allowed(view, item, place) != 0;
    }
    const bool wide = view->entry_class[entry] >= 0 && view->entry_place[entry] < 0;
    const int32_t step = wide ? place - view->class_place[view->entry_class[entry]] : 0;
    assert(step >= 0);
    return rn_place_allowed(view, item, place) != 0 &&
           !rn_narrow_out(relax->narrow, item, view->entry_first[entry] + step);
}
/* f_r(z), or the distance to the limits. */
int64_t rn_relax_row_cost(const rn_view *view, bool violation, int32_t row, int64_t z);

ration_status rn_relax_build_halves(const rn_relax *relax, int64_t *half, ration_error *error);

/* Largest cost that any picks can have, rows and traffic included: an L above it proves that there
 * is no feasible plan. */
rn_i128 rn_relax_most_cost(const rn_view *view);

#ifdef __cplusplus
}
#endif

#endif
