#!/usr/bin/python3
"""Writes the demo's collections as JSON lines: emoji.jsonl and packages.jsonl.

    demo_data.py FOLDER-OF-OPENMOJI FOLDER
"""
import json
import pathlib
import subprocess
import sys
import zlib

MOST_PACKAGES = 6000


def emoji(folder):
    for each in json.loads((folder / "data" / "openmoji.json").read_text()):
        if each["skintone"] or not (folder / "color" / "svg" / f"{each['hexcode']}.svg").exists():
            continue  # the same emoji in another colour of skin
        tags = [tag.strip() for tag in (each["tags"] + "," + each["openmoji_tags"]).split(",")]
        yield {"id": each["hexcode"], "title": each["annotation"], "tags": sorted(filter(None, set(tags))),
               "image": f"{each['hexcode']}.svg",
               "labels": {"group": each["group"], "subgroup": each["subgroups"]}}


def packages():
    """Programs among Debian's packages, as apt knows them, with their debtags: a part of them, the
    same each time."""
    text = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=False).stdout
    found = {}
    for record in text.split("\n\n"):
        fields, name = {}, ""
        for line in record.split("\n"):
            if line[:1] in (" ", "\t"):
                fields[name] = fields.get(name, "") + line
            elif ":" in line:
                name, value = line.split(":", 1)
                fields[name] = value.strip()
        tags = [tag.strip().replace("::", "/") for tag in fields.get("Tag", "").split(",")]
        if "role/program" in tags and len(tags) >= 4:
            found[fields["Package"]] = {
                "id": fields["Package"], "title": fields["Package"],
                "text": fields.get("Description", fields.get("Description-en", "")),
                "tags": [tag for tag in tags if tag and not tag.startswith("role/")],
                "labels": {"section": fields.get("Section", "")}}
    names = sorted(found, key=lambda name: zlib.crc32(name.encode()))[:MOST_PACKAGES]
    return [found[name] for name in sorted(names)]


def write(path, items):
    with open(path, "w") as file:
        for item in items:
            file.write(json.dumps(item) + "\n")


def main():
    source, folder = map(pathlib.Path, sys.argv[1:])
    write(folder / "emoji.jsonl", emoji(source))
    write(folder / "packages.jsonl", packages())


if __name__ == "__main__":
    main()
