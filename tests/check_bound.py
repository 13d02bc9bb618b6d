"""Recomputes the bound that a certificate proves, by the formula in docs/certificates.md, with exact integers.

Part of check_result.py; none of ration's code."""
import collections

S = 1 << 20  # scale of prices


class Wrong(Exception):
    """What a result claims is not so."""


def need(condition, *text):
    if not condition:
        raise Wrong(" ".join(map(str, text)))


def at(f, z):
    """Piecewise-linear f at z."""
    start, value, slope = ([p for p in f if p[0] <= z] or f[:1] or [[0, 0, 0]])[-1]
    return value + slope * (z - start)


def ends(functions, low, high, more=()):
    """Loads between which all functions are lines."""
    breaks = [b for f in functions for p in f for b in (p[0], p[0] - 1)] + list(more)
    return {low, high} | {b for b in breaks if low < b < high}


def prove_ranges(p, conflicts=False):
    """Sets least and most of every row; returns the rows, each after all that feed it. conflicts: of their rows too."""
    sums = {name: [row.offset, row.offset + (0 if conflicts else row.members)] for name, row in p.rows.items()}
    for options in p.options.values():
        for name in {name for _, load in options.values() for name in load if conflicts or not p.rows[name].members}:
            amounts = [load[name] for _, load in options.values()]
            sums[name] = [sums[name][0] + min(amounts), sums[name][1] + max(amounts)]
    waits, ranked = collections.Counter(t for row in p.rows.values() for t, _ in row.feeds), []
    while len(ranked) < len(p.rows):
        ready = [name for name in p.rows if waits[name] == 0]
        need(ready, "the feeds have a cycle")
        for name in ready:
            waits[name], row = -1, p.rows[name]
            row.least, row.most = sums[name]
            for t, f in row.feeds:
                values = [at(f, z) for z in ends([f], row.least, row.most)]
                sums[t] = [sums[t][0] + min(values), sums[t][1] + max(values)]
                waits[t] -= 1
        ranked += ready
    return ranked


def leave_out(p, rounds):
    """Takes options out of p that break a limit by themselves; returns what every plan violates, by the first round."""
    prove_ranges(p, True)
    violation = sum(max(0, row.least - row.high) + max(0, row.low - row.most) for row in p.rows.values())
    for turn in range(rounds):
        kept = {}
        for item, options in p.options.items():
            amounts = {name: [load[name] for _, load in options.values()] for _, load in options.values() for name in load}
            room = [(name, min(a), max(0, p.rows[name].high - p.rows[name].least), max(a),
                     max(0, p.rows[name].most - p.rows[name].low)) for name, a in amounts.items()]
            excess = {option: sum(max(0, load[name] - low - up) + max(0, high - load[name] - down)
                                  for name, low, up, high, down in room) for option, (_, load) in options.items()}
            violation += 0 if turn else min(excess.values())
            kept[item] = {option: options[option] for option in options if not excess[option]}
        p.options = kept
        if not all(kept.values()):
            break
        prove_ranges(p, True)
    return violation


