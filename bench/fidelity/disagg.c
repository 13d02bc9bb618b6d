/* Prefill and decode on workers of their own, in a closed loop of C clients.
 *
 *   B    = C O TPOT / (O TPOT + TTFT) / decode workers
 *   TPOT = T_step(B), decode layout
 *   TTFT = norm3(t0 + T_pf, C T_marg / prefill workers - O TPOT), prefill layout:
 *          what a prompt takes alone, or what is left of a round when the
 *          prefill workers are the bottleneck
 */
#include "disagg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "score.h"

typedef struct worker {
    double workers;
    double batch;
    double tp;
    double pp;
    double ranks;
    double moe_tp;
    double moe_ep;
} worker;

static ration_status read_worker(const rn_fid_table *t, int32_t row, char side, worker *w,
                                 ration_error *error)
{
    const struct {
        const char *name;
        double none;
        double *value;
    } list[] = {{"workers", 1, &w->workers}, {"batch", 0, &w->batch}, {"tp", 1, &w->tp},
                {"pp", 1, &w->pp},           {"adp", 1, &w->ranks},   {"moe_tp", 0, &w->moe_tp},
                {"moe_ep", 0, &w->moe_ep}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; ++i) {
        char column[32];
        snprintf(column, sizeof column, "%c_%s", side, list[i].name);
        const ration_status status =
            rn_fid_cell_number(t, row, column, list[i].none, 0.0, 1e6, list[i].value, error);
        if (status != RATION_OK) {
            return status;
        }
    }
    return RATION_OK;
}

static rn_perf_case case_of(const rn_perf_case *like, const worker *w)
{
    rn_perf_case c = *like;
    const double experts = fmax(1.0, w->moe_tp) * fmax(1.0, w->moe_ep);
    double tp = fmax(1.0, w->tp);
    double ranks = fmax(1.0, w->ranks);
    if (w->moe_tp > 1.0 && w->moe_tp == w->moe_ep && tp == experts && ranks == 1.0) {
        tp = w->moe_tp;
    } else if (ranks > 1.0 && ranks == tp && w->moe_ep == tp * tp) {
        tp = 1.0;
    } else if (ranks == 1.0 && c.shape.moe_layers > 0 && experts > tp) {
        ranks = floor(experts / tp);
    }
    while (tp > 1.0 && fmod(c.shape.heads, tp) != 0.0) {
        tp = floor(tp / 2.0);
    }
    c.config.tp = (int32_t)tp;
    c.config.pp = (int32_t)fmin(fmax(1.0, w->pp), c.shape.layers);
    c.config.ranks = (int32_t)ranks;
    c.config.tp_link = rn_perf_link_in_node(&c.gpu, 2);
    c.config.pp_link = c.config.tp_link;
    return c;
}

