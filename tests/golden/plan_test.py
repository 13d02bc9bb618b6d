#!/usr/bin/env python3
"""`ration plan` and the folder it writes: the examples, an infeasible scenario, names, traces, moved folders, earlier plans."""
import json, os, pathlib, shlex, shutil, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from plan_case import EXAMPLES, SMALL, Tally, changed, check, plan, verify, write

try:
    import yaml
except ImportError:
    yaml = None


def accepted(tally, folder, what):
    code, text = verify(folder)
    tally.see(code == 0, what, "verify:", code, text)
    code, text = check(folder)
    tally.see(code == 0, what, "check_plan.py:", text)


def examples(tally, room):
    found = sorted(p for p in EXAMPLES.iterdir() if p.suffix in (".json", ".yaml"))
    tally.see(len(found) >= 3, "examples:", found)
    for example in found:
        folder = room / example.name
        code, out, err = plan(example, folder)
        tally.see(code == 0 and "cost" in out, example.name, code, err)
        accepted(tally, folder, example.name)
        tally.see((folder / "scenario.json").exists() and not list(folder.glob(".ration*")), example.name, list(folder.iterdir()))


def same_anywhere(tally, room):
    """The same plan from another folder, by a relative path; a moved folder is still verified."""
    (room / "deep" / "er").mkdir(parents=True)
    write(room / "deep" / "small.json", SMALL)
    plan(room / "deep" / "small.json", room / "one")
    plan("../small.json", "two", cwd=room / "deep" / "er")
    one, two = (json.loads((f / "plan.json").read_text(encoding="utf-8")) for f in (room / "one", room / "deep" / "er" / "two"))
    for p in (one, two):
        p["result"].pop("elapsed_s")
    tally.see(one == two, "plans differ with the current folder")
    shutil.move(room / "deep" / "er" / "two", room / "moved")
    shutil.rmtree(room / "deep")
    accepted(tally, room / "moved", "moved")


def trace(tally, room):
    (room / "t").mkdir()
    rows = [f"2024-05-01 10:00:{k / 4:09.6f},{300 + 37 * k % 900},{20 + 11 * k % 200}" for k in range(200)]
    write(room / "t" / "log.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n" + "\n".join(rows) + "\n")

    def traced(s):
        w = s["workloads"][1]
        del w["input_tokens"], w["output_tokens"], w["rate_per_s"]
        w["trace"] = "log.csv"
        s.pop("name")
    code, _, err = plan(write(room / "t" / "traced.json", changed(traced)), room / "traced")
    tally.see(code == 0 and (room / "traced" / "trace-1.csv").exists(), "trace", code, err)
    shutil.rmtree(room / "t")
    accepted(tally, room / "traced", "trace")
    tally.see(json.loads((room / "traced" / "scenario.json").read_text())["name"] == "traced", "name of the scenario")


NAMES = ["聊天 助手", "Réponses «rapides»", "..", ".hidden", "A", "a", "scenario", "plan", "it's \"quoted\"", "$(touch x) `y` ; z", "-rf",
         "a b", "x" * 100, "tab-workload-13", "#comment: {x}", "no"]


def names(tally, room):
    def named(s):
        tags = s["workloads"].pop()
        s["workloads"] = [dict(tags, name=name, rate_per_s=0.05 + 0.01 * k, min_replicas=1, gpu_shares=[0.25])
                          for k, name in enumerate(NAMES)]
        s["nodes"][0]["name"] = "nœud 1"
    folder = room / "names"
    code, _, err = plan(write(room / "names.json", changed(named)), folder)
    tally.see(code == 0, "names", code, err)
    accepted(tally, folder, "names")
    p = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    files = [w["config"] for w in p["workloads"]]
    tally.see(len({f.lower() for f in files}) == len(NAMES), "file names", files)
    tally.see(all(f.isascii() and not f.startswith(".") and "/" not in f and (folder / f).is_file() for f in files), files)
    tally.see(sorted(os.listdir(folder)) == sorted(files + ["plan.json", "scenario.json"]), os.listdir(folder))
    for name, file in zip(NAMES, files) if yaml else ():
        config = yaml.safe_load((folder / file).read_text(encoding="utf-8"))
        words = shlex.split(config["replicas"][0]["commands"]["vllm"][0]["run"])
        tally.see(config["workload"] == name and words[words.index("--served-model-name") + 1] == name, "command of", name, words)
        tally.see(words[0].startswith("CUDA_VISIBLE_DEVICES=") and words[1:3] == ["vllm", "serve"], words)


