"""What documents and examples show is run."""

import ast
import asyncio
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


def outputs_of(cells):
    """What is printed, and what is shown in which form, without what a run leaves behind (times, numbers of cells)."""
    for cell in cells:
        printed = "".join("".join(o["text"]) for o in cell["outputs"] if o["output_type"] == "stream")
        shown = [{form: "".join(data) for form, data in o["data"].items()} for o in cell["outputs"] if o["output_type"] == "execute_result"]
        yield printed, shown


@pytest.mark.parametrize("name", ["crane", "four_bar"])
def test_notebooks_show_what_their_cells_give(root, monkeypatch, name):
    """Without a notebook server."""
    path = root / "examples" / f"{name}.ipynb"
    monkeypatch.chdir(root / "examples")
    cells = [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]
    assert len(cells) >= 5 and all(c["execution_count"] for c in cells)
    for cell, (printed, shown), (kept, results) in zip(cells, run_cells(cells, {"__name__": "__main__"}), outputs_of(cells)):
        assert kept == printed, cell["source"]
        assert [r["text/plain"] for r in results] == ([] if shown is None else [shown]), cell["source"]


@pytest.mark.parametrize("name", ["crane", "four_bar"])
def test_notebooks_run_in_a_kernel(root, name):
    """As Jupyter runs them (python3-nbclient, python3-ipykernel): formulas and pictures too are those that are kept. UPDATE=1 keeps new ones."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    path = root / "examples" / f"{name}.ipynb"
    book = nbformat.read(path, as_version=4)
    with contextlib.closing(asyncio.new_event_loop()) as loop:
        asyncio.set_event_loop(loop)
        nbclient.NotebookClient(book, timeout=300, kernel_name="python3", record_timing=False,
                                resources={"metadata": {"path": str(path.parent)}}).execute()
    book.metadata.pop("language_info", None)
    if UPDATE:
        nbformat.write(book, path)
    code = lambda cells: [c for c in cells if c["cell_type"] == "code"]  # noqa: E731
    for cell, ran, kept in zip(code(book.cells), outputs_of(code(book.cells)), outputs_of(code(json.loads(path.read_text())["cells"]))):
        assert ran == kept, cell["source"]
