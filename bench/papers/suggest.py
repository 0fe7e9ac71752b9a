#!/usr/bin/env python3
"""Re-runs the experiments behind `suggest`: how well are tags told, and how honest is the confidence?

    bench/papers/suggest.py PROGRAM [--only bibtex,...] [--baselines logistic,knn,popular]

Needs the data that COMMONPLACE_DATA names (default ../shared/data):
  bibtex, delicious, rcv1sub1, stackex_cs, stackex_cooking, citeulike_t   their own train and test files
  bookmarks   from a library; the earlier half of the tagged bookmarks trains, the later half tests
  people      the bookmarks of each person, oldest to newest: what is claimed beside what is real
  timed       the same for photographs and works of art with dates
  folds       the same for drawn items: a fifth of each training file after the other is asked for by the rest
  letter, pendigits   the classifier alone: prototypes chosen by descent, by information gain, at random
Each data set is learned with 10 % prototypes and with as many as validation on the training items asks
for; the test items are looked at once, by the figures printed.
"""
import argparse
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
FILES = ["bibtex", "delicious", "rcv1sub1", "stackex_cs", "stackex_cooking", "citeulike_t"]
OTHERS = ["bookmarks", "people", "timed", "folds"]
CLASSES = ["letter", "pendigits"]


def run(program, *arguments):
    command = [str(program), *map(str, arguments), "-q", "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 3):  # 3: some records were skipped
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    return json.loads(done.stdout) if done.stdout.strip().startswith("{") else done.stdout


def percent(*shares):
    return "/".join(f"{100 * share:.1f}" for share in shares)


def show(results):
    for result in results:
        low, high = result["precision@1_interval"]
        sure = f"{result['calibration_error']:.3f}" if "calibration_error" in result else "     "
        claimed = f"{100 * result['claimed']['precision@1']:7.1f}" if "claimed" in result else "       "
        print(f"  {result['method']:<34} {result['prototypes'] or '':>5}  "
              f"{percent(*(result[f'precision@{k}'] for k in (1, 3, 5))):<15} "
              f"({percent(low)} .. {percent(high)})  {result['ndcg@5']:.3f}  "
              f"{result['popular_ndcg@5']:.3f}/{result['rare_ndcg@5']:.3f}  {sure}  {claimed}  "
              f"{result['train_seconds']:8.1f}", flush=True)


def suggest(program, name, source, baselines):
    at_most = run(program, "evaluate", "suggest", *source, "--prototypes", "10%", "--baselines", baselines)
    print(f"\n{name}: {at_most['train_items']} items to learn from, {at_most['test_items']} asked for "
          f"({at_most['untagged_test_items']} more have no tags), "
          f"{at_most['features']} features, {at_most['tags']} tags")
    print(f"  {'':<34} {'M':>5}  {'P@1/3/5, %':<15} {'(P@1, 95 %)':<16} nDCG@5 popular/rare  "
          "ECE  claimed  seconds to learn")
    show(at_most["methods"])
    chosen = run(program, "evaluate", "suggest", *source, "--methods", "combined", "--baselines", "none")
    chosen["methods"][0]["method"] += ", auto"
    show(chosen["methods"])


def claims(program, name, library, share):
    """What learning from the oldest items claims of itself, beside what came true for the newest."""
    result = run(program, "evaluate", "suggest", library, "--collection", name, "--split", "time",
                 "--test-share", share, "--methods", "combined", "--baselines", "none")
    method = result["methods"][0]
    claimed, shown, rare = method["claimed"], method["shown"], method["shown_rare"]

    def difference(each):
        low, high = each["interval"]
        return (f"{100 * each['value']:+5.1f} ({100 * low:+5.1f} .. {100 * high:+5.1f})"
                + ("" if low <= 0 <= high else " OUTSIDE"))

    print(f"  {name:<14} {result['train_items']:>5} -> {result['test_items']:<5} "
          f"P@1 claimed {100 * claimed['precision@1']:4.1f} real {100 * method['precision@1']:4.1f} "
          f"{difference(claimed['real_less_claimed'])}   shown {shown['suggestions']:>5}: "
          f"sure {100 * shown['confidence']:4.1f} right {100 * shown['right']:4.1f} "
          f"{difference(claimed['right_less_confidence'])}   rare {rare['suggestions']:>4}: "
          f"sure {100 * rare['confidence']:4.1f} right {100 * rare['right']:4.1f}", flush=True)


def people(program, scratch):
    """Each person of the bookmarks by themselves."""
    of_user = {}
    with gzip.open(DATA / "bookmarks" / "bookmarks.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            of_user.setdefault(json.loads(line)["user"], []).append(line)
    library = pathlib.Path(scratch) / "people"
    run(program, "init", library)
    print("\nbookmarks of each person, oldest items -> newest items; in %, with 95 % intervals of the differences")
    for user, lines in sorted(of_user.items()):
        source = pathlib.Path(scratch) / f"{user}.jsonl"
        source.write_text("".join(lines), encoding="utf-8")
        run(program, "add", library, user, source)
        for share in (0.2, 0.5):
            claims(program, user, library, share)


def timed(program, scratch):
    """Things with titles, tags and dates: old photographs of New York, and every sixth dated work of Tate's."""
    library = pathlib.Path(scratch) / "timed"
    run(program, "init", library)
    print("\nothers by their titles, oldest items -> newest items; in %, with 95 % intervals of the differences")
    for name, path, tags, dates, nth in (("oldnyc", "oldnyc/photos.jsonl.gz", "tags", r".+", 1),
                                         ("tate", "tate/artworks.jsonl.gz", "tag_paths", r"\d{4}", 6)):
        source = pathlib.Path(scratch) / f"{name}.jsonl"
        with gzip.open(DATA / path, "rt", encoding="utf-8") as lines, source.open("w") as file:
            dated = (item for item in map(json.loads, lines)
                     if item["title"] and item[tags] and re.fullmatch(dates, item["date"] or ""))
            for number, item in enumerate(dated):
                if number % nth == 0:
                    file.write(json.dumps({"id": str(number), "title": item["title"], "text": item.get("text") or "",
                                           "tags": item[tags], "time": item["date"]}) + "\n")
        run(program, "add", library, name, source)
        for share in (0.2, 0.5):
            claims(program, name, library, share)


def folds(program, scratch, count=5):
    """Whether claims are too high or too low on average, by training files alone."""
    print(f"\ntraining files in {count} parts, each asked for by the others: P@1 claimed and real, in %")
    all_differences, outside = [], 0
    for name in ("bibtex", "stackex_cs", "stackex_cooking", "rcv1sub1"):
        with gzip.open(DATA / name / "train.txt.gz", "rt", encoding="utf-8") as file:
            header, *items = file.read().splitlines()
        shape = " ".join(header.split()[1:])
        order = list(range(len(items)))
        random.Random(7).shuffle(order)
        pairs = []
        for fold in range(count):
            asked = set(order[fold::count])
            for part in ("train", "test"):
                lines = [line for i, line in enumerate(items) if (i in asked) == (part == "test")]
                (pathlib.Path(scratch) / f"{part}.txt").write_text(f"{len(lines)} {shape}\n" + "\n".join(lines) + "\n")
            method = run(program, "evaluate", "suggest", "--train", pathlib.Path(scratch) / "train.txt", "--test",
                         pathlib.Path(scratch) / "test.txt", "--methods", "combined", "--baselines", "none",
                         "--prototypes", "10%")["methods"][0]
            low, high = method["claimed"]["real_less_claimed"]["interval"]
            outside += not low <= 0 <= high
            pairs.append((100 * method["claimed"]["precision@1"], 100 * method["precision@1"]))
        differences = [real - claimed for claimed, real in pairs]
        all_differences += differences
        print(f"  {name:<16}" + "  ".join(f"{claimed:.1f} {real:.1f}" for claimed, real in pairs)
              + f"   real less claimed {sum(differences) / count:+.1f} on average", flush=True)
    error = (statistics.variance(all_differences) / len(all_differences)) ** 0.5
    print(f"  all: {statistics.mean(all_differences):+.2f} +- {error:.2f} points; outside the interval {outside} "
          f"of {len(all_differences)}")


def classify(program, name, repeat):
    result = run(program, "evaluate", "classify", "--csv", DATA / "uci" / f"{name}.csv.gz",
                 "--repeat", repeat, "--prototypes", "0.5%,1%,2%,5%,10%,20%")
    print(f"\n{name}: {result['train_items']} of {result['items']} items to learn from, "
          f"{result['classes']} classes, {repeat} repetitions; error in %, with 95 % intervals")
    for each in result["methods"]:
        error = [f"{100 * each['error'][part]:.2f}" for part in ("value", "low", "high")]
        print(f"  {each['method']:<6} {each.get('selection', ''):<8} {each['prototypes']:>6} prototypes  "
              f"{error[0]} ({error[1]} .. {error[2]})  {each['train_seconds']:.1f} s to learn", flush=True)
    for each in result["descent_minus_random"]:
        error = [f"{100 * each['error'][part]:.2f}" for part in ("value", "low", "high")]
        likelihood = [f"{each['log_likelihood'][part]:.4f}" for part in ("value", "low", "high")]
        print(f"  descent minus random, {each['prototypes']}: error {error[0]} ({error[1]} .. {error[2]}), "
              f"log likelihood {likelihood[0]} ({likelihood[1]} .. {likelihood[2]})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--only", default=",".join(FILES + OTHERS + CLASSES))
    parser.add_argument("--baselines", default="logistic,knn,popular")
    parser.add_argument("--encoder", help="bookmarks: only with this beside the words; else without, and with minilm "
                                          "where that is installed")
    parser.add_argument("--repeat", type=int, default=3, help="of letter and pendigits")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"{DATA} is not there: set COMMONPLACE_DATA to the folder of the data sets")
    for name in arguments.only.split(","):
        if name in FILES:
            folder = DATA / name
            suggest(arguments.program, name,
                    ["--train", folder / "train.txt.gz", "--test", folder / "test.txt.gz"],
                    arguments.baselines)
        elif name == "bookmarks":
            with tempfile.TemporaryDirectory(prefix="commonplace-papers-") as scratch:
                library = pathlib.Path(scratch) / "library"
                run(arguments.program, "init", library)
                run(arguments.program, "add", library, name, DATA / name / "bookmarks.jsonl.gz")
                source = [library, "--collection", name, "--split", "time"]
                encoder = arguments.encoder
                if not encoder:
                    suggest(arguments.program, name, source, arguments.baselines)
                    encoder = "minilm" if has_encoders(arguments.program, "minilm") else None
                if encoder:
                    run(arguments.program, "features", library, name, "--encoder", encoder)
                    suggest(arguments.program, f"{name}, with {encoder}", source, "none")
        elif name == "people":
            with tempfile.TemporaryDirectory(prefix="commonplace-papers-") as scratch:
                people(arguments.program, scratch)
        elif name in ("timed", "folds"):
            with tempfile.TemporaryDirectory(prefix="commonplace-papers-") as scratch:
                (timed if name == "timed" else folds)(arguments.program, scratch)
        elif name in CLASSES:
            classify(arguments.program, name, arguments.repeat)
        else:
            sys.exit(f"'{name}' is not known; give {', '.join(FILES + OTHERS + CLASSES)}")


if __name__ == "__main__":
    main()
