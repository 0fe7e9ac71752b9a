#!/usr/bin/python3
"""Transitive transfer on real data: what the paper shows, beside its figures.

    bench/papers/transfer.py PROGRAM [--only newsgroups,sweeps,chain,selection,reviews,office,images]
                                     [--repeat 10] [--triples 160] [--plots FOLDER]
    bench/papers/transfer.py PROGRAM --only drawings --emoji FOLDER   (OpenMoji, as './dev demo' installs it)
"""
import argparse
import itertools
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import zlib

import numpy as np

from common import DATA, lines, run

NEWSGROUPS = {
    "rec-comp": [("rec.autos", "comp.os.ms-windows.misc"), ("rec.sport.baseball", "comp.sys.mac.hardware"),
                 ("rec.sport.hockey", "comp.windows.x")],
    "rec-talk": [("rec.autos", "talk.politics.guns"), ("rec.motorcycles", "talk.politics.mideast"),
                 ("rec.sport.hockey", "talk.politics.misc")],
    "rec-sci": [("rec.autos", "sci.electronics"), ("rec.motorcycles", "sci.med"),
                ("rec.sport.hockey", "sci.space")],
    "sci-comp": [("sci.electronics", "comp.graphics"), ("sci.med", "comp.os.ms-windows.misc"),
                 ("sci.space", "comp.windows.x")],
    "sci-talk": [("sci.crypt", "talk.politics.guns"), ("sci.electronics", "talk.politics.mideast"),
                 ("sci.med", "talk.politics.misc")],
    "comp-talk": [("comp.graphics", "talk.politics.guns"),
                  ("comp.os.ms-windows.misc", "talk.politics.mideast"),
                  ("comp.windows.x", "talk.politics.misc")],
}
PAPER = {"rec-comp": 57.9, "rec-talk": 68.8, "rec-sci": 52.0, "sci-comp": 56.3, "sci-talk": 53.2,
         "comp-talk": 72.2}
REFERENCE = {"rec-comp": 97.5, "rec-talk": 95.9, "rec-sci": 98.0, "sci-comp": 92.7, "sci-talk": 89.2,
             "comp-talk": 95.1}
WORDS = ["--language", "english", "--stop-words", "--min-length", "3", "--min-documents", "20"]
# The nouns that most photographs have in two captions or more, other forms of the same aside.
NOUNS = ["dog", "man", "water", "girl", "boy", "grass", "ball", "snow", "beach", "street"]


def write_lines(path, items):
    with open(path, "w") as file:
        for item in items:
            file.write(json.dumps(item) + "\n")
    return path


def newsgroup_files(folder, task, posts, keep=None):
    """A file for each of the task's collections; `keep` (per collection) says which words stay."""
    files = []
    for which, pair in enumerate(NEWSGROUPS[task] if isinstance(task, str) else task):
        items = []
        for post in posts:
            if post["group"] not in pair:
                continue
            text = post["subject"] + "\n" + post["text"]
            if keep:
                text = " ".join(word for word in re.findall(r"[^\W\d_]+", text.lower())
                                if keep[which](word))
            items.append({"id": post["id"], "text": text,
                          "label": "second" if post["group"] == pair[1] else "first"})
        files.append(write_lines(folder / f"{which}.jsonl", items))
    return files


def along(files):
    return ["--source", files[0], "--intermediate", ",".join(map(str, files[1:-1])), "--target", files[-1]]


def newsgroups(program, folder, options):
    print("\n20 Newsgroups, words cut in two at random, accuracy on the target, %:")
    posts = lines(DATA / "20newsgroups" / "posts.jsonl.gz")
    rows, methods = {}, []
    for task in NEWSGROUPS:
        found = run(program, "evaluate", "transfer", *along(newsgroup_files(folder, task, posts)), "--cut",
                    "--repeat", options.repeat, *WORDS)["methods"]
        methods = [each["method"] for each in found]
        rows[task] = {each["method"]: each for each in found}
    print(f"{'':19}" + "".join(f"{task:>12}" for task in rows) + f"{'mean':>8}")
    for method in methods:
        right = [rows[task][method] for task in rows]
        print(f"{method:19}" + "".join(f"{100 * each['accuracy']:7.1f}+-{100 * each['deviation']:<3.1f}"
                                       for each in right)
              + f"{100 * np.mean([each['accuracy'] for each in right]):8.1f}")
    for name, figures in (("the paper's", PAPER), ("reference program", REFERENCE)):
        print(f"{name:19}" + "".join(f"{figures[task]:7.1f}     " for task in rows)
              + f"{np.mean(list(figures.values())):8.1f}")
    ece = [rows[task]["commonplace"]["calibration_error"] for task in rows]
    print(f"expected calibration error of commonplace: {np.mean(ece):.3f} on average, {max(ece):.3f} at most")


