#!/usr/bin/env python3
"""Measures the processor time of building the two programs from nothing, without ccache, for one or more commits.

    bench/build.py [--all] [REVISION ...]

Each revision is built in a folder of its own; HEAD alone by default. --all builds the tests too. The table has
processor seconds by library, and the last column is what is left of the first revision's.
"""
import argparse
import collections
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile


def launch(log, command):
    """Runs one compiler and notes its processor time."""
    status = subprocess.call(command)
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(log, "a") as out:
        out.write(f"{use.ru_utime + use.ru_stime}\t{command[command.index('-o') + 1]}\n")
    return status


def library_of(output):
    found = re.search(r"([^/]+)\.dir/", output)
    name = found.group(1) if found else "others"
    return "tests" if name.startswith(("test_", "fuzz_", "mpi_", "bench_")) else name


def measure(root, revision, everything, folder):
    tree, log = folder / "tree", folder / "times"
    subprocess.run(["git", "-C", str(root), "worktree", "add", "-q", "--detach", str(tree), revision], check=True)
    try:
        subprocess.run(["cmake", "--preset", "release", "-S", str(tree), "-B", str(folder / "build"),
                        f"-DCMAKE_CXX_COMPILER_LAUNCHER={sys.executable};{__file__};--launch;{log}"],
                       cwd=tree, check=True, stdout=subprocess.DEVNULL)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        targets = [] if everything else ["--target", "commonplace_cli", "commonplace_mpi"]
        subprocess.run(["cmake", "--build", str(folder / "build"), "-j", str(len(os.sched_getaffinity(0))), *targets],
                       check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    finally:
        subprocess.run(["git", "-C", str(root), "worktree", "remove", "--force", str(tree)], check=True)
    seconds = collections.Counter()
    for line in log.read_text().splitlines():
        used, output = line.split("\t")
        seconds[library_of(output)] += float(used)
    whole = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    seconds["archives and linking"] = whole - sum(seconds.values())
    return seconds


def main():
    if sys.argv[1:2] == ["--launch"]:
        return launch(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="build the tests too")
    parser.add_argument("revisions", nargs="*", default=["HEAD"], metavar="REVISION")
    arguments = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    columns = []
    for revision in arguments.revisions:
        with tempfile.TemporaryDirectory() as folder:
            columns.append(measure(root, revision, arguments.all, pathlib.Path(folder)))
    names = sorted(set().union(*columns), key=lambda name: -columns[0][name])
    rows = [(name, [column[name] for column in columns]) for name in names]
    rows.append(("all", [sum(column.values()) for column in columns]))
    print("processor seconds".ljust(24), *(revision[:12].rjust(12) for revision in arguments.revisions))
    for name, values in rows:
        print(name.ljust(24), *(f"{value:12.1f}" for value in values), end="")
        print(f"{values[-1] / values[0]:9.2f}" if len(values) > 1 and values[0] > 0 else "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
