#!/usr/bin/env python3
"""`ration solve --exact`: what a solver on PATH is told, and what becomes of what it leaves. The solvers here are stand-ins."""
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile

BINARY = os.environ["RATION_BIN"]
folder = tempfile.mkdtemp(prefix="ration-exact-")
failures = []

PROGRAM = {"format": "ration-program", "version": 1, "rows": [{"name": "r", "high": 3}], "modes": [{"name": "m"}],
           "items": [{"name": "i", "options": [{"cost": 4, "loads": {"r": 1}}, {"mode": "m", "cost": 9}]},
                     {"name": "j", "options": [{"cost": 1, "loads": {"r": 3}}, {"mode": "m", "cost": 2, "loads": {"r": 1}}]}]}

# Writes what it was told and the files it saw, then leaves the solution that it was given.
STAND_IN = """#!%s
import json, os, sys
told = {"words": sys.argv[1:], "model": open("model.mps").read()[:2], "input": sys.stdin.read(),
        "options": open("options.txt").read() if os.path.exists("options.txt") else None}
json.dump(told, open(%r, "w"))
print("a log")
text = open(%r).read()
if text:
    open("model.sol", "w").write(text)
sys.exit(int(os.environ.get("STAND_IN_EXIT", "0")))
"""


def path(name):
    return os.path.join(folder, name)


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)


def run(*words, code=0, **more):
    environment = dict(os.environ, PATH=path("bin"), TMPDIR=path("tmp"), **more)
    done = subprocess.run([BINARY, "solve", path("p.json")] + list(words), env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, universal_newlines=True)
    if done.returncode != code:
        failures.append("%s: exit %d, expected %d: %s" % (words, done.returncode, code, done.stderr))
    if os.listdir(path("tmp")):
        failures.append("%s: left %s" % (words, os.listdir(path("tmp"))))
    return done.stdout, done.stderr


def told():
    with open(path("told.json"), encoding="utf-8") as file:
        return json.load(file)


def check(name, seen, wanted):
    if seen != wanted:
        failures.append("%s: %r, expected %r" % (name, seen, wanted))


def check_words():
    limits = ["--time", "1.5", "--threads", "2"]
    run("--exact", "highs", *limits)
    check("highs", told()["words"], ["model.mps", "--options_file", "options.txt"])
    check("highs' options", told()["options"], "mip_rel_gap = 0\nmip_abs_gap = 0\nwrite_solution_to_file = true\n"
          "solution_file = model.sol\ntime_limit = 2\nthreads = 2\n")
    check("input and model", (told()["input"], told()["model"]), ("", "* "))
    run("--exact", "scip", *limits)
    check("scip", told()["words"], ["-c", "read model.mps", "-c", "set limits gap 0", "-c", "set limits time 2", "-c", "optimize",
                                    "-c", "write solution model.sol", "-c", "quit"])
    run("--exact", "cbc", *limits)
    check("cbc", told()["words"], ["model.mps", "-sec", "2", "-threads", "2", "-ratio", "0", "-allow", "0", "-solve", "-solu",
                                   "model.sol", "-quit"])
    write("p.json", json.dumps(dict(PROGRAM, objective={"sense": "maximise"})))
    run("--exact", "cbc", "--time", "7")
    check("cbc's direction", told()["words"][:4], ["model.mps", "-sec", "7", "-max"])
    write("p.json", json.dumps(PROGRAM))


def check_results():
    out, said = run("--exact", "highs", "--json", "-")
    result = json.loads(out)
    check("cost", (result["cost"], result["status"], result.get("bound"), len(result["picks"])), (6, "feasible", None, 2))
    check("the solver's word", "highs says 'Optimal'" in said, True)
    check("--quiet", run("--exact", "highs", "--quiet"), ("", ""))
    run("--exact", "highs", STAND_IN_EXIT="3")  # what it left counts
    write("left.sol", "Model status\nFeasible\nx(i) 1\nx(j) 1\n")
    out, _ = run("--exact", "highs", "--json", "-", code=1)
    check("violations", len(json.loads(out)["violations"]), 1)
    write("left.sol", "Model status\nInfeasible\n")
    check("no picks", "no pick for item" in run("--exact", "highs", code=1)[1], True)
    write("left.sol", "")
    check("no file", "left no solution" in run("--exact", "highs", code=1)[1], True)


def check_refusals():
    for words, code, about in ((["--exact", "cpsat"], 2, "highs|scip|cbc"), (["--exact", "highs", "--epochs", "3"], 2, "--exact"),
                               (["--exact", "highs", "--start", path("left.sol")], 2, "begins with no picks")):
        check(words, about in run(*words, code=code)[1], True)
    os.remove(path("bin/highs"))
    check("absent", "highs was not found on PATH" in run("--exact", "highs", code=4)[1], True)
    write("bin/highs", "#!/no/such/interpreter\n")
    os.chmod(path("bin/highs"), stat.S_IRWXU)
    check("broken", "cannot be run" in run("--exact", "highs", code=4)[1], True)


def main():
    try:
        os.mkdir(path("bin"))
        os.mkdir(path("tmp"))
        for name in ("highs", "scip", "cbc"):
            write("bin/" + name, STAND_IN % (sys.executable, path("told.json"), path("left.sol")))
            os.chmod(path("bin/" + name), stat.S_IRWXU)
        write("p.json", json.dumps(PROGRAM))
        write("left.sol", "Model status\nOptimal\nx(i) 1\nx(j,,m) 1\n")
        check_words()
        check_results()
        check_refusals()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for sentence in failures:
        print("FAIL", sentence)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
