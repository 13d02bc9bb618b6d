#!/usr/bin/env python3
"""CBC: the command cbc, or the one that the Python package pulp brings along."""
import importlib.util
import re
import shutil
import subprocess
import sys

import adapter

FOUND = re.compile(r"(?:Integer solution of|found solution of) (\S+) found .*\((\d+\.\d+) seconds\)")
BOUND = re.compile(r"^(?:Lower bound|Objective value|Best possible):\s+(\S+)", re.M)


def command():
    if shutil.which("cbc"):
        return "cbc"
    if importlib.util.find_spec("pulp") is None:
        raise adapter.Absent("not installed: pip install pulp, or the package coinor-cbc")
    import pulp
    solver = pulp.PULP_CBC_CMD(msg=False)
    if not solver.available():
        raise adapter.Absent("not installed: the package pulp brings no cbc for this machine")
    return solver.path


def read_solution(path):
    """{column: value} of the columns that aren't 0; None without a solution."""
    with open(path, encoding="ascii", errors="replace") as file:
        head, lines = file.readline(), file.read().split("\n")
    if "nfeasible" in head or "no integer solution" in head.lower():
        return None
    words = [line.replace("**", " ").split() for line in lines]
    return {int(word[1][1:]): float(word[2]) for word in words if len(word) >= 3 and word[1].startswith("C")}


def solve(task, answer):
    program = command()
    model = task.model()
    path, out = task.folder / "model.mps", task.folder / "model.sol"
    model.write_mps(path)
    words = [program, path, "-sec", task.time, "-timeMode", "elapsed", "-threads", task.threads, "-ratioGap", 0, "-allowableGap", 0,
             "-randomCbcSeed", task.seed, "-branch", "-printingOptions", "all", "-solution", out]
    if model.start:
        start = task.folder / "start.sol"
        lines = ["%d C%d 1 0" % (column, column) for column in model.start]
        start.write_text("\n".join(["Stopped - objective value 0"] + lines) + "\n", encoding="ascii")
        words[2:2] = ["-mipstart", start]
    task.start()
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0 or not out.exists():
        raise adapter.Failed("cbc ended with %d: %s" % (done.returncode, done.stdout[-200:].strip()))
    version = re.search(r"Version: (\S+)", done.stdout)
    answer.version = version.group(1) if version else ""
    for cost, seconds in FOUND.findall(done.stdout):
        answer.improved(round(float(cost)), float(seconds))
    head = out.read_text(encoding="ascii", errors="replace").split("\n")[0]
    values = read_solution(out)
    if values is not None and values:
        answer.chosen = model.chosen(lambda column: values.get(column, 0.0))
    bounds = BOUND.findall(done.stdout)
    if head.startswith("Optimal"):
        answer.status = "optimal"
        answer.bound = sum(form_cost(task, answer).values()) if answer.chosen else None
    elif head.startswith("Infeasible"):
        answer.status = "infeasible"
    elif "Lower bound:" in done.stdout and bounds:
        answer.bound = adapter.round_up(float(re.search(r"Lower bound:\s+(\S+)", done.stdout).group(1)))


def form_cost(task, answer):
    return task.form.evaluate(answer.chosen)[0]


if __name__ == "__main__":
    sys.exit(adapter.main("cbc", solve))
