"""Runs the notebooks in examples/, as somebody who opens them would."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("notebook", sorted((EXAMPLES / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook(notebook):
    book = nbformat.read(notebook, as_version=4)
    folder = {"metadata": {"path": str(notebook.parent)}}
    NotebookClient(book, timeout=600, kernel_name="python3", resources=folder).execute()
    shown = [output for cell in book.cells for output in cell.get("outputs", [])]
    assert any(output["output_type"] == "execute_result" for output in shown)
