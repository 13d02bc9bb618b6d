#!/usr/bin/env python3
"""The shared library exports ration_* and nothing else, and every function that a public header declares; the static one
defines no global name without our prefixes. The command starts without a GPU driver: it needs no CUDA library.
"""
import glob
import os
import re
import subprocess
import sys

BUILD, SOURCE = os.environ["RATION_BUILD"], os.environ["RATION_SOURCE"]
OURS = re.compile(r"^(ration_|rn_)")
# What compilers add on their own: registration of kernels, sanitizers, their run-time helpers.
COMPILER = re.compile(r"^(_Z|__cuda|__nv|_fini$|_init$|__asan|__ubsan|__tsan|__odr|__sanitizer|\.omp|__clang|__kmp|"
                      r"DW\.ref|__emutls|fatbin)")


def names(*command):
    """Defined global names that nm prints: (kind, name)."""
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True).stdout
    return {(kind, name) for kind, name in re.findall(r"^[0-9a-f]+ ([A-Za-z]) (\S+)$", out, flags=re.M)}


def declared(folder):
    """Functions that the public headers declare."""
    found = set()
    for path in glob.glob(os.path.join(folder, "*.h")):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
        found |= set(re.findall(r"RATION_API[^;{]*?\b(ration_\w+)\s*\(", text))
    return found


def foreign(exported):
    return sorted(name for _, name in exported if not name.startswith("ration_") and not COMPILER.match(name))


def main():
    wrong = []
    if foreign({("T", "ration_x"), ("T", "helper")}) != ["helper"]:  # the check sees a planted name
        wrong.append("the check for foreign names is blind")
    exported = names("nm", "-D", "--defined-only", os.path.join(BUILD, "libration.so"))
    if not os.environ.get("RATION_SANITIZE"):
        strict = sorted(name for _, name in exported if not name.startswith("ration_"))
        wrong += ["libration.so exports " + name for name in strict]
    wrong += ["libration.so exports " + name for name in foreign(exported)]
    missing = declared(os.path.join(SOURCE, "include", "ration")) - {name for _, name in exported}
    wrong += ["libration.so lacks %s, which a public header declares" % name for name in sorted(missing)]
    inside = names("nm", "-g", "--defined-only", os.path.join(BUILD, "libration.a"))
    wrong += ["libration.a defines the global name " + name for kind, name in sorted(inside)
              if kind in "TDBRC" and not OURS.match(name) and not COMPILER.match(name)]
    for name in ("libration.so", "ration"):
        needs = subprocess.run(["ldd", os.path.join(BUILD, name)], stdout=subprocess.PIPE, text=True, check=True).stdout
        wrong += ["%s needs %s" % (name, other) for other in re.findall(r"lib(?:cuda|cudart|nccl)\S*", needs)]
    print("\n".join(wrong) if wrong else "%d names exported" % len(exported))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
