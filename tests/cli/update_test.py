"""A library that keeps itself up to date: what `open`, `update`, `status` and `runs` do and leave alone."""
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request
import zlib

from commonplace import PROGRAM, CommandLineTest, main

COLOURS = {"red": (200, 30, 30), "green": (30, 200, 30), "blue": (30, 30, 200)}
KILLS = int(os.environ.get("COMMONPLACE_KILLS", "6"))


def png(colour, seed, side=96):
    """A picture of bars, whose direction goes with the colour, each unlike the others."""
    draw = random.Random(seed)
    slope, start = [(0, 6), (6, 0), (4, 4)][list(COLOURS.values()).index(colour)], draw.randrange(48)
    rows = b""
    for y in range(side):
        rows += b"\0" + b"".join(
            bytes(min(255, part * ((x * slope[0] + y * slope[1] + start) // 48 % 2) + draw.randrange(8))
                  for part in colour) for x in range(side))

    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
    head = side.to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def names(item):
    return [each if isinstance(each, str) else each["name"] for each in item.get("tags", [])]


def sidecar(tags):
    entries = "".join(f"<rdf:li>{each}</rdf:li>" for each in tags)
    return ('<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
            '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:subject><rdf:Bag>'
            f'{entries}</rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>')


class Living(CommandLineTest):
    def setUp(self):
        super().setUp()
        os.environ["XDG_DATA_HOME"] = str(self.folder / "data")
        self.photos = self.folder / "photos"

    def plant(self, count=36):
        for number in range(count):
            colour = list(COLOURS)[number % 3]
            self.picture(f"p{number}.png", colour, number, [colour, "all"] if number % 3 != 2 or number < 18 else [])

    def whole(self, items):
        """Everything that is recorded is there, once, and nothing else is."""
        database = self.database()
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        self.assertEqual(database.execute("PRAGMA foreign_key_check").fetchall(), [])
        self.assertEqual(database.execute("SELECT count(*), count(DISTINCT key) FROM item").fetchone(), (items,) * 2)
        recorded = {name for name, in database.execute(
            "SELECT file FROM feature UNION SELECT file FROM model WHERE file IS NOT NULL")}
        there = {each.name for folder in ("features", "models") for each in (self.library / folder).iterdir()}
        self.assertEqual(there - recorded, set(), "what killed processes left is swept")

    def picture(self, name, colour, seed, tags=()):
        self.write(f"photos/{name}", png(COLOURS[colour], seed))
        if tags:
            self.write(f"photos/{name}.xmp", sidecar(tags))

    def added(self, **options):
        self.plant(**options)
        self.make_library()
        self.add("photos", self.photos)

    def update(self, code=0):
        return self.json("update", self.library, code=code)

    def steps(self):
        return {each["step"]: each for each in self.json("status", self.library)["steps"]}

    def tags(self, item):
        return names(self.json("show", self.library, "photos", item))

    def database(self):
        database = sqlite3.connect(self.library / "library.db")
        self.addCleanup(database.close)
        return database


class Update(Living):
    def test_it_does_what_is_due_and_nothing_else(self):
        self.added()
        steps = self.steps()
        self.assertEqual(steps["files"]["state"], "done", "add has read them a moment ago")
        self.assertEqual(steps["features"]["state"], "due")
        did = self.update()
        self.assertEqual([each["problem"] for each in did["did"]], [""] * len(did["did"]), did)
        self.assertEqual([each["step"] for each in did["did"]],
                         ["thumbnails", "features", "search", "suggestions", "concepts"])
        self.assertEqual(self.steps()["relations"]["why"], "tag 70 more items")
        self.assertTrue(did["up_to_date"])
        models = {each["name"]: each["created"] for each in self.json("list", self.library, "--models")["models"]}
        self.assertEqual(self.update()["did"], [], "a second time there is nothing to do")
        after = {each["name"]: each["created"] for each in self.json("list", self.library, "--models")["models"]}
        self.assertEqual(models, after)
        suggested = self.json_lines("suggest", self.library, "--collection", "photos", "--json", "--item", "p32.png")
        self.assertIn("blue", [each["tag"] for each in suggested[0]["suggestions"]])

    def test_new_files_are_taken_in_without_learning_anew(self):
        self.added()
        self.update()
        self.picture("new.png", "red", 99)
        self.assertEqual(self.steps()["files"]["state"], "due")
        did = {each["step"]: each for each in self.update()["did"]}
        self.assertTrue(did["files"]["said"].startswith("1 added, 0 changed"), did)
        self.assertTrue(did["features"]["said"].startswith("1 picture encoded"), did)
        self.assertIn("brought up to date", did["suggestions"]["why"])
        suggested = self.json_lines("suggest", self.library, "--collection", "photos", "--json", "--item", "new.png")
        self.assertIn("red", [each["tag"] for each in suggested[0]["suggestions"]])

    def test_many_changes_are_learned_anew(self):
        self.added()
        self.update()
        for number in range(40, 60):
            self.picture(f"q{number}.png", "green", number, ["green", "meadow"])
        did = {each["step"]: each for each in self.update()["did"]}
        self.assertIn("learned anew", did["suggestions"]["why"])

    def test_moved_and_renamed_files_keep_what_was_decided(self):
        self.added()
        self.output("tag", self.library, "photos", "p1.png", "--add", "mine", "--reject", "all")
        (self.photos / "summer").mkdir()
        (self.photos / "p1.png").rename(self.photos / "summer/holiday.png")
        (self.photos / "p1.png.xmp").rename(self.photos / "summer/holiday.png.xmp")
        did = self.update()["did"]
        self.assertIn("1 of them moved", did[0]["said"])
        self.assertEqual(sorted(self.tags("summer/holiday.png")), ["green", "mine"])
        self.assertEqual(self.database().execute("SELECT count(*) FROM item").fetchone(), (36,))
        self.run_program("show", self.library, "photos", "p1.png", code=1)

    def test_a_folder_that_is_away_is_not_empty(self):
        self.added()
        self.photos.rename(self.folder / "elsewhere")
        for there in (False, True):
            if there:
                self.photos.mkdir()
            self.assertEqual(self.steps()["files"]["state"], "away")
            self.update()
            self.assertEqual(self.json("list", self.library)["collections"][0]["items"], 36)
            self.assertEqual(self.tags("p0.png"), ["red", "all"])
        self.photos.rmdir()
        (self.folder / "elsewhere").rename(self.photos)
        self.update()
        self.assertEqual(self.steps()["files"]["state"], "done")

    def test_it_says_what_is_missing(self):
        self.plant(count=3)
        self.make_library()
        self.add("photos", self.photos)
        self.update()
        self.assertEqual(self.steps()["suggestions"]["why"], "tag 17 more items")

    def test_sources_are_read_as_they_were_added(self):
        self.make_library()
        source = self.write("films.csv", "name,about,words\na,one,x|y\n")
        self.add("films", source, "--map", "id=name,text=about,tags=words", "--tag-separator", "|")
        self.write("films.csv", "name,about,words\na,one,x|y\nb,two,y|z\n")
        self.update()
        self.assertEqual(names(self.json("show", self.library, "films", "b")), ["y", "z"])


class Tags(Living):
    def setUp(self):
        super().setUp()
        self.added()
        self.update()

    def shown(self):
        return self.database().execute("SELECT count(*) FROM machine_tag").fetchone()[0]

    def teach(self, yes, no):
        self.output("teach", self.library, "warm", "--collection", "photos", "--yes", yes, "--no", no)

    def test_a_concept_becomes_tags_that_are_found_shown_kept_up_and_taken_back(self):
        self.teach("p0.png,p3.png,p6.png,p9.png", "p1.png,p2.png,p4.png,p5.png")
        dry = self.json("apply", self.library, "--collection", "photos", "--concept", "warm", "--first", "12", "--dry-run")
        self.assertEqual((dry["tagged"], dry["run"], self.shown()), (12, None, 0))
        given = self.json("apply", self.library, "--collection", "photos", "--concept", "warm", "--first", "12")
        self.assertTrue(given["calibration"]["held_out"])
        self.assertEqual(given["calibration"]["answers"], 8)
        self.assertTrue(all(int(each["item"][1:-4]) % 3 == 0 for each in given["tags"][:6]), given)
        self.assertTrue(all(0 < each["probability"] < 1 for each in given["tags"]))
        self.assertIn("warm", self.tags("p0.png"))
        found = self.json("search", self.library, "is:automatic")["hits"]
        self.assertEqual(len(found), 12)
        self.picture("new.png", "red", 99)
        did = {each["step"]: each for each in self.update()["did"]}
        self.assertIn("tags", did)
        self.assertIn("warm", self.tags("new.png"))
        runs = self.json("runs", self.library)["runs"]
        self.assertEqual([each["command"] for each in runs], ["update", "apply"])
        self.assertEqual(self.update()["did"], [])
        undone = self.json("runs", self.library, "--undo", runs[1]["run"])
        self.assertEqual(undone["changed"], 12)
        self.assertNotIn("warm", self.tags("p0.png"))
        self.assertIn("warm", self.tags("new.png"), "what came later stays")
        self.json("runs", self.library, "--restore", runs[1]["run"])
        self.assertIn("warm", self.tags("p0.png"))

    def test_rejected_ones_teach_and_are_not_given_again(self):
        self.teach("p0.png,p3.png,p6.png", "p1.png,p4.png,p7.png")
        apply = ["apply", self.library, "--collection", "photos", "--concept", "warm", "--first", "5"]
        first = self.json(*apply)["tags"][-1]["item"]
        self.output("tag", self.library, "photos", first, "--reject", "warm")
        again = self.json(*apply)
        self.assertNotIn(first, [each["item"] for each in again["tags"]])
        self.assertEqual(again["calibration"]["answers"], 7)
        self.run_program("apply", self.library, "--collection", "photos", "--concept", "nothing", "--first", "1", code=1)

    def test_suggestions_that_were_applied_go_on(self):
        self.json("apply", self.library, "--collection", "photos", "--above", "0.2")
        before = self.shown()
        self.picture("new.png", "blue", 98)
        self.update()
        self.assertGreater(self.shown(), before)
        self.json("apply", self.library, "--collection", "photos", "--undo")
        self.assertEqual(self.shown(), 0)

    def test_tags_are_described(self):
        self.assertEqual(self.json("tag", self.library, "--describe", "red", "warm and loud")["description"],
                         "warm and loud")
        listed = {each["tag"]: each for each in self.json("list", self.library, "photos", "--tags")["tags"]}
        self.assertEqual(listed["red"]["description"], "warm and loud")
        self.run_program("tag", self.library, "photos", "--describe", "red", "x", code=1)
        self.run_program("tag", self.library, "--add", "x", code=1)


class Killed(Living):
    def test_nothing_is_lost_and_nothing_is_done_twice(self):
        draw = random.Random(5)
        self.added()
        self.output("tag", self.library, "photos", "p1.png", "--add", "mine")
        begun = time.monotonic()
        shutil.copytree(self.library, self.folder / "fresh")
        self.run_program("update", self.folder / "fresh")
        took = time.monotonic() - begun
        killed = 0
        for round_number in range(KILLS):
            if round_number % 2:
                self.picture(f"k{round_number}.png", "red", 200 + round_number)
            process = subprocess.Popen([PROGRAM, "update", str(self.library)], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(draw.uniform(0, took))
            process.kill()
            killed += process.wait() == -signal.SIGKILL
        self.assertGreater(killed, 0)
        did = self.update()
        self.assertTrue(did["up_to_date"], did)
        self.assertEqual(self.update()["did"], [])
        self.assertEqual(sorted(self.tags("p1.png")), ["all", "green", "mine"])
        self.whole(36 + KILLS // 2)


class Open(Living):
    def open(self, *words):
        process = subprocess.Popen([PROGRAM, "open", *map(str, words), "--port", "0", "--json", "--no-browser"],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

        def stop():
            process.terminate()
            process.wait(timeout=120)
            process.stdout.close()
        self.addCleanup(stop)
        started = json.loads(process.stdout.readline())
        return process, started

    def wait_until(self, what, begun, seconds=300):
        while time.monotonic() - begun < seconds:
            if what():
                return
            time.sleep(0.2)
        self.fail("it did not come to that")

    def test_one_command_from_a_folder_to_suggestions_and_new_files(self):
        self.plant()
        process, started = self.open(self.photos)
        self.assertEqual(started["library"], str(self.folder / "data/commonplace/libraries/photos"))

        def get(path):
            with urllib.request.urlopen(started["address"] + path, timeout=60) as answer:
                return json.load(answer)

        def ready():
            status = get("/v1/status")
            return status["up_to_date"] and not status["working"] and get("/v1/library")["items"] > 0
        self.wait_until(ready, time.monotonic())
        self.assertTrue(get("/v1/status")["kept"])
        suggested = get("/v1/collections/photos/items/p32.png/suggestions")["suggestions"]
        self.assertIn("blue", [each["tag"] for each in suggested])
        self.picture("fresh.png", "red", 77)

        def seen():
            try:
                return "red" in [each["tag"] for each in
                                 get("/v1/collections/photos/items/fresh.png/suggestions")["suggestions"]]
            except urllib.error.HTTPError:
                return False
        self.wait_until(seen, time.monotonic())
        process.kill()
        process.wait()
        _, again = self.open(self.photos)
        self.assertEqual(again["library"], started["library"], "it is found again")
        self.library = again["library"]
        self.assertEqual(self.json("list", self.library)["collections"][0]["items"], 37)

    def test_killed_at_any_moment_it_goes_on_where_it_was(self):
        self.plant()
        draw = random.Random(8)
        self.library = self.folder / "data/commonplace/libraries/photos"
        killed, said = 0, False
        for number in range(KILLS):
            if number % 2:
                self.picture(f"k{number}.png", "red", 300 + number)
            process = subprocess.Popen([PROGRAM, "open", str(self.photos), "--port", "0", "--json", "--no-browser"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(draw.uniform(0, 4))
            process.kill()
            killed += process.wait() == -signal.SIGKILL
            if not said and (self.library / "library.db").exists():
                listed = self.json("list", self.library)["collections"]
                if listed and listed[0]["items"] > 1:
                    self.output("tag", self.library, "photos", "p1.png", "--add", "mine")
                    said = True
        self.assertGreater(killed, 0)
        process, started = self.open(self.photos)
        self.assertEqual(started["library"], str(self.library))

        def ready():
            with urllib.request.urlopen(started["address"] + "/v1/status", timeout=60) as answer:
                status = json.load(answer)
            return status["up_to_date"] and not status["working"]
        self.wait_until(ready, time.monotonic())
        process.terminate()
        process.wait(timeout=120)
        self.assertEqual(self.json("update", self.library)["did"], [])
        self.whole(36 + KILLS // 2)
        self.assertEqual("mine" in self.tags("p1.png"), said)

    def test_what_cannot_be_opened_is_said_and_nothing_is_made(self):
        (self.folder / "empty").mkdir()
        for source in ("empty", "nowhere"):
            self.run_program("open", self.folder / source, code=1)
        self.assertFalse((self.folder / "data/commonplace/libraries").exists())


if __name__ == "__main__":
    main()
