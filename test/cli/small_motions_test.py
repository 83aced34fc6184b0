#!/usr/bin/env python3
"""small_motions_test.py PROGRAM VERSION: what the command line answers: equilibrium, linearize, modes, structure, frequency, sensitivity, place."""
import json
import math
import os
import sys
import unittest

from answers import WithModel, run


two_masses = """format = 1
name = "two masses"
[parameters]
k = { value = 4, unit = "N/m", min = 1 }
kc = 1
m = { value = 1000, unit = "g" }
c = 0
[inputs]
push = 0
[[body]]
name = "a"
mass = "m"
[[body]]
name = "b"
mass = "m"
[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "a"
axis = "x"
stiffness = "k + kc"
damping = "c"
actuator = "push"
[[joint]]
name = "y"
type = "prismatic"
parent = "ground"
child = "b"
axis = "x"
stiffness = "k + kc"
damping = "c"
[[force]]
on = "a"
vector = ["kc*y", 0, 0]
[[force]]
on = "b"
vector = ["kc*x", 0, 0]
[initial]
x = 0.1
"""


class SmallMotions(WithModel):
    """The pendulum of WithModel, and two masses with K = [[k + kc, -kc], [-kc, k + kc]]."""

    def setUp(self):
        super().setUp()
        self.masses = self.write("masses.toml", two_masses)

    def test_equilibrium_is_a_state_file(self):
        rest = os.path.join(self.folder.name, "rest.json")
        done = run("equilibrium", self.masses, "--json", "-o", rest)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(rest) as file:
            j = json.load(file)
        self.assertEqual(j["equilibria"][0]["stability"], "stable")
        self.assertAlmostEqual(j["state"]["values"]["x"], 0)
        self.answers(run("evaluate", self.masses, "--state", rest), "accelerations")
        self.refuses(run("equilibrium", self.masses, "--hold", "z=1"), "'z'")

    def test_no_equilibrium(self):
        falling = self.write("falling.toml", 'format = 1\ngravity = [0, "-g", 0]\n[parameters]\ng = 9.81\n[[body]]\nname = "b"\nmass = 1\n[[joint]]\nname = "j"\n'
                             'type = "prismatic"\nparent = "ground"\nchild = "b"\naxis = "y"\n')
        for verb in (["equilibrium"], ["modes"], ["linearize"], ["perturb"], ["sensitivity", "--to", "all"]):
            done = run(verb[0], falling, *verb[1:])
            self.assertEqual(done.returncode, 1, verb)
            self.assertIn("no equilibrium", done.stderr)

    def test_linearize(self):
        j = json.loads(run("linearize", self.masses, "--json").stdout)
        self.assertEqual(j["second_order"]["M"], [[1, 0], [0, 1]])
        self.assertEqual(j["second_order"]["K"], [[5, -1], [-1, 5]])
        self.assertEqual(j["second_order"]["B"], [[1], [0]])
        self.assertEqual(j["state_space"]["A"], [[0, 0, 1, 0], [0, 0, 0, 1], [-5, 1, 0, 0], [1, -5, 0, 0]])
        self.assertEqual(len(j["state"]), 4)
        self.answers(run("linearize", self.masses, "--symbolic"), "kc + k")
        named = self.write("named.toml", two_masses.replace("[parameters]", "[parameters]\nv = 1\nM = 1\n", 1))
        page = " ".join(run("linearize", named, "--symbolic").stdout.split())
        self.assertIn("their rates nu", page)
        self.assertIn("M is the matrix at the head of a line, the parameter within it", page)
        self.refuses(run("linearize", self.masses, "--onto", "xx"), "xx")

    def test_modes(self):
        j = json.loads(run("modes", self.masses, "--json", "--method", "qr").stdout)
        for found, wanted in zip(j["lambda"], (4, 6)):
            self.assertAlmostEqual(found, wanted)
        self.assertEqual(len(j["poles"]), 4)
        self.assertAlmostEqual(j["frequencies_hz"][0], 2 / (2 * math.pi))
        self.assertAlmostEqual(abs(j["vectors"][0][0]), 1)
        self.assertIsNone(json.loads(run("modes", self.masses, "--json", "--set", "c=0.1").stdout)["lambda"])
        self.assertEqual(run("modes", self.masses, "--method", "qz").returncode, 0)
        self.refuses(run("modes", self.masses, "--method", "qq"), "qq")

    def test_sweep_is_in_the_units_of_the_file(self):
        rows = run("modes", self.masses, "--sweep", "m=1000:2000:2", "--quiet").stdout.splitlines()
        self.assertEqual([row.split(",")[0] for row in rows], ["m", "1000", "1500", "2000"])
        self.assertAlmostEqual(max(float(x) for x in rows[3].split(",")[1:]), math.sqrt(6 / 2))
        self.refuses(run("modes", self.masses, "--sweep", "k=0:2:2"), "min")
        self.refuses(run("modes", self.masses, "--sweep", "kk=0:2:2"), "did you mean")
        self.assertEqual(run("frequency", self.masses, "--locus", "m=1000:2000:2", "--quiet").stdout.splitlines(), rows)

    def test_sweep_looks_at_every_value(self):
        heavy = self.write("heavy.toml", 'format = 1\n[parameters]\np = 0\n[[body]]\nname = "b"\nmass = "1 + p*(p - 3)"\n[[joint]]\nname = "j"\n'
                           'type = "prismatic"\nparent = "ground"\nchild = "b"\naxis = "y"\nstiffness = 4\n')
        self.refuses(run("modes", heavy, "--sweep", "p=0:3:3"), "at p = 1")
        self.assertEqual(run("modes", heavy, "--sweep", "p=3:6:3", "--quiet").returncode, 0)

    def test_what_would_be_ignored_is_refused(self):
        self.refuses(run("frequency", self.masses, "--locus", "m=1000:2000:2", "--summary"), "--summary cannot be combined with --locus")
        self.refuses(run("frequency", self.masses, "--locus", "m=1000:2000:2", "--spectrum", "x", "--until", "1"), "--spectrum cannot be combined with --locus")
        self.refuses(run("frequency", self.masses, "--spectrum", "x", "--until", "1", "--from", "F"), "--from")
        self.refuses(run("frequency", self.masses, "--window", "none"), "--window")
        self.refuses(run("modes", self.masses, "--frames", "9"), "--animate")
        self.refuses(run("linearize", self.masses, "--onto", "x,x"), "x twice")

    def test_rotors_are_shown(self):
        text = ('format = 1\n[parameters]\nOm = 10\n[[body]]\nname = "r"\nmass = 2\ninertia = [0.3, 0.3, 0.5]\nrotor = { axis = "z", inertia = 0.5, HOW }\n[[joint]]\n'
                'name = "J"\ntype = "universal"\nparent = "ground"\nchild = "r"\nstiffness = 40\n')
        held = self.write("held.toml", text.replace("HOW", 'speed = "Om"'))
        done = run("equilibrium", held)
        self.assertRegex(done.stdout, r"r\.rotor +10  given")
        self.assertTrue(done.stdout.startswith("equilibrium"))
        free = self.write("free.toml", text.replace("HOW", "torque = 0") + '[initial]\nr.rotor = "Om"\n')
        done = run("equilibrium", free, "--steady")
        self.assertTrue(done.stdout.startswith("steady motion"))
        self.assertIn("marginal", done.stdout)
        self.assertTrue(run("modes", free, "--steady", "--quiet").stdout.startswith("The model: modes in steady motion"))

    def test_state_space_as_formulas(self):
        j = json.loads(run("linearize", self.masses, "--symbolic", "--state-space", "--json").stdout)
        self.assertEqual(j["independent"], {"coordinates": ["x", "y"], "speeds": ["x'", "y'"]})
        self.assertEqual(len(j["symbolic"]["A"]), 4)
        self.refuses(run("linearize", self.masses, "--state-space"), "add --symbolic")
        self.refuses(run("linearize", self.masses, "--symbolic", "--onto", "x"), "--state-space")

    def test_a_bend_wants_speeds_that_turn(self):
        bicycle = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../models/bicycle/model.toml")
        done = run("equilibrium", bicycle, "--hold", "lean=-0.1,rear_spin'=-16", "--trim", "steer_torque", "--moving", "yaw")
        self.assertEqual(done.returncode, 1)
        self.assertIn("speeds along and across the heading", done.stderr)
        with open(bicycle) as file:
            text = file.read()
        turning = self.write("turning.toml", text.replace("[initial]", """[speeds]
along = "x'*cos(yaw) + y'*sin(yaw)"
across = "y'*cos(yaw) - x'*sin(yaw)"
[initial]"""))
        j = json.loads(run("equilibrium", turning, "--hold", "lean=-0.1,rear_spin'=-16", "--trim", "steer_torque", "--json").stdout)
        self.assertAlmostEqual(j["state"]["values"]["along"], 4.8)
        self.assertAlmostEqual(j["state"]["values"]["yaw'"], -0.20585663, 6)

    def test_sensitivity_and_place(self):
        j = json.loads(run("sensitivity", self.masses, "--of", "eigenvalues", "--to", "k,kc", "--json").stdout)
        for row, wanted in zip(j["derivatives"], ((1, 0), (1, 2))):
            for found, right in zip(row, wanted):
                self.assertAlmostEqual(found, right)
        self.refuses(run("sensitivity", self.masses, "--to", "kcc"), "did you mean kc?")
        j = json.loads(run("place", self.masses, "--eigenvalues", "8,10", "--vary", "m,kc", "--json").stdout)
        self.assertTrue(j["converged"])
        again = json.loads(run("modes", self.masses, "--json", *" ".join(j["set"]).split()).stdout)
        for found, wanted in zip(again["lambda"], (8, 10)):
            self.assertAlmostEqual(found, wanted, 6)
        done = run("place", self.masses, "--eigenvalues", "4,2", "--vary", "kc", "--bounds", "kc=0.5:2")
        self.assertEqual(done.returncode, 1)
        self.refuses(run("place", self.masses, "--eigenvalues", "4,6,8", "--vary", "kc"), "one λ for each degree of freedom")
        self.refuses(run("place", self.masses, "--eigenvalues", "4", "--vary", "kc,kc"), "kc is given twice")
        j = json.loads(run("place", self.masses, "--set", "c=0.5", "--poles=-1,-3", "--vary", "k,c", "--json").stdout)
        self.assertTrue(j["converged"])
        self.assertEqual([pole["im"] for pole in j["eigenvalues"]], [0, 0])

    def test_sensitivity_of_a_motion_alone_has_times(self):
        self.refuses(run("sensitivity", self.masses, "--of", "motion", "--to", "k", "--until", "1", "--tolerance", "0"), "--tolerance 0")
        self.refuses(run("sensitivity", self.masses, "--to", "k", "--until", "1"), "--until requires --of motion")

    def test_structure(self):
        beam = self.write("beam.toml", 'format = 1\n[parameters]\nEI = { value = 50, min = 1 }\n[[body]]\nname = "b"\ntype = "beam"\nlength = 2\n'
                          'mass_per_length = 1\nbending = { y = "EI" }\nshapes = { family = "clamped-free", count = 1 }\n[[joint]]\nname = "hip"\n'
                          'type = "revolute"\nparent = "ground"\nchild = "b"\naxis = "z"\n')
        self.refuses(run("structure", beam), "the structure is a mechanism: 1 rigid-body mode: b moves in hip", "--joints locked")
        j = json.loads(run("structure", beam, "--joints", "locked", "--json").stdout)
        self.assertAlmostEqual(j["frequencies_hz"][0], 1.8751040687 ** 2 / 4 * math.sqrt(50) / (2 * math.pi), places=6)
        j = json.loads(run("structure", beam, "--joints", "free", "--json").stdout)
        self.assertEqual(j["frequencies_hz"][0], 0)
        self.assertEqual(j["rigid_body_modes"], {"count": 1, "bodies": ["b"], "joints": ["hip"]})
        rows = run("structure", beam, "--joints", "locked", "--retain", "EI", "--sweep", "EI=50:200:2", "--quiet").stdout.splitlines()
        self.assertAlmostEqual(float(rows[3].split(",")[1]) / float(rows[1].split(",")[1]), 2)
        self.refuses(run("structure", beam, "--joints", "locked", "--sweep", "EI=0:2:2"), "min")
        self.refuses(run("structure", beam, "--method", "fixd"), "fixd", "free-residual")
        self.refuses(run("structure", beam, "--joints", "hop=locked"), "did you mean hip?")

    def test_frequency(self):
        rows = run("frequency", self.masses, "--from", "push", "--to", "x", "--frequencies", "1", "--quiet").stdout.splitlines()
        self.assertAlmostEqual(float(rows[1].split(",")[1]), 4 / 15)  # (5 - w^2)/((4 - w^2)(6 - w^2))
        self.refuses(run("frequency", self.masses, "--from", "psh"), "did you mean push?")


unittest.main(argv=sys.argv[:1])
