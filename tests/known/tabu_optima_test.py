#!/usr/bin/env python3
"""Quadratic assignment by the command: small problems end at the optimum within few epochs, on any number of threads.

Two problems are made here and solved by trying every permutation; the others are published, with proven optima, and are
left out where ../shared is absent."""
import csv
import itertools
import json
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ["RATION_SOURCE"]
BIN = os.environ["RATION_BIN"]
SHARED = os.path.join(os.environ.get("RATION_SHARED", os.path.join(SOURCE, "..", "shared")), "data", "qap")
EPOCHS = 24
PUBLISHED = ("nug12", "nug15", "nug18", "nug20", "chr12a", "chr15a", "had12", "rou12", "scr12", "tai12b", "tai15a", "bur26a")


def solve(path, threads=2):
    command = [BIN, "solve", path, "--format", "qap", "--epochs", str(EPOCHS), "--threads", str(threads), "--quiet", "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, "%s: exit %d: %s" % (path, done.returncode, done.stderr)
    return json.loads(done.stdout)


def matrix(n, seed, zeros):
    """Asymmetric, with a diagonal and negative numbers, from a linear congruence."""
    rows = []
    for _ in range(n):
        row = []
        for _ in range(n):
            seed = (seed * 1103515245 + 12345) % (1 << 31)
            row.append(0 if seed // 65536 % 10 < zeros else seed // 65536 % 61 - 20)
        rows.append(row)
    return rows


def cost(flow, distance, order):
    n = len(flow)
    return sum(flow[i][j] * distance[order[i]][order[j]] for i in range(n) for j in range(n))


def check_made(folder, n, seed, zeros):
    flow, distance = matrix(n, seed, zeros), matrix(n, seed + 1, 1)
    path = os.path.join(folder, "made%d.dat" % n)
    with open(path, "w", encoding="ascii") as file:
        rows = [" ".join(map(str, row)) for row in flow + distance]
        file.write("%d\n%s\n" % (n, "\n".join(rows)))
    best = min(cost(flow, distance, order) for order in itertools.permutations(range(n)))
    result = solve(path)
    assert result["cost"] == best, "%s: %d, the optimum is %d" % (path, result["cost"], best)
    alone = solve(path, threads=1)
    assert alone["digest"] == result["digest"], "%s: another plan on one thread" % path


def check_published():
    with open(os.path.join(SHARED, "best_known.csv"), encoding="utf-8") as file:
        known = {row["instance"]: row for row in csv.DictReader(file)}
    for name in PUBLISHED:
        path = os.path.join(SHARED, name + ".dat")
        if name in known and os.path.exists(path):
            best = int(known[name]["best_known"])
            found = solve(path)["cost"]
            assert found == best, "%s: %d, the optimum is %d" % (name, found, best)
            yield name


def main():
    if not os.path.exists(BIN):
        print("skipped: needs the command")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        for n, seed, zeros in ((1, 3, 0), (2, 1, 0), (3, 5, 5), (7, 7, 3)):
            check_made(folder, n, seed, zeros)
    published = list(check_published()) if os.path.exists(os.path.join(SHARED, "best_known.csv")) else []
    print("optima of 4 problems made here and of %d published ones" % len(published))


if __name__ == "__main__":
    main()
