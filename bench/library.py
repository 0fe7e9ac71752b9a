#!/usr/bin/env python3
"""Imports made items and prints how long that and opening take, and the memory it needed.

    bench/library.py PROGRAM [ITEMS]
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time


def make(path, items, tags_each=8, vocabulary=50_000):
    """Items whose tags follow Zipf's law, as people's tags do."""
    draw = random.Random(1)
    names = [f"tag {i}" if i % 3 else f"group {i % 97}/tag {i}" for i in range(vocabulary)]
    weights = [1 / (rank + 1) for rank in range(vocabulary)]
    pool = draw.choices(names, weights, k=1_000_000)
    with open(path, "w") as out:
        for i in range(items):
            at = draw.randrange(len(pool) - 3 * tags_each)
            tags = list(dict.fromkeys(pool[at:at + 3 * tags_each]))[:tags_each]
            listed = ",".join(f'"{tag}"' for tag in tags)
            out.write(f'{{"id":"{draw.getrandbits(64):016x}","title":"Item number {i}",'
                      f'"tags":[{listed}],"lat":{draw.uniform(-90, 90):.5f},'
                      f'"lon":{draw.uniform(-180, 180):.5f},"time":"{2000 + i % 20}-05-03"}}\n')


def run(*arguments):
    """Seconds and peak memory in MiB of a command."""
    begun = time.monotonic()
    process = subprocess.Popen([str(argument) for argument in arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{arguments} ended with {os.waitstatus_to_exitcode(status)}")
    return time.monotonic() - begun, usage.ru_maxrss / 1024


def size(folder):
    return sum(path.stat().st_size for path in pathlib.Path(folder).rglob("*") if path.is_file())


def main():
    program = sys.argv[1]
    items = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory(prefix="commonplace-bench-") as folder:
        source = pathlib.Path(folder) / "items.jsonl"
        library = pathlib.Path(folder) / "library"
        make(source, items)
        run(program, "init", library)
        print(f"{items:,} items with 8 tags each, {source.stat().st_size / 2**20:,.0f} MiB of JSON lines")
        for name, arguments in (
            ("import", ("add", library, "made", source, "-q")),
            ("import again, unchanged", ("add", library, "made", source, "-q")),
            ("open and show the collections", ("list", library)),
            ("open and show 20 items", ("list", library, "made")),
            ("count all tags", ("list", library, "made", "--tags")),
            ("export as JSON lines", ("export", library, "made", "--out", source.with_suffix(".out"))),
        ):
            seconds, memory = run(program, *arguments)
            print(f"{name:32} {seconds:8.2f} s {memory:8.0f} MiB at most")
        print(f"{'library on disk':32} {size(library) / 2**20:8.0f} MiB")


if __name__ == "__main__":
    main()
