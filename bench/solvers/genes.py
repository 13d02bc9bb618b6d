"""What the metaheuristic peers share: a program as a function of integers, evaluated with numpy.

A plan is a vector with one number an item: the position of its option. Where the items are as many as the places, each place
takes one and nothing else limits it (quadratic assignment), it is a permutation. The value to minimise is the cost of a plan
that keeps all limits, else 1e15 + its violation, so that every feasible plan is better than every other (K. Deb, Comput.
Methods Appl. Mech. Eng. 186 (2000) 311-338).
"""
import random

import numpy

from form import HIGH_FREE, LOW_FREE, Unsupported

INFEASIBLE = 1e15
CELLS_MAX = 60_000_000
FREE = 1 << 62


class Functions:
    """Piecewise-linear functions side by side: start, value, slope are [functions, most pieces]."""

    def __init__(self, functions):
        most = max([1] + [len(function) for function in functions])
        padded = [(function or [(0, 0, 0)]) for function in functions]
        padded = [function + [(FREE, 0, 0)] * (most - len(function)) for function in padded]
        table = numpy.array(padded, dtype=numpy.int64).reshape(len(functions), most, 3)
        self.start, self.value, self.slope = table[:, :, 0], table[:, :, 1], table[:, :, 2]
        self.all = numpy.arange(len(functions))

    def at(self, z):
        piece = (z[:, None] >= self.start[:, 1:]).sum(axis=1)
        return self.value[self.all, piece] + self.slope[self.all, piece] * (z - self.start[self.all, piece])


class Space:
    def __init__(self, task, answer):
        self.task, self.answer, self.form = task, answer, task.form
        self.options = [self.form.options(item) for item in range(len(self.form.items))]
        self.counts = numpy.array([len(options) for options in self.options])
        self.first = numpy.concatenate([[0], numpy.cumsum(self.counts)[:-1]])
        flat = [option for options in self.options for option in options]
        if len(flat) * len(self.form.rows) > CELLS_MAX:
            raise Unsupported("the table of loads has over %d cells" % CELLS_MAX)
        self.cost = numpy.array([option.cost for option in flat], dtype=numpy.int64)
        self.place = numpy.array([option.place for option in flat], dtype=numpy.int64)
        self.load = numpy.zeros((len(flat), len(self.form.rows)), dtype=numpy.int64)
        for at, option in enumerate(flat):
            for row, amount in option.loads:
                self.load[at, row] = amount
        self.read_rows()
        self.read_pairs()
        self.permutation = self.is_permutation()
        self.best, self.best_plan, self.evaluations = float("inf"), None, 0

    def read_rows(self):
        rows = self.form.rows
        self.offset = numpy.array([row.offset for row in rows], dtype=numpy.int64)
        self.low = numpy.array([-FREE if row.low == LOW_FREE else row.low for row in rows], dtype=numpy.int64)
        self.high = numpy.array([FREE if row.high == HIGH_FREE else row.high for row in rows], dtype=numpy.int64)
        self.priced = numpy.array([r for r, row in enumerate(rows) if row.function], dtype=numpy.int64)
        self.price = Functions([rows[r].function for r in self.priced])
        depth, self.feeds = [0] * len(rows), []
        for r in self.form.order():
            for to, _ in rows[r].feeds:
                depth[to] = max(depth[to], depth[r] + 1)
        for level in sorted({depth[r] for r, row in enumerate(rows) if row.feeds}):
            feeds = [(r, to, function) for r, row in enumerate(rows) if depth[r] == level for to, function in row.feeds]
            self.feeds.append((numpy.array([feed[0] for feed in feeds]), numpy.array([feed[1] for feed in feeds]),
                               Functions([feed[2] for feed in feeds])))

    def read_pairs(self):
        pairs = [(number, item) for number, members in enumerate(self.form.conflicts) for item in members]
        self.sets = numpy.array(pairs, dtype=numpy.int64).reshape(-1, 2)
        edges = [(a, b, weight) for (a, b), weight in self.form.edges.items()]
        self.edges = numpy.array(edges, dtype=numpy.int64).reshape(-1, 3)
        if edges:
            count = len(self.form.places)
            self.far = numpy.array([[self.form.distance(a, b) for b in range(count)] for a in range(count)], dtype=numpy.int64)

    def is_permutation(self):
        count = len(self.form.items)
        if not self.form.edges or count != len(self.form.places) or not (self.counts == count).all():
            return False
        places = self.place.reshape(count, count)
        return bool((places == numpy.arange(count)).all() and (self.high == 1).all() and
                    all(len(option.loads) == 1 for options in self.options for option in options))

    def value(self, plan):
        """Of a vector of positions; notes improvements."""
        at = self.first + numpy.asarray(plan, dtype=numpy.int64)
        load = self.offset + self.load[at].sum(axis=0)
        for source, to, functions in self.feeds:
            numpy.add.at(load, to, functions.at(load[source]))
        violation = numpy.maximum(load - self.high, 0).sum() + numpy.maximum(self.low - load, 0).sum()
        place = self.place[at]
        if len(self.sets):
            keys = self.sets[:, 0] * (len(self.form.places) + 1) + place[self.sets[:, 1]] + 1
            keys = keys[place[self.sets[:, 1]] >= 0]
            violation += len(keys) - len(numpy.unique(keys))
        cost = self.cost[at].sum() + (self.price.at(load[self.priced]).sum() if len(self.priced) else 0)
        if len(self.edges):
            cost += (self.edges[:, 2] * self.far[place[self.edges[:, 0]], place[self.edges[:, 1]]]).sum()
        self.evaluations += 1
        value = float(cost) if violation == 0 else INFEASIBLE + float(violation)
        if value < self.best:
            self.best, self.best_plan = value, [int(number) for number in plan]
            if violation == 0:
                self.answer.improved(int(cost))
        return value

    def over(self):
        return self.task.elapsed() >= self.task.time

    def start(self):
        """The start plan, where there is one."""
        plan = [self.form.start_option(item, options) for item, options in enumerate(self.options)]
        return None if None in plan else plan

    def random_plan(self, draw=random):
        if self.permutation:
            return draw.sample(range(len(self.counts)), len(self.counts))
        return [draw.randrange(int(count)) for count in self.counts]

    def finish(self):
        self.answer.note = "one thread, %d evaluations" % self.evaluations
        if self.best < INFEASIBLE:
            self.answer.chosen = [options[at] for options, at in zip(self.options, self.best_plan)]
