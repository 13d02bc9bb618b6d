#!/usr/bin/env python3
"""Holds the sources to the rules of the house: who may include whom, sizes, words that may not be used.

    style_test.py [ROOT]      checks the tree, after checking that every rule catches its planted fault

A rule is a function of (path, text) that yields (line, sentence). Paths are relative to the root of the project.
"""
import os
import re
import subprocess
import sys

LAYERS = ("base", "program", "bound", "plan", "backend", "search", "emit")
CODE = (".c", ".h", ".cc", ".cpp", ".cu", ".cuh")
TEXT = CODE + (".py", ".sh", ".cmake", ".txt", ".json", ".yaml", ".yml", ".md", "")
COLUMNS, SCRIPT_COLUMNS = 100, 140
TOP = {"CMakeLists.txt", "README.md", "kernels", "host", "include", "problems", "bench", "tests", "third_party", "LICENSE",
       "CMakePresets.json", "docs", "quickstart", "build"}
ROOTS = ("ration", "core", "perf", "kernels", "host", "problems", "bench", "tests")
OPENMP_HOMES = ("host/base/par.h", "host/backend/openmp.c")
CORE_SYSTEM = {"stdint.h", "stdbool.h", "stddef.h", "assert.h"}


def blank(text, strings=True):
    """Replaces comments (and the insides of string literals) by blanks; line breaks stay."""
    def wipe(match):
        token = match.group(0)
        if token[0] in "\"'":
            return token[0] + " " * (len(token) - 2) + token[-1] if strings else token
        return re.sub(r"[^\n]", " ", token)
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', wipe, text, flags=re.S)


def numbered(text):
    return enumerate(text.split("\n"), 1)


def is_code(path):
    return path.endswith(CODE)


def is_library(path):
    """Code that may not print, exit or read the environment."""
    return is_code(path) and not path.startswith("host/cli/") and path.startswith(("host/", "include/", "kernels/", "problems/"))


def system_header_allowed(path, name):
    if name.startswith(("cjson/", "cJSON")) or name == "yaml.h":
        return path.startswith("host/base/")
    if name == "omp.h":
        return path in OPENMP_HOMES
    if name == "mpi.h":
        return path == "host/backend/mpi.c"
    if name.startswith(("cuda", "nccl", "curand")):
        return path.startswith(("kernels/", "host/backend/cuda")) or path.endswith("/hd.h")
    if path.startswith("include/core/"):
        return name in CORE_SYSTEM
    if path.startswith("include/perf/"):
        return name in CORE_SYSTEM | {"math.h"}
    return True


def resolved(path, name):
    """The header's path from the root of the project (from include/ where it lies there), as the build's -I finds it."""
    first = name.split("/")[0]
    if "/" not in name or first in (".", ".."):
        name = os.path.normpath(os.path.join(os.path.dirname(path), name))
        return name[len("include/"):] if name.startswith("include/") else name
    if first in ROOTS:
        return name
    return ("host/" if first in LAYERS else "problems/") + name


def project_header_allowed(path, name):
    """name: from the root of the project or of include/."""
    parts = path.split("/")
    if path.startswith("include/"):
        allowed = {"ration": ("ration/",), "core": ("core/", "ration/error.h"), "perf": ("perf/",)}.get(parts[1], ())
    elif path.startswith("kernels/"):
        allowed = ("core/", "perf/", "ration/error.h", "kernels/")
    elif path.startswith(("host/cli/", "bench/")):
        allowed = ("ration/", "perf/", "problems/", parts[0] + "/" + parts[1] + "/" if parts[0] == "host" else "bench/")
    elif parts[0] == "host" and parts[1] in LAYERS:
        left = LAYERS[:LAYERS.index(parts[1]) + 1]
        allowed = ("ration/", "core/", "perf/") + tuple("host/%s/" % layer for layer in left)
        if path.startswith("host/backend/cuda"):
            allowed += ("kernels/",)
    elif parts[0] == "problems":
        allowed = ("ration/", "perf/", "problems/catalog/", "/".join(parts[:2]) + "/")
    else:
        return True
    return name.startswith(allowed)


def check_includes(path, text):
    if not is_code(path) or path.startswith("tests/"):
        return
    for number, line in numbered(blank(text, strings=False)):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not found:
            continue
        name = found.group(2)
        if found.group(1) == "<":
            good = system_header_allowed(path, name)
        else:
            good = project_header_allowed(path, resolved(path, name))
        if not good:
            yield number, "%s may not be included here" % found.group(2)