def sweeps(program, folder, options):
    posts = lines(DATA / "20newsgroups" / "posts.jsonl.gz")
    files = newsgroup_files(folder, "comp-talk", posts)
    for title, flag, numbers, key, methods in (
            ("clusters of features", "--cluster-counts", "5,10,20,30,50,100", "clusters", "factors,published"),
            ("labelled items of the bridge", "--labelled-bridge", "50,100,200,400", "labelled_bridge",
             "commonplace,factors,pair-steps,words"),
            ("features that the bridge lost", "--removed", "500,1000,2000,3000", "removed",
             "commonplace,factors,pair-steps,words")):
        plot = ["--plot", options.plots / f"transfer-{key}.svg"] if options.plots else []
        found = run(program, "evaluate", "transfer", *along(files), "--cut", "--repeat", options.repeat,
                    *WORDS, flag, numbers, "--methods", methods, *plot)["methods"]
        print(f"\ncomp-talk by {title}, accuracy on the target, %:")
        for method in methods.split(","):
            print(f"  {method:12}" + "  ".join(
                f"{each[key]}: {100 * each['accuracy']:.1f}+-{100 * each['deviation']:.1f}"
                for each in found if each["method"] == method))


def chain(program, folder, options):
    """Words in three parts: no single collection shares something with both ends."""
    posts = lines(DATA / "20newsgroups" / "posts.jsonl.gz")
    groups = [("rec.autos", "talk.politics.guns"), ("rec.motorcycles", "talk.politics.mideast"),
              ("rec.sport.baseball", "talk.religion.misc"), ("rec.sport.hockey", "talk.politics.misc")]
    print("\nA chain of two, words cut in three (source 1, then 1 and 2, then 2 and 3, target 3):")
    scores = {}
    for seed in range(options.repeat):
        def part(word):
            return zlib.crc32(f"{seed}{word}".encode()) % 3
        cuts = [{0}, {0, 1}, {1, 2}, {2}]
        files = newsgroup_files(folder, groups, posts,
                                [lambda word, cut=cut: part(word) in cut for cut in cuts])
        for name, path in (("first bridge alone", [0, 1, 3]), ("second bridge alone", [0, 2, 3]),
                           ("both", [0, 1, 2, 3])):
            found = run(program, "evaluate", "transfer", *along([files[i] for i in path]), *WORDS,
                        "--methods", "commonplace", "--seed", seed + 1)
            scores.setdefault(name, []).append(100 * found["methods"][0]["accuracy"])
    for name, right in scores.items():
        print(f"  {name:20} {np.mean(right):5.1f} +- {np.std(right, ddof=1) if len(right) > 1 else 0:.1f} %")


def review_library(program, folder):
    library = folder / "reviews"
    run(program, "init", library)
    for path in sorted((DATA / "amazon_reviews").glob("*.jsonl.gz")):
        name = path.name.split(".")[0]
        items = [{"id": f"{name}-{number}", "text": each["text"], "sentiment": "pos" if each["label"] else "neg"}
                 for number, each in enumerate(lines(path)) if each["split"] != "unlabelled"
                 and each.get("label") in (0, 1)]
        run(program, "add", library, name, write_lines(folder / "reviews.jsonl", items), "--map",
            "labels=sentiment")
    return library


def selection(program, folder, options):
    """Which bridges help between all ordered triples of the review domains."""
    library = review_library(program, folder)
    learned = run(program, "bridges", library, "--learn", "--label-field", "sentiment", "--min-documents", 5)
    quality = learned["choice"]["quality"]
    plain = [trial for trial in learned["trials"] if not trial["features_hidden"]]
    helped = sum(trial["bridged"] > 1.03 * trial["direct"] for trial in plain)
    print(f"\n12 domains of reviews: {quality['examples']:.0f} trials in {learned['seconds']:.0f} s, "
          f"{quality['successes']:.0f} bridges help; as they are, {helped} of {len(plain)} (the paper: 102)")
    print(f"  success told for {100 * quality['balanced_accuracy']:.1f} +- "
          f"{100 * quality['balanced_deviation']:.1f} % of balanced samples held out (the paper: 84.5 +- 3.4)")
    print(f"  on targets held out: {100 * quality['target_accuracy']:.1f} % balanced, AUC "
          f"{quality['target_auc']:.2f}; gain off by {100 * quality['gain_error']:.1f} points "
          f"(they vary by {100 * quality['gain_deviation']:.1f}), correlation {quality['gain_correlation']:.2f}")
    return library, learned


