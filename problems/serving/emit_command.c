/* Commands that start a replica. Options as in vLLM 0.12 to 0.19, SGLang 0.5, TensorRT-LLM 1.0
 * to 1.3 (their documentation). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "serving/emit.h"
#include "serving/price.h"

enum { FIRST_PORT = 8000, FIRST_MASTER_PORT = 29500, CHUNK_TOKENS = 8192, BLOCK_TOKENS = 16 };

const char *rn_serving_launcher_name(rn_serving_launcher launcher)
{
    static const char *const names[] = {"vllm", "sglang", "tensorrt-llm", "torchrun"};
    assert((size_t)launcher < sizeof names / sizeof names[0]);
    return names[launcher];
}

const char *rn_serving_weights_note(rn_perf_weights weights)
{
    switch (weights) {
    case RN_PERF_W_FP8:
        return "fp8: a 16-bit checkpoint is converted while it is loaded; leave --quantization out "
               "for one that is fp8 "
               "already";
    case RN_PERF_W_INT8:
        return "int8: needs a checkpoint with 8-bit weights (GPTQ, compressed-tensors); the engine "
               "reads the method in "
               "its config.json";
    case RN_PERF_W_INT8_W8A8:
        return "w8a8: needs a checkpoint with 8-bit weights and activations (compressed-tensors); "
               "the engine "
               "reads the method in its config.json";
    case RN_PERF_W_INT4:
        return "int4: needs a checkpoint with 4-bit weights (GPTQ, AWQ, compressed-tensors); the "
               "engine reads the "
               "method in its config.json";
    case RN_PERF_W_FP4:
        return "fp4: needs a checkpoint with 4-bit floats (NVFP4, MXFP4); the engine reads the "
               "method in its "
               "config.json";
    default:
        return NULL;
    }
}

const char *rn_serving_kv_note(rn_perf_kv kv)
{
    return kv == RN_PERF_KV_INT8 ? "int8 KV cache: vLLM has none; fp8_e5m2 takes the same memory, "
                                   "its quality is another"
                                 : NULL;
}

void rn_serving_shell_text(rn_text *out, const char *text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:@,+";
    if (text[0] != '\0' && text[0] != '-' && strspn(text, plain) == strlen(text)) {
        rn_text_add(out, "%s", text);
        return;
    }
    rn_text_add(out, "'");
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '\'') {
            rn_text_add(out, "'\\''");
        } else {
            rn_text_add(out, "%c", *at);
        }
    }
    rn_text_add(out, "'");
}

/* The name under which a checkpoint is asked for: that of the catalog, or the scenario's. */
static const char *checkpoint_of(const ration_serving *v, int32_t model)
{
    const ration_node *models = ration_node_find(ration_document_root(v->document), "models");
    const ration_node *node =
        models == NULL ? NULL : ration_node_find(ration_node_at(models, model), "catalog");
    const char *name = NULL;
    return node != NULL && ration_node_text(node, false, &name, NULL) == RATION_OK
               ? name
               : v->scenario.model[model].name;
}

void rn_serving_launch_set(const rn_serving_plan *plan, const rn_serving_replica *replica,
                           int32_t number, rn_serving_launch *launch)
{
    const rn_serving_scenario *s = &plan->serving->scenario;
    const rn_serving_workload *w = &s->workload[replica->workload];
    const rn_serving_option *o = replica->option;
    const double memory =
        s->gpu[s->node[s->machine[replica->seat[0].node].node].gpu].perf.memory_bytes;
    const double longest = ceil((w->input.most + w->output.most) / BLOCK_TOKENS) * BLOCK_TOKENS;
    launch->plan = plan;
    launch->replica = replica;
    launch->checkpoint = checkpoint_of(plan->serving, w->model);
    launch->port = FIRST_PORT + number;
    launch->master_port = FIRST_MASTER_PORT + number;
    launch->context_tokens =
        longest < o->max_context_tokens ? (int32_t)longest : o->max_context_tokens;
    /* A replica alone on its GPUs may use all that a plan lets it use; one of several only what it
     * was planned with. */
    const double part = o->share == 100 ? rn_serving_usable_part(1) : o->memory_bytes / memory;
    launch->memory_fraction = ceil(part * 1e4 - 1e-6) / 1e4;
    assert(launch->context_tokens >= 1 && part > 0.0 && part <= 1.0);
    launch->memory_fraction_kv =
        ceil((part - (o->work_bytes + o->reserve_bytes) / memory) * 1e4 - 1e-6) / 1e4;
}

static const rn_perf_gpu *gpu_of(const rn_serving_launch *l)
{
    const rn_serving_scenario *s = &l->plan->serving->scenario;
    return &s->gpu[s->node[s->machine[l->replica->seat[0].node].node].gpu].perf;
}

static const char *head_of(const rn_serving_launch *l)
{
    return l->plan->serving->scenario.machine[l->replica->seat[0].node].name;
}

static void add_devices(const rn_serving_launch *l, int32_t seat, rn_text *out)
{
    const rn_serving_seat *where = &l->replica->seat[seat];
    assert(seat >= 0 && seat < l->replica->seats && where->gpus >= 1);
    rn_text_add(out, "%s=",
                gpu_of(l)->compute_capability > 0 ? "CUDA_VISIBLE_DEVICES" : "HIP_VISIBLE_DEVICES");
    for (int32_t i = 0; i < where->gpus; i++) {
        rn_text_add(out, "%s%d", i > 0 ? "," : "", where->gpu[i]);
    }
    rn_text_add(out, " ");
}

