"""An allocation program as a mixed-integer linear program, for the exact solvers.

    minimise  sum of cost x + costs of rows + traffic      x(i, o) binary, sum over o of x(i, o) = 1

Of two options without a place, one of which loads nothing (in or out of a knapsack), only the other has an x.

A row's load z stays an expression. Where its cost and its feeds are one straight line on the loads that it can reach, so do
they. A convex cost without feeds: z = L + sum of w_k, 0 <= w_k <= length_k, each with its slope. Else one binary b_k a
straight part: z = sum of (s_k b_k + w_k), sum of b_k = 1, 0 <= w_k <= length_k b_k. Two level parts s_0 .. e_0, s_1 .. e_1 (a
fixed charge) need one binary alone: s_0 + (s_1 - s_0) b <= z <= e_0 + (e_1 - e_0) b.

Traffic: L. Kaufman, F. Broeckx, Eur. J. Oper. Res. 2 (1978) 204-211, with the flow of an item to a place as its own
column: v(i, q) = sum over j of w(i, j) x(j at q), and u(i, p) >= sum over q of d(p, q) v(i, q) - M (1 - x(i at p)); n^3
coefficients instead of n^4.
"""
import collections

from form import HIGH_FREE, LOW_FREE, Unsupported, value_at

COEFFICIENTS_MAX = 30_000_000


