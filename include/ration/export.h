/* A program as a mixed-integer program for other solvers, and their picks back.
 *
 * docs/export.md describes the model and the names in it. In the file's numbers
 * the objective of a plan is its cost as reported, times 10^scale.
 */
#ifndef RATION_EXPORT_H
#define RATION_EXPORT_H

#include <stdint.h>

#include "ration/program.h"
#include "ration/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ration_export_format { RATION_EXPORT_MPS, RATION_EXPORT_LP } ration_export_format;

enum { RATION_EXPORT_OPTIONS_MAX = 50000000 }; /* columns that a file may have */

/* How large the written model is. */
typedef struct ration_export_size {
    int32_t columns;
    int32_t binaries; /* of the columns */
    int32_t rows;
    int64_t nonzeros; /* objective not counted */
    int64_t bytes;
} ration_export_size;

/* Writes a frozen program as free MPS or CPLEX LP to the regular file path, as a whole or not at
 * all.
 *
 * size  out, or NULL.
 * Errors: RATION_E_RANGE names the first number beyond +-2^53 (solvers read doubles), or says that
 * there are too many columns; RATION_E_STATE for a program that is not frozen; RATION_E_INPUT,
 * RATION_E_IO, RATION_E_MEMORY. On failure the old file is intact and nothing else is left.
 * Time: O(nonzeros). Memory: MPS O(rows + traffic places), LP O(nonzeros).
 */
RATION_API ration_status ration_program_export(const ration_program *program,
                                               ration_export_format format, const char *path,
                                               ration_export_size *size, ration_error *error);

/* Reads the picks out of a solution that a solver wrote for such a file: any text of lines with
 * NAME VALUE in it, as HiGHS, SCIP, CBC and Gurobi write. Options left out are not picked.
 *
 * option  out, [items].
 * Errors: RATION_E_INPUT names the line or the item: a name that the program lacks, a pick that is
 * neither 0 nor 1 within 10^-4, an item with no pick or with two; RATION_E_IO, RATION_E_MEMORY.
 */
RATION_API ration_status ration_export_read_picks(const ration_program *program, const char *path,
                                                  int32_t *option, ration_error *error);

/* The same picks as a result without a bound, evaluated from scratch by the judge: its cost, loads
 * and violations are not the solver's. result: out, owned. Also the errors of the judge. */
RATION_API ration_status ration_export_read_result(const ration_program *program, const char *path,
                                                   ration_result **result, ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
