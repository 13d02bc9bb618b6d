/* Inside the row-subset search (subset.c): a few rows with all their items, as a problem.
 *
 *   minimise  sum of costs of the items' options on the chosen rows
 *   so that   the load of each chosen row stays within what the other items leave
 *
 * Prices l of these rows alone give a bound b and reduced costs r >= 0 of every
 * (item, option); a choice that costs less than `target` has sum r < target - b.
 * Deviations from each item's best option within that budget are listed in two
 * halves, and joined on the loads.
 */
#ifndef RN_SEARCH_SUBSET_FORM_H
#define RN_SEARCH_SUBSET_FORM_H

#include <stdbool.h>

#include "search/refine.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RN_SUBSET_WIDTH = 16,                 /* loads of a set */
    RN_SUBSET_ROWS = RN_SUBSET_WIDTH - 1, /* the last stands for "no row" */
    RN_SUBSET_ITEMS = 512,
    RN_SUBSET_SLOTS = RN_SUBSET_ROWS + 2, /* options of an item: a row each, none, the present */
    RN_SUBSET_SETS = 8192,                /* of deviations, in a half */
    RN_SUBSET_CELLS = 4096                /* of the join's index, a power of 2 */
};

typedef struct rn_subset_option {
    int64_t energy;  /* of its cost */
    int64_t reduced; /* under the local prices */
    int64_t cost;
    int32_t amount;
    int32_t option;
    int32_t row; /* of the subset, or RN_SUBSET_ROWS */
} rn_subset_option;

typedef struct rn_subset_item {
    int64_t least; /* reduced cost of its least deviation */
    int32_t item;
    int32_t first; /* its options */
    int32_t count;
    int32_t present;
    int32_t best; /* of least reduced cost, 0 */
} rn_subset_item;

/* A change of one item from its best option. */
typedef struct rn_subset_step {
    int64_t reduced;
    int64_t cost;
    uint64_t hash; /* change of the plan's digest */
    int32_t from;  /* row of the best option */
    int32_t leaves;
    int32_t to;
    int32_t arrives;
    int32_t item;   /* of the subset */
    int32_t option; /* index in `option` */
} rn_subset_step;

/* One half's items by least deviation, and the sets of their deviations. */
typedef struct rn_subset_half {
    int32_t (*load)[RN_SUBSET_WIDTH]; /* [SETS] change of load against the best options */
    int64_t *reduced;                 /* [SETS] */
    int64_t *cost;                    /* [SETS] change of cost */
    uint64_t *hash;                   /* [SETS] */
    int32_t *parent;                  /* [SETS] the set without its last step */
    int32_t *last;                    /* [SETS] position of its last item; -1: the empty set */
    int32_t *made;                    /* [SETS] its last step */
    rn_subset_step *step;             /* [ITEMS * SLOTS] by item, then reduced cost */
    int32_t *step_at;                 /* [ITEMS + 1] */
    int32_t items;
    int32_t count; /* sets */
    bool full;     /* some are missing */
} rn_subset_half;

typedef struct rn_subset {
    const rn_tables *tables;
    int32_t rows;
    int32_t items;
    int32_t options;
    int32_t row[RN_SUBSET_WIDTH];   /* of the program */
    int32_t limit[RN_SUBSET_WIDTH]; /* what the freed items may load */
    int64_t price[RN_SUBSET_WIDTH]; /* Q16 energy per unit, >= 0 */
    rn_subset_item *item;           /* [ITEMS] */
    rn_subset_option *option;       /* [ITEMS * SLOTS] */
    rn_subset_half half[2];
    bool broken;         /* the present picks exceed a limit of the chosen rows */
    int64_t amount_most; /* largest magnitude of an option's amount */
    int64_t present_cost;
    uint64_t present_hash; /* digest of the items' present picks */
    uint64_t best_hash;    /* of their best options */
    int64_t best_cost;
    int64_t target; /* energy of the present picks, overload priced */
    int64_t bound;  /* b in energy */
    int64_t budget;
    int64_t work;   /* units, counted up */
    int32_t *cell;  /* [CELLS] first set, or -1 */
    int32_t *same;  /* [SETS] next set of the cell */
    int32_t *order; /* [ITEMS] */
} rn_subset;

/* A pair of sets that beats the present picks. */
typedef struct rn_subset_pair {
    int64_t cost; /* change against the present picks */
    int32_t set[2];
    bool found;
} rn_subset_pair;

/* Local prices by subgradient steps from those in s->price; sets bound, reduced costs, best
 * options. */
void rn_subset_price(rn_subset *s, int32_t passes);

/* Deviations within the budget. */
int32_t rn_subset_count(const rn_subset *s);

/* Lists the sets of deviations of both halves. */
void rn_subset_list(rn_subset *s);

/* The cheapest pair of sets that keeps the limits, is not the present picks, and
 * has an energy below theirs plus margin. */
rn_subset_pair rn_subset_join(rn_subset *s, int64_t margin);

#ifdef __cplusplus
}
#endif

#endif
