"""The common half of every adapter: command line, program, clock, and the JSON that comes out.

    bench/solvers/NAME.py INSTANCE --format gap --time 10 --threads 2 --seed 1 [--json OUT]

An adapter is a function solve(task) that fills an Answer. Numbers it gives are those of the program (minimised integers); the
JSON has the file's unit and sense:

    solver, version, status   optimal, feasible, infeasible, unknown, absent (a package is missing), failed
    cost, bound               null when there is none; cost is recomputed here from the picks, whatever the solver says
    time_s, build_s           seconds of the solver alone; of reading and building its model, which its limit doesn't count
    memory_bytes              peak of the process and of its children, whichever is larger
    trajectory                [[seconds, cost], ...] of the improving plans
    picks, in canonical order; cost_by_dimension, program_digest, scale, note
"""
import argparse
import contextlib
import importlib.util
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import form as forms
import milp as models

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


class Absent(Exception):
    """A package or program that the adapter needs isn't installed."""


class Failed(Exception):
    """The solver ended in a way that gives nothing."""


def need(package, install):
    """Refuses in one line where a Python package is missing."""
    if importlib.util.find_spec(package) is None:
        raise Absent("not installed: pip install %s" % install)


class Task:
    """What is to be solved: form (with its model on demand), time, threads, seed, folder for temporary files."""

    def __init__(self, options, form, folder):
        self.options, self.form, self.folder = options, form, pathlib.Path(folder)
        self.time, self.threads, self.seed = options.time, options.threads, options.seed
        self.begun = None

    def model(self):
        return models.Milp(self.form)

    def start(self):
        """The model is built: the clock of the solver runs."""
        self.begun = time.monotonic()

    def elapsed(self):
        return time.monotonic() - self.begun


class Answer:
    def __init__(self, task):
        self.task = task
        self.version, self.status, self.note = "", "unknown", ""
        self.chosen, self.bound, self.trajectory = None, None, []

    def improved(self, cost, seconds=None):
        """An incumbent of this cost (of the program, minimised) was found now, or at `seconds`."""
        seconds = self.task.elapsed() if seconds is None else seconds
        if not self.trajectory or cost < self.trajectory[-1][1]:
            self.trajectory.append([seconds, cost])


def round_up(bound):
    """The least integer that a solver's bound on an integer objective allows for, with its own rounding forgiven."""
    slack = max(1e-6, abs(bound) * 1e-9)
    return int(-(-(bound - slack) // 1))


def peak_bytes():
    own, children = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return 1024 * max(own, children)


def program_of(options, folder):
    """The path of the program's JSON form."""
    if options.program:
        return options.program
    if options.format == "json":
        return options.instance
    tool = pathlib.Path(options.ration).parent / "bench" / "program_json"
    path = pathlib.Path(folder) / "program.json"
    command = [tool, options.format, options.instance, options.sense or "-", options.problem or "0"]
    command += [options.start] if options.start else []
    with open(path, "wb") as file:
        done = subprocess.run([str(word) for word in command], stdout=file, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise Failed(done.stderr.decode(errors="replace").strip())
    return path


def parse(words, description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("instance")
    parser.add_argument("--format", default="json", help="as of `ration solve` (json)")
    parser.add_argument("--sense", choices=("min", "max"))
    parser.add_argument("--problem", help="index in a file of several problems")
    parser.add_argument("--start", help="start of a machine reassignment model")
    parser.add_argument("--program", help="the JSON form of the instance, where it was made before")
    parser.add_argument("--time", type=float, default=10.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ration", default=str(SOURCE / "build" / "ration"), help="the command; bench/program_json lies beside it")
    parser.add_argument("--json", default="-", help="where the result goes; - is standard output")
    return parser.parse_args(words)


def describe(name, answer, build_s, time_s):
    form, task = answer.task.form, answer.task
    found = {"solver": name, "version": answer.version, "status": answer.status, "cost": None, "bound": None,
             "time_s": round(time_s, 3), "build_s": round(build_s, 3), "memory_bytes": peak_bytes(),
             "seed": task.seed, "threads": task.threads, "trajectory": [], "note": answer.note}
    found["program_digest"], found["scale"] = form.digest, form.scale
    if answer.bound is not None:
        found["bound"] = form.shown(answer.bound)
    if answer.chosen is not None:
        cost, feasible = form.evaluate(answer.chosen)
        total = sum(cost.values())
        if not feasible:
            found.update(status="unknown", note=(answer.note + " its plan breaks limits").strip())
        else:
            found["cost"] = form.shown(total)
            found["cost_by_dimension"] = form.shown_parts(cost)
            found["picks"] = [form.pick(item, answer.chosen[item]) for item in form.canonical]
            found["status"] = answer.status if answer.status == "optimal" else "feasible"
            answer.trajectory = [point for point in answer.trajectory if point[1] >= total]  # a log rounds
            answer.improved(total, time_s)
    found["trajectory"] = [[round(seconds, 3), form.shown(cost)] for seconds, cost in answer.trajectory]
    return found


def attempt(name, solve, options):
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        try:
            task = Task(options, forms.read(program_of(options, folder)), folder)
            answer = Answer(task)
            task.start()
            solve(task, answer)
            built = task.begun - begun
            return describe(name, answer, built, time.monotonic() - task.begun)
        except Absent as absent:
            return {"solver": name, "status": "absent", "note": str(absent)}
        except (Failed, forms.Unsupported) as failed:
            return {"solver": name, "status": "failed", "note": str(failed)}
        except MemoryError:
            return {"solver": name, "status": "failed", "note": "out of memory"}


@contextlib.contextmanager
def quiet():
    """Nothing but the result goes to standard output, not even what a solver's library prints there."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def write(found, target):
    text = json.dumps(found, indent=1) + "\n"
    if target == "-":
        sys.stdout.write(text)
    else:
        pathlib.Path(target).write_text(text, encoding="utf-8")


def main(name, solve, words=None):
    """Runs an adapter. An absent package is a line on standard error and the status `absent`, not an error."""
    options = parse(words, "Runs %s on an instance; see bench/solvers/adapter.py." % name)
    with quiet():
        found = attempt(name, solve, options)
    if found["status"] in ("absent", "failed"):
        print("%s: %s" % (name, found["note"]), file=sys.stderr)
    write(found, options.json)
    return 0