def check_line(path, text):
    if path.endswith((".md", ".json", ".yaml", ".yml", ".txt")) and not path.endswith("CMakeLists.txt"):
        return
    for number, line in numbered(text):
        if len(line) > (COLUMNS if is_code(path) else SCRIPT_COLUMNS):
            yield number, "a line of %d columns" % len(line)


def check_tabs(path, text):
    if path.endswith((".c", ".h", ".cc", ".cu", ".py", ".cmake", "quickstart", ".sh")):
        for number, line in numbered(text):
            if "\t" in line:
                yield number, "a tab"


def check_file(path, text):
    if is_code(path) and text.count("\n") > 800:
        yield 801, "a file of %d lines; 800 are allowed" % text.count("\n")


def functions(text):
    """Yields (first line, last line, head, body) of every function: its braces stand in column 0."""
    lines = blank(text).split("\n")
    start = None
    for index, line in enumerate(lines):
        if line == "{":
            start = index
        elif line.startswith("}") and start is not None:
            head = start - 1
            while head > 0 and lines[head - 1].strip() and lines[head - 1][-1] not in ";}":
                head -= 1
            if "(" in "\n".join(lines[head:start]): # else a class or a namespace
                yield head + 1, index + 1, "\n".join(lines[head:start]), lines[start:index + 1]
            start = None


def parameters(head):
    """Counts the parameters of a function's head, without the error object and parameter packs (or "...")."""
    level, count = 0, 1
    for letter in head[head.find("("):]:
        level += (letter in "([{") - (letter in ")]}")
        count += letter == "," and level == 1
        if level == 0:
            break
    return count - bool(re.search(r"\.\.\. ?\w*\)", head)) - bool(re.search(r"\bration_error \*error\)$", head.rstrip()))


def nesting(body):
    """Depth of the blocks in a function; the braces of initialisers are none: they follow =, or something follows them."""
    blocks, deepest = [], 0
    for line in body:
        for at, letter in enumerate(line):
            if letter == "{":
                blocks.append(not line[at + 1:].strip() and not line[:at].rstrip().endswith(("=", ",", "(", "{")))
                deepest = max(deepest, sum(blocks))
            elif letter == "}" and blocks:
                blocks.pop()
    return deepest - 1


def check_function(path, text):
    if not is_code(path):
        return
    for first, last, head, body in functions(text):
        if last - first + 1 > 80:
            yield first, "a function of %d lines; 80 are allowed" % (last - first + 1)
        if parameters(head) > 7 and "cudaMemcpy2DAsync(" not in head:  # CUDA's own, stood in for by tests/shim
            yield first, "%d parameters; 7 are allowed" % parameters(head)
        if nesting(body) > 4:
            yield first, "nested %d deep; 4 are allowed" % nesting(body)


FORBIDDEN = r"\b(rand|srand|random|sprintf|vsprintf|strcpy|strcat|strtok|atoi|atol|atoll|atof|gets|alloca|asctime|ctime)\s*\("
SILENT = r"\b(printf|vprintf|puts|putchar|perror|exit|_exit|abort|getenv|system|popen)\s*\(|\bstderr\b"


def check_calls(path, text):
    if not is_code(path):
        return
    for number, line in numbered(blank(text)):
        found = re.search(FORBIDDEN, line)
        if found and not path.startswith("tests/"):
            yield number, "%s is not used here" % found.group(1)
        found = re.search(SILENT, line)
        if found and is_library(path):
            yield number, "library code does not use %s" % (found.group(1) or "stderr")


