#!/usr/bin/env python3
"""The chain of chain.hpp in SymPy, with the same formulas, and its times as JSON.

    chain_sympy.py --values      numbers to compare across the systems, as the C++ programs print them
    chain_sympy.py FILE COUNT    CPU times in seconds of COUNT repetitions, written to FILE

SymPy's cache is emptied before every measured piece of work: nothing is remembered from the run before.
Substitution is xreplace, the fastest that SymPy has.
"""
import json
import math
import sys
import time

import sympy
from sympy.core.cache import clear_cache

PARTS = "q u px py pz m cx cy cz Jxx Jyy Jzz Jxy Jxz Jyz".split()


def thousandths(k):
    return 300 + 371 * (k + 1) % 1000


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def plus(a, b):
    return [x + y for x, y in zip(a, b)]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def turned_back(a, axis, c, s):
    j, k = (axis + 1) % 3, (axis + 2) % 3
    r = list(a)
    r[j] = c * a[j] + s * a[k]
    r[k] = c * a[k] - s * a[j]
    return r


def make_chain(n):
    return [sympy.symbols([f"{part}{i}" for part in PARTS]) for i in range(1, n + 1)]


def kinetic_energy(links):
    w = [sympy.Integer(0)] * 3
    v = w
    twice = sympy.Integer(0)
    for i, (q, u, px, py, pz, m, cx, cy, cz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz) in enumerate(links):
        axis = 2 - i % 3
        cq, sq = sympy.cos(q), sympy.sin(q)
        v = turned_back(plus(v, cross(w, [px, py, pz])), axis, cq, sq)
        w = turned_back(w, axis, cq, sq)
        w[axis] = w[axis] + u
        vc = plus(v, cross(w, [cx, cy, cz]))
        h = [Jxx * w[0] + Jxy * w[1] + Jxz * w[2],
             Jxy * w[0] + Jyy * w[1] + Jyz * w[2],
             Jxz * w[0] + Jyz * w[1] + Jzz * w[2]]
        twice = twice + m * dot(vc, vc) + dot(w, h)
    return twice / 2


def variables(links):
    return [link[0] for link in links] + [link[1] for link in links]


def gradient(e, xs):
    return [e.diff(x) for x in xs]


def jacobian(rows, xs):
    return [row.diff(x) for row in rows for x in xs]


def numbers_for_parameters(links):
    every = [s for link in links for s in link]
    return {s: sympy.Rational(thousandths(k), 1000) for k, s in enumerate(every) if k % len(PARTS) >= 2}


def differences_for_coordinates(links):
    angles = [sympy.Integer(0)] + [sympy.Symbol(f"s{i + 1}") for i in range(len(links))]
    return {link[0]: angles[i + 1] - angles[i] for i, link in enumerate(links)}


def mass_matrix(links):
    T = kinetic_energy(links)
    momenta = [T.diff(link[1]) for link in links]
    return [momenta[i].diff(links[j][1]) for i in range(len(links)) for j in range(i + 1)]


def normal_form(e, links):
    """Expanded and reduced by sin² = 1 − cos²; higher powers of a sine do not occur in M."""
    squares = {sympy.sin(link[0]) ** 2: 1 - sympy.cos(link[0]) ** 2 for link in links}
    return e.expand().xreplace(squares).expand()


def value(e, known):
    """Numbers for symbols, each different subexpression once."""
    if e in known:
        return known[e]
    if e.is_Number:
        result = float(e)
    else:
        args = [value(a, known) for a in e.args]
        if e.is_Add:
            result = sum(args)
        elif e.is_Mul:
            result = 1.0
            for a in args:
                result *= a
        elif e.is_Pow:
            result = args[0] ** args[1]
        else:
            result = {sympy.sin: math.sin, sympy.cos: math.cos}[e.func](args[0])
    known[e] = result
    return result


def print_values():
    for n in (3, 6):
        links = make_chain(n)
        known = {s: thousandths(k) / 1000 for k, s in enumerate(s for link in links for s in link)}
        T = kinetic_energy(links)
        derivatives = gradient(T, variables(links))
        print("sympy energy", n, *(repr(value(e, known)) for e in [T] + derivatives))
        if n == 3:
            entries = jacobian(derivatives, variables(links))
            print("sympy jacobian", n, *(repr(value(e, known)) for e in entries))
            forms = [normal_form(e, links) for e in mass_matrix(links)]
            print("sympy terms", n, *(len(sympy.Add.make_args(form)) for form in forms))


def cpu_times(repetitions, prepare, work):
    times = []
    for _ in range(repetitions):
        given = prepare()
        clear_cache()
        start = time.process_time()
        work(given)
        times.append(time.process_time() - start)
    return times


def measure(repetitions):
    times = {}
    for n in (3, 6):
        def chain():
            return make_chain(n)

        def derivatives():
            links = make_chain(n)
            return links, gradient(kinetic_energy(links), variables(links))

        def substitute(make_map):
            def work(given):
                links, roots = given
                replace = make_map(links)
                return [e.xreplace(replace) for e in roots]
            return work

        times[f"build/{n}"] = cpu_times(repetitions, chain, kinetic_energy)
        times[f"build_and_differentiate/{n}"] = cpu_times(
            repetitions, chain, lambda links: gradient(kinetic_energy(links), variables(links)))
        if n > 3:
            continue
        times[f"jacobian_of_derivatives/{n}"] = cpu_times(
            repetitions, derivatives, lambda given: jacobian(given[1], variables(given[0])))
        times[f"substitute_numbers/{n}"] = cpu_times(repetitions, derivatives, substitute(numbers_for_parameters))
        times[f"substitute_angles/{n}"] = cpu_times(repetitions, derivatives, substitute(differences_for_coordinates))
        times[f"normal_form/{n}"] = cpu_times(
            repetitions, lambda: (make_chain(n), mass_matrix(make_chain(n))),
            lambda given: [normal_form(e, given[0]) for e in given[1]])
    return times


if __name__ == "__main__":
    if sys.argv[1:] == ["--values"]:
        print_values()
    else:
        with open(sys.argv[1], "w", encoding="utf-8") as out:
            json.dump(measure(int(sys.argv[2])), out, indent=1)
