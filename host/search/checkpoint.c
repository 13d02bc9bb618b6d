/* The whole state of a run in a file: key, facts, bound and prices, weights, best plan, every
 * chain's block. Numbers are in the machine's order; the header refuses files of another program.
 */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/snapshot.h"
#include "core/fail.h"
#include "core/state.h"
#include "program/program.h"
#include "search/run.h"

/* What the payload begins with. */
typedef struct header {
    rn_run_key key;
    rn_progress_facts facts;
    int64_t epoch;
    int64_t moves;
    int64_t state_bytes; /* of a chain */
    int64_t bound_value;
    int32_t bounded;
    int32_t kind;
    int32_t infeasible;
    int32_t cut;
    int32_t passes;
    int32_t rounds;
    int32_t items;
    int32_t all_rows;
    int32_t groups;
} header;

struct rn_saved {
    header head;
    const char *weight; /* int32 [all_rows + 1] */
    const char *best;   /* int32 [items] */
    const char *state;  /* [chains * state_bytes] */
    void *payload;
};

/* Where the parts of a payload begin. */
typedef struct parts {
    size_t price;
    size_t width;
    size_t value_of;
    size_t kept;
    size_t weight;
    size_t best;
    size_t state;
    size_t bytes;
    bool fits; /* no size overflowed */
} parts;

static size_t take(parts *p, int64_t count, size_t size)
{
    const size_t begin = p->bytes;
    size_t bytes = 0;
    p->fits = p->fits && count >= 0 && rn_size_mul((size_t)count, size, &bytes) &&
              rn_size_add(p->bytes, bytes, &p->bytes);
    return begin;
}

static parts part(const header *h)
{
    parts p = {.fits = true};
    take(&p, 1, sizeof *h);
    p.price = take(&p, h->bounded ? h->all_rows : 0, sizeof(int64_t));
    p.width = take(&p, h->bounded ? 2 * (int64_t)h->groups : 0, sizeof(int64_t));
    p.value_of = take(&p, h->bounded ? h->items : 0, sizeof(int64_t));
    p.kept = take(&p, h->bounded ? h->all_rows : 0, sizeof(int64_t));
    p.weight = take(&p, (int64_t)h->all_rows + 1, sizeof(int32_t));
    p.best = take(&p, h->items, sizeof(int32_t));
    p.state = take(&p, h->key.chains, (size_t)(h->state_bytes > 0 ? h->state_bytes : 0));
    return p;
}

