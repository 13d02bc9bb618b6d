#!/usr/bin/env python3
"""HiGHS (Python package highspy), with both of its gap tolerances at 0."""
import sys

import adapter


def limit(solver, task):
    settings = {"output_flag": False, "mip_rel_gap": 0.0, "mip_abs_gap": 0.0, "threads": task.threads,
                "random_seed": task.seed, "time_limit": task.time}
    for name, value in settings.items():
        solver.setOptionValue(name, value)


def solve(task, answer):
    adapter.need("highspy", "highspy")
    import highspy
    model = task.model()
    path = str(task.folder / "model.mps")
    model.write_mps(path)
    solver = highspy.Highs()
    limit(solver, task)
    solver.readModel(path)
    if model.start:
        columns, values = model.started()
        solver.setSolution(len(columns), columns, values)
    answer.version = solver.version()
    task.start()
    solver.cbMipImprovingSolution += lambda event: answer.improved(round(event.data_out.objective_function_value))
    solver.run()
    info, status = solver.getInfo(), solver.getModelStatus()
    if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
        values = list(solver.getSolution().col_value)
        answer.chosen = model.chosen(values.__getitem__)
    if status == highspy.HighsModelStatus.kOptimal:
        answer.status = "optimal"
    elif status == highspy.HighsModelStatus.kInfeasible:
        answer.status = "infeasible"
    elif status != highspy.HighsModelStatus.kTimeLimit:
        answer.note = "HiGHS ended with: %s" % solver.modelStatusToString(status)
    if abs(info.mip_dual_bound) < highspy.kHighsInf:
        answer.bound = adapter.round_up(info.mip_dual_bound)


if __name__ == "__main__":
    sys.exit(adapter.main("highs", solve))
