#!/usr/bin/env python3
"""bench/scoreboard on shipped instances: cells and their resume, the checks of results, absent solvers, the page."""
import csv
import importlib.util
import json
import os
import stat
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

SOURCE, BIN = os.environ["RATION_SOURCE"], os.environ["RATION_BIN"]
BENCH = os.path.join(SOURCE, "bench")
sys.dont_write_bytecode = True
sys.path[:0] = [BENCH, os.path.join(BENCH, "solvers")]

from board import judge, measure, page, table  # noqa: E402
import adapter  # noqa: E402
import form  # noqa: E402

ENTRIES = (("gap", "d0530", "gap/instances/d0530.txt", "gap", "min", "1955"),
           ("mkp", "5.60", "mkp/instances/5.60.txt", "mkp", "max", "24762"),
           ("packing", "u24", "vbp/instances/uniform_24_1.vbp", "vbp", "min", "18"))


def write_list(path, entries, seeds="1"):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\t".join(table.LIST_COLUMNS) + "\n")
        for family, name, where, kind, sense, best in entries:
            file.write("\t".join((family, name, where, "1", kind, sense, "-", "-", seeds, best, "1", best, "shipped")) + "\n")


def board(folder, *words):
    command = [sys.executable, os.path.join(BENCH, "scoreboard"), "--list", os.path.join(folder, "list.tsv"), "--data",
               os.path.join(SOURCE, "problems"), "--ration", BIN, "--time", "0.4", "-o", os.path.join(folder, "out")] + list(words)
    return subprocess.run(command, capture_output=True, text=True, check=False)


def rows_of(folder):
    with open(os.path.join(folder, "out", "results.csv"), newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
    assert tuple(reader.fieldnames) == table.COLUMNS
    return rows


def bare_python(folder):
    """A Python that sees no installed packages."""
    path = os.path.join(folder, "bare")
    with open(path, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\nPATH=/nonexistent exec "%s" -E -s -S "$@"\n' % sys.executable)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def test_run(folder):
    write_list(os.path.join(folder, "list.tsv"), ENTRIES)
    done = board(folder, "--python", bare_python(folder), "--solvers", "ration,highs")
    assert done.returncode == 0, done.stderr
    rows = rows_of(folder)
    assert len(rows) == 6
    for row in rows:
        if row["solver"] == "highs":
            assert row["status"] == "absent" and "pip install highspy" in row["note"], row
            continue
        assert row["status"] in ("feasible", "optimal") and row["verify"] == "ok" and row["check"] == "ok", row
        points = table.path_points(row["trajectory"])
        assert points and points[-1][1] == float(row["cost"]) and float(row["gap_percent"]) >= 0.0
    again = board(folder, "--solvers", "ration")
    assert "3 cells, 3 of them done before" in again.stdout and len(rows_of(folder)) == 6, again.stdout


def test_resume(folder):
    """A run that ended in the middle of a line goes on with that cell."""
    path = os.path.join(folder, "out", "results.csv")
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if ",highs," not in line]
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(lines[:-1]) + lines[-1][:30])
    done = board(folder, "--solvers", "ration")
    assert "3 cells, 2 of them done before" in done.stdout and len(rows_of(folder)) == 3, done.stdout
    with open(path, "w", encoding="utf-8") as file:
        file.write("other,columns\n")
    assert board(folder).returncode == 2, "a table with other columns is taken"


def test_better_than_proven(folder):
    """A planted optimum that is too bad fails the run, names the cell, and fails again from the table alone."""
    write_list(os.path.join(folder, "list.tsv"), [ENTRIES[0][:5] + ("99999",), ENTRIES[1][:5] + ("7",)])
    for words in (("--solvers", "ration"), ("--page",)):
        done = board(folder, *words)
        assert done.returncode == 3, done
        assert "ration on gap/d0530, seed 1: cost" in done.stderr and "proven optimum 99999" in done.stderr, done.stderr
        assert "ration on mkp/5.60, seed 1: cost" in done.stderr, done.stderr


def test_page(folder):
    write_list(os.path.join(folder, "list.tsv"), ENTRIES, "1,2")
    assert board(folder, "--solvers", "ration").returncode == 0
    with open(os.path.join(folder, "out", "index.html"), encoding="utf-8") as file:
        text = file.read()
    root = xml.etree.ElementTree.fromstring(text.split("\n", 1)[1])
    tags = [element.tag.split("}")[1] for element in root.iter()]
    assert tags.index("table") < tags.index("svg"), "the headline table comes first"
    assert tags.count("svg") == 1 + len(ENTRIES) and "script" not in tags and "link" not in tags and "img" not in tags
    for word in ("http:", "https:", "url("):
        assert word not in text.replace("http://www.w3.org/", ""), "the page needs something from elsewhere"
    assert all(name in text for _, name, _, _, _, _ in ENTRIES)


