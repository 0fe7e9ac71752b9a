#!/usr/bin/env python3
"""Makes small collections to try things on, the same each time:

    examples/sample.py FOLDER

  Pictures/                           300 drawings in folders by year; four in five have tags in XMP sidecars
  bookmarks.html                      300 bookmarks as browsers export them; a tenth have no tags
  papers.bib                          200 papers with abstracts and five keywords each
  notes, diary, letters (.jsonl)      English with labels, both languages, German without labels
"""
import html
import json
import pathlib
import random
import struct
import sys
import zlib

WIDTH, HEIGHT = 160, 120
# What each subject has: tags, words, and where its pictures are from.
SUBJECTS = {
    "sea": ("sea boat harbour sailing waves coast", "sail mast anchor harbour tide keel rudder yacht ferry quay gull pier",
            (53.54, 9.97)),
    "mountains": ("mountains hiking snow alps rocks trail", "ridge summit glacier hut trail rope valley pass cairn slope",
                  (46.55, 7.98)),
    "stars": ("stars night moon astronomy sky telescope", "telescope comet nebula planet moon eclipse lens orbit galaxy",
              (28.76, -17.88)),
    "city": ("city tower architecture street windows bridge", "tower bridge facade arch brick stair window roof square",
             (40.71, -74.0)),
    "garden": ("garden trees flowers meadow bees green", "rose hedge compost seed orchard lawn bee herb tulip pond",
               (51.48, -0.29)),
    "baking": ("baking bread food recipe", "dough flour oven rye crust yeast loaf butter", None),
    "cycling": ("cycling bicycle repair travel", "chain wheel brake saddle gear pump spoke pedal", None),
    "programming": ("programming software tools computer", "compiler pointer thread parser cache template linker", None),
}
SCENES = [name for name, (_, _, place) in SUBJECTS.items() if place]
# Forms of a title, with the tag that goes with the form.
TITLES = [("How to choose a {0}", "howto"), ("How to mend a {0} and a {1}", "howto"), ("A short history of the {0}", "history"),
          ("The {0}, from the beginning to today", "history"), ("{0} and {1}: a photographer's notes", "photography"),
          ("Ten pictures of a {0} with a {1}", "photography"), ("News of the {0} and the {1}", "news"),
          ("All about the {0}", None), ("The {0}, the {1} and the {2}", None)]
SEA = "boat:Boot ship:Schiff harbour:Hafen sailor:Matrose wave:Welle tide:Ebbe rope:Tau fish:Fisch shore:Ufer storm:Sturm".split()
GARDEN = "tree:Baum flower:Blume apple:Apfel hedge:Hecke spade:Spaten seed:Samen bee:Biene grass:Gras bird:Vogel rain:Regen".split()
PEOPLE = ("John:Johann Mary:Maria Henry:Heinrich William:Wilhelm Charles:Karl George:Georg Frederick:Friedrich Louis:Ludwig "
          "Helen:Helene Margaret:Margarete Catherine:Katharina Elizabeth:Elisabeth Joan:Johanna Lucy:Lucie Theodore:Theodor "
          "Andrew:Andreas Matthew:Matthias Stephen:Stefan Philip:Philipp Paul:Paulus Peter:Petrus James:Jakob Mark:Markus "
          "Christopher:Christoph Francis:Franz Gregory:Gregor Lawrence:Lorenz Walter:Walther Hugh:Hugo Conrad:Konrad").split()


class Draw:
    """Draws lots by random() alone, which is the same in every version of Python."""

    def __init__(self, seed):
        self.random = random.Random(seed).random

    def below(self, count):
        return int(self.random() * count)

    def some(self, things, count):
        things = list(things)
        return [things.pop(self.below(len(things))) for _ in range(count)]


