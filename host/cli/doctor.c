/* `ration doctor`: what this machine offers, and what is missing. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "ration/document.h"
#include "ration/machine.h"
#include "ration/version.h"

enum { DOCTOR_PATH_MAX = 4096 };

static const char *const solver_names[] = {"highs", "scip", "cbc"};
enum { SOLVERS = (int32_t)(sizeof solver_names / sizeof solver_names[0]) };

static void print_machine(const ration_machine *machine)
{
    char path[DOCTOR_PATH_MAX];
    printf("ration %s\n", ration_version());
    printf("threads   %d processors; a run uses %d threads%s\n", machine->processors,
           machine->threads, machine->openmp ? "" : " (built without OpenMP)");
    printf("cuda      %s\n", machine->cuda_text);
    for (int32_t i = 0; i < machine->devices && i < RATION_MACHINE_DEVICES; i++) {
        printf("          %d: %s, sm_%d, %.1f GiB\n", i, machine->device[i].name,
               machine->device[i].capability,
               (double)machine->device[i].memory_bytes / (1024.0 * 1024.0 * 1024.0));
    }
    printf("nccl      %s\n", machine->nccl_text);
    printf("mpi       %s\n", machine->mpi_text);
    for (int32_t i = 0; i < SOLVERS; i++) {
        printf("%-9s %s\n", solver_names[i],
               cli_find_program(solver_names[i], path, sizeof path) ? path : "not found on PATH");
    }
    if (machine->devices == 0) {
        printf("\nPlans are searched on the processors here; results are the same bits as on a "
               "GPU.\n");
    }
}

static void write_machine(const ration_machine *machine, ration_writer *writer)
{
    char path[DOCTOR_PATH_MAX];
    ration_writer_open_map(writer, NULL);
    ration_writer_text(writer, "version", ration_version());
    ration_writer_integer(writer, "processors", machine->processors);
    ration_writer_integer(writer, "threads", machine->threads);
    ration_writer_bool(writer, "openmp", machine->openmp);
    ration_writer_bool(writer, "cuda_built", machine->cuda_built);
    ration_writer_text(writer, "cuda", machine->cuda_text);
    ration_writer_open_list(writer, "devices");
    for (int32_t i = 0; i < machine->devices && i < RATION_MACHINE_DEVICES; i++) {
        ration_writer_open_map(writer, NULL);
        ration_writer_text(writer, "name", machine->device[i].name);
        ration_writer_integer(writer, "compute_capability", machine->device[i].capability);
        ration_writer_integer(writer, "memory_bytes", machine->device[i].memory_bytes);
        ration_writer_close(writer);
    }
    ration_writer_close(writer);
    ration_writer_bool(writer, "nccl_found", machine->nccl);
    ration_writer_text(writer, "nccl", machine->nccl_text);
    ration_writer_bool(writer, "mpi_found", machine->mpi);
    ration_writer_text(writer, "mpi", machine->mpi_text);
    ration_writer_open_map(writer, "solvers");
    for (int32_t i = 0; i < SOLVERS; i++) {
        ration_writer_text(writer, solver_names[i],
                           cli_find_program(solver_names[i], path, sizeof path) ? path : NULL);
    }
    ration_writer_close(writer);
    ration_writer_close(writer);
}

int cli_doctor(const cli_options *options)
{
    ration_machine machine;
    ration_error error = {RATION_OK, ""};
    ration_writer *writer = NULL;
    const char *text = NULL;
    size_t bytes = 0;
    ration_machine_probe(&machine);
    assert(machine.processors >= 1 && machine.threads >= 1);
    if (options->json == NULL) {
        print_machine(&machine);
        return CLI_DONE;
    }
    ration_status status = ration_writer_create(&writer, &error);
    if (status == RATION_OK) {
        write_machine(&machine, writer);
        status = ration_writer_finish(writer, &text, &bytes, &error);
    }
    if (status == RATION_OK) {
        status = ration_file_write(options->json, text, bytes, &error);
    }
    ration_writer_free(writer);
    return status == RATION_OK ? CLI_DONE : cli_fail(&error);
}
