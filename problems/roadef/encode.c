/* A machine reassignment model as an allocation program.
 *
 *   process p    item; the mode `stay` at its home machine alone, the mode `move` everywhere
 *   machine m    place; role r: what needs of resource r load; role R + b: balance cost b; then one
 *                role for each service whose places matter
 *   usage:m/r            sum of needs; f = weight * max(0, z - safety); z <= capacity, unless
 *   transient:m/r        transient: needs of all who start at m and of all who move there
 *   balance:m/b          target * free(first) - free(second); f = weight * max(0, z)
 *   location:s/l, neighbourhood:s/n     processes of service s there
 *   spread:s             feeds min(1, location:s/l); z >= spread
 *   dependency:a/b/n     feeds min(1, neighbourhood:a/n) - min(1, neighbourhood:b/n); z <= 0
 *   moved:s              processes of s less those that stay
 *   moved_at_least:k     services with k or more moved; f = weight * min(1, z): their sum over k is
 *                        the weighted maximum of the counts
 *
 * `move` at the home machine exists too, for an item's places cannot depend on its mode; it costs
 * more than `stay` and loads the same rows as much or more.
 */
#include "encode.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    ROLES_MAX = 4096,    /* of a program */
    ROWS_MAX = 20000000, /* of services at locations and in neighbourhoods, and dependencies */
    NAME_TEXT = 64,
    STAY = 0, /* modes */
    MOVE = 1
};

static const ration_piece one_or_more[2] = {{0, 0, 0}, {1, 1, 0}};
static const ration_piece less_one_or_more[2] = {{0, 0, 0}, {1, -1, 0}};

/* What is known of the program while it is built. */
typedef struct encoding {
    const rn_roadef *m;
    ration_program *program;
    int32_t *count;         /* [services] processes */
    int32_t *role;          /* [services] its role at every place; -1: its places do not matter */
    int32_t *location;      /* [services] row of its location 0; -1: none */
    int32_t *neighbourhood; /* [services] row of its neighbourhood 0; -1: none */
    int32_t *moved;         /* [services] row that staying unloads; -1: none */
    int32_t *seen;          /* [services] last service + 1 that named it; then free for use */
    int32_t *usage;         /* [machines * resources] row; -1: none */
    int32_t *balance;       /* [machines * balances] row; -1: none */
    ration_use *use;        /* [resources + balances + 3] scratch */
} encoding;

static ration_status add_row(encoding *e, const char *name, int64_t offset, int64_t low,
                             int64_t high, int32_t *row, ration_error *error)
{
    return ration_program_add_row(e->program, name, RATION_DIMENSION_OTHER, offset, low, high, row,
                                  error);
}

/* f = weight * max(0, z - safe) */
static ration_status price_above(encoding *e, int32_t row, int64_t safe, int32_t weight,
                                 ration_error *error)
{
    const ration_piece piece[2] = {{safe - 1, 0, 0}, {safe, 0, weight}};
    return weight == 0 ? RATION_OK : ration_program_set_row_cost(e->program, row, 2, piece, error);
}

/* ---- machines ---- */

/* Adds the rows of a resource at a machine and maps the resource's role to them. starting: needs of
 * the processes that start there. */
static ration_status add_resource(encoding *e, int32_t machine, int32_t r, int64_t starting,
                                  ration_error *error)
{
    const rn_roadef *m = e->m;
    const int64_t cell = (int64_t)machine * m->resources + r;
    const rn_roadef_resource *resource = &m->resource[r];
    char name[NAME_TEXT];
    int32_t rows[2];
    int32_t count = 0;
    e->usage[cell] = -1;
    if (!resource->transient || resource->weight > 0) {
        snprintf(name, sizeof name, "usage:%" PRId32 "/%" PRId32, machine, r);
        RATION_TRY(add_row(e, name, 0, RATION_LOW_FREE,
                           resource->transient ? RATION_HIGH_FREE : m->capacity[cell], &rows[count],
                           error));
        RATION_TRY(price_above(e, rows[count], m->safety[cell], resource->weight, error));
        e->usage[cell] = rows[count++];
    }
    if (resource->transient) {
        snprintf(name, sizeof name, "transient:%" PRId32 "/%" PRId32, machine, r);
        RATION_TRY(
            add_row(e, name, starting, RATION_LOW_FREE, m->capacity[cell], &rows[count++], error));
    }
    return ration_program_set_role(e->program, machine, r, count, rows, error);
}

