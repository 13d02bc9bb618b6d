#!/usr/bin/env python3
"""Plans every example of problems/serving from another folder: feasible, proven gap of at most 2 % in 10 s, accepted by both checkers.

An example that misses the 2 % stands in MISSED with the gap that it must not exceed; docs/performance.md says why it does."""
# label: full
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("RATION_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BIN = os.environ.get("RATION_BIN", str(SOURCE / "build" / "ration"))
EXAMPLES = SOURCE / "problems" / "serving" / "examples"
GAP_PERCENT = 2.0
MISSED = {"mixed-pool.yaml": 12.0}
SECONDS = 60 if os.environ.get("RATION_SANITIZE") else 10  # of a sanitized build nothing is promised


def run(*words, cwd):
    return subprocess.run([str(w) for w in words], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def faults(example, folder):
    """Yields what is wrong with the plan of an example."""
    out = pathlib.Path(folder) / example.stem
    done = run(BIN, "plan", example, "-o", out, "--time", SECONDS, "--threads", 2, cwd=folder)
    if done.returncode != 0:
        yield "exit %d: %s" % (done.returncode, done.stdout[-500:])
        return
    plan = json.loads((out / "plan.json").read_text())
    print("%s: %s, gap %.4f %%" % (example.name, plan["status"], plan["gap_percent"]))
    most = MISSED.get(example.name, GAP_PERCENT)
    if plan["status"] not in ("optimal", "feasible") or not 0 <= plan["gap_percent"] <= most:
        yield "status %s, gap %s" % (plan["status"], plan["gap_percent"])
    if not all(w["served"] for w in plan["workloads"]):
        yield "a workload is not served"
    for words in ((BIN, "verify", out), (sys.executable, SOURCE / "tests" / "check_plan.py", out)):
        checked = run(*words, cwd=folder)
        if checked.returncode != 0:
            yield "%s: %s" % (words[0], checked.stdout[-500:])


def main():
    examples = sorted(p for p in EXAMPLES.iterdir() if p.suffix in (".json", ".yaml"))
    wrong = 0 if len(examples) >= 3 else 1
    wrong += len(set(MISSED) - {example.name for example in examples})
    with tempfile.TemporaryDirectory() as folder:
        for example in examples:
            for fault in faults(example, folder):
                print("%s: %s" % (example.name, fault))
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