def infeasible(tally, room):
    def tight(s):
        s["nodes"] = [{"name": "desk", "gpu": "RTX-4090", "gpus": 1, "price_per_gpu_hour": 0.4}]
        s["workloads"] = s["workloads"][:1]
        for key in ("precisions", "tensor_parallel"):
            del s["workloads"][0][key]
    folder = room / "tight"
    code, out, err = plan(write(room / "tight.json", changed(tight)), folder)
    tally.see(code == 1 and "infeasible" in out, "70B on 24 GB:", code, out, err)
    p = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    tally.see(p["status"] == "infeasible" and p["violations"] and p["result"]["violations"], p["violations"], p["result"])
    advice = " ".join(p["advice"])
    tally.see("add" in advice and "RTX-4090" in advice and "GB" in advice, "advice:", p["advice"])
    tally.see(p["advice"] and all(text in out for text in ("chat", "RTX-4090")), "the table says", out)
    accepted(tally, folder, "infeasible")


def earlier(tally, room):
    """A second plan in a folder removes what the first one wrote, and nothing else."""
    folder = room / "again"
    plan(write(room / "both.json", SMALL), folder)
    (folder / "notes.txt").write_text("mine")
    (folder / "mine.yaml").write_text("mine: 1\n")
    code, _, err = plan(write(room / "one.json", changed(lambda s: s["workloads"].pop())), folder)
    found = sorted(os.listdir(folder))
    tally.see(code == 0 and found == ["chat.yaml", "mine.yaml", "notes.txt", "plan.json", "scenario.json"], "second plan", found, err)
    accepted(tally, folder, "second plan")
    blocked = room / "blocked"
    (blocked / "tags.yaml").mkdir(parents=True)
    code, out, err = plan(room / "both.json", blocked)
    tally.see(code == 4 and os.listdir(blocked) == ["tags.yaml"] and "tags.yaml" in err, "blocked", code, os.listdir(blocked), err)
    code, out, err = plan(room / "both.json", room / "no" / "such" / "parent")
    tally.see(code in (2, 4) and not (room / "no").exists(), "no parent", code, err)


def engines(tally, room):
    for engine, word in (("sglang", "sglang.launch_server"), ("tensorrt-llm", "trtllm-serve")):
        code, _, err = plan(write(room / f"{engine}.json", changed(lambda s: s.update(engine=engine))), room / engine)
        text = (room / engine / "chat.yaml").read_text(encoding="utf-8")
        tally.see(code == 0 and word in text and "vllm serve" in text and "torchrun" in text, engine, code, err, text)
        accepted(tally, room / engine, engine)


def objectives(tally, room):
    """Too much to serve at once: the other objectives drop the workload that is worth least."""
    def crowded(s):
        s["nodes"][0].update(count=1, gpus=4, power_limit_w=2000)
        s["workloads"][0].update(rate_per_s=4, weight=5, min_replicas=2)
        s["workloads"][1].update(weight=1)
    for objective in ("highest_satisfied_weight", "benefit_per_cost"):
        scenario = changed(lambda s: (crowded(s), s.update(objective=objective)))
        code, _, err = plan(write(room / "crowded.json", scenario), room / objective, epochs=3)
        served = [w["served"] for w in json.loads((room / objective / "plan.json").read_text(encoding="utf-8"))["workloads"]]
        tally.see(code == 0 and served == [True, False], objective, code, err, served)
        accepted(tally, room / objective, objective)


