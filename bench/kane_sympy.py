#!/usr/bin/env python3
"""Kane's equations of three models in SymPy (sympy.physics.mechanics.KanesMethod), and their times as JSON.

    kane_sympy.py --values       M and f at one state, to compare with derive_bench --values
    kane_sympy.py FILE COUNT     CPU times in seconds of COUNT repetitions (of the Stanford arm: one), written to FILE

Frames, points and velocities are set up as a careful user would: every body's angular velocity in its own frame, every
velocity carried from point to point, nothing expanded. SymPy's cache is emptied before every run.
"""
import json
import math
import sys
import time

import sympy
from sympy.core.cache import clear_cache
from sympy.physics.mechanics import KanesMethod, Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia

def names(text):
    return sympy.symbols(text)


class Arm:
    """A serial chain in the making."""

    def __init__(self, n):
        self.q = dynamicsymbols(" ".join(f"q{i + 1}" for i in range(n)), real=True)
        self.u = dynamicsymbols(" ".join(f"u{i + 1}" for i in range(n)), real=True)
        self.g = sympy.Symbol("g")
        self.N = ReferenceFrame("N")
        self.at = Point("O")  # where the next joint stands
        self.at.set_vel(self.N, 0)
        self.frame, self.bodies, self.loads, self.down = self.N, [], [], None

    def body(self, frame, point, mass, moments):
        J = inertia(frame, *moments)
        self.bodies.append(RigidBody(f"body{len(self.bodies)}", point, frame, mass, (J, point)))
        self.loads.append((point, mass * self.g * self.down))

    def turn(self, i, mass, moments, axis, to_com, to_next=None, before=None):
        """A link that turns by q[i] about its own `axis`; `before` is a fixed turn of the joint: angle and axis."""
        inner = self.frame
        if before is not None:
            inner = self.frame.orientnew(f"J{i}", "Axis", [before[0], getattr(self.frame, before[1])])
        frame = inner.orientnew(f"B{i}", "Axis", [self.q[i], getattr(inner, axis)])
        # In its own axes: the components of ω are small there.
        frame.set_ang_vel(self.N, self.frame.ang_vel_in(self.N).express(frame) + self.u[i] * getattr(frame, axis))
        com = self.at.locatenew(f"C{i}", sum((x * e for x, e in zip(to_com, (frame.x, frame.y, frame.z))), 0 * frame.x))
        com.v2pt_theory(self.at, self.N, frame)
        self.body(frame, com, mass, moments)
        self.frame = frame
        if to_next is not None:
            self.at = com.locatenew(f"P{i}", sum((x * e for x, e in zip(to_next, (frame.x, frame.y, frame.z))), 0 * frame.x))
            self.at.v2pt_theory(com, self.N, frame)

    def slide(self, i, mass, moments, to_next):
        """A link that slides by q[i] along y of the one before it."""
        frame = self.frame.orientnew(f"B{i}", "Axis", [0, self.frame.y])
        frame.set_ang_vel(self.N, self.frame.ang_vel_in(self.N).express(frame))
        com = self.at.locatenew(f"C{i}", self.q[i] * frame.y)
        com.set_vel(self.N, self.at.vel(self.N) + self.u[i] * frame.y + frame.ang_vel_in(self.N).cross(self.q[i] * frame.y))
        self.body(frame, com, mass, moments)
        self.frame = frame
        self.at = com.locatenew(f"P{i}", to_next[1] * frame.y)
        self.at.v2pt_theory(com, self.N, frame)

    def equations(self):
        rates = [q.diff(dynamicsymbols._t) - u for q, u in zip(self.q, self.u)]
        method = KanesMethod(self.N, q_ind=list(self.q), u_ind=list(self.u), kd_eqs=rates)
        method.kanes_equations(self.bodies, self.loads)
        return method.mass_matrix, method.forcing


def double_pendulum():
    m1, m2, l1, l2 = names("m1 m2 l1 l2")
    arm = Arm(2)
    arm.down = -arm.N.y
    arm.turn(0, m1, (m1 * l1**2 / 12, 0, m1 * l1**2 / 12), "z", (0, -l1 / 2, 0), (0, -l1 / 2, 0))
    arm.turn(1, m2, (m2 * l2**2 / 12, 0, m2 * l2**2 / 12), "z", (0, -l2 / 2, 0))
    return arm, arm.equations()


