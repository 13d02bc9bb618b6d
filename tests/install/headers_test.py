#!/usr/bin/env python3
"""Every header in include/ compiles alone, twice in one file, as C11 and as C++17, without a warning."""
import glob
import os
import subprocess
import sys

SOURCE = os.environ["RATION_SOURCE"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wno-unused-function", "-Werror", "-fsyntax-only"]


def compile_text(text, *options):
    return subprocess.run([*options, *WARNINGS, "-I", os.path.join(SOURCE, "include"), "-"], input=text,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def main():
    languages = (("C11", os.environ["RATION_CC"], "-std=c11", "-x", "c"),
                 ("C++17", os.environ["RATION_CXX"], "-std=c++17", "-x", "c++"))
    wrong = []
    for label, *options in languages:
        if compile_text("int f(void)\n{\n    return x;\n}\n", *options).returncode == 0:
            wrong.append("the check in %s is blind" % label)
        for path in sorted(glob.glob(os.path.join(SOURCE, "include", "*", "*.h"))):
            name = os.path.relpath(path, os.path.join(SOURCE, "include"))
            done = compile_text('#include "%s"\n#include "%s"\n' % (name, name), *options)
            if done.returncode != 0:
                wrong.append("%s as %s:\n%s" % (name, label, done.stdout))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
