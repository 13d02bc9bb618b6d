#!/usr/bin/env python3
"""pygmo (Python package pygmo): its simple genetic algorithm with a population of 100.

Integer chromosomes; a permutation is the order of continuous keys (J. Bean, ORSA J. Comput. 6 (1994) 154-160).
"""
import sys

import adapter

POPULATION, GENERATIONS = 100, 5


def solve(task, answer):
    adapter.need("pygmo", "pygmo")
    import numpy
    import pygmo
    import genes
    space = genes.Space(task, answer)
    answer.version = pygmo.__version__
    count = len(space.counts)

    class Problem:
        def fitness(self, x):
            if space.over():
                return [2.0 * genes.INFEASIBLE]
            return [space.value(numpy.argsort(x) if space.permutation else x)]

        def get_bounds(self):
            return ([0] * count, [1] * count if space.permutation else [int(number) - 1 for number in space.counts])

        def get_nix(self):
            return 0 if space.permutation else count

    task.start()
    population = pygmo.population(pygmo.problem(Problem()), size=POPULATION, seed=task.seed)
    if space.start() and not space.permutation:
        population.set_x(0, space.start())
    method = pygmo.algorithm(pygmo.sga(gen=GENERATIONS, cr=0.9, m=2.0 / count, mutation="uniform", selection="tournament",
                                       param_s=3, crossover="exponential", seed=task.seed))
    while not space.over():
        population = method.evolve(population)
    space.finish()


if __name__ == "__main__":
    sys.exit(adapter.main("pygmo_sga", solve))
