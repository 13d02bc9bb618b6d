/* The report on end-to-end runs: errors in-sample, with a model or a system
 * left out of the fit, with three rows of a deployment, by engine and system. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runs.h"
#include "score.h"

/* Which runs a line of a table is about. */
typedef struct choice {
    bool peer_only;  /* those that the peer answers */
    bool clean_only; /* those that aren't flagged */
    int32_t gpu;     /* -1 any */
    int32_t engine;  /* -1 any */
} choice;

typedef struct scores {
    rn_fid_score tpot;
    rn_fid_score ttft;
    rn_fid_score rate;
} scores;

static double rate_of(const rn_fid_run *run)
{
    return run->given * run->output / (run->ttft_s + (run->output - 1.0) * run->tpot_s);
}

static bool chosen(const rn_fid_runs *runs, int32_t i, const choice *c)
{
    const rn_fid_run *run = &runs->run[i];
    return run->known && run->tpot_s > 0.0 && run->ttft_s > 0.0 &&
           (!c->peer_only || runs->peer[i].tpot_s > 0.0) && (!c->clean_only || !run->flagged) &&
           (c->gpu < 0 || run->gpu == c->gpu) &&
           (c->engine < 0 || (int32_t)run->engine == c->engine);
}

/* room: [3 * count] */
static scores score(const rn_fid_runs *runs, const rn_fid_times *times, const choice *c,
                    double *room)
{
    int32_t rows = 0;
    double *tpot = room;
    double *ttft = room + runs->count;
    double *rate = ttft + runs->count;
    for (int32_t i = 0; i < runs->count; ++i) {
        const rn_fid_run *run = &runs->run[i];
        if (times[i].tpot_s > 0.0 && chosen(runs, i, c)) {
            tpot[rows] = rn_fid_error(times[i].tpot_s, run->tpot_s);
            ttft[rows] = rn_fid_error(times[i].ttft_s, run->ttft_s);
            rate[rows] = rn_fid_error(times[i].tokens_per_s, rate_of(run));
            ++rows;
        }
    }
    const scores s = {rn_fid_score_of(tpot, rows), rn_fid_score_of(ttft, rows),
                      rn_fid_score_of(rate, rows)};
    return s;
}

static void print_line(const char *name, const scores *s)
{
    char tpot[RN_FID_SCORE_BYTES];
    char ttft[RN_FID_SCORE_BYTES];
    char rate[RN_FID_SCORE_BYTES];
    printf("| %s | %d | %s | %s | %s |\n", name, s->tpot.rows, rn_fid_score_text(s->tpot, tpot),
           rn_fid_score_text(s->ttft, ttft), rn_fid_score_text(s->rate, rate));
}

static bool same_deployment(const rn_fid_run *a, const rn_fid_run *b)
{
    const rn_perf_config *left = &a->base.config;
    const rn_perf_config *right = &b->base.config;
    return a->known && b->known && a->model == b->model && a->gpu == b->gpu &&
           a->engine == b->engine && left->weights == right->weights && left->tp == right->tp &&
           left->ranks == right->ranks && a->lock_step == b->lock_step && a->flagged == b->flagged;
}

/* The geometric mean of measured over predicted of three runs, shrunk towards 1 as if half a run
 * more had been predicted exactly. */
static double factor_of(const double *log_ratio)
{
    return exp((log_ratio[0] + log_ratio[1] + log_ratio[2]) / 3.5);
}

/* Corrects the deployment of run `first` by the first, the middle and the last of its `members`,
 * which lose their times: they aren't scored. list: [members] */
static void calibrate_one(const rn_fid_runs *runs, const int32_t *list, int32_t members,
                          rn_fid_times *times)
{
    double tpot[3];
    double ttft[3];
    const int32_t at[3] = {list[0], list[members / 2], list[members - 1]};
    for (int32_t k = 0; k < 3; ++k) {
        tpot[k] = log(runs->run[at[k]].tpot_s / times[at[k]].tpot_s);
        ttft[k] = log(runs->run[at[k]].ttft_s / times[at[k]].ttft_s);
    }
    for (int32_t m = 0; m < members; ++m) {
        const rn_fid_run *run = &runs->run[list[m]];
        rn_fid_times *t = &times[list[m]];
        t->tpot_s *= factor_of(tpot);
        t->ttft_s *= factor_of(ttft);
        t->tokens_per_s = run->given * run->output / (t->ttft_s + (run->output - 1.0) * t->tpot_s);
    }
    for (int32_t k = 0; k < 3; ++k) {
        times[at[k]].tpot_s = 0.0;
    }
}

