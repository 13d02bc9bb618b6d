/* The proof that nothing overflows, and the load range of every row.
 *
 *   least_r = offset_r + sum_i min_o a_or
 *             + sum over feeds s -> r of min phi_sr over [least_s, most_s]
 *
 * and most_r likewise. Options that are excluded do not count. Beside this tight range a wide one
 * admits that items have no option yet, as they may while a plan is being built: functions are
 * proved on the wide one.
 * Sums are of absolute values, so that a partial sum in any order is within the limit as well. All
 * in 128 bits.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i128.h"
#include "core/fail.h"
#include "program/program.h"

static const rn_i128 limit = RN_TOTAL_MAX;

static bool within(rn_i128 value)
{
    return value >= -limit && value <= limit;
}

static rn_i128 magnitude(rn_i128 value)
{
    return value < 0 ? -value : value;
}

typedef struct range {
    rn_i128 low;
    rn_i128 high;
} range;

typedef struct row_range {
    range tight;
    range wide;
    rn_i128 size; /* sum of absolute values */
} row_range;

/* What one item does to the rows it touches; rows[all_rows] of each, `touched` lists those in use.
 */
typedef struct item_rows {
    int64_t *least; /* over the options that load the row */
    int64_t *most;
    int64_t *sum;     /* of the current option */
    int32_t *options; /* that load the row */
    int32_t *seen;    /* last option + 1 that loaded the row */
    int32_t *touched;
    int32_t *plain; /* [classes] 1: no place of the class names a row in two roles */
    int32_t count;
} item_rows;

static void carve(rn_layout *layout, const rn_view *v, item_rows *work, row_range **row)
{
    const int32_t rows = v->rows;
    *row = rn_carve(layout, rows, sizeof **row);
    work->least = rn_carve(layout, rows, sizeof *work->least);
    work->most = rn_carve(layout, rows, sizeof *work->most);
    work->sum = rn_carve(layout, rows, sizeof *work->sum);
    work->options = rn_carve(layout, rows, sizeof *work->options);
    work->seen = rn_carve(layout, rows, sizeof *work->seen);
    work->touched = rn_carve(layout, rows, sizeof *work->touched);
    work->plain = rn_carve(layout, v->classes, sizeof *work->plain);
}

static ration_status fail_range(const ration_program *program, rn_thing kind, int32_t index,
                                const char *what, rn_i128 value, ration_error *error)
{
    char label[RN_LABEL_TEXT];
    char text[RN_I128_TEXT_MAX];
    return rn_fail(error, RATION_E_RANGE,
                   "%s: %s can reach %s; all totals must stay within +-%" PRId64 " (2^62)",
                   rn_program_label(program, kind, index, label), what, rn_i128_text(value, text),
                   RN_TOTAL_MAX);
}

bool rn_pieces_range(const rn_piece *piece, int32_t pieces, int64_t least, int64_t most,
                     int64_t *low, int64_t *high)
{
    assert(pieces > 0 && least <= most);
    bool any = false;
    for (int32_t i = 0; i < pieces; i++) {
        const int64_t from = i == 0 || piece[i].start < least ? least : piece[i].start;
        const int64_t to =
            i == pieces - 1 || piece[i + 1].start - 1 > most ? most : piece[i + 1].start - 1;
        if (from > to) {
            continue;
        }
        const rn_i128 rise[2] = {(rn_i128)piece[i].slope * ((rn_i128)from - piece[i].start),
                                 (rn_i128)piece[i].slope * ((rn_i128)to - piece[i].start)};
        for (int32_t end = 0; end < 2; end++) {
            const rn_i128 value = rise[end] + piece[i].value;
            if (!within(rise[end]) || !within(value)) {
                return false;
            }
            *low = !any || value < *low ? (int64_t)value : *low;
            *high = !any || value > *high ? (int64_t)value : *high;
            any = true;
        }
    }
    assert(any);
    return true;
}

/* ---- items ---- */

