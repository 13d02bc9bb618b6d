/* Migration: the best plans of the chains that become parents are gathered into the pool that
 * breeding reads. Between devices it is the pool that travels.
 */
#include "core/state.h"
#include "kernels/kernels.h"
#include "kernels/launch.h"

/* best: offset of the best plan in a state block. */
__global__ void __launch_bounds__(RN_BLOCK_MOST, 1)
    migrate_kernel(const rn_chains chains, const rn_pool pool, int64_t best, int64_t items)
{
    const int32_t slot = rn_my_chain();
    if (slot >= pool.elites) {
        return;
    }
    const char *state = chains.state + pool.elite[slot] * chains.bytes;
    const int32_t *pick = (const int32_t *)(state + best);
    for (int64_t i = rn_lane(); i < items; i += RN_LANES) {
        pool.pick[slot * items + i] = pick[i];
    }
}

int32_t rn_kernel_lanes(void)
{
    return RN_LANES;
}

int64_t rn_kernel_shared(const rn_chains *c)
{
    const int64_t state = c->residence == RN_RESIDE_ALL ? c->bytes : 0;
    return c->residence == RN_RESIDE_GLOBAL ? 0 : c->threads / RN_LANES * (state + c->work_bytes);
}

ration_status rn_kernel_migrate(const rn_tables *tables, const rn_chains *chains,
                                const rn_pool *pool, cudaStream_t stream, ration_error *error)
{
    RN_LAUNCH(migrate_kernel, rn_blocks(chains), chains->threads, 0, stream, *chains, *pool,
              rn_state_map(tables).best, (int64_t)tables->view.items);
    return RATION_OK;
}
