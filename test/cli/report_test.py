#!/usr/bin/env python3
"""report_test.py PROGRAM: pages of linkwright report hold what docs/formats/report.schema.json says, and nothing that asks for more."""
import base64
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import jsonschema

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

models = ["triple_pendulum", "four_bar", "bicycle", "kapitza_pendulum", "hub_beam_electric", "baruh_four_bar_b", "rolling_disk", "gyrostat"]


def run(*words):
    return subprocess.run([program, *words], cwd=root, capture_output=True, text=True, timeout=120)


def report_in(path):
    with open(path) as file:
        html = file.read()
    return html, json.loads(re.search(r'id="linkwright-report">(.*?)</script>', html, re.S).group(1))


class Reports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.page = os.path.join(folder.name, "page.html")

    def make(self, *words):
        done = run("report", *words, "-o", self.page)
        self.assertEqual(done.returncode, 0, done.stderr)
        return report_in(self.page)

    def test_pages_are_what_the_schema_says(self):
        with open(os.path.join(root, "docs", "formats", "report.schema.json")) as file:
            schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        for model in models:
            with self.subTest(model):
                html, report = self.make(f"models/{model}/model.toml", "--until", "0.5", "--samples", "20")
                jsonschema.validate(report, schema)
                self.assertNotRegex(html, r'(src|href)="https?:')
                self.assertIn("Content-Security-Policy", html)

    def test_a_schema_would_notice(self):
        with open(os.path.join(root, "docs", "formats", "report.schema.json")) as file:
            schema = json.load(file)
        _, report = self.make("models/four_bar/model.toml", "--only", "mechanism")
        del report["scene"]["bodies"][0]["com"]
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(report, schema)

    def test_motions_are_those_of_simulate(self):
        _, report = self.make("models/four_bar/model.toml", "--only", "motion", "--until", "1", "--samples", "10")
        motion = report["motions"][0]
        numbers = struct.unpack(f"<{motion['rows'] * len(motion['columns'])}d", base64.b64decode(motion["data"]))
        lines = run("simulate", "models/four_bar/model.toml", "--until", "1", "--samples", "10").stdout.splitlines()
        for i, column in enumerate(motion["columns"]):
            at = lines[0].split(",").index(column["name"])
            for r in range(motion["rows"]):
                self.assertEqual(numbers[i * motion["rows"] + r], float(lines[r + 1].split(",")[at]))

    def test_pages_are_small(self):
        html, _ = self.make("models/triple_pendulum/model.toml")
        self.assertLess(len(html.encode()), 2_000_000)

    def test_pages_of_sixty_bodies_are_not_large(self):
        with open(os.path.join(root, "models", "chain10", "model.toml")) as file:
            text = file.read()
        model = self.page.replace("page.html", "chain60.toml")
        with open(model, "w") as file:
            file.write(text.replace("count = 10", "count = 60"))
        html, report = self.make(model, "--only", "mechanism,motion,equations", "--until", "1")
        self.assertEqual(len(report["scene"]["bodies"]), 61)
        self.assertLess(len(html.encode()), 8_000_000)

    def test_verify(self):
        self.make("models/four_bar/model.toml", "--only", "mechanism,trust", "--live", "a", "--set", "b=0.4")
        self.assertEqual(run("report", "--verify", self.page).returncode, 0)
        with open(self.page) as file:
            html = file.read()
        with open(self.page, "w") as file:
            file.write(html.replace('"b=0.4"', '"b=0.5"'))
        done = run("report", "--verify", self.page)
        self.assertEqual(done.returncode, 1)
        self.assertIn("DIFFERENT", done.stdout)

    def test_wrong_words(self):
        for words, message in [((), "a model file is missing"), (("models/four_bar/model.toml", "--only", "x"), "no section 'x'"),
                               (("models/four_bar/model.toml", "--live", "z"), "unknown parameter 'z'"),
                               (("models/four_bar/model.toml", "--versus", "z=1"), "--versus z=1"),
                               (("--verify", "README.md"), "no page of linkwright report"), (("--verify", "nowhere.html"), "cannot read"),
                               (("models/four_bar/model.toml", "--language", "basic"), "unknown language 'basic'"),
                               (("models/four_bar/model.toml", "--until", "-1"), "--until")]:
            with self.subTest(words):
                done = run("report", *words, *(() if words[:1] == ("--verify",) else ("-o", self.page)))
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(message, done.stderr)
                self.assertFalse(os.path.exists(self.page))

    def test_equations_alone(self):
        done = run("derive", "models/four_bar/model.toml", "--to", "html", "-o", self.page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(report_in(self.page)[1]["sections"], ["equations"])


program = os.path.abspath(sys.argv.pop(1))
unittest.main()