/* Adds an option's amounts to the work lists. first: it is the first option that counts. */
static ration_status walk_option(const ration_program *program, int32_t item, rn_option option,
                                 int32_t number, item_rows *work, ration_error *error)
{
    const rn_view *v = &program->view;
    int32_t row = 0;
    int64_t amount = 0;
    int32_t mine = 0;
    rn_uses walk = rn_uses_begin(v, item, option);
    walk.conflict = walk.conflict_end; /* conflict rows are proved by their number of items */
    while (rn_uses_next(v, &walk, &row, &amount)) {
        if (work->seen[row] == 0) {
            work->touched[work->count++] = row;
        }
        if (work->seen[row] != number + 1) {
            work->options[row]++;
            work->seen[row] = number + 1;
            work->sum[row] = 0;
        }
        const rn_i128 sum = (rn_i128)work->sum[row] + amount;
        if (!within(sum)) {
            return fail_range(program, RN_ROW, row, "the amount of one option", sum, error);
        }
        work->sum[row] = (int64_t)sum;
        mine++;
    }
    rn_uses again = rn_uses_begin(v, item, option);
    again.conflict = again.conflict_end;
    while (mine > 0 && rn_uses_next(v, &again, &row, &amount)) {
        const bool first = work->options[row] == 1;
        work->least[row] =
            first || work->sum[row] < work->least[row] ? work->sum[row] : work->least[row];
        work->most[row] =
            first || work->sum[row] > work->most[row] ? work->sum[row] : work->most[row];
    }
    return RATION_OK;
}

/* Cost of an option in 128 bits: what rn_option_decode adds up, and false if a partial sum leaves
 * the limit. */
static bool option_cost(const rn_view *v, int32_t item, rn_option option, rn_i128 *cost)
{
    const rn_i128 base = v->entry_cost[option.entry];
    const rn_i128 table = v->table != NULL && option.place >= 0
                              ? v->table[(int64_t)v->item_class[item] * v->places + option.place]
                              : 0;
    const rn_i128 move =
        v->start_place != NULL && v->start_place[item] >= 0 ? v->move_cost[item] : 0;
    const bool stays =
        v->start_place != NULL && v->start_place[item] >= 0 &&
        option.place == v->start_place[item] &&
        (v->start_mode[item] < 0 || v->start_mode[item] == v->entry_mode[option.entry]);
    *cost = base + table + (stays ? 0 : move);
    return magnitude(base) + magnitude(table) + magnitude(move) <= limit;
}

/* Where an option is, without adding up its cost, which may overflow here. */
static rn_option locate(const rn_view *v, int32_t entry, int32_t offset)
{
    rn_option option;
    option.entry = entry;
    option.place = v->entry_place[entry];
    if (option.place < 0 && v->entry_class[entry] >= 0) {
        option.place = v->class_place[v->entry_class[entry]] + offset;
    }
    option.cost = 0;
    return option;
}

/* Walks the options of one entry; counted: in and out, those that are not excluded. size: in and
 * out, largest absolute cost. */
static ration_status walk_entry(const ration_program *program, int32_t item, int32_t e,
                                item_rows *work, int32_t *counted, rn_i128 *size,
                                ration_error *error)
{
    const rn_view *v = &program->view;
    const int32_t next =
        e + 1 < v->item_entry[item + 1] ? v->entry_first[e + 1] : v->item_options[item];
    for (int32_t offset = 0; offset < next - v->entry_first[e]; offset++) {
        const rn_option option = locate(v, e, offset);
        if (!rn_place_allowed(v, item, option.place)) {
            continue;
        }
        rn_i128 cost = 0;
        if (!option_cost(v, item, option, &cost)) {
            return fail_range(program, RN_ITEM, item, "the cost of an option", cost, error);
        }
        *size = magnitude(cost) > *size ? magnitude(cost) : *size;
        RN_TRY(walk_option(program, item, option, *counted, work, error));
        ++*counted;
    }
    return RATION_OK;
}

