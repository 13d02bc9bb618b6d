#!/usr/bin/env python3
"""The Nth allocation fails, during `ration plan` and `ration solve`: exit 4, one sentence that speaks of memory, nothing written.

N runs from 1 until the command succeeds; of a command that allocates often, about SAMPLES of them.
"""
import os, pathlib, subprocess, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from plan_case import SMALL, Tally, changed, write

BIN = os.environ["RATION_BIN"]
HERE = pathlib.Path(__file__).resolve().parent
GAP = "2 3\n4 7 2\n5 3 6\n3 2 4\n2 5 3\n6 7\n"
SAMPLES = 120
MOST = 1 << 20  # allocations of a command; more means that the count has no end


def build(room):
    shim = room / "fail_malloc.so"
    done = subprocess.run([os.environ.get("RATION_CC", "cc"), "-O1", "-shared", "-fPIC", "-o", shim, HERE / "fail_malloc.c", "-ldl"],
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print("skipped: the compiler makes no library to preload: " + done.stderr.strip()[:200])
        sys.exit(77)
    return shim


def run(shim, at, words):
    env = dict(os.environ, LD_PRELOAD=str(shim), FAIL_AT=str(at))
    done = subprocess.run([str(w) for w in words], env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def last(shim, words):
    """The number of allocations: the least N that nothing refuses, to within the halving."""
    low, high = 0, 1
    while run(shim, high, words)[0] == 4:
        low, high = high, 2 * high
        if high > MOST:
            return high
    return high


def command(tally, shim, label, words, target):
    most = last(shim, words)
    tally.see(1 < most <= MOST, label, "allocations end", most)
    step = max(1, most // SAMPLES)
    refused = 0
    for at in [*range(1, min(20, most)), *range(min(20, most), most + 1, step)]:
        remove(target)
        code, out, err = run(shim, at, words)
        if code == 0:
            tally.see(target.exists(), label, at, "success writes")
            continue
        refused += 1
        lines = err.strip().splitlines()
        tally.see(code == 4 and len(lines) == 1 and "memory" in lines[0], label, at, code, err[-300:])
        tally.see(not target.exists() and not list(target.parent.glob("*.tmp*")), label, at, "nothing is written")
    tally.see(refused >= 10, label, "most of the sample fails", refused)


def remove(target):
    if target.is_dir():
        for path in sorted(target.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        target.rmdir()
    elif target.exists():
        target.unlink()


def one_workload(s):
    del s["workloads"][0]
    s["nodes"][0]["count"] = 1


def main():
    if os.environ.get("RATION_SANITIZE"):
        print("skipped: a sanitizer has allocation functions of its own")
        return 77
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        room = pathlib.Path(name)
        shim = build(room)
        out = room / "out"
        out.mkdir()
        scenario = write(room / "s.json", changed(one_workload))
        gap = room / "small.gap"
        gap.write_text(GAP)
        quick = ["--epochs", 1, "--threads", 1, "--backend", "openmp", "--quiet"]
        command(tally, shim, "gap", [BIN, "solve", gap, "--format", "gap", "--json", out / "r.json", *quick], out / "r.json")
        command(tally, shim, "plan", [BIN, "plan", scenario, "-o", out / "plan", *quick], out / "plan")
    return tally.end()


if __name__ == "__main__":
    sys.exit(main())