def check_homes(path, text):
    """Words that have one home."""
    if not is_code(path) or path.startswith("tests/"):
        return
    code = blank(text)
    for number, line in numbered(blank(text, strings=False)):
        if re.search(r"#\s*pragma\s+omp|_Pragma\(\s*\"omp", line) and path not in OPENMP_HOMES:
            yield number, "OpenMP is for host/base/par.h and host/backend/openmp.c"
    for number, line in numbered(code):
        if "__CUDA_ARCH__" in line and path != "include/core/hd.h":
            yield number, "__CUDA_ARCH__ is for include/core/hd.h"
        if "__int128" in line and not path.startswith("host/base/"):
            yield number, "__int128 is for host/base (rn_i128)"
        if "<<<" in line:
            yield number, "kernels are launched by RN_LAUNCH, not <<<>>>"
        if re.search(r"\blong\b", re.sub(r"\blong long\b", "", line)) or \
                re.search(r"(?<!\()\bunsigned (int\b|\w+ *[;=,)\[])", line):
            yield number, "long and unsigned are int64_t, int32_t, or uint32_t for random bits"
        if re.search(r"\b(float|double)\b", line) and path.startswith("include/core/"):
            yield number, "no floating point in include/core"
    if path.startswith("include/core/"):
        for number, line in numbered(code):
            if re.search(r"\brestrict\b|(?<![>.])\b(malloc|calloc|realloc|free)\s*\(", line):
                yield number, "include/core is the common subset of C11 and C++17 and allocates nothing"


MACHINE = r"/(wo" r"rk|far" r"m|ro" r"ot|ho" r"me)/|/tmp/te" r"am"
UNFINISHED = r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b"


def check_words(path, text):
    for number, line in numbered(text):
        if re.search(MACHINE, line):
            yield number, "a path of one machine"
        if re.search(UNFINISHED, line) and not path.endswith((".csv", ".json", ".txt")):
            yield number, "an unfinished word"


def check_top(path, _):
    name = path.split("/")[0]
    if name not in TOP and not name.startswith("."):
        yield 1, "%s is not a name of the top level" % name


def check_guard(path, text):
    if path.startswith("include/") and path.endswith(".h") and not re.search(r"#ifndef \w+\n#define \w+\n", text):
        yield 1, "a header without a guard"


RULES = (check_includes, check_line, check_tabs, check_file, check_function, check_calls, check_homes, check_words, check_top,
         check_guard)