/* What the entries of an item at one class put on a role. */
typedef struct role_range {
    int64_t least[RN_ROLES];
    int64_t most[RN_ROLES];
    int32_t named[RN_ROLES]; /* entries that name the role */
    int32_t list[RN_ROLES];  /* the roles that are named */
    int32_t listed;
    int32_t entries;
} role_range;

static bool is_class_entry(const rn_view *v, int32_t e, int32_t place_class)
{
    return v->entry_class[e] == place_class && v->entry_place[e] < 0;
}

/* Collects the entries of an item at a class. size: in and out. */
static ration_status range_roles(const ration_program *program, int32_t item, int32_t place_class,
                                 role_range *role, rn_i128 *size, ration_error *error)
{
    const rn_view *v = &program->view;
    memset(role->named, 0, (size_t)v->roles * sizeof *role->named);
    role->listed = 0;
    role->entries = 0;
    for (int32_t e = v->item_entry[item]; e < v->item_entry[item + 1]; e++) {
        if (!is_class_entry(v, e, place_class)) {
            continue;
        }
        role->entries++;
        *size = magnitude(v->entry_cost[e]) > *size ? magnitude(v->entry_cost[e]) : *size;
        for (int32_t u = v->entry_use[e]; u < v->entry_use[e + 1]; u++) {
            const int32_t at = v->use_target[u];
            const int64_t amount = v->use_amount[u];
            if (!within(amount)) {
                return fail_range(program, RN_ITEM, item, "an amount", amount, error);
            }
            const bool first = role->named[at]++ == 0;
            if (first) {
                role->list[role->listed++] = at;
            }
            role->least[at] = first || amount < role->least[at] ? amount : role->least[at];
            role->most[at] = first || amount > role->most[at] ? amount : role->most[at];
        }
    }
    return RATION_OK;
}

/* Puts the ranges of the roles on the rows of one place. */
static void range_place(const rn_view *v, int32_t place, const role_range *role, int32_t counted,
                        item_rows *work)
{
    const int32_t *at = v->role_row_at + (int64_t)place * v->roles;
    for (int32_t x = 0; x < role->listed; x++) {
        const int32_t k = role->list[x];
        for (int32_t i = at[k]; i < at[k + 1]; i++) {
            const int32_t row = v->role_row[i];
            const bool first = work->seen[row] == 0;
            if (first) {
                work->touched[work->count++] = row;
            }
            work->seen[row] = counted;
            work->options[row] += role->named[k];
            work->least[row] =
                first || role->least[k] < work->least[row] ? role->least[k] : work->least[row];
            work->most[row] =
                first || role->most[k] > work->most[row] ? role->most[k] : work->most[row];
        }
    }
}

/* All entries of an item at a plain class at once: the same ranges as by walking their options one
 * by one; costs are added up from their largest parts. */
static ration_status walk_class(const ration_program *program, int32_t item, int32_t place_class,
                                item_rows *work, int32_t *counted, rn_i128 *size,
                                ration_error *error)
{
    const rn_view *v = &program->view;
    role_range role;
    rn_i128 base = 0;
    rn_i128 table = 0;
    RN_TRY(range_roles(program, item, place_class, &role, &base, error));
    for (int32_t p = v->class_place[place_class]; p < v->class_place[place_class + 1]; p++) {
        if (!rn_place_allowed(v, item, p)) {
            continue;
        }
        *counted += role.entries;
        range_place(v, p, &role, *counted, work);
        if (v->table != NULL) {
            const int64_t cost = v->table[(int64_t)v->item_class[item] * v->places + p];
            table = magnitude(cost) > table ? magnitude(cost) : table;
        }
    }
    const bool moves = v->start_place != NULL && v->start_place[item] >= 0;
    const rn_i128 cost = base + table + (moves ? magnitude(v->move_cost[item]) : 0);
    if (!within(cost)) {
        return fail_range(program, RN_ITEM, item, "the cost of an option", cost, error);
    }
    *size = cost > *size ? cost : *size;
    return RATION_OK;
}

