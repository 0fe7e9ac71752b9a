"""transfer: labels for a collection from one that shares little with it."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import LabelEncoder, normalize
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, check_non_negative

from . import _native
from ._inputs import sparse_rows
from ._options import Optioned, takes
from ._probabilities import require_classes

__all__ = ["TransitiveTransfer"]


@takes("transfer_options")
class TransitiveTransfer(ClassifierMixin, Optioned, BaseEstimator):
    """Transitive transfer learning (TTL): from a labelled source, through bridges, to a target.

    All are matrices of items over one set of features (columns of zeros for what one lacks). Each
    collection on the way is labelled by what it shares with those before it, and its items find
    their classes among themselves where that holds.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    transduction_ : ndarray
        The class of each item of the target; of the source, where no target was given.
    transduction_proba_ : ndarray of shape (n_target, n_classes)
        Calibrated probabilities of the target's items.
    stages_ : list of dict
        How each collection on the way was reached.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from commonplace import TransitiveTransfer
    >>> source = np.array([[3, 1, 0, 0], [2, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 3]] * 5)
    >>> target = np.array([[0, 2, 0, 0], [0, 0, 0, 2]] * 5)
    >>> model = TransitiveTransfer().fit(source, [0, 0, 1, 1] * 5, target=target)
    >>> model.transduction_[:2].tolist()
    [0, 1]
    """

    def fit(self, X, y, *, target=None, bridges=()):
        """Carry labels from X, nonnegative of shape (n_samples, n_features), to `target`.

        Parameters
        ----------
        X : {array-like, sparse matrix}, the source
        y : array-like of shape (n_samples,), its classes
        target : matrix over the same features; None: nothing is carried, and predict() tells by X
        bridges : sequence of matrices over the same features, on the way from X to the target
        """
        X, y = self._validated(X, y)
        check_non_negative(X, "TransitiveTransfer (X is expected to be nonnegative)")
        check_classification_targets(y)
        encoder = LabelEncoder().fit(y)
        self.classes_ = encoder.classes_
        require_classes(self.classes_)
        labels = encoder.transform(y).astype(np.int32)
        source = sparse_rows(X)
        if target is None:
            self._taught = np.eye(len(self.classes_))[labels]
            self.stages_ = []
            self._keep(X)
        else:
            path = [self._checked(each) for each in [*bridges, target]]
            held = [sparse_rows(each) for each in path]
            found, self.stages_ = _native.transfer_classes(
                [(source, labels.tolist())],
                [(each, []) for each in held],
                len(self.classes_),
                self._native_options("transfer_options"),
                self._jobs(),
                self.progress,
            )
            self._taught = np.ascontiguousarray(found[-1])
            self._keep(path[-1])
        self.n_iter_ = max([1, *(stage["iterations"] for stage in self.stages_)])
        self.transduction_proba_ = self._taught
        self.transduction_ = self.classes_[self._taught.argmax(axis=1)]
        self._pool = _native.choose_pool(
            self._teachers, self._taught, self.base_classifier, self._jobs(), self.progress
        )
        return self

    def predict_proba(self, X):
        """Probabilities of the classes of other items like those of the target."""
        check_is_fitted(self)
        return _native.tell_classes(
            self._teachers,
            self._taught,
            _of_one_length(self._checked(X)),
            self._pool,
            self._jobs(),
            self.progress,
        )

    def predict(self, X):
        """The likeliest class of other items like those of the target."""
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _checked(self, X):
        X = self._validated(X, reset=False)
        check_non_negative(X, "TransitiveTransfer (X is expected to be nonnegative)")
        return X

    def _keep(self, X):
        self._items = X
        self._teachers = _of_one_length(X)

    def __getstate__(self):
        state = dict(super().__getstate__())
        state.pop("_teachers", None)
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if "_items" in state:
            self._keep(state["_items"])

    def _more_tags(self):
        reason = "items are told by the proportions of their features, which hardly differ in the blobs"
        return {
            "requires_positive_X": True,
            "_xfail_checks": {"check_classifiers_train": reason},
        }


def _of_one_length(X):
    """Items of the same sum, so that what is said of one does not depend on the others."""
    return sparse_rows(normalize(X, norm="l1"))
