#!/usr/bin/python3
"""Re-runs the experiments behind `detect`: how well are concepts found from a few labels?

    bench/papers/detect.py PROGRAM [--only caltech101,...] [--features sift,...] [--repeat 3]

Needs the data that COMMONPLACE_DATA names (default ../shared/data):
  caltech101   102 classes of photographs; 5, 10 and 15 labels a class
  flickr8k     the 50 commonest nouns of the captions; 20 labels a concept
  clicks       teaching: 5 photographs of flickr8k that show a noun and 5 that do not, 10 draws each of the twelve
               commonest nouns that at most 160 photographs show; the share of the first 20 and 50 others that shows it
  oldnyc       tags used 20 times or more, of the photographs that are there; 10 labels a concept
Each is tried with each kind of image features and with all of them side by side, and with fewer and
fewer unlabelled items. Features are made once and kept in --work (default: a temporary folder).
"""
import argparse
import collections
import json
import pathlib
import random
import re
import statistics
import sys
import tempfile

import numpy

from common import DATA, has_encoders, lines, run

KINDS = ["sift", "rgb-sift", "surf", "gist"]
METHODS = "auto,svm,logistic,knn,ale-svm,ale-laprls,iale-svm,iale-laprls,anchors,smoothed,gsf,lapsvm,propagation"
NOUNS = ("man dog boy shirt girl water woman people child grass person field group dogs children air ball "
         "camera background street mouth men jacket area beach snow girls face hat wall toy park rock boys "
         "crowd dirt shorts bike ground kids ocean building picture road side lake hand women player hill "
         "sand head hair race game mountain sidewalk pool city bicycle path car trees river helmet").split()


def concepts_of(name, ids):
    """A class number a photograph, or a 0 or 1 for each concept; and which photographs to take."""
    if name == "caltech101":
        classes = sorted({each.split("/")[0] for each in ids})
        return numpy.array([classes.index(each.split("/")[0]) for each in ids], dtype=numpy.int32), None
    if name == "flickr8k":
        captions = {each["image"]: " ".join(each["captions"]).lower() for each in lines(DATA / name / "captions.jsonl.gz")}
        words = {image: collections.Counter(re.findall("[a-z]+", text)) for image, text in captions.items()}
        commonest = sorted(NOUNS, key=lambda noun: -sum(noun in each for each in words.values()))[:50]
        # A concept that at least two of the five people name.
        return numpy.array([[int(words.get(each.split("/")[-1], {}).get(noun, 0) >= 2) for noun in commonest]
                            for each in ids], dtype=numpy.int32), None
    tags = {}
    for each in lines(DATA / name / "photos.jsonl.gz"):
        for image in each["images"]:
            tags[image.split("/")[-1]] = set(each["tags"])
    counts = collections.Counter(tag for each in ids for tag in tags.get(each.split("/")[-1], ()))
    commonest = [tag for tag, count in counts.most_common() if count >= 20]
    known = numpy.array([[int(tag in tags.get(each.split("/")[-1], ())) for tag in commonest] for each in ids],
                        dtype=numpy.int32)
    return known, numpy.array([bool(tags.get(each.split("/")[-1])) for each in ids])


def make_features(program, name, kinds, work):
    library = work / "library"
    if not library.exists():
        run(program, "init", library)
    if name not in [each["name"] for each in run(program, "list", library)["collections"]]:
        folder = DATA / name if name == "caltech101" else DATA / name / "images"
        run(program, "add", library, name, folder)
    files = {}
    for kind in kinds:
        made = run(program, "features", library, name, "--image" if kind in KINDS else "--encoder", kind)
        files[kind] = made["file"]
    export = work / f"{name}.jsonl"
    run(program, "export", library, name, "--format", "jsonl", "--out", export)
    ids = [json.loads(line)["id"] for line in export.read_text().splitlines()]
    return ids, files


CLICKS = "child grass ball person children field group snow beach mouth air men".split()


def ridge(rows, chosen, labels):
    """Scores of all rows by ridge regression on the chosen ones, of length one; penalty 1."""
    rows = rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    some = rows[chosen] - rows[chosen].mean(axis=0)
    dual = numpy.linalg.solve(some @ some.T + numpy.eye(len(chosen)), labels - labels.mean())
    return rows @ (some.T @ dual)


