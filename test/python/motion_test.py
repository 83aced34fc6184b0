"""Motion with Python's functions in it, and how it is stopped."""

import math
import os
import signal
import threading
import time

import numpy as np
import pytest

import linkwright as lw


def test_inputs_are_functions_of_time(root):
    text = (root / "examples" / "crane.toml").read_text()
    written = lw.loads(text.replace("drive = 0", 'drive = "50*sin(2*t)"')).simulate(until=4, tolerance=1e-10)
    driven = lw.loads(text).simulate(until=4, inputs={"drive": lambda t: 50 * math.sin(2 * t)}, tolerance=1e-10)
    assert np.abs(written["x"] - driven["x"]).max() < 1e-7
    assert np.abs(driven["x"]).max() > 0.1


def test_inputs_are_samples_and_numbers(crane):
    t = np.linspace(0, 4, 401)
    sampled = crane.simulate(until=4, inputs={"t": t, "drive": 50 * np.sin(2 * t)})
    driven = crane.simulate(until=4, inputs={"drive": lambda t: 50 * math.sin(2 * t)})
    assert np.abs(sampled["x"] - driven["x"]).max() < 1e-5
    constant = crane.simulate(until=1, inputs={"drive": 7})
    assert np.abs(constant["x"] - crane.with_values(drive=7).simulate(until=1)["x"]).max() < 1e-8


def test_what_a_function_raises_comes_out(crane):
    def broken(t):
        if t > 0.5:
            raise ZeroDivisionError("no more")
        return 1.0

    with pytest.raises(ZeroDivisionError, match="no more"):
        crane.simulate(until=2, inputs={"drive": broken})
    with pytest.raises(TypeError, match="number"):
        crane.simulate(until=2, inputs={"drive": lambda t: "much"})
    with pytest.raises(lw.InputError, match="drivee"):
        crane.simulate(until=2, inputs={"drivee": lambda t: 1})
    with pytest.raises(lw.NumericalError):
        crane.simulate(until=2, inputs={"drive": lambda t: float("nan") if t > 0.5 else 0.0})


def test_on_step_is_told_and_stops(crane):
    seen = []
    motion = crane.simulate(until=5, on_step=lambda now, begin, end: seen.append((now, begin, end)) or now < 2)
    assert 2 <= seen[-1][0] < 5 and seen[0][1:] == (0, 5)
    assert motion.stop.reason == "interrupted" and 0 < motion.t[-1] < 5
    with pytest.raises(KeyError):
        crane.simulate(until=5, on_step=lambda *_: {}["nothing"])


def test_ctrl_c_stops_and_keeps_rows(four_bar, request):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    four_bar.simulate(until=0.01)  # derived and compiled
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt) as caught:
        four_bar.simulate(until=1e6, samples=10_000_000, tolerance=1e-11)
    assert time.monotonic() - begin < 20
    assert isinstance(caught.value, lw.Interrupted) and len(caught.value.partial) > 0
    timer.join()


def test_events_are_expressions(crane):
    motion = crane.simulate(until=10, stop="falling theta", record=["turn = theta'"])
    assert motion.stop.reason == "event" and abs(motion["theta"][-1]) < 1e-6
    assert motion.events[-1]["values"]["theta"] == pytest.approx(0, abs=1e-6)


def test_events_are_functions_of_time_and_state(crane):
    written = crane.simulate(until=10, stop="falling far = x - 0.05", record=["turn = theta'", "rising zero = theta"])
    called = crane.simulate(until=10, stop=lw.Event(lambda t, s: s["x"] - 0.05, "far", "falling"),
                            record={"turn": lambda t, s: s["theta'"], "zero": lw.Event(lambda t, s: s["theta"], direction="rising")})
    assert written.stop.reason == called.stop.reason == "event" and len(written.events) >= 3
    by_name = lambda motion: sorted((e["name"], e["t"]) for e in motion.events)  # noqa: E731
    assert [name for name, _ in by_name(written)] == [name for name, _ in by_name(called)]
    for (_, t), (_, same) in zip(by_name(written), by_name(called)):
        assert same == pytest.approx(t, abs=1e-12)
    assert called.t[-1] == called.stop.t and called["x"][-1] == pytest.approx(0.05, abs=1e-9)


def test_events_see_time_and_inputs(crane):
    def late(t, state):
        assert set(state) == {"x", "theta", "x'", "theta'", "drive"}
        return t - 1.25 if state["drive"] == 7 else 1

    motion = crane.simulate(until=4, inputs={"drive": 7}, stop=late)
    assert motion.stop.t == pytest.approx(1.25, abs=1e-12) and motion.events[-1]["name"] == "late"
    mixed = crane.simulate(until=2, record=["rising theta", late, {"half": "t - 0.5", "third": lambda t, s: t - 1 / 3}])
    assert {"half", "third"} <= {e["name"] for e in mixed.events}


def test_what_an_event_raises_comes_out(crane):
    with pytest.raises(KeyError, match="thta"):
        crane.simulate(until=2, stop=lambda t, s: s["thta"])
    with pytest.raises(TypeError, match="number"):
        crane.simulate(until=2, record=lambda t, s: None)
    with pytest.raises(TypeError, match="function"):
        crane.simulate(until=2, record=[3])
    with pytest.raises(ValueError, match="rising"):
        lw.Event(abs, direction="up")
    with pytest.warns(lw.LinkwrightWarning, match="not a number"):
        motion = crane.simulate(until=2, record=lambda t, s: float("nan"))
    assert motion.stop.reason == "reached" and not motion.events


def test_a_motion_goes_on_from_its_last_row(crane):
    whole = crane.simulate(until=2, samples=20, tolerance=1e-10)
    half = crane.simulate(until=1, samples=10, tolerance=1e-10)
    rest = crane.simulate(until=2, samples=10, restart=half, tolerance=1e-10)
    assert rest.t[0] == 1 and abs(rest["theta"][-1] - whole["theta"][-1]) < 1e-7


def test_inverse_takes_columns(crane):
    t = np.linspace(0, 1, 101)
    forces = crane.inverse({"t": t, "x": 0.1 * t**2, "theta": 0 * t}, samples=4, by="coordinates")
    assert forces["x"][-1] == pytest.approx(0.1, abs=1e-6)


def test_threads_share_a_mechanism(crane):
    expected = crane.simulate(until=3).to_dict()["columns"]
    found = [None] * 4

    def work(i):
        found[i] = crane.simulate(until=3).to_dict()["columns"]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(columns == expected for columns in found)