ration_status rn_fid_split_read(const ration_catalog *catalog, const rn_fid_table *table,
                                int32_t row, rn_fid_split *split, ration_error *error)
{
    rn_fid_split s;
    worker p;
    worker d;
    double id = -1.0;
    double ttft_ms = 0.0;
    double tpot_ms = 0.0;
    memset(&s, 0, sizeof s);
    const struct {
        const char *column;
        double high;
        double *value;
    } list[] = {{"row", 2e9, &id},
                {"isl", RN_PERF_TOKENS_MAX, &s.prompt},
                {"osl", RN_PERF_TOKENS_MAX, &s.output},
                {"concurrency", 1e6, &s.clients},
                {"ttft_ms", 1e9, &ttft_ms},
                {"tpot_ms", 1e9, &tpot_ms}};
    ration_status status = RATION_OK;
    for (size_t i = 0; i < sizeof list / sizeof list[0] && status == RATION_OK; ++i) {
        status = rn_fid_cell_number(table, row, list[i].column, 0.0, 0.0, list[i].high,
                                    list[i].value, error);
    }
    status = status == RATION_OK ? read_worker(table, row, 'p', &p, error) : status;
    status = status == RATION_OK ? read_worker(table, row, 'd', &d, error) : status;
    if (status != RATION_OK) {
        return status;
    }
    const ration_model *model = NULL;
    const ration_gpu *gpu = NULL;
    s.id = (int32_t)id;
    s.ttft_s = ttft_ms / 1e3;
    s.tpot_s = tpot_ms / 1e3;
    s.timed = p.batch > 0.0;
    s.prefill_workers = fmax(1.0, p.workers);
    s.decode_workers = fmax(1.0, d.workers);
    s.clients = s.clients > 0.0 ? s.clients : d.batch * fmax(1.0, d.ranks) * s.decode_workers;
    s.known =
        ration_catalog_model(catalog, rn_fid_text(table, row, "model"), &model, NULL) ==
            RATION_OK &&
        ration_catalog_gpu(catalog, rn_fid_text(table, row, "system"), &gpu, NULL) == RATION_OK &&
        s.prompt >= 1.0 && s.output >= 1.0 && s.clients >= 1.0;
    if (s.known) {
        rn_perf_case like;
        memset(&like, 0, sizeof like);
        const char *gemm = rn_fid_text(table, row, "gemm_q");
        s.engine = rn_fid_engine_of(rn_fid_text(table, row, "backend"));
        like.shape = model->shape;
        like.shape.attention =
            like.shape.attention == RN_PERF_HYBRID ? RN_PERF_GROUPED : like.shape.attention;
        like.gpu = gpu->perf;
        like.config = rn_perf_config_default(
            rn_fid_weights(gemm[0] != '\0' ? gemm : rn_fid_text(table, row, "precision")));
        const bool narrow = like.config.weights > RN_PERF_W_BF16 && like.gpu.fp8_flops > 0.0;
        const bool eight = rn_perf_is_blackwell(&like.gpu) || s.engine == RN_PERF_TENSORRT_LLM;
        like.config.kv = narrow && eight ? RN_PERF_KV_FP8 : RN_PERF_KV_16;
        s.prefill = case_of(&like, &p);
        s.decode = case_of(&like, &d);
    }
    *split = s;
    return RATION_OK;
}

rn_fid_times rn_fid_split_predict(const rn_fid_serving *numbers, const rn_fid_split *s)
{
    rn_fid_times t = {0.0, 0.0, 0.0};
    rn_perf_case p = s->prefill;
    rn_perf_case d = s->decode;
    p.fit = d.fit = numbers->fit;
    p.engine = d.engine = numbers->engine[s->engine];
    if (!s->known || rn_perf_case_check(&p) != RN_PERF_OK || rn_perf_case_check(&d) != RN_PERF_OK) {
        return t;
    }
    const rn_perf_speed fast = rn_perf_speed_of(&p);
    const rn_perf_speed slow = rn_perf_speed_of(&d);
    const rn_perf_prefill prompt = rn_perf_prefill_of(&p, &fast, s->prompt);
    const double each = s->clients / s->decode_workers;
    const double slots = rn_perf_slots(&d, s->prompt, s->output, 0);
    double batch = fmin(each, slots);
    for (int32_t round = 0; round < 20; ++round) {
        t.tpot_s = rn_perf_step_of(&d, &slow, batch, s->prompt + 0.5 * s->output).seconds;
        const double decode_s = s->output * t.tpot_s;
        const double left_s =
            fmax(0.0, s->clients * prompt.marginal_s / s->prefill_workers - decode_s);
        t.ttft_s = rn_perf_norm3(p.engine.first_s + prompt.alone_s, left_s);
        const double next = fmin(slots, fmax(1.0, each * decode_s / (decode_s + t.ttft_s)));
        batch = 0.5 * (batch + next);
    }
    t.tokens_per_s = s->clients * s->output / (t.ttft_s + (s->output - 1.0) * t.tpot_s);
    return t;
}

/* Errors of one side, [3 * rows]: TPOT, TTFT, rate. */
typedef struct errors {
    double *value;
    int32_t room;
    int32_t rows;
    int32_t timed;
} errors;

