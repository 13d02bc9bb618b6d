#!/usr/bin/env python3
"""The shipped instances are what their law and seed give, and each has a proven optimum."""
import csv
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ["RATION_SOURCE"]


def files_of(folder):
    found = {}
    for kind in ("gap", "mkp", "vbp"):
        place = os.path.join(folder, kind, "instances")
        for name in os.listdir(place):
            if name != "optima.csv":
                with open(os.path.join(place, name), "rb") as file:
                    found["%s/%s" % (kind, name)] = file.read()
    return found


def main():
    shipped = files_of(os.path.join(SOURCE, "problems"))
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(SOURCE, "tests", "known", "generate_instances.py")
        subprocess.run([sys.executable, script, folder], check=True)
        made = files_of(folder)
    assert len(shipped) == 12, "%d instances are shipped" % len(shipped)
    assert sorted(made) == sorted(shipped), "other files: %s" % (set(made) ^ set(shipped))
    for name, text in made.items():
        assert text == shipped[name], "%s is not what the generator writes" % name
    for kind in ("gap", "mkp", "vbp"):
        with open(os.path.join(SOURCE, "problems", kind, "instances", "optima.csv"), encoding="ascii") as file:
            rows = list(csv.DictReader(file))
        names = sorted("%s/%s" % (kind, row["file"]) for row in rows)
        assert names == sorted(name for name in shipped if name.startswith(kind + "/")), "optima.csv of %s" % kind
        assert all(row["prover"] and int(row["optimum"]) > 0 for row in rows)
    print("12 instances, each with its optimum")


if __name__ == "__main__":
    main()
