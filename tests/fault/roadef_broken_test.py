#!/usr/bin/env python3
"""Broken machine reassignment models and assignments: exit 2, one line that names the file and says what was found; nothing on stdout.

A start that breaks a hard rule is no broken input: it is read, and the search looks for a plan that keeps them all."""
import gzip
import json
import os
import subprocess
import sys
import tempfile

RATION = os.environ["RATION_BIN"]
# 2 resources, 2 machines, 2 services, 3 processes, 1 balance cost, weights; one thing a line
MODEL = ("2\n1 3\n0 5\n" "2\n0 0 10 8 4 6 0 2\n0 1 10 9 5 9 2 0\n" "2\n2 0\n1 1 0\n"
         "3\n0 4 2 7\n0 3 3 9\n1 2 5 11\n" "1\n0 1 2\n10\n" "1 100 1000\n")
START = "0 1 0\n"
failures = []


def line(number, text):
    """MODEL with another line `number` (from 1)."""
    lines = MODEL.split("\n")
    lines[number - 1] = text
    return "\n".join(lines)


MODELS = [
    ("empty", "", ["is empty"]),
    ("spaces", "  \n\n", ["the number of resources"]),
    ("no_resources", line(1, "0"), ["the number of resources", "found 0"]),
    ("many_resources", line(1, "2000"), ["the number of resources", "more numbers than the file holds"]),
    ("transient_2", line(2, "2 3"), ["line 2", "transient", "found 2"]),
    ("negative_weight", line(3, "0 -5"), ["line 3", "load cost", "found -5"]),
    ("no_machines", line(4, "0"), ["the number of machines", "found 0"]),
    ("machines_less", line(4, "1"), ["line"]),
    ("machines_more", line(4, "3"), ["line"]),
    ("machines_huge", line(4, "9999999"), ["more numbers than the file holds"]),
    ("negative_location", line(5, "0 -1 10 8 4 6 0 2"), ["line 5", "a location", "found -1"]),
    ("negative_capacity", line(5, "0 0 -10 8 4 6 0 2"), ["line 5", "a capacity", "found -10"]),
    ("negative_safety", line(5, "0 0 10 8 4 -6 0 2"), ["line 5", "a safety capacity", "found -6"]),
    ("negative_move", line(6, "0 1 10 9 5 9 -2 0"), ["line 6", "a machine move cost", "found -2"]),
    ("capacity_2^31", line(5, "0 0 2147483648 8 4 6 0 2"), ["line 5", "found 2147483648", "2147483647"]),
    ("fraction", line(5, "0 0 10.5 8 4 6 0 2"), ["line 5", "10.5", "expected an integer"]),
    ("services_0", line(7, "0"), ["the number of services", "found 0"]),
    ("negative_spread", line(8, "-2 0"), ["line 8", "number of locations", "found -2"]),
    ("dependencies_huge", line(8, "2 999999"), ["line 8", "a number of dependencies", "more numbers than the file holds"]),
    ("unknown_service", line(9, "1 1 2"), ["line 9", "a service to depend on", "found 2", "0 to 1"]),
    ("processes_0", line(10, "0"), ["the number of processes", "found 0"]),
    ("processes_more", line(10, "4"), ["line"]),
    ("process_service", line(11, "2 4 2 7"), ["line 11", "the service of a process", "found 2"]),
    ("negative_need", line(11, "0 -4 2 7"), ["line 11", "a need", "found -4"]),
    ("balances_huge", line(14, "1000000"), ["line 14", "more numbers than the file holds"]),
    ("balance_resource", line(15, "0 2 2"), ["line 15", "second resource", "found 2"]),
    ("balance_weight", line(16, "-10"), ["line 16", "weight of a balance cost", "found -10"]),
    ("word", line(17, "1 hundred 1000"), ["line 17", "hundred", "expected an integer"]),
    ("cut_weights", line(17, "1 100"), ["the file ends where the weight of machine moves is expected"]),
    ("cut", MODEL[:40], ["line"]),
    ("trailing", MODEL + "0\n", ["line 18", "after the end of the problem"]),
    ("2^64", line(17, "1 100 18446744073709551617"), ["line 17"]),
    ("gzip", gzip.compress(MODEL.encode()), ["gzip"]),
    ("utf16", MODEL.encode("utf-16"), ["UTF-16"]),
    ("json", "{}", ["the number of resources"]),
    # costs that leave 64 bits are found when the program is frozen
    ("total_2^62", line(3, "0 2147483647").replace("0 4 2 7", "0 4 2147483647 7").replace("0 3 3 9", "0 3 2147483647 9"),
     ["2^62"]),
]

STARTS = [
    ("empty", "", ["is empty"]),
    ("short", "0 1\n", ["the machines of 2 processes, expected 3"]),
    ("long", "0 1 0 0\n", ["more than the machines of 3 processes"]),
    ("trailing_word", "0 1 0 end\n", ["more than the machines of 3 processes"]),
    ("unknown_machine", "0 2 0\n", ["line 1", "the machine of a process", "found 2", "0 to 1"]),
    ("negative", "0 -1 0\n", ["found -1"]),
    ("fraction", "0 0.5 0\n", ["0.5", "expected an integer"]),
    ("result", '{"picks": []}', ["the machine of a process"]),
    ("gzip", gzip.compress(START.encode()), ["gzip"]),
]