UNUSUAL = {
    "currency": "EUR", "electricity_price_per_kwh": 0.3, "pue": 1.5, "latency_margin": 1.2,
    "nodes": [
        {"name": "big", "count": 2, "gpu": "H100-SXM-80GB", "gpus": 8, "infiniband_gb_per_s": 50, "host_power_w": 1000,
         "price_per_gpu_hour": 3, "power_limit_w": {"limit": 6000, "penalty_per_unit": 0.001}},
        {"name": "own", "count": 2, "gpus": 4, "price_per_gpu_hour": 0.5, "failure_domain": "cellar", "nvlink_islands": [2, 2],
         "gpu": {"name": "X-48", "memory_gib": 48, "memory_gb_per_s": 900, "fp16_tflops": 120, "bf16_tflops": 120, "int8_tops": 240,
                 "nvlink_gb_per_s": 50, "nvlink_gpus": 2, "tdp_w": 300, "idle_w": 25}}],
    "models": [
        {"name": "latent", "catalog": "DeepSeek-V3"}, {"name": "experts", "catalog": "Mixtral-8x7B"},
        {"name": "window", "shape": {"layers": 32, "hidden": 4096, "heads": 32, "kv_heads": 8, "ffn": 14336, "vocab": 32000,
                                     "window_tokens": 1000, "window_layers": 16, "tied_embeddings": True}}],
    "workloads": [
        {"name": "reason", "model": "latent", "rate_per_s": 0.4, "input_tokens": 1000, "output_tokens": 300, "precisions": ["fp8"],
         "nodes": ["big"], "tpot_ms": {"limit": 8, "penalty_per_unit": 0.01}},
        {"name": "mix", "model": "experts", "rate_per_s": 1, "input_tokens": 700, "output_tokens": 100, "nodes": ["own"],
         "precisions": ["bf16"], "tensor_parallel": [4], "survive_domain_loss": {"limit": 0.5, "penalty_per_unit": 0.7}},
        {"name": "near", "model": "window", "rate_per_s": 3, "input_tokens": {"mean": 900, "p95": 3000, "max": 7000},
         "output_tokens": 64, "flash_attention": False, "kv_precisions": ["int8"], "gpu_shares": [0.25, 0.5], "nodes": ["own"],
         "min_replicas": {"limit": 3, "penalty_per_unit": 0.01},
         "quality": {"metric": "F1", "baseline": 0.8, "minimum": {"limit": 0.79, "penalty_per_unit": 0.05},
                     "by_precision": {"int4": 0.76}}}],
}


def unusual(tally, room):
    """Several machines a replica, latent attention, experts, windows, a GPU of one's own, PCIe, soft limits."""
    folder = room / "unusual"
    code, out, err = plan(write(room / "unusual.json", UNUSUAL), folder, epochs=3)
    tally.see(code == 0, "unusual", code, out, err)
    accepted(tally, folder, "unusual")
    p = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    reason, mix, near = (w["replicas"] for w in p["workloads"])
    tally.see(len(reason[0]["seats"]) == 2 and reason[0]["network_gb_per_s"] > 0, "two machines", reason[0])
    text = (folder / "reason.yaml").read_text(encoding="utf-8")
    tally.see("--nnodes 2 --node-rank 1 --master-addr big-1" in text and "--headless" in text, "two machines", text)
    tally.see(mix[0]["pcie_gb_per_s"] > 0, "PCIe", mix[0])
    tally.see(near[0]["mode"]["kv_cache"] == "int8" and not near[0]["mode"]["flash_attention"], "near", near[0])
    by = p["cost"]["by_dimension"]
    tally.see(by["latency"] > 0 and by["redundancy"] > 0 and by["other"] > 0, "penalties", by)


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        room = pathlib.Path(name)
        for part in (examples, same_anywhere, trace, names, infeasible, earlier, engines, objectives, unusual):
            part(tally, room)
    return tally.end()


sys.exit(main())
