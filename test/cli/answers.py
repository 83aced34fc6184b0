"""What the tests of the command line share: the program, its answers, and a pendulum. Each test is called with PROGRAM and VERSION."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
program, version = os.path.abspath(sys.argv[1]), sys.argv[2]


def run(*words, stdout=subprocess.PIPE, **how):
    return subprocess.run([program, *words], stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=20, **how)


class Answers(unittest.TestCase):
    def answers(self, done, *texts):
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for text in texts:
            self.assertIn(text, done.stdout)

    def refuses(self, done, *texts):
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        for text in texts:
            self.assertIn(text, done.stderr)


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