class Bound:
    """L of a program at prices; widths: {DP row: width}; violation: bounds the violation, not the cost; kept: rows of
    knapsacks, values: of items."""

    def __init__(self, program, price, widths, violation, kept=(), values=None):
        self.p, self.price, self.widths, self.violation = program, price, widths, violation
        self.kept, self.values = set(kept), values

    def f(self, row, z):
        return row.away(z) if self.violation else at(row.f, z)

    def span(self, row, low, high):
        """Loads from low to high that can be and, unless it is about violations, may be."""
        low, high = max(row.least, low), min(row.most, high)
        return (low, high) if self.violation else (max(low, row.low), min(high, row.high))

    def half(self, item, place):
        """What the traffic charges to one of its ends."""
        total, far, options = 0, self.p.far, self.p.options
        for (a, b), w in self.p.edges.items():
            if a == b == item:
                total += w * far(place, place)
            elif a == item:
                total += min(w * far(place, q) for q, _ in options[b]) // 2
            elif b == item:
                total += min(w * far(q, place) for q, _ in options[a]) // 2
        return total

    def option(self, item, option, skip=()):
        cost, load = self.p.options[item][option]
        own = 0 if self.violation else S * (sum(cost.values()) + self.half(item, option[0]))
        return own + sum(self.price[r] * a for r, a in load.items() if r not in skip)

    def row(self, name):
        row = self.p.rows[name]
        low, high = self.span(row, row.least, row.most)
        need(low <= high, "row", name, "has no load within its limits")
        functions = [row.f] + [g for _, g in row.feeds]
        return self.price[name] * row.offset + min(
            S * self.f(row, z) - self.price[name] * z + sum(self.price[t] * at(g, z) for t, g in row.feeds)
            for z in ends(functions, low, high, (row.low, row.high)))

    def group(self, items, rows):
        """Least cost of the items and their DP rows: states are rounded loads, slack what rounding may have lost."""
        states, slack, width = {(0,) * len(rows): 0}, [0] * len(rows), [self.widths[r] for r in rows]
        for item in items:
            choices, options = {}, self.p.options[item]
            for option, (_, load) in options.items():
                key, value = tuple(load[r] // w for r, w in zip(rows, width)), self.option(item, option, rows)
                choices[key] = min(choices.get(key, value), value)
            slack = [s + max(load[r] % w for _, load in options.values()) for s, r, w in zip(slack, rows, width)]
            after = collections.defaultdict(list)
            for state, value in states.items():
                for choice, more in choices.items():
                    after[tuple(x + y for x, y in zip(state, choice))].append(value + more)
            states = {state: min(values) for state, values in after.items()}
        ends_of = [value + tail for state, value in states.items()
                   for tail in self.tail([self.p.rows[r] for r in rows], state, width, slack)]
        need(ends_of, "group", rows, "reaches no load within its limits")
        return min(ends_of)

    def tail(self, rows, state, width, slack):
        total = 0
        for row, k, w, s in zip(rows, state, width, slack):
            low, high = self.span(row, row.offset + k * w, row.offset + k * w + s)
            if low > high:
                return []
            total += S * min(self.f(row, z) for z in ends([row.f], low, high, (row.low, row.high)))
        return [total]

    def charge(self, row, z):
        """What a kept row and its feeds cost at a load."""
        return S * at(row.f, z) + sum(self.price[t] * at(g, z) for t, g in row.feeds)

    def room(self, name):
        """Offset, least and greatest load of a kept row, and whether options that don't pay for themselves may be left."""
        row = self.p.rows[name]
        need(not row.members and all(t != name for other in self.p.rows.values() for t, _ in other.feeds), name, "is fed")
        low, high = self.span(row, row.least, row.most)
        need(low <= high, "row", name, "has no load within its limits")
        need(high - row.offset <= 1 << 20, "row", name, "has more loads than a knapsack may")
        charges = [self.charge(row, z) for z in range(row.offset, high + 1)]
        return row.offset, low, high, low <= row.offset and charges == sorted(charges), charges

    def pack(self, room, options):
        """Least cost of a kept row; options: a list of (amount, value) per item."""
        offset, low, high, lazy, charges = room
        never = 1 << 200
        best = [0] + [0 if lazy else never] * (high - offset)
        for choices in options:
            after = best[:]
            for amount, value in choices:
                after[amount:] = [min(x, y + value) for x, y in zip(after[amount:], best)]
            best = after
        found = min(x + y for x, y in list(zip(best, charges))[max(0, low - offset):])
        need(found < never >> 1, "a kept row reaches no load within its limits")
        return found

    def knapsacks(self):
        rooms, packed, total, known = {name: self.room(name) for name in self.kept}, {name: [] for name in self.kept}, 0, {}
        for item, options in self.p.options.items():
            spare, mine = 0, collections.defaultdict(list)
            for option, (_, load) in options.items():
                rows = [name for name in load if name in self.kept]
                need(len(rows) <= 1 and all(load[name] >= 0 for name in rows), "an option of", item, "can't be packed")
                value = self.option(item, option, rows) - self.values[item]
                if not rows:
                    spare = min(spare, value)
                elif value < 0 or not rooms[rows[0]][3]:
                    mine[rows[0]].append((load[rows[0]], value))
            for name, choices in mine.items():
                packed[name].append(tuple(sorted(choices)))
            total += self.values[item] + spare
        for name, options in packed.items():
            key = (tuple(options), rooms[name][:4], tuple(rooms[name][4]))
            if key not in known:
                known[key] = self.pack(rooms[name], options)
            total += known[key]
        return total

    def value(self):
        if self.kept:
            total = self.knapsacks() + sum(self.row(name) for name in self.p.rows if name not in self.kept)
            return -(-total // S)
        solved = [(items, rows) for items, rows in self.p.groups if rows and rows[0] in self.widths]
        left = set(self.p.options) - {item for items, _ in solved for item in items}
        total = sum(self.group(items, rows) for items, rows in solved)
        total += sum(min(self.option(item, option) for option in self.p.options[item]) for item in left)
        total += sum(self.row(name) for name in self.p.rows if name not in self.widths)
        return -(-total // S)
