"""pip: a wheel of the package is built from the compiled tree, and what is installed of it works elsewhere, without the tree."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import linkwright as lw

ROOT = Path(__file__).resolve().parents[2]
TREE = Path(lw.__file__).parents[2]  # build/release/python/linkwright

pytest.importorskip("setuptools")
pytest.importorskip("wheel")
pytest.importorskip("pip")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    there = tmp_path_factory.mktemp("wheel")
    done = subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", there, ROOT],
                          capture_output=True, text=True, env={**os.environ, "LINKWRIGHT_BUILD": str(TREE), "PYTHONPATH": ""})
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    (file,) = there.glob("*.whl")
    return file


def test_a_wheel_has_the_package_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert wheel.name.startswith(f"linkwright-{lw.__version__}-cp")
    parts = {name for name in names if not name.startswith(f"linkwright-{lw.__version__}.dist-info/")}
    module = {name for name in parts if name.endswith(".so")}
    assert {Path(name).name.split(".")[0] for name in module} <= {"_linkwright", "linkwright_hdf5"} and len(module) >= 1
    assert parts - module == {f"linkwright/{path.name}" for path in (ROOT / "python" / "linkwright").iterdir() if path.is_file()}


def test_an_installed_wheel_needs_no_tree(wheel, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run([python, "-m", "pip", "install", "--no-index", "--no-deps", wheel], capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "crane.toml").write_text((ROOT / "examples" / "crane.toml").read_text())
    ending = "h5" if any("hdf5" in name for name in zipfile.ZipFile(wheel).namelist()) else "csv"
    program = ("import linkwright as lw, importlib.metadata as m; print(lw.__file__); print(m.version('linkwright') == lw.__version__)\n"
               "crane = lw.load('crane.toml'); print(repr(crane.simulate(until=1)['theta'][-1])); print(crane.compile()([0, 0.1], [0, 0]))\n"
               "r = crane.ensemble({'m': 'normal(80, 8)'}, runs=8, until=0.1, collect='final(x)', output='runs.%s'); print(r.runs)" % ending)
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith(str(tmp_path / "venv")) and lines[1] == "True"
    assert lines[2] == repr(lw.load(ROOT / "examples" / "crane.toml").simulate(until=1)["theta"][-1])
    assert lines[-1] == "8" and (tmp_path / f"runs.{ending}").stat().st_size > 100
