#!/usr/bin/env python3
"""Writes what an installation has beside the program, from what the program says of itself: the manual
page commonplace.1, and completions for bash, zsh and fish.

    companions.py PROGRAM FOLDER
"""
import pathlib
import re
import subprocess
import sys

ENTRY = re.compile(r"  (\S.*?)(?:  +(\S.*))?$")  # "  --flag TEXT     what it is for"


def said(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + text if text.startswith((".", "\\(aq")) else text


def entries(lines):
    """Lists of options and commands as pairs of a name and what it is for."""
    found = []
    for line in lines:
        match = ENTRY.match(line)
        if match and not line.startswith("    "):
            found.append([match.group(1), match.group(2) or ""])
        elif found:
            found[-1][1] = (found[-1][1] + " " + line.strip()).strip()
    return found


def sections(text):
    """The parts of a help text: (heading, lines), the first without a heading."""
    parts = [("", [])]
    for line in text.splitlines():
        heading = re.match(r"(\w[^:]*):$", line)
        if heading:
            parts.append((heading.group(1), []))
        else:
            parts[-1][1].append(line)
    return parts


def commands(text):
    return [entry for heading, lines in sections(text) if heading == "Subcommands"
            for entry in entries(line for line in lines if line.strip())]


def page_of(text):
    """One command in roff."""
    out = []
    for heading, lines in sections(text):
        lines = [line for line in lines if line.strip()]
        usage = [line for line in lines if line.startswith("Usage: ")]
        lines = [line for line in lines if line not in usage]
        out += [f".PP\n.B {roff(line.removeprefix('Usage: '))}" for line in usage]
        if heading == "Examples":
            shown = [line for line in lines if line.startswith("  ")]
            out += [".PP", "Examples:", ".PP", ".nf", *(roff(line) for line in shown), ".fi"]
            lines = [line for line in lines if line not in shown]
            out += [".PP", *(roff(line) for line in lines)] if lines else []
        elif heading:
            out += [f".PP\n{roff(heading)}:"]
            for name, what in entries(lines):
                out += [".TP", f".B {roff(name)}", roff(what)]
        else:
            out += [roff(line) for line in lines]
    return "\n".join(out)


def manual(program):
    text = said(program, "--help")
    version = said(program, "--version").split()[-1]
    out = [f'.TH COMMONPLACE 1 "" "Commonplace {version}" "User Commands"',
           ".ad l",
           ".SH NAME", "commonplace \\- learn from the tags that people already gave",
           ".SH DESCRIPTION", page_of(text), ".SH COMMANDS"]
    for name, _ in commands(text):
        own = said(program, name, "--help")
        out += [f".SS commonplace {name}", page_of(own)]
        for inner, _ in commands(own):
            # A command of a command comes after the library.
            out += [f".SS commonplace {name} {inner}",
                    page_of(said(program, name, "LIB", inner, "--help"))]
    return "\n".join(out) + "\n"


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "commonplace.1").write_text(manual(program))
    for shell in ("bash", "zsh", "fish"):
        (folder / f"commonplace.{shell}").write_text(said(program, "completion", shell))


if __name__ == "__main__":
    main()
