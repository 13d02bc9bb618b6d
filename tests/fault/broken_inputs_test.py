#!/usr/bin/env python3
"""Broken inputs: exit 2, one useful sentence on stderr, nothing on stdout, no file made or changed, no report of a sanitizer.

    broken_inputs_test.py           runs all; RATION_BIN is the command
    broken_inputs_test.py --show    also prints what was said

The inputs are in broken_cases.py. Where this runs as root the command runs as an ordinary user, so that permissions hold.
"""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import broken_cases as cases  # noqa: E402

NOBODY = 65534
LIMIT_S = 10
REPORTS = ("Sanitizer", "runtime error", "Traceback", "Assertion", "core dumped")
SHOW = "--show" in sys.argv
failures = []
count = 0


def fail(name, sentence):
    failures.append("%s: %s" % (name, sentence))


def lower_rights():
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


class Bench:
    """A folder of good files that an ordinary user owns, and the command to run in it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="ration-broken-")
        self.binary = os.path.join(self.folder, "ration")
        self.work = os.path.join(self.folder, "work")
        os.chmod(self.folder, 0o755)
        shutil.copy(os.environ["RATION_BIN"], self.binary)
        os.chmod(self.binary, 0o755)
        os.mkdir(self.work)
        os.mkdir(os.path.join(self.work, "folder"))
        for name, text in (("good.json", cases.GOOD_TEXT), ("good.gap", cases.GAP), ("good.mkp", cases.MKP),
                           ("good.qap", cases.QAP), ("good.vbp", cases.VBP), ("old.json", "{\"old\": true}\n")):
            self.write(name, text.encode())
        self.own()

    def own(self):
        if os.geteuid() == 0:
            for path in (self.work, os.path.join(self.work, "folder")):
                os.chown(path, NOBODY, NOBODY)

    def write(self, name, data):
        path = os.path.join(self.work, name)
        with open(path, "wb") as file:
            file.write(data)
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)

    def read(self, name):
        with open(os.path.join(self.work, name), "rb") as file:
            return file.read()

    def run(self, arguments, **more):
        return subprocess.run([self.binary] + arguments, cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=LIMIT_S, preexec_fn=lower_rights, **more)

    def state(self):
        """What the folder holds, so that any change is seen."""
        found = {}
        for folder, _, names in os.walk(self.work):
            found[folder] = os.lstat(folder).st_mode
            for name in names:
                path = os.path.join(folder, name)
                about = os.lstat(path)
                found[path] = (about.st_mode, about.st_ino, about.st_size, about.st_mtime_ns)
        return found


def check_said(name, done, fragments, status):
    """One sentence that begins with "ration: " and holds the fragments; nothing else."""
    said = done.stderr.decode("utf-8", "replace")
    if SHOW:
        print("%-34s %s" % (name, said.rstrip("\n")))
    if done.returncode != status:
        fail(name, "exit %d, expected %d: %s" % (done.returncode, status, said[:2000]))
    if done.stdout:
        fail(name, "something on stdout: %r" % done.stdout[:200])
    if not said.startswith("ration: ") or said.count("\n") != 1 or not said.endswith("\n") or "\r" in said:
        fail(name, "expected one line that begins with 'ration: ', found %r" % said[:2000])
    if any(ord(c) < 32 or c == "\ufffd" for c in said[:-1]):
        fail(name, "control characters or broken UTF-8 in %r" % said[:400])
    if len(said) > 1200:
        fail(name, "%d characters are no sentence" % len(said))
    for report in REPORTS:
        if report in said:
            fail(name, said)
    for fragment in fragments:
        if fragment not in said:
            fail(name, "%r is not in %r" % (fragment, said))


def check(bench, name, arguments, fragments, status=2, **more):
    """Runs, and expects a refusal that changes nothing."""
    global count
    count += 1
    before = bench.state()
    began = time.monotonic()
    try:
        done = bench.run(arguments, **more)
    except subprocess.TimeoutExpired:
        fail(name, "still runs after %d s" % LIMIT_S)
        return
    if time.monotonic() - began > LIMIT_S:
        fail(name, "took longer than %d s" % LIMIT_S)
    check_said(name, done, fragments, status)
    after = bench.state()
    if after != before:
        fail(name, "the folder changed: %s" % sorted(set(before.items()) ^ set(after.items())))


def check_files(bench):
    """Files whose content is broken; every other one with a target that exists already, which must stay as it is."""
    kinds = (("json", "json", cases.json_cases()), ("json", "yaml", cases.yaml_cases()), ("gap", "txt", cases.gap_cases()),
             ("mkp", "txt", cases.mkp_cases()), ("qap", "txt", cases.qap_cases()), ("vbp", "txt", cases.vbp_cases()))
    more = {"mkp": ["--problem", "1"]}
    for kind, ending, table in kinds:
        for number, (name, data, fragments) in enumerate(table):
            file = "%s_%s.%s" % (kind, name.replace("^", "_").replace("+", "_"), ending)
            bench.write(file, data)
            command = ("solve", "bound")[number % 2]
            target = ("old.json", "new.json", "-")[number % 3]
            check(bench, "%s %s" % (ending if ending == "yaml" else kind, name),
                  [command, file, "--format", kind, "--json", target, "--time", "2"] + more.get(kind, []), [file] + fragments)
            os.unlink(os.path.join(bench.work, file))


def check_things(bench):
    """What is no readable file."""
    at = bench.work
    os.mkfifo(os.path.join(at, "fifo"), 0o666)
    os.symlink("nowhere", os.path.join(at, "dangling"))
    os.symlink("loop", os.path.join(at, "loop"))
    bench.write("secret.json", cases.GOOD_TEXT.encode())
    os.chmod(os.path.join(at, "secret.json"), 0)
    os.mkdir(os.path.join(at, "locked"))
    os.chmod(os.path.join(at, "locked"), 0o555)
    ear = socket.socket(socket.AF_UNIX)
    ear.bind(os.path.join(at, "socket"))
    table = (
        ("missing", "none.json", ["none.json", "No such file"]), ("folder", "folder", ["folder", "is a folder"]),
        ("fifo", "fifo", ["fifo", "is a FIFO"]), ("socket", "socket", ["socket", "is a socket"]),
        ("/dev/null", "/dev/null", ["/dev/null", "is a device"]), ("/dev/zero", "/dev/zero", ["/dev/zero", "is a device"]),
        ("dangling", "dangling", ["dangling", "No such file"]), ("loop", "loop", ["loop", "symbolic links"]),
        ("unreadable", "secret.json", ["secret.json", "Permission denied"]),
        ("under a file", "good.json/x", ["good.json/x", "Not a directory"]),
        ("long name", "n" * 300, ["nnn", "name too long"]), ("long path", "d/" * 3000 + "x", ["d/d/", "name too long"]),
        ("newline in the name", "two\nlines", ["No such file"]), ("bad name", b"\xff\xfe".decode("utf-8", "surrogateescape"),
                                                                  ["No such file"]))
    for name, path, fragments in table:
        for kind in ("json", "gap", "mkp", "qap", "vbp"):
            check(bench, "%s as %s" % (name, kind), ["solve", path, "--format", kind, "--json", "new.json"], fragments)
        if path != "folder":
            check(bench, "%s to verify" % name, ["verify", path], fragments)
        check(bench, "%s as a start" % name, ["solve", "good.json", "--start", path], fragments)
        check(bench, "%s to resume" % name, ["solve", "good.json", "--epochs", "1", "--resume", path],
              fragments if " is a " not in " " + fragments[-1] else ["is no file, expected a checkpoint"])
        check(bench, "%s as program" % name, ["verify", "result.json", "--program", path],
              ["over 4095 bytes"] if name == "long path" else fragments)
    check(bench, "checkpoint to fifo", ["solve", "good.json", "--checkpoint", "fifo", "--epochs", "1"], ["fifo"])
    for target in ("socket", "locked/new.json", "loop", "dangling", "n" * 300):
        check(bench, "json to %s" % target[:20], ["solve", "good.json", "--json", target, "--epochs", "1"], [target[:20]])
        check(bench, "checkpoint to %s" % target[:20], ["solve", "good.json", "--checkpoint", target, "--epochs", "1"],
              [target[:20]])
    check(bench, "newline in an option", ["solve", "good.json", "--two\nlines"], ["unknown option"])
    check(bench, "newline in a value", ["solve", "good.json", "--seed", "1\n2"], ["--seed"])
    check(bench, "newline in a command", ["sol\nve"], ["is no command"])
    check(bench, "bad bytes in a value", ["solve", "good.json", "--format", b"\xff".decode("utf-8", "surrogateescape")], ["format"])
    check(bench, "long value", ["solve", "good.json", "--format", "f" * 3000], ["format"])
    ear.close()


def check_results(bench):
    """Results that are not what they say: 3 where the check refuses, 2 where it cannot be read."""
    good = json.loads(bench.read("result.json"))

    def tampered(name, change, fragments, status=2, arguments=(), where=["tampered.json"]):
        result = json.loads(json.dumps(good))
        change(result)
        bench.write("tampered.json", json.dumps(result).encode())
        check(bench, "result: " + name, ["verify", "tampered.json"] + list(arguments), where + fragments, status)

    tampered("as it is", lambda r: r.update(cost=r["cost"] + 1), ["cost"], 3)
    tampered("cheaper", lambda r: r.update(cost=r["cost"] - 1), ["cost"], 3)
    tampered("digest", lambda r: r.update(digest="0" * 32), ["digest"], 3)
    tampered("other pick", lambda r: r["picks"][0].update(place={"a": "b", "b": "a"}[r["picks"][0]["place"]]), [], 3)
    tampered("bound too good", lambda r: r.update(bound=r["cost"] + 5), ["bound"], 3)
    tampered("gap", lambda r: r.update(gap_percent=50), ["gap"], 3)
    tampered("status", lambda r: r.update(status="infeasible"), [], 3)
    tampered("program digest", lambda r: r["program"].update(digest="f" * 32), ["digest"], 3)
    tampered("pick left out", lambda r: r["picks"].pop(), ["picks"])
    tampered("picked twice", lambda r: r["picks"].append(r["picks"][0]), ["picks"])
    tampered("unknown item", lambda r: r["picks"][0].update(item="nobody"), ["nobody"])
    tampered("unknown place", lambda r: r["picks"][0].update(place="c"), ["\"c\""])
    tampered("no such option", lambda r: r["picks"][1].update(mode="int4"), ["picks[1]"])
    tampered("cost as text", lambda r: r.update(cost="cheap"), ["tampered.json", "cost"])
    tampered("cost null", lambda r: r.update(cost=None), ["tampered.json", "cost"])
    tampered("negative epochs", lambda r: r.update(epochs=-1), ["epochs", "-1"])
    tampered("negative threads", lambda r: r.update(threads=-4), ["threads", "-4"])
    tampered("seed 1.5", lambda r: r.update(seed=1.5), ["seed", "1.5"])
    tampered("status word", lambda r: r.update(status="optimum"), ["status", "optimum"])
    tampered("unknown field", lambda r: r.update(statsu="optimal"), ["statsu"])
    tampered("no picks list", lambda r: r.update(picks={}), ["picks", "expected a list"])
    tampered("no status", lambda r: r.pop("status"), ["status"])
    tampered("program gone", lambda r: r["program"].update(path="gone.json"), ["gone.json", "No such file"], where=[])
    tampered("no path", lambda r: r["program"].pop("path"), ["--program"])
    tampered("path number", lambda r: r["program"].update(path=3), ["program.path"])
    tampered("format unknown", lambda r: r["program"].update(format="xml"), ["xml"], where=[])
    tampered("format wrong", lambda r: r["program"].update(format="gap"), ["good.json"], where=[])
    tampered("another program", lambda r: None, ["another program"], 3, ["--program", "good.gap", "--format", "gap"])
    bench.write("other.json", cases.put(["items", 1, "entries", 0, "cost"], 11))
    tampered("a changed program", lambda r: None, ["digest"], 3, ["--program", "other.json"])
    tampered("certificate kind", lambda r: r["certificate"].update(kind="oracle"), ["oracle"])
    bench.write("cut.json", bench.read("result.json")[:-30])
    check(bench, "result: cut", ["verify", "cut.json"], ["cut.json", "the text ends"])
    bench.write("gz.json", cases.gzip.compress(bench.read("result.json")))
    check(bench, "result: gzip", ["verify", "gz.json"], ["gz.json", "gzip"])


def check_starts(bench):
    solve = ["solve", "good.json", "--epochs", "1", "--start", "start.json"]
    pick = {"item": "chat", "place": "a", "mode": "fp16"}
    for name, value, fragments in (
            ("unknown item", [{"item": "x"}], ["[0]", "'x'"]), ("unknown place", [dict(pick, place="z")], ["'z'"]),
            ("twice", [pick, pick], ["[1]", "twice"]), ("no item", [{"place": "a"}], ["[0]", "'item'"]),
            ("text", "chat", ["expected a list"]), ("number", [1], ["[0]", "expected a map"]),
            ("unknown field", [dict(pick, palce="a")], ["did you mean \"place\"?"]),
            ("too many", [pick, pick, pick], ["list of 3 values"]), ("no picks", {"pick": []}, ["\"picks\" is missing"])):
        bench.write("start.json", json.dumps(value).encode())
        check(bench, "start: " + name, solve, ["start.json"] + fragments)


def check_checkpoints(bench):
    """States that are cut, changed, or of another run."""
    done = bench.run(["solve", "good.json", "--epochs", "2", "--checkpoint", "state"])
    if done.returncode != 0:
        fail("checkpoint", done.stderr.decode("utf-8", "replace"))
        return
    state = bench.read("state")

    def resume(name, data, fragments, arguments=("good.json",)):
        bench.write("broken", data)
        check(bench, "checkpoint: " + name, ["solve"] + list(arguments) + ["--epochs", "3", "--resume", "broken"],
              ["broken"] + fragments)

    for length in (0, 1, 7, 8, 16, len(state) // 2, len(state) - 1):
        resume("cut at %d" % length, state[:length], [])
    resume("longer", state + b"x", [])
    for at in (0, 9, len(state) // 3, len(state) // 2, len(state) - 1):
        resume("byte %d changed" % at, state[:at] + bytes([state[at] ^ 0x40]) + state[at + 1:], [])
    bench.write("other.json", cases.put(["items", 1, "entries", 0, "cost"], 11))
    resume("other program", state, ["program"], ["other.json"])
    resume("other chains", state, ["chains"], ["good.json", "--chains", "3"])
    resume("other seed", state, ["seed 1", "seed 2"], ["good.json", "--seed", "2"])
    resume("other preset", state, ["preset cpu", "preset gpu"], ["good.json", "--preset", "gpu"])
    resume("a start too", state, ["--start", "--resume"], ["good.json", "--start", "good.json"])


def check_accepted(bench):
    """CRLF and a byte order mark change nothing."""
    mark = b"\xef\xbb\xbf"
    for kind, ending, text, more in (("json", "json", cases.GOOD_TEXT, []), ("json", "yaml", cases.GOOD_TEXT, []),
                                     ("gap", "gap", cases.GAP, []), ("mkp", "mkp", cases.MKP, ["--problem", "2"]),
                                     ("qap", "qap", cases.QAP, []), ("vbp", "vbp", cases.VBP, [])):
        plain = text.encode()
        dos = plain.replace(b"\n", b"\r\n")
        seen = set()
        for data in (plain, dos, mark + plain, mark + dos, plain.rstrip(b"\n"), plain + b"\n\n"):
            bench.write("same." + ending, data)
            done = bench.run(["solve", "same." + ending, "--format", kind, "--epochs", "1", "--json", "-"] + more)
            if done.returncode != 0:
                fail("accepted " + ending, "%r: %s" % (data[:20], done.stderr.decode("utf-8", "replace")))
                continue
            result = json.loads(done.stdout)
            seen.add((result["program"]["digest"], result["digest"], str(result["cost"])))
        if len(seen) != 1:
            fail("accepted " + ending, "different programs or plans: %s" % seen)
    for data in (bench.read("result.json").replace(b"\n", b"\r\n"), mark + bench.read("result.json")):
        bench.write("same_result.json", data)
        done = bench.run(["verify", "same_result.json", "--quiet"])
        if done.returncode != 0 or done.stderr:
            fail("accepted result", done.stderr.decode("utf-8", "replace"))


def check_planted(bench):
    """The checks of this file see what they are there to see."""
    good = subprocess.CompletedProcess([], 2, b"", b"ration: file.json: line 3: broken\n")
    for planted in (dict(returncode=1), dict(stdout=b"x"), dict(stderr=b""), dict(stderr=b"file.json: broken\n"),
                    dict(stderr=b"ration: file.json\nmore\n"), dict(stderr=b"ration: broken\n"),
                    dict(stderr=b"ration: file.json AddressSanitizer\n"), dict(stderr=b"ration: file.json \x1b[3m\n")):
        done = subprocess.CompletedProcess([], planted.get("returncode", good.returncode), planted.get("stdout", b""),
                                           planted.get("stderr", good.stderr))
        before = len(failures)
        check_said("planted", done, ["file.json"], 2)
        if len(failures) == before:
            fail("planted", "not seen: %s" % planted)
        del failures[before:]
    before = bench.state()
    bench.write("planted", b"x")
    if bench.state() == before:
        fail("planted", "a new file is not seen")
    os.unlink(os.path.join(bench.work, "planted"))


def main():
    bench = Bench()
    try:
        done = bench.run(["solve", "good.json", "--epochs", "2", "--json", "result.json", "--quiet"])
        if done.returncode != 0 or done.stdout or done.stderr:
            print("the good program was refused: %r" % done)
            return 1
        check_planted(bench)
        check_files(bench)
        for name, arguments, fragments in cases.option_cases():
            check(bench, "option " + name, arguments, fragments)
        check_results(bench)
        check_starts(bench)
        check_checkpoints(bench)
        check_accepted(bench)
        check_things(bench)
    finally:
        shutil.rmtree(bench.folder, ignore_errors=True)
    for sentence in failures:
        print("FAIL", sentence)
    print("%d broken inputs, %d failures" % (count, len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
