/* The canonical order of a program: what it is when names, not the order of adding, number things.
 *
 * Items, places, modes and rows are numbered by rn_program_order; everything that refers to them
 * uses these numbers (positions); lists without an order of their own are sorted. Labels that only
 * tell things apart (place classes, item classes) are numbered by first appearance.
 */
#ifndef RN_PROGRAM_CANON_H
#define RN_PROGRAM_CANON_H

#include "program/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An element of a sorted list: compared by its keys, then by index. */
typedef struct rn_sortable {
    int32_t key[4];
    int32_t index;
} rn_sortable;

typedef struct rn_canon {
    const ration_program *program;
    const rn_view *view;
    int32_t *position[RN_THINGS]; /* [count] in canonical order; of places: by internal number */
    int32_t *class_number;        /* [classes] of the view, by first appearance */
    int32_t *label_number;        /* [labels] scratch: numbers of labels by first appearance */
    int32_t labels;
    rn_sortable *list; /* [longest list] scratch */
    rn_sortable *uses; /* [uses] scratch */
    void *block;
} rn_canon;

/* Prepares the orders of a program whose view is filled and whose rn_program_order is known. canon:
 * out; free with rn_canon_free. RATION_E_MEMORY. */
ration_status rn_canon_create(const ration_program *program, rn_canon *canon, ration_error *error);
void rn_canon_free(rn_canon *canon);

/* Positions of a place (internal number) or mode; -1 stays -1. */
int32_t rn_canon_place(const rn_canon *canon, int32_t internal);
int32_t rn_canon_mode(const rn_canon *canon, int32_t mode);
/* Internal number of the place at a position. */
int32_t rn_canon_place_at(const rn_canon *canon, int32_t position);

/* Number by first appearance of a label 0 .. labels-1; next: how many have one so far. Begin with
 * rn_canon_clear_labels and next = 0. */
int32_t rn_canon_label(const rn_canon *canon, int32_t label, int32_t *next);
void rn_canon_clear_labels(const rn_canon *canon);

/* Each sorts one list and returns its length. The rest are in canon->list, those of uses in
 * canon->uses. */

/* Entries of an item by (mode, class, place); index: the entry. */
int32_t rn_canon_entries(rn_canon *canon, int32_t item);
/* Uses of an entry by row position or role; index: into use_target. */
int32_t rn_canon_uses(rn_canon *canon, int32_t entry);
/* Rows of a place's (internal number) role by position. */
int32_t rn_canon_role(rn_canon *canon, int32_t place, int32_t role);
/* Feeds that leave a row by the fed row's position; index: the feed. */
int32_t rn_canon_feeds(rn_canon *canon, int32_t row);
/* Places that an item excludes, by position. */
int32_t rn_canon_excluded(rn_canon *canon, int32_t item);
/* Items of a set by position. */
int32_t rn_canon_set(rn_canon *canon, const rn_set *set);
/* Traffic by (from, to); index: the edge record. */
int32_t rn_canon_edges(rn_canon *canon);
/* Ancestors are only compared: label_number[position] becomes the first position whose place has
 * the same one at this level. */
void rn_canon_tier(rn_canon *canon, int32_t level);

#ifdef __cplusplus
}
#endif

#endif
