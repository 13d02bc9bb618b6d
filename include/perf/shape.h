/* A GPU, a model's shape, precisions, and what follows from the shape alone:
 * parameters and bytes of weights.
 *
 *   attention  = h (a d) + 2 h (k d) + (a d) h     a heads of size d, k key-value heads
 *   latent     = h q + q a (n + r) + h (c + r) + c a (n + v) + a v h
 *   mlp        = m h f,  m = 3 gated (SwiGLU), 2 plain
 *   experts    = m h f_e each;  router h E
 *   embedding  = V h,  head = V h unless tied
 *
 * latent: multi-head latent attention, q and c the ranks of query and key-value,
 * n and r the parts of a key without and with position, v the size of a value.
 * Embedding, head, norms and router stay at 16 bits whatever the weight precision is.
 */
#ifndef RN_PERF_SHAPE_H
#define RN_PERF_SHAPE_H

#include "perf/hd.h"

typedef enum rn_perf_attention {
    RN_PERF_GROUPED = 0,
    RN_PERF_LATENT = 1,
    RN_PERF_HYBRID = 2
} rn_perf_attention;

/* Architecture of a decoder. Counts; heads and widths are of the whole model, not of one GPU. */
typedef struct rn_perf_shape {
    int32_t layers;
    int32_t hidden;
    int32_t heads;
    int32_t kv_heads; /* = heads for multi-head attention */
    /* from the configuration, not hidden / heads; of the key for latent attention */
    int32_t head_dim;
    int32_t ffn;          /* width of a dense MLP */
    int32_t mlp_matrices; /* 3 gated, 2 plain */
    int32_t vocab;
    int32_t tied;    /* 1: the head shares the embedding */
    int32_t experts; /* 0 dense */
    int32_t topk;
    int32_t moe_ffn;        /* width of one expert */
    int32_t shared_experts; /* experts of width moe_ffn that every token passes */
    int32_t moe_layers;     /* layers whose MLP is experts */
    int32_t moe_every;      /* 1: consecutive layers; 2: every second one */
    /* RN_PERF_HYBRID (linear or state-space layers) does not apply anywhere */
    rn_perf_attention attention;
    int32_t q_lora; /* the next five are of latent attention */
    int32_t kv_lora;
    int32_t rope_dim;
    int32_t nope_dim;
    int32_t v_dim;
    int32_t window_tokens; /* window_layers of the layers read at most this many tokens */
    int32_t window_layers;
    int32_t sparse_tokens; /* full layers read at most these keys, picked by an indexer; 0 all */
    int32_t linear_layers; /* of the layers: a state of 128 x 128 per head instead of keys */
    int32_t linear_heads;  /* value heads of a linear layer */
} rn_perf_shape;

/* Precision of the weight matrices of attention and MLP. INT8 and INT4 are weight-only: they save
 * bytes and compute at the 16-bit rate. INT8_W8A8 computes on integers. FP8 and FP4 compute at
 * their own rate where the GPU has such units, else weight-only. */
typedef enum rn_perf_weights {
    RN_PERF_W_FP16 = 0,
    RN_PERF_W_BF16 = 1,
    RN_PERF_W_FP8 = 2,
    RN_PERF_W_INT8 = 3,
    RN_PERF_W_INT8_W8A8 = 4,
    RN_PERF_W_INT4 = 5,
    RN_PERF_W_FP4 = 6,
    RN_PERF_WEIGHTS_COUNT = 7
} rn_perf_weights;

typedef enum rn_perf_kv {
    RN_PERF_KV_16 = 0,
    RN_PERF_KV_FP8 = 1,
    RN_PERF_KV_INT8 = 2,
    RN_PERF_KV_COUNT = 3
} rn_perf_kv;

