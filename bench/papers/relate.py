#!/usr/bin/python3
"""Re-runs the experiments behind `relate`: what belongs together across photos, tags, text and places?

    bench/papers/relate.py PROGRAM [--only oldnyc,...] [--repeat 5] [--work FOLDER]
    bench/papers/relate.py PROGRAM --only seen [--work FOLDER]

Needs the data that COMMONPLACE_DATA names (default ../shared/data):
  oldnyc     1,311 photographs with pictures, of the 100 commonest tags but the first five: tags of a fifth
             of them are predicted by pictures (dense SIFT) alone, and by pictures and places; against the
             number of coordinates and of photographs learned from; guidance met, groups, guessed places
  seen       the same photographs as encoders of pictures and of sentences see them and their titles
             (resnet50, minilm), beside dense SIFT
  wikipedia  2,866 pairs of picture and text in ten classes: texts by pictures and pictures by texts
  dresden    17,879 photographs without pictures: tags by places, and places by tags
Features of pictures are made once and kept in --work (default: a temporary folder).
"""
import argparse
import collections
import json
import pathlib
import sys
import tempfile

import numpy

from common import DATA, has_encoders, lines, run


def show(result):
    print(f"  {result['items']:,} items, {result['things']:,} {result['target']}, by {', '.join(result['kinds'])}")
    print("  method         items   dim   nDCG (95 %)                met by closest 10 % and 50 %   Rand   seconds")
    for each in result["methods"]:
        ndcg = [each["ndcg"][part] for part in ("value", "low", "high")]
        met = f"{100 * each['met'][0]:5.0f} {100 * each['met'][4]:5.0f}" if "met" in each else " " * 11
        rand = f"{each['rand']:6.3f}" if "rand" in each else " " * 6
        print(f"  {each['method']:<12} {each['learned_from']:>7} {each.get('dim', ''):>5}   {ndcg[0]:.3f} "
              f"({ndcg[1]:.3f} .. {ndcg[2]:.3f})   {met}{'':19}{rand}  {each['seconds']:7.1f}", flush=True)
    for each in result["methods"]:
        if each["method"] in ("commonplace", "alone") and "chosen" in each:
            print(f"  {each['method']} chose: {each['chosen']}")
    for each in result.get("places", []):
        print(f"  places by {each['method']:<12} median error {each['median_metres']:,.0f} m, "
              f"{100 * each['within_1_km']:.0f} % within 1 km")
    if "places" in result:
        print(f"  the place of {100 * result['places_told']:.0f} % could be told")


def add_oldnyc(program, work, encoders=False):
    """The photographs that have pictures and one of the tags, with features of their pictures."""
    library = work / "library"
    if library.exists():
        return library
    run(program, "init", library)
    run(program, "add", library, "pictures", DATA / "oldnyc" / "images")
    made = {"sift": run(program, "features", library, "pictures", "--image", "sift")["file"]}
    if encoders:
        made["resnet50"] = run(program, "features", library, "pictures", "--encoder", "resnet50")["file"]
    export = work / "pictures.jsonl"
    run(program, "export", library, "pictures", "--format", "jsonl", "--out", export)
    row_of = {json.loads(line)["id"].split("/")[-1]: row for row, line in enumerate(export.read_text().splitlines())}
    photos = {}
    for each in lines(DATA / "oldnyc" / "photos.jsonl.gz"):
        for image in each["images"]:
            name = image.split("/")[-1]
            if name in row_of and each["tags"]:
                photos[name] = each
    counts = collections.Counter(tag for each in photos.values() for tag in each["tags"])
    chosen = {tag for tag, _ in counts.most_common(105)[5:]}
    kept = []
    with open(work / "photos.jsonl", "w") as file:
        for name in sorted(photos, key=row_of.get):
            each = photos[name]
            tags = [tag for tag in each["tags"] if tag in chosen]
            if tags:
                file.write(json.dumps({"id": name, "title": each["title"], "lat": each["lat"], "lon": each["lon"],
                                       "tags": tags}) + "\n")
                kept.append(row_of[name])
    run(program, "add", library, "photos", work / "photos.jsonl")
    for name, file in made.items():
        numpy.save(work / f"{name}.npy", numpy.load(file)[kept].astype(numpy.float32))
        run(program, "features", library, "photos", "--name", name, "--from", work / f"{name}.npy")
    if encoders:
        run(program, "features", library, "photos", "--encoder", "minilm")
    return library


