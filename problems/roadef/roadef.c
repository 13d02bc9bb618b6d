/* Machine reassignment (ROADEF/EURO challenge 2012): a model, its start assignment, the program. */
#include "roadef.h"

#include "encode.h"

/* The model, and where its start is. */
typedef struct roadef_source {
    const char *start;
    rn_roadef model;
} roadef_source;

static ration_status read_text(ration_tokens *tokens, int32_t wanted, void *problem,
                               ration_error *error)
{
    roadef_source *source = problem;
    (void)wanted; /* there is one */
    RATION_TRY(rn_roadef_read_model(tokens, &source->model, error));
    return rn_roadef_read_start(source->start, &source->model, error);
}

static ration_status fill_program(const void *problem, ration_sense sense, ration_program *program,
                                  ration_error *error)
{
    const roadef_source *source = problem;
    (void)sense; /* ration_roadef_read lets one through */
    return rn_roadef_encode(&source->model, program, error);
}

ration_status ration_roadef_read(const ration_instance *request, ration_program **program,
                                 ration_error *error)
{
    static const ration_instance_format format = {
        .sense = RATION_MINIMISE, .read = read_text, .fill = fill_program, .from_zero = true};
    roadef_source source = {.start = request->start};
    if (request->start == NULL) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%s: a reassignment starts from an assignment, which --start FILE "
                                "must name",
                                request->path);
    }
    if (request->sense_given && request->sense != RATION_MINIMISE) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%s: the cost of a reassignment can only be minimised",
                                request->path);
    }
    const ration_status status = ration_instance_read(request, &format, &source, program, error);
    rn_roadef_free(&source.model);
    return status;
}
