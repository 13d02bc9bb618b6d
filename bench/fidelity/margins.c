/* Margins: by what factor measured values exceed predictions in one of ten
 * cases, and how often a pick made by predictions breaks its limit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runs.h"

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value that nine in ten lie below. ratio: [rows], sorted in place. */
static double ninth_decile(double *ratio, int32_t rows)
{
    qsort(ratio, (size_t)rows, sizeof *ratio, by_size);
    return rows > 0 ? ratio[(int64_t)9 * rows / 10] : 0.0;
}

static bool same_choice(const rn_fid_run *a, const rn_fid_run *b)
{
    return a->model == b->model && a->gpu == b->gpu && a->engine == b->engine &&
           a->prompt == b->prompt && a->output == b->output;
}

static bool usable(const rn_fid_runs *runs, const rn_fid_times *times, int32_t i)
{
    const rn_fid_run *run = &runs->run[i];
    return run->known && !run->flagged && run->tpot_s > 0.0 && times[i].tpot_s > 0.0 &&
           runs->peer[i].tpot_s > 0.0;
}

static double per_gpu(const rn_fid_run *run, const rn_fid_times *t)
{
    const rn_perf_config *c = &run->base.config;
    return t->tokens_per_s / (c->tp * c->pp * c->ranks);
}

/* The run of first's group with the most tokens/s and GPU among those whose predicted TPOT times
 * margin keeps the limit; -1 none. */
static int32_t pick(const rn_fid_runs *runs, const rn_fid_times *times,
                    const rn_fid_times *predicted, int32_t first, double margin, double limit_s)
{
    int32_t best = -1;
    for (int32_t i = first; i < runs->count; ++i) {
        const bool keeps = usable(runs, times, i) &&
                           same_choice(&runs->run[first], &runs->run[i]) &&
                           predicted[i].tpot_s * margin <= limit_s;
        if (keeps && (best < 0 || per_gpu(&runs->run[i], &predicted[i]) >
                                      per_gpu(&runs->run[best], &predicted[best]))) {
            best = i;
        }
    }
    return best;
}

static void count_picks(const rn_fid_runs *runs, const rn_fid_times *times,
                        const rn_fid_times *predicted, double margin, const char *name)
{
    static const double limits_s[] = {0.008, 0.012, 0.016, 0.02, 0.03, 0.04, 0.06, 0.1};
    int32_t picks = 0;
    int32_t broken = 0;
    for (int32_t first = 0; first < runs->count; ++first) {
        bool seen = !usable(runs, times, first);
        for (int32_t i = 0; i < first && !seen; ++i) {
            seen = usable(runs, times, i) && same_choice(&runs->run[i], &runs->run[first]);
        }
        for (size_t k = 0; k < sizeof limits_s / sizeof limits_s[0] && !seen; ++k) {
            const int32_t at = pick(runs, times, predicted, first, margin, limits_s[k]);
            picks += at >= 0 ? 1 : 0;
            broken += at >= 0 && runs->run[at].tpot_s > limits_s[k] ? 1 : 0;
        }
    }
    printf("| %s | %d | %d | %.1f %% |\n", name, picks, broken,
           picks > 0 ? 100.0 * broken / picks : 0.0);
}

void rn_fid_margins_report(const rn_fid_runs *runs, const rn_fid_times *left_out, double *room)
{
    int32_t rows = 0;
    double *tpot = room;
    double *ttft = room + runs->count;
    for (int32_t i = 0; i < runs->count; ++i) {
        const rn_fid_run *run = &runs->run[i];
        if (run->known && !run->flagged && run->tpot_s > 0.0 && left_out[i].tpot_s > 0.0) {
            tpot[rows] = run->tpot_s / left_out[i].tpot_s;
            ttft[rows] = run->ttft_s / left_out[i].ttft_s;
            ++rows;
        }
    }
    const double margin = ninth_decile(tpot, rows);
    printf("\n| margin, model left out, rows not flagged | TPOT | TTFT |\n| --- | --- | --- |\n"
           "| nine in ten measured values lie below the prediction times | %.2f | %.2f |\n",
           margin, ninth_decile(ttft, rows));
    printf("\n| picks under a TPOT limit | picks | that break it | share |\n"
           "| --- | --- | --- | --- |\n");
    count_picks(runs, left_out, runs->peer, 1.0, "by the peer");
    count_picks(runs, left_out, left_out, 1.0, "by the prediction, model left out");
    count_picks(runs, left_out, left_out, margin, "by the prediction times the margin");
}