def test_words(folder):
    write_list(os.path.join(folder, "list.tsv"), ENTRIES)
    for words in (("--families", "gab"), ("--solvers", "nobody"), ("--instances", "d0530,x"), ("--data", "/nonexistent")):
        done = board(folder, *words)
        assert done.returncode == 2 and "scoreboard: " in done.stderr, words


def test_judge(folder):
    """A peer's plan is accepted; with another cost, or with a pick changed, it is refused by both judges."""
    path = os.path.join(SOURCE, "problems", "gap", "instances", "d0530.txt")
    target = os.path.join(folder, "result.json")
    subprocess.run([BIN, "solve", path, "--format", "gap", "--epochs", "20", "--quiet", "--json", target], check=True)
    with open(target, encoding="utf-8") as file:
        result = json.load(file)
    found = {"picks": result["picks"], "cost": result["cost"], "cost_by_dimension": result["cost_by_dimension"],
             "program_digest": result["program"]["digest"]}
    entry = {"format": "gap", "sense": "min", "problem": "1"}
    places = {"instance": path, "start": None, "program": None, "folder": folder}
    assert judge.check(found, entry, places, BIN) == ("ok", "ok")
    cheap = dict(found, cost=found["cost"] - 1, cost_by_dimension={"other": found["cost"] - 1})
    moved = dict(found, picks=[dict(found["picks"][0], place="3" if found["picks"][0]["place"] != "3" else "4")] + found["picks"][1:])
    for planted in (cheap, moved):
        verdicts = judge.check(planted, entry, places, BIN)
        assert verdicts[0] not in ("ok", "slow") and verdicts[1] not in ("ok", "slow"), verdicts


