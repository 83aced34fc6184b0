"""Many states at once."""

import pickle
import threading

import numpy as np
import pytest

import linkwright as lw


def states(f, n, seed=1):
    random = np.random.default_rng(seed)
    return random.uniform(-1, 1, (n, len(f.coordinates))), random.uniform(-1, 1, (n, len(f.speeds)))


def test_a_batch_is_what_single_states_are(crane):
    f = crane.compile()
    q, u = states(f, 500)
    udot = f(q, u)
    assert udot.shape == (500, 2)
    for i in (0, 1, 499):
        assert np.array_equal(f(q[i], u[i]), udot[i])
        state = dict(zip([*f.coordinates, *f.speeds], [*q[i], *u[i]]))
        assert np.allclose(crane.evaluate(state).accelerations, udot[i], rtol=1e-12)
    assert np.array_equal(f(q, u, threads=1), udot) and np.array_equal(f(q, u, threads=7), udot)


def test_matrices_and_forces_come_as_views(crane):
    f = crane.compile(["mass_matrix", "forcing", "accelerations", "energy", "coordinate_rates"])
    q, u = states(f, 64)
    r = f(q, u)
    assert r["mass_matrix"].shape == (64, 2, 2)
    assert np.allclose(np.einsum("nij,nj->ni", r["mass_matrix"], r["accelerations"]), r["forcing"], atol=1e-9)
    assert np.allclose(r["energy"][:, 0], np.einsum("ni,nij,nj->n", u, r["mass_matrix"], u) / 2)
    assert np.array_equal(r["coordinate_rates"], u)
    assert r["mass_matrix"].base is not None
    assert crane.compile("mass_matrix")(q, u).shape == (64, 2, 2)


def test_inputs_and_times(root):
    text = (root / "examples" / "crane.toml").read_text().replace("drive = 0", 'drive = "3*t"')
    f = lw.loads(text).compile()
    q, u = states(f, 9)
    t = np.arange(9.0)
    assert np.array_equal(f(q, u, t=t), f(q, u, w=3 * t[:, None]))
    assert np.array_equal(f(q, u, t=2), f(q, u, w=[6]))
    assert np.array_equal(f(q, u, w=[[6]] * 9), f(q, u, w=[6]))
    packed = np.column_stack([t, q, u, 3 * t])
    assert f.width == packed.shape[1] and np.array_equal(f.packed(packed), f(q, u, t=t))


def test_memory_is_used_in_place(crane):
    f = crane.compile()
    q, u = states(f, 32)
    out = np.empty((32, 2))
    assert f(q, u, out=out) is out
    assert np.array_equal(out, f(q, u))
    assert np.array_equal(f(np.asfortranarray(q), u[::1]), out)
    assert np.array_equal(f(q.astype(np.float32), u), f(q.astype(np.float32).astype(float), u))
    with pytest.raises(ValueError, match="out"):
        f(q, u, out=np.empty((32, 2), dtype=np.float32))
    with pytest.raises(ValueError, match="out"):
        f(q, u, out=np.empty((2, 32)).T)
    with pytest.raises(ValueError, match="out"):
        f(q, u, out=np.empty((31, 2)))


def test_wrong_shapes_are_told(crane):
    f = crane.compile()
    for q, u, more, what in [(np.zeros((3, 3)), np.zeros((3, 2)), {}, "q"), (np.zeros((3, 2)), np.zeros((4, 2)), {}, "u"),
                             (np.zeros((3, 2)), np.zeros((3, 2)), {"w": np.zeros((3, 2))}, "w"), (np.zeros(2), np.zeros((1, 2)), {}, "q"),
                             (np.zeros((3, 2)), np.zeros((3, 2)), {"t": np.zeros(2)}, "t"),
                             (np.zeros((3, 2)), np.zeros((3, 2)), {"x": np.zeros((3, 1))}, "x")]:
        with pytest.raises(ValueError, match=what):
            f(q, u, **more)
    with pytest.raises(lw.InputError, match="acceleration"):
        crane.compile("acceleratons")
    assert f(np.zeros((0, 2)), np.zeros((0, 2))).shape == (0, 2)


def test_closed_chains_have_accelerations_and_multipliers(four_bar):
    f = four_bar.dynamics()
    motion = four_bar.simulate(until=0.5, samples=40)
    q, u = motion.to_array(*f.coordinates), motion.to_array(*f.speeds)
    r = f(q, u)
    for i in (0, 20, 40):
        at = four_bar.evaluate({**dict(zip(f.coordinates, q[i])), **dict(zip(f.speeds, u[i]))})
        assert np.allclose(at.accelerations, r["accelerations"][i], rtol=1e-9, atol=1e-9)
        assert np.allclose(at.multipliers, r["multipliers"][i], rtol=1e-7, atol=1e-9)
    assert np.array_equal(f(q, u, threads=3)["multipliers"], r["multipliers"])


def test_states_without_accelerations_are_nan_with_a_warning(four_bar):
    f = four_bar.compile()
    q = np.zeros((3, len(f.coordinates)))
    u = np.zeros((3, len(f.speeds)))
    u[1] = np.nan
    q[1] = np.nan
    with pytest.warns(lw.LinkwrightWarning, match="number"):
        udot = f(q, u)
    assert np.isnan(udot[1]).all()


def test_it_is_pickled_and_shared(crane):
    f = crane.compile(["accelerations", "forcing"])
    q, u = states(f, 2000)
    expected = f(q, u)["accelerations"]
    assert np.array_equal(pickle.loads(pickle.dumps(f))(q, u)["accelerations"], expected)
    found = []
    threads = [threading.Thread(target=lambda: found.append(f(q, u)["accelerations"])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(np.array_equal(x, expected) for x in found)


def test_the_interpreter_says_the_same(crane):
    f, g = crane.compile(), crane.compile(interpret=True)
    q, u = states(f, 100)
    assert not g.is_native and np.allclose(f(q, u), g(q, u), rtol=1e-12)


def test_memory_is_steady_over_many_calls(crane):
    """10⁵ calls of compiled code and a thousand of a verb: nothing is left behind."""
    f = crane.compile()
    q, u = states(f, 4)
    out = np.empty((4, 2))

    def resident():
        with open("/proc/self/statm") as numbers:
            return int(numbers.read().split()[1]) * 4096

    def work(calls, verbs):
        for _ in range(calls):
            f(q, u, out=out)
        for _ in range(verbs):
            crane.evaluate({"theta": 0.1})

    work(2000, 100)  # caches are filled
    before = resident()
    work(100_000, 300)
    assert resident() - before < 4e6
