#!/usr/bin/python3
"""The guided projection beside SciPy's dense solver and scikit-learn's CCA, on the same made-up items.

    bench/peers/relate.py BENCH_RELATE [--items 2000,8000] [--features 256] [--tags 300]

All three learn 30 coordinates of items with features and of tags, from the same links, one after the
other in one run. SciPy solves the same generalised eigenproblem (its eigenvalues are compared with ours);
CCA gets a pair a link.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

# Before numpy is loaded: Debian's OpenBLAS takes a processor it does not know for one of 2004.
flags = pathlib.Path("/proc/cpuinfo").read_text()
os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX" if "avx512f" in flags else "Haswell")

import numpy  # noqa: E402
import scipy.linalg  # noqa: E402
from sklearn.cross_decomposition import CCA  # noqa: E402

DIM = 30
GAMMA = 0.1


def make(items, features, tags, random):
    topics = random.normal(size=(20, features))
    topic = random.integers(0, 20, items)
    rows = (topics[topic] + 2 * random.normal(size=(items, features))).astype(numpy.float32)
    links = set()
    for item in range(items):
        for _ in range(4):
            own = random.random() < 0.8
            tag = topic[item] * (tags // 20) + random.integers(tags // 20) if own else random.integers(tags)
            links.add((item, int(tag)))
    return rows, sorted(links)


def by_scipy(rows, links, tags):
    """A p = lambda B p with balanced links, as the program has it."""
    begin = time.perf_counter()
    rows = rows.astype(float)
    given = numpy.zeros((len(rows), tags))
    for item, tag in links:
        given[item, tag] = 1
    balanced = given - numpy.outer(given.sum(1), given.sum(0)) / given.sum()
    blocks = []
    kinds = [(rows, given.sum(1)), (numpy.eye(tags), given.sum(0))]
    for features, degree in kinds:
        centred = features - degree @ features / degree.sum()
        gram = (centred * degree[:, None]).T @ centred
        blocks.append((centred, gram + GAMMA * numpy.trace(gram) / len(gram) * numpy.eye(len(gram))))
    across = -blocks[0][0].T @ balanced @ blocks[1][0]
    n, m = across.shape
    a = numpy.block([[numpy.zeros((n, n)), across], [across.T, numpy.zeros((m, m))]])
    b = scipy.linalg.block_diag(blocks[0][1], blocks[1][1])
    values = scipy.linalg.eigh(a, b, subset_by_index=[0, DIM - 1], eigvals_only=False)[0]
    return time.perf_counter() - begin, values


def by_cca(rows, links, tags):
    begin = time.perf_counter()
    left = rows[[item for item, _ in links]]
    right = numpy.zeros((len(links), tags), dtype=numpy.float32)
    right[numpy.arange(len(links)), [tag for _, tag in links]] = 1
    CCA(n_components=DIM, max_iter=100).fit(left, right)
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--items", default="2000,8000")
    parser.add_argument("--features", type=int, default=256)
    parser.add_argument("--tags", type=int, default=300)
    arguments = parser.parse_args()
    random = numpy.random.default_rng(1)
    print("items   ours s   scipy eigh s (ratio)   sklearn CCA s (ratio)   eigenvalues differ by")
    for items in map(int, arguments.items.split(",")):
        rows, links = make(items, arguments.features, arguments.tags, random)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            numpy.save(folder / "x.npy", rows)
            (folder / "links.csv").write_text("".join(f"{item},{tag}\n" for item, tag in links))
            ours = json.loads(subprocess.check_output(
                [arguments.program, "files", folder / "x.npy", folder / "links.csv", str(DIM), str(GAMMA)]))
        seconds, values = by_scipy(rows, links, max(tag for _, tag in links) + 1)
        cca = by_cca(rows, links, arguments.tags)
        differ = abs(numpy.array(ours["eigenvalues"]) - values).max()
        print(f"{items:>5} {ours['seconds']:8.2f} {seconds:12.2f} ({seconds / ours['seconds']:.1f}) "
              f"{cca:14.1f} ({cca / ours['seconds']:.0f}) {differ:22.1e}", flush=True)


if __name__ == "__main__":
    main()
