"""What check_plan.py knows of scenarios: machines, models, lengths, and the memory of a replica, from a scenario and the catalog's CSV
files; none of ration's code. Units: GiB, W, GB/s, tokens."""
import csv, math

GIB = 2.0**30
WIDTH = {"fp16": 2, "bf16": 2, "fp8": 1, "int8": 1, "w8a8": 1, "int4": 0.53, "fp4": 0.5625}


class Wrong(Exception):
    pass


def need(truth, *words):
    if not truth:
        raise Wrong(" ".join(str(w) for w in words))


def same(found, expected, *where, terms=0):
    """terms: size of what was subtracted to get the figure."""
    near = isinstance(found, (int, float)) and abs(found - expected) <= 1e-5 + 1e-6 * max(abs(expected), terms)
    need(near, *where, "is", found, "expected", round(expected, 6))


def limit(value, default=None):
    """(limit, penalty): a penalty of None is a hard limit."""
    if value is None:
        return default, None
    return (value.get("limit", default), value.get("penalty_per_unit")) if isinstance(value, dict) else (value, None)


def catalog(folder, name):
    with open(folder / f"{name}s.csv", encoding="utf-8") as f:
        return {row[name].lower(): {k: float(v) if v.replace(".", "", 1).isdigit() else v for k, v in row.items()}
                for row in csv.DictReader(f)}


def gpu_of(given, table):
    if isinstance(given, dict):
        g = given
        return g["name"], g["memory_gib"], g["tdp_w"], g.get("idle_w", 0), g.get("nvlink_gb_per_s", 0), g.get("nvlink_gpus", 1), \
            g.get("pcie_gb_per_s", 31.5), None
    g = table[given.lower()]
    return g["gpu"], g["memory_mib"] / 1024, g["tdp_w"], g["idle_w"] or 0, g["link_gbs_per_direction"] or 0, \
        int(g["link_domain_gpus"] or 1), g["pcie_x16_gbs_per_direction"], g["price_usd_per_gpu_hour"]


def machines_of(scenario, table):
    made = {}
    for at, node in enumerate(scenario["nodes"]):
        name, memory, tdp, idle, link, domain, pcie, price = gpu_of(node["gpu"], table)
        gpus, size = node["gpus"], domain if link and domain > 1 else 1
        islands = node.get("nvlink_islands", [min(size, gpus - i) for i in range(0, gpus, size)])
        for k in range(node.get("count", 1)):
            label = f"{node['name']}-{k + 1}" if node.get("count", 1) > 1 else node["name"]
            made[label] = {"entry": at, "index": k, "gpu": name, "memory": memory, "tdp": tdp, "idle": idle, "gpus": gpus,
                           "islands": islands, "pcie": node.get("pcie_gb_per_s", pcie), "ib": node.get("infiniband_gb_per_s", 0),
                           "host": node.get("host_power_w", 0), "limit": limit(node.get("power_limit_w")), "node": node["name"],
                           "price": node.get("price_per_gpu_hour", price), "domain": node.get("failure_domain", label)}
    return made


