#!/usr/bin/env python3
"""schema_test.py PROGRAM: what every verb prints with --json is what docs/formats/VERB.schema.json says."""
import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
formats = os.path.join(root, "docs", "formats")

# Words after the verb; MOTION is a table of a motion, FOLDER a folder that may be written to. Some end with a status that is not 0.
calls = {
    "check": ["models/four_bar/model.toml", "models/cantilever/model.toml", "models/hub_beam_electric/model.toml",
              "models/bicycle/model.toml models/driven_crank/model.toml nowhere.toml"],
    "derive": ["examples/crane.toml", "examples/two_links.toml --only Lambda", "models/four_bar/model.toml", "models/single_pendulum/model.toml --steps",
               "models/four_bar/model.toml --steps --formulation roberson_schwertassek", "models/cantilever/model.toml --form recursive",
               "models/satellite/model.toml --only q,B --axes ground", "models/hub_beam_electric/model.toml --only q,f",
               "models/rolling_disk/model.toml --only G,momentum,power,energy,parameters", "models/four_bar/model.toml --only cut,outputs",
               "examples/two_links.toml --only g,C,causes,J", "models/chain10/model.toml --only M --form readable"],
    "prove": ["models/four_bar/model.toml --seed 1 --patience 0.05", "models/cantilever/model.toml --patience 0.05",
              "examples/crane.toml models/single_pendulum/model.toml --patience 0.05"],
    "compare": ["examples/crane.toml examples/homework.eqs", "models/cart_pole/model.toml models/cart_pole/hand.c"],
    "evaluate": ["models/four_bar/model.toml", "models/cantilever/model.toml", "models/hub_beam_electric/model.toml"],
    "simulate": ["models/four_bar/model.toml --until 1 --samples 4", "examples/crane.toml --until 1 --samples 4 --record theta",
                 "models/hub_beam_electric/model.toml --until 0.1 --samples 2"],
    "ensemble": ["examples/crane.toml --vary m~normal(80,40) --runs 20 --until 1 --collect final(x)",
                 "examples/crane.toml --vary m~normal(80,8) --vary l~uniform(3,5) --runs 4 --indices --until 1 --collect falling(theta)",
                 "models/double_pendulum/model.toml --of modes --grid l1=0.5:2:3 --collect frequency.1"],
    "inverse": ["examples/crane.toml --motion x=t^2 --motion theta=0 --by coordinates --until 2 --samples 3",
                "models/four_bar/model.toml --motion alpha=pi/3+t --until 1 --samples 3"],
    "linearize": ["models/lynch_triple_pendulum/lynch.toml", "models/bicycle/model.toml --at initial --onto lean,steer --set v=5",
                  "models/hub_beam_electric/model.toml"],
    "perturb": ["models/spring_pendulum/model.toml", "models/duffing/model.toml", "models/duffing/model.toml --numeric --orders",
                "models/spring_pendulum/model.toml --orders", "models/duffing/model.toml --response 0.8:1.2:10",
                "models/spring_pendulum/model.toml --compare --until 10 --samples 5", "models/parametric_pendulum/model.toml",
                "models/spring_pendulum/model.toml --halving 2 --amplitude 1=0.05", "models/cantilever/model.toml --numeric"],
    "equilibrium": ["models/four_bar/model.toml", "models/double_pendulum/model.toml --starts 20"],
    "modes": ["models/lynch_four_bar/lynch.toml --method qr,qz", "models/cantilever/model.toml",
              "models/bicycle/model.toml --at initial --sweep v=0:10:5"],
    "structure": ["models/cantilever/model.toml", "models/l_shaped_beam/model.toml", "models/lee_two_link_arm/model.toml --joints free",
                  "models/cantilever/model.toml --retain EI --sweep EI=50:200:2", "models/cantilever/model.toml --retain EI",
                  "models/cantilever/model.toml --sweep EI=50:200:2", "models/l_shaped_beam/model.toml --method fixed",
                  "models/l_shaped_beam/model.toml --method loaded --modes 1:3", "models/l_shaped_beam/model.toml --method free-residual"],
    "frequency": ["models/cantilever/model.toml --from push --to tip.y,strain --frequencies 1,2", "models/quarter_car/model.toml --points 5",
                  "models/motor_driven_arm/model.toml --points 5 --hz", "models/bicycle/model.toml --at initial --locus v=0:10:5",
                  "models/cantilever/model.toml --from push --to strain --loop-gain 0:1e6:5", "examples/crane.toml --spectrum theta --of MOTION",
                  "examples/crane.toml --spectrum theta --of MOTION --harmonics 3 --average 2 --rad"],
    "sensitivity": ["examples/arm.toml --to L,EI,load", "models/lynch_triple_pendulum/lynch.toml --of equilibrium --to DL22",
                    "models/lynch_triple_pendulum/lynch.toml --of motion --to DL22 --until 0.1 --samples 1"],
    "place": ["models/lynch_triple_pendulum/lynch.toml --set g=98.1 --eigenvalues 20,40,130 --vary DL22,DL33,DL44"],
    "generate": ["models/four_bar/model.toml --language c,python -o FOLDER"],
    "count": ["models/stanford_arm/model.toml", "models/four_bar/model.toml"],
}


