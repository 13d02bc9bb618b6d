/* The lists of fitted and fixed numbers, and the writer of perf/fitted.h.
 *
 * Priors are round numbers that an engineer would guess, the same for every
 * engine, so that leaving data out leaves it out of the prior too.
 */
#include "numbers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Field lists are written once and used for reading, fitting and writing: hence macros. */
#define FIT(member, prior, spread)                                                                 \
    {                                                                                              \
#member, offsetof(rn_perf_fit, member), prior, spread                                      \
    }
#define ENGINE(kind, member, prior, spread)                                                        \
    {                                                                                              \
#member, offsetof(rn_fid_serving, engine[kind].member), prior, spread                      \
    }
#define ENGINE_NUMBERS(kind)                                                                       \
    ENGINE(kind, layer_s, 50e-6, 0.10), ENGINE(kind, moe_layer_s, 40e-6, 0.10),                    \
        ENGINE(kind, blackwell, 0.8, 0.06), ENGINE(kind, interference, 1.0, 0.06),                 \
        ENGINE(kind, request_s, 2e-3, 0.10), ENGINE(kind, prefill_layer_s, 500e-6, 0.10),          \
        ENGINE(kind, first_s, 50e-3, 0.20), ENGINE(kind, queue, 0.1, 0.20),                        \
        ENGINE(kind, lock_step, 0.1, 0.20), ENGINE(kind, memory_fraction, 0.9, 0.0)

/* rn_perf_fit comes first in rn_fid_serving, so that its offsets hold there too. */
static const rn_fid_number serving_numbers[] = {
    FIT(memory, 0.95, 0.0),
    FIT(memory_kv, 0.75, 0.0),
    FIT(memory_experts, 0.95, 0.06),
    FIT(memory_fp4, 0.8, 0.06),
    FIT(int4_experts, 0.5, 0.0),
    FIT(compute, 0.85, 0.0),
    FIT(compute_experts, 0.25, 0.10),
    FIT(compute_flash, 0.8, 0.0),
    FIT(compute_latent, 0.3, 0.10),
    FIT(compute_fp8, 0.65, 0.06),
    FIT(compute_fp4, 0.8, 0.06),
    FIT(elementwise, 15.0, 0.0),
    FIT(blackwell_memory, 0.9, 0.06),
    FIT(blackwell_compute, 0.75, 0.06),
    FIT(link_alpha_s, 6e-6, 0.10),
    FIT(link_efficiency, 0.6, 0.0),
    FIT(latent_layer_s, 8e-6, 0.0),
    FIT(sparse_layer_s, 100e-6, 0.14),
    FIT(step_s, 0.4e-3, 0.0),
    FIT(sequence_s, 4e-6, 0.0),
    FIT(step_wait, 1.5, 0.10),
    FIT(refill, 0.85, 0.0),
    FIT(unfused_compute, 0.6, 0.0),
    FIT(unfused_bytes, 11.0, 0.0),
    ENGINE_NUMBERS(RN_PERF_VLLM),
    ENGINE_NUMBERS(RN_PERF_SGLANG),
    ENGINE_NUMBERS(RN_PERF_TENSORRT_LLM),
};

#define BATCH(member, prior, spread)                                                               \
    {                                                                                              \
#member, offsetof(rn_perf_batch_fit, member), prior, spread                                \
    }

