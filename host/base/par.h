/* Threads for base and the layers above it: the only file of host/base that knows OpenMP. One
 * thread without it. */
#ifndef RN_PAR_H
#define RN_PAR_H

#include <stdint.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Threads to use when wanted (0 = as many as the machine offers) are asked for; at least 1. */
static inline int32_t rn_par_threads(int32_t wanted)
{
#ifdef _OPENMP
    const int32_t offered = (int32_t)omp_get_max_threads();
#else
    const int32_t offered = 1;
#endif
    return wanted > 0 ? wanted : offered > 0 ? offered : 1;
}

/* One index of a loop; thread is 0 .. threads-1 and names scratch space that no other thread uses
 * now. */
typedef void rn_par_body(void *context, int64_t index, int32_t thread);

/* Calls body for every index 0 .. count-1, each once, in no promised order or thread: what is
 * computed must not depend on either. */
static inline void rn_par_for(int64_t count, int32_t threads, rn_par_body *body, void *context)
{
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) if (threads > 1)
    for (int64_t i = 0; i < count; i++) {
        body(context, i, (int32_t)omp_get_thread_num());
    }
#else
    (void)threads;
    for (int64_t i = 0; i < count; i++) {
        body(context, i, 0);
    }
#endif
}

#ifdef __cplusplus
}
#endif

#endif
