#!/usr/bin/env python3
"""What users of comparable engines reported as faults, tried here. E-numbers are lines of ../shared/known-faults.md.

    engine_faults_test.py       RATION_BIN is the command
"""
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BINARY = os.environ["RATION_BIN"]
SANITIZED = bool(os.environ.get("RATION_SANITIZE"))
folder = tempfile.mkdtemp(prefix="ration-engine-")
failures = []
tests = []


def test(function):
    tests.append(function)
    return function


def expect(truth, sentence):
    if not truth:
        failures.append("%s: %s" % (sys._getframe(1).f_code.co_name, sentence))


def path(name):
    return os.path.join(folder, name)


def write(name, program):
    with open(path(name), "w", encoding="utf-8") as file:
        json.dump(dict(program, format="ration-program", version=1), file)
    return name


def run(*arguments, **more):
    return subprocess.run([BINARY] + [str(a) for a in arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120, **more)


def solve(*arguments, code=0):
    """The result of `ration solve` (or of another command given as the first argument)."""
    words = list(arguments) if arguments[0] in ("bound", "solve") else ["solve"] + list(arguments)
    done = run(*words, "--quiet", "--json", "-")
    if done.returncode not in (code if isinstance(code, tuple) else (code,)):
        failures.append("%s: exit %d, expected %s: %s" % (sys._getframe(1).f_code.co_name, done.returncode, code,
                                                         done.stderr.decode("utf-8", "replace")[:1000]))
    return json.loads(done.stdout) if done.stdout else {}


def same(result):
    """Everything but the clock and what says where it ran."""
    return {k: v for k, v in result.items() if k not in ("elapsed_s", "threads", "program")}


def verified(result, code=0):
    with open(path("verify.json"), "w", encoding="utf-8") as file:
        json.dump(result, file)
    done = run("verify", "verify.json", "--quiet")
    if done.returncode != code:
        failures.append("%s: verify: %s" % (sys._getframe(1).f_code.co_name, done.stderr.decode("utf-8", "replace")))


def gap(agents, jobs, seed=1, tight=0.8):
    """Type D of the generalised assignment problem: cost falls as need rises."""
    draw = random.Random(seed)
    need = [[draw.randint(1, 100) for _ in range(agents)] for _ in range(jobs)]
    high = [int(tight * sum(line[a] for line in need) / agents) for a in range(agents)]
    return {"rows": [{"name": "r%d" % a, "high": high[a]} for a in range(agents)],
            "places": [{"name": "p%d" % a} for a in range(agents)],
            "items": [{"name": "j%d" % j, "options": [
                {"place": "p%d" % a, "cost": 111 - need[j][a] + draw.randint(-10, 10), "loads": {"r%d" % a: need[j][a]}}
                for a in range(agents)]} for j in range(jobs)]}


def least(program):
    """Least cost by enumeration over flat options with upper and lower limits; None when there is no plan."""
    best = None
    for picks in itertools.product(*(item["options"] for item in program["items"])):
        load = {row["name"]: int(row.get("offset", 0)) for row in program.get("rows", [])}
        for option in picks:
            for row, amount in option.get("loads", {}).items():
                load[row] += int(amount)
        if all(int(row.get("low", -1 << 63)) <= load[row["name"]] <= int(row.get("high", 1 << 63))
               for row in program.get("rows", [])):
            cost = sum(int(option.get("cost", 0)) for option in picks)
            best = cost if best is None else min(best, cost)
    return best


def check_optimum(name, program):
    """ration never says optimal, or gives a bound, beyond the truth; and finds the optimum of a tiny program."""
    result = solve(write(name, program), "--epochs", 20, code=0 if least(program) is not None else 1)
    truth = least(program)
    if truth is None:
        expect(result["status"] in ("infeasible", "unknown"), "%s: %s" % (name, result["status"]))
        return result
    expect(int(result["cost"]) == truth, "%s: cost %s, the optimum is %d" % (name, result["cost"], truth))
    expect(int(result.get("bound", -1 << 62)) <= truth, "%s: bound %s above the optimum" % (name, result.get("bound")))
    expect((result["status"] == "optimal") == (int(result.get("bound", -1 << 62)) == truth), "%s: status" % name)
    verified(result)
    return result


@test
def sums_beyond_32_bits():
    """E1, E31, E32, E33, E50: amounts whose sum in a row passes 2^31 and 2^53; costs of 10^14."""
    for unit in (1 << 30, 1 << 52, 10 ** 14):
        items = [{"name": "i%d" % k, "options": [{"mode": "in", "cost": str(-unit * (k + 1)), "loads": {"r": str(unit)}},
                                                  {"mode": "out"}]} for k in range(6)]
        program = {"rows": [{"name": "r", "high": str(3 * unit)}], "modes": [{"name": "in"}, {"name": "out"}], "items": items}
        check_optimum("wide.json", program)
    result = check_optimum("free.json", dict(program, rows=[{"name": "r", "low": str(-10 ** 18 * 9), "high": str(10 ** 18 * 9)}]))
    expect(result["status"] == "optimal", "limits without effect: %s" % result["status"])


@test
def nothing_to_do():
    """E3, E7, E37, E38: no rows, one option, one chain, no epoch, no time."""
    program = {"items": [{"options": [{"cost": 7}]}, {"options": [{"mode": "a", "cost": -3}, {"mode": "b", "cost": 4}]}],
               "modes": [{"name": "a"}, {"name": "b"}]}
    result = check_optimum("no_rows.json", program)
    expect(result["status"] == "optimal" and result["gap_percent"] == 0, "no rows: %s" % result["status"])
    result = solve(write("max.json", dict(program, objective={"sense": "maximise"})), "--epochs", 1)
    expect((result["cost"], result["bound"]) == (-4, -4), "maximise without rows: %s" % result["cost"])
    start = [{"item": "1"}, {"item": "2", "mode": "b"}]
    with open(path("start.json"), "w", encoding="utf-8") as file:
        json.dump(start, file)
    write("gap.json", gap(3, 12))
    for more in (["--epochs", 0], ["--time", 0], ["--time", 0.000001], ["--epochs", 2, "--chains", 1], ["--epochs", 0, "--chains", 1]):
        result = solve("gap.json", *more, code=(0, 1))
        verified(result)
        expect(len(result["picks"]) == 12, "%s: picks" % more)
    result = solve("gap.json", "--epochs", 0, code=(0, 1))
    expect(result["epochs"] == 0 and result["moves"] == 0, "epochs 0 made %s moves" % result["moves"])
    done = run("bound", "gap.json", "--time", 0, "--json", "-")
    expect(done.returncode == 0, "bound --time 0: %s" % done.stderr)


@test
def start_is_used():
    """E37, E45: with no epoch the plan is never worse than the start."""
    program = gap(3, 12)
    good = solve(write("gap.json", program), "--epochs", 6)
    with open(path("best.json"), "w", encoding="utf-8") as file:
        json.dump(good, file)
    again = solve("gap.json", "--epochs", 0, "--start", "best.json")
    expect(again["status"] in ("optimal", "feasible") and again["cost"] <= good["cost"],
           "%s from a start of %s" % (again["cost"], good["cost"]))


@test
def no_plan():
    """E8, E10, E37, E39: infeasible programs name the rows and give the least violating plan, whatever the start was."""
    options = [{"mode": "x", "cost": 5, "loads": {"r": 2, "low": 1}}, {"mode": "y", "cost": 1, "loads": {"r": 3}}]
    program = {"modes": [{"name": "x"}, {"name": "y"}], "rows": [{"name": "r", "high": 3}, {"name": "low", "low": 4, "high": 9}],
               "items": [{"name": "a", "options": options}, {"name": "b", "options": options}]}
    write("none.json", program)
    with open(path("start.json"), "w", encoding="utf-8") as file:
        json.dump([{"item": "a", "mode": "y"}, {"item": "b", "mode": "y"}], file)
    for more in (["--epochs", 3], ["--epochs", 3, "--start", "start.json"], ["--epochs", 0], ["--time", 0]):
        result = solve("none.json", *more, code=1)
        expect(result["status"] in ("infeasible", "unknown"), "%s: %s" % (more, result["status"]))
        expect(result["gap_percent"] is None, "a gap without a plan")
        expect({v["row"] for v in result["violations"]} == {"r", "low"}, "violations %s" % result["violations"])
        expect(sum(abs(v["load"] - v["limit"]) for v in result["violations"]) == 3, "not the least violation")
        verified(result)
    said = run("solve", "none.json", "--epochs", 3).stdout.decode()
    expect("low" in said and "infeasible" in said and "optimal" not in said, said)
    expect(run("solve", "none.json", "--epochs", 3).returncode == 1, "exit")
    expect(run("bound", "none.json").returncode == 1, "bound of an infeasible program")


@test
def never_optimal_without_proof():
    """E2, E6, E11, E13, E14: tiny knapsacks, tight rows and badly scaled ones against enumeration."""
    draw = random.Random(5)
    for number in range(12):
        scale = [1, 10 ** 6, 10 ** 12][number % 3]
        rows = [{"name": "r%d" % r, "high": draw.randint(2, 9) * (scale if r == 0 else 1)} for r in range(2 + number % 3)]
        rows[-1]["low"] = draw.choice([0, 1, 3])
        items = [{"name": "i%d" % i, "options": [
            {"mode": m, "cost": draw.randint(-20, 20),
             "loads": {row["name"]: draw.randint(0, 4) * (scale if r == 0 else 1) for r, row in enumerate(rows)}}
            for m in ("a", "b", "c")]} for i in range(5)]
        check_optimum("tight%d.json" % number, {"rows": rows, "items": items, "modes": [{"name": m} for m in "abc"]})
    result = solve(write("gap.json", gap(5, 60)), "--epochs", 3)
    printed = run("solve", "gap.json", "--epochs", 3).stdout.decode()
    expect("gap      at most" in printed, "no gap is printed: %s" % printed)
    expect(result["status"] == "optimal" or (result["cost"] > result["bound"] and result["gap_percent"] > 0), "status without gap")


@test
def bits_are_equal():
    """E15, E20 to E30: threads, load, order of flags and the time limit change nothing; the seed does."""
    name = write("gap.json", gap(6, 80))
    first = solve(name, "--epochs", 6, "--seed", 3, "--threads", 1)
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        for threads in (1, 2, 8):
            again = solve(name, "--epochs", 6, "--seed", 3, "--threads", threads)
            expect(same(again) == same(first), "%d threads differ" % threads)
    finally:
        busy.kill()
        busy.wait()
    again = solve("solve", "--threads", 2, "--seed", 3, "--time", 1, "--epochs", 6, name)
    expect(same(again) == same(first), "another order of flags differs")
    timed = solve(name, "--time", 1.5, "--seed", 3)
    again = solve(name, "--epochs", timed["epochs"], "--seed", 3)
    expect(same(again) == same(timed), "a timed run of %d epochs is not replayed" % timed["epochs"])
    digests = {solve(name, "--epochs", 1, "--seed", seed)["digest"] for seed in (1, 2, 3, 4)}
    expect(len(digests) > 1, "four seeds give one plan")
    expect(first["seed"] == 3, "the seed is not in the result")


@test
def cost_is_the_plan_s():
    """E5, E18, E19, E29: what is printed, what is written and what the picks cost are one number."""
    program = gap(5, 60)
    name = write("gap.json", program)
    done = run("solve", name, "--epochs", 4, "--json", "out.json")
    with open(path("out.json"), encoding="utf-8") as file:
        result = json.load(file)
    costs = {(item["name"], option["place"]): option["cost"] for item in program["items"] for option in item["options"]}
    total = sum(costs[pick["item"], pick["place"]] for pick in result["picks"])
    expect(result["cost"] == total, "cost %s, the picks cost %d" % (result["cost"], total))
    lines = dict(line.split(None, 1) for line in done.stdout.decode().splitlines() if line[:1].strip())
    expect(lines["cost"] == str(total) and lines["digest"] == result["digest"], "printed %s" % lines)


@test
def resume_goes_on():
    """E42: 2N epochs are N epochs, a saved state, and N more; after a kill as well."""
    name = write("gap.json", gap(6, 80))
    whole = solve(name, "--epochs", 8)
    solve(name, "--epochs", 4, "--checkpoint", "state")
    expect(same(solve(name, "--epochs", 8, "--resume", "state")) == same(whole), "resumed at 4 of 8")
    solve(name, "--epochs", 6, "--resume", "state", "--checkpoint", "state2", "--threads", 2)
    expect(same(solve(name, "--epochs", 8, "--resume", "state2", "--threads", 1)) == same(whole), "resumed twice")
    again = solve(name, "--epochs", 4, "--resume", "state")
    expect(again["epochs"] == 4, "nothing left to do: %s epochs" % again["epochs"])


@test
def constant_and_order():
    """A constant of 10^12 changes the constant only; the order of items and options changes nothing."""
    program = gap(5, 40)
    plain = solve(write("gap.json", program), "--epochs", 4)
    moved = solve(write("moved.json", dict(program, objective={"constant": 10 ** 12})), "--epochs", 4)
    expect(moved["cost"] == plain["cost"] + 10 ** 12 and moved["bound"] == plain["bound"] + 10 ** 12, "cost or bound")
    expect(moved["digest"] == plain["digest"] and moved["picks"] == plain["picks"], "the constant changes the plan")
    draw = random.Random(2)
    mixed = json.loads(json.dumps(program))
    for part in ("items", "rows", "places"):
        draw.shuffle(mixed[part])
    for item in mixed["items"]:
        draw.shuffle(item["options"])
    other = solve(write("mixed.json", mixed), "--epochs", 4)
    expect(other["program"]["digest"] == plain["program"]["digest"], "the order changes the program's digest")
    for key in ("cost", "bound", "prices", "certificate", "picks", "digest", "moves", "cost_by_dimension"):
        expect(other[key] == plain[key], "the order changes %s" % key)
    verified(other)
    tiny = gap(3, 6)
    first = check_optimum("tiny.json", tiny)
    tiny["items"].reverse()
    expect(check_optimum("tiny.json", tiny)["cost"] == first["cost"], "the optimum depends on the order")


@test
def time_limit_holds():
    """E34, E36: one second, reading included, with 10^5 items; a limit that ends before reading does."""
    items = [{"options": [{"mode": "in", "cost": -(k % 97), "loads": {"r": 1 + k % 31}}, {"mode": "out"}]} for k in range(100000)]
    name = write("large.json", {"rows": [{"name": "r", "high": 500000}], "modes": [{"name": "in"}, {"name": "out"}],
                                "items": items})
    for limit in (1, 0.01):
        began = time.monotonic()
        result = solve(name, "--time", limit, code=(0, 1))
        took = time.monotonic() - began
        expect(took < (60 if SANITIZED else 6), "a limit of %s s took %.1f s" % (limit, took))
        expect(len(result["picks"]) == 100000 and (result["status"] != "unknown" or result["violations"]), "no plan")
        verified(result)


def signalled(name, number, *more):
    """Sends a signal once a run is under way (its first checkpoint stands, or after a second)."""
    process = subprocess.Popen([BINARY, "solve", name, "--time", "60", "--checkpoint", "sig", "--json", "sig.json"] + list(more),
                               cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(6 if SANITIZED else 1)
    process.send_signal(number)
    return process


@test
def signals():
    """SIGINT, SIGTERM, SIGUSR1 save and end with 75 and the best verified plan; SIGUSR2 saves and goes on; kill -9."""
    name = write("gap.json", gap(20, 400))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
        for old in ("sig", "sig.json"):
            if os.path.exists(path(old)):
                os.unlink(path(old))
        began = time.monotonic()
        process = signalled(name, number)
        out, errors = process.communicate(timeout=60)
        expect(process.returncode == 75, "%s: exit %d: %s" % (number.name, process.returncode, errors.decode()[:300]))
        expect(time.monotonic() - began < 30, "%s: late" % number.name)
        expect(b"status   feasible" in out and b"gap" in out, "%s: printed %r" % (number.name, out[:200]))
        expect(os.path.exists(path("sig")), "%s: nothing saved" % number.name)
    with open(path("sig.json"), encoding="utf-8") as file:
        stopped = json.load(file)
    expect(stopped.get("stopped") is True, "the result does not say that it was stopped")
    verified(stopped)
    epochs = stopped["epochs"] + 2
    expect(same(solve(name, "--epochs", epochs, "--resume", "sig")) == same(solve(name, "--epochs", epochs)),
           "resumed after a signal")
    os.unlink(path("sig"))
    process = signalled(name, signal.SIGUSR2)
    limit = time.monotonic() + 30
    while not os.path.exists(path("sig")) and time.monotonic() < limit:
        time.sleep(0.05)
    expect(os.path.exists(path("sig")) and process.poll() is None, "SIGUSR2 does not save and go on")
    time.sleep(0.3)
    process.kill()
    process.communicate()
    expect(process.returncode == -signal.SIGKILL, "it ended by itself")
    resumed = solve(name, "--time", 3, "--resume", "sig")
    expect(resumed.get("status") in ("feasible", "optimal"), "resumed after a kill: %s" % resumed.get("status"))
    expect(same(solve(name, "--epochs", resumed["epochs"])) == same(resumed), "resumed after a kill is not the same run")


@test
def closed_output():
    """An output that cannot be written is no success."""
    name = write("one.json", {"items": [{"options": [{"cost": 1}]}]})
    for words in ("solve %s --epochs 1", "solve %s --epochs 1 --quiet --json -", "bound %s", "doctor", "schema result", "--help",
                  "solve %s --epochs 1 --quiet --json /dev/full"):
        for redirection in (">&-", ">/dev/full"):
            command = "'%s' %s %s" % (BINARY, words.replace("%s", name), redirection)
            if "/dev/full" in words:
                command = command.replace(redirection, "")
            done = subprocess.run(["sh", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  stdout=subprocess.DEVNULL, timeout=60)
            expect(done.returncode == 4 and b"ration: " in done.stderr, "%s: exit %d" % (command, done.returncode))
    done = subprocess.run(["sh", "-c", "'%s' solve %s --epochs 1 --json closed.json >&-" % (BINARY, name)], cwd=folder,
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    with open(path("closed.json"), encoding="utf-8") as file:
        json.load(file)
    expect(done.returncode == 4, "a closed output: exit %d" % done.returncode)


def main():
    try:
        for function in tests:
            began = time.monotonic()
            before = len(failures)
            try:
                function()
            except (OSError, ValueError, KeyError, TypeError, IndexError, subprocess.SubprocessError) as error:
                failures.append("%s: %s: %s" % (function.__name__, type(error).__name__, error))
            print("%-28s %5.1f s %s" % (function.__name__, time.monotonic() - began, "ok" if len(failures) == before else "FAILED"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for sentence in failures:
        print("FAIL", sentence)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
