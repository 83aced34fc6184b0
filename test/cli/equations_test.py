#!/usr/bin/env python3
"""equations_test.py PROGRAM VERSION: what the command line answers: derive, evaluate, count, generate."""
import json
import math
import os
import sys
import unittest

from answers import WithModel, run


class Evaluate(WithModel):
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

    def test_evaluate_says_nothing_of_accelerations_that_are_not_there(self):
        self.model = self.write("massless.toml", '''format = 1
[[body]]
name = "a"
[[body]]
name = "b"
mass = 1
[[joint]]
name = "p"
type = "prismatic"
parent = "ground"
child = "a"
axis = "x"
[[joint]]
name = "q"
type = "prismatic"
parent = "a"
child = "b"
axis = "x"
stiffness = 5
[[output]]
name = "speed_up"
acceleration = "b"
''')
        state = self.state(values={"q": 1})
        done = run("evaluate", self.model, "--json", "--state", state)
        j = json.loads(done.stdout)
        self.assertEqual((done.returncode, j["accelerations"], j["outputs"]["speed_up.x"], j["outputs"]["speed_up.y"]), (1, None, None, 0))
        self.assertNotIn("accelerations\n", run("evaluate", self.model, "--state", state).stdout)

    def test_forces_of_constraints_are_outputs(self):
        bead = '''format = 1
gravity = [0, -9.81, 0]
[[body]]
name = "bead"
mass = 2
[[joint]]
name = "p"
type = "translation"
axes = ["x", "y"]
parent = "ground"
child = "bead"
[[output]]
name = "load"
expression = "3*track.force"
[[constraint]]
name = "track"
holonomic = "p.y - p.x^2"
'''
        self.model = self.write("bead.toml", bead)
        j = self.evaluated()
        self.assertAlmostEqual(j["outputs"]["track.force"], 2 * 9.81, 12)
        self.assertAlmostEqual(j["outputs"]["load"], 6 * 9.81, 12)

    def test_a_contact_that_a_joint_keeps_already_has_no_force(self):
        coin = '''format = 1
gravity = [0, 0, -9.81]
[[body]]
name = "coin"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "p"
type = "planar"
axis = "z"
parent = "ground"
parent_at = [0, 0, 0.1]
child = "coin"
[[rolling]]
name = "edge"
type = "disk"
on = "coin"
axis = "y"
radius = 0.1
'''
        self.model = self.write("coin.toml", coin)
        self.assertNotIn("edge.normal", self.evaluated()["outputs"])
        path = self.write("weight.toml", coin + '[[output]]\nname = "weight"\nexpression = "edge.normal"\n')
        done = run("check", path)
        self.assertEqual(done.returncode, 2)
        self.assertIn("weight.toml:21:", done.stderr)
        self.assertIn("there is no 'edge.normal': a joint holds this already", done.stderr)

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
        self.refuses(run("evaluate", self.model, "--state", self.write("twice.json", '{"values": {"hip": 1, "hip": 2}}')), '"hip" is given twice')
        self.refuses(run("evaluate", self.model, "--state", self.folder.name), "is a directory")
        self.refuses(run("evaluate", self.model, "--state", "nowhere.json"), "nowhere.json: cannot be opened")

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

    def test_units(self):
        text = run("evaluate", self.model).stdout
        for line in ("    t                                 0  s", "    hip                             0.5  rad", "    hip'                              0  rad/s"):
            self.assertIn(line + "\n", text)
        self.assertRegex(text, r"forcing\n    hip' +-[0-9.]+  N\*m\naccelerations\n    hip'' +-[0-9.]+  rad/s\^2\n")
        self.assertRegex(text, r"kinetic 0 J, potential -[0-9.]+ J")
        table = os.path.join(self.folder.name, "motion.csv")
        run("simulate", self.model, "--until", "1", "--samples", "2", "--units", "-o", table)
        with open(table) as file:
            header = file.readline()
        self.assertTrue(header.startswith("t [s],hip [rad],hip' [rad/s],energy.kinetic [J],"), header)
        self.assertIn("constraint.position,", header)
        self.assertEqual(run("simulate", self.model, "--restart", table, "--until", "2", "--samples", "1", "--quiet").returncode, 0)
        header = run("inverse", self.model, "--motion", "hip=t^2", "--until", "1", "--samples", "1", "--units").stdout.splitlines()[0]
        self.assertIn("hip'' [rad/s^2]", header)
        linear = run("linearize", self.model)
        self.assertIn("states x: hip [rad], hip' [rad/s]\n", linear.stdout)
        j = json.loads(run("linearize", self.model, "--json").stdout)
        self.assertEqual(j["state_space"]["units"]["states"], ["rad", "rad/s"])


class Derive(WithModel):
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
        self.refuses(run("derive", self.model, "--only", "M,h"), "unknown part 'h'", "the parts are")
        self.refuses(run("derive", self.model, "--formulation", "newton"), "unknown formulation 'newton'")


class Code(WithModel):
    def test_count(self):
        j = json.loads(run("count", self.model, "--json").stdout)
        self.assertEqual(j["programs"]["forward"]["sincos"], 1)
        self.assertLess(j["programs"]["forward"]["mul"], 5)
        self.answers(run("count", self.model, "--freeze", "all"), "forward")

    def test_generate(self):
        out = os.path.join(self.folder.name, "a", "b")
        languages = "c,cpp,fortran,python,julia,matlab,modelica,javascript"
        done = run("generate", self.model, "--language", languages, "-o", out, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        j = json.loads(done.stdout)
        self.assertEqual(sorted(os.path.basename(f["path"]) for f in j["files"]), sorted(os.listdir(out)))
        self.assertEqual(sorted({f["language"] for f in j["files"]}), sorted(languages.split(",")))
        with open(os.path.join(out, "pendulum.py")) as file:
            self.assertIn('Symbol("hip", "", "", 0.5)', file.read())  # where the model begins
        again = run("generate", self.model, "--language", "c", "-o", out)
        self.answers(again, "accelerations")
        self.refuses(run("generate", self.model, "--language", "pyton", "-o", out), "unknown language 'pyton'", "did you mean python?")
        self.refuses(run("generate", self.model), "--language is missing", "c, cpp, fortran")
        self.refuses(run("generate", self.model, "--language", "c", "-o", self.model), "not a folder")


unittest.main(argv=sys.argv[:1])
