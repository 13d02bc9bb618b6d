/* One YAML file a workload: what each replica is and the commands that start it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "serving/emit.h"
#include "serving/price.h"
#include "serving/read.h"

/* ---- file names ---- */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_name(const char *a, const char *b)
{
    while (*a != '\0' && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == '\0' && *b == '\0';
}

/* Whether a file name is taken by the folder's other files or by one of names[count]. */
static bool is_taken(const char *name, const char **names, int32_t count)
{
    bool taken = same_name(name, "scenario.yaml") || same_name(name, "plan.yaml");
    for (int32_t i = 0; i < count && !taken; i++) {
        taken = names[i] != NULL && same_name(name, names[i]);
    }
    return taken;
}

ration_status rn_serving_config_names(const rn_serving_scenario *s, rn_arena *arena,
                                      const char ***names, ration_error *error)
{
    enum { NAME_MAX_BYTES = 100 };
    const char **made = NULL;
    RATION_TRY(rn_arena_take(arena, s->workloads, sizeof *made, &made, error));
    /* Names that can stay as they are go first, so that one made from another never takes their
     * place. */
    for (int32_t i = 0; i < s->workloads; i++) {
        const char *name = s->workload[i].name;
        bool plain = name[0] != '.';
        for (const char *at = name; *at != '\0'; at++) {
            plain = plain && is_plain(*at);
        }
        const char *file = NULL;
        RATION_TRY(rn_arena_text(arena, &file, error, "%s.yaml", name));
        made[i] = plain && !is_taken(file, made, i) ? file : NULL;
    }
    for (int32_t i = 0; i < s->workloads; i++) {
        char safe[NAME_MAX_BYTES + 1];
        size_t length = 0;
        for (const char *at = s->workload[i].name; *at != '\0' && length < NAME_MAX_BYTES; at++) {
            if (is_plain(*at) && !(length == 0 && *at == '.')) {
                safe[length++] = *at;
            }
        }
        safe[length] = '\0';
        for (int32_t number = i + 1; made[i] == NULL; number += s->workloads) {
            const char *file = NULL;
            RATION_TRY(rn_arena_text(arena, &file, error, "%s%sworkload-%d.yaml", safe,
                                     length > 0 ? "-" : "", number));
            made[i] = is_taken(file, made, s->workloads) ? NULL : file;
        }
    }
    *names = made;
    return RATION_OK;
}

/* ---- YAML ---- */

/* The code points that a YAML reader refuses unescaped, or takes for a line break. text: at a
 * character; returns its bytes. */
static int32_t special_point(const unsigned char *text, int32_t *point)
{
    *point = -1;
    if (text[0] < 0x20 || text[0] == 0x7f) {
        *point = text[0];
        return 1;
    }
    if (text[0] == 0xc2 && text[1] >= 0x80 && text[1] <= 0x9f) {
        *point = text[1];
        return 2;
    }
    if ((text[0] & 0xf0) == 0xe0 && text[1] != 0 && text[2] != 0) {
        const int32_t p = (text[0] & 0x0f) << 12 | (text[1] & 0x3f) << 6 | (text[2] & 0x3f);
        *point = p == 0x2028 || p == 0x2029 || p == 0xfeff || p >= 0xfffe ? p : -1;
        return *point < 0 ? 1 : 3;
    }
    return 1;
}

void rn_serving_yaml_text(rn_text *out, const char *text)
{
    rn_text_add(out, "\"");
    for (const char *at = text; *at != '\0';) {
        int32_t point = -1;
        const int32_t bytes = special_point((const unsigned char *)at, &point);
        if (point >= 0) {
            rn_text_add(out, "\\u%04x", (unsigned)point);
        } else if (*at == '"' || *at == '\\') {
            rn_text_add(out, "\\%c", *at);
        } else {
            rn_text_add(out, "%c", *at);
        }
        at += bytes;
    }
    rn_text_add(out, "\"");
}

static void add_line(rn_text *out, int32_t indent, const char *key, const char *value)
{
    rn_text_add(out, "%*s%s: ", indent, "", key);
    rn_serving_yaml_text(out, value);
    rn_text_add(out, "\n");
}

static void add_gpus(rn_text *out, int32_t indent, const rn_serving_seat *seat)
{
    rn_text_add(out, "%*sgpus: [", indent, "");
    for (int32_t i = 0; i < seat->gpus; i++) {
        rn_text_add(out, "%s%d", i > 0 ? ", " : "", seat->gpu[i]);
    }
    rn_text_add(out, "]\n");
}

static void add_commands(rn_text *out, const rn_serving_launch *l, rn_serving_launcher launcher)
{
    const rn_serving_replica *r = l->replica;
    rn_text_add(out, "      %s:\n", rn_serving_launcher_name(launcher));
    for (int32_t k = 0; k < r->seats; k++) {
        rn_text command = {NULL, 0, 0, false};
        rn_serving_command(l, launcher, k, &command);
        rn_text_add(out, "        - node: ");
        rn_serving_yaml_text(out, l->plan->serving->scenario.machine[r->seat[k].node].name);
        rn_text_add(out, "\n");
        add_line(out, 10, "run", command.text != NULL && !command.failed ? command.text : "");
        out->failed = out->failed || command.failed;
        free(command.text);
    }
}

/* The scenario's engine where it is another one than vLLM. TensorRT-LLM over several nodes needs
 * MPI, which is left to its user. */
static rn_serving_launcher engine_of(const rn_serving_launch *l)
{
    const char *engine = l->plan->serving->scenario.engine_name;
    if (strcmp(engine, "sglang") == 0) {
        return RN_SERVING_SGLANG;
    }
    return strcmp(engine, "tensorrt-llm") == 0 && l->replica->seats == 1 ? RN_SERVING_TENSORRT
                                                                         : RN_SERVING_VLLM;
}

static void add_replica(rn_text *out, const rn_serving_launch *l)
{
    const rn_serving_replica *r = l->replica;
    const rn_serving_option *o = r->option;
    const rn_serving_scenario *s = &l->plan->serving->scenario;
    const rn_serving_machine *head = &s->machine[r->seat[0].node];
    rn_text_add(out, "  - name: ");
    rn_serving_yaml_text(out, r->name);
    rn_text_add(out, "\n");
    add_line(out, 4, "node", head->name);
    add_gpus(out, 4, &r->seat[0]);
    rn_text_add(out, "    seats:\n");
    for (int32_t k = 0; k < r->seats; k++) {
        rn_text_add(out, "      - node: ");
        rn_serving_yaml_text(out, s->machine[r->seat[k].node].name);
        rn_text_add(out, "\n");
        add_gpus(out, 8, &r->seat[k]);
    }
    add_line(out, 4, "gpu", s->gpu[s->node[head->node].gpu].name);
    rn_text_add(out, "    tensor_parallel: %d\n    pipeline_parallel: %d\n    batch_size: %d\n",
                o->tp, o->pp, o->batch);
    add_line(out, 4, "precision", rn_serving_weights_name(o->weights));
    add_line(out, 4, "kv_cache_quant", rn_serving_kv_name(o->kv));
    rn_text_add(out, "    flash_attention: %s\n    max_context_tokens: %d\n    gpu_share: %.4g\n",
                o->flash ? "true" : "false", l->context_tokens, o->share / 100.0);
    rn_text_add(
        out,
        "    memory_fraction: %.4g\n    memory_gib: %.6g\n    rate_per_s: %.6g\n    port: %d\n",
        l->memory_fraction, o->memory_bytes / 1073741824.0, o->rate_per_s, l->port);
    rn_text_add(out, "    commands:\n");
    add_commands(out, l, RN_SERVING_VLLM);
    if (engine_of(l) != RN_SERVING_VLLM) {
        add_commands(out, l, engine_of(l));
    }
    add_commands(out, l, RN_SERVING_TORCHRUN);
}

/* Remarks on the precisions that the replicas of a workload use, each once. */
static void add_notes(rn_text *out, const rn_serving_plan *plan, int32_t workload)
{
    bool weights[RN_PERF_WEIGHTS_COUNT] = {false};
    bool kv[RN_PERF_KV_COUNT] = {false};
    bool unfused = false;
    bool shared = false;
    for (int32_t i = 0; i < plan->replicas; i++) {
        if (plan->replica[i].workload == workload) {
            weights[plan->replica[i].option->weights] = true;
            kv[plan->replica[i].option->kv] = true;
            shared = shared || plan->replica[i].option->share < 100;
            unfused = unfused || !plan->replica[i].option->flash;
        }
    }
    rn_text_add(
        out, "notes:\n  - \"Names of nodes stand for host names; a list of commands has one for "
             "each node, all run at once.\"\n"
             "  - \"The checkpoint may be a folder or a name on a model hub; put yours in place of "
             "the name here.\"\n"
             "  - \"torchrun starts a program of yours, serve.py, that takes these options.\"\n");
    for (int32_t p = 0; p < RN_PERF_WEIGHTS_COUNT; p++) {
        if (weights[p] && rn_serving_weights_note((rn_perf_weights)p) != NULL) {
            rn_text_add(out, "  - ");
            rn_serving_yaml_text(out, rn_serving_weights_note((rn_perf_weights)p));
            rn_text_add(out, "\n");
        }
    }
    for (int32_t k = 0; k < RN_PERF_KV_COUNT; k++) {
        if (kv[k] && rn_serving_kv_note((rn_perf_kv)k) != NULL) {
            rn_text_add(out, "  - ");
            rn_serving_yaml_text(out, rn_serving_kv_note((rn_perf_kv)k));
            rn_text_add(out, "\n");
        }
    }
    if (shared) {
        rn_text_add(out,
                    "  - \"gpu_share below 1: several replicas have one GPU; start them one after "
                    "the other, as each measures the free memory while it starts.\"\n");
    }
    if (unfused) {
        rn_text_add(out, "  - \"flash_attention false: vLLM has no option for it; it was planned "
                         "with the slower kernel.\"\n");
    }
}

static void add_config(rn_text *out, const rn_serving_plan *plan, int32_t workload,
                       const int32_t *number)
{
    const rn_serving_scenario *s = &plan->serving->scenario;
    const rn_serving_workload *w = &s->workload[workload];
    bool any = false;
    rn_text_add(out, "# Replicas of one workload and how to start them. 'ration verify' checks "
                     "this file against plan.json.\n");
    add_line(out, 0, "format", "ration-config-1");
    add_line(out, 0, "workload", w->name);
    add_line(out, 0, "model", s->model[w->model].name);
    add_line(out, 0, "engine", s->engine_name);
    add_line(out, 0, "commands_for",
             "vLLM 0.12 to 0.19, SGLang 0.5, TensorRT-LLM 1.0 to 1.3, PyTorch 2");
    rn_text_add(out, "served: %s\n", plan->served[workload] ? "true" : "false");
    add_notes(out, plan, workload);
    rn_text_add(out, "replicas:");
    for (int32_t i = 0; i < plan->replicas; i++) {
        const rn_serving_replica *r = &plan->replica[i];
        if (r->workload == workload) {
            rn_serving_launch launch;
            rn_text_add(out, any ? "" : "\n");
            rn_serving_launch_set(plan, r, number[i], &launch);
            add_replica(out, &launch);
            any = true;
        }
    }
    rn_text_add(out, any ? "" : " []\n");
}

/* number[i]: how many replicas before replica i begin on the same machine. */
static ration_status number_replicas(const rn_serving_plan *plan, rn_arena *arena, int32_t **number,
                                     ration_error *error)
{
    int32_t *seen = NULL;
    int32_t *made = NULL;
    RATION_TRY(rn_arena_take(arena, plan->serving->scenario.machines, sizeof *seen, &seen, error));
    RATION_TRY(rn_arena_take(arena, plan->replicas, sizeof *made, &made, error));
    for (int32_t i = 0; i < plan->replicas; i++) {
        made[i] = seen[plan->replica[i].seat[0].node]++;
    }
    *number = made;
    return RATION_OK;
}

ration_status rn_serving_configs_add(const rn_serving_plan *plan, rn_arena *arena,
                                     rn_serving_files *files, ration_error *error)
{
    const rn_serving_scenario *s = &plan->serving->scenario;
    const char **names = NULL;
    int32_t *number = NULL;
    RATION_TRY(rn_serving_config_names(s, arena, &names, error));
    RATION_TRY(number_replicas(plan, arena, &number, error));
    files->first_config = files->count;
    for (int32_t w = 0; w < s->workloads; w++) {
        rn_text out = {NULL, 0, 0, false};
        add_config(&out, plan, w, number);
        rn_serving_file *file = &files->file[files->count];
        ration_status status =
            out.failed ? ration_error_set(error, RATION_E_MEMORY, "out of memory for %s", names[w])
                       : rn_arena_text(arena, &file->text, error, "%s", out.text);
        file->name = names[w];
        file->bytes = out.bytes;
        free(out.text);
        RATION_TRY(status);
        files->count++;
    }
    return RATION_OK;
}
