#!/usr/bin/env python3
"""How long one correction takes to be learned in a large collection.

    bench/suggest_update.py PROGRAM [--items 50000]

Makes items with titles of ten words and three tags, learns to suggest, rejects one tag and gives
another, and prints the seconds of `learn --update` and of the `suggest` after it.
"""
import argparse
import json
import pathlib
import random
import subprocess
import tempfile
import time


def run(program, *arguments):
    done = subprocess.run([str(program), *map(str, arguments), "-q", "--json"], check=True,
                          stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def write_items(path, count):
    draw = random.Random(1)
    with open(path, "w") as out:
        for number in range(count):
            tags = {int(draw.random() ** 2 * 500) for _ in range(3)}
            words = [f"word{draw.choice(sorted(tags)) * 10 + draw.randrange(10)}" for _ in range(6)]
            words += [f"any{draw.randrange(5000)}" for _ in range(4)]
            out.write(json.dumps({"id": f"item{number}", "title": " ".join(words),
                                  "tags": [f"tag {tag}" for tag in sorted(tags)]}) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--items", type=int, default=50000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="commonplace-bench-") as scratch:
        folder = pathlib.Path(scratch)
        library = folder / "library"
        write_items(folder / "items.jsonl", arguments.items)
        run(arguments.program, "init", library)
        run(arguments.program, "add", library, "things", folder / "items.jsonl")
        start = time.perf_counter()
        learned = run(arguments.program, "learn", library, "suggest", "--collection", "things")[0]
        print(f"{arguments.items:,} items, {learned['tags']} tags, {learned['prototypes']} prototypes: "
              f"learned in {time.perf_counter() - start:.1f} s", flush=True)
        before = run(arguments.program, "suggest", library, "--item", "item7", "-t", "0")[0]
        rejected, other = (each["tag"] for each in before["suggestions"][:2])
        run(arguments.program, "tag", library, "things", "item7", "--reject", rejected, "--add", other)
        start = time.perf_counter()
        after = run(arguments.program, "suggest", library, "--item", "item7", "-t", "0")[0]
        print(f"suggest right after a rejection and a tag, both learned on the way: "
              f"{time.perf_counter() - start:.2f} s")
        assert rejected not in [each["tag"] for each in after["suggestions"]]
        start = time.perf_counter()
        update = run(arguments.program, "learn", library, "suggest", "--collection", "things",
                     "--update")[0]
        print(f"learn --update: {time.perf_counter() - start:.2f} s "
              f"({update['changed_items']} item changed)")
        start = time.perf_counter()
        run(arguments.program, "suggest", library, "--item", "item7")
        print(f"suggest: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
