"""The scoreboard as one page of HTML (well-formed XML, all in itself), made from the lines of the table alone."""
import collections
from xml.sax.saxutils import escape

from board import measure, plot
from board.table import number, path_points

GAP_SHIFT, TIME_SHIFT = 0.01, 1.0
STYLE = """
body { font: 14px/1.45 sans-serif; color: #222; margin: 2em auto; max-width: 1180px; padding: 0 1em; }
table { border-collapse: collapse; margin: 0.6em 0 1.4em; } th, td { padding: 3px 9px; border-bottom: 1px solid #ddd; }
th { text-align: right; background: #f3f3f3; font-weight: 600; } td { text-align: right; font-variant-numeric: tabular-nums; }
th.word, td.word { text-align: left; } tr.ours td { background: #eef6fc; } td.bad { color: #b00; } td.good { font-weight: 600; }
.note { color: #555; } .wide { overflow-x: auto; } h2 { margin-top: 1.6em; }
"""
COUNTED = ("optimal", "feasible", "unknown", "infeasible")


def show(value, pattern="%.3f"):
    return "–" if value is None else pattern % value


def cell(words, kind=""):
    return '<td class="%s">%s</td>' % (kind, escape(str(words))) if kind else "<td>%s</td>" % escape(str(words))


def grid(heads, lines, words=1):
    """heads: texts; lines: [(class of the row, [cells])]; the first `words` columns are text."""
    top = "".join('<th class="word">%s</th>' % escape(head) if at < words else "<th>%s</th>" % escape(head)
                  for at, head in enumerate(heads))
    body = "".join("<tr%s>%s</tr>\n" % (' class="%s"' % kind if kind else "", "".join(cells)) for kind, cells in lines)
    return '<div class="wide"><table><thead><tr>%s</tr></thead><tbody>\n%s</tbody></table></div>\n' % (top, body)


class Board:
    """rows by family and by solver; a solver's name has time and threads where the table has several of them."""

    def __init__(self, rows):
        settings = {(row["time_limit_s"], row["threads"]) for row in rows}
        self.several = len(settings) > 1
        self.families, self.solvers = [], []
        self.cells = collections.defaultdict(list)
        for row in rows:
            name = row["solver"]
            if self.several:
                name += " %s s × %s" % (row["time_limit_s"], row["threads"])
            row = dict(row, name=name)
            for key in ("cost", "bound", "best_known", "gap_percent", "proven_gap_percent", "primal_integral_percent", "time_s",
                        "time_to_best_s", "build_s", "memory_bytes"):
                row[key] = number(row[key])
            self.families += [row["family"]] if row["family"] not in self.families else []
            self.solvers += [name] if name not in self.solvers else []
            self.cells[row["family"], name].append(row)
        self.solvers.sort(key=lambda name: not name.startswith("ration"))

    def counted(self, family, solver):
        return [row for row in self.cells[family, solver] if row["status"] in COUNTED]


def family_name(family):
    return {"gap": "assignment", "mkp": "knapsack", "qap": "quadratic assignment", "packing": "packing",
            "roadef": "machine reassignment"}.get(family, family)


def headline(board):
    lines = []
    for family in board.families:
        for solver in board.solvers:
            rows = board.counted(family, solver)
            if not board.cells[family, solver]:
                continue
            gaps = [row["gap_percent"] for row in rows if row["gap_percent"] is not None]
            proofs = [row["proven_gap_percent"] for row in rows if row["proven_gap_percent"] is not None]
            whole = len(board.cells[family, solver])
            lines.append(("ours" if solver.startswith("ration") else "", [
                cell(family_name(family), "word"), cell(solver, "word"),
                cell("%d / %d" % (len(gaps), whole) if rows else board.cells[family, solver][0]["status"]),
                cell(show(measure.mean(gaps))), cell(show(max(gaps) if gaps else None)),
                cell(show(measure.shifted_mean(gaps, GAP_SHIFT))),
                cell(sum(gap <= 0 for gap in gaps) if rows else "–"),
                cell(sum(row["status"] == "optimal" for row in rows) if rows else "–"), cell(show(measure.mean(proofs))),
                cell(show(measure.shifted_mean([row["time_s"] for row in rows], TIME_SHIFT), "%.2f")),
                cell(show(measure.shifted_mean([row["time_to_best_s"] for row in rows if row["time_to_best_s"] is not None],
                                               TIME_SHIFT), "%.2f")),
                cell(show(measure.mean([row["primal_integral_percent"] for row in rows]), "%.2f"))]))
    heads = ("family", "solver", "plans / cells", "mean gap %", "worst %", "s.g.m. %", "at best known", "proven optimal",
             "proven gap %", "time, s", "time to best, s", "primal integral %")
    return grid(heads, lines, 2)


