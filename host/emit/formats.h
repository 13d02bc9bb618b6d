/* The two texts that a linear model is written as. */
#ifndef RN_FORMATS_H
#define RN_FORMATS_H

#include "base/file.h"
#include "emit/milp.h"
#include "ration/export.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RN_FORMATS_CHECK = 4096,   /* columns or lines between two looks for a full disk */
    RN_FORMATS_FLOWS = 2000000 /* y; a QAP of 44 facilities has fewer, one of 45 more */
};

/* Writes the model in a format and counts what it has. size: out. Errors of rn_milp_column_at. */
ration_status rn_mps_write(rn_milp *milp, rn_sink *sink, ration_export_size *size,
                           ration_error *error);
ration_status rn_lp_write(rn_milp *milp, rn_sink *sink, ration_export_size *size,
                          ration_error *error);

/* As ration_program_export, with a limit of the y that traffic may have (see milp.h). */
ration_status rn_formats_export(const ration_program *program, ration_export_format format,
                                const char *path, int64_t flows, ration_export_size *size,
                                ration_error *error);

/* What the file is and what its objective means, each line behind `comment`. */
void rn_formats_head(const rn_milp *milp, const char *comment, rn_sink *sink);

#ifdef __cplusplus
}
#endif

#endif
