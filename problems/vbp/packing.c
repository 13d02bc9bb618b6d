/* The three file forms of bin packing, and first fit. Some published sizes are negative (the
 * planted triplets of class C), so they are allowed.
 *
 * Forms: C. Mommessin, T. Erlebach, N. Shakhlevich, "Classification and evaluation of the
 * algorithms for vector bin packing", Computers & OR 173 (2025) (.vbp); OR-Library binpack1-8, E.
 * Falkenauer, J. Heuristics 2 (1996) 5-30; BPPLIB, M. Delorme, M. Iori, S. Martello, Optim. Lett.
 * 12 (2018) 235-250.
 */
#include "packing.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_MAX = 6 };

static const int64_t size_max = INT64_C(1) << RN_VBP_SIZE_BITS;

void rn_packing_free(rn_packing *packing)
{
    free(packing->capacity);
    free(packing->size);
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

static ration_status reserve(const ration_tokens *tokens, rn_packing *p, ration_error *error)
{
    if (p->items > RN_VBP_COUNT_MAX) {
        return ration_tokens_fail(tokens, error, "more than %d items", (int)RN_VBP_COUNT_MAX);
    }
    if (p->capacity == NULL) {
        p->capacity = malloc((size_t)p->dimensions * sizeof *p->capacity);
    }
    p->size = malloc((size_t)(p->items * p->dimensions) * sizeof *p->size);
    if (p->capacity == NULL || p->size == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "%s: out of memory", tokens->name);
    }
    return RATION_OK;
}

/* Reads lines of sizes and a number of items, and counts; the second time it also writes them. */
static ration_status read_lines(ration_tokens *tokens, int64_t lines, int32_t places, rn_packing *p,
                                ration_error *error)
{
    int64_t size[RN_VBP_DIMENSIONS];
    p->items = 0;
    for (int64_t line = 0; line < lines; line++) {
        int64_t demand = 0;
        for (int64_t k = 0; k < p->dimensions; k++) {
            RATION_TRY(ration_tokens_decimal(tokens, "a size", places, -size_max, size_max,
                                             &size[k], error));
        }
        RATION_TRY(ration_tokens_integer(tokens, "a number of items", 0, RN_VBP_COUNT_MAX, &demand,
                                         error));
        for (int64_t i = 0; i < demand && p->size != NULL; i++) {
            memcpy(p->size + (p->items + i) * p->dimensions, size,
                   (size_t)p->dimensions * sizeof *size);
        }
        p->items += demand;
    }
    if (p->items == 0) {
        return ration_tokens_fail(tokens, error, "there are no items");
    }
    return ration_tokens_end(tokens, error);
}

static ration_status read_counted_lines(ration_tokens *tokens, int64_t lines, int32_t places,
                                        rn_packing *p, ration_error *error)
{
    ration_tokens again = *tokens;
    RATION_TRY(read_lines(tokens, lines, places, p, error));
    RATION_TRY(reserve(tokens, p, error));
    return read_lines(&again, lines, places, p, error);
}

static ration_status check_places(const ration_tokens *tokens, int32_t places, ration_error *error)
{
    if (places > PLACES_MAX) {
        return ration_tokens_fail(tokens, error, "a size has more than %d decimals", PLACES_MAX);
    }
    return RATION_OK;
}

static ration_status read_vbp(ration_tokens *tokens, rn_packing *p, ration_error *error)
{
    int64_t lines = 0;
    RATION_TRY(ration_tokens_integer(tokens, "the number of dimensions", 1, RN_VBP_DIMENSIONS,
                                     &p->dimensions, error));
    p->capacity = malloc((size_t)p->dimensions * sizeof *p->capacity);
    if (p->capacity == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "%s: out of memory", tokens->name);
    }
    for (int64_t k = 0; k < p->dimensions; k++) {
        RATION_TRY(
            ration_tokens_integer(tokens, "a capacity", 0, size_max, &p->capacity[k], error));
    }
    RATION_TRY(
        ration_tokens_integer(tokens, "the number of items", 1, RN_VBP_COUNT_MAX, &lines, error));
    return read_counted_lines(tokens, lines, 0, p, error);
}

