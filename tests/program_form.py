"""Reads an allocation program, in its JSON form or as GAP text, into plain tables for the checkers.

Written from docs/program-format.md alone; standard library, exact integers, none of ration's code."""
import collections
import json

LOW_FREE, HIGH_FREE = -(1 << 63), (1 << 63) - 1


class Row:
    """offset, low, high, dimension, f and feeds [(to, function)]; a function is [[start, value, slope], ...]."""

    def __init__(self, t, members=0):
        self.offset = int(t.get("offset", 0))
        self.low, self.high = int(t.get("low", LOW_FREE)), int(t.get("high", HIGH_FREE))
        self.dimension, self.f = t.get("dimension", "other"), function(t.get("cost", []))
        self.feeds = [(str(feed["to"]), function(feed["function"])) for feed in t.get("feeds", [])]
        self.members = members  # of a conflict set

    def away(self, z):
        return max(0, z - self.high, self.low - z)


def function(pieces):
    return [[int(x) for x in piece] for piece in pieces]


def gap(path, maximise):
    """OR-Library's text as the JSON form: m n, m x n costs, m x n needs, m capacities."""
    with open(path, encoding="ascii") as file:
        v = [int(word) for word in file.read().split()]
    m, n, sign = v[0], v[1], -1 if maximise else 1
    items = [{"options": [{"place": i + 1, "cost": sign * v[2 + i * n + j],
                           "loads": {str(i + 1): v[2 + (m + i) * n + j]}} for i in range(m)]}
             for j in range(n)]
    return {"objective": {"sense": "maximise" if maximise else "minimise"}, "places": [{}] * m,
            "rows": [{"high": b} for b in v[2 + 2 * m * n:]], "items": items}


class Program:
    """rows {name: Row}, conflict rows included; order: items in canonical order; options {item: {(place, mode): (costs by
    dimension, amounts by row)}}; groups [(items, rows)]; edges {(from, to): weight}; far(place, place)."""

    def __init__(self, path, maximise=False):
        if path.endswith(".json"):
            with open(path, encoding="utf-8") as file:
                p = json.load(file)
        else:
            p = gap(path, maximise)
        self.base, objective = p.get("number_base", 1), p.get("objective", {})
        self.sign = -1 if objective.get("sense") == "maximise" else 1
        self.constant, self.scale = int(objective.get("constant", 0)), objective.get("scale", 0)
        self.places = dict(zip(self.names(p, "places"), p.get("places", [])))
        self.modes = dict(zip(self.names(p, "modes"), p.get("modes", [])))
        self.rows = {name: Row(t) for name, t in zip(self.names(p, "rows"), p.get("rows", []))}
        self.sets = [[str(item) for item in members] for members in p.get("conflicts", [])]
        for k, members in enumerate(self.sets):
            for place in self.places:
                self.rows["conflict:%d@%s" % (self.base + k, place)] = Row({"high": 1}, len(members))
        self.groups = [([str(i) for i in g["items"]], [str(r) for r in g.get("rows", [])])
                       for g in p.get("groups", [])]
        self.index = {place: k for k, place in enumerate(self.places)}
        self.table, self.traffic = p.get("table"), p.get("traffic", {})
        self.edges = collections.Counter()
        for edge in self.traffic.get("edges", []):
            self.edges[str(edge["from"]), str(edge["to"])] += int(edge["weight"])
        items = dict(zip(self.names(p, "items"), p["items"]))
        named = sorted((t["name"] for t in p["items"] if "name" in t), key=str.encode)
        self.order = [name for name, t in items.items() if "name" not in t] + named
        self.options = {name: dict(self.read_options(name, t)) for name, t in items.items()}

    def names(self, p, kind):
        return [t.get("name", str(self.base + k)) for k, t in enumerate(p.get(kind, []))]

    def far(self, a, b):
        if "distances" in self.traffic:
            return int(self.traffic["distances"][self.index[a]][self.index[b]])
        for tier in self.traffic["tiers"]:
            up = tier.get("ancestors")
            if up is None or up[self.index[a]] == up[self.index[b]]:
                return int(tier["distance"])
        raise ValueError("the last tier has ancestors")

    def read_options(self, item, t):
        start, excluded = t.get("start"), {str(place) for place in t.get("exclude", [])}
        home = str(start["place"]) if start else None
        for e in t.get("options", []) + t.get("entries", []):
            mode = str(e.get("mode", ""))
            wide = "class" in e
            stay = wide and self.modes.get(mode, {}).get("stay", False)
            for place in self.of_class(e["class"]) if wide else [str(e.get("place", ""))]:
                if place in excluded or (stay and place != home):
                    continue
                cost = collections.Counter({e.get("dimension", "other"): int(e.get("cost", 0))})
                other = (self.table or {}).get("dimension", "other")
                if self.table and place:
                    cost[other] += int(self.table["costs"][t.get("class", 0)][self.index[place]])
                if start and not (place == home and str(start.get("mode", mode)) == mode):
                    cost[other] += int(start.get("move_cost", 0))
                yield (place, mode), (cost, self.read_loads(item, e, place, wide))

    def of_class(self, place_class):
        return [name for name, t in self.places.items() if t.get("class", 0) == place_class]

    def read_loads(self, item, e, place, wide):
        load = collections.Counter()
        for key, amount in e.get("loads", {}).items():
            for row in self.places[place].get("roles", {}).get(key, []) if wide else [key]:
                load[str(row)] += int(amount)
        for k, members in enumerate(self.sets):
            if place and item in members:
                load["conflict:%d@%s" % (self.base + k, place)] += 1
        return load
