#!/usr/bin/env python3
# label: full
"""The command on the shipped instances: never better than a proven optimum, never far from it, bounds on the right side."""
import csv
import json
import os
import subprocess
import sys

SOURCE = os.environ["RATION_SOURCE"]
BIN = os.environ["RATION_BIN"]
FAR_PERCENT = 3.0


def solve(path, kind):
    command = [BIN, "solve", path, "--format", kind, "--epochs", "60", "--quiet", "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, "%s: exit %d: %s" % (path, done.returncode, done.stderr)
    return json.loads(done.stdout)


def check(path, kind, row):
    result = solve(path, kind)
    optimum, cost, bound = int(row["optimum"]), result["cost"], result["bound"]
    sign = -1 if row["sense"] == "max" else 1
    assert sign * cost >= sign * optimum, "%s: %d is better than the optimum %d" % (path, cost, optimum)
    assert bound is None or sign * bound <= sign * optimum, "%s: bound %d, optimum %d" % (path, bound, optimum)
    assert result["status"] != "optimal" or cost == optimum, "%s: %d is called optimal" % (path, cost)
    away = 100.0 * abs(cost - optimum) / optimum
    assert away <= FAR_PERCENT, "%s: %d is %.2f %% from the optimum %d" % (path, cost, away, optimum)
    return away


def main():
    if not os.path.exists(BIN):
        print("skipped: needs the command")
        sys.exit(77)
    away = []
    for kind in ("gap", "mkp", "vbp"):
        folder = os.path.join(SOURCE, "problems", kind, "instances")
        with open(os.path.join(folder, "optima.csv"), encoding="ascii") as file:
            for row in csv.DictReader(file):
                away.append(check(os.path.join(folder, row["file"]), kind, row))
    exact = sum(1 for percent in away if percent == 0)
    assert exact >= 4, "only %d of %d optima were found" % (exact, len(away))
    print("%d of %d optima found; at most %.2f %% away" % (exact, len(away), max(away)))


if __name__ == "__main__":
    main()
