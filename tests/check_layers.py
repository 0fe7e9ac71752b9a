#!/usr/bin/env python3
"""Holds the house to its rules: who may know whom, and the manners of the library.

1. A floor knows lower floors only; a room knows floors, `rows`, `learn` and `eval`, never another room. The front
   door `api` knows all rooms and the public headers, which are the headers of its files; nobody inside knows either.
2. The `core/` of a room knows neither the library nor `rows`, nor anything of its room outside `core/`.
3. Asking never reaches learning, learning never reaches evaluating or rivals, by any way of includes.
4. SQL is in `library/` only, and headers of other projects are in the folders named below only.
5. Every .cpp has a header of its own. A main file has none, and where a folder is a table of parts that are
   called in one way only (commands, routes, readers, ranks), the table's header serves them all.
6. Nothing under src/ prints, exits or aborts.
"""
import functools
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
    "encode": ["features"],
    "eval": ["comm"],
    "learn": ["math", "comm", "io"],
    "rows": ["library", "features", "encode", "learn"],
    "upkeep": ["rows"],
    **{room: ["rows", "eval"] for room in ROOMS},
    "keep": [*ROOMS, "upkeep"],
    "api": [*ROOMS, "upkeep"],
}
ONLY_IN = {
    "mpi.h": ["comm"],
    "sqlite3.h": ["library"],
    "commonplace/library/database.h": ["library"],
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
    "dlfcn.h": ["encode"],
    "zlib.h": ["io", "formats"],  # gzip files; compressed text inside PNG
}
TABLES = {
    "app/cli": ["command.h"],  # one command a file
    "app/server/routes": ["routes.h"],  # the routes of one part of the interface a file
    "src/commonplace/comm": ["comm.h", "mpi_comm.h"],  # one kind of ranks a file
    "src/commonplace/formats": ["reading.h", "embedded.h"],  # one format a file
    "src/commonplace/features": ["picture_decoders.h", "image_descriptors.h"],  # one decoder, one descriptor a file
}
SQL = re.compile(r"\bdatabase\(\)|\bStatement\b|\"(SELECT|INSERT|UPDATE|DELETE|CREATE|WITH) ")
FORBIDDEN = re.compile(r"std::(cout|cerr|clog)\b|(?<![\w.>])(printf|puts|abort|exit|_exit)\s*\(")
INCLUDE = re.compile(r'\s*#include\s+["<]([^">]+)[">]')


@functools.cache
def known_to(folder):
    return {folder}.union(*(known_to(other) for other in MAY_KNOW[folder]))


@functools.cache
def includes(path):
    found = [INCLUDE.match(line) for line in path.read_text().splitlines()]
    return [(number, match.group(1)) for number, match in enumerate(found, 1) if match]


def is_listed(path, tables):
    """Tells whether a file is a part that a header of its folder lists."""
    return any(name.endswith("/" + table) for _, name in includes(path) for table in tables)


def part_of(path, house):
    """Tells what a file of a room is for: core, ask, learn, evaluate, or something between."""
    room, *rest = path.relative_to(house).parts
    if room not in ROOMS:
        return None
    if rest[0] == "rivals" or path.stem.startswith("evaluate"):
        return "evaluate"
    if path.stem == "learn" or path.stem.startswith("learn_"):
        return "learn"
    return path.stem if rest[0] != "core" else "core"


def reached(path, house):
    """Yields (header, the way to it) for all that a file includes of its own room."""
    room = path.relative_to(house).parts[0]
    todo, seen = [(path, ())], {path}
    while todo:
        at, way = todo.pop()
        for _, name in includes(at):
            header = house.parent / name
            if name.startswith(f"commonplace/{room}/") and header not in seen and header.exists():
                seen.add(header)
                yield header, (*way, header.stem)
                todo.append((header, (*way, header.stem)))


def problems_of_includes(path, house):
    folder, *rest = path.relative_to(house).parts
    in_core = folder in ROOMS and rest[0] == "core"
    for number, name in includes(path):
        parts = name.split("/")
        if parts[0] == "commonplace" and len(parts) == 2:
            if folder != "api":
                yield number, f"{folder} may not know the public headers"
        elif parts[0] == "commonplace" and parts[1] not in known_to(folder):
            yield number, f"{folder} may not know {parts[1]}"
        if in_core and parts[0] == "commonplace":
            if parts[1] in ("library", "rows"):
                yield number, f"core/ may not know {parts[1]}"
            if parts[1] == folder and parts[2] != "core":
                yield number, f"core/ may not know {name}"
        for header, homes in ONLY_IN.items():
            if name.startswith(header) and folder not in homes:
                yield number, f"{header} belongs to {' and '.join(homes)}"


FORBIDDEN_WAYS = {
    "ask": ("learn", "evaluate"),
    "explain": ("learn", "evaluate"),
    "model": ("learn", "evaluate"),
    "update": ("evaluate",),
    "learn": ("evaluate",),
}


def problems_of_ways(path, house):
    part = part_of(path, house)
    for header, way in reached(path, house):
        if part_of(header, house) in FORBIDDEN_WAYS.get(part, ()):
            yield 1, f"{part} reaches {part_of(header, house)}: {' -> '.join(way)}"


def problems(root):
    house = root / "src" / "commonplace"
    for path in sorted([*house.rglob("*.h"), *house.rglob("*.cpp")]):
        place = path.relative_to(root)
        if path.relative_to(house).parts[0] not in MAY_KNOW:
            yield f"{place}: its folder is not in the table of tests/check_layers.py"
            continue
        for number, what in [*problems_of_includes(path, house), *problems_of_ways(path, house)]:
            yield f"{place}:{number}: {what}"
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if FORBIDDEN.search(line.split("//")[0]):
                yield f"{place}:{number}: the library does not print, exit or abort: {line.strip()}"
    for path in sorted([*house.rglob("*.[hc]*"), *(root / "app").rglob("*.[hc]*")]):
        if path.is_relative_to(house / "library") or path.suffix not in (".h", ".cpp"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if SQL.search(line):
                yield f"{path.relative_to(root)}:{number}: SQL belongs to library: {line.strip()}"
    inside = (path for path in house.rglob("*.cpp") if path.parent.name != "api")
    for path in sorted([*inside, *(root / "app").rglob("*.cpp")]):
        place = path.relative_to(root)
        tables = [header for folder, headers in TABLES.items() if place.is_relative_to(folder) for header in headers]
        if not (path.with_suffix(".h").exists() or path.stem.startswith("main") or is_listed(path, tables)):
            yield f"{place}: has no header of its own"


def main():
    found = list(problems(pathlib.Path(__file__).resolve().parent.parent))
    print("\n".join(found) or "the house keeps its rules")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
