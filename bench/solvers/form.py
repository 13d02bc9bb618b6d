"""An allocation program, read from its JSON form (docs/program-format.md), for solvers that are not ours.

Options are expanded one item at a time: a large structured program fits in memory. Exact integers.
"""
import collections
import json

LOW_FREE, HIGH_FREE = -(1 << 63), (1 << 63) - 1

# function: [(start, value, slope)]; [] is 0. feeds: [(row, function)].
Row = collections.namedtuple("Row", "name offset low high dimension function feeds")
# place, mode: index or -1; loads: [(row, amount)]; costs: [(dimension, amount)].
Option = collections.namedtuple("Option", "place mode cost costs loads")


class Unsupported(Exception):
    """The program has something that a solver or its model can't express."""


def function_of(pieces):
    return [tuple(int(number) for number in piece) for piece in pieces]


def value_at(function, z):
    """The first piece also holds below its start."""
    if not function:
        return 0
    piece = function[0]
    for other in function:
        if other[0] <= z:
            piece = other
    return piece[1] + piece[2] * (z - piece[0])


class Form:
    def __init__(self, tree):
        self.base = tree.get("number_base", 1)
        objective = tree.get("objective", {})
        self.sign = -1 if objective.get("sense") == "maximise" else 1
        self.constant, self.scale = int(objective.get("constant", 0)), int(objective.get("scale", 0))
        self.digest = tree.get("program_digest", "")
        self.places, self.place_index = self.names(tree, "places")
        self.modes, self.mode_index = self.names(tree, "modes")
        self.items, self.item_index = self.names(tree, "items")
        self.row_names, self.row_index = self.names(tree, "rows")
        self.rows = [self.read_row(t, self.row_names[r]) for r, t in enumerate(tree.get("rows", []))]
        self.tree_items = tree["items"]
        named = [item for item, t in enumerate(self.tree_items) if "name" in t]
        self.canonical = [item for item, t in enumerate(self.tree_items) if "name" not in t] + \
            sorted(named, key=lambda item: self.items[item].encode())
        self.stay = [t.get("stay", False) for t in tree.get("modes", [])]
        self.roles = [{int(role): [self.row_index[str(row)] for row in rows] for role, rows in t.get("roles", {}).items()}
                      for t in tree.get("places", [])]
        self.by_class = collections.defaultdict(list)
        for place, t in enumerate(tree.get("places", [])):
            self.by_class[t.get("class", 0)].append(place)
        self.table = tree.get("table")
        self.conflicts = [[self.item_index[str(item)] for item in members] for members in tree.get("conflicts", [])]
        self.traffic = tree.get("traffic", {})
        self.edges = collections.Counter()
        for edge in self.traffic.get("edges", []):
            self.edges[self.item_index[str(edge["from"])], self.item_index[str(edge["to"])]] += int(edge["weight"])

    def names(self, tree, kind):
        names = [t.get("name", str(self.base + k)) for k, t in enumerate(tree.get(kind, []))]
        return names, {name: k for k, name in enumerate(names)}

    def read_row(self, t, name):
        feeds = [(self.row_index[str(feed["to"])], function_of(feed["function"])) for feed in t.get("feeds", [])]
        return Row(name, int(t.get("offset", 0)), int(t.get("low", LOW_FREE)), int(t.get("high", HIGH_FREE)),
                   t.get("dimension", "other"), function_of(t.get("cost", [])), feeds)

    def distance(self, a, b):
        if "distances" in self.traffic:
            return int(self.traffic["distances"][a][b])
        for tier in self.traffic["tiers"]:
            up = tier.get("ancestors")
            if up is None or up[a] == up[b]:
                return int(tier["distance"])
        raise Unsupported("the last tier has ancestors")

    def options(self, item):
        """The allowed options of an item, in file order."""
        t = self.tree_items[item]
        start = t.get("start")
        home = self.place_index[str(start["place"])] if start else -1
        excluded = {self.place_index[str(place)] for place in t.get("exclude", [])}
        found = []
        for entry in t.get("options", []) + t.get("entries", []):
            mode = self.mode_index[str(entry["mode"])] if "mode" in entry else -1
            wide = "class" in entry
            if wide:
                places = self.by_class[entry["class"]]
            else:
                places = [self.place_index[str(entry["place"])] if "place" in entry else -1]
            for place in places:
                if place in excluded or (wide and mode >= 0 and self.stay[mode] and place != home):
                    continue
                found.append(self.option(t, entry, place, mode, wide, start, home))
        return found

    def option(self, t, entry, place, mode, wide, start, home):
        costs = [(entry.get("dimension", "other"), int(entry.get("cost", 0)))]
        if self.table and place >= 0:
            costs.append((self.table.get("dimension", "other"), int(self.table["costs"][t.get("class", 0)][place])))
        if start:
            at_start = place == home and ("mode" not in start or self.mode_index[str(start["mode"])] == mode)
            costs.append(("other", 0 if at_start else int(start.get("move_cost", 0))))
        loads = collections.Counter()
        for key, amount in entry.get("loads", {}).items():
            for row in self.roles[place].get(int(key), []) if wide else [self.row_index[str(key)]]:
                loads[row] += int(amount)
        return Option(place, mode, sum(amount for _, amount in costs), costs,
                      [(row, amount) for row, amount in loads.items() if amount])

    def start_option(self, item, options):
        """Position of the cheapest option at the item's start; None when it has none."""
        start = self.tree_items[item].get("start")
        if not start:
            return None
        home, mode = self.place_index[str(start["place"])], start.get("mode")
        fitting = [at for at, option in enumerate(options) if option.place == home and
                   (mode is None or option.mode == self.mode_index[str(mode)])]
        return min(fitting, key=lambda at: options[at].cost, default=None)

    def order(self):
        """Rows, each after all that feed it."""
        waits = collections.Counter(to for row in self.rows for to, _ in row.feeds)
        ready, ordered = [r for r in range(len(self.rows)) if not waits[r]], []
        while ready:
            r = ready.pop()
            ordered.append(r)
            for to, _ in self.rows[r].feeds:
                waits[to] -= 1
                if not waits[to]:
                    ready.append(to)
        return ordered

    def evaluate(self, chosen):
        """Costs by dimension and whether all limits hold; chosen: one Option an item."""
        cost, load = collections.Counter(), [row.offset for row in self.rows]
        for option in chosen:
            for dimension, amount in option.costs:
                cost[dimension] += amount
            for row, amount in option.loads:
                load[row] += amount
        for r in self.order():
            for to, function in self.rows[r].feeds:
                load[to] += value_at(function, load[r])
            cost[self.rows[r].dimension] += value_at(self.rows[r].function, load[r])
        for (a, b), weight in self.edges.items():
            cost[self.traffic.get("dimension", "other")] += weight * self.distance(chosen[a].place, chosen[b].place)
        feasible = all(row.low <= z <= row.high for row, z in zip(self.rows, load))
        for members in self.conflicts:
            used = [chosen[item].place for item in members if chosen[item].place >= 0]
            feasible = feasible and len(set(used)) == len(used)
        return cost, feasible

    def unit(self, value):
        return value if not self.scale else value / 10 ** self.scale

    def shown(self, cost):
        """What a user sees of a program's cost (an int where it is one)."""
        return self.unit(self.sign * cost + self.constant)

    def shown_parts(self, cost):
        """cost_by_dimension of a result."""
        parts = {dimension: self.unit(self.sign * amount) for dimension, amount in cost.items() if amount}
        return dict(parts, constant=self.unit(self.constant)) if self.constant else parts

    def pick(self, item, option):
        words = {"item": self.items[item]}
        if option.place >= 0:
            words["place"] = self.places[option.place]
        if option.mode >= 0:
            words["mode"] = self.modes[option.mode]
        return words


def read(path):
    with open(path, encoding="utf-8") as file:
        return Form(json.load(file))
