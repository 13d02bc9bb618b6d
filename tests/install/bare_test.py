#!/usr/bin/env python3
"""The project builds with every optional part switched off, and the command then starts, lists its parts and says no to CUDA."""
# label: full
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ["RATION_SOURCE"]
PARTS = ("CUDA", "NCCL", "MPI", "OPENMP", "TESTS")


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit("%s\n%s: exit %d" % (done.stdout[-4000:], " ".join(command), done.returncode))
    return done.stdout


def main():
    with tempfile.TemporaryDirectory() as build:
        run("cmake", "-S", SOURCE, "-B", build, "-DRATION_WERROR=ON", "-DCMAKE_BUILD_TYPE=Debug",
            "-DCMAKE_C_COMPILER=" + os.environ["RATION_CC"], *["-DRATION_%s=OFF" % part for part in PARTS])
        run("cmake", "--build", build, "--parallel", "2")
        command = os.path.join(build, "ration")
        print(run(command, "--version"), run(command, "doctor"), sep="")
        needs = run("ldd", command)
        if "gomp" in needs or "libomp" in needs or "mpi" in needs:
            sys.exit("a part that was switched off is linked:\n" + needs)


if __name__ == "__main__":
    main()