/* Data-sheet figures of one GPU (dense peaks); 0 where it has no such unit. */
typedef struct rn_perf_gpu {
    double memory_bytes; /* what the driver shows, or less; see problems/catalog */
    double memory_bytes_per_s;
    double fp16_flops;
    double bf16_flops;
    double fp8_flops;
    double int8_ops;
    double fp4_flops;
    double link_bytes_per_s; /* NVLink or xGMI, per GPU, one way; 0 none */
    double pcie_bytes_per_s; /* x16, one way */
    double tdp_w;
    double idle_w;
    int32_t link_gpus;          /* GPUs in one link domain; 1 none */
    int32_t compute_capability; /* 80 is 8.0; 0 not NVIDIA */
} rn_perf_gpu;

/* Parameters by group, of the whole model. */
typedef struct rn_perf_params {
    double attention; /* of all layers */
    double mlp;       /* dense MLPs and shared experts, all layers */
    double experts;   /* routed experts, all layers */
    double router;
    double norms;
    double embedding;
    double head; /* 0 when tied */
    double total;
    /* a token passes these: attention, MLPs, its experts, router, head (the tied one too) */
    double active;
} rn_perf_params;

/* RN_PERF_OK when the shape can be priced. */
RN_PERF rn_perf_status rn_perf_shape_check(const rn_perf_shape *s)
{
    if (s->layers < 1 || s->hidden < 1 || s->heads < 1 || s->kv_heads < 1 || s->head_dim < 1 ||
        s->vocab < 1) {
        return RN_PERF_SHAPE;
    }
    if (s->attention != RN_PERF_GROUPED && s->attention != RN_PERF_LATENT) {
        return RN_PERF_SHAPE;
    }
    if (s->attention == RN_PERF_LATENT &&
        (s->q_lora < 0 || s->kv_lora < 1 || s->rope_dim < 0 || s->nope_dim < 1 || s->v_dim < 1)) {
        return RN_PERF_SHAPE;
    }
    if (s->heads % s->kv_heads != 0 || (s->mlp_matrices != 2 && s->mlp_matrices != 3)) {
        return RN_PERF_SHAPE;
    }
    if (s->moe_layers < 0 || s->moe_layers > s->layers ||
        (s->moe_layers < s->layers && s->ffn < 1)) {
        return RN_PERF_SHAPE;
    }
    if (s->moe_layers > 0 && (s->experts < 1 || s->topk < 1 || s->topk > s->experts ||
                              s->moe_ffn < 1 || s->moe_every < 1)) {
        return RN_PERF_SHAPE;
    }
    if (s->window_layers < 0 || s->window_layers > s->layers ||
        (s->window_layers > 0 && s->window_tokens < 1)) {
        return RN_PERF_SHAPE;
    }
    if (s->linear_layers < 0 || s->linear_layers + s->window_layers > s->layers ||
        (s->linear_layers > 0 && s->linear_heads < 1) || s->sparse_tokens < 0) {
        return RN_PERF_SHAPE;
    }
    return s->shared_experts < 0 ? RN_PERF_SHAPE : RN_PERF_OK;
}

/* Parameters of attention in one layer of one GPU of a tensor-parallel group, in the mean over the
 * layers. Key-value heads are replicated when there are fewer than GPUs; the low-rank inputs of
 * latent attention are replicated always. Models with linear layers (16 key heads of 128 in those)
 * gate the output of both kinds. tp = 1 is the whole layer. */
RN_PERF double rn_perf_attention_params(const rn_perf_shape *s, int32_t tp)
{
    const double h = s->hidden;
    const double heads = (double)s->heads / tp;
    if (s->attention == RN_PERF_LATENT) {
        const double query_in = s->q_lora > 0 ? h * s->q_lora : 0.0;
        const double query_from = s->q_lora > 0 ? s->q_lora : h;
        const double query = query_from * heads * (s->nope_dim + s->rope_dim);
        const double latent =
            h * (s->kv_lora + s->rope_dim) + (double)s->kv_lora * heads * (s->nope_dim + s->v_dim);
        return query_in + query + latent + heads * s->v_dim * h;
    }
    const double kv_heads = s->kv_heads > tp ? (double)s->kv_heads / tp : 1.0;
    const double full = 2.0 * h * heads * s->head_dim + 2.0 * h * kv_heads * s->head_dim;
    if (s->linear_layers == 0) {
        return full;
    }
    const double gated = full + h * heads * s->head_dim;
    const double linear = h * (2.0 * 16.0 + 3.0 * s->linear_heads) * 128.0 / tp;
    return gated + (linear - gated) * s->linear_layers / s->layers;
}

