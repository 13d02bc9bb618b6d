/* Vector bin packing as a program: bins are places of one class, a bin's use is a fixed charge. */
#include "vbp.h"

#include <inttypes.h>
#include <stdio.h>

#include "packing.h"
#include "ration/tokens.h"

/* One bin: a place, its loads as roles 0 .. d-1, its gauge (as role d, if it has a row of its own),
 * and the feed from that into `bins`. */
static ration_status add_bin(const rn_packing *p, rn_gauge gauge, int64_t bin,
                             ration_program *program, ration_error *error)
{
    static const ration_piece in_use[2] = {{0, 0, 0}, {1, 1, 0}};
    char name[64];
    int32_t place = 0;
    int32_t row = 0;
    int32_t source = 0;
    RATION_TRY(ration_program_add_place(program, NULL, 0, &place, error));
    for (int64_t k = 0; k < p->dimensions; k++) {
        snprintf(name, sizeof name, "load:%" PRId64 ":%" PRId64, bin + 1, k + 1);
        RATION_TRY(ration_program_add_row(program, name, RATION_DIMENSION_OTHER, 0, RATION_LOW_FREE,
                                          p->capacity[k], &row, error));
        RATION_TRY(ration_program_set_role(program, place, (int32_t)k, 1, &row, error));
        source = k == gauge.dimension ? row : source;
    }
    if (!gauge.direct) {
        snprintf(name, sizeof name, "fill:%" PRId64, bin + 1);
        RATION_TRY(ration_program_add_row(program, name, RATION_DIMENSION_OTHER, 0, RATION_LOW_FREE,
                                          gauge.high, &source, error));
        RATION_TRY(
            ration_program_set_role(program, place, (int32_t)p->dimensions, 1, &source, error));
    }
    return ration_program_add_feed(program, source, 0, 2, in_use, error); /* row 0 is `bins` */
}

static ration_status add_item(const rn_packing *p, rn_gauge gauge, int64_t i,
                              ration_program *program, ration_error *error)
{
    ration_use use[RN_VBP_DIMENSIONS + 1];
    int32_t uses = 0;
    int32_t item = 0;
    const int64_t *size = p->size + i * p->dimensions;
    for (int64_t k = 0; k < p->dimensions; k++) {
        if (size[k] != 0) {
            use[uses++] = (ration_use){(int32_t)k, size[k]};
        }
    }
    if (!gauge.direct) {
        const int64_t amount = gauge.factor * size[gauge.dimension] + gauge.add;
        use[uses++] = (ration_use){(int32_t)p->dimensions, amount};
    }
    const ration_entry entry = {RATION_NONE, 0, RATION_DIMENSION_OTHER, 0, uses, use};
    RATION_TRY(ration_program_add_item(program, NULL, &item, error));
    return ration_program_add_entry(program, item, &entry, error);
}

static ration_status fill(const rn_packing *p, int64_t bins, ration_program *program,
                          ration_error *error)
{
    static const ration_piece one_each = {0, 0, 1};
    const rn_gauge gauge = rn_packing_gauge(p);
    int32_t row = 0;
    RATION_TRY(ration_program_add_row(program, "bins", RATION_DIMENSION_OTHER, 0, RATION_LOW_FREE,
                                      RATION_HIGH_FREE, &row, error));
    RATION_TRY(ration_program_set_row_cost(program, row, 1, &one_each, error));
    for (int64_t bin = 0; bin < bins; bin++) {
        RATION_TRY(add_bin(p, gauge, bin, program, error));
    }
    for (int64_t i = 0; i < p->items; i++) {
        RATION_TRY(add_item(p, gauge, i, program, error));
    }
    return RATION_OK;
}

static ration_status read_text(ration_tokens *tokens, int32_t wanted, void *problem,
                               ration_error *error)
{
    return rn_packing_read(tokens, wanted, problem, error);
}

static ration_status fill_program(const void *problem, ration_sense sense, ration_program *program,
                                  ration_error *error)
{
    int64_t bins = 0;
    (void)sense; /* ration_vbp_read lets one through */
    RATION_TRY(rn_packing_bins(problem, &bins, error));
    return fill(problem, bins, program, error);
}

ration_status ration_vbp_read(const ration_instance *request, ration_program **program,
                              ration_error *error)
{
    static const ration_instance_format format = {
        .sense = RATION_MINIMISE, .several = true, .read = read_text, .fill = fill_program};
    rn_packing p = {0, 0, NULL, NULL};
    if (request->sense_given && request->sense != RATION_MINIMISE) {
        return ration_error_set(error, RATION_E_INPUT,
                                "%s: the number of bins can only be minimised", request->path);
    }
    const ration_status status = ration_instance_read(request, &format, &p, program, error);
    rn_packing_free(&p);
    return status;
}
