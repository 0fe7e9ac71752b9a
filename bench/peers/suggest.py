#!/usr/bin/python3
"""Tag suggestion and classification beside others' programs, in one run on one machine.

    bench/peers/suggest.py PROGRAM [--data bibtex] [--gp-items 1000] [--skip NAME,...]

PROGRAM is commonplace. Suggestion, on a data set in the XC form (COMMONPLACE_DATA, default
../shared/data): `commonplace evaluate suggest` with 10 % prototypes and its baselines, of which logistic
is liblinear one-vs-rest; scikit-learn's one-vs-rest logistic regression by liblinear, and fastText with
one-vs-all losses, which is told which words an item has but not how much they weigh. Classification, on items of pendigits: `commonplace evaluate classify` and
scikit-learn's GaussianProcessClassifier with its kernel fitted, which takes time by the cube of the
items. All may use the processors there are. Every peer runs in a process of its own, of which the
memory is the most that it had and, if it has helpers, the largest of them; seconds do not include
reading the data, but fastText's do. Of `classify` they do not include the tuning of its kernel either,
which scikit-learn's do.
Names to skip: ours, logistic, fasttext, gaussian.
"""
import argparse
import csv
import gzip
import json
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

# Before numpy is loaded: Debian's OpenBLAS takes a processor it does not know for one of 2004.
flags = pathlib.Path("/proc/cpuinfo").read_text()
os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX" if "avx512f" in flags else "Haswell")

DATA = pathlib.Path(os.environ.get("COMMONPLACE_DATA", "../shared/data"))
DEPTHS = (1, 3, 5)
PROCESSORS = len(os.sched_getaffinity(0))


def read_xc(path):
    """(columns, tags, items), where an item is (its tags, its features as (column, value))."""
    items = []
    with gzip.open(path, "rt") as lines:
        _, columns, tags = map(int, next(lines).split())
        for line in lines:
            labels, *features = line.rstrip("\n").split(" ")
            pairs = [feature.split(":") for feature in features if feature]
            items.append(([int(tag) for tag in labels.split(",") if tag],
                          [(int(column), float(value)) for column, value in pairs]))
    return columns, tags, items


def precisions(suggested, items):
    """Of the best suggestions of each item, the share that it has."""
    return {f"precision@{depth}": sum(len(set(tags) & set(best[:depth])) / depth
                                      for best, (tags, _) in zip(suggested, items)) / len(items)
            for depth in DEPTHS}


def peak(who=resource.RUSAGE_SELF):
    return resource.getrusage(who).ru_maxrss * 1024


def matrix(items, columns):
    import scipy.sparse
    rows = [row for row, (_, features) in enumerate(items) for _ in features]
    where = [column for _, features in items for column, _ in features]
    values = [value for _, features in items for _, value in features]
    return scipy.sparse.csr_matrix((values, (rows, where)), shape=(len(items), columns))


def peer_logistic(train_file, test_file):
    import warnings

    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    warnings.simplefilter("ignore")  # of tags that no item has
    columns, tags, train = read_xc(train_file)
    _, _, test = read_xc(test_file)
    x, x_test = matrix(train, columns), matrix(test, columns)
    y = np.zeros((len(train), tags), dtype=np.int8)
    for row, (own, _) in enumerate(train):
        y[row, own] = 1
    start = time.perf_counter()
    model = OneVsRestClassifier(LogisticRegression(solver="liblinear"), n_jobs=PROCESSORS).fit(x, y)
    trained = time.perf_counter()
    scores = model.predict_proba(x_test)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :max(DEPTHS)]
    done = time.perf_counter()
    return {"method": "scikit-learn logistic", "train_seconds": trained - start,
            "predict_seconds": done - trained, "peak_memory_bytes": peak() + peak(resource.RUSAGE_CHILDREN),
            **precisions(best.tolist(), test)}


