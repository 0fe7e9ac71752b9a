"""suggest: which tags fit, and how sure is that?"""

from __future__ import annotations

import json

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import LabelEncoder
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._inputs import rows, sparse_rows
from ._options import Optioned, takes
from ._probabilities import among_classes, log_odds, require_classes

__all__ = ["SparseGPClassifier", "TagSuggester"]


@takes(
    "prototype_options",
    "tuning_options",
    rename={"prototypes": "n_prototypes"},
    own=[
        ("kernel", "rbf", "rbf, nn, linear or cosine"),
        ("length_scale", None, "of the kernel; None: by marginal likelihood, with the variance"),
        ("variance", 1.0, "of the kernel, where the length scale is given"),
    ],
)
class SparseGPClassifier(ClassifierMixin, Optioned, BaseEstimator):
    """Sparse Gaussian process classification on prototypes (SGPS).

    All classes share a few prototypes, which are moved to where the classes border. Features count
    by their scale, so standardise them.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_prototypes_ : int
    length_scale_, variance_ : float
        Of the kernel that is used.
    n_features_in_ : int

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from commonplace import SparseGPClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(SparseGPClassifier(n_prototypes=20).fit(X, y).score(X, y) > 0.9)
    True
    """

    def fit(self, X, y):
        """Learn from X, {array-like, sparse matrix} of shape (n_samples, n_features), and y."""
        X, y = self._validated(X, y)
        check_classification_targets(y)
        encoder = LabelEncoder().fit(y)
        self.classes_ = encoder.classes_
        require_classes(self.classes_)
        prototypes = self._native_options("prototype_options")
        prototypes["prototypes"] = max(min(prototypes["prototypes"], X.shape[0]), len(self.classes_))
        tuning = self._native_options("tuning_options")
        self._model = _native.fit_sparse_gp_classifier(
            rows(X),
            encoder.transform(y).astype(np.int32).tolist(),
            len(self.classes_),
            self.kernel,
            self.length_scale,
            self.variance,
            prototypes,
            tuning,
            self._jobs(),
            self.progress,
        )
        self.n_prototypes_ = self._model.prototypes
        self.length_scale_ = self._model.length_scale
        self.variance_ = self._model.variance
        return self

    def predict_proba(self, X):
        """Probabilities of shape (n_samples, n_classes)."""
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        found = self._model.probabilities(rows(X), self._jobs()).astype(np.float64)
        return found / found.sum(axis=1, keepdims=True)

    def predict(self, X):
        """The likeliest class of each item."""
        sure = self.predict_proba(X)
        return self.classes_[sure.argmax(axis=1)]


@takes("suggester_options")
class TagSuggester(ClassifierMixin, Optioned, BaseEstimator):
    """Tags with calibrated confidence: sparse Gaussian process, k-NN and categories, mixed.

    What is left open is chosen on items held out. Learns many tags an item (y of shape
    (n_samples, n_tags), sparse or dense, 1 where it has the tag, -1 where it was rejected) or one
    class an item (y of shape (n_samples,)).

    Attributes
    ----------
    classes_ : ndarray of shape (n_tags,)
    threshold_ : float
        Least confidence of what predict() gives.
    report_ : dict
        What was tried and chosen, and how well it does on items held out.
    n_features_in_ : int

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from commonplace import TagSuggester
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> TagSuggester().fit(X, Y).predict_proba(X).shape
    (60, 5)
    """

    def fit(self, X, y):
        """Learn the tags of X, {array-like, sparse matrix} of shape (n_samples, n_features)."""
        many = sp.issparse(y) or getattr(np.asarray(y), "ndim", 1) == 2 and np.shape(y)[1] > 1
        X, y = self._validated(X, y, multi_output=many)
        self._many = many
        if many:
            targets = sp.csr_matrix(y, dtype=np.float32)
            self.classes_ = np.arange(targets.shape[1])
        else:
            check_classification_targets(y)
            encoder = LabelEncoder().fit(y)
            self.classes_ = encoder.classes_
            require_classes(self.classes_)
            numbers = encoder.transform(y)
            targets = sp.csr_matrix(
                (np.ones(len(numbers), np.float32), numbers, np.arange(len(numbers) + 1)),
                shape=(len(numbers), len(self.classes_)),
            )
        self._model, report = _native.fit_suggester(
            rows(X),
            sparse_rows(targets),
            self._native_options("suggester_options"),
            self._jobs(),
            self.progress,
        )
        self.report_ = json.loads(report)
        self.threshold_ = self._model.threshold
        return self

    def decision_function(self, X):
        """Scores of tags or classes, of shape (n_samples, n_tags); of two classes the logarithm of
        the second one's odds, of shape (n_samples,)."""
        check_is_fitted(self)
        if not self._many and len(self.classes_) == 2:
            return log_odds(self.predict_proba(X))
        return self._ask(X, self._model_of().score)

    def predict_proba(self, X):
        """Confidence of each tag, of shape (n_samples, n_tags): the share of such suggestions that
        are right. Of classes they add up to one."""
        found = self._ask(X, self._model_of().confidence)
        return found if self._many else among_classes(found, self._ask(X, self._model.score))

    def predict(self, X):
        """Tags that are sure enough, as an indicator matrix; or the likeliest class."""
        check_is_fitted(self)
        if self._many:
            return (self.predict_proba(X) >= self.threshold_).astype(int)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def suggest(self, X, limit=5):
        """The surest tags of each item: lists of (tag, confidence)."""
        sure = self.predict_proba(X)
        best = np.argsort(-sure, axis=1, kind="stable")[:, :limit]
        return [[(self.classes_[t], float(row[t])) for t in tags] for row, tags in zip(sure, best)]

    def _model_of(self):
        check_is_fitted(self)
        return self._model

    def _ask(self, X, of):
        X = self._validated(X, reset=False)
        return of(rows(X), self._jobs()).astype(np.float64)

    def _more_tags(self):
        return {"multilabel": True}
