#!/usr/bin/env python3
"""command_line_test.py PROGRAM VERSION: what the command line answers: what the command line takes: options, help, files, colours, standard input, several models."""
import json
import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

from answers import Answers, WithModel, pendulum, program, root, run, version


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
        self.refuses(run("derrive", "model.toml"), "unknown command 'derrive'", "did you mean derive?")
        self.refuses(run("--", "drive"), "unknown command 'drive'")
        self.refuses(run(""), "unknown command ''", "the commands are check, derive, prove, compare, evaluate, simulate")
        self.refuses(run("dreive", "--help"), "unknown command 'dreive'")

    def test_unknown_option(self):
        self.refuses(run("--versoin"), "unknown option '--versoin'", "did you mean --version?")
        self.refuses(run("-x"), "unknown option '-x'", "linkwright --help")

    def test_lost_output_is_told(self):
        for option in ("--version", "--help"):
            with open("/dev/full", "w") as full:
                done = run(option, stdout=full)
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot write to standard output: No space left on device", done.stderr)


class Files(WithModel):
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
            self.refuses(run("evaluate", self.model, "-o", output), f"{self.model} is an input file and would be overwritten")
        state = self.state(values={"hip": 1})
        self.refuses(run("evaluate", self.model, "--state", state, "-o", state), f"{state} is an input file")
        samples = self.write("tau.csv", "t,tau\n0,0\n1,0\n")
        self.refuses(run("simulate", self.model, "--until", "1", "--inputs", samples, "-o", samples), f"{samples} is an input file")
        motion = self.write("hip.csv", "t,hip\n0,0\n1,0\n2,0\n3,0\n")
        self.refuses(run("inverse", self.model, "--motion", motion, "-o", motion), f"{motion} is an input file")
        self.refuses(run("frequency", self.model, "--spectrum", "hip", "--of", motion, "-o", motion), f"{motion} is an input file")
        misnamed = self.write("pendulum.py", pendulum)
        self.refuses(run("generate", misnamed, "--language", "python", "-o", self.folder.name), f"{misnamed} is an input file")
        for path, text in ((self.model, pendulum), (misnamed, pendulum)):
            with open(path) as file:
                self.assertEqual(file.read(), text)

    def test_wrong_models(self):
        self.refuses(run("check", "nowhere.toml"), "nowhere.toml:1:1: error: there is no such file")
        self.refuses(run("check", self.folder.name), "folder")
        self.refuses(run("check"), "model is required")
        self.refuses(run("derive", self.write("wrong.toml", pendulum + "x = 1\n")), "wrong.toml:22:1", "'x'")

    def test_several_models(self):
        wrong, missing = self.write("wrong.toml", pendulum + "x = 1\n"), os.path.join(self.folder.name, "none.toml")
        done = run("check", self.model, self.model)
        line = f"{self.model}: ok: A mechanism of 1 rigid body and 1 joint: 1 degree of freedom.".split()
        self.assertEqual((done.returncode, done.stdout.split()), (0, line + line + ["2", "models,", "all", "ok"]))
        for verb in ("check", "prove"):
            done = run(verb, self.model, wrong, missing)
            self.assertEqual(done.returncode, 2)
            self.assertIn("3 models: 1 ok, 2 failed", done.stdout)
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


class Colours(WithModel):
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
        self.refuses(run("check", self.model, "--color", "sometimes"), "--color: unknown value 'sometimes'")

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


class Help(WithModel):
    def test_help(self):
        self.assertEqual(run("help").stdout, run("--help").stdout)
        self.assertEqual(run("help", "check").stdout, run("check", "--help").stdout)
        self.refuses(run("help", "chekc"), "unknown command 'chekc'", "did you mean check?")
        self.assertIn("linkwright help COMMAND", run("help").stdout)


class Examples(unittest.TestCase):
    def test_the_examples_of_every_help_run(self):
        verbs = re.findall(r"^  (\w+) ", run("help").stdout.split("Commands:")[1], re.M)
        self.assertGreater(len(verbs), 16)
        with tempfile.TemporaryDirectory() as folder:
            for part in ("models", "examples"):
                os.symlink(os.path.join(root, part), os.path.join(folder, part))
            for verb in verbs:
                examples = re.findall(r"^ *linkwright (.+)$", run("help", verb).stdout.split("Example")[-1], re.M)
                self.assertTrue(examples, verb)
                quiet = "--quiet" if "--quiet" in run("help", verb).stdout else ""
                for example in examples:
                    done = subprocess.run(f"{shlex.quote(program)} {example} {quiet}", shell=True, cwd=folder, capture_output=True, timeout=60)
                    is_homework = "homework" in example  # somebody's, with a mistake
                    self.assertEqual(done.returncode, 1 if is_homework else 0, (example, done.stderr))


unittest.main(argv=sys.argv[:1])
