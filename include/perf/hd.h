/* What every file of the performance model shares: the compiler switch, the
 * reasons why a number does not apply, the origin of a number, and a norm.
 *
 * The model is floating point, device neutral (C11 and C++17, host and device),
 * allocates nothing and uses <math.h> only. It is compiled without contraction
 * (-ffp-contract=off, -fmad=false), so that host and device agree to 1e-9. It
 * prices options and draws reports; nothing here decides inside the search.
 *
 * Units: bytes, FLOP, seconds, watts, tokens; rates per second; links one way;
 * GB is 1e9 bytes and GiB is 2^30.
 */
#ifndef RN_PERF_HD_H
#define RN_PERF_HD_H

#include <math.h>
#include <stdint.h>

#if defined(__CUDACC__)
#define RN_PERF static __host__ __device__ __forceinline__
#else
#define RN_PERF static inline
#endif

/* Why a configuration has no number. 0 is a number; anything else means `does not apply`: every
 * figure of the result is 0 then, never a NaN, and a front-end counts the option as dropped for
 * this reason. */
typedef enum rn_perf_status {
    RN_PERF_OK = 0,
    RN_PERF_SHAPE = 1, /* the model's shape is not one that the formulas know */
    RN_PERF_GPU = 2,   /* a GPU figure is missing or not positive */
    RN_PERF_TP = 3, /* tensor parallel size divides neither heads, key-value heads nor MLP width */
    RN_PERF_PP = 4, /* more pipeline stages than layers, or fewer sequences than stages */
    RN_PERF_WEIGHTS = 5,   /* the GPU cannot compute with this weight precision */
    RN_PERF_KV = 6,        /* the GPU cannot keep the KV cache in this precision */
    RN_PERF_LENGTH = 7,    /* a length, batch or rate is out of range */
    RN_PERF_LINK = 8,      /* a link is needed and has no bandwidth */
    RN_PERF_MEMORY = 9,    /* weights and working memory leave no room for one sequence */
    RN_PERF_OVERLOAD = 10, /* the rate is above what the configuration can sustain */
    RN_PERF_STATUSES = 11
} rn_perf_status;

/* Where a number comes from. */
typedef enum rn_perf_origin {
    RN_PERF_FROM_NOTHING = 0,
    RN_PERF_FROM_SHAPE = 1,   /* counted from the architecture: exact up to norms and biases */
    RN_PERF_FROM_FIT = 2,     /* formula inside the range that its constants were fitted on */
    /* the same formula outside that range: PCIe, pipeline, other GPU families, several nodes */
    RN_PERF_FROM_OUTSIDE = 3,
    /* formula with constants that no measurement backs: unfused attention, 8-bit integer compute */
    RN_PERF_FROM_ASSUMED = 4,
    RN_PERF_FROM_QUEUE = 5    /* queueing approximation on top of the formula */
} rn_perf_origin;

/* The weaker of two origins: a number is as good as its worst part. */
RN_PERF rn_perf_origin rn_perf_weaker(rn_perf_origin a, rn_perf_origin b)
{
    return a > b ? a : b;
}

/* (a^3 + b^3)^(1/3), a, b >= 0: the smooth maximum by which compute and memory time of one operator
 * overlap. */
RN_PERF double rn_perf_norm3(double a, double b)
{
    return cbrt(a * a * a + b * b * b);
}

/* True for a finite number above 0. */
RN_PERF int rn_perf_positive(double x)
{
    return x > 0.0 && x < 1e300;
}

/* One clause in English for a status, for `dropped` in a plan. */
static inline const char *rn_perf_status_text(rn_perf_status status)
{
    switch (status) {
    case RN_PERF_OK: return "applies";
    case RN_PERF_SHAPE: return "the model's architecture is not covered by the formulas";
    case RN_PERF_GPU: return "a figure of the GPU is missing";
    case RN_PERF_TP: return "tensor parallelism does not divide the model";
    case RN_PERF_PP: return "too many pipeline stages";
    case RN_PERF_WEIGHTS: return "the GPU cannot compute with this weight precision";
    case RN_PERF_KV: return "the GPU cannot keep the KV cache in this precision";
    case RN_PERF_LENGTH: return "a length, batch or rate is out of range";
    case RN_PERF_LINK: return "a link that is needed has no bandwidth";
    case RN_PERF_MEMORY: return "the model does not fit in GPU memory";
    case RN_PERF_OVERLOAD: return "the rate is above the capacity";
    default: return "unknown";
    }
}

/* One word for an origin, as written in plan.json. */
static inline const char *rn_perf_origin_text(rn_perf_origin origin)
{
    switch (origin) {
    case RN_PERF_FROM_SHAPE: return "shape";
    case RN_PERF_FROM_FIT: return "formula:fitted";
    case RN_PERF_FROM_OUTSIDE: return "formula:outside-fit";
    case RN_PERF_FROM_ASSUMED: return "formula:assumed";
    case RN_PERF_FROM_QUEUE: return "formula:queue";
    default: return "none";
    }
}
#endif