static const rn_fid_number batch_numbers[] = {
    BATCH(fit.memory, 0.9, 0.1),
    BATCH(fit.memory_kv, 0.8, 0.1),
    BATCH(fit.memory_experts, 0.7, 0.2),
    BATCH(fit.memory_fp4, 0.9, 0.1),
    BATCH(fit.int4_experts, 0.5, 0.0),
    BATCH(fit.compute, 0.6, 0.1),
    BATCH(fit.compute_experts, 0.4, 0.2),
    BATCH(fit.compute_flash, 0.5, 0.2),
    BATCH(fit.compute_latent, 0.3, 0.0),
    BATCH(fit.compute_fp8, 0.8, 0.1),
    BATCH(fit.compute_fp4, 0.6, 0.1),
    BATCH(fit.elementwise, 15.0, 0.0),
    BATCH(fit.blackwell_memory, 0.95, 0.1),
    BATCH(fit.blackwell_compute, 0.9, 0.1),
    BATCH(fit.link_alpha_s, 6e-6, 0.2),
    BATCH(fit.link_efficiency, 0.6, 0.1),
    BATCH(fit.latent_layer_s, 8e-6, 0.0),
    BATCH(fit.sparse_layer_s, 100e-6, 0.0),
    BATCH(fit.step_s, 1.5e-3, 0.3),
    BATCH(fit.sequence_s, 3e-6, 0.2),
    BATCH(fit.step_wait, 1.5, 0.0),
    BATCH(fit.refill, 0.85, 0.0),
    BATCH(fit.unfused_compute, 0.6, 0.0),
    BATCH(fit.unfused_bytes, 11.0, 0.0),
    BATCH(engine.layer_s, 100e-6, 0.2),
    BATCH(engine.moe_layer_s, 30e-6, 0.2),
    BATCH(engine.blackwell, 1.0, 0.0),
    BATCH(engine.interference, 0.8, 0.1),
    BATCH(engine.request_s, 0.6e-3, 0.2),
    BATCH(engine.prefill_layer_s, 500e-6, 0.0),
    BATCH(engine.first_s, 50e-3, 0.0),
    BATCH(engine.queue, 0.1, 0.0),
    BATCH(engine.lock_step, 0.1, 0.0),
    BATCH(engine.memory_fraction, 0.9, 0.0),
    BATCH(pcie_alpha_s, 20e-6, 0.3),
    BATCH(pcie_efficiency, 0.6, 0.2),
    BATCH(sequences, 3000.0, 0.3),
    BATCH(room, 0.65, 0.1),
    BATCH(kept_output, 0.75, 0.0),
    BATCH(version_020, 1.1, 0.1),
    BATCH(version_100, 1.2, 0.1),
    BATCH(static_layer_s, 50e-6, 0.3),
    BATCH(static_first_s, 5e-3, 0.3),
    BATCH(static_compute, 0.9, 0.2),
    BATCH(llamacpp_layer_s, 50e-6, 0.3),
    BATCH(llamacpp_compute, 0.5, 0.3),
};

#define POWER(member, prior, spread)                                                               \
    {                                                                                              \
#member, offsetof(rn_perf_power_fit, member), prior, spread                                \
    }

static const rn_fid_number power_numbers[] = {
    POWER(memory, 0.8, 0.3),  POWER(compute, 1.2, 0.3),   POWER(sequences, 0.03, 0.3),
    POWER(experts, 0.1, 0.3), POWER(blackwell, 0.1, 0.3), POWER(base, 0.25, 0.3),
    POWER(capped, 0.9, 0.3),  POWER(busy, 0.4, 0.3),
};

rn_fid_set rn_fid_power_set(void)
{
    const rn_fid_set set = {"power", power_numbers,
                            (int32_t)(sizeof power_numbers / sizeof power_numbers[0])};
    return set;
}

rn_fid_set rn_fid_batch_set(void)
{
    const rn_fid_set set = {"batch", batch_numbers,
                            (int32_t)(sizeof batch_numbers / sizeof batch_numbers[0])};
    return set;
}

rn_fid_serving rn_fid_serving_default(void)
{
    rn_fid_serving s;
    s.fit = rn_perf_fit_default();
    for (int32_t kind = 0; kind < RN_PERF_ENGINES; ++kind) {
        s.engine[kind] = rn_perf_engine_fitted((rn_perf_engine_kind)kind);
    }
    return s;
}

rn_fid_set rn_fid_serving_set(void)
{
    const rn_fid_set set = {"serving", serving_numbers,
                            (int32_t)(sizeof serving_numbers / sizeof serving_numbers[0])};
    return set;
}

int32_t rn_fid_set_fitted(const rn_fid_set *set)
{
    int32_t fitted = 0;
    for (int32_t i = 0; i < set->numbers; ++i) {
        fitted += set->number[i].spread > 0.0 ? 1 : 0;
    }
    return fitted;
}

void rn_fid_set_priors(const rn_fid_set *set, double *prior, double *spread)
{
    int32_t k = 0;
    for (int32_t i = 0; i < set->numbers; ++i) {
        if (set->number[i].spread > 0.0) {
            prior[k] = set->number[i].prior;
            spread[k] = set->number[i].spread;
            ++k;
        }
    }
}

/* Five significant digits, so that the written file gives the same numbers. */
static double rounded(double value)
{
    const double unit = pow(10.0, floor(log10(value)) - 4.0);
    return round(value / unit) * unit;
}

