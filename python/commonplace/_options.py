"""Makes keyword arguments of the options that the native part lists."""

from __future__ import annotations

import textwrap

import numpy as np

from . import _native
from ._inputs import jobs_of, note_copy, seed_of

#: scikit-learn's words for ours.
WORDS = {"lambda": "lam", "iterations": "max_iter", "tolerance": "tol", "seed": "random_state"}


def takes(*groups, rename=None, leave=(), own=()):
    """Give an estimator an __init__ whose arguments, defaults and documentation are the options of
    `groups` (names of functions of the native part), and `own`: (name, default, help)."""

    def decorate(cls):
        names = {**WORDS, **(rename or {})}
        parameters = list(own)
        of_group = {}
        for group in groups:
            of_group[group] = {}
            for option, default, help_text in getattr(_native, group)():
                if option in leave:
                    continue
                name = names.get(option, option)
                of_group[group][name] = option
                if name not in [each[0] for each in parameters]:
                    parameters.append((name, default, help_text))
        parameters.append(("n_jobs", None, "threads; None and -1 are all processors"))
        parameters.append(("progress", None, "called as progress(stage, done, total, unit)"))
        arguments = ", ".join(f"{name}={default!r}" for name, default, _ in parameters)
        body = "\n".join(f"    self.{name} = {name}" for name, _, _ in parameters)
        scope: dict = {}
        exec(f"def __init__(self, *, {arguments}):\n{body}\n", scope)  # noqa: S102
        cls.__init__ = scope["__init__"]
        cls.__init__.__qualname__ = f"{cls.__name__}.__init__"
        cls.__init__.__module__ = cls.__module__
        cls._options = of_group
        cls._parameters = parameters
        cls.__doc__ = _documented(cls.__doc__, parameters)
        return cls

    return decorate


def _documented(doc, parameters):
    lines = ["Parameters", "----------"]
    for name, default, help_text in parameters:
        lines.append(f"{name} : {type(default).__name__}, default={default!r}")
        lines += textwrap.wrap(help_text, 76, initial_indent="    ", subsequent_indent="    ")
    head, mark, rest = textwrap.dedent(doc).partition("Attributes\n----------")
    return head.rstrip() + "\n\n" + "\n".join(lines) + "\n\n" + mark + rest


class Optioned:
    """What estimators with such an __init__ share."""

    def _native_options(self, group):
        """The options of a group, as the native part takes them."""
        values = {}
        for name, option in self._options[group].items():
            value = getattr(self, name)
            values[option] = seed_of(value) if name == "random_state" else value
        return values

    def _validated(self, X, *y, sparse=True, **checks):
        """X, and y where it is given, checked: float32 in C order, or CSR. What is so already is not
        copied."""
        note_copy(X)
        accepted = "csr" if sparse else False
        return self._validate_data(
            X, *y, accept_sparse=accepted, dtype=np.float32, order="C", **checks
        )

    def _jobs(self):
        return jobs_of(self.n_jobs)
