"""Out and in again, through the command line, with other people's programs as witnesses."""
import base64
import gzip
import json
import os
import random
import shutil
import subprocess
import unittest

from commonplace import CommandLineTest, main

# A grey JPEG of 8 x 8 pixels without any metadata.
JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB"
    "AQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAAIAAgBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QA"
    "tRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0"
    "NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2"
    "t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/AP7+KKKK/9k=")

WORDS = ["owl", "Straße", "naïve café", "日本語", "a/b/c", "semi;colon", "comma, here", 'quo"te',
         "pipe|d", "[bracket", "{brace", "emoji 🦉", "Ωmega", "tab", "'single'", "<html>&amp;"]


def random_items(seed, count):
    draw = random.Random(seed)
    for i in range(count):
        item = {"id": f"item {i} {draw.choice(WORDS)}"}
        if draw.random() < 0.7:
            item["title"] = " ".join(draw.choices(WORDS, k=3))
        if draw.random() < 0.5:
            item["text"] = "line one\nline \"two\",\r\n" + draw.choice(WORDS)
        item["tags"] = [tag if draw.random() < 0.8 else {"name": tag, "count": draw.randint(2, 9)}
                        for tag in draw.sample(WORDS, draw.randint(0, 5))]
        if draw.random() < 0.2:
            item["tags"].append({"name": "guess", "by": "machine", "model": "m", "score": 0.75})
        if draw.random() < 0.5:
            item["lat"], item["lon"] = draw.uniform(-90, 90), draw.uniform(-180, 180)
        if draw.random() < 0.5:
            item["time"] = draw.choice(["1904", "1904-05", "1904-05-03", "1904-05-03T10:11:12Z"])
        if draw.random() < 0.5:
            item["labels"] = {"group": draw.choice(WORDS), "n": "1"}
        if draw.random() < 0.5:
            item["colour"] = {"deep": [1, 2.5, None, draw.choice(WORDS)]}
        yield item