/* Whether an earlier entry of the item is at the same class, so that it has been dealt with. */
static bool is_repeated(const rn_view *v, int32_t item, int32_t e)
{
    for (int32_t before = v->item_entry[item]; before < e; before++) {
        if (is_class_entry(v, before, v->entry_class[e])) {
            return true;
        }
    }
    return false;
}

/* Walks all options of an item; counted: out, those that are not excluded. size: at least the
 * largest absolute cost. */
static ration_status walk_item(const ration_program *program, int32_t item, item_rows *work,
                               int32_t *counted, rn_i128 *size, ration_error *error)
{
    const rn_view *v = &program->view;
    *counted = 0;
    *size = 0;
    for (int32_t e = v->item_entry[item]; e < v->item_entry[item + 1]; e++) {
        const int32_t place_class = v->entry_class[e];
        if (place_class < 0 || v->entry_place[e] >= 0 || work->plain[place_class] == 0) {
            RN_TRY(walk_entry(program, item, e, work, counted, size, error));
        } else if (!is_repeated(v, item, e)) {
            RN_TRY(walk_class(program, item, place_class, work, counted, size, error));
        }
    }
    return RATION_OK;
}

/* Finds the plain classes; `seen` is clear before and after. */
static void find_plain(const rn_view *v, item_rows *work)
{
    for (int32_t p = 0; p < v->places; p++) {
        const int32_t first = v->role_row_at[(int64_t)p * v->roles];
        const int32_t end = v->role_row_at[(int64_t)(p + 1) * v->roles];
        int32_t *plain = &work->plain[v->place_class[p]];
        *plain = p == v->class_place[v->place_class[p]] ? 1 : *plain;
        for (int32_t i = first; i < end; i++) {
            *plain = work->seen[v->role_row[i]] != 0 ? 0 : *plain;
            work->seen[v->role_row[i]] = 1;
        }
        for (int32_t i = first; i < end; i++) {
            work->seen[v->role_row[i]] = 0;
        }
    }
}

/* Adds an item's ranges to the rows and clears the work lists. */
static ration_status close_item(const ration_program *program, int32_t item, int32_t counted,
                                const int32_t *row_group, item_rows *work, row_range *row,
                                ration_error *error)
{
    const rn_view *v = &program->view;
    for (int32_t i = 0; i < work->count; i++) {
        const int32_t r = work->touched[i];
        const bool always = work->options[r] == counted;
        const int64_t least = !always && work->least[r] > 0 ? 0 : work->least[r];
        const int64_t most = !always && work->most[r] < 0 ? 0 : work->most[r];
        row[r].tight.low += least;
        row[r].tight.high += most;
        row[r].wide.low += least < 0 ? least : 0;
        row[r].wide.high += most > 0 ? most : 0;
        row[r].size += magnitude(least) > magnitude(most) ? magnitude(least) : magnitude(most);
        work->seen[r] = 0;
        work->options[r] = 0;
        if (row_group != NULL && row_group[r] >= 0 && v->item_group[item] != row_group[r]) {
            char a[RN_LABEL_TEXT];
            char b[RN_LABEL_TEXT];
            return rn_fail(
                error, RATION_E_INPUT, "%s is private to group %" PRId32 ", but %s loads it",
                rn_program_label(program, RN_ROW, r, a), program->number_base + row_group[r],
                rn_program_label(program, RN_ITEM, item, b));
        }
    }
    work->count = 0;
    return RATION_OK;
}

static ration_status range_items(const ration_program *program, const int32_t *row_group,
                                 item_rows *work, row_range *row, rn_i128 *cost,
                                 ration_error *error)
{
    for (int32_t item = 0; item < program->view.items; item++) {
        int32_t counted = 0;
        rn_i128 size = 0;
        RN_TRY(walk_item(program, item, work, &counted, &size, error));
        RN_TRY(close_item(program, item, counted, row_group, work, row, error));
        *cost += size;
        if (!within(*cost)) {
            return fail_range(program, RN_ITEM, item, "the sum of the costs up to this item", *cost,
                              error);
        }
    }
    return RATION_OK;
}

