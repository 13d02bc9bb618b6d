/* Memory of one GPU of a replica: weights, KV cache, activations, and what is left.
 *
 *   weights     of the fullest stage: its layers, split by tp; embedding and head
 *               split over the vocabulary (padded to 64 tp)
 *   kv          sequences · layers of the stage · 2 max(k / tp, 1) d w · tokens
 *               tokens rounded up to blocks; latent attention (c + r) w, not split;
 *               window layers keep at most their window
 *   activation  max(layer, sampler), sampler = 38 S V
 *               layer = 2 M (2 h + widest of attention, MLP, experts, each / tp)
 *   scores      6 (a / tp) min(M, I) I without fused attention: 16-bit scores and
 *               their 32-bit softmax
 *
 * M tokens in a pass, S sequences, V vocabulary, I prompt tokens. 38 bytes a
 * sequence and vocabulary entry: vLLM's start-up profile on H100
 * (llm-d-planner, empirical memory results, 6 models, 1024 sequences:
 * 38.4-39.4), because every rank samples from full logits.
 */
#ifndef RN_PERF_MEMORY_H
#define RN_PERF_MEMORY_H

#include "perf/case.h"

/* Bytes per GPU, of the stage that needs most. total <= usable when status is RN_PERF_OK. With
 * RN_PERF_MEMORY the parts are filled in nevertheless, so that a front-end can say by how much;
 * with any other failure all are 0. */
typedef struct rn_perf_memory {
    double weights_bytes;
    double kv_bytes; /* of all sequences */
    double activation_bytes;
    double scores_bytes;
    double reserve_bytes;
    double total_bytes;
    double usable_bytes;        /* memory_fraction · memory_bytes */
    double kv_room_bytes;       /* usable less everything but the KV cache; 0 when negative */
    int32_t max_context_tokens; /* longest single sequence that fits in the room */
    int32_t max_sequences;      /* sequences of the given length that fit */
    rn_perf_status status;
    rn_perf_origin origin;
} rn_perf_memory;

/* Layers of the longest stage, and how many of them have experts at most. */
RN_PERF int32_t rn_perf_stage_layers(const rn_perf_shape *s, int32_t pp)
{
    return (s->layers + pp - 1) / pp;
}

RN_PERF int32_t rn_perf_stage_moe_layers(const rn_perf_shape *s, int32_t pp)
{
    if (s->moe_layers == 0) {
        return 0;
    }
    const int32_t layers = rn_perf_stage_layers(s, pp);
    const int32_t most = (layers + s->moe_every - 1) / s->moe_every;
    return most < s->moe_layers ? most : s->moe_layers;
}

/* Weight bytes on one GPU of the fullest stage. */
RN_PERF double rn_perf_weights_per_rank(const rn_perf_shape *s, rn_perf_weights w, int32_t tp,
                                        int32_t pp, int32_t ranks)
{
    const double width = rn_perf_weight_bytes(w);
    const double layers = rn_perf_stage_layers(s, pp);
    const double moe = rn_perf_stage_moe_layers(s, pp);
    const double expert = moe > 0.0 ? rn_perf_expert_params(s) : 0.0;
    const double attention =
        layers * rn_perf_attention_params(s, tp) * rn_perf_attention_bytes(s, w);
    const double mlp =
        ((layers - moe) * rn_perf_mlp_params(s) + moe * s->shared_experts * expert) / (tp * ranks) *
        width;
    const double experts = moe * s->experts * expert / (tp * ranks) * width;
    const double small = 2.0 * (moe * s->hidden * s->experts + (2.0 * layers + 1.0) * s->hidden);
    const double vocab = ceil(s->vocab / (64.0 * tp)) * 64.0;
    const double table = 2.0 * vocab * s->hidden;
    const double tables = pp == 1 && !s->tied ? 2.0 * table : table;
    return attention + mlp + experts + small + tables;
}

/* The same with one rank. */
RN_PERF double rn_perf_weights_per_gpu(const rn_perf_shape *s, rn_perf_weights w, int32_t tp,
                                       int32_t pp)
{
    return rn_perf_weights_per_rank(s, w, tp, pp, 1);
}

