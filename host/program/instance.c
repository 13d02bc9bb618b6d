/* What all text formats share: the file, its tokens, the program, and the name in messages. */
#include "ration/instance.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "core/fail.h"
#include "ration/document.h"

enum { FILE_BYTES_MAX = 1 << 29 }; /* far above the largest published instance */

static ration_status read_problem(const ration_instance *request,
                                  const ration_instance_format *format, void *problem,
                                  ration_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    ration_tokens tokens;
    RN_TRY(ration_text_read(request->path, FILE_BYTES_MAX, &text, &bytes, error));
    ration_status status = ration_tokens_begin(&tokens, request->path, text, bytes, error);
    if (status == RATION_OK) {
        status = format->read(&tokens, request->problem, problem, error);
    }
    free(text);
    return status;
}

static ration_status build(const ration_instance_format *format, const void *problem,
                           ration_sense sense, ration_program **program, ration_error *error)
{
    ration_program *made = NULL;
    RN_TRY(ration_program_create(format->from_zero ? 0 : 1, &made, error));
    ration_status status = format->fill(problem, sense, made, error);
    if (status == RATION_OK) {
        status = ration_program_freeze(made, error);
    }
    if (status != RATION_OK) {
        ration_program_free(made);
        return status;
    }
    *program = made;
    return RATION_OK;
}

ration_status ration_instance_read(const ration_instance *request,
                                   const ration_instance_format *format, void *problem,
                                   ration_program **program, ration_error *error)
{
    assert(request->path != NULL && format->read != NULL && format->fill != NULL);
    if (request->problem > 1 && !format->several) {
        return rn_fail(error, RATION_E_INPUT, "%s: holds one problem; problem %d is asked for",
                       request->path, (int)request->problem);
    }
    RN_TRY(read_problem(request, format, problem, error));
    const ration_sense sense = request->sense_given ? request->sense : format->sense;
    const ration_status status = build(format, problem, sense, program, error);
    if (status != RATION_OK && error != NULL) {
        ration_error_set(error, status, "%.200s: %s", request->path, error->text);
    }
    return status;
}
