/* Reads the text of a machine reassignment model and of an assignment.
 *
 * Format: "Google ROADEF/EURO challenge 2011-2012: Machine Reassignment", problem definition of the
 * challenge. White-space separated integers; every index counts from 0.
 */
#include "model.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ration/document.h"

enum { COUNT_MAX = 10000000, RESOURCES_MAX = 1000, BALANCES_MAX = 1000, START_BYTES_MAX = 1 << 28 };

/* Reads one number of 0 .. high. */
static ration_status number(ration_tokens *tokens, const char *what, int64_t high, int32_t *value,
                            ration_error *error)
{
    int64_t read = 0;
    RATION_TRY(ration_tokens_integer(tokens, what, 0, high, &read, error));
    *value = (int32_t)read;
    return RATION_OK;
}

static ration_status numbers(ration_tokens *tokens, const char *what, int64_t count, int32_t *array,
                             ration_error *error)
{
    for (int64_t i = 0; i < count; i++) {
        RATION_TRY(number(tokens, what, INT32_MAX, &array[i], error));
    }
    return RATION_OK;
}

/* Reads how many things follow, each of at least `each` numbers. */
static ration_status count_of(ration_tokens *tokens, const char *what, int64_t least, int64_t each,
                              int32_t *count, ration_error *error)
{
    int64_t read = 0;
    RATION_TRY(ration_tokens_integer(tokens, what, least, COUNT_MAX, &read, error));
    if (read * each > (tokens->end - tokens->at) / 2 + 1) { /* two characters a number */
        return ration_tokens_fail(tokens, error,
                                  "%s is %" PRId64 ": that needs more numbers than the file holds",
                                  what, read);
    }
    *count = (int32_t)read;
    return RATION_OK;
}

/* An array of at least one element, all 0; NULL when there is no memory. */
static void *make(int64_t count, size_t size)
{
    return calloc(count > 0 ? (size_t)count : 1, size);
}

static ration_status check_made(const ration_tokens *tokens, bool made, ration_error *error)
{
    return made ? RATION_OK
                : ration_error_set(error, RATION_E_MEMORY, "%s: out of memory", tokens->name);
}

static ration_status read_resources(ration_tokens *tokens, rn_roadef *m, ration_error *error)
{
    RATION_TRY(count_of(tokens, "the number of resources", 1, 2, &m->resources, error));
    if (m->resources > RESOURCES_MAX) {
        return ration_tokens_fail(tokens, error, "%d resources, expected at most %d",
                                  (int)m->resources, RESOURCES_MAX);
    }
    m->resource = make(m->resources, sizeof *m->resource);
    RATION_TRY(check_made(tokens, m->resource != NULL, error));
    for (int32_t r = 0; r < m->resources; r++) {
        rn_roadef_resource *resource = &m->resource[r];
        RATION_TRY(
            number(tokens, "whether a resource is transient", 1, &resource->transient, error));
        RATION_TRY(
            number(tokens, "the weight of a load cost", INT32_MAX, &resource->weight, error));
    }
    return RATION_OK;
}

/* The machines with equal lists of move costs found so far. */
typedef struct routes {
    uint64_t *hash; /* [room] */
    int32_t room;
} routes;

static uint64_t hash_of(const int32_t *list, int32_t count)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (int32_t i = 0; i < count; i++) {
        hash = (hash ^ (uint32_t)list[i]) * 1099511628211u;
    }
    return hash;
}

/* Makes room for one more list. */
static ration_status grow_routes(const ration_tokens *tokens, rn_roadef *m, routes *known,
                                 ration_error *error)
{
    if (m->routes < known->room) {
        return RATION_OK;
    }
    const int32_t room = known->room < 8 ? 8 : 2 * known->room;
    const size_t bytes = (size_t)room * (size_t)m->machines * sizeof *m->route_cost;
    int32_t *cost = realloc(m->route_cost, bytes);
    RATION_TRY(check_made(tokens, cost != NULL, error));
    m->route_cost = cost;
    uint64_t *hash = realloc(known->hash, (size_t)room * sizeof *hash);
    RATION_TRY(check_made(tokens, hash != NULL, error));
    known->hash = hash;
    known->room = room;
    return RATION_OK;
}

/* Reads the costs of moving from a machine to each, behind the lists that are known already. */
static ration_status read_route(ration_tokens *tokens, rn_roadef *m, int32_t machine, routes *known,
                                ration_error *error)
{
    RATION_TRY(grow_routes(tokens, m, known, error));
    int32_t *list = m->route_cost + (int64_t)m->routes * m->machines;
    RATION_TRY(numbers(tokens, "a machine move cost", m->machines, list, error));
    const uint64_t hash = hash_of(list, m->machines);
    int32_t same = 0;
    while (same < m->routes &&
           (known->hash[same] != hash || memcmp(m->route_cost + (int64_t)same * m->machines, list,
                                                (size_t)m->machines * sizeof *list) != 0)) {
        same++;
    }
    m->route[machine] = same;
    known->hash[same] = hash;
    m->routes += same == m->routes ? 1 : 0;
    return RATION_OK;
}

