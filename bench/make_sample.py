#!/usr/bin/env python3
"""Writes the list of instances on which the engine is scored.

    bench/make_sample.py > bench/sample.tsv        the fixed sample
    bench/make_sample.py --all > everything.tsv    every instance that has a best known value, one seed each
    bench/make_sample.py --check bench/sample.tsv  exit 1 if the file is not what this script writes

The rule: a family is split into strata (below), each with a quota. The members of a stratum in natural order (numbers by
value) are numbered 0 .. L-1, and its quota Q takes the members floor((2k + 1) L / 2Q), k = 0 .. Q-1: evenly spaced, no
draw. By the same formula some members of each family's list, ten in all, get the seeds 1, 2, 3; the others seed 1.

Columns, separated by tabs: family, instance, file (from the folder of the data), problem (index in its file), format
(of `ration solve`), sense, start (a file, or -), start_cost (its cost, or -), seeds, best_known, proven (1: a proven
optimum), bound (proven), source (of best_known). Values come from best_known.csv of each folder.
"""
import argparse
import csv
import pathlib
import re
import sys

COLUMNS = ("family", "instance", "file", "problem", "format", "sense", "start", "start_cost", "seeds", "best_known",
           "proven", "bound", "source")
FOLDERS = {"gap": "gap", "mkp": "mkp", "qap": "qap", "packing": "vbp", "roadef": "roadef2012"}
FORMATS = {"gap": "gap", "mkp": "mkp", "qap": "qap", "packing": "vbp", "roadef": "roadef"}

# family -> (number with three seeds, [(pattern of the instance's name, quota or None for all)]).
STRATA = {
    "gap": (3, [(r"[cde]\d+", None)]),
    "mkp": (2, [(r"%d\.%d-\d+" % (m, n), 4) for m in (10, 30) for n in (100, 250, 500)]),
    "qap": (2, [(r"tai\d+a", 6), (r"tai\d+[bc]", 5), (r"nug\d+", 3), (r"sko\d+[a-f]?", 4), (r"kra\d+[ab]?", 1),
                (r"ste36[a-c]", 1), (r"tho\d+", 1), (r"wil\d+", 1), (r"bur26[a-h]", 1), (r"lipa\d+[ab]", 1)]),
    "packing": (2, [(r"new/.*", 4), (r"panigrahy/.*", 4), (r"triplet/.*", 4), (r"bpp1d/u.*", 4), (r"bpp1d/t.*", 4),
                    (r"bpp1d/hard28.*", 4)]),
    "roadef": (1, [(r".*", None)]),
}


def natural(name):
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", name)]


def spaced(length, quota):
    return [(2 * k + 1) * length // (2 * quota) for k in range(quota)]


def members(data, family):
    """{instance: row of best_known.csv}; assignment is minimised where both senses have a value."""
    with open(data / FOLDERS[family] / "best_known.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = {}
    for row in rows:
        if row["best_known"] and (family != "gap" or row["sense"] == "min"):
            found[row["instance"]] = row
    return found


def admitted(family, row):
    """Which instances are large enough for the sample."""
    return family != "qap" or int(row["n"]) >= 25


def problem_of(row):
    """Index in a file of several problems: mknap1-3 is the third of mknap1.txt."""
    several = re.fullmatch(r"mknap1-(\d+)", row["instance"])
    return several.group(1) if several else "1"


def line(family, row, seeds):
    folder = FOLDERS[family]
    start_cost = re.search(r"initial assignment costs (\d+)", row["note"] or "")
    start = "%s/assignment_%s.txt" % (folder, row["instance"]) if family == "roadef" else "-"
    return dict(family=family, instance=row["instance"], file="%s/%s" % (folder, row["file"]), problem=problem_of(row),
                format=FORMATS[family], sense=row["sense"], start=start,
                start_cost=start_cost.group(1) if start_cost else "-", seeds=seeds,
                best_known=row["best_known"], proven="1" if row["proven"] == "yes" else "0", bound=row["bound"] or "-",
                source=row["source"])


def sample(data):
    lines = []
    for family, (thrice, strata) in STRATA.items():
        known, chosen = members(data, family), []
        for pattern, quota in strata:
            names = sorted((name for name, row in known.items() if re.fullmatch(pattern, name) and admitted(family, row)),
                           key=natural)
            if quota is not None and len(names) < quota:
                sys.exit("make_sample: %d instances of %s match %s; %d are needed" % (len(names), family, pattern, quota))
            chosen += names if quota is None else [names[at] for at in spaced(len(names), quota)]
        often = {chosen[at] for at in spaced(len(chosen), thrice)}
        lines += [line(family, known[name], "1,2,3" if name in often else "1") for name in chosen]
    return lines


def everything(data):
    return [line(family, row, "1") for family in FOLDERS
            for _, row in sorted(members(data, family).items(), key=lambda pair: natural(pair[0]))]


def text_of(lines):
    rows = [COLUMNS] + [tuple(entry[column] for column in COLUMNS) for entry in lines]
    return "".join("\t".join(row) + "\n" for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent.parent / "shared" / "data")
    parser.add_argument("--all", action="store_true", help="every instance instead of the sample")
    parser.add_argument("--check", type=pathlib.Path, help="compare with this file instead of printing")
    options = parser.parse_args()
    text = text_of(everything(options.data) if options.all else sample(options.data))
    if options.check is None:
        sys.stdout.write(text)
        return 0
    if options.check.read_text(encoding="utf-8") != text:
        print("make_sample: %s is not what the rule gives" % options.check, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
