/* Quadratic assignment: n facilities to n sites, one each.
 *
 *   minimise  sum over i, j of A[i][j] * B[p(i)][p(j)]   (all pairs, the diagonal included)
 */
#ifndef RATION_QAP_H
#define RATION_QAP_H

#include "ration/instance.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a problem in QAPLIB's format: n, then matrix A, then matrix B, row by row.
 *
 * Items are the rows of A, places the rows of B, both numbered from 1, and each place has one row
 * of its own with upper limit 1. A is directed traffic, B the distances; RATION_MAXIMISE negates A.
 *
 * request  borrowed; `problem` must be 0 or 1.
 * program  out, owned, frozen.
 * Errors: RATION_E_INPUT names the line; RATION_E_IO, RATION_E_RANGE, RATION_E_MEMORY.
 */
RATION_API ration_status ration_qap_read(const ration_instance *request, ration_program **program,
                                         ration_error *error);

#ifdef __cplusplus
}
#endif

#endif