static ration_status read_each_machine(ration_tokens *tokens, rn_roadef *m, routes *known,
                                       ration_error *error)
{
    for (int32_t machine = 0; machine < m->machines; machine++) {
        const int64_t at = (int64_t)machine * m->resources;
        RATION_TRY(number(tokens, "a neighbourhood", INT32_MAX, &m->neighbourhood[machine], error));
        RATION_TRY(number(tokens, "a location", INT32_MAX, &m->location[machine], error));
        RATION_TRY(numbers(tokens, "a capacity", m->resources, m->capacity + at, error));
        RATION_TRY(numbers(tokens, "a safety capacity", m->resources, m->safety + at, error));
        RATION_TRY(read_route(tokens, m, machine, known, error));
    }
    return RATION_OK;
}

static int compare32(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a;
    const int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Replaces labels by 0, 1, ... in their order; kinds: out, how many different ones. */
static ration_status compress(const ration_tokens *tokens, int32_t count, int32_t *label,
                              int32_t *kinds, ration_error *error)
{
    int32_t distinct = 0;
    int32_t *sorted = make(count, sizeof *sorted);
    RATION_TRY(check_made(tokens, sorted != NULL, error));
    memcpy(sorted, label, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare32);
    for (int32_t i = 0; i < count; i++) {
        if (distinct == 0 || sorted[i] != sorted[distinct - 1]) {
            sorted[distinct++] = sorted[i];
        }
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t *found =
            bsearch(&label[i], sorted, (size_t)distinct, sizeof *sorted, compare32);
        label[i] = (int32_t)(found - sorted);
    }
    free(sorted);
    *kinds = distinct;
    return RATION_OK;
}

static ration_status read_machines(ration_tokens *tokens, rn_roadef *m, ration_error *error)
{
    const int64_t each = 2 + 2 * (int64_t)m->resources;
    routes known = {NULL, 0};
    RATION_TRY(count_of(tokens, "the number of machines", 1, each, &m->machines, error));
    if ((int64_t)m->machines * (each + m->machines) > (tokens->end - tokens->at) / 2 + 1) {
        return ration_tokens_fail(
            tokens, error, "%d machines need more numbers than the file holds", (int)m->machines);
    }
    const int64_t cells = (int64_t)m->machines * m->resources;
    m->neighbourhood = make(m->machines, sizeof *m->neighbourhood);
    m->location = make(m->machines, sizeof *m->location);
    m->route = make(m->machines, sizeof *m->route);
    m->capacity = make(cells, sizeof *m->capacity);
    m->safety = make(cells, sizeof *m->safety);
    RATION_TRY(check_made(tokens,
                          m->neighbourhood != NULL && m->location != NULL && m->route != NULL &&
                              m->capacity != NULL && m->safety != NULL,
                          error));
    const ration_status status = read_each_machine(tokens, m, &known, error);
    free(known.hash);
    RATION_TRY(status);
    RATION_TRY(compress(tokens, m->machines, m->location, &m->locations, error));
    return compress(tokens, m->machines, m->neighbourhood, &m->neighbourhoods, error);
}

/* Reads one service behind the dependencies that are known already; room: in and out, of `needs`.
 */
static ration_status read_service(ration_tokens *tokens, rn_roadef *m, int32_t service,
                                  int64_t *room, ration_error *error)
{
    int32_t count = 0;
    const int64_t at = m->needs_at[service];
    RATION_TRY(
        number(tokens, "a least number of locations", INT32_MAX, &m->spread[service], error));
    RATION_TRY(count_of(tokens, "a number of dependencies", 0, 1, &count, error));
    if (at + count > *room) {
        *room = 2 * (at + count);
        int32_t *grown = realloc(m->needs, (size_t)*room * sizeof *grown);
        RATION_TRY(check_made(tokens, grown != NULL, error));
        m->needs = grown;
    }
    for (int64_t i = 0; i < count; i++) {
        RATION_TRY(
            number(tokens, "a service to depend on", m->services - 1, &m->needs[at + i], error));
    }
    m->needs_at[service + 1] = at + count;
    return RATION_OK;
}

static ration_status read_services(ration_tokens *tokens, rn_roadef *m, ration_error *error)
{
    int64_t room = 0;
    RATION_TRY(count_of(tokens, "the number of services", 1, 2, &m->services, error));
    m->spread = make(m->services, sizeof *m->spread);
    m->needs_at = make((int64_t)m->services + 1, sizeof *m->needs_at);
    RATION_TRY(check_made(tokens, m->spread != NULL && m->needs_at != NULL, error));
    for (int32_t s = 0; s < m->services; s++) {
        RATION_TRY(read_service(tokens, m, s, &room, error));
    }
    return RATION_OK;
}

static ration_status read_processes(ration_tokens *tokens, rn_roadef *m, ration_error *error)
{
    RATION_TRY(count_of(tokens, "the number of processes", 1, 2 + (int64_t)m->resources,
                        &m->processes, error));
    const int64_t cells = (int64_t)m->processes * m->resources;
    m->service = make(m->processes, sizeof *m->service);
    m->move_cost = make(m->processes, sizeof *m->move_cost);
    m->need = make(cells, sizeof *m->need);
    RATION_TRY(
        check_made(tokens, m->service != NULL && m->move_cost != NULL && m->need != NULL, error));
    for (int32_t p = 0; p < m->processes; p++) {
        RATION_TRY(
            number(tokens, "the service of a process", m->services - 1, &m->service[p], error));
        RATION_TRY(
            numbers(tokens, "a need", m->resources, m->need + (int64_t)p * m->resources, error));
        RATION_TRY(number(tokens, "a process move cost", INT32_MAX, &m->move_cost[p], error));
    }
    return RATION_OK;
}

static ration_status read_balances(ration_tokens *tokens, rn_roadef *m, ration_error *error)
{
    RATION_TRY(count_of(tokens, "the number of balance costs", 0, 4, &m->balances, error));
    if (m->balances > BALANCES_MAX) {
        return ration_tokens_fail(tokens, error, "%d balance costs, expected at most %d",
                                  (int)m->balances, BALANCES_MAX);
    }
    m->balance = make(m->balances, sizeof *m->balance);
    RATION_TRY(check_made(tokens, m->balance != NULL, error));
    for (int32_t b = 0; b < m->balances; b++) {
        rn_roadef_balance *balance = &m->balance[b];
        const int32_t last = m->resources - 1;
        RATION_TRY(
            number(tokens, "the first resource of a balance cost", last, &balance->first, error));
        RATION_TRY(
            number(tokens, "the second resource of a balance cost", last, &balance->second, error));
        RATION_TRY(
            number(tokens, "the target of a balance cost", INT32_MAX, &balance->target, error));
        RATION_TRY(
            number(tokens, "the weight of a balance cost", INT32_MAX, &balance->weight, error));
    }
    return RATION_OK;
}

ration_status rn_roadef_read_model(ration_tokens *tokens, rn_roadef *m, ration_error *error)
{
    RATION_TRY(read_resources(tokens, m, error));
    RATION_TRY(read_machines(tokens, m, error));
    RATION_TRY(read_services(tokens, m, error));
    RATION_TRY(read_processes(tokens, m, error));
    RATION_TRY(read_balances(tokens, m, error));
    RATION_TRY(number(tokens, "the weight of process moves", INT32_MAX, &m->process_weight, error));
    RATION_TRY(number(tokens, "the weight of service moves", INT32_MAX, &m->service_weight, error));
    RATION_TRY(number(tokens, "the weight of machine moves", INT32_MAX, &m->machine_weight, error));
    return ration_tokens_end(tokens, error);
}

static ration_status read_homes(ration_tokens *tokens, rn_roadef *m, ration_error *error)
{
    m->home = make(m->processes, sizeof *m->home);
    RATION_TRY(check_made(tokens, m->home != NULL, error));
    for (int32_t p = 0; p < m->processes; p++) {
        if (ration_tokens_done(tokens)) {
            return ration_tokens_fail(tokens, error,
                                      "the machines of %d processes, expected %d: one a process",
                                      (int)p, (int)m->processes);
        }
        RATION_TRY(number(tokens, "the machine of a process", m->machines - 1, &m->home[p], error));
    }
    if (!ration_tokens_done(tokens)) {
        return ration_tokens_fail(tokens, error,
                                  "more than the machines of %d processes, expected one a process",
                                  (int)m->processes);
    }
    return RATION_OK;
}

ration_status rn_roadef_read_start(const char *path, rn_roadef *m, ration_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    ration_tokens tokens;
    RATION_TRY(ration_text_read(path, START_BYTES_MAX, &text, &bytes, error));
    ration_status status = ration_tokens_begin(&tokens, path, text, bytes, error);
    if (status == RATION_OK) {
        status = read_homes(&tokens, m, error);
    }
    free(text);
    return status;
}

void rn_roadef_free(rn_roadef *m)
{
    free(m->resource);
    free(m->location);
    free(m->neighbourhood);
    free(m->capacity);
    free(m->safety);
    free(m->route);
    free(m->route_cost);
    free(m->spread);
    free(m->needs_at);
    free(m->needs);
    free(m->service);
    free(m->need);
    free(m->move_cost);
    free(m->balance);
    free(m->home);
}