static const char *dtype_of(const rn_serving_launch *l)
{
    const bool bf16 = l->replica->option->weights != RN_PERF_W_FP16 && gpu_of(l)->bf16_flops > 0.0;
    return bf16 ? "bfloat16" : "float16";
}

static const char *kv_word(rn_perf_kv kv)
{
    static const char *const words[] = {"auto", "fp8", "fp8_e5m2"};
    assert((size_t)kv < sizeof words / sizeof words[0]);
    return words[kv];
}

/* Options that vLLM has and that a program of one's own is given too. */
static void add_options(const rn_serving_launch *l, rn_text *out)
{
    const rn_serving_option *o = l->replica->option;
    rn_text_add(out, " --tensor-parallel-size %d --pipeline-parallel-size %d --dtype %s", o->tp,
                o->pp, dtype_of(l));
    if (o->weights == RN_PERF_W_FP8) {
        rn_text_add(out, " --quantization fp8");
    }
    rn_text_add(
        out,
        " --kv-cache-dtype %s --gpu-memory-utilization %.4g --max-model-len %d --max-num-seqs %d "
        "--max-num-batched-tokens %d",
        kv_word(o->kv), l->memory_fraction, l->context_tokens, o->batch, CHUNK_TOKENS);
}

static void add_vllm(const rn_serving_launch *l, int32_t seat, rn_text *out)
{
    const rn_serving_replica *r = l->replica;
    rn_text_add(out, "vllm serve ");
    rn_serving_shell_text(out, l->checkpoint);
    rn_text_add(out, " --served-model-name ");
    rn_serving_shell_text(out, l->plan->serving->scenario.workload[r->workload].name);
    add_options(l, out);
    if (r->seats > 1) {
        rn_text_add(out,
                    " --distributed-executor-backend mp --nnodes %d --node-rank %d --master-addr ",
                    r->seats, seat);
        rn_serving_shell_text(out, head_of(l));
        rn_text_add(out, " --master-port %d", l->master_port);
    }
    if (seat > 0) {
        rn_text_add(out, " --headless");
    } else {
        rn_text_add(out, " --port %d", l->port);
    }
}

static void add_sglang(const rn_serving_launch *l, int32_t seat, rn_text *out)
{
    const rn_serving_replica *r = l->replica;
    const rn_serving_option *o = r->option;
    rn_text_add(out, "python -m sglang.launch_server --model-path ");
    rn_serving_shell_text(out, l->checkpoint);
    rn_text_add(out, " --served-model-name ");
    rn_serving_shell_text(out, l->plan->serving->scenario.workload[r->workload].name);
    rn_text_add(out, " --tp-size %d --pp-size %d --dtype %s", o->tp, o->pp, dtype_of(l));
    if (o->weights == RN_PERF_W_FP8) {
        rn_text_add(out, " --quantization fp8");
    }
    rn_text_add(out,
                " --kv-cache-dtype %s --mem-fraction-static %.4g --context-length %d "
                "--max-running-requests %d "
                "--chunked-prefill-size %d --port %d",
                o->kv == RN_PERF_KV_FP8 ? "fp8_e4m3" : kv_word(o->kv), l->memory_fraction_kv,
                l->context_tokens, o->batch, CHUNK_TOKENS, l->port);
    if (r->seats > 1) {
        rn_text_add(out, " --nnodes %d --node-rank %d --dist-init-addr ", r->seats, seat);
        rn_serving_shell_text(out, head_of(l));
        rn_text_add(out, ":%d", l->master_port);
    }
}

/* The last option is a part of what the weights leave free. */
static void add_tensorrt(const rn_serving_launch *l, rn_text *out)
{
    const rn_serving_option *o = l->replica->option;
    const double memory = gpu_of(l)->memory_bytes;
    const double room = l->memory_fraction_kv * memory - o->weights_bytes;
    assert(memory > o->weights_bytes + o->reserve_bytes);
    rn_text_add(out, "trtllm-serve ");
    rn_serving_shell_text(out, l->checkpoint);
    rn_text_add(out,
                " --tp_size %d --pp_size %d --max_batch_size %d --max_num_tokens %d --max_seq_len "
                "%d --port %d "
                "--kv_cache_free_gpu_memory_fraction %.4g",
                o->tp, o->pp, o->batch, CHUNK_TOKENS, l->context_tokens, l->port,
                fmin(1.0, room / (memory - o->weights_bytes - o->reserve_bytes)));
}

static void add_torchrun(const rn_serving_launch *l, int32_t seat, rn_text *out)
{
    const rn_serving_replica *r = l->replica;
    rn_text_add(out,
                "torchrun --nnodes=%d --node-rank=%d --nproc-per-node=%d --master-addr=", r->seats,
                seat, r->seat[seat].gpus);
    rn_serving_shell_text(out, head_of(l));
    rn_text_add(out, " --master-port=%d serve.py --model ", l->master_port);
    rn_serving_shell_text(out, l->checkpoint);
    add_options(l, out);
    rn_text_add(out, " --port %d", l->port);
}

void rn_serving_command(const rn_serving_launch *launch, rn_serving_launcher launcher, int32_t seat,
                        rn_text *text)
{
    add_devices(launch, seat, text);
    switch (launcher) {
    case RN_SERVING_VLLM:
        add_vllm(launch, seat, text);
        break;
    case RN_SERVING_SGLANG:
        add_sglang(launch, seat, text);
        break;
    case RN_SERVING_TENSORRT:
        add_tensorrt(launch, text);
        break;
    default:
        add_torchrun(launch, seat, text);
        break;
    }
}
