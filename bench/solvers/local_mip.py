#!/usr/bin/env python3
"""Local-MIP (Python package localmip): local search on the linear model, one search a thread; it proves nothing.

Its incumbents can't be seen while it runs, so the trajectory is its end.
"""
import sys
import threading

import adapter


def search(localmip, prepared, task, seed):
    """A solver of the shared model, ready to run."""
    solver = localmip.LocalMIP(prepared)
    solver.set_random_seed(seed)
    solver.set_time_limit(task.time)
    solver.set_log_obj(False)
    return solver


def solve(task, answer):
    adapter.need("localmip_py", "localmip")
    import importlib.metadata
    import localmip_py as localmip
    model = task.model()
    path = str(task.folder / "model.mps")
    model.write_mps(path)
    prepared = localmip.PreparedModel.from_file(path, localmip.ModelPrepareOptions())
    seeds = [task.seed + 1000 * thread for thread in range(task.threads)]
    solvers = [search(localmip, prepared, task, seed) for seed in seeds]
    answer.version = importlib.metadata.version("localmip")
    workers = [threading.Thread(target=solver.run) for solver in solvers]
    task.start()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    found = [solver for solver in solvers if solver.is_feasible()]
    if found:
        best = min(found, key=lambda solver: solver.get_obj_value())
        values = best.get_solution()
        if isinstance(values, dict):
            answer.chosen = model.chosen(lambda column: values.get("C%d" % column, 0.0))
        else:
            answer.chosen = model.chosen(values.__getitem__)


if __name__ == "__main__":
    sys.exit(adapter.main("local_mip", solve))
