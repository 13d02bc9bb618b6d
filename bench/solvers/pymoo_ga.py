#!/usr/bin/env python3
"""pymoo (Python package pymoo): its genetic algorithm with a population of 100."""
import sys

import adapter

POPULATION = 100


def algorithm(space, numpy):
    from pymoo.algorithms.soo.nonconvex.ga import GA
    from pymoo.core.mutation import Mutation
    from pymoo.operators.crossover.ox import OrderCrossover
    from pymoo.operators.crossover.ux import UniformCrossover
    from pymoo.operators.mutation.inversion import InversionMutation

    class Redraw(Mutation):
        """Draws two numbers of a plan again, on average."""

        def _do(self, problem, plans, **rest):
            hit = numpy.random.random(plans.shape) < 2.0 / plans.shape[1]
            return numpy.where(hit, numpy.random.randint(0, space.counts, plans.shape), plans)

    plans = numpy.array([space.random_plan(adapter_random(numpy)) for _ in range(POPULATION)])
    if space.start():
        plans[0] = space.start()
    if space.permutation:
        return GA(pop_size=POPULATION, sampling=plans, crossover=OrderCrossover(), mutation=InversionMutation())
    return GA(pop_size=POPULATION, sampling=plans, crossover=UniformCrossover(), mutation=Redraw())


def adapter_random(numpy):
    import random
    return random.Random(int(numpy.random.randint(1 << 30)))


def solve(task, answer):
    adapter.need("pymoo", "pymoo")
    import numpy
    import pymoo
    from pymoo.core.problem import ElementwiseProblem
    from pymoo.optimize import minimize
    from pymoo.core.termination import Termination
    import genes
    numpy.random.seed(task.seed)
    space = genes.Space(task, answer)
    answer.version = pymoo.__version__

    class Problem(ElementwiseProblem):
        def __init__(self):
            super().__init__(n_var=len(space.counts), n_obj=1, xl=0, xu=space.counts - 1, vtype=int)

        def _evaluate(self, x, out, *rest, **more):
            out["F"] = space.value(x) if not space.over() else 2.0 * genes.INFEASIBLE

    class Clock(Termination):
        def _update(self, algorithm):
            return 1.0 if space.over() else 0.0

    method = algorithm(space, numpy)
    task.start()
    minimize(Problem(), method, Clock(), seed=task.seed, verbose=False)
    space.finish()


if __name__ == "__main__":
    sys.exit(adapter.main("pymoo_ga", solve))
