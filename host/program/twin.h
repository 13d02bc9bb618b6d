/* The twin of a program: the same program with everything numbered in canonical order.
 *
 * Searches draw random numbers by item and walk lists in the order of their numbers. On the twin
 * they therefore do the same whatever the order in which things were added, as far as they have
 * names; without names the number is the name, and the twin is the program itself.
 *
 * Thing k of the twin is thing rn_program_order(program, kind)[k] of the program (public numbers
 * for places). Groups and conflict sets keep their numbers.
 */
#ifndef RN_PROGRAM_TWIN_H
#define RN_PROGRAM_TWIN_H

#include "program/program.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rn_twin rn_twin;

/* program: borrowed until rn_twin_free, frozen. twin: out, owned. Time O(size log size); memory as
 * much as the program again, none where it is canonical already. RATION_E_MEMORY. */
ration_status rn_twin_create(const ration_program *program, rn_twin **twin, ration_error *error);
void rn_twin_free(rn_twin *twin);

/* The program it was made of; borrowed. */
const ration_program *rn_twin_original(const rn_twin *twin);

/* The numbered-anew program, frozen, without names, with the digest of the original; borrowed. The
 * original itself where that is canonical. */
const ration_program *rn_twin_program(const rn_twin *twin);

/* Picks of the program as picks of the twin, and back. pick, mapped: [items] option numbers;
 * RATION_NONE stays. */
void rn_twin_picks(const rn_twin *twin, const int32_t *pick, int32_t *mapped);
void rn_twin_picks_back(const rn_twin *twin, const int32_t *pick, int32_t *mapped);

/* What belongs to the twin's rows, conflict rows included, as what belongs to the program's. value,
 * mapped: [all_rows]. */
void rn_twin_rows_back(const rn_twin *twin, const int64_t *value, int64_t *mapped);

/* The same of items. value, mapped: [items]. */
void rn_twin_items_back(const rn_twin *twin, const int64_t *value, int64_t *mapped);

#ifdef __cplusplus
}
#endif

#endif
