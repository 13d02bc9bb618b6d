#!/usr/bin/env python3
"""SCIP (Python package pyscipopt). Its published wheels solve on one thread, whatever is asked for."""
import sys

import adapter


def watch(scip, answer):
    from pyscipopt import SCIP_EVENTTYPE, Eventhdlr

    class Watch(Eventhdlr):
        def eventinit(self):
            self.model.catchEvent(SCIP_EVENTTYPE.BESTSOLFOUND, self)

        def eventexit(self):
            self.model.dropEvent(SCIP_EVENTTYPE.BESTSOLFOUND, self)

        def eventexec(self, event):
            answer.improved(round(self.model.getSolObjVal(self.model.getBestSol())))

    handler = Watch()
    scip.includeEventhdlr(handler, "watch", "notes improving solutions")
    return handler


def solve(task, answer):
    adapter.need("pyscipopt", "pyscipopt")
    import pyscipopt
    model = task.model()
    path = str(task.folder / "model.mps")
    model.write_mps(path)
    scip = pyscipopt.Model()
    scip.hideOutput()
    scip.readProblem(path)
    scip.setParam("limits/time", task.time)
    scip.setParam("limits/gap", 0.0)
    scip.setParam("limits/absgap", 0.0)
    scip.setParam("randomization/randomseedshift", task.seed)
    answer.version = "SCIP %.1f, PySCIPOpt %s" % (scip.version(), pyscipopt.__version__)
    if model.start:
        variables, part = {variable.name: variable for variable in scip.getVars()}, scip.createPartialSol()
        for column, value in zip(*model.started()):
            scip.setSolVal(part, variables["C%d" % column], value)
        scip.addSol(part)
    answer.note = "one thread" if task.threads > 1 else ""
    handler = watch(scip, answer)
    task.start()
    scip.optimize()
    if scip.getNSols() > 0:
        best = scip.getBestSol()
        values = {variable.name: scip.getSolVal(best, variable) for variable in scip.getVars(transformed=False)}
        answer.chosen = model.chosen(lambda column: values["C%d" % column])
    answer.status = {"optimal": "optimal", "infeasible": "infeasible"}.get(scip.getStatus(), "unknown")
    if abs(scip.getDualbound()) < scip.infinity():
        answer.bound = adapter.round_up(scip.getDualbound())
    del handler


if __name__ == "__main__":
    sys.exit(adapter.main("scip", solve))
