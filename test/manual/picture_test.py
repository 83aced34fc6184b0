#!/usr/bin/env python3
"""picture_test.py LINKWRIGHT ROOT: pictures of mechanisms in the manual are well-formed, and things are where they should be."""
import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree as xml

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True
import mechanism_picture  # noqa: E402


def pieces(model):
    text, why = mechanism_picture.draw(PROGRAM, str(ROOT / "models" / model / "model.toml"), model)
    if why:
        raise AssertionError(f"{model}: {why}")
    found = {}
    for node in xml.fromstring(text).iter():
        if node.get("class"):
            found.setdefault(node.get("class"), []).append(node)
    return found


def ends(path):
    numbers = [float(x) for x in re.findall(r"-?\d+\.\d", path.get("d"))]
    return [tuple(numbers[i:i + 2]) for i in range(0, len(numbers), 2)]


class Pictures(unittest.TestCase):
    def test_a_four_bar_is_closed_and_has_its_proportions(self):
        found = pieces("four_bar")
        self.assertEqual(len(found["body"]), 3)
        crank, coupler, rocker = (ends(b) for b in found["body"])
        length = lambda bar: ((bar[0][0] - bar[1][0])**2 + (bar[0][1] - bar[1][1])**2)**0.5  # noqa: E731
        self.assertAlmostEqual(length(coupler) / length(crank), 3.5, delta=0.02)
        self.assertAlmostEqual(length(rocker) / length(crank), 2.5, delta=0.02)
        for a, b in ((crank[1], coupler[0]), (coupler[1], rocker[1])):
            self.assertLess(max(abs(a[0] - b[0]), abs(a[1] - b[1])), 0.21)
        self.assertEqual(len(found["ground"]), 2 + 2)  # two supports, two axes of the frame

    def test_space_springs_beams_and_wheels_are_drawn(self):
        self.assertGreater(len(pieces("stanford_arm")["body"]), 4)
        self.assertEqual(len(pieces("rolling_disk")["wheel"]), 1)
        self.assertEqual(len(pieces("hub_beam_electric")["beam"]), 1)

    def test_what_cannot_be_drawn_is_told(self):
        text, why = mechanism_picture.draw(PROGRAM, str(ROOT / "models" / "README.md"), "none")
        self.assertTrue(text == "" and why)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
