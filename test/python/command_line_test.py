"""Results are those of the command line, number for number."""

import pytest

import linkwright as lw

CRANE, FOUR_BAR, CART, DUFFING = "examples/crane.toml", "models/four_bar/model.toml", "models/cart_pole/model.toml", "models/duffing/model.toml"


def without_times(x):
    """Figures of how long something took are not part of a result."""
    if isinstance(x, dict):
        return {k: without_times(v) for k, v in x.items() if k not in ("cpu_seconds", "seconds")}
    return [without_times(v) for v in x] if isinstance(x, list) else x


CASES = {
    "check": (FOUR_BAR, [], lambda m: m.check()),
    "evaluate": (FOUR_BAR, ["--also", "g,C,causes"], lambda m: m.evaluate(also="g, C, causes")),
    "simulate": (CRANE, ["--until", "3", "--record", "rising theta"], lambda m: m.simulate(until=3, record="rising theta")),
    "simulate loop": (FOUR_BAR, ["--until", "0.5", "--samples", "20", "--integrator", "rk"],
                      lambda m: m.simulate(until=0.5, samples=20, integrator="rk")),
    "inverse": (CRANE, ["--motion", "x = 0.1*t^2", "--until", "1", "--samples", "10"],
                lambda m: m.inverse({"x": "0.1*t^2"}, until=1, samples=10)),
    "equilibrium": (CRANE, [], lambda m: m.equilibrium()),
    "linearize": (CRANE, [], lambda m: m.linearize()),
    "modes": (CRANE, [], lambda m: m.modes()),
    "modes --sweep": (CRANE, ["--sweep", "l=2:6:8"], lambda m: m.sweep(("l", 2, 6, 8))),
    "modes --animate": (CRANE, ["--animate", "1", "--frames", "8"], lambda m: m.animate(1, frames=8)),
    "sensitivity": (CRANE, ["--to", "m,l"], lambda m: m.sensitivity("m,l")),
    "sensitivity --of motion": (CRANE, ["--of", "motion", "--to", "l,theta(0)", "--until", "1", "--samples", "5"],
                                lambda m: m.motion_sensitivity(["l", "theta(0)"], until=1, samples=5)),
    "place": (CRANE, ["--frequencies", "0.4", "--vary", "l"], lambda m: m.place("l", frequencies=[0.4])),
    "frequency": (CART, ["--at", "initial", "--from", "F", "--to", "theta", "--points", "20"],
                  lambda m: m.frequency("F", "theta", points=20, at="initial")),
    "frequency --loop-gain": (CART, ["--at", "initial", "--from", "F", "--to", "theta", "--loop-gain", "0:10:10"],
                              lambda m: m.root_locus((0, 10, 10), "F", "theta", at="initial")),
    "frequency --spectrum": (CRANE, ["--spectrum", "theta", "--until", "20", "--samples", "128"],
                             lambda m: m.spectrum("theta", until=20, samples=128)),
    "perturb": (DUFFING, [], lambda m: m.perturb()),
    "perturb --response": (DUFFING, ["--response", "0.9:1.1:10"], lambda m: m.perturb(response=(0.9, 1.1, 10))),
    "perturb --compare": (DUFFING, ["--compare", "--amplitude", "1=0.1", "--until", "5", "--samples", "10"],
                          lambda m: m.perturb(compare=True, amplitude={"1": 0.1}, until=5, samples=10)),
    "prove": (CRANE, ["--seed", "7"], lambda m: m.prove(seed=7)),
    "count": (CRANE, [], lambda m: m.count()),
    "count --base-parameters": (CRANE, ["--base-parameters"], lambda m: m.base_parameters()),
    "structure": ("models/cantilever/model.toml", ["--elements", "6", "--modes", "3"], lambda m: m.structure(elements=6, modes=3)),
}


@pytest.mark.filterwarnings("ignore::linkwright.LinkwrightWarning")
@pytest.mark.parametrize("name", CASES)
def test_results_are_the_programs(program, root, name):
    model, words, call = CASES[name]
    theirs = program(name.split()[0], model, *words)
    ours = call(lw.load(model))
    assert without_times(ours.to_dict()) == without_times(theirs)


@pytest.fixture(autouse=True)
def in_the_projects_folder(root, monkeypatch):
    monkeypatch.chdir(root)


def test_equations_are_the_programs(program, crane):
    assert crane.derive().to_dict() == program("derive", CRANE)


def test_code_is_the_programs(program, crane, tmp_path):
    theirs = program("generate", CRANE, "--language", "c,python", "-o", tmp_path)
    code = crane.generate("c,python")
    assert code.to_dict()["programs"] == theirs["programs"]
    for name, text in code.texts.items():
        assert (tmp_path / name).read_text() == text


def test_comparisons_are_the_programs(program, crane):
    theirs = program("compare", CRANE, "examples/homework.eqs", "--seed", "1", may_fail=True)
    ours = crane.compare("examples/homework.eqs", seed=1)
    assert ours.to_dict() == theirs
    assert not ours and "1 not equal" in repr(ours)
