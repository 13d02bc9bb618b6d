#!/usr/bin/env python3
"""Checks the folder of a plan from its scenario, the catalog and plan.json alone, in the user's units.

usage: check_plan.py DIR [CATALOG]      CATALOG: folder with gpus.csv and models.csv, default problems/catalog

Adds up memory, GPU time, links, power, rates, spread and money again; none of ration's code. plan.json has six decimals: sums may
differ by 1e-6 of their size and 1e-5. Limits are checked where the status says that they are kept. Prints "ok" or the first
difference; exit 0 or 1."""
import collections, json, math, pathlib, sys

from plan_scenario import WIDTH, Wrong, catalog, check_set, lengths_of, limit, machines_of, memory_of, need, same, shape_of

DEFAULT = pathlib.Path(__file__).resolve().parent.parent / "problems/catalog"
TIMES = ["ttft_ms", "ttft_p95_ms", "tpot_ms", "e2e_p95_ms"]


def check_replica(where, r, w, shape, lengths, machines, kept):
    mode, (given, fits), total = r["mode"], memory_of(shape, w, r["mode"], lengths), 0
    pcie = check_set(where, r["seats"], mode, machines)
    need(r["node"] == r["seats"][0]["node"] and r["gpus"] == r["seats"][0]["gpus"], where, "node and gpus are not those of seats[0]")
    for key, value in given.items():
        same(r["memory"][key], value, where, key)
        total += value
    same(r["memory"]["total_gib"], total, where, "total_gib")
    need(fits and r["max_context_tokens"] >= lengths[0]["max"] + lengths[1]["max"] - 1e-6, where, "has no room for the longest request")
    need(0 < r["rate_per_s"] and mode["gpu_share"] in w.get("gpu_shares", [1, 0.5, 0.25]), where, "rate or share is not allowed")
    allowed = w.get("precisions", list(WIDTH) if w.get("precisions") else ["fp16", "bf16", "fp8", "int8", "int4"])
    need(mode["precision"] in allowed and mode["batch_size"] <= w.get("max_batch", 256) and
         mode["tp"] in w.get("tensor_parallel", [1, 2, 4, 8]) and mode["pp"] <= w.get("max_pipeline_parallel", 8) and
         mode["kv_cache"] in [str(x) for x in w.get("kv_precisions", ["16", "fp8"])] and
         w.get("flash_attention", mode["flash_attention"]) == mode["flash_attention"] and
         machines[r["node"]]["node"] in w.get("nodes", [machines[r["node"]]["node"]]), where, "is of a kind that the workload excludes")
    span, tp, inner = len(r["seats"]), mode["tp"], mode["pp"] // len(r["seats"])
    tokens = r["rate_per_s"] * (lengths[0]["mean"] + lengths[1]["mean"])
    reduce = math.ceil(shape["layers"] / mode["pp"]) * 2 * 2 * (tp - 1) / tp * 2 * shape["hidden"] * tp * inner
    hand = 2 * shape["hidden"] if mode["pp"] > 1 else 0
    same(r["pcie_gb_per_s"], (reduce + hand * (inner - 1)) * tokens / 1e9 if pcie else 0, where, "pcie_gb_per_s")
    same(r["network_gb_per_s"], hand * tokens / 1e9 if span > 1 else 0, where, "network_gb_per_s")
    n, t, m = tp * mode["pp"] * mode["gpu_share"], r["latency"], machines[r["node"]]
    need(m["idle"] * n - 1e-5 <= r["power_w"] <= m["tdp"] * n + 1e-5, where, "power_w", r["power_w"], "is not that of", n, "GPUs")
    seen = [t["ttft_ms"] * t["margin_ttft"], t["ttft_p95_ms"] * t["margin_ttft"], t["tpot_ms"] * t["margin_tpot"]]
    same(t["e2e_p95_ms"], t["ttft_p95_ms"] + (max(lengths[1]["p95"], lengths[1]["mean"]) - 1) * t["tpot_ms"], where, "e2e_p95_ms")
    inside, mean = r["rate_per_s"] * lengths[1]["mean"] * t["tpot_ms"] / 1000, t["batch_mean"]  # Little's law
    need(mean - 1 <= inside <= mean * (mean + 1) / max(mean, 1) * 1.0001 + 1e-5 and mean <= mode["batch_size"], where, "keeps", inside,
         "sequences busy; batch_mean is", mean)
    seen.append(seen[1] + (max(lengths[1]["p95"], lengths[1]["mean"]) - 1) * seen[2])
    part, penalty, terms = min(1, r["rate_per_s"] / w["asked"]), 0, 0
    for key, value in zip(TIMES, seen):
        most, price = limit(w.get(key))
        need(most is None or price is not None or value <= most * (1 + 1e-6), where, key, value, "with margin, the limit is", most)
        penalty, terms = penalty + part * (price or 0) * max(0, value - (most or 0)), terms + 4 * (price or 0) * value
    same(r["latency_penalty_per_hour"], penalty, where, "latency_penalty_per_hour", terms=terms)
    q, penalty = w.get("quality"), 0
    if q:
        quality = q.get("by_precision", {}).get(mode["precision"], q["baseline"] if mode["precision"] in ("fp16", "bf16") else None)
        least, price = limit(q.get("minimum"), 0)
        need(quality is not None and (price is not None or quality >= least), where, "quality", quality, "is below", least)
        same(r["quality"], quality, where, "quality")
        penalty = part * (price or 0) * 100 * max(0, least - quality)
    same(r["quality_penalty_per_hour"], penalty, where, "quality_penalty_per_hour")