class Picture:
    """A picture made of flat shapes."""

    def __init__(self, draw):
        self.draw, self.rows = draw, [bytearray(3 * WIDTH) for _ in range(HEIGHT)]

    def span(self, y, left, right, colour):
        left, right = max(0, int(left)), min(WIDTH, int(right))
        if 0 <= y < HEIGHT and left < right:
            self.rows[y][3 * left:3 * right] = bytes(colour) * (right - left)

    def box(self, left, top, right, bottom, colour):
        for y in range(int(top), int(bottom)):
            self.span(y, left, right, colour)

    def peak(self, x, top, bottom, slope, colour):
        for y in range(int(top), int(bottom)):
            self.span(y, x - slope * (y - top), x + slope * (y - top), colour)

    def disc(self, x, y, radius, colour):
        for row in range(int(y - radius), int(y + radius) + 1):
            half = max(0, radius ** 2 - (row - y) ** 2) ** 0.5
            self.span(row, x - half, x + half, colour)

    def sky(self, top, bottom):
        for y in range(HEIGHT):
            share = y / HEIGHT
            self.span(y, 0, WIDTH, [int(a + share * (b - a)) for a, b in zip(top, bottom)])

    def scene(self, subject, sunset):
        place = self.draw.below
        if sunset:
            self.sky((90, 40, 90), (255, 150, 40))
            self.disc(30 + place(100), 50 + place(20), 12, (255, 230, 120))
        else:
            self.sky((70, 130, 220), (200, 225, 250)) if subject != "stars" else self.sky((5, 5, 25), (25, 25, 60))
        if subject == "sea":
            self.box(0, 75, WIDTH, HEIGHT, (90, 50, 60) if sunset else (20, 80, 140))
            for _ in range(25):
                x, y = place(WIDTH), 80 + place(40)
                self.box(x, y, x + 12, y + 1, (200, 200, 220))
            for _ in range(1 + place(3)):
                x, y = 15 + place(130), 75 + place(15)
                self.peak(x, y - 30, y - 2, 0.4, (240, 240, 235))
                self.box(x - 14, y, x + 14, y + 5, (90, 50, 30))
        elif subject == "mountains":
            for _ in range(4):
                x, top, slope = place(WIDTH), 25 + place(40), 0.6 + 0.5 * self.draw.random()
                grey = 70 + place(60)
                self.peak(x, top, HEIGHT, slope, (grey, grey, grey + 10))
                self.peak(x, top, top + 14, slope, (250, 250, 255))
        elif subject == "stars":
            for _ in range(60):
                x, y = place(WIDTH), place(HEIGHT)
                self.box(x, y, x + 1 + place(2), y + 1 + place(2), (255, 255, 220))
            if self.draw.random() < 0.6:
                self.disc(20 + place(120), 20 + place(50), 9 + place(8), (230, 230, 210))
        elif subject == "city":
            for x in range(0, WIDTH, 20):
                top, grey = 20 + place(60), 40 + place(60)
                self.box(x, top, x + 18, HEIGHT, (grey, grey, grey))
                for y in range(top + 4, HEIGHT - 4, 8):
                    for window in range(x + 2, x + 16, 5):
                        if self.draw.random() < 0.6:
                            self.box(window, y, window + 3, y + 4, (250, 220, 120))
        else:
            self.box(0, 70, WIDTH, HEIGHT, (70, 80, 30) if sunset else (60, 150, 50))
            for _ in range(3 + place(3)):
                x, y = place(WIDTH), 60 + place(25)
                self.box(x - 2, y, x + 2, y + 25, (90, 60, 30))
                self.disc(x, y - 8, 12 + place(6), (30, 100, 30))
            for _ in range(40):
                self.disc(place(WIDTH), 90 + place(30), 1.5, (230, 60 + place(150), 60 + place(150)))
        return self

    def png(self):
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
        data = zlib.compress(b"".join(b"\0" + row for row in self.rows), 1)
        return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def sidecar(tags, time, place):
    def degrees(value, ends):
        return f"{int(abs(value))},{60 * (abs(value) % 1):.4f}{ends[value < 0]}"
    where = "" if place is None else (f' exif:GPSLatitude="{degrees(place[0], "NS")}"'
                                      f' exif:GPSLongitude="{degrees(place[1], "EW")}"')
    items = "".join(f"<rdf:li>{tag}</rdf:li>" for tag in tags)
    subject = f"<dc:subject><rdf:Bag>{items}</rdf:Bag></dc:subject>" if tags else ""
    return ('<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
            '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"'
            f' xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:DateTimeOriginal="{time}"{where}>'
            f"{subject}</rdf:Description></rdf:RDF></x:xmpmeta>\n")


