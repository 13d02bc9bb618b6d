#!/usr/bin/env python3
"""Prints a serving scenario of any size: equal 8-GPU nodes, each a failure domain, and workloads of four models, of which a part must
survive the loss of any node.

    bench/large_cluster.py > large.json
    /usr/bin/time -v ration plan large.json -o plan --time 60

The defaults are 250 nodes and 200 workloads, 100 of them with `survive_domain_loss`. The load is `--fill` of what the cluster carries,
roughly. Equal arguments print equal bytes."""
import argparse
import json
import random
import sys

# catalog name, requests/s that one GPU carries, input and output tokens, precision
MODELS = [("Llama-3.1-8B", 8.0, 800, 120, "fp8"), ("Qwen2.5-7B", 10.0, 600, 100, "fp8"),
          ("Qwen2.5-32B", 2.5, 1000, 150, "fp8"), ("Llama-3.1-70B", 1.0, 900, 200, "fp8")]


def workload(index, args, draw):
    name, per_gpu, tokens_in, tokens_out, precision = MODELS[index % len(MODELS)]
    gpus = args.fill * 8 * args.nodes / args.workloads * draw.uniform(0.5, 1.5)
    made = {"name": "w%d" % (index + 1), "model": name.lower(), "rate_per_s": round(per_gpu * gpus, 3),
            "input_tokens": int(tokens_in * draw.uniform(0.7, 1.3)), "output_tokens": int(tokens_out * draw.uniform(0.7, 1.3)),
            "ttft_ms": 3000, "precisions": [precision]}
    if index < args.survive:
        made.update(survive_domain_loss=0.7, min_replicas=2)
    return made


def scenario(args):
    draw = random.Random(args.seed)
    node = {"name": "hgx", "count": args.nodes, "gpu": "H100-SXM-80GB", "gpus": 8, "host_power_w": 2000,
            "power_limit_w": 10200}
    return {"name": "large-cluster", "nodes": [node],
            "models": [{"name": model[0].lower(), "catalog": model[0]} for model in MODELS],
            "workloads": [workload(index, args, draw) for index in range(args.workloads)]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=250)
    parser.add_argument("--workloads", type=int, default=200)
    parser.add_argument("--survive", type=int, default=100, help="workloads that must survive the loss of a node")
    parser.add_argument("--fill", type=float, default=0.5, help="part of the cluster's GPUs that the rates ask for")
    parser.add_argument("--seed", type=int, default=1)
    json.dump(scenario(parser.parse_args()), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
