"""The list of instances, and the table of results: one line of CSV a cell, appended as it is done.

A cell is (family, instance, solver, seed, time limit, threads). A later line of a cell replaces an earlier one.
"""
import csv
import os
import re

COLUMNS = ("family", "instance", "solver", "seed", "time_limit_s", "threads", "status", "cost", "bound", "best_known",
           "proven", "start_cost", "sense", "gap_percent", "proven_gap_percent", "primal_integral_percent", "time_s",
           "build_s", "time_to_best_s", "memory_bytes", "verify", "check", "version", "trajectory", "note")
LIST_COLUMNS = ("family", "instance", "file", "problem", "format", "sense", "start", "start_cost", "seeds", "best_known",
                "proven", "bound", "source")
KEY = ("family", "instance", "solver", "seed", "time_limit_s", "threads")
OPEN = ("absent", "failed")  # tried again by the next run


class Wrong(Exception):
    """The list or the table isn't what it should be."""


def number(text):
    """An int where it is one; None for nothing."""
    if text in ("", "-", None):
        return None
    value = float(text)
    return int(text) if re.fullmatch(r"-?\d+", text.strip()) else value


def read_list(path):
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file, delimiter="\t")
        if tuple(reader.fieldnames or ()) != LIST_COLUMNS:
            raise Wrong("%s: its first line should name %s" % (path, ", ".join(LIST_COLUMNS)))
        return list(reader)


def key_of(row):
    return tuple(row[name] for name in KEY)


class Table:
    """rows: {key: row}, values as text. add() appends to the file, and is on the disk when it returns."""

    def __init__(self, path):
        self.path, self.rows = path, {}
        if os.path.exists(path) and os.path.getsize(path) > 0:
            self.read()
        else:
            with open(path, "w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerow(COLUMNS)

    def read(self):
        with open(self.path, newline="", encoding="utf-8") as file:
            text = file.read()
        if not text.endswith("\n"):  # a run ended in the middle of a line
            text = text[:text.rfind("\n") + 1]
            with open(self.path, "w", newline="", encoding="utf-8") as file:
                file.write(text)
        reader = csv.DictReader(text.splitlines())
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise Wrong("%s: its first line should name %s" % (self.path, ", ".join(COLUMNS)))
        for row in reader:
            self.rows[key_of(row)] = row

    def done(self, key):
        return key in self.rows and self.rows[key]["status"] not in OPEN

    def add(self, row):
        row = {name: "" if row.get(name) is None else str(row[name]) for name in COLUMNS}
        with open(self.path, "a", newline="", encoding="utf-8") as file:
            csv.DictWriter(file, COLUMNS, lineterminator="\n").writerow(row)
            file.flush()
            os.fsync(file.fileno())
        self.rows[key_of(row)] = row


def path_text(trajectory):
    return " ".join("%g:%s" % (seconds, cost) for seconds, cost in trajectory)


def path_points(text):
    return [(float(word.split(":")[0]), float(word.split(":")[1])) for word in text.split()]
