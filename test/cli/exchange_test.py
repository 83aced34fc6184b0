#!/usr/bin/env python3
"""exchange_test.py PROGRAM VERSION: robots' files through the program: every verb reads them, import and export write them."""
import json
import os
import unittest

import answers
from answers import pendulum, root, run

robot = os.path.join(root, "examples", "two_link.urdf")


class Robots(answers.WithModel):
    def test_every_verb_reads_them(self):
        state = json.loads(run("evaluate", robot, "--json").stdout)
        self.assertAlmostEqual(state["mass_matrix"][0][0], 0.771)
        self.answers(run("check", robot), "2 degrees of freedom")
        with open(robot) as file:
            self.answers(run("check", "-", input=file.read()), "2 degrees of freedom")
        self.answers(run("check", robot, "--base", "floating"), "8 degrees of freedom")

    def test_what_is_imported_is_the_same(self):
        path = os.path.join(self.folder.name, "robot.toml")
        self.answers(run("import", robot, "-o", path))
        first, second = (json.loads(run("evaluate", model, "--initial", "elbow=1", "--json").stdout) for model in (robot, path))
        self.assertEqual(first["mass_matrix"], second["mass_matrix"])
        self.assertEqual(first["forcing"], second["forcing"])
        self.answers(run("import", robot), "format = 1", 'mass = "m_upper"')

    def test_what_is_exported_is_read(self):
        for form in ("urdf", "sdf"):
            path = os.path.join(self.folder.name, "robot." + form)
            done = run("export", robot, "--to", form, "-o", path)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.answers(run("check", path), "2 degrees of freedom")
        done = run("export", self.model, "--to", "urdf", "--quiet")
        self.answers(done, '<joint name="hip" type="continuous">', "<transmission")

    def test_what_is_written_is_proved_the_same(self):
        path = os.path.join(self.folder.name, "robot.xml")
        for model, words in ((robot, "Equal: all 1 pairs are the same functions"), (os.path.join(root, "models/four_bar/model.toml"), "Equal as far as can be seen")):
            run("export", model, "--to", "mjcf", "-o", path)
            self.answers(run("prove", model, "--same", path, "--seed", "3"), words)
        self.assertEqual(run("prove", robot, "--same", robot, "--json").returncode, 0)
        self.refuses(run("prove", robot, robot, "--same", robot), "--same compares one model")

    def test_problems_are_told_in_the_robots_file(self):
        bad = self.write("bad.urdf", '<robot name="r">\n<link name="a"/>\n  <joint name="j" type="hinge"><parent link="a"/><child link="b"/></joint>\n</robot>')
        for words in (["check"], ["import"], ["simulate", "--until", "1"]):
            self.refuses(run(*words, bad), "bad.urdf:3:19: error: unknown type of joint 'hinge'", "bad.urdf:3:57: error: there is no link 'b'")
        self.refuses(run("check", self.write("cut.urdf", '<robot name="r">\n<link')), "cut.urdf:2:")
        self.refuses(run("check", self.write("page.xml", "<html/>")), "page.xml:1:1: error: <html> is no robot that can be read here")
        self.refuses(run("import", os.path.join(self.folder.name, "none.urdf")), "there is no such file")
        self.refuses(run("import", robot, "--base", "loose"), "--base takes fixed or floating")
        driven = self.write("driven.toml", pendulum.replace('actuator = "tau"', 'actuator = "tau"\narmature = 0.1'))
        for to in ("urdf", "sdf"):
            self.assertIn("left out: the armature of the joint 'hip'", run("export", driven, "--to", to).stderr)
        self.assertNotIn("armature", run("export", driven, "--to", "mjcf").stderr)
        self.refuses(run("export", self.model, "--to", "step"), "--to takes urdf, mjcf, sdf")
        self.refuses(run("export", os.path.join(root, "models/four_bar/model.toml"), "--to", "urdf"), "closes a loop")
        # What the model's own reader finds, too: here a mass below zero.
        heavy = self.write("heavy.urdf", '<robot name="r"><link name="a"/>\n<link name="b"><inertial>\n<mass value="-1"/></inertial></link>\n'
                                         '<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint></robot>')
        self.refuses(run("check", heavy), "heavy.urdf:2:")

    def test_a_result_does_not_take_the_place_of_the_robot(self):
        self.refuses(run("import", robot, "-o", robot), "would be overwritten")


if __name__ == "__main__":
    unittest.main(argv=["exchange_test"])
