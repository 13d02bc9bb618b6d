#!/usr/bin/env python3
"""On a GPU the device generator of cuRAND gives the numbers of core/philox.h."""
# label: full
import os
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ["RATION_SOURCE"]
NVCC = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"


def main():
    if not os.access(NVCC, os.X_OK):
        print("skipped: needs nvcc")
        return 77
    if not os.path.exists("/dev/nvidiactl"):
        print("skipped: needs a GPU")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "curand")
        subprocess.run([NVCC, "-std=c++17", "-arch=native", "-Iinclude", "-I.", "-Ihost",
                        "tests/ptx/curand.cu", "host/base/error.c", "-o", program],
                       cwd=SOURCE, check=True)
        return subprocess.run([program], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
