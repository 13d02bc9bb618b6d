/* ration_solve: bound, search, judge. The first two see the program's twin, numbered in canonical
 * order; the judge sees the program itself.
 */
#include "ration/solve.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/par.h"
#include "core/fail.h"
#include "plan/result.h"
#include "program/program.h"
#include "program/twin.h"
#include "search/run.h"

enum {
    SEED_DEFAULT = 1,
    TIME_DEFAULT_US = 10000000,
    BOUND_SHARE = 2, /* the bound may take one in this many of the time */
    SAVE_EVERY_US = 30000000,
    CHAINS_MOST = 1 << 20,
    NOTICE_TEXT = 128
};

void ration_run_default(ration_run *run)
{
    memset(run, 0, sizeof *run);
    run->seed = SEED_DEFAULT;
    run->time_us = TIME_DEFAULT_US;
    run->epochs = -1;
    run->backend = RATION_BACKEND_AUTO;
    run->checked_backend = RATION_BACKEND_OPENMP;
}

/* The clock of one call. */
typedef struct watch {
    int64_t start_us;
    int64_t deadline_us; /* -1: none */
    int64_t epoch_us;    /* how long the last epoch took */
    int64_t saved_us;
} watch;

static watch watch_start(const ration_run *run)
{
    watch w = {.start_us = rn_clock_start_us(), .deadline_us = -1};
    if (run->epochs < 0 && run->time_us >= 0) {
        w.deadline_us = run->time_us < INT64_MAX - w.start_us ? w.start_us + run->time_us : -1;
    }
    w.saved_us = rn_clock_us();
    return w;
}

static ration_status check_run(const ration_program *program, const ration_run *run,
                               ration_error *error)
{
    const rn_view *v = rn_program_view(program);
    if (v == NULL || v->items == 0) {
        return rn_fail(error, RATION_E_STATE, "the program is not frozen");
    }
    if (run->chains < 0 || run->chains > CHAINS_MOST || run->islands < 0 || run->threads < 0 ||
        run->epoch_length < 0 || run->passes < 0) {
        return rn_fail(error, RATION_E_INPUT,
                       "chains %d, islands %d, threads %d, epoch length %lld, passes %d: expected "
                       "numbers of at least 0 (0: default), at most %d chains",
                       run->chains, run->islands, run->threads, (long long)run->epoch_length,
                       run->passes, CHAINS_MOST);
    }
    for (int32_t i = 0; run->start != NULL && i < v->items; i++) {
        int32_t place;
        int32_t mode;
        const int32_t option = run->start[i];
        if (option == RATION_NONE) {
            continue;
        }
        if (option < 0 || option >= v->item_options[i] ||
            !ration_program_option(program, i, option, &place, &mode)) {
            char name[RN_LABEL_TEXT];
            return rn_fail(error, RATION_E_INPUT, "the start plan: %s has no option %d",
                           rn_program_label(program, RN_ITEM, i, name), option);
        }
    }
    return RATION_OK;
}

static void report(const rn_search *s, const ration_run *run, const watch *w)
{
    if (run->progress == NULL) {
        return;
    }
    const int64_t now = rn_clock_us();
    ration_progress p;
    p.epoch = s->epoch;
    p.best = s->facts.best_cost;
    p.violation = s->facts.best_violation;
    p.bounded = s->facts.bound != INT64_MIN;
    p.bound = p.bounded ? s->facts.bound : 0;
    p.moves = s->moves;
    p.evaluations = s->options;
    p.elapsed_us = now - w->start_us;
    p.left_us = w->deadline_us < 0 ? -1 : w->deadline_us > now ? w->deadline_us - now : 0;
    run->progress(run->context, &p);
}

static bool stopping(const ration_run *run)
{
    return run->stop != NULL && *run->stop != 0;
}

/* Whether another epoch may begin. */
static bool goes_on(const rn_search *s, const ration_run *run, const watch *w)
{
    if (stopping(run) || rn_search_done(s)) {
        return false;
    }
    if (run->epochs >= 0) {
        return s->epoch < run->epochs;
    }
    return w->deadline_us < 0 || rn_clock_us() + w->epoch_us <= w->deadline_us;
}

/* Saves when asked to, and now and then. */
static ration_status save_if_due(rn_search *s, const ration_run *run, watch *w, ration_error *error)
{
    const bool asked = run->save != NULL && *run->save != 0;
    const bool due = rn_clock_us() - w->saved_us > SAVE_EVERY_US;
    if (asked) {
        *run->save = 0;
    }
    if (run->checkpoint == NULL || !(asked || due)) {
        return RATION_OK;
    }
    RN_TRY(rn_search_save(s, run->checkpoint, error));
    w->saved_us = rn_clock_us();
    return RATION_OK;
}

static ration_status loop(rn_search *s, const ration_run *run, watch *w, ration_error *error)
{
    w->epoch_us = s->chains != NULL ? 0 : rn_search_load_us(s);
    while (goes_on(s, run, w)) {
        const int64_t begin = rn_clock_us();
        RN_TRY(rn_search_epoch(s, error));
        w->epoch_us = rn_clock_us() - begin;
        report(s, run, w);
        RN_TRY(save_if_due(s, run, w, error));
    }
    return run->checkpoint != NULL ? rn_search_save(s, run->checkpoint, error) : RATION_OK;
}

