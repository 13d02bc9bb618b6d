/* Time of one pass of a replica through all layers: a decode step of a batch,
 * and the prefill of a prompt.
 *
 * Per matrix group: norm3(FLOP / (peak · fraction), bytes / (bandwidth · fraction)).
 * Then per layer: experts hit, KV cache read, two all-reduces, element-wise
 * traffic; per pass: output head, hand-overs between stages, host overhead.
 *
 *   experts hit  E (1 - (1 - k/E)^M)    M tokens, k of E experts each, independent draws
 *   flash        4 a d I · I/2 / (F16 ec_fa · I/(I + 1500)), causal
 *                latent attention: d = 160
 *   decode keys  (2 k d w) keys / shards, shards = min(tp, k)
 *                latent: (c + r) w, 1 shard, and 4 · 544 a keys FLOP
 *   unfused      prefill 4 a d I² / (0.6 F16 ec_fa) + 11 a I² / BW
 *                decode + 11 a keys / BW a sequence
 *
 * A GPU does 1/tp of each. With pp stages the batch runs as pp micro-batches: a
 * step is one micro-batch through all layers.
 */
#ifndef RN_PERF_PASS_H
#define RN_PERF_PASS_H

#include "perf/memory.h"

/* Constants of a checked case, gathered once. Rates are what is reached, per GPU. */
typedef struct rn_perf_speed {
    double dense_flops;     /* of MLP matrices */
    double attention_flops; /* of attention matrices */
    double head_flops;
    double expert_flops;
    double flash_flops;
    double latent_flops;
    double dense_bytes_per_s; /* of MLP matrices */
    double wide_bytes_per_s;  /* of attention matrices and head */
    double expert_bytes_per_s;
    double kv_bytes_per_s;
    double raw_bytes_per_s;
    double overhead_s; /* of a pass */
    double host_scale; /* blk of the engine, 1 before Blackwell */
} rn_perf_speed;

/* What a precision reaches of its own peak, against 16 bits. */
RN_PERF double rn_perf_compute_factor(const rn_perf_case *c, const rn_perf_rate *rate)
{
    if (rate->weight_only || c->config.weights <= RN_PERF_W_BF16) {
        return 1.0;
    }
    return c->config.weights == RN_PERF_W_FP4 ? c->fit.compute_fp4 : c->fit.compute_fp8;
}

RN_PERF rn_perf_speed rn_perf_speed_of(const rn_perf_case *c)
{
    rn_perf_speed v;
    const rn_perf_fit *f = &c->fit;
    const rn_perf_shape *s = &c->shape;
    const int blackwell = rn_perf_is_blackwell(&c->gpu);
    const double compute = blackwell ? f->blackwell_compute : 1.0;
    const double memory = c->gpu.memory_bytes_per_s * (blackwell ? f->blackwell_memory : 1.0);
    const rn_perf_rate rate = rn_perf_rate_of(&c->gpu, c->config.weights);
    const double f16 = rn_perf_flops16(&c->gpu) * compute;
    const double peak = rate.flops * compute * rn_perf_compute_factor(c, &rate);
    const int wide =
        rn_perf_attention_bytes(s, c->config.weights) > rn_perf_weight_bytes(c->config.weights);
    v.dense_flops = peak * f->compute;
    v.attention_flops = (wide ? f16 : peak) * f->compute;
    v.head_flops = f16 * f->compute;
    v.expert_flops = peak * f->compute_experts;
    v.flash_flops = f16 * f->compute_flash;
    v.latent_flops = f16 * f->compute_latent;
    v.dense_bytes_per_s =
        memory * f->memory * (c->config.weights == RN_PERF_W_FP4 ? f->memory_fp4 : 1.0);
    v.wide_bytes_per_s = wide ? memory * f->memory : v.dense_bytes_per_s;
    v.expert_bytes_per_s =
        memory * f->memory_experts * (c->config.weights == RN_PERF_W_INT4 ? f->int4_experts : 1.0);
    v.kv_bytes_per_s = memory * f->memory_kv;
    v.raw_bytes_per_s = c->gpu.memory_bytes_per_s;
    v.host_scale = blackwell ? c->engine.blackwell : 1.0;
    const double slow = s->attention == RN_PERF_LATENT || s->linear_layers > 0 ? s->layers : 0.0;
    const double extra =
        f->latent_layer_s * slow + (s->sparse_tokens > 0 ? f->sparse_layer_s * s->layers : 0.0);
    v.overhead_s = v.host_scale * (s->layers * c->engine.layer_s +
                                   s->moe_layers * c->engine.moe_layer_s + extra + f->step_s);
    return v;
}

