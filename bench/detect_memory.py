#!/usr/bin/python3
"""Learns to detect from features that are larger than the memory it is given.

    bench/detect_memory.py PROGRAM [--items 1000000] [--features 512] [--memory MIB]

Made-up items in twenty groups, a third of them tagged. Learning and ranking run in a control group of the
kernel that may use only so much memory, the pages of mapped files included: half of what the features take
unless told. Needs root and a writable /sys/fs/cgroup.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy

GROUPS = 20
BLOCK = 10000


class MemoryLimit:
    """A control group; what is started in it has this much memory together."""

    def __init__(self, mebibytes):
        name = f"commonplace-bench-{os.getpid()}"
        first = pathlib.Path("/sys/fs/cgroup/memory")  # version 1; version 2 has one tree for all
        self.folder = (first if first.is_dir() else first.parent) / name
        limit, peak = (("memory.limit_in_bytes", "memory.max_usage_in_bytes") if first.is_dir()
                       else ("memory.max", "memory.peak"))
        try:
            self.folder.mkdir()
            (self.folder / limit).write_text(str(mebibytes << 20))
        except OSError as error:
            sys.exit(f"memory cannot be limited here ({error}); run this as root where "
                     "/sys/fs/cgroup can be written")
        self.peak_file = self.folder / peak

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.rmdir()

    def run(self, *command):
        """What it printed and how long it took."""
        begin = time.monotonic()
        done = subprocess.run(
            [str(each) for each in command], stdout=subprocess.PIPE, text=True,
            preexec_fn=lambda: (self.folder / "cgroup.procs").write_text(str(os.getpid())))
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}")
        return json.loads(done.stdout), time.monotonic() - begin

    def peak(self):
        return int(self.peak_file.read_text()) >> 20 if self.peak_file.exists() else None


def make(folder, items, columns):
    draw = numpy.random.default_rng(1)
    centres = draw.normal(size=(GROUPS, columns)).astype("float32")
    rows = numpy.lib.format.open_memmap(folder / "rows.npy", mode="w+", dtype="float32",
                                        shape=(items, columns))
    with open(folder / "items.jsonl", "w") as lines:
        for first in range(0, items, BLOCK):
            groups = draw.integers(0, GROUPS, min(BLOCK, items - first))
            rows[first:first + len(groups)] = centres[groups] + 3 * draw.standard_normal(
                (len(groups), columns), dtype="float32")
            for i, group in enumerate(groups):
                tags = [f"group {group}"] if draw.random() < 1 / 3 else []
                lines.write(json.dumps({"id": f"{group}-{first + i}", "tags": tags}) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--items", type=int, default=1000000)
    parser.add_argument("--features", type=int, default=512)
    parser.add_argument("--memory", type=int, help="in MiB")
    arguments = parser.parse_args()
    size = arguments.items * arguments.features * 4 >> 20
    memory = arguments.memory or size // 2
    with tempfile.TemporaryDirectory(prefix="commonplace-bench-") as folder, MemoryLimit(memory) as limit:
        folder = pathlib.Path(folder)
        make(folder, arguments.items, arguments.features)
        library = folder / "library"
        subprocess.run([arguments.program, "init", library, "-q"], check=True)
        subprocess.run([arguments.program, "add", library, "items", folder / "items.jsonl", "-q"],
                       check=True, stdout=subprocess.DEVNULL)
        _, importing = limit.run(arguments.program, "features", library, "items", "--name", "made", "--from",
                                 folder / "rows.npy", "-q", "--json")
        (folder / "rows.npy").unlink()
        _, learning = limit.run(arguments.program, "learn", library, "detect", "--collection", "items",
                                "--features", "made", "-q", "--json")
        found, asking = limit.run(arguments.program, "detect", library, "group 3", "-l", "100", "-q", "--json")
        right = sum(each["id"].startswith("3-") for each in found["results"])
        print(f"{arguments.items:,} items of {arguments.features} features ({size:,} MiB) in {memory:,} MiB of "
              f"memory: read in {importing:.0f} s, learned in {learning:.0f} s, ranked in {asking:.1f} s, "
              f"{right} of the first {len(found['results'])} right"
              + (f"; at most {limit.peak():,} MiB were used" if limit.peak() else ""))


if __name__ == "__main__":
    main()
