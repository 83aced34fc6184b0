#!/usr/bin/env python3
"""compare_test.py PROGRAM VERSION: what the command line answers: compare."""
import json
import sys
import unittest

from answers import WithModel, run


class Compare(WithModel):
    def test_compare(self):
        right = self.write("right.eqs", "M[1,1] = 2*l^2 + 1/10\nf[hip] = tau - 2*g*l*sin(hip)\n")
        self.answers(run("compare", self.model, right), "All 2 equal")
        wrong = self.write("wrong.eqs", "M[1,1] = 2*l^2 + 1/10\nf[hip] = tau + 2*g*l*sin(hip)\n")
        done = run("compare", self.model, wrong)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("    2 | f[hip] = tau + 2*g*l*sin(hip)\n      |              ^\n    line 2, column 14: '-' instead of '+'", done.stdout)
        self.assertIn("theirs - ours = 4*g*l*sin(hip)", done.stdout)
        j = json.loads(run("compare", self.model, wrong, "--json", "--seed", "3").stdout)
        self.assertEqual((j["equal"], j["seed"], [e["verdict"] for e in j["entries"]]), (False, 3, ["equal", "different"]))
        self.assertEqual(j["entries"][1]["repairs"][0][0]["column"], 14)

    def test_compare_as_numbers(self):
        root = self.write("root.eqs", "M[1,1] = 2*l*abs(l) + 1/10\n")
        done = run("compare", self.model, root, "--seed", "3")
        self.assertEqual((done.returncode, done.stderr), (3, ""))  # 0 is for what is shown
        self.assertIn("agrees as numbers: at ", done.stdout)
        self.assertIn("Of 1: 1 as numbers (seed 3).\nLines that agree only as numbers are not proved equal", done.stdout)
        j = json.loads(run("compare", self.model, root, "--json").stdout)
        self.assertEqual((j["equal"], j["agrees"], j["entries"][0]["verdict"], j["entries"][0]["witness"]), (False, True, "numbers", "numbers"))
        done = run("compare", self.model, self.write("tiny.eqs", "M[1,1] = 2*l^2 + 1/10 + 1e-25*abs(hip)\n"))
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        datum = self.write("datum.eqs", "V = -2*g*l*cos(hip) + 2*g*l\n")
        self.answers(run("compare", self.model, datum), "equal up to a constant: theirs is ours + (2*g*l)")
        done = run("compare", self.model, self.write("hand.jl", "function M = mass(q, p)\nM(1,1) = 2*l^2 + 1/10;\nend\n"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("Of 1 that could be read: 1 equal; 2 errors in the file", done.stdout)

    def test_compare_names_and_conventions(self):
        file = self.write("code.f", "      a(1,1) = 2*len**2 + 1/10.d0\n      b(1) = 2*grav*len*sin(x(1))\n     &  - tau\n")
        names = self.write("code.names", '[targets]\na = "M"\nb = "f"\n[names]\nlen = "l"\ngrav = "g"\n"x(i)" = "q[{i}]"\n')
        done = run("compare", self.model, file, "--names", names)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("equal up to sign", done.stdout)
        done = run("compare", self.model, file, "--names", names, "--accept-sign")  # M is not turned: a row is turned as a whole
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("the signs of row 1 disagree", done.stdout)
        force = self.write("force.f", "      b(1) = 2*grav*len*sin(x(1)) - tau\n")
        self.answers(run("compare", self.model, force, "--names", names, "--accept-sign"), "(accepted)")
        turned = self.write("turned.names", '[targets]\na = "M"\nb = "-f"\n[names]\nlen = "l"\ngrav = "g"\n"x(i)" = "q[{i}]"\n')
        self.answers(run("compare", self.model, file, "--names", turned), "All 2 equal")
        right = self.write("frozen.eqs", "M[1,1] = 2*l^2 + 1/10\n")
        self.answers(run("compare", self.model, right, "--freeze", "l"), "All 1 equal")
        self.refuses(run("compare", self.model, file), f"{file}:1:18: error: unknown name 'len'", "unknown name 'grav'", "unknown name 'x(1)'")
        self.refuses(run("compare", self.model, file, "--names", self.folder.name), "it is a folder")
        self.refuses(run("compare", self.model, "nowhere.eqs"), "cannot read nowhere.eqs")
        done = run("compare", self.model, self.write("bad.eqs", "t1 = (2\nf[1] = 2*l + ]\nM[1,1] = 2*l^2 + 1/10"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("bad.eqs:1:6: error: this '(' is never closed", done.stderr)
        self.assertIn("bad.eqs:2:14: error: unexpected ']'", done.stderr)
        self.assertIn("M[1,1]", done.stdout)  # the rest is compared all the same


unittest.main(argv=sys.argv[:1])