static void fill_facts(const rn_search *s, const ration_run *run, const watch *w,
                       rn_run_facts *facts)
{
    rn_run_facts_clear(facts);
    facts->seeded = true;
    facts->seed = s->key.seed;
    facts->epochs = s->epoch;
    facts->epoch_length = s->key.epoch_length;
    facts->passes = s->bound != NULL && s->bound->cut ? s->bound->passes : -1;
    facts->chains = s->key.chains;
    facts->islands = s->key.islands;
    facts->threads =
        s->chains != NULL ? s->backend->threads(s->chains) : rn_par_threads(run->threads);
    facts->moves = s->moves;
    facts->elapsed_us = rn_clock_us() - w->start_us;
    snprintf(facts->preset, sizeof facts->preset, "%s", s->key.preset_gpu ? "gpu" : "cpu");
    if (run->device > 0) {
        snprintf(facts->backend, sizeof facts->backend, "%s:%d", s->backend->name, run->device);
    } else {
        snprintf(facts->backend, sizeof facts->backend, "%s", s->backend->name);
    }
}

/* The judge has the last word, and must agree with the search. */
static ration_status judge(const rn_twin *twin, const rn_search *s, const ration_run *run,
                           const watch *w, ration_result **result, ration_error *error)
{
    rn_run_facts facts;
    ration_result *made = NULL;
    fill_facts(s, run, w, &facts);
    RN_TRY(rn_result_create_back(twin, s->best, s->bound, &facts, &made, error));
    const int64_t cost = ration_result_cost(made);
    const int64_t violation = ration_result_violation(made);
    if (cost != s->facts.best_cost || violation != s->facts.best_violation) {
        ration_result_free(made);
        return rn_fail(error, RATION_E_MISMATCH,
                       "the search says cost %lld and violation %lld, the verifier %lld and %lld",
                       (long long)s->facts.best_cost, (long long)s->facts.best_violation,
                       (long long)cost, (long long)violation);
    }
    made->stopped = stopping(run);
    *result = made;
    return RATION_OK;
}

static ration_status find_bound(const ration_program *program, const ration_run *run,
                                const watch *w, rn_bound **bound, ration_error *error)
{
    rn_bound_limits limits = {
        .target = INT64_MAX, .passes = 0, .cut_after = run->passes, .deadline_us = -1};
    if (w->deadline_us >= 0) {
        const int64_t now = rn_clock_us();
        limits.deadline_us =
            w->deadline_us > now ? now + (w->deadline_us - now) / BOUND_SHARE : now;
    }
    return rn_bound_find(rn_program_view(program), &limits, bound, error);
}

static ration_status fresh_search(const ration_program *program, const ration_run *run,
                                  const watch *w, rn_search **search, ration_error *error)
{
    const rn_search_wish wish = {.program = program, .run = run};
    rn_bound *bound = NULL;
    RN_TRY(find_bound(program, run, w, &bound, error));
    if (bound->cut && bound->passes != run->passes && run->notice != NULL) {
        char text[NOTICE_TEXT];
        snprintf(text, sizeof text,
                 "the time limit cut the search for prices: repeat this run by --epochs and "
                 "--passes %d",
                 bound->passes);
        run->notice(run->context, text);
    }
    return rn_search_create(&wish, bound, search, error);
}

static ration_status resumed_search(const ration_program *program, const ration_run *run,
                                    rn_search **search, ration_error *error)
{
    rn_saved *saved = NULL;
    rn_bound *bound = NULL;
    rn_run_key key;
    rn_search *made = NULL;
    RN_TRY(rn_saved_read(program, run, &saved, &bound, &key, error));
    ration_run same = *run;
    same.seed = key.seed;
    same.chains = key.chains;
    same.islands = key.islands;
    same.epoch_length = key.epoch_length;
    same.preset_gpu = key.preset_gpu != 0;
    const rn_search_wish wish = {.program = program, .run = &same};
    ration_status status = rn_search_create(&wish, bound, &made, error);
    if (status == RATION_OK) {
        status = rn_saved_restore(saved, made, error);
    }
    rn_saved_free(saved);
    if (status != RATION_OK) {
        rn_search_free(made);
        return status;
    }
    *search = made;
    return RATION_OK;
}

/* Searches on the twin. run: with its start in the twin's numbers. */
static ration_status solve(const rn_twin *twin, const ration_run *run, watch *w,
                           ration_result **result, ration_error *error)
{
    const ration_program *numbered = rn_twin_program(twin);
    rn_search *search = NULL;
    RN_TRY(run->resume != NULL ? resumed_search(numbered, run, &search, error)
                               : fresh_search(numbered, run, w, &search, error));
    ration_status status = loop(search, run, w, error);
    if (status == RATION_OK) {
        status = judge(twin, search, run, w, result, error);
    }
    rn_search_free(search);
    return status;
}

ration_status ration_solve(const ration_program *program, const ration_run *run,
                           ration_result **result, ration_error *error)
{
    watch w = watch_start(run);
    rn_twin *twin = NULL;
    int32_t *start = NULL;
    ration_run numbered = *run;
    RN_TRY(check_run(program, run, error));
    RN_TRY(rn_twin_create(program, &twin, error));
    ration_status status = RATION_OK;
    if (run->start != NULL) {
        const size_t items = (size_t)ration_program_items(program);
        start = rn_calloc(items, sizeof *start);
        status = start != NULL ? RATION_OK
                               : rn_fail_memory(error, "a start plan", items * sizeof *start);
    }
    if (status == RATION_OK && start != NULL) {
        rn_twin_picks(twin, run->start, start);
        numbered.start = start;
    }
    if (status == RATION_OK) {
        status = solve(twin, &numbered, &w, result, error);
    }
    rn_free(start);
    rn_twin_free(twin);
    return status;
}
