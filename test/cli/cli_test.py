#!/usr/bin/env python3
"""cli_test.py PROGRAM VERSION: what the command line answers, and with which exit status."""
import hashlib
import json
import math
import os
import pty
import re
import shlex
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest


root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(*words, stdout=subprocess.PIPE, **how):
    return subprocess.run([program, *words], stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=20, **how)


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
        self.refuses(run(""), "unknown verb ''", "the verbs are check, derive, prove, compare, evaluate, simulate")
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


class WithModel(Answers):
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


class Verbs(WithModel):
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
        self.answers(run("check", self.model), "degrees of freedom        1\n")
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

    def test_what_is_read_is_not_overwritten(self):
        link = os.path.join(self.folder.name, "link.toml")
        os.symlink("model.toml", link)
        for output in (self.model, link):
            self.refuses(run("evaluate", self.model, "-o", output), f"{self.model} is read, and would be overwritten")
        state = self.state(values={"hip": 1})
        self.refuses(run("evaluate", self.model, "--state", state, "-o", state), f"{state} is read")
        samples = self.write("tau.csv", "t,tau\n0,0\n1,0\n")
        self.refuses(run("simulate", self.model, "--until", "1", "--inputs", samples, "-o", samples), f"{samples} is read")
        motion = self.write("hip.csv", "t,hip\n0,0\n1,0\n2,0\n3,0\n")
        self.refuses(run("inverse", self.model, "--motion", motion, "-o", motion), f"{motion} is read")
        self.refuses(run("frequency", self.model, "--spectrum", "hip", "--of", motion, "-o", motion), f"{motion} is read")
        misnamed = self.write("pendulum.py", pendulum)
        self.refuses(run("generate", misnamed, "--language", "python", "-o", self.folder.name), f"{misnamed} is read")
        for path, text in ((self.model, pendulum), (misnamed, pendulum)):
            with open(path) as file:
                self.assertEqual(file.read(), text)

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
    """simulate, inverse, count, generate."""

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
            ([], "Neither --until nor --times"),
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
            (["--until", "inf"], "--until inf is no time"),
            (["--until", "nan"], "--until nan is no time"),
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

    def test_change_point_is_told(self):
        done = run("simulate", self.write("parallelogram.toml", parallelogram), "--until", "2", "--samples", "50")
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
        self.assertIn("rows up to there are kept", told)
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
        self.refuses(run("inverse", self.model, "--until", "1"), "--motion is not given")
        self.refuses(run("inverse", self.model, "--until", "1", "--motion", "hop=t"), "no coordinate or output 'hop'", "did you mean hip?")
        self.refuses(run("inverse", self.model, "--until", "1", "--motion", "hip=hip"), "no function of time")
        self.refuses(run("inverse", self.model, "--until", "1", "--motion", "hip=t", "--motion", "hip=t"), "twice")

    def test_generate(self):
        out = os.path.join(self.folder.name, "a", "b")
        languages = "c,cpp,fortran,python,julia,matlab,modelica"
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
        self.assertIn("Of 1: 1 as numbers (seed 3).\nWhat agrees as numbers is not shown to be equal", done.stdout)
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
        self.assertIn("bad.eqs:2:14: error: ']' cannot stand here", done.stderr)
        self.assertIn("M[1,1]", done.stdout)  # the rest is compared all the same

    def test_count(self):
        j = json.loads(run("count", self.model, "--json").stdout)
        self.assertEqual(j["programs"]["forward"]["sincos"], 1)
        self.assertLess(j["programs"]["forward"]["mul"], 5)
        self.answers(run("count", self.model, "--freeze", "all"), "forward")


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
        self.refuses(run("perturb", self.model, "--degree", "9"), "--degree 9 is not offered")
        self.refuses(run("perturb", self.model, "--order", "4"), "needs terms of degree 5")
        self.refuses(run("perturb", self.model, "--response", "1:0"), "no range of frequencies")
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
            self.refuses(run("perturb", self.model, option, "0"), f"{option} 0 is not offered", "whole numbers from 1 to 6")
        self.refuses(run("perturb", self.model, "--halving", "0"), "--halving 0 is not offered")
        self.refuses(run("perturb", self.model, "--until", "5"), "--until belongs to a comparison")
        self.refuses(run("perturb", self.model, "--shrink", "g=1"), "--shrink belongs to a comparison")
        self.refuses(run("perturb", self.model, "--compare", "--to", "latex"), "no LaTeX form")
        self.refuses(run("perturb", self.model, "--compare", "--orders"), "--orders belongs to the page")
        self.refuses(run("perturb", self.model, "--compare", "--response", "1:2"), "two things")
        self.refuses(run("perturb", self.model, "--json", "--to", "latex"), "different things")
        self.refuses(run("perturb", self.model, "--damping", "2"), "no linear damping")
        self.refuses(run("perturb", self.model, "--forcing", "2"), "no force that depends on time")
        self.refuses(run("perturb", self.model, "--parametric", "2"), "no coefficient depends on time")


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
        self.refuses(run("frequency", self.masses, "--locus", "m=1000:2000:2", "--summary"), "--summary means nothing beside --locus")
        self.refuses(run("frequency", self.masses, "--locus", "m=1000:2000:2", "--spectrum", "x", "--until", "1"), "--spectrum means nothing beside --locus")
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
        self.refuses(run("place", self.masses, "--eigenvalues", "4,6,8", "--vary", "kc"), "one λ for each freedom")
        self.refuses(run("place", self.masses, "--eigenvalues", "4", "--vary", "kc,kc"), "kc is given twice")
        j = json.loads(run("place", self.masses, "--set", "c=0.5", "--poles=-1,-3", "--vary", "k,c", "--json").stdout)
        self.assertTrue(j["converged"])
        self.assertEqual([pole["im"] for pole in j["eigenvalues"]], [0, 0])

    def test_sensitivity_of_a_motion_alone_has_times(self):
        self.refuses(run("sensitivity", self.masses, "--of", "motion", "--to", "k", "--until", "1", "--tolerance", "0"), "--tolerance 0")
        self.refuses(run("sensitivity", self.masses, "--to", "k", "--until", "1"), "--until is for --of motion")

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


