#!/usr/bin/env python3
"""OR-Tools CP-SAT (Python package ortools), on the integers of the linear model."""
import sys

import adapter

SIDE = 1 << 62


def build(cp_model, model):
    cp = cp_model.CpModel()
    columns = [cp.new_int_var(low, high, "") for low, high in zip(model.low, model.high)]
    ones = set(model.ones)
    for number, (low, high, terms) in enumerate(model.lines):
        if number in ones:
            cp.add_exactly_one([columns[column] for column, _ in terms])
            continue
        left = cp_model.LinearExpr.weighted_sum([columns[column] for column, _ in terms], [amount for _, amount in terms])
        cp.add_linear_constraint(left, -SIDE if low is None else low, SIDE if high is None else high)
    cp.minimize(cp_model.LinearExpr.weighted_sum(columns, model.cost) + model.constant)
    if model.start:
        for column, value in zip(*model.started()):
            cp.add_hint(columns[column], int(value))
    return cp, columns


def solve(task, answer):
    adapter.need("ortools", "ortools")
    import ortools
    from ortools.sat.python import cp_model

    class Watch(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self):
            answer.improved(round(self.objective_value))

    model = task.model()
    cp, columns = build(cp_model, model)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = task.time
    solver.parameters.num_workers = task.threads
    solver.parameters.random_seed = task.seed
    solver.parameters.relative_gap_limit = 0.0
    solver.parameters.absolute_gap_limit = 0.0
    answer.version = ortools.__version__
    task.start()
    status = solver.solve(cp, Watch())
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        answer.chosen = model.chosen(lambda column: solver.value(columns[column]))
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.UNKNOWN) and abs(solver.best_objective_bound) < 2.0 ** 62:
        answer.bound = adapter.round_up(solver.best_objective_bound)
    if status == cp_model.MODEL_INVALID:
        raise adapter.Failed("CP-SAT refuses the model: %s" % cp.validate().strip()[:200])
    answer.status = {cp_model.OPTIMAL: "optimal", cp_model.INFEASIBLE: "infeasible"}.get(status, "unknown")


if __name__ == "__main__":
    sys.exit(adapter.main("cpsat", solve))
