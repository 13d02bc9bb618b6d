#!/usr/bin/env python3
"""`ration solve` behind the command line of the adapters.

The command draws its progress on a terminal only, so standard error is one here, and the improving costs are read off it
(five times a second at most). The whole result is kept as `result`, with its certificate.
"""
import json
import os
import pathlib
import pty
import re
import resource
import subprocess
import sys
import time

import adapter

BEST = re.compile(r"epoch \d+  best (-?\d+)( \(not feasible yet\))?")


def command(options, target):
    words = [options.ration, "solve", options.instance, "--format", options.format, "--time", "%g" % options.time,
             "--threads", options.threads, "--seed", options.seed, "--json", target]
    for name in ("sense", "problem", "start"):
        if getattr(options, name):
            words += ["--" + name, getattr(options, name)]
    return [str(word) for word in words]


def follow(words):
    """Runs a command; returns exit status, [(seconds, cost)] as drawn, and what else it said on standard error."""
    terminal, side = pty.openpty()
    begun, text, drawn = time.monotonic(), "", []
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=side) as process:
        os.close(side)
        while True:
            try:
                block = os.read(terminal, 65536)
            except OSError:  # the other side is closed
                break
            if not block:
                break
            text += block.decode(errors="replace")
            found = BEST.findall(text)
            if found and not found[-1][1] and (not drawn or int(found[-1][0]) < drawn[-1][1]):
                drawn.append((time.monotonic() - begun, int(found[-1][0])))
            text = text[-4096:]
        status = process.wait()
    os.close(terminal)
    return status, drawn, re.sub(r"\r[^\r\n]*\x1b\[K", "", text).strip()


def shown(result, cost, maximise):
    """A program's cost in the unit and sense of the file."""
    value = (-cost if maximise else cost) + int(result.get("cost_by_dimension", {}).get("constant", 0))
    return value / 10 ** result["scale"] if result.get("scale") else value


def number(value):
    return None if value is None else float(value) if "." in str(value) else int(value)


def run(options, folder):
    target = pathlib.Path(folder) / "result.json"
    begun = time.monotonic()
    status, drawn, said = follow(command(options, target))
    spent = time.monotonic() - begun
    if not target.exists():
        return {"solver": "ration", "status": "failed", "note": "exit %d: %s" % (status, said[-300:])}
    result = json.loads(target.read_text(encoding="utf-8"))
    maximise = options.sense == "max" or (options.format == "mkp" and options.sense != "min")
    cost = number(result.get("cost")) if result["status"] in ("optimal", "feasible") else None
    path = [[round(seconds, 3), shown(result, best, maximise)] for seconds, best in drawn]
    if cost is not None and (not path or path[-1][1] != cost):
        path.append([round(spent, 3), cost])
    return {"solver": "ration", "version": version(options.ration), "status": result["status"], "cost": cost,
            "bound": number(result.get("bound")), "time_s": round(spent, 3), "build_s": 0.0,
            "memory_bytes": 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, "seed": options.seed,
            "threads": options.threads, "trajectory": path if cost is not None else [], "note": "",
            "program_digest": result["program"]["digest"], "picks": result.get("picks"), "result": result}


def version(ration):
    done = subprocess.run([ration, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip().replace("ration ", "")


def main():
    options = adapter.parse(sys.argv[1:], "Runs ration on an instance; see bench/solvers/adapter.py.")
    with adapter.tempfile.TemporaryDirectory() as folder:
        found = run(options, folder)
    if found["status"] == "failed":
        print("ration: %s" % found["note"], file=sys.stderr)
    adapter.write(found, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
