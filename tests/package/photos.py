#!/usr/bin/env python3
"""Draws a small folder of photographs: four subjects that look different, with a caption and tags in their XMP, and
one picture of each subject (new_SUBJECT.png) that nobody tagged; a few are drawings in SVG.

    photos.py FOLDER
"""
import math
import pathlib
import random
import struct
import sys
import zlib

SIDE = 96
EACH = 30
RDF = ('<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/" '
       'xmlns:cc="http://creativecommons.org/ns#">{}</rdf:RDF>')
# Brightness of a pixel by its place, and the tint.
SUBJECTS = {
    "sea": (lambda x, y, k: 128 + 90 * math.sin(y / (2.5 + k)), (0.4, 0.7, 1.0)),
    "forest": (lambda x, y, k: 110 + 90 * math.sin(x / (2.5 + k)), (0.4, 1.0, 0.3)),
    "field": (lambda x, y, k: 60 + 150 * y / SIDE, (1.0, 0.9, 0.3)),
    "town": (lambda x, y, k: 200 if (int(x / (9 + k)) + int(y / (9 + k))) % 2 else 60, (1.0, 0.8, 0.7)),
}


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def xmp(caption, tags):
    subject = "".join(f"<rdf:li>{tag}</rdf:li>" for tag in tags)
    return '<x:xmpmeta xmlns:x="adobe:ns:meta/">' + RDF.format(
        '<rdf:Description rdf:about="">'
        f'<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{caption}</rdf:li></rdf:Alt></dc:description>'
        f"<dc:subject><rdf:Bag>{subject}</rdf:Bag></dc:subject></rdf:Description>") + "</x:xmpmeta>"


def photograph(subject, number, tags):
    draw = random.Random(f"{subject} {number}")
    bright, tint = SUBJECTS[subject]
    size = draw.random()
    rows = b""
    for y in range(SIDE):
        rows += b"\0"
        for x in range(SIDE):
            light = bright(x, y, size) + draw.gauss(0, 12)
            rows += bytes(min(255, max(0, int(light * part))) for part in tint)
    packet = xmp(f"Photograph {number}", tags)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0))
            + chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + packet.encode()) + chunk(b"IDAT", zlib.compress(rows))
            + chunk(b"IEND", b""))


def drawing(subject):
    shapes = {
        "sea": "".join(f'<rect y="{y}" width="96" height="8" fill="#247"/>' for y in range(0, 96, 16)),
        "forest": "".join(f'<rect x="{x}" width="8" height="96" fill="#273"/>' for x in range(0, 96, 16)),
        "field": '<rect y="48" width="96" height="48" fill="#cb4"/>',
        "town": "".join(f'<rect x="{x}" y="{y}" width="9" height="9" fill="#a76"/>'
                        for x in range(0, 96, 18) for y in range(0, 96, 18)),
    }
    return ('<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96"><metadata>' + RDF.format(
        f'<cc:Work rdf:about=""><dc:title>Drawing</dc:title><dc:subject><rdf:Bag><rdf:li>{subject}</rdf:li></rdf:Bag>'
        '</dc:subject></cc:Work>')
        + f'</metadata><rect width="96" height="96" fill="#9ac"/>{shapes[subject]}'
        '<text x="60" y="90" font-size="9">N</text></svg>')


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for subject in SUBJECTS:
        for number in range(EACH):
            tags = [subject, "outdoors"] if number % 3 else [subject]
            (folder / f"{subject}{number:02}.png").write_bytes(photograph(subject, number, tags))
        (folder / f"new_{subject}.png").write_bytes(photograph(subject, EACH, []))
        (folder / f"{subject}.svg").write_text(drawing(subject))


if __name__ == "__main__":
    main()
