#!/usr/bin/env python3
"""docs/fidelity.md holds what build/bench/fidelity prints, and a refit gives the shipped numbers."""
# label: full
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("RATION_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
TOOL = pathlib.Path(os.environ.get("RATION_BUILD", SOURCE / "build")) / "bench" / "fidelity"
SHARED = pathlib.Path(os.environ.get("RATION_SHARED", SOURCE.parent / "shared"))


def tables(text):
    """Lines of tables, which are what must agree."""
    return [line for line in text.splitlines() if line.startswith("|")]


def main():
    if not (SHARED / "data" / "silicon" / "e2e_agg.csv").exists():
        print("skipped: needs ../shared")
        return 77
    page = (SOURCE / "docs" / "fidelity.md").read_text()
    with tempfile.TemporaryDirectory() as folder:
        words = [str(TOOL), "--shared", str(SHARED)]
        printed = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
        known = set(tables(page))
        missing = [line for line in tables(printed) if line not in known]
        if not tables(printed) or missing:
            print("not in docs/fidelity.md:\n" + "\n".join(missing))
            return 1
        fitted = pathlib.Path(folder) / "fitted.h"
        subprocess.run([*words, "--fit", str(fitted)], cwd=folder, check=True)
        if fitted.read_text() != (SOURCE / "include" / "perf" / "fitted.h").read_text():
            print("a refit gives other numbers than include/perf/fitted.h")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
