"""What the tests of the package share: models of the project, the program beside it, and comparison number for number."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("LINKWRIGHT_PROGRAM", "")


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def crane():
    import linkwright as lw

    return lw.load(ROOT / "examples" / "crane.toml")


@pytest.fixture
def four_bar():
    import linkwright as lw

    return lw.load(ROOT / "models" / "four_bar" / "model.toml")


@pytest.fixture
def program():
    """The command line: arguments to what --json prints."""
    if not PROGRAM:
        pytest.skip("LINKWRIGHT_PROGRAM does not say where the program is")

    def run(*arguments, may_fail=False):
        done = subprocess.run([PROGRAM, *map(str, arguments), "--json", "--quiet"], capture_output=True, text=True, cwd=ROOT)
        assert may_fail or done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run