class Page(WithModel):
    """What check and prove say first, colours, several models, standard input, help."""

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

    def test_several_models(self):
        wrong, missing = self.write("wrong.toml", pendulum + "x = 1\n"), os.path.join(self.folder.name, "none.toml")
        done = run("check", self.model, self.model)
        line = f"{self.model}: ok: A mechanism of 1 rigid body and 1 joint: 1 degree of freedom.".split()
        self.assertEqual((done.returncode, done.stdout.split()), (0, line + line + ["2", "models,", "all", "ok"]))
        for verb in ("check", "prove"):
            done = run(verb, self.model, wrong, missing)
            self.assertEqual(done.returncode, 2)
            self.assertIn("3 models: 1 ok, 2 not", done.stdout)
            self.assertIn(f"{wrong}: wrong input", " ".join(done.stdout.split()))
            self.assertIn("there is no such file", done.stderr)
            j = json.loads(run(verb, self.model, wrong, "--json").stdout)
            self.assertEqual([(one["file"], one["status"], one["result"] is None) for one in j], [(self.model, 0, False), (wrong, 2, True)])
        self.refuses(run("check", self.model, wrong, "--to", "dot"), "one model at a time")

    def test_standard_input(self):
        self.answers(run("check", "-", input=pendulum), "1 degree of freedom")
        self.answers(run("derive", "-", "--only", "M", "-o", "-", input=pendulum), "M[1][1]")
        self.refuses(run("check", "-", input=pendulum + "x = 1\n"), "<stdin>:22:1: error")
        self.answers(run("compare", self.model, "-", input="M[1,1] = 2*l^2 + 1/10\n"), "All 1 equal")
        self.refuses(run("compare", "-", "-", input=pendulum), "standard input can be read only once")

    def test_colors(self):
        escape = "\033["
        self.assertNotIn(escape, run("check", self.model).stdout)
        self.assertIn(escape, run("check", self.model, "--color", "always").stdout)
        wrong = self.write("wrong.toml", pendulum + "x = 1\n")
        self.assertNotIn(escape, run("check", wrong).stderr)
        self.assertIn(escape + "1;31merror:", run("check", wrong, "--color", "always").stderr)
        out = os.path.join(self.folder.name, "out.txt")
        run("check", self.model, "--color", "always", "-o", out)
        with open(out) as file:
            self.assertEqual(file.read(), run("check", self.model).stdout)
        self.refuses(run("check", self.model, "--color", "sometimes"), "--color has no 'sometimes'")

    def on_a_terminal(self, *words, **environment):
        there, here = pty.openpty()
        subprocess.run([program, *words], stdout=here, stderr=subprocess.PIPE, timeout=20, env={**os.environ, "TERM": "xterm", **environment})
        os.close(here)
        text = b""
        try:
            while more := os.read(there, 65536):
                text += more
        except OSError:  # nobody is left on the other side
            pass
        os.close(there)
        return text

    def test_colors_on_a_terminal(self):
        os.environ.pop("NO_COLOR", None)
        small = self.write("small.toml", 'format = 1\n[[body]]\nname = "a"\nmass = 1\n[[joint]]\nname = "x"\ntype = "prismatic"\n'
                           'parent = "ground"\nchild = "a"\n')
        self.assertIn(b"\033[1m", self.on_a_terminal("check", small))
        self.assertNotIn(b"\033[", self.on_a_terminal("check", small, NO_COLOR="1"))
        self.assertNotIn(b"\033[", self.on_a_terminal("check", small, TERM="dumb"))
        self.assertNotIn(b"\033[", self.on_a_terminal("check", small, "--color", "never"))

    def test_help(self):
        self.assertEqual(run("help").stdout, run("--help").stdout)
        self.assertEqual(run("help", "check").stdout, run("check", "--help").stdout)
        self.refuses(run("help", "chekc"), "unknown verb 'chekc'", "did you mean check?")
        self.assertIn("linkwright help VERB", run("help").stdout)


class Examples(unittest.TestCase):
    def test_the_examples_of_every_help_run(self):
        verbs = re.findall(r"^  (\w+) ", run("help").stdout.split("Verbs:")[1], re.M)
        self.assertGreater(len(verbs), 16)
        with tempfile.TemporaryDirectory() as folder:
            for part in ("models", "examples"):
                os.symlink(os.path.join(root, part), os.path.join(folder, part))
            for verb in verbs:
                examples = re.findall(r"^ *linkwright (.+)$", run("help", verb).stdout.split("Example")[-1], re.M)
                self.assertTrue(examples, verb)
                for example in examples:
                    done = subprocess.run(f"{shlex.quote(program)} {example} --quiet", shell=True, cwd=folder, capture_output=True, timeout=60)
                    is_homework = "homework" in example  # somebody's, with a mistake
                    self.assertEqual(done.returncode, 1 if is_homework else 0, (example, done.stderr))


program, version = os.path.abspath(sys.argv[1]), sys.argv[2]
unittest.main(argv=sys.argv[:1])
