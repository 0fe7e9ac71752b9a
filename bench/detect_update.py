#!/usr/bin/python3
"""What taking new items into an axis space online (IALE) is worth, beside learning again and leaving it.

    bench/detect_update.py PROGRAM [--repeat 5] [--labels 10]

Half of the items of a data set come first, some of each class with a tag. The other half comes later, without
tags, so that labels are the same for all three: the model as it was, the same after 'learn detect --update', and
one that is learned again from all. MiAP of ranking the new items, 11 points, mean over the classes and draws.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

DATA = pathlib.Path(os.environ.get("COMMONPLACE_DATA", pathlib.Path(__file__).resolve().parents[2] / "shared" / "data"))
SETS = {
    "office caltech": ("office_caltech/caltech.npy", "office_caltech/caltech_labels.npy"),
    "office amazon": ("office_caltech/amazon.npy", "office_caltech/amazon_labels.npy"),
    "wikipedia pictures": ("wikipedia_crossmodal/I_tr.npy", "wikipedia_crossmodal/labels_train.npy"),
}


def run(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def miap(relevant):
    found = numpy.cumsum(relevant)
    precision = found / numpy.arange(1, len(relevant) + 1)
    recall = found / found[-1]
    return numpy.mean([precision[recall >= level - 1e-12].max() for level in numpy.linspace(0, 1, 11)])


def quality(program, library, classes, first):
    """Over the items from row `first`, whose ids are their rows."""
    values = []
    for name in sorted(set(classes)):
        found = json.loads(run(program, "detect", library, f"class {name}", "--limit", len(classes), "--json"))
        ranked = [int(each["id"]) for each in found["results"]]
        values.append(miap(numpy.array([classes[row] == name for row in ranked if row >= first])))
    return 100 * float(numpy.mean(values))


def give(program, library, work, rows, classes, tagged, begin):
    """Adds the items from row `begin` with the features of all."""
    with open(work / "items.jsonl", "w") as out:
        for row in range(begin, len(rows)):
            tags = [f"class {classes[row]}"] if row in tagged else []
            out.write(json.dumps({"id": str(row), "title": f"item {row}", "tags": tags}) + "\n")
    numpy.save(work / "rows.npy", rows)
    run(program, "add", library, "things", work / "items.jsonl", "--quiet")
    run(program, "features", library, "things", "--name", "given", "--from", work / "rows.npy", "--quiet")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--labels", type=int, default=10)
    parser.add_argument("--first", type=float, default=0.5, help="share of the items that come first")
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    if not DATA.is_dir():
        sys.exit(f"{DATA} is not there: set COMMONPLACE_DATA to the folder of the data sets")
    learn = ["detect", "--collection", "things", "--features", "given", "--representation", "axis", "--min-uses", 1]
    print("data set, items, then MiAP of the new items: left as it was, updated, learned again; standard error of "
          "updated less left, of learned again less left")
    for title, (rows_file, labels_file) in SETS.items():
        rows, classes = numpy.load(DATA / rows_file).astype(numpy.float32), numpy.load(DATA / labels_file)
        results = []
        for seed in range(arguments.repeat):
            order = numpy.random.default_rng(seed).permutation(len(rows))
            x, y = rows[order], classes[order].tolist()
            first = int(arguments.first * len(x))
            tagged = {row for name in set(y)
                      for row in [row for row in range(first) if y[row] == name][:arguments.labels]}
            with tempfile.TemporaryDirectory(prefix="commonplace-update-") as scratch:
                work = pathlib.Path(scratch)
                library = work / "library"
                run(program, "init", library)
                give(program, library, work, x[:first], y, tagged, 0)
                run(program, "learn", library, *learn)
                give(program, library, work, x, y, tagged, first)
                left = quality(program, library, y, first)
                run(program, "learn", library, "detect", "--collection", "things", "--update")
                updated = quality(program, library, y, first)
                run(program, "learn", library, *learn)
                results.append((left, updated, quality(program, library, y, first)))
        values = numpy.array(results)
        errors = [values[:, k] - values[:, 0] for k in (1, 2)]
        print(f"{title}, {len(rows)}:", " ".join(f"{v:.1f}" for v in values.mean(0)), ";",
              " ".join(f"{e.std(ddof=1) / len(e) ** 0.5:.1f}" for e in errors), flush=True)


if __name__ == "__main__":
    main()