/* The matrices of all layers for M tokens. */
typedef struct rn_perf_matrices {
    double seconds;
    double flop_seconds; /* the compute side alone */
    double weight_bytes; /* read per GPU, all stages of one pass */
} rn_perf_matrices;

RN_PERF double rn_perf_experts_hit(const rn_perf_shape *s, double tokens)
{
    return s->experts * (1.0 - pow(1.0 - (double)s->topk / s->experts, tokens));
}

/* Adds n matrices of `params` weights each on this GPU for M tokens. */
RN_PERF void rn_perf_matrices_add(rn_perf_matrices *m, double flop_s, double bytes,
                                  double bytes_per_s)
{
    m->seconds += rn_perf_norm3(flop_s, bytes / bytes_per_s);
    m->flop_seconds += flop_s;
    m->weight_bytes += bytes;
}

/* tokens: of all ranks; own: of this GPU's rank, which only its attention sees. */
RN_PERF rn_perf_matrices rn_perf_matrices_of(const rn_perf_case *c, const rn_perf_speed *v,
                                             double tokens, double own)
{
    rn_perf_matrices m = {0.0, 0.0, 0.0};
    const rn_perf_shape *s = &c->shape;
    const double width = rn_perf_weight_bytes(c->config.weights);
    const double moe = s->moe_layers;
    const double gpus = (double)c->config.tp * c->config.ranks;
    const double expert = moe > 0.0 ? rn_perf_expert_params(s) / gpus : 0.0;
    const double attention = s->layers * rn_perf_attention_params(s, c->config.tp);
    const double mlp =
        (s->layers - moe) * rn_perf_mlp_params(s) / gpus + moe * s->shared_experts * expert;
    rn_perf_matrices_add(&m, 2.0 * attention * own / v->attention_flops,
                         attention * rn_perf_attention_bytes(s, c->config.weights),
                         v->wide_bytes_per_s);
    rn_perf_matrices_add(&m, 2.0 * mlp * tokens / v->dense_flops, mlp * width,
                         v->dense_bytes_per_s);
    if (moe > 0.0) {
        rn_perf_matrices_add(&m, 2.0 * moe * s->topk * expert * tokens / v->expert_flops,
                             moe * rn_perf_experts_hit(s, tokens) * expert * width,
                             v->expert_bytes_per_s);
    }
    return m;
}

/* The output head for M tokens, split over the vocabulary, at 16 bits. */
RN_PERF double rn_perf_head_s(const rn_perf_case *c, const rn_perf_speed *v, double tokens)
{
    const double params =
        (double)c->shape.vocab * c->shape.hidden / (c->config.tp * c->config.ranks);
    return rn_perf_norm3(2.0 * params * tokens / v->head_flops,
                         2.0 * params / v->wide_bytes_per_s);
}

/* All-reduces of all layers for M tokens: the whole, or the part that grows with bytes. */
RN_PERF double rn_perf_reduce_s(const rn_perf_case *c, double tokens, int with_latency)
{
    const int32_t gpus = c->config.tp * c->config.ranks;
    if (gpus == 1) {
        return 0.0;
    }
    const double bytes = 2.0 * c->shape.hidden * tokens;
    const double both = 2.0 * rn_perf_allreduce_s(&c->config.tp_link, bytes, gpus);
    return c->shape.layers * (with_latency ? both : both - 2.0 * c->config.tp_link.alpha_s);
}

RN_PERF double rn_perf_touch_s(const rn_perf_case *c, const rn_perf_speed *v, double tokens)
{
    return c->shape.layers * c->fit.elementwise * 2.0 * c->shape.hidden * tokens /
           c->config.ranks / v->raw_bytes_per_s;
}

RN_PERF double rn_perf_handovers_s(const rn_perf_case *c, double tokens)
{
    return c->config.pp > 1
               ? (c->config.pp - 1) *
                     rn_perf_handover_s(&c->config.pp_link, 2.0 * c->shape.hidden * tokens)
               : 0.0;
}

/* Layers that attend to everything. */
RN_PERF double rn_perf_full_layers(const rn_perf_shape *s)
{
    return s->layers - s->window_layers - s->linear_layers;
}

/* Keys that a full layer reads of `keys`, in units of a whole key: sparse attention reads those
 * picked and the index, 0.11 of a key each. */
RN_PERF double rn_perf_keys_read(const rn_perf_shape *s, double keys)
{
    return s->sparse_tokens > 0 ? fmin(keys, s->sparse_tokens + 0.11 * keys) : keys;
}

