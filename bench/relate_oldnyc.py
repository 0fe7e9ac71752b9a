#!/usr/bin/env python3
"""How long it takes to relate all 49,101 photographs of oldnyc by their words, tags and places.

    bench/relate_oldnyc.py PROGRAM

Needs the data that COMMONPLACE_DATA names (default ../shared/data). The settings are chosen by the
program itself, which is part of the time.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

DATA = pathlib.Path(os.environ.get("COMMONPLACE_DATA", "../shared/data"))


def run(program, *arguments):
    return subprocess.check_output([program, *map(str, arguments)], text=True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program, source = sys.argv[1], DATA / "oldnyc" / "photos.jsonl.gz"
    if not source.exists():
        print(f"{source} is not there; set COMMONPLACE_DATA to the folder of the data sets. Left out.")
        return
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder) / "library"
        run(program, "init", library, "-q")
        run(program, "add", library, "oldnyc", source, "-q")
        for kinds in ("oldnyc/tags,oldnyc/places", "oldnyc/text,oldnyc/tags,oldnyc/places"):
            learned = json.loads(run(program, "learn", library, "relate", "--collections", kinds, "--json", "-q"))
            sizes = ", ".join(f"{each['things']:,} {each['kind']}" for each in learned["kinds"])
            print(f"{sizes}: {learned['links']:,} links, {learned['coordinates']} coordinates, "
                  f"{len(learned['tried'])} settings tried, residual {learned['residual']:.1e}, "
                  f"{learned['seconds']:.1f} s", flush=True)


if __name__ == "__main__":
    main()
