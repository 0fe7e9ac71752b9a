#!/usr/bin/env python3
"""Holds the folders of src/commonplace to who may know whom, and the library to its manners.

A folder may include itself and what the table says, directly or through others. A few headers of
other projects belong to one folder each. Nothing under src/ prints, exits or aborts.
"""
import pathlib
import re
import sys

ROOMS = ["search", "suggest", "detect", "relate", "transfer"]
MAY_KNOW = {
    "base": [],
    "io": ["base"],
    "math": ["base"],
    "comm": ["base"],
    "formats": ["io"],
    "library": ["formats"],
    "features": ["math", "io"],
    "eval": ["base"],
    "learn": ["math", "comm", "io"],
    "rows": ["library", "features", "learn"],
    "upkeep": ["rows"],
    **{room: ["rows", "eval"] for room in ROOMS},
}
ONLY_IN = {
    "mpi.h": ["comm"],
    "sqlite3.h": ["library"],
    "libstemmer.h": ["features"],
    "libxml/": ["formats"],
    "linear.h": ["learn"],
    "Spectra/": ["detect", "relate", "transfer"],
    "jpeglib.h": ["features"],
    "png.h": ["features"],
    "webp/": ["features"],
    "librsvg/": ["features"],
    "vl/": ["features"],
    "dlib/": ["features"],
    "zlib.h": ["io", "formats"],  # gzip files; compressed text inside PNG
}
FORBIDDEN = re.compile(r"std::(cout|cerr|clog)\b|(?<![\w.>])(printf|puts|abort|exit|_exit)\s*\(")
INCLUDE = re.compile(r'#include\s+["<]([^">]+)[">]')


def known_to(folder):
    seen = {folder}
    todo = [folder]
    while todo:
        for other in MAY_KNOW[todo.pop()]:
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def problems(root):
    for path in sorted((root / "src" / "commonplace").rglob("*.[hc]*")):
        folder = path.relative_to(root / "src" / "commonplace").parts[0]
        if folder not in MAY_KNOW:
            yield f"{path}: the folder {folder} is not in the table of tests/check_layers.py"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            place = f"{path.relative_to(root)}:{number}"
            include = INCLUDE.match(line)
            if include:
                name = include.group(1)
                parts = name.split("/")
                if parts[0] == "commonplace" and parts[1] not in known_to(folder):
                    yield f"{place}: {folder} may not know {parts[1]}"
                for header, homes in ONLY_IN.items():
                    if name.startswith(header) and folder not in homes:
                        yield f"{place}: {header} belongs to {' and '.join(homes)}"
            code = line.split("//")[0]
            if FORBIDDEN.search(code):
                yield f"{place}: the library does not print, exit or abort: {code.strip()}"


def main():
    found = list(problems(pathlib.Path(__file__).resolve().parent.parent))
    print("\n".join(found) or "every folder knows only what it may")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
