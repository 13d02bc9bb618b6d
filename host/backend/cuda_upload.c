/* From host tables to device tables, and the arrays of an epoch. */
#include <assert.h>
#include <string.h>

#include "backend/cuda.h"
#include "kernels/launch.h"

typedef struct upload {
    rn_layout *device;
    cudaStream_t stream;
    cudaError_t status;
} upload;

/* Moves one array: *slot is the host's array and becomes the device's. slot: address of a pointer
 * to const. */
static void take(upload *u, void *slot, int64_t count, size_t size)
{
    const void *host = NULL;
    memcpy(&host, slot, sizeof host);
    if (host == NULL || count == 0) {
        return;
    }
    void *device = rn_carve(u->device, count, size);
    if (device == NULL) {
        return;
    }
    if (u->status == cudaSuccess) {
        u->status =
            cudaMemcpyAsync(device, host, (size_t)count * size, cudaMemcpyHostToDevice, u->stream);
    }
    memcpy(slot, &device, sizeof device);
}

static void take32(upload *u, void *slot, int64_t count)
{
    take(u, slot, count, sizeof(int32_t));
}

static void take64(upload *u, void *slot, int64_t count)
{
    take(u, slot, count, sizeof(int64_t));
}

static int32_t table_classes(const rn_view *host)
{
    int32_t most = -1;
    for (int32_t i = 0; host->item_class != NULL && i < host->items; i++) {
        most = host->item_class[i] > most ? host->item_class[i] : most;
    }
    return most + 1;
}

static void take_options(upload *u, const rn_view *host, rn_view *v)
{
    const int64_t cells = (int64_t)host->places * host->roles;
    const int64_t entries = host->entries;
    const int64_t uses = host->entry_use[entries];
    take32(u, &v->item_entry, (int64_t)host->items + 1);
    take32(u, &v->item_options, host->items);
    take32(u, &v->entry_first, entries);
    take32(u, &v->entry_mode, entries);
    take32(u, &v->entry_class, entries);
    take32(u, &v->entry_place, entries);
    take64(u, &v->entry_cost, entries);
    take32(u, &v->entry_use, entries + 1);
    take32(u, &v->use_target, uses);
    take64(u, &v->use_amount, uses);
    take32(u, &v->class_place, (int64_t)host->classes + 1);
    take32(u, &v->place_class, host->places);
    take32(u, &v->role_row_at, cells + 1);
    take32(u, &v->role_row, host->role_row_at[cells]);
    take32(u, &v->item_class, host->items);
    take64(u, &v->table, (int64_t)table_classes(host) * host->places);
    take32(u, &v->exclude_at, (int64_t)host->items + 1);
    take32(u, &v->exclude_place, host->exclude_at != NULL ? host->exclude_at[host->items] : 0);
    take32(u, &v->start_place, host->items);
    take32(u, &v->start_mode, host->items);
    take64(u, &v->move_cost, host->items);
}

static void take_rows(upload *u, const rn_view *host, rn_view *v)
{
    const int64_t rows = host->rows;
    const int64_t feeds = host->row_feed[rows];
    const int32_t costs = host->row_piece[rows];
    const int32_t fed = host->feed_piece[feeds];
    take64(u, &v->row_offset, rows);
    take64(u, &v->row_low, rows);
    take64(u, &v->row_high, rows);
    take32(u, &v->row_piece, rows + 1);
    take32(u, &v->row_feed, rows + 1);
    take32(u, &v->row_rank, rows);
    take32(u, &v->feed_to, feeds);
    take32(u, &v->feed_piece, feeds + 1);
    take(u, &v->piece, costs > fed ? costs : fed, sizeof *v->piece);
}

static void take_sets(upload *u, const rn_view *host, rn_view *v)
{
    const int64_t items = host->items;
    const int64_t edges = host->edge_at != NULL ? host->edge_at[items] : 0;
    take32(u, &v->conflict_at, items + 1);
    take32(u, &v->conflict_set, host->conflict_at != NULL ? host->conflict_at[items] : 0);
    take32(u, &v->edge_at, items + 1);
    take32(u, &v->edge_item, edges);
    take64(u, &v->edge_weight, edges);
    take32(u, &v->edge_out, edges);
    take64(u, &v->distance, (int64_t)host->places * host->places);
    take32(u, &v->tier_ancestor, (int64_t)host->levels * host->places);
    take64(u, &v->tier_distance, (int64_t)host->levels + 1);
}