static ration_status read_bpplib(ration_tokens *tokens, rn_packing *p, ration_error *error)
{
    int64_t lines = 0;
    const int32_t places = ration_tokens_places(tokens, INT64_MAX);
    RATION_TRY(check_places(tokens, places, error));
    p->dimensions = 1;
    p->capacity = malloc(sizeof *p->capacity);
    if (p->capacity == NULL) {
        return ration_error_set(error, RATION_E_MEMORY, "%s: out of memory", tokens->name);
    }
    RATION_TRY(
        ration_tokens_integer(tokens, "the number of sizes", 1, RN_VBP_COUNT_MAX, &lines, error));
    RATION_TRY(
        ration_tokens_decimal(tokens, "the capacity", places, 0, size_max, &p->capacity[0], error));
    return read_counted_lines(tokens, lines, places, p, error);
}

/* The head of a binpack problem: name, capacity, number of items, best known. */
static ration_status read_binpack_head(ration_tokens *tokens, int32_t *places, int64_t *capacity,
                                       int64_t *items, ration_error *error)
{
    int64_t best = 0;
    RATION_TRY(ration_tokens_skip(tokens, "the name of a problem", 1, error));
    ration_tokens ahead = *tokens;
    RATION_TRY(ration_tokens_skip(&ahead, "the capacity", 1, error));
    RATION_TRY(
        ration_tokens_integer(&ahead, "the number of items", 1, RN_VBP_COUNT_MAX, items, error));
    *places = ration_tokens_places(tokens, *items + 3);
    RATION_TRY(check_places(tokens, *places, error));
    RATION_TRY(
        ration_tokens_decimal(tokens, "the capacity", *places, 0, size_max, capacity, error));
    RATION_TRY(ration_tokens_skip(tokens, "the number of items", 1, error));
    return ration_tokens_integer(tokens, "the best known number of bins", 0, RN_VBP_COUNT_MAX,
                                 &best, error);
}

static ration_status read_binpack(ration_tokens *tokens, int32_t wanted, rn_packing *p,
                                  ration_error *error)
{
    int64_t problems = 0;
    RATION_TRY(ration_tokens_integer(tokens, "the number of problems", 1, RN_VBP_COUNT_MAX,
                                     &problems, error));
    if (wanted == 0 && problems > 1) {
        return ration_tokens_fail(
            tokens, error, "holds %" PRId64 " problems; choose one with --problem 1 to %" PRId64,
            problems, problems);
    }
    if (wanted > problems) {
        return ration_tokens_fail(tokens, error, "problem %d is asked for; there are %" PRId64,
                                  (int)wanted, problems);
    }
    for (int64_t problem = 1; problem <= problems; problem++) {
        int32_t places = 0;
        int64_t capacity = 0;
        int64_t items = 0;
        RATION_TRY(read_binpack_head(tokens, &places, &capacity, &items, error));
        if (problem != (wanted == 0 ? 1 : wanted)) {
            RATION_TRY(ration_tokens_skip(tokens, "a size", items, error));
            continue;
        }
        p->dimensions = 1;
        p->items = items;
        RATION_TRY(reserve(tokens, p, error));
        p->capacity[0] = capacity;
        for (int64_t i = 0; i < items; i++) {
            RATION_TRY(ration_tokens_decimal(tokens, "a size", places, -size_max, size_max,
                                             &p->size[i], error));
        }
    }
    return ration_tokens_end(tokens, error);
}

/* Whether the second token is no number: the name of a binpack problem. */
static bool has_name(const ration_tokens *tokens)
{
    ration_tokens copy = *tokens;
    int64_t value = 0;
    if (ration_tokens_skip(&copy, "", 1, NULL) != RATION_OK || ration_tokens_done(&copy)) {
        return false;
    }
    return ration_tokens_decimal(&copy, "", PLACES_MAX, INT64_MIN, INT64_MAX, &value, NULL) !=
           RATION_OK;
}

ration_status rn_packing_read(ration_tokens *tokens, int32_t wanted, rn_packing *packing,
                              ration_error *error)
{
    if (has_name(tokens)) {
        return read_binpack(tokens, wanted, packing, error);
    }
    if (wanted > 1) {
        return ration_tokens_fail(tokens, error, "problem %d is asked for; there is one",
                                  (int)wanted);
    }
    /* A .vbp file of d dimensions has 2 + d + n (d + 1) numbers, never 2 + 2 d. */
    ration_tokens copy = *tokens;
    int64_t first = 0;
    if (ration_tokens_integer(&copy, "", 1, RN_VBP_COUNT_MAX, &first, NULL) == RATION_OK &&
        count_tokens(tokens) == 2 + 2 * first) {
        return read_bpplib(tokens, packing, error);
    }
    return read_vbp(tokens, packing, error);
}

