/* Throughput of a worker that always has enough to do, and of a batch that starts
 * together and runs to its end.
 *
 *   saturated  N  = room · (0.96 memory - weights - 1 GB) / KV of (I + kept · O) tokens
 *              B  = (N^-4 + admitted^-4)^(-1/4)
 *              tokens/s = version · B O / (O T_step(B) + ka B T_marg),  TPOT = B / (tokens/s)
 *              TTFT = 2 TPOT + T_marg: admitted at once (a guess, not fitted)
 *   static     TTFT  = t0 + pass of B prompts + host;  T = TTFT + (O - 1) T_step(B)
 *              tokens/s = B O / T
 *
 * Numbers: rn_perf_batch_fit_default, fitted to TensorRT-LLM's performance pages
 * 0.5 to 1.0.
 */
#ifndef RN_PERF_SATURATED_H
#define RN_PERF_SATURATED_H

#include "perf/time.h"

typedef struct rn_perf_batch {
    double ttft_s;
    double step_s; /* between two tokens of a sequence */
    double sequences;
    double output_tokens_per_s;
    rn_perf_status status;
} rn_perf_batch;

/* A case with the numbers of batches in place of those of a closed loop. */
RN_PERF rn_perf_case rn_perf_batch_case(const rn_perf_case *c, const rn_perf_batch_fit *n)
{
    rn_perf_case made = *c;
    rn_perf_link *link = &made.config.tp_link;
    made.fit = n->fit;
    made.engine = n->engine;
    link->alpha_s = link->tier == RN_PERF_NVLINK ? n->fit.link_alpha_s : n->pcie_alpha_s;
    link->efficiency = link->tier == RN_PERF_NVLINK ? n->fit.link_efficiency : n->pcie_efficiency;
    made.config.pp_link = *link;
    return made;
}

RN_PERF rn_perf_batch rn_perf_batch_none(rn_perf_status status)
{
    const rn_perf_batch b = {0.0, 0.0, 0.0, 0.0, status};
    return b;
}

/* Sequences at once, the scheduler's limit included. */
RN_PERF double rn_perf_batch_sequences(const rn_perf_case *c, const rn_perf_batch_fit *n,
                                       const rn_perf_load *l)
{
    const double weights = rn_perf_weights_per_rank(&c->shape, c->config.weights, c->config.tp,
                                                    c->config.pp, c->config.ranks);
    const double room = n->room * (0.96 * c->gpu.memory_bytes - weights - 1e9);
    const double each =
        rn_perf_kv_sequence(c, l->prompt_tokens + n->kept_output * l->output_tokens);
    const double fit = fmax(1.0, room / each) * c->config.ranks;
    return pow(pow(fit, -4.0) + pow(n->sequences, -4.0), -0.25);
}

/* version: factor on the rate. */
RN_PERF rn_perf_batch rn_perf_saturated(const rn_perf_case *given, const rn_perf_batch_fit *n,
                                        const rn_perf_load *l, double version)
{
    const rn_perf_case c = rn_perf_batch_case(given, n);
    rn_perf_status status = rn_perf_serving_check(&c, l, version > 0.0);
    if (status != RN_PERF_OK) {
        return rn_perf_batch_none(status);
    }
    rn_perf_batch b = rn_perf_batch_none(RN_PERF_OK);
    const rn_perf_speed v = rn_perf_speed_of(&c);
    const rn_perf_prefill p = rn_perf_prefill_of(&c, &v, l->prompt_tokens);
    b.sequences = rn_perf_batch_sequences(&c, n, l);
    b.output_tokens_per_s =
        version * l->output_tokens * rn_perf_rate_at(&c, &v, l, b.sequences, p.marginal_s);
    b.step_s = b.sequences / b.output_tokens_per_s;
    b.ttft_s = 2.0 * b.step_s + p.marginal_s;
    return b;
}

RN_PERF rn_perf_batch rn_perf_static(const rn_perf_case *given, const rn_perf_batch_fit *n,
                                     const rn_perf_load *l, double batch)
{
    rn_perf_case c = rn_perf_batch_case(given, n);
    c.engine.layer_s = n->static_layer_s;
    rn_perf_status status = rn_perf_serving_check(&c, l, batch >= 1.0 && batch <= 1e6);
    if (status != RN_PERF_OK) {
        return rn_perf_batch_none(status);
    }
    rn_perf_batch b = rn_perf_batch_none(RN_PERF_OK);
    const double tokens = batch * l->prompt_tokens;
    rn_perf_case wide = c;
    wide.fit.compute *= n->static_compute;
    wide.fit.compute_experts *= n->static_compute;
    wide.fit.compute_flash *= n->static_compute;
    rn_perf_speed v = rn_perf_speed_of(&wide);
    b.sequences = batch;
    b.ttft_s = n->static_first_s + rn_perf_matrices_of(&wide, &v, tokens, tokens).seconds +
               batch * rn_perf_prompt_attention_s(&wide, &v, l->prompt_tokens) +
               rn_perf_reduce_s(&wide, tokens, 1) + rn_perf_touch_s(&wide, &v, tokens) +
               rn_perf_head_s(&wide, &v, batch) + v.overhead_s;
    v = rn_perf_speed_of(&c);
    b.step_s = rn_perf_step_of(&c, &v, batch, l->prompt_tokens + 0.5 * l->output_tokens).seconds;
    b.output_tokens_per_s =
        batch * l->output_tokens / (b.ttft_s + (l->output_tokens - 1.0) * b.step_s);
    return b;
}

#endif
