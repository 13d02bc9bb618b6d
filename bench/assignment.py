#!/usr/bin/env python3
"""Quality of `ration solve` on generalised assignment, over seeds.

    bench/assignment.py --data ../shared/data/gap --time 30 --seeds 3 d20200 d801600 e801600 c201600 c40400
    bench/assignment.py --data ../shared/data/gap --time 5 --seeds 1          all files of types C, D, E

Prints a row per instance: best known cost, what the seeds found over it in percent (min, median, max), the proven bound
below it, seconds of the bound alone. Every result is checked with `ration verify`. Exit 1 if one is not feasible.
"""
import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent


def run(command):
    return subprocess.run([str(word) for word in command], check=False).returncode


def bound_of(ration, path, folder):
    target = pathlib.Path(folder) / "bound.json"
    begun = time.monotonic()
    if run([ration, "bound", path, "--format", "gap", "--json", target, "--quiet"]) != 0:
        sys.exit(f"assignment: the bound of {path} failed")
    seconds = time.monotonic() - begun
    return json.loads(target.read_text())["bound"], seconds


def cost_of(ration, path, seed, options, folder):
    target = pathlib.Path(folder) / "result.json"
    code = run([ration, "solve", path, "--format", "gap", "--time", options.time, "--threads", options.threads,
                "--seed", seed, "--json", target, "--quiet"])
    if code != 0 or run([ration, "verify", target, "--quiet"]) != 0:
        return None
    return json.loads(target.read_text())["cost"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ration", default=SOURCE / "build" / "ration")
    parser.add_argument("--data", default=SOURCE.parent / "shared" / "data" / "gap", type=pathlib.Path)
    parser.add_argument("--time", default="30")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--seeds", default=3, type=int)
    parser.add_argument("instances", nargs="*")
    options = parser.parse_args()
    with open(options.data / "best_known.csv", newline="") as file:
        best = {row["instance"]: int(row["best_known"]) for row in csv.DictReader(file) if row["sense"] == "min"}
    names = options.instances or sorted(
        path.stem for path in options.data.glob("[cde][0-9]*.txt") if path.stem in best)
    print("| instance | best known | over, min | median | max % | bound below, % | bound alone, s |")
    print("|---|---|---|---|---|---|---|")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            path = options.data / f"{name}.txt"
            bound, seconds = bound_of(options.ration, path, folder)
            costs = [cost_of(options.ration, path, seed, options, folder) for seed in range(1, options.seeds + 1)]
            if None in costs:
                failed += 1
                print(f"| {name} | {best[name]} | no feasible plan | | | | |", flush=True)
                continue
            over = sorted(100.0 * (cost - best[name]) / best[name] for cost in costs)
            below = 100.0 * (best[name] - bound) / best[name]
            print(f"| {name} | {best[name]} | {over[0]:.3f} | {statistics.median(over):.3f} | {over[-1]:.3f} | "
                  f"{below:.3f} | {seconds:.2f} |", flush=True)
    sys.exit(1 if failed else 0)


main()
