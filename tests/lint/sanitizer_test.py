#!/usr/bin/env python3
"""The sanitizers of the asan and tsan builds see planted faults, and are silent about the same program without them."""
# label: full
import os
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    (void)argv;
    int32_t *list = malloc(4 * sizeof *list), sum = 0, big = INT32_MAX - 1;
    for (int32_t i = 0; i < 4; i++) {
        list[i] = argc + i;
    }
#ifdef PLANT_BOUNDS
    sum += list[3 + argc];
#endif
#ifdef PLANT_OVERFLOW
    big += 1 + argc;
#endif
#ifdef PLANT_RACE
#pragma omp parallel for num_threads(2)
#else
#pragma omp parallel for num_threads(2) reduction(+ : sum)
#endif
    for (int32_t i = 0; i < 100000; i++) {
        sum += list[i & 3];
    }
    free(list);
#ifdef PLANT_LEAK
    for (int32_t i = 0; i < 20; i++) {
        int32_t *volatile lost = malloc(100 + i);
        lost[0] = i;
    }
#endif
    printf("%d %d\n", (int)sum, (int)big);
    return 0;
}
"""
ADDRESS = (os.environ["RATION_CC"], "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
THREAD = ("clang", "-fsanitize=thread")
CASES = ((ADDRESS, None), (ADDRESS, "BOUNDS"), (ADDRESS, "OVERFLOW"), (ADDRESS, "LEAK"), (THREAD, None), (THREAD, "RACE"))


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "x.c"), os.path.join(folder, "x")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        for command, plant in CASES:
            define = ["-DPLANT_" + plant] if plant else []
            subprocess.run([*command, "-O1", "-g", "-fopenmp", *define, source, "-o", program], check=True)
            done = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if (done.returncode == 0) != (plant is None):
                wrong.append("%s, planted %s: exit %d\n%s" % (command[1], plant, done.returncode, done.stdout))
    print("\n".join(wrong) if wrong else "%d programs judged right" % len(CASES))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
