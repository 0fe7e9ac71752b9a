"""search: topics that collections of tagged things share."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, check_non_negative

from . import _native
from ._inputs import sparse_rows
from ._options import Optioned, takes

__all__ = ["SharedSubspace"]


@takes(
    "shared_subspace_options",
    own=[
        ("n_components", 20, "topics of X; at most"),
        ("n_shared", None, "of them, topics that X and the auxiliaries have in common; None: half"),
        ("n_components_auxiliary", None, "topics of each auxiliary; None: as many as X has"),
    ],
)
class SharedSubspace(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, Optioned, BaseEstimator
):
    """Joint nonnegative matrix factorisation (JSNMF) of collections over one vocabulary.

    Each collection is a matrix X_d of items x terms, and X_d ~ H_d F_d' with everything
    nonnegative. Some topics (columns of F) are shared by all collections, so that a poor one
    borrows from the others. Without auxiliaries it is NMF.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The topics of X, the shared ones first.
    objective_ : list of float
        What is minimised, after each iteration; it never rises.
    n_iter_ : int
    converged_ : bool
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from commonplace import SharedSubspace
    >>> X = np.array([[1, 1, 0, 0], [2, 2, 0, 0], [0, 0, 1, 2], [0, 0, 2, 4]])
    >>> SharedSubspace(n_components=2).fit_transform(X).argmax(axis=1)[[0, 2]].shape
    (2,)
    """

    def fit(self, X, y=None, *, auxiliaries=()):
        """Learn topics.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), nonnegative
        y : ignored
        auxiliaries : sequence of matrices over the same features, to borrow from
        """
        X = self._validate(X, reset=True)
        others = [self._validate(each, reset=False) for each in auxiliaries]
        most = min(self.n_components, *X.shape)
        shared = (most + 1) // 2 if self.n_shared is None else min(self.n_shared, most)
        of_others = self.n_components_auxiliary or most
        self._model, self.objective_, self.converged_ = _native.fit_shared_subspace(
            [sparse_rows(each) for each in [X, *others]],
            most,
            of_others,
            shared if others else 0,
            self._native_options("shared_subspace_options"),
            self._jobs(),
            self.progress,
        )
        self._topics = self._model.topics_of(0)
        self.components_ = np.ascontiguousarray(self._model.basis[:, self._topics].T)
        self.n_iter_ = max(1, len(self.objective_) - 1)
        return self

    def fit_transform(self, X, y=None, **fit_params):
        """Learn topics, and the codes of X by them."""
        return self.fit(X, y, **fit_params).transform(X)

    def transform(self, X):
        """Code items: nonnegative least squares against the topics, solved exactly."""
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        return self._model.encode(0, sparse_rows(X), self._jobs())

    def inverse_transform(self, X):
        """What codes say of the features."""
        check_is_fitted(self)
        return np.asarray(X) @ self.components_

    def _validate(self, X, reset):
        X = self._validated(X, reset=reset)
        check_non_negative(X, "SharedSubspace (X is expected to be nonnegative)")
        return X

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def _more_tags(self):
        return {"requires_positive_X": True, "preserves_dtype": [np.float32]}