/* ---- rows ---- */

/* Adds the range of a feed to its target; the source is final. */
static ration_status range_feed(const ration_program *program, int32_t from, int32_t feed,
                                row_range *row, ration_error *error)
{
    const rn_view *v = &program->view;
    const rn_piece *piece = v->piece + v->feed_piece[feed];
    const int32_t pieces = v->feed_piece[feed + 1] - v->feed_piece[feed];
    int64_t low = 0;
    int64_t high = 0;
    row_range *to = &row[v->feed_to[feed]];
    if (!rn_pieces_range(piece, pieces, (int64_t)row[from].wide.low, (int64_t)row[from].wide.high,
                         &low, &high)) {
        char label[RN_LABEL_TEXT];
        return rn_fail(error, RATION_E_RANGE,
                       "%s: the feed that leaves it can pass +-%" PRId64
                       " (2^62) within its range of loads",
                       rn_program_label(program, RN_ROW, from, label), RN_TOTAL_MAX);
    }
    to->wide.low += low;
    to->wide.high += high;
    to->size += magnitude(low) > magnitude(high) ? magnitude(low) : magnitude(high);
    const bool fits = rn_pieces_range(piece, pieces, (int64_t)row[from].tight.low,
                                      (int64_t)row[from].tight.high, &low, &high);
    assert(fits);
    (void)fits;
    to->tight.low += low;
    to->tight.high += high;
    return RATION_OK;
}

/* How far a load may lie outside its limits, added up; and its cost. */
static ration_status range_cost(const ration_program *program, int32_t row,
                                const row_range *range_of, rn_i128 *cost, rn_i128 *violation,
                                ration_error *error)
{
    const rn_view *v = &program->view;
    const int32_t pieces = v->row_piece[row + 1] - v->row_piece[row];
    int64_t low = 0;
    int64_t high = 0;
    if (pieces > 0) {
        char label[RN_LABEL_TEXT];
        if (!rn_pieces_range(v->piece + v->row_piece[row], pieces, (int64_t)range_of->wide.low,
                             (int64_t)range_of->wide.high, &low, &high)) {
            return rn_fail(error, RATION_E_RANGE,
                           "%s: its cost can pass +-%" PRId64 " (2^62) within its range of loads",
                           rn_program_label(program, RN_ROW, row, label), RN_TOTAL_MAX);
        }
        *cost += magnitude(low) > magnitude(high) ? magnitude(low) : magnitude(high);
        if (!within(*cost)) {
            return fail_range(program, RN_ROW, row, "the sum of the costs up to this row", *cost,
                              error);
        }
    }
    const rn_i128 under =
        v->row_low[row] == RATION_LOW_FREE ? 0 : v->row_low[row] - range_of->wide.low;
    const rn_i128 over =
        v->row_high[row] == RATION_HIGH_FREE ? 0 : range_of->wide.high - v->row_high[row];
    const rn_i128 most = under > over ? under : over;
    *violation += most > 0 ? most : 0;
    if (!within(*violation)) {
        return fail_range(program, RN_ROW, row, "the sum of the violations up to this row",
                          *violation, error);
    }
    return RATION_OK;
}

