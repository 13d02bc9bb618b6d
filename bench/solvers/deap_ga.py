#!/usr/bin/env python3
"""DEAP (Python packages deap and numpy): a genetic algorithm of 100, tournaments of 3, the best one kept."""
import random
import sys

import adapter

POPULATION, CROSS, MUTATE = 100, 0.9, 0.3


def operators(tools, space):
    """(crossover, mutation) in place."""
    count = len(space.counts)
    if space.permutation:
        return tools.cxOrdered, lambda plan: tools.mutShuffleIndexes(plan, 2.0 / count)
    highest = [int(number) - 1 for number in space.counts]
    return (lambda a, b: tools.cxUniform(a, b, 0.5)), (lambda plan: tools.mutUniformInt(plan, 0, highest, 2.0 / count))


def breed(tools, population, cross, mutate):
    chosen = [best for best in tools.selBest(population, 1)]
    children = [type(plan)(plan) for plan in tools.selTournament(population, POPULATION - 1, 3)]
    for a, b in zip(children[::2], children[1::2]):
        if random.random() < CROSS:
            cross(a, b)
    for child in children:
        if random.random() < MUTATE:
            mutate(child)
    return chosen + children


def solve(task, answer):
    adapter.need("deap", "deap")
    adapter.need("numpy", "numpy")
    import deap
    from deap import base, creator, tools
    import genes
    random.seed(task.seed)
    space = genes.Space(task, answer)
    answer.version = deap.__version__
    creator.create("Least", base.Fitness, weights=(-1.0,))
    creator.create("Plan", list, fitness=creator.Least)
    cross, mutate = operators(tools, space)
    population = [creator.Plan(space.random_plan()) for _ in range(POPULATION)]
    if space.start():
        population[0] = creator.Plan(space.start())
    task.start()
    while not space.over():
        for plan in population:
            if not plan.fitness.valid and not space.over():
                plan.fitness.values = (space.value(plan),)
        if all(plan.fitness.valid for plan in population):
            population = breed(tools, population, cross, mutate)
    space.finish()


if __name__ == "__main__":
    sys.exit(adapter.main("deap_ga", solve))
