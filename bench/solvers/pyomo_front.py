#!/usr/bin/env python3
"""Pyomo (Python packages pyomo and highspy): the program's JSON form as a Pyomo model, solved by HiGHS from there.

load(path) gives the ConcreteModel to those who want to add to it or choose another solver:

    import pyomo_front; model = pyomo_front.load("program.json")
"""
import sys

import adapter
import form
import milp


def make(linear):
    """ConcreteModel of a Milp: x[column], line[number], cost."""
    import pyomo.environ as pyo
    model = pyo.ConcreteModel()
    columns = range(len(linear.cost))
    model.x = pyo.Var(columns, bounds=lambda _, at: (linear.low[at], linear.high[at]),
                      within=lambda _, at: pyo.Integers if linear.integer[at] else pyo.Reals)
    model.cost = pyo.Objective(expr=sum(linear.cost[at] * model.x[at] for at in columns if linear.cost[at]) + linear.constant)

    def rule(block, number):
        low, high, terms = linear.lines[number]
        if not terms:
            return pyo.Constraint.Infeasible
        body = sum(amount * block.x[column] for column, amount in terms)
        return body == low if low == high else (low, body, high)

    model.line = pyo.Constraint(range(len(linear.lines)), rule=rule)
    return model


def load(path):
    return make(milp.Milp(form.read(path)))


def solve(task, answer):
    adapter.need("pyomo", "pyomo")
    adapter.need("highspy", "highspy")
    import pyomo
    import pyomo.environ as pyo
    from pyomo.contrib.appsi.solvers import Highs
    linear = task.model()
    model = make(linear)
    solver = Highs()
    solver.config.time_limit = task.time
    solver.config.load_solution = False
    solver.highs_options = {"mip_rel_gap": 0.0, "mip_abs_gap": 0.0, "threads": task.threads, "random_seed": task.seed}
    answer.version = "%s, HiGHS %s" % (pyomo.version.version, ".".join(str(part) for part in solver.version()))
    task.start()
    found = solver.solve(model)
    if found.best_feasible_objective is not None:
        found.solution_loader.load_vars()
        answer.chosen = linear.chosen(lambda column: pyo.value(model.x[column]))
    condition = found.termination_condition.name
    answer.status = condition if condition in ("optimal", "infeasible") else "unknown"
    bound = found.best_objective_bound
    if bound is not None and abs(bound) < 1e300:
        answer.bound = adapter.round_up(bound)


if __name__ == "__main__":
    sys.exit(adapter.main("pyomo_front", solve))