def check_gpus(plan, machines, replicas, kept):
    """Adds tenants, memory, time and power of every GPU; returns rent and mean watts by machine."""
    states, rent, watts = {(g["node"], g["gpu"]): g for g in plan["gpus"]}, 0, dict.fromkeys(machines, 0)
    need(len(states) == len(plan["gpus"]) and set(states) == {(name, k) for name, m in machines.items() for k in range(m["gpus"])},
         "gpus[] does not list every GPU once")
    tenants = collections.defaultdict(list)
    for r, x, k in ((r, x, k) for r in replicas for x in r["seats"] for k in x["gpus"]):
        tenants[x["node"], k].append(r)
    for (name, k), g in states.items():
        m, mine = machines[name], tenants[name, k]
        where, n, time = f"{name} GPU {k}:", len(mine), sum(r["mode"]["gpu_share"] for r in mine)
        need(g["tenants"] == n and g["type"] == m["gpu"], where, "tenants or type:", g["tenants"], g["type"], "expected", n, m["gpu"])
        usable = m["memory"] * (1 - 0.15 - 0.02 * math.log(max(n, 1)))
        average = sum(r["power_w"] / r["mode"]["tp"] / r["mode"]["pp"] for r in mine) + m["idle"] * max(0, 1 - time)
        for key, value in (("memory_used_gib", sum(r["memory"]["total_gib"] for r in mine)), ("memory_usable_gib", usable),
                           ("memory_gib", m["memory"]), ("time_share", time), ("average_w", average if n else 0),
                           ("price_per_hour", m["price"])):
            same(g[key], value, where, key)
        need(not kept or (g["memory_used_gib"] <= usable + 1e-5 and time <= 1 + 1e-9), where, "is over-committed:",
             g["memory_used_gib"], "of", usable, "GiB, time", time)
        rent, watts[name] = rent + (m["price"] if n else 0), watts[name] + (average if n else 0)
    return rent, watts


def check_machines(plan, machines, replicas, watts, kept):
    """Links and power; returns the penalty of soft power limits."""
    links, penalty = {(x["node"], x["link"]): x for x in plan["links"]}, 0
    need(len(links) == len(plan["links"]) == sum(1 + (m["ib"] > 0) for m in machines.values()), "links[] does not list every link once")
    powers = {p["node"]: p for p in plan["power"]}
    need(set(powers) == set(machines) and len(plan["power"]) == len(machines), "power[] does not list every node once")
    tenants = collections.defaultdict(list)
    for r, x in ((r, x) for r in replicas for x in r["seats"]):
        tenants[x["node"]].append(r)
    for name, m in machines.items():
        here = tenants[name]
        for link, key, capacity in [("pcie", "pcie_gb_per_s", m["pcie"] * m["gpus"]), ("infiniband", "network_gb_per_s", m["ib"])]:
            used, x = sum(r[key] for r in here), links.get((name, link))
            need(x or not capacity and not used, name, link, "is missing")
            if x:
                same(x["used_gb_per_s"], used, name, link, "used_gb_per_s")
                same(x["capacity_gb_per_s"], capacity, name, link, "capacity_gb_per_s")
                same(x["usable_gb_per_s"], 0.7 * capacity, name, link, "usable_gb_per_s")
                need(not kept or used <= 0.7 * capacity + 1e-5, name, link, "carries", used, "of", 0.7 * capacity, "GB/s")
        busy, p = len({(x["node"], k) for r in here for x in r["seats"] if x["node"] == name for k in x["gpus"]}), powers[name]
        provisioned, (most, price) = m["host"] + busy * m["tdp"] + (m["gpus"] - busy) * m["idle"], m["limit"]
        same(p["provisioned_w"], provisioned, name, "provisioned_w")
        same(p["average_w"], watts[name], name, "average_w")
        need(p["limit_w"] == most, name, "limit_w is", p["limit_w"], "expected", most)
        need(not kept or most is None or price is not None or provisioned <= most + 1e-5, name, "needs", provisioned, "of", most, "W")
        penalty += (price or 0) * max(0, provisioned - most) if most is not None else 0
    return penalty


