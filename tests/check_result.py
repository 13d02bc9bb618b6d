#!/usr/bin/env python3
"""Checks results of `ration solve` and `ration bound` from their programs alone: loads, cost, digest, certificate.

usage: check_result.py PROGRAM RESULT [PROGRAM RESULT]...      PROGRAM: *.json, else GAP text

Exact integers, none of ration's code. Prints "ok" or the first difference, a line a pair; exit 0 or 1."""
import collections, fractions, hashlib, json, sys

from check_bound import Bound, Wrong, at, leave_out, need, prove_ranges
from program_form import Program


def evaluate(p, ranked, picks):
    """Costs by dimension and loads by row, from the definition."""
    cost, load = collections.Counter(), {name: row.offset for name, row in p.rows.items()}
    for item, pick in picks.items():
        cost.update(p.options[item][pick][0])
        load.update({name: load[name] + amount for name, amount in p.options[item][pick][1].items()})
    for name in ranked:
        for t, f in p.rows[name].feeds:
            load[t] += at(f, load[name])
        cost[p.rows[name].dimension] += at(p.rows[name].f, load[name])
    for (a, b), w in p.edges.items():
        cost[p.traffic.get("dimension", "other")] += w * p.far(picks[a][0], picks[b][0])
    return cost, load


def check(p, r):
    def same(what, said, cost, constant=p.constant):
        found = fractions.Fraction(p.sign * cost + constant, 10 ** p.scale)
        need(fractions.Fraction(said) == found, what, "is", said, "but should be", found)

    ranked, cost, feasible, claim = prove_ranges(p), None, False, r.get("certificate")
    if "picks" in r:
        picks = {x["item"]: (x.get("place", ""), x.get("mode", "")) for x in r["picks"]}
        need(len(picks) == len(r["picks"]) and set(picks) == set(p.options), "picks are not one an item")
        need(all(pick in p.options[item] for item, pick in picks.items()), "a pick is no option")
        costs, load = evaluate(p, ranked, picks)
        same("cost", r["cost"], cost := sum(costs.values()))
        for k in set(costs) | set(r["cost_by_dimension"]) - {"constant"}:
            same(k, r["cost_by_dimension"].get(k, 0), costs[k], 0)
        broken = {name: (load[name], row.high if load[name] > row.high else row.low)
                  for name, row in p.rows.items() if row.away(load[name])}
        need(broken == {x["row"]: (int(x["load"]), int(x["limit"])) for x in r.get("violations", [])},
             "violations should be", broken)
        text = "".join("%s\t%s\t%s\n" % ((item,) + picks[item]) for item in p.order).encode()
        need(hashlib.sha256(text).hexdigest()[:32] == r["digest"], "digest is not that of the picks")
        feasible = not broken
    need(claim or "bound" not in r, "bound has no certificate")
    if claim:
        need(claim["kind"] in ("lagrange", "group", "knapsack"), "certificate of unknown kind", claim["kind"])
        price = collections.Counter({x["row"]: int(x["value"]) for x in r["prices"]})
        widths = {x["row"]: int(x["width"]) for g in claim.get("groups", []) for x in g}
        kept, values = claim.get("rows", []), collections.Counter({x["item"]: int(x["value"]) for x in claim.get("values", [])})
        need((claim["kind"] == "knapsack") == bool(kept), "certificate of kind knapsack without rows")
        need(not kept or "violation" not in claim, "knapsacks bound no violation")
        rounds, violation = claim.get("rounds", 0), "violation" in claim
        least = leave_out(p, rounds) if rounds else 0
        empty = not all(p.options.values())
        need(violation or not empty, "an item has no option left")
        found = 1 if empty else Bound(p, price, widths, violation, kept, values).value()
        found = max(least, min(found, 1)) if rounds and violation else found
        if "violation" in claim:
            need(int(claim["violation"]) == found > 0, "certificate.violation should be", found)
        else:
            same("bound", r["bound"], found)
        need(not feasible or ("violation" not in claim and found <= cost), "the plan is excluded")
    proofs = {"infeasible": claim and "violation" in claim, "optimal": feasible and claim and found == cost,
              "feasible": feasible, "unknown": True}
    need(r["status"] == next(word for word in proofs if proofs[word]), "status", r["status"], "is wrong")


def main(paths, code=0):
    for program, result in zip(paths[::2], paths[1::2]):
        try:
            with open(result, encoding="utf-8") as file:
                r = json.load(file, parse_float=fractions.Fraction)
            check(Program(program, r["program"].get("sense") == "max"), r)
            print("ok")
        except Wrong as wrong:
            code = print("%s: %s" % (result, wrong)) or 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 2 else __doc__)
