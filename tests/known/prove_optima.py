#!/usr/bin/env python3
"""Proves the optima of the shipped instances with HiGHS (Python package highspy) and writes optima.csv.

    prove_optima.py problems/gap/instances/optima.csv problems/gap/instances/*.txt    formats by folder: gap, mkp, vbp

Reads the files itself, so that it shares no code with the readers. The models are the textbook ones; a packing
uses as many bins as first fit needs, with a bin in use only if the one before it is. HiGHS runs with an absolute
gap below 1 and an integer objective, so the optimum it reports is proven; anything else stops the script.
"""
import os
import sys

import highspy


def numbers(path):
    with open(path, encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


class Model:
    def __init__(self):
        self.solver = highspy.Highs()
        self.solver.setOptionValue("output_flag", False)
        self.solver.setOptionValue("mip_abs_gap", 0.5)
        self.solver.setOptionValue("mip_rel_gap", 0.0)
        self.solver.setOptionValue("time_limit", 600.0)
        self.count = 0

    def binary(self, cost):
        self.solver.addVar(0.0, 1.0)
        self.solver.changeColCost(self.count, float(cost))
        self.solver.changeColIntegrality(self.count, highspy.HighsVarType.kInteger)
        self.count += 1
        return self.count - 1

    def row(self, low, high, terms):
        columns = [column for column, _ in terms]
        values = [float(value) for _, value in terms]
        self.solver.addRow(float(low), float(high), len(terms), columns, values)

    def optimum(self, sense):
        if sense == "max":
            self.solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
        self.solver.run()
        if self.solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            sys.exit("not proven: %s" % self.solver.modelStatusToString(self.solver.getModelStatus()))
        return round(self.solver.getInfo().objective_function_value)


def gap(word):
    agents, jobs = word[0], word[1]
    cost, need, capacity = word[2:], word[2 + agents * jobs:], word[2 + 2 * agents * jobs:]
    model = Model()
    take = [[model.binary(cost[i * jobs + j]) for j in range(jobs)] for i in range(agents)]
    for j in range(jobs):
        model.row(1, 1, [(take[i][j], 1) for i in range(agents)])
    for i in range(agents):
        model.row(-highspy.kHighsInf, capacity[i], [(take[i][j], need[i * jobs + j]) for j in range(jobs)])
    return "min", model.optimum("min")


def mkp(word):
    items, rows = word[1], word[2]
    profit, weight, capacity = word[4:], word[4 + items:], word[4 + items + items * rows:]
    model = Model()
    take = [model.binary(profit[j]) for j in range(items)]
    for i in range(rows):
        model.row(-highspy.kHighsInf, capacity[i], [(take[j], weight[i * items + j]) for j in range(items)])
    return "max", model.optimum("max")


def first_fit(size, capacity):
    bins = []
    for item in size:
        for load in bins:
            if all(a + b <= c for a, b, c in zip(load, item, capacity)):
                load[:] = [a + b for a, b in zip(load, item)]
                break
        else:
            bins.append(list(item))
    return len(bins)


def vbp(word):
    d = word[0]
    capacity, items = word[1:1 + d], word[1 + d]
    size = [word[2 + d + i * (d + 1):2 + d + i * (d + 1) + d] for i in range(items)]
    bins = min(first_fit(size, capacity), first_fit(sorted(size, key=max, reverse=True), capacity))
    model = Model()
    used = [model.binary(1) for _ in range(bins)]
    take = [[model.binary(0) for _ in range(bins)] for _ in range(items)]
    for i in range(items):
        model.row(1, 1, [(take[i][b], 1) for b in range(bins)])
    for b in range(bins):
        for k in range(d):
            model.row(-highspy.kHighsInf, 0, [(take[i][b], size[i][k]) for i in range(items)] + [(used[b], -capacity[k])])
        if b > 0:
            model.row(-highspy.kHighsInf, 0, [(used[b], 1), (used[b - 1], -1)])
    return "min", model.optimum("min")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    lines = ["file,sense,optimum,prover"]
    for path in sys.argv[2:]:
        kind = os.path.basename(os.path.dirname(os.path.dirname(os.path.abspath(path))))
        sense, value = {"gap": gap, "mkp": mkp, "vbp": vbp}[kind](numbers(path))
        lines.append("%s,%s,%d,HiGHS %s" % (os.path.basename(path), sense, value, highspy.Highs().version()))
    with open(sys.argv[1], "w", encoding="ascii", newline="\n") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
