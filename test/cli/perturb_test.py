#!/usr/bin/env python3
"""perturb_test.py PROGRAM VERSION: what the command line answers: perturb."""
import json
import sys
import unittest

from answers import WithModel, run


class Perturb(WithModel):
    def test_page(self):
        self.answers(run("perturb", self.model), "Backbone curves")
        latex = run("perturb", self.model, "--to", "latex", "--orders").stdout
        self.assertEqual(latex.count("\\begin{align*}"), latex.count("\\end{align*}"))
        self.assertEqual(latex.count("{"), latex.count("}"))
        self.assertTrue(latex.isascii(), [c for c in latex if not c.isascii()])
        j = json.loads(run("perturb", self.model, "--json", "--orders").stdout)
        for key in ("equilibrium", "frequencies", "modes", "equations", "resonances", "ordering", "modulation", "polar", "backbones",
                    "steady_states", "solution", "orders", "notes"):
            self.assertIn(key, j)
        w = j["frequencies"][0]
        self.assertAlmostEqual(j["backbones"][0]["coefficients"][2] / w, -1 / 16, 12)

    def test_compare(self):
        self.answers(run("perturb", self.model, "--amplitude", "1=0.2", "--until", "20"), "largest error")
        j = json.loads(run("perturb", self.model, "--amplitude", "1=0.4", "--halving", "2", "--json").stdout)
        self.assertAlmostEqual(j["halving"][2]["order"], 2, delta=0.5)

    def test_wrong_words(self):
        self.refuses(run("perturb", self.model, "--amplitude", "nothing=0.1"), "no coordinate 'nothing'")
        self.refuses(run("perturb", self.model, "--amplitude", "2=0.1"), "there is no mode 2")
        self.refuses(run("perturb", self.model, "--degree", "9"), "--degree 9 is not supported")
        self.refuses(run("perturb", self.model, "--order", "4"), "needs terms of degree 5")
        self.refuses(run("perturb", self.model, "--response", "1:0"), "not a range of frequencies")
        self.refuses(run("perturb", self.model, "--response", "1:2:10"), "nothing here depends on time")
        self.refuses(run("perturb", self.model, "--halving", "1", "--shrink", "zeta=1"), "no parameter 'zeta'")
        self.refuses(run("perturb", self.model, "--formulation", "newton_euler"), "newton_euler")

    def test_page_with_one_letter_for_one_thing(self):
        model = self.write("shaken.toml", """format = 1
name = "shaken"
gravity = [0, 0, "-g"]
[parameters]
g = 10
l = 1
c = 0.01
X = 0.004
W = "0.995*sqrt(g/l)"
[[body]]
name = "cart"
[[body]]
name = "bob"
mass = 1
com = [0, 0, "-l"]
[[joint]]
name = "s"
type = "prismatic"
axis = "x"
parent = "ground"
child = "cart"
[[joint]]
name = "u"
type = "universal"
parent = "cart"
child = "bob"
axes = ["y", "x"]
coordinates = ["p", "q"]
damping = "c"
[[motion]]
coordinate = "s"
equals = "X*cos(W*t)"
""")
        page = run("perturb", model).stdout
        self.assertIn("ω₂ = ω₁ = 3.1623", page)   # and not two letters for √(g/l)
        self.assertIn("γ₂ = β₁ − β₂ + σ₂·t", page)
        self.assertIn("sin(γ₁ + 2·γ₂)", page)     # angles by those of the resonances
        self.assertNotIn("γ₃", page)
        self.assertNotIn("Ω", page)               # the model calls it W
        self.assertIn("--parametric 3 orders both alike", page.replace("\n", " "))
        self.assertNotIn("from the state given", page)  # none was
        refused = run("perturb", model, "--forcing", "1")
        self.refuses(refused, "--forcing 1: a force at a natural frequency", "--forcing 3")
        self.assertEqual(refused.returncode, 2)

    def test_response_to_a_force_that_grows_with_its_frequency(self):
        model = self.write("unbalance.toml", """format = 1
name = "unbalance"
[parameters]
c = 0.02
e = 0.01
W = 1
[[body]]
name = "b"
mass = 1
[[joint]]
name = "x"
type = "prismatic"
axis = "x"
parent = "ground"
child = "b"
actuator = "-x - c*x' - 0.1*x^3 + e*W^2*cos(W*t)"
""")
        rows = [line.split(",") for line in run("perturb", model, "--response", "0.5:3:50").stdout.splitlines()]
        at, reach = rows[0].index("Omega"), rows[0].index("reach1")
        for row in rows[1:]:
            W = float(row[at])
            if W > 2:  # far above the resonance: e W²/(W² − 1)
                self.assertAlmostEqual(float(row[reach]), 0.01 * W * W / (W * W - 1), 5)
        self.assertGreater(max(float(row[at]) for row in rows[1:]), 2.99)

    def test_options_that_nothing_would_come_of(self):
        for option in ("--order", "--damping", "--forcing", "--parametric"):
            self.refuses(run("perturb", self.model, option, "0"), f"{option} 0 is not supported", "whole numbers from 1 to 6")
        self.refuses(run("perturb", self.model, "--halving", "0"), "--halving 0 is not supported")
        self.refuses(run("perturb", self.model, "--until", "5"), "--until requires a comparison")
        self.refuses(run("perturb", self.model, "--shrink", "g=1"), "--shrink requires a comparison")
        self.refuses(run("perturb", self.model, "--compare", "--to", "latex"), "no LaTeX form")
        self.refuses(run("perturb", self.model, "--compare", "--orders"), "--orders applies to the page")
        self.refuses(run("perturb", self.model, "--compare", "--response", "1:2"), "exclude each other")
        self.refuses(run("perturb", self.model, "--json", "--to", "latex"), "exclude each other")
        self.refuses(run("perturb", self.model, "--damping", "2"), "no linear damping")
        self.refuses(run("perturb", self.model, "--forcing", "2"), "no force that depends on time")
        self.refuses(run("perturb", self.model, "--parametric", "2"), "no coefficient depends on time")


unittest.main(argv=sys.argv[:1])
