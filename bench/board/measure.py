"""What is computed from costs: gaps, integrals, means.

gap        100 (cost - best) / |best| for a minimum, 100 (best - cost) / |best| for a maximum; where the list has the cost
           of a given start, 100 (cost - best) / (start - best). Negative: better than the best known.
primal gap |cost - best| / max(|cost|, |best|), 1 without a plan, 0 below the best known: T. Berthold, Oper. Res. Lett. 41
           (2013) 611-614, and its integral over the time limit, here as a mean in percent.
mean       shifted geometric: exp(mean of ln(x + shift)) - shift.
"""
import math


def gap_percent(cost, best, sense, start=None):
    worse = cost - best if sense == "min" else best - cost
    whole = abs(best) if start is None else start - best
    return 100.0 * worse / max(1, whole)


def proven_gap_percent(cost, bound, sense):
    if cost is None or bound is None:
        return None
    return 100.0 * max(0, cost - bound if sense == "min" else bound - cost) / max(1, abs(cost))


def better(cost, other, sense):
    """Whether a cost is strictly better, beyond the last digits of a decimal."""
    slack = 0 if isinstance(cost, int) and isinstance(other, int) else 1e-9 * max(1.0, abs(other))
    return cost < other - slack if sense == "min" else cost > other + slack


def primal_gap(cost, best, sense):
    if cost is None:
        return 1.0
    if cost == best or better(cost, best, sense):
        return 0.0
    if cost * best < 0:
        return 1.0
    return abs(cost - best) / max(abs(cost), abs(best))


def gap_at(points, best, sense, seconds):
    cost = None
    for at, value in points:
        if at > seconds:
            break
        cost = value
    return primal_gap(cost, best, sense)


def primal_integral_percent(points, best, sense, limit):
    if limit <= 0:
        return None
    total, gap, last = 0.0, 1.0, 0.0
    for at, cost in points:
        at = min(at, limit)
        total += gap * (at - last)
        gap, last = primal_gap(cost, best, sense), at
    return 100.0 * (total + gap * (limit - last)) / limit


def shifted_mean(values, shift):
    if not values:
        return None
    return math.exp(sum(math.log(max(value, 0.0) + shift) for value in values) / len(values)) - shift


def mean(values):
    return sum(values) / len(values) if values else None