def triple_pendulum():
    DL22, DL33, DL44, SL32, SL43 = names("DL22 DL33 DL44 SL32 SL43")
    arm = Arm(3)
    arm.down = -arm.N.y
    arm.turn(0, names("MA2"), names("J2X J2Y J2Z"), "z", (0, -DL22, 0), (0, -SL32, 0))
    arm.turn(1, names("MA3"), names("J3X J3Y J3Z"), "z", (0, -DL33, 0), (0, -SL43, 0), before=(sympy.pi / 2, "y"))
    arm.turn(2, names("MA4"), names("J4X J4Y J4Z"), "z", (0, -DL44, 0), before=(-sympy.pi / 2, "y"))
    return arm, arm.equations()


def stanford_arm():
    SL32, DL33, SL54, SL65, DL66, SL76 = names("SL32 DL33 SL54 SL65 DL66 SL76")
    arm = Arm(6)
    arm.down = -arm.N.y
    arm.turn(0, names("MA2"), names("J2X J2Y J2Z"), "y", (0, 0, 0), (0, SL32, 0))
    arm.turn(1, names("MA3"), names("J3X J3Y J3Z"), "x", (DL33, 0, 0), (0, 0, 0))
    arm.slide(2, names("MA4"), names("J4X J4Y J4Z"), (0, SL54, 0))
    arm.turn(3, names("MA5"), names("J5X J5Y J5Z"), "y", (0, 0, 0), (0, SL65, 0))
    arm.turn(4, names("MA6"), names("J6X J6Y J6Z"), "x", (0, DL66, 0), (0, SL76, 0))
    arm.turn(5, names("MA7"), names("J7X J7Y J7Z"), "y", (0, 0, 0))
    return arm, arm.equations()


MODELS = {"double_pendulum": double_pendulum, "triple_pendulum": triple_pendulum, "stanford_arm": stanford_arm}
# As the model files have them.
VALUES = {
    "double_pendulum": {"g": 9.81, "m1": 1.3, "m2": 0.7, "l1": 0.9, "l2": 0.6},
    "triple_pendulum": {"g": 9.81, **{k: 0.5 for k in ("DL22", "DL33", "DL44", "SL32", "SL43")},
                        **{f"MA{i}": 1.0 for i in (2, 3, 4)},
                        **{f"J{i}{a}": v for i in (2, 3, 4) for a, v in zip("XYZ", (0.2, 0.1, 0.2))}},
    "stanford_arm": {"g": 9.81, "SL32": 0.1, "DL33": 0.1, "SL54": 0.6, "SL65": 0.06, "DL66": 0.06, "SL76": 0.1,
                     "MA2": 9.0, "MA3": 6.0, "MA4": 4.0, "MA5": 1.0, "MA6": 0.6, "MA7": 0.5,
                     "J2X": 0.01, "J2Y": 0.02, "J2Z": 0.01, "J3X": 0.06, "J3Y": 0.01, "J3Z": 0.05,
                     "J4X": 0.4, "J4Y": 0.01, "J4Z": 0.4, "J5X": 0.0005, "J5Y": 0.001, "J5Z": 0.001,
                     "J6X": 0.0005, "J6Y": 0.0002, "J6Z": 0.0005, "J7X": 0.003, "J7Y": 0.001, "J7Z": 0.002},
}


def value(e, known):
    """Numbers for symbols, each different subexpression once."""
    if e in known:
        return known[e]
    if e.is_Number or e.is_NumberSymbol:
        result = float(e)
    else:
        args = [value(a, known) for a in e.args]
        if e.is_Add:
            result = math.fsum(args)
        elif e.is_Mul:
            result = math.prod(args)
        elif e.is_Pow:
            result = args[0] ** args[1]
        else:
            result = {sympy.sin: math.sin, sympy.cos: math.cos}[e.func](args[0])
    known[e] = result
    return result


def values_of(name, derived):
    arm, (M, f) = derived
    known = {sympy.Symbol(k): v for k, v in VALUES[name].items()}
    for i, (q, u) in enumerate(zip(arm.q, arm.u)):  # the same state as in derive_bench.cpp
        known[q], known[u] = 0.3 + 0.2 * i, 0.7 - 0.3 * i
    return [value(e, known) for e in list(M) + list(f)]


def measure(repetitions):
    times = {}
    for name, make in MODELS.items():
        times[name] = []
        for _ in range(1 if name == "stanford_arm" else repetitions):
            clear_cache()
            start = time.process_time()
            make()
            times[name].append(time.process_time() - start)
    return times


if __name__ == "__main__":
    if sys.argv[1:] == ["--values"]:
        for model, make in MODELS.items():
            print("sympy kane", model, *map(repr, values_of(model, make())))
    else:
        with open(sys.argv[1], "w", encoding="utf-8") as out:
            json.dump(measure(int(sys.argv[2])), out, indent=1)
