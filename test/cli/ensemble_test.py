#!/usr/bin/env python3
"""ensemble_test.py PROGRAM VERSION: what ensemble answers: designs, statistics, sensitivity, restarts, several processes, and what it refuses."""
import csv
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from answers import program, root

# x(1) = F, as the mass is 1/2 and starts at rest: the function of Ishigami and Homma, coefficients 7 and 0.1.
ishigami = """format = 1
name = "Ishigami"
[parameters]
a = 0.1
b = 0.2
c = 0.3
[[body]]
name = "block"
mass = 0.5
[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "block"
axis = "x"
actuator = "sin(a) + 7*sin(b)^2 + 0.1*c^4*sin(a)"
"""

pendulum = """format = 1
name = "Pendulum"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
l = 1.0
m = { value = 1, unit = "kg" }
[inputs]
tau = 0
[[body]]
name = "bob"
mass = "m"
com = [0, "-l", 0]
[[joint]]
name = "theta"
type = "revolute"
parent = "ground"
child = "bob"
axis = "z"
actuator = "tau"
[initial]
theta = 1
"""


def quarter_period(length, gravity, amplitude):
    """By the arithmetic-geometric mean: exact for any amplitude."""
    x, y = 1.0, math.cos(amplitude / 2)
    while abs(x - y) > 1e-15:
        x, y = (x + y) / 2, math.sqrt(x * y)
    return math.sqrt(length / gravity) * math.pi / 2 / x


