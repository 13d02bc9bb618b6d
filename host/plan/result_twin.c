/* Results of what was found on a program's twin. */
#include <assert.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "plan/result.h"
#include "program/program.h"
#include "program/twin.h"

ration_status rn_result_create_back(const rn_twin *twin, const int32_t *pick, const rn_bound *bound,
                                    const rn_run_facts *facts, ration_result **result,
                                    ration_error *error)
{
    const ration_program *program = rn_twin_original(twin);
    const rn_view *v = rn_program_view(program);
    const size_t rows = (size_t)v->all_rows;
    const size_t items = (size_t)v->items;
    int64_t *price = rn_calloc(rows, sizeof *price);
    int64_t *kept = rn_calloc(rows, sizeof *kept);
    int64_t *value_of = rn_calloc(items, sizeof *value_of);
    int32_t *own = rn_calloc(items, sizeof *own);
    ration_status status = RATION_OK;
    if (price == NULL || kept == NULL || value_of == NULL || own == NULL) {
        status = rn_fail_memory(error, "the plan", rows * sizeof *price + items * sizeof *own);
    } else {
        rn_bound numbered = {0};
        if (bound != NULL) {
            assert(bound->all_rows == v->all_rows && bound->groups == v->groups);
            numbered = *bound;
            assert(bound->items == v->items);
            numbered.price = price;
            numbered.kept = kept;
            numbered.value_of = value_of;
            rn_twin_rows_back(twin, bound->kept, kept);
            rn_twin_items_back(twin, bound->value_of, value_of);
            rn_twin_rows_back(twin, bound->price, price);
        }
        if (pick != NULL) {
            rn_twin_picks_back(twin, pick, own);
        }
        status = rn_result_create(program, pick != NULL ? own : NULL,
                                  bound != NULL ? &numbered : NULL, facts, result, error);
    }
    rn_free(price);
    rn_free(kept);
    rn_free(value_of);
    rn_free(own);
    return status;
}
