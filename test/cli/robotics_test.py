#!/usr/bin/env python3
"""robotics_test.py PROGRAM ROOT: emitted C, Python and MATLAB compute g, C, causes, Jacobians and operational-space inertia as `evaluate` does."""
import ctypes
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None

MODELS = [
    ("examples/two_links.toml", []),
    ("models/stanford_arm/model.toml", []),
    ("models/satellite/model.toml", ["--frame", "bus,arm2.com"]),
    ("models/four_bar/model.toml", []),
    ("models/motor_driven_arm/model.toml", []),
    ("models/flexible_spatial_arm/model.toml", []),
]
ALSO = ["--also", "g,C,causes,J,Lambda"]
OCTAVE = shutil.which("octave-cli")


def run(*words):
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@unittest.skipIf(np is None, "there is no NumPy here")
class Emitted(unittest.TestCase):
    def compare(self, model, frame_words):
        frames = list(frame_words)
        path = os.path.join(root, model)
        state = json.loads(run("evaluate", path, *ALSO, *frames, "--json"))
        with tempfile.TemporaryDirectory() as folder:
            listed = json.loads(run("generate", path, "--language", "python,c,matlab", *ALSO, *frames, "-o", folder, "--json"))
            name = listed["identifier"]
            spec = importlib.util.spec_from_file_location(name, os.path.join(folder, name + ".py"))
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            library = os.path.join(folder, "code.so")
            subprocess.run(["gcc", "-O0", "-shared", "-fPIC", os.path.join(folder, name + ".c"), "-o", library, "-lm"], check=True)
            native = ctypes.CDLL(library)
            self.called = []
            self.check(state, listed, name, module, native)
            if OCTAVE:
                self.check_octave(folder, name)

    def check(self, state, listed, name, module, native):
        values = state["state"]["values"]
        q = np.array([values[x] for x in state["coordinates"]], float)
        u = np.array([values[x] for x in state["speeds"] + state.get("auxiliary", [])], float)
        n, nx = len(state["speeds"]), len(u) - len(state["speeds"])
        t, w = float(state["t"]), module.values(module.INPUTS)
        c = module.setup(module.values(module.PARAMETERS))
        def pointer_of(a):
            return a.ctypes.data_as(ctypes.POINTER(ctypes.c_double))

        def both(function, arguments, expected):
            ours = getattr(module, function)(*arguments)
            ours = ours if isinstance(ours, tuple) else (ours,)
            kept = [np.ascontiguousarray(a, float) for a in arguments[1:]]
            results = [np.full(np.shape(x), np.nan) for x in ours]
            getattr(native, f"{name}_{function}")(ctypes.c_double(arguments[0]), *map(pointer_of, kept), *map(pointer_of, results))
            self.assertGreaterEqual(len(ours), len(expected))
            self.called.append((function, arguments, ours))
            for emitted in (ours, results):
                for got, wanted in zip(emitted, expected):
                    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9 * (1 + np.max(np.abs(wanted), initial=0)))
            return ours

        padded = lambda f: np.concatenate([np.array(f, float), np.zeros(nx)])
        C = np.zeros((n + nx, n + nx))
        C[:n, :n] = state["velocity_matrix"]
        both("velocity_matrix", (t, q, u, w, c), [C])
        both("gravity", (t, q, c), [padded(state["gravity_forces"])])
        both("causes", (t, q, u, w, c), [padded(f) for f in state["forcing_by_cause"].values()])
        total = sum(np.array(f, float) for f in state["forcing_by_cause"].values())
        np.testing.assert_allclose(total, state["forcing"], rtol=1e-9, atol=1e-9 * (1 + np.max(np.abs(total))))
        functions = [f for f in listed["programs"] if f.startswith("frame_")]
        self.assertEqual(len(functions), len(state["jacobians"]))
        for function, frame in zip(functions, state["jacobians"]):
            J = np.hstack([np.array(frame["J"], float), np.zeros((len(frame["rows"]), nx))])
            results = both(function, (t, q, u, c), [J, np.array(frame["Jdot_u"], float)])
            if len(results) < 3 or frame["inertia"] is None:
                continue
            rows = [frame["rows"].index(r) for r in frame["inertia_rows"]]
            np.testing.assert_allclose(np.linalg.inv(results[2][np.ix_(rows, rows)]), frame["inertia"], rtol=1e-7, atol=1e-9)
            _, pivots = both(function.replace("frame_", "inertia_", 1), (t, q, c), [np.array(frame["inertia"], float)])
            self.assertTrue(np.all(pivots > 1e-10) and np.all(pivots <= 1 + 1e-12), pivots)

    def check_octave(self, folder, name):
        """The same calls in Octave: every result, one number a line with all its digits."""
        def written(a):
            return repr(a) if isinstance(a, float) else "[" + "; ".join(repr(float(x)) for x in a) + "]" if len(a) else "zeros(0, 1)"

        lines = [f"s = {name}();"]
        for function, arguments, results in self.called:
            targets = ", ".join(f"r{i}" for i in range(len(results)))
            lines.append(f"[{targets}] = s.{function}({', '.join(map(written, arguments))});")
            lines += [f"printf('%.17g\\n', r{i}.');" for i in range(len(results))]
        done = subprocess.run([OCTAVE, "--no-gui", "--quiet", "--eval", " ".join(lines)], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        wanted = np.concatenate([np.ravel(r) for _, _, results in self.called for r in results])
        got = np.array([float(x) for x in done.stdout.split()])
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9 * (1 + np.max(np.abs(wanted))))

    def test_singular(self):
        """An arm that is stretched: the pivot says so, whatever the inertia is."""
        path = os.path.join(root, "examples/two_links.toml")
        with tempfile.TemporaryDirectory() as folder:
            run("generate", path, "--language", "python", "--also", "Lambda", "-o", folder)
            spec = importlib.util.spec_from_file_location("two_links", os.path.join(folder, "two_links.py"))
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            c = module.setup(module.values(module.PARAMETERS))
            with np.errstate(all="ignore"):
                for bend, is_singular in ((0.0, True), (1e-3, False), (np.pi, True)):
                    _, pivots = module.inertia_tip(0.0, np.array([0.3, bend]), c)
                    self.assertEqual(bool(np.min(pivots) < 1e-10), is_singular, (bend, pivots))

    def test_as_evaluate(self):
        for model, frames in MODELS:
            with self.subTest(model=model):
                self.compare(model, frames)


program, root = sys.argv[1:3]
unittest.main(argv=sys.argv[:1])
