"""Models written in Python."""

import numpy as np
import pytest

import linkwright as lw


def crane_by_hand():
    model = lw.Model("Crane", gravity=[0, "-g", 0])
    model.parameter("g", 9.81)
    model.parameter("M", 120, unit="kg", about="trolley")
    m, l = model.parameters(m=80, l=4)
    drive = model.input("drive")
    model.body("trolley", mass="M")
    model.body("load", mass=m, com=[0, f"-{l}", 0])
    model.joint("x", "prismatic", "ground", "trolley", axis="x", actuator=drive)
    model.joint("theta", "revolute", "trolley", "load", axis="z")
    model.initial(theta="10*deg")
    return model


def test_it_is_the_model_of_the_file(crane):
    assert crane_by_hand().open().evaluate() == crane.evaluate()
    assert crane_by_hand().open(set={"m": 3}).parameters["m"] == 3


def test_whatever_a_file_holds_may_be_added():
    model = crane_by_hand()
    model.output("tip", position="load.com")
    model.add("spring", "rope", type="line", from_="trolley", to="load.com", stiffness=10, length=np.float64(4))
    model.initial({"theta'": 0.5})
    model.table("symbols", {"theta": r"\vartheta"})
    assert '"theta\'" = 0.5' in model.text and '[[spring]]\nname = "rope"' in model.text and "\nfrom = " in model.text
    assert 'theta = "\\\\vartheta"' in model.text


def test_text_is_quoted(tmp_path):
    model = lw.Model('A "crane" \\ π')
    model.body("b", mass=np.int64(2), points={"tip": np.array([1.0, 2, 3])})
    model.joint("x", "prismatic", "ground", "b", axis="x")
    model.save(tmp_path / "model.toml")
    assert lw.load(tmp_path / "model.toml").name == 'A "crane" \\ π'


def test_mistakes_are_told_by_the_reader():
    model = crane_by_hand()
    model.body("load", mass="q")
    with pytest.raises(lw.InputError) as caught:
        model.open()
    assert len(caught.value.diagnostics) >= 2
    line = next(d.line for d in caught.value.diagnostics if "'q'" in d.what)
    assert 'mass = "q"' in model.text.splitlines()[line - 1]
    other = lw.Model("A")
    other.body("b", mass=object())
    with pytest.raises(TypeError, match="model file"):
        other.open()
