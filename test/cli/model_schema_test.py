#!/usr/bin/env python3
"""model_schema_test.py PROGRAM: model files against docs/formats/model.schema.json, which `linkwright schema` prints."""
import glob
import json
import os
import re
import subprocess
import sys
import tomllib
import unittest

import jsonschema

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
program = os.path.abspath(sys.argv[1])

with open(os.path.join(root, "docs", "formats", "model.schema.json"), "rb") as file:
    text = file.read()
schema = json.loads(text)
validator = jsonschema.Draft202012Validator(schema)

# What a schema cannot see: names, expressions, values, and what depends on other places of the file.
unseen = ("unknown name", "unknown body", "has no point", "unknown joint '", "unknown coordinate", "the expression in", "in its expression", "finite", "circle", "already used",
          "does nothing", "warning", "is negative", "parallel", "orthogonal", "no direction", "itself", "both ends", "cannot be used", "has no value",
          "is the time", "unit", "a value is missing", "reserved", "not a name", "must be x, y or z", "angles for", "entries, not", "names, not",
          "moment of inertia", "moments of", "along 'j.", "first used", "not TOML", "no port", "needs no", "SI units")
# What it can: keys, and shapes of values.
seen = ("unknown key", "needs '", "does not apply", "cannot be combined", "must be a string", "must be a table", "must be a list", "must be a number",
        "must have 3 components", "unknown joint type", "must have 2 axes", "must give two axes")


def literal(code):
    """Adjacent string literals of C++."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', code)
    return "".join(parts).encode("raw_unicode_escape").decode("unicode_escape").encode("latin-1", "ignore").decode("utf-8", "ignore")


def bad_models():
    """Of test/model/problems_test.cpp: the text of a file, and what is wrong with it."""
    with open(os.path.join(root, "test", "model", "problems_test.cpp")) as source:
        code = source.read()
    cart = re.search(r'cart = R"\((.*?)\)"', code, re.S).group(1)
    joint = 'format = 1\n[[body]]\nname = "a"\n[[body]]\nname = "b"\n[[joint]]\n'
    begins = {"head": "format = 1\n", "parameters": "format = 1\n", "bodies": "format = 1\n", "joints": joint}
    string = r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*'
    for name, cases in re.findall(r"constexpr Case (\w+)\[\]\{\n(.*?)\n\};", code, re.S):
        for rest, problems in re.findall(r"\{\s*(" + string + r"),\s*(" + string + r")\}", cases):
            yield begins.get(name, cart) + literal(rest), literal(problems)


class ModelSchema(unittest.TestCase):
    def test_it_is_a_schema_and_the_program_prints_it(self):
        jsonschema.Draft202012Validator.check_schema(schema)
        done = subprocess.run([program, "schema"], capture_output=True, timeout=20)
        self.assertEqual((done.returncode, done.stdout), (0, text))

    def test_every_model_of_the_project_is_valid(self):
        count = 0
        for folder in ("models", "examples", "bench/models"):
            for name in sorted(glob.glob(os.path.join(root, folder, "**", "*.toml"), recursive=True)):
                with open(name, "rb") as file:
                    model = tomllib.load(file)
                if "lynch" in model:  # what stands beside an input file of Lynch is no model file
                    continue
                count += 1
                with self.subTest(name=name):
                    validator.validate(model)
        self.assertGreater(count, 60)

    def test_a_model_with_everything_is_valid(self):
        with open(os.path.join(root, "test", "model", "everything.hpp")) as source:
            texts = re.findall(r'R"(\w*)\((.*?)\)\1"', source.read(), re.S)
        self.assertTrue(texts)
        for _, model in texts:
            validator.validate(tomllib.loads(model))

    def test_mistakes_that_a_schema_can_see_are_refused(self):
        count = 0
        for model, problems in bad_models():
            if not any(word in problems for word in seen) or any(word in problems for word in unseen):
                continue
            try:
                value = tomllib.loads(model)
            except tomllib.TOMLDecodeError:
                continue
            count += 1
            with self.subTest(model=model, problems=problems):
                self.assertFalse(validator.is_valid(value))
        self.assertGreater(count, 30)

    def test_every_key_has_a_description(self):
        def look(value, place):
            if isinstance(value, dict):
                for key, inner in value.get("properties", {}).items():
                    if isinstance(inner, dict) and "if" not in place and "then" not in place:
                        self.assertIn("description", inner, (*place, key))
                for key, inner in value.items():
                    look(inner, (*place, key))
            elif isinstance(value, list):
                for inner in value:
                    look(inner, place)

        look(schema, ())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