LONG_BODY = "static void f(void)\n{\n" + "    g();\n" * 90 + "}\n"
DEEP_BODY = "static void f(void)\n{\n" + "if (x) {\n" * 5 + "}\n" .rjust(3) * 5 + "}\n"
# Each rule must say something about each of its plants ...
PLANTS = (
    (check_includes, "include/ration/x.h", '#include "core/view.h"\n'),
    (check_includes, "include/core/x.h", '#include "ration/program.h"\n'),
    (check_includes, "include/core/x.h", "#include <stdio.h>\n"),
    (check_includes, "include/perf/x.h", '#include "core/hd.h"\n'),
    (check_includes, "kernels/x.cu", '#include "host/base/alloc.h"\n'),
    (check_includes, "host/base/x.c", '#include "host/plan/verify.h"\n'),
    (check_includes, "host/bound/x.c", '#include "../search/run.h"\n'),
    (check_includes, "host/plan/x.c", "#include <cjson/cJSON.h>\n"),
    (check_includes, "host/search/x.c", "#include <omp.h>\n"),
    (check_includes, "host/backend/openmp.c", "#include <mpi.h>\n"),
    (check_includes, "host/search/x.c", "#include <cuda_runtime.h>\n"),
    (check_includes, "problems/serving/x.c", '#include "host/base/alloc.h"\n'),
    (check_includes, "problems/serving/x.c", '#include "problems/training/x.h"\n'),
    (check_includes, "problems/serving/x.c", "#include <cjson/cJSON.h>\n"),
    (check_includes, "host/cli/x.c", '#include "host/base/alloc.h"\n'),
    (check_includes, "host/cli/x.c", '#include "core/view.h"\n'),
    (check_includes, "host/base/x.c", '#include "plan/verify.h"\n'),
    (check_includes, "problems/serving/x.c", '#include "training/x.h"\n'),
    (check_includes, "bench/x.c", '#include "host/base/alloc.h"\n'),
    (check_line, "host/base/x.c", "x" * 200 + "\n"),
    (check_line, "tests/lint/x.py", "x" * 200 + "\n"),
    (check_tabs, "host/base/x.c", "int a;\n\tint b;\n"),
    (check_file, "host/base/x.c", "int a;\n" * 801),
    (check_function, "host/base/x.c", LONG_BODY),
    (check_function, "host/base/x.c", DEEP_BODY),
    (check_function, "host/base/x.c", "void f(int a, int b, int c, int d, int e,\n       int f, int g, int h)\n{\n}\n"),
    (check_calls, "host/cli/x.c", "x = rand();\n"),
    (check_calls, "host/cli/x.c", "strcpy(a, b);\n"),
    (check_calls, "host/plan/x.c", 'printf("x");\n'),
    (check_calls, "problems/serving/x.c", 'getenv("HOME");\n'),
    (check_homes, "include/perf/x.h", "#ifdef __CUDA_ARCH__\n"),
    (check_homes, "host/bound/x.c", "__int128 x;\n"),
    (check_homes, "host/search/x.c", "#pragma omp parallel\n"),
    (check_homes, "include/core/x.h", '_Pragma("omp simd")\n'),
    (check_homes, "kernels/x.cu", "f<<<1, 1>>>();\n"),
    (check_homes, "host/plan/x.c", "long x;\n"),
    (check_homes, "host/plan/x.c", "unsigned x = 1;\n"),
    (check_homes, "include/core/x.h", "double x;\n"),
    (check_homes, "include/core/x.h", "int *restrict x;\n"),
    (check_words, "host/base/x.c", "/* see /ho" "me/someone/x */\n"),
    (check_words, "docs/x.md", "TO" "DO: write this\n"),
    (check_top, "notes/x.md", ""),
    (check_guard, "include/ration/x.h", "int f(void);\n"),
)
# ... and nothing about these.
GOOD = (
    ("host/plan/x.c", '#include <stdio.h>\n#include "verify.h"\n#include "host/base/alloc.h"\n#include "core/view.h"\n'),
    ("host/base/x.c", "#include <cjson/cJSON.h>\n/* rand() is not used; printf neither */\nstatic const char *s = \"rand()\";\n"),
    ("problems/serving/x.c", '#include "problems/catalog/catalog.h"\n#include "ration/document.h"\n#include "perf/shape.h"\n'),
    ("host/cli/x.c", '#include "gap/gap.h"\n#include "cli.h"\nint main(void)\n{\n    printf("a");\n    return 0;\n}\n'),
    ("host/base/x.c", "x = (unsigned)y; long long z; (const unsigned char *)a; unsigned __int128 b;\n"),
    ("tests/x/x.cpp", "shim::shim(int a)\n    : b(f(a, 1)), c(f(a, 2)), d(f(a, 3)), e(f(a, 4)), g(f(a, 5))\n{\n}\n"),
    ("include/core/x.h", '#ifndef X\n#define X\n#define R _Pragma("GCC unroll 1")\n#endif\n'),
    ("tests/x/x.cc", "class A\n{\n" + "    int a;\n" * 90 + "};\n"),
    ("host/base/par.h", "#include <omp.h>\n#pragma omp parallel\n"),
)


def planted():
    """Tries every rule on its planted faults; returns what went wrong."""
    wrong = ["%s missed its fault in %s: %r" % (rule.__name__, path, text[:60])
             for rule, path, text in PLANTS if not list(rule(path, text))]
    wrong += ["a rule has no planted fault: %s" % rule.__name__ for rule in RULES
              if rule not in {plant[0] for plant in PLANTS}]
    wrong += ["%s: false alarm: %s" % (path, sentence) for path, text in GOOD for rule in RULES
              for _, sentence in rule(path, text)]
    return wrong


def sources(root):
    """Files that belong to the project: known to git or not ignored; without git, all outside build/."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True)
    if listed.returncode == 0 and listed.stdout:
        return sorted(p for p in listed.stdout.split("\n") if p and os.path.isfile(os.path.join(root, p)))
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if f not in (".git", "build", "__pycache__")]
        found += [os.path.relpath(os.path.join(folder, f), root) for f in files]
    return sorted(found)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("RATION_SOURCE", ".")
    complaints = planted()
    seen = 0
    for path in sources(root):
        name, ending = os.path.splitext(os.path.basename(path))
        if ending not in TEXT or path.startswith("tests/fuzz/corpus/") or path == "LICENSE":
            continue
        with open(os.path.join(root, path), "rb") as file:
            text = file.read().decode("utf-8", "replace")
        seen += 1
        for rule in RULES:
            complaints += ["%s:%d: %s" % (path, line, sentence) for line, sentence in rule(path, text)]
    if seen < 10:
        complaints.append("only %d files were seen in %s" % (seen, root))
    print("\n".join(complaints) if complaints else "%d files follow the rules" % seen)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