def write_pictures(folder):
    draw = Draw(1)
    for number in range(300):
        subject = SCENES[draw.below(len(SCENES))]
        sunset = subject != "stars" and draw.random() < 0.25
        year = 2019 + number // 60
        path = folder / str(year) / f"img_{number:03}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(Picture(draw).scene(subject, sunset).png())
        first, *others = SUBJECTS[subject][0].split()
        tags = [tag for tag in [first, *others] if draw.random() < (0.75 if tag == first else 0.25)] if number % 5 else []
        place = [value + 0.1 * (draw.random() - 0.5) for value in SUBJECTS[subject][2]]
        time = f"{year}-{1 + number % 60 // 5:02}-{1 + draw.below(28):02}T12:00:00Z"
        path.with_name(path.name + ".xmp").write_text(sidecar(tags, time, place if draw.random() < 0.7 else None))


def title_of(draw, subject):
    form, tag = TITLES[draw.below(len(TITLES))]
    title = form.format(*draw.some(SUBJECTS[subject][1].split(), 3))
    return title[0].upper() + title[1:], tag


def write_bookmarks(path):
    draw = Draw(2)
    lines = ["<!DOCTYPE NETSCAPE-Bookmark-file-1>", "<TITLE>Bookmarks</TITLE>", "<DL><p>"]
    for number in range(300):
        subject = list(SUBJECTS)[draw.below(len(SUBJECTS))]
        # People tag as they please: one title in seven is about something else, too.
        title, form = title_of(draw, subject)
        first, *others = SUBJECTS[subject][0].split()
        tags = [tag for tag in (first, *others, form) if tag and draw.random() < (0.3 if tag in others else 0.85)]
        if draw.random() < 0.15:
            title += " and the " + draw.some(SUBJECTS[list(SUBJECTS)[draw.below(len(SUBJECTS))]][1].split(), 1)[0]
        given = f' TAGS="{",".join(tags)}"' if tags and number % 10 else ""
        lines.append(f'<DT><A HREF="https://example.org/{number:03}" ADD_DATE="{1500000000 + 86400 * number}"{given}>'
                     f"{html.escape(title)}</A>")
    path.write_text("\n".join([*lines, "</DL><p>"]) + "\n")


def write_papers(path):
    draw, entries = Draw(3), []
    for number in range(200):
        subject = SCENES[draw.below(len(SCENES))]
        tags, words, _ = SUBJECTS[subject]
        title, form = title_of(draw, subject)
        seen = " ".join(draw.some(words.split(), 6) + draw.some(SUBJECTS[SCENES[draw.below(len(SCENES))]][1].split(), 2))
        keywords = ", ".join(sorted(draw.some(tags.split(), 4) + [form or "survey"]))
        entries.append(f"@article{{p{number:03},\n  title = {{{title}}},\n  abstract = {{We measure {seen}.}},\n"
                       f"  keywords = {{{keywords}}},\n  year = {1950 + number % 70}\n}}\n")
    path.write_text("\n".join(entries))


def write_letters(folder):
    """English notes with labels, German letters without, and a diary in both languages between them."""
    draw = Draw(4)
    for name, count, languages in (("notes", 120, [0]), ("diary", 120, [0, 1]), ("letters", 90, [1])):
        lines = []
        for number in range(count):
            about = number % 2
            words = draw.some((SEA, GARDEN)[about], 4) + draw.some((SEA, GARDEN)[1 - about], 1) + draw.some(PEOPLE, 2)
            text = [word.split(":")[languages[draw.below(len(languages))]] for word in words for _ in languages]
            item = {"id": f"{name[0]}{number:03}", "text": " ".join(text)}
            if name == "notes":
                item["labels"] = {"about": ("sea", "garden")[about]}
            lines.append(json.dumps(item) + "\n")
        (folder / f"{name}.jsonl").write_text("".join(lines))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    write_pictures(folder / "Pictures")
    write_bookmarks(folder / "bookmarks.html")
    write_papers(folder / "papers.bib")
    write_letters(folder)
    print(f"Pictures, bookmarks.html, papers.bib, notes.jsonl, diary.jsonl and letters.jsonl are in {folder}")


if __name__ == "__main__":
    main()