/* Bytes of KV cache that one more token takes on one GPU, in full-attention layers and in window
 * layers of a stage. */
typedef struct rn_perf_kv_rate {
    double full_bytes;
    double window_bytes;
    double state_bytes; /* of a sequence, whatever its length */
} rn_perf_kv_rate;

/* Bytes of state of one sequence in one linear layer: 128 x 128 a head, 32 bits. */
RN_PERF double rn_perf_linear_state(const rn_perf_shape *s)
{
    return 4.0 * 128.0 * 128.0 * s->linear_heads;
}

RN_PERF rn_perf_kv_rate rn_perf_kv_rate_of(const rn_perf_shape *s, rn_perf_kv kv, int32_t tp,
                                           int32_t pp)
{
    rn_perf_kv_rate r;
    const double layers = rn_perf_stage_layers(s, pp);
    const double kv_heads = s->kv_heads > tp ? (double)s->kv_heads / tp : 1.0;
    const double entry = s->attention == RN_PERF_LATENT ? (double)s->kv_lora + s->rope_dim
                                                        : 2.0 * kv_heads * s->head_dim;
    const double full =
        ceil(layers * (s->layers - s->window_layers - s->linear_layers) / s->layers);
    const double linear = floor(layers * s->linear_layers / s->layers);
    r.full_bytes = full * entry * rn_perf_kv_bytes(kv);
    r.window_bytes = (layers - full - linear) * entry * rn_perf_kv_bytes(kv);
    r.state_bytes = linear * rn_perf_linear_state(s) / tp;
    return r;
}

/* KV cache of one sequence of `tokens` tokens on one GPU, in whole blocks. Never decreases with
 * tokens. */
RN_PERF double rn_perf_kv_sequence(const rn_perf_case *c, double tokens)
{
    const rn_perf_kv_rate r =
        rn_perf_kv_rate_of(&c->shape, c->config.kv, c->config.tp, c->config.pp);
    const double block = c->config.block_tokens;
    const double kept = ceil(tokens / block) * block;
    const double window = ceil((double)c->shape.window_tokens / block) * block;
    return r.state_bytes + r.full_bytes * kept + r.window_bytes * (kept < window ? kept : window);
}

/* Working memory of a pass of `chunk_tokens` tokens and of sampling for `sequences` sequences. */
RN_PERF double rn_perf_activation(const rn_perf_case *c, double sequences)
{
    const rn_perf_shape *s = &c->shape;
    const double tp = c->config.tp;
    const double heads = s->heads / tp;
    const double kv_heads = s->kv_heads > c->config.tp ? s->kv_heads / tp : 1.0;
    const double grouped = (2.0 * heads + 2.0 * kv_heads) * s->head_dim;
    const double latent =
        s->q_lora + s->kv_lora + heads * (2.0 * (s->nope_dim + s->rope_dim) + 2.0 * s->v_dim);
    double widest = s->attention == RN_PERF_LATENT ? latent : grouped;
    if (s->moe_layers < s->layers) {
        widest = fmax(widest, s->mlp_matrices * s->ffn / tp);
    }
    if (s->moe_layers > 0) {
        widest = fmax(widest, s->topk * (s->mlp_matrices * s->moe_ffn / tp + s->hidden));
    }
    const double layer = 2.0 * c->config.chunk_tokens * (2.0 * s->hidden + widest);
    return fmax(layer, 38.0 * sequences * s->vocab);
}

/* Bytes of attention scores without fused attention. */
RN_PERF double rn_perf_scores(const rn_perf_case *c, double prompt_tokens)
{
    const double rows = fmin(c->config.chunk_tokens, prompt_tokens);
    return c->config.flash ? 0.0 : 6.0 * c->shape.heads / c->config.tp * rows * prompt_tokens;
}

/* Sequences of `each` bytes of KV cache that fit in `room_bytes` beside the activations, which grow
 * with them. */
RN_PERF int32_t rn_perf_max_sequences(const rn_perf_case *c, double room_bytes, double each)
{
    const double by_layer = floor((room_bytes - rn_perf_activation(c, 0.0)) / each);
    const double by_sampler = floor(room_bytes / (each + 38.0 * c->shape.vocab));
    return (int32_t)fmax(0.0, fmin(fmin(by_layer, by_sampler), (double)RN_PERF_BATCH_MAX));
}

