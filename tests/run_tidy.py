#!/usr/bin/env python3
"""Runs clang-tidy over every source file of src and app, a process per processor.

    run_tidy.py BUILD [--changed]

BUILD has compile_commands.json with a command for each file. --changed checks only files that the last
commit or the working tree changed, and at most MOST of them.

A file whose text, headers of ours and settings did not change since it last passed is not checked
again; the notes of that are kept in the build folder.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys


MOST = 12  # a file takes about 5 s


def changed_files(root):
    """Returns what the last commit and the working tree changed, or nothing where git does not know."""
    names = set()
    for command in (["show", "--name-only", "--format=", "--first-parent", "HEAD"],
                    ["diff", "--name-only", "HEAD"]):
        run = subprocess.run(["git", "-C", str(root), *command], capture_output=True, text=True)
        names.update(run.stdout.split("\n"))
    return {root / name for name in names if name}


def file_digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    build = pathlib.Path(sys.argv[1]).resolve()
    if not (build / "compile_commands.json").exists():
        print(f"{build} is not configured; ./dev test does that")
        return 77
    sources = sorted(
        pathlib.Path(entry["file"])
        for entry in json.loads((build / "compile_commands.json").read_text())
    )
    folders = [root / "src", root / "app"]
    sources = [source for source in sources if any(folder in source.parents for folder in folders)]
    if "--changed" in sys.argv:
        changed = changed_files(root)
        sources = [source for source in sources if source in changed]
        if len(sources) > MOST:
            print(f"{len(sources)} files changed, of which {MOST} are checked; ./dev test --thorough checks all")
            sources = sources[:MOST]
    headers = sorted(path for folder in folders for path in folder.rglob("*.h"))
    settings = hashlib.sha256(
        "".join(file_digest(path) for path in [root / ".clang-tidy", *headers]).encode()
    ).hexdigest()
    notes = build / "clang-tidy-passed"
    notes.mkdir(exist_ok=True)

    def check(source):
        note = notes / hashlib.sha256((settings + str(source) + file_digest(source)).encode()).hexdigest()
        if note.exists():
            return None
        run = subprocess.run(
            ["clang-tidy", "-p", str(build), "--quiet",
             "--extra-arg=-Wno-unknown-warning-option", str(source)],
            capture_output=True, text=True,
        )
        if run.returncode == 0:
            note.touch()
            return None
        return run.stdout + run.stderr

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        complaints = [text for text in pool.map(check, sources) if text]
    print("\n".join(complaints) or f"clang-tidy has nothing against {len(sources)} files")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
