#!/usr/bin/env python3
"""Writes docs/python_api.md: what the package shows, from its docstrings.

    PYTHONPATH=build/release/python python/reference.py [--check]
"""

import inspect
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The package as it was built, not its sources beside this file.
sys.path = [each for each in sys.path if Path(each or ".").resolve() != ROOT / "python"]

HEAD = """# The Python package, name by name
Made of the docstrings by `python/reference.py`; [python.md](python.md) tells how it all belongs together.
"""
SECTION = re.compile(r"^(Parameters|Attributes|Examples)\n-+\n", re.MULTILINE)


def escaped(text):
    """A text in which Markdown finds nothing of its own."""
    return re.sub(r"([<>|*_])", r"\\\1", text)


def entries(text):
    """A section of `name : type` lines, each with what it is below it, as a list."""
    lines = []
    for line in text.splitlines():
        if not line.strip():
            continue
        if line.startswith(" "):
            lines[-1] += " " + escaped(line.strip())
            continue
        name, _, kind = (part.strip() for part in line.partition(" : "))
        lines.append(f"- `{name}`" + (f" ({escaped(kind)})" if kind else "") + ":")
    return "\n".join(line.removesuffix(":") if line.endswith(":") else line for line in lines) + "\n"


def shown(doc):
    """A docstring as Markdown."""
    doc = inspect.cleandoc(doc)
    parts = SECTION.split(doc)
    text = plain(parts[0])
    for name, body in zip(parts[1::2], parts[2::2]):
        if name == "Examples":
            text += f"\n```python\n{body.strip()}\n```\n"
        else:
            text += f"\n{name}:\n\n{entries(body)}"
    return text


def plain(text):
    """Paragraphs, in which an example of its own stands as code."""
    before, mark, example = text.partition(">>>")
    text = escaped(before.strip()) + "\n"
    return text + f"\n```python\n{mark}{example.strip()}\n```\n" if mark else text


def signature(function, name):
    """How a function is called, on lines of a bearable length."""
    found = inspect.signature(function)
    parameters = [each for each in found.parameters.values() if each.name != "self"]
    text = f"{name}{found.replace(parameters=parameters, return_annotation=inspect.Signature.empty)}"
    text = re.sub(r": '([^']*)'", r": \1", text)
    return "\n".join(textwrap.wrap(text, 110, subsequent_indent="    ", break_long_words=False))


def members(found):
    """What a class shows that is documented here: (name, member)."""
    for name in dir(found):
        member = inspect.getattr_static(found, name)
        function = member.fget if isinstance(member, property) else member
        function = getattr(function, "__func__", function)
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        if function.__module__.startswith("commonplace") and inspect.getdoc(function):
            yield name, member, function


def described(name, found):
    """A name of the package with all that belongs to it."""
    lines = [f"\n## {name}\n"]
    if inspect.isclass(found):
        if found.__init__ is not object.__init__ and not issubclass(found, ValueError):
            lines.append(f"```python\n{signature(found.__init__, name)}\n```\n")
        lines.append(shown(found.__doc__ or ""))
        for member, kind, function in members(found):
            call = member if isinstance(kind, property) else signature(function, member)
            lines.append(f"\n```python\n.{call}\n```\n{shown(function.__doc__)}")
    else:
        call = f"{name}()" if inspect.isbuiltin(found) else signature(found, name)
        lines.append(f"```python\n{call}\n```\n{shown(found.__doc__ or '')}")
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def reference():
    """The whole document."""
    import commonplace
    from commonplace import answers

    text = HEAD
    for name in commonplace._HOMES:
        text += described(name, getattr(commonplace, name))
    text += "\n# What a library answers\n"
    for name in answers.__all__:
        text += described(name, getattr(answers, name))
    return text


def main():
    path = ROOT / "docs" / "python_api.md"
    text = reference()
    if "--check" not in sys.argv:
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        sys.exit(f"{path.name} is not what the docstrings say; run python/reference.py")


if __name__ == "__main__":
    main()
