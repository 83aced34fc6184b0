"""A mechanism and its verbs."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _linkwright, _words
from . import _results as results
from ._batch import Compiled
from ._equations import Equations
from ._errors import unpack

Names = "str | Iterable[str] | None"
OnStep = Callable[[float, float, float], "bool | None"]

_options_of_opening = ("set", "freeze", "formulation", "initial")


def _open_words(set=None, freeze=None, formulation=None, initial=None) -> dict[str, Any]:
    return _words.given(set=_words.pairs(set), freeze=_words.names(freeze), formulation=formulation, initial=_words.pairs(initial))


def load(path, *, set=None, freeze=None, formulation: str | None = None, initial=None) -> Mechanism:
    """Reads a model file.

    set          other values of parameters and inputs: {"m": 80, "l": "30cm"}
    freeze       parameters that become numbers before equations are derived: names, or "all"
    formulation  how equations are derived, one of lw.formulations; without it the one that suits each verb
    initial      where coordinates, speeds and states begin: {"theta": "20deg", "theta'": 0}

    Raises lw.InputError with every problem of the file at once; its warnings are Python warnings.
    """
    words = _open_words(set, freeze, formulation, initial)
    file = _words.path(path)
    return _opened(_linkwright.open(file, words), words, path=os.path.abspath(file), **_text_of(file))


def _text_of(file: str) -> dict[str, str]:
    """The text of a model file that stands for itself, so that another process needs no file."""
    if not file.endswith(".toml"):
        return {}
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    return {} if "[lynch]" in text else {"text": text, "name": file}


def loads(text: str, *, name: str = "", set=None, freeze=None, formulation: str | None = None, initial=None) -> Mechanism:
    """The same of a text; ``name`` stands for the file in messages."""
    words = _open_words(set, freeze, formulation, initial)
    return _opened(_linkwright.open_text(text, name, words), words, text=text, name=name)


def _opened(answer, words, **source) -> Mechanism:
    return unpack(answer, lambda session, diagnostics: Mechanism(session, diagnostics, words, source))


def _open_again(words, source, is_silent=True):
    """For pickle: the text where it is known, else the path."""
    import warnings

    with warnings.catch_warnings():
        if is_silent:  # what there was to say has been said
            warnings.simplefilter("ignore")
        if "text" in source:
            return _opened(_linkwright.open_text(source["text"], source["name"], words), words, **source)
        return _opened(_linkwright.open(source["path"], words), words, **source)


def _point(at, state, hold, moving, trim, steady) -> dict[str, Any]:
    """The words for an operating point."""
    return _words.given(at=at, state=_words.state(state), hold=_words.pairs(hold), moving=_words.names(moving), trim=_words.names(trim),
                        steady=bool(steady))


_point_words = """
        Where: at the equilibrium nearest to the initial state (or to ``state``), found with ``hold`` ({"speed": 3}), ``moving``, ``trim`` and ``steady`` as
        ``equilibrium`` has them; ``at="initial"`` is the initial state itself, ``state`` alone that state.
