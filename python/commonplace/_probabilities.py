"""Turns confidences of classes, each for itself, into probabilities."""

from __future__ import annotations

import numpy as np


def among_classes(confidence, scores):
    """Confidences of classes as probabilities that add up to one. Classes that are equally sure are
    told apart by their scores."""
    confidence = confidence + 1e-6 * (scores - scores.min(axis=1, keepdims=True)) + 1e-12
    return confidence / confidence.sum(axis=1, keepdims=True)


def log_odds(probabilities):
    """The logarithm of the odds of the second of two classes."""
    return np.log(probabilities[:, 1]) - np.log(probabilities[:, 0])


def require_classes(classes):
    """Raise ValueError unless there are two classes or more."""
    if len(classes) < 2:
        raise ValueError(
            f"Classifier can't train when only one class is present: {list(classes)!r}"
        )
