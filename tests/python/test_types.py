"""What type checkers see is what there is."""

import subprocess
import sys
from pathlib import Path

import commonplace

ROOT = Path(__file__).resolve().parents[2]

USE = """
import numpy as np
import commonplace as cp

model = cp.TagSuggester(method="tags", n_jobs=2).fit(np.zeros((3, 2)), np.zeros((3, 2)))
lib = cp.Library("x", create=True)
names: list[str] = [item.id for item in lib.items("c")]
"""


def test_stubs_are_current():
    subprocess.run([sys.executable, ROOT / "python" / "stubs.py", "--check"], check=True)


def test_mypy_takes_them(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    (tmp_path / "wrong.py").write_text(USE.replace('method="tags"', 'methods="tags"'))
    package = str(Path(commonplace.__file__).parent)
    mypy = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "--ignore-missing-imports"]
    taken = subprocess.run([*mypy, str(tmp_path / "use.py"), package], capture_output=True, text=True)
    assert taken.returncode == 0, taken.stdout
    refused = subprocess.run([*mypy, str(tmp_path / "wrong.py")], capture_output=True, text=True)
    assert refused.returncode == 1 and "methods" in refused.stdout