static ration_status add_balances(encoding *e, int32_t machine, ration_error *error)
{
    const rn_roadef *m = e->m;
    const int32_t *capacity = m->capacity + (int64_t)machine * m->resources;
    char name[NAME_TEXT];
    for (int32_t b = 0; b < m->balances; b++) {
        const rn_roadef_balance *balance = &m->balance[b];
        int32_t *row = &e->balance[(int64_t)machine * m->balances + b];
        *row = -1;
        if (balance->weight == 0) {
            continue;
        }
        const int64_t offset =
            (int64_t)balance->target * capacity[balance->first] - capacity[balance->second];
        snprintf(name, sizeof name, "balance:%" PRId32 "/%" PRId32, machine, b);
        RATION_TRY(add_row(e, name, offset, RATION_LOW_FREE, RATION_HIGH_FREE, row, error));
        RATION_TRY(price_above(e, *row, 0, balance->weight, error));
        RATION_TRY(ration_program_set_role(e->program, machine, m->resources + b, 1, row, error));
    }
    return RATION_OK;
}

static ration_status add_machines(encoding *e, ration_error *error)
{
    const rn_roadef *m = e->m;
    const int64_t cells = (int64_t)m->machines * m->resources;
    int64_t *starting = calloc((size_t)cells, sizeof *starting);
    ration_status status = RATION_OK;
    if (starting == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "out of memory");
    }
    for (int32_t p = 0; p < m->processes; p++) {
        for (int32_t r = 0; r < m->resources; r++) {
            starting[(int64_t)m->home[p] * m->resources + r] +=
                m->need[(int64_t)p * m->resources + r];
        }
    }
    for (int32_t machine = 0; machine < m->machines && status == RATION_OK; machine++) {
        int32_t place = 0;
        status = ration_program_add_place(e->program, NULL, 0, &place, error);
        for (int32_t r = 0; r < m->resources && status == RATION_OK; r++) {
            status =
                add_resource(e, machine, r, starting[(int64_t)machine * m->resources + r], error);
        }
        if (status == RATION_OK) {
            status = add_balances(e, machine, error);
        }
    }
    free(starting);
    return status;
}

/* ---- services ---- */

/* Decides which services have rows of their own: 0 in `location` or `neighbourhood`, else -1; and
 * gives them roles. */
static ration_status choose_services(encoding *e, ration_error *error)
{
    const rn_roadef *m = e->m;
    int64_t rows = 0;
    int32_t role = m->resources + m->balances;
    for (int32_t p = 0; p < m->processes; p++) {
        e->count[m->service[p]]++;
    }
    for (int32_t s = 0; s < m->services; s++) {
        e->role[s] = -1;
        e->moved[s] = -1;
        e->neighbourhood[s] = -1;
        /* one process is always in one location */
        e->location[s] = m->spread[s] > (e->count[s] > 0 ? 1 : 0) ? 0 : -1;
    }
    for (int32_t s = 0; s < m->services; s++) {
        for (int64_t i = m->needs_at[s]; i < m->needs_at[s + 1]; i++) {
            if (m->needs[i] != s) {
                e->neighbourhood[s] = 0;
                e->neighbourhood[m->needs[i]] = 0;
                rows += m->neighbourhoods;
            }
        }
    }
    for (int32_t s = 0; s < m->services; s++) {
        rows += (e->location[s] < 0 ? 0 : m->locations) +
                (e->neighbourhood[s] < 0 ? 0 : m->neighbourhoods);
        if (e->location[s] >= 0 || e->neighbourhood[s] >= 0) {
            e->role[s] = role++;
        }
    }
    if (role > ROLES_MAX || rows > ROWS_MAX) {
        return ration_error_set(
            error, RATION_E_RANGE,
            "resources, balance costs and services with a spread or a dependency are %" PRId32
            ", their rows %" PRId64 "; expected at most %d and %d",
            role, rows, ROLES_MAX, ROWS_MAX);
    }
    return RATION_OK;
}

/* Adds `count` rows that count processes of a service; first: out, the row of number 0. */
static ration_status add_counts(encoding *e, const char *what, int32_t service, int32_t count,
                                int32_t *first, ration_error *error)
{
    char name[NAME_TEXT];
    int32_t row = 0;
    for (int32_t x = 0; x < count; x++) {
        snprintf(name, sizeof name, "%s:%" PRId32 "/%" PRId32, what, service, x);
        RATION_TRY(add_row(e, name, 0, RATION_LOW_FREE, RATION_HIGH_FREE, &row, error));
        *first = x == 0 ? row : *first;
    }
    return RATION_OK;
}