RN_PERF double rn_perf_expert_params(const rn_perf_shape *s)
{
    return (double)s->mlp_matrices * s->hidden * s->moe_ffn;
}

RN_PERF double rn_perf_mlp_params(const rn_perf_shape *s)
{
    return (double)s->mlp_matrices * s->hidden * s->ffn;
}

/* Counts the parameters of a checked shape. */
RN_PERF rn_perf_params rn_perf_params_count(const rn_perf_shape *s)
{
    rn_perf_params p;
    const double moe = s->moe_layers;
    const double expert = moe > 0.0 ? rn_perf_expert_params(s) : 0.0;
    p.attention = s->layers * rn_perf_attention_params(s, 1);
    p.mlp = (s->layers - moe) * rn_perf_mlp_params(s) + moe * s->shared_experts * expert;
    p.experts = moe * s->experts * expert;
    p.router = moe * (double)s->hidden * s->experts;
    p.norms = (2.0 * s->layers + 1.0) * s->hidden;
    p.embedding = (double)s->vocab * s->hidden;
    p.head = s->tied ? 0.0 : p.embedding;
    p.total = p.attention + p.mlp + p.experts + p.router + p.norms + p.embedding + p.head;
    p.active = p.attention + p.mlp + moe * s->topk * expert + p.router + p.norms + p.embedding;
    return p;
}

/* Bytes of one weight of the matrices, scales included: 4-bit integers with a scale a group and fp4
 * with a byte a 16 (NVFP4). */
RN_PERF double rn_perf_weight_bytes(rn_perf_weights w)
{
    switch (w) {
    case RN_PERF_W_FP8:
    case RN_PERF_W_INT8:
    case RN_PERF_W_INT8_W8A8:
        return 1.0;
    case RN_PERF_W_INT4:
        return 0.53;
    case RN_PERF_W_FP4:
        return 0.5625;
    default:
        return 2.0;
    }
}

/* Bytes of one attention weight: checkpoints with 4-bit experts keep attention at 16 bits (int4:
 * those with latent attention). */
RN_PERF double rn_perf_attention_bytes(const rn_perf_shape *s, rn_perf_weights w)
{
    const int wide = (w == RN_PERF_W_FP4 && s->moe_layers > 0) ||
                     (w == RN_PERF_W_INT4 && s->moe_layers > 0 && s->attention == RN_PERF_LATENT);
    return wide ? 2.0 : rn_perf_weight_bytes(w);
}

RN_PERF double rn_perf_kv_bytes(rn_perf_kv kv)
{
    return kv == RN_PERF_KV_16 ? 2.0 : 1.0;
}

/* Bytes of the weights of the whole model, unsplit. */
RN_PERF double rn_perf_model_bytes(const rn_perf_shape *s, rn_perf_weights w)
{
    const rn_perf_params p = rn_perf_params_count(s);
    return p.attention * rn_perf_attention_bytes(s, w) +
           (p.mlp + p.experts) * rn_perf_weight_bytes(w) +
           2.0 * (p.router + p.norms + p.embedding + p.head);
}

/* The rate at which a GPU computes with a weight precision. */
typedef struct rn_perf_rate {
    double flops;        /* data-sheet peak of the unit used */
    int32_t weight_only; /* 1: weights are expanded to 16 bits */
    rn_perf_status status;
    rn_perf_origin origin;
} rn_perf_rate;

RN_PERF double rn_perf_flops16(const rn_perf_gpu *g)
{
    return g->bf16_flops > g->fp16_flops ? g->bf16_flops : g->fp16_flops;
}

/* Weight-only kernels: any GPU with fp16 for INT8, compute capability 7.5 for INT4, 8.0 for FP8 and
 * FP4 without such units. Below that, and 16-bit or W8A8 without the unit: RN_PERF_WEIGHTS. The
 * fitted factors of the precisions come on top; W8A8 takes that of fp8 (no measurement). */