class Ensemble(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        for name, text in (("ishigami", ishigami), ("pendulum", pendulum)):
            with open(self.path(name + ".toml"), "w") as file:
                file.write(text)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_it(self, model, *words, before=(), status=0):
        model = model if "/" in model else self.path(model + ".toml")
        done = subprocess.run([*before, program, "ensemble", model, *words], capture_output=True, text=True, timeout=200, cwd=root)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stderr)
        return done

    def json(self, model, *words, **how):
        return json.loads(self.run_it(model, *words, "--json", **how).stdout)

    def rows(self, name):
        with open(self.path(name)) as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))

    def refuses(self, model, *words, says, status=2):
        done = self.run_it(model, *words, status=status)
        for text in says:
            self.assertIn(text, done.stderr)

    def test_indices_of_the_function_of_ishigami(self):
        words = [w for name in "abc" for w in ("--vary", f"{name} ~ uniform(-pi, pi)")]
        result = self.json("ishigami", *words, "--sampling", "sobol", "--runs", "4096", "--indices", "--until", "1", "--collect", "final(x)")
        collected = result["points"][0]["collected"][0]
        v1, v2, v13 = 0.5 * (1 + 0.1 * math.pi**4 / 5) ** 2, 49 / 8, 0.01 * math.pi**8 * (1 / 18 - 1 / 50)
        whole = v1 + v2 + v13
        self.assertAlmostEqual(collected["indices"]["variance"], whole, delta=0.02 * whole)
        expected = [(v1, v1 + v13), (v2, v2), (0, v13)]
        for index, (first, total) in zip(collected["indices"]["of"], expected):
            self.assertAlmostEqual(index["first"], first / whole, delta=0.02)
            self.assertAlmostEqual(index["total"], total / whole, delta=0.02)
            self.assertLess(index["first_within"][0], index["first_within"][1])
        self.assertAlmostEqual(collected["mean"], 3.5, delta=0.05)

    def test_period_of_a_pendulum(self):
        self.run_it("pendulum", "--vary", "l ~ lognormal(0, 0.2)", "--vary", "theta ~ uniform(0.1, 2)", "--runs", "40", "--until", "2", "--samples", "400",
                    "--collect", "quarter = falling(theta)", "-o", self.path("runs.csv"))
        rows = self.rows("runs.csv")
        self.assertEqual(len(rows), 40)
        for row in rows:
            self.assertAlmostEqual(float(row["quarter"]), quarter_period(float(row["l"]), 9.81, float(row["theta"])), delta=1e-6)

    def test_indices_of_a_period(self):
        # T is proportional to the root of l/g: with logarithms that are normal, its variance is known.
        result = self.json("pendulum", "--vary", "l ~ lognormal(0, 0.3)", "--vary", "g ~ lognormal(2.28, 0.15)", "--sampling", "sobol", "--runs", "1024",
                           "--indices", "--until", "3", "--samples", "150", "--collect", "falling(theta)")
        of = result["points"][0]["collected"][0]["indices"]["of"]
        parts = [math.expm1(s * s / 4) for s in (0.3, 0.15)]
        whole = math.expm1((0.3**2 + 0.15**2) / 4)
        for index, part in zip(of, parts):
            self.assertAlmostEqual(index["first"], part / whole, delta=0.03)
            self.assertAlmostEqual(index["total"], 1 - (sum(parts) - part) / whole, delta=0.03)

    def test_lanes_and_single_motions_agree(self):
        words = ("examples/crane.toml", "--vary", "m ~ normal(80, 8)", "--vary", "theta ~ normal(0.1, 0.05)", "--vary", "drive ~ uniform(-50, 50)", "--runs", "13",
                 "--until", "3", "--collect", "max(abs(theta))", "--collect", "final(x)", "--collect", "at(1.234, x')", "--collect", "mean(energy.total)")
        self.run_it(*words, "-o", self.path("lanes.csv"))
        self.run_it(*words, "--one-by-one", "-o", self.path("single.csv"))
        for one, other in zip(self.rows("lanes.csv"), self.rows("single.csv")):
            for name in one:
                if name == "failure":
                    continue
                self.assertAlmostEqual(float(one[name]), float(other[name]), delta=1e-6 * max(1, abs(float(other[name]))))

    def test_threads_do_not_matter(self):
        texts = []
        for threads in ("1", "2", "5"):
            self.run_it("pendulum", "--vary", "l ~ uniform(0.5, 2)", "--vary", "tau ~ normal(0, 1)", "--sampling", "latin", "--runs", "300", "--until", "1",
                        "--collect", "final(theta)", "--collect", "rms(theta')", "--threads", threads, "-o", self.path(threads + ".csv"))
            with open(self.path(threads + ".csv")) as file:
                texts.append(file.read())
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(texts[0], texts[2])

    def test_latin_hypercube_has_one_in_each_slice(self):
        self.run_it("pendulum", "--vary", "l ~ uniform(0, 1) in [0.001, 1]", "--sampling", "latin", "--runs", "50", "--until", "0.01", "--collect", "final(theta)", "-o",
                    self.path("runs.csv"))
        slices = sorted(int((float(row["l"]) - 0.001) / 0.999 * 50) for row in self.rows("runs.csv"))
        self.assertEqual(slices, list(range(50)))

    def test_closed_chains_go_one_by_one(self):
        result = self.json("models/four_bar/model.toml", "--vary", "alpha' ~ uniform(0.5, 1)", "--runs", "4", "--until", "0.2", "--collect", "final(alpha)",
                           "--collect", "max(constraint.position)")
        self.assertEqual(result["failures"], [])
        self.assertLess(result["points"][0]["collected"][1]["max"], 1e-8)

    def test_grid_of_modes(self):
        result = self.json("pendulum", "--of", "modes", "--grid", "l=1,2,4", "--collect", "frequency.1")
        for point, length in zip(result["points"], (1, 2, 4)):
            self.assertAlmostEqual(point["collected"][0]["mean"], math.sqrt(9.81 / length) / 2 / math.pi, delta=1e-9)

    def test_equilibria_and_inverse(self):
        result = self.json("pendulum", "--of", "equilibrium", "--vary", "tau ~ uniform(1, 2)", "--runs", "3", "--collect", "9.81*sin(theta) - tau")
        self.assertAlmostEqual(result["points"][0]["collected"][0]["max"], 0, delta=1e-9)
        result = self.json("pendulum", "--of", "inverse", "--motion", "theta = t", "--by", "inputs", "--until", "1", "--grid", "l=1,2", "--collect", "final(tau)")
        for point, length in zip(result["points"], (1, 2)):
            self.assertAlmostEqual(point["collected"][0]["mean"], 9.81 * length * math.sin(1), delta=1e-8)

    def test_impossible_runs_fail_and_others_go_on(self):
        done = self.run_it("pendulum", "--vary", "m ~ uniform(-1, 1)", "--runs", "200", "--until", "0.1", "--collect", "final(theta)", "-o", self.path("runs.csv"))
        self.assertIn("runs failed", done.stderr)
        for row in self.rows("runs.csv"):
            self.assertEqual(row["failure"] != "", float(row["m"]) < 0)
            self.assertEqual(row["final(theta)"] == "", float(row["m"]) < 0)
            if row["failure"]:
                self.assertIn("the mass of 'bob' is negative", row["failure"])
        self.refuses("pendulum", "--vary", "m ~ uniform(-2, -1)", "--runs", "3", "--until", "1", "--collect", "final(theta)", says=["all runs failed"], status=1)

    def test_killed_and_begun_again(self):
        words = ["models/triple_pendulum/model.toml", "--vary", "q1 ~ uniform(0.3, 0.6)", "--runs", "60000", "--until", "1", "--collect", "final(q3)"]
        self.run_it(*words, "-o", self.path("whole.csv"))
        killed = subprocess.Popen([program, "ensemble", *words, "-o", self.path("runs.csv")], cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        journal = self.path("runs.csv.journal")
        while killed.poll() is None and not (os.path.exists(journal) and os.path.getsize(journal) > 20000):
            time.sleep(0.002)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        self.assertFalse(os.path.exists(self.path("runs.csv")), "it was through before it was killed")
        with open(journal, "ab") as file:
            file.write(b"half a record")
        done = self.run_it(*words, "-o", self.path("runs.csv"))
        self.assertIn("were done by an earlier call", done.stderr)
        with open(self.path("whole.csv")) as whole, open(self.path("runs.csv")) as again:
            self.assertEqual(whole.read(), again.read())
        self.assertFalse(os.path.exists(journal))

    def test_output_of_another_ensemble_is_refused(self):
        words = ["--vary", "l ~ uniform(1, 2)", "--until", "0.1", "--collect", "final(theta)"]
        for name in ("runs.csv", "runs.h5"):
            if name.endswith("h5") and not self.has_plugin("linkwright_hdf5"):
                continue
            self.run_it("pendulum", *words, "--runs", "5", "-o", self.path(name))
            self.run_it("pendulum", *words, "--runs", "5", "-o", self.path(name))
            self.refuses("pendulum", *words, "--runs", "6", "-o", self.path(name), says=["does not belong to this ensemble", "--overwrite"])
            self.run_it("pendulum", *words, "--runs", "6", "-o", self.path(name), "--overwrite")
        with open(self.path("other.csv.journal"), "w") as file:
            file.write("linkwright ensemble journal 1\n" + 64 * "0" + "\n")
        self.refuses("pendulum", *words, "--runs", "5", "-o", self.path("other.csv"), says=["belongs to another ensemble"])

    def has_plugin(self, name):
        return os.path.exists(os.path.join(os.path.dirname(program), "..", "lib", "linkwright", name + ".so"))

    def test_hdf5(self):
        if not self.has_plugin("linkwright_hdf5"):
            self.skipTest("built without HDF5")
        self.run_it("pendulum", "--vary", "l ~ uniform(1, 2)", "--runs", "5", "--until", "0.1", "--collect", "final(theta)", "-o", self.path("runs.h5"))
        with open(self.path("runs.h5"), "rb") as file:
            bytes_ = file.read()
        self.assertTrue(bytes_.startswith(b"linkwright ensemble "))
        self.assertEqual(bytes_[512:520], b"\x89HDF\r\n\x1a\n")
        self.assertIn(b"final(theta)", bytes_)

    def test_processes_do_not_matter(self):
        if shutil.which("mpirun") is None or not self.has_plugin("linkwright_mpi"):
            self.skipTest("no MPI")
        texts = []
        for processes in ("1", "2", "4", "8"):  # 8: more processes than parts
            mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", processes]
            done = self.run_it("pendulum", "--vary", "l ~ uniform(0.5, 2)", "--runs", "100", "--until", "1", "--collect", "final(theta)", "--quiet", "-o",
                               self.path(processes + ".csv"), before=mpirun)
            with open(self.path(processes + ".csv")) as file:
                texts.append((done.stdout, file.read()))
        self.assertEqual(texts, [texts[0]] * 4)
        mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4"]
        self.run_it("pendulum", "--vary", "l ~ uniform(0.5, 2)", "--runs", "1", "--until", "1", "--collect", "final(theta)", before=mpirun)
        done = self.run_it("pendulum", "--vary", "l ~ unform(0.5, 2)", "--runs", "1", "--until", "1", "--collect", "final(theta)", before=mpirun, status=2)
        self.assertEqual(done.stderr.count("unknown distribution"), 1)

    def test_a_process_that_hangs_is_named(self):
        if shutil.which("mpirun") is None or not self.has_plugin("linkwright_mpi"):
            self.skipTest("no MPI")
        # Process 1 stops when the journal is there: then all processes have met.
        hang = 'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then me=$$; (until [ -s "$JOURNAL" ]; do sleep 0.01; done; kill -STOP $me) & fi; exec "$0" "$@"'
        output = self.path("hang.csv")
        mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", "-x", "JOURNAL=" + output + ".journal", "sh", "-c", hang]
        words = ["pendulum", "--vary", "l ~ uniform(0.5, 2)", "--runs", "20000", "--until", "10", "--collect", "final(theta)"]
        done = self.run_it(*words, "--patience", "1", "-o", output, before=mpirun, status=None)
        self.assertRegex(done.stderr, r"process 1 on \S+ had not (brought runs \d+ to \d+|asked for work) after")
        self.run_it(*words, "-o", self.path("alone.csv"))
        with open(output) as one, open(self.path("alone.csv")) as other:
            self.assertEqual(one.read(), other.read())

    def test_refuses(self):
        usual = ["--runs", "3", "--until", "1", "--collect", "final(theta)"]
        vary = ["--vary", "l ~ uniform(1, 2)"]
        self.refuses("pendulum", "--vary", "l ~ unform(1, 2)", *usual, says=["unknown distribution 'unform'", "did you mean uniform?"])
        self.refuses("pendulum", "--vary", "l ~ normal(1, -2)", *usual, says=["the standard deviation must be positive, not -2"])
        self.refuses("pendulum", "--vary", "l ~ uniform(2, 1)", *usual, says=["must be below the greatest"])
        self.refuses("pendulum", "--vary", "l ~ normal(1)", *usual, says=["normal takes 2 numbers, not 1"])
        self.refuses("pendulum", "--vary", "l ~ normal(1, 0.1) in [50, 51]", *usual, says=["practically no values"])
        self.refuses("pendulum", "--vary", "l normal(1, 2)", *usual, says=["NAME ~ DISTRIBUTION"])
        self.refuses("pendulum", "--vary", "length ~ normal(1, 2)", *usual, says=["no parameter, input or coordinate 'length'"])
        self.refuses("pendulum", *vary, *vary, *usual, says=["'l' is varied twice"])
        self.refuses("pendulum", *vary, "--runs", "0", *usual[2:], says=["at least one run"])
        self.refuses("pendulum", *vary, *usual[2:], says=["--runs is missing"])
        self.refuses("pendulum", *usual, says=["nothing is varied"])
        self.refuses("pendulum", *vary, *usual[:4], says=["nothing is collected"])
        self.refuses("pendulum", *vary, *usual[:4], "--collect", "theta", says=["does not say what of the motion is kept", "final(theta)"])
        self.refuses("pendulum", *vary, *usual[:4], "--collect", "final(thta)", says=["unknown name 'thta'"])
        self.refuses("pendulum", *vary, *usual[:4], "--collect", "at(2, theta)", says=["is not within the motion"])
        self.refuses("pendulum", *vary, *usual, "-o", self.path("runs.txt"), says=["runs.csv or runs.h5"])
        self.refuses("pendulum", *vary, "--grid", "g=1,2", "--indices", *usual, says=["--indices"])

    def test_full_disk(self):
        done = self.run_it("pendulum", "--vary", "l ~ uniform(1, 2)", "--runs", "3000", "--until", "0.1", "--collect", "final(theta)", "-o", "/dev/full", status=1)
        self.assertIn("No space left on device", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
