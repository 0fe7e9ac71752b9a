#!/usr/bin/python3
"""How well are copies of real pictures found, and how many others are taken for copies?

    bench/duplicates.py PROGRAM [--data flickr8k] [--part measure] [--pictures 300] [--encoder resnet50]

Copies are made of photographs in COMMONPLACE_DATA (default ../shared/data): of each original one of
every kind below. The photographs themselves are the look-alikes: 2,600 of flickr8k, many of them of one
scene, or 2,856 of caltech101, 28 of each class. Recall: copies that stand in the group of their original.
Precision: pairs of a group that are of one original, or of originals that are grouped without any copies
too and were looked at (--same names a file with such pairs). `develop` are the photographs whose
thresholds were chosen by, `measure` the others.
"""
import argparse
import collections
import pathlib
import sys
import tempfile
import zlib

from PIL import Image, ImageDraw, ImageEnhance, ImageFont

sys.path.insert(0, str(pathlib.Path(__file__).parent / "papers"))
from common import DATA, run  # noqa: E402


def scaled(image, share):
    return image.resize((max(8, round(image.width * share)), max(8, round(image.height * share))), Image.LANCZOS)


def crop(image, share, across, down):
    width, height = round(image.width * share), round(image.height * share)
    left, top = round((image.width - width) * across), round((image.height - height) * down)
    return image.crop((left, top, left + width, top + height))


def stamped(image):
    image = image.copy()
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, image.height * 0.92, image.width, image.height), fill=(255, 255, 255))
    draw.text((8, image.height * 0.93), "a caption below", fill=(0, 0, 0), font=ImageFont.load_default())
    return image


def spotted(image):
    image = image.copy()
    side = round(0.15 * max(image.size))
    ImageDraw.Draw(image).ellipse((image.width // 3, image.height // 3, image.width // 3 + side,
                                   image.height // 3 + side), fill=(240, 60, 40))
    return image


KINDS = {
    "quality 30": lambda image: (image, "jpg", 30),
    "half as large": lambda image: (scaled(image, 0.5), "jpg", 85),
    "a thumbnail": lambda image: (scaled(image, 128 / max(image.size)), "jpg", 80),
    "as PNG": lambda image: (image, "png", None),
    "as WebP": lambda image: (scaled(image, 0.8), "webp", 70),
    "crop of 90 %": lambda image: (crop(image, 0.9, 0.3, 0.8), "jpg", 90),
    "crop of 70 %": lambda image: (crop(image, 0.7, 0.9, 0.2), "jpg", 90),
    "crop of 50 %": lambda image: (crop(image, 0.5, 0.5, 0.4), "jpg", 90),
    "brighter": lambda image: (ImageEnhance.Brightness(image).enhance(1.25), "jpg", 90),
    "more contrast": lambda image: (ImageEnhance.Contrast(image).enhance(1.3), "jpg", 90),
    "grey": lambda image: (image.convert("L").convert("RGB"), "jpg", 90),
    "with a caption": lambda image: (stamped(image), "jpg", 90),
    "with a spot": lambda image: (spotted(image), "jpg", 90),
}


def originals_of(name, part):
    folder = DATA / name if name == "caltech101" else DATA / name / "images"
    found = sorted(each for each in folder.rglob("*.jpg"))
    wanted = 0 if part == "develop" else 1
    return [each for each in found if zlib.crc32(each.name.encode() + each.parent.name.encode()) % 2 == wanted]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--data", default="flickr8k", help="flickr8k, caltech101 or oldnyc")
    parser.add_argument("--part", default="measure", choices=["develop", "measure"])
    parser.add_argument("--pictures", type=int, default=300, help="so many originals get copies; the others are there")
    parser.add_argument("--encoder", help="encode the pictures first, so that its vectors are used too")
    parser.add_argument("--same", help="a file: lines of two names that are one picture, as seen by eye")
    parser.add_argument("--show", action="store_true", help="print the pairs of different originals")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"{DATA} is not there: set COMMONPLACE_DATA to the folder of the data sets")
    same = set()
    if arguments.same:
        for line in pathlib.Path(arguments.same).read_text().splitlines():
            same.add(frozenset(line.split()[:2]))
    with tempfile.TemporaryDirectory(prefix="commonplace-duplicates-") as scratch:
        scratch = pathlib.Path(scratch)
        pictures = scratch / "pictures"
        pictures.mkdir()
        of = {}
        for number, original in enumerate(originals_of(arguments.data, arguments.part)):
            key = f"{original.parent.name}-{original.stem}"
            name = key + ".jpg"
            (pictures / name).write_bytes(original.read_bytes())
            of[name] = (key, "original")
            if number >= arguments.pictures:
                continue
            image = Image.open(original).convert("RGB")
            for kind, make in KINDS.items():
                made, ending, quality = make(image)
                name = f"{key}-{kind.replace(' ', '_').replace('%', '')}.{ending}"
                made.save(pictures / name, **({"quality": quality} if quality else {}))
                of[name] = (key, kind)
        library = scratch / "library"
        run(arguments.program, "init", library)
        run(arguments.program, "add", library, "pictures", pictures)
        if arguments.encoder:
            run(arguments.program, "features", library, "pictures", "--encoder", arguments.encoder)
        answer = run(arguments.program, "duplicates", library, "pictures", "--by", "pictures")
        found, asked = collections.Counter(), collections.Counter(kind for _, kind in of.values())
        right, wrong = 0, []
        for group in answer["groups"]:
            members = [each["id"] for each in group["items"]]
            with_original = {of[each][0] for each in members if of[each][1] == "original"}
            for each in members:
                key, kind = of[each]
                found[kind] += kind != "original" and key in with_original
            for i, first in enumerate(members):
                for second in members[:i]:
                    pair = frozenset((of[first][0], of[second][0]))
                    if len(pair) == 1 or pair in same:
                        right += 1
                    else:
                        wrong.append((of[first][0], of[second][0]))
        print(f"{arguments.data}, {arguments.part}: {answer['compared']['pictures']:,} pictures, "
              f"{min(arguments.pictures, asked['original'])} with copies, in {answer['seconds']:.1f} s; "
              f"{answer['candidates']:,} pairs looked at")
        for kind in KINDS:
            print(f"  {kind:<16} found {100 * found[kind] / max(1, asked[kind]):5.1f} %")
        copies = sum(asked.values()) - asked["original"]
        print(f"  all copies       found {100 * sum(found.values()) / max(1, copies):5.1f} %")
        print(f"  precision of pairs {100 * right / max(1, right + len(wrong)):5.2f} % "
              f"({right:,} right, {len(wrong):,} of different originals, {len(set(map(frozenset, wrong)))} such pairs)")
        if arguments.show:
            for pair, count in collections.Counter(map(frozenset, wrong)).most_common():
                print("   ", *sorted(pair), count)


if __name__ == "__main__":
    main()
