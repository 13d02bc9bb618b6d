#!/usr/bin/env python3
"""The script for a machine with a GPU works: it is tried on the stand-in for the CUDA runtime, small.

Its JSON has what docs/performance.md names, a difference of bits fails it, and so does a program that stops.
"""
import json
import os
import stat
import subprocess
import sys
import tempfile

SOURCE, BUILD = os.environ["RATION_SOURCE"], os.environ["RATION_BUILD"]
SCRIPT = os.path.join(SOURCE, "tests", "gpu", "contract_test.sh")


def run(build, target):
    done = subprocess.run(["bash", SCRIPT, "--shim", "--build", build, "--json", target], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def planted(folder, text, status):
    """A build folder whose program that measures prints a text and ends with a status."""
    build = os.path.join(folder, "planted%d" % status)
    os.makedirs(os.path.join(build, "tests", "gpu"))
    os.makedirs(os.path.join(build, "tests", "contract"))
    for path, said, code in (("gpu/gpu_measure_shim", text, status), ("contract/ration_backend32_tests", "", 0)):
        path = os.path.join(build, "tests", path)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\ncat <<'END'\n%s\nEND\nexit %d\n" % (said, code))
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return build


def check(folder):
    """Returns the list of what was wrong."""
    wrong = []
    target = os.path.join(folder, "run.json")
    status, said = run(BUILD, target)
    print(said)
    if status != 0:
        return ["the script failed"]
    with open(target, encoding="utf-8") as file:
        text = file.read()
    result = json.loads(text)
    if [p["kernel"] for p in result["programs"]] != ["anneal_row", "anneal_any"]:
        wrong.append("not both kernels")
    for p in result["programs"]:
        if not p["equal"] or p["cuda"]["million_options_per_s"] <= 0 or p["openmp"]["million_options_per_s"] <= 0:
            wrong.append("%s: no figures" % p["kernel"])
        if not 0 < p["resident_warps"] <= p["resident_warps_most"]:
            wrong.append("%s: occupancy" % p["kernel"])
    for said, code in ((text.replace('"equal": true', '"equal": false', 1), 3), (text[:100], 4), (text[:100], 0)):
        with tempfile.TemporaryDirectory() as inner:
            if run(planted(inner, said, code), target)[0] != 1:
                wrong.append("a planted failure with exit %d was not noticed" % code)
    return wrong


def main():
    with tempfile.TemporaryDirectory() as folder:
        wrong = check(folder)
    for sentence in wrong:
        print("FAILED:", sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
