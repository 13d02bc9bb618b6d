/* Errors of predictions and how they are printed. */
#ifndef RN_FIDELITY_SCORE_H
#define RN_FIDELITY_SCORE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rn_fid_score {
    int32_t rows;
    double mean_percent; /* of |predicted / measured - 1| */
    double median_percent;
} rn_fid_score;

/* error: [rows] of |predicted / measured - 1|; sorted in place. */
rn_fid_score rn_fid_score_of(double *error, int32_t rows);

/* |predicted / measured - 1| */
double rn_fid_error(double predicted, double measured);

/* "13.1 / 8.9" or "-" into text. */
enum { RN_FID_SCORE_BYTES = 32 };
const char *rn_fid_score_text(rn_fid_score score, char *text);

#endif
