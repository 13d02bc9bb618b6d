/* The allocation program: the one form that every front-end compiles to and every backend solves.
 *
 *   minimise  sum_i cost(o_i) + sum_r f_r(z_r) + sum_(i,j) w_ij d(place(o_i), place(o_j))
 *   where     z_r = offset_r + sum of the picked options' amounts on r
 *                   + sum over feeds s -> r of phi_sr(z_s)
 *   s. t.     low_r <= z_r <= high_r,  and at most one item of a conflict set at a place.
 *
 * Items each pick exactly one option. Everything is an integer. An option is
 * known by its place and its mode (either may be absent). Options come one by
 * one (`ration_program_add_option`) or structured (`ration_program_add_entry`:
 * one mode at every place of a class, never materialised); an item may have
 * both.
 *
 * Indices count from 0 in the order of adding. A program is built, then frozen,
 * then immutable; freezing proves that all totals stay within +-2^62. Adding to
 * a frozen program is RATION_E_STATE. Names are UTF-8 without control
 * characters, unique per kind; a NULL name means the number of the thing in
 * order of adding, from `number_base`.
 */
#ifndef RATION_PROGRAM_H
#define RATION_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "ration/document.h"
#include "ration/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ration_program ration_program;

#define RATION_NONE (-1)
#define RATION_LOW_FREE INT64_MIN  /* a row without lower limit */
#define RATION_HIGH_FREE INT64_MAX /* a row without upper limit */

enum { RATION_DIGEST_TEXT = 33 }; /* 128 bits in hexadecimal and the final NUL */

/* What a term is about, so that costs can be told apart by it. */
typedef enum ration_dimension {
    RATION_DIMENSION_MEMORY,
    RATION_DIMENSION_LATENCY,
    RATION_DIMENSION_BANDWIDTH,
    RATION_DIMENSION_ENERGY,
    RATION_DIMENSION_MONEY,
    RATION_DIMENSION_REDUNDANCY,
    RATION_DIMENSION_OTHER
} ration_dimension;
enum { RATION_DIMENSIONS = 7 };

/* "memory", "latency", ... never NULL. */
RATION_API const char *ration_dimension_name(ration_dimension dimension);

typedef enum ration_sense { RATION_MINIMISE, RATION_MAXIMISE } ration_sense;

/* One piece of an integer piecewise-linear function with jumps: for start <= z < next start it is
 * value + slope * (z - start). The first piece also holds below its start, the last one without
 * end. */
typedef struct ration_piece {
    int64_t start;
    int64_t value;
    int64_t slope;
} ration_piece;

/* An amount on a row; in an entry `row` is a role of the place instead. */
typedef struct ration_use {
    int32_t row;
    int64_t amount;
} ration_use;

/* One option. use: [uses], borrowed; a row may not occur twice. */
typedef struct ration_option {
    int32_t place; /* or RATION_NONE */
    int32_t mode;  /* or RATION_NONE */
    ration_dimension dimension;
    int64_t cost;
    int32_t uses;
    const ration_use *use;
} ration_option;

/* One mode at every place of a class: one option per place. Amounts name roles; a role that maps to
 * several rows at a place loads each with the full amount. use: [uses], borrowed; a role may not
 * occur twice. */
typedef struct ration_entry {
    /* or RATION_NONE; a mode made with `stay` exists only at the item's start place */
    int32_t mode;
    int32_t place_class;
    ration_dimension dimension;
    int64_t cost;
    int32_t uses;
    const ration_use *use;
} ration_entry;

/* ---- building ---- */

/* program: out, owned; free with ration_program_free (NULL is a no-op). */
RATION_API ration_status ration_program_create(int32_t number_base, ration_program **program,
                                               ration_error *error);
RATION_API void ration_program_free(ration_program *program);

/* How costs are reported: the file's value = (sense MAXIMISE: -cost, else cost) + constant, divided
 * by 10^scale. The program itself always minimises. scale 0..18. Default: minimise, 0, 0. */
