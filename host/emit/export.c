/* Writing a program for other solvers. */
#include "ration/export.h"

#include "base/file.h"
#include "core/fail.h"
#include "emit/formats.h"
#include "emit/milp.h"
#include "ration/version.h"

void rn_formats_head(const rn_milp *milp, const char *comment, rn_sink *sink)
{
    ration_sense sense;
    int64_t constant = 0;
    int32_t scale = 0;
    char digest[RATION_DIGEST_TEXT];
    ration_program_objective(milp->program, &sense, &constant, &scale);
    ration_program_digest(milp->program, digest);
    rn_sink_text(sink, comment);
    rn_sink_text(sink, "ration ");
    rn_sink_text(sink, ration_version());
    rn_sink_text(sink, ", program ");
    rn_sink_text(sink, digest);
    rn_sink_text(sink, "\n");
    rn_sink_text(sink, comment);
    rn_sink_text(sink, "The objective is the plan's cost as reported, times 10^");
    rn_sink_integer(sink, scale);
    rn_sink_text(sink, ".\n");
}

typedef struct job {
    rn_milp *milp;
    ration_export_format format;
    ration_export_size *size;
} job;

static ration_status fill(void *context, rn_sink *sink, ration_error *error)
{
    const job *work = context;
    ration_export_size size = {0, 0, 0, 0, 0};
    RN_TRY(work->format == RATION_EXPORT_MPS ? rn_mps_write(work->milp, sink, &size, error)
                                             : rn_lp_write(work->milp, sink, &size, error));
    size.bytes = rn_sink_bytes(sink);
    *work->size = size;
    return RATION_OK;
}

ration_status rn_formats_export(const ration_program *program, ration_export_format format,
                                const char *path, int64_t flows, ration_export_size *size,
                                ration_error *error)
{
    if (!program->frozen) {
        return rn_fail(error, RATION_E_STATE, "only a frozen program can be exported");
    }
    ration_export_size made = {0, 0, 0, 0, 0};
    job work = {.format = format, .size = &made};
    RN_TRY(rn_milp_make(program, flows, &work.milp, error));
    const ration_status status = rn_file_fill(path, fill, &work, error);
    rn_milp_free(work.milp);
    RN_TRY(status);
    if (size != NULL) {
        *size = made;
    }
    return RATION_OK;
}

ration_status ration_program_export(const ration_program *program, ration_export_format format,
                                    const char *path, ration_export_size *size, ration_error *error)
{
    return rn_formats_export(program, format, path, RN_FORMATS_FLOWS, size, error);
}