class Milp:
    """Columns: cost, low, high, integer; lines: (low, high, [(column, coefficient)]), None is no limit.

    pick_of[column] = (item, Option) for the columns before `picks`. ones: lines that choose one of binaries. start: the
    columns that are 1 in the start plan, empty where the program has none.
    """

    def __init__(self, form):
        self.form, self.constant = form, 0
        self.cost, self.low, self.high, self.integer = [], [], [], []
        self.lines, self.pick_of, self.ones, self.start = [], [], [], []
        self.coefficients = 0
        expression = self.add_items()
        self.picks = len(self.cost)
        self.add_rows(expression)
        self.add_conflicts()
        if form.edges:
            self.add_traffic()

    def column(self, cost, low, high, integer):
        self.cost.append(cost)
        self.low.append(low)
        self.high.append(high)
        self.integer.append(integer)
        return len(self.cost) - 1

    def line(self, low, high, terms):
        self.coefficients += len(terms)
        if self.coefficients > COEFFICIENTS_MAX:
            raise Unsupported("the model has over %d coefficients" % COEFFICIENTS_MAX)
        self.lines.append((low, high, terms))

    def add_items(self):
        """Returns the loads of the rows as [{column: amount}], without offset and feeds."""
        loads = [{} for _ in self.form.rows]
        self.ranges = [[row.offset, row.offset] for row in self.form.rows]
        self.columns_of, self.other = [], {}
        for item in range(len(self.form.items)):
            options = self.form.options(item)
            if len(options) == 2 and all(option.place < 0 for option in options) and not all(option.loads for option in options):
                self.add_yes_or_no(item, options, loads)
                continue
            first, ends = len(self.cost), collections.defaultdict(lambda: [0, 0, 0])
            for option in options:
                column = self.column(option.cost, 0, 1, True)
                self.pick_of.append((item, option))
                for row, amount in option.loads:
                    loads[row][column] = amount
                    end = ends[row]
                    end[0], end[1], end[2] = min(end[0], amount), max(end[1], amount), end[2] + 1
            for row, (least, most, count) in ends.items():
                if count == len(options):  # all load the row: 0 need not be reached
                    amounts = [amount for option in options for at, amount in option.loads if at == row]
                    least, most = min(amounts), max(amounts)
                self.ranges[row][0] += least
                self.ranges[row][1] += most
            home = self.form.start_option(item, options)
            self.start += [] if home is None else [first + home]
            columns = list(range(first, len(self.cost)))
            self.columns_of.append(columns)
            self.ones.append(len(self.lines))
            self.line(1, 1, [(column, 1) for column in columns])
        if len(self.start) < len(self.form.items):
            self.start = []
        return loads

    def add_yes_or_no(self, item, options, loads):
        """Two options, one of which loads nothing: a binary alone."""
        yes, no = options if options[0].loads else options[::-1]
        column = self.column(yes.cost - no.cost, 0, 1, True)
        self.constant += no.cost
        self.pick_of.append((item, yes))
        self.columns_of.append([column])
        self.other[item] = no
        for row, amount in yes.loads:
            loads[row][column] = amount
            self.ranges[row][amount > 0] += amount

    def add_rows(self, loads):
        constants = [row.offset for row in self.form.rows]
        for r in self.form.order():
            row = self.form.rows[r]
            least, most = self.ranges[r]
            low, high = max(least, row.low), min(most, row.high)
            if low > high:
                self.line(1, 1, [])  # no plan is feasible
                continue
            functions = [row.function] + [function for _, function in row.feeds]
            for to, function in row.feeds:
                ends = [value_at(function, z) for z in self.corners([function], least, most)]
                self.ranges[to][0] += min(ends)
                self.ranges[to][1] += max(ends)
            parts = self.parts(functions, low, high)
            if len(parts) == 1:
                self.add_straight(row, loads, constants, r, low, least, most)
            elif not row.feeds and self.convex(row.function, parts):
                self.add_convex(row, loads[r], constants[r], parts)
            elif len(parts) == 2 and not any(self.slope(function, *part) for function in functions for part in parts):
                self.add_switch(row, loads, constants, r, parts)
            else:
                self.add_choice(row, loads, constants, r, parts)

    @staticmethod
    def corners(functions, low, high):
        marks = {low, high}
        for function in functions:
            for start, _, _ in function[1:]:
                marks |= {z for z in (start - 1, start) if low <= z <= high}
        return sorted(marks)

    def parts(self, functions, low, high):
        """Maximal runs [start, end] of loads on which every function is one piece of it."""
        starts = sorted({low} | {start for function in functions for start, _, _ in function[1:] if low < start <= high})
        runs = [[start, end] for start, end in zip(starts, [start - 1 for start in starts[1:]] + [high])]
        joined = runs[:1]
        for start, end in runs[1:]:
            before = joined[-1]
            if all(self.joins(function, before, start, end) for function in functions):
                before[1] = end
            else:
                joined.append([start, end])
        return joined

    @staticmethod
    def slope(function, start, end):
        return 0 if start == end else value_at(function, start + 1) - value_at(function, start)

    def joins(self, function, before, start, end):
        """Whether the straight line through the run before goes on over start .. end."""
        step = value_at(function, start) - value_at(function, start - 1)
        first = self.slope(function, *before) if before[0] < before[1] else step
        return step == first and (start == end or self.slope(function, start, end) == first)

    def convex(self, function, parts):
        """Slopes of the unit steps never fall."""
        last = None
        for k, (start, end) in enumerate(parts):
            steps = [] if k == 0 else [value_at(function, start) - value_at(function, start - 1)]
            steps += [self.slope(function, start, end)] if start < end else []
            for step in steps:
                if last is not None and step < last:
                    return False
                last = step
        return True

    def limits(self, row, constant, terms, least, most):
        low = None if row.low <= least or row.low == LOW_FREE else row.low - constant
        high = None if row.high >= most or row.high == HIGH_FREE else row.high - constant
        if low is not None or high is not None:
            self.line(low, high, list(terms.items()))

    def add_straight(self, row, loads, constants, r, low, least, most):
        self.limits(row, constants[r], loads[r], least, most)
        span = (low, low + 1) if low < most else (low, low)
        for to, function in [(None, row.function)] + row.feeds:
            slope = self.slope(function, *span)
            rest = value_at(function, low) + slope * (constants[r] - low)
            if to is None:
                self.constant += rest
            else:
                constants[to] += rest
            for column, amount in loads[r].items() if slope else ():
                if to is None:
                    self.cost[column] += slope * amount
                else:
                    loads[to][column] = loads[to].get(column, 0) + slope * amount

    def add_convex(self, row, load, constant, parts):
        """Steps between parts are parts of length 1."""
        bottom, terms = parts[0][0], dict(load)
        self.constant += value_at(row.function, bottom)
        for k, (start, end) in enumerate(parts):
            pieces = [] if k == 0 else [(value_at(row.function, start) - value_at(row.function, start - 1), 1)]
            pieces += [(self.slope(row.function, start, end), end - start)] if start < end else []
            for slope, length in pieces:
                terms[self.column(slope, 0, length, False)] = -1
        self.line(bottom - constant, bottom - constant, list(terms.items()))

    def add_switch(self, row, loads, constants, r, parts):
        (first, last), (start, end) = parts
        one = self.column(value_at(row.function, start) - value_at(row.function, first), 0, 1, True)
        self.constant += value_at(row.function, first)
        for to, function in row.feeds:
            constants[to] += value_at(function, first)
            loads[to][one] = loads[to].get(one, 0) + value_at(function, start) - value_at(function, first)
        terms = list(loads[r].items())
        self.line(None, last - constants[r], terms + [(one, last - end)])
        self.line(first - constants[r], None, terms + [(one, first - start)])

    def add_choice(self, row, loads, constants, r, parts):
        terms, choice = dict(loads[r]), []
        for start, end in parts:
            one = self.column(value_at(row.function, start), 0, 1, True)
            choice.append((one, 1))
            terms[one] = -start
            width = None
            if start < end:
                width = self.column(self.slope(row.function, start, end), 0, end - start, False)
                terms[width] = -1
                self.line(None, 0, [(width, 1), (one, start - end)])
            for to, function in row.feeds:
                loads[to][one] = loads[to].get(one, 0) + value_at(function, start)
                if width is not None and self.slope(function, start, end):
                    loads[to][width] = loads[to].get(width, 0) + self.slope(function, start, end)
        self.ones.append(len(self.lines))
        self.line(1, 1, choice)
        self.line(-constants[r], -constants[r], list(terms.items()))

    def at_place(self, item):
        """{place: columns of the item's options there}."""
        places = collections.defaultdict(list)
        for column in self.columns_of[item]:
            places[self.pick_of[column][1].place].append(column)
        return places

    def add_conflicts(self):
        for members in self.form.conflicts:
            together = collections.defaultdict(list)
            for item in members:
                for place, columns in self.at_place(item).items():
                    together[place] += columns
            for place, columns in together.items():
                if place >= 0:
                    self.line(None, 1, [(column, 1) for column in columns])

    def add_traffic(self):
        form, out = self.form, collections.defaultdict(list)
        far = [[form.distance(a, b) for b in range(len(form.places))] for a in range(len(form.places))]
        at = {}
        for (a, b), weight in form.edges.items():
            for item in (a, b):
                at.setdefault(item, self.at_place(item))
                if -1 in at[item]:
                    raise Unsupported("an item with traffic has an option without a place")
            if a == b:
                for place, columns in at[a].items():
                    for column in columns:
                        self.cost[column] += weight * far[place][place]
            else:
                out[a].append((b, weight))
        if len(out) * len(form.places) ** 2 > COEFFICIENTS_MAX:
            raise Unsupported("the linear model of the traffic has over %d coefficients" % COEFFICIENTS_MAX)
        for item, partners in out.items():
            self.add_flow(at, far, item, partners)

    def add_flow(self, at, far, item, partners):
        up = sum(max(weight, 0) for _, weight in partners)
        down = sum(min(weight, 0) for _, weight in partners)
        flow = {}
        for q in sorted({q for other, _ in partners for q in at[other]}):
            flow[q] = self.column(0, down, up, False)
            self.line(0, 0, [(flow[q], -1)] + [(column, weight) for other, weight in partners
                                               for column in at[other].get(q, [])])
        for p, columns in at[item].items():
            ends = [sorted((weight * min(far[p]), weight * max(far[p]))) for _, weight in partners]
            least, most = sum(end[0] for end in ends), sum(end[1] for end in ends)
            part = self.column(1, min(0, least), max(0, most), False)
            self.line(None, most, [(v, far[p][q]) for q, v in flow.items() if far[p][q]] + [(part, -1)] +
                      [(column, most) for column in columns])
            self.line(0, None, [(part, 1)] + [(column, -least) for column in columns])

    def chosen(self, value_of):
        """The picks of a solution: of every item its largest x."""
        return [self.other[item] if item in self.other and value_of(columns[0]) < 0.5 else
                self.pick_of[max(columns, key=value_of)][1] for item, columns in enumerate(self.columns_of)]

    def started(self):
        """(columns, values) of all picks of the start plan."""
        ones = set(self.start)
        return list(range(self.picks)), [float(column in ones) for column in range(self.picks)]

    def write_mps(self, path):
        """MPS that reads the same as fixed and as free columns; column j is called Cj, line i Li."""
        entries = [[] for _ in self.cost]
        kind = []
        for number, (low, high, terms) in enumerate(self.lines):
            kind.append("E" if low == high else "G" if high is None else "L")
            for column, amount in terms:
                entries[column].append((number, amount))
        with open(path, "w", encoding="ascii") as file:
            file.write("NAME          model\nROWS\n N  COST\n")
            file.writelines(" %s  L%d\n" % (letter, number) for number, letter in enumerate(kind))
            file.write("COLUMNS\n")
            inside = False
            for column, terms in enumerate(entries):
                if self.integer[column] != inside:
                    inside = self.integer[column]
                    self.marker(file, column, inside)
                self.field(file, "", "C%d" % column, "COST", self.cost[column])
                for number, amount in terms:
                    self.field(file, "", "C%d" % column, "L%d" % number, amount)
            if inside:
                self.marker(file, len(entries), False)
            self.write_sides(file)
            file.write("ENDATA\n")

    def write_sides(self, file):
        file.write("RHS\n")
        if self.constant:
            self.field(file, "", "RHS", "COST", -self.constant)
        for number, (low, high, _) in enumerate(self.lines):
            side = low if high is None else high
            if side:
                self.field(file, "", "RHS", "L%d" % number, side)
        both = [(number, high - low) for number, (low, high, _) in enumerate(self.lines)
                if low is not None and high is not None and low != high]
        if both:
            file.write("RANGES\n")
            for number, width in both:
                self.field(file, "", "RNG", "L%d" % number, width)
        file.write("BOUNDS\n")
        for column, (low, high) in enumerate(zip(self.low, self.high)):
            if low:
                self.field(file, "LO", "BND", "C%d" % column, low)
            self.field(file, "UP", "BND", "C%d" % column, high)

    @staticmethod
    def field(file, code, first, second, number):
        file.write(" %-2s %-8s  %-8s  %12d\n" % (code, first, second, number))

    @staticmethod
    def marker(file, number, begins):
        file.write("    M%-7d  'MARKER'                 '%s'\n" % (number, "INTORG" if begins else "INTEND"))