RN_PERF rn_perf_rate rn_perf_rate_of(const rn_perf_gpu *g, rn_perf_weights w)
{
    rn_perf_rate r;
    const int32_t cc = g->compute_capability;
    r.flops = rn_perf_flops16(g);
    r.weight_only = 0;
    r.status = RN_PERF_OK;
    r.origin = RN_PERF_FROM_FIT;
    switch (w) {
    case RN_PERF_W_FP16:
        r.flops = g->fp16_flops;
        break;
    case RN_PERF_W_BF16:
        r.flops = g->bf16_flops;
        break;
    case RN_PERF_W_FP8:
        r.weight_only = !(g->fp8_flops > 0.0);
        r.flops = r.weight_only ? (cc >= 80 ? r.flops : 0.0) : g->fp8_flops;
        break;
    case RN_PERF_W_FP4:
        r.weight_only = !(g->fp4_flops > 0.0);
        r.flops = r.weight_only ? (cc >= 80 ? r.flops : 0.0) : g->fp4_flops;
        break;
    case RN_PERF_W_INT8_W8A8:
        r.flops = g->int8_ops;
        r.origin = RN_PERF_FROM_ASSUMED;
        break;
    case RN_PERF_W_INT8:
        r.weight_only = 1;
        break;
    case RN_PERF_W_INT4:
        r.weight_only = 1;
        r.flops = cc >= 75 ? r.flops : 0.0;
        break;
    default:
        r.flops = 0.0;
        break;
    }
    if (!rn_perf_positive(r.flops)) {
        r.flops = 0.0;
        r.status = RN_PERF_WEIGHTS;
        r.origin = RN_PERF_FROM_NOTHING;
    }
    return r;
}

/* An 8-bit float KV cache needs fp8 units; an 8-bit integer one, int8 units. */
RN_PERF rn_perf_status rn_perf_kv_check(const rn_perf_gpu *g, rn_perf_kv kv)
{
    if (kv == RN_PERF_KV_FP8 && !(g->fp8_flops > 0.0)) {
        return RN_PERF_KV;
    }
    if (kv == RN_PERF_KV_INT8 && !(g->int8_ops > 0.0)) {
        return RN_PERF_KV;
    }
    return kv < RN_PERF_KV_16 || kv > RN_PERF_KV_INT8 ? RN_PERF_KV : RN_PERF_OK;
}

/* RN_PERF_OK when the figures that every formula needs are there. */
RN_PERF rn_perf_status rn_perf_gpu_check(const rn_perf_gpu *g)
{
    return rn_perf_positive(g->memory_bytes) && rn_perf_positive(g->memory_bytes_per_s) &&
                   rn_perf_positive(rn_perf_flops16(g))
               ? RN_PERF_OK
               : RN_PERF_GPU;
}

/* Blackwell (compute capability 10 and above) has its own factors and host overheads in the fit. */
RN_PERF int rn_perf_is_blackwell(const rn_perf_gpu *g)
{
    return g->compute_capability >= 100;
}

/* A layout: tensor parallel inside a stage, pipeline stages. RN_PERF_TP when tp does not divide
 * heads, when it neither divides the key-value heads nor is a multiple of them, or does not divide
 * the MLP width (experts: their width or their number); RN_PERF_PP when there are more stages than
 * layers. */
RN_PERF rn_perf_status rn_perf_layout_check(const rn_perf_shape *s, int32_t tp, int32_t pp)
{
    if (tp < 1 || s->heads % tp != 0) {
        return RN_PERF_TP;
    }
    if (s->attention == RN_PERF_GROUPED && s->kv_heads % tp != 0 && tp % s->kv_heads != 0) {
        return RN_PERF_TP;
    }
    if (s->moe_layers < s->layers && s->ffn % tp != 0) {
        return RN_PERF_TP;
    }
    if (s->moe_layers > 0 && s->moe_ffn % tp != 0 && s->experts % tp != 0) {
        return RN_PERF_TP;
    }
    return pp < 1 || pp > s->layers ? RN_PERF_PP : RN_PERF_OK;
}

#endif
