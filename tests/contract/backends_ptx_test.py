#!/usr/bin/env python3
"""What nvcc makes of the kernels gives the bits of OpenMP: the PTX for each architecture, run by the interpreter of
tests/ptx in lock step and in drawn orders."""
# label: long
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ["RATION_SOURCE"]
PROGRAM = os.path.join(os.environ["RATION_BUILD"], "tests", "contract", "backend_ptx")
NVCC = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
ARCHITECTURES = ("80", "90", "100")


def compile_ptx(source, architecture, folder):
    """Returns the path of the PTX of one kernel file."""
    ptx = os.path.join(folder, os.path.basename(source) + "." + architecture + ".ptx")
    subprocess.run([NVCC, "-std=c++17", "-O3", "-fmad=false", "-Iinclude", "-I.", "-ptx", "-arch=sm_" + architecture, source,
                    "-o", ptx], cwd=SOURCE, check=True)
    return ptx


def main():
    if not os.access(NVCC, os.X_OK) or not os.path.exists(PROGRAM):
        print("skipped: needs nvcc and a build without sanitizers")
        return 77
    kernels = sorted(glob.glob(os.path.join(SOURCE, "kernels", "*.cu")))
    known = subprocess.run([NVCC, "--list-gpu-arch"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for architecture in ARCHITECTURES:
            if "compute_" + architecture not in known:
                print("nvcc does not know sm_%s; left out" % architecture)
                continue
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                files = list(pool.map(lambda source: compile_ptx(source, architecture, folder), kernels))
            for seed in ("0", "1"):
                env = dict(os.environ, PTX_FILE=":".join(files), PTX_SEED=seed, OMP_NUM_THREADS="2")
                done = subprocess.run([PROGRAM, "--gtest_brief=1"], env=env, text=True, errors="replace",
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=800)
                if done.returncode != 0:
                    failures += 1
                    print("FAILED: sm_%s, order %s: %d\n%s" % (architecture, seed, done.returncode, done.stdout[-3000:]))
            print("sm_%s: %d files" % (architecture, len(files)))
    print("%d failed" % failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
