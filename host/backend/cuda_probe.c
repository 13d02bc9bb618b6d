/* Whether CUDA can be used here, and in words why not.
 *
 * The runtime says 35 both where there is no driver and where it is too old, so libcuda.so.1 itself
 * is asked by dlopen.
 */
#include "backend/cuda_probe.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>

#include "backend/cuda.h"
#include "core/fail.h"

/* CUDA version of the installed driver, 1000 * major + 10 * minor; 0: there is none. */
static int32_t driver_version(void)
{
    union {
        void *symbol;
        int (*call)(int *);
    } get;
    int version = 0;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        return 0;
    }
    get.symbol = dlsym(library, "cuDriverGetVersion");
    if (get.symbol == NULL || get.call(&version) != 0) {
        version = 0;
    }
    (void)dlclose(library);
    return version;
}

/* Why the runtime counts no devices. */
static ration_status explain(cudaError_t status, ration_error *error)
{
    if (status == cudaErrorNoDevice) {
        return rn_fail(
            error, RATION_E_ABSENT,
            "the NVIDIA driver is there but shows no device (is CUDA_VISIBLE_DEVICES set?)");
    }
    if (status != cudaErrorInsufficientDriver) {
        return rn_fail(error, RATION_E_ABSENT, "CUDA can't be used: %s",
                       cudaGetErrorString(status));
    }
    const int32_t version = driver_version();
    if (version == 0) {
        return rn_fail(error, RATION_E_ABSENT,
                       "no NVIDIA driver is installed (libcuda.so.1 was not found)");
    }
    return rn_fail(error, RATION_E_ABSENT,
                   "the NVIDIA driver supports CUDA %d.%d, this program was built for CUDA %d.%d",
                   version / 1000, version % 1000 / 10, CUDART_VERSION / 1000,
                   CUDART_VERSION % 1000 / 10);
}

ration_status rn_cuda_probe(int32_t device, ration_error *error)
{
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) {
        (void)cudaGetLastError();
        return explain(status, error);
    }
    if (count == 0) {
        return explain(cudaErrorNoDevice, error);
    }
    if (device < 0 || device >= count) {
        return rn_fail(error, RATION_E_ABSENT,
                       "CUDA device %d was asked for, this machine has devices 0 to %d",
                       (int)device, count - 1);
    }
    return RATION_OK;
}

static void describe(int32_t device, ration_device *description)
{
    struct cudaDeviceProp prop;
    *description = (ration_device){{0}, 0, 0};
    if (cudaGetDeviceProperties(&prop, device) != cudaSuccess) {
        (void)cudaGetLastError();
        return;
    }
    snprintf(description->name, sizeof description->name, "%.*s", (int)sizeof description->name - 1,
             prop.name);
    description->capability = prop.major * 10 + prop.minor;
    description->memory_bytes = (int64_t)prop.totalGlobalMem;
}

void rn_cuda_machine(ration_machine *machine)
{
    ration_error error = {RATION_OK, ""};
    int count = 0;
    machine->cuda_built = true;
    if (rn_cuda_probe(0, &error) != RATION_OK) {
        snprintf(machine->cuda_text, sizeof machine->cuda_text, "%.*s", RATION_MACHINE_TEXT - 1,
                 error.text);
        return;
    }
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        (void)cudaGetLastError();
        count = 0;
    }
    machine->devices = count;
    for (int32_t d = 0; d < count && d < RATION_MACHINE_DEVICES; d++) {
        describe(d, &machine->device[d]);
    }
    snprintf(machine->cuda_text, sizeof machine->cuda_text, "%d device%s, built for CUDA %d.%d",
             count, count == 1 ? "" : "s", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
}