static ration_status add_spread(encoding *e, int32_t service, ration_error *error)
{
    const rn_roadef *m = e->m;
    char name[NAME_TEXT];
    int32_t row = 0;
    RATION_TRY(add_counts(e, "location", service, m->locations, &e->location[service], error));
    snprintf(name, sizeof name, "spread:%" PRId32, service);
    RATION_TRY(ration_program_add_row(e->program, name, RATION_DIMENSION_REDUNDANCY, 0,
                                      m->spread[service], RATION_HIGH_FREE, &row, error));
    for (int32_t l = 0; l < m->locations; l++) {
        RATION_TRY(ration_program_add_feed(e->program, e->location[service] + l, row, 2,
                                           one_or_more, error));
    }
    return RATION_OK;
}

/* Wherever `service` is, `needed` must be. */
static ration_status add_dependency(encoding *e, int32_t service, int32_t needed,
                                    ration_error *error)
{
    char name[NAME_TEXT];
    int32_t row = 0;
    for (int32_t n = 0; n < e->m->neighbourhoods; n++) {
        snprintf(name, sizeof name, "dependency:%" PRId32 "/%" PRId32 "/%" PRId32, service, needed,
                 n);
        RATION_TRY(ration_program_add_row(e->program, name, RATION_DIMENSION_REDUNDANCY, 0,
                                          RATION_LOW_FREE, 0, &row, error));
        RATION_TRY(ration_program_add_feed(e->program, e->neighbourhood[service] + n, row, 2,
                                           one_or_more, error));
        RATION_TRY(ration_program_add_feed(e->program, e->neighbourhood[needed] + n, row, 2,
                                           less_one_or_more, error));
    }
    return RATION_OK;
}

/* Adds the dependencies of a service, each once; one on itself always holds. */
static ration_status add_dependencies(encoding *e, int32_t service, ration_error *error)
{
    const rn_roadef *m = e->m;
    for (int64_t i = m->needs_at[service]; i < m->needs_at[service + 1]; i++) {
        const int32_t needed = m->needs[i];
        if (needed != service && e->seen[needed] != service + 1) {
            e->seen[needed] = service + 1;
            RATION_TRY(add_dependency(e, service, needed, error));
        }
    }
    return RATION_OK;
}

/* Maps a service's role to its rows at every machine. */
static ration_status map_service(encoding *e, int32_t service, ration_error *error)
{
    const rn_roadef *m = e->m;
    for (int32_t machine = 0; machine < m->machines; machine++) {
        int32_t rows[2];
        int32_t count = 0;
        if (e->location[service] >= 0) {
            rows[count++] = e->location[service] + m->location[machine];
        }
        if (e->neighbourhood[service] >= 0) {
            rows[count++] = e->neighbourhood[service] + m->neighbourhood[machine];
        }
        RATION_TRY(
            ration_program_set_role(e->program, machine, e->role[service], count, rows, error));
    }
    return RATION_OK;
}

static ration_status add_services(encoding *e, ration_error *error)
{
    const rn_roadef *m = e->m;
    for (int32_t s = 0; s < m->services; s++) {
        if (e->location[s] >= 0) {
            RATION_TRY(add_spread(e, s, error));
        }
        if (e->neighbourhood[s] >= 0) {
            RATION_TRY(
                add_counts(e, "neighbourhood", s, m->neighbourhoods, &e->neighbourhood[s], error));
        }
        if (e->role[s] >= 0) {
            RATION_TRY(map_service(e, s, error));
        }
    }
    for (int32_t s = 0; s < m->services; s++) {
        RATION_TRY(add_dependencies(e, s, error));
    }
    return RATION_OK;
}

/* ---- the most processes of a service that move ---- */

/* Feeds the count of a service into the rows of 1 .. its number of processes. first: row of 1. */
static ration_status feed_moved(encoding *e, int32_t service, int32_t first, ration_error *error)
{
    char name[NAME_TEXT];
    const int32_t count = e->count[service];
    snprintf(name, sizeof name, "moved:%" PRId32, service);
    RATION_TRY(
        add_row(e, name, count, RATION_LOW_FREE, RATION_HIGH_FREE, &e->moved[service], error));
    for (int32_t k = 1; k <= count; k++) {
        const ration_piece reached[2] = {{k - 1, 0, 0}, {k, 1, 0}};
        RATION_TRY(ration_program_add_feed(e->program, e->moved[service], first + k - 1, 2, reached,
                                           error));
    }
    return RATION_OK;
}

