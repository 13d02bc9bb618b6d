#!/usr/bin/env python3
"""Broken scenarios: `ration plan` ends with 2 and one line that names the file and the line or path, and writes nothing."""
import json, os, pathlib, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from plan_case import SMALL, Tally, changed, plan, write


def node(**more):
    return changed(lambda s: s["nodes"][0].update(more))


def work(**more):
    return changed(lambda s: s["workloads"][0].update(more))


def less(part, index, key):
    return changed(lambda s: s[part][index].pop(key))


def top(**more):
    return changed(lambda s: s.update(more))


def traced(path):
    def change(s):
        for key in ("input_tokens", "output_tokens"):
            del s["workloads"][0][key]
        s["workloads"][0]["trace"] = path
    return changed(change)


def raw(found, put):
    text = json.dumps(SMALL, indent=2)
    assert found in text, found
    return text.replace(found, put, 1)


def many(workloads, machines):
    def change(s):
        s["nodes"][0].update(count=machines)
        one = s["workloads"][0]
        s["workloads"] = [dict(one, name="w%d" % w, survive_domain_loss=0.5, min_replicas=2) for w in range(workloads)]
    return changed(change)


TWICE = changed(lambda s: s["workloads"][1].update(name="chat"))
HEAD = "TIMESTAMP,ContextTokens,GeneratedTokens\n"
# name: (scenario, words that the line must hold); a scenario as text is written as it is
BROKEN = {
    "unknown field, nearest name": (work(rate_per_sec=3), ["workloads[0]", "rate_per_sec", "rate_per_s", "line"]),
    "unknown field of a node": (node(gpu_count=3), ["nodes[0]", "gpu_count"]),
    "unknown field at the top": (top(workload=[]), ["workload", "workloads"]),
    "unit of memory": (node(gpu={"name": "x", "memory_gb": 80, "memory_gb_per_s": 1, "fp16_tflops": 1, "tdp_w": 1}),
                       ["nodes[0].gpu", "memory_gb", "memory_gib"]),
    "unit of time": (work(ttft_s=2), ["workloads[0]", "ttft_s", "ttft_ms"]),
    "a number with its unit": (work(ttft_ms="500 ms"), ["workloads[0].ttft_ms"]),
    "negative rate": (work(rate_per_s=-1), ["workloads[0].rate_per_s", "-1"]),
    "rate of zero": (work(rate_per_s=0), ["workloads[0].rate_per_s"]),
    "NaN": (raw('"rate_per_s": 1.5', '"rate_per_s": NaN'), ["line"]),
    "infinity": (raw('"rate_per_s": 1.5', '"rate_per_s": Infinity'), ["line"]),
    "1e400": (raw('"rate_per_s": 1.5', '"rate_per_s": 1e400'), ["line"]),
    "no nodes": (top(nodes=[]), ["nodes"]),
    "zero machines": (node(count=0), ["nodes[0].count"]),
    "zero GPUs": (node(gpus=0), ["nodes[0].gpus"]),
    "half a GPU": (node(gpus=3.5), ["nodes[0].gpus", "3.5"]),
    "a million machines": (node(count=1000000), ["nodes[0].count"]),
    "too many GPUs": (node(count=16384), ["nodes", "16384"]),
    "a hundred thousand workloads": (many(100000, 2), ["workloads", "1024"]),
    "a spread of many over many": (many(200, 2000), ["workloads", "200", "2000 failure domains", "262144"]),
    "unknown GPU, nearest name": (node(gpu="A100-SXM-80G"), ["nodes[0].gpu", "A100-SXM-80G", "A100-SXM-80GB"]),
    "unknown catalog model": (changed(lambda s: s["models"][0].update(catalog="Llama-3.1-8")), ["models[0].catalog", "Llama-3.1-8B"]),
    "unknown model of a workload": (work(model="larg"), ["workloads[0].model", "larg", "large"]),
    "missing model": (less("workloads", 0, "model"), ["workloads[0]", "model"]),
    "missing rate": (less("workloads", 0, "rate_per_s"), ["workloads[0]", "rate_per_s"]),
    "missing lengths": (less("workloads", 0, "output_tokens"), ["workloads[0]", "output_tokens"]),
    "missing workloads": (changed(lambda s: s.pop("workloads")), ["workloads"]),
    "models that are no list": (top(models={"name": "x"}), ["models"]),
    "two workloads of one name": (TWICE, ["workloads[1].name", "chat"]),
    "two machines of one name": (changed(lambda s: s["nodes"].append(dict(s["nodes"][0], name="box-1", count=1))), ["box-1"]),
    "islands that don't add up": (node(nvlink_islands=[2, 3]), ["nodes[0].nvlink_islands", "5", "4"]),
    "min_replicas above max_replicas": (work(min_replicas=4, max_replicas=2), ["workloads[0]", "min_replicas", "max_replicas"]),
    "a penalty too high for 64 bits": (work(e2e_p95_ms={"limit": 0.1, "penalty_per_unit": 1e9}), ["workloads[0]", "penalty_per_unit"]),
    "a limit both hard and priced": (work(ttft_ms={"limit": 9, "hard": True, "penalty_per_unit": 1}), ["workloads[0].ttft_ms", "hard"]),
    "lengths that contradict": (work(input_tokens={"mean": 900, "max": 100}), ["workloads[0].input_tokens"]),
    "trace and lengths": (work(trace="good.csv"), ["workloads[0].trace"]),
    "a share of 0.3": (work(gpu_shares=[0.3]), ["workloads[0].gpu_shares[0]", "0.3"]),
    "tensor parallel of 3": (work(tensor_parallel=[3]), ["workloads[0].tensor_parallel[0]", "3"]),
    "unknown precision": (work(precisions=["fp9"]), ["workloads[0].precisions[0]", "fp9", "fp8"]),
    "unknown objective": (top(objective="least_costs"), ["objective", "least_cost"]),
    "unknown engine": (top(engine="vlm"), ["engine", "vllm"]),
    "a PUE below 1": (top(pue=0.9), ["pue", "0.9"]),
    "quality above 1": (work(quality={"metric": "x", "baseline": 79}), ["workloads[0].quality.baseline", "79"]),
    "a price that nobody knows": (changed(lambda s: (s.update(currency="EUR"), s["nodes"][0].pop("price_per_gpu_hour"))),
                                  ["nodes[0]", "price_per_gpu_hour"]),
    "a key twice": (raw('"rate_per_s": 1.5', '"rate_per_s": 1.5, "rate_per_s": 2'), ["rate_per_s", "line"]),
    "text after the end": (json.dumps(SMALL) + "}", ["line"]),
    "a list": ("[]", ["broken.json"]),
    "nothing": ("", ["broken.json"]),
    "half a file": (json.dumps(SMALL)[:300], ["line"]),
    "a name with a slash": (work(name="a/b"), ["workloads[0].name"]),
    "a name with a line break": (work(name="a\nb"), ["workloads[0].name"]),
    "trace: missing": (traced("none.csv"), ["none.csv"]),
    "trace: empty": (traced("empty.csv"), ["empty.csv"]),
    "trace: garbage": (traced("garbage.csv"), ["garbage.csv"]),
    "trace: a folder": (traced("folder.csv"), ["folder.csv"]),
    "trace: a header only": (traced("header.csv"), ["header.csv"]),
    "trace: a bad number": (traced("number.csv"), ["number.csv", "line 3"]),
    "trace: back in time": (traced("time.csv"), ["time.csv", "line 3"]),
}
YAML = {
    "two documents": ("name: x\n---\nname: y\n", ["broken.yaml"]),
    "a tab": ("nodes:\n\t- name: x\n", ["line"]),
    "a rate in words": ("nodes: [{name: a, gpu: L40S, gpus: 1}]\nmodels: [{name: m, catalog: Mistral-7B}]\nworkloads:\n"
                        "  - {name: w, model: m, rate_per_s: ten, input_tokens: 9, output_tokens: 9}\n",
                        ["workloads[0].rate_per_s", "line 4"]),
}


