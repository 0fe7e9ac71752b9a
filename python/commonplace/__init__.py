"""Commonplace: collections of tagged things, and what can be learned from their tags.

Library opens a library; the estimators are scikit-learn's kind and need none.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from . import _native
from ._native import Error, __version__

_native.set_worker_program(str(Path(__file__).with_name("encode-worker")))

#: Where each name is; estimators need scikit-learn, which is imported when the first is used.
_HOMES = {
    "Item": "library",
    "Library": "library",
    "options": "library",
    "progress_bar": "library",
    "SharedSubspace": "search",
    "SparseGPClassifier": "suggest",
    "TagSuggester": "suggest",
    "ApproximateLaplacianEigenmaps": "detect",
    "ConceptDetector": "detect",
    "GuidedProjection": "relate",
    "TransitiveTransfer": "transfer",
    "TextEncoder": "encode",
    "ImageEncoder": "encode",
    "installed_encoders": "encode",
}

__all__ = ["Error", "__version__", *_HOMES]


def __getattr__(name):
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
