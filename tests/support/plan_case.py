"""A small scenario and the commands that tests of plans share."""
import copy, json, os, pathlib, subprocess, sys

BIN = os.environ["RATION_BIN"]
SOURCE = pathlib.Path(os.environ.get("RATION_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
CHECKER = SOURCE / "tests" / "check_plan.py"
EXAMPLES = SOURCE / "problems" / "serving" / "examples"

SMALL = {
    "name": "small",
    "nodes": [{"name": "box", "count": 2, "gpu": "A100-SXM-80GB", "gpus": 4, "infiniband_gb_per_s": 25, "power_limit_w": 2500,
               "host_power_w": 300, "price_per_gpu_hour": 1.5}],
    "models": [{"name": "eight", "catalog": "Llama-3.1-8B"}, {"name": "large", "catalog": "Llama-3.1-70B"}],
    "workloads": [
        {"name": "chat", "model": "large", "rate_per_s": 1.5, "input_tokens": {"mean": 800, "p95": 2000, "max": 4000},
         "output_tokens": {"mean": 200, "p95": 400, "max": 900}, "ttft_ms": 5000, "tpot_ms": 150,
         "precisions": ["int8"], "tensor_parallel": [2]},
        {"name": "tags", "model": "eight", "rate_per_s": 8, "input_tokens": 400, "output_tokens": 12, "min_replicas": 2,
         "gpu_shares": [0.5]},
    ],
}


def changed(change, base=SMALL):
    scenario = copy.deepcopy(base)
    change(scenario)
    return scenario


def run(*words, cwd=None):
    done = subprocess.run([str(w) for w in words], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


def plan(scenario, folder, *more, cwd=None, epochs=1):
    return run(BIN, "plan", scenario, "-o", folder, "--epochs", epochs, "--seed", 1, "--threads", 2, *more, cwd=cwd)


def verify(folder):
    code, out, err = run(BIN, "verify", folder)
    return code, out + err


def check(folder):
    code, out, err = run(sys.executable, CHECKER, folder)
    return code, out + err


def write(path, scenario):
    path.write_text(scenario if isinstance(scenario, str) else json.dumps(scenario, indent=2), encoding="utf-8")
    return path


class Tally:
    """Counts checks; prints the failed ones."""

    def __init__(self):
        self.done = self.failed = 0

    def see(self, truth, *words):
        self.done += 1
        if not truth:
            self.failed += 1
            print("FAILED:", *words)

    def end(self):
        print(f"{self.done} checks, {self.failed} failed")
        return 1 if self.failed else 0
