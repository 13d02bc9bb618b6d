#!/usr/bin/env python3
"""Installs the build into an empty folder, then moves that folder and uses it as a stranger would: a CMake project with
find_package(ration), a compiler call with pkg-config, and the command from another folder.
"""
# label: full
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SANITIZE = os.environ.get("RATION_SANITIZE", "")


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit("%s\n%s: exit %d" % (done.stdout, " ".join(command), done.returncode))
    return done.stdout


def by_cmake(prefix, work, flags):
    build = os.path.join(work, "consumer")
    run("cmake", "-S", os.path.join(HERE, "consumer"), "-B", build, "-DCMAKE_PREFIX_PATH=" + prefix,
        "-DCMAKE_C_COMPILER=" + os.environ["RATION_CC"], "-DCMAKE_C_FLAGS=" + flags)
    run("cmake", "--build", build)
    for kind in ("static", "shared", "ration"):
        print(run(os.path.join(build, "consumer_" + kind)), end="")


def by_pkg_config(prefix, work, library, flags):
    place = os.path.join(library, "pkgconfig")
    environment = dict(os.environ, PKG_CONFIG_PATH=place, LD_LIBRARY_PATH=library)
    words = run("pkg-config", "--cflags", "--libs", "ration", env=environment).split()
    program = os.path.join(work, "by-pkg-config")
    source = os.path.join(HERE, "consumer", "main.c")
    run(os.environ["RATION_CC"], *flags.split(), source, "-o", program, *words)
    print(run(program, env=environment), end="")
    private = run("pkg-config", "--cflags", "--static", "--libs", "ration", env=environment).split()
    private = [os.path.join(library, "libration.a") if word == "-lration" else word for word in private]
    run(os.environ["RATION_CC"], *flags.split(), source, "-o", program + "-static", *private)
    print(run(program + "-static"), end="")


def main():
    flags = "-fsanitize=" + SANITIZE if SANITIZE else ""
    with tempfile.TemporaryDirectory() as work:
        first, prefix = os.path.join(work, "first"), os.path.join(work, "second")
        run("cmake", "--install", os.environ["RATION_BUILD"], "--prefix", first)
        os.rename(first, prefix)
        found = [folder for folder, _, files in os.walk(prefix) if "libration.a" in files]
        if len(found) != 1:
            sys.exit("libration.a was installed %d times" % len(found))
        by_cmake(prefix, work, flags)
        if shutil.which("pkg-config"):
            by_pkg_config(prefix, work, found[0], flags)
        command = os.path.join(prefix, "bin", "ration")
        print(run(command, "--version", cwd=work), end="")
        headers = os.listdir(os.path.join(prefix, "include"))
        if headers != ["ration"]:
            sys.exit("more headers than the public ones: %s" % headers)


if __name__ == "__main__":
    main()
