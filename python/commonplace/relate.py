"""relate: one space for things that share neither features nor instances."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _native
from ._inputs import rows, seed_of, sparse_rows
from ._options import Optioned, takes

__all__ = ["GuidedProjection"]


@takes(
    "guided_projection_options",
    rename={"dim": "n_components"},
    own=[
        ("gamma", 0.1, "ridge of each view, times the mean size of its features"),
        ("kernel", "linear", "of all views: linear, rbf, laplace or cosine"),
        ("n_landmarks", 500, "rows that kernels but the linear compare with (Nystroem)"),
    ],
)
class GuidedProjection(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, Optioned, BaseEstimator
):
    """Guided projection: several views in one space, guided by links of what belongs together.

    The views have features of their own and items of their own. Links, above 0 for what belongs
    together and below 0 for what does not, say how they fit; classes y of the first view's items
    are links between items and their class.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components_,)
    strength_ : ndarray of shape (n_components_,)
        What each coordinate has of the links; affinities weigh the coordinates by it.
    n_components_ : int
        Fewer than asked for where there are fewer features.
    n_features_in_ : int
        Of the first view.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import identity
    >>> from commonplace import GuidedProjection
    >>> draw = np.random.default_rng(0)
    >>> A = draw.normal(size=(40, 6)); B = A @ draw.normal(size=(6, 4))
    >>> space = GuidedProjection(n_components=2).fit([A, B], links=[(0, 1, identity(40))])
    >>> space.transform(B, view=1).shape
    (40, 2)
    """

    def fit(self, X, y=None, *, links=()):
        """Learn the space.

        Parameters
        ----------
        X : matrix of shape (n_samples, n_features), or a list of them, one a view
            In a list, an int n stands for n items without features, such as tags.
        y : array-like of shape (n_samples,), classes of the items of the first view
        links : sequence of (from, to, matrix) or (from, to, matrix, weight)
            The matrix, items of view `from` x items of view `to`, has numbers in [-1, 1].
        """
        views = list(X) if isinstance(X, (list, tuple)) and _are_views(X) else [X]
        if y is None and not len(links):
            raise ValueError(
                "GuidedProjection requires y to be passed, but the target y is None; or give links"
            )
        checked = [self._validated(views[0], ensure_min_samples=2)]
        for view in views[1:]:
            is_count = isinstance(view, (int, np.integer))
            checked.append(
                int(view)
                if is_count
                else check_array(view, accept_sparse="csr", dtype=np.float32, order="C")
            )
        guidance = [(a, b, sp.csr_matrix(of), *weight) for a, b, of, *weight in links]
        if y is not None:
            y = column_or_1d(y, warn=True)
            check_consistent_length(checked[0], y)
            encoder = LabelEncoder().fit(y)
            numbers = encoder.transform(y)
            guidance.append((0, len(checked), _memberships(numbers, len(encoder.classes_))))
            checked.append(len(encoder.classes_))
        self._made = [self._features_of(view) for view in checked]
        coded = [
            view if made is None or isinstance(view, int) else made.encode(rows(view), self._jobs())
            for made, view in zip(self._made, checked)
        ]
        held = [None if isinstance(view, int) else rows(view) for view in coded]
        self._model = _native.fit_guided_projection(
            [
                (of, view if of is None else len(of), self.gamma)
                for of, view in zip(held, coded)
            ],
            [(a, b, sparse_rows(of), *(weight or [1.0])) for a, b, of, *weight in guidance],
            self._native_options("guided_projection_options"),
            self._jobs(),
            self.progress,
        )
        self._columns = [None if isinstance(view, int) else view.shape[1] for view in checked]
        self.eigenvalues_ = self._model.eigenvalues
        self.strength_ = self._model.strength
        self.n_components_ = len(self.eigenvalues_)
        return self

    def fit_transform(self, X, y=None, **fit_params):
        """Learn the space, and place the items of the first view in it."""
        first = X[0] if isinstance(X, (list, tuple)) and _are_views(X) else X
        return self.fit(X, y, **fit_params).transform(first)

    def transform(self, X, view=0):
        """Place items of a view, of shape (n_samples, n_components_). Of a view without features,
        X is the numbers of its items."""
        check_is_fitted(self)
        if self._columns[view] is None:
            return self._model.encode_identity(view, np.asarray(X, dtype=np.int64).tolist())
        if view == 0:
            X = self._validated(X, reset=False)
        else:
            X = check_array(X, accept_sparse="csr", dtype=np.float32, order="C")
            if X.shape[1] != self._columns[view]:
                raise ValueError(
                    f"X has {X.shape[1]} features, but view {view} had {self._columns[view]}"
                )
        if self._made[view] is not None:
            X = self._made[view].encode(rows(X), self._jobs())
        return self._model.encode(view, rows(X), self._jobs())

    def affinity(self, A, B):
        """How much more two placed items belong together than chance would have it, up to scale."""
        return (np.asarray(A) * self.strength_) @ np.asarray(B).T

    def _features_of(self, view):
        if isinstance(view, int) or self.kernel == "linear":
            return None
        options = {
            "kernel": self.kernel,
            "landmarks": self.n_landmarks,
            "seed": seed_of(self.random_state),
        }
        return _native.fit_nystrom_features(rows(view), options, self._jobs())

    @property
    def _n_features_out(self):
        return self.n_components_

    def _more_tags(self):
        return {"requires_y": True, "preserves_dtype": [np.float32]}


def _are_views(X):
    """Whether a sequence is one of views, not a matrix written as lists."""
    return len(X) > 0 and all(
        sp.issparse(view) or isinstance(view, (int, np.integer)) or getattr(view, "ndim", 0) == 2
        for view in X
    )


def _memberships(numbers, count):
    return sp.csr_matrix(
        (np.ones(len(numbers), np.float32), numbers, np.arange(len(numbers) + 1)),
        shape=(len(numbers), count),
    )
