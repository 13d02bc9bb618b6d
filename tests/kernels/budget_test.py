#!/usr/bin/env python3
"""Every kernels/**/*.cu compiles alone, without generated headers, and no kernel spills registers.

Prints registers, static shared memory, stack and spills of each kernel by architecture, as ptxas
reports them. A stack frame or a spill fails. A planted kernel that spills must be noticed.
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
NVCC = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
ARCHITECTURES = ("80", "90", "100")

# 128 sums kept alive under a limit of 32 registers cannot stay in registers.
PLANTED = """
__global__ void __launch_bounds__(1024, 2) spilling_kernel(const int *in, int *out, int n)
{
    int sum[128];
#pragma unroll
    for (int i = 0; i < 128; i++) {
        sum[i] = in[i];
    }
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int i = 0; i < 128; i++) {
            sum[i] = sum[i] * 3 + sum[(i + 1) % 128] + in[k];
        }
    }
#pragma unroll
    for (int i = 0; i < 128; i++) {
        out[i] = sum[i];
    }
}
"""


def usage(source, architecture):
    """Compiles a file; returns a list of dicts, one a kernel."""
    done = subprocess.run([NVCC, "-std=c++17", "-O3", "-fmad=false", "-Iinclude", "-I.", "-Xptxas",
                           "-v", "-arch=sm_" + architecture, "-c", source, "-o", os.devnull],
                          cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise RuntimeError("%s does not compile for sm_%s:\n%s" %
                           (source, architecture, done.stdout))
    kernels = []
    for line in done.stdout.splitlines():
        name = re.search(r"Compiling entry function '(\w+)'", line)
        if name:
            kernels.append({"name": name.group(1), "static": 0, "registers": 0})
        frame = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes", line)
        if frame and kernels:
            stack, stores, loads = (int(n) for n in frame.groups())
            kernels[-1].update(stack=stack, spilled=stores + loads)
        used = re.search(r"Used (\d+) registers", line)
        if used and kernels:
            kernels[-1]["registers"] = int(used.group(1))
            shared = re.search(r"(\d+) bytes smem", line)
            kernels[-1]["static"] = int(shared.group(1)) if shared else 0
    return kernels


def over_budget(kernel):
    """Whether a kernel uses what it should not, or was not reported at all."""
    unknown = "stack" not in kernel or kernel["registers"] == 0
    return unknown or kernel["stack"] > 0 or kernel["spilled"] > 0


def check_planted(architecture):
    """Returns the number of failures: 0 when the planted kernel is refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "spilling.cu")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PLANTED)
        kernels = usage(path, architecture)
    if len(kernels) == 1 and over_budget(kernels[0]):
        return 0
    print("FAILED: the planted kernel that spills was not noticed: %s" % kernels)
    return 1


def check_files(sources, architecture):
    """Prints one line a kernel; returns the number over budget."""
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for source, kernels in zip(sources, pool.map(lambda s: usage(s, architecture), sources)):
            path = os.path.relpath(source, SOURCE)
            for k in kernels:
                bad = over_budget(k)
                failures += bad
                print("%s sm_%s %s: %d registers, %d B static shared, %d B stack, %d B spilled%s" %
                      (path, architecture, k["name"], k["registers"], k["static"],
                       k.get("stack", -1), k.get("spilled", -1), "  OVER BUDGET" if bad else ""))
    return failures


def main():
    if not os.access(NVCC, os.X_OK):
        print("skipped: needs nvcc")
        return 77
    listing = subprocess.run([NVCC, "--list-gpu-code"], stdout=subprocess.PIPE, text=True)
    known = listing.stdout.split()
    sources = sorted(glob.glob(os.path.join(SOURCE, "kernels", "**", "*.cu"), recursive=True))
    failures = 0
    for architecture in ARCHITECTURES:
        if "sm_" + architecture not in known:
            print("nvcc does not know sm_%s; left out" % architecture)
            continue
        failures += check_planted(architecture)
        failures += check_files(sources, architecture)
    print("%d files, %d failures" % (len(sources), failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