class RoundTrip(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.make_library()

    def exported(self, name, *arguments):
        return self.json_lines("export", self.library, name, "--machine-tags", "-t", "0", *arguments)

    def test_json_lines_csv_and_tsv_give_back_the_same_items(self):
        source = self.write("items.jsonl", "".join(
            json.dumps(item) + "\n" for item in random_items(3, 300)))
        self.add("first", source)
        expected = self.exported("first")
        self.assertEqual(len(expected), 300)
        for form in ("jsonl", "csv", "tsv"):
            out = self.folder / f"out.{form}"
            self.output("export", self.library, "first", "--format", form, "--out", out,
                        "--machine-tags", "-t", "0")
            self.add(form, out)
            self.assertEqual(self.exported(form), expected, form)
        packed = self.write("out.jsonl.gz", gzip.compress((self.folder / "out.jsonl").read_bytes()))
        self.add("packed", packed)
        self.assertEqual(self.exported("packed"), expected)

    def test_bookmarks(self):
        source = self.write("b.jsonl", "".join(json.dumps(item) + "\n" for item in [
            {"id": "https://example.org/?a=1&b=<2>", "title": "Ein & \"zwei\" <drei>",
             "text": "note\nmore", "tags": ["c++", "Vögel/Eule", "two, words"],
             "time": "2009-05-03T10:11:12Z"},
            {"id": "https://example.org/日本", "tags": []},
            {"id": "no address", "tags": ["x"]}]))
        self.add("first", source)
        out = self.folder / "out.html"
        done = self.run_program("export", self.library, "first", "--format", "bookmarks",
                                "--out", out)
        self.assertIn("1 item", done.stderr)
        self.add("again", out)

        def essence(name):
            return [{key: item.get(key) for key in ("id", "title", "text", "tags", "time")}
                    for item in self.exported(name) if item["id"].startswith("http")]
        self.assertEqual(essence("again"), essence("first"))

    def test_what_a_format_has_no_place_for_is_said(self):
        self.add("first", self.write("b.jsonl", "".join(json.dumps(item) + "\n" for item in [
            {"id": "https://a.org/", "tags": ["x"], "private": "1"},
            {"id": "https://b.org/", "labels": {"group": "1"}},
            {"id": "https://c.org/", "lat": 1, "lon": 2},
            {"id": "https://d.org/", "deep": {"a": [1]}},
            {"id": "https://e.org/", "tags": [{"name": "x", "count": 2}]},
            {"id": "no address", "text": "owl"}])))
        out = self.folder / "out.html"
        done = self.json("export", self.library, "first", "--format", "bookmarks", "--out", out)
        self.assertEqual((done["items"], done["left_out"], done["partly"]), (5, 1, 4))
        self.output("features", self.library, "first", "--text")
        done = self.run_program("export", self.library, "first", "--format", "xc", "--features",
                                "text", "--out", self.folder / "xc")
        self.assertIn("more than xc has a place for", done.stderr)

    def test_bookmarks_keep_machine_tags_apart(self):
        self.add("first", self.write("b.jsonl", json.dumps(
            {"id": "https://example.org/", "tags": [
                "mine", {"name": "guess, \"so\"", "by": "machine", "model": "m", "score": 0.75}]})))
        out = self.folder / "out.html"
        self.output("export", self.library, "first", "--format", "bookmarks", "--out", out,
                    "--machine-tags")
        self.add("again", out)
        self.assertEqual(self.exported("again")[0]["tags"], self.exported("first")[0]["tags"])

    def test_a_folder_that_is_away_or_empty_prunes_nothing(self):
        for i in range(20):
            self.write(f"photos/{i}.jpg", JPEG)
        self.add("photos", self.folder / "photos")
        for i in range(1, 20):
            (self.folder / f"photos/{i}.jpg").unlink()
        done = self.run_program("add", self.library, "photos", self.folder / "photos", "--prune",
                                code=1)
        self.assertIn("--prune-all", done.stderr)
        self.assertEqual(len(self.exported("photos")), 20)
        (self.folder / "photos/0.jpg").unlink()
        self.run_program("add", self.library, "photos", self.folder / "photos", "--format",
                         "photos", "--prune", code=1)
        (self.folder / "photos").rmdir()
        self.run_program("add", self.library, "photos", self.folder / "photos", "--prune", code=1)
        self.assertEqual(len(self.exported("photos")), 20)
        self.write("photos/0.jpg", JPEG)
        self.assertEqual(self.add("photos", self.folder / "photos", "--prune-all")["removed"], 19)

    def test_xc(self):
        folder = self.folder / "xc"
        self.write("xc/train.txt", "3 4 3\n0,2 0:1 3:0.5\n 1:2\n1\n")
        self.write("xc/test.txt", "1 4 3\n2 2:1e-05\n")
        self.write("xc/features.txt", "alpha\nbeta\ngamma\nδέλτα\n")
        self.write("xc/labels.txt", "Eule\nowl\nhibou\n")
        self.assertEqual(self.add("first", folder)["format"], "xc")
        out = self.folder / "out"
        self.output("export", self.library, "first", "--format", "xc", "--out", out)
        self.assertEqual(self.add("again", out)["added"], 4)
        self.assertEqual(self.exported("again"), self.exported("first"))
        self.assertEqual([item["id"] for item in self.exported("again")],
                         ["train/0", "train/1", "train/2", "test/0"])
        second = self.folder / "second"
        self.output("export", self.library, "again", "--format", "xc", "--out", second)
        for path in sorted(out.iterdir()):
            self.assertEqual(path.read_bytes(), (second / path.name).read_bytes(), path.name)
        self.write("precious/notes.md", "mine")
        self.run_program("export", self.library, "first", "--format", "xc", "--out",
                         self.folder / "precious", code=1)
        self.assertTrue((self.folder / "precious/notes.md").exists())
        self.run_program("export", self.library, "first", "--format", "xc", code=1)

    def test_svmlight_and_text_features_leave_as_xc(self):
        self.add("s", self.write("s.svm", "+1 1:0.5 3:2 # a\n-1 2:1\n"))
        self.assertEqual([item["labels"] for item in self.exported("s")],
                         [{"class": "1"}, {"class": "-1"}])
        self.add("t", self.write("t.jsonl", '{"id":"1","text":"owl owl night","tags":["Bird"]}\n'
                                            '{"id":"2","text":"night train","tags":["bird"]}\n'))
        self.output("features", self.library, "t", "--text")
        self.output("export", self.library, "t", "--format", "xc", "--features", "text", "--out",
                    self.folder / "t-xc")
        self.assertEqual((self.folder / "t-xc/features.txt").read_text().split(),
                         ["night", "owl", "train"])
        self.assertEqual((self.folder / "t-xc/labels.txt").read_text().split(), ["Bird"])


@unittest.skipUnless(shutil.which("exiftool") and shutil.which("exiv2"),
                     "exiftool and exiv2 are not installed")
class Photographs(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.make_library()
        self.photo = self.write("photos/night/owl.jpg", JPEG)
        self.call("exiftool", "-q", "-overwrite_original", "-XMP-dc:Subject=Eule",
                  "-XMP-dc:Title=Nachts", "-IPTC:Keywords=Käuzchen", "-IPTC:CodedCharacterSet=UTF8",
                  "-XMP-lr:HierarchicalSubject=Tiere|Vögel|Eule", "-GPSLatitude=33.5",
                  "-GPSLatitudeRef=S", "-GPSLongitude=70.25", "-GPSLongitudeRef=W",
                  "-DateTimeOriginal=2019:05:03 22:00:00", self.photo)
        os.utime(self.photo, (1_000_000_000, 1_000_000_000))

    @staticmethod
    def call(*arguments):
        return subprocess.run([str(argument) for argument in arguments], check=True,
                              capture_output=True, text=True).stdout

    def test_read_what_others_wrote(self):
        self.add("photos", self.folder / "photos", "--labels-from-folders")
        item = self.json("show", self.library, "photos", "night/owl.jpg")
        self.assertEqual(item["tags"], ["Tiere/Vögel/Eule", "Käuzchen"])
        self.assertEqual(item["title"], "Nachts")
        self.assertEqual((item["lat"], item["lon"]), (-33.5, -70.25))
        self.assertEqual(item["time"], "2019-05-03T22:00:00Z")
        self.assertEqual(item["labels"], {"folder": "night"})

    def test_write_back_adds_and_takes_nothing_away(self):
        sidecar = self.photo.with_name("owl.jpg.xmp")
        self.call("exiftool", "-q", "-XMP-dc:Creator=Ann", "-XMP-xmp:Rating=4", "-o", sidecar,
                  self.photo)
        before = json.loads(self.call("exiftool", "-j", "-G1", "-struct", sidecar))[0]
        bytes_before = self.photo.read_bytes()
        self.add("photos", self.folder / "photos")
        self.output("tag", self.library, "photos", "night/owl.jpg", "--add", "Länder/Chile",
                    "--reject", "Käuzchen")
        content = sidecar.read_bytes()
        shown = self.output("export", self.library, "photos", "--xmp", "--dry-run")
        self.assertIn("Länder/Chile", shown)
        self.assertEqual(sidecar.read_bytes(), content)
        changes = self.json("export", self.library, "photos", "--xmp")
        self.assertEqual(changes["changes"][0]["adds"], ["Länder/Chile"])
        after = json.loads(self.call("exiftool", "-j", "-G1", "-struct", sidecar))[0]
        for key, value in before.items():
            if key.startswith("XMP") and not key.endswith(("Subject", "TagsList", "XMPToolkit")):
                self.assertEqual(after[key], value, key)
        self.assertLessEqual({"Eule", "Chile"}, set(after["XMP-dc:Subject"]))
        self.assertNotIn("Käuzchen", after["XMP-dc:Subject"], "what was rejected is not carried over")
        self.assertIn("Länder|Chile", after["XMP-lr:HierarchicalSubject"])
        self.assertIn("Länder/Chile", self.call("exiv2", "-PXkv", "pr", sidecar))
        self.assertEqual(self.photo.read_bytes(), bytes_before)
        self.assertEqual(self.photo.stat().st_mtime, 1_000_000_000)
        self.assertEqual(self.json("export", self.library, "photos", "--xmp")["changed"], 0)
        self.assertEqual(self.add("photos", self.folder / "photos")["updated"], 1)
        tags = self.json("show", self.library, "photos", "night/owl.jpg")["tags"]
        names = [tag if isinstance(tag, str) else tag["name"] for tag in tags]
        self.assertEqual(sorted(names), ["Länder/Chile", "Tiere/Vögel/Eule"])

    def test_machine_tags_leave_only_when_asked_and_above_the_threshold(self):
        self.write("photos/list.jsonl", json.dumps({
            "id": "1", "image": "night/owl.jpg", "tags": [
                {"name": "sure", "by": "machine", "model": "m", "score": 0.9},
                {"name": "unsure", "by": "machine", "model": "m", "score": 0.4}]}))
        self.add("list", self.folder / "photos/list.jsonl")
        self.assertEqual(self.json("export", self.library, "list", "--xmp")["changed"], 0)
        changes = self.json("export", self.library, "list", "--xmp", "--machine-tags", "-t", "0.8",
                            "--dry-run")
        self.assertEqual(changes["changes"][0]["adds"], ["sure"])

    def test_a_broken_sidecar_is_left_alone(self):
        sidecar = self.write("photos/night/owl.jpg.xmp", "<x:xmpmeta broken")
        done = self.run_program("add", self.library, "photos", self.folder / "photos")
        self.assertIn("owl.jpg.xmp", done.stderr)
        self.assertIn("taken without it", done.stderr)
        self.write("photos/list.jsonl", json.dumps(
            {"id": "1", "image": "night/owl.jpg", "tags": ["new"]}))
        self.add("list", self.folder / "photos/list.jsonl")
        self.assertEqual(self.json("export", self.library, "list", "--xmp", code=3)["failed"], 1)
        self.assertEqual(sidecar.read_text(), "<x:xmpmeta broken")


if __name__ == "__main__":
    main()
