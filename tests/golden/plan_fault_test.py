#!/usr/bin/env python3
"""Faults planted in the folder of a plan: `ration verify` and check_plan.py refuse each of them, and accept the folder without."""
import json, pathlib, shutil, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from plan_case import SMALL, Tally, check, plan, verify, write


def first(p, workload=0):
    return p["workloads"][workload]["replicas"][0]


def mebibytes(p):
    for key in first(p)["memory"]:
        first(p)["memory"][key] *= 1024


def lighter_weights(p):
    """Consistent everywhere: only the model's size contradicts it."""
    r = first(p)
    less = r["memory"]["weights_gib"] / 2
    r["memory"]["weights_gib"] -= less
    r["memory"]["total_gib"] -= less
    for g in p["gpus"]:
        if g["node"] == r["node"] and g["gpu"] in r["gpus"]:
            g["memory_used_gib"] -= less


def drop_replica(p):
    del p["workloads"][1]["replicas"][0]


def gpu_twice(p):
    r = first(p)
    r["gpus"] = r["seats"][0]["gpus"] = [r["gpus"][0]] * len(r["gpus"])


def gpu_listed_twice(p):
    p["gpus"][1] = dict(p["gpus"][0])


def gpu_absent(p):
    r = first(p, 1)
    r["gpus"] = r["seats"][0]["gpus"] = [9]


def inflate_rate(p):
    first(p)["rate_per_s"] *= 2
    p["workloads"][0]["capacity_per_s"] = sum(r["rate_per_s"] for r in p["workloads"][0]["replicas"])


def change_price(p):
    used = [g for g in p["gpus"] if g["tenants"]]
    for g in p["gpus"]:
        g["price_per_hour"] = 1.0
    saved = 0.5 * len(used)
    p["cost"]["by_dimension"]["money"] -= saved
    p["cost"]["per_hour"] -= saved


def forget_tenants(p):
    shared = [g for g in p["gpus"] if g["tenants"] > 1]
    assert shared, "the scenario must put two tenants on a GPU"
    for g in shared:
        g["memory_usable_gib"] = 0.85 * g["memory_gib"]


def cheaper_energy(p):
    p["cost"]["by_dimension"]["energy"] = 0
    p["cost"]["per_hour"] = p["cost"]["by_dimension"]["money"]


def over_power(p):
    p["power"][0]["limit_w"] = 99999


def less_power(p):
    p["power"][0]["provisioned_w"] -= 400


def wider_batch(p):
    first(p)["mode"]["batch_size"] *= 2


def other_precision(p):
    first(p)["mode"]["precision"] = "fp4"


def call_served(p):
    p["workloads"][0]["capacity_per_s"] = 99


def free_link(p):
    p["links"][0]["usable_gb_per_s"] = p["links"][0]["capacity_gb_per_s"]


def move_replica(p):
    """All sums are right, but the picks of the result say another GPU: only the result contradicts it."""
    first(p, 1)["name"] = "tags/9"


BOTH = [mebibytes, lighter_weights, drop_replica, gpu_twice, gpu_listed_twice, gpu_absent, inflate_rate, change_price,
        forget_tenants, cheaper_energy, over_power, less_power, wider_batch, other_precision, call_served, free_link, move_replica]


def faster(p):
    first(p)["latency"]["tpot_ms"] *= 0.9


def tamper_prices(p):
    """Rows of a group need no prices; a price of a shared row that is not scarce lowers the proof below the bound."""
    p["result"]["prices"].append({"row": "time:box-1/2", "value": 10**10, "scale": 1048576})


def tamper_bound(p):
    p["result"]["bound"] += 0.01


def tamper_groups(p):
    p["result"]["certificate"]["groups"] = [group[:1] for group in p["result"]["certificate"]["groups"][1:]]


def tamper_pick(p):
    placed = [pick for pick in p["result"]["picks"] if pick.get("place", "").startswith("box-") and pick["item"].startswith("tags")]
    placed[0]["place"] = "box-2/3" if placed[0]["place"] != "box-2/3" else "box-2/2"


def tamper_digest(p):
    p["result"]["digest"] = "0" * 32


def claim_infeasible(p):
    p["status"] = p["result"]["status"] = "infeasible"


RATION = [faster, tamper_prices, tamper_bound, tamper_groups, tamper_pick, tamper_digest, claim_infeasible]


def yaml_gpus(folder):
    path = folder / "chat.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("gpus: [", "gpus: [3, ", 1), encoding="utf-8")


def yaml_memory(folder):
    path = folder / "tags.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("memory_fraction: 0.", "memory_fraction: 0.0", 1), encoding="utf-8")


def yaml_context(folder):
    path = folder / "chat.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("max_context_tokens: ", "max_context_tokens: 99", 1), encoding="utf-8")


def yaml_command(folder):
    path = folder / "chat.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("VISIBLE_DEVICES=", "VISIBLE_DEVICES=3,", 1), encoding="utf-8")


def yaml_option(folder):
    path = folder / "chat.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("--max-model-len ", "--max-model-len 13", 1), encoding="utf-8")


def scenario_rate(folder):
    scenario = json.loads((folder / "scenario.json").read_text(encoding="utf-8"))
    scenario["workloads"][0]["rate_per_s"] *= 1.5
    write(folder / "scenario.json", scenario)


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        room = pathlib.Path(name)
        good, bad = room / "good", room / "bad"
        code, _, err = plan(write(room / "small.json", SMALL), good)
        tally.see(code == 0, "the plan", code, err)
        tally.see(verify(good)[0] == 0, "verify refuses the plan:", verify(good))
        tally.see(check(good)[0] == 0, "check_plan.py refuses the plan:", check(good))
        for fault in BOTH + RATION:
            shutil.rmtree(bad, ignore_errors=True)
            shutil.copytree(good, bad)
            p = json.loads((bad / "plan.json").read_text(encoding="utf-8"))
            fault(p)
            write(bad / "plan.json", p)
            code, text = verify(bad)
            tally.see(code == 3 and text.count("\n") == 1, "verify after", fault.__name__, code, text)
            tally.see(fault in RATION or check(bad)[0] == 1, "check_plan.py after", fault.__name__, check(bad))
        for fault in (yaml_gpus, yaml_memory, yaml_context, yaml_command, yaml_option, scenario_rate):
            shutil.rmtree(bad, ignore_errors=True)
            shutil.copytree(good, bad)
            fault(bad)
            code, text = verify(bad)
            tally.see(code == 3 and text.count("\n") == 1, "verify after", fault.__name__, code, text)
        for lost in ("plan.json", "scenario.json", "chat.yaml"):
            shutil.rmtree(bad, ignore_errors=True)
            shutil.copytree(good, bad)
            (bad / lost).unlink()
            code, text = verify(bad)
            tally.see(code in (2, 3, 4) and text.count("\n") == 1 and lost in text, "verify without", lost, code, text)
    return tally.end()


sys.exit(main())
