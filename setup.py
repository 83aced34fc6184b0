"""What setuptools cannot say in pyproject.toml: the module is built by CMake, with the project's own rules.

    pip install .                                         where pip reaches an index
    pip install --no-build-isolation .                    with Debian's python3-setuptools, python3-wheel and pybind11-dev
    LINKWRIGHT_BUILD=build/release pip wheel …            from a tree that `make python` has compiled

Without LINKWRIGHT_BUILD it compiles in build/pip, which is kept: a second call compiles what has changed. CXX, CMAKE_GENERATOR and
CMAKE_BUILD_PARALLEL_LEVEL are CMake's own.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
TREE = ROOT / "build" / "pip"


def version() -> str:
    return re.search(r"project\(linkwright VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def run(*command) -> None:
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True)


class BuildWithCMake(build_ext):
    def build_extension(self, ext):
        module = Path(self.get_ext_fullpath(ext.name)).resolve()
        given = os.environ.get("LINKWRIGHT_BUILD")
        tree = (ROOT / given).resolve() if given else TREE / "cmake"
        if not given:
            self.configure(tree)
        jobs = [] if "CMAKE_BUILD_PARALLEL_LEVEL" in os.environ else ["-j", str(os.cpu_count() or 1)]
        run("cmake", "--build", tree, "--target", "linkwright_python", "linkwright_plugins", *jobs)
        run("cmake", "--install", tree, "--component", "python", "--prefix", module.parent.parent, "--strip")
        if not module.exists():
            raise SystemExit(f"{tree} is compiled for another Python than {sys.executable}, which wants {module.name}")

    def configure(self, tree: Path) -> None:
        words = ["-D", "CMAKE_BUILD_TYPE=Release", "-D", "CMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG", "-D", "LINKWRIGHT_PYTHON=ON",
                 "-D", "LINKWRIGHT_TESTS=OFF", "-D", f"Python_EXECUTABLE={sys.executable}",
                 "-D", f"Python_INCLUDE_DIR={sysconfig.get_path('include')}"]
        try:
            import pybind11  # of the index; Debian's pybind11-dev is found by CMake alone

            words += ["-D", f"pybind11_DIR={pybind11.get_cmake_dir()}"]
        except ImportError:
            pass
        if "CMAKE_GENERATOR" not in os.environ and shutil.which("ninja"):
            words += ["-G", "Ninja"]
        if "CXX" not in os.environ and shutil.which("clang++-19"):  # as the Makefile chooses
            words += ["-D", "CMAKE_CXX_COMPILER=clang++-19"]
        run("cmake", "-S", ROOT, "-B", tree, *words)


TREE.mkdir(parents=True, exist_ok=True)
setup(
    version=version(),
    ext_modules=[Extension("linkwright._linkwright", [])],
    cmdclass={"build_ext": BuildWithCMake},
    options={"build": {"build_base": str(TREE.relative_to(ROOT))}, "egg_info": {"egg_base": str(TREE.relative_to(ROOT))}},
    setup_requires=[] if shutil.which("cmake") else ["cmake>=3.25"],
)
