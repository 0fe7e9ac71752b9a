"""detect: which items show this, from a few labels?"""

from __future__ import annotations

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _native
from ._inputs import dense_rows, note_copy
from ._options import Optioned, takes
from ._probabilities import among_classes, log_odds, require_classes

__all__ = ["ApproximateLaplacianEigenmaps", "ConceptDetector"]


@takes("axis_eigenmap_options", rename={"count": "n_components"})
class ApproximateLaplacianEigenmaps(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, Optioned, BaseEstimator
):
    """Approximate Laplacian eigenmaps (ALE), and online with partial_fit (IALE).

    Eigenfunctions of the density along each principal axis stand for eigenvectors of the graph of
    all items, so that millions of items take a few passes, and unseen ones are coded alike.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components_,)
        Ascending: the smoothest function first.
    n_components_ : int
        Fewer than asked for where there are no more.
    n_samples_seen_ : int
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from commonplace import ApproximateLaplacianEigenmaps
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> ApproximateLaplacianEigenmaps(n_components=3).fit_transform(X).shape
    (100, 3)
    """

    def fit(self, X, y=None):
        """Learn from X, array-like of shape (n_samples, n_features)."""
        X = self._validate(X, reset=True)
        self._model = _native.fit_axis_eigenmaps(
            X, self._native_options("axis_eigenmap_options"), self._jobs(), self.progress
        )
        return self._seen()

    def partial_fit(self, X, y=None):
        """Add items online: axes and bins stay, eigenfunctions become those of all items."""
        if not hasattr(self, "_model"):
            return self.fit(X)
        self._model.add(self._validate(X, reset=False, least=1), self._jobs(), self.progress)
        return self._seen()

    def transform(self, X):
        """The eigenfunctions at items, of shape (n_samples, n_components_)."""
        check_is_fitted(self)
        return self._model.encode(self._validate(X, reset=False, least=1), self._jobs())

    def _seen(self):
        self.eigenvalues_ = self._model.eigenvalues
        self.n_components_ = len(self.eigenvalues_)
        self.n_samples_seen_ = self._model.items
        return self

    def _validate(self, X, reset, least=2):
        note_copy(X, doubles=True)
        return self._validate_data(
            X, dtype=[np.float64, np.float32], order="C", reset=reset, ensure_min_samples=least
        )

    @property
    def _n_features_out(self):
        return self.n_components_

    def _more_tags(self):
        return {"preserves_dtype": [np.float64, np.float32]}


#: Labels are spread over the graph of all items where there are so many at most.
_MOST_SPREAD = 20_000