/* 64 bits of the program's digest. */
static uint64_t problem_of(const ration_program *program)
{
    char digest[RATION_DIGEST_TEXT];
    uint64_t value = 0;
    ration_program_digest(program, digest);
    for (int32_t x = 0; x < 16 && digest[x] != '\0'; x++) {
        const char c = digest[x];
        value = value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return value;
}

static void fill_header(const rn_search *s, header *h)
{
    memset(h, 0, sizeof *h);
    h->key = s->key;
    h->facts = s->facts;
    h->epoch = s->epoch;
    h->moves = s->moves;
    h->state_bytes = rn_state_map(s->tables).bytes;
    h->items = s->view->items;
    h->all_rows = s->view->all_rows;
    h->groups = s->view->groups;
    h->bounded = s->bound != NULL;
    if (s->bound != NULL) {
        h->bound_value = s->bound->value;
        h->kind = (int32_t)s->bound->kind;
        h->infeasible = s->bound->infeasible;
        h->cut = s->bound->cut;
        h->passes = s->bound->passes;
        h->rounds = s->bound->rounds;
    }
}

ration_status rn_search_save(rn_search *s, const char *path, ration_error *error)
{
    header h;
    RN_TRY(rn_search_load(s, error));
    fill_header(s, &h);
    const parts p = part(&h);
    char *payload = p.fits ? rn_malloc(p.bytes) : NULL;
    if (payload == NULL) {
        return rn_fail_memory(error, "a checkpoint", p.bytes);
    }
    assert(p.price == sizeof h && p.price <= p.width && p.width <= p.value_of);
    assert(p.value_of <= p.kept && p.kept <= p.weight && p.weight < p.best);
    assert(p.best <= p.state && p.state <= p.bytes);
    memcpy(payload, &h, sizeof h);
    if (s->bound != NULL) {
        memcpy(payload + p.price, s->bound->price, p.width - p.price);
        memcpy(payload + p.width, s->bound->width, p.value_of - p.width);
        memcpy(payload + p.value_of, s->bound->value_of, p.kept - p.value_of);
        memcpy(payload + p.kept, s->bound->kept, p.weight - p.kept);
    }
    memcpy(payload + p.weight, rn_schedule_weights(s->schedule), p.best - p.weight);
    memcpy(payload + p.best, s->best, p.state - p.best);
    ration_status status = s->backend->read(s->chains, 0, s->key.chains, payload + p.state, error);
    if (status == RATION_OK) {
        const rn_snapshot snapshot = {s->epoch, problem_of(s->program), payload, p.bytes};
        status = rn_snapshot_write(path, &snapshot, error);
    }
    rn_free(payload);
    return status;
}

/* ---- reading ---- */

static void bound_carve(rn_layout *layout, rn_bound **bound, const header *h)
{
    rn_bound *b = rn_carve(layout, 1, sizeof *b);
    int64_t *price = rn_carve(layout, h->all_rows, sizeof *price);
    int64_t *width = rn_carve(layout, 2 * (int64_t)h->groups, sizeof *width);
    int64_t *value_of = rn_carve(layout, h->items, sizeof *value_of);
    int64_t *kept = rn_carve(layout, h->all_rows, sizeof *kept);
    if (b != NULL) {
        b->value_of = value_of;
        b->kept = kept;
        b->price = price;
        b->width = width;
        *bound = b;
    }
}

/* A bound as rn_bound_find makes it: one block. */
static ration_status read_bound(const header *h, const char *payload, const parts *p,
                                rn_bound **bound, ration_error *error)
{
    rn_layout layout = {0};
    rn_bound *b = NULL;
    bound_carve(&layout, &b, h);
    RN_TRY(rn_layout_allocate(&layout, "a bound", error));
    bound_carve(&layout, &b, h);
    b->kind = (rn_bound_kind)h->kind;
    b->value = h->bound_value;
    b->infeasible = h->infeasible != 0;
    b->cut = h->cut != 0;
    b->passes = h->passes;
    b->rounds = h->rounds;
    b->all_rows = h->all_rows;
    b->groups = h->groups;
    b->items = h->items;
    memcpy(b->price, payload + p->price, p->width - p->price);
    memcpy(b->width, payload + p->width, p->value_of - p->width);
    memcpy(b->value_of, payload + p->value_of, p->kept - p->value_of);
    memcpy(b->kept, payload + p->kept, p->weight - p->kept);
    *bound = b;
    return RATION_OK;
}

/* Refuses to continue a run under other parameters than those it began with. */
static ration_status check_wish(const ration_run *run, const header *h, ration_error *error)
{
    if ((run->chains > 0 && run->chains != h->key.chains) ||
        (run->islands > 0 && run->islands != h->key.islands) ||
        (run->epoch_length > 0 && run->epoch_length != h->key.epoch_length)) {
        return rn_fail(
            error, RATION_E_INPUT,
            "%s: the checkpoint is of a run with %d chains, %d islands and epochs of %lld moves; "
            "resume without other numbers",
            run->resume, h->key.chains, h->key.islands, (long long)h->key.epoch_length);
    }
    if (run->seed_given && run->seed != h->key.seed) {
        return rn_fail(error, RATION_E_INPUT,
                       "%s: the checkpoint is of a run with seed %llu, seed %llu was asked for",
                       run->resume, (unsigned long long)h->key.seed, (unsigned long long)run->seed);
    }
    if (run->preset_given && run->preset_gpu != (h->key.preset_gpu != 0)) {
        return rn_fail(error, RATION_E_INPUT,
                       "%s: the checkpoint is of a run with preset %s, preset %s was asked for",
                       run->resume, h->key.preset_gpu != 0 ? "gpu" : "cpu",
                       run->preset_gpu ? "gpu" : "cpu");
    }
    const bool past = run->passes < h->passes;
    if (run->passes > 0 && h->bounded && (past || (h->cut && run->passes != h->passes))) {
        return rn_fail(error, RATION_E_INPUT,
                       "%s: the checkpoint's search for prices ended after %d passes, %d were "
                       "asked for",
                       run->resume, h->passes, run->passes);
    }
    return RATION_OK;
}

/* Refuses a payload whose sizes don't belong to the program or the run. */
static ration_status check(const ration_program *program, const ration_run *run,
                           const rn_snapshot *snapshot, header *h, parts *p, ration_error *error)
{
    const rn_view *v = rn_program_view(program);
    if (snapshot->bytes < sizeof *h) {
        return rn_fail(error, RATION_E_INPUT, "%s: a checkpoint of %zu bytes, too short",
                       run->resume, snapshot->bytes);
    }
    memcpy(h, snapshot->payload, sizeof *h);
    *p = part(h);
    if (!p->fits || p->bytes != snapshot->bytes || h->items != v->items ||
        h->all_rows != v->all_rows || h->groups != v->groups || h->key.chains < 1 ||
        h->key.islands < 1 || h->key.islands > h->key.chains || h->key.epoch_length < 1 ||
        h->epoch < 0) {
        return rn_fail(error, RATION_E_INPUT, "%s: the checkpoint does not fit the program",
                       run->resume);
    }
    return check_wish(run, h, error);
}

ration_status rn_saved_read(const ration_program *program, const ration_run *run, rn_saved **saved,
                            rn_bound **bound, rn_run_key *key, ration_error *error)
{
    rn_snapshot snapshot = {0};
    header h = {0};
    parts p = {0};
    bool previous = false;
    char note[RATION_ERROR_TEXT_MAX];
    const ration_status found =
        rn_snapshot_read(run->resume, problem_of(program), &snapshot, &previous, note, error);
    if (found == RATION_E_MISMATCH) { /* the caller's mistake, not a disagreement of the machine */
        return rn_fail(error, RATION_E_INPUT, "%s: a checkpoint of another program", run->resume);
    }
    RN_TRY(found);
    if (previous && run->notice != NULL) {
        run->notice(run->context, note);
    }
    ration_status status = check(program, run, &snapshot, &h, &p, error);
    rn_bound *read = NULL;
    rn_saved *s = NULL;
    if (status == RATION_OK && h.bounded) {
        status = read_bound(&h, snapshot.payload, &p, &read, error);
    }
    if (status == RATION_OK) {
        s = rn_calloc(1, sizeof *s);
        status = s != NULL ? RATION_OK : rn_fail_memory(error, "a checkpoint", sizeof *s);
    }
    if (status != RATION_OK) {
        rn_bound_free(read);
        rn_free(snapshot.payload);
        return status;
    }
    s->head = h;
    s->payload = snapshot.payload;
    s->weight = (const char *)snapshot.payload + p.weight;
    s->best = (const char *)snapshot.payload + p.best;
    s->state = (const char *)snapshot.payload + p.state;
    assert(h.bounded == (read != NULL));
    *saved = s;
    *bound = read;
    *key = h.key;
    return RATION_OK;
}

void rn_saved_free(rn_saved *saved)
{
    if (saved != NULL) {
        rn_free(saved->payload);
        rn_free(saved);
    }
}

/* Whether penalties grew by powers of two that the schedule can raise, and counts are counts. */
static bool facts_valid(const rn_saved *saved)
{
    const header *h = &saved->head;
    bool valid = h->facts.doublings >= 0 && h->facts.doublings <= RN_WEIGHT_MOST && h->moves >= 0 &&
                 h->facts.best_violation >= 0;
    for (int32_t r = 0; r <= h->all_rows; r++) {
        int32_t weight = 0;
        memcpy(&weight, saved->weight + (size_t)r * sizeof weight, sizeof weight);
        valid = valid && weight >= 0 && weight <= RN_WEIGHT_MOST;
    }
    return valid;
}

/* Whether all picks are options, so that a damaged plan can't lead outside the arrays. */
static bool picks_valid(const rn_view *v, const int32_t *pick)
{
    bool valid = true;
    for (int32_t i = 0; i < v->items; i++) {
        valid = valid && pick[i] >= 0 && pick[i] < v->item_options[i];
    }
    return valid;
}

/* The same of every chain's picks and best plan. */
static bool states_valid(const rn_saved *saved, const rn_search *s)
{
    const rn_state_offsets map = rn_state_map(s->tables);
    bool valid = true;
    for (int32_t c = 0; c < saved->head.key.chains; c++) {
        const char *state = saved->state + c * map.bytes;
        for (int32_t i = 0; i < s->view->items; i++) {
            int32_t pick = 0;
            int32_t best = 0;
            memcpy(&pick, state + map.pick + i * (int64_t)sizeof pick, sizeof pick);
            memcpy(&best, state + map.best + i * (int64_t)sizeof best, sizeof best);
            valid = valid && pick >= 0 && pick < s->view->item_options[i] && best >= 0 &&
                    best < s->view->item_options[i];
        }
    }
    return valid;
}

ration_status rn_saved_restore(const rn_saved *saved, rn_search *s, ration_error *error)
{
    const header *h = &saved->head;
    assert(saved->payload != NULL && h->items == s->view->items);
    assert(h->all_rows == s->view->all_rows && h->key.chains == s->key.chains);
    if (h->state_bytes != rn_state_map(s->tables).bytes) {
        return rn_fail(error, RATION_E_INPUT,
                       "the checkpoint's chains have %lld bytes, this version's %lld",
                       (long long)h->state_bytes, (long long)rn_state_map(s->tables).bytes);
    }
    if (!facts_valid(saved)) {
        return rn_fail(error, RATION_E_INPUT,
                       "the checkpoint's weights of rows are outside 0 to %d", RN_WEIGHT_MOST);
    }
    memcpy(s->best, saved->best, (size_t)h->items * sizeof *s->best);
    if (!picks_valid(s->view, s->best)) {
        return rn_fail(error, RATION_E_INPUT,
                       "the checkpoint's best plan has picks that are no options");
    }
    memcpy(rn_schedule_weights(s->schedule), saved->weight,
           ((size_t)h->all_rows + 1) * sizeof(int32_t));
    if (!states_valid(saved, s)) {
        return rn_fail(error, RATION_E_INPUT,
                       "the checkpoint's chains have picks that are no options");
    }
    RN_TRY(rn_search_load(s, error));
    RN_TRY(s->backend->write(s->chains, 0, h->key.chains, saved->state, error));
    s->facts = h->facts;
    s->epoch = h->epoch;
    s->moves = h->moves;
    return s->backend->heads(s->chains, s->head, error);
}
