#!/usr/bin/env python3
"""motion_test.py PROGRAM VERSION: what the command line answers: simulate and inverse."""
import json
import os
import signal
import stat
import subprocess
import sys
import time
import unittest

from answers import WithModel, pendulum, program, run


parallelogram = """format = 1
gravity = [0, -9.81, 0]
[[body]]
name = "a"
mass = 1
inertia = [0, 0, 0.1]
com = [0.5, 0, 0]
[[body]]
name = "b"
mass = 1
inertia = [0, 0, 0.1]
com = [1, 0, 0]
[[body]]
name = "c"
mass = 1
inertia = [0, 0, 0.1]
com = [0.5, 0, 0]
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
child = "c"
parent_at = [2, 0, 0]
[[joint]]
name = "D"
type = "revolute"
parent = "b"
child = "c"
parent_at = [2, 0, 0]
child_at = [1, 0, 0]
[initial]
A = "60*deg"
"A'" = -4
[guess]
B = "-60*deg"
C = "60*deg"
"""


class Motion(WithModel):
    """simulate, inverse."""

    def rows(self, text):
        header, *lines = text.splitlines()
        return header.split(","), [[float(x) for x in line.split(",")] for line in lines]

    def simulated(self, *words, status=0):
        done = run("simulate", self.model, "--quiet", *words)
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        return self.rows(done.stdout)

    def test_rows_and_columns(self):
        columns, rows = self.simulated("--until", "2", "--samples", "4")
        self.assertEqual(columns[:8], ["t", "hip", "hip'", "energy.kinetic", "energy.potential", "energy.total", "constraint.position", "constraint.velocity"])
        self.assertEqual([row[0] for row in rows], [0, 0.5, 1, 1.5, 2])
        for row in rows:
            self.assertAlmostEqual(row[5], rows[0][5], 5)
        _, rows = self.simulated("--times", "0.03,0.05")
        self.assertEqual([row[0] for row in rows], [0.03, 0.05])
        self.assertEqual(len(self.simulated("--until", "1")[1]), 101)

    def test_integrators_agree(self):
        _, reference = self.simulated("--until", "1", "--samples", "1", "--tolerance", "1e-10")
        for name in ("bdf", "rk", "rk4", "ida"):
            _, rows = self.simulated("--until", "1", "--samples", "1", "--tolerance", "1e-9", "--integrator", name)
            self.assertAlmostEqual(rows[-1][1], reference[-1][1], 6, name)
        _, rows = self.simulated("--until", "1", "--samples", "1", "--tolerance", "1e-10", "--interpret")
        self.assertAlmostEqual(rows[-1][1], reference[-1][1], 9)

    def test_json(self):
        done = run("simulate", self.model, "--until", "1", "--samples", "2", "--json", "--record", "crossing=hip")
        self.assertEqual(done.returncode, 0)
        j = json.loads(done.stdout)
        self.assertEqual(j["columns"]["t"], [0, 0.5, 1])
        self.assertEqual(j["stop"]["reason"], "reached")
        self.assertGreater(j["statistics"]["steps"], 3)
        self.assertEqual([e["name"] for e in j["events"]], ["crossing"])
        self.assertAlmostEqual(j["events"][0]["values"]["hip"], 0, 7)

    def test_events(self):
        done = run("simulate", self.model, "--until", "10", "--stop", "falling hip")
        self.assertEqual(done.returncode, 0)
        t = self.rows(done.stdout)[1][-1][0]
        self.assertLess(t, 0.6)
        self.refuses(run("simulate", self.model, "--until", "1", "--stop", "hop"), "--stop", "hop", "hip")
        self.refuses(run("simulate", self.model, "--until", "1", "--stop", "2"), "never changes")
        self.refuses(run("simulate", self.model, "--until", "1", "--record", "hip +"), "--record")

    def test_restart_goes_on(self):
        whole, first = (os.path.join(self.folder.name, name) for name in ("whole.csv", "first.csv"))
        run("simulate", self.model, "--until", "2", "--samples", "2", "--tolerance", "1e-11", "-o", whole)
        run("simulate", self.model, "--until", "1", "--samples", "1", "--tolerance", "1e-11", "-o", first)
        _, rest = self.simulated("--restart", first, "--until", "2", "--samples", "1", "--tolerance", "1e-11")
        with open(whole) as file:
            _, rows = self.rows(file.read())
        self.assertEqual([row[0] for row in rest], [1, 2])
        self.assertAlmostEqual(rest[-1][1], rows[-1][1], 8)
        self.refuses(run("simulate", self.model, "--until", "1", "--restart", self.write("no.csv", "t,x\n0,1\n")), "no column hip, hip'")

    def test_wrong_numbers(self):
        for words, told in (
            (["--until", "1", "--tolerance", "-1e-8"], "--tolerance -1e-08 is not a positive number"),
            (["--until", "1", "--tolerance", "nan"], "not a positive number"),
            (["--until", "1", "--absolute", "0"], "--absolute"),
            (["--until", "-1"], "--until -1 is not after the start at t = 0"),
            (["--until", "1", "--samples", "0"], "at least one interval"),
            (["--times", "1,0.5"], "must ascend"),
            ([], "neither --until nor --times"),
            (["--until", "1", "--integrator", "euler"], "euler"),
            (["--until", "1", "--constraints", "glue"], "glue"),
            (["--until", "x"], "--until"),
            (["--until", "1", "--inputs", self.write("a.csv", "t,tau\n0,x\n")], "a.csv:2:3: error: 'x' is not a finite number"),
            (["--until", "1", "--inputs", self.write("b.csv", "t,tau\n1,0\n0,0\n")], "do not ascend"),
            (["--until", "1", "--inputs", self.write("c.csv", "s,tau\n1,0\n")], "no column t"),
            (["--until", "1", "--state", self.state(t=2, values={})], "not after the start at t = 2"),
        ):
            self.refuses(run("simulate", self.model, *words), told)

    def test_times_that_are_none(self):
        for words, told in (
            (["--times", ""], "--times: a number is missing"),
            (["--until", ""], "--until: a number is missing"),
            (["--until", "inf"], "--until inf is not a time"),
            (["--until", "nan"], "--until nan is not a time"),
            (["--until", "1e-300"], "too little time for 100 samples"),
            (["--until", "1", "--integrator", "rk4", "--step", "0"], "--step 0 is not a positive number"),
        ):
            self.refuses(run("simulate", self.model, *words), told)

    def test_pipes_and_links_stay_what_they_are(self):
        pipe, link, target = (os.path.join(self.folder.name, name) for name in ("pipe", "link", "target"))
        os.mkfifo(pipe)
        with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
            self.assertEqual(run("simulate", self.model, "--until", "1", "--quiet", "-o", pipe).returncode, 0)
            self.assertTrue(reader.communicate(timeout=20)[0].startswith("t,hip"))
        self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))
        self.write("target", "old")
        os.symlink(target, link)
        self.assertEqual(run("simulate", self.model, "--until", "1", "--quiet", "-o", link).returncode, 0)
        self.assertTrue(os.path.islink(link))
        with open(target) as file:
            self.assertTrue(file.read().startswith("t,hip"))
        self.assertTrue(run("simulate", self.model, "--until", "1", "--quiet", "-o", "/dev/stdout").stdout.startswith("t,hip"))

    def test_full_disk(self):
        with open("/dev/full", "w") as full:
            done = run("simulate", self.model, "--until", "1", stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No space left on device", done.stderr)

    def test_what_is_not_a_number_is_told_with_its_time(self):
        model = self.write("nan.toml", pendulum.replace('actuator = "tau"', 'actuator = "sqrt(0.5 - t)"'))
        done = run("simulate", model, "--until", "1", "--samples", "10")
        self.assertEqual(done.returncode, 1)
        self.assertIn("t = 0.5", done.stderr)
        _, rows = self.rows(done.stdout)
        self.assertAlmostEqual(rows[-1][0], 0.5, 1)
        self.assertNotIn("nan", done.stdout)

    def test_change_point_is_passed_or_told(self):
        model = self.write("parallelogram.toml", parallelogram)
        done = run("simulate", model, "--until", "2", "--samples", "50")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: a singular position was passed along the smooth branch: t = ", done.stderr)
        self.assertEqual(len(self.rows(done.stdout)[1]), 51)
        done = run("simulate", model, "--until", "2", "--samples", "50", "--singular", "stop")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("at t = ", done.stderr)
        self.assertGreater(len(self.rows(done.stdout)[1]), 3)

    def test_interrupt_leaves_what_there_is(self):
        out = os.path.join(self.folder.name, "part.csv")
        process = subprocess.Popen([program, "simulate", self.model, "--until", "1e7", "--samples", "100000", "-o", out], stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 1)
        self.assertIn("rows up to that time are kept", told)
        with open(out) as file:
            columns, rows = self.rows(file.read())
        self.assertGreater(len(rows), 2)
        self.assertEqual(len(rows[-1]), len(columns))

    def test_inverse_and_forward_again(self):
        out = os.path.join(self.folder.name, "tau.csv")
        done = run("inverse", self.model, "--motion", "hip = 0.5 + 0.2*t^3", "--until", "1", "--samples", "200", "-o", out)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        columns, rows = self.simulated("--inputs", out, "--start-from", out, "--until", "1", "--samples", "1", "--tolerance", "1e-10")
        self.assertAlmostEqual(rows[-1][1], 0.7, 6)
        samples = self.write("motion.csv", "t,hip\n" + "".join(f"{t / 10},{0.1 * (t / 10) ** 3}\n" for t in range(11)))
        done = run("inverse", self.model, "--motion", samples, "--samples", "2", "--json")
        j = json.loads(done.stdout)
        self.assertAlmostEqual(j["columns"]["hip''"][-1], 0.6, 9)
        self.refuses(run("inverse", self.model, "--until", "1"), "--motion is missing")
        self.refuses(run("inverse", self.model, "--until", "1", "--motion", "hop=t"), "no coordinate, output or point 'hop'", "did you mean hip?")
        self.refuses(run("inverse", self.model, "--until", "1", "--motion", "hip=hip"), "not a function of time")
        self.refuses(run("inverse", self.model, "--until", "1", "--motion", "hip=t", "--motion", "hip=t"), "twice")
        for word, file in [("--state", "state.json"), ("--start-from", out)]:
            self.refuses(run("simulate", self.model, "--until", "1", "--initial", "hip=1", word, file), f"{word} and --initial both say where to begin")

    def test_plot(self):
        table = os.path.join(self.folder.name, "rows.csv")
        self.assertEqual(run("simulate", self.model, "--until", "2", "--units", "--quiet", "-o", table).returncode, 0)
        self.answers(run("plot", table, "--columns", "hip"), "hip [rad]", "t [s]", "┤", "└┴")
        self.answers(run("plot", self.model, "--until", "2", "--columns", "hip'", "--against", "hip"), "hip' [rad/s]", "hip [rad]")
        for name, begin in (("a.svg", b"<svg"), ("a.png", b"\x89PNG")):
            picture = os.path.join(self.folder.name, name)
            self.assertEqual(run("plot", table, "--columns", "hip,hip'", "-o", picture).returncode, 0)
            with open(picture, "rb") as file:
                self.assertTrue(file.read().startswith(begin), name)
        self.refuses(run("plot", table, "--columns", "hop,nobody"), "no column 'hop'", "did you mean hip?", "no column 'nobody'")
        self.refuses(run("plot", table, "--to", "png"), "-o FILE.png")
        self.refuses(run("plot", table, "--set", "g=1"), "--set is for models")
        self.refuses(run("plot", table, "-o", table), "is an input file")
        self.refuses(run("plot", self.model), "--until")
        self.refuses(run("plot", os.path.join(self.folder.name, "nothing.csv")), "cannot be opened")
        bad = self.write("bad.csv", "t,x\n0,1\n1,one\n2,\n3,nan\n")
        self.refuses(run("plot", bad), "bad.csv:3:3", "'one' is not a finite number")
        self.refuses(run("plot", self.write("empty.csv", "")), "the file is empty")
        self.refuses(run("plot", self.write("head.csv", "t,x\n")), "no rows")
        self.refuses(run("plot", self.write("numbers.csv", "0,1\n1,2\n")), "numbers.csv:1:1", "no names above the numbers")
        words = run("plot", self.write("words.csv", "t,x\n" + "0,one\n" * 1000))
        self.refuses(words, "words.csv:2:3", "980 more mistakes")
        self.assertEqual(words.stderr.count("is not a finite number"), 20)
        self.answers(run("plot", self.write("gaps.csv", "t,x\n0,1\n1,2\n2,\n3,nan\n4,1\n")), "┤")

    def test_simulate_plots(self):
        table = os.path.join(self.folder.name, "rows.csv")
        self.answers(run("simulate", self.model, "--until", "2", "--plot", "hip", "--quiet"), "hip [rad]", "┤")
        self.answers(run("simulate", self.model, "--until", "2", "--plot", "hip", "--quiet", "-o", table), "hip [rad]", "┤")
        with open(table) as file:
            self.assertTrue(file.read().startswith("t,hip,"))
        self.refuses(run("simulate", self.model, "--until", "2", "--plot", "hop", "--quiet"), "did you mean hip?")
        self.refuses(run("simulate", self.model, "--until", "2", "--plot", "hip", "--json"), "both write to standard output")

    def test_what_jumps_is_told(self):
        moved = pendulum.replace('actuator = "tau"\n', "") + """
[[body]]
name = "cart"
[[joint]]
name = "x"
type = "prismatic"
axis = "x"
parent = "ground"
child = "cart"
[[motion]]
coordinate = "x"
equals = "abs(t - 1)"
"""
        moved = moved.replace('parent = "ground"\nchild = "rod"', 'parent = "cart"\nchild = "rod"').replace("[initial]\nhip = 0.5\n", "", 1) + "[initial]\nhip = 0.5\n"
        done = run("simulate", self.write("moved.toml", moved), "--until", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the energy does not balance", done.stderr)


unittest.main(argv=sys.argv[:1])
