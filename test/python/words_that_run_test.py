"""What documents and examples show is run."""

import ast
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import warnings

import pytest

UPDATE = os.environ.get("UPDATE") == "1"


def test_the_example_of_the_readme_prints_what_it_shows(root):
    done = subprocess.run([sys.executable, "crane.py"], cwd=root / "examples", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    golden = root / "examples" / "crane_python.out"
    if UPDATE:
        golden.write_text(done.stdout)
    assert done.stdout == golden.read_text()


def test_the_examples_of_the_page_run(root, tmp_path, monkeypatch):
    """Blocks of docs/python.md, one after the other, as one program; a line that ends in `# raises NAME` does."""
    page = (root / "docs" / "python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.S | re.M)
    assert len(blocks) > 5
    monkeypatch.chdir(root)
    names: dict = {"__name__": "__main__", "folder": tmp_path}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for block in blocks:
            exec(compile(block, "docs/python.md", "exec"), names)


def run_cells(cells, names):
    """What each prints and shows, as a notebook has it: text alone."""
    for cell in cells:
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(tree, "cell", "exec"), names)
            shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
        yield out.getvalue(), None if shown is None else repr(shown)


@pytest.mark.parametrize("name", ["crane", "four_bar"])
def test_notebooks_show_what_their_cells_give(root, monkeypatch, name):
    """Run here without a notebook server. UPDATE=1 runs them in one (python3-nbclient, python3-ipykernel) and keeps what they show."""
    path = root / "examples" / f"{name}.ipynb"
    monkeypatch.chdir(root / "examples")
    if UPDATE:
        nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
        book = nbformat.read(path, as_version=4)
        nbclient.NotebookClient(book, timeout=120, kernel_name="python3", record_timing=False).execute()
        book.metadata.pop("language_info", None)
        nbformat.write(book, path)
    cells = [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]
    assert len(cells) >= 5 and all(c["execution_count"] for c in cells)
    for cell, (printed, shown) in zip(cells, run_cells(cells, {"__name__": "__main__"})):
        stream = "".join("".join(o["text"]) for o in cell["outputs"] if o["output_type"] == "stream")
        results = ["".join(o["data"]["text/plain"]) for o in cell["outputs"] if o["output_type"] == "execute_result"]
        assert stream == printed, cell["source"]
        assert results == ([] if shown is None else [shown]), cell["source"]
