#!/usr/bin/env python3
"""Freezes what the program learns and answers on a small library, to the bit.

    tests/golden/golden.py PROGRAM              compare with frozen.json
    tests/golden/golden.py PROGRAM --freeze     write frozen.json anew
    tests/golden/golden.py PROGRAM --out FILE   write what this program says to FILE

A change that moves code must change nothing here. A change of a method changes frozen.json in the
same commit, and the commit says why. Bits are those of one instruction set: on a processor without
AVX-512 there is nothing to compare with, and the test says so and passes.
"""
import argparse
import hashlib
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
FROZEN = HERE / "frozen.json"
SUBJECTS = {
    "harbour": "boat ship sail harbour quay rope anchor tide crane ferry gull pier",
    "garden": "flower tree garden lawn rose hedge bee soil bloom path shade bench",
    "kitchen": "bread oven knife soup kitchen salt bowl flour spoon butter table stove",
    "street": "street car bridge tower lamp crowd tram shop square corner window sign",
}
PLACES = {"harbour": (53.54, 9.97), "garden": (51.48, -0.29), "kitchen": (48.85, 2.35), "street": (40.71, -74.0)}
FILLER = "old new small large quiet bright early late north south red blue plain fine".split()


def words_of(draw, subject, count):
    own = SUBJECTS[subject].split()
    return [draw.choice(own) if draw.random() < 0.6 else draw.choice(FILLER) for _ in range(count)]


def item(draw, number, prefix):
    subject = list(SUBJECTS)[draw.randrange(4)]
    latitude, longitude = PLACES[subject]
    tags = sorted({subject, *draw.sample(SUBJECTS[subject].split(), 2)})
    if draw.random() < 0.1:
        tags = [draw.choice(FILLER)]
    return subject, {
        "id": f"{prefix}{number:03}",
        "title": " ".join(words_of(draw, subject, 3)),
        "text": " ".join(words_of(draw, subject, 14)),
        "tags": tags,
        "lat": round(latitude + draw.gauss(0, 0.3), 5),
        "lon": round(longitude + draw.gauss(0, 0.3), 5),
        "time": f"19{10 + number % 80:02}-0{1 + number % 9}-11",
        "labels": {"group": subject, "mood": "calm" if subject in ("harbour", "garden") else "busy"},
    }


