// Runs of the search on any backend: a run starts on OpenMP, so that all runs start from the same
// states, and is then moved.
#ifndef RATION_TESTS_BACKEND_CASE_H
#define RATION_TESTS_BACKEND_CASE_H

#include "backend/cuda.h"
#include "core/fail.h"
#include "support/search_run.h"

#ifdef SHIM_CUDA_RUNTIME_H
constexpr bool REAL_DEVICE = false;
#else
// The device of the machine: the order of its lanes is its own, and it counts no live blocks.
constexpr bool REAL_DEVICE = true;

inline void shim_seed(uint64_t)
{
}

inline int64_t shim_live()
{
    return 0;
}
#endif

namespace ration_test
{

inline rn_backend_load load_of(const rn_search *search, const rn_backend *inner = nullptr)
{
    rn_backend_load load = {};
    load.tables = search->tables;
    load.chains = search->key.chains;
    load.threads = 1;
    load.inner = inner;
    return load;
}

// Gives the states of a search to another backend's run; the run becomes the search's.
inline void move_to(SearchRun &run, const rn_backend *backend, rn_backend_run *chains)
{
    rn_search *s = run.search;
    ration_error error;
    ASSERT_EQ(rn_search_load(s, &error), RATION_OK) << error.text;
    const std::vector<char> state = run.state();
    ASSERT_EQ(backend->write(chains, 0, s->key.chains, state.data(), &error), RATION_OK)
        << error.text;
    s->backend->free(s->chains);
    s->backend = backend;
    s->chains = chains;
}

// Moves a search to the CUDA backend with a shape.
inline void move_to_cuda(SearchRun &run, int32_t threads, int32_t residence)
{
    const rn_cuda_shape shape = {threads, residence};
    const rn_backend_load load = load_of(run.search);
    rn_backend_run *chains = nullptr;
    ration_error error;
    ASSERT_EQ(rn_cuda_create(&load, &shape, &chains, &error), RATION_OK) << error.text;
    move_to(run, rn_backend_cuda(), chains);
}

} // namespace ration_test

#endif
