/* Levenberg and Marquardt with soft-L1 residuals and priors. */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fitter {
    const rn_fid_problem *p;
    double *now;   /* residuals at x */
    double *trial; /* and elsewhere */
    double *slope; /* [residuals * numbers] */
    double x[RN_FID_NUMBERS_MAX];
    double gradient[RN_FID_NUMBERS_MAX];
    double step[RN_FID_NUMBERS_MAX];
    double matrix[RN_FID_NUMBERS_MAX][RN_FID_NUMBERS_MAX];
    double factor[RN_FID_NUMBERS_MAX][RN_FID_NUMBERS_MAX];
} fitter;

static void residuals_at(const fitter *f, const double *x, double *residual)
{
    double value[RN_FID_NUMBERS_MAX];
    for (int32_t k = 0; k < f->p->numbers; ++k) {
        value[k] = exp(x[k]);
    }
    f->p->residual(f->p->context, value, residual);
}

static double cost_of(const fitter *f, const double *x, const double *residual)
{
    const rn_fid_problem *p = f->p;
    double sum = 0.0;
    for (int32_t i = 0; i < p->residuals; ++i) {
        if (p->weight[i] > 0.0) {
            const double e = residual[i] / p->soft[i];
            sum += p->weight[i] * 2.0 * (sqrt(1.0 + e * e) - 1.0);
        }
    }
    for (int32_t k = 0; k < p->numbers; ++k) {
        const double e = (x[k] - log(p->prior[k])) / p->spread[k];
        sum += e * e;
    }
    return sum;
}

/* Slopes by differences, then half the gradient and half the Gauss-Newton matrix. */
static void linearise(fitter *f)
{
    const rn_fid_problem *p = f->p;
    const int32_t n = p->numbers;
    const double small = 1e-4;
    for (int32_t k = 0; k < n; ++k) {
        double moved[RN_FID_NUMBERS_MAX];
        memcpy(moved, f->x, sizeof moved);
        moved[k] += small;
        residuals_at(f, moved, f->trial);
        for (int32_t i = 0; i < p->residuals; ++i) {
            f->slope[(int64_t)i * n + k] = (f->trial[i] - f->now[i]) / small;
        }
    }
    for (int32_t a = 0; a < n; ++a) {
        const double h = 1.0 / (p->spread[a] * p->spread[a]);
        memset(f->matrix[a], 0, sizeof f->matrix[a]);
        f->matrix[a][a] = h;
        f->gradient[a] = h * (f->x[a] - log(p->prior[a]));
    }
    for (int32_t i = 0; i < p->residuals; ++i) {
        if (!(p->weight[i] > 0.0)) {
            continue;
        }
        const double e = f->now[i] / p->soft[i];
        const double u = p->weight[i] / (p->soft[i] * p->soft[i]) / sqrt(1.0 + e * e);
        const double *row = f->slope + (int64_t)i * n;
        for (int32_t a = 0; a < n; ++a) {
            f->gradient[a] += u * row[a] * f->now[i];
            for (int32_t b = 0; b <= a; ++b) {
                f->matrix[a][b] += u * row[a] * row[b];
            }
        }
    }
}

/* Solves (matrix + damp · diagonal) step = -gradient by Cholesky. */
static void solve(fitter *f, double damp)
{
    const int32_t n = f->p->numbers;
    for (int32_t a = 0; a < n; ++a) {
        for (int32_t b = 0; b <= a; ++b) {
            double s = f->matrix[a][b] * (a == b ? 1.0 + damp : 1.0);
            for (int32_t c = 0; c < b; ++c) {
                s -= f->factor[a][c] * f->factor[b][c];
            }
            f->factor[a][b] = a == b ? sqrt(fmax(s, 1e-12)) : s / f->factor[b][b];
        }
    }
    for (int32_t a = 0; a < n; ++a) {
        double s = -f->gradient[a];
        for (int32_t c = 0; c < a; ++c) {
            s -= f->factor[a][c] * f->step[c];
        }
        f->step[a] = s / f->factor[a][a];
    }
    for (int32_t a = n - 1; a >= 0; --a) {
        double s = f->step[a];
        for (int32_t c = a + 1; c < n; ++c) {
            s -= f->factor[c][a] * f->step[c];
        }
        f->step[a] = s / f->factor[a][a];
    }
}

static void descend(fitter *f, int32_t rounds)
{
    const int32_t n = f->p->numbers;
    double best = cost_of(f, f->x, f->now);
    double damp = 1e-3;
    for (int32_t round = 0; round < rounds; ++round) {
        bool better = false;
        const double before = best;
        linearise(f);
        for (int32_t tries = 0; tries < 8 && !better; ++tries) {
            double moved[RN_FID_NUMBERS_MAX];
            solve(f, damp);
            for (int32_t k = 0; k < n; ++k) {
                moved[k] = f->x[k] + fmax(-0.5, fmin(0.5, f->step[k]));
            }
            residuals_at(f, moved, f->trial);
            const double cost = cost_of(f, moved, f->trial);
            better = cost < best;
            damp = better ? fmax(1e-6, damp / 5.0) : damp * 8.0;
            if (better) {
                best = cost;
                memcpy(f->x, moved, (size_t)n * sizeof *moved);
                memcpy(f->now, f->trial, (size_t)f->p->residuals * sizeof *f->now);
            }
        }
        if (!better || before - best < 1e-6 * best) {
            return;
        }
    }
}

ration_status rn_fid_fit(const rn_fid_problem *problem, int32_t rounds, double *value,
                         ration_error *error)
{
    const size_t count = (size_t)problem->residuals;
    fitter *f = calloc(1, sizeof *f);
    double *room = calloc(count * ((size_t)problem->numbers + 2), sizeof *room);
    if (f == NULL || room == NULL) {
        free(f);
        free(room);
        return ration_error_set(error, RATION_E_MEMORY, "out of memory for the fit");
    }
    f->p = problem;
    f->now = room;
    f->trial = room + count;
    f->slope = room + 2 * count;
    for (int32_t k = 0; k < problem->numbers; ++k) {
        f->x[k] = log(problem->prior[k]);
    }
    residuals_at(f, f->x, f->now);
    descend(f, rounds);
    for (int32_t k = 0; k < problem->numbers; ++k) {
        value[k] = exp(f->x[k]);
    }
    free(f);
    free(room);
    return RATION_OK;
}
