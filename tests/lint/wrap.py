#!/usr/bin/env python3
"""Wraps lines of C, C++ and CUDA sources that are wider than 100 columns, and no others: wrap.py [FILE...], needs clang-format.

Without files: all sources that git knows.
"""
import re
import subprocess
import sys

COLUMNS = 100


def wide(path):
    with open(path, encoding="utf-8") as file:
        return [number for number, line in enumerate(file, 1) if len(line.rstrip("\n")) > COLUMNS]


def main():
    listed = subprocess.run(["git", "ls-files"], stdout=subprocess.PIPE, text=True, check=True).stdout
    for path in sys.argv[1:] or [p for p in listed.split("\n") if re.search(r"\.(c|h|cc|cpp|cu|cuh)$", p)]:
        for _ in range(3): # a comment that was wrapped may push its neighbour over the edge
            lines = wide(path)
            if lines:
                subprocess.run(["clang-format", "-i", *["--lines=%d:%d" % (n, n) for n in lines], path], check=True)
        for number in wide(path):
            print("%s:%d is still too wide" % (path, number))


if __name__ == "__main__":
    main()
