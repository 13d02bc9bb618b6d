#!/usr/bin/env python3
"""`ration export`: both formats of one program byte for byte, what it refuses, and a solver's picks on their way back.

    export_golden_test.py             compares with export_program.* beside this file; RATION_BIN is the command
    export_golden_test.py --update    writes them anew, to be looked at before they are committed
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BINARY = os.environ["RATION_BIN"]
UPDATE = "--update" in sys.argv
folder = tempfile.mkdtemp(prefix="ration-export-")
failures = []

# Every part of a model: a plain row, a band, a convex and a jumping cost, a feed, a conflict, traffic, a start, odd names.
PROGRAM = {
    "format": "ration-program", "version": 1,
    "objective": {"constant": 100},
    "rows": [
        {"name": "memory:a", "high": 6}, {"name": "memory b", "high": 9},
        {"name": "power", "offset": 2, "cost": [[0, 0, 0], [5, 0, 3], [8, 9, 7]]},
        {"name": "tenants", "cost": [[0, 0, 0], [1, 30, 0]], "feeds": [{"to": "memory:a", "function": [[0, 0, 0], [1, 0, 2]]}]},
        {"name": "balance", "low": -1, "high": 2}],
    "places": [
        {"name": "a", "roles": {"0": ["memory:a", "tenants"], "1": ["power"]}},
        {"name": "b", "roles": {"0": ["memory b"], "1": ["power"]}},
        {"name": "RHS", "class": 1}],
    "modes": [{"name": "fp16"}, {"name": "int4"}],
    "items": [
        {"name": "chat", "entries": [{"class": 0, "mode": "fp16", "cost": 5, "loads": {"0": 1, "1": 4}},
                                     {"class": 0, "mode": "int4", "cost": 8, "loads": {"0": 1, "1": 2}}],
         "exclude": [], "start": {"place": "b", "move_cost": 3}},
        {"name": "search", "entries": [{"class": 0, "mode": "fp16", "cost": 4, "loads": {"0": 1, "1": 3}}],
         "options": [{"place": "RHS", "cost": 40, "loads": {"balance": 2}}]},
        {"name": "n" * 300, "options": [{"cost": 1, "loads": {"balance": -1, "memory:a": 4}}, {"mode": "fp16", "cost": 9}]}],
    "conflicts": [["chat", "search"]],
    "traffic": {"edges": [{"from": "chat", "to": "search", "weight": 2}, {"from": "search", "to": "chat", "weight": 1},
                          {"from": "chat", "to": "chat", "weight": 1}],
                "distances": [[1, 2, 6], [3, 0, 5], [6, 6, 0]]},
}


def run(*arguments, code=0):
    done = subprocess.run([BINARY] + list(arguments), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)
    if done.returncode != code:
        failures.append("%s: exit %d, expected %d: %s" % (arguments, done.returncode, code, done.stderr.decode()[:500]))
    return done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


def write(name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check_texts():
    for suffix in ("mps", "lp"):
        out, _ = run("export", "program.json", "-o", "program." + suffix)
        text = read(os.path.join(folder, "program." + suffix))
        text = text.replace(text.split("\n")[0].split(",")[0][2:], "ration VERSION", 1)
        path = os.path.join(HERE, "export_program." + suffix)
        if UPDATE:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        if text != read(path):
            failures.append("program.%s is not the golden text:\n%s" % (suffix, text))
        size = os.path.getsize(os.path.join(folder, "program." + suffix))
        if not out.endswith(" %d bytes\n" % size) or "binary" not in out:
            failures.append("the summary is %r, the file has %d bytes" % (out, size))
    if run("export", "program.json", "-o", "quiet.lp", "--quiet")[0] != "":
        failures.append("--quiet prints")


def check_refusals():
    for words, about in ((["program.json"], "needs -o FILE"), (["program.json", "-o", "x.txt"], ".mps or .lp"),
                         (["program.json", "-o", "mps"], ".mps or .lp"), (["missing.json", "-o", "x.mps"], "missing.json"),
                         (["program.json", "-o", "no/such/x.mps"], "can't be written"), ([], "needs a FILE"),
                         (["huge.json", "-o", "old.mps"], "2^53"), (["program.json", "-o", "x.mps", "--seed", "1"], "--seed")):
        _, said = run("export", *words, code=2)
        if about not in said or said.count("\n") != 1:
            failures.append("%s says %r, expected something about %r" % (words, said, about))
    if read(os.path.join(folder, "old.mps")) != "old" or sorted(os.listdir(folder)) != [
            "huge.json", "old.mps", "program.json", "program.lp", "program.mps", "quiet.lp"]:
        failures.append("a refusal left something: %s" % os.listdir(folder))


def check_way_back():
    picks = "x(chat,b,int4) 1\nx(search,RHS) 1\nx(~2) 1\n"
    write("picks.sol", picks)
    found = json.loads(run("verify", "picks.sol", "--program", "program.json", "--json", "-")[0])
    # options, conflicts none, power 4, no tenants, traffic 2 * 5 + 6 + 0, constant
    if found["cost"] != 8 + 40 + 1 + 16 + 100 or found["status"] != "feasible" or len(found["picks"]) != 3:
        failures.append("the picks cost %s, %s" % (found["cost"], found["status"]))
    if "cost     165\n" not in run("verify", "picks.sol", "--program", "program.json")[0]:
        failures.append("verify does not print the cost")
    run("verify", "picks.sol", code=2)
    run("solve", "program.json", "--start", "picks.sol", "--epochs", "0", "--threads", "1")
    write("bad.sol", "x(chat,b,int4) 1\nx(search,b,fp16) 1\nx(~2,,fp16) 1\n")
    found = json.loads(run("verify", "bad.sol", "--program", "program.json", "--json", "-", code=1)[0])
    if found["status"] != "unknown" or len(found["violations"]) != 1:
        failures.append("a conflict is not seen: %s" % found)
    write("picks.sol", picks + "x(chat,a,fp16) 1\n")
    if "line 4: a second pick" not in run("solve", "program.json", "--start", "picks.sol", code=2)[1]:
        failures.append("two picks of an item are not refused")


def main():
    try:
        write("program.json", json.dumps(PROGRAM))
        write("huge.json", json.dumps(dict(PROGRAM, objective={"constant": "9007199254740994"})))
        write("old.mps", "old")
        check_texts()
        check_refusals()
        check_way_back()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for sentence in failures:
        print("FAIL", sentence)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
