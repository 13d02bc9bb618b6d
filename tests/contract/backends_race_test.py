#!/usr/bin/env python3
"""The kernels have no race: ThreadSanitizer, with one fiber a GPU thread, in several orders of the lanes. A kernel without
the barrier of core/hd.h must be noticed."""
# label: full
import os
import subprocess
import sys

FOLDER = os.path.join(os.environ["RATION_BUILD"], "tests", "contract")


def run(program, seed):
    """Returns (exit status, output)."""
    env = dict(os.environ, TSAN_OPTIONS="exitcode=66 halt_on_error=1", RATION_SHORT_SEED=str(seed), OMP_NUM_THREADS="1")
    done = subprocess.run([os.path.join(FOLDER, program), "--gtest_brief=1"], env=env, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=400)
    return done.returncode, done.stdout


def main():
    if not os.path.exists(os.path.join(FOLDER, "backend_race")):
        print("skipped: a sanitized build has its own engine")
        return 77
    failures = 0
    for seed in range(3):
        status, output = run("backend_race", seed)
        if status != 0:
            failures += 1
            print("FAILED: order %d ends with %d\n%s" % (seed, status, output[-3000:]))
    status, output = run("backend_planted", 1)
    if status != 66 or "data race" not in output:
        failures += 1
        print("FAILED: the missing barrier was not noticed: %d\n%s" % (status, output[-1500:]))
    print("%d failed" % failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
