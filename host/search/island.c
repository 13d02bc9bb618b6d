/* Islands: which chains go on from which plans. See start.h. */
#include <assert.h>
#include <stdbool.h>

#include "core/philox.h"
#include "search/start.h"

enum { PURPOSE_MATE = 4 };
#define MUTATION ((uint32_t)1 << 26) /* one item in 64 */

bool rn_chain_before(const rn_chain_head *head, int32_t a, int32_t b)
{
    if (head[a].best_violation != head[b].best_violation) {
        return head[a].best_violation < head[b].best_violation;
    }
    if (head[a].best_cost != head[b].best_cost) {
        return head[a].best_cost < head[b].best_cost;
    }
    if (head[a].best_digest != head[b].best_digest) {
        return head[a].best_digest < head[b].best_digest;
    }
    return a < b;
}

/* Sorts order[count] by shell sort: a total order, so the result is unique. */
static void sort(const rn_chain_head *head, int32_t *order, int32_t count)
{
    for (int32_t gap = count / 2; gap > 0; gap /= 2) {
        for (int32_t x = gap; x < count; x++) {
            const int32_t chain = order[x];
            int32_t at = x;
            while (at >= gap && rn_chain_before(head, chain, order[at - gap])) {
                order[at] = order[at - gap];
                at -= gap;
            }
            order[at] = chain;
        }
    }
    assert(count < 2 || rn_chain_before(head, order[0], order[count - 1]));
}

static int32_t island_first(const rn_island_plan *plan, int32_t island)
{
    return (int32_t)((int64_t)plan->chains * island / plan->islands);
}

/* The child of a and b that chain c goes on from. */
static rn_mate child(int32_t a, int32_t b, uint32_t share)
{
    assert(a >= 0 && b >= 0);
    const rn_mate mate = {RN_MATE_CROSS, a, b, share, MUTATION};
    return mate;
}

/* Mates the chains order[count] of one island, sorted. other: the best chain of the next island. */
static void mate_island(const rn_island_plan *plan, const int32_t *order, int32_t count,
                        int32_t other, rn_mate *mate)
{
    const int32_t elite = (count + 1) / 2;
    assert(count >= 1 && other >= 0 && other < plan->chains);
    for (int32_t x = 0; x < count; x++) {
        const int32_t c = order[x];
        const rn_random random =
            rn_random_at(plan->seed, plan->epoch, 0, (uint32_t)c, PURPOSE_MATE);
        const int32_t a = order[rn_random_below(random.word[0], elite)];
        const int32_t b = order[rn_random_below(random.word[1], elite)];
        const bool twin =
            x > 0 && plan->head[order[x - 1]].best_digest == plan->head[c].best_digest;
        if (x < elite && !twin) {
            mate[c] = (rn_mate){RN_MATE_RESTORE, c, c, 0, 0};
        } else if (x == count - 1 && plan->homotopy % 2 == 0) {
            mate[c] = child(other, a, 0); /* a migrant, mutated */
        } else {
            mate[c] = child(a, a == b ? other : b, (uint32_t)1 << 31);
        }
    }
}

void rn_island_mate(const rn_island_plan *plan, int32_t *order, rn_mate *mate)
{
    assert(plan->islands >= 1 && plan->islands <= plan->chains);
    for (int32_t c = 0; c < plan->chains; c++) {
        order[c] = c;
    }
    for (int32_t k = 0; k < plan->islands; k++) {
        const int32_t first = island_first(plan, k);
        sort(plan->head, order + first, island_first(plan, k + 1) - first);
    }
    for (int32_t k = 0; k < plan->islands; k++) {
        const int32_t first = island_first(plan, k);
        const int32_t next = (k + 1) % plan->islands;
        mate_island(plan, order + first, island_first(plan, k + 1) - first,
                    order[island_first(plan, next)], mate);
    }
}
