"""Out and in again, through the command line, with other people's programs as witnesses."""
import base64
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import unittest

from commonplace import PROGRAM, CommandLineTest, main

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


# A source in each format, as files below a folder. Every word that begins with "zq" must be found again.
MARK = re.compile(r"zq\w+")
SIDECAR = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:digiKam="http://www.digikam.org/ns/1.0/"><rdf:Description>
 <dc:title><rdf:Alt><rdf:li xml:lang="x-default">zqtitle</rdf:li></rdf:Alt></dc:title>
 <dc:description><rdf:Alt><rdf:li xml:lang="x-default">zqtext</rdf:li></rdf:Alt></dc:description>
 <dc:creator><rdf:Seq><rdf:li>zqauthor</rdf:li></rdf:Seq></dc:creator>
 <digiKam:TagsList><rdf:Seq><rdf:li>zqone/zqtwo</rdf:li></rdf:Seq></digiKam:TagsList>
</rdf:Description></rdf:RDF></x:xmpmeta>"""
SOURCES = {
    "jsonl": {"items.jsonl": "".join(json.dumps(item) + "\n" for item in [
        {"id": "https://zqid.org/a?b=1&c=2", "title": "zqtitle", "text": "zqtext\nzqline", "private": "zqprivate",
         "tags": ["zqtag/zqlower", {"name": "zqmany", "count": 3}], "time": "2009-05-03"},
        {"id": "zqplain", "lat": 1.5, "lon": -2.25, "labels": {"zqfield": "zqvalue"}, "zqdeep": {"zqkey": ["zqin", None]}},
        {"id": "zqsubject", "subjects": [{"uri": "http://zqvocabulary.org/1", "label": "zqname"}]}])},
    "csv": {"items.csv": 'id,title,text,tags,zqcolumn\nzqid,"zq ""title""","zqtext\nzqline",zqone; zqtwo,zqvalue\n'
                         'zqnext,,,"zqthree, zqfour",\n'},
    "tsv": {"items.tsv": 'id\ttitle\ttags\tzqcolumn\nzqid\tthe "zqbig" one\tzqone;zqtwo\tzqvalue\n'},
    "bookmarks": {"bookmarks.html": """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8"><TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>
<DL><p><DT><H3>zqfolder</H3><DL><p>
<DT><A HREF="https://zqid.org/?a=1&amp;b=2" ADD_DATE="1241345472" PRIVATE="1" TOREAD="1" ZQATTRIBUTE="zqvalue"
 TAGS="zqone,zqtwo">zqtitle</A><DD>zqtext, <A HREF="https://zqlink.org/">zqmore</A>
<DT><A HREF="https://zqnext.org/">zqnext</A></DL><p></DL><p>"""},
    "pinboard": {"pinboard.json": json.dumps([
        {"href": "https://zqid.org/", "description": "zqtitle", "extended": "zqtext", "meta": "zqmeta", "hash": "zqhash",
         "time": "2009-05-03T10:11:12Z", "shared": "no", "toread": "yes", "tags": "zqone zqtwo"}])},
    "bibtex": {"papers.bib": """% zqfree comment outside of entries is no record
@article{zqkey, title = {zqtitle {\\"U}ber}, abstract = {zqtext}, keywords = {zqone, zqtwo}, year = 2009, month = may,
  % a comment inside
  journal = {zqjournal}, crossref = {zqvolume}}
@proceedings{zqvolume, title = {zqproceedings}, publisher = {zqpublisher}}
""".replace("% zqfree", "% free")},
    "xc": {"xc/train.txt": "2 3 2\n0,1 0:1 2:0.5\n1 1:2\n", "xc/features.txt": "zqa\nzqb\nzqc\n",
           "xc/labels.txt": "zqone\nzqtwo\n"},
    "svmlight": {"items.svm": "+1 1:0.5 3:2\n-1 2:1\n"},
    "photos": {"photos/night/zqowl.jpg": JPEG, "photos/night/zqowl.jpg.xmp": SIDECAR, "photos/zqplain.jpg": JPEG,
               "photos/zqutf.jpg": JPEG, "photos/zqutf.jpg.xmp": SIDECAR.encode("utf-16")},
}


def covers(found, wanted):
    """Whether everything that is wanted was found; it may say more."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(name in found and covers(found[name], value) for name, value in wanted.items())
    return found == wanted


class EveryFormat(CommandLineTest):
    """Whatever goes in comes out, or the report says how many items lost something."""

    def setUp(self):
        super().setUp()
        self.make_library()

    def known_formats(self, *command):
        done = subprocess.run([PROGRAM, *map(str, command), "--format", "nonsense"], capture_output=True, text=True)
        return set(re.search(r"\{(.*?)\}", done.stdout + done.stderr).group(1).split(","))

    def items(self, name):
        return {item["id"]: item for item in self.json_lines("export", self.library, name)}

    def source(self, form):
        for name, content in SOURCES[form].items():
            path = self.write(name, content)
        return self.folder / form if form in ("xc", "photos") else path

    def test_a_source_of_each_stands_here(self):
        self.assertEqual(set(SOURCES), self.known_formats("add", self.library, "x", self.folder))

    def test_nothing_vanishes_on_the_way_in(self):
        for form in SOURCES:
            with self.subTest(form):
                self.assertEqual(self.add(form, self.source(form))["format"], form)
                found = json.dumps(self.items(form), ensure_ascii=False).lower()
                for name, content in SOURCES[form].items():
                    if name.endswith("features.txt"):  # of the features, not of items
                        continue
                    text = content if isinstance(content, str) else content.decode(
                        "utf-16" if content.startswith(b"\xff\xfe") else "latin-1")
                    for mark in MARK.findall(text + name):
                        self.assertIn(mark.lower(), found, name)

    def test_nothing_vanishes_on_the_way_out(self):
        targets = self.known_formats("export", self.library, "x")
        self.assertGreater(len(targets), 1)
        for form in SOURCES:
            self.add(form, self.source(form))
            before = self.items(form)
            texts = form not in ("xc", "svmlight")  # these have features of their own
            if texts:
                self.output("features", self.library, form, "--tags", "--min-documents", 1, "--name", "words")
            for target in sorted(targets):
                with self.subTest(f"{form} to {target}"):
                    out = self.folder / f"{form}-as-{target}"
                    report = self.json("export", self.library, form, "--format", target, "--out", out,
                                       *(["--features", "words"] if target == "xc" and texts else []))
                    self.assertEqual(report["items"] + report["left_out"], len(before))
                    if report["items"] == 0:
                        continue
                    again = f"{form}-from-{target}"
                    self.assertEqual(self.add(again, out, "--format", target)["added"], report["items"])
                    after = self.items(again)
                    lost = sum(not covers(after.get(name, {}), item) for name, item in before.items())
                    said = report["left_out"] + report["partly"]
                    self.assertLessEqual(lost, said)
                    self.assertEqual(lost == 0, said == 0)


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
