#!/usr/bin/env python3
"""Re-runs the experiments behind `search`: does borrowing from better-tagged collections help?

    bench/papers/search.py PROGRAM [--splits 10] [--only flickr8k,...]

Needs the data that COMMONPLACE_DATA names (default ../shared/data). Four experiments:
  flickr8k   half of the photographs keep each word of one caption with probability 1/2 (the target),
             the others have the words of all five captions; right is what two or more of the other
             four captions say. Nothing is hidden by Commonplace: judgements are given to it.
  youtube    noisy tags of videos, borrowing from Tate's curated ones and from LabelMe's objects.
  dresden    Flickr photographs of Dresden, borrowing from old New York and from Tate.
  eyes       words find photographs that nobody tagged: the captions of 500 photographs of flickr8k ask for them, where
             0, 100 or 1,000 other photographs are captioned. Needs the encoders minilm and resnet50 (./dev models);
             only if it is named with --only.
"""
import argparse
import collections
import gzip
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

from common import has_encoders

DATA = pathlib.Path(os.environ.get("COMMONPLACE_DATA", "../shared/data"))
# Words that captions have and queries are not made of.
STOP_WORDS = set("""a about above across after against all along also am among an and another any are
around as at away back be because been before behind being below beside between both bottom but by can
could do does down during each either for four from front full get give go had has have he her here
herself him himself his how i in inside into is it its itself just last many may me more most much my
myself near next no not now of off on one only onto or other others our out over own part per put
rather same several she should show side since six so some such take ten than that the their them
themselves then there these they third this those three through to together top toward towards two
under up upon us very via was we were what when where which while who whose will with within without
would you your""".split())
PEOPLE = set("man woman boy girl people men women person".split())
STUDENT_T = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26}
# How a method is judged. Interpolated precision at a recall is the best at that recall or above; the
# 11-point mean takes it at recall 0, 0.1, .. 1.
MEASURES = {
    "MAP": lambda method: method["map"]["value"],
    "precision at recall 0.1": lambda method: method["precision_at_recall_0.1"]["value"],
    "11-point mean": lambda method: statistics.fmean(method["curve"]),
    "interpolated at 0.1": lambda method: method["curve"][1],
}
RIDGE = "word-to-word ridge (EASE) with own words"


def words_of(caption):
    return [word for word in re.findall(r"[a-z]+", caption.lower())
            if len(word) >= 3 and word not in STOP_WORDS and word not in PEOPLE]


def write_lines(path, records):
    with open(path, "w") as out:
        for record in records:
            out.write(json.dumps(record) + "\n")


class Library:
    """A library in a folder of its own, driven by the command line."""

    def __init__(self, program, folder):
        self.program, self.path = program, folder / "library"
        self.run("init", self.path)

    def run(self, *arguments, json_answer=False):
        command = [str(self.program), *map(str, arguments), "-q"] + (["--json"] if json_answer else [])
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if done.returncode not in (0, 3):  # 3: some records were skipped
            sys.exit(f"{' '.join(command)} ended with {done.returncode}")
        return json.loads(done.stdout) if json_answer else done.stdout

    def add(self, name, source, *options):
        self.run("add", self.path, name, source, *options)

    def evaluate(self, target, auxiliaries, *options):
        return self.run("evaluate", "search", self.path, "--target", target,
                        "--auxiliary", ",".join(auxiliaries), *options, json_answer=True)


def read_flickr8k():
    """(image, its five captions as lists of words that three or more photographs have)."""
    with gzip.open(DATA / "flickr8k" / "captions.jsonl.gz", "rt") as lines:
        photographs = [json.loads(line) for line in lines]
    captions = [(photo["image"], [words_of(caption) for caption in photo["captions"]])
                for photo in photographs]
    photos_with = collections.Counter(word for _, said in captions for word in set().union(*said))
    return [(image, [[word for word in caption if photos_with[word] >= 3] for caption in said])
            for image, said in captions]