RATION_API ration_status ration_program_set_objective(ration_program *program, ration_sense sense,
                                                      int64_t constant, int32_t scale,
                                                      ration_error *error);

/* place_class: 0 .. 2^31-2, classes need not be declared. */
RATION_API ration_status ration_program_add_place(ration_program *program, const char *name,
                                                  int32_t place_class, int32_t *place,
                                                  ration_error *error);
RATION_API ration_status ration_program_add_mode(ration_program *program, const char *name,
                                                 bool stay, int32_t *mode, ration_error *error);

/* A row with load = offset + amounts + feeds, hard limits low <= load <= high (RATION_LOW_FREE,
 * RATION_HIGH_FREE: none) and no cost. */
RATION_API ration_status ration_program_add_row(ration_program *program, const char *name,
                                                ration_dimension dimension, int64_t offset,
                                                int64_t low, int64_t high, int32_t *row,
                                                ration_error *error);

/* Gives a row its cost f_r. piece: [pieces], borrowed, starts strictly increasing. */
RATION_API ration_status ration_program_set_row_cost(ration_program *program, int32_t row,
                                                     int32_t pieces, const ration_piece *piece,
                                                     ration_error *error);

/* Adds phi(load of `from`) to the load of `to`. At most one feed per pair; chains of feeds have at
 * most 2 links; no cycle (checked at freeze). piece as for a cost. */
RATION_API ration_status ration_program_add_feed(ration_program *program, int32_t from, int32_t to,
                                                 int32_t pieces, const ration_piece *piece,
                                                 ration_error *error);

/* Maps a role (0 .. 4095) of a place to rows. row: [rows], borrowed, no duplicates. */
RATION_API ration_status ration_program_set_role(ration_program *program, int32_t place,
                                                 int32_t role, int32_t rows, const int32_t *row,
                                                 ration_error *error);

RATION_API ration_status ration_program_add_item(ration_program *program, const char *name,
                                                 int32_t *item, ration_error *error);
RATION_API ration_status ration_program_add_option(ration_program *program, int32_t item,
                                                   const ration_option *option,
                                                   ration_error *error);
RATION_API ration_status ration_program_add_entry(ration_program *program, int32_t item,
                                                  const ration_entry *entry, ration_error *error);
/* The item never goes to this place. */
RATION_API ration_status ration_program_exclude(ration_program *program, int32_t item,
                                                int32_t place, ration_error *error);

/* Adds table[item_class * places + place] to every option with a place, of every item. item_class:
 * [items]; table: [classes * places]; both copied. Call after all items and places were added. */
RATION_API ration_status ration_program_set_table(ration_program *program,
                                                  ration_dimension dimension, int32_t classes,
                                                  const int32_t *item_class, const int64_t *table,
                                                  ration_error *error);

/* The item runs at (place, mode) now; every other option costs move_cost more. mode RATION_NONE:
 * any mode at that place is staying. The start need not be an existing option. */
RATION_API ration_status ration_program_set_start(ration_program *program, int32_t item,
                                                  int32_t place, int32_t mode, int64_t move_cost,
                                                  ration_error *error);

/* At most one of these items at any place. item: [items], borrowed. Its implicit rows are named
 * "conflict:SET@PLACE". */
RATION_API ration_status ration_program_add_conflict(ration_program *program, int32_t items,
                                                     const int32_t *item, ration_error *error);

/* Items that share private rows, solved together by the bound with dynamic programming over the
 * loads of row[rows] (rows 0..2; each touched by no other item, fed by nothing and feeding
 * nothing). An item is in at most one group. */
RATION_API ration_status ration_program_add_group(ration_program *program, int32_t items,
                                                  const int32_t *item, int32_t rows,
                                                  const int32_t *row, ration_error *error);

/* weight * distance(place of from, place of to) is added to the cost; from == to is allowed (the
 * diagonal). Options of the two items must all have places. Repeated pairs add up. */
RATION_API ration_status ration_program_add_traffic(ration_program *program, int32_t from,
                                                    int32_t to, int64_t weight,
                                                    ration_error *error);
