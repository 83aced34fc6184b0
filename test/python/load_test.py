"""Opening models, and what is said when they are wrong."""

import ast
import copy
import pickle
import warnings

import pytest

import linkwright as lw


def test_a_file_and_its_text_are_one_model(root, crane):
    text = (root / "examples" / "crane.toml").read_text()
    assert lw.loads(text).evaluate() == crane.evaluate()
    assert crane.name == "Crane" and crane.parameters["m"] == 80
    assert crane.units["theta"] == "rad"
    assert repr(crane) == "<Mechanism 'Crane'>"


def test_values_are_set_when_it_is_opened_and_later(root, crane):
    other = lw.load(root / "examples" / "crane.toml", set={"m": 40, "l": "300cm"}, initial={"theta": "20deg"})
    assert other.parameters["m"] == 40 and other.parameters["l"] == 3
    assert crane.with_values(m=40, l="300cm", initial={"theta": "20deg"}).evaluate() == other.evaluate()
    assert crane.parameters["m"] == 80


def test_all_that_is_wrong_is_told_at_once(root):
    text = (root / "examples" / "crane.toml").read_text().replace('mass = "M"', 'mass = "Q"').replace('"prismatic"', '"prismatical"')
    with pytest.raises(lw.InputError) as caught:
        lw.loads(text, name="crane.toml")
    errors = [d for d in caught.value.diagnostics if d.severity == "error"]
    assert len(errors) == 2 and all(d.file == "crane.toml" and d.line > 0 for d in errors)
    assert str(errors[0]) in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert pickle.loads(pickle.dumps(caught.value)).diagnostics == caught.value.diagnostics


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(lw.InputError, match="no such file"):
        lw.load(tmp_path / "nothing.toml")


@pytest.mark.parametrize("words, what", [
    (dict(set={"mm": 1}), "mm"), (dict(set="m"), "name=value"), (dict(formulation="kein"), "kein"), (dict(freeze="q"), "q"),
    (dict(initial={"thet": 1}), "thet"),
])
def test_wrong_words_are_input_errors(root, words, what):
    with pytest.raises(lw.InputError, match=what) as caught:
        lw.load(root / "examples" / "crane.toml", **words)
    assert "--" not in str(caught.value)


def test_it_is_pickled_by_its_text(tmp_path, root):
    file = tmp_path / "crane.toml"
    file.write_text((root / "examples" / "crane.toml").read_text())
    crane = lw.load(file, set={"m": 33})
    data = pickle.dumps(crane)
    file.unlink()
    again = pickle.loads(data)
    assert again.evaluate() == crane.evaluate() and again.parameters["m"] == 33
    assert copy.copy(crane) is crane and copy.deepcopy(crane) is crane


def test_warnings_are_pythons():
    text = 'format = 1\nname = "A"\n[parameters]\nk = 1\n[[body]]\nname = "b"\nmass = 1\ninertia = [1, 1, 5]\n[[joint]]\nname = "x"\n' \
           'type = "revolute"\nparent = "ground"\nchild = "b"\n'
    with pytest.warns(lw.LinkwrightWarning) as caught:
        m = lw.loads(text)
    assert caught[0].filename == __file__
    assert any(d.severity == "warning" for d in m.diagnostics)
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.LinkwrightWarning)
        with pytest.raises(lw.LinkwrightWarning):
            lw.loads(text)


def test_formulations_and_version(root):
    assert {"kane", "lagrange", "recursive"} <= set(lw.formulations)
    assert f"project(linkwright VERSION {lw.__version__} " in (root / "CMakeLists.txt").read_text()


def test_the_stub_names_what_the_module_has(root):
    from linkwright import _linkwright

    for node in ast.parse((root / "python" / "linkwright" / "_linkwright.pyi").read_text()).body:
        if isinstance(node, ast.ClassDef):
            written = {f.name for f in node.body if isinstance(f, ast.FunctionDef)}
            assert written == {name for name in vars(getattr(_linkwright, node.name)) if not name.startswith("_")}
        elif isinstance(node, ast.FunctionDef):
            assert hasattr(_linkwright, node.name)


def test_every_verb_says_what_it_does():
    verbs = [f for name, f in vars(lw.Mechanism).items() if callable(f) and not name.startswith("_")]
    assert len(verbs) > 25 and all(f.__doc__ for f in verbs)
