/* One epoch of one chain: what a backend loops over.
 *
 * The host calls it as lane 0 of 1, a warp with all its RN_LANES lanes. state:
 * rn_state_map(t).bytes bytes of this chain; work: rn_work_map(t, RN_LANES).bytes bytes, content of
 * no meaning before and after.
 */
#ifndef RN_CHAIN_H
#define RN_CHAIN_H

#include "core/move_any.h"

/* Makes loads, lists, seats, costs and digest from the picks. */
RN_DEVICE void rn_chain_rebuild(rn_chain *c)
{
    const rn_tables *t = c->t;
    const rn_view *v = &t->view;
    rn_list_clear(c);
    if (rn_lane() == 0) {
        uint64_t digest = 0;
        rn_eval_loads(t, c->pick, c->load);
        for (int32_t i = 0; i < v->items; i++) {
            const rn_option option = rn_option_decode(v, i, c->pick[i]);
            digest += rn_pick_hash(i, c->pick[i]);
            c->seat[i] = option.place;
            if (t->one_row) {
                c->reduced[i] = rn_reduced(t, i, c->pick[i], &c->seat[i], &c->amount[i]);
                rn_list_insert(c, c->seat[i], i);
            } else {
                rn_any_link(c, i, option);
            }
        }
        const rn_change all = rn_eval_plan(t, 0, 0, c->pick, c->seat, c->load);
        c->head->cost = all.cost;
        c->head->violation = all.violation;
        c->head->digest = digest;
    }
    rn_sync();
    c->cost = c->head->cost;
    c->violation = c->head->violation;
    c->digest = c->head->digest;
    rn_best_offer(c);
}

/* Evaluates a chain whose picks were replaced: loads, lists, costs, digest, best plan. Others are
 * left alone. It needs no scratch memory: the journal stays empty. */
RN_DEVICE void rn_chain_evaluate(const rn_tables *t, const rn_epoch *e, char *state, int32_t chain)
{
    if (!((const rn_chain_head *)state)->fresh) {
        return;
    }
    rn_chain c = rn_chain_open(t, e, state, state, chain);
    rn_chain_rebuild(&c);
    rn_chain_close(&c, 0);
}

/* Makes the moves of one epoch of a chain that is not fresh. log2_table: [RN_LOG2_ENTRIES], see
 * core/accept.h. one_row: t->one_row, a constant where the compiler shall drop the other kind of
 * moves. */
RN_DEVICE void rn_chain_anneal(const rn_tables *t, const rn_epoch *e, char *state, char *work,
                               int32_t chain, const uint32_t *log2_table, int32_t one_row)
{
    RN_ASSERT(one_row == t->one_row && !((const rn_chain_head *)state)->fresh);
    RN_ASSERT(e->moves > 0 && e->evaluations > 0);
    rn_chain c = rn_chain_open(t, e, state, work, chain);
    if (one_row) {
        rn_single_prepare(&c);
    }
    const int64_t heat = e->heat[chain];
    int32_t move = 0;
    for (; move < e->moves && c.evaluations < e->evaluations; move++) {
        const uint64_t step = (uint64_t)(e->step + move);
        const rn_random random = rn_random_at(e->seed, (uint32_t)step, 0, (uint32_t)chain,
                                              RN_PURPOSE_MOVE | (uint32_t)(step >> 32) << 8);
        const int64_t by_move = (int64_t)move * RN_EPOCH_LEVELS / e->moves;
        const int64_t by_option = c.evaluations * RN_EPOCH_LEVELS / e->evaluations;
        const int64_t level = by_move > by_option ? by_move : by_option;
        RN_ASSERT(level >= 0 && level < RN_EPOCH_LEVELS);
        const int64_t temperature = (e->temperature[level] >> 8) * heat;
        if (one_row) {
            rn_single_move(&c, random, temperature, log2_table);
        } else {
            rn_any_move(&c, random, temperature, log2_table);
        }
    }
    rn_chain_close(&c, move);
}

/* Runs one epoch of a chain. */
RN_DEVICE void rn_chain_epoch(const rn_tables *t, const rn_epoch *e, char *state, char *work,
                              int32_t chain, const uint32_t *log2_table)
{
    rn_chain_evaluate(t, e, state, chain);
    rn_chain_anneal(t, e, state, work, chain, log2_table, t->one_row);
}

#endif