"""


def _tells_point(method):
    method.__doc__ = (method.__doc__ or "").rstrip() + "\n" + _point_words
    return method


class Mechanism:
    """A mechanism that was read: verbs are methods. It never changes; threads may share it, ``pickle`` and ``copy`` take it.

    Equations and code are worked out when a verb first needs them, and kept. Long calls take ``on_step(now, from, until)``, told how far they are;
    returning False stops them. Ctrl-C stops them too, and what was reached is in ``partial`` of the lw.Interrupted that is raised. A call lets go of Python's lock
    while it works.

    Keywords are the words of the command line, ``linkwright VERB --help`` explains them; results have what ``--json`` prints.
    """

    def __init__(self, session, diagnostics, words, source):
        self._session, self.diagnostics, self._open_words, self._source = session, diagnostics, words, source

    @property
    def name(self) -> str:
        return self._session.name

    @property
    def parameters(self) -> dict[str, float]:
        """Their values, in SI units."""
        return self._session.parameters

    @property
    def units(self) -> dict[str, str]:
        """SI units of coordinates, speeds, inputs, outputs, energies: whatever may be a column, as far as they are known."""
        return dict(sorted(self._session.units.items()))

    def with_values(self, set=None, initial=None, **more) -> Mechanism:
        """The same model with other values beside those it was opened with."""
        words = dict(self._open_words)
        for key, pairs in (("set", _words.pairs({**(set or {}), **more})), ("initial", _words.pairs(initial))):
            words[key] = [*words.get(key, []), *(pairs or [])]
        return _open_again(words, self._source, is_silent=False)

    def _call(self, verb: str, kind: type, words: dict[str, Any], on_step=None, **how):
        answer = getattr(self._session, verb)(_words.given(**words), on_step)
        return unpack(answer, kind, **how)

    # --- what it is, and numbers at a state ---

    def check(self) -> results.Inspection:
        """What the mechanism is: degrees of freedom, masses, joints at the assembled state, redundant constraints, whether it closes."""
        return unpack(self._session.check(), results.Inspection)

    def evaluate(self, state=None, *, assemble: bool = False, also=None, frames=None) -> results.Evaluation:
        """Mass matrix, forcing, accelerations, multipliers, energies, outputs at a state.

        state     {"theta": 0.2, "theta'": 0}, with "t" and "inputs" where they are wanted; a state file; without it the assembled initial state
        assemble  close the loops of that state first
        also      "g", "C", "causes", "J": gravity forces, the matrix of velocity forces, forcing by cause, Jacobians
        frames    of J: outputs, bodies, BODY.POINT
        """
        words = _words.given(state=_words.state(state), assemble=assemble, also=_words.names(also), frames=_words.names(frames))
        return unpack(self._session.evaluate(words), results.Evaluation)

    # --- motion ---

    def simulate(self, until: float | None = None, *, samples: int | None = None, times=None, state=None, restart=None, start_from=None, inputs=None,
                 tolerance: float | None = None, absolute: float | None = None, integrator: str | None = None, constraints: str | None = None,
                 solver: str | None = None, baumgarte: float | None = None, step: float | None = None, max_step: float | None = None,
                 max_steps: int | None = None, stop=None, record=None, interpret: bool = False, on_step: OnStep | None = None) -> results.Simulation:
        """A motion: rows of coordinates, speeds, energies and outputs over time.

        until, samples  rows at so many equal intervals (100) up to there; or at these ``times``
        state           where to begin, closed first; without it the initial state of the model
        restart         or go on from the last row of this result (or file); ``start_from``: begin at its first row
        inputs          {"drive": lambda t: 5*math.sin(t)}: functions of time, called by the integrator wherever it needs them, with no samples in
                        between; or samples, with a cubic spline through them: {"t": …, "drive": …}, a result with such columns, a file
        tolerance       relative error of a step (1e-8); ``absolute`` (a hundredth of it)
        integrator      "adams" (smooth motion), "bdf" (stiff), "rk" (order 8), "rk4" (fixed ``step``), "ida" (descriptor form)
        constraints     how loops stay closed: "projection", "baumgarte", "partition", "nullspace", "none"
        stop, record    what ends the motion, or is recorded, when it crosses zero: expressions ("falling y", "hit = x - 2"), functions of time
                        and state (lambda t, s: s["x"] - 2), lw.Event, {"hit": any of these}, or several in a list
        on_step         called at every accepted step with its time; False ends the motion and keeps the rows

        A motion that cannot go on raises lw.NumericalError with the rows up to there in ``partial``.
        """
        drive = None
        if isinstance(inputs, Mapping) and not isinstance(inputs, results.TableResult) and "t" not in inputs:
            drive = [(str(name), f if callable(f) else functools.partial(_constant, float(f))) for name, f in inputs.items()]
            inputs = None
        stops, stopping = _words.events(stop, True)
        records, recording = _words.events(record, False)
        with _words.table_files(inputs=inputs, restart=restart, start_from=start_from) as files:
            return self._call("simulate", results.Simulation, dict(
                until=until, samples=samples, times=_words.numbers(times), state=_words.state(state), drive=drive, tolerance=tolerance,
                absolute=absolute, integrator=integrator, constraints=constraints, solver=solver, baumgarte=baumgarte, step=step,
                max_step=max_step, max_steps=max_steps, stop=stops, record=records, events=stopping + recording, interpret=interpret, **files), on_step)

    def simulate_many(self, values, until: float | None = None, *, samples: int | None = None, times=None, columns=None, tolerance: float | None = None,
                      absolute: float | None = None, integrator: str | None = None, constraints: str | None = None, step: float | None = None,
                      max_step: float | None = None, max_steps: int | None = None, stop=None, threads: int = 0, one_by_one: bool = False,
                      interpret: bool = False, on_step: OnStep | None = None) -> results.Motions:
        """Many motions at once, each with values of its own; trees are stepped four at a time by native code, on all cores, without Python's lock.

        values      {"m": [60, 70, 80], "theta": 0.1}: parameters (in their own units), inputs (held over the motion), initial values of coordinates,
                    speeds and auxiliary states; arrays of one length, and numbers that all motions share
        columns     what is kept at every sample: names and expressions of them ("theta, x, energy.total"); without it coordinates, speeds, states
        one_by_one  every motion by itself, with the integrator of ``simulate``; ``integrator`` implies it
        stop        expressions; a motion that stops has NaN after its last row
        on_step     told how many motions are done

        until, samples, times, tolerance and the rest as ``simulate`` has them. A motion does not depend on which others are beside it. Those that
        fail are told in ``failures``, with a warning.
        """
        names, table = _words.rows(values)
        stops, functions = _words.events(stop, True)
        if functions:
            raise TypeError("stop: expressions; functions go with simulate")
        return self._call("simulate_many", results.Motions, dict(
            names=names, values=table, until=until, samples=samples, times=_words.numbers(times), columns=_words.expressions(columns), tolerance=tolerance,
            absolute=absolute, integrator=integrator, constraints=constraints, step=step, max_step=max_step, max_steps=max_steps, stop=stops,
            threads=threads, one_by_one=one_by_one, interpret=interpret), on_step)

    def ensemble(self, vary=None, *, grid=None, runs: int | None = None, collect=None, until: float | None = None, samples: int | None = None,
                 sampling: str | None = None, seed: int | None = None, indices: bool = False, of: str | None = None, tolerance: float | None = None,
                 absolute: float | None = None, integrator: str | None = None, constraints: str | None = None, max_step: float | None = None,
                 max_steps: int | None = None, stop=None, motion=None, by: str | None = None, at=None, hold=None, trim=None, quantiles=None,
                 confidence: float | None = None, bins: int | None = None, output=None, overwrite: bool = False, threads: int = 0,
                 one_by_one: bool = False, interpret: bool = False, on_step: OnStep | None = None) -> results.Ensemble:
        """Many runs with values by chance or on a grid, a few numbers kept of each, and what they say: ``linkwright ensemble``, docs/ensemble.md.

        vary      {"m": "normal(80, 8)", "theta": "uniform(5*deg, 15*deg)"}, so many ``runs``
        grid      {"l": (2, 6, 8)}: eight intervals; {"l": [2, 3, 5]}: these
        collect   "final(x)", ["max(abs(theta))", "falling(theta)"], {"peak": "max(x)"}
        sampling  "random", "latin", "sobol"; run i of a ``seed`` is always the same
        indices   Sobol's indices of sensitivity
        of        "simulate", "modes", "equilibrium", "inverse" (with ``motion``)
        output    runs.csv or runs.h5; a call that was stopped goes on from the journal beside it
        on_step   told how many runs are done
        """
        stops, functions = _words.events(stop, True)
        if functions:
            raise TypeError("stop: expressions; functions go with simulate")
        grids = [_words.along((name, *v) if isinstance(v, tuple) else {name: v}) for name, v in grid.items()] if isinstance(grid, Mapping) else _list(grid)
        return self._call("ensemble", results.Ensemble, dict(
            vary=_words.pairs(vary, " ~ "), grid=grids, runs=runs, collect=_words.pairs(collect, " = "), until=until, samples=samples, sampling=sampling,
            seed=seed, indices=indices, of=of, tolerance=tolerance, absolute=absolute, integrator=integrator, constraints=constraints, max_step=max_step,
            max_steps=max_steps, stop=stops, motion=_words.pairs(motion, " = "), by=by, at=at, hold=_words.pairs(hold), trim=_words.names(trim),
            quantiles=_words.numbers(quantiles), confidence=confidence, bins=bins, output=None if output is None else _words.path(output),
            overwrite=overwrite, threads=threads, one_by_one=one_by_one, interpret=interpret), on_step)

    def inverse(self, motion, until: float | None = None, *, samples: int | None = None, times=None, state=None, by: str | None = None,
                tolerance: float | None = None, on_step: OnStep | None = None) -> results.Inverse:
        """Forces for a motion that is given.

        motion  {"theta": "0.5*sin(2*t)"}, or columns {"t": …, "theta": …} or a result with such, or the words of the command line
        by      "inputs" (where there are any) or "coordinates": where the forces act
        """
        is_table = _words.is_table(motion) or isinstance(motion, os.PathLike)
        with _words.table_files(motion=motion if is_table else None) as files:
            words = [files["motion"]] if is_table else _words.pairs(motion, " = ")
            return self._call("inverse", results.Inverse, dict(
                motion=words, until=until, samples=samples, times=_words.numbers(times), state=_words.state(state), by=by,
                tolerance=tolerance), on_step)

    def spectrum(self, columns, *, of=None, until: float | None = None, state=None, samples: int | None = None, every: float | None = None,
                 after: float | None = None, window: str | None = None, average: int | None = None, overlap: float | None = None,
                 harmonics: int | None = None, fundamental: float | None = None, remove: str | None = None, rad: bool = False,
                 tolerance: float | None = None, on_step: OnStep | None = None) -> results.Spectrum:
        """Which frequencies are in columns of a motion: one that is simulated here, or ``of`` a result or table with equal intervals of t."""
        with _words.table_files(of=of) as files:
            return self._call("spectrum", results.Spectrum, dict(
                columns=_words.names(columns), until=until, state=_words.state(state), samples=samples, every=every, after=after, window=window,
                average=average, overlap=overlap, harmonics=harmonics, fundamental=fundamental, remove_mean=remove == "mean",
                remove_trend=remove == "trend", in_rad=rad, tolerance=tolerance, **files), on_step)

    # --- small motions ---

    def equilibrium(self, *, hold=None, moving=None, trim=None, steady: bool = False, state=None, starts: int | None = None,
                    seed: int | None = None, on_step: OnStep | None = None) -> results.Equilibrium:
        """A state of rest or steady motion, its multipliers, and whether it is stable.

        hold    {"theta": 0.5}: coordinates and speeds that are kept; ``moving``: coordinates that may move; ``trim``: inputs to be solved for
        steady  steady motion with the speeds of the initial state
        starts  look from so many places, and list the different ones in ``equilibria``
        """
        return self._call("equilibrium", results.Equilibrium, dict(
            hold=_words.pairs(hold), moving=_words.names(moving), trim=_words.names(trim), steady=steady, state=_words.state(state),
            starts=starts, seed=seed), on_step)

    @_tells_point
    def linearize(self, *, onto=None, lynch: bool = False, at=None, state=None, hold=None, moving=None, trim=None, steady: bool = False,
                  on_step: OnStep | None = None) -> results.Linearization:
        """M, C, K, B and A, B, C, D of small motions; ``onto`` these coordinates, in this order."""
        return self._call("linearize", results.Linearization, dict(
            onto=_words.names(onto), lynch=lynch, **_point(at, state, hold, moving, trim, steady)), on_step)

    @_tells_point
    def linear_formulas(self, to: str = "text", *, keep=None, onto=None, lynch: bool = False, state_space: bool = False, at=None, state=None,
                        hold=None, moving=None, trim=None, steady: bool = False, on_step: OnStep | None = None) -> str:
        """The same matrices as formulas in the parameters, as a page: "text", "markdown", "latex" or "json"."""
        words = dict(to=to, keep=_words.names(keep), onto=_words.names(onto), lynch=lynch, state_space=state_space,
                     **_point(at, state, hold, moving, trim, steady))
        return self._call("linear_page", lambda page, _: page, words, on_step)

    @_tells_point
    def modes(self, *, methods=None, lynch: bool = False, at=None, state=None, hold=None, moving=None, trim=None, steady: bool = False,
              on_step: OnStep | None = None) -> results.Modes:
        """Eigenvalues and shapes of small motions. ``methods``: "qr", "qz", or both to compare them."""
        return self._call("modes", results.Modes, dict(
            methods=_words.names(methods), lynch=lynch, **_point(at, state, hold, moving, trim, steady)), on_step)

    @_tells_point
    def animate(self, mode: int = 1, *, amplitude: float | None = None, frames: int | None = None, lynch: bool = False, at=None, state=None,
                hold=None, moving=None, trim=None, steady: bool = False, on_step: OnStep | None = None) -> results.Animation:
        """One period of a mode (counted from 1): all coordinates, loops closed."""
        return self._call("animate", results.Animation, dict(
            mode=mode, amplitude=amplitude, frames=frames, lynch=lynch, **_point(at, state, hold, moving, trim, steady)), on_step)

    @_tells_point
    def sweep(self, along, *, campbell: Sequence[float] | None = None, lynch: bool = False, at=None, state=None, hold=None, moving=None, trim=None,
              steady: bool = False, on_step: OnStep | None = None) -> results.Sweep:
        """Poles along a parameter, branch by branch: ("v", 0, 10, 100) is a hundred intervals, {"v": [1, 2, 5]} these values.

        With ``campbell`` the parameter is a rotor's speed, and speeds are found at which a frequency is so many times that.
        """
        return self._call("sweep", results.Sweep, dict(
            along=_words.along(along), orders=_words.numbers(campbell), lynch=lynch, **_point(at, state, hold, moving, trim, steady)), on_step)

    @_tells_point
    def sensitivity(self, to="all", *, of: str | None = None, at=None, state=None, hold=None, moving=None, trim=None, steady: bool = False,
                    on_step: OnStep | None = None) -> results.Sensitivity:
        """Exact derivatives of "eigenvalues", "poles", "vectors" or the "equilibrium" by parameters."""
        return self._call("sensitivity", results.Sensitivity, dict(
            to=_words.names(to), of=of, **_point(at, state, hold, moving, trim, steady)), on_step)

    def motion_sensitivity(self, to="all", until: float | None = None, *, samples: int | None = None, times=None, state=None,
                           tolerance: float | None = None, on_step: OnStep | None = None) -> results.MotionSensitivity:
        """Derivatives of a motion by parameters and by values at the beginning ("theta(0)"), as columns over time."""
        return self._call("motion_sensitivity", results.MotionSensitivity, dict(
            to=_words.names(to), until=until, samples=samples, times=_words.numbers(times), state=_words.state(state), tolerance=tolerance), on_step)

    @_tells_point
    def place(self, vary, *, eigenvalues=None, frequencies=None, poles=None, bounds=None, weights=None, iterations: int | None = None,
              tolerance: float | None = None, at=None, state=None, hold=None, moving=None, trim=None, steady: bool = False,
              on_step: OnStep | None = None) -> results.Placement:
        """Values of the parameters ``vary`` for wanted eigenvalues, frequencies (Hz) or poles; ``bounds``: {"m": (0.1, 3)}."""
        if isinstance(bounds, Mapping):
            bounds = [f"{name}={_words.span(tuple(b))}" for name, b in bounds.items()]
        poles = None if poles is None else [_words.number(p) for p in _words.as_list(poles)]
        return self._call("place", results.Placement, dict(
            vary=_words.names(vary), eigenvalues=_words.numbers(eigenvalues), frequencies=_words.numbers(frequencies), poles=poles,
            bounds=_words.pairs(bounds), weights=_words.numbers(weights), iterations=iterations, tolerance=tolerance,
            **_point(at, state, hold, moving, trim, steady)), on_step)

    @_tells_point
    def frequency(self, from_=None, to=None, *, range=None, points: int | None = None, even: bool = False, frequencies=None, hz: bool = False,
                  nyquist: bool = False, at=None, state=None, hold=None, moving=None, trim=None, steady: bool = False,
                  on_step: OnStep | None = None) -> results.FrequencyResponse:
        """Transfer functions from inputs to outputs, coordinates or speeds; ``range`` is (lowest, highest), chosen from the poles without it."""
        return self._call("frequency", results.FrequencyResponse, {
            "from": _words.names(from_), "to": _words.names(to), "range": _words.span(range), "points": points, "even": even,
            "frequencies": _words.numbers(frequencies), "hz": hz, "nyquist": nyquist, **_point(at, state, hold, moving, trim, steady)}, on_step)

    @_tells_point
    def root_locus(self, gains, from_, to, *, at=None, state=None, hold=None, moving=None, trim=None, steady: bool = False,
                   on_step: OnStep | None = None) -> results.Sweep:
        """Poles of a loop along its gain: (0, 100, 200) is two hundred intervals, "0.01:100:60:log" at equal ratios."""
        return self._call("loop_locus", results.Sweep, {
            "gains": _words.span(gains), "from": _words.names(from_), "to": _words.names(to),
            **_point(at, state, hold, moving, trim, steady)}, on_step)

    # --- multiple scales ---

    @_tells_point
    def perturb(self, *, degree: int | None = None, order: int | None = None, damping: int | None = None, forcing: int | None = None,
                parametric: int | None = None, keep=None, closeness: float | None = None, numeric: bool = False, orders: bool = False, response=None,
                compare: bool = False, amplitude=None, until: float | None = None, samples: int | None = None, halving: int | None = None,
                shrink=None, tolerance: float | None = None, at=None, state=None, hold=None, moving=None, trim=None, steady: bool = False,
                on_step: OnStep | None = None) -> results.Perturbation | results.SteadyResponse | results.ScalesComparison:
        """The method of multiple scales: modulation of amplitudes, resonances, backbone curves, steady states.

        response  (0.8, 1.2, 100): instead, steady states along the frequency of the excitation
        compare   instead, beside a simulation, which begins at ``amplitude``; ``halving`` so often, with ``shrink`` {"c": 2}
        """
        words = dict(degree=degree, order=order, damping=damping, forcing=forcing, parametric=parametric, keep=_words.names(keep),
                     closeness=closeness, numeric=numeric, **_point(at, state, hold, moving, trim, steady))
        if response is not None:
            return self._call("perturb_response", results.SteadyResponse, dict(words, range=_words.span(response)), on_step)
        if compare or amplitude is not None or halving is not None:
            return self._call("perturb_compare", results.ScalesComparison, dict(
                words, amplitude=_words.pairs(amplitude), until=until, samples=samples, halving=halving, shrink=_words.pairs(shrink),
                tolerance=tolerance), on_step)
        return self._call("perturb", lambda v, d: results.Perturbation(v["data"], d, v["text"], v["latex"]), dict(words, orders=orders), on_step)

    # --- elastic structures ---

    def structure(self, *, joints=None, elements: int | None = None, method: str | None = None, modes=None, retain=None, sweep=None, state=None,
                  on_step: OnStep | None = None) -> results.Structure:
        """Natural frequencies and shapes of the mechanism as a structure of finite elements; ``method`` other than "full" is a synthesis of component
        modes. With ``sweep`` ("EI", 50, 200, 1000) or ``retain`` frequencies along a parameter.
        """
        words = dict(joints=_words.names(joints), elements=elements, method=method, modes=None if modes is None else str(modes),
                     state=_words.state(state))
        if sweep is not None or retain is not None:
            return self._call("structure_sweep", results.Structure, dict(words, along=_words.along(sweep), retain=_words.names(retain)), on_step)
        return self._call("structure", results.Structure, words, on_step)

    # --- equations, and whether they are right ---

    def derive(self, *, only=None, form: str | None = None, steps: bool = False, axes: str | None = None, frames=None, digits: int | None = None,
               on_step: OnStep | None = None) -> Equations:
        """The equations of motion, to be read: ``.text``, ``.latex``, ``.to_dict()``, ``.sympy()``; a notebook shows the formulas.

        only   parts: "M, f", and on request "g", "C", "causes", "J", "Lambda", "B"
        form   "readable", "recursive", or the "shorter" of both
        steps  the worked derivation before them
        """
        words = _words.given(only=_words.names(only), form=form, steps=steps, axes=axes, frames=_words.names(frames), digits=digits)
        return Equations(self, words, on_step)

    def prove(self, *, only=None, seed: int | None = None, patience: float | None = None) -> results.Proof:
        """Shows that all formulations, the readable form and the program are the same functions. The result is true where they are; a difference is
        an answer, and no exception."""
        return self._call("prove", results.Proof, dict(only=_words.names(only), seed=seed, patience=patience), None, a_failure_is_an_answer=True)

    def compare(self, file, *, names=None, language: str | None = None, accept_sign: bool = False, accept_factor: bool = False,
                seed: int | None = None, patience: float | None = None, on_step: OnStep | None = None) -> results.Comparison:
        """Equations from a file (our language, Fortran, C, Python, MATLAB) against ours: which entry is wrong, and where. The result is true where all are
        equal; a difference is an answer, and no exception."""
        words = dict(file=_words.path(file), names=None if names is None else _words.path(names), language=language, accept_sign=accept_sign,
                     accept_factor=accept_factor, seed=seed, patience=patience)
        return self._call("compare", results.Comparison, words, on_step, a_failure_is_an_answer=True)

    def count(self, *, formulation: str | None = None, on_step: OnStep | None = None) -> results.Count | list[results.Count]:
        """Operations of every program; a list with ``formulation="all"``."""
        if formulation == "all":
            return self._call("count_all", lambda v, d: [results.Count(x, d) for x in v], {}, on_step)
        if formulation is not None:
            return _open_again({**self._open_words, "formulation": formulation}, self._source).count()
        return self._call("count", results.Count, {})

    def base_parameters(self) -> results.BaseParameters:
        """The combinations of masses and inertias that the equations depend on."""
        return self._call("base_parameters", results.BaseParameters, {})

    # --- to take away ---

    def generate(self, languages, *, also=None, frames=None, routines: str | None = None, on_step: OnStep | None = None) -> results.Code:
        """Code that computes the equations: ``.texts`` by file name, ``.save(folder)``. Languages as ``linkwright generate --help`` lists them."""
        words = dict(languages=_words.names(languages), also=_words.names(also), frames=_words.names(frames), routines=routines)
        return self._call("generate", lambda v, d: results.Code(v["data"], d, v["texts"]), words, on_step)

    def report(self, *, only=None, also=None, live=None, versus=None, until: float | None = None, samples: int | None = None,
               tolerance: float | None = None, inputs=None, languages=None, on_step: OnStep | None = None) -> results.Page:
        """A page of HTML with pictures, motion, equations, analyses and proof; ``.save("page.html")``."""
        with _words.table_files(inputs=inputs) as files:
            return self._call("report", lambda page, _: results.Page(page), dict(
                only=_words.names(only), also=_words.names(also), live=_words.names(live), versus=_list(versus), until=until, samples=samples,
                tolerance=tolerance, languages=_words.names(languages), **files), on_step)

    def compile(self, what="accelerations", *, interpret: bool = False) -> Compiled:
        """A function of many states at once: ``f = m.compile(); udot = f(q, u)`` with arrays of shape (n, …), on all cores.

        what  one or several of accelerations, multipliers, mass_matrix, forcing, coordinate_rates, auxiliary_rates, constraint_jacobian,
              constraint_bias, energy (kinetic, potential)
        """
        names = _words.names(what)
        return unpack(self._session.compile(names, interpret), lambda function, _: Compiled(function, self, names))

    def dynamics(self) -> Compiled:
        """``compile`` for accelerations, with multipliers where loops are closed."""
        return self.compile(["accelerations", "multipliers"] if self._has_constraints else ["accelerations"])

    @functools.cached_property
    def _has_constraints(self) -> bool:
        return any(part[2] for part in self.compile("multipliers")._parts)

    # --- Python ---

    def __reduce__(self):
        return _open_again, (self._open_words, self._source)

    def __copy__(self) -> Mechanism:
        return self

    def __deepcopy__(self, memo) -> Mechanism:
        return self  # it never changes

    def __repr__(self) -> str:
        return f"<Mechanism '{self.name}'>"


def _constant(value: float, t: float) -> float:
    return value


def _list(words) -> list[str] | None:
    return None if words is None else [words] if isinstance(words, str) else [str(w) for w in words]