/* ---- in use or not ---- */

/* Least size and sum of sizes in a dimension. */
static void sum_sizes(const rn_packing *p, int64_t k, int64_t *least, int64_t *sum)
{
    *least = INT64_MAX;
    *sum = 0;
    for (int64_t i = 0; i < p->items; i++) {
        const int64_t size = p->size[i * p->dimensions + k];
        *least = size < *least ? size : *least;
        *sum += size;
    }
}

rn_gauge rn_packing_gauge(const rn_packing *packing)
{
    rn_gauge gauge = {0, 0, 1, packing->items, false};
    double best = -1.0;
    for (int64_t k = 0; k < packing->dimensions; k++) {
        const int64_t factor = packing->items + 1;
        const int64_t capacity = packing->capacity[k];
        int64_t least = 0;
        int64_t sum = 0;
        sum_sizes(packing, k, &least, &sum);
        const double share = (double)sum / (double)(capacity > 0 ? capacity : 1);
        const bool fits =
            sum < (INT64_C(1) << 60) / factor && capacity < (INT64_C(1) << 60) / factor;
        if (least < 0 || share <= best || (least == 0 && !fits)) {
            continue;
        }
        best = share;
        gauge = least > 0 ? (rn_gauge){k, 1, 0, capacity, true}
                          : (rn_gauge){k, factor, 1, factor * capacity + packing->items, false};
    }
    return gauge;
}

/* ---- first fit ---- */

typedef struct ranked {
    int64_t key; /* largest share of a capacity, in 2^-20 */
    int64_t item;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a;
    const ranked *y = b;
    if (x->key != y->key) {
        return x->key > y->key ? -1 : 1;
    }
    return (x->item > y->item) - (x->item < y->item);
}

static int64_t key_of(const rn_packing *p, int64_t item)
{
    int64_t key = 0;
    for (int64_t k = 0; k < p->dimensions; k++) {
        const int64_t size = p->size[item * p->dimensions + k];
        const int64_t share = size * (1 << 20) / (p->capacity[k] > 0 ? p->capacity[k] : 1);
        key = share > key ? share : key;
    }
    return key;
}

static bool fits(const rn_packing *p, const int64_t *load, int64_t item)
{
    for (int64_t k = 0; k < p->dimensions; k++) {
        if (load[k] + p->size[item * p->dimensions + k] > p->capacity[k]) {
            return false;
        }
    }
    return true;
}

/* Bins of first fit in the order of list[items], RN_VBP_BINS_MAX + 1 if it needs more than the
 * limit; load: [items * dimensions] scratch. */
static int64_t first_fit(const rn_packing *p, const ranked *list, int64_t *load)
{
    int64_t bins = 0;
    for (int64_t i = 0; i < p->items && bins <= RN_VBP_BINS_MAX; i++) {
        const int64_t item = list[i].item;
        int64_t bin = 0;
        while (bin < bins && !fits(p, load + bin * p->dimensions, item)) {
            bin++;
        }
        if (bin == bins) {
            memset(load + bin * p->dimensions, 0, (size_t)p->dimensions * sizeof *load);
            bins++;
        }
        for (int64_t k = 0; k < p->dimensions; k++) {
            load[bin * p->dimensions + k] += p->size[item * p->dimensions + k];
        }
    }
    return bins;
}

ration_status rn_packing_bins(const rn_packing *packing, int64_t *bins, ration_error *error)
{
    ranked *list = malloc((size_t)packing->items * sizeof *list);
    int64_t *load = malloc((size_t)(packing->items * packing->dimensions) * sizeof *load);
    if (list == NULL || load == NULL) {
        free(list);
        free(load);
        return ration_error_set(error, RATION_E_MEMORY, "out of memory");
    }
    for (int64_t i = 0; i < packing->items; i++) {
        list[i] = (ranked){key_of(packing, i), i};
    }
    const int64_t in_order = first_fit(packing, list, load);
    qsort(list, (size_t)packing->items, sizeof *list, compare_ranked);
    const int64_t falling = first_fit(packing, list, load);
    const int64_t fewer = falling < in_order ? falling : in_order;
    free(list);
    free(load);
    if (fewer > RN_VBP_BINS_MAX) {
        return ration_error_set(error, RATION_E_RANGE, "first fit needs more than %d bins",
                                (int)RN_VBP_BINS_MAX);
    }
    *bins = fewer;
    return RATION_OK;
}
