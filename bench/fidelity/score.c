/* Errors of predictions and how they are printed. */
#include "score.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

rn_fid_score rn_fid_score_of(double *error, int32_t rows)
{
    rn_fid_score s = {rows, 0.0, 0.0};
    if (rows == 0) {
        return s;
    }
    qsort(error, (size_t)rows, sizeof *error, by_size);
    for (int32_t i = 0; i < rows; ++i) {
        s.mean_percent += 100.0 * error[i] / rows;
    }
    s.median_percent = 50.0 * (error[(rows - 1) / 2] + error[rows / 2]);
    return s;
}

double rn_fid_error(double predicted, double measured)
{
    return fabs(predicted / measured - 1.0);
}

const char *rn_fid_score_text(rn_fid_score score, char *text)
{
    if (score.rows == 0) {
        snprintf(text, RN_FID_SCORE_BYTES, "-");
    } else {
        snprintf(text, RN_FID_SCORE_BYTES, "%.1f / %.1f", score.mean_percent, score.median_percent);
    }
    return text;
}