def teach_by_clicks(program, kind, work, draws=10, each=5):
    ids, files = make_features(program, "flickr8k", [kind], work)
    rows, row_of = numpy.load(files[kind]).astype(numpy.float64), {one: row for row, one in enumerate(ids)}
    library = work / "library"
    run(program, "learn", library, "detect", "--collection", "flickr8k", "--features", kind, "--concepts-from", "none")
    captions = {one["image"]: " ".join(one["captions"]).lower() for one in lines(DATA / "flickr8k" / "captions.jsonl.gz")}
    words = {image: collections.Counter(re.findall("[a-z]+", text)) for image, text in captions.items()}
    found = {(way, first): [] for way in ("commonplace", "ridge") for first in (20, 50)}
    print(f"\nteaching by {each} and {each} clicks, {kind}: noun, photographs that show it; right of the first 20 and 50 "
          "in %, by Commonplace and by ridge regression on the same examples")
    for word in CLICKS:
        shows = {one: words.get(one.split("/")[-1], {}).get(word, 0) >= 2 for one in ids}
        yes, no = ([one for one in ids if shows[one] == side] for side in (True, False))
        of_word = {one: [] for one in found}
        for draw in range(draws):
            dice = random.Random(f"{word} {draw}")
            taught = dice.sample(yes, each) + dice.sample(no, each)
            name = f"{word} {draw}"
            run(program, "teach", library, name, "--collection", "flickr8k", "--yes", ",".join(taught[:each]),
                "--no", ",".join(taught[each:]))
            results = run(program, "detect", library, name, "--collection", "flickr8k", "--limit", 50 + 2 * each)["results"]
            scores = ridge(rows, [row_of[one] for one in taught], numpy.repeat([1.0, -1.0], each))
            ranked = {"commonplace": [one["id"] for one in results], "ridge": [ids[row] for row in numpy.argsort(-scores)]}
            for way, first in found:
                others = [one for one in ranked[way] if one not in taught]
                of_word[way, first].append(statistics.mean(shows[one] for one in others[:first]))
        print(f"  {word:<8} {len(yes):>5}  " + "  ".join(f"{100 * statistics.mean(of_word[one]):5.1f}" for one in found),
              flush=True)
        for one in found:
            found[one].append(statistics.mean(of_word[one]))
    print("  mean            " + "  ".join(f"{100 * statistics.mean(shares):5.1f}" for shares in found.values()))


def show(result):
    for each in result["methods"]:
        error = f"{100 * each['error']:5.1f}" if "error" in each else "     "
        miap = [100 * each["miap"][part] for part in ("value", "low", "high")]
        print(f"  {each['labelled']:>3} {each['unlabelled']:>6}  {each['method']:<12} "
              f"{miap[0]:5.1f} ({miap[1]:.1f} .. {miap[2]:.1f})  {100 * each['precision@100']['value']:5.1f}  "
              f"{error}  {each['seconds']:6.1f}  {each.get('chosen', '')}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--only", help="default: caltech101,flickr8k,oldnyc, and clicks where resnet50 is installed")
    parser.add_argument("--features", help="descriptors, or encoders that 'commonplace models' lists; default: all "
                                           "descriptors, and of clicks resnet50")
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--work", help="keep the library with the features here")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"{DATA} is not there: set COMMONPLACE_DATA to the folder of the data sets")
    with tempfile.TemporaryDirectory(prefix="commonplace-papers-") as scratch:
        work = pathlib.Path(arguments.work or scratch)
        work.mkdir(parents=True, exist_ok=True)
        seen = ",clicks" if has_encoders(arguments.program, "resnet50") else ""
        for name in (arguments.only or "caltech101,flickr8k,oldnyc" + seen).split(","):
            kinds = arguments.features.split(",") if arguments.features else KINDS
            if name == "clicks":
                for kind in kinds if arguments.features else ["resnet50"]:
                    teach_by_clicks(arguments.program, kind, work)
                continue
            ids, files = make_features(arguments.program, name, kinds, work)
            labels, taken = concepts_of(name, ids)
            labels_file = work / f"{name}.labels.npy"
            numpy.save(labels_file, labels if taken is None else labels[taken])
            paths = {}
            for kind, file in files.items():
                rows = numpy.load(file)
                paths[kind] = work / f"{name}.{kind}.npy"
                numpy.save(paths[kind], rows if taken is None else rows[taken])
            labelled = {"caltech101": "5,10,15", "flickr8k": "20", "oldnyc": "10"}[name]
            for title, chosen in [(kind, [paths[kind]]) for kind in kinds] + [
                    ("all side by side", list(paths.values()))] * (len(kinds) > 1):
                print(f"\n{name}, {title}: labels a concept, unlabelled items, method, "
                      "MiAP (95 %), P@100, error in %, seconds")
                show(run(arguments.program, "evaluate", "detect", "--features", ",".join(map(str, chosen)),
                         "--labels", labels_file, "--labelled", labelled, "--methods", arguments.methods,
                         "--repeat", arguments.repeat))
            print(f"\n{name}, {kinds[0]}, with fewer unlabelled items:")
            show(run(arguments.program, "evaluate", "detect", "--features", paths[kinds[0]], "--labels", labels_file,
                     "--labelled", labelled.split(",")[0], "--unlabelled", "100,500,1000,all",
                     "--methods", "auto,ale-laprls,smoothed,svm", "--repeat", arguments.repeat))


if __name__ == "__main__":
    main()