def flickr8k_split(captions, seed, folder):
    """Writes target, auxiliary and same-source collections and the judgements of one split."""
    draw = random.Random(seed)
    order = list(range(len(captions)))
    draw.shuffle(order)
    target, auxiliary = order[:len(order) // 2], order[len(order) // 2:]

    def noisy(i):
        return [word for word in sorted(set(captions[i][1][0])) if draw.random() < 0.5]

    def said_by(said):
        return collections.Counter(word for caption in said for word in set(caption))

    write_lines(folder / "target.jsonl", ({"id": captions[i][0], "tags": noisy(i)} for i in target))
    write_lines(folder / "auxiliary.jsonl",
                ({"id": captions[i][0], "tags": [{"name": word, "count": count} for word, count
                                                 in sorted(said_by(captions[i][1]).items())]}
                 for i in auxiliary))
    write_lines(folder / "more.jsonl", ({"id": captions[i][0], "tags": noisy(i)} for i in auxiliary))
    relevant = collections.defaultdict(list)
    for i in target:
        for word, times in said_by(captions[i][1][1:]).items():
            if times >= 2:
                relevant[word].append(captions[i][0])
    asked = {word: items for word, items in relevant.items() if 15 <= len(items) <= 300}
    with open(folder / "judgements.tsv", "w") as out:
        for word, items in sorted(asked.items()):
            out.writelines(f"{word}\t{item}\n" for item in items)
    return len(asked)


def interval(values):
    """Mean and 95 % interval of the mean by Student's t."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, mean, mean
    half = STUDENT_T.get(len(values), 1.96) * statistics.stdev(values) / len(values) ** 0.5
    return mean, mean - half, mean + half


def cell(low_mean_high):
    return "{:.3f} ({:.3f} .. {:.3f})".format(*low_mean_high)


def run_flickr8k(program, splits, plot):
    captions = read_flickr8k()
    # method -> a list per measure of MEASURES
    rows = collections.defaultdict(lambda: tuple([] for _ in MEASURES))
    asked, borrowed = [], 0
    for seed in range(splits):
        with tempfile.TemporaryDirectory(prefix="commonplace-papers-") as name:
            folder = pathlib.Path(name)
            asked.append(flickr8k_split(captions, seed, folder))
            library = Library(program, folder)
            for collection in ("target", "auxiliary", "more"):
                library.add(collection, folder / f"{collection}.jsonl")
            evaluation = library.evaluate(
                "target", ["auxiliary"], "--judgements", folder / "judgements.tsv",
                "--same-source", "more", "--seed", seed + 1, *([] if seed < 3 else ["--no-sweep"]),
                *(["--plot", plot] if plot and seed == 0 else []))
        borrowed += evaluation["borrowed"]
        for method in evaluation["methods"]:
            label = method["method"] + (f", K = {method['shared']}" if "shared" in method else "")
            for values, measure in zip(rows[label], MEASURES.values()):
                values.append(measure(method))
        print(f"  split {seed + 1} of {splits}: {asked[-1]} queries, MAP {rows['commonplace'][0][-1]:.3f}",
              flush=True)
    print(f"\nflickr8k, {splits} splits of {statistics.fmean(asked):.0f} queries, with 95 % intervals over "
          "the splits (3 of them for K)")
    print(f"  {'':<50} " + "  ".join(f"{name:<23}" for name in MEASURES))
    for label, values in rows.items():
        print(f"  {label:<50} " + "  ".join(cell(interval(each)) for each in values))
    for other in ("own words", RIDGE):
        gains = [[a - b for a, b in zip(ours, theirs)]
                 for ours, theirs in zip(rows["commonplace"], rows[other])]
        print(f"  commonplace minus {other}: " + "  ".join(cell(interval(each)) for each in gains))
    print(f"  borrowing was chosen in {borrowed:.0f} of {splits} splits")


def run_eyes(program, asked=500, numbers=(0, 100, 1000), skip=0):
    """The photographs from `skip` on are asked for, those after them captioned."""
    with gzip.open(DATA / "flickr8k" / "captions.jsonl.gz", "rt") as lines:
        photographs = [json.loads(line) for line in lines][skip:skip + asked + max(numbers)]
    pictures = (DATA / "flickr8k" / "images").resolve()

    def record(photo, captions):
        return {"id": photo["image"], "image": str(pictures / photo["image"]),
                **({"text": "\n".join(photo["captions"])} if captions else {})}

    print(f"\nflickr8k: {5 * asked} captions ask for {asked} photographs that nobody tagged; of these captions, in %, "
          "their photograph is among the first")
    print(f"  {'captioned photographs':<24}{'1':>8}{'5':>8}{'10':>8}{'median rank':>14}{'nothing fits':>15}")
    with tempfile.TemporaryDirectory(prefix="commonplace-papers-") as name:
        folder = pathlib.Path(name)
        library = Library(program, folder)
        write_lines(folder / "asked.jsonl", (record(photo, False) for photo in photographs[:asked]))
        library.add("photos", folder / "asked.jsonl")
        library.run("features", library.path, "photos", "--encoder", "resnet50")
        with open(folder / "queries.tsv", "w") as out:
            out.writelines(f"{' '.join(caption.split())}\t{photo['image']}\n"
                           for photo in photographs[:asked] for caption in photo["captions"])
        for number in numbers:
            captioned = []
            if number:
                captioned = [f"captioned{number}"]
                write_lines(folder / "captioned.jsonl",
                            (record(photo, True) for photo in photographs[asked:asked + number]))
                library.add(captioned[0], folder / "captioned.jsonl")
                library.run("features", library.path, captioned[0], "--encoder", "resnet50")
            library.run("learn", library.path, "search", "--target", "photos",
                        *(["--auxiliary", *captioned] if captioned else []))
            found = library.run("evaluate", "search", library.path, "--target", "photos",
                                "--ask", folder / "queries.tsv", json_answer=True)
            print(f"  {number:<24}" + "".join(f"{100 * found[key]:>8.1f}" for key in
                                              ("found_first", "found_in_5", "found_in_10")) +
                  f"{found['median_rank']:>14.0f}{100 * found['nothing']:>15.1f}", flush=True)


SOURCES = {
    "youtube": ("youtube/videos.jsonl.gz", []),
    "dresden": ("flickr_dresden/photos.jsonl.gz", []),
    "tate": ("tate/artworks.jsonl.gz", ["--map", "tags=tag_paths"]),
    "oldnyc": ("oldnyc/photos.jsonl.gz", []),
    "labelme": ("labelme_facade/image_tags.tsv", ["--columns", "image,tags", "--tag-separator", " "]),
}


def run_pairs(program, target, auxiliaries, repeat):
    with tempfile.TemporaryDirectory(prefix="commonplace-papers-") as name:
        library = Library(program, pathlib.Path(name))
        for collection in (target, *auxiliaries):
            path, options = SOURCES[collection]
            library.add(collection, DATA / path, *options)
        for auxiliary in auxiliaries:
            evaluation = library.evaluate(target, [auxiliary], "--repeat", repeat, "--no-sweep")
            print(f"\n{target} borrowing from {auxiliary}: {evaluation['asked']:.0f} hidden tags asked "
                  f"for, {repeat} repetitions: MAP and precision at recall 0.1, with 95 % intervals")
            for method in evaluation["methods"]:
                cells = [cell((measure["value"], measure["low"], measure["high"])) for measure
                         in (method["map"], method["precision_at_recall_0.1"])]
                print(f"  {method['method']:<50} {cells[0]}  {cells[1]}")
            gain = evaluation["over_own_words"]
            print(f"  commonplace minus own words: {cell((gain['value'], gain['low'], gain['high']))}")
            print(f"  borrowing was chosen in {evaluation['borrowed']:.0%} of the repetitions", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--splits", type=int, default=10, help="of flickr8k")
    parser.add_argument("--repeat", type=int, default=3, help="of the pairs")
    parser.add_argument("--only", help="default: flickr8k,youtube,dresden, and eyes where its encoders are installed")
    parser.add_argument("--skip", type=int, default=0, help="photographs that eyes leaves out, to choose designs on others")
    parser.add_argument("--plot", default="", help="an SVG file for the first split's curves")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"{DATA} is not there: set COMMONPLACE_DATA to the folder of the data sets")
    also = ",eyes" if has_encoders(arguments.program, "minilm", "resnet50") else ""
    chosen = (arguments.only or "flickr8k,youtube,dresden" + also).split(",")
    if "flickr8k" in chosen:
        run_flickr8k(arguments.program, arguments.splits, arguments.plot)
    if "eyes" in chosen:
        run_eyes(arguments.program, skip=arguments.skip)
    if "youtube" in chosen:
        run_pairs(arguments.program, "youtube", ["tate", "labelme"], arguments.repeat)
    if "dresden" in chosen:
        run_pairs(arguments.program, "dresden", ["oldnyc", "tate"], arguments.repeat)


if __name__ == "__main__":
    main()