def run(folder, arguments):
    return subprocess.run([RATION] + arguments, cwd=folder, capture_output=True, timeout=60)


def write(folder, name, data):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def check(name, done, fragments):
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode != 2 or done.stdout or said.count("\n") != 1 or not said.startswith("ration: "):
        failures.append("%s: exit %d, %r" % (name, done.returncode, said))
    for fragment in fragments:
        if fragment not in said:
            failures.append("%s: %r is not in %r" % (name, fragment, said))


def solve(folder, *more):
    return run(folder, ["solve", "model.txt", "--format", "roadef", "--epochs", "1"] + list(more))


def check_options(folder):
    write(folder, "model.txt", MODEL)
    write(folder, "start.txt", START)
    good = ["--start", "start.txt"]
    check("no start", solve(folder), ["model.txt", "--start FILE"])
    check("no start, bound", run(folder, ["bound", "model.txt", "--format", "roadef"]), ["model.txt", "--start FILE"])
    check("gone", solve(folder, "--start", "gone.txt"), ["gone.txt", "No such file"])
    check("sense", solve(folder, *good, "--sense", "max"), ["model.txt", "minimised"])
    check("problem", solve(folder, *good, "--problem", "2"), ["model.txt", "one problem"])
    check("format", solve(folder, *good, "--format", "roade"), ["roadef"])
    write(folder, "p.gap", "2 2\n1 2\n3 4\n1 1\n1 1\n2 2\n")
    check("bound", run(folder, ["bound", "p.gap", "--format", "gap", "--start", "start.txt"]), ["start.txt", "roadef"])


def check_result(folder):
    """A result is verified from anywhere, and refused with another start."""
    write(folder, "model.txt", MODEL)
    write(folder, "start.txt", START)
    done = solve(folder, "--start", "start.txt", "--json", "result.json", "--quiet")
    with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
        result = json.load(file)
    if done.returncode != 0 or [pick["item"] for pick in result["picks"]] != ["0", "1", "2"]:
        failures.append("result: exit %d, %s" % (done.returncode, result))
    if result["program"].get("start") != "start.txt" or result["program"]["format"] != "roadef":
        failures.append("result: %s" % result["program"])
    if any((pick["mode"] == "stay") != (pick["place"] == home) for pick, home in zip(result["picks"], START.split())):
        failures.append("result: %s" % result["picks"])
    for where, arguments in ((folder, ["result.json"]), ("/", [os.path.join(folder, "result.json")]),
                             (folder, ["result.json", "--program", "model.txt", "--start", "start.txt"])):
        done = run(where, ["verify", "--quiet"] + arguments)
        if done.returncode != 0:
            failures.append("verify %s: %r" % (arguments, done.stderr))
    write(folder, "other.txt", "1 0 1\n")
    done = run(folder, ["verify", "result.json", "--start", "other.txt"])
    if done.returncode != 3 or b"another program" not in done.stderr:
        failures.append("verify with another start: exit %d, %r" % (done.returncode, done.stderr))
    del result["program"]["start"]
    write(folder, "startless.json", json.dumps(result))
    check("verify without start", run(folder, ["verify", "startless.json"]), ["model.txt", "--start FILE"])
    result["program"].update(path="p.gap", format="gap", start="start.txt")
    write(folder, "gap.json", json.dumps(result))
    check("verify gap with start", run(folder, ["verify", "gap.json"]), ["gap.json", "start"])


def check_infeasible_start(folder):
    """Process 1 starts beside process 0 of its service; it can leave."""
    write(folder, "model.txt", MODEL)
    write(folder, "start.txt", "0 0 0\n")
    done = solve(folder, "--start", "start.txt", "--json", "-")
    result = json.loads(done.stdout)
    if done.returncode != 0 or result["status"] not in ("optimal", "feasible"):
        failures.append("a start in conflict: exit %d, %s" % (done.returncode, result["status"]))


def main():
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "start.txt", START)
        for name, text, fragments in MODELS:
            write(folder, "model.txt", text)
            check("model " + name, solve(folder, "--start", "start.txt"), ["model.txt"] + fragments)
        write(folder, "model.txt", MODEL)
        for name, text, fragments in STARTS:
            write(folder, "start.txt", text)
            check("start " + name, solve(folder, "--start", "start.txt"), ["start.txt"] + fragments)
        check_options(folder)
        check_result(folder)
        check_infeasible_start(folder)
        # planted: a good model is no refusal
        before = len(failures)
        write(folder, "start.txt", START)
        check("planted", solve(folder, "--start", "start.txt"), ["model.txt"])
        if len(failures) == before:
            failures.append("planted: a good model passes for a broken one")
        del failures[before:before + 2]
    for sentence in failures:
        print("FAIL", sentence)
    print("%d broken inputs, %d failures" % (len(MODELS) + len(STARTS) + 10, len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
