#!/usr/bin/env python3
"""cli_test.py PROGRAM VERSION: what the command line answers, and with which exit status."""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest


def run(*words, stdout=subprocess.PIPE):
    return subprocess.run([program, *words], stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=20)


class Answers(unittest.TestCase):
    def answers(self, done, text):
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(text, done.stdout)

    def refuses(self, done, *texts):
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        for text in texts:
            self.assertIn(text, done.stderr)


class CommandLine(Answers):
    def test_version(self):
        self.assertEqual(run("--version").stdout, f"linkwright {version}\n")
        self.answers(run("--version"), version)

    def test_help(self):
        for option in ("--help", "-h"):
            self.answers(run(option), "Usage: linkwright")

    def test_nothing_to_do_prints_help_to_stderr(self):
        self.refuses(run(), "Usage: linkwright", "--help")
        self.refuses(run("--"), "Usage: linkwright")

    def test_unknown_verb(self):
        self.refuses(run("derrive", "model.toml"), "unknown verb 'derrive'", "did you mean derive?")
        self.refuses(run("--", "drive"), "unknown verb 'drive'")
        self.refuses(run(""), "unknown verb ''", "the verbs are check, derive, evaluate")
        self.refuses(run("dreive", "--help"), "unknown verb 'dreive'")

    def test_unknown_option(self):
        self.refuses(run("--versoin"), "unknown option '--versoin'", "did you mean --version?")
        self.refuses(run("-x"), "unknown option '-x'", "linkwright --help")

    def test_lost_output_is_told(self):
        for option in ("--version", "--help"):
            with open("/dev/full", "w") as full:
                done = run(option, stdout=full)
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot write to standard output: No space left on device", done.stderr)


pendulum = """format = 1
name = "Pendulum"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
l = { value = 0.5, unit = "m", min = 0.1 }
[inputs]
tau = 0
[[body]]
name = "rod"
mass = 2
inertia = [0, 0, 0.1]
com = [0, "-l", 0]
[[joint]]
name = "hip"
type = "revolute"
parent = "ground"
child = "rod"
actuator = "tau"
[initial]
hip = 0.5
"""


