#!/usr/bin/env python3
"""Compares the estimators with scikit-learn's on the same data in one run: seconds, memory, quality.

    bench/peers/python.py [NAME ...]
"""

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

TASKS = {}


def task(function):
    TASKS[function.__name__] = function
    return function


def halves(X, y, train, seed):
    order = np.random.default_rng(seed).permutation(len(y))
    return X[order[:train]], X[order[train:]], y[order[:train]], y[order[train:]]


def digits(train, seed=0):
    from sklearn.datasets import load_digits
    from sklearn.preprocessing import StandardScaler

    X, y = load_digits(return_X_y=True)
    return halves(StandardScaler().fit_transform(X).astype(np.float32), y, train, seed)


def topics():
    import scipy.sparse as sp

    draw = np.random.default_rng(0)
    basis = draw.dirichlet(np.full(2000, 0.02), 20)
    codes = draw.gamma(0.2, 5.0, (3000, 20))
    return sp.csr_matrix(draw.poisson(codes @ basis * 10).astype(np.float32))


@task
def nmf():
    """3,000 x 2,000 counts, 20 topics; quality: share of the squares explained."""
    import commonplace as cp
    from sklearn.decomposition import NMF

    X = topics()
    total = X.multiply(X).sum()

    def explained(codes, components):
        rest = total - 2 * np.sum(codes * (X @ components.T)) + np.sum(
            (codes.T @ codes) * (components @ components.T))
        return 1 - rest / total

    def ours():
        model = cp.SharedSubspace(n_components=20, n_jobs=2).fit(X)
        return lambda: explained(model.transform(X), model.components_)

    def peer(solver):
        def run():
            model = NMF(20, init="random", solver=solver, max_iter=200, random_state=0)
            codes = model.fit_transform(X)
            return lambda: explained(codes, model.components_)
        return run

    return {"SharedSubspace": ours, "NMF cd": peer("cd"), "NMF mu": peer("mu")}


@task
def gp():
    """600 digits of 64 features, 10 classes; quality: share right, and mean log likelihood."""
    import commonplace as cp
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF

    X, Xt, y, yt = digits(600)

    def judged(model):
        def judge():
            sure = model.predict_proba(Xt)
            return float((model.predict(Xt) == yt).mean()), float(np.log(sure[np.arange(len(yt)), yt]).mean())
        return judge

    return {
        "SparseGPClassifier": lambda: judged(cp.SparseGPClassifier(n_prototypes=200, n_jobs=2).fit(X, y)),
        "GaussianProcessClassifier": lambda: judged(
            GaussianProcessClassifier(RBF(8.0), n_jobs=2, random_state=0).fit(X, y)),
    }


@task
def tags():
    """4,000 items of 500 sparse features and 60 tags; quality: first tag right."""
    import commonplace as cp
    from scipy.sparse import csr_matrix
    from sklearn.datasets import make_multilabel_classification
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    X, Y = make_multilabel_classification(6000, n_features=500, n_classes=60, n_labels=4, random_state=0)
    X = csr_matrix(X.astype(np.float32))

    def judged(model):
        def judge():
            best = np.asarray(model.predict_proba(X[4000:])).argmax(axis=1)
            return float(Y[4000:][np.arange(2000), best].mean())
        return judge

    return {
        "TagSuggester": lambda: judged(cp.TagSuggester(n_jobs=2).fit(X[:4000], csr_matrix(Y[:4000]))),
        "OneVsRest(LogisticRegression)": lambda: judged(
            OneVsRestClassifier(LogisticRegression(max_iter=1000), n_jobs=2).fit(X[:4000], Y[:4000])),
    }


