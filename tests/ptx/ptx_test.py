#!/usr/bin/env python3
"""The PTX that nvcc makes of kernels gives the results of the stand-in for the CUDA runtime.

For every architecture: each operation of ops.cu once; the kernels of ../shim/planted.cu, correct
and with the bugs that show in PTX; the device generator of cuRAND; and the interpreter knows every
construct of kernels/**/*.cu.
"""
# label: full
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ["RATION_SOURCE"]
FOLDER = os.path.join(os.environ["RATION_BUILD"], "tests", "ptx")
NVCC = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
ARCHITECTURES = ("80", "90", "100")
SEEDS = ("1", "2", "3")

failures = []


def expect(condition, what, output=""):
    """Notes a failed check."""
    if not condition:
        failures.append(what)
        print("FAILED: %s\n%s" % (what, output[-1500:]))


def compile_ptx(source, architecture, folder):
    """Compiles one file to PTX; returns its path."""
    name = re.sub(r"[^A-Za-z0-9]", "_", os.path.relpath(source, SOURCE))
    target = os.path.join(folder, "%s_%s.ptx" % (name, architecture))
    subprocess.run([NVCC, "-std=c++17", "-O3", "-fmad=false", "-ptx",
                    "-arch=compute_" + architecture, "-I" + os.path.join(SOURCE, "include"),
                    "-I" + SOURCE, source, "-o", target], check=True)
    return target


def run(program, *arguments, **environment):
    """Returns (exit status, output) of a program of this folder."""
    done = subprocess.run([os.path.join(FOLDER, program)] + list(arguments),
                          env=dict(os.environ, **environment), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300)
    return done.returncode, done.stdout


def operations(ptx, architecture):
    """Every operation gives what the stand-in gives, whatever the order of lanes."""
    status, wanted = run("ptx_ops")
    expect(status == 0 and len(wanted.splitlines()) > 250, "ops on the stand-in", wanted)
    for seed in ("0",) + SEEDS:
        status, got = run("ptx_ops", PTX_FILE=ptx, PTX_SEED=seed)
        different = [b for a, b in zip(wanted.splitlines(), got.splitlines()) if a != b]
        expect(status == 0 and got == wanted, "sm_%s, order %s: operations" % (architecture, seed),
               "\n".join(different) or got)


def planted(ptx, architecture):
    """Kernels without a bug pass; the bugs that PTX shows are noticed."""
    for seed in ("0",) + SEEDS:
        status, output = run("ptx_planted", "none", PTX_FILE=ptx, PTX_SEED=seed)
        expect(status == 0, "sm_%s, order %s: no bug" % (architecture, seed), output)
    for bug in ("no_syncwarp", "no_syncthreads"):
        seen = [run("ptx_planted", bug, PTX_FILE=ptx, PTX_SEED=seed)[0] for seed in SEEDS]
        expect(1 in seen, "sm_%s: %s shows as a wrong answer: %s" % (architecture, bug, seen))
    for bug, text in (("barrier_alone", "deadlock"), ("exited_lane", "has exited"),
                      ("outside_mask", "not in its own mask"),
                      ("dynamic_overrun", "shared access out of bounds"),
                      ("static_overrun", "")):
        status, output = run("ptx_planted", bug, PTX_FILE=ptx)
        expect(status != 0 and text in output, "sm_%s: %s" % (architecture, bug), output)
    status, output = run("ptx_planted", "unwritten_shared", PTX_FILE=ptx)
    expect(status == 1, "sm_%s: unwritten_shared" % architecture, output)


def curand(ptx, architecture):
    """cuRAND's device generator gives the numbers of core/philox.h; without PTX it is empty."""
    status, output = run("ptx_curand", PTX_FILE=ptx)
    expect(status == 0, "sm_%s: cuRAND" % architecture, output)
    status, output = run("ptx_curand")
    expect(status == 1, "a generator that writes nothing differs", output)


def has_curand():
    """Whether cuRAND's device header lies beside nvcc."""
    root = os.path.dirname(os.path.dirname(os.path.realpath(NVCC)))
    return bool(glob.glob(os.path.join(root, "**", "curand_kernel.h"), recursive=True))


def main():
    if not os.access(NVCC, os.X_OK):
        print("skipped: needs nvcc")
        return 77
    kernels = glob.glob(os.path.join(SOURCE, "kernels", "**", "*.cu"), recursive=True)
    own = [os.path.join(SOURCE, "tests", "ptx", "ops.cu"),
           os.path.join(SOURCE, "tests", "shim", "planted.cu")]
    if has_curand():
        own.append(os.path.join(SOURCE, "tests", "ptx", "curand.cu"))
    else:
        print("no curand_kernel.h beside nvcc; its device generator is not compared")
    known = subprocess.run([NVCC, "--list-gpu-arch"], stdout=subprocess.PIPE, text=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        for architecture in ARCHITECTURES:
            if "compute_" + architecture not in known.split():
                print("nvcc does not know sm_%s; left out" % architecture)
                continue
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                files = list(pool.map(lambda source: compile_ptx(source, architecture, folder),
                                      own + kernels))
            operations(files[0], architecture)
            planted(files[1], architecture)
            if has_curand():
                curand(files[2], architecture)
            for ptx in files:
                status, output = run("ptx_check", ptx)
                expect(status == 0, "the interpreter knows %s" % os.path.basename(ptx), output)
            print("sm_%s: %d files" % (architecture, len(files)))
    print("%d failed" % len(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
