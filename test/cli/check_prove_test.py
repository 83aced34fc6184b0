#!/usr/bin/env python3
"""check_prove_test.py PROGRAM VERSION: what the command line answers: check and prove."""
import hashlib
import json
import math
import os
import sys
import unittest

from answers import WithModel, root, run, version


class Check(WithModel):
    def test_check(self):
        self.answers(run("check", self.model), "degrees of freedom        1\n")
        self.answers(run("check", self.model, "--to", "dot"), "digraph")
        j = json.loads(run("check", self.model, "--json").stdout)
        self.assertEqual((j["freedoms"], j["matrices"]["path"]), (1, [[1, 0], [1, 1]]))

    def test_check_answers_first(self):
        lines = run("check", self.model).stdout.splitlines()
        self.assertEqual(lines[0], "Pendulum")
        self.assertEqual(lines[1], "A mechanism of 1 rigid body and 1 joint: 1 degree of freedom.")
        self.assertIn("total mass                2 kg", lines)
        self.assertIn("rod           2  [0, -0.5, 0]        [0, 0, 0.1]", lines)
        self.assertIn("hip    revolute  ground  rod    hip = 0.5 rad, hip' = 0 rad/s", lines)
        self.assertNotIn("path pi", "\n".join(lines))
        self.assertIn("path pi", run("check", self.model, "--matrices").stdout)
        j = json.loads(run("check", self.model, "--json").stdout)
        self.assertEqual((j["mass"], j["masses"], j["joints"][0]["values"]), (2, {"rod": 2}, {"hip": 0.5, "hip'": 0}))

    def test_check_of_a_loop(self):
        four_bar = os.path.join(root, "models", "four_bar", "model.toml")
        done = run("check", four_bar)
        text = " ".join(done.stdout.split())
        self.assertIn("A closed mechanism of 3 rigid bodies and 4 joints with 1 planar loop: 1 degree of freedom, 3 redundant constraints.", text)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)
        j = json.loads(run("check", four_bar, "--json").stdout)
        angle = {k: v for joint in j["joints"] for k, v in joint["values"].items()}
        turned = angle["alpha"] + angle["beta"] + angle["knee"] - angle["delta"]  # the cut joint has what the others leave it
        self.assertAlmostEqual(math.cos(turned), 1, 9)

    def test_check_says_what_moves_as_given(self):
        done = run("check", os.path.join(root, "models", "kapitza_pendulum", "model.toml"))
        self.answers(done, "shake  prismatic  ground  pivot  shake = 0.01 m, shake' = 0 m/s (given)\n")


class Prove(WithModel):
    def test_prove(self):
        words = ("prove", self.model, "--seed", "7", "--patience", "0.05")
        done = run(*words)
        self.answers(done, "Equal: all")
        self.assertIn("kane = recursive", done.stdout)
        j = json.loads(run(*words, "--json").stdout)
        self.assertEqual((j["equal"], j["seed"], j["left_out"]), (True, 7, []))
        self.assertIn("fingerprint, two 61-bit primes", j["witness"])
        self.assertLess(j["error_probability"], 1e-15)
        self.assertEqual({p["verdict"] for p in j["pairs"]}, {"equal"})
        again = json.loads(run(*words, "--json").stdout)
        self.assertEqual([p["degree"] for p in j["pairs"]], [p["degree"] for p in again["pairs"]])
        only = json.loads(run(*words, "--json", "--only", "kane,recursive").stdout)
        self.assertEqual({(p["a"] + p["b"]).count("lagrange") for p in only["pairs"]}, {0})
        self.refuses(run("prove", self.model, "--only", "cane"), "unknown formulation 'cane'", "did you mean kane?")
        self.refuses(run("prove", self.model, "--seed", "x"), "--seed")

    def test_prove_where_loops_are_closed(self):
        bar = '[[body]]\nname = "{0}"\nmass = 1\ninertia = [0, 0, 0.1]\npoints = {{ a = [-{1}, 0, 0], b = [{1}, 0, 0] }}\n'
        pin = '[[joint]]\nname = "{}"\ntype = "revolute"\naxis = "z"\nparent = "{}"\nchild = "{}"\nparent_at = {}\nchild_at = {}\n'
        loop = self.write("loop.toml", 'format = 1\ngravity = [0, -9.81, 0]\n' + bar.format("crank", 0.5) + bar.format("rod", 1.5)
                          + bar.format("rocker", 1) + pin.format("p", "ground", "crank", "[0, 0, 0]", '"a"')
                          + pin.format("q", "crank", "rod", '"b"', '"a"') + pin.format("r", "rod", "rocker", '"b"', '"a"')
                          + pin.format("s", "ground", "rocker", "[2.5, 0, 0]", '"b"') + "[guess]\np = 1\nq = -0.5\nr = -1\n")
        j = json.loads(run("prove", loop, "--seed", "7", "--patience", "0.05", "--json").stdout)
        self.assertEqual((j["equal"], j["remarks"]), (True, []))
        self.assertLess(j["error_probability"], 1e-15)  # of what is proved; these are not
        numeric = [p for p in j["pairs"] if p["witness"].startswith("numeric")]
        self.assertEqual({p["proved"] for p in numeric}, {False})
        self.assertGreaterEqual({p["b"] for p in numeric}, {"newton_euler", "recursive, 'p' cut", "recursive, 'q' cut"})

    def test_prove_says_the_verdict_first(self):
        done = run("prove", self.model, "--seed", "7", "--patience", "0.05")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "Pendulum")
        self.assertTrue(lines[1].startswith("Equal: all "), lines[1])
        self.assertIn("beyond practical doubt", lines[2])
        self.assertLessEqual(max(map(len, lines)), 100)
        for told in ("What this does not prove", "the file says what you mean", "The kinematics and the loads", "Rounding."):
            self.assertIn(told, done.stdout)
        j = json.loads(run("prove", self.model, "--seed", "7", "--patience", "0.05", "--set", "l=1", "--json").stdout)
        with open(self.model, "rb") as file:
            self.assertEqual(j["sha256"], hashlib.sha256(file.read()).hexdigest())
        self.assertEqual((j["version"], j["file"], j["set"]), (f"linkwright {version}", self.model, ["l=1"]))
        self.assertEqual(len(j["does_not_prove"]), 3)


unittest.main(argv=sys.argv[:1])