static void add(errors *e, const rn_fid_split *s, double ttft_s, double tpot_s)
{
    const double rest = s->output - 1.0;
    e->value[e->rows] = rn_fid_error(tpot_s, s->tpot_s);
    e->value[2 * e->room + e->rows] =
        rn_fid_error(s->ttft_s + rest * s->tpot_s, ttft_s + rest * tpot_s);
    ++e->rows;
    if (s->timed) {
        e->value[e->room + e->timed++] = rn_fid_error(ttft_s, s->ttft_s);
    }
}

static void print_errors(const char *name, errors *e)
{
    char text[3][RN_FID_SCORE_BYTES];
    rn_fid_score_text(rn_fid_score_of(e->value, e->rows), text[0]);
    rn_fid_score_text(rn_fid_score_of(e->value + e->room, e->timed), text[1]);
    rn_fid_score_text(rn_fid_score_of(e->value + 2 * e->room, e->rows), text[2]);
    printf("| %s | %d | %s | %s | %s |\n", name, e->rows, text[0], text[1], text[2]);
}

/* The peer's row of an id: both tables are in the order of their ids. */
static ration_status peer_of(const rn_fid_table *peer, int32_t id, int32_t *at, double *ttft_s,
                             double *tpot_s, ration_error *error)
{
    double found = -1.0;
    ration_status status = RATION_OK;
    *ttft_s = *tpot_s = 0.0;
    for (; *at < peer->rows && status == RATION_OK && found < id; *at += found < id ? 1 : 0) {
        status = rn_fid_cell_number(peer, *at, "row", -1.0, 0.0, 2e9, &found, error);
    }
    if (status == RATION_OK && found == id) {
        *ttft_s = strtod(rn_fid_text(peer, *at, "silicon_ttft_ms"), NULL) / 1e3;
        *tpot_s = strtod(rn_fid_text(peer, *at, "silicon_tpot_ms"), NULL) / 1e3;
    }
    return status;
}

ration_status rn_fid_splits_report(const ration_catalog *catalog, const char *path,
                                   const char *peer_path, ration_error *error)
{
    rn_fid_table t;
    rn_fid_table peer;
    ration_status status = rn_fid_table_read(path, &t, error);
    if (status != RATION_OK) {
        return status;
    }
    status = rn_fid_table_read(peer_path, &peer, error);
    if (status != RATION_OK) {
        rn_fid_table_free(&t);
        return status;
    }
    const rn_fid_serving numbers = rn_fid_serving_default();
    double *value = calloc(9 * (size_t)t.rows + 1, sizeof *value);
    errors all = {value, t.rows, 0, 0};
    errors ours = {value + 3 * t.rows, t.rows, 0, 0};
    errors theirs = {value + 6 * t.rows, t.rows, 0, 0};
    status = value == NULL ? ration_error_set(error, RATION_E_MEMORY, "out of memory") : status;
    int32_t at = 0;
    for (int32_t i = 0; i < t.rows && status == RATION_OK; ++i) {
        rn_fid_split s;
        double ttft_s = 0.0;
        double tpot_s = 0.0;
        status = rn_fid_split_read(catalog, &t, i, &s, error);
        status = status == RATION_OK ? peer_of(&peer, s.id, &at, &ttft_s, &tpot_s, error) : status;
        if (status != RATION_OK || !(s.tpot_s > 0.0) || !(s.ttft_s > 0.0)) {
            continue;
        }
        const rn_fid_times made = rn_fid_split_predict(&numbers, &s);
        if (made.tpot_s > 0.0) {
            add(&all, &s, made.ttft_s, made.tpot_s);
        }
        if (made.tpot_s > 0.0 && tpot_s > 0.0) {
            add(&ours, &s, made.ttft_s, made.tpot_s);
            add(&theirs, &s, ttft_s, tpot_s);
        }
    }
    if (status == RATION_OK) {
        printf("\n| e2e_disagg (not fitted), runs | rows | TPOT | TTFT where comparable | output "
               "tokens/s |\n| --- | --- | --- | --- | --- |\n");
        print_errors("that the peer answers: the peer", &theirs);
        print_errors("that the peer answers", &ours);
        print_errors("all", &all);
    }
    free(value);
    rn_fid_table_free(&t);
    rn_fid_table_free(&peer);
    return status;
}
