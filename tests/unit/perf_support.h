// Cases for the tests of the performance model: catalog entries put together.
#ifndef PERF_SUPPORT_H
#define PERF_SUPPORT_H

#include <cstdio>
#include <memory>
#include <string>

#include "catalog/catalog.h"
#include "perf/power.h"

namespace perf_support {

struct Free {
    void operator()(ration_catalog *catalog) const
    {
        ration_catalog_free(catalog);
    }
};

// The embedded catalog, opened once; nullptr (and the reason on stderr) when it doesn't open.
inline const ration_catalog *catalog()
{
    static const std::unique_ptr<ration_catalog, Free> one = [] {
        ration_catalog *opened = nullptr;
        ration_error error = {};
        if (ration_catalog_open(&opened, &error) != RATION_OK) {
            std::fprintf(stderr, "%s\n", error.text);
        }
        return std::unique_ptr<ration_catalog, Free>(opened);
    }();
    return one.get();
}

inline rn_perf_shape shape(const char *name)
{
    const ration_model *model = nullptr;
    return ration_catalog_model(catalog(), name, &model, nullptr) == RATION_OK ? model->shape
                                                                               : rn_perf_shape{};
}

inline rn_perf_gpu gpu(const char *name)
{
    const ration_gpu *found = nullptr;
    return ration_catalog_gpu(catalog(), name, &found, nullptr) == RATION_OK ? found->perf
                                                                             : rn_perf_gpu{};
}

inline rn_perf_engine engine(const char *name)
{
    const ration_engine *found = nullptr;
    return ration_catalog_engine(catalog(), name, &found, nullptr) == RATION_OK ? found->perf
                                                                                : rn_perf_engine{};
}

// tp GPUs of one node, one stage, fused attention, 16-bit keys.
inline rn_perf_case of(const char *model, const char *card, rn_perf_weights weights, int32_t tp = 1,
                       const char *with = "vllm")
{
    rn_perf_case c;
    c.shape = shape(model);
    c.gpu = gpu(card);
    c.engine = engine(with);
    c.fit = rn_perf_fit_default();
    c.config = rn_perf_config_default(weights);
    c.config.tp = tp;
    c.config.tp_link = rn_perf_link_in_node(&c.gpu, tp);
    c.config.memory_fraction = c.engine.memory_fraction;
    return c;
}

} // namespace perf_support

#endif