def seen(program, work, repeat):
    work = work / "seen"
    work.mkdir(exist_ok=True)
    library = add_oldnyc(program, work, encoders=True)
    for title, kinds in (("SIFT", "photos:sift"), ("ResNet50", "photos:resnet50"),
                         ("both", "photos:sift,photos:resnet50"),
                         ("SIFT and places", "photos:sift,photos/places"),
                         ("ResNet50 and places", "photos:resnet50,photos/places"),
                         ("SIFT, titles' words and places", "photos:sift,photos/text,photos/places"),
                         ("ResNet50, titles' sentences and places", "photos:resnet50,photos:minilm,photos/places")):
        first, *others = kinds.split(",")
        print(f"\noldnyc, tags by {title}:")
        show(run(program, "evaluate", "relate", library, "--repeat", repeat, "--collections",
                 ",".join([first, *others[:-1], "photos/tags", *others[-1:]]), "--methods", "commonplace,knn,ridge"))


def oldnyc(program, work, repeat):
    library = add_oldnyc(program, work)
    evaluate = ["evaluate", "relate", library, "--repeat", repeat, "--collections"]
    print("\noldnyc, tags by pictures:")
    show(run(program, *evaluate, "photos,photos/tags", "--methods",
             "commonplace,positive,cca,mvlpp,lpp,popular,knn,ridge"))
    print("\noldnyc, tags by pictures and places:")
    show(run(program, *evaluate, "photos,photos/tags,photos/places", "--methods",
             "commonplace,alone,positive,cca,popular,knn,ridge,ridge-all,kernel-regression"))
    print("\noldnyc, tags by pictures, places and titles:")
    show(run(program, *evaluate, "photos,photos/text,photos/tags,photos/places", "--methods",
             "commonplace,ridge-all,popular"))
    print("\noldnyc, by coordinates at most:")
    show(run(program, *evaluate, "photos,photos/tags,photos/places", "--methods", "commonplace,alone,cca",
             "--dims", "5,10,20,30,50,100", "--plot", work / "oldnyc-coordinates.svg"))
    print("\noldnyc, by photographs learned from:")
    show(run(program, *evaluate, "photos,photos/tags,photos/places", "--methods",
             "commonplace,alone,cca,popular,ridge-all,kernel-regression", "--shares", "10,25,50,100"))
    print("\noldnyc, groups of everything together:")
    for groups in (2, 5, 10):
        result = run(program, *evaluate, "photos,photos/tags,photos/places", "--methods", "commonplace,alone,cca",
                     "--groups", groups)
        print(f"  {groups:>2} groups, Rand index: " +
              ", ".join(f"{each['method']} {each['rand']:.3f}" for each in result["methods"]))


def wikipedia(program, work, repeat):
    folder = DATA / "wikipedia_crossmodal"
    result = run(program, "evaluate", "relate", "--features", f"{folder}/I_tr.npy,{folder}/T_tr.npy", "--labels",
                 folder / "labels_train.npy", "--test-features", f"{folder}/I_te.npy,{folder}/T_te.npy",
                 "--test-labels", folder / "labels_test.npy")
    print("\nwikipedia, mean average precision:")
    for each in result["methods"]:
        print(f"  {each['method']:<12} text by picture {each['first_to_second']:.3f}, picture by text "
              f"{each['second_to_first']:.3f}, {each['seconds']:.1f} s  {each['chosen']}")


def dresden(program, work, repeat):
    library = work / "dresden"
    if not library.exists():
        run(program, "init", library)
        run(program, "add", library, "photos", next((DATA / "flickr_dresden").glob("*.jsonl.gz")))
    print("\ndresden, tags by places:")
    show(run(program, "evaluate", "relate", library, "--collections", "photos/tags,photos/places", "--min-uses", 20,
             "--repeat", repeat, "--methods", "commonplace,popular,ridge,kernel-regression"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--only", help="default: wikipedia,oldnyc,dresden, and seen where its encoders are installed")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--work", help="keep libraries and features here")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"{DATA} is not there: set COMMONPLACE_DATA to the folder of the data sets")
    with tempfile.TemporaryDirectory(prefix="commonplace-papers-") as scratch:
        work = pathlib.Path(arguments.work or scratch)
        work.mkdir(parents=True, exist_ok=True)
        also = ",seen" if has_encoders(arguments.program, "resnet50", "minilm") else ""
        for name in (arguments.only or "wikipedia,oldnyc,dresden" + also).split(","):
            {"oldnyc": oldnyc, "seen": seen, "wikipedia": wikipedia, "dresden": dresden}[name](
                arguments.program, work, arguments.repeat)


if __name__ == "__main__":
    main()