/* A service of one process needs no count of its own: its process unloads the row of 1. */
static ration_status add_moved(encoding *e, ration_error *error)
{
    const rn_roadef *m = e->m;
    const ration_piece any[2] = {{0, 0, 0}, {1, m->service_weight, 0}};
    char name[NAME_TEXT];
    int32_t most = 0;
    int32_t singles = 0;
    int32_t first = 0;
    if (m->service_weight == 0) {
        return RATION_OK;
    }
    for (int32_t s = 0; s < m->services; s++) {
        most = e->count[s] > most ? e->count[s] : most;
        singles += e->count[s] == 1 ? 1 : 0;
    }
    for (int32_t k = 1; k <= most; k++) {
        int32_t row = 0;
        snprintf(name, sizeof name, "moved_at_least:%" PRId32, k);
        RATION_TRY(
            add_row(e, name, k == 1 ? singles : 0, RATION_LOW_FREE, RATION_HIGH_FREE, &row, error));
        RATION_TRY(ration_program_set_row_cost(e->program, row, 2, any, error));
        first = k == 1 ? row : first;
    }
    for (int32_t s = 0; s < m->services; s++) {
        if (e->count[s] == 1) {
            e->moved[s] = first;
        } else if (e->count[s] > 1) {
            RATION_TRY(feed_moved(e, s, first, error));
        }
    }
    return RATION_OK;
}

/* ---- processes ---- */

static int64_t balance_amount(const rn_roadef *m, int32_t process, int32_t b)
{
    const int32_t *need = m->need + (int64_t)process * m->resources;
    const rn_roadef_balance *balance = &m->balance[b];
    return need[balance->second] - (int64_t)balance->target * need[balance->first];
}

/* Staying: rows by name, without the transient ones, which hold the process already. */
static ration_status add_stay(encoding *e, int32_t item, ration_error *error)
{
    const rn_roadef *m = e->m;
    const int32_t home = m->home[item];
    const int32_t service = m->service[item];
    ration_option option = {home, STAY, RATION_DIMENSION_OTHER, 0, 0, e->use};
    for (int32_t r = 0; r < m->resources; r++) {
        const int32_t need = m->need[(int64_t)item * m->resources + r];
        const int32_t row = e->usage[(int64_t)home * m->resources + r];
        if (need > 0 && row >= 0) {
            e->use[option.uses++] = (ration_use){row, need};
        }
    }
    for (int32_t b = 0; b < m->balances; b++) {
        const int64_t amount = balance_amount(m, item, b);
        const int32_t row = e->balance[(int64_t)home * m->balances + b];
        if (amount != 0 && row >= 0) {
            e->use[option.uses++] = (ration_use){row, amount};
        }
    }
    if (e->location[service] >= 0) {
        e->use[option.uses++] = (ration_use){e->location[service] + m->location[home], 1};
    }
    if (e->neighbourhood[service] >= 0) {
        e->use[option.uses++] = (ration_use){e->neighbourhood[service] + m->neighbourhood[home], 1};
    }
    if (e->moved[service] >= 0) {
        e->use[option.uses++] = (ration_use){e->moved[service], -1};
    }
    return ration_program_add_option(e->program, item, &option, error);
}

static ration_status add_move(encoding *e, int32_t item, ration_error *error)
{
    const rn_roadef *m = e->m;
    const int32_t role = e->role[m->service[item]];
    ration_entry entry = {MOVE, 0, RATION_DIMENSION_OTHER, 0, 0, e->use};
    for (int32_t r = 0; r < m->resources; r++) {
        const int32_t need = m->need[(int64_t)item * m->resources + r];
        if (need > 0) {
            e->use[entry.uses++] = (ration_use){r, need};
        }
    }
    for (int32_t b = 0; b < m->balances; b++) {
        const int64_t amount = balance_amount(m, item, b);
        if (amount != 0 && m->balance[b].weight > 0) {
            e->use[entry.uses++] = (ration_use){m->resources + b, amount};
        }
    }
    if (role >= 0) {
        e->use[entry.uses++] = (ration_use){role, 1};
    }
    return ration_program_add_entry(e->program, item, &entry, error);
}

