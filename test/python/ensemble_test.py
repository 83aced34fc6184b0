"""Many runs: ensembles as the command line has them, and motions side by side that do not look at each other."""

import os
import signal
import threading

import numpy as np
import pytest

import linkwright as lw

CRANE = "examples/crane.toml"


@pytest.fixture(autouse=True)
def in_the_projects_folder(root, monkeypatch):
    monkeypatch.chdir(root)


# --- motions ---


def test_motions_have_values_of_their_own(crane):
    m, theta, drive = np.array([60.0, 80, 100, 70, 90]), np.array([0.1, -0.2, 0.3, 0.05, 0.2]), np.linspace(0, 40, 5)
    many = crane.simulate_many({"m": m, "theta": theta, "drive": drive, "x'": 0.25}, until=2, samples=8, tolerance=1e-10)
    assert many.has_lanes and many.array.shape == (5, 9, 4) and many["theta"].shape == (5, 9) and len(many) == 5
    assert many["theta"].base is many.array or np.shares_memory(many["theta"], many.array)
    for i in range(5):
        one = crane.with_values(set={"m": m[i], "drive": drive[i]}, initial={"theta": theta[i], "x'": 0.25}).simulate(until=2, samples=8, tolerance=1e-10)
        assert np.array_equal(many.t, one.t)
        for name in many.names:
            assert np.allclose(many[name][i], one[name], rtol=0, atol=2e-7)
            assert many[name][i][0] == one[name][0]
    assert np.array_equal(many.final["x"], many["x"][:, -1]) and not many.failed.any()


def test_a_motion_does_not_know_its_neighbours(crane):
    random = np.random.default_rng(3)
    values = {"m": random.uniform(50, 100, 4096), "theta": random.uniform(-0.5, 0.5, 4096)}
    all_ = crane.simulate_many(values, until=0.5, samples=4)
    assert all_.array.shape == (4096, 5, 4) and np.isfinite(all_.array).all()
    for some in (slice(0, 1), slice(17, 40), slice(4000, 4096, 3)):
        part = crane.simulate_many({k: v[some] for k, v in values.items()}, until=0.5, samples=4, threads=1)
        assert np.array_equal(part.array, all_.array[some])


def test_one_by_one_is_simulate(crane):
    many = crane.simulate_many({"m": [60, 80]}, until=1, samples=5, one_by_one=True, columns="theta, x, energy.total")
    assert not many.has_lanes and many.names == ["theta", "x", "energy.total"]
    for i, m in enumerate((60, 80)):
        one = crane.with_values(m=m).simulate(until=1, samples=5)
        assert np.allclose(many.array[i], one.to_array("theta", "x", "energy.total"), rtol=1e-12, atol=1e-12)


def test_closed_chains_and_stops(four_bar):
    many = four_bar.simulate_many({"rho": [1.0, 1.5]}, until=0.5, samples=5, columns=["alpha", "2*alpha'"])
    one = four_bar.with_values(rho=1.5).simulate(until=0.5, samples=5)
    assert not many.has_lanes and np.allclose(many["alpha"][1], one["alpha"], atol=1e-8) and np.allclose(many["2*alpha'"][1], 2 * one["alpha'"], atol=1e-7)
    crane = lw.load(CRANE)
    stopped = crane.simulate_many({"drive": [0, 200]}, until=4, samples=8, stop="rising x - 1", columns="t, x")
    free = crane.simulate(until=4, samples=8)
    assert np.array_equal(np.isnan(stopped["x"][0]), np.zeros(9, dtype=bool)) and np.allclose(stopped["x"][0], free["x"], atol=1e-7)
    ended = np.flatnonzero(~np.isnan(stopped["x"][1]))[-1]
    assert ended < 8 and abs(stopped["x"][1][ended] - 1) < 1e-6 and np.isnan(stopped["x"][1][ended + 1:]).all()


def test_what_fails_is_told(crane):
    with pytest.warns(lw.LinkwrightWarning, match="1 of 3 motions failed; the first, number 1"):
        many = crane.simulate_many({"m": [60, -80, 70]}, until=1, samples=2)
    assert [i for i, _ in many.failures] == [1] and many.failed.tolist() == [False, True, False]
    assert np.isnan(many.array[1]).all() and np.isfinite(many.array[[0, 2]]).all()
    with pytest.raises(lw.NumericalError, match="all motions failed"):
        crane.simulate_many({"m": [-1, -2]}, until=1)
    with pytest.raises(lw.InputError, match="no parameter, input or coordinate 'mass'"):
        crane.simulate_many({"mass": [1, 2]}, until=1)
    with pytest.raises(lw.InputError, match="teta"):
        crane.simulate_many({"m": [1, 2]}, until=1, columns="teta")
    with pytest.raises(lw.InputError):
        crane.simulate_many({"m": [60, 70]})
    with pytest.raises(lw.InputError, match="too many to keep"):
        crane.simulate_many({"m": np.full(100_000, 60.0)}, until=1, samples=100_000)
    with pytest.raises(ValueError, match="different lengths"):
        crane.simulate_many({"m": [60, 70], "theta": [1, 2, 3]}, until=1)
    with pytest.raises(ValueError):
        crane.simulate_many({"m": [[60, 70]]}, until=1)
    with pytest.raises(TypeError):
        crane.simulate_many([60, 70], until=1)
    with pytest.raises(lw.InputError):
        crane.simulate_many({"m": []}, until=1)
    with pytest.warns(lw.LinkwrightWarning, match="m is not finite"):
        crane.simulate_many({"m": [60, np.nan]}, until=1)