@task
def few_labels():
    """1,797 digits, 50 of them labelled, 5 draws; quality: share right of the others."""
    import commonplace as cp
    from sklearn.manifold import SpectralEmbedding
    from sklearn.semi_supervised import LabelSpreading
    from sklearn.svm import LinearSVC

    draws = []
    for seed in range(5):
        X, Xt, y, yt = digits(50, seed)
        draws.append((np.vstack([X, Xt]), np.concatenate([y, np.full(len(yt), -1)]), yt))

    def in_all(answer):
        def run():
            found = [answer(X, some) for X, some, _ in draws]
            return lambda: float(np.mean([(each == yt).mean() for each, (_, _, yt) in zip(found, draws)]))
        return run

    def spectral(X, some):
        coordinates = 100 * SpectralEmbedding(30, random_state=0, n_jobs=2).fit_transform(X)
        return LinearSVC(dual=True).fit(coordinates[:50], some[:50]).predict(coordinates[50:])

    return {
        "ConceptDetector": in_all(lambda *data: cp.ConceptDetector(n_jobs=2).fit(*data).transduction_[50:]),
        "LabelSpreading": in_all(lambda *data: LabelSpreading(
            kernel="knn", n_neighbors=7, n_jobs=2).fit(*data).transduction_[50:]),
        "SpectralEmbedding + LinearSVC": in_all(spectral),
    }


@task
def views():
    """4,000 pairs in two views of 100 and 80 features, of 10 meanings; quality: the right one is first of 1,000."""
    import commonplace as cp
    import scipy.sparse as sp
    from sklearn.cross_decomposition import CCA

    draw = np.random.default_rng(0)
    meaning = draw.normal(size=(5000, 10))
    A = (meaning @ draw.normal(size=(10, 100)) + 1.5 * draw.normal(size=(5000, 100))).astype(np.float32)
    B = (meaning @ draw.normal(size=(10, 80)) + 1.5 * draw.normal(size=(5000, 80))).astype(np.float32)

    def first(a, b, weights):
        a = a / np.linalg.norm(a * weights, axis=1, keepdims=True)
        b = b / np.linalg.norm(b, axis=1, keepdims=True)
        near = (a * weights) @ b.T
        return float((near.argmax(axis=1) == np.arange(len(a))).mean())

    def ours():
        model = cp.GuidedProjection(n_components=10, n_jobs=2).fit(
            [A[:4000], B[:4000]], links=[(0, 1, sp.identity(4000))])
        return lambda: first(model.transform(A[4000:]), model.transform(B[4000:], view=1), model.strength_)

    def cca():
        model = CCA(10, max_iter=1000).fit(A[:4000], B[:4000])
        return lambda: first(*model.transform(A[4000:], B[4000:]), 1.0)

    return {"GuidedProjection": ours, "CCA": cca}


def memory(line):
    """A line of /proc/self/status, in kB."""
    return int(re.search(rf"{line}:\s+(\d+)", Path("/proc/self/status").read_text()).group(1))


def run(name, method):
    """Runs one method in this process and prints what it took."""
    methods = TASKS[name]()
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before = memory("VmRSS")
    begin = time.perf_counter()
    judge = methods[method]()
    seconds = time.perf_counter() - begin
    grown = memory("VmHWM") - before
    print(json.dumps({"seconds": seconds, "MiB": grown / 1024, "quality": judge()}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TASKS))
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        return run(*arguments.run)
    for name in arguments.names or TASKS:
        print(f"\n{name}: {TASKS[name].__doc__}\n")
        print("| estimator | seconds | more memory, MiB | quality |\n|---|---|---|---|")
        for method in TASKS[name]():
            told = subprocess.run([sys.executable, __file__, "--run", name, method],
                                  capture_output=True, text=True, check=True)
            found = json.loads(told.stdout.splitlines()[-1])
            quality = found["quality"]
            quality = quality if isinstance(quality, list) else [quality]
            print(f"| {method} | {found['seconds']:.2f} | {found['MiB']:.0f} | "
                  f"{', '.join(f'{each:.3f}' for each in quality)} |", flush=True)


if __name__ == "__main__":
    main()