static ration_status add_processes(encoding *e, ration_error *error)
{
    const rn_roadef *m = e->m;
    int32_t item = 0;
    for (int32_t p = 0; p < m->processes; p++) {
        RATION_TRY(ration_program_add_item(e->program, NULL, &item, error));
        RATION_TRY(add_stay(e, item, error));
        RATION_TRY(add_move(e, item, error));
        RATION_TRY(ration_program_set_start(e->program, item, m->home[p], STAY,
                                            (int64_t)m->process_weight * m->move_cost[p], error));
    }
    return RATION_OK;
}

/* Processes of one service are on different machines. */
static ration_status add_conflicts(encoding *e, int32_t *member, ration_error *error)
{
    const rn_roadef *m = e->m;
    int32_t *end = e->seen; /* [services] where its next process goes, then its end */
    int32_t at = 0;
    for (int32_t s = 0; s < m->services; s++) {
        end[s] = at;
        at += e->count[s];
    }
    for (int32_t p = 0; p < m->processes; p++) {
        member[end[m->service[p]]++] = p;
    }
    for (int32_t s = 0; s < m->services; s++) {
        if (e->count[s] > 1) {
            RATION_TRY(ration_program_add_conflict(e->program, e->count[s],
                                                   member + end[s] - e->count[s], error));
        }
    }
    return RATION_OK;
}

/* The costs of moving between machines: one class for each list of them. item_class: [processes].
 * table: [routes * machines]. */
static ration_status add_routes(encoding *e, int32_t *item_class, int64_t *table,
                                ration_error *error)
{
    const rn_roadef *m = e->m;
    const int64_t cells = (int64_t)m->routes * m->machines;
    bool any = false;
    for (int64_t x = 0; x < cells; x++) {
        table[x] = (int64_t)m->machine_weight * m->route_cost[x];
        any = any || table[x] != 0;
    }
    for (int32_t p = 0; p < m->processes; p++) {
        item_class[p] = m->route[m->home[p]];
    }
    return any ? ration_program_set_table(e->program, RATION_DIMENSION_OTHER, m->routes, item_class,
                                          table, error)
               : RATION_OK;
}

static ration_status add_sets(encoding *e, ration_error *error)
{
    const rn_roadef *m = e->m;
    int32_t *list = malloc((size_t)m->processes * sizeof *list);
    int64_t *table = malloc((size_t)m->routes * (size_t)m->machines * sizeof *table);
    ration_status status = RATION_OK;
    if (list == NULL || table == NULL) {
        status = ration_error_set(error, RATION_E_MEMORY, "out of memory");
    }
    if (status == RATION_OK) {
        status = add_conflicts(e, list, error);
    }
    if (status == RATION_OK) {
        status = add_routes(e, list, table, error);
    }
    free(list);
    free(table);
    return status;
}

static ration_status fill(encoding *e, ration_error *error)
{
    int32_t mode = 0;
    RATION_TRY(ration_program_add_mode(e->program, "stay", true, &mode, error));
    RATION_TRY(ration_program_add_mode(e->program, "move", false, &mode, error));
    RATION_TRY(choose_services(e, error));
    RATION_TRY(add_machines(e, error));
    RATION_TRY(add_services(e, error));
    RATION_TRY(add_moved(e, error));
    RATION_TRY(add_processes(e, error));
    return add_sets(e, error);
}

ration_status rn_roadef_encode(const rn_roadef *model, ration_program *program, ration_error *error)
{
    const size_t services = (size_t)model->services;
    const size_t machines = (size_t)model->machines;
    const size_t uses = (size_t)model->resources + (size_t)model->balances + 3;
    encoding e = {.m = model, .program = program};
    ration_status status = RATION_OK;
    /* six lists of services, then the rows of machines */
    int32_t *block =
        calloc(6 * services + machines * ((size_t)model->resources + (size_t)model->balances),
               sizeof *block);
    e.use = malloc(uses * sizeof *e.use);
    if (block == NULL || e.use == NULL) {
        status = ration_error_set(error, RATION_E_MEMORY, "out of memory");
    } else {
        e.count = block;
        e.role = block + services;
        e.location = block + 2 * services;
        e.neighbourhood = block + 3 * services;
        e.moved = block + 4 * services;
        e.seen = block + 5 * services;
        e.usage = block + 6 * services;
        e.balance = e.usage + machines * (size_t)model->resources;
        status = fill(&e, error);
    }
    free(block);
    free(e.use);
    return status;
}