def make_traces(room):
    (room / "folder.csv").mkdir()
    (room / "empty.csv").write_bytes(b"")
    (room / "garbage.csv").write_bytes(bytes(range(1, 256)) * 8)
    (room / "header.csv").write_text(HEAD)
    (room / "good.csv").write_text(HEAD + "2024-01-01 00:00:00,9,9\n2024-01-01 00:00:01,9,9\n")
    (room / "number.csv").write_text(HEAD + "2024-01-01 00:00:00,9,9\n2024-01-01 00:00:01,nine,9\n")
    (room / "time.csv").write_text(HEAD + "2024-01-02 00:00:00,9,9\n2024-01-01 00:00:01,9,9\n")


def main():
    tally = Tally()
    cases = [(name, "broken.json", *case) for name, case in BROKEN.items()] + [(name, "broken.yaml", *case) for name, case in YAML.items()]
    with tempfile.TemporaryDirectory() as name:
        room = pathlib.Path(name)
        make_traces(room)
        for what, file, scenario, words in cases:
            write(room / file, scenario)
            before = sorted(os.listdir(room))
            code, out, err = plan(room / file, room / "out")
            tally.see(code == 2, what, "ends with", code, out, err)
            tally.see(out == "" and err.count("\n") == 1 and err.endswith("\n"), what, "says", out, err)
            tally.see(file in err or words[0] in err and words[0].endswith(".csv"), what, "names no file:", err)
            tally.see(all(word in err for word in words), what, "lacks", [w for w in words if w not in err], err)
            tally.see(sorted(os.listdir(room)) == before, what, "writes", os.listdir(room))
        for missing in (room / "absent.json", room):
            code, out, err = plan(missing, room / "out")
            tally.see(code == 2 and out == "" and err.count("\n") == 1 and missing.name in err, missing, code, out, err)
    return tally.end()


sys.exit(main())
