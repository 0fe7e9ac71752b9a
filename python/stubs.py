#!/usr/bin/env python3
"""Writes what type checkers read: the estimators' arguments come from the native part.

    PYTHONPATH=build/release/python python/stubs.py [--check]
"""

import importlib
import inspect
import sys
from pathlib import Path

MODULES = ["search", "suggest", "detect", "relate", "transfer", "encode"]
PACKAGE = Path(__file__).resolve().parent / "commonplace"
# The package as it was built, not its sources beside this file.
sys.path = [each for each in sys.path if Path(each or ".").resolve() != PACKAGE.parent]


def type_of(default):
    """The annotation of an argument with this default."""
    if default is None:
        return "Any"
    return {bool: "bool", int: "int", float: "float", str: "str", tuple: "tuple[Any, ...]"}[type(default)]


def arguments_of(function):
    """The arguments as a stub has them."""
    parts, starred = [], False
    for each in list(inspect.signature(function).parameters.values()):
        if each.kind is each.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        text = each.name
        if each.kind is each.VAR_KEYWORD:
            text = f"**{each.name}: Any"
        elif each.name == "self":
            pass
        elif each.default is each.empty:
            text += ": Any"
        else:
            text += f": {type_of(each.default)} = ..."
        parts.append(text)
    return ", ".join(parts)


def result_of(name):
    """What a method returns."""
    if name == "__init__":
        return "None"
    return "Self" if name in ("fit", "partial_fit") else "Any"


def stub_of(module):
    """The stub of a module."""
    found = importlib.import_module(f"commonplace.{module}")
    lines = ["# Made by python/stubs.py.", "from typing import Any", "", "from typing_extensions import Self", ""]
    for name in found.__all__:
        each = getattr(found, name)
        if not inspect.isclass(each):
            lines += [f"def {name}() -> list[str]: ...", ""]
            continue
        lines.append(f"class {name}:")
        for attribute in documented_attributes(each):
            lines.append(f"    {attribute}: Any")
        methods = {"__init__"} | {
            method for method in dir(each)
            if not method.startswith("_") and inspect.isfunction(getattr(each, method))
        }
        for method in sorted(methods):
            arguments = arguments_of(getattr(each, method))
            lines.append(f"    def {method}({arguments}) -> {result_of(method)}: ...")
        lines.append("")
    return "\n".join(lines)


def documented_attributes(estimator):
    """The names below "Attributes" in a docstring."""
    doc = inspect.getdoc(estimator) or ""
    _, mark, rest = doc.partition("Attributes\n----------\n")
    for line in rest.splitlines() if mark else []:
        if line.startswith("Examples"):
            return
        if line and not line.startswith(" "):
            yield from (name.strip() for name in line.partition(":")[0].split(","))


def stub_of_package():
    """The stub of the package itself, whose names come when they are used."""
    homes = importlib.import_module("commonplace")._HOMES
    lines = ["# Made by python/stubs.py.", "from ._native import Error as Error", ""]
    lines += [f"from .{home} import {name} as {name}" for name, home in homes.items()]
    return "\n".join([*lines, "", "__version__: str", ""])


NATIVE = """# Made by python/stubs.py.
from typing import Any

class Error(ValueError): ...

__version__: str

def __getattr__(name: str) -> Any: ...
"""


def main():
    stale = []
    stubs = {module: stub_of(module) for module in MODULES}
    stubs |= {"__init__": stub_of_package(), "_native": NATIVE}
    for module, text in stubs.items():
        path = PACKAGE / f"{module}.pyi"
        if not path.exists() or path.read_text() != text:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(text)
    if stale and "--check" in sys.argv:
        sys.exit(f"{', '.join(stale)} are not what the module has; run python/stubs.py")


if __name__ == "__main__":
    main()
