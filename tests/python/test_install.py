"""The wheel brings all that the package needs, and nothing but it is needed."""

import os
import subprocess
import sys
from pathlib import Path

import commonplace

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(commonplace.__file__).resolve().parents[2]

USE = """
import sys
import commonplace as cp
assert cp.__file__.startswith(sys.prefix), cp.__file__
lib = cp.Library(sys.argv[1], create=True)
lib.add("notes", [{"id": "a", "text": "a ferry in the harbour"}])
print(lib.search("ferry")[0].id)
"""


def test_wheel_in_a_fresh_environment(tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["COMMONPLACE_BUILD"] = str(BUILD)

    def run(*command):
        return subprocess.run([str(each) for each in command], env=environment, check=True, capture_output=True, text=True)

    run(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-index", "--no-deps", "-w", tmp_path, ROOT / "python")
    (wheel,) = tmp_path.glob("*.whl")
    run(sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "venv")
    run(tmp_path / "venv" / "bin" / "pip", "install", "--no-index", wheel)
    used = run(tmp_path / "venv" / "bin" / "python", "-c", USE, tmp_path / "library")
    assert used.stdout == "a\n"
    (package,) = (tmp_path / "venv" / "lib").glob("*/site-packages/commonplace")
    assert (package / "py.typed").exists() and (package / "search.pyi").exists()
    assert os.access(package / "encode-worker", os.X_OK)
