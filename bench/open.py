#!/usr/bin/env python3
"""One command on a folder of photographs: what is ready after 10 s, 1 min and 5 min, and how soon new files are.

    bench/open.py PROGRAM [--photos 2600] [--new 20] [--kills 50]

The photographs are those of flickr8k; every third has tags, in a sidecar: words that two or more of its five
captions have. The last files are kept back and dropped into the folder when all else is done. With --kills the
command is killed at random moments before, each time going on where it was. Needs the data that COMMONPLACE_DATA
names (default ../shared/data)."""
import argparse
import collections
import gzip
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

DATA = pathlib.Path(os.environ.get("COMMONPLACE_DATA", "../shared/data"))
COMMON = set("a an and are at by for from has her his in into is it its near next of off on one onto other out over "
             "some that the their them there they this through to two up while with man woman people person wearing "
             "standing sitting looking holding front behind being".split())
MOMENTS = (10, 60, 300)


def sidecar(tags):
    entries = "".join(f"<rdf:li>{each}</rdf:li>" for each in tags)
    return ('<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
            '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:subject><rdf:Bag>'
            f'{entries}</rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>')


def photographs(source, count):
    """Each photograph with the words that two of its captions or more have."""
    with gzip.open(source / "captions.jsonl.gz", "rt") as lines:
        for line in list(lines)[:count]:
            entry = json.loads(line)
            captions = entry.get("captions") or entry["text"].split("\n")
            words = collections.Counter(word for each in captions for word in set(
                each.lower().replace(".", " ").replace(",", " ").split()) if len(word) > 2 and word.isalpha())
            name = pathlib.Path(entry["image"]).name
            yield source / "images" / name, sorted(w for w, n in words.items() if n > 1 and w not in COMMON)


class Opened:
    def __init__(self, program, folder, library):
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            [program, "open", str(folder), "--library", str(library), "--port", "0", "--json", "--no-browser"],
            stdout=subprocess.PIPE, text=True)
        self.address = json.loads(self.process.stdout.readline())["address"]

    def get(self, path):
        with urllib.request.urlopen(self.address + path, timeout=60) as answer:
            kind = answer.headers["Content-Type"]
            return json.load(answer) if "json" in kind else answer.read()

    def seconds(self):
        return time.monotonic() - self.begun

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=120)
        self.process.stdout.close()


def ready_line(opened):
    status = opened.get("/v1/status")
    ready = [each["step"] for each in status["steps"] if each["state"] == "done"]
    waits = [f"{each['step']} ({each['why']})" for each in status["steps"] if each["state"] == "waiting"]
    doing = f"{status['stage']} {status['done']} of {status['total']}" if status["working"] else "nothing"
    line = f"{opened.get('/v1/library')['items']} items; ready: {', '.join(ready) or 'nothing'}; doing: {doing}"
    if not status["up_to_date"]:
        line += f"; about {status['seconds_left']:.0f} s left"
    return line + (f"; waiting: {', '.join(waits)}" if waits else "")


def wait_for(opened, path, what):
    """Seconds until the answer is as it should be."""
    begun = time.monotonic()
    while time.monotonic() - begun < 600:
        try:
            if what(opened.get(path)):
                return time.monotonic() - begun
        except urllib.error.HTTPError:
            pass
        time.sleep(0.2)
    sys.exit(f"{path} did not come")


def record(program, folder, library, new):
    opened = Opened(program, folder, library)
    opened.get("/health")
    print(f"page after {opened.seconds():.1f} s", flush=True)
    seen = {}
    for moment in MOMENTS:
        while opened.seconds() < moment:
            time.sleep(0.2)
            status = opened.get("/v1/status")
            for each in status["steps"]:
                if each["state"] == "done" and each["step"] not in seen:
                    seen[each["step"]] = opened.seconds()
            if status["up_to_date"] and not status["working"] and len(seen) > 3:
                break
        print(f"after {opened.seconds():.0f} s: {ready_line(opened)}", flush=True)
        if status["up_to_date"] and not status["working"] and len(seen) > 3:
            break
    wait_for(opened, "/v1/status", lambda status: status["up_to_date"] and not status["working"])
    print(f"all done after {opened.seconds():.0f} s; first ready: " +
          ", ".join(f"{step} {seconds:.0f} s" for step, seconds in seen.items()), flush=True)
    created = {each["name"]: each["created"] for each in opened.get("/v1/models")["models"]}
    for path, _ in new:
        shutil.copy(path, folder / path.name)
    begun = time.monotonic()
    items = [f"/v1/collections/{urllib.parse.quote(folder.name)}/items/{path.name}" for path, _ in new]
    for what, end in (("in the library", ""), ("thumbnail", "/thumbnail?size=256"), ("suggestions", "/suggestions")):
        for item in items:
            wait_for(opened, item + end, lambda answer: not end.startswith("/sugg") or answer["suggestions"]
                     or answer["familiarity"] > 0)
        print(f"{len(new)} new files: {what} after {time.monotonic() - begun:.1f} s", flush=True)
    wait_for(opened, "/v1/status", lambda status: status["up_to_date"] and not status["working"])
    print(f"everything up to date again after {time.monotonic() - begun:.1f} s", flush=True)
    print("learned anew meanwhile: " + (", ".join(
        each["name"] for each in opened.get("/v1/models")["models"] if created.get(each["name"]) is None) or "nothing"))
    opened.stop()


def kill_often(program, folder, library, kills):
    draw = random.Random(1)
    killed = 0
    for number in range(kills):
        if number % 2:
            opened = Opened(program, folder, library)
            time.sleep(draw.uniform(0, 4))
            opened.kill()
            killed += 1
        elif library.exists():
            process = subprocess.Popen([program, "update", str(library), "-q"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(draw.uniform(0, 4))
            process.kill()
            killed += process.wait() == -signal.SIGKILL
        database = sqlite3.connect(library / "library.db") if (library / "library.db").exists() else None
        if database:
            problems = (database.execute("PRAGMA integrity_check").fetchall() != [("ok",)],
                        database.execute("PRAGMA foreign_key_check").fetchall() != [])
            items, names = database.execute("SELECT count(*), count(DISTINCT key) FROM item").fetchone()
            database.close()
            if any(problems) or items != names:
                sys.exit(f"after kill {number}: the library is damaged or has an item twice")
    print(f"killed {killed} times at random moments: no damage, no item twice", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--photos", type=int, default=2600)
    parser.add_argument("--new", type=int, default=20)
    parser.add_argument("--kills", type=int, default=0)
    arguments = parser.parse_args()
    source = DATA / "flickr8k"
    if not source.is_dir():
        sys.exit(f"{source} is not there: set COMMONPLACE_DATA to the folder of the data sets")
    with tempfile.TemporaryDirectory(prefix="commonplace-bench-") as scratch:
        folder, library = pathlib.Path(scratch) / "photos", pathlib.Path(scratch) / "library"
        folder.mkdir()
        all_photos = list(photographs(source, arguments.photos))
        old, new = all_photos[:-arguments.new], all_photos[-arguments.new:]
        for number, (path, tags) in enumerate(old):
            shutil.copy(path, folder / path.name)
            if number % 3 == 0 and tags:
                (folder / (path.name + ".xmp")).write_text(sidecar(tags))
        print(f"{len(old)} photographs, {sum(1 for each in folder.glob('*.xmp'))} of them with tags", flush=True)
        if arguments.kills:
            kill_often(arguments.program, folder, library, arguments.kills)
        record(arguments.program, folder, library, new)


if __name__ == "__main__":
    main()
