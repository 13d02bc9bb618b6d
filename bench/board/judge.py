"""Checks what a solver says: `ration verify` on its plan, tests/check_result.py on the same, and against what is proven.

A peer's plan becomes a result file (docs/result-format.md) without bound and certificate; ration's own result is checked
as it stands, certificate included.
"""
import hashlib
import json
import pathlib
import subprocess
import sys

from board import measure, table

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
VERIFY_S, CHECK_S = 600, 120


def digest_of(picks):
    """Of picks in canonical order, as result-format.md says."""
    text = "".join("%s\t%s\t%s\n" % (pick["item"], pick.get("place", ""), pick.get("mode", "")) for pick in picks)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def result_of(found, entry, instance, start):
    """The result file of an answer."""
    if "result" in found:
        return found["result"]
    picks = found["picks"]
    program = {"path": str(instance), "format": entry["format"], "digest": found["program_digest"]}
    if entry["format"] != "json" and entry["sense"] == "max" and entry["format"] != "mkp":
        program["sense"] = "max"
    if entry["problem"] not in ("-", "1"):
        program["problem"] = int(entry["problem"])
    if start is not None:
        program["start"] = str(start)
    scale = {"scale": found["scale"]} if found.get("scale") else {}
    return {"status": "feasible", "cost": found["cost"], **scale, "gap_percent": None, "cost_by_dimension": found["cost_by_dimension"],
            "digest": digest_of(picks), "program": program, "picks": picks}


def run(words, limit):
    """"ok", "slow" or the reason of the refusal."""
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace", timeout=limit,
                              check=False)
    except subprocess.TimeoutExpired:
        return "slow"
    said = (done.stderr.strip() or done.stdout.strip() or "exit %d" % done.returncode).split("\n")[-1]
    return "ok" if done.returncode == 0 else said


def check(found, entry, places, ration):
    """(verdict of verify, verdict of the checker); places: instance, start, program (its JSON form, or None), folder."""
    if found.get("picks") is None:
        return "", ""
    result = pathlib.Path(places["folder"]) / "result.json"
    result.write_text(json.dumps(result_of(found, entry, places["instance"], places["start"])), encoding="utf-8")
    verified = run([ration, "verify", result, "--quiet"], VERIFY_S)
    program = places["program"] if entry["format"] not in ("gap", "json") else places["instance"]
    if program is None:
        return verified, ""
    return verified, run([sys.executable, SOURCE / "tests" / "check_result.py", program, result], CHECK_S)


def contradictions(row, entry):
    """Sentences about a verified cell that can't be true together with what is proven."""
    found, name = [], "%s on %s/%s, seed %s" % (row["solver"], row["family"], row["instance"], row["seed"])
    sense, cost, bound = entry["sense"], row["cost"], row["bound"]
    best, limit = table.number(entry["best_known"]), table.number(entry["bound"])
    for verdict in ("verify", "check"):
        if row[verdict] not in ("", "ok", "slow"):
            found.append("%s: %s refused the result: %s" % (name, verdict, row[verdict]))
    if cost is not None and entry["proven"] == "1" and measure.better(cost, best, sense):
        found.append("%s: cost %s is better than the proven optimum %s" % (name, cost, best))
    elif cost is not None and limit is not None and measure.better(cost, limit, sense):
        found.append("%s: cost %s is better than the proven bound %s" % (name, cost, limit))
    if row["solver"] == "ration" and bound is not None and best is not None and measure.better(best, bound, sense):
        found.append("%s: the best known cost %s is better than the bound %s" % (name, best, bound))
    return found


def suspicious(row, entry):
    """The same about a peer's bound, which is floating point and only noted."""
    best = table.number(entry["best_known"])
    if row["solver"] != "ration" and row["bound"] is not None and measure.better(best, row["bound"], entry["sense"]):
        return "its bound %s excludes the best known cost %s" % (row["bound"], best)
    return ""
