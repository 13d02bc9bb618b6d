/* What the machine offers to a run. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "ration/machine.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/par.h"
#if RATION_WITH_CUDA
#include "backend/cuda_probe.h"
#endif

/* Processors that this process may use. */
static int32_t processors(void)
{
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
        return CPU_COUNT(&set);
    }
#endif
    const int64_t online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int32_t)online : 1;
}

static void probe_cuda(ration_machine *machine)
{
#if RATION_WITH_CUDA
    rn_cuda_machine(machine);
#else
    snprintf(machine->cuda_text, sizeof machine->cuda_text, "this build was made without CUDA");
#endif
}

/* Looks for NCCL as several devices would open it. */
static void probe_nccl(ration_machine *machine)
{
    union {
        void *symbol;
        int (*call)(int *);
    } get;
    int version = 0;
    void *library = RATION_WITH_NCCL ? dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        snprintf(machine->nccl_text, sizeof machine->nccl_text,
                 RATION_WITH_NCCL ? "libnccl.so.2 was not found"
                                  : "this build was made without NCCL");
        return;
    }
    get.symbol = dlsym(library, "ncclGetVersion");
    machine->nccl = get.symbol != NULL && get.call(&version) == 0;
    snprintf(machine->nccl_text, sizeof machine->nccl_text,
             machine->nccl ? "NCCL %d.%d.%d" : "libnccl.so.2 does not say its version",
             version / 10000, version % 10000 / 100, version % 100);
    (void)dlclose(library);
}

static void probe_mpi(ration_machine *machine)
{
    machine->mpi = RATION_WITH_MPI != 0;
    snprintf(machine->mpi_text, sizeof machine->mpi_text,
             machine->mpi ? "built with MPI" : "this build was made without MPI");
}

void ration_machine_probe(ration_machine *machine)
{
    ration_machine found;
    memset(&found, 0, sizeof found);
    found.processors = processors();
    found.threads = rn_par_threads(0);
    found.openmp = RATION_WITH_OPENMP != 0;
    probe_cuda(&found);
    probe_nccl(&found);
    probe_mpi(&found);
    *machine = found;
}
