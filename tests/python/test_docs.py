"""The examples in docstrings and documents work, and the reference is theirs."""

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = ["answers", "library", "search", "suggest", "detect", "relate", "transfer"]


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings(module):
    found = doctest.testmod(importlib.import_module(f"commonplace.{module}"))
    assert found.failed == 0 and (found.attempted > 0 or module == "answers")


def test_examples_in_the_document(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / "python.md").read_text(), re.DOTALL | re.MULTILINE)
    assert blocks
    names: dict = {"EXAMPLES": ROOT / "examples"}
    for block in blocks:
        exec(block, names)  # noqa: S102


def test_reference_is_current():
    subprocess.run([sys.executable, ROOT / "python" / "reference.py", "--check"], check=True)
