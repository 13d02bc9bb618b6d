/* A program as a mixed-integer linear program, column by column and without storing the matrix.
 *
 *   x(i, o)  binary, one per allowed option:  sum_o x(i, o) = 1
 *   load of a row r:  z_r = offset + sum a x + feeds, never a column of its own:
 *     plain   one limit, no price:            sum a x + feeds <= high - offset   (or >=)
 *     linear  z_r = L + sum_k w_k,            0 <= w_k <= length_k
 *     choice  z_r = L + sum_k ((s_k - L) b_k + w_k),  sum_k b_k = 1,  w_k <= length_k b_k
 *   where [L, U] is the proved range of the load cut by its limits, and part k
 *   is s_k .. s_k + length_k, a maximal run of integers on which the row's cost
 *   and all its feeds are linear. `choice` is exact for jumps and any shape;
 *   `linear` serves one part, and costs that are convex on the integers without
 *   feeds: minimising fills the parts in order.
 *   conflict rows:  sum of x of the set at the place <= 1
 *   traffic of a pair i < j at places a, b (Adams, Johnson 1994):
 *     y_ab >= 0,  sum_b y_ab = sum of x(i, a, .),  sum_a y_ab = sum of x(j, b, .)
 *   which leaves y_ab = [i at a][j at b] where the x are integers. Where that
 *   is too many y, and weights and distances are not negative (after Kaufman,
 *   Broeckx 1978), for each item i with edges to others, and places p, q:
 *     v(i, q) = sum_j w_ij x(j at q)
 *     u(i, p) >= sum_q d(p, q) v(i, q) - M_ip (1 - x(i at p)),  u, v >= 0
 *   with M_ip = sum_j w_ij max_q d(p, q): as exact, but a weak relaxation.
 *
 * Rows that cannot be violated and cost nothing that depends on the plan are
 * left out. Everything that is constant goes to the objective's constant.
 */
#ifndef RN_MILP_H
#define RN_MILP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/i128.h"
#include "core/view.h"
#include "program/program.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RN_MILP_WORD_MAX = 48, RN_MILP_NAME_MAX = 256 };
#define RN_MILP_EXACT (INT64_C(1) << 53) /* doubles hold all integers up to here */

typedef enum rn_tie_kind { RN_TIE_NONE, RN_TIE_PLAIN, RN_TIE_LINEAR, RN_TIE_CHOICE } rn_tie_kind;

/* A run of loads start .. start + length. */
typedef struct rn_milp_part {
    int64_t start;
    int64_t length;
    int64_t cost;  /* at start, less that at the range's lower end; choice only */
    int64_t slope; /* of the cost */
    int32_t width; /* choice: parts with a length before this one, in its row */
} rn_milp_part;

/* What becomes of a row of the program. */
typedef struct rn_milp_tie {
    rn_tie_kind kind;
    char sense;   /* 'L', 'G', 'E' of its first line */
    int32_t line; /* first line; choice: then one(r), then width(r, k) of parts with length > 0 */
    int32_t part; /* first of its parts, into rn_milp.part */
    int32_t parts;
    int32_t choice; /* number of its first b among all b */
    int64_t low;    /* L */
    int64_t high;   /* U; < L: no plan is feasible */
    int64_t rhs;    /* of its first line */
} rn_milp_tie;

/* Two items with traffic. */
typedef struct rn_milp_pair {
    int32_t first;
    int32_t second;
    int32_t line;   /* of the first's first place; then the second's */
    int32_t column; /* y of the first places of both; then by the second's places */
    int64_t out;    /* weight from first to second, and back */
    int64_t back;
} rn_milp_pair;

typedef struct rn_milp {
    const ration_program *program;
    const rn_view *view;
    ration_sense sense;
    int64_t constant; /* of the objective, in the sense of the file */

    /* Columns: x of all options, excluded ones counted; b of all parts; w of all parts; y. */
    int32_t columns;
    int32_t choice_column;
    int32_t part_column;
    int32_t flow_column;
    int32_t *item_column; /* [items + 1] */
    int32_t choices;      /* b; there is a w for each part */
    int32_t *choice_row;  /* [choices] row of the program */

    /* Lines: items; of the rows; conflicts; of the pairs. */
    int32_t lines;
    rn_milp_tie *tie; /* [rows] */
    rn_milp_part *part;
    int32_t parts;
    int32_t *part_row; /* [parts] */
    int32_t *line_row; /* [row_lines] the row of each line of a row */
    int32_t row_lines;
    int32_t *conflict_line; /* [all_rows - rows] or -1 */
    int32_t *conflict_row;  /* [conflicts] number of the implicit row, from 0 */
    int32_t conflicts;

    /* Traffic. */
    int32_t pairs;
    rn_milp_pair *pair; /* by first, then second */
    int32_t *pair_at;   /* [items + 1] into pair_of */
    int32_t *pair_of;   /* pairs of an item */
    int64_t *place_at;  /* [items + 1] into place; items without traffic have none here */
    int32_t *place;     /* distinct places of an item's options, rising, internal numbers */

    /* Spread traffic, instead of pairs. */
    int32_t spreads;      /* items with edges to others */
    int32_t *spread_item; /* [spreads] */
    int32_t *spread_of;   /* [items] or -1 */
    int32_t *spread_at;   /* [spreads + 1] u and meet lines before those of a spread */
    int64_t *spread_most; /* [spread_at[spreads]] M */
    int32_t spread_line;  /* of v(first, place 0); then by place, then the next */
    int32_t meet_line;    /* of the first's first place */
    int32_t meet_column;  /* u; v begins at flow_column */

    /* The column that was asked for last. */
    int32_t *slot; /* [lines] position in row, or -1 */
    int32_t *row;  /* [lines] */
    int64_t *amount;
} rn_milp;