/* Reading the keys and values of M sequences of `keys` tokens in all layers. */
RN_PERF double rn_perf_keys_s(const rn_perf_case *c, const rn_perf_speed *v, double sequences,
                              double keys)
{
    const rn_perf_shape *s = &c->shape;
    const double seen = rn_perf_full_layers(s) * rn_perf_keys_read(s, keys) +
                        s->window_layers * fmin(keys, (double)s->window_tokens);
    const double width = rn_perf_kv_bytes(c->config.kv);
    const double heads = (double)s->heads / c->config.tp;
    const double unfused =
        c->config.flash ? 0.0 : c->fit.unfused_bytes * heads * seen * sequences / v->kv_bytes_per_s;
    if (s->attention == RN_PERF_LATENT) {
        const double entry = (double)s->kv_lora + s->rope_dim;
        const double read = sequences * seen * entry * width / v->kv_bytes_per_s;
        return rn_perf_norm3(read, 4.0 * (s->kv_lora + 0.5 * s->rope_dim) * heads * seen *
                                       sequences / v->latent_flops) +
               unfused;
    }
    const double kv_heads = s->kv_heads > c->config.tp ? (double)s->kv_heads / c->config.tp : 1.0;
    const double state = 2.0 * s->linear_layers * rn_perf_linear_state(s) / c->config.tp;
    return sequences * (seen * 2.0 * kv_heads * s->head_dim * width + state) / v->kv_bytes_per_s +
           unfused;
}

/* Attention of one prompt of I tokens in all layers. */
RN_PERF double rn_perf_prompt_attention_s(const rn_perf_case *c, const rn_perf_speed *v,
                                          double prompt)
{
    const rn_perf_shape *s = &c->shape;
    const double dim =
        s->attention == RN_PERF_LATENT ? 0.5 * (s->nope_dim + s->rope_dim + s->v_dim) : s->head_dim;
    const double heads = (double)s->heads / c->config.tp;
    const double reached = v->flash_flops * prompt / (prompt + 1500.0);
    if (!c->config.flash) {
        return s->layers * heads * prompt * prompt *
               (4.0 * dim / (reached * c->fit.unfused_compute) +
                c->fit.unfused_bytes / v->raw_bytes_per_s);
    }
    const double half = 0.5 * prompt;
    const double picked =
        s->sparse_tokens > 0 ? fmin(half, 0.5 * s->sparse_tokens + 0.15 * half) : half;
    const double keys =
        rn_perf_full_layers(s) * picked + s->window_layers * fmin(half, (double)s->window_tokens);
    return 4.0 * heads * dim * prompt * keys / reached;
}

/* A decode step of `batch` sequences that hold `keys` tokens each: seconds until every one has a
 * new token. */
typedef struct rn_perf_step {
    double seconds;
    double weight_bytes; /* read by each GPU in a step */
} rn_perf_step;

RN_PERF rn_perf_step rn_perf_step_of(const rn_perf_case *c, const rn_perf_speed *v, double batch,
                                     double keys)
{
    rn_perf_step step;
    const double micro = fmax(1.0, batch / c->config.pp);
    const rn_perf_matrices m = rn_perf_matrices_of(c, v, micro, micro / c->config.ranks);
    step.weight_bytes = m.weight_bytes;
    step.seconds = m.seconds + rn_perf_keys_s(c, v, micro / c->config.ranks, keys) +
                   rn_perf_reduce_s(c, micro, 1) + rn_perf_touch_s(c, v, micro) +
                   rn_perf_head_s(c, v, micro) + rn_perf_handovers_s(c, micro) + v->overhead_s +
                   c->fit.sequence_s * batch;
    return step;
}

/* The prefill of one prompt. */
typedef struct rn_perf_prefill {
    double alone_s;    /* what it takes by itself, host included: T_pf */
    double marginal_s; /* what it takes from everyone else: T_marg */
} rn_perf_prefill;

RN_PERF rn_perf_prefill rn_perf_prefill_of(const rn_perf_case *c, const rn_perf_speed *v,
                                           double prompt)
{
    rn_perf_prefill p;
    const double part = prompt / c->config.ranks; /* the other ranks have other prompts */
    const rn_perf_matrices m = rn_perf_matrices_of(c, v, prompt, prompt);
    const rn_perf_matrices shared = rn_perf_matrices_of(c, v, prompt, part);
    const double attention = rn_perf_prompt_attention_s(c, v, prompt);
    const double touch = rn_perf_touch_s(c, v, prompt);
    const double request = v->host_scale * c->engine.request_s;
    p.alone_s = m.seconds + attention + rn_perf_reduce_s(c, prompt, 1) + touch +
                rn_perf_head_s(c, v, 1.0) + rn_perf_handovers_s(c, prompt) + v->overhead_s +
                v->host_scale * c->shape.layers * c->engine.prefill_layer_s + request;
    p.marginal_s = (shared.flop_seconds + attention / c->config.ranks +
                    rn_perf_reduce_s(c, prompt, 0) + touch) /
                       c->config.pp +
                   request;
    return p;
}

#endif
