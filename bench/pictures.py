#!/usr/bin/env python3
"""How many pictures a second each kind of image features takes in, on the photographs of caltech101.

    bench/pictures.py PROGRAM [--kinds sift,...]

Needs the data that COMMONPLACE_DATA names (default ../shared/data)."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

DATA = pathlib.Path(os.environ.get("COMMONPLACE_DATA", "../shared/data"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--kinds", default="sift,rgb-sift,surf,gist")
    arguments = parser.parse_args()
    source = DATA / "caltech101"
    if not source.is_dir():
        sys.exit(f"{source} is not there: set COMMONPLACE_DATA to the folder of the data sets")
    pictures = sum(1 for _ in source.rglob("*.jpg"))
    with tempfile.TemporaryDirectory(prefix="commonplace-bench-") as scratch:
        library = pathlib.Path(scratch) / "library"
        for command in (["init", library], ["add", library, "photos", source]):
            subprocess.run([arguments.program, *map(str, command), "-q"], check=True)
        for kind in arguments.kinds.split(","):
            begin = time.time()
            subprocess.run([arguments.program, "features", str(library), "photos", "--image", kind, "-q"],
                           check=True)
            seconds = time.time() - begin
            print(f"{kind:<9} {pictures} pictures in {seconds:6.1f} s, words and axes included: "
                  f"{pictures / seconds:5.1f} a second", flush=True)


if __name__ == "__main__":
    main()