static ration_status range_rows(const ration_program *program, row_range *row, rn_i128 *cost,
                                ration_error *error)
{
    const rn_view *v = &program->view;
    rn_i128 violation = 0;
    for (int32_t set = 0; set < v->conflicts; set++) {
        violation += ((const rn_set *)program->conflicts.data)[set].count;
    }
    for (int32_t rank = 0; rank <= 2; rank++) {
        for (int32_t r = 0; r < v->rows; r++) {
            if (v->row_rank[r] != rank) {
                continue;
            }
            if (!within(row[r].size)) {
                return fail_range(program, RN_ROW, r, "its load", row[r].size, error);
            }
            RN_TRY(range_cost(program, r, &row[r], cost, &violation, error));
            for (int32_t feed = v->row_feed[r]; feed < v->row_feed[r + 1]; feed++) {
                RN_TRY(range_feed(program, r, feed, row, error));
            }
            rn_edit64(v->row_least)[r] = (int64_t)row[r].tight.low;
            rn_edit64(v->row_most)[r] = (int64_t)row[r].tight.high;
        }
    }
    return RATION_OK;
}

/* ---- traffic ---- */

static rn_i128 largest_distance(const rn_view *v)
{
    rn_i128 most = 0;
    const int64_t cells = v->distance != NULL ? (int64_t)v->places * v->places : 0;
    for (int64_t i = 0; i < cells; i++) {
        most = magnitude(v->distance[i]) > most ? magnitude(v->distance[i]) : most;
    }
    for (int32_t level = 0; v->levels > 0 && level <= v->levels; level++) {
        most =
            magnitude(v->tier_distance[level]) > most ? magnitude(v->tier_distance[level]) : most;
    }
    return most;
}

static ration_status range_traffic(const ration_program *program, rn_i128 *cost,
                                   ration_error *error)
{
    const rn_view *v = &program->view;
    if (v->edge_at == NULL) {
        return RATION_OK;
    }
    const rn_i128 distance = largest_distance(v);
    for (int32_t item = 0; item < v->items; item++) {
        for (int32_t i = v->edge_at[item]; i < v->edge_at[item + 1]; i++) {
            *cost += v->edge_out[i] != 0 ? magnitude(v->edge_weight[i]) * distance : 0;
            if (!within(*cost)) {
                return fail_range(program, RN_ITEM, item, "the sum of all costs up to its traffic",
                                  *cost, error);
            }
        }
    }
    return RATION_OK;
}

/* [rows] the group that a row is private to, or -1; owned; NULL when there are no groups. */
static ration_status find_row_groups(const rn_view *v, int32_t **row_group, ration_error *error)
{
    *row_group = NULL;
    if (v->groups == 0) {
        return RATION_OK;
    }
    const size_t bytes = (size_t)v->rows * sizeof **row_group;
    int32_t *group = rn_malloc(bytes);
    if (group == NULL) {
        return rn_fail_memory(error, "the rows of groups", bytes);
    }
    memset(group, 0xFF, bytes); /* all -1 */
    for (int32_t i = 0; i < 2 * v->groups; i++) {
        if (v->group_row[i] >= 0) {
            group[v->group_row[i]] = i / 2;
        }
    }
    *row_group = group;
    return RATION_OK;
}

ration_status rn_freeze_ranges(ration_program *program, ration_error *error)
{
    const rn_view *v = &program->view;
    rn_layout layout = {0};
    item_rows work = {0};
    row_range *row = NULL;
    int32_t *row_group = NULL;
    rn_i128 cost = 0;
    RN_TRY(find_row_groups(v, &row_group, error));
    carve(&layout, v, &work, &row);
    ration_status status = rn_layout_allocate(&layout, "the ranges of rows", error);
    if (status != RATION_OK) {
        rn_free(row_group);
        return status;
    }
    carve(&layout, v, &work, &row);
    for (int32_t r = 0; r < v->rows; r++) {
        const rn_i128 offset = v->row_offset[r];
        row[r] = (row_range){{offset, offset}, {offset, offset}, magnitude(offset)};
    }
    find_plain(v, &work);
    status = range_items(program, row_group, &work, row, &cost, error);
    if (status == RATION_OK) {
        status = range_rows(program, row, &cost, error);
    }
    if (status == RATION_OK) {
        status = range_traffic(program, &cost, error);
    }
    rn_free(layout.base);
    rn_free(row_group);
    return status;
}