/* Every deployment of six runs and more; the others aren't scored. list: [count], room. */
static void calibrate(const rn_fid_runs *runs, rn_fid_times *times, int32_t *list)
{
    for (int32_t first = 0; first < runs->count; ++first) {
        int32_t members = 0;
        for (int32_t i = 0; i < runs->count; ++i) {
            if (same_deployment(&runs->run[first], &runs->run[i])) {
                list[members++] = i;
            }
        }
        if (members < 6) {
            times[first].tpot_s = 0.0;
        } else if (list[0] == first) {
            calibrate_one(runs, list, members, times);
        }
    }
}

static void print_head(const char *title)
{
    printf("\n| %s | rows | TPOT | TTFT | output tokens/s |\n| --- | --- | --- | --- | --- |\n",
           title);
}

static ration_status print_totals(const rn_fid_runs *runs, rn_fid_times *times, double *room,
                                  int32_t *rows, ration_error *error)
{
    static const struct {
        rn_fid_out out;
        const char *name;
    } list[] = {{RN_FID_OUT_NONE, "in-sample"},
                {RN_FID_OUT_MODEL, "model left out"},
                {RN_FID_OUT_SYSTEM, "system left out"}};
    static const struct {
        choice choice;
        const char *name;
    } part[] = {{{true, false, -1, -1}, "that the peer answers"},
                {{false, true, -1, -1}, "not flagged"},
                {{false, false, -1, -1}, "all"}};
    char name[96];
    print_head("e2e_agg, runs");
    const scores peer = score(runs, runs->peer, &part[0].choice, room);
    print_line("that the peer answers: the peer", &peer);
    for (int32_t k = 0; k < 3; ++k) {
        const ration_status status = rn_fid_runs_predict(runs, list[k].out, times, error);
        if (status != RATION_OK) {
            return status;
        }
        for (int32_t p = 0; p < 3; ++p) {
            const scores s = score(runs, times, &part[p].choice, room);
            snprintf(name, sizeof name, "%s, %s", part[p].name, list[k].name);
            print_line(name, &s);
        }
        if (list[k].out == RN_FID_OUT_MODEL) {
            calibrate(runs, times, rows);
            const scores s = score(runs, times, &part[0].choice, room);
            print_line("that the peer answers, model left out, three rows of the deployment", &s);
        }
    }
    return RATION_OK;
}

/* Engine by system, in-sample, beside the peer on the same rows. */
static void print_cells(const ration_catalog *catalog, const rn_fid_runs *runs,
                        const rn_fid_times *times, double *room)
{
    static const char *const engines[RN_PERF_ENGINES] = {"vLLM", "SGLang", "TensorRT-LLM"};
    printf("\n| cell, in-sample | rows | TPOT | TPOT, peer | TTFT | TTFT, peer |\n"
           "| --- | --- | --- | --- | --- | --- |\n");
    for (int32_t engine = 0; engine < RN_PERF_ENGINES; ++engine) {
        for (int32_t gpu = 0; gpu < ration_catalog_gpu_count(catalog); ++gpu) {
            char text[4][RN_FID_SCORE_BYTES];
            const choice c = {true, false, gpu, engine};
            const scores ours = score(runs, times, &c, room);
            const scores peer = score(runs, runs->peer, &c, room);
            if (ours.tpot.rows > 0) {
                printf("| %s, %s | %d | %s | %s | %s | %s |\n", engines[engine],
                       ration_catalog_gpu_at(catalog, gpu)->name, ours.tpot.rows,
                       rn_fid_score_text(ours.tpot, text[0]), rn_fid_score_text(peer.tpot, text[1]),
                       rn_fid_score_text(ours.ttft, text[2]),
                       rn_fid_score_text(peer.ttft, text[3]));
            }
        }
    }
}

ration_status rn_fid_runs_report(const ration_catalog *catalog, const rn_fid_runs *runs,
                                 ration_error *error)
{
    const size_t count = (size_t)runs->count + 1;
    rn_fid_times *times = calloc(count, sizeof *times);
    double *room = calloc(3 * count, sizeof *room);
    int32_t *rows = calloc(count, sizeof *rows);
    ration_status status = RATION_OK;
    if (times == NULL || room == NULL || rows == NULL) {
        status = ration_error_set(error, RATION_E_MEMORY, "out of memory for the report");
    } else {
        int32_t known = 0;
        for (int32_t i = 0; i < runs->count; ++i) {
            known += runs->run[i].known ? 1 : 0;
        }
        printf("\n%d of %d rows answered.\n", known, runs->count);
        status = print_totals(runs, times, room, rows, error);
    }
    if (status == RATION_OK) {
        status = rn_fid_runs_predict(runs, RN_FID_OUT_NONE, times, error);
        print_cells(catalog, runs, times, room);
    }
    if (status == RATION_OK) {
        status = rn_fid_runs_predict(runs, RN_FID_OUT_MODEL, times, error);
        rn_fid_margins_report(runs, times, room);
    }
    free(times);
    free(room);
    free(rows);
    return status;
}
