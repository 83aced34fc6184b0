"""How results look in Python."""

import json
import pickle

import numpy as np
import pytest

import linkwright as lw


def test_a_motion_has_columns(crane):
    motion = crane.simulate(until=2, samples=20)
    assert motion.t.shape == (21,) and len(motion) == 21
    assert isinstance(motion.columns, dict) and motion["theta"] is motion.columns["theta"]
    assert motion["theta"].dtype == np.float64
    assert motion.stop.reason == "reached" and motion.statistics.steps > 0
    assert np.allclose(motion.to_array("x", "theta")[:, 1], motion["theta"])
    assert abs(motion["energy.total"] - motion["energy.total"][0]).max() < 1e-4
    assert repr(motion) == "<Simulation of 'Crane': 21 rows, t = 0 … 2>"
    json.dumps(motion.to_dict())
    assert pickle.loads(pickle.dumps(motion)) == motion


def test_columns_are_for_pandas(crane):
    pandas = pytest.importorskip("pandas")
    motion = crane.simulate(until=1, samples=4)
    frame = pandas.DataFrame(motion.columns)
    assert list(frame["theta"]) == list(motion["theta"])
    assert motion.to_pandas().index.name == "t"


def test_numbers_are_arrays_and_poles_complex(crane):
    at = crane.evaluate({"theta": 0.3, "theta'": -0.2, "t": 0})
    M, f = at.mass_matrix, at.forcing
    assert M.shape == (2, 2)
    assert np.allclose(np.linalg.solve(M, f), at.accelerations, rtol=1e-12)
    assert at.energy.kinetic > 0 and at["energy"]["kinetic"] == at.energy.kinetic
    modes = crane.modes()
    assert modes.poles.dtype == complex
    assert np.isclose(abs(modes.poles.imag).max(), np.sqrt(9.81 / 4 * (200 / 120)))
    with pytest.raises(AttributeError, match="mass_matrix"):
        at.masses


def test_a_state_may_be_a_result(crane):
    rest = crane.equilibrium()
    assert crane.evaluate(rest.state).accelerations == pytest.approx([0, 0], abs=1e-12)
    motion = crane.simulate(until=1, state=rest.state, samples=3)
    assert np.abs(motion["theta"]).max() < 1e-9


def test_names_that_are_unknown_are_told(crane):
    with pytest.raises(lw.InputError, match="thta"):
        crane.evaluate({"thta": 1})
    with pytest.raises(lw.InputError, match="adams"):
        crane.simulate(until=1, integrator="euler")
    with pytest.raises(TypeError, match="until"):
        crane.simulate(until="soon")
    with pytest.raises(lw.InputError, match="tolerance"):
        crane.simulate(until=1, tolerance=-1)
    with pytest.raises(TypeError):
        crane.simulate(untill=1)


def test_what_the_numbers_would_not_do_is_told_with_what_there_is(crane):
    with pytest.raises(lw.NumericalError) as caught:
        crane.simulate(until=10, max_steps=5)
    assert len(caught.value.partial) >= 1 and caught.value.partial.stop.reason == "failed"
    assert caught.value.diagnostics
    assert len(pickle.loads(pickle.dumps(caught.value)).partial) == len(caught.value.partial)


def test_equations_are_shown(crane):
    equations = crane.derive(only="M, f")
    assert "m*l*cos(theta)" in equations.text and str(equations) == equations.text
    assert r"\cos" in equations.latex and "documentclass" not in equations.latex
    assert "documentclass" in equations.to_latex_document()
    assert equations._repr_latex_().startswith("$$") and r"\cos" in equations._repr_latex_()
    with pytest.raises(lw.InputError):
        crane.derive(only="Q")


def test_equations_are_for_sympy(crane, four_bar):
    sympy = pytest.importorskip("sympy")
    e = crane.derive().sympy()
    s = e["symbols"]
    m, l, M, theta, rate = s["m"], s["l"], s["M"], s["theta"], s["theta'"]
    assert sympy.simplify(e["mass_matrix"][0, 1] - m * l * sympy.cos(theta)) == 0
    assert sympy.simplify(e["forcing"][0] - s["drive"] - m * l * rate**2 * sympy.sin(theta)) == 0
    assert e["energy"]["kinetic"].diff(s["x'"]).subs({theta: 0, rate: 0}) == (M + m) * s["x'"]
    loop = four_bar.derive().sympy()
    at = four_bar.evaluate()
    numbers = {**at.state.values, **four_bar.parameters}
    values = {symbol: numbers[name] for name, symbol in loop["symbols"].items() if name in numbers}
    G = [[float(x.subs(values)) for x in c["G"]] for c in loop["constraints"]]
    assert np.allclose(G, at.constraint_jacobian, atol=1e-12)


def test_a_proof_is_true(crane):
    assert crane.prove(only="kane,recursive", seed=3)


def test_code_is_saved(crane, tmp_path):
    paths = crane.generate("python").save(tmp_path / "code")
    assert paths and sorted(paths) == sorted(map(str, (tmp_path / "code").rglob("*.*")))


def test_a_page_is_made(crane, tmp_path):
    page = crane.report(only="mechanism,equations", until=1)
    page.save(tmp_path / "page.html")
    assert page.lstrip().lower().startswith("<!doctype html") and "Crane" in page