RN_PERF int32_t rn_perf_max_context(const rn_perf_case *c, double room_bytes)
{
    int32_t low = 0;
    int32_t high = RN_PERF_TOKENS_MAX / c->config.block_tokens;
    while (low < high) {
        const int32_t middle = low + (high - low + 1) / 2;
        if (rn_perf_kv_sequence(c, (double)middle * c->config.block_tokens) <= room_bytes) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low * c->config.block_tokens;
}

/* Sequences of equal length that a replica holds at once in the mean, all ranks together: 0.93 of
 * the memory less weights and 2 GB, over the KV cache of the prompt and 0.6 of the answer. A rule
 * of the fit, coarser than rn_perf_memory_of. whole_window: 1 for an engine that reserves all keys
 * in window layers too. At least 1: what was asked to run is not refused here. */
RN_PERF double rn_perf_slots(const rn_perf_case *c, double prompt, double output, int whole_window)
{
    rn_perf_case held = *c;
    held.shape.window_layers = whole_window ? 0 : c->shape.window_layers;
    const double weights = rn_perf_weights_per_rank(&c->shape, c->config.weights, c->config.tp,
                                                    c->config.pp, c->config.ranks);
    const double room = 0.93 * c->gpu.memory_bytes - weights - rn_perf_reserve_default();
    const double slots = c->config.ranks * room / rn_perf_kv_sequence(&held, prompt + 0.6 * output);
    return fmin((double)RN_PERF_BATCH_MAX, fmax(1.0, slots));
}

RN_PERF rn_perf_memory rn_perf_memory_none(rn_perf_status status)
{
    const rn_perf_memory m = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, status, RN_PERF_FROM_NOTHING};
    return m;
}

/* Memory for `sequences` sequences of `tokens` tokens each (prompt and answer), prompts of at most
 * prompt_tokens. RN_PERF_MEMORY when they do not fit; then max_sequences and max_context_tokens say
 * what would. */
RN_PERF rn_perf_memory rn_perf_memory_of(const rn_perf_case *c, double sequences, double tokens,
                                         double prompt_tokens)
{
    const rn_perf_status status = rn_perf_case_check(c);
    if (status != RN_PERF_OK) {
        return rn_perf_memory_none(status);
    }
    if (!(sequences >= 1.0 && sequences <= RN_PERF_BATCH_MAX && tokens >= 1.0 &&
          tokens <= RN_PERF_TOKENS_MAX && prompt_tokens >= 1.0 && prompt_tokens <= tokens)) {
        return rn_perf_memory_none(RN_PERF_LENGTH);
    }
    rn_perf_memory m = rn_perf_memory_none(RN_PERF_OK);
    const double each = rn_perf_kv_sequence(c, tokens);
    m.weights_bytes = rn_perf_weights_per_rank(&c->shape, c->config.weights, c->config.tp,
                                               c->config.pp, c->config.ranks);
    m.kv_bytes = sequences * each;
    m.activation_bytes = rn_perf_activation(c, sequences);
    m.scores_bytes = rn_perf_scores(c, prompt_tokens);
    m.reserve_bytes = c->config.reserve_bytes;
    const double fixed = m.weights_bytes + m.activation_bytes + m.scores_bytes + m.reserve_bytes;
    m.total_bytes = fixed + m.kv_bytes;
    m.usable_bytes = c->config.memory_fraction * c->gpu.memory_bytes;
    m.kv_room_bytes = m.usable_bytes > fixed ? m.usable_bytes - fixed : 0.0;
    m.max_context_tokens = rn_perf_max_context(c, m.kv_room_bytes);
    m.max_sequences = rn_perf_max_sequences(c, m.usable_bytes - (fixed - m.activation_bytes), each);
    m.status = m.total_bytes <= m.usable_bytes ? RN_PERF_OK : RN_PERF_MEMORY;
    m.origin = c->config.flash ? RN_PERF_FROM_SHAPE : RN_PERF_FROM_ASSUMED;
    return m;
}

#endif