def run(*words):
    return subprocess.run([program, *words], cwd=root, capture_output=True, text=True, timeout=60)


def schema_of(verb):
    with open(os.path.join(formats, verb + ".schema.json")) as file:
        return json.load(file)


# Objects whose keys are names of the model: any may be there.
by_name = {"kinematics", "auxiliary", "outputs", "equilibrium", "coordinates", "forcing_by_cause", "columns", "spectra", "states"}


def with_another_key(result):
    """The result with a key too many: in itself, and in one object of every kind below it."""
    seen = set()

    def places(value, place, kind):
        if isinstance(value, dict):
            if kind not in seen and (not place or place[-1] not in by_name):
                seen.add(kind)
                yield place
            for key, inner in value.items():
                yield from places(inner, (*place, key), (*kind, key))
        elif isinstance(value, list):
            for i, inner in enumerate(value[:2]):
                yield from places(inner, (*place, i), kind)

    for place in list(places(result, (), ())):
        changed = copy.deepcopy(result)
        at = changed
        for step in place:
            at = at[step]
        at["another"] = 0
        yield place, changed


class Schemas(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def result(self, verb, words):
        motion = os.path.join(self.folder, "motion.csv")
        if "MOTION" in words and not os.path.exists(motion):
            run("simulate", "examples/crane.toml", "--until", "5", "--samples", "64", "-o", motion)
        words = words.replace("MOTION", motion).replace("FOLDER", self.folder).split()
        done = run(verb, *words, "--json", "--quiet")
        self.assertTrue(done.stdout, (verb, words, done.stderr))
        return json.loads(done.stdout)

    def test_every_verb_has_a_schema_and_is_called(self):
        # a picture, a page, a schema; files; words about the program
        others = {"plot", "report", "schema", "import", "export", "new", "completion", "manual"}
        verbs = set(re.findall(r"^  (\w+) ", run("help").stdout.split("Commands:")[1], re.M)) - others
        self.assertEqual(verbs, set(calls))
        self.assertEqual(verbs, {name.split(".")[0] for name in os.listdir(formats) if name.endswith(".schema.json")} - {"report", "model"})

    def test_results_are_what_their_schemas_say(self):
        for verb, all_words in calls.items():
            schema = schema_of(verb)
            jsonschema.Draft202012Validator.check_schema(schema)
            validator = jsonschema.Draft202012Validator(schema)
            for words in all_words:
                with self.subTest(verb=verb, words=words):
                    validator.validate(self.result(verb, words))

    def test_objects_with_another_key_are_refused(self):
        for verb in ("derive", "perturb", "structure", "frequency"):
            validator = jsonschema.Draft202012Validator(schema_of(verb))
            for place, changed in with_another_key(self.result(verb, calls[verb][0])):
                self.assertFalse(validator.is_valid(changed), (verb, place))

    def test_a_result_without_one_of_its_keys_is_refused(self):
        for verb in ("evaluate", "simulate", "linearize", "equilibrium", "compare"):
            validator = jsonschema.Draft202012Validator(schema_of(verb))
            whole = self.result(verb, calls[verb][0])
            for key in schema_of(verb)["required"]:
                part = copy.deepcopy(whole)
                part[key] = 1 if isinstance(whole[key], str) else "of another kind"
                self.assertFalse(validator.is_valid(part), (verb, key))
                del part[key]
                self.assertFalse(validator.is_valid(part), (verb, key))


program = os.path.abspath(sys.argv[1])
unittest.main(argv=sys.argv[:1])
