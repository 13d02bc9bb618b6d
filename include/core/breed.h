/* Breeding between epochs: new picks for a chain from the best plans of one or two chains.
 *
 * Reads `best` of the parents, writes `pick` of the child and marks it fresh, so all chains may
 * breed at once. Which chains breed with which is decided by the host (host/search/island.c) from
 * the chains' heads; here it is carried out, item by item, with random words by (epoch, item,
 * chain).
 */
#ifndef RN_BREED_H
#define RN_BREED_H

#include "core/move_row.h"

/* a, b: [items] best plans of the parents; a parent may be the child itself. state: the whole state
 * block of the child. */
RN_DEVICE void rn_breed(const rn_tables *t, const rn_epoch *e, rn_mate mate, int32_t chain,
                        const int32_t *a, const int32_t *b, char *state)
{
    const rn_state_offsets m = rn_state_map(t);
    int32_t *pick = (int32_t *)(state + m.pick);
    if (mate.kind == RN_MATE_KEEP) {
        return;
    }
    for (int32_t i = rn_lane(); i < t->view.items; i += RN_LANES) {
        int32_t option = a[i];
        if (mate.kind == RN_MATE_CROSS) {
            const rn_random random =
                rn_random_at(e->seed, e->number, (uint32_t)i, (uint32_t)chain, RN_PURPOSE_BREED);
            option = random.word[0] < mate.share ? b[i] : option;
            if (random.word[1] < mate.mutation) {
                const int32_t k = rn_random_below(random.word[2], t->cand_count[i]);
                option = t->cand_option[(int64_t)i * RN_CANDIDATES + k];
            }
        }
        RN_ASSERT(option >= 0 && option < t->view.item_options[i]);
        pick[i] = option;
    }
    if (rn_lane() == 0) {
        ((rn_chain_head *)state)->fresh = 1;
    }
    rn_sync();
}

#endif