typedef struct rn_milp_line {
    char sense; /* 'L', 'G', 'E' */
    int64_t rhs;
} rn_milp_line;

/* row, amount: [count], valid until the next column; amounts are not 0, rows not repeated. */
typedef struct rn_milp_column {
    bool present; /* false: this number is not used, and the rest means nothing */
    bool binary;
    int64_t upper; /* INT64_MAX: none; lower is 0 */
    int64_t cost;  /* in the sense of the file */
    int32_t count;
    const int32_t *row;
    const int64_t *amount;
} rn_milp_column;

/* Plans the model of a frozen program. flows: y that the traffic may have before it is spread
 * instead, where that is possible. milp: out, owned. RATION_E_RANGE (a number beyond 2^53, too many
 * columns or lines), RATION_E_MEMORY. */
ration_status rn_milp_make(const ration_program *program, int64_t flows, rn_milp **milp,
                           ration_error *error);
void rn_milp_free(rn_milp *milp);

/* Column 0 .. columns - 1, by kind: all binaries come first. RATION_E_RANGE, RATION_E_MEMORY. */
ration_status rn_milp_column_at(rn_milp *milp, int32_t number, rn_milp_column *column,
                                ration_error *error);
/* Line 0 .. lines - 1. */
rn_milp_line rn_milp_line_at(const rn_milp *milp, int32_t number);

/* Names, unique among columns and among lines: a letter or word, and in parentheses words separated
 * by commas, of letters, digits, '_', '.', '%' and '~' (docs/export.md). name[RN_MILP_NAME_MAX];
 * returns name. */
const char *rn_milp_column_name(const rn_milp *milp, int32_t number, char *name);
const char *rn_milp_line_name(const rn_milp *milp, int32_t number, char *name);

/* ---- inside host/emit ---- */

/* Where a column or a line comes from. */
typedef enum rn_milp_kind {
    RN_MILP_PICK,     /* x of option `number` of item `index`; the line of an item */
    RN_MILP_CHOICE,   /* b of part `number` of row `index`; line `number` of the row's lines */
    RN_MILP_WIDTH,    /* w of part `number` of row `index` */
    RN_MILP_CONFLICT, /* implicit row `index` */
    RN_MILP_FLOW,     /* y at cell `number` of pair `index`; line `number` of the pair's lines */
    RN_MILP_SPREAD,   /* v, or its line, of spread `index` at place `number` */
    RN_MILP_MEET      /* u, or its line, of spread `index` at its place `number` */
} rn_milp_kind;

typedef struct rn_milp_where {
    rn_milp_kind kind;
    int32_t index;
    int32_t number;
} rn_milp_where;

rn_milp_where rn_milp_column_where(const rn_milp *milp, int32_t number);
rn_milp_where rn_milp_line_where(const rn_milp *milp, int32_t number);

/* Cuts the rows into parts and numbers their lines from milp->lines on; adds what is constant to
 * *constant (minimising). RATION_E_RANGE, RATION_E_MEMORY. */
ration_status rn_milp_plan_rows(rn_milp *milp, rn_i128 *constant, ration_error *error);
/* Finds the pairs of items with traffic, their places, lines and columns; or spreads it. Same
 * contract. */
ration_status rn_milp_plan_traffic(rn_milp *milp, int64_t flows, rn_i128 *constant,
                                   ration_error *error);
/* Whether traffic can be spread: no weight between two items, and no distance, is negative. */
bool rn_milp_can_spread(const rn_view *v);
/* Lines and columns of spread traffic. places are known. RATION_E_RANGE, RATION_E_MEMORY. */
ration_status rn_milp_plan_spread(rn_milp *milp, ration_error *error);

/* A column under construction, and the thing that its numbers come from, for messages. */
typedef struct rn_milp_maker {
    rn_milp *milp;
    rn_milp_column *column;
    rn_thing kind;
    int32_t index;
    ration_error *error;
} rn_milp_maker;

/* Adds to a line's amount; sets the cost, given as the program counts it. RATION_E_RANGE. */
ration_status rn_milp_put(rn_milp_maker *make, int32_t line, rn_i128 amount);
ration_status rn_milp_put_cost(rn_milp_maker *make, rn_i128 cost);

/* Position of a place among those of an item with traffic, which has it. */
int32_t rn_milp_place_index(const rn_milp *milp, int32_t item, int32_t place);

/* What spread traffic adds to the x of an item at a place; v and u. */
ration_status rn_milp_spread_pick(rn_milp_maker *make, int32_t item, int32_t place);
ration_status rn_milp_spread_flow(rn_milp_maker *make, int32_t spread, int32_t place);
ration_status rn_milp_spread_meet(rn_milp_maker *make, int32_t spread, int32_t at);

/* Cost of a pair at two places, in the sense of the program (minimised). */
rn_i128 rn_milp_pair_cost(const rn_view *v, const rn_milp_pair *pair, int32_t first_place,
                          int32_t second_place);

/* value as *result, or RATION_E_RANGE where a double does not hold it for certain: beyond 2^53. The
 * sentence names the thing. */
ration_status rn_milp_exact(const ration_program *program, rn_thing kind, int32_t index,
                            rn_i128 value, int64_t *result, ration_error *error);

/* The option whose x has this name, an item and its option number; false when there is none. Both
 * out. */
bool rn_milp_find_pick(const ration_program *program, const char *name, int32_t *item,
                       int32_t *option);

/* count more lines or columns; RATION_E_RANGE when *total would leave int32_t. */
ration_status rn_milp_more(int32_t *total, int64_t count, const char *name, ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