class Verbs(Answers):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.model = self.write("model.toml", pendulum)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def state(self, **content):
        return self.write("state.json", json.dumps(content))

    def evaluated(self, *words):
        done = run("evaluate", self.model, "--json", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_evaluate_at_the_initial_state(self):
        j = self.evaluated()
        inertia = 0.1 + 2 * 0.25
        self.assertEqual((j["coordinates"], j["speeds"]), (["hip"], ["hip'"]))
        self.assertAlmostEqual(j["mass_matrix"][0][0], inertia, 12)
        self.assertAlmostEqual(j["forcing"][0], -2 * 9.81 * 0.5 * math.sin(0.5), 12)
        self.assertAlmostEqual(j["accelerations"][0], j["forcing"][0] / inertia, 12)
        self.assertAlmostEqual(j["energy"]["total"], -2 * 9.81 * 0.5 * math.cos(0.5), 12)
        self.assertEqual((j["multipliers"], j["residual"]), ([], {"position": 0, "velocity": 0}))

    def test_evaluate_at_a_state(self):
        j = self.evaluated("--state", self.state(t=0, values={"hip": 1, "hip'": 2}, inputs={"tau": 3}))
        self.assertAlmostEqual(j["forcing"][0], 3 - 2 * 9.81 * 0.5 * math.sin(1), 12)
        self.assertAlmostEqual(j["energy"]["kinetic"], 0.5 * 0.6 * 4, 12)
        self.assertAlmostEqual(self.evaluated("--state", self.state())["forcing"][0], 0, 12)  # absent names are 0

    def test_set_and_freeze(self):
        self.assertAlmostEqual(self.evaluated("--set", "l=1")["mass_matrix"][0][0], 2.1, 12)
        self.assertAlmostEqual(self.evaluated("--set", "l=2*g/9.81", "--set", "g=9.81")["mass_matrix"][0][0], 8.1, 12)
        self.assertAlmostEqual(self.evaluated("--freeze", "all")["mass_matrix"][0][0], 0.6, 12)
        self.refuses(run("check", self.model, "--set", "k=1"), "k")
        self.refuses(run("check", self.model, "--set", "l"), "--set takes name=value")
        self.refuses(run("check", self.model, "--set", "l=0.01"), "0.1")
        self.refuses(run("check", self.model, "--freeze", "ll"), "no parameter 'll'", "did you mean l?")

    def test_wrong_states(self):
        for content, told in (
            ({"values": {"hop": 1}}, "no coordinate or speed 'hop'"),
            ({"values": {"hip": "x"}}, "must be a number"),
            ({"inputs": {"taw": 1}}, "no input 'taw'"),
            ({"value": {}}, "unknown key"),
            ([1], "must hold an object"),
        ):
            path = self.write("wrong.json", json.dumps(content))
            self.refuses(run("evaluate", self.model, "--state", path), path, told)
        self.refuses(run("evaluate", self.model, "--state", self.write("bad.json", "{\n \"t\": ")), "bad.json:2:", "not JSON")
        self.refuses(run("evaluate", self.model, "--state", self.folder.name), "is a directory")
        self.refuses(run("evaluate", self.model, "--state", "nowhere.json"), "nowhere.json: cannot be opened")

    def test_derive(self):
        done = run("derive", self.model, "--only", "M,f")
        self.answers(done, "M[1][1] = ")
        self.answers(done, "f[1] = tau - 2*g*l*sin(hip)")
        self.answers(run("derive", self.model, "--steps"), "Step 3. Partial velocities")
        self.answers(run("derive", self.model, "--to", "latex"), "\\documentclass")
        self.answers(run("derive", self.model, "--to", "markdown"), "# Pendulum")
        self.assertEqual(json.loads(run("derive", self.model, "--to", "json").stdout)["coordinates"], ["hip"])
        self.answers(run("derive", self.model, "--form", "recursive"), "Recursive form")
        self.refuses(run("derive", self.model, "--to", "latx"), "did you mean latex?")
        self.refuses(run("derive", self.model, "--only", "M,h"), "no part 'h'", "the parts are")
        self.refuses(run("derive", self.model, "--formulation", "newton"), "unknown formulation 'newton'")

    def test_check(self):
        self.answers(run("check", self.model), "freedoms of motion: 1")
        self.answers(run("check", self.model, "--to", "dot"), "digraph")
        j = json.loads(run("check", self.model, "--json").stdout)
        self.assertEqual((j["freedoms"], j["matrices"]["path"]), (1, [[1, 0], [1, 1]]))

    def test_wrong_models(self):
        self.refuses(run("check", "nowhere.toml"), "nowhere.toml:1:1: error: there is no such file")
        self.refuses(run("check", self.folder.name), "folder")
        self.refuses(run("check"), "model is required")
        self.refuses(run("derive", self.write("wrong.toml", pendulum + "x = 1\n")), "wrong.toml:22:1", "'x'")

    def test_result_goes_to_a_file_whole_or_not_at_all(self):
        out = os.path.join(self.folder.name, "out.txt")
        self.assertEqual(run("derive", self.model, "-o", out).stdout, "")
        with open(out) as file:
            self.assertIn("Mass matrix", file.read())
        done = run("derive", self.model, "-o", os.path.join(self.folder.name, "no", "out.txt"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["model.toml", "out.txt"])

    def test_a_loop_that_cannot_close_says_so(self):
        triangle = self.write("triangle.toml", """format = 1
[[body]]
name = "a"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "a"
[[joint]]
name = "B"
type = "revolute"
parent = "a"
child = "b"
parent_at = [1, 0, 0]
[[joint]]
name = "C"
type = "revolute"
parent = "ground"
child = "b"
parent_at = [5, 0, 0]
child_at = [1, 0, 0]
""")
        done = run("evaluate", triangle)
        self.assertEqual(done.returncode, 1)
        self.assertIn("does not close: 'C.x' stays open by 3", done.stderr)


program, version = sys.argv[1:3]
unittest.main(argv=sys.argv[:1])