def test_scale(folder):
    """A peer's plan of a file with decimals, as the adapters describe it, is accepted."""
    path, program = os.path.join(folder, "decimals.txt"), os.path.join(folder, "program.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write("3 1 0\n1.5 2.25 3\n1 1.5 2\n3.5\n")
    tool = os.path.join(os.path.dirname(BIN), "bench", "program_json")
    with open(program, "wb") as file:
        subprocess.run([tool, "mkp", path], stdout=file, check=True)
    task = adapter.Task(adapter.parse([path, "--format", "mkp"], ""), form.read(program), folder)
    answer = adapter.Answer(task)
    task.start()
    answer.chosen = [task.form.options(0)[1], task.form.options(1)[0], task.form.options(2)[0]]
    found = adapter.describe("peer", answer, 0.0, 0.0)
    assert (found["cost"], found["scale"], found["status"]) == (5.25, 2, "feasible"), found
    entry = {"format": "mkp", "sense": "max", "problem": "1"}
    places = {"instance": path, "start": None, "program": program, "folder": folder}
    assert judge.check(found, entry, places, BIN) == ("ok", "ok")
    answer.chosen[0] = task.form.options(0)[0]
    assert adapter.describe("peer", answer, 0.0, 0.0)["cost"] is None, "a plan over the limit has no cost"


def test_measure():
    assert measure.gap_percent(110, 100, "min") == 10.0 and measure.gap_percent(90, 100, "max") == 10.0
    assert measure.gap_percent(110, 100, "min", 200) == 10.0, "of the way from the start"
    assert measure.proven_gap_percent(100, 101, "min") == 0.0 and measure.proven_gap_percent(100, 90, "min") == 10.0
    assert measure.primal_gap(None, 100, "min") == 1.0 and measure.primal_gap(99, 100, "min") == 0.0
    assert measure.primal_gap(125, 100, "min") == 0.2 and measure.primal_gap(80, 100, "max") == 0.2
    assert abs(measure.primal_integral_percent([(1.0, 125), (2.0, 100)], 100, "min", 4.0) - 30.0) < 1e-9
    assert abs(measure.shifted_mean([0.0, 3.0], 1.0) - 1.0) < 1e-12 and measure.shifted_mean([], 1.0) is None
    assert measure.better(1, 2, "min") and not measure.better(2, 2, "max") and measure.better(3, 2, "max")
    assert not measure.better(1.0, 1.0 + 1e-12, "min")


def test_duel():
    """Counts of better, equal, worse; nobody's plan is worse than any plan; the best of several peers."""
    def side(*cells):
        return {key: {"cost": cost, "status": status, "sense": "min"} for key, cost, status in cells}

    mine = side(("a", 100, "feasible"), ("b", 100, "feasible"), ("c", 100, "feasible"), ("d", None, "unknown"))
    one = side(("a", 101, "feasible"), ("b", 100, "optimal"), ("c", None, "unknown"), ("d", 80, "feasible"))
    other = side(("a", 99, "feasible"), ("b", 105, "feasible"), ("c", 104, "feasible"))
    assert page.duel(mine, one) == (2, 1, 1, 100.0) and page.duel(mine, other)[:3] == (2, 0, 1)
    best = page.best_of([one, other])
    assert {key: row["cost"] for key, row in best.items()} == {"a": 99, "b": 100, "c": 104, "d": 80}
    assert best["b"]["status"] == "optimal" and best["c"]["status"] == "feasible"
    assert abs(page.duel({"a": mine["a"]}, best)[3] - 100.0 / 99.0) < 1e-9


def random_program(draw):
    """Jumps, a convex cost, a feed, a lower limit, conflicts and traffic on 4 items, 3 places and 2 modes; an item in or
    out."""
    places = [{"class": draw.randrange(2), "roles": {"0": [str(p + 1)], "1": ["4", "6"]}} for p in range(3)]
    rows = [{"high": draw.randrange(6, 12), "cost": [[0, 0, 0], [3, 0, draw.randrange(1, 5)], [5, 8, 6]]} for _ in range(3)]
    rows[0]["cost"] = [[0, 0, 0], [1, draw.randrange(1, 9), 1], [4, 2, 0]]
    rows[0]["feeds"] = [{"to": "5", "function": [[0, 0, 0], [2, 1, 2]]}]
    rows += [{"low": 3, "offset": 1, "cost": [[0, 7, -1]]}, {"high": 14, "cost": [[0, 0, 0], [4, 0, 3]]}]
    rows += [{"cost": [[0, 3, 0], [2, draw.randrange(9), 0]], "feeds": [{"to": "5", "function": [[0, 1, 0], [2, 4, 0]]}]}]
    items = [{"entries": [{"class": c, "mode": str(1 + m), "cost": draw.randrange(9), "loads": {"0": draw.randrange(5), "1": m}}
                          for c in range(2) for m in range(2)]} for _ in range(4)]
    items += [{"options": [{"cost": 2, "mode": "1"}, {"cost": draw.randrange(-9, 9), "loads": {"4": 2, "5": 3}}]}]
    edges = [{"from": str(1 + a), "to": str(1 + b), "weight": draw.randrange(-2, 4)} for a in range(4) for b in range(3)]
    return {"places": places, "rows": rows, "modes": [{}, {}], "items": items, "conflicts": [["1", "2"]],
            "traffic": {"edges": edges, "distances": [[draw.randrange(5) for _ in range(3)] for _ in range(3)]}}


def test_model(folder):
    """The linear model of random programs has the optimum of enumeration (with HiGHS, where it is installed)."""
    import itertools
    import random
    highs = os.path.join(BENCH, "solvers", "highs.py")
    solved = importlib.util.find_spec("highspy") is not None
    for seed in range(5):
        tree = dict(random_program(random.Random(seed)), format="ration-program", version=1)
        path = os.path.join(folder, "program.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(tree, file)
        program = form.Form(tree)
        plans = [program.evaluate(plan) for plan in itertools.product(*(program.options(i) for i in range(5)))]
        costs = [sum(cost.values()) for cost, feasible in plans if feasible]
        assert costs, "seed %d has no plan" % seed
        target = os.path.join(folder, "out.json")
        done = subprocess.run([BIN, "solve", path, "--epochs", "40", "--quiet", "--json", target], check=False)
        with open(target, encoding="utf-8") as file:
            ours = json.load(file)
        assert done.returncode == 0 and min(costs) <= ours["cost"], (seed, min(costs), ours["cost"])
        picked = {pick["item"]: pick for pick in ours["picks"]}
        chosen = [next(option for option in program.options(i) if program.pick(i, option) == picked[str(i + 1)]) for i in range(5)]
        assert sum(program.evaluate(chosen)[0].values()) == ours["cost"], "seed %d: the form's evaluation" % seed
        if solved:
            subprocess.run([sys.executable, highs, path, "--time", "20", "--json", target], check=True)
            with open(target, encoding="utf-8") as file:
                found = json.load(file)
            assert (found["status"], found["cost"]) == ("optimal", min(costs)), (seed, found, min(costs))
    return "" if solved else " (without HiGHS, which is not installed)"


def main():
    test_measure()
    test_duel()
    for test in (test_run, test_better_than_proven, test_page, test_words, test_judge, test_scale):
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
            if test is test_run:
                test_resume(folder)
    with tempfile.TemporaryDirectory() as folder:
        print("scoreboard runs, resumes, and refuses what it should" + test_model(folder))


if __name__ == "__main__":
    main()
