/* Multidimensional knapsack problems in the forms of OR-Library and SAC-94.
 *
 * P. C. Chu, J. E. Beasley, "A genetic algorithm for the multidimensional knapsack problem",
 * J. Heuristics 4 (1998) 63-86 (mknapcb); C. C. Petersen, Management Science 13 (1967) 736-750
 * (mknap1).
 */
#include "mkp.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "ration/tokens.h"

enum { COUNT_MAX = 10000000, PLACES_MAX = 9 };

static const int64_t value_max = INT64_C(1) << 53;

/* profit: [items]; weight: [rows * items], row by row; capacity: [rows]. */
typedef struct mkp {
    int64_t items;
    int64_t rows;
    int32_t profit_places; /* decimals that were multiplied away */
    int64_t *profit;
    int64_t *weight;
    int64_t *capacity;
} mkp;

/* Reads n m and passes the optimum. */
static ration_status read_head(ration_tokens *tokens, mkp *k, ration_error *error)
{
    int64_t optimum = 0;
    RATION_TRY(
        ration_tokens_integer(tokens, "the number of items", 1, COUNT_MAX, &k->items, error));
    RATION_TRY(
        ration_tokens_integer(tokens, "the number of constraints", 1, COUNT_MAX, &k->rows, error));
    const int32_t places = ration_tokens_places(tokens, 1);
    return ration_tokens_decimal(tokens, "the optimum (0: unknown)",
                                 places > PLACES_MAX ? PLACES_MAX : places, -value_max, value_max,
                                 &optimum, error);
}

/* Numbers that follow the head. */
static int64_t body_count(const mkp *k)
{
    return k->items + k->items * k->rows + k->rows;
}

static int64_t count_tokens(const ration_tokens *tokens)
{
    ration_tokens copy = *tokens;
    int64_t count = 0;
    while (!ration_tokens_done(&copy) &&
           ration_tokens_skip(&copy, "a number", 1, NULL) == RATION_OK) {
        count++;
    }
    return count;
}

/* Whether the text is a number of problems and then exactly so many. */
static bool is_several(const ration_tokens *tokens)
{
    ration_tokens copy = *tokens;
    int64_t problems = 0;
    if (ration_tokens_integer(&copy, "", 1, COUNT_MAX, &problems, NULL) != RATION_OK) {
        return false;
    }
    for (int64_t i = 0; i < problems; i++) {
        mkp head = {0};
        if (read_head(&copy, &head, NULL) != RATION_OK ||
            ration_tokens_skip(&copy, "", body_count(&head), NULL) != RATION_OK) {
            return false;
        }
    }
    return ration_tokens_done(&copy);
}

/* Whether the text is one problem without a count in front; of a broken file, whether it was more
 * likely meant so: it is too short for one, or begins with more items than constraints. */
static bool is_single(const ration_tokens *tokens)
{
    ration_tokens copy = *tokens;
    mkp head = {0};
    if (read_head(&copy, &head, NULL) != RATION_OK) {
        return false;
    }
    const int64_t count = count_tokens(&copy);
    if (count == body_count(&head) || is_several(tokens)) {
        return count == body_count(&head);
    }
    return head.items > 1 && (count < body_count(&head) || head.items >= head.rows);
}

/* Goes to the wanted problem of a file that begins with their number. */
static ration_status choose(ration_tokens *tokens, int32_t wanted, int64_t *left,
                            ration_error *error)
{
    int64_t problems = 0;
    RATION_TRY(
        ration_tokens_integer(tokens, "the number of problems", 1, COUNT_MAX, &problems, error));
    if (wanted == 0 && problems > 1) {
        return ration_tokens_fail(
            tokens, error, "holds %" PRId64 " problems; choose one with --problem 1 to %" PRId64,
            problems, problems);
    }
    if (wanted > problems) {
        return ration_tokens_fail(tokens, error, "problem %d is asked for; there are %" PRId64,
                                  (int)wanted, problems);
    }
    for (int32_t i = 1; i < wanted; i++) {
        mkp head = {0};
        RATION_TRY(read_head(tokens, &head, error));
        RATION_TRY(ration_tokens_skip(tokens, "a number", body_count(&head), error));
    }
    *left = problems - (wanted == 0 ? 1 : wanted);
    return RATION_OK;
}

static ration_status read_array(ration_tokens *tokens, const char *what, int32_t places,
                                int64_t low, int64_t count, int64_t *array, ration_error *error)
{
    for (int64_t i = 0; i < count; i++) {
        RATION_TRY(ration_tokens_decimal(tokens, what, places, low, value_max, &array[i], error));
    }
    return RATION_OK;
}