/* distance: [places * places], row = place of from; copied. */
RATION_API ration_status ration_program_set_distances(ration_program *program,
                                                      ration_dimension dimension,
                                                      const int64_t *distance, ration_error *error);
/* Tiers, level 0 first: ancestor[level * places + place]; the distance of two places is distance[l]
 * for the first level l at which their ancestors are equal, distance[levels] if at none. Level 0 is
 * normally the place itself. Copied. */
RATION_API ration_status ration_program_set_tiers(ration_program *program,
                                                  ration_dimension dimension, int32_t levels,
                                                  const int32_t *ancestor, const int64_t *distance,
                                                  ration_error *error);

/* Checks everything that only the whole can show (an item without options, duplicate (place, mode)
 * of an item, feeds' depth, ranges), proves the load range of each row, and builds the flat view.
 * On failure the program stays open. */
RATION_API ration_status ration_program_freeze(ration_program *program, ration_error *error);

/* ---- reading (frozen programs; counts also before) ---- */

RATION_API int32_t ration_program_items(const ration_program *program);
RATION_API int32_t ration_program_rows(const ration_program *program); /* explicit rows */
RATION_API int32_t ration_program_places(const ration_program *program);
RATION_API int32_t ration_program_modes(const ration_program *program);
RATION_API int64_t ration_program_option_total(const ration_program *program); /* over all items */
RATION_API int32_t ration_program_options(const ration_program *program,
                                          int32_t item); /* of one item */

/* Names; buffer[size] receives the text, cut if needed; returns buffer. Rows include implicit
 * conflict rows. place or mode RATION_NONE gives "". */
RATION_API const char *ration_program_item_name(const ration_program *program, int32_t item,
                                                char *buffer, size_t size);
RATION_API const char *ration_program_place_name(const ration_program *program, int32_t place,
                                                 char *buffer, size_t size);
RATION_API const char *ration_program_mode_name(const ration_program *program, int32_t mode,
                                                char *buffer, size_t size);
RATION_API const char *ration_program_row_name(const ration_program *program, int32_t row,
                                               char *buffer, size_t size);

/* Place and mode of an option of an item (numbers as added by the builder; options 0 ..
 * ration_program_options-1 in the program's own order); false if the option is excluded. */
RATION_API bool ration_program_option(const ration_program *program, int32_t item, int32_t option,
                                      int32_t *place, int32_t *mode);
/* The option of an item at (place, mode), or RATION_NONE when there is none or it is excluded. */
RATION_API int32_t ration_program_find_option(const ration_program *program, int32_t item,
                                              int32_t place, int32_t mode);
/* By name; RATION_NONE when unknown. */
RATION_API int32_t ration_program_find_item(const ration_program *program, const char *name);
RATION_API int32_t ration_program_find_place(const ration_program *program, const char *name);
RATION_API int32_t ration_program_find_mode(const ration_program *program, const char *name);
RATION_API int32_t ration_program_find_row(const ration_program *program, const char *name);

/* The start option of an item, RATION_NONE when it has none. */
RATION_API int32_t ration_program_start(const ration_program *program, int32_t item);

RATION_API void ration_program_objective(const ration_program *program, ration_sense *sense,
                                         int64_t *constant, int32_t *scale);

/* First 128 bits of SHA-256 over the canonical form of the frozen program (independent of the order
 * in which items, options, rows and places were added, as far as they have names). digest:
 * [RATION_DIGEST_TEXT]. */
RATION_API void ration_program_digest(const ration_program *program, char *digest);

/* ---- files ---- */

/* Reads the JSON form (docs/program-format.md, `ration schema program`) and freezes it. program:
 * out, owned. */
RATION_API ration_status ration_program_read(const ration_document *document,
                                             ration_program **program, ration_error *error);
/* Writes a frozen program in that form into an open map of the writer. Reading it back gives the
 * same digest. */
RATION_API void ration_program_write(const ration_program *program, ration_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