def reviews(program, folder, options):
    """All ordered pairs of the review domains, and --triples of the triples: how far below the best of others."""
    library = review_library(program, folder)
    names = sorted(path.name.split(".")[0] for path in (DATA / "amazon_reviews").glob("*.jsonl.gz"))
    triples = list(itertools.permutations(names, 3))
    random.Random(1).shuffle(triples)
    for title, ways in (("pairs", list(itertools.permutations(names, 2))), ("triples", triples[:options.triples])):
        rows = []
        for way in ways:
            between = ["--intermediate", way[1]] if len(way) == 3 else []
            found = run(program, "evaluate", "transfer", library, "--source", way[0], *between, "--target", way[-1],
                        "--min-documents", 5, "--methods", ",".join(["commonplace", *(["direct"] if between else []), "svm",
                                                           *([] if options.no_factors else ["factors"])]))["methods"]
            rows.append({each["method"]: each for each in found})
        print(f"\nReviews, {len(ways)} ordered {title} of 12 domains, accuracy on the target, %:")
        for method in rows[0]:
            right = [100 * row[method]["accuracy"] for row in rows]
            print(f"  {method:12} {np.mean(right):5.1f}  ({min(right):.1f} .. {max(right):.1f})")
        ours = [row["commonplace"] for row in rows]
        below = [100 * (row["commonplace"]["accuracy"] - max(each["accuracy"] for name, each in row.items()
                                                             if name != "commonplace")) for row in rows]
        ece = [each["calibration_error"] for each in ours]
        print(f"  against the best of the others {np.mean(below):+.1f} points on average, {min(below):+.1f} at worst; "
              f"more than 1 below in {sum(each < -1 for each in below)}")
        print(f"  expected calibration error {np.mean(ece):.3f} on average, {max(ece):.3f} at most, above 0.1 in "
              f"{sum(each > 0.1 for each in ece)}; answers of one class: "
              f"{sum(each['largest_said'] > 0.99 for each in ours)}")


def office(program, folder, options):
    data = DATA / "office_caltech"
    names = ["amazon", "caltech", "dslr", "webcam"]
    methods = "commonplace,direct,factors,svm,svm-steps,latent-map-bridge,propagation,propagation-bridge,co-transfer"
    sums = {}
    for source, bridge, target in itertools.permutations(names, 3):
        files = [f"{data / name}.npy:{data / name}_labels.npy" for name in (source, bridge, target)]
        found = run(program, "evaluate", "transfer", *along(files), "--methods", methods)["methods"]
        for each in found:
            sums.setdefault(each["method"], []).append(100 * each["accuracy"])
    print("\nOffice and Caltech, 10 classes of objects, mean over all 24 triples, %:")
    for method, right in sums.items():
        print(f"  {method:19} {np.mean(right):5.1f}  ({min(right):.1f} .. {max(right):.1f})")


def picture_library(program, folder):
    """Flickr8k cut in three: captions alone, captions with pictures, pictures alone."""
    library = folder / "pictures"
    run(program, "init", library)
    photos = lines(DATA / "flickr8k" / "captions.jsonl.gz")
    image = next(key for key in photos[0] if key in ("image", "file", "filename"))
    write_lines(folder / "all.jsonl", [{"id": str(i), "image": str(DATA.resolve() / "flickr8k" / "images" /
                                                                   pathlib.Path(photo[image]).name)}
                                       for i, photo in enumerate(photos)])
    run(program, "add", library, "all", folder / "all.jsonl")
    run(program, "features", library, "all", "--name", "sift", "--image", "sift")
    rows = np.load(next((library / "features").glob("*sift*.npy")))
    return library, photos, rows