static ration_status read_body(ration_tokens *tokens, mkp *k, ration_error *error)
{
    const int64_t cells = k->items * k->rows;
    if (cells > (tokens->end - tokens->at) / 2 + 1) { /* two characters a number */
        return ration_tokens_fail(tokens, error,
                                  "%" PRId64 " items and %" PRId64
                                  " constraints need more numbers than the file holds",
                                  k->items, k->rows);
    }
    k->profit = malloc((size_t)k->items * sizeof *k->profit);
    k->weight = malloc((size_t)cells * sizeof *k->weight);
    k->capacity = malloc((size_t)k->rows * sizeof *k->capacity);
    if (k->profit == NULL || k->weight == NULL || k->capacity == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "%s: out of memory", tokens->name);
    }
    k->profit_places = ration_tokens_places(tokens, k->items);
    if (k->profit_places > PLACES_MAX) {
        return ration_tokens_fail(tokens, error, "a profit has more than %d decimals", PLACES_MAX);
    }
    RATION_TRY(
        read_array(tokens, "a profit", k->profit_places, -value_max, k->items, k->profit, error));
    const int32_t places = ration_tokens_places(tokens, cells + k->rows);
    if (places > PLACES_MAX) {
        return ration_tokens_fail(tokens, error, "a weight has more than %d decimals", PLACES_MAX);
    }
    RATION_TRY(read_array(tokens, "a weight", places, 0, cells, k->weight, error));
    return read_array(tokens, "a capacity", places, 0, k->rows, k->capacity, error);
}

static ration_status read_problem(ration_tokens *tokens, int32_t wanted, mkp *k,
                                  ration_error *error)
{
    int64_t left = 0;
    if (!is_single(tokens)) {
        RATION_TRY(choose(tokens, wanted, &left, error));
    } else if (wanted > 1) {
        return ration_tokens_fail(tokens, error, "problem %d is asked for; there is one",
                                  (int)wanted);
    }
    RATION_TRY(read_head(tokens, k, error));
    RATION_TRY(read_body(tokens, k, error));
    for (; left > 0; left--) {
        mkp head = {0};
        RATION_TRY(read_head(tokens, &head, error));
        RATION_TRY(ration_tokens_skip(tokens, "a number", body_count(&head), error));
    }
    return ration_tokens_end(tokens, error);
}

/* use: [rows] scratch. */
static ration_status add_item(const mkp *k, int64_t j, int64_t sign, ration_use *use,
                              ration_program *program, ration_error *error)
{
    int32_t item = 0;
    int32_t uses = 0;
    RATION_TRY(ration_program_add_item(program, NULL, &item, error));
    for (int64_t i = 0; i < k->rows; i++) {
        if (k->weight[i * k->items + j] != 0) {
            use[uses++] = (ration_use){(int32_t)i, k->weight[i * k->items + j]};
        }
    }
    const ration_option in = {RATION_NONE,         0,    RATION_DIMENSION_OTHER,
                              sign * k->profit[j], uses, use};
    const ration_option out = {RATION_NONE, 1, RATION_DIMENSION_OTHER, 0, 0, NULL};
    RATION_TRY(ration_program_add_option(program, item, &in, error));
    return ration_program_add_option(program, item, &out, error);
}

static ration_status fill(const mkp *k, ration_sense sense, ration_use *use,
                          ration_program *program, ration_error *error)
{
    int32_t made = 0;
    RATION_TRY(ration_program_set_objective(program, sense, 0, k->profit_places, error));
    RATION_TRY(ration_program_add_mode(program, "in", false, &made, error));
    RATION_TRY(ration_program_add_mode(program, "out", false, &made, error));
    for (int64_t i = 0; i < k->rows; i++) {
        RATION_TRY(ration_program_add_row(program, NULL, RATION_DIMENSION_OTHER, 0, RATION_LOW_FREE,
                                          k->capacity[i], &made, error));
    }
    for (int64_t j = 0; j < k->items; j++) {
        RATION_TRY(add_item(k, j, sense == RATION_MAXIMISE ? -1 : 1, use, program, error));
    }
    return RATION_OK;
}

static ration_status read_text(ration_tokens *tokens, int32_t wanted, void *problem,
                               ration_error *error)
{
    return read_problem(tokens, wanted, problem, error);
}

static ration_status fill_program(const void *problem, ration_sense sense, ration_program *program,
                                  ration_error *error)
{
    const mkp *k = problem;
    ration_use *use = malloc((size_t)k->rows * sizeof *use);
    if (use == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "out of memory");
    }
    const ration_status status = fill(k, sense, use, program, error);
    free(use);
    return status;
}

ration_status ration_mkp_read(const ration_instance *request, ration_program **program,
                              ration_error *error)
{
    static const ration_instance_format format = {
        .sense = RATION_MAXIMISE, .several = true, .read = read_text, .fill = fill_program};
    mkp k = {0};
    const ration_status status = ration_instance_read(request, &format, &k, program, error);
    free(k.profit);
    free(k.weight);
    free(k.capacity);
    return status;
}