def check_workload(folder, w, p, scenario, shapes, machines, kept):
    """One workload; returns its latency, redundancy and other penalties an hour, and its requests an hour if it is served."""
    where, lengths = f"workload {w['name']}:", lengths_of(folder, w)
    need(p["name"] == w["name"] and p["model"] == w["model"], where, "the plan has", p["name"], "with", p["model"])
    w["asked"] = w.get("rate_per_s", p["rate_per_s"])
    same(p["rate_per_s"], w["asked"], where, "rate_per_s")
    for key, length in zip(("input_tokens", "output_tokens"), lengths):
        for part, value in length.items():
            same(p[key][part], value, where, key, part)
    for r in p["replicas"]:
        check_replica(f"replica {r['name']}", r, w, shapes[w["model"]], lengths, machines, kept)
    capacity, count, redundancy = sum(r["rate_per_s"] for r in p["replicas"]), len(p["replicas"]), 0
    same(p["capacity_per_s"], capacity, where, "capacity_per_s")
    carried = capacity >= w["asked"] * (1 - 1e-5)
    hard = limit(w.get("served"))[1] is None and ("served" in w or scenario.get("objective", "least_cost") == "least_cost")
    need(carried or not p["served"], where, "carries", capacity, "of", w["asked"], "requests/s and is called served")
    need(p["served"] or not kept or not hard, where, "is not served")
    need(count <= w.get("max_replicas", count), where, "has", count, "replicas, at most", w.get("max_replicas"))
    if p["served"]:
        least, price = limit(w.get("min_replicas"), 1)
        need(not kept or price is not None or count >= least, where, "has", count, "replicas, at least", least)
        redundancy += (price or 0) * max(0, least - count)
        least, price = limit(w.get("survive_domain_loss"))
        for domain in {m["domain"] for m in machines.values()} if least is not None else ():
            left = sum(r["rate_per_s"] for r in p["replicas"] if all(machines[x["node"]]["domain"] != domain for x in r["seats"]))
            need(not kept or price is not None or left >= least * w["asked"] * (1 - 1e-5), where, left, "requests/s are left without",
                 domain, "expected", least * w["asked"])
            redundancy += (price or 0) * max(0, least - left / w["asked"])
    other = sum(r["quality_penalty_per_hour"] for r in p["replicas"])
    other += 0 if p["served"] else limit(w.get("served"))[1] or 0
    return sum(r["latency_penalty_per_hour"] for r in p["replicas"]), redundancy, other, 3600 * w["asked"] if p["served"] else 0


def check(folder, facts):
    plan, scenario = (json.loads((folder / name).read_text(encoding="utf-8")) for name in ("plan.json", "scenario.json"))
    need(plan["format"] == "ration-plan-1" and plan["status"] == plan["result"]["status"], "format or status")
    kept = plan["status"] in ("optimal", "feasible")
    machines, models = machines_of(scenario, catalog(facts, "gpu")), catalog(facts, "model")
    shapes = {m["name"]: shape_of(m, models) for m in scenario["models"]}
    need(len(plan["workloads"]) == len(scenario["workloads"]), "workloads[] has", len(plan["workloads"]), "entries")
    parts = [check_workload(folder, w, p, scenario, shapes, machines, kept) for w, p in zip(scenario["workloads"], plan["workloads"])]
    replicas = [r for p in plan["workloads"] for r in p["replicas"]]
    picked = {p["item"]: p for p in plan["result"].get("picks", []) if "place" in p}
    need(sorted(picked) == sorted(r["name"] for r in replicas) and
         all(picked[r["name"]]["mode"] == r["mode"]["name"] and picked[r["name"]]["place"].startswith(r["node"]) for r in replicas),
         "the replicas are not the picks of the result")
    rent, watts = check_gpus(plan, machines, replicas, kept)
    power = check_machines(plan, machines, replicas, watts, kept)
    cost, price, pue = plan["cost"], scenario.get("electricity_price_per_kwh", 0.12), scenario.get("pue", 1.3)
    kwh, requests = sum(watts.values()) * pue / 1000, sum(x[3] for x in parts)
    by = {"money": rent, "energy": kwh * price, "latency": sum(x[0] for x in parts), "redundancy": sum(x[1] for x in parts),
          "other": sum(x[2] for x in parts) + power}
    for key, value in by.items():
        same(cost["by_dimension"][key], value, "cost by_dimension", key)
    same(cost["energy_kwh_per_hour"], kwh, "cost energy_kwh_per_hour")
    same(cost["per_hour"], sum(by.values()), "cost per_hour")
    need(requests or cost["per_1000"] is None, "cost per_1000 is", cost["per_1000"])
    same(cost["per_1000"] or 0, 1000 * sum(by.values()) / requests if requests else 0, "cost per_1000")
    need(cost["currency"] == scenario.get("currency", "USD"), "currency is", cost["currency"])
    for p in plan["workloads"]:
        each = [machines[r["node"]]["price"] * r["mode"]["tp"] * r["mode"]["pp"] * r["mode"]["gpu_share"] + r["power_w"] * pue / 1000 *
                price + r["latency_penalty_per_hour"] + r["quality_penalty_per_hour"] for r in p["replicas"]]
        same(p["cost_per_hour"], sum(each), "workload", p["name"], "cost_per_hour")


def main():
    try:
        check(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else DEFAULT)
    except (Wrong, KeyError, TypeError, IndexError, ValueError, OSError) as wrong:
        print(f"{sys.argv[1]}: {'' if isinstance(wrong, Wrong) else type(wrong).__name__ + ' '}{wrong}")
        return 1
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