def by_instance(rows):
    """{(instance, seed, time, threads): row}."""
    return {(row["family"], row["instance"], row["seed"], row["time_limit_s"], row["threads"]): row for row in rows}


def duel(mine, theirs):
    """[better, equal, worse, worst difference in percent] over the cells that both have."""
    better = equal = worse = 0
    least = 0.0
    for key in mine.keys() & theirs.keys():
        one, other = mine[key], theirs[key]
        if one["cost"] is None and other["cost"] is None:
            equal += 1
        elif other["cost"] is None or (one["cost"] is not None and measure.better(one["cost"], other["cost"], one["sense"])):
            better += 1
        elif one["cost"] is None or measure.better(other["cost"], one["cost"], one["sense"]):
            worse += 1
            least = max(least, measure.gap_percent(one["cost"], other["cost"], one["sense"]) if one["cost"] is not None else 100.0)
        else:
            equal += 1
    return better, equal, worse, least


def best_of(peers):
    """Of several {key: row}: the row of the best cost, `optimal` where one of them proved it."""
    best = {}
    for rows in peers:
        for key, row in rows.items():
            held = best.get(key)
            wins = held is None or held["cost"] is None or (
                row["cost"] is not None and measure.better(row["cost"], held["cost"], row["sense"]))
            proven = "optimal" in (row["status"], held["status"] if held else "")
            best[key] = dict(row if wins else held, status="optimal" if proven else "feasible")
    return best


def duel_line(name, title, mine, theirs):
    better, equal, worse, least = duel(mine, theirs)
    unproven = {key: row for key, row in theirs.items() if row["status"] != "optimal" and key in mine}
    ahead = duel(mine, unproven)[0]
    whole = better + equal + worse
    return ("", [cell(name, "word"), cell(title, "word"), cell(better), cell(equal), cell(worse),
                 cell("%.1f" % (100.0 * (better + equal) / whole)), cell(show(least) if worse else "–"),
                 cell("%d of %d" % (ahead, len(unproven)))]) if whole else None


def duels(board):
    """ration against each peer and against the best of them, by family and over all."""
    ours = [solver for solver in board.solvers if solver.startswith("ration")]
    peers = [solver for solver in board.solvers if solver not in ours]
    lines = []
    for peer in peers + (["the best of them"] if len(peers) > 1 else []):
        for family in board.families + ([None] if len(board.families) > 1 else []):
            families = board.families if family is None else [family]
            mine = by_instance([row for name in families for own in ours for row in board.counted(name, own)])
            sides = [by_instance([row for name in families for row in board.counted(name, solver)])
                     for solver in (peers if peer not in peers else [peer])]
            lines.append(duel_line(peer, "all" if family is None else family_name(family), mine, best_of(sides)))
    lines = [line for line in lines if line is not None]
    if not lines:
        return ""
    heads = ("ration against", "family", "better", "equal", "worse", "no worse, % of cells", "worst difference %",
             "better where it is not proven")
    return "<h2>ration against the other solvers</h2>\n" + grid(heads, lines, 2)


def curves(board, family):
    """Mean primal gap over the cells of a family, by time."""
    series, least, most = [], 0.1, 1.0
    for solver in board.solvers:
        rows = board.counted(family, solver)
        if not rows:
            continue
        limit = max(float(row["time_limit_s"]) for row in rows)
        most = max(most, limit)
        paths = [(path_points(row["trajectory"]), row) for row in rows]
        times = [least * (limit / least) ** (k / 80.0) for k in range(81)] if limit > least else [limit]
        series.append((solver, [(at, 100.0 * measure.mean([measure.gap_at(points, row["best_known"], row["sense"], at)
                                                           for points, row in paths])) for at in times]))
    return plot.lines("%s: mean primal gap over time" % family_name(family), series, (least, most), (0.001, 100.0), "seconds",
                      "primal gap, %")


def summary(board):
    groups = []
    for family in board.families:
        values = [(solver, measure.mean([row["gap_percent"] for row in board.counted(family, solver)
                                         if row["gap_percent"] is not None])) for solver in board.solvers]
        groups.append((family_name(family), values))
    return plot.bars("mean gap to the best known, by family (instances with a plan)", groups, (0.001, 100.0), "gap, %")