def write_fasttext(path, items, labels):
    with open(path, "w") as out:
        for tags, features in items:
            words = [f"w{column}" for column, value in features if value != 0]
            if labels and not tags:
                continue
            out.write(" ".join([f"__label__{tag}" for tag in tags if labels] + words) + "\n")


def peer_fasttext(train_file, test_file):
    _, _, train = read_xc(train_file)
    _, _, test = read_xc(test_file)
    with tempfile.TemporaryDirectory(prefix="commonplace-bench-") as scratch:
        folder = pathlib.Path(scratch)
        write_fasttext(folder / "train", train, True)
        write_fasttext(folder / "test", test, False)
        start = time.perf_counter()
        subprocess.run(["fasttext", "supervised", "-input", folder / "train", "-output",
                        folder / "model", "-loss", "one-vs-all", "-epoch", "50", "-lr", "0.5",
                        "-minCount", "1", "-thread", str(PROCESSORS), "-verbose", "0"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        trained = time.perf_counter()
        lines = subprocess.run(["fasttext", "predict", folder / "model.bin", folder / "test",
                                str(max(DEPTHS))], check=True, stdout=subprocess.PIPE,
                               text=True).stdout.splitlines()
        done = time.perf_counter()
    best = [[int(label.removeprefix("__label__")) for label in line.split()] for line in lines]
    if len(best) != len(test):
        sys.exit(f"fastText answered {len(best)} of {len(test)} items")
    return {"method": "fastText one-vs-all", "train_seconds": trained - start,
            "predict_seconds": done - trained, "peak_memory_bytes": peak(resource.RUSAGE_CHILDREN),
            **precisions(best, test)}


def read_classes(path):
    with open(path) as lines:
        rows = list(csv.reader(lines))[1:]
    return ([[float(value) for value in row[:-1]] for row in rows], [row[-1].strip() for row in rows])


def peer_gaussian(train_file, test_file):
    import numpy as np
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel
    x, y = read_classes(train_file)
    x_test, y_test = read_classes(test_file)
    x, x_test = np.array(x), np.array(x_test)
    middle, width = x.mean(axis=0), x.std(axis=0) + 1e-12
    kernel = ConstantKernel(1.0) * RBF(np.sqrt(x.shape[1]))
    start = time.perf_counter()
    model = GaussianProcessClassifier(kernel, n_jobs=PROCESSORS, random_state=1).fit(
        (x - middle) / width, y)
    trained = time.perf_counter()
    found = model.predict((x_test - middle) / width)
    done = time.perf_counter()
    return {"method": "scikit-learn GP", "train_seconds": trained - start,
            "predict_seconds": done - trained, "peak_memory_bytes": peak() + peak(resource.RUSAGE_CHILDREN),
            "accuracy": float(np.mean(found == np.array(y_test)))}


PEERS = {"logistic": peer_logistic, "fasttext": peer_fasttext, "gaussian": peer_gaussian}


def run_peer(name, train_file, test_file):
    """In a process of its own, so that its memory is its own."""
    lines = subprocess.run([sys.executable, __file__, "--peer", name, str(train_file), str(test_file)],
                           check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return json.loads(lines[-1])


def run_ours(program, *arguments):
    result = subprocess.run([program, "evaluate", *map(str, arguments), "-q", "--json"],
                            stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(result.stdout)["methods"]


def classify_ours(program, source, share):
    """The sparse and the full process, one draw of the same sizes."""
    rows = run_ours(program, "classify", "--csv", source, "--train-share", share, "--repeat", 1,
                    "--prototypes", "10%", "--selection", "descent", "--no-ivm", "--no-surface")
    return [{"method": f"commonplace, {row['method']}", "train_seconds": row["train_seconds"],
             "predict_seconds": row["predict_seconds"], "accuracy": 1 - row["error"]["value"]}
            for row in rows]


def show(title, rows, items, measures, reference):
    """A table; ratios are to the first row, or to the one that `reference` names."""
    print(f"\n{title}")
    if not rows:
        print("  nothing was run")
        return
    base = next((row for row in rows if row["method"] == reference), rows[0])
    print(f"{'method':32}{'train s':>10}{'items/s':>11}{'MB':>8}"
          + "".join(f"{name:>13}" for name in measures) + f"{'train ratio':>13}{'speed ratio':>13}")
    for row in rows:
        speed, base_speed = (items / max(1e-9, one["predict_seconds"]) for one in (row, base))
        print(f"{row['method']:32}{row['train_seconds']:>10.2f}{speed:>11,.0f}"
              f"{row['peak_memory_bytes'] / 1e6 if 'peak_memory_bytes' in row else 0:>8.0f}"
              + "".join(f"{row[name]:>13.4f}" if name in row else f"{'-':>13}" for name in measures)
              + f"{row['train_seconds'] / max(1e-9, base['train_seconds']):>13.2f}"
              + f"{speed / base_speed:>13.2f}")
    print(f"ratios are to {base['method']}: seconds of training, items a second in prediction")


def suggestion(arguments, skip):
    folder = DATA / arguments.data
    files = folder / "train.txt.gz", folder / "test.txt.gz"
    if not all(path.exists() for path in files):
        print(f"suggestion is skipped: {folder} has no train.txt.gz and test.txt.gz")
        return
    rows = [] if "ours" in skip else run_ours(
        arguments.program, "suggest", "--train", files[0], "--test", files[1], "--prototypes", "10%",
        "--methods", "tags,combined", "--baselines", "logistic,knn,popular")
    if "logistic" not in skip:
        rows.append(run_peer("logistic", *files))
    if "fasttext" not in skip:
        if shutil.which("fasttext"):
            rows.append(run_peer("fasttext", *files))
        else:
            print("fastText is skipped: install the package fasttext")
    items = len(read_xc(files[1])[2])
    show(f"{arguments.data}: {items:,} items to suggest tags for", rows, items,
         [f"precision@{depth}" for depth in DEPTHS], arguments.reference)


def classification(arguments, skip):
    source = DATA / "uci" / "pendigits.csv.gz"
    if not source.exists():
        print(f"classification is skipped: there is no {source}")
        return
    with gzip.open(source, "rt") as lines:
        head, *body = lines.read().splitlines()
    random.Random(1).shuffle(body)
    parts = {"train.csv": body[:arguments.gp_items],
             "test.csv": body[arguments.gp_items:3 * arguments.gp_items]}
    with tempfile.TemporaryDirectory(prefix="commonplace-bench-") as scratch:
        files = [pathlib.Path(scratch) / name for name in parts]
        for path, part in zip(files, parts.values()):
            path.write_text("\n".join([head, *part]) + "\n")
        both = pathlib.Path(scratch) / "both.csv"
        both.write_text("\n".join([head, *sum(parts.values(), [])]) + "\n")
        rows = [] if "ours" in skip else classify_ours(arguments.program, both, 1 / 3)
        if "gaussian" not in skip:
            rows.append(run_peer("gaussian", *files))
    items = len(parts["test.csv"])
    show(f"pendigits: {arguments.gp_items:,} items learned, {items:,} classified", rows, items,
         ["accuracy"], arguments.reference)


def main():
    if sys.argv[1:2] == ["--peer"]:
        print(json.dumps(PEERS[sys.argv[2]](*sys.argv[3:5])))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--data", default="bibtex", help="a folder of the XC form")
    parser.add_argument("--gp-items", type=int, default=1000, help="that the Gaussian process learns")
    parser.add_argument("--skip", default="", help="ours, logistic, fasttext, gaussian")
    parser.add_argument("--reference", default="", help="method that ratios are to; the first one")
    arguments = parser.parse_args()
    skip = set(filter(None, arguments.skip.split(",")))
    suggestion(arguments, skip)
    classification(arguments, skip)


if __name__ == "__main__":
    main()
