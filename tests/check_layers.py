#!/usr/bin/env python3
"""Holds the house to its rules: who may know whom, and the manners of the library.

1. A floor knows lower floors only; a room knows floors, `rows`, `learn` and `eval`, never another room. The front
   door `api` knows all rooms and the public headers, which are the headers of its files; nobody inside knows either,
   nor the programs in app/. Headers are named from the root, so that none is reached by another way.
2. The `core/` of a room knows neither the library nor `rows`, nor anything of its room outside `core/`.
3. Asking never reaches learning, learning never reaches evaluating or rivals, by any way of includes.
4. SQL is in `library/` only, and headers of other projects are in the folders named below only.
5. Every .cpp has a header of its own. A main file has none, and where a folder is a table of parts that are
   called in one way only (commands, routes, readers, ranks), the table's header serves them all.
6. Nothing under src/ prints, exits or aborts.
7. Public headers know the standard library and each other only; what they translate to is named below.
8. No folder has more than 50 files.
9. From the front door of a verb to its equation it is at most four includes; --ways prints them.

tests/layers_test.py breaks each of them in a copy of the house and looks whether that is seen.
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
SQL = re.compile(r"\bdatabase\(\)|\bStatement\b|\"(?:\w*\()?\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|PRAGMA|WITH) ")
FORBIDDEN = re.compile(r"std::(cout|cerr|clog)\b|(?<![\w.>])(f?printf|v?fprintf|f?puts|f?putc|putchar|perror|abort|"
                       r"terminate|exit|quick_exit|_exit|_Exit)\s*\(")
DATABASE = ["sqlite3.h", "commonplace/library/database.h"]
BEHIND_PUBLIC = ["commonplace/base/error.h", "commonplace/base/progress.h", "commonplace/formats/item.h"]
MOST_FILES = 50
INCLUDE = re.compile(r'\s*#\s*include\s*["<]([^">]+)[">]')


MOST_HOPS = 4
EQUATIONS = {  # from the front door to the header of what solves it
    "search": ("learn", "core/shared_subspace_solver.h"),
    "suggest": ("learn", "core/sparse_gp.h"),
    "detect": ("learn", "core/axis_eigenmaps.h"),
    "relate": ("learn", "core/guided_projection.h"),
    "transfer": ("ask", "core/coupled_factors.h"),
}
STANDARD = re.compile(r"[a-z_]+")


def walk(top):
    """Yields the files below a folder, without what was built or brought."""
    for path in top.iterdir():
        if path.is_dir() and path.name not in ("node_modules", "__pycache__", "dist", "seeds"):
            yield from walk(path)
        elif path.is_file():
            yield path


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


def is_beside(path, name):
    """Tells whether a header is named by where it lies, not from the root."""
    return not name.startswith("commonplace/") and (path.parent / name).exists()


def problems_of_includes(path, house):
    folder, *rest = path.relative_to(house).parts
    in_core = folder in ROOMS and rest[0] == "core"
    for number, name in includes(path):
        parts = name.split("/")
        if name.startswith((".", "app/")) or is_beside(path, name):
            yield number, f"{name} is not named from the root, or belongs to a program"
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


def steps_from(house, room, door):
    """Tells for each header that a verb's front door reaches, with the .cpp files behind it, the shortest way to it."""
    ways = {f"commonplace/{room}/{door}.h": ()}
    todo = list(ways)
    for name in todo:
        header = house.parent / name
        for path in (header, header.with_suffix(".cpp")):
            for _, reached_name in includes(path) if path.exists() else ():
                if reached_name.startswith("commonplace/") and reached_name not in ways:
                    ways[reached_name] = (*ways[name], reached_name)
                    todo.append(reached_name)
    return ways


def ways_to_equations(house):
    """Yields (verb, way to its equation, files of its room that learning it passes, files of the floors that it uses)."""
    for room, (door, equation) in EQUATIONS.items():
        ways = steps_from(house, room, door)
        own = sum(1 for name in ways if name.startswith(f"commonplace/{room}/"))
        yield room, ways.get(f"commonplace/{room}/{equation}", ()), own, len(ways) - own


def print_ways(house):
    print("verb      hops  own headers  of floors  way")
    for room, way, own, floors in ways_to_equations(house):
        short = " -> ".join(name.removeprefix(f"commonplace/{room}/") for name in way)
        print(f"{room:8}  {len(way):4}  {own:11}  {floors:9}  {EQUATIONS[room][0]}.h -> {short}")
    for top in ("src", "include", "app"):
        files = [path for path in walk(house.parent.parent / top) if path.suffix in (".h", ".cpp")]
        print(f"{top:8}  {sum(len(path.read_text().splitlines()) for path in files):6} lines of C++ in {len(files)} files")


def problems(root):
    house = root / "src" / "commonplace"
    for room, way, _, _ in ways_to_equations(house):
        if not 1 <= len(way) <= MOST_HOPS:
            yield f"src/commonplace/{room}: {len(way)} includes from the front door to the equation; at most {MOST_HOPS}"
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
    for path in sorted(path for top in (house, root / "app", root / "python") for path in top.rglob("*.[hc]*")):
        if path.is_relative_to(house / "library") or path.suffix not in (".h", ".cpp"):
            continue
        if not path.is_relative_to(house) and path.stem != "version":  # which says what it is linked with
            for number, name in includes(path):
                for header in DATABASE:
                    if name.startswith(header):
                        yield f"{path.relative_to(root)}:{number}: {header} belongs to library"
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if SQL.search(line):
                yield f"{path.relative_to(root)}:{number}: SQL belongs to library: {line.strip()}"
    for path in sorted((root / "include").rglob("*.h")):
        for number, name in includes(path):
            public = name.startswith("commonplace/") and (root / "include" / name).exists()
            if not (public or name in BEHIND_PUBLIC or STANDARD.fullmatch(name)):
                yield f"{path.relative_to(root)}:{number}: a public header may not know {name}"
    for folder in sorted({path.parent for top in ("src", "app", "include", "tests") for path in walk(root / top)}):
        count = sum(1 for path in folder.iterdir() if path.is_file())
        if count > MOST_FILES:
            yield f"{folder.relative_to(root)}: has {count} files; more than {MOST_FILES} want folders by what they are"
    inside = (path for path in house.rglob("*.cpp") if path.parent.name != "api")
    for path in sorted([*inside, *(root / "app").rglob("*.cpp")]):
        place = path.relative_to(root)
        tables = [header for folder, headers in TABLES.items() if place.is_relative_to(folder) for header in headers]
        if not (path.with_suffix(".h").exists() or path.stem.startswith("main") or is_listed(path, tables)):
            yield f"{place}: has no header of its own"


def main():
    if sys.argv[1:] == ["--ways"]:
        print_ways(pathlib.Path(__file__).resolve().parent.parent / "src" / "commonplace")
        return 0
    found = list(problems(pathlib.Path(__file__).resolve().parent.parent))
    print("\n".join(found) or "the house keeps its rules")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
