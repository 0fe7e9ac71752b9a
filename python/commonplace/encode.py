"""encode: texts and pictures as vectors, by ONNX models on this machine."""

from __future__ import annotations

import os
from pathlib import Path

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from . import _native
from ._inputs import jobs_of

__all__ = ["ImageEncoder", "TextEncoder", "installed_encoders"]

installed_encoders = _native.installed_encoders


class _Encoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    _of_pictures = False

    def __init__(self, model, *, runtime=None, n_jobs=None, progress=None):
        self.model = model
        self.runtime = runtime
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X=None, y=None):
        """Open the encoder; nothing is learned."""
        runtime = "" if self.runtime is None else os.fspath(self.runtime)
        self._encoder = _native.Encoder(os.fspath(self.model), runtime, jobs_of(self.n_jobs))
        return self

    def _open(self):
        return self if hasattr(self, "_encoder") else self.fit()

    @property
    def _n_features_out(self):
        return self._open()._encoder.dimensions(self._of_pictures)

    def __getstate__(self):
        state = dict(super().__getstate__())
        state.pop("_encoder", None)
        return state

    def _more_tags(self):
        return {"X_types": ["string"], "stateless": True, "no_validation": True}


class TextEncoder(_Encoder):
    """Texts as unit vectors.

    Parameters
    ----------
    model : str or path, default="minilm"
        An encoder that `commonplace models` lists, or a folder of one.
    runtime : path, default=None
        The shared library of ONNX Runtime; None: wherever it is found.
    n_jobs : int, default=None
    progress : callable, default=None
    """

    def __init__(self, model="minilm", *, runtime=None, n_jobs=None, progress=None):
        super().__init__(model, runtime=runtime, n_jobs=n_jobs, progress=progress)

    def transform(self, X):
        """Encode a sequence of str; float32 of shape (len(X), n_dimensions)."""
        texts = list(X)
        return self._open()._encoder.texts(texts, jobs_of(self.n_jobs), self.progress)


class ImageEncoder(_Encoder):
    """Pictures as unit vectors.

    Parameters
    ----------
    model : str or path, default="resnet50"
        An encoder that `commonplace models` lists, or a folder of one.
    runtime : path, default=None
        The shared library of ONNX Runtime; None: wherever it is found.
    n_jobs : int, default=None
    progress : callable, default=None
    """

    _of_pictures = True

    def __init__(self, model="resnet50", *, runtime=None, n_jobs=None, progress=None):
        super().__init__(model, runtime=runtime, n_jobs=n_jobs, progress=progress)

    def transform(self, X):
        """Encode a sequence of paths, or of bytes of JPEG, PNG, WebP or SVG files."""
        files = [each if isinstance(each, bytes) else Path(each).read_bytes() for each in X]
        return self._open()._encoder.pictures(files, jobs_of(self.n_jobs), self.progress)
