#!/usr/bin/python3
"""Batches from Python beside the same batches from C++: 4096 states, accelerations, all cores and one. Run it after `make python`:

    PYTHONPATH=build/release/python bench/python_batch.py

Processor time of the process (all its threads), the least of many calls: a machine that has other things to do disturbs it little. States lie packed in memory (t, q, u, w in a row: `f.packed(rows)`), or in separate arrays that are gathered on the way: `f(q, u, w)`. Each is measured in
turns with the same call of the library in C++."""

import pathlib
import time

import numpy as np

import linkwright as lw

ROOT = pathlib.Path(__file__).resolve().parent.parent
POINTS, ROUNDS, EACH = 4096, 20, 10


def least(cpp, call):
    """Least seconds of both, a few of each in turns: neighbours on the machine disturb both alike."""
    best = [float("inf")] * 2
    each = 1 if cpp(1) > 2e-3 else EACH
    for _ in range(ROUNDS):
        best[0] = min(best[0], cpp(each))
        for _ in range(each):
            begin = time.process_time()
            call()
            best[1] = min(best[1], time.process_time() - begin)
    return best


def main():
    print(f"{POINTS} states, accelerations: microseconds of processor time in C++ and from Python, and their ratio")
    print(f"{'':<20}{'':>8}{'packed':>27}{'q, u, w':>30}")
    print(f"{'model':<20}{'threads':>8}{'C++':>10}{'Python':>10}{'ratio':>7}   {'C++':>10}{'Python':>10}{'ratio':>7}")
    random, worst = np.random.default_rng(1), 0.0
    for name in ("cart_pole", "double_pendulum", "stanford_arm", "chain10", "four_bar"):
        model = lw.load(ROOT / "models" / name / "model.toml")
        f = model.compile()
        shape = lambda names: random.uniform(-0.5, 0.5, (POINTS, len(names)))  # noqa: E731
        q, u, w = shape(f.coordinates), shape(f.speeds), shape(f.inputs)
        if name == "four_bar":  # closed states
            motion = model.simulate(until=1, samples=POINTS - 1)
            q, u = motion.to_array(*f.coordinates), motion.to_array(*f.speeds)
        packed = np.column_stack([np.zeros(POINTS), q, u, w])
        out = np.empty((POINTS, f.size))
        f(q, u, w, out=out)  # code is made
        for threads in (0, 1):
            a, b = least(lambda n: f._function.least_seconds(POINTS, None, None, None, packed, threads, n),
                         lambda: f.packed(packed, out=out, threads=threads))
            c, d = least(lambda n: f._function.least_seconds(POINTS, q, u, w, None, threads, n),
                         lambda: f(q, u, w, out=out, threads=threads))
            print(f"{name:<20}{threads or 'all':>8}{a * 1e6:>10.1f}{b * 1e6:>10.1f}{b / a:>7.2f}   {c * 1e6:>10.1f}{d * 1e6:>10.1f}{d / c:>7.2f}")
            worst = max(worst, b / a, d / c)
    print(f"worst ratio {worst:.3f}: {'within' if worst <= 1.1 else 'NOT within'} 10 % of C++")


if __name__ == "__main__":
    main()
