#!/usr/bin/env python3
"""What the command prints, byte for byte: help, the list of schemas, a result; exit codes; results against their schema.

    cli_golden_test.py             compares with cli_*.txt and cli_*.json beside this file; RATION_BIN is the command
    cli_golden_test.py --update    writes them anew, to be looked at before they are committed
"""
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(SOURCE, "tests", "fault"))
from broken_cases import GAP, GOOD_TEXT  # noqa: E402

BINARY = os.environ["RATION_BIN"]
UPDATE = "--update" in sys.argv
COMMANDS = ("plan", "solve", "bound", "verify", "export", "doctor", "schema")
DOCTOR = {"version": str, "processors": int, "threads": int, "openmp": bool, "cuda_built": bool, "cuda": str, "devices": list,
          "nccl_found": bool, "nccl": str, "mpi_found": bool, "mpi": str, "solvers": dict}
folder = tempfile.mkdtemp(prefix="ration-golden-")
failures = []


def run(*arguments, code=0):
    done = subprocess.run([BINARY] + list(arguments), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)
    if done.returncode != code:
        failures.append("%s: exit %d, expected %d: %s" % (arguments, done.returncode, code, done.stderr.decode()[:500]))
    return done.stdout.decode("utf-8")


def golden(name, text):
    """Compares text with the file of that name."""
    path = os.path.join(HERE, "cli_" + name)
    if UPDATE:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    with open(path, encoding="utf-8") as file:
        wanted = file.read()
    if text != wanted:
        failures.append(name + ":\n" + "".join(difflib.unified_diff(wanted.splitlines(True), text.splitlines(True), "golden",
                                                                    "now")))


def masked(text):
    """Without the time and what depends on the build."""
    text = re.sub(r'"elapsed_s": [0-9.e-]+', '"elapsed_s": 0', text)
    return re.sub(r"^ration \d+\.\d+\.\d+", "ration VERSION", text, flags=re.M)


# ---- JSON Schema: the words that the shipped schemas use ----

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def complaints(value, schema, root, where="$"):
    """Yields what the schema has against the value."""
    if schema is True:
        return
    if "$ref" in schema:
        at = root
        for step in schema["$ref"].lstrip("#/").split("/"):
            at = at[step]
        yield from complaints(value, at, root, where)
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if kinds and not any(is_type(value, kind) for kind in kinds):
        yield "%s is no %s" % (where, " or ".join(kinds))
        return
    if "enum" in schema and value not in schema["enum"] or "const" in schema and value != schema["const"]:
        yield "%s is %r" % (where, value)
    for word, wanted in (("oneOf", lambda n: n == 1), ("anyOf", lambda n: n >= 1)):
        if word in schema and not wanted(sum(not list(complaints(value, s, root, where)) for s in schema[word])):
            yield "%s fits %s wrongly" % (where, word)
    if is_type(value, "number"):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            yield "%s is %s" % (where, value)
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield "%s is %r" % (where, value)
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield "%s has %d values" % (where, len(value))
        for number, element in enumerate(value):
            yield from complaints(element, schema.get("items", True), root, "%s[%d]" % (where, number))
    if isinstance(value, dict):
        yield from map_complaints(value, schema, root, where)


def map_complaints(value, schema, root, where):
    for key in schema.get("required", []):
        if key not in value:
            yield "%s has no %s" % (where, key)
    for key, element in value.items():
        below = schema.get("properties", {}).get(key)
        for pattern, other in schema.get("patternProperties", {}).items():
            below = other if below is None and re.search(pattern, key) else below
        if below is None:
            below = schema.get("additionalProperties", True)
        if below is False:
            yield "%s.%s is unknown" % (where, key)
        else:
            yield from complaints(element, below, root, where + "." + key)
        if "propertyNames" in schema:
            yield from complaints(key, schema["propertyNames"], root, where + "'s key")


def conforms(name, value, schema):
    for sentence in complaints(value, schema, schema):
        failures.append("%s against its schema: %s" % (name, sentence))


def check_schemas():
    names = run("schema").split()
    golden("schemas.txt", "\n".join(names) + "\n")
    schema = {name: json.loads(run("schema", name)) for name in names}
    good = json.loads(GOOD_TEXT)
    conforms("the program", good, schema["program"])
    for key in ("format", "version", "items"):  # a broken program is seen
        if not list(complaints({k: v for k, v in good.items() if k != key}, schema["program"], schema["program"])):
            failures.append("a program without %s fits its schema" % key)
    if not list(complaints(dict(good, itmes=[]), schema["program"], schema["program"])):
        failures.append("a program with an unknown field fits its schema")
    return schema


def check_results(schema):
    with open(os.path.join(folder, "good.json"), "w", encoding="utf-8") as file:
        file.write(GOOD_TEXT)
    with open(os.path.join(folder, "good.gap"), "w", encoding="utf-8") as file:
        file.write(GAP)
    program = json.loads(GOOD_TEXT)
    for row in program["rows"][:2]:
        row["high"] = 30
    with open(os.path.join(folder, "full.json"), "w", encoding="utf-8") as file:
        json.dump(program, file)
    common = ["--seed", "1", "--threads", "2", "--backend", "openmp"]
    for name, words, code in (
            ("result", ["solve", "good.json", "--epochs", "4"] + common, 0),
            ("result_gap", ["solve", "good.gap", "--format", "gap", "--sense", "max", "--epochs", "4"] + common, 0),
            ("result_infeasible", ["solve", "full.json", "--epochs", "4"] + common, 1),
            ("result_bound", ["bound", "good.json", "--threads", "2"], 0)):
        text = masked(run(*words, "--json", "-", code=code))
        golden(name + ".json", text)
        conforms(name, json.loads(text), schema["result"])
        golden(name + ".txt", run(*words, code=code))
        if run(*words, "--quiet", code=code):
            failures.append(name + ": --quiet prints")
        path = os.path.join(folder, "result.json")
        run(*words, "--json", path, code=code)
        with open(path, encoding="utf-8") as file:
            if masked(file.read()) != text:
                failures.append(name + ": file and standard output differ")
        if not run("verify", "result.json").startswith("verified: result.json\n"):
            failures.append(name + ": verify")
        if masked(run("verify", "result.json", "--json", "-")) != text:
            failures.append(name + ": verify --json gives another result")


def check_doctor():
    said = json.loads(run("doctor", "--json", "-"))
    if {key: type(value) for key, value in said.items()} != DOCTOR:
        failures.append("doctor: %s" % said)
    if sorted(said["solvers"]) != ["cbc", "highs", "scip"]:
        failures.append("doctor: solvers %s" % said["solvers"])
    if said["processors"] < 1 or said["threads"] < 1 or len(run("doctor").splitlines()) < 4:
        failures.append("doctor: no threads")


def main():
    try:
        golden("help.txt", masked(run("--help")))
        for command in COMMANDS:
            golden("help_%s.txt" % command, masked(run(command, "--help")))
        if run("help") != run("--help") or run("-h") != run("--help") or run("solve", "x", "-h") != run("solve", "--help"):
            failures.append("help differs by how it is asked for")
        if masked(run(code=2)) != masked(run("--help")):
            failures.append("no word at all should show the help, with exit 2")
        if not re.fullmatch(r"ration \d+\.\d+\.\d+\n", run("--version")):
            failures.append("--version")
        check_results(check_schemas())
        check_doctor()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for sentence in failures:
        print("FAIL", sentence)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
