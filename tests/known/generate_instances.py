#!/usr/bin/env python3
"""Writes the shipped public-format instances again, byte for byte: problems/{gap,mkp,vbp}/instances.

    generate_instances.py FOLDER      writes FOLDER/{gap,mkp,vbp}/instances/NAME; problems/ is where they live

Laws: GAP types C, D, E of Yagiura, Ibaraki and Glover (INFORMS J. Comput. 16, 2004); MKP of Chu and Beasley
(J. Heuristics 4, 1998); packing with uniform sizes. Every instance has its own seed, so one can be changed alone.
"""
import math
import os
import random
import sys


class Dice:
    """Numbers from random(), whose sequence Python promises to keep."""

    def __init__(self, seed):
        self.source = random.Random(seed)

    def integer(self, low, high):
        return low + int(self.source.random() * (high - low + 1))

    def unit(self):
        """0 < value <= 1."""
        return 1.0 - self.source.random()


def gap(kind, agents, jobs, seed):
    dice = Dice(seed)
    need, cost = [], []
    for _ in range(agents):
        if kind == "c":
            w = [dice.integer(5, 25) for _ in range(jobs)]
            c = [dice.integer(10, 50) for _ in range(jobs)]
        elif kind == "d":
            w = [dice.integer(1, 100) for _ in range(jobs)]
            c = [111 - amount + dice.integer(-10, 10) for amount in w]
        else:
            w = [max(1, int(1 - 10 * math.log(dice.unit()))) for _ in range(jobs)]
            c = [max(1, int(1000 / amount - 10 * dice.unit())) for amount in w]
        need.append(w)
        cost.append(c)
    capacity = [8 * sum(w) // (10 * agents) for w in need]
    lines = ["%d %d" % (agents, jobs)]
    lines += [" ".join(map(str, row)) for row in cost + need + [capacity]]
    return "\n".join(lines) + "\n"


def mkp(rows, items, percent, seed):
    dice = Dice(seed)
    weight = [[dice.integer(0, 1000) for _ in range(items)] for _ in range(rows)]
    profit = [sum(weight[i][j] for i in range(rows)) // rows + int(500 * dice.unit()) for j in range(items)]
    capacity = [percent * sum(row) // 100 for row in weight]
    lines = ["1", "%d %d 0" % (items, rows)]
    lines += [" ".join(map(str, row)) for row in [profit] + weight + [capacity]]
    return "\n".join(lines) + "\n"


def vbp(dimensions, items, low, high, seed):
    dice = Dice(seed)
    lines = [str(dimensions), " ".join(["100"] * dimensions), str(items)]
    for _ in range(items):
        lines.append(" ".join(str(dice.integer(low, high)) for _ in range(dimensions)) + " 1")
    return "\n".join(lines) + "\n"


INSTANCES = {
    "gap/instances/c0540.txt": lambda: gap("c", 5, 40, 101),
    "gap/instances/c1060.txt": lambda: gap("c", 10, 60, 102),
    "gap/instances/d0530.txt": lambda: gap("d", 5, 30, 103),
    "gap/instances/d0840.txt": lambda: gap("d", 8, 40, 104),
    "gap/instances/e0540.txt": lambda: gap("e", 5, 40, 105),
    "gap/instances/e1060.txt": lambda: gap("e", 10, 60, 106),
    "mkp/instances/5.60.txt": lambda: mkp(5, 60, 50, 201),
    "mkp/instances/10.50.txt": lambda: mkp(10, 50, 50, 202),
    "mkp/instances/30.30.txt": lambda: mkp(30, 30, 25, 203),
    "vbp/instances/uniform_24_1.vbp": lambda: vbp(1, 24, 20, 100, 301),
    "vbp/instances/uniform_24_2.vbp": lambda: vbp(2, 24, 10, 60, 302),
    "vbp/instances/uniform_20_3.vbp": lambda: vbp(3, 20, 5, 50, 303),
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, make in INSTANCES.items():
        path = os.path.join(sys.argv[1], name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii", newline="\n") as file:
            file.write(make())


if __name__ == "__main__":
    main()
