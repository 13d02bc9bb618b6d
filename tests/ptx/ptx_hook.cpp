/* PTX_FILE=kernels.ptx sends every launch of the CUDA stand-in to the interpreter.
 * A kernel is found by its mangled name, the same for g++ and nvcc, so a program
 * exports its symbols (-rdynamic). */
#include "cuda_runtime.h"
#include "ptx.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <stdexcept>

/* Reads PTX_FILE, a list separated by ':', once; false if one cannot be read. */
static bool load_all(void)
{
    std::string files = getenv("PTX_FILE");
    for (size_t at = 0; at <= files.size();) {
        const size_t end = files.find(':', at);
        const std::string file = files.substr(at, end == std::string::npos ? end : end - at);
        try {
            if (!ptx_load(file.c_str())) {
                fprintf(stderr, "ptx: %s cannot be read\n", file.c_str());
                return false;
            }
        } catch (std::exception &e) {
            fprintf(stderr, "%s (in %s)\n", e.what(), file.c_str());
            return false;
        }
        at = end == std::string::npos ? files.size() + 1 : end + 1;
    }
    return true;
}

static int engine(const void *kernel, const cudaLaunchConfig_t *config, void **arguments)
{
    static const bool loaded = load_all();
    if (!loaded) {
        return 3;
    }
    Dl_info info;
    if (!dladdr(kernel, &info) || !info.dli_sname) {
        fprintf(stderr, "ptx: a kernel without a symbol; link with -rdynamic\n");
        return 1;
    }
    const dim3 g = config->gridDim, b = config->blockDim;
    const unsigned grid[3] = {g.x, g.y, g.z}, block[3] = {b.x, b.y, b.z};
    const int status = ptx_launch(info.dli_sname, grid, block, config->dynamicSmemBytes, arguments);
    if (status == 1) {
        fprintf(stderr, "ptx: %s is not in PTX_FILE\n", info.dli_sname);
    }
    return status;
}

/* Installs the engine before main. */
__attribute__((constructor)) static void install(void)
{
    const char *files = getenv("PTX_FILE");
    if (files && *files) {
        shim_engine = engine;
    }
}
