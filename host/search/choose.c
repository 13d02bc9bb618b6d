#include "search/choose.h"

#include <assert.h>
#include <stdio.h>

#include "core/fail.h"

/* The backend of a kind, or NULL when this build lacks it. */
static const rn_backend *built(ration_backend_kind kind)
{
    switch (kind) {
    case RATION_BACKEND_OPENMP:
        return rn_backend_openmp();
    case RATION_BACKEND_CHECKED:
        return rn_backend_checked();
#if RATION_WITH_CUDA
    case RATION_BACKEND_CUDA:
        return rn_backend_cuda();
#endif
    default:
        return NULL;
    }
}

static const char *kind_name(ration_backend_kind kind)
{
    return kind == RATION_BACKEND_CUDA      ? "cuda"
           : kind == RATION_BACKEND_CHECKED ? "checked"
                                            : "openmp";
}

static ration_status need(ration_backend_kind kind, int32_t device, const rn_backend **backend,
                          ration_error *error)
{
    const rn_backend *found = built(kind);
    if (found == NULL) {
        return rn_fail(error, RATION_E_ABSENT, "backend %s: this build was made without it",
                       kind_name(kind));
    }
    RN_TRY(found->probe(device, error));
    *backend = found;
    return RATION_OK;
}

static void say_fallback(const ration_run *run, const char *why)
{
    if (run->notice != NULL) {
        char text[RATION_ERROR_TEXT_MAX + 64];
        snprintf(text, sizeof text, "running on the CPU (OpenMP): %s", why);
        run->notice(run->context, text);
    }
}

ration_status rn_choose_backend(const ration_run *run, rn_choice *choice, ration_error *error)
{
    rn_choice chosen = {NULL, NULL};
    if (run->backend == RATION_BACKEND_AUTO) {
        ration_error why = {RATION_OK, ""};
        if (need(RATION_BACKEND_CUDA, run->device, &chosen.backend, &why) != RATION_OK) {
            say_fallback(run, why.text);
            RN_TRY(need(RATION_BACKEND_OPENMP, 0, &chosen.backend, error));
        }
    } else {
        RN_TRY(need(run->backend, run->device, &chosen.backend, error));
    }
    if (run->backend == RATION_BACKEND_CHECKED) {
        const ration_backend_kind kind = run->checked_backend == RATION_BACKEND_CUDA
                                             ? RATION_BACKEND_CUDA
                                             : RATION_BACKEND_OPENMP;
        RN_TRY(need(kind, run->device, &chosen.inner, error));
    }
    assert(chosen.backend != NULL);
    assert((run->backend == RATION_BACKEND_CHECKED) == (chosen.inner != NULL));
    *choice = chosen;
    return RATION_OK;
}
