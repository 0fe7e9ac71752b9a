"""Hands arrays to the native part, without a copy where they are as it wants them."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_random_state

from . import _native

#: From so many bytes on a conversion is worth a word.
_WORTH_A_WORD = 100 << 20


def note_copy(X, doubles=False) -> None:
    """Warns if X will be copied, and is large; `doubles`: float64 is taken as it is."""
    if sp.issparse(X):
        fits, wanted = X.format == "csr" and X.dtype == np.float32, "CSR"
        size = X.nnz * X.dtype.itemsize
    elif isinstance(X, np.ndarray):
        fits = X.dtype == np.float32 or doubles and X.dtype == np.float64
        fits, wanted = fits and X.flags.c_contiguous, "in C order"
        size = X.nbytes
    else:
        return
    if not fits and size >= _WORTH_A_WORD:
        warnings.warn(
            f"{size >> 20} MB of {X.dtype} are copied; give float32 {wanted} to save the copy",
            DataConversionWarning,
            stacklevel=4,
        )


def dense_rows(X) -> _native.Rows:
    """Rows of a dense array; float32 in C order is not copied."""
    return _native.Rows(np.ascontiguousarray(X, dtype=np.float32))


def sparse_rows(X) -> _native.Rows:
    """Rows of a CSR matrix, or of a dense one made sparse; canonical float32 CSR is not copied."""
    if not sp.issparse(X):
        X = sp.csr_matrix(X, dtype=np.float32)
    elif X.format != "csr" or X.dtype != np.float32:
        X = X.tocsr().astype(np.float32)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return _native.Rows(
        X.data,
        X.indices.astype(np.int32, copy=False),
        X.indptr.astype(np.int64, copy=False),
        X.shape[1],
    )


def rows(X) -> _native.Rows:
    """Rows of an array or a sparse matrix, each as it is."""
    return sparse_rows(X) if sp.issparse(X) else dense_rows(X)


def seed_of(random_state) -> int:
    """Draws the seed of a fit."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def jobs_of(n_jobs) -> int:
    """The number of threads; None and -1 are all processors."""
    return 0 if n_jobs is None or n_jobs < 0 else int(n_jobs)