def images(program, folder, options):
    _, photos, rows = picture_library(program, folder)
    sums, wins = {}, {}
    for first, second in itertools.combinations(NOUNS, 2):
        of_class = {"first": [], "second": []}
        for i, photo in enumerate(photos):
            has = [sum(noun in re.findall(r"\w+", caption.lower()) for caption in photo["captions"]) >= 2
                   for noun in (first, second)]
            if sum(has) == 1:
                of_class["second" if has[1] else "first"].append(i)
        # As many of both, a third each for documents, captioned pictures and pictures alone.
        size = min(len(found) for found in of_class.values()) // 3
        parts = [[], [], []]
        for label, found in of_class.items():
            random.Random(first + second).shuffle(found)
            for which, part in enumerate(parts):
                part += [(i, label) for i in found[which * size:(which + 1) * size]]
        library = folder / f"{first}-{second}"
        run(program, "init", library)
        for name, part in zip(("documents", "captioned", "pictures"), parts):
            items = [{"id": str(i), "label": label,
                      **({} if name == "pictures" else {"text": " ".join(photos[i]["captions"])})}
                     for i, label in part]
            run(program, "add", library, name, write_lines(folder / "part.jsonl", items))
            if name != "documents":
                np.save(folder / "part.npy", rows[[i for i, _ in part]])
                run(program, "features", library, name, "--name", "sift", "--from", folder / "part.npy")
        found = run(program, "evaluate", "transfer", library, "--source", "documents", "--intermediate",
                    "captioned", "--target", "pictures", "--language", "english", "--stop-words",
                    "--labelled-target", "5,10,15,20,25", "--repeat", options.repeat,
                    "--methods", "commonplace,svm-steps,co-transfer,htlic,target-svm")["methods"]
        for each in found:
            sums.setdefault((each["method"], each["labelled_target"]), []).append(100 * each["accuracy"])
    print(f"\nText to pictures through captioned pictures, {len(NOUNS) * (len(NOUNS) - 1) // 2} pairs of nouns "
          "of flickr8k, accuracy by labelled pictures, %:")
    counts = sorted({count for _, count in sums})
    print(f"  {'':14}" + "".join(f"{count:>8}" for count in counts))
    for method in dict.fromkeys(method for method, _ in sums):
        print(f"  {method:14}" + "".join(f"{np.mean(sums[method, count]):8.1f}" for count in counts))


# The groups of emoji that the folders of Open Clip Art may belong to; its other folders are of none, or of several.
DRAWINGS = {"animals": ["animals-nature"], "plants": ["animals-nature"], "food": ["food-drink"],
            "transportation": ["travel-places"], "buildings": ["travel-places"], "geography": ["travel-places", "flags"],
            "people": ["people-body", "smileys-emotion"], "recreation": ["activities"], "tools": ["objects"],
            "office": ["objects"], "electronics": ["objects"], "containers": ["objects"], "education": ["objects"],
            "signs_and_symbols": ["symbols", "flags"]}


def drawings(program, folder, options):
    """From emoji to drawings, which are of other things, with the words of hundreds of authors."""
    pictures = pathlib.Path("/usr/share/openclipart/svg")
    if not pictures.is_dir() or not options.emoji:
        sys.exit("drawings need Debian's openclipart-svg and --emoji FOLDER, both as './dev demo' installs them")
    subprocess.run([pathlib.Path(__file__).parents[2] / "examples" / "demo_data.py", options.emoji, folder], check=True)
    library = folder / "library"
    run(program, "init", library)
    run(program, "add", library, "drawings", pictures, "--labels-from-folders")
    run(program, "add", library, "emoji", folder / "emoji.jsonl")
    found = run(program, "transfer", library, "--source", "emoji", "--target", "drawings", "--label-field", "group",
                "--direct", "--dry-run")
    judged = [(each["probability"], each["label"] in DRAWINGS[top]) for each in found["predictions"]
              if (top := each["item"].split("/")[0]) in DRAWINGS]
    sure, right = np.array([p for p, _ in judged]), np.array([r for _, r in judged], dtype=float)
    stage = found["stages"][-1]
    print(f"\nEmoji to drawings: {len(found['predictions']):,} drawings, answered by {stage['answer']}, "
          f"{100 * found['mean_probability']:.1f} % sure on average; expected {100 * stage['expected']:.1f} %")
    bins = np.minimum((15 * sure).astype(int), 14)
    ece = sum(abs(sure[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean() for b in set(bins))
    print(f"  {len(judged):,} in folders that are told apart: {100 * sure.mean():.1f} % sure, {100 * right.mean():.1f} % right, "
          f"expected calibration error {ece:.3f}")
    order = np.argsort(-sure)
    print("  right among the surest: " + ", ".join(
        f"{share} % of them: {100 * right[order[:max(1, len(order) * share // 100)]].mean():.1f}" for share in (10, 25, 50, 100)))


def main():
    parts = {"newsgroups": newsgroups, "sweeps": sweeps, "chain": chain, "selection": selection, "reviews": reviews, "office": office,
             "images": images, "drawings": drawings}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(part for part in parts if part not in ("selection", "drawings")))
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--triples", type=int, default=160, help="of the 1,320 ordered triples of reviews")
    parser.add_argument("--no-factors", action="store_true", help="reviews: leave factors alone out, the slowest")
    parser.add_argument("--plots", type=pathlib.Path)
    parser.add_argument("--emoji", type=pathlib.Path, help="the folder of OpenMoji")
    options = parser.parse_args()
    for name in options.only.split(","):
        with tempfile.TemporaryDirectory(prefix="commonplace-papers-") as folder:
            parts[name](options.program.resolve(), pathlib.Path(folder), options)


if __name__ == "__main__":
    main()
