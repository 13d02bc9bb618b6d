#!/usr/bin/env python3
# label: full
"""Random scenarios: whatever `ration plan` writes, `ration verify` and check_plan.py accept, feasible or not."""
import collections, json, pathlib, random, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from plan_case import Tally, check, plan, verify, write

GPUS = ["A100-SXM-80GB", "H100-SXM-80GB", "L40S", "RTX-4090", "A100-SXM-80GB", "V100-SXM2-32GB"]
MODELS = ["Llama-3.1-8B", "Llama-3.1-70B", "Mixtral-8x7B", "Mistral-7B", "Qwen2.5-32B"]
COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 40


def limit(draw, value):
    """Hard, soft, or none."""
    kind = draw.random()
    return {} if kind < 0.4 else value if kind < 0.7 else {"limit": value, "penalty_per_unit": round(draw.uniform(0.0001, 0.1), 4)}


def put(draw, to, key, value):
    made = limit(draw, value)
    if made != {}:
        to[key] = made


def length(draw, low, high):
    mean = draw.randint(low, high)
    return mean if draw.random() < 0.3 else {"mean": mean, "p95": 2 * mean, "max": draw.randint(2 * mean, 6 * mean)}


def node(draw, k):
    n = {"name": f"n{k}", "gpu": draw.choice(GPUS), "gpus": draw.choice([1, 2, 4, 8]), "count": draw.randint(1, 3),
         "price_per_gpu_hour": round(draw.uniform(0.1, 5), 3), "host_power_w": draw.choice([0, 450.5])}
    if draw.random() < 0.5:
        n["infiniband_gb_per_s"] = draw.choice([12.5, 50])
    if draw.random() < 0.3:
        n["failure_domain"] = draw.choice("ab")
    if n["gpu"].startswith(("A100", "H100")) and n["gpus"] == 8 and draw.random() < 0.4:
        n["nvlink_islands"] = draw.choice([[4, 4], [2, 2, 4], [1, 1, 2, 4]])
    put(draw, n, "power_limit_w", 450 * n["gpus"] + 400)
    return n


def workload(draw, k, models):
    w = {"name": f"w{k}", "model": draw.choice(models), "rate_per_s": round(10 ** draw.uniform(-2.5, 1.2), 4),
         "input_tokens": length(draw, 10, 3000), "output_tokens": length(draw, 1, 600), "weight": draw.randint(0, 9)}
    put(draw, w, "ttft_ms", draw.choice([500, 4000]))
    put(draw, w, "tpot_ms", draw.choice([40, 150]))
    put(draw, w, "e2e_p95_ms", draw.choice([9000, 60000]))
    put(draw, w, "min_replicas", draw.randint(0, 3))
    put(draw, w, "survive_domain_loss", draw.choice([0.3, 0.5, 1]))
    if draw.random() < 0.3:
        w["served"] = {"penalty_per_unit": draw.choice([0.5, 30])}
    if draw.random() < 0.3:
        w["quality"] = {"metric": "acc", "baseline": 0.7, "by_precision": {"fp8": 0.69, "int4": 0.65}}
        put(draw, w["quality"], "minimum", draw.choice([0.66, 0.695]))
    if draw.random() < 0.2:
        w["flash_attention"] = False
    if draw.random() < 0.2:
        w["kv_precisions"] = draw.choice([["int8"], ["fp8", "int8"], ["16"]])
    if draw.random() < 0.2:
        w["max_replicas"] = draw.randint(3, 5)
    return w


def scenario(seed):
    draw = random.Random(seed)
    models = [{"name": f"m{k}", "catalog": draw.choice(MODELS)} for k in range(draw.randint(1, 3))]
    made = {"nodes": [node(draw, k) for k in range(draw.randint(1, 3))], "models": models,
            "workloads": [workload(draw, k, [m["name"] for m in models]) for k in range(draw.randint(1, 5))]}
    if draw.random() < 0.4:
        made["objective"] = draw.choice(["highest_satisfied_weight", "benefit_per_cost"])
    if draw.random() < 0.3:
        made["latency_margin"] = draw.choice([1, 1.5])
    return made


def main():
    tally, seen = Tally(), collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        room = pathlib.Path(name)
        for seed in range(COUNT):
            code, out, err = plan(write(room / "random.json", scenario(seed)), room / str(seed))
            tally.see(code in (0, 1), "seed", seed, code, err)
            if code not in (0, 1):
                continue
            status = json.loads((room / str(seed) / "plan.json").read_text())["status"]
            seen[status] += 1
            tally.see((code == 0) == (status in ("optimal", "feasible")), "seed", seed, code, status)
            code, text = verify(room / str(seed))
            tally.see(code == 0, "seed", seed, "verify:", text)
            code, text = check(room / str(seed))
            tally.see(code == 0, "seed", seed, "check_plan.py:", text)
    print(dict(seen))
    tally.see(len(seen) >= 2, "all plans end alike:", seen)
    return tally.end()


sys.exit(main())