static void take_search(upload *u, const rn_tables *host, rn_tables *t)
{
    const int64_t items = host->view.items;
    const int64_t slots = host->one_row ? items * RN_CANDIDATES : 0;
    const int64_t narrow = host->narrow ? slots : 0;
    const int64_t cells = host->back_option != NULL ? ((int64_t)host->rows + 1) * items : 0;
    const int64_t narrow_cells = host->narrow ? cells : 0;
    take64(u, &t->price, host->rows);
    take64(u, &t->origin, host->rows);
    take32(u, &t->cand_count, items);
    take32(u, &t->cand_option, items * RN_CANDIDATES);
    take64(u, &t->item_base, items);
    take32(u, &t->row_member_at, host->wanting ? (int64_t)host->view.rows + 1 : 0);
    take32(u, &t->row_member, host->wanting ? host->row_member_at[host->view.rows] : 0);
    take32(u, &t->cand_row, slots);
    take32(u, &t->cand_amount, narrow);
    take32(u, &t->cand_reduced, narrow);
    take64(u, &t->wide_amount, slots - narrow);
    take64(u, &t->wide_reduced, slots - narrow);
    take32(u, &t->back_option, cells);
    take32(u, &t->back_amount, narrow_cells);
    take32(u, &t->back_reduced, narrow_cells);
    take64(u, &t->wide_back_amount, cells - narrow_cells);
    take64(u, &t->wide_back_reduced, cells - narrow_cells);
}

/* The host's pointers that chains don't follow are of no use on a device. */
static void forget(rn_view *v)
{
    v->entry_dimension = NULL;
    v->row_dimension = NULL;
    v->row_least = NULL;
    v->row_most = NULL;
    v->group_item_at = NULL;
    v->group_item = NULL;
    v->group_row = NULL;
    v->item_group = NULL;
}

ration_status rn_cuda_upload(const rn_tables *host, rn_layout *device, rn_tables *tables,
                             cudaStream_t stream, ration_error *error)
{
    upload u = {device, stream, cudaSuccess};
    *tables = *host;
    take_options(&u, &host->view, &tables->view);
    take_rows(&u, &host->view, &tables->view);
    take_sets(&u, &host->view, &tables->view);
    take_search(&u, host, tables);
    forget(&tables->view);
    RN_CUDA(u.status, error);
    return RATION_OK;
}

void rn_cuda_epoch_carve(rn_layout *layout, rn_cuda_epoch *arrays, int32_t rows, int32_t chains)
{
    arrays->over_price = rn_carve(layout, (int64_t)rows + 1, sizeof *arrays->over_price);
    arrays->slack_price = rn_carve(layout, (int64_t)rows + 1, sizeof *arrays->slack_price);
    arrays->clamp = rn_carve(layout, (int64_t)rows + 1, sizeof *arrays->clamp);
    arrays->heat = rn_carve(layout, chains, sizeof *arrays->heat);
    arrays->push = rn_carve(layout, chains, sizeof *arrays->push);
    arrays->mate = rn_carve(layout, chains, sizeof *arrays->mate);
    arrays->elite = rn_carve(layout, chains, sizeof *arrays->elite);
    arrays->slot = rn_carve(layout, chains, sizeof *arrays->slot);
}

/* Gives a parent its place in the pool. */
static int32_t enlist(const rn_cuda_epoch *pinned, int32_t parent, int32_t elites)
{
    if (pinned->slot[parent] >= 0) {
        return elites;
    }
    pinned->slot[parent] = elites;
    pinned->elite[elites] = parent;
    return elites + 1;
}

int32_t rn_cuda_epoch_fill(const rn_cuda_epoch *pinned, const rn_epoch *epoch, int32_t rows,
                           int32_t chains)
{
    const size_t row_bytes = ((size_t)rows + 1) * sizeof(int64_t);
    const size_t chain_bytes = (size_t)chains * sizeof(int32_t);
    int32_t elites = 0;
    memcpy(pinned->over_price, epoch->over_price, row_bytes);
    memcpy(pinned->slack_price, epoch->slack_price, row_bytes);
    memcpy(pinned->clamp, epoch->clamp, row_bytes);
    memcpy(pinned->heat, epoch->heat, chain_bytes);
    memcpy(pinned->push, epoch->push, chain_bytes);
    if (!epoch->breeds) {
        return 0;
    }
    memcpy(pinned->mate, epoch->mate, (size_t)chains * sizeof *pinned->mate);
    for (int32_t c = 0; c < chains; c++) {
        pinned->slot[c] = -1;
    }
    for (int32_t c = 0; c < chains; c++) {
        const rn_mate *mate = &epoch->mate[c];
        assert(mate->kind == RN_MATE_KEEP ||
               (mate->a >= 0 && mate->a < chains && mate->b >= 0 && mate->b < chains));
        if (mate->kind != RN_MATE_KEEP) {
            elites = enlist(pinned, mate->a, elites);
            elites = enlist(pinned, mate->b, elites);
        }
    }
    return elites;
}
