#!/usr/bin/env python3
"""cli_test.py PROGRAM VERSION: what the command line answers, and with which exit status."""
import subprocess
import sys
import unittest


def run(*words, stdout=subprocess.PIPE):
    return subprocess.run([program, *words], stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=20)


class CommandLine(unittest.TestCase):
    def answers(self, done, text):
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(text, done.stdout)

    def refuses(self, done, *texts):
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        for text in texts:
            self.assertIn(text, done.stderr)

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
        self.refuses(run("derive", "model.toml"), "unknown verb 'derive'", "no verbs yet")
        self.refuses(run("--", "derive"), "unknown verb 'derive'")
        self.refuses(run(""), "unknown verb ''")
        self.refuses(run("derive", "--help"), "unknown verb 'derive'")

    def test_unknown_option(self):
        self.refuses(run("--versoin"), "unknown option '--versoin'", "did you mean --version?")
        self.refuses(run("-x"), "unknown option '-x'", "linkwright --help")

    def test_lost_output_is_told(self):
        for option in ("--version", "--help"):
            with open("/dev/full", "w") as full:
                done = run(option, stdout=full)
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot write to standard output: No space left on device", done.stderr)


program, version = sys.argv[1:3]
unittest.main(argv=sys.argv[:1])