def shape_of(model, table):
    s = dict(table[model["catalog"].lower()]) if "catalog" in model else dict(model["shape"])
    get = lambda key, other=0: s[key] if s.get(key) not in ("", None) else other
    s["mats"] = 2 + get("gated_mlp") if "catalog" in model else get("mlp_matrices", 3)
    s["head_dim"], s["tied"] = get("head_dim", s["hidden"] // s["heads"]), get("tied_embeddings")
    s["moe"] = get("moe_layers", s["layers"] if get("experts") else 0)
    for key in "experts topk moe_ffn shared_experts ffn q_lora kv_lora rope_dim nope_dim v_dim window_tokens window_layers".split():
        s[key] = get(key)
    s["every"], s["latent"] = get("moe_every", 1), s.get("attention") == "mla"
    return s


def memory_of(s, w, mode, lengths):
    """Bytes on one GPU of the fullest stage: weights, KV cache, working memory."""
    tp, pp, width, h = mode["tp"], mode["pp"], WIDTH[mode["precision"]], s["hidden"]
    layers, heads, kv_heads = math.ceil(s["layers"] / pp), s["heads"] / tp, max(s["kv_heads"] / tp, 1)
    moe = min(s["moe"], math.ceil(layers / s["every"]))
    expert = s["mats"] * h * s["moe_ffn"]
    attention = 2 * h * s["head_dim"] * (heads + kv_heads)
    if s["latent"]:
        attention = (h * s["q_lora"] + (s["q_lora"] or h) * heads * (s["nope_dim"] + s["rope_dim"]) + h * (s["kv_lora"] + s["rope_dim"])
                     + s["kv_lora"] * heads * (s["nope_dim"] + s["v_dim"]) + heads * s["v_dim"] * h)
    tables = 2 * math.ceil(s["vocab"] / 64 / tp) * 64 * h
    weights = (layers * attention * (2 if mode["precision"] == "fp4" and s["moe"] else width)
               + ((layers - moe) * s["mats"] * h * s["ffn"] + moe * (s["shared_experts"] + s["experts"]) * expert) / tp * width
               + 2 * (moe * h * s["experts"] + (2 * layers + 1) * h) + tables * (2 if pp == 1 and not s["tied"] else 1))
    entry = (s["kv_lora"] + s["rope_dim"] if s["latent"] else 2 * kv_heads * s["head_dim"]) * (2 if mode["kv_cache"] == "16" else 1)
    full = math.ceil(layers * (s["layers"] - s["window_layers"]) / s["layers"])
    block = lambda tokens: math.ceil(tokens / 16) * 16
    kv_of = lambda tokens: entry * (full * block(tokens) + (layers - full) * min(block(tokens), block(s["window_tokens"])))
    mean, most = (sum(x[key] for x in lengths) for key in ("mean", "max"))
    kv = max(mode["batch_size"] * kv_of(mean), kv_of(most))
    widest = (s["q_lora"] + s["kv_lora"] + heads * 2 * (s["nope_dim"] + s["rope_dim"] + s["v_dim"]) if s["latent"]
              else 2 * (heads + kv_heads) * s["head_dim"])
    widest = max(widest, s["mats"] * s["ffn"] / tp if s["moe"] < s["layers"] else 0,
                 s["topk"] * (s["mats"] * s["moe_ffn"] / tp + h) if s["moe"] else 0)
    work = max(2 * 8192 * (2 * h + widest), 38 * mode["batch_size"] * s["vocab"])
    prompt = lengths[0]["max"]
    work += 0 if mode["flash_attention"] else 6 * heads * min(8192, prompt) * prompt
    return {"weights_gib": weights / GIB, "kv_gib": kv / GIB, "work_gib": work / GIB, "reserve_gib": 2e9 / GIB}, kv_of(most) <= kv


def lengths_of(folder, workload):
    if "trace" in workload:
        with open(folder / workload["trace"], encoding="utf-8-sig") as f:
            rows = list(csv.DictReader(f))
        columns = [sorted(float(row[key]) for row in rows) for key in ("ContextTokens", "GeneratedTokens")]
        return [{"mean": max(1, sum(c) / len(c)), "p95": max(1, c[math.ceil(0.95 * len(c)) - 1]), "max": max(1, c[-1])} for c in columns]
    both = []
    for key in ("input_tokens", "output_tokens"):
        x = workload[key] if isinstance(workload[key], dict) else {"mean": workload[key]}
        p95 = x.get("p95", x["mean"])
        both.append({"mean": x["mean"], "p95": p95, "max": x.get("max", max(x["mean"], p95))})
    return both


def check_set(where, seats, mode, machines):
    """GPUs exist, once each, in an aligned set; returns whether the set's GPUs talk over PCIe."""
    for seat in seats:
        need(seat["node"] in machines, where, "is on an unknown node", seat["node"])
        m, gpus = machines[seat["node"]], seat["gpus"]
        need(gpus and gpus == list(range(gpus[0], gpus[0] + len(gpus))) and gpus[0] >= 0 and gpus[-1] < m["gpus"], where, "has GPUs",
             gpus, "of", seat["node"], "which are no set of its", m["gpus"])
        need(m["gpu"] == mode["gpu"], where, "is planned for", mode["gpu"], "but on", m["gpu"])
    m, gpus = machines[seats[0]["node"]], seats[0]["gpus"]
    need(len(seats) * len(gpus) == mode["tp"] * mode["pp"] and len({len(x["gpus"]) for x in seats}) == 1, where, "has", len(seats), "x",
         len(gpus), "GPUs for a layout of", mode["tp"], "x", mode["pp"])
    places = [(machines[x["node"]]["entry"], machines[x["node"]]["index"]) for x in seats]
    need(places == [(places[0][0], places[0][1] + k) for k in range(len(seats))], where, "is on machines that do not follow each other")
    need(len(seats) == 1 or (m["ib"] > 0 and len(gpus) % mode["tp"] == 0), where, "spans machines without a link for it")
    start = 0
    for size in m["islands"]:
        if start <= gpus[0] and gpus[-1] < start + size:
            need((gpus[0] - start) % len(gpus) == 0 or len(seats) > 1, where, "is not aligned in its island:", gpus)
            return False
        start += size
    need(gpus[0] % len(gpus) == 0, where, "is not aligned in its node:", gpus)
    return True