def png(draw, subject, side=48):
    """Writes a picture whose stripes tell its subject."""
    step = {"harbour": 3, "garden": 5, "kitchen": 9, "street": 15}[subject]
    lines = b""
    for y in range(side):
        lines += b"\0"
        for x in range(side):
            level = 200 if ((x if step > 4 else y) // step) % 2 else 40
            lines += bytes(min(255, max(0, level + draw.randrange(-30, 30))) for _ in range(3))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def make_sources(folder):
    draw = random.Random(7)
    for name, count in (("notes", 240), ("letters", 160), ("cards", 120)):
        with open(folder / f"{name}.jsonl", "w") as file:
            for number in range(count):
                _, record = item(draw, number, name[0])
                if name == "letters":
                    record["labels"].pop("mood")
                if name == "letters" and number % 3 == 0:
                    record["tags"] = []
                file.write(json.dumps(record) + "\n")
    (folder / "pictures").mkdir()
    with open(folder / "pictures.jsonl", "w") as file, open(folder / "vectors.csv", "w") as vectors:
        for number in range(90):
            subject, record = item(draw, number, "p")
            record["image"] = f"pictures/p{number:03}.png"
            (folder / record["image"]).write_bytes(png(draw, subject))
            file.write(json.dumps(record) + "\n")
            centre = list(SUBJECTS).index(subject)
            row = [draw.gauss(1.5 if axis % 4 == centre else 0, 1) for axis in range(12)]
            vectors.write(",".join(f"{value:.6f}" for value in row) + "\n")


def script(folder):
    """Yields (name, arguments): every kind of model, then every kind of answer."""
    library = "library"
    for name in ("notes", "letters", "cards", "pictures"):
        yield f"add {name}", ["add", library, name, f"{name}.jsonl", "--root", "."]
    yield "features vectors", ["features", library, "pictures", "--name", "vectors", "--from", "vectors.csv"]
    yield "features text", ["features", library, "notes", "--text", "--stem", "--language", "english"]
    yield "features plsa", ["features", library, "notes", "--tags", "--plsa", "--topics", "6", "--name", "topics"]
    yield "features sift", ["features", library, "pictures", "--image", "sift", "--dim", "16", "--words", "8"]
    yield "features gist", ["features", library, "pictures", "--image", "gist", "--dim", "16"]
    yield "learn search", ["learn", library, "search", "--target", "letters", "--auxiliary", "notes"]
    yield "learn suggest", ["learn", library, "suggest", "--collection", "notes"]
    yield "learn suggest pictures", ["learn", library, "suggest", "--collection", "pictures", "--features", "vectors"]
    yield "learn detect", ["learn", library, "detect", "--collection", "pictures", "--features", "vectors,gist", "--min-uses", "5",
                           "--name", "looks"]
    yield "learn detect raw", ["learn", library, "detect", "--collection", "notes", "--features", "topics",
                               "--representation", "raw", "--min-uses", "20", "--name", "raw"]
    yield "learn relate", ["learn", library, "relate", "--collections",
                           "notes/text,notes/tags,notes/places,pictures:vectors,pictures/tags"]
    yield "bridges", ["bridges", library, "--source", "notes", "--target", "letters", "--label-field", "mood"]
    yield "transfer", ["transfer", library, "--source", "notes", "--target", "letters", "--label-field", "mood", "--force"]
    yield "transfer through", ["transfer", library, "--source", "cards", "--target", "letters", "--through", "notes",
                               "--label-field", "mood", "--dry-run", "--force"]
    yield "list", ["list", library]
    yield "search", ["search", library, "old boat", "--explain"]
    yield "search like", ["search", library, "--like", "n003", "--limit", "5"]
    yield "search conditions", ["search", library, "(rose or soup) after:1950", "--limit", "5"]
    yield "topics", ["topics", library]
    yield "suggest text", ["suggest", library, "--model", "suggest.notes", "--text", "ferry boat harbour quay anchor ship", "--explain"]
    yield "suggest item", ["suggest", library, "--model", "suggest.pictures", "--item", "p004"]
    yield "suggest nothing", ["suggest", library, "--model", "suggest.notes", "--text", "qwertyuiop"]
    yield "teach", ["teach", library, "calm", "--collection", "pictures", "--yes", "p001,p004,p007", "--no", "p002,p003"]
    yield "detect taught", ["detect", library, "calm", "--model", "looks", "--limit", "8"]
    yield "detect tag", ["detect", library, "garden", "--model", "raw", "--limit", "8"]
    yield "detect uncertain", ["detect", library, "garden", "--model", "looks", "--uncertain", "--limit", "8"]
    yield "relate item", ["relate", library, "n005", "--limit", "3"]
    yield "relate tag", ["relate", library, "--tag", "boat", "--collection", "notes", "--limit", "3", "--explain"]
    yield "relate place", ["relate", library, "--at", "53.5,9.9", "--limit", "3"]
    yield "cluster", ["cluster", library, "--k", "4"]
    yield "show", ["show", library, "letters", "l003"]
    yield "tag", ["tag", library, "notes", "n003", "--reject", "boat"]
    yield "suggest update", ["learn", library, "suggest", "--collection", "notes", "--update"]
    yield "evaluate search", ["evaluate", "search", library, "--target", "letters", "--auxiliary", "notes", "--queries", "8"]
    yield "evaluate suggest", ["evaluate", "suggest", library, "--collection", "notes"]
    yield "evaluate detect", ["evaluate", "detect", library, "--collection", "pictures", "--features", "vectors", "--min-uses", "12"]
    yield "evaluate relate", ["evaluate", "relate", library, "--collections", "notes/text,notes/tags", "--target", "notes/tags", "--repeat", "1"]
    yield "evaluate transfer", ["evaluate", "transfer", library, "--source", "notes", "--target", "cards", "--label-field", "mood"]


# Times, sizes of files that hold times, and paths are not answers.
VOLATILE = re.compile(r"seconds|_ms$|^time|bytes|learned_at|changed$|created|version|elapsed|per_second")


def settle(value, folder, key=""):
    if isinstance(value, dict):
        return {k: settle(v, folder, k) for k, v in sorted(value.items()) if not VOLATILE.search(k)}
    if isinstance(value, list):
        return [settle(each, folder, key) for each in value]
    if isinstance(value, str):
        return value.replace(str(folder), "FOLDER")
    return value


def tensors_of(path):
    """Hashes each tensor of a safetensors file by itself; what its header says of times is left out."""
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    return {
        name: [t["dtype"], t["shape"], hashlib.sha256(data[8 + length + t["data_offsets"][0] : 8 + length + t["data_offsets"][1]]).hexdigest()[:16]]
        for name, t in sorted(header.items())
    }


def answers(program):
    with tempfile.TemporaryDirectory(prefix="commonplace-golden-") as name:
        folder = pathlib.Path(name)
        make_sources(folder)
        run = lambda *a: subprocess.run([program, *a], cwd=folder, capture_output=True, text=True)
        run("init", "library")
        said = {}
        for step, arguments in script(folder):
            done = run(*arguments, "--json", "--jobs", "2")
            try:
                out = settle(json.loads(done.stdout), folder)
            except ValueError:
                out = [settle(json.loads(line), folder) for line in done.stdout.splitlines() if line[:1] == "{"]
            said[step] = {"code": done.returncode, "answer": out}
            if done.returncode not in (0, 3, 4):
                said[step]["error"] = done.stderr.strip().replace(str(folder), "FOLDER")
        files = {}
        for path in sorted((folder / "library").rglob("*.safetensors")):
            files[re.sub(r"-\d+-\d{4}-.*", "", path.stem)] = tensors_of(path)
        for path in sorted((folder / "library").rglob("*.npy")):
            files[path.stem] = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        said["files"] = files
        return said


def differences(was, now, place=""):
    if type(was) is not type(now):
        yield f"{place}: was {was!r}, is {now!r}"
    elif isinstance(was, dict):
        for key in sorted(was.keys() | now.keys()):
            if key not in now or key not in was:
                yield f"{place}/{key}: {'gone' if key in was else 'new'}"
            else:
                yield from differences(was[key], now[key], f"{place}/{key}")
    elif isinstance(was, list):
        if len(was) != len(now):
            yield f"{place}: had {len(was)}, has {len(now)}"
        for index, (a, b) in enumerate(zip(was, now)):
            yield from differences(a, b, f"{place}[{index}]")
    elif was != now:
        yield f"{place}: was {was!r}, is {now!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--freeze", action="store_true")
    parser.add_argument("--out")
    options = parser.parse_args()
    flags = pathlib.Path("/proc/cpuinfo").read_text() if pathlib.Path("/proc/cpuinfo").exists() else ""
    if not all(re.search(rf"\bavx512{part}\b", flags) for part in ("f", "bw", "cd", "dq", "vl")):
        print("skipped: the answers were frozen on a processor with AVX-512 (x86-64-v4)")
        return 0
    now = answers(options.program)
    text = json.dumps(now, indent=0, ensure_ascii=False, sort_keys=True) + "\n"
    if options.freeze or options.out:
        (FROZEN if options.freeze else pathlib.Path(options.out)).write_text(text)
        return 0
    found = list(differences(json.loads(FROZEN.read_text()), json.loads(text)))
    print("\n".join(found[:60]) or f"{len(now)} answers as frozen")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