def instances(board, family):
    solvers = [solver for solver in board.solvers if board.cells[family, solver]]
    names = []
    for solver in solvers:
        names += [row["instance"] for row in board.cells[family, solver] if row["instance"] not in names]
    lines = []
    for name in names:
        cells = [cell(name, "word")]
        for at, solver in enumerate(solvers):
            rows = [row for row in board.cells[family, solver] if row["instance"] == name]
            if at == 0:
                known = next(row for other in solvers for row in board.cells[family, other] if row["instance"] == name)
                cells.append(cell("%s%s" % (known["best_known"], "" if known["proven"] == "1" else " (open)")))
            cells += instance_cells(rows)
        lines.append(("", cells))
    heads = ["instance", "best known"]
    for solver in solvers:
        heads += [solver, "gap %", "bound"]
    return grid(heads, lines)


def instance_cells(rows):
    """Median cost over the seeds, its gap, and the best bound."""
    plans = sorted((row for row in rows if row["cost"] is not None), key=lambda row: row["gap_percent"])
    if not plans:
        return [cell(rows[0]["status"] if rows else ""), cell(""), cell("")]
    row = plans[(len(plans) - 1) // 2]
    bounds = [other["bound"] for other in rows if other["bound"] is not None]
    best = (max if row["sense"] == "min" else min)(bounds) if bounds else None
    refused = any(row[verdict] not in ("", "ok", "slow") for verdict in ("verify", "check"))
    mark = " *" if row["status"] == "optimal" else ""
    return [cell("%s%s" % (row["cost"], mark), "bad" if refused else ""),
            cell("%.4f" % row["gap_percent"], "good" if row["gap_percent"] <= 0 else ""), cell("–" if best is None else best)]


def remarks(board):
    counts = collections.Counter()
    for (_, solver), rows in board.cells.items():
        for row in rows:
            if row["note"]:
                counts[solver, row["status"], row["note"]] += 1
    if not counts:
        return ""
    lines = [("", [cell(solver, "word"), cell(status, "word"), cell(note, "word"), cell(count)])
             for (solver, status, note), count in sorted(counts.items())]
    return "<h2>Remarks</h2>\n" + grid(("solver", "status", "remark", "cells"), lines, 3)


def verdicts(board):
    rows = [row for cells in board.cells.values() for row in cells]
    words = []
    for verdict, name in (("verify", "ration verify"), ("check", "the independent checker")):
        found = collections.Counter("refused" if row[verdict] not in ("", "ok", "slow") else row[verdict] for row in rows)
        words.append("%s accepted %d, refused %d%s" % (name, found["ok"], found["refused"],
                                                       ", did not finish %d" % found["slow"] if found["slow"] else ""))
    return "; ".join(words)


def draw(rows, facts):
    """rows: lines of the table (texts); facts: machine, date."""
    board = Board(rows)
    limits = ", ".join(sorted({"%s s, %s threads" % (row["time_limit_s"], row["threads"]) for row in rows}))
    versions = ", ".join(sorted({"%s %s" % (row["solver"], row["version"]) for row in rows if row["version"]}))
    parts = ["<h1>Scoreboard</h1>",
             '<p class="note">%s per cell; %s; %s.<br/>%s.<br/>Of the plans, %s.</p>' %
             tuple(escape(word) for word in (limits, facts["machine"], facts["date"], versions, verdicts(board))),
             headline(board),
             '<p class="note">Gap: distance to the best known cost in percent of it (machine reassignment: of the way from the start '
             "to it). s.g.m.: shifted geometric mean, shift %g %%; times: shift %g s. Proven gap: distance of a plan to the "
             "solver's own bound. Primal integral: mean over time of the primal gap. Time is that of the solver alone; for ration it "
             "starts with the process. * in the tables below: called optimal.</p>" % (GAP_SHIFT, TIME_SHIFT),
             duels(board), "<h2>Gap by family</h2>", summary(board), "<h2>Primal gap over time</h2>"]
    parts += [curves(board, family) for family in board.families]
    for family in board.families:
        parts += ["<h2>Instances: %s</h2>" % escape(family_name(family)), instances(board, family)]
    parts.append(remarks(board))
    return ('<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><meta charset="utf-8"/>'
            '<title>Scoreboard of ration</title><style>%s</style></head><body>\n%s\n</body></html>\n' % (STYLE, "\n".join(parts)))
