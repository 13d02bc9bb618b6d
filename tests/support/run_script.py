#!/usr/bin/env python3
"""Runs a script test: run_script.py PATH. Passes its output and exit status on; 77 means skipped.

With RATION_REQUIRE=all a skip is a failure, unless the output gives a reason that no installation can mend:
"skipped: needs ../shared" or "skipped: needs a GPU".
"""
import os
import subprocess
import sys

ALLOWED = ("skipped: needs ../shared", "skipped: needs a GPU")


def verdict(status, output, require):
    """Returns the exit status of the test."""
    if status != 77 or require != "all" or any(reason in output for reason in ALLOWED):
        return status if status >= 0 else 128 - status
    print("a skipped test is a failure, for RATION_REQUIRE=all")
    return 1


def main():
    path = sys.argv[1]
    command = [sys.executable, path] if path.endswith(".py") else ["bash", path]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          errors="replace", text=True)
    sys.stdout.write(done.stdout)
    return verdict(done.returncode, done.stdout, os.environ.get("RATION_REQUIRE", ""))


if __name__ == "__main__":
    sys.exit(main())
