#!/usr/bin/env python3
"""bench/sample.tsv: the fixed list has the promised shape, and is what its script writes from the data."""
import collections
import csv
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ["RATION_SOURCE"]
SCRIPT = os.path.join(SOURCE, "bench", "make_sample.py")
LIST = os.path.join(SOURCE, "bench", "sample.tsv")
QUOTAS = {"gap": 30, "mkp": 24, "qap": 24, "packing": 24, "roadef": 10}


def shape():
    with open(LIST, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert collections.Counter(row["family"] for row in rows) == QUOTAS
    assert len({(row["family"], row["instance"]) for row in rows}) == len(rows), "an instance stands twice"
    assert all(row["seeds"] in ("1", "1,2,3") for row in rows)
    assert sum(row["seeds"] == "1,2,3" for row in rows) == 10, "ten instances have three seeds"
    for row in rows:
        sign = -1 if row["sense"] == "max" else 1
        assert row["proven"] in ("0", "1") and row["source"]
        assert row["bound"] == "-" or sign * float(row["bound"]) <= sign * float(row["best_known"]), row["instance"]
    return rows


def check(path, data):
    return subprocess.run([sys.executable, SCRIPT, "--data", data, "--check", path], capture_output=True,
                          check=False).returncode


def main():
    rows = shape()
    data = os.path.join(os.environ.get("RATION_SHARED") or os.path.join(SOURCE, "..", "shared"), "data")
    if not os.path.isdir(data):
        print("skipped: needs ../shared")
        return 77
    for row in rows:
        assert os.path.exists(os.path.join(data, row["file"])), row["file"]
        assert row["start"] == "-" or os.path.exists(os.path.join(data, row["start"])), row["start"]
    assert check(LIST, data) == 0, "sample.tsv is not what make_sample.py writes"
    with tempfile.TemporaryDirectory() as folder, open(LIST, encoding="utf-8") as file:
        planted = os.path.join(folder, "planted.tsv")
        with open(planted, "w", encoding="utf-8") as copy:
            copy.write(file.read().replace("gap\td20200", "gap\td20201"))
        assert check(planted, data) == 1, "a changed list passes"
    print("%d instances" % len(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