void rn_fid_set_store(const rn_fid_set *set, const double *value, bool raw, void *numbers)
{
    int32_t k = 0;
    for (int32_t i = 0; i < set->numbers; ++i) {
        double stored = set->number[i].prior;
        if (set->number[i].spread > 0.0) {
            stored = raw ? value[k] : rounded(value[k]);
            ++k;
        }
        memcpy((char *)numbers + set->number[i].at, &stored, sizeof stored);
    }
}

static void write_numbers(FILE *out, const rn_fid_number *number, int32_t count, const void *from,
                          const char *to)
{
    for (int32_t i = 0; i < count; ++i) {
        double value = 0.0;
        memcpy(&value, (const char *)from + number[i].at, sizeof value);
        fprintf(out, "    %s.%s = %.5g;%s\n", to, number[i].name, value,
                number[i].spread > 0.0 ? "" : " /* fixed */");
    }
}

static void write_serving(FILE *out, const rn_fid_serving *serving)
{
    static const char *const kinds[] = {"RN_PERF_VLLM", "RN_PERF_SGLANG"};
    const rn_fid_set set = rn_fid_serving_set();
    const int32_t shared = (int32_t)(sizeof(rn_perf_fit) / sizeof(double));
    const int32_t each = (set.numbers - shared) / RN_PERF_ENGINES;
    fprintf(out,
            "/* End-to-end runs: %d fitted numbers, here and in the engines. */\n"
            "RN_PERF rn_perf_fit rn_perf_fit_default(void)\n{\n    rn_perf_fit f;\n",
            rn_fid_set_fitted(&set));
    write_numbers(out, set.number, shared, serving, "f");
    fprintf(out, "    return f;\n}\n\n"
                 "RN_PERF rn_perf_engine rn_perf_engine_fitted(rn_perf_engine_kind kind)\n{\n"
                 "    rn_perf_engine e;\n");
    for (int32_t kind = 0; kind < RN_PERF_ENGINES; ++kind) {
        if (kind + 1 < RN_PERF_ENGINES) {
            fprintf(out, "    %s (kind == %s) {\n", kind == 0 ? "if" : "} else if", kinds[kind]);
        } else {
            fprintf(out, "    } else {\n");
        }
        write_numbers(out, set.number + shared + kind * each, each, serving, "    e");
    }
    fprintf(out, "    }\n    return e;\n}\n");
}

static void write_batch(FILE *out, const rn_perf_batch_fit *batch)
{
    const rn_fid_set set = rn_fid_batch_set();
    fprintf(out,
            "\n/* Saturated workers and static batches: %d fitted numbers. */\n"
            "RN_PERF rn_perf_batch_fit rn_perf_batch_fit_default(void)\n{\n"
            "    rn_perf_batch_fit b;\n",
            rn_fid_set_fitted(&set));
    write_numbers(out, set.number, set.numbers, batch, "b");
    fprintf(out, "    return b;\n}\n");
}

static void write_power(FILE *out, const rn_perf_power_fit *power)
{
    const rn_fid_set set = rn_fid_power_set();
    fprintf(out,
            "\n/* Power: %d fitted numbers. */\n"
            "RN_PERF rn_perf_power_fit rn_perf_power_fit_default(void)\n{\n"
            "    rn_perf_power_fit p;\n",
            rn_fid_set_fitted(&set));
    write_numbers(out, set.number, set.numbers, power, "p");
    fprintf(out, "    return p;\n}\n");
}

ration_status rn_fid_numbers_write(const char *path, const rn_fid_serving *serving,
                                   const rn_perf_batch_fit *batch, const rn_perf_power_fit *power,
                                   ration_error *error)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        return ration_error_set(error, RATION_E_IO, "%s: %s", path, strerror(errno));
    }
    fprintf(out, "/* Every fitted number, written by `build/bench/fidelity --fit`: change them by\n"
                 " * refitting. What each means: perf/numbers.h. Data, method and errors:\n"
                 " * docs/fidelity.md. None belongs to a model.\n"
                 " */\n"
                 "#ifndef RN_PERF_FITTED_H\n#define RN_PERF_FITTED_H\n\n"
                 "#include \"perf/numbers.h\"\n\n");
    write_serving(out, serving);
    write_batch(out, batch);
    write_power(out, power);
    fprintf(out, "\n#endif\n");
    const int broken = ferror(out);
    if (fclose(out) != 0 || broken != 0) {
        return ration_error_set(error, RATION_E_IO, "%s: %s", path, strerror(errno));
    }
    return RATION_OK;
}
