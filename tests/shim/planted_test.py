#!/usr/bin/env python3
"""Each planted bug of planted.cu is noticed by the engines that promise to; kernels without one pass.

The programs planted_ENGINE are built beside this test: plain, thread (TSan, one TSan fiber a GPU
thread), address (ASan and UBSan), poison (shared memory refilled before each block). Modes of the
plain one come from the environment.
"""
# label: quick
import os
import re
import signal
import subprocess
import sys

FOLDER = os.path.join(os.environ["RATION_BUILD"], "tests", "shim")
SEEDS = range(5)


STOPS = {  # the stand-in itself stops, in every engine, and says where the threads stand
    "two_barriers": "threads of one block meet at different __syncthreads",
    "two_warp_operations": "lanes of one warp meet in different warp operations",
    "two_minima": "lanes of one warp meet in different warp operations",
    "barrier_alone": "deadlock: some threads wait at a barrier others never reach",
    "exited_lane": "a lane named in a warp mask has exited",
    "outside_mask": "calling lane is not in its own mask",
}
RACES = ("no_syncwarp", "hidden_syncwarp", "no_syncthreads", "lost_update")


def run(engine, bug, **environment):
    """Runs planted_ENGINE BUG; returns (exit status, output)."""
    env = dict(os.environ, TSAN_OPTIONS="exitcode=66", ASAN_OPTIONS="detect_leaks=0")
    env.update(environment)
    done = subprocess.run([os.path.join(FOLDER, "planted_" + engine), bug], env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                          timeout=120)
    return done.returncode, done.stdout


class Table:
    """Counts checks and says which failed."""

    def __init__(self):
        self.checks = 0
        self.failures = 0

    def expect(self, condition, what, output=""):
        self.checks += 1
        if not condition:
            self.failures += 1
            print("FAILED: %s\n%s" % (what, output[-1500:]))

    def wrong_for_some_seed(self, engine, bug, **environment):
        """The program ends by itself with a wrong answer for at least one order of the lanes."""
        seen = [run(engine, bug, SHIM_SEED=str(seed), **environment)[0] for seed in SEEDS]
        self.expect(1 in seen and set(seen) <= {0, 1},
                    "%s: %s shows as a wrong answer: %s" % (engine, bug, seen))

    def says(self, engine, bug, text, **environment):
        """The program stops with a text."""
        status, output = run(engine, bug, **environment)
        self.expect(status != 0 and text in output,
                    "%s: %s says '%s', status %d" % (engine, bug, text, status), output)


def correct_kernels(table):
    orders = {"plain": (0, 1, 2, 3), "thread": (0, 1), "address": (0, 1), "poison": (0, 1)}
    for engine, seeds in orders.items():
        for seed in seeds:
            status, output = run(engine, "none", SHIM_SEED=str(seed))
            table.expect(status == 0 and output == "right\n",
                         "%s, order %d: no bug, no report" % (engine, seed), output)
    for mode in ({"SHIM_LAZY": "1"}, {"SHIM_PROTECT": "1"}, {"SHIM_LAZY": "1", "SHIM_SEED": "3"},
                 {"SHIM_LAZY": "1", "SHIM_PROTECT": "1", "SHIM_DEVICES": "2"}):
        status, output = run("plain", "none", **mode)
        table.expect(status == 0, "plain with %s: no bug, no report" % mode, output)


def races(table):
    for bug in RACES:
        table.says("thread", bug, "ThreadSanitizer: data race")
    table.wrong_for_some_seed("plain", "no_syncwarp")
    table.wrong_for_some_seed("plain", "no_syncthreads")


def divergence(table):
    for bug, text in STOPS.items():
        table.says("plain", bug, text, SHIM_SEED="1")
        table.says("plain", bug, text, SHIM_SEED="2")
    for engine in ("thread", "address", "poison"):  # the same code in every engine
        table.says(engine, "barrier_alone", STOPS["barrier_alone"])
    status, output = run("plain", "two_barriers")
    table.expect("at __syncthreads line" in output, "the table of threads names lines", output)
    status, output = run("plain", "two_minima")
    lines = re.findall(r"16 thread\(s\) at a warp operation line (\d+)", output)
    table.expect(len(set(lines)) == 2, "the callers of rn_min are named", output)


def bounds(table):
    table.says("address", "dynamic_overrun", "heap-buffer-overflow")
    table.says("address", "global_overrun", "heap-buffer-overflow")
    table.says("address", "static_overrun", "out of bounds for type")
    status, output = run("poison", "unwritten_shared")
    table.expect(status == 1 and output == "wrong\n", "poison: an unwritten cell shows", output)


def host_code(table):
    for bug in ("host_reads_device", "other_device"):
        status, output = run("plain", bug, SHIM_PROTECT="1", SHIM_DEVICES="2")
        table.expect(status == -signal.SIGSEGV, "SHIM_PROTECT sees %s: %d" % (bug, status), output)
        status, output = run("plain", bug, SHIM_DEVICES="2")
        table.expect(status == 0, "only SHIM_PROTECT sees %s, status %d" % (bug, status), output)
    for bug in ("no_wait", "wrong_stream"):
        status, output = run("plain", bug, SHIM_LAZY="1")
        table.expect(status == 1, "SHIM_LAZY: %s, status %d" % (bug, status), output)


def machine(table):
    """Each way in which a device can refuse: exit 2 with a sentence."""
    for name, value, text in (
            ("SHIM_FAIL", "cudaMalloc:1", "cudaMalloc"),
            ("SHIM_FAIL", "cudaLaunchKernelEx:3", "exchange_kernel (4 blocks of 64 threads"),
            ("SHIM_MEM", "100", "out of memory"),
            ("SHIM_DEVICES", "0", "no CUDA-capable device")):
        status, output = run("plain", "none", **{name: value})
        table.expect(status == 2 and text in output, "%s=%s: %d" % (name, value, status), output)
    refused = 0
    for nth in range(1, 100):
        status, output = run("plain", "none", SHIM_FAIL="any:%d" % nth)
        if status == 0:
            break
        refused += 1
        table.expect(status == 2 and output.startswith("CUDA refused "),
                     "call %d fails: status %d" % (nth, status), output)
    table.expect(20 < refused < 99, "every call of the program was made to fail once: %d" % refused)


def main():
    table = Table()
    for part in (correct_kernels, races, divergence, bounds, host_code, machine):
        part(table)
    print("%d checks, %d failed" % (table.checks, table.failures))
    return 1 if table.failures else 0


if __name__ == "__main__":
    sys.exit(main())
