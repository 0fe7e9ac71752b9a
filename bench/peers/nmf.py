#!/usr/bin/python3
"""Objective against time: ours and scikit-learn's nonnegative factorisations, from the same start.

    bench/peers/nmf.py PROGRAM [ROUNDS]

PROGRAM is bench_shared_subspace. Two matrices of 20,000 items x 20,000 terms with 8 tags an item, rank
60: `tags` (popularity by Zipf's law, tf-idf weights, topics) and `uniform` (any tags, as alike as
dice). All use the processors there are. scikit-learn runs its own updates in float32 and in float64;
only they are timed, not the objective; ours is timed from the call, transposing the data included.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

# Before numpy is loaded: Debian's OpenBLAS takes a processor it does not know for one of 2004.
flags = pathlib.Path("/proc/cpuinfo").read_text()
os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX" if "avx512f" in flags else "Haswell")

import json  # noqa: E402

import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402
from sklearn.decomposition import _nmf  # noqa: E402

ITEMS = TERMS = 20_000
EACH = 8
RANK = 60
CD_ITERATIONS = 40
MU_ITERATIONS = 150
TARGET_ITERATION = 20


def uniform_tags(draw):
    columns = draw.integers(0, TERMS, ITEMS * EACH)
    values = draw.integers(1, 11, ITEMS * EACH)
    return matrix(columns, values)


def zipf_tags(draw):
    """Each item has one of 200 themes, which has favourite terms; all follow Zipf's law."""
    weights = 1 / np.arange(1, TERMS + 1)
    popular = np.cumsum(weights / weights.sum())
    favourites = [draw.permutation(TERMS) for _ in range(200)]
    themes = draw.integers(0, 200, ITEMS)
    columns = np.searchsorted(popular, draw.random(ITEMS * EACH)).reshape(ITEMS, EACH)
    for item, theme in enumerate(themes):
        columns[item, :5] = favourites[theme][columns[item, :5]]
    x = matrix(columns.ravel(), np.ones(ITEMS * EACH))
    x.data[:] = 1
    idf = np.log(ITEMS / np.maximum(1, np.bincount(x.indices, minlength=TERMS)))
    return (x @ sp.diags(idf)).tocsr()


def matrix(columns, values):
    rows = np.repeat(np.arange(ITEMS), EACH)
    x = sp.csr_matrix((values.astype(np.float64), (rows, columns)), shape=(ITEMS, TERMS))
    x.sum_duplicates()
    x.eliminate_zeros()
    return x


def start(x, draw):
    """scikit-learn's init='random', rounded to what all of us can hold."""
    scale = np.sqrt(x.mean() / RANK)
    codes = np.abs(scale * draw.standard_normal((ITEMS, RANK))).astype(np.float32)
    basis = np.abs(scale * draw.standard_normal((TERMS, RANK))).astype(np.float32)
    return codes, basis


def objective(x, codes, basis):
    codes, basis = codes.astype(np.float64), basis.astype(np.float64)
    overlap = np.sum(np.asarray(x @ basis) * codes)
    return (x.multiply(x)).sum() - 2 * overlap + np.sum((basis.T @ basis) * (codes.T @ codes))


def scikit(x, codes, basis, solver, dtype, iterations, target=None):
    """[(seconds, objective)] after each iteration; stops at the target."""
    data = x.astype(dtype)
    w, ht, h = codes.astype(dtype), basis.astype(dtype), np.array(basis.T, dtype=dtype, order="C")
    curve, spent = [], 0.0
    for _ in range(iterations):
        begin = time.perf_counter()
        if solver == "cd":
            _nmf._update_coordinate_descent(data, w, ht, 0, 0, False, None)
            _nmf._update_coordinate_descent(data.T, ht, w, 0, 0, False, None)
        else:
            w = _nmf._multiplicative_update_w(data, w, h, 2, 0, 0, 1)[0]
            h = _nmf._multiplicative_update_h(data, w, h, 2, 0, 0, 1)
        spent += time.perf_counter() - begin
        curve.append((spent, objective(x, w, ht if solver == "cd" else h.T)))
        if target is not None and curve[-1][1] <= target:
            break
    return curve


def store(folder, x, codes, basis):
    x.indptr.astype(np.int64).tofile(folder / "starts")
    x.indices.astype(np.int32).tofile(folder / "indices")
    x.data.astype(np.float32).tofile(folder / "values")
    basis.tofile(folder / "basis")
    codes.tofile(folder / "codes")
    (folder / "shape").write_text(f"{ITEMS} {TERMS} {RANK}\n")


def ours(program, folder, solver, iterations):
    lines = subprocess.run([program, "fit", str(folder), solver, str(iterations)], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return [(step["seconds"], step["objective"]) for step in map(json.loads, lines)]


def reached(curve, target):
    """Seconds until the objective is at or below the target, or None."""
    return next((seconds for seconds, value in curve if value <= target), None)


def at(curve, seconds):
    values = [value for spent, value in curve if spent <= seconds]
    return f"{values[-1]:.6g}" if values else "-"


def show(curves, target):
    times = [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2]
    print(f"{'objective after seconds':28}" + "".join(f"{t:>12}" for t in times) + f"{'s/iteration':>13}")
    for name, curve in curves.items():
        print(f"{name:28}" + "".join(f"{at(curve, t):>12}" for t in times)
              + f"{curve[-1][0] / len(curve):>13.4f}")
    print(f"seconds to {target:.6g}, where scikit-learn's cd is after {TARGET_ITERATION} iterations:")
    for name, curve in curves.items():
        spent = reached(curve, target)
        print(f"  {name:26}" + (f"{spent:.3f}" if spent else f"not within {len(curve)} iterations"))


def compare(name, x, program, rounds, draw):
    codes, basis = start(x, draw)
    print(f"\n{name}: {ITEMS:,} x {TERMS:,}, {x.nnz:,} nonzeros, rank {RANK}, |X|^2 = "
          f"{x.multiply(x).sum():.6g}")
    ratios = []
    with tempfile.TemporaryDirectory(prefix="commonplace-bench-") as scratch:
        folder = pathlib.Path(scratch)
        store(folder, x, codes, basis)
        for _ in range(rounds):
            curves = {"ours, hals": ours(program, folder, "hals", 100)}
            curves["scikit-learn cd, float64"] = scikit(x, codes, basis, "cd", np.float64, CD_ITERATIONS)
            target = curves["scikit-learn cd, float64"][TARGET_ITERATION - 1][1]
            curves["ours, mu"] = ours(program, folder, "mu", MU_ITERATIONS)
            curves["scikit-learn cd, float32"] = scikit(x, codes, basis, "cd", np.float32, CD_ITERATIONS)
            for dtype in (np.float32, np.float64):
                curves[f"scikit-learn mu, {np.dtype(dtype)}"] = scikit(
                    x, codes, basis, "mu", dtype, MU_ITERATIONS, target)
            show(curves, target)
            peers = [reached(curve, target) for name, curve in curves.items() if "scikit" in name]
            mine = reached(curves["ours, hals"], target)
            if mine:
                ratios.append(min(spent for spent in peers if spent) / mine)
                print(f"ours is there {ratios[-1]:.1f} times sooner than the fastest of scikit-learn's")
            else:
                print("ours is not there")
    if ratios:
        print(f"{name}: {min(ratios):.1f} to {max(ratios):.1f} times sooner in {len(ratios)} rounds")


def main():
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    draw = np.random.default_rng(1)
    compare("tags", zipf_tags(draw), program, rounds, draw)
    compare("uniform", uniform_tags(draw), program, rounds, draw)


if __name__ == "__main__":
    main()
