/* The lists that a builder grows. */
#include <assert.h>

#include "base/alloc.h"
#include "core/fail.h"
#include "program/program.h"

int32_t rn_program_count(const ration_program *program, rn_thing kind)
{
    return (int32_t)program->names[kind].at.count;
}

ration_status rn_list_reserve(rn_list *list, int64_t more, size_t size, const char *name,
                              ration_error *error)
{
    assert(more >= 0);
    if (more > RN_COUNT_MAX - list->count) {
        return rn_fail(error, RATION_E_RANGE, "%s: more than %d elements", name, (int)RN_COUNT_MAX);
    }
    void *data = rn_grow(list->data, list->count + more, size, &list->capacity);
    if (data == NULL) {
        return rn_fail_memory(error, name, (size_t)(list->count + more) * size);
    }
    list->data = data;
    return RATION_OK;
}
