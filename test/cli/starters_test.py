#!/usr/bin/env python3
"""starters_test.py PROGRAM VERSION: new, manual, completion."""
import os
import re
import shlex
import subprocess
import unittest

from answers import WithModel, pendulum, run

kinds = ("pendulum", "robot", "four-bar", "vehicle", "beam")


class Starters(WithModel):
    def test_each_is_a_model_whose_comments_run(self):
        for kind in kinds:
            with self.subTest(kind):
                path = os.path.join(self.folder.name, kind + ".toml")
                self.answers(run("new", kind, "-o", path))
                done = run("check", path)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                with open(path) as file:
                    text = file.read()
                lines = re.findall(r"^#   linkwright ((?:check|modes|equilibrium|frequency|inverse|derive|structure|simulate) .*)$", text, re.M)
                self.assertGreaterEqual(len(lines), 2)
                for line in lines:
                    words = re.split(r"  +", line)[0]  # what it does may stand behind it
                    done = run(*shlex.split(words.replace("FILE", path)))
                    self.assertEqual(done.returncode, 0, line + "\n" + done.stderr)

    def test_standard_output(self):
        self.answers(run("new", "pendulum"), 'name = "Pendulum"')

    def test_nothing_is_overwritten(self):
        self.refuses(run("new", "beam", "-o", self.model), "is there already")
        with open(self.model) as file:
            self.assertEqual(file.read(), pendulum)

    def test_unknown_kind(self):
        self.refuses(run("new", "rocket"), "rocket")
        self.refuses(run("new"), "kind")


class Manual(WithModel):
    def test_every_command_stands_in_it(self):
        page = run("manual").stdout
        commands = re.findall(r"^  ([a-z]+) +\S", run("--help").stdout, re.M)
        self.assertIn("simulate", commands)
        for command in commands:
            self.assertIn(f".SS {command}\n", page)
        for line in page.splitlines():
            self.assertFalse(line.startswith("'") or (line.startswith(".") and not re.match(r"\.(TH|SH|SS|TP|PP|nf|fi|B)\b", line)), line)

    def test_options_stand_in_it(self):
        self.assertIn("\\-\\-tolerance", run("manual").stdout)


class Completion(WithModel):
    def test_bash(self):
        script = self.write("completion", run("completion", "bash").stdout)
        self.assertEqual(subprocess.run(["bash", "-n", script]).returncode, 0)

        def offered(*words):
            ask = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _linkwright; printf "%s\\n" "${COMPREPLY[@]}"'
            return subprocess.run(["bash", "-c", ask, script, "linkwright", *words], capture_output=True, text=True).stdout.split()

        self.assertEqual(offered("simu"), ["simulate"])
        self.assertEqual(offered("help", "equi"), ["equilibrium"])
        self.assertEqual(offered("simulate", "--toler"), ["--tolerance"])
        self.assertEqual(offered("new", "be"), ["beam"])
        self.assertIn("never", offered("check", "--color", ""))

    def test_others_name_every_command(self):
        for shell in ("zsh", "fish"):
            text = run("completion", shell).stdout
            for command in ("check", "simulate", "perturb", "completion"):
                self.assertIn(command, text)

    def test_unknown_shell(self):
        self.refuses(run("completion", "tcsh"), "tcsh")


if __name__ == "__main__":
    unittest.main(argv=["starters_test.py"])
