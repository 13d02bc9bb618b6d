#!/usr/bin/env python3
"""The test runner itself: a skipped test is counted, and with RATION_REQUIRE=all refused unless nothing could mend it."""
import os
import subprocess
import sys
import tempfile

SOURCE, BUILD = os.environ["RATION_SOURCE"], os.environ["RATION_BUILD"]
# name of the gtest sample (or output of a script): exit status, and exit status with RATION_REQUIRE=all
SAMPLES = {"SkipsForData": (77, 77), "SkipsForDevice": (77, 77), "SkipsForPackage": (77, 1), "Passes": (0, 0), "Fails": (1, 1),
           "Passes:*SkipsForPackage": (0, 1), "Passes:*SkipsForData": (0, 0)}
SCRIPTS = (("echo 'skipped: needs ../shared'; exit 77", 77, 77), ("echo 'skipped: needs a GPU'; exit 77", 77, 77),
           ("echo 'skipped: no clang'; exit 77", 77, 1), ("exit 0", 0, 0), ("exit 3", 3, 3), ("kill -9 $$", 137, 137))


def status(require, *command):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env=dict(os.environ, RATION_REQUIRE=require)).returncode


def main():
    wrong = []
    for name, expected in SAMPLES.items():
        command = (os.path.join(BUILD, "tests", "ration_skip_sample"), "--gtest_filter=*" + name)
        got = status("", *command), status("all", *command)
        if got != expected:
            wrong.append("gtest %s: %s, expected %s" % (name, got, expected))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x_test.sh")
        for text, *expected in SCRIPTS:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + "\n")
            command = (sys.executable, os.path.join(SOURCE, "tests", "support", "run_script.py"), path)
            got = [status("", *command), status("all", *command)]
            if got != expected:
                wrong.append("script %r: %s, expected %s" % (text, got, expected))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