def test_the_lock_is_free_meanwhile_and_progress_is_told(crane):
    told, others = [], []
    stop = threading.Event()

    def count():
        while not stop.is_set():
            others.append(1)
            stop.wait(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        crane.simulate_many({"theta": np.linspace(-0.3, 0.3, 4000)}, until=20, samples=2, tolerance=1e-10, threads=1,
                            on_step=lambda now, begin, end: told.append((now, end)) and None)
    finally:
        stop.set()
        thread.join()
    assert told and told[-1][1] == 4000 and len(others) > 3
    with pytest.raises(lw.NumericalError, match="interrupted after"):
        crane.simulate_many({"theta": np.linspace(-0.3, 0.3, 100_000)}, until=20, samples=2, tolerance=1e-10, on_step=lambda *_: False)


def test_ctrl_c_stops_it(crane, request):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    request.addfinalizer(timer.cancel)
    with pytest.raises(KeyboardInterrupt):
        crane.simulate_many({"theta": np.linspace(-0.3, 0.3, 1_000_000)}, until=200, samples=1, tolerance=1e-12)


# --- ensembles ---


def test_an_ensemble_is_the_programs(program):
    words = ["--vary", "m ~ normal(80, 8)", "--vary", "theta ~ uniform(5*deg, 15*deg)", "--grid", "l=2:4:2", "--runs", "16", "--sampling", "sobol", "--until", "1",
             "--collect", "max(abs(theta))", "--collect", "end = final(x)"]
    ours = lw.load(CRANE).ensemble({"m": "normal(80, 8)", "theta": "uniform(5*deg, 15*deg)"}, grid={"l": (2, 4, 2)}, runs=16, sampling="sobol", until=1,
                                   collect=["max(abs(theta))", "end = final(x)"])
    assert ours.to_dict() == program("ensemble", CRANE, *words)
    assert list(ours.columns) == ["m", "theta", "l", "max(abs(theta))", "end"] and ours["end"].shape == (48,)
    first = ours.statistics("end", 1)
    assert first.mean == pytest.approx(ours["end"][16:32].mean(), rel=1e-13) and first.count == 16
    frame = ours.to_pandas()
    assert frame.shape == (48, 5) and frame.index.name == "run"


def test_ensembles_of_other_verbs_and_indices(crane, program):
    modes = crane.ensemble({"l": "uniform(2, 6)"}, runs=8, of="modes", collect={"f": "frequency.2"}, seed=5)
    assert modes.to_dict() == program("ensemble", CRANE, "--vary", "l ~ uniform(2, 6)", "--runs", "8", "--of", "modes", "--collect", "f = frequency.2", "--seed", "5")
    indices = crane.ensemble({"m": "normal(80, 8)", "l": "uniform(2, 6)"}, runs=32, indices=True, until=0.5, collect="final(theta)")
    assert [i["name"] for i in indices.statistics("final(theta)")["indices"]["of"]] == ["m", "l"]


def test_an_ensemble_goes_on_where_it_was(crane, tmp_path):
    output = tmp_path / "runs.csv"
    words = dict(runs=20_000, until=5, collect="final(x)", output=output)
    with pytest.raises(lw.NumericalError, match="interrupted"):
        crane.ensemble({"m": "normal(80, 8)"}, on_step=lambda now, *_: now < 2000, **words)
    again = crane.ensemble({"m": "normal(80, 8)"}, **words)
    assert again.resumed >= 2000 and not (tmp_path / "runs.csv.journal").exists()
    assert np.array_equal(again["final(x)"], crane.ensemble({"m": "normal(80, 8)"}, **{**words, "output": None})["final(x)"])


def test_wrong_words_are_told(crane):
    with pytest.raises(lw.InputError, match="unknown distribution 'norml'"):
        crane.ensemble({"m": "norml(1, 2)"}, runs=3, until=1, collect="final(x)")
    with pytest.raises(lw.InputError, match="nothing is varied"):
        crane.ensemble(runs=3, until=1, collect="final(x)")
    with pytest.raises(KeyError, match="was not collected"):
        crane.ensemble({"m": "uniform(60, 70)"}, runs=3, until=0.1, collect="final(x)").statistics("x")
