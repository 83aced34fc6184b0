#!/usr/bin/env python3
"""bench/simulate_scipy.py DIR --values           the triple pendulum after two seconds, as SciPy integrates it
   bench/simulate_scipy.py DIR FILE.json RUNS     CPU times of 100 s

DIR is what `simulate_bench --python DIR` wrote: triple_pendulum.py, the module we generate for NumPy, and plain.py, the same
right-hand side in Python's own floats, which is quicker one state at a time. Equations and tolerances are those of
simulate_bench; each of SciPy's three good methods for smooth motion is tried with each of the two.
"""
import json
import pathlib
import sys
import time

import numpy as np
import scipy
from scipy.integrate import solve_ivp

METHODS = ("DOP853", "LSODA", "RK45")
TOLERANCE = 1e-9  # relative and absolute
UNTIL = 100.0


def load(folder):
    """The right-hand sides by name, the state at the beginning, and the total energy of a state."""
    sys.path.insert(0, str(folder))
    import plain  # pylint: disable=import-outside-toplevel
    import triple_pendulum as model  # pylint: disable=import-outside-toplevel
    w, c = model.values(model.INPUTS), model.setup(model.values(model.PARAMETERS))
    start = np.concatenate([np.full(3, np.deg2rad(30)), np.zeros(3)])

    def energy(x):
        return sum(model.energy(0.0, x[:3], x[3:], c))
    return {"floats": plain.rhs, "module": lambda t, x: model.rhs(t, x, w, c)}, start, energy


def main():
    if len(sys.argv) != 4 and sys.argv[2:] != ["--values"]:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    sides, start, energy = load(folder)
    if sys.argv[2] == "--values":
        for side, rhs in sides.items():
            for method in METHODS:
                motion = solve_ivp(rhs, (0.0, 2.0), start, method=method, rtol=1e-12, atol=1e-12)
                print(f"scipy-{method}-{side} motion/triple_pendulum 2", *(repr(float(x)) for x in motion.y[:, -1]))
        return
    results = {"version": scipy.__version__, "runs": []}
    rows = np.linspace(0.0, UNTIL, 101)
    for side, rhs in sides.items():
        for method in METHODS:
            seconds = []
            for _ in range(int(sys.argv[3])):
                before = time.process_time()
                motion = solve_ivp(rhs, (0.0, UNTIL), start, method=method, t_eval=rows, rtol=TOLERANCE, atol=TOLERANCE)
                seconds.append(time.process_time() - before)
            if not motion.success:
                sys.exit(f"bench/simulate_scipy.py: {method}: {motion.message}")
            energies = energy(motion.y)
            results["runs"].append({"method": method, "side": side, "seconds": seconds, "evaluations": int(motion.nfev),
                                    "energy_error": float(np.max(np.abs(energies - energies[0])))})
    pathlib.Path(sys.argv[2]).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