@takes(
    "detector_options",
    rename={"count": "n_components"},
    own=[("spread", True, "may labels reach the other items of the fit by label propagation")],
)
class ConceptDetector(ClassifierMixin, Optioned, BaseEstimator):
    """Semi-supervised detection from a few labels: eigenmaps, anchor graphs or diffused features,
    with Laplacian-regularised least squares (LapRLS) or a linear SVM, chosen on labelled items.

    A label of -1 says that it is not known; such items tell what the data looks like.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    representation_ : str
        What was chosen: raw, smoothed, axis, anchors, or several.
    head_ : str
        laprls or svm.
    transduction_ : ndarray of shape (n_samples,)
        The class of each item of the fit.
    transduced_by_ : str
        laprls or svm, or propagation where that tells labels held out at least as well.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from commonplace import ConceptDetector
    >>> X, y = load_digits(return_X_y=True)
    >>> some = np.where(np.arange(len(y)) < 100, y, -1)
    >>> bool(ConceptDetector().fit(X, some).score(X[100:], y[100:]) > 0.75)
    True
    """

    def fit(self, X, y, *, classes=None):
        """Learn from X, array-like of shape (n_samples, n_features), and y, where -1 is unknown.

        `classes` names all classes that partial_fit may bring; None: those in y.
        """
        X, y = self._validate_labelled(X, y, reset=True)
        known = _known(y)
        check_classification_targets(y[known])
        self.classes_ = np.unique(y[known] if classes is None else np.asarray(classes))
        require_classes(self.classes_)
        labels = self._signs(y[known])
        rows = dense_rows(X)
        options = self._native_options("detector_options")
        options["anchors"] = min(options["anchors"], max(16, len(X) // 8))
        self._space = _native.fit_concept_space(
            rows,
            np.flatnonzero(known).tolist(),
            labels,
            options,
            self._jobs(),
            self.progress,
        )
        self.representation_ = self._space.representation
        self.head_ = self._space.head
        coordinates = self._space.encode(rows, True, self._jobs())
        self._coordinates = coordinates[known]
        self._labels = labels
        self._teach()
        self._transduce(rows, known, labels, coordinates)
        return self

    def partial_fit(self, X, y, classes=None):
        """Learn more labels, in the space of the first fit."""
        if not hasattr(self, "_space"):
            return self.fit(X, y, classes=classes)
        X, y = self._validate_labelled(X, y, reset=False)
        known = _known(y)
        strange = np.setdiff1d(y[known], self.classes_)
        if len(strange):
            raise ValueError(f"y has classes that the first fit did not: {strange[:5].tolist()}")
        if known.any():
            new = self._space.encode(dense_rows(X[known]), False, self._jobs())
            self._coordinates = np.vstack([self._coordinates, new])
            self._labels = np.vstack([self._labels, self._signs(y[known])])
            self._teach()
        return self

    def decision_function(self, X):
        """Scores of classes, of shape (n_samples, n_classes); of two the logarithm of the second
        one's odds, of shape (n_samples,)."""
        if len(self._fitted().classes_) == 2:
            return log_odds(self.predict_proba(X))
        return self._heads.score(self._coded(X), self._jobs()).astype(np.float64)

    def predict_proba(self, X):
        """Probabilities of shape (n_samples, n_classes), calibrated on labelled items held out."""
        return self._fitted()._probabilities(self._coded(X))

    def predict(self, X):
        """The likeliest class of each item."""
        sure = self.predict_proba(X)
        return self.classes_[sure.argmax(axis=1)]

    def _fitted(self):
        check_is_fitted(self)
        return self

    def _transduce(self, rows, known, labels, coordinates):
        """Classes of the items of the fit: by the heads, or by label propagation where that is as
        good on labels held out in turn."""
        self.transduced_by_ = self.head_
        self.transduction_ = self.classes_[self._probabilities(coordinates).argmax(axis=1)]
        # Without a choice on held-out labels there is nothing to compare with.
        if not self.spread or len(known) > _MOST_SPREAD or self._space.held_accuracy < 0:
            return
        labelled = np.flatnonzero(known).tolist()
        truth = labels.argmax(axis=1)
        folds = np.empty(len(truth), int)
        folds[np.argsort(truth, kind="stable")] = np.arange(len(truth)) % 5
        held, scores = _native.propagate(
            rows, labelled, labels, folds.tolist(), self._jobs(), self.progress
        )
        if (held.argmax(axis=1) == truth).mean() < self._space.held_accuracy:
            return
        self.transduced_by_ = "propagation"
        reached = scores.max(axis=1) > 0
        self.transduction_[reached] = self.classes_[scores[reached].argmax(axis=1)]

    def _teach(self):
        self._heads = self._space.teach(self._coordinates, self._labels, self._jobs())

    def _coded(self, X):
        X = self._validated(X, sparse=False, reset=False)
        return self._space.encode(dense_rows(X), False, self._jobs())

    def _probabilities(self, coordinates):
        scores = self._heads.score(coordinates, self._jobs())
        sure = self._space.confidence(scores).astype(np.float64)
        return among_classes(sure, scores.astype(np.float64))

    def _more_tags(self):
        reason = "-1 says that a label is not known, as in scikit-learn's LabelSpreading"
        return {"_xfail_checks": {"check_classifiers_classes": reason}}

    def _signs(self, y):
        return np.where(y[:, None] == self.classes_[None, :], 1.0, -1.0)

    def _validate_labelled(self, X, y, reset):
        if y is None:
            raise ValueError("ConceptDetector requires y to be passed, but the target y is None")
        X = self._validated(X, sparse=False, reset=reset)
        y = column_or_1d(y, warn=True)
        if len(y) != len(X):
            raise ValueError(f"X has {len(X)} items, but y {len(y)} labels")
        return X, y


def _known(y):
    """Which labels are known: those that are not -1."""
    if y.dtype.kind in "biuf":
        return y != -1
    return np.array([label != -1 for label in y.tolist()])
